//! What can be wanted for a volume, how `reclaim` is told, and whether it has come true. And what may be left behind by none.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::trial::{OUR_LOCK, OUR_MARK, Trial};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Delete,
    Recycle,
    Reuse,
    /// `--reuse --for`.
    KeepFor,
    /// `--set-policy Retain`.
    Retain,
}

impl Wish {
    pub(super) const ALL: [Self; 5] = [
        Self::Delete,
        Self::Recycle,
        Self::Reuse,
        Self::KeepFor,
        Self::Retain,
    ];

    /// The policy of its volume at the beginning.
    pub(super) fn policy(self) -> &'static str {
        match self {
            Self::Delete | Self::Retain => "Delete",
            Self::Recycle => "Recycle",
            Self::Reuse | Self::KeepFor => "Retain",
        }
    }

    /// Everything of the place that is released; a volume can be kept for a claim only by name.
    pub(super) fn arguments(self, trial: &Trial) -> Vec<String> {
        let place = &trial.place.name;
        let mut words = match self {
            Self::KeepFor => vec![format!("{place}-v")],
            Self::Retain => vec!["--class".to_owned(), place.clone()],
            _ => ["--all-released", "--class", place]
                .map(str::to_owned)
                .to_vec(),
        };
        match self {
            Self::Delete | Self::Recycle => {}
            Self::Reuse => words.push("--reuse".to_owned()),
            Self::KeepFor => {
                words.extend(["--reuse", "--for"].map(str::to_owned));
                words.push(format!("{place}/next"));
            }
            Self::Retain => words.extend(["--set-policy", "Retain"].map(str::to_owned)),
        }
        words
    }

    /// Why it has not come true for a volume.
    pub(super) fn unmet(self, trial: &Trial, name: &str) -> Vec<String> {
        let volume = trial.find(name);
        let found = volume.clone().unwrap_or_default();
        let (spec, status) = (&found["spec"], &found["status"]);
        let is_going = volume.is_none() || is_going(&found);
        let mut wrong = Vec::new();
        let mut expect = |is_so: bool, what: &str| {
            if !is_so {
                wrong.push(format!("{self:?}: not {what}: {found}"));
            }
        };
        match self {
            Self::Delete => {
                expect(is_going, "going or gone");
                expect(!trial.asset(name).exists(), "without its asset");
                return wrong;
            }
            Self::Recycle => {
                let left = fs::read_dir(trial.asset(name)).map(Iterator::count);
                expect(left.is_ok_and(|left| left == 0), "empty");
                expect(
                    spec["persistentVolumeReclaimPolicy"] == "Recycle",
                    "Recycle",
                );
            }
            _ => {
                expect(trial.has_data(name), "with its data");
                expect(spec["persistentVolumeReclaimPolicy"] == "Retain", "Retain");
            }
        }
        expect(!is_going, "staying");
        match self {
            Self::Retain => expect(status["phase"] == "Released", "Released"),
            Self::KeepFor => {
                let owner = &spec["claimRef"];
                let is_kept = owner["name"] == "next" && owner["uid"].is_null();
                expect(is_kept, "kept for the next");
                expect(status["phase"] == "Available", "Available");
            }
            _ => {
                expect(spec["claimRef"].is_null(), "free");
                expect(status["phase"] == "Available", "Available");
            }
        }
        wrong
    }
}

/// Deleted but for a finalizer of the cluster's, which its controller takes away when there is one.
pub(super) fn is_going(volume: &Value) -> bool {
    volume["metadata"]["deletionTimestamp"].is_string()
}

/// Whether our lock keeps it from going, or our mark from being what it was.
fn is_held_by_us(volume: &Value) -> bool {
    let metadata = &volume["metadata"];
    let finalizers = metadata["finalizers"].as_array();
    let is_locked = finalizers.is_some_and(|held| held.contains(&json!(OUR_LOCK)));
    is_locked || (!is_going(volume) && metadata["annotations"][OUR_MARK].is_string())
}

/// What nobody may find after the last run, whatever happened: our locks, assets and volumes without each other, records of
/// nothing, and somebody else's files changed.
pub(super) fn leftovers(trial: &Trial) -> Vec<String> {
    let volumes = trial.volumes();
    let mut found = Vec::new();
    for volume in volumes.iter().filter(|volume| is_held_by_us(volume)) {
        found.push(format!("our lock is left: {volume}"));
    }
    let staying = volumes.iter().filter(|volume| !is_going(volume));
    let staying: BTreeSet<String> = staying.map(asset_of).collect();
    let assets: BTreeSet<String> = trial.yard.assets().into_iter().collect();
    let records: BTreeSet<String> = trial.yard.records().into_iter().collect();
    let mut missing = |of: &BTreeSet<String>, among: &BTreeSet<String>, what: &str| {
        found.extend(of.difference(among).map(|name| format!("{name}: {what}")));
    };
    missing(&staying, &assets, "a volume without an asset");
    missing(&assets, &staying, "an asset without a volume");
    missing(&records, &assets, "a record of no asset");
    let outside = trial.yard.outside();
    if outside.len() != 1 || !outside.values().any(|what| what.ends_with(": untouched")) {
        found.push(format!("the neighbour was touched: {outside:?}"));
    }
    found
}

/// The last part of the path a volume points to.
fn asset_of(volume: &Value) -> String {
    let spec = &volume["spec"];
    let path = spec["hostPath"]["path"]
        .as_str()
        .or(spec["nfs"]["path"].as_str());
    let name = path.and_then(|path| path.rsplit('/').next());
    name.unwrap_or("<no path>").to_owned()
}
