//! Ten runs of `set reconcile` at once, and somebody who changes the set while one is at work: never one too many, never one
//! number twice, nothing left behind, and everybody is heard.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use super::scene::{
    KIND, Made, Scene, is_going, name_of, on_a_plane, on_a_scene, volume_called, wait_for,
};
use crate::cluster::control_plane::QUIET_TWICE;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Before, Number};
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::objects::path_of;
use crate::cluster::report_check::{OtherWrite, Report};

const PROCESSES: usize = 10;
const ROUNDS: usize = 2;
const NONE: [String; 0] = [];

fn start(scene: &Scene<'_>, set: &Value, kubeconfig: &str) -> Arc<Subject> {
    let words = ["set", "reconcile", name_of(set), "--yes", "-o", "json"];
    Subject::start(scene.run(&words).env("KUBECONFIG", kubeconfig).command())
}

/// The write of a person who changes a set.
fn changed_by_hand(set: &Value) -> OtherWrite {
    OtherWrite::field(KIND, name_of(set), "/spec")
}

/// Ten at once; the largest number of members that was ever seen meanwhile.
fn ten(scene: &Scene<'_>, set: &Value) -> usize {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let most = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::SeqCst) {
                most = most.max(scene.members(set).len());
            }
            most
        });
        let kubeconfig = scene.kubeconfig();
        let site = scene.site();
        let before = site.read();
        let processes = (0..PROCESSES).map(|_| start(scene, set, &kubeconfig));
        let processes: Vec<Arc<Subject>> = processes.collect();
        let ended: Vec<Ended> = processes.iter().map(|process| process.wait()).collect();
        is_over.store(true, Ordering::SeqCst);
        let reports: Vec<Report> = ended.iter().map(Report::from).collect();
        let untrue = site.false_reports(&before, &reports, &OtherWrite::of_controller());
        assert_eq!(untrue, NONE, "{ended:#?}");
        for one in &ended {
            assert_eq!(one.status, Some(0), "{}{}", one.stdout, one.stderr);
        }
        most.join().expect("the sampler ends")
    })
}

fn check(scene: &Scene<'_>, set: &Value, total: usize) {
    assert_eq!(scene.members(set).len(), total);
    assert_eq!(scene.duplicates(set), NONE);
    assert_eq!(scene.leaks(set), NONE);
    assert_eq!(scene.misstated(set), NONE);
    let plan = scene.reconcile(set, &["--dry-run"]);
    let plan: Value = serde_json::from_str(&plan.stdout).expect("a plan");
    assert_eq!(plan["changes"], json!([]));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn from_nothing() {
    on_a_scene("ten", |scene| {
        for round in 0..ROUNDS {
            for made in Made::EACH {
                let name = format!("{made:?}-{round}").to_lowercase();
                // In every other round there is room for more, and nobody uses it.
                let levels = if round % 2 == 0 { (4, 4) } else { (4, 12) };
                let set = scene.set(&name, levels, made);
                assert!(ten(scene, &set) <= 4, "{made:?}");
                check(scene, &set, 4);
                assert_eq!(scene.told(&set, "SuccessfulCreate"), 4);
                // A few more, out of a state that is not empty.
                scene.resize(&set, (7, 7));
                assert!(ten(scene, &set) <= 7, "{made:?}");
                check(scene, &set, 7);
                assert_eq!(scene.told(&set, "SuccessfulCreate"), 7);
            }
        }
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn too_many_go_once() {
    on_a_scene("ten-less", |scene| {
        let _controller = scene.cluster.start_controller();
        for round in 0..ROUNDS {
            let set = scene.set(&format!("pool-{round}"), (3, 8), Made::ByBackend);
            scene.retemplate(&set, "5Gi");
            scene.reconciled(&set);
            scene.retemplate(&set, "2Gi");
            scene.resize(&set, (8, 8));
            scene.reconciled(&set);
            scene.resize(&set, (0, 4));
            ten(scene, &set);
            // The three large ones and the first of the others.
            assert_eq!(scene.names(&set), ["4", "5", "6", "7"]);
            check(scene, &set, 4);
            assert_eq!(scene.told(&set, "SuccessfulDelete"), 4);
        }
    });
}

/// Claims take volumes while ten runs delete: who has one keeps it.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_is_taken_from_a_claim() {
    on_a_scene("ten-claims", |scene| {
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (10, 10), Made::ByBackend);
        scene.reconciled(&set);
        wait_for("all are Available", || scene.count(&set, "Available") == 10);
        scene.resize(&set, (0, 3));
        let claims: Vec<Value> = (0..6)
            .map(|number| scene.claim(&set, &format!("c-{number}"), "1Gi"))
            .collect();
        thread::scope(|scope| {
            scope.spawn(|| {
                for claim in &claims {
                    scene.api.create(claim);
                    thread::sleep(std::time::Duration::from_millis(150));
                }
            });
            let kubeconfig = scene.kubeconfig();
            let site = scene.site();
            let before = site.read();
            let processes = (0..PROCESSES).map(|_| start(scene, &set, &kubeconfig));
            let processes: Vec<Arc<Subject>> = processes.collect();
            let mut reports: Vec<Report> = Vec::new();
            for process in processes {
                // What is taken while it is to be deleted may leave too few to delete; that is said.
                let ended = process.wait();
                assert!(matches!(ended.status, Some(0 | 1)), "{ended:?}");
                reports.push((&ended).into());
            }
            let mut others = OtherWrite::of_controller();
            others.push(OtherWrite::new_objects("PersistentVolumeClaim"));
            let untrue = site.false_reports(&before, &reports, &others);
            assert_eq!(untrue, NONE, "{reports:#?}");
        });
        thread::sleep(QUIET_TWICE);
        let mut bound = 0;
        for claim in &claims {
            let found = scene.api.find(claim).expect("the claim is there");
            let volume = found["spec"]["volumeName"].as_str();
            assert_ne!(found["status"]["phase"], "Lost", "{found}");
            if let Some(volume) = volume {
                bound += 1;
                let object = scene.api.find(&volume_called(volume));
                assert!(object.is_some_and(|it| !is_going(&it)), "{volume}");
                assert!(scene.base().join(volume).is_dir(), "{volume}");
            }
        }
        let ran = scene.reconcile(&set, &["--yes"]);
        assert!(matches!(ran.status, 0 | 1), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(scene.members(&set).len(), bound.max(3));
        assert_eq!(scene.leaks(&set), NONE);
        assert_eq!(scene.misstated(&set), NONE);
    });
}

/// Does something once, right before the set is told of the so-manyth volume.
fn at_note(
    upstream: &Upstream,
    set: &Value,
    number: usize,
    deed: impl Fn(Api) + Send + Sync + 'static,
) -> Proxy {
    let path = format!("persistentvolumesets/{}/status", name_of(set));
    let (api, told) = (upstream.api(), Mutex::new(BTreeSet::new()));
    let script = move |_: Number, request: &Request| {
        if request.method == "PATCH" && request.path.ends_with(&path) {
            let note: Value = serde_json::from_slice(&request.body).expect("a note");
            let volume = note["status"]["inProgress"]["volume"].as_str();
            let mut told = told.lock().expect("nobody failed");
            let is_new = volume.is_some_and(|volume| told.insert(volume.to_owned()));
            if is_new && told.len() == number {
                deed(api);
            }
        }
        Action::Forward
    };
    Proxy::start(upstream.address, Before(script))
}

fn resizing(set: &Value, (minimum, maximum): (u64, u64)) -> impl Fn(Api) + Send + Sync + use<> {
    let set = set.clone();
    let spec = json!({ "minimumReplicas": minimum, "maximumReplicas": maximum });
    move |api| {
        api.patch(&set, &json!({ "spec": spec }));
    }
}

fn through(scene: &Scene<'_>, set: &Value, proxy: &Proxy, others: &[OtherWrite]) -> Ended {
    let site = scene.site();
    let before = site.read();
    let ended = start(scene, set, proxy.kubeconfig()).wait();
    let mut all = OtherWrite::of_controller();
    all.extend(others.iter().cloned());
    let untrue = site.false_report(&before, &ended, &all);
    assert_eq!(untrue, NONE, "{ended:?}\n{}", proxy.show());
    assert_eq!(ended.status, Some(0), "{}{}", ended.stdout, ended.stderr);
    ended
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn whoever_changes_the_set_meanwhile_is_heard() {
    on_a_plane("heard", |scene, upstream| {
        for made in Made::EACH {
            let name = |what: &str| format!("{what}-{made:?}").to_lowercase();
            // Fewer are wanted before the third is made.
            let set = scene.set(&name("fewer"), (5, 8), made);
            let proxy = at_note(upstream, &set, 3, resizing(&set, (1, 8)));
            through(scene, &set, &proxy, &[changed_by_hand(&set)]);
            assert_eq!(scene.names(&set), ["0", "1"], "{}", proxy.show());
            check(scene, &set, 2);
            // Fewer are allowed at all.
            let set = scene.set(&name("less"), (5, 8), made);
            let proxy = at_note(upstream, &set, 4, resizing(&set, (3, 3)));
            through(scene, &set, &proxy, &[changed_by_hand(&set)]);
            check(scene, &set, 3);
            // More are.
            let set = scene.set(&name("more"), (2, 2), made);
            let proxy = at_note(upstream, &set, 2, resizing(&set, (5, 5)));
            through(scene, &set, &proxy, &[changed_by_hand(&set)]);
            check(scene, &set, 5);
            // The next ones are to be larger.
            let set = scene.set(&name("larger"), (3, 3), made);
            let grown =
                json!({ "spec": { "template": { "spec": { "capacity": { "storage": "4Gi" } } } } });
            let same = set.clone();
            let grow = move |api: Api| {
                api.patch(&same, &grown);
            };
            let proxy = at_note(upstream, &set, 2, grow);
            through(scene, &set, &proxy, &[changed_by_hand(&set)]);
            let members = scene.members(&set);
            let sizes = members
                .iter()
                .map(|it| it["spec"]["capacity"]["storage"].clone());
            assert_eq!(sizes.collect::<Vec<_>>(), ["1Gi", "4Gi", "4Gi"]);
            check(scene, &set, 3);
        }
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn whoever_changes_the_set_meanwhile_saves_its_members() {
    on_a_plane("saved", |scene, upstream| {
        let _controller = scene.cluster.start_controller();
        let set = scene.set("kept", (6, 6), Made::ByBackend);
        scene.reconciled(&set);
        scene.resize(&set, (0, 1));
        let proxy = at_note(upstream, &set, 3, resizing(&set, (0, 5)));
        through(scene, &set, &proxy, &[changed_by_hand(&set)]);
        // Two were gone by then.
        assert_eq!(scene.names(&set), ["2", "3", "4", "5"]);
        check(scene, &set, 4);
        // The set goes away: what it has stays as it is.
        let set = scene.set("gone", (6, 6), Made::ByBackend);
        scene.reconciled(&set);
        scene.resize(&set, (0, 1));
        let same = set.clone();
        let proxy = at_note(upstream, &set, 2, move |api: Api| api.delete(&same));
        let site = scene.site();
        let before = site.read();
        let ended = start(scene, &set, proxy.kubeconfig()).wait();
        assert!(matches!(ended.status, Some(0 | 1 | 3 | 4)), "{ended:?}");
        let mut others = OtherWrite::of_controller();
        others.push(OtherWrite::object(KIND, name_of(&set)));
        let untrue = site.false_report(&before, &ended, &others);
        assert_eq!(untrue, NONE, "{ended:?}");
        // Whether the first is gone or still going depends on who protects volumes.
        let mut staying = scene.members(&set);
        staying.retain(|volume| !is_going(volume));
        assert_eq!(staying.len(), 5);
        let kept: BTreeSet<String> = scene.assets();
        let is_kept = |volume: &Value| kept.contains(name_of(volume));
        assert!(staying.iter().all(is_kept), "{kept:?}");
    });
}

/// A claim takes the volume that is to go, in the very moment before it is locked: it keeps it, and its directory.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn whoever_takes_a_member_before_it_is_locked_keeps_it() {
    on_a_plane("taken", |scene, upstream| {
        let _controller = scene.cluster.start_controller();
        let set = scene.set("pool", (3, 3), Made::ByBackend);
        scene.reconciled(&set);
        scene.resize(&set, (0, 2));
        let member = scene.members(&set)[0].clone();
        let (path, api, seen) = (path_of(&member), upstream.api(), AtomicUsize::new(0));
        let taken =
            json!({ "spec": { "claimRef": { "namespace": scene.place.name, "name": "to-come" } } });
        let first = member.clone();
        let script = move |_: Number, request: &Request| {
            let is_lock = request.method == "PATCH" && request.path == path;
            if is_lock && seen.fetch_add(1, Ordering::SeqCst) == 0 {
                api.patch(&first, &taken);
            }
            Action::Forward
        };
        let proxy = Proxy::start(upstream.address, Before(script));
        through(scene, &set, &proxy, &[changed_by_hand(&set)]);
        // The next one goes in its stead.
        assert_eq!(scene.names(&set), ["0", "2"], "{}", proxy.show());
        assert!(scene.directory(&set, 0).is_dir(), "{}", proxy.show());
        check(scene, &set, 2);
    });
}

/// Two runs that began in the same second write the same note; whose it is must still be known, or whoever changed the set in
/// between is not heard.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_note_of_another_run_is_not_taken_for_our_own() {
    on_a_plane("whose", |scene, upstream| {
        let set = scene.set("pool", (4, 4), Made::FromTemplate);
        let path = format!("{}/status", path_of(&set));
        let (api, seen) = (upstream.api(), AtomicUsize::new(0));
        let fewer = resizing(&set, (1, 1));
        let script = move |_: Number, request: &Request| {
            let is_note = request.method == "PATCH" && request.path == path;
            if is_note && seen.fetch_add(1, Ordering::SeqCst) == 0 {
                // Somebody wants fewer, and another run has begun to make the one that is still wanted.
                fewer(api);
                let mut note: Value = serde_json::from_slice(&request.body).expect("a note");
                note["metadata"] = json!({});
                let until = note["status"]["inProgress"]["until"].as_str();
                let second = until.expect("a time")[..19].to_owned() + "Z";
                note["status"]["inProgress"]["until"] = json!(second);
                note["status"]["inProgress"]["by"] = json!("another");
                let written = api.send("PATCH", &path, "application/merge-patch+json", &note);
                assert!(matches!(written, Ok((200, _))), "{written:?}");
            }
            Action::Forward
        };
        let proxy = Proxy::start(upstream.address, Before(script));
        let note = OtherWrite::field(KIND, name_of(&set), "/status");
        through(scene, &set, &proxy, &[changed_by_hand(&set), note]);
        assert_eq!(scene.names(&set), ["0"], "{}", proxy.show());
        check(scene, &set, 1);
    });
}
