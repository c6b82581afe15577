//! Who else can write to a base directory, or put another directory in its place. Called when a backend is opened; what happens
//! inside the base directory is left to `directories.rs`.

use super::target::ConfigurationError;
use crate::conventions::shell::command;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// As many links as the kernel follows.
const LINKS: u32 = 40;
const STICKY: u32 = 0o1000;
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Refuses a base directory that group or others can write to, or whose place they can give to another directory. In a parent
/// with the sticky bit they cannot; the base directory itself may have it only where sharing was asked for.
pub(super) fn check(
    backend: &str,
    base: &Path,
    is_base_shared: bool,
) -> Result<(), ConfigurationError> {
    let unreadable = |error| {
        let problem = format!(
            "the rights to \"{}\" cannot be read: {error}",
            base.display()
        );
        ConfigurationError::new(backend, problem)
    };
    let way = directories_on_the_way(base).map_err(unreadable)?;
    for (index, directory) in way.iter().enumerate() {
        let is_base = index + 1 == way.len();
        let mode = fs::metadata(directory).map_err(unreadable)?.mode();
        let is_sticky = mode & STICKY != 0;
        let is_safe = mode & WRITABLE_BY_OTHERS == 0;
        if !is_safe && !(is_sticky && (!is_base || is_base_shared)) {
            return Err(refuse(backend, directory, is_base && is_sticky));
        }
    }
    Ok(())
}

/// A directory with the sticky bit is shared on purpose, as `/tmp` is: its rights stay, and one of its own is advised.
fn refuse(backend: &str, directory: &Path, is_shared_base: bool) -> ConfigurationError {
    let shown = directory.display().to_string();
    let problem = format!("other users of this machine can write to \"{shown}\"");
    let mut error = ConfigurationError::new(backend, problem);
    if is_shared_base {
        let own = directory.join("volumes").display().to_string();
        let create = command(&["mkdir", &own]);
        let protect = command(&["chmod", "go-w", &own]);
        error.hints = vec![
            format!("use a directory of its own: {create} && {protect}"),
            "--shared-base accepts this one; docs/backends.md names the risk".to_owned(),
        ];
    } else {
        error.hints.push(command(&["chmod", "go-w", &shown]));
    }
    error
}

/// Every directory in which a name on the way to `path` is looked up, those of symbolic links too, and last the one that the
/// path leads to.
fn directories_on_the_way(path: &Path) -> io::Result<Vec<PathBuf>> {
    let names_of = |path: &Path| -> VecDeque<OsString> {
        let names = path.components().filter_map(|part| match part {
            Component::Normal(_) | Component::ParentDir => Some(part.as_os_str().to_owned()),
            _ => None,
        });
        names.collect()
    };
    let (mut at, mut names) = (PathBuf::from("/"), names_of(path));
    let (mut way, mut links) = (vec![at.clone()], 0);
    while let Some(name) = names.pop_front() {
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        if !fs::symlink_metadata(&next)?.is_symlink() {
            way.push(next.clone());
            at = next;
            continue;
        }
        links += 1;
        if links > LINKS {
            return Err(io::Error::other("too many symbolic links"));
        }
        let target = fs::read_link(&next)?;
        if target.is_absolute() {
            at = PathBuf::from("/");
        }
        let mut inner = names_of(&target);
        inner.append(&mut names);
        names = inner;
    }
    // A path that ends in `..` or in a link to a parent leads back.
    if way.last() != Some(&at) {
        way.push(at);
    }
    Ok(way)
}
