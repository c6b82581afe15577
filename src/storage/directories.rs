//! Assets that are directories below a base directory: made, deleted, emptied and counted, whoever serves them to pods.

use super::beneath::{Directory, Made};
use super::error::{During, StorageError};
use super::parameters::{Access, check_keys, directory_keys};
use super::records::{Held, Record, Records, Statement};
use super::removal::Removal;
use super::{
    AssetName, BaseFacts, Contents, CreateRequest, Deleted, LeakedAsset, Owner, RunFacts,
    StatedVolume, VolumeAsset,
};
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use rustix::io::Errno;
use serde_json::Value;
use std::sync::OnceLock;
use std::time::Duration;

/// The assets of one base directory.
#[derive(Debug)]
pub(super) struct Directories {
    base: Directory,
    /// Known once the run is connected. Without it no asset is created or deleted.
    run: OnceLock<RunFacts>,
    /// How long a deletion may go without progress.
    patience: Duration,
}

/// An asset there is a record of.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) name: AssetName,
    pub(super) record: Option<Record>,
    pub(super) exists: bool,
    /// `None` where that cannot be determined.
    pub(super) is_empty: Option<bool>,
}

impl Recorded {
    /// The same as callers see it, with the source its volume would have.
    pub(super) fn leaked(&self, source: Value) -> LeakedAsset {
        let volume = self.name.to_string();
        let record = self.record.as_ref();
        LeakedAsset {
            name: volume.clone(),
            owner: record.map(|record| record.owner.clone()),
            policy: record.and_then(|record| record.policy.clone()),
            size: record.and_then(|record| record.size.clone()),
            class: record.and_then(|record| record.class.clone()),
            access_modes: record.map_or_else(Vec::new, |record| record.access_modes.clone()),
            node: record.and_then(|record| record.node.clone()),
            is_current: record.is_some_and(Record::is_current),
            asset: VolumeAsset { volume, source },
            exists: self.exists,
            is_empty: self.is_empty,
        }
    }
}

impl Directories {
    pub(super) fn new(base: Directory, patience: Duration) -> Self {
        Self {
            base,
            run: OnceLock::new(),
            patience,
        }
    }

    /// Tells which cluster this run works for; the first call counts.
    pub(super) fn work_for(&self, run: &RunFacts) {
        self.run.get_or_init(|| run.clone());
    }

    /// The uid of the cluster of this run, once it is known.
    pub(super) fn cluster(&self) -> Option<&str> {
        self.run.get().map(|run| &*run.cluster)
    }

    fn run(&self) -> Result<&RunFacts, StorageError> {
        let unknown = || StorageError::Refused("the cluster of this run is not known".to_owned());
        self.run.get().ok_or_else(unknown)
    }

    /// What the base directory shows of the cluster that it belongs to. Records are read before the stamp, which is written
    /// before the first of them.
    pub(super) fn facts(&self) -> Result<BaseFacts, StorageError> {
        let records = Records::find(&self.base)?;
        let has_records = match &records {
            Some(records) => !records.all()?.is_empty(),
            None => false,
        };
        let stamp = records.as_ref().map(Records::stamp).transpose()?;
        Ok(BaseFacts {
            path: self.base.path().to_owned(),
            stamp: stamp.flatten(),
            has_folder: records.is_some(),
            has_records,
        })
    }

    /// Whether something of this name is in the base directory.
    pub(super) fn exists(&self, name: &AssetName) -> bool {
        self.base
            .find(name.as_str())
            .is_ok_and(|found| found.is_some())
    }

    /// The records of a base directory that belongs to the cluster of this run; an error otherwise.
    fn our_records(&self) -> Result<Records, StorageError> {
        let records = Records::find(&self.base)?;
        let stamp = records.as_ref().map(Records::stamp).transpose()?.flatten();
        match records {
            Some(records) if stamp.as_deref() == Some(&self.run()?.cluster) => Ok(records),
            _ => Err(self.other_cluster(stamp)),
        }
    }

    /// The same before an asset is created: a directory without records gets the stamp of this cluster.
    fn our_records_or_new(&self) -> Result<Records, StorageError> {
        let cluster = &self.run()?.cluster;
        let records = Records::find_or_make(&self.base)?;
        loop {
            let is_new = records.all()?.is_empty();
            match records.stamp()? {
                Some(stamp) if stamp == *cluster => return Ok(records),
                None if is_new => records.add_stamp(cluster)?,
                stamp => return Err(self.other_cluster(stamp)),
            }
        }
    }

    fn other_cluster(&self, stamp: Option<String>) -> StorageError {
        StorageError::OtherCluster {
            base: self.base.path().to_owned(),
            stamp,
            ours: self
                .run
                .get()
                .map(|run| run.cluster.clone())
                .unwrap_or_default(),
        }
    }

    /// Gives the base directory to the cluster of this run, if it belongs to `old`.
    pub(super) fn take_over(&self, old: Option<&str>) -> Result<(), StorageError> {
        let cluster = &self.run()?.cluster;
        let records = Records::find_or_make(&self.base)?;
        let stamp = records.stamp()?;
        if stamp.as_deref() != old {
            return Err(self.other_cluster(stamp));
        }
        records.replace_stamp(cluster)
    }

    /// Brings the records of these volumes up to date.
    pub(super) fn refresh(
        &self,
        volumes: &[(AssetName, StatedVolume)],
    ) -> Result<(), StorageError> {
        let records = self.our_records()?;
        let run = self.run()?;
        for (name, volume) in volumes {
            let stated = Statement {
                cluster: &run.cluster,
                volume,
                now: &run.now,
            };
            records.refresh(name, &stated)?;
        }
        Ok(())
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
        let records = self.our_records_or_new()?;
        let run = self.run()?;
        let modes = request.access_modes.iter();
        let volume = StatedVolume {
            policy: request.policy.to_string(),
            size: Self::capacity(request).to_string(),
            class: request.class.clone(),
            access_modes: modes.map(|mode| mode.name().to_owned()).collect(),
            node: request.node.as_ref().map(|node| node.hostname.clone()),
        };
        // Of the class alone: what a claim asked for ends with the claim.
        let of_class = Access::of_parameters(&request.parameters)?;
        let of_class = (of_class != Access::default()).then_some(of_class);
        let stated = Statement {
            cluster: &run.cluster,
            volume: &volume,
            now: &run.now,
        };
        loop {
            if let Some(held) = records.hold(&request.name)? {
                self.check_owner(&request.name, &request.owner, &records, &held)?;
                return self.make_or_find(&request.name, access, &held);
            }
            // Before there is a record: afterwards nobody could tell it from ours.
            self.check_absent(&request.name)?;
            if let Some(held) = records.add(&request.name, &request.owner, of_class, &stated)? {
                return match self.make(&request.name, access, &held) {
                    Ok(()) => Ok(false),
                    Err(why) => Err(self.undo(why, &request.name, &records, held)),
                };
            }
        }
    }

    /// What an earlier call began is gone on with only for the same owner.
    fn check_owner(
        &self,
        name: &AssetName,
        asked_for: &Owner,
        records: &Records,
        held: &Held,
    ) -> Result<(), StorageError> {
        let why = match &held.record {
            Ok(record) if record.owner.is(asked_for) => return Ok(()),
            Ok(record) => format!("was made for {}", record.owner),
            Err(problem) => {
                let place = records.path().display();
                format!("has a record in `{place}` that {problem}")
            }
        };
        let path = self.base.path_of(name.as_str());
        Err(StorageError::NotOurs { path, why })
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

    /// Creates the directory that a record was written for just now. One that exists by now was created by another process.
    fn make(&self, name: &AssetName, access: Access, held: &Held) -> Result<(), StorageError> {
        let path = self.base.path_of(name.as_str());
        let made = self.base.make_directory(name.as_str());
        if made.during("make", &path)? == Made::Existed {
            let why = "appeared while it was being created".to_owned();
            return Err(StorageError::NotOurs { path, why });
        }
        self.set_up(name, access, None, held)
    }

    /// Finds the directory that an earlier run created and no process has used, or creates it; says whether it existed.
    fn make_or_find(
        &self,
        name: &AssetName,
        access: Access,
        held: &Held,
    ) -> Result<bool, StorageError> {
        let path = self.base.path_of(name.as_str());
        let made = self.base.make_directory(name.as_str());
        let existed = made.during("make", &path)? == Made::Existed;
        let given_to = access.uid.filter(|_| existed);
        self.set_up(name, access, given_to, held)?;
        Ok(existed)
    }

    /// Gives an empty directory of ours the permissions of an asset. It may belong to `given_to` already.
    fn set_up(
        &self,
        name: &AssetName,
        access: Access,
        given_to: Option<u32>,
        held: &Held,
    ) -> Result<(), StorageError> {
        let path = self.base.path_of(name.as_str());
        let asset = self.open(name)?;
        let of_record = held.user().during("look at", &path)?;
        self.check_user(&asset, of_record, given_to)?;
        if !asset.is_empty().during("read", &path)? {
            let why = "is not empty".to_owned();
            return Err(StorageError::NotOurs { path, why });
        }
        asset
            .set_access(access.mode, access.uid, access.gid)
            .during("set the permissions of", &path)?;
        asset.sync().during("save", &path)?;
        self.base.sync().during("save", self.base.path())
    }

    /// A directory of another user than its record was created by that user. Where others cannot write to the base directory, an
    /// earlier run may have given it to the user that was asked for.
    fn check_user(
        &self,
        asset: &Directory,
        of_record: u32,
        given_to: Option<u32>,
    ) -> Result<(), StorageError> {
        let path = asset.path();
        let user = asset.stat().during("look at", path)?.st_uid;
        if user == of_record {
            return Ok(());
        }
        if given_to == Some(user) && !self.is_shared()? {
            return Ok(());
        }
        Err(StorageError::NotOurs {
            path: path.to_owned(),
            why: format!("belongs to user {user}, and its record to user {of_record}"),
        })
    }

    /// Whether other users can create something in the base directory.
    fn is_shared(&self) -> Result<bool, StorageError> {
        let stat = self.base.stat().during("look at", self.base.path())?;
        Ok(stat.st_mode & 0o022 != 0)
    }

    /// Takes back a record, and the directory it was for unless somebody else put something there.
    fn undo(
        &self,
        why: StorageError,
        name: &AssetName,
        records: &Records,
        held: Held,
    ) -> StorageError {
        let path = self.base.path_of(name.as_str());
        let is_ours = !matches!(why, StorageError::NotOurs { .. });
        let removed = if is_ours {
            match self.base.remove_directory(name.as_str()) {
                Ok(()) | Err(Errno::NOENT) => self.base.sync().during("save", self.base.path()),
                other => other.during("remove", &path),
            }
        } else {
            Ok(())
        };
        match removed.and_then(|()| records.remove(held)) {
            Ok(()) => why,
            Err(undo) => StorageError::LeftBehind {
                why: Box::new(why),
                undo: Box::new(undo),
                left: format!(
                    "`{}` or its record in `{}`",
                    path.display(),
                    records.path().display()
                ),
            },
        }
    }

    /// Takes back a directory that was made for an owner and has nothing in it, and its record. Nothing else is touched.
    pub(super) fn roll_back(
        &self,
        name: &AssetName,
        owner: &Owner,
    ) -> Result<Deleted, StorageError> {
        let held = match Records::find(&self.base)? {
            Some(_) => {
                let records = self.our_records()?;
                records.hold(name)?.map(|held| (records, held))
            }
            None => None,
        };
        let Some((records, held)) = held else {
            // Without a record it is not ours, and with neither there is nothing.
            self.check_absent(name)?;
            return Ok(Deleted::AlreadyGone);
        };
        self.check_owner(name, owner, &records, &held)?;
        let deleted = self.remove_if_empty(name)?;
        records.remove(held)?;
        Ok(deleted)
    }

    /// The kernel removes only empty directories, and no link to one.
    fn remove_if_empty(&self, name: &AssetName) -> Result<Deleted, StorageError> {
        let path = self.base.path_of(name.as_str());
        let why = match self.base.remove_directory(name.as_str()) {
            Ok(()) => {
                self.base.sync().during("save", self.base.path())?;
                return Ok(Deleted::Removed);
            }
            Err(Errno::NOENT) => return Ok(Deleted::AlreadyGone),
            Err(Errno::NOTEMPTY | Errno::EXIST) => "is not empty",
            Err(Errno::NOTDIR) => "is not a directory, or is a link to one",
            Err(Errno::BUSY) => "has something mounted on it, or is used",
            Err(error) => return Err(error).during("remove", &path),
        };
        let why = why.to_owned();
        Err(StorageError::NotOurs { path, why })
    }

    /// Deletes the directory and all that is in it.
    pub(super) fn delete(&self, name: &AssetName) -> Result<Deleted, StorageError> {
        let records = self.our_records()?;
        let held = records.hold(name)?;
        let deleted = self.delete_directory(name)?;
        if let Some(held) = held {
            records.remove(held)?;
        }
        Ok(deleted)
    }

    /// Deletes the directory if there is nothing in it, and its record.
    pub(super) fn delete_empty(&self, name: &AssetName) -> Result<Deleted, StorageError> {
        let records = self.our_records()?;
        let held = records.hold(name)?;
        let deleted = self.remove_if_empty(name)?;
        if let Some(held) = held {
            records.remove(held)?;
        }
        Ok(deleted)
    }

    /// Whether there is nothing in the directory, or no directory; `None` where that cannot be told.
    pub(super) fn is_empty(&self, name: &AssetName) -> Option<bool> {
        match self.open(name) {
            Ok(found) => found.is_empty().ok(),
            Err(StorageError::Missing { .. }) => Some(true),
            Err(_) => None,
        }
    }

    /// Why [`create`](Self::create) would refuse this name to this owner: what somebody else made, or left behind.
    pub(super) fn find_obstacle(
        &self,
        name: &AssetName,
        owner: &Owner,
    ) -> Result<Option<StorageError>, StorageError> {
        let records = Records::find(&self.base)?;
        let recorded = match &records {
            Some(records) => records.find_record(name)?,
            None => None,
        };
        let path = self.base.path_of(name.as_str());
        let why = match recorded {
            None => return Ok(self.check_absent(name).err()),
            Some(Ok(record)) if !record.owner.is(owner) => {
                format!("was made for {}", record.owner)
            }
            Some(Err(problem)) => format!("has a record that {problem}"),
            Some(Ok(_)) => return Ok(self.check_unused(name, records.as_ref()).err()),
        };
        Ok(Some(StorageError::NotOurs { path, why }))
    }

    /// Whether a directory that we have a record of can be used, as far as that shows without the request.
    fn check_unused(
        &self,
        name: &AssetName,
        records: Option<&Records>,
    ) -> Result<(), StorageError> {
        let path = self.base.path_of(name.as_str());
        let not_ours = |why: &str| StorageError::NotOurs {
            path: path.clone(),
            why: why.to_owned(),
        };
        let asset = match self.open(name) {
            Err(StorageError::Missing { .. }) => return Ok(()),
            Err(_) => return Err(not_ours("cannot be looked into")),
            Ok(asset) => asset,
        };
        match asset.is_empty() {
            Ok(true) => {}
            Ok(false) => return Err(not_ours("is not empty")),
            Err(_) => return Err(not_ours("cannot be looked into")),
        }
        let of_record = records.map(|records| records.user_of(name)).transpose()?;
        match of_record.flatten() {
            // Which user the class names is known when it is created.
            Some(user) if self.is_shared()? => self.check_user(&asset, user, None),
            _ => Ok(()),
        }
    }

    /// Deletes a directory that our record gives to this owner, and the record; all that is in it too, unless only an
    /// empty one may be deleted. While we hold the record no other process recreates it.
    pub(super) fn delete_leaked(
        &self,
        name: &str,
        owner: &Owner,
        contents: Contents,
    ) -> Result<Deleted, StorageError> {
        let records = self.our_records()?;
        let Some(name) = AssetName::find(name) else {
            return Ok(Deleted::AlreadyGone);
        };
        let Some(held) = records.hold(&name)? else {
            return Ok(Deleted::AlreadyGone);
        };
        self.check_owner(&name, owner, &records, &held)?;
        let deleted = match contents {
            Contents::MustBeNone => self.remove_if_empty(&name)?,
            Contents::AreDeleted => self.delete_directory(&name)?,
        };
        records.remove(held)?;
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
        let remove = || self.base.remove_directory(name.as_str());
        match self.empty_until(&self.open(name)?, remove)? {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error).during("remove", &path),
        }
        self.base.sync().during("save", self.base.path())?;
        Ok(Deleted::Removed)
    }

    /// Removes everything in the directory, and puts a new one in its place: of the old one the last tenant may have changed
    /// the owner, the permissions and the extended attributes, and still have it open.
    pub(super) fn scrub(&self, name: &AssetName) -> Result<(), StorageError> {
        let records = self.our_records()?;
        let held = records.hold(name)?;
        let record = held.as_ref().and_then(|held| held.record.as_ref().ok());
        let access = record.and_then(|record| record.directory);
        let asset = self.open(name)?;
        // What nobody has a record of is emptied by one at a time as well.
        if asset.is_anothers() || !self.is_still(name, &asset)? {
            let why = format!("somebody else empties asset `{name}`");
            return Err(StorageError::Busy(why));
        }
        let replaced = self.replace(name, &asset, access.unwrap_or_default(), &records);
        if replaced.is_err() {
            // Otherwise the next run removes it.
            let _ = records.remove_replacement(name.as_str());
        }
        replaced
    }

    /// Whether the name still leads to the directory that was opened.
    fn is_still(&self, name: &AssetName, asset: &Directory) -> Result<bool, StorageError> {
        let named = self.base.find(name.as_str());
        let named = named.during("look at", asset.path())?;
        let ours = asset.stat().during("look at", asset.path())?;
        Ok(named.is_some_and(|named| (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)))
    }

    /// Empties a directory and renames a new one over it.
    fn replace(
        &self,
        name: &AssetName,
        asset: &Directory,
        access: Access,
        records: &Records,
    ) -> Result<(), StorageError> {
        let new = records.make_replacement(name)?;
        new.set_access(access.mode, access.uid, access.gid)
            .during("set the permissions of", new.path())?;
        new.sync().during("save", new.path())?;
        let replace = || records.put_replacement(name, &self.base);
        self.empty_until(asset, replace)?
            .during("replace", asset.path())?;
        self.base.sync().during("save", self.base.path())
    }

    /// Empties a directory until something is done that the kernel does only while it is empty. Another process may write to it
    /// in between.
    fn empty_until(
        &self,
        asset: &Directory,
        act: impl Fn() -> Result<(), Errno>,
    ) -> Result<Result<(), Errno>, StorageError> {
        let mut removal = Removal::new(asset, self.patience);
        loop {
            removal.empty(asset)?;
            match act() {
                Err(Errno::NOTEMPTY | Errno::EXIST) => {}
                other => return Ok(other),
            }
        }
    }

    /// The assets there are records of.
    pub(super) fn recorded(&self) -> Result<Vec<Recorded>, StorageError> {
        let Some(records) = Records::find(&self.base)? else {
            return Ok(vec![]);
        };
        let look = |(name, record): (AssetName, Option<Record>)| {
            let path = self.base.path_of(name.as_str());
            let exists = self
                .base
                .find(name.as_str())
                .during("look at", &path)?
                .is_some();
            Ok(Recorded {
                is_empty: self.is_empty(&name),
                name,
                record,
                exists,
            })
        };
        records.all()?.into_iter().map(look).collect()
    }

    /// Whether we have a record of an asset. Where the records cannot be read, there may be one; nothing is deleted there.
    pub(super) fn is_recorded(&self, name: &AssetName) -> bool {
        match Records::find(&self.base) {
            Ok(records) => records.is_some_and(|records| records.has(name)),
            Err(error) => error.is_denied(),
        }
    }

    /// The assets we have a record of and nobody has put anything in; none where the records cannot be read.
    pub(super) fn unused(&self) -> Vec<(AssetName, Owner)> {
        let recorded = self.recorded().unwrap_or_default().into_iter();
        recorded
            .filter(|asset| asset.is_empty == Some(true))
            .filter_map(|asset| Some((asset.name, asset.record?.owner)))
            .collect()
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
