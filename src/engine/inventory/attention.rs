//! Volumes that need somebody: Failed, Released, out of reach, being deleted, reserved for nobody, or bound to fail.

use super::Unknowns;
use crate::conventions::annotations;
use crate::conventions::topology::NodeSelector;
use crate::engine::claim_changes;
use crate::engine::lifecycle::{find_removal, on_release, recycling_waits_for};
use crate::engine::phases::SettledVolume;
use crate::engine::reach::find_near_node;
use crate::model::{Claim, ClusterState, Kind, ReclaimPolicy, Time, Volume, VolumePhase};
use crate::report::{Attention, AttentionCode, FateResult, join_and};

/// Sources whose volumes are used through a CSI driver, under other labels than those in their affinity (R104).
const TRANSLATED: [&str; 5] = [
    "awsElasticBlockStore",
    "azureDisk",
    "cinder",
    "gcePersistentDisk",
    "portworxVolume",
];

/// Everything that needs somebody, the worst first, then by name.
pub(super) fn list(
    state: &ClusterState,
    volumes: &[SettledVolume<'_>],
    claims: &[&Claim],
    unknowns: &mut Unknowns,
) -> Vec<Attention> {
    let saw_nodes = state.saw(Kind::Nodes, None);
    if volumes
        .iter()
        .any(|settled| affinity(settled.volume).is_some())
    {
        unknowns.note(state, Kind::Nodes, None);
    }
    let mut found: Vec<Attention> = Vec::new();
    for settled in volumes {
        found.extend(phase_trouble(state, settled));
        found.extend(saw_nodes.then(|| unreachable(state, settled)).flatten());
        found.extend(being_deleted(settled));
        found.extend(reservation_trouble(state, settled));
        found.extend(not_deletable(settled));
    }
    found.extend(claims.iter().filter_map(|claim| held_claim(state, claim)));
    found.sort_by(|a, b| (a.code, &a.volume).cmp(&(b.code, &b.volume)));
    found
}

fn attention(
    volume: &Volume,
    code: AttentionCode,
    message: String,
    since: Option<Time>,
) -> Attention {
    Attention {
        volume: volume.name.clone(),
        code,
        message,
        capacity: volume.capacity.to_string(),
        claim: None,
        since,
    }
}

/// The time of the last change of phase tells nothing of a phase that is still to come.
fn since(settled: &SettledVolume<'_>) -> Option<Time> {
    let volume = settled.volume;
    volume.phase_since.filter(|_| volume.phase == settled.phase)
}

fn phase_trouble(state: &ClusterState, settled: &SettledVolume<'_>) -> Option<Attention> {
    let volume = settled.volume;
    let (code, message) = match settled.phase {
        VolumePhase::Failed => {
            let why = volume
                .message
                .clone()
                .unwrap_or_else(|| on_release(volume).clause());
            (AttentionCode::Failed, why)
        }
        VolumePhase::Released => (AttentionCode::Released, released(state, volume)),
        VolumePhase::Pending | VolumePhase::Available | VolumePhase::Bound => return None,
    };
    Some(Attention {
        claim: former_claim(volume),
        ..attention(volume, code, message, since(settled))
    })
}

fn former_claim(volume: &Volume) -> Option<String> {
    let reference = volume
        .claim_ref
        .as_ref()
        .filter(|reference| !reference.is_empty())?;
    Some(reference.key().to_string())
}

fn released(state: &ClusterState, volume: &Volume) -> String {
    let fate = on_release(volume);
    let by = fate.by_or("its maker");
    let policy = &volume.reclaim_policy;
    let reference = volume.claim_ref.as_ref();
    let lives = reference.is_some_and(|reference| {
        state
            .find_claim(&reference.key())
            .is_some_and(|claim| claim.uid == reference.uid)
    });
    let has_heir = reference.is_some_and(|reference| state.find_claim(&reference.key()).is_some());
    let of = former_claim(volume).unwrap_or_else(|| "somebody".to_owned());
    if lives {
        return format!("made for {of}, which took another volume; {by} is to delete it");
    }
    let waits_for = recycling_waits_for(state, volume);
    match fate.result() {
        FateResult::Retained if has_heir => format!(
            "policy Retain, still holds {} of an earlier {of}; no claim can bind it",
            volume.capacity
        ),
        FateResult::Retained => format!(
            "policy Retain, still holds {} of {of}, which is gone; no claim can bind it",
            volume.capacity
        ),
        FateResult::Recycled if !waits_for.is_empty() => {
            format!(
                "policy Recycle, waits for the pods that use it: {}",
                join_and(&waits_for)
            )
        }
        FateResult::LeftToProvisioner => {
            format!("policy {policy}, left to {by}, which has not acted yet")
        }
        FateResult::Deleted | FateResult::Recycled => {
            format!("policy {policy}, the controller has not acted yet")
        }
        FateResult::Failed => format!("policy {policy}, which will fail: {}", fate.clause()),
    }
}

fn affinity(volume: &Volume) -> Option<&NodeSelector> {
    volume
        .node_affinity
        .as_ref()
        .filter(|_| !TRANSLATED.contains(&volume.source.field.as_str()))
}

/// Labels are compared, not names of nodes: a node that was renamed keeps neither or both.
fn unreachable(state: &ClusterState, settled: &SettledVolume<'_>) -> Option<Attention> {
    let volume = settled.volume;
    let affinity = affinity(volume)?;
    let nodes = &state.objects().nodes;
    if nodes.iter().any(|node| affinity.matches(&node.labels)) {
        return None;
    }
    let terms: Vec<String> = affinity
        .terms
        .iter()
        .map(|term| {
            let all: Vec<String> = term
                .match_expressions
                .iter()
                .map(ToString::to_string)
                .collect();
            all.join(" and ")
        })
        .filter(|term| !term.is_empty())
        .collect();
    let place = if terms.is_empty() {
        "nowhere".to_owned()
    } else {
        format!("only where {}", terms.join(", or "))
    };
    let near = find_near_node(state, volume)
        .map(|near| format!(" ({near})"))
        .unwrap_or_default();
    let message = match former_claim(volume).filter(|_| settled.phase == VolumePhase::Bound) {
        Some(claim) => format!("usable {place}, and no node is{near}; {claim} holds it"),
        None => format!("usable {place}, and no node is{near}"),
    };
    Some(attention(volume, AttentionCode::Unreachable, message, None))
}

fn being_deleted(settled: &SettledVolume<'_>) -> Option<Attention> {
    let volume = settled.volume;
    let since = volume.deleted?;
    let protected = volume
        .finalizers
        .iter()
        .any(|holder| holder == annotations::VOLUME_PROTECTION);
    let message = match former_claim(volume) {
        Some(claim) if protected && settled.phase == VolumePhase::Bound => {
            let then = find_removal(volume).map(|removal| {
                let clause = removal.clause(&volume.reclaim_policy.to_string());
                format!("; when it is deleted, {clause}")
            });
            let then = then.unwrap_or_default();
            format!("its deletion waits for {claim}, which holds it{then}")
        }
        _ if volume.finalizers.is_empty() => "its deletion was asked for".to_owned(),
        _ => format!(
            "its deletion was asked for, and waits for {}",
            volume.finalizers.join(", ")
        ),
    };
    Some(attention(
        volume,
        AttentionCode::BeingDeleted,
        message,
        Some(since),
    ))
}

/// A reservation by name lasts for ever, whether or not anybody comes.
fn reservation_trouble(state: &ClusterState, settled: &SettledVolume<'_>) -> Option<Attention> {
    let reference = settled.claim_ref.as_ref()?;
    let message = if reference.is_empty() {
        "its claimRef is empty, so no claim can bind it".to_owned()
    } else if settled.phase != VolumePhase::Available {
        return None;
    } else {
        let key = reference.key();
        match state.find_claim(&key) {
            Some(claim)
                if claim
                    .volume_name
                    .as_ref()
                    .is_some_and(|name| *name != settled.volume.name) =>
            {
                format!("reserved for {key}, which has another volume; no other claim can take it")
            }
            None if state.saw(Kind::Claims, Some(&key.namespace)) => {
                format!("reserved for {key}, which does not exist; no other claim can take it")
            }
            Some(_) | None => return None,
        }
    };
    Some(Attention {
        claim: former_claim(settled.volume),
        ..attention(
            settled.volume,
            AttentionCode::ReservedForMissingClaim,
            message,
            None,
        )
    })
}

/// What will end Failed can still be mended while nothing has happened.
fn not_deletable(settled: &SettledVolume<'_>) -> Option<Attention> {
    let volume = settled.volume;
    let is_settled = matches!(settled.phase, VolumePhase::Released | VolumePhase::Failed);
    if is_settled || !on_release(volume).fails() || volume.reclaim_policy == ReclaimPolicy::Retain {
        return None;
    }
    let message = format!(
        "policy {}, which nobody can carry out: it will end Failed when its claim goes; Retain would not",
        volume.reclaim_policy
    );
    Some(attention(
        volume,
        AttentionCode::NotDeletable,
        message,
        None,
    ))
}

/// A bound claim whose deletion was asked for.
fn held_claim(state: &ClusterState, claim: &Claim) -> Option<Attention> {
    let volume = state.find_volume(claim.volume_name.as_ref()?)?;
    let cause = claim_changes::terminating(state, claim)?;
    let message = format!("{}: {}", claim.key, cause.cause.message());
    Some(Attention {
        claim: Some(claim.key.to_string()),
        ..attention(
            volume,
            AttentionCode::ClaimTerminating,
            message,
            claim.deleted,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::selector::{Operator, Requirement};
    use crate::conventions::topology::NodeSelectorTerm;
    use crate::engine::phases::{Phases, view};
    use crate::model::Node;
    use crate::testing::{claim, state_with, volume};

    fn codes(claims: Vec<Claim>, volumes: Vec<Volume>) -> Vec<(&'static str, String)> {
        let state = state_with(claims, volumes, |objects| {
            objects.nodes = vec![Node {
                name: "n1".to_owned(),
                labels: [("host".to_owned(), "n1".to_owned())].into(),
                ..Node::default()
            }];
        });
        let volumes: Vec<_> = state
            .volumes()
            .iter()
            .map(|volume| view(&state, volume, Phases::Settled))
            .collect();
        let claims: Vec<&Claim> = state.claims().iter().collect();
        list(&state, &volumes, &claims, &mut Unknowns::default())
            .into_iter()
            .map(|found| (found.code.code().name(), found.volume))
            .collect()
    }

    fn pinned(name: &str, host: &str) -> Volume {
        let mut pinned = volume(name);
        pinned.node_affinity = Some(NodeSelector {
            terms: vec![NodeSelectorTerm {
                match_expressions: vec![Requirement {
                    key: "host".to_owned(),
                    operator: Operator::In,
                    values: vec![host.to_owned()],
                }],
                match_fields: vec![],
            }],
        });
        pinned
    }

    #[test]
    fn each_trouble_has_its_code_and_the_worst_comes_first() {
        let delete = |name: &str| volume(name).with_policy(ReclaimPolicy::Delete);
        let volumes = vec![
            volume("fine"),
            volume("a-reserved").reserved_for("nobody", None),
            volume("b-released")
                .in_phase(VolumePhase::Bound)
                .reserved_for("gone", Some("uid-gone")),
            volume("c-failed")
                .in_phase(VolumePhase::Failed)
                .reserved_for("gone", Some("uid-gone")),
            delete("d-static"),
            volume("e-deleted").deleted(),
            pinned("f-here", "n1"),
            pinned("g-nowhere", "n2"),
        ];
        let expected = [
            ("Failed", "c-failed"),
            ("Unreachable", "g-nowhere"),
            ("Released", "b-released"),
            ("BeingDeleted", "e-deleted"),
            ("ReservedForMissingClaim", "a-reserved"),
            ("NotDeletable", "d-static"),
        ];
        let expected: Vec<_> = expected.map(|(code, name)| (code, name.to_owned())).into();
        assert_eq!(codes(vec![], volumes), expected);
    }

    #[test]
    fn a_reservation_for_a_claim_that_waits_is_in_order() {
        assert!(codes(vec![claim("c")], vec![volume("v").reserved_for("c", None)]).is_empty());
        let elsewhere = codes(
            vec![claim("c").naming("w")],
            vec![volume("v").reserved_for("c", None)],
        );
        assert_eq!(elsewhere, [("ReservedForMissingClaim", "v".to_owned())]);
    }

    #[test]
    fn a_volume_that_is_used_under_other_labels_is_not_called_unreachable() {
        let mut translated = pinned("v", "n2");
        translated.source.field = "awsElasticBlockStore".to_owned();
        assert!(codes(vec![], vec![translated]).is_empty());
    }

    #[test]
    fn a_claim_that_cannot_go_is_told_with_its_volume() {
        let mut going = claim("c").naming("v");
        going.deleted = Some(Time(7));
        let volumes = vec![
            volume("v")
                .in_phase(VolumePhase::Bound)
                .reserved_for("c", Some("uid-c")),
        ];
        assert_eq!(
            codes(vec![going], volumes),
            [("ClaimTerminating", "v".to_owned())]
        );
    }
}
