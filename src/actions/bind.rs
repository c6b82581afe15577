//! `bind`, planned: which claims get which volumes, the writes that are missing, and why other claims are left alone.

use super::bind_writes::{assign_class, bind};
use super::draft::Draft;
pub(crate) use super::give_back::Taken;
use super::give_back::{what_nobody_has, what_others_left};
use super::plan::{Deed, Errand, Plan, Target};
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::refusal::{Advice, BindEvidence, Evidence, Refusal, RefusedVolume, Standing};
use crate::engine::{Choice, ClaimDecision, Offers, Rules, choose_among, judge_by_hand};
use crate::model::{Claim, ClusterState, Kind};
use crate::report::{Cause, ClaimCause, Code, Verdict, VolumeReason, few_of, join_and};
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
            let name = Some(key.to_string());
            let refusal = Refusal::new(Evidence::Gone { name });
            draft.refuse(Target::claim(key, None), refusal);
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
            let refusal = refuse_decided(&decision);
            draft.refuse(target(claim), refusal);
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
        let (key, volume) = (claim.key.clone(), has.clone());
        let evidence = if claim.is_bind_completed() {
            BindEvidence::BoundElsewhere { claim: key, volume }
        } else {
            BindEvidence::NamesOther { claim: key, volume }
        };
        return draft.refuse(target(claim), Refusal::new(evidence));
    }
    if claim.is_bind_completed() || !claim.exists() {
        return plan_choice(draft, claim, question, None);
    }
    if !draft.state.saw(Kind::Volumes, None) {
        return plan_choice(draft, claim, question, None);
    }
    let Some(volume) = draft.state.find_volume(wanted).cloned() else {
        let volume = wanted.to_owned();
        let evidence = BindEvidence::VolumeNotFound { volume };
        return draft.refuse(target(claim), Refusal::new(evidence));
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
        let codes: Vec<Code> = forced.iter().map(VolumeReason::code).collect();
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
    let can_be_forced = judged.reasons.iter().all(VolumeReason::can_be_forced);
    let standing = match judged.reasons[..] {
        [VolumeReason::WaitsForScheduler] => Standing::Waits,
        _ => Standing::Refused,
    };
    for reason in judged.reasons {
        let evidence = BindEvidence::Volume(RefusedVolume {
            volume: volume.name.clone(),
            claim: claim.key.clone(),
            reason,
            can_be_forced,
        });
        let target = Target::volume(&volume.name, volume.uid.as_ref());
        draft.refuse(target, Refusal::new(evidence).standing(standing));
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
            draft.refuse(target(claim), already_bound(claim, volume));
        }
    }
}

fn is_held(state: &ClusterState, volume: &str, claim: &Claim) -> bool {
    let reference = state
        .find_volume(volume)
        .and_then(|volume| volume.claim_ref.as_ref());
    reference.is_some_and(|reference| reference.designates(claim))
}

/// It is bound as it was wanted.
pub(super) fn already_bound(claim: &Claim, volume: &str) -> Refusal {
    let evidence = BindEvidence::AlreadyBound {
        claim: claim.key.clone(),
        volume: volume.to_owned(),
    };
    Refusal::new(evidence).standing(Standing::Fine)
}

fn refuse_decided(decision: &ClaimDecision<'_>) -> Refusal {
    let main = || decision.causes.first().map(|main| main.cause.clone());
    let evidence: Evidence = match decision.verdict {
        Verdict::WillBind => {
            let volumes = decision.outcomes.clone();
            BindEvidence::SchedulerBinds { volumes }.into()
        }
        Verdict::WillProvision => {
            let provisioner = decision.provisioner().map(str::to_owned);
            BindEvidence::ProvisionerCreates { provisioner }.into()
        }
        // Whether the provisioner runs cannot be observed; that no existing volume fits is certain.
        Verdict::Unknown if is_provisioner_unseen(decision) => main()
            .map_or(BindEvidence::NoVolumeFits, BindEvidence::ProvisionerNotSeen)
            .into(),
        Verdict::Unknown => {
            let unread = decision.causes.iter().find(|cause| is_unread(cause));
            let unread = unread.map(|cause| Evidence::Claim(cause.cause.clone()));
            unread.unwrap_or_else(|| BindEvidence::NotReadable.into())
        }
        Verdict::Bound => BindEvidence::Bound.into(),
        _ => main().map_or(BindEvidence::NoVolumeFits.into(), Evidence::Claim),
    };
    let standing = match decision.verdict {
        Verdict::Bound | Verdict::WillProvision => Standing::Fine,
        Verdict::WillBind | Verdict::Waiting => Standing::Waits,
        Verdict::Unknown if !is_provisioner_unseen(decision) => Standing::Unknown,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected | Verdict::Unknown => {
            Standing::Refused
        }
    };
    Refusal {
        standing,
        unknowns: match decision.verdict {
            Verdict::Unknown => decision.unknowns.clone(),
            _ => vec![],
        },
        ..Refusal::new(evidence).advise(Advice::None)
    }
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

#[cfg(test)]
mod tests;
