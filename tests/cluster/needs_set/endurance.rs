//! Two watchers and ten who claim, for two minutes, while one watcher or the other is killed and started again now and then: no
//! pool is ever above its maximum, nobody finds what an earlier tenant left, and in the end nothing is left behind.
//!
//! `KUBECTL_PV_SET_ENDURANCE_SECONDS` says how long.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::scene::{Made, ORDINAL, SET_UID, Scene, is_going, name_of, on_a_scene, volume_called};
use crate::cluster::faults::api::Api;
use crate::cluster::faults::subject::Subject;
use crate::cluster::objects::path_of;
use crate::cluster::report_check::OtherWrite;
use crate::random::Random;
use crate::sample;

const DURATION: &str = "KUBECTL_PV_SET_ENDURANCE_SECONDS";
const CREATORS: u64 = 10;
/// A watcher that was killed keeps its lease for 15 seconds, and its note of what it was at for 60.
const SETTLING: Duration = Duration::from_secs(150);

fn duration() -> Duration {
    let seconds = sample::rounds_of(DURATION, 120, 30);
    Duration::from_secs(u64::try_from(seconds).expect("a small number"))
}

/// What went on, and what was wrong with it.
#[derive(Default)]
struct Tally {
    is_over: AtomicBool,
    bound: AtomicUsize,
    unserved: AtomicUsize,
    reclaimed: AtomicUsize,
    kills: AtomicUsize,
    samples: AtomicUsize,
    /// Volumes that ever were, by uid.
    seen: Mutex<BTreeSet<String>>,
    wrong: Mutex<Vec<String>>,
}

impl Tally {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::SeqCst)
    }

    fn complain(&self, what: String) {
        let mut wrong = lock(&self.wrong);
        if wrong.len() < 20 {
            println!("  WRONG: {what}");
            wrong.push(what);
        }
    }

    fn complaints(&self) -> Vec<String> {
        lock(&self.wrong).clone()
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add(count: &AtomicUsize) {
    count.fetch_add(1, Ordering::Relaxed);
}

fn pause(random: &mut Random, most: usize) {
    sleep(Duration::from_millis(random.below(most) as u64));
}

/// Claims, uses what it gets, and gives it back, again and again.
fn create_claims(scene: &Scene<'_>, sets: &[Value], seed: u64, tally: &Tally) {
    let mut random = Random::new(seed);
    for number in 0.. {
        if !tally.goes_on() {
            return;
        }
        let set = &sets[random.below(sets.len())];
        let claim = scene.claim(set, &format!("c-{seed}-{number}"), "1Gi");
        scene.api.create(&claim);
        match wait_for_volume(scene, &claim, &mut random) {
            Some(volume) => {
                add(&tally.bound);
                use_volume(scene, &volume, tally);
            }
            None => add(&tally.unserved),
        }
        pause(&mut random, 1500);
        delete(scene.api, &claim);
        pause(&mut random, 500);
    }
}

/// As users do: what protects it is taken off by the controller.
fn delete(api: Api, claim: &Value) {
    let _ = api.send("DELETE", &path_of(claim), "application/json", &Value::Null);
}

fn wait_for_volume(scene: &Scene<'_>, claim: &Value, random: &mut Random) -> Option<String> {
    let patience = Duration::from_millis(500 + random.below(3000) as u64);
    let began = Instant::now();
    while began.elapsed() < patience {
        let found = scene.api.find(claim)?;
        if found["status"]["phase"] == "Bound" {
            let volume = found["spec"]["volumeName"].as_str();
            return volume.map(str::to_owned);
        }
        sleep(Duration::from_millis(100));
    }
    None
}

/// What it finds must be empty; what it leaves nobody may find.
fn use_volume(scene: &Scene<'_>, volume: &str, tally: &Tally) {
    let Some(found) = scene.api.find(&volume_called(volume)) else {
        tally.complain(format!("{volume} is bound and not there"));
        return;
    };
    if is_going(&found) {
        tally.complain(format!("{volume} is bound and being deleted"));
    }
    let Some(path) = found["spec"]["hostPath"]["path"].as_str() else {
        return;
    };
    match fs::read_dir(path).map(Iterator::count) {
        Ok(0) => {}
        Ok(_) => tally.complain(format!("{volume} holds what an earlier tenant left")),
        Err(error) => tally.complain(format!("{volume} is bound and has no directory: {error}")),
    }
    let _ = fs::write(format!("{path}/file"), "data");
}

/// Sees to it that volumes go round.
fn reclaim(scene: &Scene<'_>, set: &Value, tally: &Tally) {
    let mut words = vec!["reclaim", "--all-released", "--class", name_of(set)];
    words.extend(["--yes", "-o", "json"]);
    if set["spec"]["template"]["spec"]["nfs"].is_object() {
        words.push("--reuse");
    }
    // The controller binds what is offered again, its new owner writes, and a watcher creates the next member of that name.
    let mut rivals = OtherWrite::of_controller();
    rivals.push(OtherWrite::any_asset());
    rivals.push(OtherWrite::new_objects("PersistentVolume"));
    rivals.push(OtherWrite::new_assets());
    while tally.goes_on() {
        let ran = scene.run(&words).ran();
        if !matches!(ran.status, 0 | 1 | 4) {
            tally.complain(format!("reclaim: {}{}", ran.stdout, ran.stderr));
        }
        for untrue in scene.site().false_statements(&ran, &rivals) {
            tally.complain(format!("{untrue}: {}{}", ran.stdout, ran.stderr));
        }
        add(&tally.reclaimed);
        sleep(Duration::from_millis(1500));
    }
}

/// Looks all the time: never one above the maximum, no number twice.
fn sample(scene: &Scene<'_>, sets: &[Value], tally: &Tally) {
    while tally.goes_on() {
        let volumes = scene.api.list("v1", "PersistentVolume", None);
        for set in sets {
            let is_member = |it: &&Value| it["metadata"]["labels"]["pool"] == name_of(set);
            let members: Vec<&Value> = volumes.iter().filter(is_member).collect();
            let maximum = set["spec"]["maximumReplicas"].as_u64().expect("a maximum");
            if members.len() as u64 > maximum {
                let names: Vec<&str> = members.iter().map(|it| name_of(it)).collect();
                tally.complain(format!("{} is above {maximum}: {names:?}", name_of(set)));
            }
            let uids = members.iter().map(|it| it["metadata"]["uid"].to_string());
            lock(&tally.seen).extend(uids);
            for twice in numbers_given_twice(&members) {
                tally.complain(twice);
            }
        }
        add(&tally.samples);
        sleep(Duration::from_millis(20));
    }
}

fn numbers_given_twice(members: &[&Value]) -> Vec<String> {
    let mut seen: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for member in members {
        let annotations = &member["metadata"]["annotations"];
        let key = (
            annotations[SET_UID].to_string(),
            annotations[ORDINAL].to_string(),
        );
        seen.entry(key).or_default().push(name_of(member));
    }
    let twice = seen.iter().filter(|(_, names)| names.len() > 1);
    twice
        .map(|(key, names)| format!("{key:?}: {names:?}"))
        .collect()
}

fn watch(scene: &Scene<'_>, sets: &[Value]) -> Arc<Subject> {
    let mut words = vec!["set", "reconcile", "--watch", "--yes"];
    words.extend(["--lease-namespace", &scene.place.name]);
    words.extend(sets.iter().map(name_of));
    Subject::start(scene.run(&words).command())
}

/// Kills one watcher or the other now and then, and starts it again.
fn kill_now_and_then(
    scene: &Scene<'_>,
    sets: &[Value],
    watchers: &mut [Arc<Subject>; 2],
    tally: &Tally,
) {
    let mut random = Random::new(7);
    let mut next = Instant::now() + Duration::from_secs(5);
    let mut turn = 0;
    while tally.goes_on() {
        sleep(Duration::from_millis(100));
        if Instant::now() < next {
            continue;
        }
        watchers[turn].kill();
        add(&tally.kills);
        pause(&mut random, 2000);
        watchers[turn] = watch(scene, sets);
        // Mostly the one that works.
        turn = if random.chance(80) { 1 - turn } else { turn };
        let wait = if random.chance(30) { 3000 } else { 17_000 };
        next = Instant::now() + Duration::from_millis(wait + random.below(3000) as u64);
    }
}

/// What is not settled about a set.
fn unsettled(scene: &Scene<'_>, set: &Value) -> Vec<String> {
    let members = scene.members(set);
    let is_unbound = |it: &&Value| it["spec"]["claimRef"].is_null() && !is_going(it);
    let unbound = members.iter().filter(is_unbound).count();
    let wanted = |field: &str| usize::try_from(set["spec"][field].as_u64().unwrap()).unwrap();
    let mut wrong = scene.misstated(set);
    if unbound < wanted("minimumReplicas") && members.len() != wanted("maximumReplicas") {
        wrong.push(format!("{unbound} unbound of {} in all", members.len()));
    }
    wrong.extend(scene.leaks(set));
    wrong.extend(scene.duplicates(set));
    if members.iter().any(is_going) {
        wrong.push("one is being deleted".to_owned());
    }
    if wrong.is_empty() {
        let ran = scene.reconcile(set, &["--dry-run"]);
        let plan: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        if ran.status != 0 || plan["changes"] != json!([]) {
            wrong.push(format!("the next one would: {}{}", ran.stdout, ran.stderr));
        }
    }
    let name = name_of(set);
    wrong.iter().map(|what| format!("{name}: {what}")).collect()
}

fn settle(scene: &Scene<'_>, sets: &[Value]) -> Vec<String> {
    let began = Instant::now();
    loop {
        let wrong: Vec<String> = sets.iter().flat_map(|set| unsettled(scene, set)).collect();
        if wrong.is_empty() {
            println!("  settled after {:.1} s", began.elapsed().as_secs_f64());
            return wrong;
        }
        if began.elapsed() > SETTLING {
            return wrong;
        }
        sleep(Duration::from_millis(500));
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn two_watchers_and_ten_who_claim() {
    on_a_scene("endure", |scene| {
        let _controller = scene.cluster.start_controller();
        let sets = [
            scene.set("disks", (3, 8), Made::ByBackend),
            scene.set("dirs", (2, 4), Made::ByBackend),
            scene.set("exports", (2, 6), Made::FromTemplate),
        ];
        let tally = Tally::default();
        let mut watchers = [watch(scene, &sets), watch(scene, &sets)];
        thread::scope(|scope| {
            let (tally, sets) = (&tally, &sets);
            for seed in 0..CREATORS {
                scope.spawn(move || create_claims(scene, sets, seed, tally));
            }
            for set in sets {
                scope.spawn(move || reclaim(scene, set, tally));
            }
            scope.spawn(move || sample(scene, sets, tally));
            let watchers = &mut watchers;
            scope.spawn(move || kill_now_and_then(scene, sets, watchers, tally));
            // On a slow machine longer, until a claim was served and a watcher killed.
            let is_shown = || {
                let counts = [&tally.bound, &tally.reclaimed, &tally.kills];
                counts.iter().all(|count| count.load(Ordering::Relaxed) > 0)
            };
            for _ in 0..sample::MOST_ROUNDS {
                sleep(duration());
                if is_shown() {
                    break;
                }
            }
            tally.is_over.store(true, Ordering::SeqCst);
        });
        let mut wrong = settle(scene, &sets);
        for (what, count) in [
            ("claims served", &tally.bound),
            ("not in time", &tally.unserved),
            ("rounds of reclaim", &tally.reclaimed),
            ("kills", &tally.kills),
            ("samples", &tally.samples),
        ] {
            println!("  {what}: {}", count.load(Ordering::Relaxed));
        }
        println!("  volumes ever made: {}", lock(&tally.seen).len());
        for watcher in &watchers {
            watcher.kill();
        }
        wrong.extend(tally.complaints());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // Otherwise it has shown nothing.
        for count in [&tally.bound, &tally.reclaimed, &tally.kills] {
            assert!(count.load(Ordering::Relaxed) > 0);
        }
    });
}
