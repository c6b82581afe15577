//! Filesystem or Block, and what absence means.

use serde::Serialize;
use std::fmt;

/// How a volume is handed to a pod. Absent means a file system, on claims and volumes alike (R26.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub enum VolumeMode {
    /// Mounted as a directory.
    #[default]
    Filesystem,
    /// Given as a raw device.
    Block,
}

impl VolumeMode {
    /// The mode of that name, if it is one.
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "Filesystem" => Some(Self::Filesystem),
            "Block" => Some(Self::Block),
            _ => None,
        }
    }
}

impl fmt::Display for VolumeMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Filesystem => "Filesystem",
            Self::Block => "Block",
        })
    }
}
