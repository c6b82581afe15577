//! `--backend`, `--backends` and `KUBECTL_PV_BACKENDS`: which storage of this machine serves which provisioner names. Only
//! this machine decides that; what is configured wrongly is wrong usage, found before anything is read.

use super::path;
use crate::conventions::shell::flag;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::load::read_pairs;
use crate::signals::end_programs_with_us;
use crate::storage::{Backends, Configuration, ConfigurationError, Settings};
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a program may take for one request, unless somebody says otherwise.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(60);

/// What `--backend` may be, behind the provisioner's name, as far as it can be known.
pub(crate) const BACKEND_KINDS: [&str; 3] = ["hostpath:/", "nfs:", "exec:/"];

// What this machine serves itself.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Backends")]
pub(crate) struct BackendFlags {
    /// Serve this provisioner name from this machine: KIND:TARGET is hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED or exec:/PROGRAM; may be repeated
    #[arg(long, value_name = "PROVISIONER=KIND:TARGET")]
    pub(crate) backend: Vec<String>,

    /// Serve what this file lists as well: a YAML map of PROVISIONER: KIND:TARGET [default: $KUBECTL_PV_BACKENDS]
    #[arg(long, value_name = "FILE", value_parser = path(), value_hint = ValueHint::FilePath)]
    pub(crate) backends: Option<PathBuf>,

    /// Accept a base directory that other users of this machine can write to, if it has the sticky bit
    #[arg(long)]
    pub(crate) shared_base: bool,
}

/// A backend, and where it was configured.
struct Configured {
    /// `backends.yaml, line 3: `, or nothing for a flag.
    place: String,
    configuration: Configuration,
}

impl BackendFlags {
    /// The flags again, for the command that finishes an unfinished run.
    pub(crate) fn words(&self) -> Vec<String> {
        let flags = self.backend.iter();
        let flags = flags.map(|value| flag("--backend", value));
        let file = self.backends.iter().filter_map(|path| path.to_str());
        let file = file.map(|path| flag("--backends", path));
        let shared = self.shared_base.then(|| "--shared-base".to_owned());
        flags.chain(file).flatten().chain(shared).collect()
    }

    /// Opens what is configured. A program gets this long for one request, or a minute.
    pub(crate) fn open(
        &self,
        environment: &Environment,
        program_timeout: Option<Duration>,
    ) -> Result<Backends, CommandError> {
        let configured = self.configured(environment)?;
        let settings = Settings {
            environment: environment.variables.clone(),
            timeout: program_timeout.unwrap_or(PROGRAM_TIMEOUT),
            is_base_shared: self.shared_base,
        };
        let configurations = configured.iter().map(|one| one.configuration.clone());
        Backends::open(configurations, &settings).map_err(|error| {
            // Of two of the same spelling the second one is too many.
            let mut places = configured.iter().rev();
            let found = places.find(|one| one.configuration.to_string() == error.backend);
            wrong(found.map_or("", |one| &one.place), error)
        })
    }

    /// Opens what is configured, for a command that does not write. A signal ends the programs that it runs.
    pub(crate) fn open_to_read(
        &self,
        environment: &Environment,
        program_timeout: Option<Duration>,
    ) -> Result<Backends, CommandError> {
        let backends = self.open(environment, program_timeout)?;
        if backends.run_programs() {
            end_programs_with_us()?;
        }
        Ok(backends)
    }

    fn configured(&self, environment: &Environment) -> Result<Vec<Configured>, CommandError> {
        let mut all = Vec::new();
        for text in &self.backend {
            all.push(Configured {
                place: String::new(),
                configuration: Configuration::parse(text).map_err(|error| wrong("", error))?,
            });
        }
        let named = self.backends.as_deref().map(|path| (path, "--backends"));
        let variable = environment.backends.as_deref();
        let file = named.or(variable.map(|path| (Path::new(path), "KUBECTL_PV_BACKENDS")));
        let file = file.filter(|(path, _)| !path.as_os_str().is_empty());
        if let Some((path, from)) = file {
            all.extend(of_file(path, from)?);
        }
        Ok(all)
    }
}

fn of_file(path: &Path, from: &str) -> Result<Vec<Configured>, CommandError> {
    let pairs = read_pairs(path).map_err(|error| {
        CommandError::usage(from)
            .because(error)
            .with_hints([form()])
    })?;
    let configured = pairs.into_iter().map(|pair| {
        let place = format!("{}, line {}", path.display(), pair.line);
        match Configuration::of_pair(&pair.key, &pair.value) {
            Ok(configuration) => Ok(Configured {
                place,
                configuration,
            }),
            Err(error) => Err(wrong(&place, error)),
        }
    });
    configured.collect()
}

fn wrong(place: &str, error: ConfigurationError) -> CommandError {
    let hints = error.hints.clone();
    CommandError::usage(place).because(error).with_hints(hints)
}

fn form() -> String {
    "the file is a YAML map, such as `example.com/scratch: hostpath:/srv/volumes`".to_owned()
}
