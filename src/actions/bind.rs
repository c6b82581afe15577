//! `bind`, planned: which claims get which volumes, the writes that are missing, and why other claims are left alone.

use super::bind_writes::{assign_class, bind};
use super::draft::Draft;
pub(crate) use super::give_back::Taken;
use super::give_back::{what_nobody_has, what_others_left};
use super::plan::{Deed, Errand, Plan, Skipped, Standing, Target};
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::{Choice, ClaimDecision, Offers, Rules, choose_among, judge_by_hand};
use crate::model::{Claim, ClusterState, Kind, Volume};
use crate::report::{Cause, ClaimCause, Unknown, Verdict, VolumeReason, few_of, join_and};
use std::collections::{HashMap, HashSet};

/// The subcommand.
pub(crate) const COMMAND: &str = "bind";

/// What is to be bound.
#[derive(Debug, Clone)]
pub(crate) struct BindQuestion {
    /// The claims, by name.
    pub(crate) claims: Vec<ObjectKey>,
    /// Whether somebody named them; otherwise they are all there are, and what is bound is not worth a word.
    pub(crate) are_named: bool,
    /// The volume somebody wants for the one claim.
    pub(crate) volume: Option<String>,
    /// Whether what Kubernetes itself would ignore is ignored.
    pub(crate) force: bool,
    pub(crate) rules: Rules,
    /// What this run has taken before it had to look again.
    pub(crate) taken: Vec<Taken>,
}

/// Plans the binds of these claims, one after the other: each sees what those before it have taken.
pub(crate) fn plan_bind(state: &ClusterState, question: &BindQuestion) -> Plan {
    plan_among(state, question, |state| Offers::new(state, question.rules))
}

fn plan_among(
    state: &ClusterState,
    question: &BindQuestion,
    sort: impl FnOnce(&ClusterState) -> Option<Offers>,
) -> Plan {
    let mut draft = Draft::new(state, COMMAND);
    let asked: HashSet<&ObjectKey> = question.claims.iter().collect();
    what_nobody_has(&mut draft, |key| asked.contains(key), &question.taken);
    let held = held_by_uid(state);
    let mut offers = sort(&draft.state);
    for key in &question.claims {
        let first_change = draft.plan.changes.len();
        let Some(claim) = draft.state.find_claim(key).cloned() else {
            let message = format!("{key} is not there any more");
            let target = Target::claim(key, None);
            draft.skip(skipped(target, "NotReadable", message, Standing::Refused));
            continue;
        };
        match &question.volume {
            Some(volume) => plan_by_hand(&mut draft, &claim, volume, question),
            None => plan_choice(&mut draft, &claim, question, offers.as_ref()),
        }
        let uid = claim.uid.as_deref().unwrap_or_default();
        let held = held.get(uid).map_or(&[][..], Vec::as_slice);
        what_others_left(&mut draft, key, held);
        let changes = draft.plan.changes[first_change..].iter();
        let volumes = changes.filter(|change| change.target.kind == ObjectKind::PersistentVolume);
        if let Some(offers) = &mut offers {
            let names = volumes.map(|change| change.target.name.as_str());
            offers.follow(&draft.state, names, key);
        }
    }
    draft.plan
}

/// The volumes that carry the uid of a claim.
fn held_by_uid(state: &ClusterState) -> HashMap<&str, Vec<String>> {
    let mut held: HashMap<&str, Vec<String>> = HashMap::new();
    for volume in state.volumes() {
        let uid = volume
            .claim_ref
            .as_ref()
            .and_then(|reference| reference.uid.as_deref());
        if let Some(uid) = uid {
            held.entry(uid).or_default().push(volume.name.clone());
        }
    }
    held
}

/// The engine's choice.
fn plan_choice(draft: &mut Draft, claim: &Claim, question: &BindQuestion, offers: Option<&Offers>) {
    match choose_among(offers, &draft.state, claim, question.rules) {
        Choice::Bind {
            volume,
            equals,
            more,
            class,
        } => {
            let why = why_this(&volume, &equals, more);
            plan_pair(draft, claim, &volume, class.as_deref(), &why, question);
        }
        Choice::Not(decision) => {
            let unread = unread(&decision);
            let skipped = skip_decided(claim, &decision);
            draft.note_unknowns(unread);
            draft.skip(skipped);
        }
    }
}

fn why_this(volume: &str, equals: &[String], more: usize) -> String {
    if equals.len() < 2 {
        return "it is the one Kubernetes would take".to_owned();
    }
    format!(
        "{} are equal, and Kubernetes would take any of them; {volume} is {}",
        join_and(&few_of(equals, equals.len() + more)),
        if equals.first().is_some_and(|first| first == volume) {
            "the first by name"
        } else {
            "reserved for the claim already"
        }
    )
}

/// The volume somebody named.
fn plan_by_hand(draft: &mut Draft, claim: &Claim, wanted: &str, question: &BindQuestion) {
    if let Some(has) = claim.volume_name.as_ref().filter(|has| *has != wanted) {
        let (code, message) = if claim.is_bind_completed() {
            (
                "AlreadyBound",
                format!(
                    "{} is bound to {has} already, and never changes to another volume",
                    claim.key
                ),
            )
        } else {
            let message = format!("{} names {has}, which cannot be changed", claim.key);
            ("NamedVolumeMismatch", message)
        };
        draft.skip(skipped(target(claim), code, message, Standing::Refused));
        return;
    }
    if claim.is_bind_completed() || !claim.exists() {
        return plan_choice(draft, claim, question, None);
    }
    if !draft.state.saw(Kind::Volumes, None) {
        return plan_choice(draft, claim, question, None);
    }
    let Some(volume) = draft.state.find_volume(wanted).cloned() else {
        let message = format!("there is no volume {wanted}");
        let code = "NamedVolumeNotFound";
        draft.skip(skipped(target(claim), code, message, Standing::Refused));
        return;
    };
    let mut judged = judge_by_hand(&draft.state, claim, &volume, question.rules);
    let forced: Vec<VolumeReason> = if question.force {
        let (forced, left) = judged
            .reasons
            .into_iter()
            .partition(VolumeReason::can_be_forced);
        judged.reasons = left;
        forced
    } else {
        vec![]
    };
    if judged.reasons.is_empty() {
        let codes: Vec<&str> = forced.iter().map(VolumeReason::code).collect();
        let why = match &codes[..] {
            [] => "it is the one that was named".to_owned(),
            codes => format!(
                "it is the one that was named, in spite of {}",
                join_and(codes)
            ),
        };
        return plan_pair(
            draft,
            claim,
            wanted,
            judged.class.as_deref(),
            &why,
            question,
        );
    }
    let is_forcible = judged.reasons.iter().all(VolumeReason::can_be_forced);
    for reason in &judged.reasons {
        let standing = match judged.reasons[..] {
            [VolumeReason::WaitsForScheduler] => Standing::Waits,
            _ => Standing::Refused,
        };
        let hint = if is_forcible {
            "; --force binds it all the same"
        } else {
            ""
        };
        let (name, key, why) = (&volume.name, &claim.key, reason.message());
        let message = match reason {
            VolumeReason::WaitsForScheduler => {
                format!("{name} would do for {key}; the scheduler decides when a pod comes{hint}")
            }
            _ => format!("{name} is not for {key}: {why}{hint}"),
        };
        draft.skip(skipped(
            volume_target(&volume),
            reason.code(),
            message,
            standing,
        ));
    }
}

/// What is missing of one bind; of one that is finished, nothing.
fn plan_pair(
    draft: &mut Draft,
    claim: &Claim,
    volume: &str,
    class: Option<&str>,
    why: &str,
    question: &BindQuestion,
) {
    let (changes, errands) = (draft.plan.changes.len(), draft.plan.errands.len());
    let is_begun = claim.volume_name.is_some() || is_held(&draft.state, volume, claim);
    let size = draft
        .state
        .find_volume(volume)
        .map(|volume| volume.capacity.to_string())
        .unwrap_or_default();
    let what = if is_begun {
        format!("finishes its bind ({size})")
    } else {
        format!("binds ({size}): {why}")
    };
    draft.begin(Errand {
        claim: Some(claim.key.clone()),
        volume: volume.to_owned(),
        what,
        deed: Deed::Bind,
    });
    if let Some(class) = class {
        assign_class(draft, &claim.key, class);
    }
    bind(draft, &claim.key, volume, why);
    if draft.plan.changes.len() == changes {
        draft.plan.errands.truncate(errands);
        if question.are_named {
            let message = format!("{} is bound to {volume} already", claim.key);
            draft.skip(skipped(
                target(claim),
                "AlreadyBound",
                message,
                Standing::Fine,
            ));
        }
    }
}

fn is_held(state: &ClusterState, volume: &str, claim: &Claim) -> bool {
    let reference = state
        .find_volume(volume)
        .and_then(|volume| volume.claim_ref.as_ref());
    reference.is_some_and(|reference| reference.designates(claim))
}

/// What was not read and leaves the decision open.
fn unread(decision: &ClaimDecision<'_>) -> Vec<Unknown> {
    match decision.verdict {
        Verdict::Unknown => decision.unknowns.clone(),
        _ => vec![],
    }
}

fn skip_decided(claim: &Claim, decision: &ClaimDecision<'_>) -> Skipped {
    let cause = decision.causes.first();
    let told = |otherwise: (&'static str, String)| {
        cause.map_or(otherwise, |cause| {
            (cause.cause.code(), cause.cause.message())
        })
    };
    let (code, message) = match decision.verdict {
        Verdict::WillBind => {
            let volumes = join_and(&decision.outcomes);
            let message = format!("the scheduler takes {volumes} when it places the pod");
            ("WaitsForScheduler", message)
        }
        Verdict::WillProvision => {
            let maker = decision.provisioner().unwrap_or("its provisioner");
            let message = format!("no volume that exists fits; {maker} makes one");
            ("NoVolumeFits", message)
        }
        // Whether the provisioner runs cannot be observed; that no existing volume fits is certain.
        Verdict::Unknown if is_provisioner_unseen(decision) => {
            let (code, message) = told(("NoVolumeFits", String::new()));
            (code, format!("no volume that exists fits; {message}"))
        }
        Verdict::Unknown => {
            let mut unread = decision.causes.iter().filter(|cause| is_unread(cause));
            let message = unread.next().map(|cause| cause.cause.message());
            let otherwise = || "what it depends on could not be read".to_owned();
            ("NotReadable", message.unwrap_or_else(otherwise))
        }
        Verdict::Bound => ("AlreadyBound", "it is bound already".to_owned()),
        _ => told(("NoVolumeFits", "no volume fits".to_owned())),
    };
    let standing = match decision.verdict {
        Verdict::Bound | Verdict::WillProvision => Standing::Fine,
        Verdict::WillBind | Verdict::Waiting => Standing::Waits,
        Verdict::Unknown if !is_provisioner_unseen(decision) => Standing::Unknown,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected | Verdict::Unknown => {
            Standing::Refused
        }
    };
    skipped(target(claim), code, message, standing)
}

/// Whether all that is unknown is whether the provisioner runs.
fn is_provisioner_unseen(decision: &ClaimDecision<'_>) -> bool {
    let main = decision.causes.first().map(|main| &main.cause);
    matches!(main, Some(ClaimCause::ProvisionerNotRegistered { .. }))
        && !decision.causes.iter().any(is_unread)
}

fn is_unread(cause: &Cause) -> bool {
    matches!(cause.cause, ClaimCause::NotReadable { .. })
}

fn target(claim: &Claim) -> Target {
    Target::claim(&claim.key, claim.uid.as_ref())
}

fn volume_target(volume: &Volume) -> Target {
    Target::volume(&volume.name, volume.uid.as_ref())
}

fn skipped(target: Target, code: &'static str, message: String, standing: Standing) -> Skipped {
    Skipped {
        target,
        code,
        message: message.into(),
        standing,
    }
}

#[cfg(test)]
mod tests;
