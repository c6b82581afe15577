//! Before our lock is written no byte of the asset changes: every request is stopped on its way, and the directory looked at.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

use super::moment;
use super::stage::{FINALIZER, MARK, on_a_plane};
use crate::cluster::faults::message::{Request, Response};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Delivery, Number, Script};

/// Long enough for whoever does not wait for the answer to its lock.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks at the file before each request is sent and before its answer is given, until the lock is known to be written.
struct Guard {
    file: PathBuf,
    completes_lock: fn(&Request) -> bool,
    is_locked: AtomicBool,
    looks: AtomicUsize,
    problems: Mutex<Vec<String>>,
}

impl Guard {
    fn look(&self, request: &Request) {
        if self.is_locked.load(Ordering::SeqCst) {
            return;
        }
        if request.is_write() {
            sleep(PAUSE);
        }
        self.looks.fetch_add(1, Ordering::SeqCst);
        let text = fs::read_to_string(&self.file);
        if text.as_deref().ok() != Some("data") {
            let mut problems = self.problems.lock().unwrap();
            problems.push(format!("{} {}", request.method, request.target()));
        }
    }
}

impl Script for Guard {
    fn before(&self, _: Number, request: &Request) -> Action {
        self.look(request);
        Action::Forward
    }

    fn after(&self, _: Number, request: &Request, answer: &Response) -> Delivery {
        self.look(request);
        if (self.completes_lock)(request) && answer.status == 200 {
            self.is_locked.store(true, Ordering::SeqCst);
        }
        Delivery::Deliver
    }
}

fn nothing_before_the_lock(policy: &str, completes_lock: fn(&Request) -> bool) {
    on_a_plane("order", |scene, _, upstream| {
        scene.released("v", policy);
        let guard = Arc::new(Guard {
            file: scene.directory("v").join("file"),
            completes_lock,
            is_locked: AtomicBool::new(false),
            looks: AtomicUsize::new(0),
            problems: Mutex::default(),
        });
        let proxy = Proxy::start(upstream.address, Arc::clone(&guard));
        let ran = moment::run(scene, &proxy, "v", &[], &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(*guard.problems.lock().unwrap(), [""; 0]);
        assert!(guard.looks.load(Ordering::SeqCst) > 2);
        assert!(guard.is_locked.load(Ordering::SeqCst), "{}", proxy.show());
        assert!(!scene.has_data("v"));
    });
}

/// The finalizer is there first, and then the deletion.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn deleting() {
    nothing_before_the_lock("Delete", |request| request.method == "DELETE");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn emptying() {
    nothing_before_the_lock("Recycle", |request| {
        request.method == "PATCH" && String::from_utf8_lossy(&request.body).contains(MARK)
    });
}

/// What is deleted without our finalizer would be gone before its asset.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_finalizer_is_there_before_the_deletion() {
    on_a_plane("finalizer", |scene, _, upstream| {
        let volume = scene.released("v", "Delete");
        let api = scene.api;
        let held = moment::Moment::new(
            |request| request.method == "DELETE",
            move || {
                let found = api.find(&volume).expect("it is there");
                let finalizers = found["metadata"]["finalizers"].as_array();
                finalizers.is_some_and(|all| all.iter().any(|it| it == FINALIZER))
            },
        );
        let proxy = Proxy::start(upstream.address, held.clone());
        let ran = moment::run(scene, &proxy, "v", &[], &[]);
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(held.went_well());
    });
}
