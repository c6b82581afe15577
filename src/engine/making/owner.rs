//! Whose a claim is to provision: ours, or that of somebody in the cluster. Names of provisioners are distinct, so a name that
//! somebody else answers to is not ours, whatever is configured here.

use super::super::provisioning::{Maker, reports_of};
use super::super::refusal::{ProvisionEvidence, Refusal};
use super::MakingQuestion;
use super::class::Resolved;
use super::unmade::not_readable;
use crate::conventions::annotations::{BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER};
use crate::model::{Claim, ClusterState, Kind};

/// Who provisions a claim.
pub(super) enum Owner {
    Us { provisioner: String },
    Cluster(Maker),
}

/// The provisioner a claim was left to: the GA annotation, else the beta one.
pub(super) fn wanted_provisioner(claim: &Claim) -> Option<&str> {
    annotated(claim).next()
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
) -> Result<Owner, Refusal> {
    let maker = Maker::of(resolved.class);
    let class = &resolved.class.provisioner;
    // The driver that took over an in-tree name answers to its own (R92).
    let answers = match &maker {
        Maker::External { name, .. } => name,
        _ => class,
    };
    // The claim's owner writes the annotations, and only an administrator writes classes: an annotation never chooses a backend.
    let is_ours = (question.is_own)(answers);
    let differs = |wanted: &&str| {
        wanted != class && wanted != answers && (is_ours || (question.is_own)(wanted))
    };
    match annotated(question.claim).find(differs) {
        Some(wanted) => Err(of_two_minds(resolved, wanted)),
        None if is_ours => ours(state, question.claim, answers),
        None => Ok(Owner::Cluster(maker)),
    }
}

/// The provisioners that the annotations of a claim name.
fn annotated(claim: &Claim) -> impl Iterator<Item = &str> {
    let keys = [STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER].into_iter();
    keys.filter_map(|key| claim.annotations.get(key).map(String::as_str))
}

fn of_two_minds(resolved: &Resolved<'_>, wanted: &str) -> Refusal {
    Refusal::new(ProvisionEvidence::ProvisionersDiffer {
        wanted: wanted.to_owned(),
        class: resolved.class.name.clone(),
        provisioner: resolved.class.provisioner.clone(),
    })
}

fn ours(state: &ClusterState, claim: &Claim, name: &str) -> Result<Owner, Refusal> {
    if let Some(sign) = somebody_else(state, name) {
        let name = name.to_owned();
        let evidence = ProvisionEvidence::NameServedTwice { name, sign };
        return Err(Refusal::new(evidence));
    }
    let unseen: Vec<Kind> = [Kind::CsiDrivers, Kind::CsiNodes]
        .into_iter()
        // A CSI driver cannot have a name with a slash.
        .filter(|kind| !name.contains('/') && !state.saw(*kind, None))
        .collect();
    if !unseen.is_empty() {
        return Err(not_readable(state, claim, &unseen));
    }
    Ok(Owner::Us {
        provisioner: name.to_owned(),
    })
}

/// The text of that warning, if there are events of a provisioner of that name. They never decide anything: any user with rights in
/// a namespace can write events there. Our own are not signed with the name.
pub(crate) fn rival_report(state: &ClusterState, name: &str) -> Option<String> {
    let event = reports_of(state, name).next()?;
    let (reason, about) = (&event.reason, &event.about);
    Some(format!(
        "{name} is configured here, and an event in namespace {} is signed with that name: {reason} on {about}",
        event.namespace
    ))
}

/// What shows that another component serves the name: only what namespace users cannot write. Volumes are no sign, they may be
/// ours.
pub(crate) fn somebody_else(state: &ClusterState, name: &str) -> Option<String> {
    let objects = state.objects();
    if objects.csi_drivers.iter().any(|driver| driver.name == name) {
        return Some(format!("CSIDriver {name}"));
    }
    let mut nodes = objects.csi_nodes.iter();
    let node = nodes.find(|node| node.drivers.iter().any(|driver| driver == name))?;
    Some(format!("it is registered on node {}", node.name))
}
