//! Directories of this machine, as `hostPath` volumes. They are tied to their node, so only what happens on one node at a time
//! can be asked of them.

use super::backend::Place;
use super::directories::Directories;
use super::served::Served;
use super::{CreateRequest, Labels, StorageError, labels};
use crate::conventions::access_mode::AccessMode;
use serde_json::{Value, json};

/// The backend `hostpath:/base/dir`.
#[derive(Debug)]
pub(super) struct HostPath {
    /// The base directory as volumes spell it.
    pub(super) base: String,
    pub(super) directories: Directories,
}

impl Served for HostPath {
    fn directories(&self) -> &Directories {
        &self.directories
    }

    fn source(&self, name: &str) -> Value {
        json!({"hostPath": {"path": format!("{}/{name}", self.base), "type": "Directory"}})
    }

    fn place(&self, source: &Value) -> Place {
        match source["hostPath"]["path"].as_str() {
            Some(path) => Place::of_path(&self.base, path),
            None => Place::Elsewhere,
        }
    }

    fn labels(&self, request: &CreateRequest) -> Result<Labels, StorageError> {
        labels::of_node_directory(request)
    }

    fn check_use(&self, request: &CreateRequest) -> Result<(), StorageError> {
        let many = request
            .access_modes
            .iter()
            .find(|mode| matches!(mode, AccessMode::ReadOnlyMany | AccessMode::ReadWriteMany));
        if let Some(mode) = many {
            let reason = format!("a directory of one node cannot be {}", mode.name());
            return Err(StorageError::Refused(reason));
        }
        if request.node.is_none() {
            let reason = "a directory of this machine needs to know which node this is".to_owned();
            return Err(StorageError::Refused(reason));
        }
        Ok(())
    }

    fn node(&self, request: &CreateRequest) -> Option<String> {
        request.node.as_ref().map(|node| node.name.clone())
    }
}
