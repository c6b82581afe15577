//! How often everything the scheduler can decide was met in reality, so that a run in which
//! nothing much happened is not taken for agreement.

use std::collections::BTreeMap;
use std::fmt;

use super::compare::{Comparison, contains, list};
use super::deed::Deed;
use crate::sample;

/// How often a full run has to meet everything; a sample is too small for that.
const ENOUGH: usize = 5;

/// What the scheduler says of nodes. That a bound claim's volume is gone is not among it: the
/// controller sees that first, and the claim is lost.
const REASONS: &[&str] = &[
    "node(s) didn't find available persistent volumes to bind",
    "node(s) didn't match PersistentVolume's node affinity",
    "node(s) did not have enough free storage",
    "node(s) had no available volume zone",
    "node(s) exceed max volume count",
    "node(s) had no available disk",
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already \
     in-use by another pod",
    "node(s) were unschedulable",
    "node(s) had untolerated taint(s)",
    "node(s) didn't match Pod's node affinity/selector",
    "No preemption victims found for incoming pod",
    "node(s) didn't satisfy plugin(s) [NodeAffinity]",
    "Preemption is not helpful for scheduling",
];

/// What it says without looking at nodes.
const REFUSALS: &[&str] = &[
    "pod has unbound immediate PersistentVolumeClaims",
    "persistentvolumeclaim \"…\" not found",
    "persistentvolumeclaim \"…\" is being deleted",
    "persistentvolumeclaim \"…\" bound to non-existent persistentvolume \"…\"",
    "waiting for ephemeral volume controller to create the persistentvolumeclaim \"…\"",
    "PVC … was not created for pod … (pod is not owner)",
];

const DEEDS: &[&str] = &[
    "refused",
    "placed",
    "left alone",
    "several reasons",
    "a volume that was the only one",
    "a volume among several",
    "a volume to be made",
    "several claims at once",
    "several open nodes",
    "came too late",
    "came in time",
    "landed",
    "refused again in the end",
];

/// What a full run has to have met, each often enough.
const WANTED: &[(&str, &[&str])] = &[("reason", REASONS), ("refusal", REFUSALS), ("deed", DEEDS)];

/// Counts of everything met, by what it is and how it is called.
#[derive(Default)]
pub(super) struct Tally {
    pods: usize,
    counts: BTreeMap<(&'static str, String), usize>,
}

impl Tally {
    pub(super) fn pods(&self) -> usize {
        self.pods
    }

    /// Counts one pod under test after the scheduler's first turn.
    pub(super) fn add(&mut self, theme: &'static str, comparison: &Comparison) {
        self.pods += 1;
        self.count("theme", theme);
        let verdict = comparison.predicted["verdict"].as_str();
        self.count("verdict", verdict.unwrap_or("(none)"));
        if comparison.is_left_alone() {
            self.count("deed", "left alone");
            return;
        }
        if comparison.is_left_to_chance() {
            self.count("deed", "left to chance");
        }
        if !comparison.turn.conflicts().is_empty() {
            self.count("deed", "had a conflict");
        }
        match comparison.turn.deed() {
            Deed::Refused(message) => {
                self.count("deed", "refused");
                self.add_words(&message);
            }
            Deed::Placed | Deed::Nothing => self.add_place(comparison),
        }
    }

    fn add_place(&mut self, comparison: &Comparison) {
        self.count("deed", "placed");
        if comparison.open_nodes().nth(1).is_some() {
            self.count("deed", "several open nodes");
        }
        if comparison.turn.gifts().len() > 1 {
            self.count("deed", "several claims at once");
        }
        let Some(place) = comparison.places().next() else {
            return;
        };
        for (claim, gift) in comparison.turn.gifts() {
            let choice = list(&place["bindings"][&claim]).count();
            if contains(&place["provisions"], &claim) {
                self.count("deed", "a volume to be made");
            } else if choice > 1 {
                self.count("deed", "a volume among several");
            } else if !gift.volumes.is_empty() {
                self.count("deed", "a volume that was the only one");
            }
        }
    }

    /// Counts a pod that was judged a second time.
    pub(super) fn add_again(&mut self, comparison: &Comparison) {
        if let Deed::Refused(_) = comparison.turn.deed() {
            self.count("deed", "refused again in the end");
        }
    }

    pub(super) fn add_landing(&mut self) {
        self.count("deed", "landed");
    }

    /// Counts a pod that competed with others, by what we said before anybody had gone.
    pub(super) fn add_competitor(&mut self, comparison: &Comparison) {
        let could = comparison.open_nodes().next().is_some();
        let count = match comparison.turn.deed() {
            Deed::Refused(_) if could => "came too late",
            Deed::Refused(_) => return,
            _ if comparison.places().next().is_none() => "got something else than if first",
            _ => "came in time",
        };
        self.count("deed", count);
    }

    /// Takes `0/3 nodes are available: 1 this, 2 that. And so on: 3 something else.` apart.
    fn add_words(&mut self, message: &str) {
        let Some((_, words)) = message.split_once(" nodes are available: ") else {
            self.count("refusal", message);
            return;
        };
        if let Some(refusal) = words.strip_suffix(". not found") {
            self.count("refusal", &without_names(refusal));
            return;
        }
        let (reasons, tail) = words.split_once(". ").unwrap_or((words, ""));
        if reasons.contains(", ") {
            self.count("deed", "several reasons");
        }
        let tail = tail.split_once(" nodes are available: ");
        let on_preemption = tail
            .into_iter()
            .flat_map(|(_, reasons)| reasons.split(", "));
        for reason in reasons.split(", ").chain(on_preemption) {
            let (_, reason) = reason.split_once(' ').unwrap_or(("", reason));
            self.count("reason", reason.trim_end_matches('.'));
        }
    }

    fn count(&mut self, what: &'static str, name: &str) {
        *self.counts.entry((what, name.to_owned())).or_default() += 1;
    }

    /// What a full run should have met and has not met often enough.
    pub(super) fn missing(&self) -> Vec<String> {
        let met = |key: &(&'static str, String)| self.counts.get(key).copied().unwrap_or_default();
        let wanted = WANTED.iter().flat_map(|(what, names)| {
            let keys = names.iter().map(|name| (*what, (*name).to_owned()));
            keys.map(|key| (met(&key), key))
        });
        let too_few = wanted.filter(|(count, _)| *count < sample::rounds(ENOUGH, 0));
        too_few
            .map(|(count, (what, name))| format!("{what} {name}: {count}"))
            .collect()
    }
}

/// Names in quotes, and those of a pod and its claim, are left out.
fn without_names(refusal: &str) -> String {
    if refusal.starts_with("PVC ") {
        return "PVC … was not created for pod … (pod is not owner)".to_owned();
    }
    let parts = refusal.split('"').enumerate();
    let parts = parts.map(|(index, part)| if index % 2 == 1 { "…" } else { part });
    parts.collect::<Vec<_>>().join("\"")
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:6}  pods", self.pods)?;
        for ((what, name), count) in &self.counts {
            writeln!(f, "{count:6}  {what} {name}")?;
        }
        Ok(())
    }
}
