//! `unreachable`: pinned to nodes that are gone, whatever its phase. Labels are compared, not names of nodes.

use super::Search;
use super::row::{Finding, Row, Subject, held_by};
use crate::conventions::annotations::{CONTROLLER_DELETION, HOSTNAME, PROVISIONER_DELETION};
use crate::conventions::object_command::command;
use crate::conventions::selector::{Operator, Requirement};
use crate::engine::phases::{Phases, view};
use crate::engine::reach::{find_near_node, find_unmet_affinity};
use crate::model::{ReclaimPolicy, Volume, VolumePhase};
use crate::report::{Code, Confidence};

pub(super) fn search<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let volumes = search.state.volumes().iter();
    let unmet = volumes.filter(|volume| is_pinned(volume));
    let unmet = unmet.filter_map(|volume| {
        let wanted = find_unmet_affinity(search.state, volume)?;
        Some(row(search, volume, &wanted))
    });
    unmet.collect()
}

fn row<'a>(search: &Search<'a>, volume: &'a Volume, wanted: &str) -> Row<'a> {
    if volume.deleted.is_some() {
        let why = "its deletion was asked for already";
        return Row::kept(Subject::Volume(volume), Code::BeingDeleted, why);
    }
    let settled = view(search.state, volume, Phases::Settled);
    let is_bound = settled.phase == VolumePhase::Bound;
    // A node that is away for a minute looks the same.
    let mut confidence = Confidence::Likely;
    let mut reason = format!("pinned to {wanted}, and no node has that");
    if let Some(near) = find_near_node(search.state, volume) {
        confidence = Confidence::Unsure;
        reason = format!("{reason} ({near})");
    }
    if !is_of_nodes(search, volume) {
        // A zone may be empty for a while; a node that is gone seldom comes back.
        confidence = Confidence::Unsure;
    }
    if search.state.objects().nodes.is_empty() {
        confidence = Confidence::Unsure;
        reason.push_str(": there are no nodes at all");
    }
    if is_bound && let Some(reference) = &volume.claim_ref {
        reason = format!("{reason}; {} holds it", reference.key());
    }
    let name = volume.name.as_str();
    let is_kept = volume.reclaim_policy != ReclaimPolicy::Delete;
    let has_deleter = volume
        .finalizers
        .iter()
        .any(|finalizer| [CONTROLLER_DELETION, PROVISIONER_DELETION].contains(&finalizer.as_str()));
    let commands = if is_bound || is_kept || has_deleter {
        command(&["kubectl", "pv", "explain", &format!("pv/{name}")])
    } else {
        reason.push_str("; its data stays on its disk if the object is deleted");
        command(&["kubectl", "delete", "pv", name])
    };
    let finding = Finding {
        reason,
        confidence,
        // When the node was removed is not recorded; the time of the volume's own phase is another.
        since: None,
        frees: Some(held_by(volume)),
        recreates: false,
        commands: vec![commands],
    };
    Row::found(Subject::Volume(volume), finding)
}

/// Whether every term names what it wants; one that only says what it does not want would take a new node.
fn is_pinned(volume: &Volume) -> bool {
    let mut terms = volume.node_affinity.iter().flat_map(|all| &all.terms);
    let names = |requirement: &Requirement| requirement.operator == Operator::In;
    terms.all(|term| term.match_expressions.iter().any(names))
}

/// Whether each term asks for single nodes, and not for zones and the like. Labels of drivers, which come and go with the
/// driver, count where some node has them.
fn is_of_nodes(search: &Search<'_>, volume: &Volume) -> bool {
    let nodes = &search.state.objects().nodes;
    let is_used = |key: &str| nodes.iter().any(|node| node.labels.contains_key(key));
    let is_node = |key: &str| {
        key == HOSTNAME || key.ends_with("/hostname") || (key.ends_with("/node") && is_used(key))
    };
    let names_one = |requirement: &Requirement| {
        requirement.operator == Operator::In && is_node(&requirement.key)
    };
    let terms: Vec<_> = volume
        .node_affinity
        .iter()
        .flat_map(|all| &all.terms)
        .collect();
    let mut each = terms.iter();
    !terms.is_empty() && each.all(|term| term.match_expressions.iter().any(names_one))
}
