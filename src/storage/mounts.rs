//! File systems that are mounted inside an asset. The removal of its content stops there, so they are found before the lock.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The mounts of this process, as the kernel lists them.
const LIST: &str = "/proc/self/mountinfo";
/// The fifth field is the mount point.
const MOUNT_POINT: usize = 4;

/// A mount point below the directory; none where the kernel does not list mounts.
pub(super) fn find_below(directory: &Path) -> Option<PathBuf> {
    let directory = fs::canonicalize(directory).ok()?;
    let list = fs::read(LIST).ok()?;
    mount_points(&list).find(|point| point.starts_with(&directory) && *point != directory)
}

fn mount_points(list: &[u8]) -> impl Iterator<Item = PathBuf> + '_ {
    let lines = list.split(|byte| *byte == b'\n');
    let points = lines.filter_map(|line| line.split(|byte| *byte == b' ').nth(MOUNT_POINT));
    points.map(|point| PathBuf::from(OsString::from_vec(unescape(point))))
}

/// Blanks, tabs, newlines and backslashes are listed as `\` and three octal digits.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut found = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *first == b'\\');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        found.push(code.unwrap_or(*first));
        rest = if code.is_some() { &after[3..] } else { after };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_read_as_the_kernel_lists_them() {
        let list = b"36 35 98:0 / /mnt\\040a/b rw,noatime master:1 - ext3 /dev/root rw\n\n\
            37 35 0:1 / /tmp\\134x rw - tmpfs none rw\n";
        let found: Vec<PathBuf> = mount_points(list).collect();
        assert_eq!(found, [Path::new("/mnt a/b"), Path::new("/tmp\\x")]);
    }

    #[test]
    fn only_mounts_below_a_directory_count() {
        assert_eq!(find_below(Path::new("/")).map(|_| ()), Some(()));
        assert_eq!(find_below(Path::new("/proc/self")), None);
        assert_eq!(find_below(Path::new("/does-not-exist")), None);
    }
}
