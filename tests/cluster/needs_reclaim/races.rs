//! `reclaim --all-released` while somebody else takes the same volumes for live claims and lets go of them, honouring versions and
//! locks as every client should: no volume that a live claim owns is deleted, emptied or unreserved, and what is locked keeps its
//! claimRef until we are done.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use serde_json::Value;

use super::scene::Scene;
use super::stage::{FINALIZER, MARK, on_a_plane, owner, reserve};
use crate::cluster::faults::api::Api;
use crate::cluster::report_check::OtherWrite;
use crate::sample;

const HELD: Duration = Duration::from_millis(25);

/// What came of the rounds.
#[derive(Debug, Default)]
struct Tally {
    rounds: usize,
    taken: usize,
    /// Reclaim was first.
    locked: usize,
    /// Somebody wrote in between.
    conflicts: usize,
    deleted: usize,
    emptied: usize,
}

/// Whether our lock is on it, or was and the object is going.
fn is_locked(volume: &Value) -> bool {
    let metadata = &volume["metadata"];
    metadata["deletionTimestamp"].is_string() || metadata["annotations"][MARK].is_string()
}

/// Takes the volume for the claim if nobody has locked it, and nobody wrote since we looked: at once, or by name first.
fn take(api: Api, volume: &Value, claim: &Value, by_name: bool, tally: &mut Tally) -> bool {
    let steps: &[bool] = if by_name { &[false, true] } else { &[true] };
    for by_uid in steps {
        // Whoever marks it Available is no rival.
        let is_done = (0..4).any(|_| {
            let found = api.find(volume).unwrap_or_default();
            !found.is_null() && !is_locked(&found) && reserve(api, &found, claim, *by_uid)
        });
        if !is_done {
            let is_lost = api.find(volume).is_none_or(|found| is_locked(&found));
            *(if is_lost {
                &mut tally.locked
            } else {
                &mut tally.conflicts
            }) += 1;
            return false;
        }
    }
    true
}

/// One volume after the other under the same policy: the next is made when the one before is gone.
struct Slot {
    policy: &'static str,
    name: String,
    made: usize,
    text: String,
}

impl Slot {
    /// The volume, made anew if it is gone; none while reclaim is at it.
    fn volume(&mut self, scene: &Scene<'_>, tally: &mut Tally) -> Option<Value> {
        let name = format!("{}-{}", self.name, self.made);
        let found = scene.find(&name).filter(|_| self.made > 0);
        if let Some(volume) = found {
            if volume["metadata"]["deletionTimestamp"].is_null() {
                return Some(volume);
            }
            let finalizers = volume["metadata"]["finalizers"].as_array();
            if finalizers.is_some_and(|all| all.iter().any(|it| it == FINALIZER)) {
                return None;
            }
            assert!(!scene.directory(&name).exists(), "the asset goes first");
            scene.api.delete(&scene.place.volume(&name, "1Gi"));
        }
        tally.deleted += usize::from(self.made > 0);
        self.made += 1;
        "data".clone_into(&mut self.text);
        Some(scene.released(&format!("{}-{}", self.name, self.made), self.policy))
    }

    fn file(&self, scene: &Scene<'_>) -> std::path::PathBuf {
        let name = format!("{}-{}", self.name, self.made);
        scene.directory(&name).join("file")
    }
}

fn round(
    scene: &Scene<'_>,
    slot: &mut Slot,
    round: usize,
    tally: &mut Tally,
) -> Result<(), String> {
    let api = scene.api;
    let Some(mut volume) = slot.volume(scene, tally) else {
        tally.locked += 1;
        return Ok(());
    };
    for (field, value) in [("apiVersion", "v1"), ("kind", "PersistentVolume")] {
        volume[field] = Value::from(value);
    }
    let claim = api.create(&scene.place.claim(&format!("live-{round}"), "1Gi"));
    // Before, while and after the other one decides.
    let pause = u64::try_from(round % 12).expect("a small number");
    sleep(Duration::from_millis(4 * pause));
    if take(api, &volume, &claim, round.is_multiple_of(5), tally) {
        tally.taken += 1;
        let file = slot.file(scene);
        let text = fs::read_to_string(&file).ok();
        tally.emptied += usize::from(text.is_none());
        if text.is_some_and(|text| text != slot.text) {
            return Err(format!("round {round}: not what the last owner wrote"));
        }
        // It is ours now, and whatever we write into it stays.
        slot.text = format!("of {round}");
        fs::write(&file, &slot.text).map_err(|error| format!("round {round}: {error}"))?;
        sleep(HELD);
        let text = fs::read_to_string(&file);
        let found = api.find(&volume).unwrap_or_default();
        let is_kept = text.is_ok_and(|text| text == slot.text)
            && !is_locked(&found)
            && *owner(&found) == claim["metadata"]["uid"];
        if !is_kept {
            return Err(format!("round {round}: it was {claim}'s: {found}"));
        }
    }
    api.delete(&claim);
    Ok(())
}

/// Looks at all volumes again and again: while one is locked, its claimRef stays, and names nobody who lives.
fn watch(scene: &Scene<'_>, is_over: &AtomicBool, seen: &AtomicUsize) -> Vec<String> {
    let mut problems = Vec::new();
    let mut before: Vec<Value> = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let mut volumes = scene.api.list("v1", "PersistentVolume", None);
        volumes.retain(|volume| volume["spec"]["storageClassName"] == scene.place.name.as_str());
        let locked = volumes.iter().filter(|volume| is_locked(volume));
        for volume in locked {
            seen.fetch_add(1, Ordering::Relaxed);
            let same = before.iter().find(|it| {
                it["metadata"]["uid"] == volume["metadata"]["uid"]
                    && is_locked(it)
                    && it["metadata"]["annotations"][MARK]
                        == volume["metadata"]["annotations"][MARK]
            });
            if same.is_some_and(|it| owner(it) != owner(volume)) {
                problems.push(volume.to_string());
            }
        }
        before = volumes;
        sleep(Duration::from_millis(5));
    }
    problems
}

/// What the other actors of a race write: live claims take volumes, use them and release them, a volume that is gone is followed
/// by the next one, and another run locks and unlocks.
fn rivals() -> Vec<OtherWrite> {
    let mut writes = OtherWrite::of_controller();
    writes.push(OtherWrite::any_asset());
    writes.push(OtherWrite::deletions("PersistentVolume"));
    let fields = [
        "/metadata/annotations/kubectl-pv.dev~1recycling",
        "/spec/persistentVolumeReclaimPolicy",
    ];
    writes.extend(fields.map(|field| OtherWrite::field_of_all("PersistentVolume", field)));
    writes
}

/// Blocks of rounds until everything has occurred that the race is to show.
fn race(
    what: &str,
    policies: &[&'static str],
    arguments: &[&str],
    runs: usize,
    is_shown: impl Fn(&Tally) -> bool,
) -> Tally {
    let block = sample::rounds(200, 24);
    let mut tally = Tally::default();
    on_a_plane(what, |scene, _, _| {
        let class = scene.place.name.clone();
        let mut all = vec!["--all-released", "--class", &class];
        all.extend(arguments);
        let (is_over, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
        let mut slots: Vec<Slot> = policies
            .iter()
            .enumerate()
            .map(|(number, policy)| Slot {
                policy,
                name: format!("v{number}"),
                made: 0,
                text: String::new(),
            })
            .collect();
        thread::scope(|scope| {
            for _ in 0..runs {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        let ran = scene.reclaim(&all);
                        let said = || format!("{}{}", ran.stdout, ran.stderr);
                        assert!([0, 4].contains(&ran.status), "{}", said());
                        let untrue = scene.site().false_statements(&ran, &rivals());
                        assert_eq!(untrue, [""; 0], "{}", said());
                    }
                });
            }
            let watching = scope.spawn(|| watch(scene, &is_over, &seen));
            let slots_at_hand = policies.len();
            let mut rounds = Ok(());
            for number in 0..sample::MOST_ROUNDS * block {
                if rounds.is_err() || number % block == 0 && number > 0 && is_shown(&tally) {
                    break;
                }
                let slot = &mut slots[number % slots_at_hand];
                rounds = round(scene, slot, number, &mut tally);
                tally.rounds += usize::from(rounds.is_ok());
            }
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(rounds, Ok(()));
            assert_eq!(watching.join().expect("it looks on"), [""; 0]);
        });
        println!("{what}: {tally:?}, locks seen {}", seen.into_inner());
    });
    tally
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_that_a_live_claim_owns_is_deleted_or_emptied() {
    let policies = ["Delete", "Recycle", "Delete", "Recycle"];
    let is_shown = |tally: &Tally| tally.taken > 0 && tally.deleted > 0 && tally.emptied > 0;
    let tally = race("race", &policies, &[], 1, is_shown);
    assert!(is_shown(&tally), "{tally:?}");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nor_by_two_at_once() {
    let is_shown = |tally: &Tally| tally.taken > 0 && tally.deleted > 0 && tally.emptied > 0;
    let tally = race("two", &["Delete", "Recycle", "Recycle"], &[], 2, is_shown);
    assert!(is_shown(&tally), "{tally:?}");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nor_unreserved() {
    let is_shown = |tally: &Tally| tally.taken > 0;
    let tally = race("reuse", &["Retain", "Retain"], &["--reuse"], 1, is_shown);
    assert!(is_shown(&tally) && tally.emptied == 0, "{tally:?}");
}
