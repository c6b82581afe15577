//! Whether a volume or a claim still has an asset of this machine. `cleanup` asks when it reports, and again before it deletes.

use super::found_asset::{AssetOwner, FoundAsset};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Volume, VolumeSource};

/// An asset and the claim it was provisioned for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedAsset {
    /// Where it is, as a volume states it.
    pub source: VolumeSource,
    /// Its name, which is that of its volume.
    pub name: String,
    /// The hostname of the node that reaches it.
    pub node: Option<String>,
    /// Whether it has no content.
    pub is_empty: bool,
    /// The claim.
    pub claim: ObjectKey,
    /// The uid of the claim.
    pub uid: String,
}

/// What has an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssetHolder<'a> {
    /// The source of a volume is there.
    Volume(&'a str),
    /// The claim exists, and no other volume was provisioned for it.
    Claim,
}

impl OwnedAsset {
    /// The asset, where its record names a claim.
    pub fn of(asset: &FoundAsset) -> Option<Self> {
        let Some(AssetOwner::Claim { key, uid }) = &asset.owner else {
            return None;
        };
        Some(Self {
            source: asset.source(),
            name: asset.name.clone(),
            node: asset.node.clone(),
            is_empty: asset.is_empty == Some(true),
            claim: key.clone(),
            uid: uid.clone(),
        })
    }

    /// What has it.
    pub fn find_holder<'a>(&self, state: &'a ClusterState) -> Option<AssetHolder<'a>> {
        let provisioned = state.find_volume(&self.name);
        let elsewhere = provisioned.filter(|volume| self.is_second(volume));
        let own = elsewhere.map_or("", |volume| &*volume.name);
        if let Some(volume) = state.find_sharer(&self.source, own) {
            return Some(AssetHolder::Volume(&volume.name));
        }
        let is_awaited = self.has_claim(state) && elsewhere.is_none();
        is_awaited.then_some(AssetHolder::Claim)
    }

    /// Whether the claim exists: then another machine provisioned its volume.
    pub fn has_claim(&self, state: &ClusterState) -> bool {
        let claim = state.find_claim(&self.claim);
        claim.is_some_and(|claim| claim.uid.as_ref() == Some(&self.uid))
    }

    /// Whether another machine provisioned the volume first, so that this asset is the second one. One with content may be the
    /// first: then its volume was changed by hand.
    pub fn is_second(&self, volume: &Volume) -> bool {
        let reference = volume.claim_ref.as_ref();
        let is_of_claim = reference.is_some_and(|it| it.uid.as_ref() == Some(&self.uid));
        let node = volume.only_node().zip(self.node.as_deref());
        let is_on_other_node = node.is_some_and(|(theirs, ours)| theirs != ours);
        let is_at_other_place = volume.source != self.source;
        self.is_empty && is_of_claim && (is_on_other_node || is_at_other_place)
    }
}
