//! Assets, made, taken back, deleted and emptied by the backends of this machine.

use super::super::asset_work::{AssetWork, MadeAsset};
use super::super::outcome::Sent;
use crate::report::Code;
use crate::storage::{
    Asset, Backend, Backends, Contents, Deleted, Labels, StorageError, VolumeAsset,
};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long to wait before storage that is busy is asked again.
const PATIENCE: Duration = Duration::from_millis(500);

pub(super) struct Workshop<'a> {
    pub(super) backends: &'a Backends,
    pub(super) deadline: Instant,
}

impl Workshop<'_> {
    /// Does the work, again and again while the storage asks for patience.
    pub(super) async fn work(
        &self,
        work: &AssetWork,
        source: Option<Value>,
    ) -> (Sent, Option<Asset>) {
        loop {
            match self.try_once(work, source.as_ref()) {
                Ok((sent, asset)) => return (sent, asset),
                // Whoever waits does not know whose it is by then: it is looked at again first.
                Err(error) if error.is_temporary() && matches!(work, AssetWork::Scrub { .. }) => {
                    return (Sent::Conflict(error.to_string()), None);
                }
                Err(error) if error.is_temporary() && Instant::now() + PATIENCE < self.deadline => {
                    sleep(PATIENCE).await;
                }
                Err(error) => return (failed(work, &error), None),
            }
        }
    }

    fn try_once(
        &self,
        work: &AssetWork,
        source: Option<&Value>,
    ) -> Result<(Sent, Option<Asset>), StorageError> {
        match work {
            AssetWork::Create {
                provisioner,
                request,
            } => {
                let creator = self.backend(provisioner)?.creator()?;
                let creator = creator.ok_or_else(|| cannot(provisioner, "make"))?;
                let asset = creator.create(request)?;
                let sent = if asset.adopted {
                    Sent::AlreadyDone
                } else {
                    Sent::Done
                };
                Ok((sent, Some(asset)))
            }
            AssetWork::Delete {
                provisioner,
                volume,
            }
            | AssetWork::DeleteEmpty {
                provisioner,
                volume,
                ..
            } => {
                let deleter = self.backend(provisioner)?.deleter()?;
                let deleter = deleter.ok_or_else(|| cannot(provisioner, "delete"))?;
                let asset = asset_behind(volume, source)?;
                let result = match work {
                    AssetWork::DeleteEmpty { made, .. } => {
                        deleter.delete_empty(&asset, made.as_ref())?
                    }
                    _ => deleter.delete(&asset)?,
                };
                let sent = match result {
                    Deleted::Removed => Sent::Done,
                    Deleted::AlreadyGone => Sent::AlreadyDone,
                };
                Ok((sent, None))
            }
            AssetWork::Scrub {
                provisioner,
                volume,
            } => {
                let recycler = self.backend(provisioner)?.recycler()?;
                let recycler = recycler.ok_or_else(|| cannot(provisioner, "empty"))?;
                recycler.scrub(&asset_behind(volume, source)?)?;
                Ok((Sent::Done, None))
            }
            AssetWork::DeleteLeaked {
                provisioner,
                name,
                owner,
                only_if_empty,
            } => {
                let deleter = self.backend(provisioner)?.deleter()?;
                let deleter = deleter.ok_or_else(|| cannot(provisioner, "delete"))?;
                let contents = if *only_if_empty {
                    Contents::MustBeNone
                } else {
                    Contents::AreDeleted
                };
                let sent = match deleter.delete_leaked(name, owner, contents)? {
                    Deleted::Removed => Sent::Done,
                    Deleted::AlreadyGone => Sent::AlreadyDone,
                };
                Ok((sent, None))
            }
            AssetWork::RollBack(made) => {
                let deleter = self.backend(&made.provisioner)?.deleter()?;
                let deleter = deleter.ok_or_else(|| cannot(&made.provisioner, "delete"))?;
                let found = source.map(|source| Asset {
                    source: source.clone(),
                    capacity: made.request.size.clone(),
                    adopted: true,
                    labels: Labels::new(),
                    node: None,
                });
                let asset = made.asset.as_ref().or(found.as_ref());
                let result = deleter.roll_back(&made.request, asset);
                result.map_err(|error| left_behind(error, made, asset))?;
                Ok((Sent::Done, None))
            }
        }
    }

    fn backend(&self, provisioner: &str) -> Result<&Backend, StorageError> {
        let none = || StorageError::Refused(format!("no backend serves {provisioner} here"));
        self.backends.find(provisioner).ok_or_else(none)
    }
}

fn failed(work: &AssetWork, error: &StorageError) -> Sent {
    let message = error.to_string();
    let code = match (error, work) {
        (StorageError::NotOurs { .. }, AssetWork::Create { .. }) => Code::AssetTaken,
        (StorageError::InUse { .. }, _) => Code::InUse,
        _ => return Sent::Failed(message),
    };
    Sent::FailedWith { code, message }
}

/// What is behind a volume; only its object, read behind the lock, says where.
fn asset_behind(volume: &str, source: Option<&Value>) -> Result<VolumeAsset, StorageError> {
    let unknown = || StorageError::Refused(format!("volume {volume} does not say where it lies"));
    Ok(VolumeAsset {
        volume: volume.to_owned(),
        source: source.cloned().ok_or_else(unknown)?,
    })
}

/// Says what is left where: nobody else knows.
fn left_behind(error: StorageError, made: &MadeAsset, asset: Option<&Asset>) -> StorageError {
    if error.is_temporary() {
        return error;
    }
    let place = asset.map(|asset| format!(" at {}", asset.source));
    StorageError::Left {
        why: Box::new(error),
        what: format!(
            "asset {} of {}{}",
            made.name(),
            made.provisioner,
            place.unwrap_or_default()
        ),
    }
}

fn cannot(provisioner: &str, act: &str) -> StorageError {
    StorageError::Refused(format!("the backend of {provisioner} cannot {act} assets"))
}
