//! Prediction against reality, pod by pod: whether it was refused, with which words, and where it
//! went with which volumes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::claims::HOST_PATH;
use super::deed::{Deed, Gift, Turn};
use super::snapshot::Snapshot;

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
            Deed::Refused(message) if !self.stumbled(&message) => {
                &["Unschedulable", "Waiting", "Unknown"]
            }
            _ => &["Schedulable"],
        }
    }

    fn is_left_to_chance(&self) -> bool {
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
            Deed::Refused(message) if self.stumbled(message) => self.places().next().is_some(),
            Deed::Refused(message) => {
                let said = self.turn.after.refusals(self.turn.pod);
                self.words().contains(message.as_str()) && said.contains(&message.as_str())
            }
            Deed::Placed | Deed::Nothing => self.places().next().is_some(),
        }
    }

    /// A claim that is used twice and has to be provisioned is written twice by the scheduler, the
    /// second time in vain; it tries again a little later, and that goes well.
    fn stumbled(&self, message: &str) -> bool {
        let names = self.turn.claim_names();
        let twice = |name: &&String| names.iter().filter(|other| other == name).count() > 1;
        names.iter().filter(twice).any(|name| {
            message.starts_with(&format!(
                "running PreBind plugin \"VolumeBinding\": Operation cannot be fulfilled on \
                 persistentvolumeclaims \"{name}\": the object has been modified"
            ))
        })
    }

    /// What was said is what we said, in the events as well as in the pod's condition.
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

    /// Once the controller has finished what the scheduler had begun: is the pod where its volumes
    /// are, and has it got them?
    pub(super) fn landing(&self, finished: &Snapshot) -> Vec<String> {
        let is_under_way = !self.is_left_alone() && !matches!(self.turn.deed(), Deed::Refused(_));
        if !is_under_way || self.predicted.is_null() || self.is_up_to_the_controller() {
            return Vec::new();
        }
        let later = Turn {
            after: finished,
            ..self.turn
        };
        let node = later.node();
        if node.is_empty() {
            let waits = self.waits_for_a_provisioner();
            return if waits {
                Vec::new()
            } else {
                vec![format!(
                    "never landed, with {:#?}, {}",
                    later.gifts(),
                    later.condition()
                )]
            };
        }
        let mut places = self.places().filter(|place| place["name"] == node);
        let Some(place) = places.next() else {
            return vec![format!("landed on {node}")];
        };
        let gifts = self.turn.gifts();
        let gifts = gifts.iter();
        let wrong =
            gifts.filter_map(|(claim, gift)| self.wrong_volume(finished, place, claim, gift));
        wrong.collect()
    }

    fn wrong_volume(
        &self,
        finished: &Snapshot,
        place: &Value,
        name: &str,
        gift: &Gift,
    ) -> Option<String> {
        let claim = finished.claim(&self.turn.pod["metadata"]["namespace"], name);
        let volume = claim.map_or("", |claim| text(&claim["spec"]["volumeName"]));
        let existed = |other: &Value| other["metadata"]["name"] == volume;
        let right = if gift.volumes.is_empty() {
            let is_new = !self.turn.before.volumes.iter().any(existed);
            is_new && !volume.is_empty() && contains(&place["provisions"], name)
        } else {
            gift.volumes.contains(volume)
        };
        (!right).then(|| format!("claim {name} has got `{volume}`, after {gift:?}"))
    }

    /// Claims for which the controller has plans of its own as soon as it is back: those with
    /// reserved volumes, and those that were used twice and got two.
    fn is_up_to_the_controller(&self) -> bool {
        let names = self.turn.claim_names();
        let distinct: BTreeSet<&String> = names.iter().collect();
        let reserved = |name: &&String| {
            let claim = self.turn.claim(name);
            claim.is_some_and(|claim| self.turn.before.is_reserved_for(claim))
                && self.turn.gifts().contains_key(*name)
        };
        distinct.len() < names.len() || names.iter().any(|name| reserved(&name))
    }

    /// Nobody runs the provisioners outside the controller.
    fn waits_for_a_provisioner(&self) -> bool {
        let gifts = self.turn.gifts();
        let mut gifts = gifts.iter();
        gifts.any(|(name, gift)| {
            // Its class may have been given to it by the controller.
            let after = self.turn.after;
            let claim = after.claim(&self.turn.pod["metadata"]["namespace"], name);
            let class = claim.and_then(|claim| after.class(claim));
            gift.volumes.is_empty() && class.is_some_and(|class| class["provisioner"] != HOST_PATH)
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

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
