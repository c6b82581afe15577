//! A released volume given back with its data: to whoever comes next, or to one claim. Nothing is destroyed, but somebody
//! else's data gets a new reader, and nobody may be at it meanwhile.

use super::super::Rules;
use super::super::lifecycle::on_release;
use super::super::refusal::{ReclaimEvidence, Refusal, RejectedTaker, Several, Standing};
use super::super::takers::judge_offer;
use super::deletion::check_finalizers;
use super::unseen::Unseen;
use super::users::find_idle_recyclers;
use super::{OwnBackend, attachments, is_recycling, owner, users};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClaimRef, ClusterState, Kind, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{AttachmentSummary, FateResult, TakerResult, Unknown, join_and};

/// One volume that is to be given back.
pub struct ReuseQuestion<'a> {
    /// The volume, as it is in the state.
    pub volume: &'a Volume,
    /// Whether it was named on the command line: then the opt-out does not protect it.
    pub is_named: bool,
    /// Whose it is among the backends configured here: those delete only when they are told to.
    pub own: Option<&'a OwnBackend>,
    /// The claim it is kept for.
    pub for_claim: Option<&'a ObjectKey>,
    /// The rules.
    pub rules: Rules,
}

/// How a volume is given back.
#[derive(Debug, Clone, PartialEq)]
pub enum Reuse {
    /// Without a claimRef: to any claim that fits.
    Free(Given),
    /// With a claimRef by name.
    KeepFor {
        /// The claim, there or to come.
        claim: ObjectKey,
        /// The rest.
        given: Given,
    },
    /// It is left alone.
    Left(Refusal),
}

/// What is to be said of a volume that is given back.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// What it means for the data, in one sentence.
    pub means: String,
    /// What surprises.
    pub warnings: Vec<String>,
    /// What could not be seen, and could only add to this.
    pub unknowns: Vec<Unknown>,
}

/// Whether nothing that was seen keeps a volume from being given back.
pub(crate) fn may_be_reused(state: &ClusterState, volume: &Volume) -> bool {
    let question = ReuseQuestion {
        volume,
        is_named: true,
        own: None,
        for_claim: None,
        rules: Rules::default(),
    };
    match decide_reuse(state, &question) {
        Reuse::Left(left) => left.standing == Standing::Unknown,
        Reuse::Free(_) | Reuse::KeepFor { .. } => true,
    }
}

/// Decides whether a volume can be given back, and what that means.
pub fn decide_reuse(state: &ClusterState, question: &ReuseQuestion<'_>) -> Reuse {
    let mut unseen = Unseen::new(state);
    let decided = decide(state, question, &mut unseen);
    let unknowns = unseen.into_unknowns();
    match decided {
        Err(left) => Reuse::Left(Refusal { unknowns, ..left }),
        Ok(given) => {
            let given = Given { unknowns, ..given };
            match question.for_claim {
                Some(claim) => Reuse::KeepFor {
                    claim: claim.clone(),
                    given,
                },
                None => Reuse::Free(given),
            }
        }
    }
}

fn decide(
    state: &ClusterState,
    question: &ReuseQuestion<'_>,
    unseen: &mut Unseen<'_>,
) -> Result<Given, Refusal> {
    let volume = question.volume;
    owner::check_claim(state, volume, unseen)?;
    let phase = owner::check_released(state, volume, unseen)?;
    if !question.is_named {
        owner::check_opt_out(state, volume)?;
    }
    users::check(state, volume, None, unseen)?;
    if volume.deleted.is_some() {
        check_finalizers(state, volume)?;
    }
    check_at_work(state, question, phase)?;
    unseen.check()?;
    let taken = question
        .for_claim
        .map(|claim| check_taker(state, question, claim, unseen));
    let mut warnings: Vec<String> = taken.transpose()?.flatten().into_iter().collect();
    warnings.extend(warn(state, volume));
    Ok(Given {
        means: what_it_means(volume, question.for_claim),
        warnings,
        unknowns: vec![],
    })
}

/// Whoever is to delete or empty it would do so while, or after, somebody else takes it.
fn check_at_work(
    state: &ClusterState,
    question: &ReuseQuestion<'_>,
    phase: VolumePhase,
) -> Result<(), Refusal> {
    let volume = question.volume;
    users::check_own_recyclers(state, volume)?;
    if is_recycling(volume) {
        let volume = volume.name.clone();
        return Err(Refusal::new(ReclaimEvidence::EmptyingUnfinished { volume }));
    }
    let idle = find_idle_recyclers(state, volume, None);
    let fate = on_release(volume);
    let deletes = match fate.result() {
        FateResult::Deleted => true,
        FateResult::Recycled => false,
        // External provisioners look at Released volumes only; ours act when they are told to.
        FateResult::LeftToProvisioner
            if phase == VolumePhase::Released
                && volume.reclaim_policy == ReclaimPolicy::Delete
                && question.own.is_none()
                && !volume.is_unwatched() =>
        {
            true
        }
        _ if !idle.is_empty() => false,
        _ => return Ok(()),
    };
    Err(Refusal::new(ReclaimEvidence::StillReclaimed {
        volume: volume.name.clone(),
        policy: volume.reclaim_policy.clone(),
        by: fate.by(),
        deletes,
    }))
}

/// A claim that is there and could never take it makes a reservation pointless; one to come may.
fn check_taker(
    state: &ClusterState,
    question: &ReuseQuestion<'_>,
    key: &ObjectKey,
    unseen: &mut Unseen<'_>,
) -> Result<Option<String>, Refusal> {
    let Some(claim) = state.find_claim(key) else {
        unseen.need(Kind::Claims, Some(&key.namespace));
        let is_known = state.saw(Kind::Claims, Some(&key.namespace));
        return Ok(is_known.then(|| {
            format!("{key} is not there: the next claim of that name gets it, if it fits")
        }));
    };
    let mut offered = question.volume.clone();
    offered.claim_ref = Some(ClaimRef {
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        uid: None,
    });
    offered.phase = VolumePhase::Available;
    let Some(taker) = judge_offer(state, claim, offered, question.rules) else {
        return Err(Refusal::new(ReclaimEvidence::TakerBound {
            claim: key.clone(),
            volume: claim.volume_name.clone(),
        }));
    };
    match (taker.result, Several::of(taker.reasons)) {
        (TakerResult::Rejected, Some(reasons)) => {
            let claim = key.clone();
            let taker = RejectedTaker { claim, reasons };
            Err(Refusal::new(ReclaimEvidence::TakerRejected(taker)))
        }
        (TakerResult::CouldTake, _) => Ok(Some(format!("{key} may take another volume"))),
        _ => Ok(None),
    }
}

fn warn(state: &ClusterState, volume: &Volume) -> Vec<String> {
    let mut warnings = Vec::new();
    let attached = attachments::of_volume(state, volume);
    if !attached.is_empty() {
        let spelled: Vec<String> = attached.iter().map(AttachmentSummary::spelled).collect();
        warnings.push(format!(
            "it is still attached by {}: on another node it cannot be used until it is detached",
            join_and(&spelled)
        ));
    }
    if on_release(volume).fails() {
        warnings.push(format!(
            "with policy {} it ends Failed again when the next claim goes",
            volume.reclaim_policy
        ));
    }
    warnings
}

fn what_it_means(volume: &Volume, for_claim: Option<&ObjectKey>) -> String {
    let before = volume.claim_ref.as_ref().map(ClaimRef::key);
    let whose = before.as_ref().map_or_else(
        || "what is in it".to_owned(),
        |key| format!("what {key} left in it"),
    );
    match for_claim {
        Some(key) if Some(key) == before.as_ref() => {
            format!(
                "its data stays, and the claim {key} of today finds what the one before left in it"
            )
        }
        Some(key) => format!("its data stays, and {key}, and nobody else, gets {whose}"),
        None => format!("its data stays, and whichever claim takes it next gets {whose}"),
    }
}
