//! Answers where volumes or classes could not be read: what the claim itself and the controller's words prove.

use super::super::Rules;
use super::super::classes::lacks_class;
use super::super::evidence::find_proof;
use super::super::story;
use super::draft::Draft;
use crate::model::{Claim, ClaimPhase, ClusterState, Kind};
use crate::report::{Cause, ClaimCause, Explanation, Path, Verdict};

/// The answer, if something it depends on was not seen; otherwise nothing, and the engine decides.
pub(super) fn answer_without(draft: &Draft<'_>) -> Option<Explanation> {
    let missing = missing_kinds(draft.state, draft.claim, draft.rules);
    if missing.is_empty() {
        return None;
    }
    let mut draft = Draft {
        class_source: draft.class_source,
        ..Draft::new(draft.state, draft.claim, draft.rules)
    };
    for kind in &missing {
        draft.note_gap(*kind);
    }
    Some(if draft.claim.is_bind_completed() {
        bound(draft)
    } else {
        unbound(draft, &missing)
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

/// The controller wrote the phase, and it saw the volume.
fn bound(mut draft: Draft<'_>) -> Explanation {
    match draft.claim.phase {
        ClaimPhase::Bound => {
            draft.outcomes = draft.claim.volume_name.clone().into_iter().collect();
            draft.causes = story::surprises(draft.state, draft.claim);
            draft.finish(Verdict::Bound, Path::None)
        }
        ClaimPhase::Lost => {
            let proof = find_proof(draft.state, draft.claim);
            let volume = draft.claim.volume_name.clone();
            draft.causes = proof.map_or_else(
                || vec![Cause::blocker(ClaimCause::VolumeLost { volume })],
                |proof| proof.causes,
            );
            draft.finish(Verdict::Lost, Path::None)
        }
        ClaimPhase::Pending => not_readable(draft, &[Kind::Volumes]),
    }
}

fn unbound(mut draft: Draft<'_>, missing: &[Kind]) -> Explanation {
    draft.note_terminating();
    match find_proof(draft.state, draft.claim) {
        Some(proof) => {
            draft.says = vec![proof.says];
            draft.causes.extend(proof.causes);
            if proof.verdict == Verdict::Unknown {
                return not_readable(draft, missing);
            }
            let path = match proof.verdict {
                Verdict::Waiting => Path::Scheduler,
                _ if draft.claim.volume_name.is_some() => Path::NamedVolume,
                _ => Path::Controller,
            };
            draft.finish(proof.verdict, path)
        }
        None => not_readable(draft, missing),
    }
}

fn not_readable(mut draft: Draft<'_>, missing: &[Kind]) -> Explanation {
    let what = missing
        .iter()
        .map(|kind| kind.resource().to_owned())
        .collect();
    draft.block(ClaimCause::NotReadable { what });
    let path = if draft.claim.volume_name.is_some() {
        Path::NamedVolume
    } else {
        Path::Controller
    };
    draft.finish(Verdict::Unknown, path)
}
