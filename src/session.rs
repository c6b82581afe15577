//! All a command may touch: streams, the screen, the time, the cluster.

use crate::environment::Environment;
use crate::error::CommandError;
use crate::flags::{ColorFlag, ColorWhen, ConnectionFlags, OutputFlags, SourceFlags};
use crate::load::client::{ConnectError, Connection, StdinUse, connect};
use crate::load::{Files, Joined, Loaded, Manifests, Overlay, Scope, Subject, Within, load_live};
use crate::model::manifest::{Broken, Candidate};
use crate::model::{Kind, Time};
use crate::render::{Format, Screen, safe};
use std::io::Write;

/// The run of one command.
pub(crate) struct Session<'a> {
    pub(crate) environment: Environment,
    pub(crate) stdout: &'a mut dyn Write,
    pub(crate) stderr: &'a mut dyn Write,
}

impl Session<'_> {
    /// Reads the state a command asks about, from files or from the cluster, with the what-if of the flags laid over it.
    pub(crate) fn load(
        &mut self,
        source: &SourceFlags,
        connection: &ConnectionFlags,
        scope: ScopeAsked,
        subject: Subject<'_>,
    ) -> Result<Loaded, CommandError> {
        let (base, overlay) = self.read(source, connection, scope, subject)?;
        let within = names_within(source, connection, scope, &base.namespace);
        let loaded = overlay.lay_over(base, &within)?;
        self.tell(&loaded.notes)?;
        Ok(loaded)
    }

    /// Reads the state once, and gives it as it is and with the what-if of the flags laid over it.
    pub(crate) fn load_before_and_after(
        &mut self,
        source: &SourceFlags,
        connection: &ConnectionFlags,
        scope: ScopeAsked,
    ) -> Result<(Loaded, Loaded), CommandError> {
        let (before, overlay) = self.read(source, connection, scope, Subject::Anything)?;
        let within = names_within(source, connection, scope, &before.namespace);
        let after = overlay.lay_over(before.clone(), &within)?;
        self.tell(&after.notes)?;
        Ok((before, after))
    }

    /// The state as it is, and what is to be laid over it.
    fn read(
        &mut self,
        source: &SourceFlags,
        connection: &ConnectionFlags,
        scope: ScopeAsked,
        subject: Subject<'_>,
    ) -> Result<(Loaded, Overlay), CommandError> {
        let what_if = source.what_if();
        if let Some(files) = source.files() {
            if files.use_stdin() && what_if.with.use_stdin() {
                return Err(CommandError::usage(
                    "standard input can be read only once: -f - or --with -",
                ));
            }
            let namespace = connection.namespace().unwrap_or("default");
            return Ok((files.load(namespace)?, what_if.read(namespace)?));
        }
        let now = Time(self.environment.started_at.as_second());
        let options = connection.clone().into();
        let stdin = if what_if.with.use_stdin() {
            StdinUse::Taken
        } else {
            StdinUse::Free
        };
        let (loaded, overlay, warnings) = runtime()?.block_on(async {
            let connection = connect(&options, &self.environment, stdin).await?;
            let namespace = connection.namespace.clone();
            let overlay = what_if.read(&namespace)?;
            let own = Scope::Namespace(namespace.clone());
            let first = match scope {
                ScopeAsked::AllNamespaces | ScopeAsked::Widest => Scope::All,
                ScopeAsked::Around => Scope::Around(namespace.clone()),
                ScopeAsked::Namespace => own.clone(),
            };
            let mut state = load_live(&connection, &first, subject, now, &overlay).await?;
            if scope == ScopeAsked::Widest && !state.saw(Kind::Claims, None) {
                state = load_live(&connection, &own, subject, now, &overlay).await?;
            }
            let loaded = Loaded {
                state,
                notes: vec![],
                namespace,
            };
            Ok::<_, CommandError>((loaded, overlay, connection.warnings.take()))
        })?;
        for warning in warnings {
            writeln!(self.stderr, "Warning: {}", safe(&warning))?;
        }
        Ok((loaded, overlay))
    }

    /// Reads manifests that are to be judged, and the cluster they are for, unless nobody wants it looked at or there is
    /// none. `config_maps` are read besides those that claims name.
    pub(crate) fn load_for_review(
        &mut self,
        files: Option<&Files>,
        connection: &ConnectionFlags,
        offline: bool,
        besides: &Besides,
    ) -> Result<Reviewed, CommandError> {
        let alone = |files: &Files| {
            let namespace = connection.namespace().unwrap_or("default");
            Manifests::read(files, namespace, Joined::Refuse).map(Reviewed::alone)
        };
        if let Some(files) = files.filter(|_| offline) {
            return Ok(alone(files)?);
        }
        let now = Time(self.environment.started_at.as_second());
        let stdin = match files {
            Some(files) if files.use_stdin() => StdinUse::Taken,
            _ => StdinUse::Free,
        };
        let options = connection.clone().into();
        let (reviewed, warnings) = runtime()?.block_on(async {
            let connection = match (connect(&options, &self.environment, stdin).await, files) {
                (Ok(connection), _) => connection,
                (Err(ConnectError::NoConfiguration { .. }), Some(files)) => {
                    let mut reviewed = alone(files)?;
                    let note = "no cluster is configured, so the files were looked at alone";
                    reviewed.loaded.notes.push(note.to_owned());
                    return Ok((reviewed, vec![]));
                }
                (Err(error), _) => return Err(error.into()),
            };
            let namespace = connection.namespace.clone();
            let none = Files::default();
            let mut manifests =
                Manifests::read(files.unwrap_or(&none), &namespace, Joined::Refuse)?;
            let candidates = std::mem::take(&mut manifests.candidates);
            let broken = std::mem::take(&mut manifests.broken);
            let left_over = std::mem::take(&mut manifests.left_over);
            let has_sets = |candidate: &Candidate| !candidate.objects.volume_sets.is_empty();
            let with_sets = besides.volume_sets || candidates.iter().any(has_sets);
            let overlay = manifests.into_overlay();
            let overlay = overlay.asking_for(&namespace, &besides.config_maps);
            let overlay = if with_sets {
                overlay.asking_for_sets()
            } else {
                overlay
            };
            let scope = Scope::Namespace(namespace.clone());
            let state = load_live(&connection, &scope, Subject::Claims, now, &overlay).await?;
            let within = Within::Namespace(namespace.clone());
            let base = Loaded {
                state,
                notes: vec![],
                namespace,
            };
            let mut loaded = overlay.lay_over(base, &within)?;
            loaded.notes.clear();
            let reviewed = Reviewed {
                candidates,
                broken,
                left_over,
                loaded,
            };
            Ok::<_, CommandError>((reviewed, connection.warnings.take()))
        })?;
        for warning in warnings {
            writeln!(self.stderr, "Warning: {}", safe(&warning))?;
        }
        self.tell(&reviewed.loaded.notes)?;
        Ok(reviewed)
    }

    fn tell(&mut self, notes: &[String]) -> Result<(), CommandError> {
        for note in notes {
            writeln!(self.stderr, "note: {}", safe(note))?;
        }
        Ok(())
    }

    /// The screen the answer is written on.
    pub(crate) fn screen(&self, output: &OutputFlags, all: bool) -> Screen {
        self.screen_of(output.color, all)
    }

    /// The same, where only the colour can be chosen.
    pub(crate) fn screen_of(&self, flag: ColorFlag, all: bool) -> Screen {
        let environment = &self.environment;
        let colour = match flag.color.unwrap_or_default() {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto if environment.no_color || environment.is_dumb_terminal => false,
            ColorWhen::Auto => environment.stdout_is_terminal || environment.force_color,
        };
        let width = environment
            .terminal_width
            .filter(|_| environment.stdout_is_terminal);
        Screen {
            colour,
            width,
            all,
            unicode: environment.is_utf8,
        }
    }

    /// The format asked for.
    pub(crate) fn format(output: &OutputFlags) -> Format {
        output.output.unwrap_or_default()
    }
}

/// What a review reads besides all that claims depend on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Besides {
    /// These ConfigMaps, whether or not a claim names them.
    pub(crate) config_maps: Vec<String>,
    /// Sets of volumes, also if the files hold none.
    pub(crate) volume_sets: bool,
}

/// Manifests, and what they are judged against.
pub(crate) struct Reviewed {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) broken: Vec<Broken>,
    pub(crate) left_over: Vec<Broken>,
    /// The cluster with the manifests laid over it, or the manifests alone.
    pub(crate) loaded: Loaded,
}

impl Reviewed {
    /// Manifests that nothing else is known about. What was read in another way than it is written is a finding, not a note.
    fn alone(mut manifests: Manifests) -> Self {
        let candidates = std::mem::take(&mut manifests.candidates);
        let broken = std::mem::take(&mut manifests.broken);
        let left_over = std::mem::take(&mut manifests.left_over);
        let mut loaded = manifests.into_state();
        loaded.notes.clear();
        Self {
            candidates,
            broken,
            left_over,
            loaded,
        }
    }
}

/// Where an object named without a namespace is looked for: in the namespace in force, if there is one.
fn names_within(
    source: &SourceFlags,
    connection: &ConnectionFlags,
    scope: ScopeAsked,
    namespace: &str,
) -> Within {
    let is_wide = matches!(scope, ScopeAsked::AllNamespaces | ScopeAsked::Widest);
    let all = is_wide || !source.filename.is_empty();
    if all && connection.namespace().is_none() {
        Within::Anywhere
    } else {
        Within::Namespace(namespace.to_owned())
    }
}

/// How much of the cluster a command asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeAsked {
    Namespace,
    /// A namespace, which the others may get in the way of.
    Around,
    AllNamespaces,
    /// All namespaces, or the own one where no others may be seen.
    Widest,
}

/// kube is async; one thread is enough for a few requests.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.map_err(|error| CommandError::unanswered("cannot start").because(error))
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
