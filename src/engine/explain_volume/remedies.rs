//! What would help with a volume. A command that gives it to claims is tried on the engine first: who would take it then?

use super::super::Rules;
use super::super::ending::may_be_reused;
use super::super::lifecycle::find_removal;
use super::super::reclaim_commands::{reuse, reuse_for, set_policy};
use super::super::story::class_says;
use super::super::takers;
use super::case::Case;
use crate::conventions::annotations;
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClaimRef, ClusterState, Kind, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{
    ClaimRefState, Danger, DataFate, Fate, Reclaimer, Removal, Suggestion, Taker, TakerReason,
    TakerResult, VolumeReason, join_or, plural,
};
use serde_json::json;

/// A change that may help.
pub(super) struct Proposal {
    suggestion: Suggestion,
    /// The volume as it would be, where the question is who would take it then.
    offer: Option<Offer>,
}

/// A volume as it would be offered.
struct Offer {
    volume: Volume,
    to: OfferedTo,
}

enum OfferedTo {
    Anybody,
    /// The claim of that name, and no other.
    One(ObjectKey),
}

pub(super) fn propose(case: &Case<'_>) -> Vec<Proposal> {
    let mut proposals: Vec<Proposal> = detach(case).into_iter().collect();
    let is_going = case.volume.deleted.is_some();
    match case.phase {
        VolumePhase::Released | VolumePhase::Failed => proposals.extend(give_up_or_keep(case)),
        VolumePhase::Bound => proposals.extend(keep_data(case)),
        VolumePhase::Available | VolumePhase::Pending if !is_going => proposals.extend(open(case)),
        VolumePhase::Available | VolumePhase::Pending => {}
    }
    proposals.extend(let_go(case));
    proposals
}

/// How carefully an offer is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Every claim searches again.
    Thorough,
    /// The checks are run on the volume that is offered, whatever else there is.
    Quick,
}

/// Keeps what is true: an offer that nobody could ever take is none.
pub(super) fn check(
    scratch: &mut ClusterState,
    rules: Rules,
    proposals: Vec<Proposal>,
    care: Care,
) -> Vec<Suggestion> {
    let mut kept = Vec::new();
    for Proposal {
        mut suggestion,
        offer,
    } in proposals
    {
        if let Some(offer) = offer {
            let Some(checked) = try_offer(scratch, rules, offer, care) else {
                continue;
            };
            suggestion.summary.push_str(&checked);
        }
        kept.push(suggestion);
    }
    kept
}

/// Who would take the volume, in brackets behind the summary; nothing if the one it is offered to cannot.
fn try_offer(scratch: &mut ClusterState, rules: Rules, offer: Offer, care: Care) -> Option<String> {
    let name = offer.volume.name.clone();
    let before = scratch.swap_volume(offer.volume)?;
    let told = scratch
        .find_volume(&name)
        .and_then(|volume| match (&offer.to, care) {
            (OfferedTo::One(key), _) => whether_it_does(scratch, volume, rules, key),
            (OfferedTo::Anybody, Care::Thorough) => {
                let takers = takers::judge(scratch, &[volume], rules, usize::MAX);
                let takers = takers.into_iter().flat_map(|takers| takers.kept);
                let takers: Vec<Taker> = takers.collect();
                Some(who_takes_it(&takers, scratch.saw(Kind::Claims, None)))
            }
            (OfferedTo::Anybody, Care::Quick) => {
                let fits = takers::count_fits(scratch, volume, rules);
                Some(match fits {
                    0 => String::new(),
                    fits => format!(" (it fits {})", plural(fits, "unbound claim")),
                })
            }
        });
    scratch.swap_volume(before);
    told
}

fn who_takes_it(takers: &[Taker], saw_claims: bool) -> String {
    let names = |wanted: &dyn Fn(&&Taker) -> bool| -> Vec<String> {
        let wanted = takers.iter().filter(wanted);
        wanted.map(|taker| taker.key().to_string()).collect()
    };
    let would = names(&|taker| taker.result == TakerResult::WouldTake);
    let could = names(&|taker| taker.result == TakerResult::CouldTake && !prefers_another(taker));
    let fits = names(&|taker| taker.result == TakerResult::CouldTake);
    match (&would[..], &could[..], &fits[..]) {
        ([], [], []) if !saw_claims => " (not checked: not all claims were seen)".to_owned(),
        ([], [], []) => " (checked: no claim there is now takes it)".to_owned(),
        ([], [], fits) => format!(" (checked: it fits {}, which gets another)", some_of(fits)),
        ([], could, _) => format!(" (checked: {} may take it)", some_of(could)),
        (would, ..) => format!(" (checked: {} takes it)", some_of(would)),
    }
}

/// It fits, and something that suits better is there.
fn prefers_another(taker: &Taker) -> bool {
    let waits = TakerReason::Volume(VolumeReason::WaitsForScheduler);
    !taker.reasons.is_empty() && !taker.reasons.contains(&waits)
}

fn some_of(names: &[String]) -> String {
    const FEW: usize = 3;
    if names.len() > FEW {
        return format!("one of {} claims", names.len());
    }
    join_or(names)
}

/// A claim of that name that has another volume, or that cannot take this one, makes a reservation for it pointless.
fn whether_it_does(
    scratch: &ClusterState,
    volume: &Volume,
    rules: Rules,
    key: &ObjectKey,
) -> Option<String> {
    let claim = scratch.find_claim(key);
    let taker = claim.and_then(|claim| takers::judge_one(scratch, claim, volume, rules));
    match taker.map(|taker| taker.result) {
        Some(TakerResult::WouldTake) => Some(" (checked: it takes it)".to_owned()),
        Some(TakerResult::CouldTake) => Some(" (checked: it may take it)".to_owned()),
        Some(TakerResult::Rejected) => None,
        None if claim.is_some() => None,
        None if scratch.saw(Kind::Claims, Some(&key.namespace)) => {
            Some(" (the next claim of that name gets it, if it fits)".to_owned())
        }
        None => Some(" (not checked: the claims of that namespace were not seen)".to_owned()),
    }
}

fn retain(volume: &Volume) -> CommandLine {
    set_policy(&volume.name, &ReclaimPolicy::Retain)
}

fn plain(summary: String, commands: Vec<CommandLine>, danger: Danger) -> Proposal {
    Proposal {
        suggestion: Suggestion {
            summary,
            commands,
            danger,
        },
        offer: None,
    }
}

/// Its claim was deleted: reuse it, or delete the object; unless its data is about to be deleted, which can be stopped.
fn give_up_or_keep(case: &Case<'_>) -> Vec<Proposal> {
    let volume = case.volume;
    // Files without a single claim do not show that the claim of a Bound volume is gone; nothing is done on that ground.
    if volume.phase == VolumePhase::Bound && case.state.is_absent(Kind::Claims) {
        return vec![];
    }
    let goes = case.data_fate() == DataFate::Destroyed && !volume.is_unwatched();
    if goes && case.phase == VolumePhase::Released {
        let by = case.fate.by();
        let by = by.as_ref().map_or("its provisioner", Reclaimer::subject);
        let does = match case.fate {
            Fate::Recycled => "empties",
            _ => "deletes",
        };
        let summary = format!("Keep its data: set policy Retain before {by} {does} it");
        return vec![plain(summary, vec![retain(volume)], Danger::Harmless)];
    }
    let mut proposals = Vec::new();
    if volume.deleted.is_none() && may_be_reused(case.state, volume) {
        proposals.extend(reserve(case));
        proposals.push(reuse_by_anybody(case));
    }
    // Of a volume that kubectl pv provisioned, `cleanup` can delete the storage once no object stands for it.
    let is_of_backend = volume.is_unwatched();
    if volume.deleted.is_none() && case.data_fate() == DataFate::Kept && !is_of_backend {
        let summary = format!(
            "Delete the object only: its data stays ({}), and no claim can use it until you create a volume for it",
            volume.source.spelled()
        );
        let mut commands = vec![command(&["kubectl", "delete", "pv", &volume.name])];
        if volume.reclaim_policy != ReclaimPolicy::Retain {
            commands.insert(0, retain(volume));
        }
        proposals.push(plain(summary, commands, Danger::Reversible));
    }
    proposals
}

/// A reservation by name for the claim that had it.
fn reserve(case: &Case<'_>) -> Option<Proposal> {
    let reference = case.volume.claim_ref.as_ref()?;
    reference.uid.as_ref()?;
    let (mut volume, mut commands) = retained(case);
    volume.claim_ref = Some(ClaimRef {
        uid: None,
        ..reference.clone()
    });
    let key = reference.key();
    let summary = format!("Keep it for {key}, with its data: a claimRef by name, without the uid");
    commands.push(reuse_for(&volume.name, &key));
    Some(Proposal {
        offer: Some(Offer {
            volume,
            to: OfferedTo::One(key),
        }),
        ..plain(summary, commands, Danger::Reversible)
    })
}

fn reuse_by_anybody(case: &Case<'_>) -> Proposal {
    let (volume, mut commands) = retained(case);
    commands.push(reuse(&volume.name));
    let summary = "Give it to any claim that fits, with its data: no claimRef at all";
    offer_to_anybody(volume, summary, commands)
}

/// A volume that is not released, and kept for nobody who will come.
fn open_to_anybody(case: &Case<'_>, summary: &str) -> Proposal {
    let name = &case.volume.name;
    let patch = json!({ "spec": { "claimRef": null } }).to_string();
    let patch = command(&[
        "kubectl", "patch", "pv", name, "--type", "merge", "-p", &patch,
    ]);
    offer_to_anybody(case.volume.clone(), summary, vec![patch])
}

/// Nobody's claimRef: the volume is anybody's.
fn offer_to_anybody(mut volume: Volume, summary: &str, commands: Vec<CommandLine>) -> Proposal {
    volume.claim_ref = None;
    Proposal {
        offer: Some(Offer {
            volume,
            to: OfferedTo::Anybody,
        }),
        ..plain(summary.to_owned(), commands, Danger::Reversible)
    }
}

/// A volume that failed to be reclaimed would fail again: it is retained from now on.
fn retained(case: &Case<'_>) -> (Volume, Vec<CommandLine>) {
    let mut volume = case.volume.clone();
    let fails_again =
        case.fate.fails() && matches!(case.phase, VolumePhase::Released | VolumePhase::Failed);
    let mut commands = Vec::new();
    if fails_again {
        volume.reclaim_policy = ReclaimPolicy::Retain;
        commands.push(retain(&volume));
    }
    (volume, commands)
}

/// Somebody has it: what can be done before they go.
fn keep_data(case: &Case<'_>) -> Option<Proposal> {
    let claim = case.claim_ref.claim()?;
    if let Some(removal) = find_removal(case.volume) {
        return keep_data_without_object(case, &claim, &removal);
    }
    let summary = match (&case.fate, case.data_fate()) {
        (Fate::Failed(_), _) => {
            "Set policy Retain, so that it does not end Failed when its claim goes".to_owned()
        }
        (_, DataFate::Destroyed) => {
            format!(
                "Keep its data when {claim} goes: set policy Retain{}",
                class_says(case.state, case.volume)
            )
        }
        (_, DataFate::Kept | DataFate::Unknown) => return None,
    };
    let commands = vec![retain(case.volume)];
    Some(plain(summary, commands, Danger::Harmless))
}

/// Its deletion cannot be undone; with policy Retain no component deletes its data.
fn keep_data_without_object(case: &Case<'_>, claim: &str, removal: &Removal) -> Option<Proposal> {
    let summary = format!(
        "Keep its data when {claim} is deleted: set policy Retain. The PersistentVolume disappears all the same"
    );
    let commands = vec![retain(case.volume)];
    removal
        .may_lose_data()
        .then(|| plain(summary, commands, Danger::Harmless))
}

/// Nobody has it: who it is kept for may never come, and a policy that cannot be carried out is better changed now.
fn open(case: &Case<'_>) -> Vec<Proposal> {
    let mut proposals = Vec::new();
    let own = case.claim_ref.claim();
    let owner_comes = case
        .takers
        .iter()
        .any(|taker| Some(taker.key().to_string()) == own && taker.result != TakerResult::Rejected);
    match case.claim_ref.state {
        ClaimRefState::Empty => {
            proposals.push(open_to_anybody(case, "Remove the empty claimRef"));
        }
        ClaimRefState::NameOnly | ClaimRefState::Uid if !owner_comes => {
            proposals.push(open_to_anybody(
                case,
                "Open it to any claim that fits: remove the claimRef",
            ));
        }
        _ => {}
    }
    if case.fate.fails() {
        let summary = "Set policy Retain, so that it does not end Failed when a claim has had it";
        let commands = vec![retain(case.volume)];
        proposals.push(plain(summary.to_owned(), commands, Danger::Harmless));
    }
    proposals
}

/// A deleted volume whose finalizer waits for a deletion that will never be tried: with policy Retain it is taken away
/// (R81d, R123).
fn let_go(case: &Case<'_>) -> Option<Proposal> {
    let volume = case.volume;
    let waits_for_storage = |finalizer: &String| {
        [
            annotations::CONTROLLER_DELETION,
            annotations::PROVISIONER_DELETION,
        ]
        .contains(&finalizer.as_str())
    };
    let is_tried = match case.phase {
        VolumePhase::Bound => true,
        VolumePhase::Released => !case.fate.fails(),
        _ => false,
    };
    let stuck = volume.deleted.is_some()
        && volume.reclaim_policy == ReclaimPolicy::Delete
        && volume.finalizers.iter().any(waits_for_storage)
        && !is_tried;
    stuck.then(|| {
        let summary =
            "Delete the object without its data: with policy Retain the finalizer is removed";
        plain(summary.to_owned(), vec![retain(volume)], Danger::Reversible)
    })
}

/// An attachment to a node that is gone, which nobody asked to end.
fn detach(case: &Case<'_>) -> Option<Proposal> {
    let left = case
        .attachments
        .iter()
        .filter(|attachment| attachment.node_exists == Some(false) && !attachment.detaching);
    let left: Vec<&crate::report::AttachmentSummary> = left.collect();
    let first = left.first()?;
    let summary = format!(
        "Detach it from node {}, which is gone (make sure that the machine is off)",
        first.node
    );
    let commands = left
        .iter()
        .map(|attachment| command(&["kubectl", "delete", "volumeattachment", &attachment.name]))
        .collect();
    Some(plain(summary, commands, Danger::Reversible))
}
