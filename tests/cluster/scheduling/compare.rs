//! Prediction against reality, pod by pod, as soon as the scheduler has tried it: whether it was
//! refused, with which words, or where it was to go with which volumes. Whether it got there is in
//! `landing.rs`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::deed::{Deed, Gift, Turn};

/// One pod from all sides.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'a> {
    pub(super) turn: Turn<'a>,
    /// What `kubectl-pv explain` said.
    pub(super) predicted: &'a Value,
}

impl Comparison<'_> {
    /// Every respect in which we are wrong, as soon as the scheduler has tried the pod.
    pub(super) fn disagreements(&self) -> Vec<String> {
        if self.predicted.is_null() {
            // Pods on their way out are not listed.
            let unknown = "kubectl-pv does not know the pod".to_owned();
            return if self.is_terminating() {
                Vec::new()
            } else {
                vec![unknown]
            };
        }
        let mut found = Vec::new();
        let verdict = text(&self.predicted["verdict"]);
        if !self.possible_verdicts().contains(&verdict) {
            found.push(format!("verdict {verdict}"));
        }
        let contradicts_nodes = match verdict {
            "Schedulable" => self.open_nodes().next().is_none(),
            "Unschedulable" => self.feasible_nodes().next().is_some(),
            _ => false,
        };
        if contradicts_nodes {
            found.push(format!("verdict {verdict} does not follow from the nodes"));
        }
        if !self.foresees_the_deed() {
            found.push(format!("predicted words: {:#?}", self.words()));
        }
        found
    }

    /// The verdicts that what happened allows. Whoever is refused may be so for other reasons than
    /// volumes, or be waiting for what is on its way.
    fn possible_verdicts(&self) -> &'static [&'static str] {
        if self.is_on_a_node() {
            return &["Scheduled"];
        }
        if self.is_left_alone() {
            return &["Waiting", "Unknown", "Unschedulable"];
        }
        match self.turn.deed() {
            // Where equal volumes decide, either may come true.
            Deed::Refused(_) if self.is_left_to_chance() => &["Schedulable"],
            Deed::Refused(_) => &["Unschedulable", "Waiting", "Unknown"],
            Deed::Placed | Deed::Nothing => &["Schedulable"],
        }
    }

    /// Whether a pod that may be placed may be refused as well.
    pub(super) fn is_left_to_chance(&self) -> bool {
        let mut open = self.open_nodes();
        open.next().is_some() && self.open_nodes().all(|node| node["mayFail"] == true)
    }

    fn foresees_the_deed(&self) -> bool {
        let deed = self.turn.deed();
        match &deed {
            // Of a pod on its way out the scheduler says only that it leaves it alone.
            _ if self.is_left_alone() => {
                self.is_on_a_node() || self.words().is_empty() && deed != Deed::Placed
            }
            Deed::Refused(message) => self.words().contains(message.as_str()),
            Deed::Placed | Deed::Nothing => self.places().next().is_some(),
        }
    }

    /// The refusals we predict, several where chance decides which.
    pub(super) fn words(&self) -> BTreeSet<&str> {
        let says = list(&self.predicted["kubernetesSays"]);
        let refusals = says
            .filter(|event| event["reason"] == "FailedScheduling" && event["type"] == "Warning");
        refusals.map(|event| text(&event["message"])).collect()
    }

    /// The nodes that the volumes allow.
    fn feasible_nodes(&self) -> impl Iterator<Item = &Value> {
        list(&self.predicted["nodes"]).filter(|node| node["feasible"] == true)
    }

    /// The nodes that nothing at all speaks against.
    pub(super) fn open_nodes(&self) -> impl Iterator<Item = &Value> {
        self.feasible_nodes()
            .filter(|node| list(&node["reasons"]).next().is_none())
    }

    /// The open nodes that explain everything which can be seen.
    pub(super) fn places(&self) -> impl Iterator<Item = &Value> {
        let gifts = self.turn.gifts();
        let landed = self.turn.node();
        self.open_nodes().filter(move |node| {
            let mut gifts = gifts.iter();
            (landed.is_empty() || node["name"] == landed)
                && gifts.all(|(claim, gift)| explains(node, claim, gift))
        })
    }

    /// No scheduler, or none of ours, is to look at the pod.
    pub(super) fn is_left_alone(&self) -> bool {
        let spec = &self.turn.pod["spec"];
        self.is_on_a_node()
            || self.is_terminating()
            || spec["schedulerName"] != "default-scheduler"
            || list(&spec["schedulingGates"]).next().is_some()
    }

    fn is_terminating(&self) -> bool {
        !self.turn.pod["metadata"]["deletionTimestamp"].is_null()
    }

    fn is_on_a_node(&self) -> bool {
        !self.turn.pod["spec"]["nodeName"].is_null()
    }
}

/// Whether what we said about the node accounts for what the claim got.
fn explains(node: &Value, claim: &str, gift: &Gift) -> bool {
    let selected = gift.node.as_deref() == node["name"].as_str();
    if gift.volumes.is_empty() {
        return selected && contains(&node["provisions"], claim);
    }
    let bindings = &node["bindings"][claim];
    let mut volumes = gift.volumes.iter();
    volumes.all(|volume| contains(bindings, volume))
}

pub(super) fn contains(names: &Value, name: &str) -> bool {
    list(names).any(|other| *other == name)
}

pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
