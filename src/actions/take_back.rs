//! What was made for a claim that is gone, or has another volume by now, goes again: the volume first, behind our lock, then
//! its asset, which must be as empty as it was made. Whatever somebody may have used is left for `reclaim`.

use super::asset_check::{AssetCheck, check_asset};
use super::asset_work::{AssetWork, MadeAsset};
use super::backend_facts::AssetOf;
use super::bind_writes::mark_volume;
use super::delete_behind_lock::delete_behind_lock;
use super::draft::Draft;
use super::inquiry::Inquiry;
use super::memory::Memory;
use super::operation::AssetStep;
use super::plan::{Deed, Errand, Target};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations::{KEEP, OWN_DELETION};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use crate::engine::find_sharer;
use crate::engine::refusal::{Refusal, Standing};
use crate::model::asset::{AssetName, AssetUse, CreateRequest, Owner};
use crate::model::{ClaimRef, ClusterState, Host, Kind, ReclaimPolicy, Volume, VolumePhase};
use serde_json::json;
use std::collections::BTreeMap;

/// Whose leftovers are looked for.
pub(super) struct Leftovers<'a> {
    pub(super) inquiry: &'a Inquiry<'a>,
    pub(super) memory: &'a Memory,
    /// What this machine is called.
    pub(super) host: Option<&'a Host>,
    /// Whether a claim of this name was asked about.
    pub(super) is_asked: &'a dyn Fn(&ObjectKey) -> bool,
}

/// Plans to take back everything that is left over.
pub(super) fn take_back(draft: &mut Draft, leftovers: &Leftovers<'_>) {
    let volumes: Vec<(Volume, ClaimRef)> = draft
        .state
        .volumes()
        .iter()
        .filter_map(|volume| Some((volume.clone(), volume.claim_ref.clone()?)))
        .filter(|(volume, reference)| leftovers.include(&draft.state, volume, reference))
        .collect();
    for (volume, reference) in volumes {
        match leftovers.was_never_used(&volume, &reference) {
            Some(true) => leftovers.take_back_volume(draft, volume, &reference),
            Some(false) => leftovers.release(draft, volume, &reference),
            None => {}
        }
    }
    leftovers.take_back_assets(draft);
}

impl Leftovers<'_> {
    fn include(&self, state: &ClusterState, volume: &Volume, reference: &ClaimRef) -> bool {
        let key = reference.key();
        let is_ours = volume
            .provisioned_by()
            .is_some_and(|name| self.inquiry.find(name).is_some());
        let is_locked = volume.finalizers.iter().any(|name| name == OWN_DELETION);
        is_ours
            && (self.is_asked)(&key)
            && volume.reclaim_policy == ReclaimPolicy::Delete
            && !volume.has_annotation(KEEP)
            && reference.uid.is_some()
            && state.saw(Kind::Claims, Some(&key.namespace))
            && !is_wanted(state, &key, reference.uid.as_deref(), &volume.name)
            && (volume.deleted.is_none() || is_locked)
            && find_sharer(state, &volume.source, &volume.name).is_none()
    }

    /// The volume behind our lock first, then its asset, then the lock.
    fn take_back_volume(&self, draft: &mut Draft, volume: Volume, reference: &ClaimRef) {
        let key = reference.key();
        let Some(made) = made_asset(&volume, reference) else {
            return;
        };
        let wanted = AssetUse::Delete;
        let (state, name) = (&draft.state, &made.provisioner);
        let check = AssetCheck::of_volume(state, &volume, name, wanted, self.host);
        let check = match check_asset(self.inquiry, draft, check, true) {
            // The backend is asked first.
            None => return,
            Some(Ok(check)) => check,
            Some(Err(evidence)) => {
                let target = Target::volume(&volume.name, volume.uid.as_ref());
                return draft.refuse(target, Refusal::new(evidence).standing(Standing::Fine));
            }
        };
        let why = why_unwanted(&draft.state, &key, reference.uid.as_deref());
        draft.begin(errand(&key, &volume.name, &why));
        let first = draft.plan.changes.len();
        delete_behind_lock(draft, volume, &why, |draft, locked| {
            roll_back(draft, made, locked, &why);
        });
        draft.check_before(first, check);
    }

    /// What somebody may have used stays, for `reclaim`; no longer bound to nobody if this run bound it (R77).
    fn release(&self, draft: &mut Draft, volume: Volume, reference: &ClaimRef) {
        let key = reference.key();
        let uid = reference.uid.as_deref().unwrap_or_default();
        let is_ours = self.memory.find_taken(&volume.name, uid).is_some();
        let is_stale = matches!(
            volume.phase,
            VolumePhase::Pending | VolumePhase::Available | VolumePhase::Bound
        );
        if is_ours && is_stale {
            let why = why_unwanted(&draft.state, &key, reference.uid.as_deref());
            draft.begin(Errand {
                claim: Some(key),
                volume: volume.name.clone(),
                what: format!("is released: {why}"),
                deed: Deed::GiveBack,
            });
            mark_volume(draft, volume, VolumePhase::Released, &why);
        }
    }

    /// The asset must be as it was made: even what this run has marked Bound itself somebody may have used while we slept,
    /// and what another machine has made only that machine can take back. Where a program cannot tell, a volume that
    /// nobody has marked Bound was never used. `None` until the backend has answered.
    fn was_never_used(&self, volume: &Volume, reference: &ClaimRef) -> Option<bool> {
        // Behind the lock it was decided before.
        if volume.deleted.is_some() {
            return Some(true);
        }
        let Some(made) = made_asset(volume, reference) else {
            return Some(false);
        };
        let Some(backend) = self.inquiry.find(&made.provisioner) else {
            return Some(false);
        };
        let is_unseen = matches!(volume.phase, VolumePhase::Pending | VolumePhase::Available);
        if is_unseen && !backend.keeps_records {
            return Some(true);
        }
        let asset = AssetOf::of_request(&made.provisioner, &made.request);
        self.inquiry.is_unused(asset)
    }

    /// Assets without a volume: made by this run, or by one that was interrupted, for claims that went elsewhere.
    fn take_back_assets(&self, draft: &mut Draft) {
        let mut found = self.memory.assets.clone();
        for backend in self.inquiry.backends() {
            let unused = self.inquiry.unused_assets(&backend.provisioner);
            for unused in unused.unwrap_or_default() {
                if !found.iter().any(|known| known.request.name == unused.name) {
                    found.push(MadeAsset {
                        provisioner: backend.provisioner.clone(),
                        request: request(unused.name.clone(), unused.owner.clone()),
                        asset: None,
                    });
                }
            }
        }
        for made in found {
            let Owner::Claim {
                namespace,
                name,
                uid,
            } = made.request.owner.clone()
            else {
                continue;
            };
            let key = ObjectKey::new(&*namespace, &*name);
            let volume = made.name().to_owned();
            let has_volume = draft.state.find_volume(&volume).is_some();
            let is_known = draft.state.saw(Kind::Volumes, None)
                && draft.state.saw(Kind::Claims, Some(&namespace));
            let is_wanted = is_wanted(&draft.state, &key, Some(&uid), &volume);
            if has_volume || is_wanted || !is_known || !(self.is_asked)(&key) {
                continue;
            }
            let why = why_unwanted(&draft.state, &key, Some(&uid));
            draft.begin(errand(&key, &volume, &why));
            roll_back(draft, made, None, &why);
        }
    }
}

/// Plans the end of an asset that nobody has used;
/// where it is may be told by the answer of an earlier change.
pub(super) fn roll_back(draft: &mut Draft, made: MadeAsset, source_of: Option<usize>, why: &str) {
    let name = made.name().to_owned();
    let shown = json!({
        "provisioner": made.provisioner,
        "owner": made.request.owner,
        "onlyIfUnused": true,
    });
    let step = AssetStep {
        work: AssetWork::RollBack(Box::new(made)),
        shown,
        source_of,
    };
    draft.work(&name, step, why.to_owned());
}

/// Whether the claim of that uid may still get the volume.
fn is_wanted(state: &ClusterState, key: &ObjectKey, uid: Option<&str>, volume: &str) -> bool {
    state.find_claim(key).is_some_and(|claim| {
        let has_it = claim.volume_name.as_ref().is_none_or(|name| name == volume);
        let stays = claim.deleted.is_none() || claim.volume_name.is_some();
        claim.uid.as_deref() == uid && has_it && stays
    })
}

fn why_unwanted(state: &ClusterState, key: &ObjectKey, uid: Option<&str>) -> String {
    let claim = state
        .find_claim(key)
        .filter(|claim| claim.uid.as_deref() == uid);
    match claim.and_then(|claim| claim.volume_name.as_ref()) {
        Some(other) => format!("it was made for {key}, which has {other} by now"),
        None => format!("it was made for a claim {key} that is gone"),
    }
}

/// The asset behind a volume of ours.
fn made_asset(volume: &Volume, reference: &ClaimRef) -> Option<MadeAsset> {
    let owner = Owner::Claim {
        namespace: reference.namespace.clone(),
        name: reference.name.clone(),
        uid: reference.uid.clone()?,
    };
    Some(MadeAsset {
        provisioner: volume.provisioned_by()?.to_owned(),
        request: request(AssetName::find(&volume.name)?, owner),
        asset: None,
    })
}

/// A request of which only name and owner are known: enough to take back what it made.
pub(super) fn request(name: AssetName, owner: Owner) -> CreateRequest {
    CreateRequest {
        name,
        owner,
        size: Quantity::zero(),
        policy: ReclaimPolicy::Delete,
        class: String::new(),
        access_modes: AccessModes::default(),
        volume_mode: VolumeMode::default(),
        parameters: BTreeMap::new(),
        options: BTreeMap::new(),
        node: None,
    }
}

fn errand(claim: &ObjectKey, volume: &str, why: &str) -> Errand {
    Errand {
        claim: Some(claim.clone()),
        volume: volume.to_owned(),
        what: format!("is taken back: {why}"),
        deed: Deed::TakeBack,
    }
}
