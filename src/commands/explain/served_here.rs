//! What is to be said of claims whose volumes this machine makes: that it does, and which parameters of their class it will
//! not take.

use crate::conventions::shell::command;
use crate::engine::parameters;
use crate::error::CommandError;
use crate::model::ClusterState;
use crate::model::catalogue::Catalogue;
use crate::render::safe;
use crate::report::{Explanation, served};
use crate::session::Session;
use std::collections::BTreeSet;

/// Completes explanations with what is served here, and says on stderr what is wrong with the classes concerned.
pub(super) fn tell(
    explanations: &mut [Explanation],
    state: &ClusterState,
    catalogue: &Catalogue,
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
        let words = ["kubectl", "pv", "provision", &claim.name];
        let namespace = ["-n", &claim.namespace];
        let mut unknowns = explanation.unknowns.iter_mut();
        if let Some(unknown) = unknowns.find(|unknown| unknown.what == what) {
            unknown.why = format!("{}, which acts when it is told to", served(target));
            unknown.remedy = Some(command(&[&words[..], &namespace].concat()));
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
