//! Somebody else who acts at one write of `set reconcile`: just before it reaches the server, or just after, when its answer is lost
//! as well and it has to be sent again. And an auditor, who looks at everything that is deleted.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::stage::{Stage, is_going};
use crate::cluster::faults::message::{Request, Response};
use crate::cluster::faults::script::{Action, Delivery, Number, Script};
use crate::cluster::faults::subject::Subject;
use crate::cluster::report_check::{OtherWrite, Report};

/// What somebody else does to the set, or to the member that is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meddler {
    /// No volume is wanted any more.
    Closes,
    /// One less is wanted.
    Lowers,
    /// One more is allowed, and in a run that makes them wanted.
    Raises,
    DeletesSet,
    /// Deletes the set and makes another of the same name.
    RecreatesSet,
    /// Makes a volume of the name that is next, which is no member.
    TakesName,
    /// Makes one that is a member.
    AddsMember,
    /// Runs the same command to its end.
    ReconcilesToo,
    /// Binds the member to a claim, as the controller would, and its pod writes into it; not once it is being deleted, which every
    /// client honours.
    TakesByUid,
    /// Keeps it for a claim, by name; not once it is being deleted.
    TakesByName,
    /// Takes it out of the set.
    Unlabels,
    /// Asks that it be kept.
    Keeps,
    /// Changes its policy to Retain.
    Retains,
    /// Writes a file into its directory.
    Fills,
}

/// On which side of the server's deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    /// The answer is lost.
    AfterAndLost,
}

/// What was done, and how the members were just before.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) deed: Result<String, String>,
    pub(super) before: Vec<Value>,
    /// Whether a member was being made.
    pub(super) was_making: bool,
    pub(super) request: String,
    /// The member that was about to go, or that was.
    pub(super) victim: Value,
}

/// A meddler that waits for its write.
pub(super) struct Meddling {
    pub(super) meddler: Meddler,
    pub(super) side: Side,
    pub(super) at_write: usize,
    stage: Arc<Stage>,
    same: Mutex<Option<Command>>,
    /// What the other run of the same command printed.
    other_run: Mutex<Option<Report>>,
    reached: AtomicBool,
    done: Mutex<Option<Done>>,
    /// Deletions of volumes that should not have been.
    wrongly_deleted: Mutex<Vec<String>>,
    /// The most members there ever were.
    most: Mutex<usize>,
}

impl Meddling {
    /// `same` is the command under test, past any proxy.
    pub(super) fn new(
        (meddler, side, at_write): (Meddler, Side, usize),
        stage: &Arc<Stage>,
        same: Command,
    ) -> Arc<Self> {
        let stage = Arc::clone(stage);
        Arc::new(Self {
            meddler,
            side,
            at_write,
            stage,
            same: Mutex::new(Some(same)),
            other_run: Mutex::new(None),
            reached: AtomicBool::new(false),
            done: Mutex::new(None),
            wrongly_deleted: Mutex::new(Vec::new()),
            most: Mutex::new(0),
        })
    }

    /// None if there was no such write.
    pub(super) fn done(&self) -> Option<Done> {
        let done = self.done.lock();
        done.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn wrongly_deleted(&self) -> Vec<String> {
        let found = self.wrongly_deleted.lock();
        found.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The most members there were after any write of ours.
    pub(super) fn most(&self) -> usize {
        *self.most.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The report of the other run, where there was one.
    pub(super) fn other_run(&self) -> Option<Report> {
        let other_run = self.other_run.lock();
        other_run.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What it wrote itself, for the check of the report. It removes the finalizers of all members in any case.
    pub(super) fn other_writes(&self, done: &Done) -> Vec<OtherWrite> {
        let (set, member) = (&self.stage.place.name, &self.stage.member_name(0));
        let volume = |field: &str| OtherWrite::field("PersistentVolume", member, field);
        let mut writes = vec![OtherWrite::field_of_all(
            "PersistentVolume",
            "/metadata/finalizers",
        )];
        let Ok(deed) = &done.deed else {
            return writes;
        };
        match self.meddler {
            Meddler::Closes | Meddler::Lowers | Meddler::Raises => {
                writes.push(OtherWrite::field("PersistentVolumeSet", set, "/spec"));
            }
            Meddler::DeletesSet | Meddler::RecreatesSet => {
                writes.push(OtherWrite::object("PersistentVolumeSet", set));
            }
            Meddler::TakesName | Meddler::AddsMember => {
                let name = deed.split(' ').next().unwrap_or_default();
                writes.push(OtherWrite::object("PersistentVolume", name));
            }
            Meddler::ReconcilesToo => {}
            Meddler::TakesByUid => {
                writes.extend(OtherWrite::binding_of_volume(member));
                writes.push(OtherWrite::object("PersistentVolumeClaim", "rival"));
                writes.push(OtherWrite::asset(member));
            }
            Meddler::TakesByName => writes.push(volume("/spec/claimRef")),
            Meddler::Unlabels => writes.push(volume("/metadata/labels")),
            Meddler::Keeps => writes.push(volume("/metadata/annotations/kubectl-pv.dev~1keep")),
            Meddler::Retains => writes.push(volume("/spec/persistentVolumeReclaimPolicy")),
            Meddler::Fills => writes.push(OtherWrite::asset(member)),
        }
        writes
    }

    fn patch(&self, object: &Value, change: &Value, what: &str) -> Result<String, String> {
        match self.stage.api.try_patch(object, change) {
            Ok((200, _)) => Ok(what.to_owned()),
            other => Err(format!("{other:?}")),
        }
    }

    fn resize(&self, least: u64, most: u64) -> Result<String, String> {
        let change = json!({ "spec": { "minimumReplicas": least, "maximumReplicas": most } });
        self.patch(&self.stage.set(0, 0), &change, "resized")
    }

    /// A volume made by hand under the first name that is free.
    fn make_by_hand(&self, labels: &Value) -> String {
        let stage = &self.stage;
        let volumes = stage.volumes();
        let is_free = |name: &String| {
            let mut names = volumes.iter().map(|volume| &volume["metadata"]["name"]);
            !names.any(|taken| taken == name)
        };
        let mut names = (0..9).map(|ordinal| stage.member_name(ordinal));
        let name = names.find(is_free).expect("a free name");
        let mut volume = stage.place.volume("x", "1Gi");
        volume["metadata"] = json!({ "name": name, "labels": labels });
        volume["spec"]["hostPath"]["path"] = json!(format!("/by-hand/{name}"));
        stage.api.create(&volume);
        format!("{name} by hand")
    }

    fn act(&self, victim: &Value) -> Result<String, String> {
        let stage = &self.stage;
        let is_about_member = !matches!(
            self.meddler,
            Meddler::Closes
                | Meddler::Lowers
                | Meddler::Raises
                | Meddler::DeletesSet
                | Meddler::RecreatesSet
                | Meddler::TakesName
                | Meddler::AddsMember
                | Meddler::ReconcilesToo
        );
        if is_about_member && victim.is_null() {
            return Err("it is gone".to_owned());
        }
        let reference = |claim: &Value| {
            let metadata = &claim["metadata"];
            json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": metadata["name"],
                "namespace": metadata["namespace"], "uid": metadata["uid"] })
        };
        match self.meddler {
            Meddler::Closes => self.resize(0, 0),
            Meddler::Lowers => self.resize(1, 1),
            Meddler::Raises => self.resize(3, 3),
            Meddler::DeletesSet => {
                stage.api.delete(&stage.set(0, 0));
                Ok("the set is gone".to_owned())
            }
            Meddler::RecreatesSet => {
                let found = stage.found_set();
                let mut set = stage.set(0, 0);
                set["spec"] = found["spec"].clone();
                stage.api.delete(&set);
                stage.api.create(&set);
                Ok("the set is a new one".to_owned())
            }
            Meddler::TakesName => Ok(self.make_by_hand(&json!({}))),
            Meddler::AddsMember => Ok(self.make_by_hand(&json!({ "pool": stage.place.name }))),
            Meddler::ReconcilesToo => {
                let same = self.same.lock();
                let same = same.unwrap_or_else(PoisonError::into_inner).take();
                let ended = Subject::start(same.expect("once")).wait();
                let mut other_run = self.other_run.lock();
                *other_run.as_deref_mut().expect("no thread panicked") = Some((&ended).into());
                if ended.status == Some(0) {
                    Ok("reconciled, too".to_owned())
                } else {
                    Err(format!("reconciled, too: {ended:?}"))
                }
            }
            Meddler::TakesByUid | Meddler::TakesByName if is_going(victim) => {
                Err("it is being deleted".to_owned())
            }
            Meddler::TakesByUid => {
                let mut rival = stage.place.claim("rival", "1Gi");
                rival["spec"]["volumeName"] = victim["metadata"]["name"].clone();
                let rival = stage.api.create(&rival);
                let change = json!({ "spec": { "claimRef": reference(&rival) } });
                let taken = self.patch(victim, &change, "taken")?;
                stage.api.patch_status(victim, &json!({ "phase": "Bound" }));
                stage.write_into(0)?;
                Ok(taken)
            }
            Meddler::TakesByName => {
                let mut rival = stage.place.claim("rival", "1Gi");
                rival["apiVersion"] = json!("v1");
                let change = json!({ "spec": { "claimRef": reference(&rival) } });
                self.patch(victim, &change, "kept for a claim")
            }
            Meddler::Unlabels => {
                let change = json!({ "metadata": { "labels": { "pool": null } } });
                self.patch(victim, &change, "no member any more")
            }
            Meddler::Keeps => {
                let change =
                    json!({ "metadata": { "annotations": { "kubectl-pv.dev/keep": "" } } });
                self.patch(victim, &change, "to be kept")
            }
            Meddler::Retains => {
                let change = json!({ "spec": { "persistentVolumeReclaimPolicy": "Retain" } });
                self.patch(victim, &change, "policy Retain")
            }
            Meddler::Fills => stage.write_into(0),
        }
    }

    fn meddle(&self, request: &Request) {
        let before = self.stage.members();
        let begun = &self.stage.found_set()["status"]["inProgress"];
        let was_making = begun["action"] == "Create";
        let mut volume = self.stage.place.volume("x", "1Gi");
        volume["metadata"]["name"] = json!(self.stage.member_name(0));
        let victim = self.stage.api.find(&volume).unwrap_or_default();
        let done = Done {
            deed: self.act(&victim),
            before,
            was_making,
            request: format!("{} {}", request.method, request.target()),
            victim,
        };
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
    }

    fn is_here(&self, side: Side, number: Number) -> bool {
        self.side == side
            && number.of_writes == Some(self.at_write)
            && !self.reached.swap(true, Ordering::SeqCst)
    }

    /// What was deleted has to have been an unbound, unreserved member that nobody wants to keep.
    fn audit(&self, request: &Request, answer: &Response) {
        if request.method != "DELETE" || answer.status != 200 {
            return;
        }
        let volume: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if volume["kind"] != "PersistentVolume" {
            return;
        }
        let (metadata, spec) = (&volume["metadata"], &volume["spec"]);
        let is_ours = spec["claimRef"].is_null()
            && metadata["labels"]["pool"] == self.stage.place.name
            && metadata["annotations"]["kubectl-pv.dev/keep"].is_null()
            && spec["persistentVolumeReclaimPolicy"] == "Delete";
        if !is_ours {
            let mut found = self.wrongly_deleted.lock();
            let found = found.as_mut().expect("nobody panics meanwhile");
            found.push(format!("deleted though it was {volume}"));
        }
    }
}

impl Script for Meddling {
    fn before(&self, number: Number, request: &Request) -> Action {
        if self.is_here(Side::Before, number) {
            self.meddle(request);
        }
        Action::Forward
    }

    fn after(&self, number: Number, request: &Request, answer: &Response) -> Delivery {
        self.audit(request, answer);
        if request.method == "POST" && request.path.ends_with("/persistentvolumes") {
            let members = self.stage.members();
            // There is no controller that would take the cluster's own finalizer off when it is to go.
            for member in &members {
                let change = json!({ "metadata": { "finalizers": null } });
                let _ = self.stage.api.try_patch(member, &change);
            }
            let members = members.len();
            let mut most = self.most.lock().unwrap_or_else(PoisonError::into_inner);
            *most = members.max(*most);
        }
        if self.is_here(Side::AfterAndLost, number) {
            self.meddle(request);
            return Delivery::Drop;
        }
        Delivery::Deliver
    }
}
