//! Somebody else who writes just before one of the writes of `provision`: as the meddlers of
//! `faults/meddlers.rs`, for a volume that does not exist at the beginning.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::faults::api::Api;
use crate::cluster::faults::meddlers::{Deed, bind};
use crate::cluster::faults::message::Request;
use crate::cluster::faults::script::{Action, Number, Script};
use crate::cluster::faults::subject::Subject;
use crate::cluster::report_check::{OtherWrite, Report};

/// What somebody else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meddler {
    /// Labels the claim, and the new volume if it is there.
    Labels,
    /// Adds a volume that fits and binds the claim to it, as an administrator and the controller would;
    /// not possible once the claim names another.
    BindsClaimElsewhere,
    DeletesClaim,
    /// Deletes the claim and makes a new one of the same name.
    RecreatesClaim,
    /// Writes another claim into the new volume, as nobody should.
    StealsVolume,
    DeletesVolume,
    /// Runs the same command to its end.
    ProvisionsToo,
}

impl Meddler {
    pub(super) const ALL: [Self; 7] = [
        Self::Labels,
        Self::BindsClaimElsewhere,
        Self::DeletesClaim,
        Self::RecreatesClaim,
        Self::StealsVolume,
        Self::DeletesVolume,
        Self::ProvisionsToo,
    ];
}

/// What was done, and in what state the claim was just before; null without a claim.
#[derive(Clone, Debug)]
pub(super) struct Done {
    pub(super) deed: Deed,
    pub(super) claim: Value,
    /// The write it was done before.
    pub(super) before: String,
}

impl Done {
    /// Had all been done by then?
    pub(super) fn came_too_late(&self) -> bool {
        self.claim["status"]["phase"] == "Bound"
    }

    /// A write of the claim, or of an event: nothing in it can tell what became of the volume meanwhile.
    pub(super) fn was_about_the_claim(&self) -> bool {
        !self.before.contains("/persistentvolumes")
    }
}

/// A meddler that waits for its write.
pub(super) struct Meddling {
    meddler: Meddler,
    at_write: usize,
    api: Api,
    claim: Value,
    spare: Value,
    rival: Value,
    same: Mutex<Option<Command>>,
    /// What the other run of the same command printed.
    other_run: Mutex<Option<Report>>,
    reached: AtomicBool,
    done: Mutex<Option<Done>>,
}

impl Meddling {
    /// In a scene whose claim exists. `same` is the command under test, past any proxy.
    pub(super) fn new(
        meddler: Meddler,
        at_write: usize,
        scene: &Scene,
        same: Command,
    ) -> Arc<Self> {
        let mut rival = scene.place.claim("rival", "1Gi");
        rival["spec"]["storageClassName"] = json!(format!("{}-rival", scene.place.name));
        scene.api.create(&rival);
        Arc::new(Self {
            meddler,
            at_write,
            api: scene.api,
            claim: scene.claim(),
            spare: scene.place.volume("spare", "2Gi"),
            rival,
            same: Mutex::new(Some(same)),
            other_run: Mutex::new(None),
            reached: AtomicBool::new(false),
            done: Mutex::new(None),
        })
    }

    /// None if there was no such write.
    pub(super) fn done(&self) -> Option<Done> {
        let done = self.done.lock();
        done.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The report of the other run, where there was one.
    pub(super) fn other_run(&self) -> Option<Report> {
        lock(&self.other_run).clone()
    }

    /// What it wrote itself, for the check of the report.
    pub(super) fn other_writes(&self, done: &Done) -> Vec<OtherWrite> {
        let uid = done.claim["metadata"]["uid"].as_str().unwrap_or_default();
        let volume = format!("pvc-{uid}");
        let spare = self.spare["metadata"]["name"].as_str().unwrap_or_default();
        if done.deed.is_err() {
            return Vec::new();
        }
        match self.meddler {
            Meddler::Labels => ["PersistentVolume", "PersistentVolumeClaim"]
                .map(|kind| OtherWrite::field_of_all(kind, "/metadata/labels/meddled"))
                .to_vec(),
            Meddler::BindsClaimElsewhere => {
                let mut writes = OtherWrite::binding_of_claim("data");
                writes.push(OtherWrite::object("PersistentVolume", spare));
                writes
            }
            Meddler::DeletesClaim | Meddler::RecreatesClaim => {
                vec![OtherWrite::object("PersistentVolumeClaim", "data")]
            }
            Meddler::StealsVolume => {
                let mut writes = OtherWrite::binding_of_volume(&volume);
                writes.extend(OtherWrite::binding_of_claim("rival"));
                writes
            }
            Meddler::DeletesVolume => vec![OtherWrite::object("PersistentVolume", &volume)],
            Meddler::ProvisionsToo => Vec::new(),
        }
    }

    fn act(&self, claim: &Value) -> Deed {
        let uid = claim["metadata"]["uid"].as_str().unwrap_or_default();
        let made = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": format!("pvc-{uid}") },
        });
        let is_made = self.api.find(&made).is_some();
        match self.meddler {
            Meddler::Labels => {
                let change = json!({ "metadata": { "labels": { "meddled": "yes" } } });
                self.api.patch(&self.claim, &change);
                if is_made {
                    self.api.patch(&made, &change);
                }
                Ok("labelled".to_owned())
            }
            Meddler::BindsClaimElsewhere if claim["spec"]["volumeName"].is_string() => {
                Err("the claim names a volume already".to_owned())
            }
            Meddler::BindsClaimElsewhere => {
                self.api.create(&self.spare);
                bind(self.api, &self.spare, &self.claim)
            }
            Meddler::DeletesClaim => {
                self.api.delete(&self.claim);
                Ok("the claim is gone".to_owned())
            }
            Meddler::RecreatesClaim => {
                self.api.delete(&self.claim);
                self.api.create(&self.claim);
                Ok("the claim is a new one".to_owned())
            }
            Meddler::StealsVolume | Meddler::DeletesVolume if !is_made => {
                Err("there is no volume yet".to_owned())
            }
            Meddler::StealsVolume => bind(self.api, &made, &self.rival),
            Meddler::DeletesVolume => {
                self.api.delete(&made);
                Ok("the volume is gone".to_owned())
            }
            Meddler::ProvisionsToo => {
                let same = self
                    .same
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take();
                let ended = Subject::start(same.expect("once")).wait();
                *lock(&self.other_run) = Some((&ended).into());
                if ended.status == Some(0) {
                    Ok("provisioned, too".to_owned())
                } else {
                    Err(format!("provisioned, too: {ended:?}"))
                }
            }
        }
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Script for Meddling {
    fn before(&self, number: Number, request: &Request) -> Action {
        let is_here = number.of_writes == Some(self.at_write);
        if is_here && !self.reached.swap(true, Ordering::SeqCst) {
            let claim = self.api.find(&self.claim).unwrap_or_default();
            let done = Done {
                deed: self.act(&claim),
                claim,
                before: format!("{} {}", request.method, request.path),
            };
            *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
        }
        Action::Forward
    }
}
