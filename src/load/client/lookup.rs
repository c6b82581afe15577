//! Where a program is that is named without a folder. Only absolute folders of our own PATH count: the current directory may be
//! a downloaded archive, and the PATH that a kubeconfig sets for its plugin is the kubeconfig's, not the user's.
//!
//! Upstream: os/exec, `LookPath` and `ErrDot`, which is how kubectl finds credential plugins.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// The program to run.
    Program(PathBuf),
    /// The first match is relative to the current directory, so nothing is run.
    InCurrentDirectory,
    /// There is none.
    Nowhere,
}

/// Looks a program up. A name with a folder is taken as it is: the kubeconfig's reader has resolved it.
pub(super) fn find_program(name: &str, search_path: &OsStr) -> Found {
    if name.contains(std::path::MAIN_SEPARATOR) {
        return Found::Program(PathBuf::from(name));
    }
    for folder in env::split_paths(search_path) {
        let program = folder.join(name);
        if !is_executable(&program) {
            continue;
        }
        return if folder.is_absolute() {
            Found::Program(program)
        } else {
            Found::InCurrentDirectory
        };
    }
    Found::Nowhere
}

fn is_executable(program: &Path) -> bool {
    let Ok(metadata) = program.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let has_mode = {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & 0o111 != 0
    };
    #[cfg(not(unix))]
    let has_mode = true;
    metadata.is_file() && has_mode
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_folders_of_the_path_count() {
        let find = |path: &str| find_program("sh", OsStr::new(path));
        assert_eq!(find("/nowhere:/bin"), Found::Program("/bin/sh".into()));
        assert_eq!(find("/nowhere"), Found::Nowhere);
        assert_eq!(find(""), Found::Nowhere);
        // The tests run in the folder of the package, which is below the root.
        let depth = env::current_dir().unwrap().components().count() - 1;
        let to_bin = format!("{}bin", "../".repeat(depth));
        assert_eq!(find(&to_bin), Found::InCurrentDirectory);
        assert_eq!(find(&format!("{to_bin}:/bin")), Found::InCurrentDirectory);
        assert_eq!(
            find(&format!("/bin:{to_bin}")),
            Found::Program("/bin/sh".into())
        );
    }
}
