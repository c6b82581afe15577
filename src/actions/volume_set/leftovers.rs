//! Assets that were made for members of a set and have no volume: a run was cut short between the two. Whoever needs a member takes
//! the asset up again; what nobody needs goes, if it is as it was made.

use super::super::asset_work::MadeAsset;
use super::super::backend_facts::UnusedAsset;
use super::super::draft::Draft;
use super::super::memory::Memory;
use super::super::plan::{Deed, Errand, Plan, Target};
use super::super::recheck::Recheck;
use super::super::shared_asset::source_of_asset;
use super::super::take_back::{request, roll_back};
use super::recording::TAKE_BACK;
use super::{COMMAND, Work};
use crate::engine::find_sharer;
use crate::engine::refusal::{Refusal, SetEvidence};
use crate::model::asset::{Asset, Owner};
use crate::model::{ClusterState, Kind};
use crate::report::{Code, SetFinding};

impl Work<'_> {
    /// Plans the end of assets that no volume stands for, or will.
    pub(super) fn take_back_assets(&mut self) {
        let named = self.set.provisioner();
        let backend = named.and_then(|name| self.inquiry.find(name));
        let Some(backend) = backend.filter(|_| self.question.is_live) else {
            return;
        };
        let Some(unused) = self.inquiry.unused_assets(&backend.provisioner) else {
            return;
        };
        let awaited = self
            .awaited()
            .and_then(|ordinal| self.set.member_name(ordinal));
        let is_ours = |owner: &Owner| match owner {
            Owner::Set { uid, .. } => Some(uid) == self.set.uid.as_ref(),
            Owner::Claim { .. } => false,
        };
        let is_left = |name: &str| {
            let is_removed = self.removed.iter().any(|removed| removed == name);
            !is_removed
                && awaited.as_deref() != Some(name)
                && self.draft.state.find_volume(name).is_none()
        };
        // What a program has created for this run no list shows.
        let created = self.question.created.iter();
        let created = created.filter(|made| made.provisioner == backend.provisioner);
        let created = created.filter(|_| !backend.keeps_records);
        let unused = unused
            .iter()
            .map(|asset| (asset.clone(), None))
            .chain(created.map(|made| (unused_of(made), made.asset.clone())));
        let left: Vec<(UnusedAsset, Option<Asset>)> = unused
            .filter(|(asset, _)| is_ours(&asset.owner) && is_left(asset.name.as_str()))
            .filter(|(asset, _)| !self.is_shared(asset))
            .collect();
        for (UnusedAsset { name, owner, .. }, asset) in left {
            if !self.may_go_on() {
                return;
            }
            let why = "its volume never came, and the set needs none";
            self.draft.begin(Errand {
                claim: None,
                volume: name.to_string(),
                what: format!("taken back, the asset alone: {why}"),
                deed: Deed::TakeBackMember {
                    set: self.set.name.clone(),
                },
            });
            self.note_removal(TAKE_BACK, name.as_str());
            let recheck = Recheck::NoVolume(name.to_string());
            self.draft.recheck(Target::asset(name.as_str()), recheck);
            let made = MadeAsset {
                provisioner: backend.provisioner.clone(),
                request: request(name, owner),
                asset,
            };
            roll_back(self.draft, made, None, why);
            self.steps += 1;
        }
    }

    /// Whether a volume of another name lies there. Where nobody can tell it counts as one.
    fn is_shared(&self, asset: &UnusedAsset) -> bool {
        asset.source.as_ref().is_none_or(|source| {
            let source = source_of_asset(source);
            find_sharer(&self.draft.state, &source, asset.name.as_str()).is_some()
        })
    }

    /// Says that a number is passed over, as what an earlier tenant left is not handed on.
    pub(super) fn tell_of_left(&mut self, ordinal: u64, why: &str) {
        let name = self.set.member_name(ordinal).unwrap_or_default();
        let why = why.to_owned();
        let refusal = Refusal::new(SetEvidence::AssetTaken { ordinal, why });
        let is_told = |finding: &SetFinding| {
            finding.code == Code::AssetTaken && finding.volume.as_ref() == Some(&name)
        };
        if !self.findings.iter().any(is_told) {
            self.note_member(&name, None, refusal);
        }
    }
}

fn unused_of(made: &MadeAsset) -> UnusedAsset {
    UnusedAsset {
        name: made.request.name.clone(),
        owner: made.request.owner.clone(),
        source: made.asset.as_ref().map(|asset| asset.source.clone()),
    }
}

/// Adds the end of assets that this run has made for a set that is gone since: nobody else knows of them.
pub(super) fn take_back_orphans(state: &ClusterState, plan: Plan, memory: &Memory) -> Plan {
    let is_orphan = |made: &&MadeAsset| {
        let Owner::Set { name, uid, .. } = &made.request.owner else {
            return false;
        };
        let set = state.find_volume_set(name);
        let is_there = set.is_some_and(|set| set.uid.as_ref() == Some(uid));
        let is_seen = state.saw(Kind::VolumeSets, None) && state.saw(Kind::Volumes, None);
        is_seen && !is_there && state.find_volume(made.name()).is_none()
    };
    let orphans: Vec<MadeAsset> = memory.assets.iter().filter(is_orphan).cloned().collect();
    let mut draft = Draft::resume(state, plan, COMMAND);
    for made in orphans {
        let Owner::Set { name, .. } = &made.request.owner else {
            continue;
        };
        let why = "its volume never came, and its set is gone";
        draft.begin(Errand {
            claim: None,
            volume: made.name().to_owned(),
            what: format!("taken back, the asset alone: {why}"),
            deed: Deed::TakeBackMember { set: name.clone() },
        });
        let recheck = Recheck::NoVolume(made.name().to_owned());
        draft.recheck(Target::asset(made.name()), recheck);
        roll_back(&mut draft, made, None, why);
    }
    draft.plan
}
