//! What is to be said of claims whose volumes this machine makes: that it does, and which parameters of their class it will
//! not take.

use super::super::backend_answers::plan_with;
use crate::actions::memory::Memory;
use crate::actions::operation::Action;
use crate::actions::provision::{ProvisionQuestion, plan_provision};
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::{Rules, parameters};
use crate::error::CommandError;
use crate::model::ClusterState;
use crate::model::catalogue::Catalogue;
use crate::render::safe;
use crate::report::{
    Danger, Explanation, Suggestion, UnknownReason, UnknownRemedy, UnknownSubject, served,
};
use crate::session::Session;
use crate::storage::Backends;
use std::collections::BTreeSet;

/// Whether `provision` would make the volume here, as far as anybody can tell before it is made.
fn would_make(
    state: &ClusterState,
    key: &ObjectKey,
    backends: &Backends,
    session: &Session<'_>,
) -> bool {
    let question = ProvisionQuestion {
        claims: vec![key.clone()],
        are_named: true,
        reach: None,
        node: None,
        host: session.environment.host.as_deref(),
        is_live: !state.is_from_files(),
        waits: false,
        rules: Rules::default(),
    };
    let plan = plan_with(backends, |facts| {
        plan_provision(state, &question, &Memory::default(), facts)
    });
    let mut changes = plan.changes.iter();
    changes.any(|change| change.action() == Action::CreateAsset)
}

/// Completes explanations with what is served here, and says on stderr what is wrong with the classes concerned.
pub(super) fn tell(
    explanations: &mut [Explanation],
    state: &ClusterState,
    catalogue: &Catalogue,
    (backends, backend_flags): (&Backends, &[String]),
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
        let what = UnknownSubject::Provisioner(provisioner.clone());
        let claim = &explanation.claim;
        let mut words = vec!["kubectl", "pv", "provision", &claim.name];
        words.extend(["-n", &claim.namespace]);
        words.extend(backend_flags.iter().map(String::as_str));
        let provision = command(&words);
        let mut unknowns = explanation.unknowns.iter_mut();
        if let Some(unknown) = unknowns.find(|unknown| unknown.what == what) {
            unknown.why = UnknownReason::ServedHere(served(target));
            unknown.remedy = Some(UnknownRemedy::Run(provision.clone()));
        }
        let key = ObjectKey::new(&*claim.namespace, &*claim.name);
        if would_make(state, &key, backends, session) {
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
