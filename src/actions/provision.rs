//! `provision`, planned: who makes a volume for which claim, the writes that brings about, and why other claims are left alone.
//!
//! `own.rs` plans what this program makes itself, `delegated.rs` what a provisioner of the cluster is asked for,
//! `failures.rs` what is still to be done when something went wrong.

mod delegated;
pub(crate) mod failures;
mod own;
#[cfg(test)]
mod tests;

use super::backend_facts::{BackendFacts, Planned};
use super::bind::already_bound;
use super::bind_writes::bind;
use super::draft::Draft;
use super::event::{Happening, News, tell};
use super::inquiry::Inquiry;
use super::memory::Memory;
use super::plan::{Deed, Errand, MadeBy, Plan, Product, Target};
use super::take_back::{Leftovers, take_back};
use crate::conventions::object_ref::ObjectKey;
use crate::engine::refusal::{Advice, Evidence, Refusal};
use crate::engine::{Making, MakingQuestion, Rules, decide_making};
use crate::model::{Claim, ClusterState, Host};

/// The subcommand.
pub(crate) const COMMAND: &str = "provision";

/// What is to be provisioned, and by what.
pub(crate) struct ProvisionQuestion<'a> {
    /// The claims, by name.
    pub(crate) claims: Vec<ObjectKey>,
    /// Whether somebody named them; otherwise they are all there are, and what is bound is not worth a word.
    pub(crate) are_named: bool,
    /// The one namespace that was asked about.
    pub(crate) reach: Option<&'a str>,
    /// The node somebody named.
    pub(crate) node: Option<&'a str>,
    /// What this machine is called.
    pub(crate) host: Option<&'a Host>,
    /// Whether there is a cluster; files cannot tell what a program would make.
    pub(crate) is_live: bool,
    /// Whether to wait for what others make.
    pub(crate) waits: bool,
    pub(crate) rules: Rules,
}

impl ProvisionQuestion<'_> {
    /// Whether a claim, which may be gone, was asked about.
    fn is_asked(&self, key: &ObjectKey) -> bool {
        if self.are_named {
            return self.claims.contains(key);
        }
        self.reach
            .is_none_or(|namespace| key.namespace == namespace)
    }
}

/// Plans the volumes of these claims, as far as the answers of the backends go.
pub(crate) fn plan_provision(
    state: &ClusterState,
    question: &ProvisionQuestion<'_>,
    memory: &Memory,
    facts: &BackendFacts,
) -> Planned<Plan> {
    let inquiry = Inquiry::new(facts);
    let plan = plan_claims(state, question, memory, &inquiry);
    inquiry.conclude(plan)
}

fn plan_claims(
    state: &ClusterState,
    question: &ProvisionQuestion<'_>,
    memory: &Memory,
    inquiry: &Inquiry<'_>,
) -> Plan {
    let mut draft = Draft::new(state, COMMAND);
    if question.is_live {
        let leftovers = Leftovers {
            inquiry,
            memory,
            is_asked: &|key| question.is_asked(key),
            host: question.host,
        };
        take_back(&mut draft, &leftovers);
    }
    let mut waits = Vec::new();
    for key in &question.claims {
        let Some(claim) = draft.state.find_claim(key).cloned() else {
            let name = Some(key.to_string());
            draft.refuse(
                Target::claim(key, None),
                Refusal::new(Evidence::Gone { name }),
            );
            continue;
        };
        waits.extend(plan_claim(&mut draft, &claim, question, inquiry));
    }
    // All are asked before the first is waited for.
    for wait in waits {
        wait.plan(&mut draft);
    }
    draft.plan
}

fn plan_claim(
    draft: &mut Draft,
    claim: &Claim,
    question: &ProvisionQuestion<'_>,
    inquiry: &Inquiry<'_>,
) -> Option<delegated::AwaitedClaim> {
    let asked = MakingQuestion {
        claim,
        is_own: &|name| inquiry.find(name).is_some(),
        node: question.node,
        host: question.host,
        rules: question.rules,
    };
    match decide_making(&draft.state, &asked) {
        Making::Own(making) => own::plan(draft, claim, &making, question, inquiry),
        Making::Delegated(making) => return delegated::plan(draft, claim, &making, question),
        Making::Made { volume } | Making::Bound { volume } => {
            finish(draft, claim, &volume, question);
        }
        Making::Not(refusal) if refusal.is_ours => refuse(draft, claim, refusal),
        Making::Not(refusal) => draft.refuse(target(claim), refusal),
    }
    None
}

/// The volume is there; what is missing of its bind is written, if it is the claim's.
fn finish(draft: &mut Draft, claim: &Claim, volume: &str, question: &ProvisionQuestion<'_>) {
    let (changes, errands) = (draft.plan.changes.len(), draft.plan.errands.len());
    let size = draft
        .state
        .find_volume(volume)
        .map(|volume| volume.capacity.to_string());
    draft.begin(Errand {
        claim: Some(claim.key.clone()),
        volume: volume.to_owned(),
        what: "is made already, and bound now".to_owned(),
        deed: Deed::Make(Product {
            class: claim.class.resolved().to_owned(),
            size: size.unwrap_or_default(),
            warnings: vec![],
            by: MadeBy::Us,
        }),
    });
    let is_held = draft.state.find_volume(volume).is_some_and(|volume| {
        let reference = volume.claim_ref.as_ref();
        reference.is_some_and(|reference| reference.designates(claim))
    });
    if is_held {
        bind(draft, &claim.key, volume, "it was made for the claim");
    }
    if draft.plan.changes.len() == changes {
        draft.plan.errands.truncate(errands);
        if question.are_named {
            draft.refuse(target(claim), already_bound(claim, volume));
        }
    }
}

/// Skips a claim that is ours to provision, and reports the reason on it.
fn refuse(draft: &mut Draft, claim: &Claim, refusal: Refusal) {
    let message = refusal.message();
    draft.begin(Errand {
        claim: Some(claim.key.clone()),
        volume: String::new(),
        what: format!("is told why not: {message}"),
        deed: Deed::Tell,
    });
    let what = Happening {
        news: News::Failed,
        volume: "",
        code: refusal.code().name(),
    };
    tell(draft, claim, what, &message);
    draft.refuse(target(claim), refusal.advise(Advice::None));
}

fn target(claim: &Claim) -> Target {
    Target::claim(&claim.key, claim.uid.as_ref())
}
