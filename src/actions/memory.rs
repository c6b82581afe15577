//! What a run has done so far, for the plans that follow when somebody else wrote in between or something failed.

use super::asset_work::{AssetWork, MadeAsset};
use super::give_back::Taken;
use super::operation::{Creation, Operation, Patch};
use super::outcome::{Applied, Sent};
use super::plan::{Change, Errand, Plan, Target};
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::object_ref::ObjectKey;
use crate::model::asset::Asset;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What this run has done.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    /// Volumes that carry the uid of a claim because of us.
    pub(crate) taken: Vec<Taken>,
    /// Assets that were made.
    pub(crate) assets: Vec<MadeAsset>,
    /// What went wrong for good and was not dealt with yet.
    pub(crate) failures: Vec<Failure>,
    /// Volumes that are as they were to be.
    pub(crate) finished: BTreeSet<String>,
    /// What our locks say of who wrote them; absent until something can be written.
    pub(crate) run: Option<String>,
    /// Volumes whose assets were deleted.
    pub(crate) deleted: BTreeSet<String>,
    /// Volumes whose claimRef this run removed: from then on any claim can bind them.
    pub(crate) freed: BTreeSet<String>,
    /// What `cleanup` has done to its end, as people write it.
    pub(crate) cleaned: BTreeSet<String>,
}

/// Something that went wrong for good.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) claim: Option<ObjectKey>,
    /// The set of volumes it was done for.
    pub(crate) set: Option<String>,
    pub(crate) volume: String,
    pub(crate) error: String,
    pub(crate) what: Failed,
}

/// What went wrong.
#[derive(Debug, Clone)]
pub(crate) enum Failed {
    /// No asset could be made, and none is left.
    Asset,
    /// The asset is there, and its volume could not be saved.
    Volume(Box<MadeAsset>),
    /// An asset that nobody has could not be taken back.
    TakingBack,
    /// A volume that needs no asset could not be saved.
    Member,
    /// The asset behind a volume could not be deleted.
    Deleting,
    /// The asset behind a volume could not be emptied.
    Scrubbing,
}

impl Memory {
    /// Remembers what came of a plan.
    pub(crate) fn note(&mut self, plan: &Plan, applied: &Applied) {
        self.note_finished(plan, applied);
        let results = applied.sent.iter().zip(&applied.assets);
        for (change, (sent, asset)) in plan.changes.iter().zip(results) {
            let Some(errand) = plan.errands.get(change.errand) else {
                continue;
            };
            match &change.operation {
                Operation::Asset(step) => self.note_asset(&step.work, sent, asset.as_ref()),
                Operation::Create(Creation { object: body, .. })
                | Operation::Patch(Patch { body, .. })
                    if may_be_made(sent) =>
                {
                    match change.target.kind {
                        ObjectKind::PersistentVolume => self.note_volume(body, errand),
                        ObjectKind::PersistentVolumeClaim => {
                            self.note_claim(body, &change.target, errand);
                        }
                        ObjectKind::Event
                        | ObjectKind::Pod
                        | ObjectKind::VolumeAttachment
                        | ObjectKind::PersistentVolumeSet
                        | ObjectKind::Lease
                        | ObjectKind::Asset => {}
                    }
                }
                Operation::Create(_)
                | Operation::Patch(_)
                | Operation::Delete(_)
                | Operation::Event(_)
                | Operation::Wait(_)
                | Operation::Recheck(_) => {}
            }
            if let Sent::Failed(error) | Sent::FailedWith { message: error, .. } = sent {
                self.note_failure(change, errand, error);
            }
        }
    }

    fn note_asset(&mut self, work: &AssetWork, sent: &Sent, asset: Option<&Asset>) {
        match work {
            AssetWork::Create {
                provisioner,
                request,
            } if may_be_made(sent) => {
                self.forget_asset(request.name.as_str());
                self.assets.push(MadeAsset {
                    provisioner: provisioner.clone(),
                    request: (**request).clone(),
                    asset: asset.cloned(),
                });
            }
            AssetWork::RollBack(taken_back) if may_be_made(sent) => {
                self.forget_asset(taken_back.name());
            }
            AssetWork::Delete { volume, .. } | AssetWork::DeleteEmpty { volume, .. }
                if matches!(sent, Sent::Done | Sent::AlreadyDone) =>
            {
                self.deleted.insert(volume.clone());
                self.forget_asset(volume);
            }
            _ => {}
        }
    }

    /// A volume that was reclaimed is not looked at again once all of it is done.
    fn note_finished(&mut self, plan: &Plan, applied: &Applied) {
        let mut is_open: BTreeMap<&str, bool> = BTreeMap::new();
        let mut is_left: BTreeMap<String, bool> = BTreeMap::new();
        for (change, sent) in plan.changes.iter().zip(&applied.sent) {
            let Some(errand) = plan.errands.get(change.errand) else {
                continue;
            };
            let is_made = matches!(sent, Sent::Done | Sent::AlreadyDone);
            if errand.deed.is_cleanup() {
                *is_left.entry(errand.object()).or_default() |= !is_made;
            }
            if errand.deed.is_reclaim() {
                *is_open.entry(&errand.volume).or_default() |= !is_made && !change.is_optional();
            }
        }
        let cleaned = is_left.into_iter().filter(|(_, is_left)| !is_left);
        self.cleaned.extend(cleaned.map(|(object, _)| object));
        let finished = is_open.into_iter().filter(|(_, is_open)| !is_open);
        self.finished
            .extend(finished.map(|(volume, _)| volume.to_owned()));
    }

    fn note_volume(&mut self, body: &Value, errand: &Errand) {
        // All of the claimRef, or, where a user had reserved the volume by name, the uid in it.
        let places = ["/spec/claimRef", "/spec/claimRef/uid"];
        let is_removed = |place| body.pointer(place).is_some_and(Value::is_null);
        let frees = places.into_iter().any(is_removed);
        if frees && errand.deed.is_reclaim() {
            self.freed.insert(errand.volume.clone());
        }
        if let Some(uid) = body["spec"]["claimRef"]["uid"].as_str() {
            self.taken.push(Taken {
                volume: errand.volume.clone(),
                uid: uid.to_owned(),
                claim_was_written: false,
            });
        }
    }

    fn note_claim(&mut self, body: &Value, target: &Target, errand: &Errand) {
        let names_volume = body["spec"]["volumeName"].is_string();
        let uid = target.uid.as_deref().unwrap_or_default();
        let is_it =
            |taken: &&mut Taken| names_volume && taken.volume == errand.volume && taken.uid == uid;
        let told = self.taken.iter_mut().filter(is_it);
        told.for_each(|taken| taken.claim_was_written = true);
    }

    fn note_failure(&mut self, change: &Change, errand: &Errand, error: &str) {
        let what = match &change.operation {
            Operation::Asset(step) => match &step.work {
                AssetWork::Create { .. } => Failed::Asset,
                AssetWork::Delete { .. } | AssetWork::DeleteEmpty { .. } => Failed::Deleting,
                AssetWork::Scrub { .. } => Failed::Scrubbing,
                AssetWork::DeleteLeaked { .. } | AssetWork::RollBack(_) => Failed::TakingBack,
            },
            Operation::Recheck(_) => return,
            _ if change.target.kind == ObjectKind::Pod => Failed::Scrubbing,
            Operation::Create(_) => match self.find_asset(&errand.volume) {
                Some(made) => Failed::Volume(Box::new(made.clone())),
                None if errand.deed.set().is_some() => Failed::Member,
                None => return,
            },
            Operation::Patch(_)
            | Operation::Delete(_)
            | Operation::Event(_)
            | Operation::Wait(_) => {
                return;
            }
        };
        self.failures.push(Failure {
            claim: errand.claim.clone(),
            set: errand.deed.set().map(str::to_owned),
            volume: errand.volume.clone(),
            error: error.to_owned(),
            what,
        });
    }

    /// Whether this run made the volume for the claim of that uid, and the claim was told.
    pub(crate) fn find_taken(&self, volume: &str, uid: &str) -> Option<&Taken> {
        let is_it = |taken: &&Taken| taken.volume == volume && taken.uid == uid;
        self.taken.iter().rev().find(is_it)
    }

    fn find_asset(&self, name: &str) -> Option<&MadeAsset> {
        self.assets.iter().find(|made| made.name() == name)
    }

    fn forget_asset(&mut self, name: &str) {
        self.assets.retain(|made| made.name() != name);
    }
}

/// Whether it was made, or got no clear answer and may have been.
fn may_be_made(sent: &Sent) -> bool {
    matches!(
        sent,
        Sent::Done
            | Sent::DoneAndChanged
            | Sent::AlreadyDone
            | Sent::Unanswered(_)
            | Sent::Unclear(_)
    )
}
