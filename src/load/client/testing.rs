//! A folder for one test, gone at its end.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
};

pub(super) struct Folder(PathBuf);

impl Folder {
    /// `name` must differ between tests: they run side by side.
    pub(super) fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kubectl-pv-{}-{name}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn write(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let folder: &Path = &self.0;
        let _ = fs::remove_dir_all(folder);
    }
}
