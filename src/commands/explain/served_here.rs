//! What is to be said of claims whose volumes this machine makes: that it does, and which parameters of their class it will
//! not take.

use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell::command;
use crate::engine::{Making, MakingQuestion, Rules, decide_making, parameters};
use crate::error::CommandError;
use crate::model::ClusterState;
use crate::model::catalogue::Catalogue;
use crate::render::safe;
use crate::report::{Danger, Explanation, Suggestion, served};
use crate::session::Session;
use std::collections::BTreeSet;

/// Whether `provision` would have the volume made here.
fn would_make(state: &ClusterState, key: &ObjectKey, catalogue: &Catalogue) -> bool {
    let Some(claim) = state.find_claim(key).filter(|claim| claim.exists()) else {
        return false;
    };
    let question = MakingQuestion {
        claim,
        is_own: &|name| catalogue.served_here(name).is_some(),
        node: None,
        host: None,
        rules: Rules::default(),
    };
    matches!(decide_making(state, &question), Making::Own(_))
}

/// Completes explanations with what is served here, and says on stderr what is wrong with the classes concerned.
pub(super) fn tell(
    explanations: &mut [Explanation],
    state: &ClusterState,
    catalogue: &Catalogue,
    backend_flags: &[String],
    session: &mut Session<'_>,
) -> Result<(), CommandError> {
    let mut classes = BTreeSet::new();
    for explanation in explanations {
        let Some(provisioning) = &explanation.provisioning else {
            continue;
        };
        let provisioner = &provisioning.provisioner;
        let Some(target) = catalogue.served_here(provisioner) else {
            continue;
        };
        let what = format!("provisioner {provisioner}");
        let claim = &explanation.claim;
        let mut words = vec!["kubectl", "pv", "provision", &claim.name];
        words.extend(["-n", &claim.namespace]);
        words.extend(backend_flags.iter().map(String::as_str));
        let provision = command(&words);
        let mut unknowns = explanation.unknowns.iter_mut();
        if let Some(unknown) = unknowns.find(|unknown| unknown.what == what) {
            unknown.why = format!("{}, which acts when it is told to", served(target));
            unknown.remedy = Some(provision.clone());
        }
        if would_make(
            state,
            &ObjectKey::new(&*claim.namespace, &*claim.name),
            catalogue,
        ) {
            let offer = Suggestion {
                summary: format!("Have this machine make the volume ({target})"),
                commands: vec![provision],
                danger: Danger::Reversible,
            };
            explanation.suggestions.insert(0, offer);
        }
        classes.insert(provisioning.class.clone());
    }
    for class in classes.iter().filter_map(|name| state.find_class(name)) {
        for finding in parameters::findings(catalogue, class) {
            let note = format!("class {}: {}", class.name, finding.message);
            writeln!(session.stderr, "note: {}", safe(&note))?;
        }
    }
    Ok(())
}
