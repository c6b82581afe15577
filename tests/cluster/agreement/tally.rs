//! How often everything the controller can decide was met, so that a run in which nothing much
//! happened is not taken for agreement.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use super::oracle::{Outcomes, Tie};
use crate::sample;

/// How often a full run has to meet everything; a sample is too small for that.
const ENOUGH: usize = 5;

/// `NotAvailable` is not among them: a volume without a claimRef is made Available by the
/// controller whatever it was (R31), so in a cluster at rest no claim ever fails for it.
const VOLUME_CODES: &[&str] = &[
    "ReservedForOtherClaim",
    "ReservedForDeletedClaim",
    "TooSmall",
    "VolumeModeMismatch",
    "AttributesClassMismatch",
    "BeingDeleted",
    "SelectorMismatch",
    "ClassMismatch",
    "AccessModesMissing",
    "WaitsForScheduler",
    "LargerThanChosen",
    "MoreModesThanChosen",
    "ReservedVolumePreferred",
];

const VOLUME_RESULTS: &[&str] = &["Chosen", "Possible", "Fits", "Rejected"];

const VERDICTS: &[&str] = &[
    "Bound",
    "WillBind",
    "WillProvision",
    "Waiting",
    "Blocked",
    "Lost",
    "Unknown",
];

const TIES: &[(Tie, &str)] = &[
    (Tie::Sizes, "N1 equal sizes"),
    (Tie::Groups, "N2 equal numbers of modes"),
    (Tie::Reservations, "N3 several reservations"),
];

/// Counts of everything met, by what it is and how it is called.
pub(super) struct Tally {
    claims: usize,
    counts: BTreeMap<(&'static str, String), usize>,
}

impl Tally {
    pub(super) fn new() -> Self {
        let mut counts = BTreeMap::new();
        let ties: Vec<&str> = TIES.iter().map(|(_, name)| *name).collect();
        for (what, names) in [
            ("volume code", VOLUME_CODES),
            ("volume result", VOLUME_RESULTS),
            ("verdict", VERDICTS),
            ("tie", &ties),
        ] {
            for name in names {
                counts.insert((what, (*name).to_owned()), 0);
            }
        }
        Self { claims: 0, counts }
    }

    /// Counts one claim under test; of its volumes only those of its own case.
    pub(super) fn add(&mut self, case: &str, predicted: &Value, oracle: &Outcomes) {
        self.claims += 1;
        self.count("verdict", &predicted["verdict"]);
        for cause in list(&predicted["causes"]) {
            self.count("cause", &cause["code"]);
        }
        for event in list(&predicted["kubernetesSays"]) {
            self.count("event", &event["reason"]);
        }
        let own = format!("{case}-v");
        for volume in list(&predicted["volumes"]) {
            if volume["name"]
                .as_str()
                .is_some_and(|name| name.starts_with(&own))
            {
                self.count("volume result", &volume["result"]);
                for reason in list(&volume["reasons"]) {
                    self.count("volume code", &reason["code"]);
                }
            }
        }
        for (tie, name) in TIES {
            if oracle.ties.contains(tie) {
                self.count("tie", &Value::from(*name));
            }
        }
    }

    fn count(&mut self, what: &'static str, name: &Value) {
        let name = name.as_str().unwrap_or("(none)").to_owned();
        *self.counts.entry((what, name)).or_default() += 1;
    }

    /// What a full run should have met and has not met often enough.
    pub(super) fn missing(&self) -> Vec<String> {
        let ties: Vec<&str> = TIES.iter().map(|(_, name)| *name).collect();
        let required = |what: &str, name: &str| match what {
            "volume code" => VOLUME_CODES.contains(&name),
            "volume result" => VOLUME_RESULTS.contains(&name),
            "verdict" => VERDICTS.contains(&name),
            "tie" => ties.contains(&name),
            _ => false,
        };
        let too_few = self.counts.iter().filter(|((what, name), count)| {
            required(what, name) && **count < sample::rounds(ENOUGH, 0)
        });
        too_few
            .map(|((what, name), count)| format!("{what} {name}: {count}"))
            .collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:6}  claims", self.claims)?;
        for ((what, name), count) in &self.counts {
            writeln!(f, "{count:6}  {what} {name}")?;
        }
        Ok(())
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
