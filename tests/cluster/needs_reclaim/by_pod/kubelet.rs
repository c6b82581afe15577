//! A node that runs the pods of one namespace: it takes each that nothing holds back, mounts its directory in a mount namespace of
//! its own (`unshare -rm`), runs its command there and says how it ended. It sees to it that a pod is let loose only behind the
//! lock that names it, and that two are never there at once.

use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::NAMED;
use crate::cluster::faults::api::Api;
use crate::cluster::objects::path_of;

const LOOK_EVERY: Duration = Duration::from_millis(25);
/// How long a pod takes to end that is deleted.
const DYING: Duration = Duration::from_millis(600);
const MERGE_PATCH: &str = "application/merge-patch+json";
/// What it takes to run one.
const MOUNTED: &str = "mount --rbind \"$1\" \"$at\"";
/// The file system cannot be written.
pub(super) const READ_ONLY: &str =
    "mount --bind \"$1\" \"$at\" && mount -o remount,bind,ro \"$at\"";
/// It takes its time.
pub(super) const SLOW: &str = "sleep 1; mount --rbind \"$1\" \"$at\"";

pub(super) struct Kubelet {
    node: Arc<Node>,
    thread: JoinHandle<()>,
}

struct Node {
    api: Api,
    namespace: String,
    name: String,
    mounting: Mutex<&'static str>,
    /// The image that it cannot get.
    missing: Mutex<&'static str>,
    /// Whether a scheduler is there that places pods.
    is_scheduled: AtomicBool,
    /// Since when each of those has been deleted that are there yet.
    dying: Mutex<BTreeMap<String, Instant>>,
    is_over: AtomicBool,
    ran: AtomicUsize,
    wrong: Mutex<Vec<String>>,
}

impl Kubelet {
    pub(super) fn start(api: Api, namespace: &str, name: &str) -> Self {
        let node = Arc::new(Node {
            api,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            mounting: Mutex::new(MOUNTED),
            missing: Mutex::new(""),
            is_scheduled: AtomicBool::new(false),
            dying: Mutex::new(BTreeMap::new()),
            is_over: AtomicBool::new(false),
            ran: AtomicUsize::new(0),
            wrong: Mutex::new(Vec::new()),
        });
        let looking = Arc::clone(&node);
        let thread = thread::spawn(move || {
            while !looking.is_over.load(Ordering::SeqCst) {
                looking.look();
                sleep(LOOK_EVERY);
            }
        });
        Self { node, thread }
    }

    /// From now on the real scheduler places pods.
    pub(super) fn leave_to_scheduler(&self) {
        self.node.is_scheduled.store(true, Ordering::SeqCst);
    }

    /// How it mounts from now on; without a word as it should.
    pub(super) fn mount(&self, how: Option<&'static str>) {
        *self.node.mounting.lock().unwrap() = how.unwrap_or(MOUNTED);
    }

    /// Pods of this image never begin.
    pub(super) fn refuse(&self, image: &'static str) {
        *self.node.missing.lock().unwrap() = image;
    }

    /// How many pods it ran, and what was wrong.
    pub(super) fn stop(self) -> (usize, Vec<String>) {
        self.node.is_over.store(true, Ordering::SeqCst);
        self.thread.join().expect("the node went on to the end");
        let wrong = self.node.wrong.lock().unwrap().clone();
        (self.node.ran.load(Ordering::SeqCst), wrong)
    }
}

impl Node {
    fn look(&self) {
        let pods = self.api.list("v1", "Pod", Some(&self.namespace));
        let is_finished = |pod: &&Value| {
            let phase = pod["status"]["phase"].as_str();
            matches!(phase, Some("Succeeded" | "Failed"))
        };
        let open: Vec<&Value> = pods.iter().filter(|pod| !is_finished(pod)).collect();
        if open.len() > 1 {
            self.complain(format!("two at once: {open:?}"));
        }
        for pod in open {
            if !pod["spec"]["schedulingGates"].is_null() {
                continue;
            }
            if pod["metadata"]["deletionTimestamp"].is_string() {
                self.end(pod);
            } else if !pod["spec"]["nodeName"].is_null() {
                let image = &pod["spec"]["containers"][0]["image"];
                if *image != *self.missing.lock().unwrap() {
                    self.run(pod);
                }
            } else if !self.is_scheduled.load(Ordering::SeqCst) {
                place_on(self.api, &self.name, pod);
            }
        }
    }

    /// A pod that is deleted is there for a while yet.
    fn end(&self, pod: &Value) {
        let uid = pod["metadata"]["uid"].to_string();
        let mut dying = self.dying.lock().unwrap();
        let since = dying.entry(uid).or_insert_with(Instant::now);
        if since.elapsed() > DYING {
            self.api.delete(pod);
        }
    }

    fn complain(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }

    fn run(&self, pod: &Value) {
        let volume = json!({ "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": pod["metadata"]["ownerReferences"][0]["name"] } });
        let volume = self.api.find(&volume).unwrap_or_default();
        let is_locked = volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
            && volume["metadata"]["annotations"][NAMED] == pod["metadata"]["uid"];
        if !is_locked {
            self.complain(format!("let loose without its lock: {pod} {volume}"));
        }
        self.tell(pod, &json!({ "phase": "Running" }));
        self.ran.fetch_add(1, Ordering::SeqCst);
        let ended = self.execute(pod);
        let phase = if ended.status.success() {
            "Succeeded"
        } else {
            "Failed"
        };
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let terminated = json!({ "exitCode": ended.status.code(), "message": said });
        self.tell(
            pod,
            &json!({ "phase": phase, "containerStatuses": [{ "name": "recycler",
                "image": "i", "imageID": "", "ready": false, "restartCount": 0,
                "state": { "terminated": terminated } }] }),
        );
    }

    fn tell(&self, pod: &Value, status: &Value) {
        let target = format!("{}/status", path_of(pod));
        let change = json!({ "metadata": { "uid": pod["metadata"]["uid"] }, "status": status });
        let told = self.api.send("PATCH", &target, MERGE_PATCH, &change);
        assert!(matches!(told, Ok((200 | 404 | 409, _))), "{told:?}");
    }

    /// The pod's own command, but for the place where its directory is mounted.
    fn execute(&self, pod: &Value) -> Output {
        let command = pod["spec"]["containers"][0]["command"].as_array();
        let words = command.expect("a command").iter();
        let words: Vec<&str> = words.filter_map(Value::as_str).collect();
        let [words @ .., "/scrub"] = &words[..] else {
            panic!("{words:?}");
        };
        let path = &pod["spec"]["volumes"][0]["hostPath"]["path"];
        let mounting = *self.mounting.lock().unwrap();
        let script = format!(
            "at=$1-mounted; mkdir -p \"$at\" && {mounting} || exit 99; shift; exec \"$@\" \"$at\""
        );
        Command::new("unshare")
            .args(["-rm", "/bin/sh", "-c", &script, "node"])
            .arg(path.as_str().expect("a directory of the node"))
            .args(words)
            .output()
            .expect("unshare (util-linux) runs pods")
    }
}

/// As the scheduler would; gone meanwhile is as good.
pub(super) fn place_on(api: Api, node: &str, pod: &Value) {
    let binding = json!({ "apiVersion": "v1", "kind": "Binding",
        "metadata": { "name": pod["metadata"]["name"] },
        "target": { "apiVersion": "v1", "kind": "Node", "name": node } });
    let target = format!("{}/binding", path_of(pod));
    let placed = api.send("POST", &target, "application/json", &binding);
    assert!(matches!(placed, Ok((201 | 404, _))), "{placed:?}");
}
