//! Answers where volumes or classes could not be read: what the claim itself and the controller's words prove.

use super::super::Rules;
use super::super::claim_changes::find_changes;
use super::super::classes::lacks_class;
use super::super::evidence::find_proof;
use super::controller_path;
use super::situation::{Answer, Situation};
use crate::model::{Claim, ClaimPhase, ClusterState, Kind};
use crate::report::{Cause, ClaimCause, Path, Verdict};

/// The answer, if something it depends on was not read; otherwise nothing, and the volumes decide.
pub(super) fn answer<'a>(situation: &Situation<'_, 'a>) -> Option<Answer<'a>> {
    let missing = missing_kinds(situation.state, situation.claim, situation.rules);
    if missing.is_empty() {
        return None;
    }
    let answer = if situation.claim.is_bind_completed() {
        bound(situation)
    } else {
        unbound(situation, &missing)
    };
    let unknowns = missing.iter().filter_map(|kind| situation.gap(*kind));
    Some(Answer {
        unknowns: unknowns.collect(),
        ..answer
    })
}

/// The lists a claim's answer depends on that were not seen.
pub(crate) fn missing_kinds(state: &ClusterState, claim: &Claim, rules: Rules) -> Vec<Kind> {
    let unseen = |kind: Kind| !state.saw(kind, None);
    let mut missing = Vec::new();
    if unseen(Kind::Volumes) {
        missing.push(Kind::Volumes);
    }
    if unseen(Kind::Classes) && needs_classes(claim, rules) {
        missing.push(Kind::Classes);
    }
    missing
}

/// A claim that is bound, names its volume or asks for no class at all can do without the classes.
fn needs_classes(claim: &Claim, rules: Rules) -> bool {
    let settled = claim.is_bind_completed() || claim.volume_name.is_some();
    let no_class = !lacks_class(claim, rules) && claim.class.resolved().is_empty();
    !settled && !no_class
}

/// The controller wrote the phase, and it read the volume.
fn bound<'a>(situation: &Situation<'_, 'a>) -> Answer<'a> {
    let (state, claim) = (situation.state, situation.claim);
    let volume = claim.volume_name.clone();
    match claim.phase {
        ClaimPhase::Bound => Answer {
            outcomes: volume.into_iter().collect(),
            ..Answer::new(Verdict::Bound, Path::None, find_changes(state, claim))
        },
        ClaimPhase::Lost => {
            let causes = find_proof(state, claim).map_or_else(
                || vec![Cause::blocker(ClaimCause::VolumeLost { volume })],
                |proof| proof.causes,
            );
            Answer::new(Verdict::Lost, Path::None, causes)
        }
        ClaimPhase::Pending => not_readable(claim, &[Kind::Volumes], vec![]),
    }
}

fn unbound<'a>(situation: &Situation<'_, 'a>, missing: &[Kind]) -> Answer<'a> {
    let claim = situation.claim;
    let mut causes = situation.terminating();
    let Some(proof) = find_proof(situation.state, claim) else {
        return not_readable(claim, missing, causes);
    };
    causes.extend(proof.causes);
    let answer = if proof.verdict == Verdict::Unknown {
        not_readable(claim, missing, causes)
    } else {
        let path = match proof.verdict {
            Verdict::Waiting => Path::Scheduler,
            _ => controller_path(claim),
        };
        Answer::new(proof.verdict, path, causes)
    };
    Answer {
        says: Some(vec![proof.says]),
        ..answer
    }
}

fn not_readable<'a>(claim: &Claim, missing: &[Kind], mut causes: Vec<Cause>) -> Answer<'a> {
    let what = missing.to_vec();
    causes.push(Cause::blocker(ClaimCause::NotReadable { what }));
    Answer::new(Verdict::Unknown, controller_path(claim), causes)
}
