//! Assets that are directories below a base directory: made, deleted, emptied and counted, whoever serves them to pods.

use super::beneath::{Directory, Made};
use super::error::{During, StorageError};
use super::parameters::{Access, check_keys, directory_keys};
use super::records::{Held, Records};
use super::removal;
use super::{AssetName, CreateRequest, Deleted, LeakedAsset, Owner, VolumeAsset};
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use rustix::io::Errno;
use serde_json::Value;

/// The assets of one base directory.
#[derive(Debug)]
pub(super) struct Directories {
    base: Directory,
}

/// An asset there is a record of.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) name: AssetName,
    pub(super) owner: Option<Owner>,
    pub(super) exists: bool,
}

impl Recorded {
    /// The same as callers see it, with the source its volume would have.
    pub(super) fn leaked(&self, source: Value) -> LeakedAsset {
        let volume = self.name.to_string();
        LeakedAsset {
            name: volume.clone(),
            owner: self.owner.clone(),
            asset: VolumeAsset { volume, source },
            exists: self.exists,
        }
    }
}

impl Directories {
    pub(super) fn new(base: Directory) -> Self {
        Self { base }
    }

    pub(super) fn base(&self) -> &Directory {
        &self.base
    }

    /// What every directory must be asked for like; says what permissions it is to have.
    pub(super) fn check(request: &CreateRequest) -> Result<Access, StorageError> {
        check_keys(request, &directory_keys())?;
        if request.volume_mode == VolumeMode::Block {
            return Err(StorageError::Refused(
                "a directory cannot be a raw block device".to_owned(),
            ));
        }
        if request.owner.uid().is_empty() {
            return Err(StorageError::Refused(format!(
                "{} has no uid to know it by",
                request.owner
            )));
        }
        if !request.size.is_positive() {
            return Err(StorageError::Refused(format!(
                "`{}` is no size",
                request.size.as_str()
            )));
        }
        Access::of_request(request)
    }

    /// Nobody measures a directory: it holds what was asked for, in whole bytes.
    pub(super) fn capacity(request: &CreateRequest) -> Quantity {
        if request.size.has_fraction() {
            return Quantity::from_bytes(request.size.ceil_units());
        }
        request.size.clone()
    }

    /// Makes the directory; says whether an earlier call had made it.
    pub(super) fn create(&self, request: &CreateRequest) -> Result<bool, StorageError> {
        let access = Self::check(request)?;
        let records = Records::find_or_make(&self.base)?;
        loop {
            if let Some(held) = records.hold(&request.name)? {
                return self.resume(request, access, &records, held);
            }
            // Before there is a record: afterwards nobody could tell it from ours.
            self.check_absent(&request.name)?;
            if let Some(held) = records.add(&request.name, &request.owner)? {
                return self.begin(request, access, &records, held);
            }
        }
    }

    fn check_absent(&self, name: &AssetName) -> Result<(), StorageError> {
        let path = self.base.path_of(name.as_str());
        match self.base.find(name.as_str()).during("look at", &path)? {
            None => Ok(()),
            Some(_) => Err(StorageError::NotOurs {
                path,
                why: "is there already, and not made by us".to_owned(),
            }),
        }
    }

    /// Makes the directory the record was just written for; on failure both go again.
    fn begin(
        &self,
        request: &CreateRequest,
        access: Access,
        records: &Records,
        held: Held,
    ) -> Result<bool, StorageError> {
        let path = self.base.path_of(request.name.as_str());
        let made = self
            .base
            .make_directory(request.name.as_str())
            .during("make", &path);
        let why = match made {
            Ok(Made::New) => match self.complete(&request.name, access) {
                Ok(()) => return Ok(false),
                Err(error) => error,
            },
            Ok(Made::Existed) => {
                let why = "appeared while we were about to make it".to_owned();
                let error = StorageError::NotOurs { path, why };
                return Err(undone(error, records.remove(held), || {
                    format!("a record in `{}`", records.path().display())
                }));
            }
            Err(error) => error,
        };
        let undo = match self.base.remove_directory(request.name.as_str()) {
            Ok(()) | Err(Errno::NOENT) => self.base.sync().during("save", self.base.path()),
            other => other.during("remove", &path),
        };
        let undo = undo.and_then(|()| records.remove(held));
        Err(undone(why, undo, || {
            format!(
                "`{}` or its record in `{}`",
                path.display(),
                records.path().display()
            )
        }))
    }

    /// Goes on where an earlier call stopped, if that was for the same owner and nobody has used the directory.
    fn resume(
        &self,
        request: &CreateRequest,
        access: Access,
        records: &Records,
        held: Held,
    ) -> Result<bool, StorageError> {
        let path = self.base.path_of(request.name.as_str());
        let not_ours = |why: String| {
            Err(StorageError::NotOurs {
                path: path.clone(),
                why,
            })
        };
        match &held.owner {
            Err(problem) => {
                return not_ours(format!(
                    "has a record in `{}` that {problem}",
                    records.path().display()
                ));
            }
            Ok(owner) if !owner.is(&request.owner) => {
                return not_ours(format!("was made for {owner}"));
            }
            Ok(_) => {}
        }
        let made = self
            .base
            .make_directory(request.name.as_str())
            .during("make", &path)?;
        if made == Made::Existed {
            let asset = self.open(&request.name)?;
            if !asset.is_empty().during("read", &path)? {
                return not_ours("is not empty any more".to_owned());
            }
        }
        self.complete(&request.name, access)?;
        drop(held);
        Ok(made == Made::Existed)
    }

    fn complete(&self, name: &AssetName, access: Access) -> Result<(), StorageError> {
        let asset = self.open(name)?;
        asset
            .set_access(access.mode, access.uid, access.gid)
            .during("set the permissions of", asset.path())?;
        asset.sync().during("save", asset.path())?;
        self.base.sync().during("save", self.base.path())
    }

    /// Deletes the directory and all that is in it.
    pub(super) fn delete(&self, name: &AssetName) -> Result<Deleted, StorageError> {
        let path = self.base.path_of(name.as_str());
        let known = Records::find(&self.base)?;
        let exists = self
            .base
            .find(name.as_str())
            .during("look at", &path)?
            .is_some();
        let records = match known {
            Some(records) => records,
            None if exists => Records::find_or_make(&self.base)?,
            None => {
                let why = format!(
                    "is not there, and neither are our records: is the right file system mounted at `{}`?",
                    self.base.path().display()
                );
                return Err(StorageError::Missing { path, why });
            }
        };
        let held = records.hold(name)?;
        let deleted = self.delete_directory(name)?;
        if let Some(held) = held {
            records.remove(held)?;
        }
        Ok(deleted)
    }

    fn delete_directory(&self, name: &AssetName) -> Result<Deleted, StorageError> {
        let path = self.base.path_of(name.as_str());
        if self
            .base
            .find(name.as_str())
            .during("look at", &path)?
            .is_none()
        {
            return Ok(Deleted::AlreadyGone);
        }
        removal::empty(&self.open(name)?)?;
        match self.base.remove_directory(name.as_str()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error).during("remove", &path),
        }
        self.base.sync().during("save", self.base.path())?;
        Ok(Deleted::Removed)
    }

    /// Removes everything in the directory, and keeps it.
    pub(super) fn scrub(&self, name: &AssetName) -> Result<(), StorageError> {
        let _held = match Records::find(&self.base)? {
            Some(records) => records.hold(name)?,
            None => None,
        };
        let asset = self.open(name)?;
        removal::empty(&asset)?;
        asset.sync().during("save", asset.path())
    }

    /// The assets there are records of.
    pub(super) fn recorded(&self) -> Result<Vec<Recorded>, StorageError> {
        let Some(records) = Records::find(&self.base)? else {
            return Ok(vec![]);
        };
        let look = |(name, owner): (AssetName, Option<Owner>)| {
            let path = self.base.path_of(name.as_str());
            let exists = self
                .base
                .find(name.as_str())
                .during("look at", &path)?
                .is_some();
            Ok(Recorded {
                name,
                owner,
                exists,
            })
        };
        records.all()?.into_iter().map(look).collect()
    }

    fn open(&self, name: &AssetName) -> Result<Directory, StorageError> {
        let path = self.base.path_of(name.as_str());
        let not_ours = |why: &str| StorageError::NotOurs {
            path: path.clone(),
            why: why.to_owned(),
        };
        self.base
            .open_directory(name.as_str())
            .map_err(|error| match error {
                Errno::NOENT => StorageError::Missing {
                    path: path.clone(),
                    why: "is not there".to_owned(),
                },
                // Which of the two a link is called depends on the kernel.
                Errno::LOOP | Errno::NOTDIR => not_ours("is not a directory, or is a link to one"),
                Errno::XDEV => not_ours("is a file system of its own, mounted there"),
                error => StorageError::Io {
                    act: "open",
                    path: path.clone(),
                    source: error.into(),
                },
            })
    }
}

/// The error, and what is left if undoing failed too.
fn undone(
    why: StorageError,
    undo: Result<(), StorageError>,
    left: impl FnOnce() -> String,
) -> StorageError {
    match undo {
        Ok(()) => why,
        Err(undo) => StorageError::LeftBehind {
            why: Box::new(why),
            undo: Box::new(undo),
            left: left(),
        },
    }
}
