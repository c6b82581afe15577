//! What goes wrong with assets, said so that nobody has to guess what is left where.

#[cfg(target_os = "linux")]
use crate::conventions::secrets::HIDDEN;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why an asset could not be made, deleted or emptied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StorageError {
    /// The request cannot be met; nothing was touched.
    #[error("{0}")]
    Refused(String),
    /// Somebody else works on it, or the storage asks for patience; the same call may do later.
    #[error("{0}; try again later")]
    Busy(String),
    /// Something is there that we did not make for this owner. It was left as it is.
    #[error("`{}` {why}: it is left as it is", path.display())]
    NotOurs {
        /// Where it is.
        path: PathBuf,
        /// How we know.
        why: String,
    },
    /// The base directory belongs to another cluster, or to none that is known. Nothing was touched.
    #[error("`{}` {}, and this cluster is {ours}", base.display(), stamped(stamp.as_deref()))]
    OtherCluster {
        /// The base directory.
        base: PathBuf,
        /// The uid of the cluster that it belongs to.
        stamp: Option<String>,
        /// The uid of the cluster of this run.
        ours: String,
    },
    /// What should be there is not.
    #[error("`{}` {why}", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
        /// What that means.
        why: String,
    },
    /// A process keeps adding to it faster than it is removed. The same call goes on later.
    #[error("a process keeps writing to `{}`: within {}s no entry older than the lock could be removed", path.display(), patience.as_secs_f32())]
    InUse {
        /// The asset.
        path: PathBuf,
        /// How long was waited for progress.
        patience: Duration,
    },
    /// Some of what was to be removed is still there.
    #[error("{} in `{}` could not be removed: {left}", count(*total), path.display())]
    Remains {
        /// The asset.
        path: PathBuf,
        /// The first of what is left.
        left: Leftovers,
        /// How many there are in all.
        total: u64,
    },
    /// A step failed, and so did the attempt to undo what was done before it.
    #[error("{why}; and undoing it failed ({undo}), so that {left} is left")]
    LeftBehind {
        /// What failed first.
        #[source]
        why: Box<StorageError>,
        /// What failed then.
        undo: Box<StorageError>,
        /// What is left, and where.
        left: String,
    },
    /// What was to go is still there.
    #[error("{what} is left: {why}")]
    Left {
        /// What, and where.
        what: String,
        /// Why it could not go.
        #[source]
        why: Box<StorageError>,
    },
    /// The operating system refused.
    #[error("{act} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        act: &'static str,
        /// On what.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The administrator's program failed.
    /// The message goes into events that tenants read: neither its path nor what it wrote to stderr is in it.
    #[error("the backend's program {0}")]
    Program(String),
}

impl StorageError {
    /// Whether the same call may succeed later without anything being changed by people.
    pub(crate) fn is_temporary(&self) -> bool {
        matches!(self, Self::Busy(_))
    }

    /// Whether this user lacks the right.
    #[cfg(target_os = "linux")]
    pub(super) fn is_denied(&self) -> bool {
        let denied = io::ErrorKind::PermissionDenied;
        matches!(self, Self::Io { source, .. } if source.kind() == denied)
    }
}

#[cfg(target_os = "linux")]
impl StorageError {
    /// The same without these texts in anything that others had a say in.
    pub(super) fn without(self, secrets: &[&str]) -> Self {
        let hide = |text: String| hide(text, secrets);
        match self {
            Self::Refused(reason) => Self::Refused(hide(reason)),
            Self::Busy(reason) => Self::Busy(hide(reason)),
            Self::Program(what) => Self::Program(hide(what)),
            Self::LeftBehind { why, undo, left } => Self::LeftBehind {
                why: Box::new(why.without(secrets)),
                undo: Box::new(undo.without(secrets)),
                left: hide(left),
            },
            // Paths and what the operating system says.
            other => other,
        }
    }
}

#[cfg(target_os = "linux")]
pub(super) fn hide(mut text: String, secrets: &[&str]) -> String {
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        let as_json = serde_json::Value::from(*secret).to_string();
        for form in [as_json.trim_matches('"'), secret] {
            text = text.replace(form, HIDDEN);
        }
    }
    text
}

/// One thing that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leftover {
    /// Where it is, below the asset.
    pub(crate) path: PathBuf,
    /// Why it is still there.
    pub(crate) why: String,
}

/// The first few things that could not be removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Leftovers(pub(crate) Vec<Leftover>);

impl fmt::Display for Leftovers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, left) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}`{}` ({})", left.path.display(), left.why)?;
        }
        Ok(())
    }
}

fn count(total: u64) -> String {
    if total == 1 {
        "1 thing".to_owned()
    } else {
        format!("{total} things")
    }
}

fn stamped(stamp: Option<&str>) -> String {
    match stamp {
        Some(cluster) => format!("belongs to cluster {cluster}"),
        None => "does not state which cluster it belongs to".to_owned(),
    }
}

/// Says what was tried, and on what, when the operating system refuses.
pub(super) trait During<T> {
    /// Names the act, in the infinitive, and its object.
    fn during(self, act: &'static str, path: &Path) -> Result<T, StorageError>;
}

impl<T, E: Into<io::Error>> During<T> for Result<T, E> {
    fn during(self, act: &'static str, path: &Path) -> Result<T, StorageError> {
        self.map_err(|error| StorageError::Io {
            act,
            path: path.to_owned(),
            source: error.into(),
        })
    }
}
