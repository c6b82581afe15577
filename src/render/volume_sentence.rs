//! The first line about a volume: who has it, who will get it or why nobody can; then what becomes of its data.

use super::page::{Tone, Word, plain};
use super::volume::unbound_claims;
use crate::conventions::foreign::quoted;
use crate::model::{Kind, VolumePhase};
use crate::report::{
    ClaimRefState, DataFate, DeleterPresence, FateResult, Taker, TakerReason, TakerResult,
    UnknownReason, VolumeCause, VolumeExplanation, VolumeReason, join_and, join_or,
};

/// A verdict: how it is, in a few words, and the rest of the sentence.
type Said = (Tone, String, String);

fn said(tone: Tone, what: &str, rest: impl Into<String>) -> Said {
    (tone, what.to_owned(), rest.into())
}

/// The answer in short: of a free volume that nobody destroys, only who gets it.
pub(super) fn verdict_in_short(explanation: &VolumeExplanation) -> Vec<Word> {
    let volume = &explanation.volume;
    let is_free = matches!(
        volume.effective_phase,
        VolumePhase::Available | VolumePhase::Pending
    );
    if is_free
        && !volume.being_deleted
        && explanation.on_claim_deletion.result == FateResult::Retained
    {
        return told(explanation, free(explanation));
    }
    verdict(explanation)
}

fn told(explanation: &VolumeExplanation, (tone, what, rest): Said) -> Vec<Word> {
    let name = format!("{} ", quoted(&explanation.volume.name));
    let stranded = explanation.causes.iter().find_map(|it| match &it.cause {
        VolumeCause::NodeAffinityMismatch { wanted, .. } => Some(wanted),
        _ => None,
    });
    let Some(wanted) = stranded else {
        return vec![(Tone::Label, name), (tone, what), plain(rest)];
    };
    vec![
        (Tone::Label, name),
        (
            Tone::Bad,
            format!("can be used on no node, as none has {wanted}"),
        ),
        plain(". It "),
        (tone, what),
        plain(rest),
    ]
}

/// The answer as one or two sentences.
pub(super) fn verdict(explanation: &VolumeExplanation) -> Vec<Word> {
    let volume = &explanation.volume;
    let said = if volume.being_deleted {
        being_deleted(explanation)
    } else {
        match volume.effective_phase {
            VolumePhase::Bound => bound(explanation),
            VolumePhase::Released => released(explanation),
            VolumePhase::Failed => failed(explanation),
            VolumePhase::Available | VolumePhase::Pending => {
                let (tone, what, rest) = free(explanation);
                let rest = format!("{rest} {}", when_its_claim_goes(explanation));
                (tone, what, rest)
            }
        }
    };
    told(explanation, said)
}

fn being_deleted(explanation: &VolumeExplanation) -> Said {
    let fate = match explanation.volume.effective_phase {
        VolumePhase::Bound => format!(" {}", when_its_claim_goes(explanation)),
        _ => String::new(),
    };
    let rest = match &explanation.holders[..] {
        [] => format!(".{fate}"),
        [only] => format!(" and held by {}, {}.{fate}", only.finalizer, only.waits_for),
        several => {
            let names: Vec<&str> = several.iter().map(|hold| hold.finalizer.as_str()).collect();
            format!(" and held by {}.{fate}", join_and(&names))
        }
    };
    said(Tone::Wait, "is being deleted", rest)
}

fn bound(explanation: &VolumeExplanation) -> Said {
    let rest = format!(
        " to {}. {}",
        claim(explanation),
        when_its_claim_goes(explanation)
    );
    said(Tone::Good, "is bound", rest)
}

fn claim(explanation: &VolumeExplanation) -> String {
    let claim = explanation.claim_ref.claim();
    claim.map_or_else(
        || "no claim".to_owned(),
        |claim| quoted(&claim).into_owned(),
    )
}

/// What becomes of it and its data, as a sentence about the future.
fn when_its_claim_goes(explanation: &VolumeExplanation) -> String {
    let when = match explanation.volume.effective_phase {
        VolumePhase::Bound => format!("When {} is deleted,", claim(explanation)),
        _ => "When a claim has had it,".to_owned(),
    };
    let fate = &explanation.on_claim_deletion;
    if fate.removal.is_some() {
        return format!("{when} {}.", fate.why);
    }
    let by = fate.by.as_ref().map(ToString::to_string);
    let by = by.unwrap_or_else(|| "its CSI driver".to_owned());
    let policy = &explanation.volume.reclaim_policy;
    let what = match (fate.result, fate.data) {
        (FateResult::Retained, _) => {
            format!(
                "its data stays, and nobody else can have it until somebody acts (policy {policy})"
            )
        }
        (FateResult::Deleted, _) => {
            format!("the controller deletes it, with its data (policy {policy})")
        }
        (FateResult::Recycled, _) => {
            format!("the controller removes its data and offers it again (policy {policy})")
        }
        (FateResult::Failed, _) => format!("it ends Failed, its data untouched: {}", fate.why),
        (_, DataFate::Destroyed) if explanation.volume.made_once => format!(
            "its data stays until {by} is told to delete it: nobody watches what kubectl pv has made (policy {policy})"
        ),
        (_, DataFate::Destroyed) => format!("{by} deletes it, with its data (policy {policy})"),
        (_, DataFate::Kept | DataFate::Unknown) => {
            format!("it is left to {by}, which keeps it (policy {policy})")
        }
    };
    format!("{when} {what}.")
}

/// Who had it and is not there any more.
fn what_happened(explanation: &VolumeExplanation) -> String {
    let claim = claim(explanation);
    match &explanation.claim_ref.bound_elsewhere {
        Some(other) => format!("{claim}, which it was made for, has {other} instead"),
        None if files_hold_no_claim(explanation) => {
            format!("{claim}, which had it, is not in the files and counts as gone")
        }
        None if explanation.claim_ref.claim_exists == Some(false) => {
            format!("{claim}, which had it, is gone")
        }
        None => format!("{claim} let it go"),
    }
}

/// Files that hold no claim at all prove of none that it is gone.
fn files_hold_no_claim(explanation: &VolumeExplanation) -> bool {
    let mut unknowns = explanation.unknowns.iter();
    unknowns.any(|it| it.is_of(Kind::Claims) && it.why == UnknownReason::NoneInInput)
}

fn released(explanation: &VolumeExplanation) -> Said {
    let happened = what_happened(explanation);
    let fate = &explanation.on_claim_deletion;
    let by = fate.by.as_ref().map(ToString::to_string);
    let by = by.unwrap_or_else(|| "its CSI driver".to_owned());
    let recycling_waits = explanation.causes.iter().find_map(|it| match &it.cause {
        VolumeCause::InUse {
            pods,
            recycling: true,
        } => Some(pods),
        _ => None,
    });
    let (tone, then) = match (fate.result, fate.data) {
        (FateResult::Retained, _) => (
            Tone::Bad,
            "nobody can take it. Its data is still there (policy Retain)".to_owned(),
        ),
        (FateResult::Deleted, _) => (
            Tone::Wait,
            "the controller deletes it, with its data".to_owned(),
        ),
        (FateResult::Recycled, _) => match recycling_waits {
            Some(pods) => (
                Tone::Bad,
                format!(
                    "its data is removed and it is offered again only when pod {} is gone too",
                    join_or(pods)
                ),
            ),
            None => (
                Tone::Wait,
                "the controller removes its data and offers it again".to_owned(),
            ),
        },
        (_, DataFate::Destroyed) if explanation.volume.made_once => (
            Tone::Bad,
            format!(
                "its data stays until {by} is told to delete it: nobody watches what kubectl pv has made"
            ),
        ),
        (_, DataFate::Destroyed) if is_missing(explanation) => (
            Tone::Bad,
            format!("{by}, which is to delete it, shows no sign of life"),
        ),
        (_, DataFate::Destroyed) => (Tone::Wait, format!("{by} is to delete it, with its data")),
        _ => (
            Tone::Bad,
            format!("nobody can take it. {by} keeps its data"),
        ),
    };
    said(tone, "is Released", format!(": {happened}, and {then}."))
}

/// Whether the provisioner that is to delete the volume is not there.
fn is_missing(explanation: &VolumeExplanation) -> bool {
    explanation.causes.iter().any(|finding| {
        matches!(
            finding.cause,
            VolumeCause::ForeignDeleter {
                presence: DeleterPresence::NotSeen,
                ..
            }
        )
    })
}

fn failed(explanation: &VolumeExplanation) -> Said {
    let happened = what_happened(explanation);
    let rest = explanation
        .causes
        .iter()
        .find_map(|finding| match &finding.cause {
            VolumeCause::NoDeleter { .. } | VolumeCause::NoRecycler { .. } => Some(format!(
                ": {happened}. It has {}. Its data is untouched.",
                finding.cause.message()
            )),
            VolumeCause::ReclaimFailed { .. } => {
                Some(format!(": {happened}, and {}.", finding.cause.message()))
            }
            _ => None,
        });
    said(
        Tone::Bad,
        "is Failed",
        rest.unwrap_or_else(|| format!(": {happened}, and nobody can take it.")),
    )
}

fn free(explanation: &VolumeExplanation) -> Said {
    match explanation.claim_ref.state {
        ClaimRefState::Empty => said(
            Tone::Bad,
            "can be taken by nobody",
            ": its claimRef is empty.",
        ),
        ClaimRefState::None => for_anybody(explanation),
        // Given back (R76): the stored claimRef is about to lose its uid, or to go.
        ClaimRefState::NameOnly | ClaimRefState::Uid => for_one(explanation),
    }
}

fn for_one(explanation: &VolumeExplanation) -> Said {
    let name = claim(explanation);
    let own = explanation
        .claims
        .iter()
        .find(|taker| taker.key().to_string() == name);
    match (own, explanation.claim_ref.claim_exists) {
        (Some(taker), _) if taker.result == TakerResult::Rejected => {
            let why: Vec<String> = taker.reasons.iter().map(TakerReason::clause).collect();
            said(
                Tone::Bad,
                "is kept",
                format!(" for {name}, which cannot take it: {}.", join_and(&why)),
            )
        }
        (Some(taker), _) if taker.result == TakerResult::CouldTake => said(
            Tone::Good,
            "is reserved",
            format!(" for {name}, which may take it, or another that is reserved for it."),
        ),
        (Some(_), _) => said(
            Tone::Good,
            "will go",
            format!(" to {name}, for which it is reserved."),
        ),
        (None, Some(true)) => match &explanation.claim_ref.bound_elsewhere {
            Some(other) => said(
                Tone::Wait,
                "is given back",
                format!(": {name}, which it was for, is bound to {other}."),
            ),
            None => said(
                Tone::Bad,
                "is kept",
                format!(
                    " for {name}, which has another volume already: no other claim can take it."
                ),
            ),
        },
        (None, Some(false)) => said(
            Tone::Wait,
            "is reserved",
            format!(" for {name}, which does not exist yet: no other claim can take it."),
        ),
        (None, None) => said(
            Tone::Wait,
            "is reserved",
            format!(" for {name}: no other claim can take it."),
        ),
    }
}

fn for_anybody(explanation: &VolumeExplanation) -> Said {
    let of = |result: TakerResult| -> Vec<&Taker> {
        let claims = explanation.claims.iter();
        claims.filter(|taker| taker.result == result).collect()
    };
    let (would, could) = (of(TakerResult::WouldTake), of(TakerResult::CouldTake));
    let total = explanation.claims.len() + explanation.claims_omitted;
    match (&would[..], &could[..], total) {
        ([only], _, _) => said(Tone::Good, "will go", format!(" to {}.", only.key())),
        ([_, ..], _, _) => said(
            Tone::Good,
            "will go",
            format!(" to {}, whichever is served first.", some_of(&would)),
        ),
        ([], [only], _) => said(
            Tone::Good,
            "is free",
            format!(", and {} could take it{}.", only.key(), when(only)),
        ),
        ([], [_, ..], _) => said(
            Tone::Good,
            "is free",
            format!(", and {} could take it.", some_of(&could)),
        ),
        ([], [], 0) => said(Tone::Good, "is free", ": no claim looks for a volume."),
        ([], [], 1) => said(
            Tone::Wait,
            "is free",
            ", but the only unbound claim cannot take it.",
        ),
        ([], [], total) => said(
            Tone::Wait,
            "is free",
            format!(", but none of {} can take it.", unbound_claims(total)),
        ),
    }
}

fn when(taker: &Taker) -> &'static str {
    let waits = TakerReason::Volume(VolumeReason::WaitsForScheduler);
    match &taker.reasons[..] {
        [] => ", or another like it",
        reasons if reasons.contains(&waits) => " when a pod comes",
        _ => ", but gets another",
    }
}

/// A few names, or a few of many.
fn some_of(takers: &[&Taker]) -> String {
    const FEW: usize = 5;
    let names: Vec<String> = takers
        .iter()
        .take(FEW)
        .map(|taker| taker.key().to_string())
        .collect();
    if takers.len() <= FEW {
        return join_or(&names);
    }
    format!(
        "one of {} claims ({}, …)",
        takers.len(),
        names[..3].join(", ")
    )
}
