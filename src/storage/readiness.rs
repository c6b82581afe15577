//! Whether an asset can be deleted, emptied or created now, as far as that shows without changing anything. Planners ask before
//! they plan, and `apply` asks once more immediately before the first write.

use super::AssetName;
use super::beneath::Directory;
use super::directories::Directories;
use super::error::StorageError;
use super::mounts;
use super::records::Records;
use crate::model::asset::{AssetObstacle, Readiness};
use rustix::fs::{Access, FileType, StatVfs, StatVfsMountFlags};
use rustix::io::Errno;
use std::io::ErrorKind;
use std::path::Path;

/// Why not: what is in the way, and a clause.
type Refusal = (AssetObstacle, String);

impl Directories {
    /// Whether the asset of this name can be deleted, or emptied.
    pub(super) fn readiness(&self, name: &AssetName) -> Readiness {
        self.check_asset(name).unwrap_or_else(refused)
    }

    /// Whether an asset can be created in the base directory.
    pub(super) fn readiness_to_create(&self) -> Readiness {
        self.check_base_to_create().unwrap_or_else(refused)
    }

    fn check_asset(&self, name: &AssetName) -> Result<Readiness, Refusal> {
        let base = self.base();
        check_mount(base)?;
        check_writable(base)?;
        let records = Records::find(base).map_err(|error| of_error(&error))?;
        let stamp = match &records {
            Some(records) => records.stamp().map_err(|error| of_error(&error))?,
            None => None,
        };
        let Some(records) = records.filter(|_| self.may_be_ours(stamp.as_deref())) else {
            let path = base.path().display();
            return Ok(Readiness::OfAnotherCluster {
                message: format!(
                    "{path} is not stamped for this cluster any more: is the disk mounted?"
                ),
            });
        };
        let path = base.path_of(name.as_str());
        let found = base.find(name.as_str());
        let Some(found) = found.map_err(|error| of_errno(error, &path))? else {
            return Ok(Readiness::Missing {
                is_recorded: records.has(name),
                path: path.display().to_string(),
            });
        };
        let shown = path.display();
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => {}
            FileType::Symlink => {
                return Err((AssetObstacle::Link, format!("{shown} is a symbolic link")));
            }
            _ => {
                return Err((
                    AssetObstacle::Missing,
                    format!("{shown} is not a directory"),
                ));
            }
        }
        let asset = base.open_directory(name.as_str());
        let asset = asset.map_err(|error| of_errno(error, &path))?;
        if let Some(mount) = mounts::find_below(&path) {
            let message = format!("a file system is mounted at {}", mount.display());
            return Err((AssetObstacle::InUse, message));
        }
        let is_empty = asset.is_empty().map_err(|error| of_errno(error, &path))?;
        if !is_empty {
            check_access(&asset)?;
        }
        // An emptied directory is replaced by a new one, which takes the same rights as its deletion.
        check_access(base)?;
        check_sticky(base, &path, found.st_uid)?;
        records.check_access().map_err(|error| of_error(&error))?;
        Ok(Readiness::Ready { free: None })
    }

    fn check_base_to_create(&self) -> Result<Readiness, Refusal> {
        let base = self.base();
        check_mount(base)?;
        check_writable(base)?;
        check_access(base)?;
        let records = Records::find(base).map_err(|error| of_error(&error))?;
        if let Some(records) = records {
            records.check_access().map_err(|error| of_error(&error))?;
        }
        let space = base.space().map_err(|error| of_errno(error, base.path()))?;
        let shown = base.path().display();
        if blocks(&space) == 0 {
            return Err((AssetObstacle::NoSpace, format!("{shown} has no free block")));
        }
        // A file system without a number of inodes has no such limit.
        if space.f_files > 0 && space.f_ffree == 0 {
            return Err((AssetObstacle::NoSpace, format!("{shown} has no free inode")));
        }
        Ok(Readiness::Ready {
            free: Some(blocks(&space).saturating_mul(space.f_frsize)),
        })
    }

    /// Whether the stamp is that of this cluster. While the first plan is made the cluster is not known yet.
    fn may_be_ours(&self, stamp: Option<&str>) -> bool {
        match (stamp, self.cluster()) {
            (Some(stamp), Some(cluster)) => stamp == cluster,
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

fn refused((obstacle, message): Refusal) -> Readiness {
    Readiness::Refused { obstacle, message }
}

/// The free blocks that this user can fill: some are reserved for root.
fn blocks(space: &StatVfs) -> u64 {
    if rustix::process::geteuid().is_root() {
        space.f_bfree
    } else {
        space.f_bavail
    }
}

/// The path must still lead to the directory that was opened at the start.
fn check_mount(base: &Directory) -> Result<(), Refusal> {
    if base.is_at_its_path() == Ok(true) {
        return Ok(());
    }
    let shown = base.path().display();
    let message = format!("{shown} is another directory than at the start: is the disk mounted?");
    Err((AssetObstacle::Missing, message))
}

fn check_writable(base: &Directory) -> Result<(), Refusal> {
    let space = base.space().map_err(|error| of_errno(error, base.path()))?;
    if space.f_flag.contains(StatVfsMountFlags::RDONLY) {
        return Err(of_errno(Errno::ROFS, base.path()));
    }
    Ok(())
}

/// Names in it can be removed, and added.
fn check_access(directory: &Directory) -> Result<(), Refusal> {
    let access = directory.check_access(Access::WRITE_OK | Access::EXEC_OK);
    access.map_err(|error| of_errno(error, directory.path()))
}

/// In a directory with the sticky bit a name can be removed only by its owner, or that of the directory.
fn check_sticky(base: &Directory, path: &Path, owner: u32) -> Result<(), Refusal> {
    const STICKY: u32 = 0o1000;
    let stat = base.stat().map_err(|error| of_errno(error, path))?;
    let user = rustix::process::geteuid();
    let is_owner = [stat.st_uid, owner].contains(&user.as_raw());
    if stat.st_mode & STICKY == 0 || user.is_root() || is_owner {
        return Ok(());
    }
    let (shown, base) = (path.display(), base.path().display());
    let message = format!("{shown} belongs to another user, and {base} has the sticky bit");
    Err((AssetObstacle::PermissionDenied, message))
}

fn of_errno(error: Errno, path: &Path) -> Refusal {
    let shown = path.display();
    match error {
        Errno::ROFS => (
            AssetObstacle::ReadOnly,
            format!("{shown} is on a read-only file system"),
        ),
        Errno::ACCESS | Errno::PERM => (
            AssetObstacle::PermissionDenied,
            format!("this user cannot write to {shown}"),
        ),
        Errno::LOOP => (AssetObstacle::Link, format!("{shown} is a symbolic link")),
        Errno::XDEV => (
            AssetObstacle::InUse,
            format!("{shown} is a file system of its own, mounted there"),
        ),
        error => (
            AssetObstacle::NotReadable,
            format!("{shown} cannot be read: {}", std::io::Error::from(error)),
        ),
    }
}

fn of_error(error: &StorageError) -> Refusal {
    if let StorageError::Io { path, source, .. } = error {
        match source.kind() {
            ErrorKind::PermissionDenied => return of_errno(Errno::ACCESS, path),
            ErrorKind::ReadOnlyFilesystem => return of_errno(Errno::ROFS, path),
            _ => {}
        }
    }
    (AssetObstacle::NotReadable, error.to_string())
}
