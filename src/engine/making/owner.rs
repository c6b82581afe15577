//! Whose a claim is to provision: ours, or that of somebody in the cluster. Names of provisioners are distinct, so a name that
//! somebody else answers to is not ours, whatever is configured here.

use super::super::provisioning::{Maker, is_by};
use super::MakingQuestion;
use super::class::Resolved;
use super::unmade::Unmade;
use crate::conventions::annotations::{BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER};
use crate::model::{Claim, ClusterState, Kind};

/// Who provisions a claim.
pub(super) enum Owner {
    Us { provisioner: String },
    Cluster(Maker),
}

/// The provisioner a claim was left to: the GA annotation, else the beta one.
pub(super) fn wanted_provisioner(claim: &Claim) -> Option<&str> {
    let annotation = |key: &str| claim.annotations.get(key).map(String::as_str);
    annotation(STORAGE_PROVISIONER).or_else(|| annotation(BETA_STORAGE_PROVISIONER))
}

/// Whether the annotations do not both name the provisioner yet.
pub(super) fn needs_annotations(claim: &Claim, provisioner: &str) -> bool {
    let names = |key: &str| claim.annotations.get(key).map(String::as_str) == Some(provisioner);
    !(names(STORAGE_PROVISIONER) && names(BETA_STORAGE_PROVISIONER))
}

pub(super) fn find(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    resolved: &Resolved<'_>,
) -> Result<Owner, Box<Unmade>> {
    let maker = Maker::of(resolved.class);
    let class = &resolved.class.provisioner;
    // The driver that took over an in-tree name answers to its own (R92).
    let answers = match &maker {
        Maker::External { name, .. } => name,
        _ => class,
    };
    match wanted_provisioner(question.claim) {
        // Whom the claim was left to counts, whatever its class says by now.
        Some(wanted) if (question.is_own)(wanted) => ours(state, question.claim, wanted),
        Some(wanted) if (question.is_own)(answers) && wanted != class => {
            Err(Box::new(of_two_minds(resolved, wanted)))
        }
        None if (question.is_own)(answers) => ours(state, question.claim, answers),
        _ => Ok(Owner::Cluster(maker)),
    }
}

fn of_two_minds(resolved: &Resolved<'_>, wanted: &str) -> Unmade {
    let (class, names) = (&resolved.class.name, &resolved.class.provisioner);
    let message = format!(
        "its annotation {STORAGE_PROVISIONER} leaves it to {wanted}, and its class {class} names {names}"
    );
    Unmade::refused("NoProvisioner", message)
        .hint("remove the annotation to leave it to the provisioner of the class")
}

fn ours(state: &ClusterState, claim: &Claim, name: &str) -> Result<Owner, Box<Unmade>> {
    if let Some(sign) = somebody_else(state, name) {
        let message = format!(
            "{name} is configured here, and somebody else in the cluster answers to that name: {sign}"
        );
        let unmade = Unmade::refused("NoProvisioner", message)
            .hint("names of provisioners are distinct: give the backend and its class another one");
        return Err(Box::new(unmade));
    }
    let unseen: Vec<Kind> = [Kind::CsiDrivers, Kind::CsiNodes]
        .into_iter()
        // A CSI driver cannot have a name with a slash.
        .filter(|kind| !name.contains('/') && !state.saw(*kind, None))
        .collect();
    if !unseen.is_empty() {
        return Err(Box::new(Unmade::not_readable(state, claim, &unseen)));
    }
    Ok(Owner::Us {
        provisioner: name.to_owned(),
    })
}

/// What shows that somebody else serves the name. Volumes are no sign, they may be ours; our own events are not signed with it.
pub(crate) fn somebody_else(state: &ClusterState, name: &str) -> Option<String> {
    let objects = state.objects();
    if objects.csi_drivers.iter().any(|driver| driver.name == name) {
        return Some(format!("CSIDriver {name}"));
    }
    let mut nodes = objects.csi_nodes.iter();
    if let Some(node) = nodes.find(|node| node.drivers.iter().any(|driver| driver == name)) {
        return Some(format!("it is registered on node {}", node.name));
    }
    let mut events = objects.events.iter();
    let event = events.find(|event| is_by(event, name))?;
    Some(format!(
        "event {} on {} is by it",
        event.reason, event.about
    ))
}
