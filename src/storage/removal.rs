//! Empties a directory from the inside, however deep it is, whatever its names are, and whoever changes it meanwhile.
//!
//! Symbolic links are removed, not followed; of a hard link one name goes; what is mounted inside is neither entered nor
//! touched. What cannot be removed is skipped and told, and everything else goes all the same.
//!
//! The number of open directories is bounded: what lies deeper is first moved up, next to the top. That keeps every access
//! below an open directory, which climbing back up by `..` would not.
//!
//! The time is bounded by progress, which is the removal of an entry that is older than the removal itself. There are only so
//! many of those, however fast another process adds new ones.

use super::beneath::{Directory, Moment, changed_at, is_special, open_beneath, step};
use super::error::{Leftover, Leftovers, StorageError};
use rustix::fs::{AtFlags, Dir, FileType, OFlags, fstat, statat};
use rustix::io::Errno;
use std::collections::HashSet;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Directories open at a time.
const DEPTH: usize = 64;
/// How many of the things that are left are named.
const NAMED: usize = 20;

/// The removal of everything in one directory.
pub(super) struct Removal {
    /// From the directory that is emptied down to the one being read.
    levels: Vec<Level>,
    /// How many directories were moved up; the next one gets this number.
    moved: u64,
    left: Vec<Leftover>,
    total: u64,
    /// When it began, by the clock of the file system; `None` where that cannot be determined.
    began: Option<Moment>,
    progress_at: Instant,
    patience: Duration,
}

/// A directory that is being read.
struct Level {
    name: CString,
    path: PathBuf,
    entries: Dir,
    /// What stays, and has been told.
    stays: HashSet<CString>,
    /// Whether this reading changed something, so that another one must follow.
    changed: bool,
    /// Whether it is older than the removal.
    is_old: bool,
}

impl Removal {
    pub(super) fn new(directory: &Directory, patience: Duration) -> Self {
        Self {
            levels: Vec::new(),
            moved: 0,
            left: Vec::new(),
            total: 0,
            began: directory.touch().ok(),
            progress_at: Instant::now(),
            patience,
        }
    }

    /// Empties the directory, and keeps it; once more where something was added since.
    pub(super) fn empty(&mut self, directory: &Directory) -> Result<(), StorageError> {
        let path = directory.path().to_owned();
        (self.left, self.total) = (Vec::new(), 0);
        match directory.entries() {
            Ok(entries) => {
                let level = Level::new(CString::default(), path.clone(), entries, false);
                self.levels.push(level);
            }
            Err(error) => self.report(path.clone(), error),
        }
        if self.run() == Progress::Ended {
            self.levels.clear();
            let patience = self.patience;
            return Err(StorageError::InUse { path, patience });
        }
        if self.total == 0 {
            return Ok(());
        }
        Err(StorageError::Remains {
            path,
            left: Leftovers(std::mem::take(&mut self.left)),
            total: self.total,
        })
    }
}

/// Whether a removal came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Complete,
    /// For too long nothing old was removed.
    Ended,
}

impl Level {
    fn new(name: CString, path: PathBuf, entries: Dir, is_old: bool) -> Self {
        Self {
            name,
            path,
            entries,
            stays: HashSet::new(),
            changed: false,
            is_old,
        }
    }

    fn path_of(&self, name: &CStr) -> PathBuf {
        self.path
            .join(Path::new(OsStr::from_bytes(name.to_bytes())))
    }

    fn remove(&self, name: &CStr, flags: AtFlags) -> Result<(), Errno> {
        step()?;
        rustix::fs::unlinkat(self.entries.fd()?, name, flags)
    }
}

impl Removal {
    fn run(&mut self) -> Progress {
        while let Some(level) = self.levels.last_mut() {
            if self.progress_at.elapsed() > self.patience {
                return Progress::Ended;
            }
            match level.entries.read() {
                Some(Ok(entry)) if is_special(entry.file_name()) => {}
                Some(Ok(entry)) if level.stays.contains(entry.file_name()) => {}
                Some(Ok(entry)) => {
                    let name = entry.file_name().to_owned();
                    match entry.file_type() {
                        FileType::Directory | FileType::Unknown => self.enter(name),
                        _ => self.unlink(name),
                    }
                }
                Some(Err(error)) => self.give_up(error),
                None if level.changed => {
                    level.changed = false;
                    level.entries.rewind();
                }
                None => self.leave(),
            }
        }
        Progress::Complete
    }

    /// Whether an entry is older than the removal. Its last change counts, not its content: a new name of an old file is new.
    fn is_old(&self, changed: Result<Moment, Errno>) -> bool {
        matches!((changed, self.began), (Ok(changed), Some(began)) if changed <= began)
    }

    fn is_old_entry(&mut self, name: &CStr) -> bool {
        let directory = self.current().entries.fd();
        let stat = directory.and_then(|directory| {
            let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
            Ok(changed_at(&stat))
        });
        self.is_old(stat)
    }

    fn note_progress(&mut self, was_old: bool) {
        if was_old {
            self.progress_at = Instant::now();
        }
    }

    fn current(&mut self) -> &mut Level {
        self.levels
            .last_mut()
            .expect("a level is being read while its entries are handled")
    }

    /// Removes what is no directory, or was none when its directory was read.
    fn unlink(&mut self, name: CString) {
        let is_old = self.is_old_entry(&name);
        let level = self.current();
        match level.remove(&name, AtFlags::empty()) {
            Ok(()) => {
                level.changed = true;
                self.note_progress(is_old);
            }
            // A directory by now: the next reading sees it.
            Err(Errno::ISDIR) => level.changed = true,
            Err(Errno::NOENT) => {}
            Err(error) => self.keep(name, error),
        }
    }

    /// Goes on in a directory, unless it is none any more.
    fn enter(&mut self, name: CString) {
        let deep = self.levels.len() >= DEPTH;
        let level = self.current();
        let opened = level
            .entries
            .fd()
            .and_then(|directory| open_beneath(directory, &name, OFlags::DIRECTORY));
        match opened {
            Ok(_) if deep => self.move_up(name),
            Ok(directory) => self.descend(name, directory),
            Err(Errno::NOENT) => {}
            Err(Errno::LOOP | Errno::NOTDIR) => self.unlink(name),
            Err(Errno::XDEV) => self.keep(name, Errno::XDEV),
            // What may not be read may be empty.
            Err(error) => match level.remove(&name, AtFlags::REMOVEDIR) {
                Ok(()) => level.changed = true,
                Err(_) => self.keep(name, error),
            },
        }
    }

    fn descend(&mut self, name: CString, directory: OwnedFd) {
        let path = self.current().path_of(&name);
        let is_old = self.is_old(fstat(&directory).map(|stat| changed_at(&stat)));
        match Dir::new(directory) {
            Ok(entries) => self.levels.push(Level::new(name, path, entries, is_old)),
            Err(error) => self.keep(name, error),
        }
    }

    /// Moves a directory that lies too deep into the one that is emptied, where it is found again.
    fn move_up(&mut self, name: CString) {
        match self.rename_to_top(&name) {
            Ok(()) => {
                self.current().changed = true;
                self.levels[0].changed = true;
            }
            // Swapped since it was read: the next reading sees what it is now.
            Err(Errno::ISDIR | Errno::NOENT) => self.current().changed = true,
            Err(error) => match self.current().remove(&name, AtFlags::REMOVEDIR) {
                Ok(()) => self.current().changed = true,
                Err(_) => self.keep(name, error),
            },
        }
    }

    fn rename_to_top(&mut self, name: &CStr) -> Result<(), Errno> {
        loop {
            let to = format!(".kubectl-pv-removal-{}", self.moved);
            self.moved += 1;
            step()?;
            let (from, top) = (
                self.levels[DEPTH - 1].entries.fd()?,
                self.levels[0].entries.fd()?,
            );
            match rustix::fs::renameat(from, name, top, to.as_str()) {
                // A run that was interrupted left something of that name.
                Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                other => return other,
            }
        }
    }

    /// The directory being read has nothing left that can go: it goes itself, unless it is the one to be emptied.
    fn leave(&mut self) {
        let Some(done) = self.levels.pop() else {
            return;
        };
        let Some(parent) = self.levels.last_mut() else {
            return;
        };
        if !done.stays.is_empty() {
            parent.stays.insert(done.name);
            return;
        }
        match parent.remove(&done.name, AtFlags::REMOVEDIR) {
            Ok(()) => {
                parent.changed = true;
                self.note_progress(done.is_old);
            }
            // Swapped or filled since it was read: the next reading sees what it is now.
            Err(Errno::NOTDIR | Errno::NOTEMPTY | Errno::EXIST) => parent.changed = true,
            Err(Errno::NOENT) => {}
            Err(error) => self.keep(done.name, error),
        }
    }

    /// A directory that cannot be read on.
    fn give_up(&mut self, error: Errno) {
        let Some(done) = self.levels.pop() else {
            return;
        };
        self.report(done.path, error);
        if let Some(parent) = self.levels.last_mut() {
            parent.stays.insert(done.name);
        }
    }

    /// Skips what cannot be removed from now on.
    fn keep(&mut self, name: CString, error: Errno) {
        let level = self.current();
        let path = level.path_of(&name);
        level.stays.insert(name);
        self.report(path, error);
    }

    fn report(&mut self, path: PathBuf, error: Errno) {
        self.total += 1;
        if self.left.len() < NAMED {
            let why = describe(error);
            self.left.push(Leftover { path, why });
        }
    }
}

/// Why something is left, for people.
fn describe(error: Errno) -> String {
    match error {
        Errno::XDEV => "another file system is mounted there".to_owned(),
        Errno::BUSY => "something is mounted there, or uses it".to_owned(),
        other => io::Error::from(other).to_string(),
    }
}
