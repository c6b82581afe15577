//! Two machines that serve one provisioner name: the PersistentVolume object decides. The machine that was second deletes the
//! directory that it created for the volume.

use super::super::asset_work::{AssetWork, MadeAsset};
use super::super::operation::{FillWith, Operation};
use super::super::outcome::Sent;
use super::super::plan::Change;
use super::Pass;
use super::assets::Workshop;
use crate::storage::Backend;
use tokio::time::Instant;

impl Pass<'_, '_> {
    /// Deletes the asset that this run created for a volume that another machine provisioned first.
    pub(super) async fn delete_own_asset(&mut self, volume: &Change) {
        let Operation::Create(creation) = &volume.operation else {
            return;
        };
        let mut fills = creation.fills.iter();
        let Some(fill) = fills.find(|fill| fill.with == FillWith::Asset) else {
            return;
        };
        // An asset that existed may be the one of the volume, on storage that both machines reach.
        if self.sent[fill.change] != Sent::Done {
            return;
        }
        let Some(AssetWork::Create {
            provisioner,
            request,
        }) = self.plan.changes[fill.change].asset_work()
        else {
            return;
        };
        // Only a directory is known to be on this machine.
        let backend = self.context.backends.find(provisioner);
        if !backend.is_some_and(Backend::keeps_records) {
            return;
        }
        let made = MadeAsset {
            provisioner: provisioner.clone(),
            request: (**request).clone(),
            asset: self.known[fill.change].asset.clone(),
        };
        let workshop = Workshop {
            backends: self.context.backends,
            deadline: Instant::now() + self.context.time,
        };
        let work = AssetWork::RollBack(Box::new(made));
        let (deleted, _) = workshop.work(&work, None).await;
        self.sent[fill.change] = match deleted {
            Sent::Done => Sent::AlreadyDone,
            other => other,
        };
    }
}
