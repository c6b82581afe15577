//! Two runs empty one volume: only the lock that was written last counts. Whoever locks it goes on with what the other has begun,
//! and the other leaves it alone; none gives it back while the other is at it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use super::moment::{self, Moment, last_look, unlocking};
use super::scene::Scene;
use super::stage::{MARK, on_a_plane, wait_for};
use crate::cluster::faults::chance::refusal;
use crate::cluster::faults::message::{Request, Response};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Delivery, Number, Script};
use crate::cluster::faults::subject::Subject;
use crate::cluster::report_check::{OtherWrite, Report};

/// Stops a run once, before a request is sent or before its answer is given.
struct Stop {
    is_it: fn(&Request) -> bool,
    before: bool,
    is_reached: AtomicBool,
    is_over: AtomicBool,
}

impl Stop {
    fn new(is_it: fn(&Request) -> bool, before: bool) -> Arc<Self> {
        Arc::new(Self {
            is_it,
            before,
            is_reached: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        })
    }

    fn stop(&self, request: &Request) {
        if (self.is_it)(request) && !self.is_reached.swap(true, Ordering::SeqCst) {
            while !self.is_over.load(Ordering::SeqCst) {
                sleep(Duration::from_millis(5));
            }
        }
    }

    fn wait(&self) {
        wait_for("the run comes here", || {
            self.is_reached.load(Ordering::SeqCst)
        });
    }

    fn go_on(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

impl Script for Stop {
    fn before(&self, _: Number, request: &Request) -> Action {
        if self.before {
            self.stop(request);
        }
        Action::Forward
    }

    fn after(&self, _: Number, request: &Request, _: &Response) -> Delivery {
        if !self.before {
            self.stop(request);
        }
        Delivery::Deliver
    }
}

fn start(scene: &Scene<'_>, proxy: &Proxy) -> Arc<Subject> {
    let name = format!("{}-v", scene.place.name);
    let run = scene.command(&[&name]);
    Subject::start(run.env("KUBECONFIG", proxy.kubeconfig()).command())
}

/// The first has emptied it and is about to give it back, the second has made sure that it is its own: were it given back now,
/// the second would empty it under its next owner.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn it_is_not_given_back_while_the_other_is_at_it() {
    on_a_plane("overtaken", |scene, _, upstream| {
        scene.released("v", "Recycle");
        let (giving, looking) = (Stop::new(unlocking, true), Stop::new(last_look, false));
        let first_way = Proxy::start(upstream.address, Arc::clone(&giving));
        let second_way = Proxy::start(upstream.address, Arc::clone(&looking));
        let site = scene.site();
        let before = site.read();
        let first = start(scene, &first_way);
        giving.wait();
        let second = start(scene, &second_way);
        looking.wait();
        giving.go_on();
        let ended = first.wait();
        let found = scene.find("v").expect("it stays");
        let is_locked = found["metadata"]["annotations"][MARK].is_string();
        looking.go_on();
        let second = second.wait();
        assert!(is_locked, "{ended:?}{found}");
        assert!(
            ended
                .stdout
                .contains("another run of kubectl pv empties it"),
            "{ended:?}"
        );
        assert_eq!(second.status, Some(0), "{second:?}");
        let reports = [Report::from(&ended), Report::from(&second)];
        let untrue = site.false_reports(&before, &reports, &[]);
        assert_eq!(untrue, [""; 0], "{ended:?}{second:?}");
        let found = scene.find("v").expect("it stays");
        assert_eq!(found["status"]["phase"], "Available");
        assert_eq!(found["metadata"]["annotations"], json!(null));
    });
}

/// The second one goes on with what the first has begun, and the first leaves it to the second.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn another_run_has_locked_it_again() {
    on_a_plane("relocked", |scene, _, upstream| {
        let (api, volume) = (scene.api, scene.released("v", "Recycle"));
        let relocked = Moment::new(last_look, move || {
            let change = json!({ "metadata": { "annotations": { MARK: "Recycle/another" } } });
            matches!(api.try_patch(&volume, &change), Ok((200, _)))
        });
        let proxy = Proxy::start(upstream.address, relocked.clone());
        let name = format!("{}-v", scene.place.name);
        let mark = "/metadata/annotations/kubectl-pv.dev~1recycling";
        let others = [OtherWrite::field("PersistentVolume", &name, mark)];
        let ran = moment::run(scene, &proxy, "v", &[], &others);
        let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
        assert!(relocked.went_well(), "{said}");
        assert!(
            said.contains("another run of kubectl pv empties it"),
            "{said}"
        );
        assert!(scene.has_data("v"), "{said}");
        let ran = scene.reclaim_one("v", &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!scene.has_data("v"));
        let found = scene.find("v").expect("it stays");
        assert_eq!(found["spec"]["persistentVolumeReclaimPolicy"], "Recycle");
        assert_eq!(found["metadata"]["annotations"][MARK], json!(null));
    });
}

/// Refuses to give the volume back once, so that it is locked again, and keeps the answer to that second lock.
#[derive(Default)]
struct SecondLockUnheard {
    is_refused: AtomicBool,
    is_unheard: AtomicBool,
}

impl Script for SecondLockUnheard {
    fn before(&self, _: Number, request: &Request) -> Action {
        if unlocking(request) && !self.is_refused.swap(true, Ordering::SeqCst) {
            return Action::Answer(refusal(409, "Conflict"));
        }
        Action::Forward
    }

    fn after(&self, _: Number, request: &Request, _: &Response) -> Delivery {
        let body = String::from_utf8_lossy(&request.body);
        let locks = request.method == "PATCH" && body.contains(&format!("\"{MARK}\":\"Recycle/"));
        let is_second = locks && self.is_refused.load(Ordering::SeqCst);
        if is_second && !self.is_unheard.swap(true, Ordering::SeqCst) {
            return Delivery::Drop;
        }
        Delivery::Deliver
    }
}

/// A run that never hears that it has locked the volume again knows its own lock, and does not take it for another run's.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_own_lock_is_known_though_the_answer_was_lost() {
    on_a_plane("unheard", |scene, _, upstream| {
        scene.released("v", "Recycle");
        let script = Arc::new(SecondLockUnheard::default());
        let proxy = Proxy::start(upstream.address, Arc::clone(&script));
        let site = scene.site();
        let before = site.read();
        let ended = start(scene, &proxy).wait();
        let untrue = site.false_report(&before, &ended, &[]);
        assert_eq!(untrue, [""; 0], "{ended:?}");
        let said = format!("{ended:?}{}", proxy.show());
        assert!(script.is_unheard.load(Ordering::SeqCst), "{said}");
        assert_eq!(ended.status, Some(0), "{said}");
        let found = scene.find("v").expect("it stays");
        assert_eq!(found["status"]["phase"], "Available", "{said}");
        assert_eq!(found["metadata"]["annotations"], json!(null), "{said}");
    });
}
