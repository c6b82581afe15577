//! Who each asset was made for: one small file per asset, in `.kubectl-pv/` of the base directory, never inside an asset.
//!
//! A record is written before its asset is made and removed after it is gone, so that an asset of ours never goes without
//! one. Whoever works on an asset holds a lock on its record; the kernel gives it up with the process.

use super::beneath::{Directory, step, sync};
use super::error::{During, StorageError};
use super::parameters::Access as DirectoryAccess;
use super::{AssetName, Owner, StatedVolume};
use rustix::fs::{Access, FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

const FOLDER: &str = ".kubectl-pv";
const SUFFIX: &str = ".json";
const UNFINISHED: &str = ".new";
/// The directory that is to take the place of an asset.
const REPLACEMENT: &str = ".directory";
const VERSION: u32 = 2;
/// Without cluster, policy and size.
const OLDER_VERSION: u32 = 1;
/// The uid of the cluster that the base directory belongs to.
const STAMP: &str = "cluster";
/// Ours are a few hundred bytes.
const LARGEST: u64 = 64 * 1024;
/// How long somebody else may hold a record: 10 seconds in all.
const PATIENCE: (u32, Duration) = (200, Duration::from_millis(50));

/// The records of one base directory.
#[derive(Debug)]
pub(super) struct Records {
    folder: Directory,
}

/// What is kept of an asset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    version: u32,
    asset: String,
    pub(super) owner: Owner,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cluster: Option<String>,
    /// The reclaim policy of its volume; `None` in the older layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<String>,
    /// The class of its volume, empty for none; `None` in records of earlier releases, as the two after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) class: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) access_modes: Vec<String>,
    /// The hostname of the node that its volume is pinned to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<String>,
    /// What its class asks for of a new directory; `None` for the default, and in records of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) directory: Option<DirectoryAccess>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    updated_at: Option<String>,
}

impl Record {
    fn states(&self, cluster: &str, volume: &StatedVolume) -> bool {
        let texts = [
            (&self.cluster, cluster),
            (&self.policy, &volume.policy),
            (&self.size, &volume.size),
            (&self.class, &volume.class),
        ];
        texts
            .iter()
            .all(|(stated, now)| stated.as_deref() == Some(*now))
            && self.access_modes == volume.access_modes
            && self.node == volume.node
    }

    /// Whether it states all that a record states since version 2.
    pub(super) fn is_current(&self) -> bool {
        self.version == VERSION
    }
}

/// What a volume states about its asset, and when that was read.
#[derive(Debug, Clone)]
pub(super) struct Statement<'a> {
    pub(super) cluster: &'a str,
    pub(super) volume: &'a StatedVolume,
    pub(super) now: &'a str,
}

/// A record that nobody else works on as long as this lives.
#[derive(Debug)]
pub(super) struct Held {
    file_name: String,
    /// What it states, or what is wrong with it.
    pub(super) record: Result<Record, String>,
    /// The lock.
    file: File,
}

impl Held {
    /// Whom its file belongs to: we, or whom a file server takes us for.
    pub(super) fn user(&self) -> Result<u32, Errno> {
        Ok(rustix::fs::fstat(&self.file)?.st_uid)
    }
}

impl Records {
    /// The records of a base directory, if there have ever been any.
    pub(super) fn find(base: &Directory) -> Result<Option<Self>, StorageError> {
        let folder = match base.open_directory(FOLDER) {
            Ok(folder) => folder,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error).during("open", &base.path_of(FOLDER)),
        };
        let stat = folder.stat().during("look at", folder.path())?;
        if stat.st_mode & 0o022 != 0 {
            return Err(StorageError::NotOurs {
                path: folder.path().to_owned(),
                why: "may be written by others, so that what it says cannot be believed".to_owned(),
            });
        }
        let records = Self { folder };
        records.check_owner(stat.st_uid)?;
        Ok(Some(records))
    }

    /// Whoever owns the folder decides what we believe, so it must be whoever our own files belong to: we, or whom a file
    /// server takes us for.
    fn check_owner(&self, owner: u32) -> Result<(), StorageError> {
        if owner == rustix::process::geteuid().as_raw() {
            return Ok(());
        }
        let name = unfinished("whose");
        let path = self.folder.path_of(&name);
        let whose = match self.folder.make_file(&name) {
            Ok(file) => {
                let stat = rustix::fs::fstat(&file).during("look at", &path)?;
                self.folder.remove_file(&name).during("remove", &path)?;
                Some(stat.st_uid)
            }
            Err(Errno::ACCESS | Errno::PERM) => None,
            // Nothing is changed there, whatever it says.
            Err(Errno::ROFS) => return Ok(()),
            Err(error) => return Err(error).during("make", &path),
        };
        if whose == Some(owner) {
            return Ok(());
        }
        let ours = whose.map_or_else(String::new, |uid| {
            format!(", and what we write to user {uid}")
        });
        Err(StorageError::NotOurs {
            path: self.folder.path().to_owned(),
            why: format!("belongs to user {owner}{ours}"),
        })
    }

    /// The records of a base directory, made if there are none.
    pub(super) fn find_or_make(base: &Directory) -> Result<Self, StorageError> {
        loop {
            if let Some(records) = Self::find(base)? {
                return Ok(records);
            }
            base.make_directory(FOLDER)
                .during("make", &base.path_of(FOLDER))?;
            base.sync().during("save", base.path())?;
        }
    }

    /// Whether there is a record of an asset.
    pub(super) fn has(&self, asset: &AssetName) -> bool {
        let file_name = format!("{asset}{SUFFIX}");
        self.folder.open_file_to_read(&file_name).is_ok()
    }

    /// Takes the record of an asset, waiting for whoever has it.
    pub(super) fn hold(&self, asset: &AssetName) -> Result<Option<Held>, StorageError> {
        let file_name = format!("{asset}{SUFFIX}");
        let path = self.folder.path_of(&file_name);
        let (tries, pause) = PATIENCE;
        for _ in 0..tries {
            let file = match self.folder.open_file(&file_name) {
                Ok(file) => File::from(file),
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(error).during("open", &path),
            };
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    sleep(pause);
                    continue;
                }
                Err(error) => return Err(error).during("lock", &path),
            }
            // Whoever had it may have removed it, and a lock on a file without a name keeps nobody out.
            if self.is_still(&file, &file_name).during("look at", &path)? {
                self.sweep(&file_name, Some(&file))?;
                let record = read(&file, asset).during("read", &path)?;
                return Ok(Some(Held {
                    file_name,
                    record,
                    file,
                }));
            }
        }
        Err(StorageError::Busy(format!(
            "somebody else works on asset `{asset}`"
        )))
    }

    /// Writes the record of an asset that had none, and takes it; `None` if somebody else did so first.
    pub(super) fn add(
        &self,
        asset: &AssetName,
        owner: &Owner,
        directory: Option<DirectoryAccess>,
        stated: &Statement<'_>,
    ) -> Result<Option<Held>, StorageError> {
        let file_name = format!("{asset}{SUFFIX}");
        let record = record_of(asset, owner, directory, stated);
        for name in [&file_name, STAMP] {
            self.sweep(name, None)?;
        }
        let unfinished = unfinished(&file_name);
        let path = self.folder.path_of(&unfinished);
        let file = match self.folder.make_file(&unfinished) {
            Ok(file) => File::from(file),
            // Of a process of that number elsewhere, the export being shared.
            Err(Errno::EXIST) => return Ok(None),
            Err(error) => return Err(error).during("make", &path),
        };
        let text = serde_json::to_vec(&record).map_err(std::io::Error::from);
        let text = text.during("write", &path)?;
        let result = self.finish(&file, &text, &unfinished, &file_name);
        let removed = match self.folder.remove_file(&unfinished) {
            Err(Errno::NOENT) => Ok(()),
            other => other.during("remove", &path),
        };
        let is_ours = result?;
        removed?;
        self.folder.sync().during("save", self.folder.path())?;
        Ok(is_ours.then(|| Held {
            file_name,
            record: Ok(record),
            file,
        }))
    }

    /// Brings a record up to date with what the volume states; says whether it was written.
    pub(super) fn refresh(
        &self,
        asset: &AssetName,
        stated: &Statement<'_>,
    ) -> Result<bool, StorageError> {
        let is_up_to_date =
            |record: &Record| record.is_current() && record.states(stated.cluster, stated.volume);
        match self.find_record(asset)? {
            Some(Ok(record)) if !is_up_to_date(&record) => {}
            _ => return Ok(false),
        }
        let Some(held) = self.hold(asset)? else {
            return Ok(false);
        };
        let Ok(record) = &held.record else {
            return Ok(false);
        };
        let unfinished = unfinished(&held.file_name);
        let path = self.folder.path_of(&unfinished);
        let file = File::from(self.folder.make_file(&unfinished).during("create", &path)?);
        let record = record_of(asset, &record.owner, record.directory, stated);
        let written = serde_json::to_vec(&record)
            .map_err(std::io::Error::from)
            .and_then(|text| write_whole(&file, &text));
        if let Err(error) = written {
            // The record stays as it was.
            self.folder
                .remove_file(&unfinished)
                .during("remove", &path)?;
            return Err(error).during("write", &path);
        }
        let replaced = self.folder.rename(&unfinished, &held.file_name);
        replaced.during("replace", &self.folder.path_of(&held.file_name))?;
        self.folder.sync().during("save", self.folder.path())?;
        Ok(true)
    }

    /// The uid of the cluster that the base directory belongs to.
    pub(super) fn stamp(&self) -> Result<Option<String>, StorageError> {
        let path = self.folder.path_of(STAMP);
        let file = match self.folder.open_file_to_read(STAMP) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error).during("open", &path),
        };
        let mut text = Vec::new();
        file.take(LARGEST)
            .read_to_end(&mut text)
            .during("read", &path)?;
        Ok(Some(String::from_utf8_lossy(&text).trim().to_owned()))
    }

    /// Stamps a base directory without a stamp. Another run may be first: the stamp is read again afterwards.
    pub(super) fn add_stamp(&self, cluster: &str) -> Result<(), StorageError> {
        self.sweep(STAMP, None)?;
        let unfinished = unfinished(STAMP);
        let path = self.folder.path_of(&unfinished);
        let file = match self.folder.make_file(&unfinished) {
            Ok(file) => File::from(file),
            Err(Errno::EXIST) => return Ok(()),
            Err(error) => return Err(error).during("create", &path),
        };
        let stamped = self.finish(&file, cluster.as_bytes(), &unfinished, STAMP);
        match self.folder.remove_file(&unfinished) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error).during("remove", &path),
        }
        stamped?;
        self.folder.sync().during("save", self.folder.path())
    }

    /// Replaces the stamp.
    pub(super) fn replace_stamp(&self, cluster: &str) -> Result<(), StorageError> {
        let unfinished = unfinished(STAMP);
        let path = self.folder.path_of(&unfinished);
        let file = File::from(self.folder.make_file(&unfinished).during("create", &path)?);
        write_whole(&file, cluster.as_bytes()).during("write", &path)?;
        let replaced = self.folder.rename(&unfinished, STAMP);
        replaced.during("replace", &self.folder.path_of(STAMP))?;
        self.folder.sync().during("save", self.folder.path())
    }

    /// Fills the file and gives it its name, unless another has that name by now.
    fn finish(
        &self,
        file: &File,
        text: &[u8],
        unfinished: &str,
        file_name: &str,
    ) -> Result<bool, StorageError> {
        let path = self.folder.path_of(unfinished);
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            // Somebody sweeps.
            Err(Errno::WOULDBLOCK) => return Ok(false),
            other => other.during("lock", &path)?,
        }
        write_whole(file, text).during("write", &path)?;
        match self.folder.link(unfinished, file_name) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST | Errno::NOENT) => Ok(false),
            Err(error) => Err(error).during("make", &self.folder.path_of(file_name)),
        }
    }

    /// Removes what runs that were cut short left: records that never got their name, or kept their first one as well.
    fn sweep(&self, file_name: &str, held: Option<&File>) -> Result<(), StorageError> {
        let start = format!("{file_name}.");
        let names = self.folder.names().during("read", self.folder.path())?;
        for name in names
            .iter()
            .filter(|name| name.starts_with(&start) && name.ends_with(UNFINISHED))
        {
            let Ok(file) = self.folder.open_file(name) else {
                continue;
            };
            let is_held = match held {
                Some(held) => is_same(held, &file).during("look at", self.folder.path())?,
                None => false,
            };
            if is_held || flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                match self.folder.remove_file(name) {
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(error) => return Err(error).during("remove", &self.folder.path_of(name)),
                }
            }
        }
        Ok(())
    }

    /// Creates the directory that is to take the place of an emptied asset, where no other user can reach it.
    pub(super) fn make_replacement(&self, asset: &AssetName) -> Result<Directory, StorageError> {
        let name = format!("{asset}{REPLACEMENT}");
        let path = self.folder.path_of(&name);
        self.remove_replacement(asset.as_str())
            .during("remove", &path)?;
        self.folder.make_directory(&name).during("create", &path)?;
        self.folder.open_directory(&name).during("open", &path)
    }

    /// Gives it the place of the asset, which the kernel does only while that is empty.
    pub(super) fn put_replacement(&self, asset: &AssetName, base: &Directory) -> Result<(), Errno> {
        let name = format!("{asset}{REPLACEMENT}");
        self.folder.rename_to(&name, base, asset.as_str())
    }

    /// Removes the one that an unfinished run left.
    pub(super) fn remove_replacement(&self, asset: &str) -> Result<(), Errno> {
        match self
            .folder
            .remove_directory(&format!("{asset}{REPLACEMENT}"))
        {
            Err(Errno::NOENT) => Ok(()),
            other => other,
        }
    }

    /// Removes a record whose asset is gone.
    pub(super) fn remove(&self, held: Held) -> Result<(), StorageError> {
        if let Some(asset) = held.file_name.strip_suffix(SUFFIX) {
            // It is empty, and in the way of nothing.
            let _ = self.remove_replacement(asset);
        }
        match self.folder.remove_file(&held.file_name) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => {
                return Err(error).during("remove", &self.folder.path_of(&held.file_name));
            }
        }
        self.folder.sync().during("save", self.folder.path())?;
        drop(held);
        Ok(())
    }

    /// Whom the file of a record belongs to.
    pub(super) fn user_of(&self, asset: &AssetName) -> Result<Option<u32>, StorageError> {
        let file_name = format!("{asset}{SUFFIX}");
        let found = self.folder.find(&file_name);
        let found = found.during("look at", &self.folder.path_of(&file_name))?;
        Ok(found.map(|found| found.st_uid))
    }

    /// The record of an asset, also while another process holds it; the inner error is for one that cannot be understood.
    pub(super) fn find_record(
        &self,
        asset: &AssetName,
    ) -> Result<Option<Result<Record, String>>, StorageError> {
        let file_name = format!("{asset}{SUFFIX}");
        let path = self.folder.path_of(&file_name);
        match self.folder.open_file_to_read(&file_name) {
            Ok(file) => read(&File::from(file), asset)
                .during("read", &path)
                .map(Some),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error).during("open", &path),
        }
    }

    /// All assets there are records of, by name, with their records where these can be read.
    pub(super) fn all(&self) -> Result<Vec<(AssetName, Option<Record>)>, StorageError> {
        let names = self.folder.names().during("read", self.folder.path())?;
        let assets = names
            .iter()
            .filter_map(|name| AssetName::find(name.strip_suffix(SUFFIX)?));
        let read_one = |asset: AssetName| {
            let path = self.folder.path_of(&format!("{asset}{SUFFIX}"));
            match self.folder.open_file_to_read(&format!("{asset}{SUFFIX}")) {
                Ok(file) => {
                    let record = read(&File::from(file), &asset).during("read", &path)?;
                    Ok(Some((asset, record.ok())))
                }
                Err(Errno::NOENT) => Ok(None),
                Err(_) => Ok(Some((asset, None))),
            }
        };
        assets
            .filter_map(|asset| read_one(asset).transpose())
            .collect()
    }

    /// Whether this user can add and remove records.
    pub(super) fn check_access(&self) -> Result<(), StorageError> {
        let access = self.folder.check_access(Access::WRITE_OK | Access::EXEC_OK);
        access.during("write to", self.folder.path())
    }

    /// Where the records are, for messages.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn is_still(&self, file: &File, file_name: &str) -> Result<bool, Errno> {
        let ours = rustix::fs::fstat(file)?;
        let named = self.folder.find(file_name)?;
        Ok(named.is_some_and(|named| (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)))
    }
}

/// A name that nobody else gives a file that is not finished.
fn unfinished(name: &str) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    format!("{name}.{}-{number}{UNFINISHED}", std::process::id())
}

fn is_same(one: impl AsFd, other: impl AsFd) -> Result<bool, Errno> {
    let (one, other) = (rustix::fs::fstat(one)?, rustix::fs::fstat(other)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

fn record_of(
    asset: &AssetName,
    owner: &Owner,
    directory: Option<DirectoryAccess>,
    stated: &Statement<'_>,
) -> Record {
    Record {
        version: VERSION,
        asset: asset.to_string(),
        owner: owner.clone(),
        cluster: Some(stated.cluster.to_owned()),
        policy: Some(stated.volume.policy.clone()),
        size: Some(stated.volume.size.clone()),
        class: Some(stated.volume.class.clone()),
        access_modes: stated.volume.access_modes.clone(),
        node: stated.volume.node.clone(),
        directory,
        updated_at: Some(stated.now.to_owned()),
    }
}

fn write_whole(mut file: &File, text: &[u8]) -> Result<(), std::io::Error> {
    step()?;
    file.write_all(text)?;
    step()?;
    Ok(sync(file.as_fd())?)
}

/// What the record states; the inner error is for one that cannot be understood.
fn read(file: &File, asset: &AssetName) -> Result<Result<Record, String>, std::io::Error> {
    let mut text = Vec::new();
    file.take(LARGEST).read_to_end(&mut text)?;
    Ok(match serde_json::from_slice::<Record>(&text) {
        Err(error) => Err(format!("cannot be understood ({error})")),
        Ok(record) if ![OLDER_VERSION, VERSION].contains(&record.version) => Err(format!(
            "is of version {}, and this program knows {VERSION}",
            record.version
        )),
        Ok(record) if record.asset != asset.as_str() => {
            Err(format!("is about asset `{}`", record.asset))
        }
        Ok(record) => Ok(record),
    })
}
