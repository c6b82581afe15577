//! Members go while there are too many: the largest that nobody has first, behind our lock, and only what is ours. What may hold
//! somebody's data stays.

use super::super::asset_check::{AssetCheck, check_asset, is_asset_gone};
use super::super::asset_work::AssetWork;
use super::super::delete_behind_lock::{delete_behind_lock, without_lock};
use super::super::event::{Happening, News, tell_of_set};
use super::super::operation::{Action, AssetStep, Patch};
use super::super::plan::{Deed, Errand, Loss};
use super::Work;
use super::recording::DELETE;
use crate::conventions::annotations::{OWN_DELETION, SET_ORDINAL, SET_UID};
use crate::engine::own_marks::is_locked;
use crate::engine::refusal::{ReclaimEvidence, Refusal, SetEvidence, Standing};
use crate::engine::volume_set::{find_members, largest_first};
use crate::engine::{EndingQuestion, OwnDeletion, decide_surplus};
use crate::model::asset::{AssetName, AssetUse, Owner};
use crate::model::{Volume, VolumePhase};
use crate::report::{Code, Danger};
use serde_json::json;

/// The deletion of a member, and whether it is known to be empty.
type Judged = Option<(OwnDeletion, Option<bool>, Option<AssetCheck>)>;

impl Work<'_> {
    /// Deletes to their end members that an earlier run has begun to delete.
    pub(super) fn finish_removals(&mut self) {
        if !self.question.deletes {
            return;
        }
        let is_begun = |volume: &&Volume| is_locked(volume) && volume.claim_ref.is_none();
        let volumes = self.draft.state.volumes().iter();
        let own = volumes.filter(|volume| self.is_own(volume));
        let begun: Vec<Volume> = own.filter(is_begun).cloned().collect();
        for volume in begun {
            if !self.may_go_on() {
                return;
            }
            match self.judge(&volume) {
                Ok(Some(judged)) => self.remove_one(volume, judged),
                Ok(None) => self.steps += 1,
                Err(left) => self.note_member(&volume.name, volume.uid.as_ref(), left),
            }
        }
    }

    /// Plans the end of as many members.
    pub(super) fn remove(&mut self, surplus: u64) {
        let members = find_members(&self.draft.state, &self.set);
        let candidates: Vec<Volume> = largest_first(&members).into_iter().cloned().collect();
        let mut left = surplus;
        if surplus > 0 && !self.question.deletes {
            let evidence = SetEvidence::DeletionNotAllowed { surplus };
            return self.note(evidence, Standing::Refused);
        }
        if let Some(name) = self
            .set
            .provisioner()
            .filter(|name| surplus > 0 && self.inquiry.find(name).is_none())
        {
            let name = name.to_owned();
            let evidence = SetEvidence::DeleterNotConfigured { surplus, name };
            return self.note(evidence, Standing::Refused);
        }
        for volume in candidates {
            if left == 0 || !self.may_go_on() {
                return;
            }
            match self.judge(&volume) {
                Ok(Some(judged)) => {
                    self.remove_one(volume, judged);
                    left -= 1;
                }
                // Until the backend has answered, it is taken to be deleted: no more are asked about than are too many.
                Ok(None) => {
                    self.steps += 1;
                    left -= 1;
                }
                Err(why) => {
                    // Another run may just have deleted it: then another member would be one too many.
                    if why.code() == Code::AssetMissing {
                        left -= 1;
                    }
                    self.note_member(&volume.name, volume.uid.as_ref(), why);
                }
            }
        }
        if left > 0 {
            let evidence = SetEvidence::AboveMaximum { surplus: left };
            self.note(evidence, Standing::Fine);
        }
    }

    /// Takes our lock off volumes that were to be deleted and stay: somebody else has got them since, or wants them kept.
    pub(super) fn unlock(&mut self) {
        // What was released `reclaim` may be about to delete.
        let is_kept = |volume: &&Volume| {
            let is_locked = volume.finalizers.iter().any(|name| name == OWN_DELETION);
            let is_released = matches!(volume.phase, VolumePhase::Released | VolumePhase::Failed);
            is_locked && volume.deleted.is_none() && !is_released
        };
        let volumes = self.draft.state.volumes().iter();
        let own = volumes.filter(|volume| self.is_own(volume));
        let locked: Vec<Volume> = own.filter(is_kept).cloned().collect();
        for volume in locked {
            let why = "it was to be deleted, and is not any more";
            self.draft.begin(Errand {
                claim: None,
                volume: volume.name.clone(),
                what: format!("unlocked: {why}"),
                deed: Deed::GiveBack,
            });
            let body = json!({ "metadata": { "finalizers": without_lock(&volume) } });
            self.draft
                .patch((&volume).into(), Patch::object(body), why.to_owned());
        }
    }

    /// Whether it is a member, or was provisioned as one.
    fn is_own(&self, volume: &Volume) -> bool {
        let made_for = volume.annotations.get(SET_UID);
        self.set.selects(volume) || made_for.is_some() && made_for == self.set.uid.as_ref()
    }

    /// Whether a member may go, and whether it is known to be empty; absent until its backend has answered.
    fn judge(&mut self, volume: &Volume) -> Result<Judged, Refusal> {
        let Some(own) = self.inquiry.holder(volume) else {
            return Ok(None);
        };
        let unread = |why| Refusal::new(ReclaimEvidence::BackendNotReadable { why });
        let own = own.map_err(unread)?;
        let host = self.question.host.filter(|_| self.question.is_live);
        let state = &self.draft.state;
        let is_gone = is_asset_gone(self.inquiry, state, volume, own.as_ref(), host);
        let Some(is_asset_gone) = is_gone else {
            return Ok(None);
        };
        let asked = EndingQuestion {
            volume,
            is_named: false,
            own: own.as_ref(),
            has_recycler_image: false,
            recycler_namespace: None,
            recycler_node: None,
            host: self.question.host,
            is_asset_gone,
        };
        let deletion = decide_surplus(&self.draft.state, &self.set, &asked)?;
        let (state, name) = (&self.draft.state, &deletion.provisioner);
        let (wanted, host) = (AssetUse::Delete, self.question.host);
        let check = AssetCheck::of_volume(state, volume, name, wanted, host);
        let checked = check_asset(self.inquiry, self.draft, check, self.question.is_live);
        let check = match checked {
            None => return Ok(None),
            Some(Ok(check)) => check,
            Some(Err(evidence)) => return Err(Refusal::new(evidence)),
        };
        // What is on this machine has nothing to do with files.
        if !self.question.is_live {
            return Ok(Some((deletion, None, None)));
        }
        let Some(is_empty) = self.inquiry.is_empty(volume, self.made_for(volume)) else {
            return Ok(None);
        };
        let backend = self.inquiry.find(&deletion.provisioner);
        let keeps_records = backend.is_some_and(|backend| backend.keeps_records);
        let is_known = match is_empty {
            Some(false) => true,
            // Of directories that can be told; where it cannot, something may be in there.
            None if keeps_records => false,
            _ => return Ok(Some((deletion, is_empty, check))),
        };
        Err(Refusal::new(SetEvidence::HoldsData { is_known }))
    }

    /// The name and the owner that a member was provisioned for, as it states them itself.
    fn made_for(&self, volume: &Volume) -> Option<(AssetName, Owner)> {
        let owner = Owner::Set {
            name: self.set.name.clone(),
            uid: volume.annotations.get(SET_UID)?.clone(),
            ordinal: volume.annotations.get(SET_ORDINAL)?.parse().ok()?,
        };
        Some((AssetName::find(&volume.name)?, owner))
    }

    fn remove_one(
        &mut self,
        volume: Volume,
        (deletion, is_empty, check): (OwnDeletion, Option<bool>, Option<AssetCheck>),
    ) {
        let (name, set) = (volume.name.clone(), self.set.name.clone());
        let provisioner = deletion.provisioner.clone();
        let levels = self.levels;
        let is_member = self.set.selects(&volume);
        let size = volume.capacity.to_string();
        let is_known_empty = is_empty == Some(true);
        let loss = (!is_known_empty).then(|| Loss {
            size: size.clone(),
            of: None,
        });
        let what = if is_known_empty {
            format!("deleted by {provisioner}: {size}, unbound and empty")
        } else {
            format!("deleted by {provisioner}, data and all: {size}, unbound")
        };
        self.draft.begin(Errand {
            claim: None,
            volume: name.clone(),
            what,
            deed: Deed::DeleteMember { set, loss },
        });
        let noted = self.draft.plan.changes.len();
        self.note_removal(DELETE, &name);
        let first = self.draft.plan.changes.len();
        let why = if deletion.is_begun {
            "its deletion was begun".to_owned()
        } else {
            format!(
                "{} volumes in all, at most {} are wanted; it is the largest that nobody has",
                levels.total, self.set.maximum
            )
        };
        let shown = json!({
            "provisioner": provisioner, "source": volume.source.spelled(), "onlyIfEmpty": is_known_empty,
        });
        let (provisioner, asset) = (provisioner.clone(), name.clone());
        let work = if is_known_empty {
            AssetWork::DeleteEmpty {
                provisioner,
                volume: asset,
                made: self.made_for(&volume),
            }
        } else {
            AssetWork::Delete {
                provisioner,
                volume: asset,
            }
        };
        let locked = self.draft.plan.changes.len();
        delete_behind_lock(self.draft, volume, &why, |draft, source_of| {
            let step = AssetStep {
                work,
                shown,
                source_of,
            };
            draft.work(&name, step, why.clone());
        });
        // Before the note as well: what cannot be deleted leaves the set untouched.
        self.draft.check_before(noted, check.clone());
        self.draft.check_before(locked, check);
        let danger = if is_known_empty {
            Danger::Reversible
        } else {
            Danger::LosesData
        };
        for change in &mut self.draft.plan.changes[first..] {
            if matches!(change.action(), Action::Delete | Action::DeleteAsset) {
                change.danger = danger;
            }
        }
        self.levels.total -= u64::from(is_member);
        if deletion.is_begun {
            self.levels.going -= u64::from(is_member);
        } else {
            self.levels.unbound -= 1;
        }
        self.removed.push(name.clone());
        if self.question.is_live {
            let message = format!("Deleted volume {name}");
            let what = Happening {
                news: News::MemberDeleted,
                volume: &name,
                code: "",
            };
            tell_of_set(self.draft, &self.set, what, &message);
        }
        self.steps += 1;
    }
}
