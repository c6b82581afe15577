//! One moment in a run of `reclaim`, told by the request that is about to reach the server: somebody else acts just then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::scene::Scene;
use super::stage::MARK;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Number, Script};
use crate::cluster::report_check::OtherWrite;
use crate::support::Ran;

/// Acts once, before the first request that is meant.
pub(super) struct Moment<F> {
    is_it: fn(&Request) -> bool,
    act: F,
    has_come: AtomicBool,
    went_well: AtomicBool,
}

impl<F: Fn() -> bool + Send + Sync> Moment<F> {
    pub(super) fn new(is_it: fn(&Request) -> bool, act: F) -> Arc<Self> {
        Arc::new(Self {
            is_it,
            act,
            has_come: AtomicBool::new(false),
            went_well: AtomicBool::new(false),
        })
    }

    /// Whether the moment came, and what was done then was possible.
    pub(super) fn went_well(&self) -> bool {
        self.went_well.load(Ordering::SeqCst)
    }
}

impl<F: Fn() -> bool + Send + Sync> Script for Moment<F> {
    fn before(&self, _: Number, request: &Request) -> Action {
        if (self.is_it)(request) && !self.has_come.swap(true, Ordering::SeqCst) {
            let went_well = (self.act)();
            self.went_well.store(went_well, Ordering::SeqCst);
        }
        Action::Forward
    }
}

/// All is read and decided, and the lock is about to be written.
pub(super) fn first_write(request: &Request) -> bool {
    request.is_write()
}

/// The lock is written, and the volume is looked at for the last time before it is emptied.
pub(super) fn last_look(request: &Request) -> bool {
    let parts: Vec<&str> = request.path.split('/').collect();
    let body = String::from_utf8_lossy(&request.body);
    // A look, or a write that changes nothing.
    let looks = match request.method.as_str() {
        "GET" => true,
        "PATCH" => body.contains("\"Retain\"") && !body.contains(MARK),
        _ => false,
    };
    looks && matches!(parts[..], ["", "api", "v1", "persistentvolumes", _])
}

/// The lock is written, and it is made sure that the controller is not at it.
pub(super) fn look_at_pods(request: &Request) -> bool {
    request.path.ends_with("/pods") && request.query.contains("recycler-for-")
}

/// It is empty, and about to be given back.
pub(super) fn unlocking(request: &Request) -> bool {
    let body = String::from_utf8_lossy(&request.body);
    request.method == "PATCH" && body.contains(&format!("\"{MARK}\":null"))
}

/// `reclaim` of one volume through a proxy, while other actors write what they are said to write; its report is true.
pub(super) fn run(
    scene: &Scene<'_>,
    proxy: &Proxy,
    name: &str,
    arguments: &[&str],
    others: &[OtherWrite],
) -> Ran {
    let name = format!("{}-{name}", scene.place.name);
    let mut all = vec![name.as_str()];
    all.extend(arguments);
    let run = scene.command(&all);
    let site = scene.site();
    let before = site.read();
    let ran = run.env("KUBECONFIG", proxy.kubeconfig()).ran();
    let untrue = site.false_report(&before, &ran, others);
    assert_eq!(
        untrue,
        [""; 0],
        "{}{}{}",
        ran.stdout,
        ran.stderr,
        proxy.show()
    );
    ran
}
