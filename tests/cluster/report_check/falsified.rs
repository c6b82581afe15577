//! The check itself: a true report of a real run passes, and each of its falsifications is rejected with a message that names the
//! row, or the object where the row is missing.

use serde_json::{Value, json};

use super::report::Report;
use super::{Reading, Site, wrongs};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_reclaim::trial::Trial;

/// A true report, and what was read before and after the run.
struct Told {
    outcome: Value,
    before: Reading,
    after: Reading,
    place: String,
}

impl Told {
    /// One volume is deleted, one is scrubbed, and one of policy Retain is skipped.
    fn by_reclaim(trial: &Trial, kubeconfig: &str) -> Self {
        for (name, policy) in [("a", "Delete"), ("b", "Recycle"), ("c", "Retain")] {
            let volume = trial.released(name, policy);
            // No controller is there that would remove its finalizer.
            let change = json!({ "metadata": { "finalizers": null } });
            trial.api.patch(&volume, &change);
        }
        let site = Site::new(trial.api, &trial.place.name, &[trial.yard.base()]);
        let before = site.read();
        let arguments = ["--all-released", "--class", &trial.place.name].map(str::to_owned);
        let run = trial.reclaim(kubeconfig, &arguments);
        let ended: Ended = Subject::start(run.command()).wait();
        assert_eq!(ended.status, Some(0), "{ended:?}");
        Self {
            outcome: serde_json::from_str(&ended.stdout).expect("an Outcome"),
            before,
            after: site.read(),
            place: trial.place.name.clone(),
        }
    }

    fn found(&self, outcome: Value, status: i32, stderr: &str) -> Vec<String> {
        let report = Report::of_outcome(outcome, stderr, Some(status));
        wrongs(&self.before, &self.after, &[report], &[])
    }

    /// The index of the first row with this action about this volume.
    fn row(&self, action: &str, volume: &str) -> usize {
        let name = format!("{}-{volume}", self.place);
        let rows = self.outcome["changes"].as_array().expect("a list");
        let is_it = |row: &Value| row["action"] == action && row["target"]["name"] == *name;
        let found = rows.iter().position(is_it);
        found.unwrap_or_else(|| panic!("{action} {name}: {}", self.outcome))
    }
}

/// A falsified report: what is changed, the exit status, the text, and what the check must say.
struct Falsified {
    what: &'static str,
    outcome: Value,
    status: i32,
    stderr: String,
    said: String,
}

impl Falsified {
    fn new(what: &'static str, told: &Told, said: &str, change: impl FnOnce(&mut Value)) -> Self {
        let mut outcome = told.outcome.clone();
        change(&mut outcome);
        Self {
            what,
            outcome,
            status: 0,
            stderr: String::new(),
            said: said.to_owned(),
        }
    }

    fn with_status(mut self, status: i32) -> Self {
        self.status = status;
        self
    }
}

fn remove_row(outcome: &mut Value, index: usize) {
    let rows = outcome["changes"].as_array_mut().expect("a list");
    rows.remove(index);
    // What followed the row stands for itself now.
    for row in rows {
        row["after"] = Value::Null;
    }
}

/// Adds a copy of a row, about another volume, and answers its index.
fn add_row(outcome: &mut Value, index: usize, from: &str, to: &str, uid: &Value) -> usize {
    let rows = outcome["changes"].as_array_mut().expect("a list");
    let text = rows[index].to_string().replace(from, to);
    let mut row: Value = serde_json::from_str(&text).expect("a row");
    if row["target"]["uid"].is_string() {
        row["target"]["uid"] = uid.clone();
    }
    row["after"] = Value::Null;
    rows.push(row);
    rows.len() - 1
}

/// Rows that say more than what happened.
fn invented(told: &Told) -> Vec<Falsified> {
    let place = &told.place;
    let kept = &told.outcome["skipped"][0]["target"]["uid"];
    let names = |from: &str| (format!("{place}-{from}"), format!("{place}-c"));
    let count = told.outcome["changes"].as_array().map_or(0, Vec::len);
    let (deleted, asset) = (told.row("Delete", "a"), told.row("DeleteAsset", "a"));
    let (scrubbed, patched) = (told.row("ScrubAsset", "b"), told.row("Patch", "b"));
    let last = told.outcome["changes"].as_array().expect("a list");
    let unlocked = last.iter().rposition(|row| {
        row["target"]["name"] == *format!("{place}-b") && row["body"]["spec"].is_object()
    });
    let unlocked = unlocked.expect("the row that restores the policy");
    vec![
        Falsified::new(
            "a deletion that did not happen",
            told,
            &format!("row {count} (Delete PersistentVolume {place}-c, Done): "),
            |outcome| {
                let (from, to) = names("a");
                outcome["skipped"] = json!([]);
                add_row(outcome, deleted, &from, &to, kept);
            },
        ),
        Falsified::new(
            "AlreadyDone for a directory that still exists",
            told,
            &format!("row {count} (DeleteAsset Asset {place}-c, AlreadyDone): "),
            |outcome| {
                let (from, to) = names("a");
                outcome["skipped"] = json!([]);
                let added = add_row(outcome, asset, &from, &to, kept);
                outcome["changes"][added]["result"] = json!("AlreadyDone");
            },
        ),
        Falsified::new(
            "a scrubbed directory that holds data",
            told,
            &format!("row {count} (ScrubAsset Asset {place}-c, Done): "),
            |outcome| {
                let (from, to) = names("b");
                add_row(outcome, scrubbed, &from, &to, kept);
            },
        ),
        Falsified::new(
            "a patch that was not sent",
            told,
            &format!("row {count} (Patch PersistentVolume {place}-c, Done): "),
            |outcome| {
                let (from, to) = names("b");
                add_row(outcome, unlocked, &from, &to, kept);
            },
        ),
        Falsified::new(
            "another value than was written",
            told,
            "persistentVolumeReclaimPolicy of PersistentVolume",
            |outcome| {
                let row = &mut outcome["changes"][unlocked];
                row["body"]["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete");
            },
        ),
        Falsified::new(
            "a created object that does not exist",
            told,
            &format!("row {patched} (Create PersistentVolume {place}-d, Done): "),
            |outcome| {
                let row = &mut outcome["changes"][patched];
                row["action"] = json!("Create");
                row["target"]["name"] = json!(format!("{place}-d"));
            },
        ),
    ]
}

/// Rows that are missing, and objects that are listed where they do not belong.
fn concealed(told: &Told) -> Vec<Falsified> {
    let place = &told.place;
    let (scrubbed, deleted) = (told.row("ScrubAsset", "b"), told.row("Delete", "a"));
    vec![
        Falsified::new(
            "no row about the scrubbed directory",
            told,
            &format!("{place}-b was changed, and no row says so"),
            |outcome| remove_row(outcome, scrubbed),
        ),
        Falsified::new(
            "no rows about the deleted object",
            told,
            &format!("PersistentVolume {place}-a was deleted, and no row says so"),
            |outcome| {
                let rows = outcome["changes"].as_array_mut().expect("a list");
                let name = format!("{place}-a");
                rows.retain(|row| {
                    row["target"]["kind"] == "Asset" || row["target"]["name"] != *name
                });
                for row in rows {
                    row["after"] = Value::Null;
                }
            },
        ),
        Falsified::new(
            "a deleted object among the skipped ones",
            told,
            &format!("skipped PersistentVolume {place}-a (HoldsData): row {deleted} (Delete"),
            |outcome| {
                let target = outcome["changes"][deleted]["target"].clone();
                let skipped = outcome["skipped"].as_array_mut().expect("a list");
                skipped.push(json!({ "target": target, "code": "HoldsData", "message": "" }));
            },
        ),
    ]
}

/// A status, a command or a count that does not follow from the rows.
fn inconsistent(told: &Told) -> Vec<Falsified> {
    let deleted = told.row("Delete", "a");
    let open = format!("row {deleted} (Delete PersistentVolume {}-a, ", told.place);
    let text = "pv-a: 2 of 2 changes done
  pv/pv-a: done
  pv/pv-a: failed: 409
";
    let miscounted = Falsified {
        stderr: text.to_owned(),
        ..Falsified::new("a wrong count", told, "of pv-a that 2 of 2", |_| {})
    };
    vec![
        Falsified::new(
            "a command that finishes what is finished",
            told,
            "finishWith is \"kubectl pv reclaim\", and no row is open",
            |outcome| outcome["finishWith"] = json!("kubectl pv reclaim"),
        ),
        Falsified::new(
            "no command that finishes what is open",
            told,
            &format!("finishWith is null, and {open}NotReached) is open"),
            |outcome| outcome["changes"][deleted]["result"] = json!("NotReached"),
        )
        .with_status(4),
        Falsified::new(
            "an exit status that no row explains",
            told,
            "exit status 4",
            |_| {},
        )
        .with_status(4),
        Falsified::new(
            "a failure without an error",
            told,
            &format!("{open}Failed) has no error"),
            |outcome| {
                outcome["changes"][deleted]["result"] = json!("Failed");
                outcome["finishWith"] = json!("kubectl pv reclaim");
            },
        )
        .with_status(4),
        Falsified::new(
            "a change that follows one that was not made",
            told,
            "follows row 0 (Patch ",
            |outcome| {
                let row = &mut outcome["changes"][0];
                (row["result"], row["error"]) = (json!("Failed"), json!("refused"));
                outcome["finishWith"] = json!("kubectl pv reclaim");
            },
        )
        .with_status(4),
        miscounted,
    ]
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn falsified_reports_are_rejected() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let trial = Trial::create(upstream.api(), "falsified", Kind::HostPath);
    let told = Told::by_reclaim(&trial, proxy.kubeconfig());
    assert_eq!(
        told.found(told.outcome.clone(), 0, ""),
        [""; 0],
        "the truth"
    );
    let mut all = invented(&told);
    all.extend(concealed(&told));
    all.extend(inconsistent(&told));
    println!("{} falsified reports", all.len());
    assert!(all.len() >= 10);
    for falsified in all {
        let Falsified {
            what, said, status, ..
        } = falsified;
        let found = told.found(falsified.outcome, status, &falsified.stderr);
        assert!(
            found.iter().any(|wrong| wrong.contains(&said)),
            "{what} is not rejected with {said:?}: {found:#?}"
        );
    }
    // Two runs that both report to have deleted one volume.
    let report = || Report::of_outcome(told.outcome.clone(), "", Some(0));
    let found = wrongs(&told.before, &told.after, &[report(), report()], &[]);
    let twice = format!(
        "two runs did the same: row {} (",
        told.row("DeleteAsset", "a")
    );
    assert!(
        found.iter().any(|wrong| wrong.starts_with(&twice)),
        "{found:#?}"
    );
    trial.clear();
}
