//! What to compare, and how much of it. `tests/compare` hands it over in environment variables.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::accepted::{self, Entry};
use super::program::Program;

/// The usual share of what-ifs, in percent.
const WHAT_IFS: usize = 35;

/// A whole comparison.
pub(super) struct Settings {
    pub(super) old: Program,
    pub(super) new: Program,
    pub(super) seed: u64,
    /// How many clusters are generated.
    pub(super) clusters: usize,
    /// How many questions each generated cluster is asked.
    pub(super) questions: usize,
    /// In how many forms each question about a fixture is asked; 0 leaves the fixtures out.
    pub(super) forms: usize,
    /// In how many of a hundred cases a question gets a what-if.
    pub(super) what_ifs: usize,
    /// Only this command, as the groups name it.
    pub(super) command: Option<String>,
    /// Only fixtures with this text in their path.
    pub(super) input: Option<String>,
    /// Inputs and examples are kept under this folder.
    pub(super) folder: PathBuf,
    pub(super) accepted: Vec<Entry>,
    /// Whether an accepted difference that does not occur is an error.
    pub(super) is_full: bool,
}

/// The build of this checkout.
pub(super) fn own_build() -> Program {
    Program {
        path: PathBuf::from(env!("CARGO_BIN_EXE_kubectl-pv")),
    }
}

impl Settings {
    /// Few clusters, few questions: enough to test the tool itself.
    pub(super) fn sample(old: Program, new: Program, folder: &Path) -> Self {
        Self {
            old,
            new,
            seed: 1,
            clusters: 10,
            questions: 5,
            forms: 0,
            what_ifs: WHAT_IFS,
            command: None,
            input: None,
            folder: folder.to_owned(),
            accepted: Vec::new(),
            is_full: false,
        }
    }

    /// The settings of `tests/compare`, or nothing if another command has started this test.
    pub(super) fn of_environment() -> Option<Self> {
        let program = |variable: &str| {
            let path = PathBuf::from(value(variable)?);
            Some(Program { path })
        };
        let number = |variable: &str| value(variable)?.parse().ok();
        let clusters = number("KUBECTL_PV_COMPARE_CLUSTERS")?;
        let questions = number("KUBECTL_PV_COMPARE_QUESTIONS")?;
        let forms = number("KUBECTL_PV_COMPARE_FORMS")?;
        let path = value("KUBECTL_PV_COMPARE_ACCEPTED")?;
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let accepted = accepted::parse(&text).unwrap_or_else(|error| panic!("{path}, {error}"));
        Some(Self {
            old: program("KUBECTL_PV_COMPARE_OLD")?,
            new: program("KUBECTL_PV_COMPARE_NEW")?,
            seed: value("KUBECTL_PV_COMPARE_SEED")?.parse().ok()?,
            clusters,
            questions,
            forms,
            what_ifs: WHAT_IFS,
            command: value("KUBECTL_PV_COMPARE_COMMAND"),
            input: value("KUBECTL_PV_COMPARE_INPUT"),
            folder: PathBuf::from(value("KUBECTL_PV_COMPARE_FOLDER")?),
            accepted,
            is_full: value("KUBECTL_PV_COMPARE_FULL")? == "yes",
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test has no environment.rs to read it"
)]
fn value(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|value| !value.is_empty())
}
