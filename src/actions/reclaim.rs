//! `reclaim`, planned: what becomes of volumes that nobody owns any more, the writes that brings about, and why others are left
//! alone. The engine decides (`engine/ending`); here it becomes changes.
//!
//! `deleting.rs`, `recycling.rs`, `by_pod.rs`, `reusing.rs` and `policy.rs` plan one volume each, `inquiry.rs` beside this says whose it is on this
//! machine, `unlocking.rs` takes our locks off what somebody else has got meanwhile, `failures.rs` tells what went wrong.

mod by_pod;
mod deleting;
pub(crate) mod failures;
mod policy;
mod recycling;
mod reusing;
#[cfg(test)]
mod tests;
mod unlocking;

use super::asset_check::{AssetCheck, check_asset, is_asset_gone};
use super::backend_facts::{BackendFacts, Planned};
use super::bind_writes::mark_volume;
use super::draft::Draft;
use super::inquiry::Inquiry;
use super::memory::Memory;
use super::plan::{Deed, Errand, Loss, Plan, Target};
use super::recycler_pod::RecyclerImage;
use crate::conventions::annotations::RECYCLING;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::own_marks::find_keep;
use crate::engine::refusal::{Evidence, ReclaimEvidence, Refusal, Standing};
use crate::engine::{
    Ending, EndingQuestion, OwnBackend, Recycler, Rules, Selection, decide_ending,
};
use crate::model::asset::AssetUse;
use crate::model::{ClaimRef, ClusterState, Host, ReclaimPolicy, Volume, VolumePhase};
use crate::report::VolumeCause;

/// The subcommand.
pub(crate) const COMMAND: &str = "reclaim";

/// What is to be reclaimed, and how.
pub(crate) struct ReclaimQuestion<'a> {
    /// The volumes, as they were when somebody agreed to it.
    pub(crate) volumes: Vec<ChosenVolume>,
    /// Why nothing was selected, if that cannot be what was meant.
    pub(crate) empty_selection: Option<String>,
    /// The flags that select; a named volume of another namespace than they allow is refused.
    pub(crate) selection: Selection<'a>,
    /// Whether somebody named them; otherwise the opt-out protects them.
    pub(crate) are_named: bool,
    pub(crate) wish: Wish<'a>,
    /// What pods are made of that empty what this machine does not reach.
    pub(crate) recycler: Option<&'a RecyclerImage>,
    /// What this machine is called.
    pub(crate) host: Option<&'a Host>,
    pub(crate) rules: Rules,
}

/// What is wanted for the volumes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wish<'a> {
    /// Their policies are carried out.
    CarryOut,
    /// They are offered again, data and all: to anybody, or to one claim.
    Reuse { for_claim: Option<&'a ObjectKey> },
    /// They get this policy.
    SetPolicy(ReclaimPolicy),
}

/// A volume, as it was chosen. Whatever it has become meanwhile nobody has agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenVolume {
    pub(crate) name: String,
    uid: Option<String>,
    /// The uid of the claim it was kept for.
    owner: Option<String>,
    policy: ReclaimPolicy,
    /// What the lock said that was on it.
    lock: Option<String>,
}

impl From<&Volume> for ChosenVolume {
    fn from(volume: &Volume) -> Self {
        Self {
            name: volume.name.clone(),
            uid: volume.uid.clone(),
            owner: owner_of(volume),
            policy: policy_of(volume),
            lock: volume.annotations.get(RECYCLING).cloned(),
        }
    }
}

impl ChosenVolume {
    /// Why it is not the one that was chosen any more.
    fn find_change(&self, volume: &Volume, wish: &Wish<'_>) -> Option<Refusal> {
        if volume.uid != self.uid {
            return Some(Refusal::new(ReclaimEvidence::VolumeReplaced));
        }
        let owner = owner_of(volume);
        // That it is nobody's any more the engine tells, and says more. A policy is for whoever owns it.
        let is_anothers = owner.is_some() && owner != self.owner;
        if is_anothers && !matches!(wish, Wish::SetPolicy(_)) {
            return Some(Refusal::new(ReclaimEvidence::OwnerChanged));
        }
        // Of Retain the engine tells more.
        let policy = policy_of(volume);
        let is_other = policy != self.policy && policy != ReclaimPolicy::Retain;
        (is_other && *wish == Wish::CarryOut).then(|| {
            let before = self.policy.clone();
            let now = policy;
            Refusal::new(ReclaimEvidence::PolicyChanged { before, now })
        })
    }
}

/// The policy that is carried out, which our lock hides.
fn policy_of(volume: &Volume) -> ReclaimPolicy {
    let is_marked = volume.has_annotation(RECYCLING);
    if is_marked && volume.reclaim_policy == ReclaimPolicy::Retain {
        return ReclaimPolicy::of_name(&recycling::policy_before(volume));
    }
    volume.reclaim_policy.clone()
}

fn owner_of(volume: &Volume) -> Option<String> {
    let reference = volume.claim_ref.as_ref();
    reference.and_then(|reference| reference.uid.clone())
}

/// A claim has bound it; if it was kept for one claim, that one.
fn is_bound_as_asked(volume: &Volume, question: &ReclaimQuestion<'_>) -> bool {
    let reference = volume.claim_ref.as_ref();
    let owner = reference.filter(|owner| owner.uid.is_some());
    owner.is_some_and(|owner| match &question.wish {
        Wish::Reuse {
            for_claim: Some(key),
        } => owner.key() == **key,
        _ => true,
    })
}

/// Plans what happens to these volumes, as far as the answers of the backends go.
pub(crate) fn plan_reclaim(
    state: &ClusterState,
    question: &ReclaimQuestion<'_>,
    memory: &Memory,
    facts: &BackendFacts,
) -> Planned<Plan> {
    let inquiry = Inquiry::new(facts);
    let plan = plan_volumes(state, question, memory, &inquiry);
    inquiry.conclude(plan)
}

pub(super) fn plan_volumes(
    state: &ClusterState,
    question: &ReclaimQuestion<'_>,
    memory: &Memory,
    inquiry: &Inquiry<'_>,
) -> Plan {
    let mut draft = Draft::new(state, COMMAND);
    if let Some(why) = &question.empty_selection {
        let why = why.clone();
        let refusal = Refusal::new(Evidence::NothingSelected { why });
        draft.refuse(Target::volume("", None), refusal);
    }
    for chosen in &question.volumes {
        plan_volume(&mut draft, chosen, question, memory, inquiry);
    }
    draft.plan
}

fn plan_volume(
    draft: &mut Draft,
    chosen: &ChosenVolume,
    question: &ReclaimQuestion<'_>,
    memory: &Memory,
    inquiry: &Inquiry<'_>,
) {
    let name = &chosen.name;
    if memory.finished.contains(name) {
        return;
    }
    let Some(volume) = draft.state.find_volume(name).cloned() else {
        // What this run has deleted is gone, and that is fine.
        if !memory.deleted.contains(name) {
            let refusal = Refusal::new(Evidence::Gone { name: None });
            draft.refuse(Target::volume(name, None), refusal);
        }
        return;
    };
    // Without a claimRef it is in no namespace, also because this run or an earlier one has removed it.
    if let Some(own) = volume.claim_namespace()
        && !question.selection.is_within(Some(own))
    {
        let evidence = ReclaimEvidence::OtherNamespace {
            namespace: own.to_owned(),
            asked: question.selection.namespace.map(str::to_owned),
        };
        return leave(draft, &volume, Refusal::new(evidence));
    }
    let is_same = volume.uid == chosen.uid && volume.deleted.is_some();
    if is_same && memory.deleted.contains(name) {
        // Whatever has become of it, there is nothing behind it any more that the lock would keep.
        return deleting::plan_end(draft, &volume);
    }
    if volume.uid == chosen.uid
        && memory.freed.contains(name)
        && is_bound_as_asked(&volume, question)
    {
        // This run has released it, and a claim has bound it: only its phase was written by another client.
        return;
    }
    if let Some(change) = chosen.find_change(&volume, &question.wish) {
        if volume.uid == chosen.uid {
            unlocking::plan(draft, &volume, &change.message());
        }
        return leave(draft, &volume, change);
    }
    if let Wish::SetPolicy(policy) = &question.wish {
        return policy::plan(draft, &volume, policy, question);
    }
    if recycling::is_anothers(&volume, chosen, memory) {
        let refusal = Refusal::new(ReclaimEvidence::EmptiedByOtherRun);
        return leave(draft, &volume, refusal);
    }
    if is_half_free(&volume) {
        return match find_keep(&draft.state, &volume).filter(|_| !question.are_named) {
            Some(on) => leave(draft, &volume, Refusal::from(VolumeCause::OptOut { on })),
            None => free(draft, volume),
        };
    }
    let own = match inquiry.holder(&volume) {
        // The backend is asked first.
        None => return,
        Some(Ok(own)) => own,
        Some(Err(why)) => {
            let refusal = Refusal::new(ReclaimEvidence::BackendNotReadable { why });
            return leave(draft, &volume, refusal.standing(Standing::Unknown));
        }
    };
    match &question.wish {
        Wish::Reuse { for_claim } => {
            reusing::plan(draft, &volume, own.as_ref(), *for_claim, question);
        }
        _ => carry_out(draft, volume, own.as_ref(), question, inquiry),
    }
}

/// Nobody's any more, by its claimRef, while its status says that it still is: a run ended between the two writes.
fn is_half_free(volume: &Volume) -> bool {
    let is_old = matches!(volume.phase, VolumePhase::Released | VolumePhase::Failed);
    is_old && volume.deleted.is_none() && owner_of(volume).is_none()
}

fn free(draft: &mut Draft, volume: Volume) {
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!(
            "marked Available: only its status says {}",
            volume.phase.name()
        ),
        deed: Deed::GiveBack,
    });
    mark_volume(draft, volume, VolumePhase::Available, "it is free already");
}

fn carry_out(
    draft: &mut Draft,
    volume: Volume,
    own: Option<&OwnBackend>,
    question: &ReclaimQuestion<'_>,
    inquiry: &Inquiry<'_>,
) {
    let host = question.host;
    let Some(is_asset_gone) = is_asset_gone(inquiry, &draft.state, &volume, own, host) else {
        return;
    };
    let asked = EndingQuestion {
        volume: &volume,
        is_named: question.are_named,
        own,
        has_recycler_image: question.recycler.is_some(),
        recycler_namespace: question.recycler.map(|wish| wish.namespace.as_str()),
        recycler_node: question.recycler.and_then(|wish| wish.node.as_deref()),
        host,
        is_asset_gone,
    };
    match decide_ending(&draft.state, &asked) {
        Ending::Delete(deletion) => {
            let checked = Checked {
                provisioner: &deletion.provisioner,
                wanted: AssetUse::Delete,
            };
            let Some(check) = checked.find(draft, &volume, question, inquiry) else {
                return;
            };
            draft.note_unknowns(deletion.unknowns.clone());
            warn_of_rival(draft, &volume, &deletion.provisioner);
            let first = draft.plan.changes.len();
            if is_asset_gone {
                deleting::plan_rest(draft, volume, &deletion);
            } else {
                deleting::plan(draft, volume, &deletion);
            }
            draft.check_before(first, check);
        }
        Ending::Recycle(recycling) => {
            let check = match &recycling.by {
                Recycler::Here { provisioner } => {
                    let wanted = AssetUse::Scrub;
                    let checked = Checked {
                        provisioner,
                        wanted,
                    };
                    checked.find(draft, &volume, question, inquiry)
                }
                Recycler::Pod { .. } => Some(None),
            };
            let Some(check) = check else { return };
            draft.note_unknowns(recycling.unknowns.clone());
            if let Recycler::Here { provisioner } = &recycling.by {
                warn_of_rival(draft, &volume, provisioner);
            }
            let first = draft.plan.changes.len();
            recycling::plan(draft, volume, &recycling, question.recycler);
            draft.check_before(first, check);
        }
        Ending::Left(left) => {
            unlocking::plan_for(draft, &volume, &left);
            leave(draft, &volume, left);
        }
    }
}

/// Whose a volume is that does not name the backend, its source decides.
fn warn_of_rival(draft: &mut Draft, volume: &Volume, provisioner: &str) {
    if volume.provisioned_by() == Some(provisioner) {
        let target = Target::volume(&volume.name, volume.uid.as_ref());
        draft.warn_of_rival(target, provisioner);
    }
}

/// What is done to the asset of a volume, and by which backend.
struct Checked<'a> {
    provisioner: &'a str,
    wanted: AssetUse,
}

impl Checked<'_> {
    /// The check to repeat before the lock; `None` if the volume is skipped, or the backend is asked first.
    #[expect(clippy::option_option, reason = "no plan, and a plan without a check")]
    fn find(
        &self,
        draft: &mut Draft,
        volume: &Volume,
        question: &ReclaimQuestion<'_>,
        inquiry: &Inquiry<'_>,
    ) -> Option<Option<AssetCheck>> {
        let host = question.host;
        let state = &draft.state;
        let check = AssetCheck::of_volume(state, volume, self.provisioner, self.wanted, host);
        match check_asset(inquiry, draft, check, host.is_some())? {
            Ok(check) => Some(check),
            Err(evidence) => {
                leave(draft, volume, Refusal::new(evidence));
                None
            }
        }
    }
}

fn leave(draft: &mut Draft, volume: &Volume, refusal: Refusal) {
    let target = Target::volume(&volume.name, volume.uid.as_ref());
    draft.refuse(target, refusal);
}

/// What is lost with a volume's data.
fn loss_of(volume: &Volume) -> Loss {
    let owner = volume.claim_ref.as_ref().filter(|it| !it.is_empty());
    Loss {
        size: volume.capacity.to_string(),
        of: owner.map(ClaimRef::key),
    }
}
