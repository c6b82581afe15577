//! Somebody else who acts just before one of the requests of `reclaim`, and what must be true ever after.

use std::fs;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::trial::{OUR_LOCK, Trial};
use super::wish::{Wish, is_going};
use crate::cluster::faults::api::Api;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::forward;
use crate::cluster::faults::script::{Action, Number, Script};
use crate::cluster::faults::subject::Subject;
use crate::cluster::report_check::{OtherWrite, Report};

/// What somebody else does to the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meddler {
    Labels,
    /// Gives it to a claim that is there, as the controller or a person would, and the claim's pod writes into it; not once it
    /// is being deleted, which every client honours.
    Takes,
    /// Changes their mind: policy Retain.
    Retains,
    /// Asks that it be kept: the opt-out.
    Keeps,
    /// Holds it with a finalizer of their own.
    Holds,
    /// Takes our finalizer off.
    Unlocks,
    /// Deletes it, as `kubectl delete` does.
    Deletes,
    /// Deletes it by force: it is gone at once.
    Destroys,
    /// By force, and then there is another of that name and place, which a claim has and a pod writes into.
    Replaces,
    /// The claim comes back under its name, with another uid.
    ClaimReturns,
    /// Offers it again, data and all, with our own command.
    Reuses,
    /// Runs the same command to its end.
    ReclaimsToo,
}

impl Meddler {
    pub(super) const ALL: [Self; 12] = [
        Self::Labels,
        Self::Takes,
        Self::Retains,
        Self::Keeps,
        Self::Holds,
        Self::Unlocks,
        Self::Deletes,
        Self::Destroys,
        Self::Replaces,
        Self::ClaimReturns,
        Self::Reuses,
        Self::ReclaimsToo,
    ];
}

/// What was done, and in what state the volume was just before; null without one.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) deed: Result<String, String>,
    pub(super) before: Value,
    /// Whether the asset still had everything in it.
    pub(super) had_data: bool,
    /// The request it was done before.
    pub(super) request: String,
    /// The uid of the volume that is to stay.
    pub(super) uid: Value,
    /// The uid of the claim that has it.
    pub(super) owner: Value,
}

/// Before which requests somebody may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moments {
    Writes,
    /// Writes, and looks for the controller's recycler, between which the asset is worked on.
    WritesAndLooks,
}

impl Moments {
    fn has(self, number: Number, request: &Request) -> bool {
        let is_look = request.method == "GET" && request.query.contains("fieldSelector");
        number.of_writes.is_some() || (self == Self::WritesAndLooks && is_look)
    }
}

/// A meddler that waits for its moment.
pub(super) struct Meddling {
    meddler: Meddler,
    moments: Moments,
    /// The how-manyth of the moments it acts at.
    at: usize,
    passed: AtomicUsize,
    api: Api,
    volume: Value,
    claim: Value,
    rival: Value,
    asset: std::path::PathBuf,
    commands: Mutex<Option<Command>>,
    /// What the other run printed.
    other_run: Mutex<Option<Report>>,
    reached: AtomicBool,
    done: Mutex<Option<Done>>,
    /// Where requests go without what they demand of the object.
    careless: Option<SocketAddr>,
}

impl Meddling {
    /// In a trial with the volume `v`; past any proxy is where `kubeconfig` leads.
    pub(super) fn new(
        (meddler, at, moments): (Meddler, usize, Moments),
        trial: &Trial,
        wish: Wish,
        kubeconfig: &str,
    ) -> Self {
        let mut rival = trial.place.claim("rival", "1Gi");
        rival["spec"]["storageClassName"] = json!(format!("{}-rival", trial.place.name));
        let arguments = match meddler {
            Meddler::Reuses => vec![format!("{}-v", trial.place.name), "--reuse".to_owned()],
            _ => wish.arguments(trial),
        };
        Self {
            meddler,
            moments,
            at,
            passed: AtomicUsize::new(0),
            api: trial.api,
            volume: trial.volume("v", wish.policy()),
            claim: trial.place.claim("claim-of-v", "1Gi"),
            rival: trial.api.create(&rival),
            asset: trial.asset("v"),
            commands: Mutex::new(Some(trial.reclaim(kubeconfig, &arguments).command())),
            other_run: Mutex::new(None),
            reached: AtomicBool::new(false),
            done: Mutex::new(None),
            careless: None,
        }
    }

    /// From now on every request arrives without its preconditions, as from a client that does not care.
    pub(super) fn careless(mut self, upstream: SocketAddr) -> Self {
        self.careless = Some(upstream);
        self
    }

    /// None if there was no such moment.
    pub(super) fn done(&self) -> Option<Done> {
        let done = self.done.lock();
        done.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The report of the other run, where there was one.
    pub(super) fn other_run(&self) -> Option<Report> {
        let other_run = self.other_run.lock();
        other_run.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it wrote itself, for the check of the report.
    pub(super) fn other_writes(&self, done: &Done) -> Vec<OtherWrite> {
        let name = self.volume["metadata"]["name"].as_str().unwrap_or_default();
        let asset = self.asset.file_name().unwrap_or_default().to_string_lossy();
        let volume = |field: &str| vec![OtherWrite::field("PersistentVolume", name, field)];
        if done.deed.is_err() {
            return Vec::new();
        }
        match self.meddler {
            Meddler::Labels => volume("/metadata/labels/meddled"),
            Meddler::Takes => {
                let mut writes = OtherWrite::binding_of_volume(name);
                writes.push(OtherWrite::asset(&asset));
                writes
            }
            Meddler::Retains => volume("/spec/persistentVolumeReclaimPolicy"),
            Meddler::Keeps => volume("/metadata/annotations/kubectl-pv.dev~1keep"),
            Meddler::Holds | Meddler::Unlocks => volume("/metadata/finalizers"),
            Meddler::Deletes | Meddler::Destroys => volume(""),
            Meddler::Replaces => vec![
                OtherWrite::object("PersistentVolume", name),
                OtherWrite::asset(&asset),
            ],
            Meddler::ClaimReturns => {
                vec![OtherWrite::object("PersistentVolumeClaim", "claim-of-v")]
            }
            Meddler::Reuses | Meddler::ReclaimsToo => Vec::new(),
        }
    }

    /// A claim has it and its pod writes into it.
    fn settle(&self) {
        fs::create_dir_all(&self.asset).expect("its directory is made where it is used");
        fs::write(self.asset.join("mine"), "mine").expect("the next owner writes");
    }

    fn reference(&self) -> Value {
        let metadata = &self.rival["metadata"];
        json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": metadata["name"],
            "namespace": metadata["namespace"], "uid": metadata["uid"] })
    }

    fn patch(&self, change: &Value, what: &str) -> Result<String, String> {
        match self.api.try_patch(&self.volume, change) {
            Ok((200, _)) => Ok(what.to_owned()),
            other => Err(format!("{other:?}")),
        }
    }

    fn replace(&self) -> String {
        self.api.delete(&self.volume);
        let mut volume = self.volume.clone();
        volume["spec"]["claimRef"] = self.reference();
        self.api.create(&volume);
        self.api.patch_status(&volume, &json!({ "phase": "Bound" }));
        self.settle();
        "replaced".to_owned()
    }

    fn run(&self) -> Result<String, String> {
        let command = self.commands.lock();
        let command = command.unwrap_or_else(PoisonError::into_inner).take();
        let ended = Subject::start(command.expect("once")).wait();
        let mut other_run = self.other_run.lock();
        *other_run.as_deref_mut().expect("no thread panicked") = Some((&ended).into());
        if ended.status == Some(0) {
            return Ok("ran".to_owned());
        }
        Err(format!("{ended:?}"))
    }

    fn act(&self, before: &Value) -> Result<String, String> {
        if before.is_null() && self.meddler != Meddler::Replaces {
            return Err("it is gone".to_owned());
        }
        let finalizers = before["metadata"]["finalizers"].as_array();
        let finalizers = finalizers.cloned().unwrap_or_default();
        match self.meddler {
            Meddler::Takes | Meddler::Holds | Meddler::Reuses if is_going(before) => {
                Err("it is being deleted".to_owned())
            }
            Meddler::Labels => {
                let change = json!({ "metadata": { "labels": { "meddled": "yes" } } });
                self.patch(&change, "labelled")
            }
            Meddler::Takes => {
                let taken = self.patch(
                    &json!({ "spec": { "claimRef": self.reference() } }),
                    "taken",
                )?;
                let phase = json!({ "phase": "Bound" });
                self.api.patch_status(&self.volume, &phase);
                self.settle();
                Ok(taken)
            }
            Meddler::Retains => {
                let change = json!({ "spec": { "persistentVolumeReclaimPolicy": "Retain" } });
                self.patch(&change, "policy Retain")
            }
            Meddler::Keeps => {
                let change =
                    json!({ "metadata": { "annotations": { "kubectl-pv.dev/keep": "" } } });
                self.patch(&change, "to be kept")
            }
            Meddler::Holds => {
                let mut held = finalizers;
                held.push(json!("example.com/hold"));
                self.patch(&json!({ "metadata": { "finalizers": held } }), "held")
            }
            Meddler::Unlocks => {
                let mut held = finalizers;
                held.retain(|name| name != OUR_LOCK);
                self.patch(&json!({ "metadata": { "finalizers": held } }), "unlocked")
            }
            Meddler::Deletes => {
                let name = self.volume["metadata"]["name"].as_str().unwrap_or_default();
                let path = format!("/api/v1/persistentvolumes/{name}");
                let sent = self
                    .api
                    .send("DELETE", &path, "application/json", &Value::Null);
                sent.map(|_| "deleted".to_owned())
                    .map_err(|error| error.to_string())
            }
            Meddler::Destroys => {
                self.api.delete(&self.volume);
                Ok("gone".to_owned())
            }
            Meddler::Replaces => Ok(self.replace()),
            Meddler::ClaimReturns => {
                self.api.create(&self.claim);
                Ok("the claim is back".to_owned())
            }
            Meddler::Reuses | Meddler::ReclaimsToo => self.run(),
        }
    }

    fn meddle(&self, request: &Request) {
        let before = self.api.find(&self.volume).unwrap_or_default();
        let had_data = self.asset.join("deep/file").exists();
        let deed = self.act(&before);
        let now = self.api.find(&self.volume).unwrap_or_default();
        let done = Done {
            deed,
            before,
            had_data,
            request: format!("{} {}", request.method, request.target()),
            uid: now["metadata"]["uid"].clone(),
            owner: self.rival["metadata"]["uid"].clone(),
        };
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    }
}

impl Script for Meddling {
    fn before(&self, number: Number, request: &Request) -> Action {
        if self.moments.has(number, request) {
            let passed = self.passed.fetch_add(1, Ordering::SeqCst) + 1;
            if passed == self.at && !self.reached.swap(true, Ordering::SeqCst) {
                self.meddle(request);
            }
        }
        match self.careless {
            Some(upstream) if number.of_writes.is_some() => {
                match forward(upstream, &without_preconditions(request)) {
                    Ok(answer) => Action::Answer(answer),
                    Err(_) => Action::Drop,
                }
            }
            _ => Action::Forward,
        }
    }
}

/// The request of a client that does not say which object it means, and in which version.
fn without_preconditions(request: &Request) -> Request {
    let mut request = request.clone();
    if let Ok(mut body) = serde_json::from_slice::<Value>(&request.body) {
        if let Some(metadata) = body.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("uid");
            metadata.remove("resourceVersion");
        }
        if request.method == "DELETE" {
            body["preconditions"] = json!({});
        }
        request.body = body.to_string().into_bytes();
    }
    request
}
