//! All a command may touch: streams, the screen, the time, the cluster.

use crate::environment::Environment;
use crate::error::CommandError;
use crate::flags::{ColorWhen, ConnectionFlags, OutputFlags, SourceFlags};
use crate::load::client::{Connection, StdinUse, connect};
use crate::load::{Loaded, Scope, load_live};
use crate::model::Time;
use crate::render::{Format, Screen, safe};
use std::io::Write;

/// The run of one command.
pub(crate) struct Session<'a> {
    pub(crate) environment: Environment,
    pub(crate) stdout: &'a mut dyn Write,
    pub(crate) stderr: &'a mut dyn Write,
}

impl Session<'_> {
    /// Reads the state a command asks about: from files, or from the cluster.
    pub(crate) fn load(
        &mut self,
        source: &SourceFlags,
        connection: &ConnectionFlags,
        scope: ScopeAsked,
    ) -> Result<Loaded, CommandError> {
        if let Some(files) = source.files() {
            let loaded = files.load(connection.namespace().unwrap_or("default"))?;
            for note in &loaded.notes {
                writeln!(self.stderr, "note: {}", safe(note))?;
            }
            return Ok(loaded);
        }
        let now = Time(self.environment.started_at.as_second());
        let options = connection.clone().into();
        let (state, warnings) = runtime()?.block_on(async {
            let connection = connect(&options, &self.environment, StdinUse::Free).await?;
            let scope = match scope {
                ScopeAsked::AllNamespaces => Scope::All,
                ScopeAsked::Around => Scope::Around(connection.namespace.clone()),
                ScopeAsked::Namespace => Scope::Namespace(connection.namespace.clone()),
            };
            let state = load_live(&connection, &scope, now).await?;
            Ok::<_, CommandError>((
                (state, connection.namespace.clone()),
                connection.warnings.take(),
            ))
        })?;
        for warning in warnings {
            writeln!(self.stderr, "Warning: {}", safe(&warning))?;
        }
        let (state, namespace) = state;
        Ok(Loaded {
            state,
            notes: vec![],
            namespace,
        })
    }

    /// The screen the answer is written on.
    pub(crate) fn screen(&self, output: &OutputFlags, all: bool) -> Screen {
        let environment = &self.environment;
        let colour = match output.color.unwrap_or_default() {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto if environment.no_color || environment.is_dumb_terminal => false,
            ColorWhen::Auto => environment.stdout_is_terminal || environment.force_color,
        };
        let width = environment
            .terminal_width
            .filter(|_| environment.stdout_is_terminal);
        Screen { colour, width, all }
    }

    /// The format asked for.
    pub(crate) fn format(output: &OutputFlags) -> Format {
        output.output.unwrap_or_default()
    }
}

/// How much of the cluster a command asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeAsked {
    Namespace,
    /// A namespace, which the others may get in the way of.
    Around,
    AllNamespaces,
}

/// kube is async; one thread is enough for a few requests.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map_err(|error| CommandError::unanswered(format!("cannot start: {error}")))
}

/// A connection for something that must be quick and quiet.
pub(crate) async fn connect_quietly(
    options: &ConnectionFlags,
    environment: &Environment,
) -> Option<Connection> {
    connect(&options.clone().into(), environment, StdinUse::Taken)
        .await
        .ok()
}
