//! What the scheduler has really done with a pod, as far as it can be seen in the objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::claims::name_of;
use super::snapshot::Snapshot;
use super::world::{BIND_COMPLETED, SELECTED_NODE};

/// A pod before and after the scheduler has had its turn.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    /// When it was predicted.
    pub(super) before: &'a Snapshot,
    /// When the scheduler was started.
    pub(super) start: &'a Snapshot,
    pub(super) after: &'a Snapshot,
    /// The pod as it was.
    pub(super) pod: &'a Value,
}

/// What became of the pod.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// It was refused, with these words.
    Refused(String),
    /// It is on a node, or its claims have been given volumes or a node. Also after a conflict: the
    /// scheduler has tried the pod again, and the condition keeps the words of the conflict.
    Placed,
    /// Nothing can be seen.
    Nothing,
}

/// What the scheduler has written down for one claim.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Gift {
    pub(super) volumes: BTreeSet<String>,
    pub(super) node: Option<String>,
}

impl Turn<'_> {
    pub(super) fn deed(&self) -> Deed {
        if !self.node().is_empty() {
            return Deed::Placed;
        }
        let is_tried_again = self.ended_in_a_conflict() && self.has_all_gifts();
        if self.after.refusal(self.pod).is_some() && !is_tried_again {
            return Deed::Refused(in_the_words_of_1_36(self.condition()));
        }
        let changed = self.gifts() != self.gifts_in(self.start);
        if changed { Deed::Placed } else { Deed::Nothing }
    }

    /// The last words about the pod. Events are no good for that: one that is repeated keeps its
    /// first message, whatever is said the second time.
    pub(super) fn condition(&self) -> &str {
        let conditions = &self.after.pod(self.pod)["status"]["conditions"];
        let mut conditions = conditions.as_array().into_iter().flatten();
        let scheduled = conditions.find(|condition| condition["type"] == "PodScheduled");
        let message = scheduled.and_then(|condition| condition["message"].as_str());
        message.unwrap_or_default()
    }

    pub(super) fn node(&self) -> &str {
        let node = self.after.pod(self.pod)["spec"]["nodeName"].as_str();
        node.unwrap_or_default()
    }

    /// For every claim of the pod that was not bound: what it got, also from the controller.
    pub(super) fn gifts(&self) -> BTreeMap<String, Gift> {
        self.gifts_in(self.after)
    }

    /// Whether no claim of the pod still waits for the scheduler.
    pub(super) fn has_all_gifts(&self) -> bool {
        let gifts = self.gifts();
        let mut gifts = gifts.values();
        gifts.all(|gift| !gift.volumes.is_empty() || gift.node.is_some())
    }

    fn gifts_in(&self, snapshot: &Snapshot) -> BTreeMap<String, Gift> {
        let claims = self.claim_names().into_iter();
        let unbound = claims.filter(|name| self.claim(name).is_some_and(|claim| !is_bound(claim)));
        let gifts = unbound.map(|name| {
            let claim = snapshot.claim(&self.pod["metadata"]["namespace"], &name);
            let gift = claim.map(|claim| gift(snapshot, claim));
            (name, gift.unwrap_or_default())
        });
        gifts.collect()
    }

    /// The claim as it was.
    pub(super) fn claim(&self, name: &str) -> Option<&Value> {
        self.before.claim(&self.pod["metadata"]["namespace"], name)
    }

    pub(super) fn claim_names(&self) -> Vec<String> {
        claim_names(self.pod)
    }
}

/// The claims of a pod in the order of its volumes; one that is used twice is there twice.
pub(super) fn claim_names(pod: &Value) -> Vec<String> {
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    let names = volumes.filter_map(|volume| {
        let plain = volume["persistentVolumeClaim"]["claimName"].as_str();
        let ephemeral = volume.get("ephemeral").map(|_| {
            let volume = volume["name"].as_str().unwrap_or_default();
            format!("{}-{volume}", name_of(pod))
        });
        plain.map(str::to_owned).or(ephemeral)
    });
    names.collect()
}

/// Later releases leave out a part that has nothing to do with volumes.
fn in_the_words_of_1_36(message: &str) -> String {
    const LEFT_OUT: &str = "no new claims to deallocate, ";
    if message.contains(LEFT_OUT) {
        return message.to_owned();
    }
    message.replace(". preemption: ", &format!(". {LEFT_OUT}preemption: "))
}

fn gift(snapshot: &Snapshot, claim: &Value) -> Gift {
    let volumes = snapshot.volumes_given_to(claim);
    Gift {
        volumes: volumes.into_iter().map(str::to_owned).collect(),
        node: selected_node(claim).map(str::to_owned),
    }
}

fn selected_node(claim: &Value) -> Option<&str> {
    claim["metadata"]["annotations"][SELECTED_NODE].as_str()
}

fn is_bound(claim: &Value) -> bool {
    let completed = &claim["metadata"]["annotations"][BIND_COMPLETED];
    !completed.is_null() && !claim["spec"]["volumeName"].is_null()
}
