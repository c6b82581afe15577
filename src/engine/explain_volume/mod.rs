//! A volume explained: whose it is, which claims could take it, what becomes of it and its data when its claim goes, and who
//! holds it when it is deleted.

mod case;
mod causes;
mod claim_ref;
mod remedies;
mod says;
#[cfg(test)]
mod tests;

use self::case::Case;
use self::remedies::Care;
use super::Rules;
use super::holders::find_holders;
use super::lifecycle::find_removal;
use super::reach::find_reach;
use super::reclaimers::will_fail;
use super::takers::{Takers, judge as judge_takers};
use super::unknowns::{describe, find_unknown};
use crate::conventions::annotations;
use crate::model::{ClusterState, Kind, Volume, VolumePhase};
use crate::report::{
    API_VERSION, DeleterPresence, Fate, FateResult, NodeReach, OnClaimDeletion, Removal, Unknown,
    VolumeCause, VolumeExplanation, VolumeSummary,
};

/// Of so many volumes at once it is tried out who would take each, if it were offered.
const MOST_TRIED: usize = 100;

/// Explains volumes of one state; what-ifs for suggestions are tried on one copy of it.
pub struct VolumeExplainer<'a> {
    state: &'a ClusterState,
    rules: Rules,
    scratch: Option<ClusterState>,
}

impl<'a> VolumeExplainer<'a> {
    /// An explainer for a state, by these rules.
    pub fn new(state: &'a ClusterState, rules: Rules) -> Self {
        Self {
            state,
            rules,
            scratch: None,
        }
    }

    /// Explains volumes of the state, each with at most so many claims.
    pub fn explain(&mut self, volumes: &[&Volume], most_claims: usize) -> Vec<VolumeExplanation> {
        let takers = judge_takers(self.state, volumes, self.rules, most_claims);
        // What every claim would do with each of very many volumes is a question nobody waits for.
        let trial = if volumes.len() > MOST_TRIED {
            Care::Quick
        } else {
            Care::Thorough
        };
        volumes
            .iter()
            .zip(takers)
            .map(|(volume, takers)| self.explain_one(volume, takers, trial))
            .collect()
    }

    fn explain_one(&mut self, volume: &Volume, takers: Takers, trial: Care) -> VolumeExplanation {
        let case = Case::new(self.state, volume, takers.kept);
        let mut explanation = VolumeExplanation {
            claims_omitted: takers.omitted,
            ..tell(&case, self.rules)
        };
        let proposals = remedies::propose(&case);
        if !proposals.is_empty() {
            let scratch = self.scratch.get_or_insert_with(|| self.state.clone());
            explanation.suggestions = remedies::check(scratch, self.rules, proposals, trial);
        }
        explanation
    }
}

/// Explains one volume of a state, with every claim.
pub fn explain_volume(state: &ClusterState, volume: &Volume, rules: Rules) -> VolumeExplanation {
    let mut explained = VolumeExplainer::new(state, rules).explain(&[volume], usize::MAX);
    explained.remove(0)
}

fn tell(case: &Case<'_>, rules: Rules) -> VolumeExplanation {
    let causes = causes::find(case);
    VolumeExplanation {
        api_version: API_VERSION,
        kind: "VolumeExplanation",
        rules: rules.name(),
        volume: summary(case),
        claim_ref: case.claim_ref.clone(),
        used_by: case.used_by.clone(),
        claims: case.takers.clone(),
        claims_omitted: 0,
        on_claim_deletion: on_claim_deletion(case),
        attachments: case.attachments.clone(),
        holders: find_holders(case.state, case.volume),
        suggestions: vec![],
        kubernetes_says: says::find(case),
        unknowns: unknowns(case, causes.iter().map(|finding| &finding.cause)),
        causes,
    }
}

fn summary(case: &Case<'_>) -> VolumeSummary {
    let volume = case.volume;
    VolumeSummary {
        name: volume.name.clone(),
        phase: volume.phase,
        phase_since: volume.phase_since,
        effective_phase: case.phase,
        capacity: volume.capacity.to_string(),
        access_modes: volume.access_modes,
        class: volume.class().to_owned(),
        reclaim_policy: volume.reclaim_policy.to_string(),
        volume_mode: volume.volume_mode,
        source: volume.source.spelled(),
        provisioned_by: volume.provisioned_by().map(str::to_owned),
        made_once: volume.is_unwatched(),
        being_deleted: volume.deleted.is_some(),
        reach: find_reach(case.state, volume).map(|reach| NodeReach {
            wanted: reach.wanted,
            nodes: reach.nodes,
        }),
    }
}

fn on_claim_deletion(case: &Case<'_>) -> OnClaimDeletion {
    let fate = &case.fate;
    let removal = find_removal(case.volume).filter(|_| case.phase == VolumePhase::Bound);
    if let Some(removal) = removal {
        return of_removed(case, removal);
    }
    let why = match fate {
        Fate::Failed(_) => {
            will_fail(case.volume).map_or_else(|| fate.clause(), |cause| cause.message())
        }
        Fate::DirectoryRemoved => format!(
            "policy Delete: the controller removes {} on the machine it runs on",
            case.volume.source.location.as_deref().unwrap_or("its path")
        ),
        _ => fate.clause(),
    };
    OnClaimDeletion {
        result: fate.result(),
        by: fate.by(),
        why,
        data: case.data_fate(),
        phase: fate.result().phase(),
        says: fate.says(),
        removal: None,
    }
}

/// The same for a bound volume that is being deleted.
fn of_removed(case: &Case<'_>, removal: Removal) -> OnClaimDeletion {
    let fate = &case.fate;
    let result = match &removal {
        Removal::DataStays => FateResult::Retained,
        _ => fate.result(),
    };
    OnClaimDeletion {
        result,
        by: fate.by().filter(|_| result != FateResult::Retained),
        why: removal.clause(&case.volume.reclaim_policy.to_string()),
        data: removal.data(),
        phase: result.phase().filter(|_| result == FateResult::Failed),
        says: match removal {
            Removal::ObjectStays { .. } => fate.says(),
            _ => vec![],
        },
        removal: Some(removal),
    }
}

/// What could not be seen and bears on this volume.
fn unknowns<'c>(
    case: &Case<'_>,
    mut causes: impl Iterator<Item = &'c VolumeCause>,
) -> Vec<Unknown> {
    let volume = case.volume;
    let gap =
        |kind: Kind, namespace: Option<&str>| case.state.find_gap(kind, namespace).map(describe);
    let absent = |kind: Kind| find_unknown(case.state, kind, None);
    let mut found: Vec<Option<Unknown>> = vec![absent(Kind::Claims)];
    if !case.takers.is_empty() {
        found.extend([
            absent(Kind::Classes),
            gap(Kind::LimitRanges, None),
            gap(Kind::Quotas, None),
        ]);
    }
    if let Some(namespace) = &case.claim_ref.namespace {
        found.push(gap(Kind::Pods, Some(namespace)));
    }
    if volume.node_affinity.is_some() || !case.attachments.is_empty() {
        found.push(gap(Kind::Nodes, None));
    }
    let by_attacher = |finalizer: &String| finalizer.starts_with(annotations::ATTACHER_PREFIX);
    if volume.finalizers.iter().any(by_attacher) {
        found.push(absent(Kind::Attachments));
    }
    let waits_for_nobody = |cause: &VolumeCause| matches!(cause, VolumeCause::ForeignDeleter { presence, .. } if *presence != DeleterPresence::Seen);
    if causes.any(waits_for_nobody) {
        found.extend([absent(Kind::CsiDrivers), absent(Kind::CsiNodes)]);
        found.push(gap(Kind::Attachments, None));
    }
    let mut unknowns: Vec<Unknown> = Vec::new();
    for unknown in found.into_iter().flatten() {
        if !unknowns.contains(&unknown) {
            unknowns.push(unknown);
        }
    }
    unknowns
}
