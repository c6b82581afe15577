//! All backends of this machine: which one serves a provisioner name, and which one a volume's source belongs to. Two that could
//! get in each other's way are refused at the start.

use super::RunFacts;
use super::backend::{Backend, Place, Settings};
use super::target::{Configuration, ConfigurationError, Target};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The backends that were configured, in order.
#[derive(Debug, Default)]
pub(crate) struct Backends(Vec<Backend>);

impl Backends {
    /// Opens every backend, or says what is wrong with the first that is wrong.
    pub(crate) fn open(
        configured: impl IntoIterator<Item = Configuration>,
        settings: &Settings,
    ) -> Result<Self, ConfigurationError> {
        let mut backends = Self::default();
        for configuration in configured {
            let wrong = |problem: String| Err(ConfigurationError::new(&configuration, problem));
            if backends.find(&configuration.provisioner).is_some() {
                return wrong(format!(
                    "there are two backends of the name `{}`",
                    configuration.provisioner
                ));
            }
            let shown = configuration.to_string();
            let opened = Backend::open(configuration, settings)?;
            if let Some(other) = backends.0.iter().find(|other| overlap(&opened, other)) {
                let problem = format!(
                    "it lies inside that of `{}`, or that one inside it",
                    other.provisioner()
                );
                return Err(ConfigurationError::new(shown, problem));
            }
            backends.0.push(opened);
        }
        Ok(backends)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them runs programs.
    pub(crate) fn run_programs(&self) -> bool {
        let is_program = |backend: &Backend| matches!(backend.target(), Target::Exec { .. });
        self.0.iter().any(is_program)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Backend> {
        self.0.iter()
    }

    /// Tells which cluster this run works for. Until then no backend changes a base directory.
    pub(crate) fn work_for(&self, run: &RunFacts) {
        for backend in &self.0 {
            backend.work_for(run);
        }
    }

    /// The backend that serves a provisioner name.
    pub(crate) fn find(&self, provisioner: &str) -> Option<&Backend> {
        self.0
            .iter()
            .find(|backend| backend.provisioner() == provisioner)
    }

    /// The backend whose base directory or export a source lies in, and whether it is an asset there.
    pub(crate) fn find_by_source(&self, source: &Value) -> Option<(&Backend, Place)> {
        self.0
            .iter()
            .find_map(|backend| match backend.place(source) {
                Place::Elsewhere => None,
                place => Some((backend, place)),
            })
    }
}

/// Whether two backends could touch the same directory, here or on a server.
fn overlap(one: &Backend, other: &Backend) -> bool {
    let here = match (one.base(), other.base()) {
        (Some(one), Some(other)) => nested(&real(one), &real(other)),
        _ => false,
    };
    let there = match (one.target(), other.target()) {
        (
            Target::Nfs { server, export, .. },
            Target::Nfs {
                server: other,
                export: second,
                ..
            },
        ) => server == other && nested(Path::new(export), Path::new(second)),
        _ => false,
    };
    here || there
}

fn nested(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// The path without symbolic links; that it exists was seen when the backend was opened.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
