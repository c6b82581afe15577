//! Prediction against reality, claim by claim: what became of it, and what was said about it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::oracle::Outcomes;
use super::searching::SELECTED_NODE;

/// One claim from all sides.
pub(super) struct Comparison<'a> {
    /// What `kubectl-pv explain` said.
    pub(super) predicted: &'a Value,
    /// What the oracle says.
    pub(super) oracle: &'a Outcomes,
    pub(super) before: &'a Value,
    pub(super) volumes_before: &'a [Value],
    /// The claim once the controller had nothing left to do.
    pub(super) after: &'a Value,
    /// What the controller said about it since.
    pub(super) events: Vec<&'a Value>,
    /// What `kubectl-pv explain` said then.
    pub(super) explained: &'a Value,
}

/// Type, reason and message.
type Event = (String, String, String);

impl Comparison<'_> {
    /// Every respect in which somebody is wrong.
    pub(super) fn disagreements(&self) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(self.oracle_against_reality());
        if self.predicted.is_null() {
            found.push("kubectl-pv does not know the claim".to_owned());
            return found;
        }
        found.extend(self.engine_against_oracle());
        found.extend(self.verdict_against_reality());
        found.extend(self.events_against_reality());
        found.extend(self.second_look());
        found
    }

    fn oracle_against_reality(&self) -> Option<String> {
        let (phase, volume) = (self.phase_after(), self.volume_after());
        let agrees = if phase == "Bound" && !self.is_newly_provisioned() {
            self.oracle.volumes.contains(volume)
        } else {
            self.oracle.volumes.is_empty()
        };
        (!agrees).then(|| format!("oracle {:?}, really {phase} {volume}", self.oracle.volumes))
    }

    fn engine_against_oracle(&self) -> Option<String> {
        // What the scheduler will choose is not the oracle's business.
        if self.is_up_to_the_scheduler() {
            return None;
        }
        let outcomes = outcomes(self.predicted);
        let expected = self.oracle.volumes.iter().map(String::as_str).collect();
        (outcomes != expected).then(|| format!("outcomes {outcomes:?}, by the oracle {expected:?}"))
    }

    fn verdict_against_reality(&self) -> Option<String> {
        let verdict = text(&self.predicted["verdict"]);
        let (phase, volume) = (self.phase_after(), self.volume_after());
        let waits = phase == "Pending" && volume == text(&self.before["spec"]["volumeName"]);
        let agrees = match verdict {
            // No scheduler runs here: until it does, the claim waits.
            _ if self.is_up_to_the_scheduler() => waits,
            "WillBind" | "Bound" => phase == "Bound" && outcomes(self.predicted).contains(volume),
            "WillProvision" if self.predicted["provisioning"]["by"] == "Internal" => {
                phase == "Bound" && self.is_newly_provisioned()
            }
            // Nobody runs the provisioners outside the controller.
            "WillProvision" | "Waiting" | "Blocked" | "Unknown" => waits,
            "Lost" => phase == "Lost",
            _ => false,
        };
        (!agrees).then(|| format!("verdict {verdict}, really {phase} {volume}"))
    }

    /// Everything we say is said, and nothing else is.
    fn events_against_reality(&self) -> Vec<String> {
        let predicted = events(&self.predicted["kubernetesSays"]);
        let real: BTreeSet<Event> = self.events.iter().map(|event| event_of(event)).collect();
        let missing = predicted.difference(&real);
        let missing = missing.filter(|event| !self.is_said_by_chance(event));
        let surprising = real.difference(&predicted);
        let surprising = surprising
            .filter(|event| !self.is_said_by_chance(event) && !self.is_said_too_early(event))
            .filter(|event| !self.is_said_after_a_failure(event));
        let missing = missing.map(|event| format!("never said: {event:?}"));
        let surprising = surprising.map(|event| format!("not predicted: {event:?}"));
        missing.chain(surprising).collect()
    }

    /// R74: what the controller says about a volume that is reserved for the claim and of the wrong
    /// mode, it says when it looks at the volume, if the claim has no other volume by then. Claims
    /// and volumes are looked at side by side, so for a claim that finds another it may be too late.
    fn is_said_by_chance(&self, (_, reason, message): &Event) -> bool {
        let of_a_reserved_volume = message.starts_with("Cannot bind PersistentVolume ");
        reason == "VolumeMismatch" && of_a_reserved_volume && self.phase_after() == "Bound"
    }

    /// R76b: a volume that the controller itself has to free first is usually not free yet when it
    /// looks at the claim for the first time, and it says so.
    fn is_said_too_early(&self, (_, reason, _): &Event) -> bool {
        let got = |volume: &&Value| volume["metadata"]["name"] == self.after["spec"]["volumeName"];
        let freed = self.volumes_before.iter().find(got).is_some_and(|volume| {
            let holder = &volume["spec"]["claimRef"]["uid"];
            !holder.is_null() && *holder != self.before["metadata"]["uid"]
        });
        freed
            && self.phase_after() == "Bound"
            && ["FailedBinding", "ProvisioningFailed"].contains(&reason.as_str())
    }

    /// R96: a provisioner inside the controller that fails takes the node away which the scheduler
    /// had selected. After that the claim is another one: it waits for a pod again, and that is said.
    fn is_said_after_a_failure(&self, (_, reason, _): &Event) -> bool {
        self.has_lost_its_node() && reason.starts_with("WaitFor")
    }

    fn has_lost_its_node(&self) -> bool {
        let node = |claim: &Value| !claim["metadata"]["annotations"][SELECTED_NODE].is_null();
        node(self.before) && !node(self.after)
    }

    /// Once everything has happened, we see it, and what we say of those who wait stays the same.
    fn second_look(&self) -> Option<String> {
        let verdict = text(&self.explained["verdict"]);
        let consistent = match self.phase_after() {
            "Bound" => {
                verdict == "Bound"
                    && outcomes(self.explained) == BTreeSet::from([self.volume_after()])
            }
            "Lost" => verdict == "Lost" && outcomes(self.explained).is_empty(),
            _ if self.has_lost_its_node() => true,
            _ => {
                let mut said = events(&self.predicted["kubernetesSays"]);
                // Said once, although the volume may turn out not to fit (R98); the rest is repeated.
                said.retain(|(_, reason, _)| reason != "ProvisioningSucceeded");
                said == events(&self.explained["kubernetesSays"])
                    && ["verdict", "outcomes"]
                        .iter()
                        .all(|key| self.explained[key] == self.predicted[key])
            }
        };
        let says = &self.explained["kubernetesSays"];
        (!consistent).then(|| {
            format!(
                "afterwards explained as {verdict} {:?} {says}",
                outcomes(self.explained)
            )
        })
    }

    /// The claim's prediction and events, for whoever has to understand a disagreement; of the
    /// volumes only those of its own case.
    pub(super) fn show(&self, case: &str) -> String {
        let mut predicted = self.predicted.clone();
        let own = |volume: &Value| text(&volume["name"]).starts_with(&format!("{case}-"));
        if let Some(volumes) = predicted["volumes"].as_array_mut() {
            volumes.retain(own);
        }
        let events: Vec<Event> = self.events.iter().map(|event| event_of(event)).collect();
        format!("predicted:\n  {predicted}\nevents:\n  {events:?}\n")
    }

    fn is_up_to_the_scheduler(&self) -> bool {
        // Whether it is then bound or has a volume made: the nodes were judged for a pod that waits, and the controller
        // waits with it.
        let list = |field: &str| self.predicted[field].as_array().into_iter().flatten();
        let waits = |says: &Value| says["reason"] == "WaitForPodScheduled";
        let judged = list("nodes").next().is_some();
        self.predicted["path"] == "Scheduler" || judged && list("kubernetesSays").any(waits)
    }

    fn is_newly_provisioned(&self) -> bool {
        let volume = self.volume_after();
        let existed = |other: &Value| other["metadata"]["name"] == volume;
        volume == format!("pvc-{}", text(&self.after["metadata"]["uid"]))
            && !self.volumes_before.iter().any(existed)
    }

    fn phase_after(&self) -> &str {
        text(&self.after["status"]["phase"])
    }

    fn volume_after(&self) -> &str {
        text(&self.after["spec"]["volumeName"])
    }
}

fn outcomes(explanation: &Value) -> BTreeSet<&str> {
    let outcomes = explanation["outcomes"].as_array().into_iter().flatten();
    outcomes.map(text).collect()
}

fn events(list: &Value) -> BTreeSet<Event> {
    list.as_array()
        .into_iter()
        .flatten()
        .map(event_of)
        .collect()
}

/// Several pods are named in no particular order (N9).
fn event_of(event: &Value) -> Event {
    let mut message = text(&event["message"]).to_owned();
    let pods = message.strip_prefix("waiting for pods ");
    if let Some(pods) = pods.and_then(|rest| rest.strip_suffix(" to be scheduled")) {
        let mut names: Vec<&str> = pods.split(',').collect();
        names.sort_unstable();
        message = format!("waiting for pods {} to be scheduled", names.join(","));
    }
    let part = |key: &str| text(&event[key]).to_owned();
    (part("type"), part("reason"), message)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
