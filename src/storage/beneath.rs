//! Files below a base directory, and nowhere else.
//!
//! A path is never handed to the operating system: each step is one name, opened from the directory it is in with `openat2`,
//! which follows no symbolic link, does not leave that directory and does not enter what is mounted on it. So it does not
//! matter what somebody puts in the place of a name between two steps.

use rustix::fs::{
    Access, AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, ResolveFlags, Stat, StatVfs,
    Timespec, Timestamps, UTIME_NOW, flock,
};
use rustix::io::Errno;
use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// How often a lookup that the kernel gave up, because something was renamed meanwhile, is tried again.
const LOOKUPS: u32 = 64;

/// An open directory.
#[derive(Debug)]
pub(super) struct Directory {
    fd: OwnedFd,
    /// For messages only.
    path: PathBuf,
}

/// Whether a directory was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    New,
    Existed,
}

impl Directory {
    /// Opens the base directory an administrator named, where symbolic links on the way are the administrator's own.
    pub(super) fn open_base(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        let base = Self {
            fd,
            path: path.to_owned(),
        };
        // Kernels before 5.6, and some sandboxes, do not have the one call all of this rests on.
        open_beneath(base.fd.as_fd(), c".", OFlags::DIRECTORY)?;
        Ok(base)
    }

    /// Where it is, for messages.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Where a name in it would be, for messages.
    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Keeps others who ask for the same out of it for as long as it is open; says whether somebody is in there. Not every file
    /// system can do that, and then nobody is.
    pub(super) fn is_anothers(&self) -> bool {
        let locked = flock(&self.fd, FlockOperation::NonBlockingLockExclusive);
        locked == Err(Errno::WOULDBLOCK)
    }

    /// Opens a directory in it.
    pub(super) fn open_directory(&self, name: &str) -> Result<Self, Errno> {
        let fd = open_beneath(self.fd.as_fd(), &component(name)?, OFlags::DIRECTORY)?;
        Ok(Self {
            fd,
            path: self.path_of(name),
        })
    }

    /// Opens a file in it for reading and writing. A pipe or device somebody put there neither blocks nor acts.
    pub(super) fn open_file(&self, name: &str) -> Result<OwnedFd, Errno> {
        self.open_file_with(name, OFlags::RDWR)
    }

    /// The same for reading alone, as a read-only file system allows.
    pub(super) fn open_file_to_read(&self, name: &str) -> Result<OwnedFd, Errno> {
        self.open_file_with(name, OFlags::RDONLY)
    }

    fn open_file_with(&self, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::NONBLOCK;
        let fd = open_beneath(self.fd.as_fd(), &component(name)?, flags)?;
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
        if kind == FileType::RegularFile {
            Ok(fd)
        } else {
            Err(Errno::INVAL)
        }
    }

    /// Makes a file that was not there, for this user only.
    pub(super) fn make_file(&self, name: &str) -> Result<OwnedFd, Errno> {
        step()?;
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.fd, &component(name)?, flags, Mode::RUSR | Mode::WUSR)
    }

    /// Makes a directory, for this user only.
    pub(super) fn make_directory(&self, name: &str) -> Result<Made, Errno> {
        step()?;
        let name = component(name)?;
        #[cfg(test)]
        crash::meddle(&name);
        match rustix::fs::mkdirat(&self.fd, &name, Mode::RWXU) {
            Ok(()) => Ok(Made::New),
            Err(Errno::EXIST) => Ok(Made::Existed),
            Err(error) => Err(error),
        }
    }

    /// Gives a file a second name, unless there is something of that name.
    pub(super) fn link(&self, from: &str, to: &str) -> Result<(), Errno> {
        step()?;
        rustix::fs::linkat(
            &self.fd,
            &component(from)?,
            &self.fd,
            &component(to)?,
            AtFlags::empty(),
        )
    }

    /// Gives a file another name, in place of whatever file has that name.
    pub(super) fn rename(&self, from: &str, to: &str) -> Result<(), Errno> {
        step()?;
        rustix::fs::renameat(&self.fd, &component(from)?, &self.fd, &component(to)?)
    }

    /// Moves a directory into another one, in place of whatever empty directory has that name there.
    pub(super) fn rename_to(&self, from: &str, other: &Self, to: &str) -> Result<(), Errno> {
        step()?;
        rustix::fs::renameat(&self.fd, &component(from)?, &other.fd, &component(to)?)
    }

    /// Removes a name that is no directory.
    pub(super) fn remove_file(&self, name: &str) -> Result<(), Errno> {
        step()?;
        rustix::fs::unlinkat(&self.fd, &component(name)?, AtFlags::empty())
    }

    /// Removes an empty directory.
    pub(super) fn remove_directory(&self, name: &str) -> Result<(), Errno> {
        step()?;
        rustix::fs::unlinkat(&self.fd, &component(name)?, AtFlags::REMOVEDIR)
    }

    /// What is there under a name, a symbolic link being itself.
    pub(super) fn find(&self, name: &str) -> Result<Option<Stat>, Errno> {
        match rustix::fs::statat(&self.fd, &component(name)?, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What is known of the directory itself.
    pub(super) fn stat(&self) -> Result<Stat, Errno> {
        rustix::fs::fstat(&self.fd)
    }

    /// The kind of file system it is on, as the kernel numbers them.
    pub(super) fn file_system(&self) -> Result<u64, Errno> {
        Ok(u64::try_from(rustix::fs::fstatfs(&self.fd)?.f_type).unwrap_or_default())
    }

    /// Whether its path still leads to it: a file system may have been mounted or unmounted there.
    pub(super) fn is_at_its_path(&self) -> Result<bool, Errno> {
        let (there, here) = (rustix::fs::stat(&self.path)?, self.stat()?);
        Ok((there.st_dev, there.st_ino) == (here.st_dev, here.st_ino))
    }

    /// The room on its file system, and how that is mounted.
    pub(super) fn space(&self) -> Result<StatVfs, Errno> {
        rustix::fs::fstatvfs(&self.fd)
    }

    /// Whether this user has these rights to it.
    pub(super) fn check_access(&self, access: Access) -> Result<(), Errno> {
        rustix::fs::accessat(&self.fd, c".", access, AtFlags::empty())
    }

    /// Sets permissions and, where given, user and group.
    pub(super) fn set_access(
        &self,
        mode: u32,
        uid: Option<u32>,
        gid: Option<u32>,
    ) -> Result<(), Errno> {
        step()?;
        if uid.is_some() || gid.is_some() {
            let user = uid.map(rustix::fs::Uid::from_raw);
            let group = gid.map(rustix::fs::Gid::from_raw);
            rustix::fs::fchown(&self.fd, user, group)?;
        }
        // After the owner: a change of owner takes the setgid bit away.
        rustix::fs::fchmod(&self.fd, Mode::from_raw_mode(mode))
    }

    /// Sets its times to now, and says when that is by the clock of its file system.
    pub(super) fn touch(&self) -> Result<Moment, Errno> {
        step()?;
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_NOW,
        };
        let times = Timestamps {
            last_access: now,
            last_modification: now,
        };
        rustix::fs::futimens(&self.fd, &times)?;
        Ok(changed_at(&self.stat()?))
    }

    /// Makes sure that what was done to its names outlives a power cut.
    pub(super) fn sync(&self) -> Result<(), Errno> {
        step()?;
        sync(self.fd.as_fd())
    }

    /// Its entries, to be read one by one.
    pub(super) fn entries(&self) -> Result<Dir, Errno> {
        // A descriptor of its own, so that two readers do not share a place.
        Dir::new(open_beneath(self.fd.as_fd(), c".", OFlags::DIRECTORY)?)
    }

    /// The names in it that are UTF-8, sorted; ours all are.
    pub(super) fn names(&self) -> Result<Vec<String>, Errno> {
        let mut names = Vec::new();
        let mut entries = self.entries()?;
        while let Some(entry) = entries.read() {
            let entry = entry?;
            if is_special(entry.file_name()) {
                continue;
            }
            names.extend(entry.file_name().to_str().map(str::to_owned));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Whether there is nothing in it.
    pub(super) fn is_empty(&self) -> Result<bool, Errno> {
        let mut entries = self.entries()?;
        while let Some(entry) = entries.read() {
            if !is_special(entry?.file_name()) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A moment by the clock of a file system: seconds and nanoseconds.
pub(super) type Moment = (i64, i64);

/// When something was last changed, its names and rights included; only the kernel sets that.
pub(super) fn changed_at(stat: &Stat) -> Moment {
    let nanoseconds = i64::try_from(stat.st_ctime_nsec).unwrap_or_default();
    (stat.st_ctime, nanoseconds)
}

/// Makes sure that a file, or the names of a directory, outlive a power cut. Some file systems have nothing to do for that.
pub(super) fn sync(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    match rustix::fs::fsync(fd) {
        Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        other => other,
    }
}

/// `.` and `..`, which every directory lists.
pub(super) fn is_special(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// Opens one name, or `.`, from the directory it is in.
pub(super) fn open_beneath(
    directory: BorrowedFd<'_>,
    name: &CStr,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    for _ in 0..LOOKUPS {
        #[cfg(test)]
        crash::meddle(name);
        match rustix::fs::openat2(directory, name, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            other => return other,
        }
    }
    Err(Errno::AGAIN)
}

/// A name that is one step, or an error.
fn component(name: &str) -> Result<CString, Errno> {
    let name = OsStr::new(name).as_bytes();
    if name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') {
        return Err(Errno::INVAL);
    }
    CString::new(name).map_err(|_| Errno::INVAL)
}

/// Every change passes here first, so that a test can stop the world before any of them.
#[cfg_attr(
    not(test),
    expect(clippy::unnecessary_wraps, reason = "tests let it fail")
)]
pub(super) fn step() -> Result<(), Errno> {
    #[cfg(test)]
    crash::step()?;
    Ok(())
}

/// Bad luck, for tests, on this thread: a power cut, after which nothing is changed any more; and somebody who meddles right
/// before a name is opened.
#[cfg(test)]
pub(super) mod crash {
    use rustix::io::Errno;
    use std::cell::{Cell, RefCell};
    use std::ffi::CStr;

    type Meddler = Box<dyn FnMut(&str)>;

    thread_local! {
        static MEDDLER: RefCell<Option<Meddler>> = const { RefCell::new(None) };
        static STEPS_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
        static REFUSED: Cell<bool> = const { Cell::new(false) };
    }

    /// Calls somebody with every name that is about to be opened.
    pub(in crate::storage) fn before_opening(meddler: Option<Meddler>) {
        MEDDLER.replace(meddler);
    }

    pub(super) fn meddle(name: &CStr) {
        MEDDLER.with_borrow_mut(|meddler| {
            if let (Some(meddler), Ok(name)) = (meddler, name.to_str()) {
                meddler(name);
            }
        });
    }

    /// Lets this many changes happen and no more; `None` lets all happen.
    pub(in crate::storage) fn after(steps: Option<u32>) {
        STEPS_LEFT.set(steps);
        REFUSED.set(false);
    }

    /// Whether a change was not let happen.
    pub(in crate::storage) fn happened() -> bool {
        REFUSED.get()
    }

    pub(super) fn step() -> Result<(), Errno> {
        match STEPS_LEFT.get() {
            None => Ok(()),
            Some(0) => {
                REFUSED.set(true);
                Err(Errno::IO)
            }
            Some(left) => {
                STEPS_LEFT.set(Some(left - 1));
                Ok(())
            }
        }
    }
}
