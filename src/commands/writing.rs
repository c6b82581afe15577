//! The one way of all writing commands: load, plan, show, ask, apply, plan again, conclude. A command contributes what it reads,
//! what it plans and how it is called again; everything else is written here, once.
//!
//! | what | where |
//! |---|---|
//! | which claims are meant, and namespaces that do not exist | `claims.rs`, `namespaces.rs` |
//! | clocks that differ | `clocks.rs` |
//! | the plan is shown and agreed to | `showing.rs` |
//! | a plan is applied, and those that follow from it | `apply_loop.rs` |
//! | objects are saved before they are written | `saving.rs` |
//! | the outcome is printed | `concluding.rs` |
//! | the same on files | `on_files.rs` |
//! | the cluster that a base directory belongs to | `base_directories.rs`, `take_over.rs` |
//! | missing permissions | `permissions.rs` |

pub(super) mod apply_loop;
pub(super) mod base_directories;
pub(super) mod claims;
mod clocks;
mod concluding;
pub(super) mod namespaces;
mod on_files;
pub(super) mod permissions;
mod saving;
mod showing;
mod take_over;

use self::apply_loop::ApplyLoop;
use self::base_directories::check_base_directories;
use self::namespaces::{ask_cluster, find_missing_namespace};
use self::permissions::report_permissions;
use self::saving::{Saver, next_directory};
use self::showing::{Agreement, Presentation, warn_of_targets};
use super::explain::aim;
use crate::actions::details::add_details;
use crate::actions::memory::Memory;
use crate::actions::outcome::Outcome;
use crate::actions::plan::{Errand, Plan};
use crate::cluster::Cluster;
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell::flag as spell_flag;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{
    BackendFlags, ConnectionFlags, OutputFlags, ServingFlags, TakeOverFlags, WriteFlags,
};
use crate::load::{Files, Scope, Subject};
use crate::model::{ClusterState, Host, Kind, Time};
use crate::render::safe;
use crate::run_monitor::RunMonitor;
use crate::session::Session;
use crate::signals::end_programs_with_us;
use crate::storage::Backends;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The longest that one wait takes, unless `--timeout` says otherwise.
pub(super) const TIMEOUT: Duration = Duration::from_secs(60);

/// One writing command.
pub(super) trait WritingCommand {
    /// What is planned, once names and flags were resolved against the first state that was read.
    type Question<'a>
    where
        Self: 'a;

    fn name(&self) -> &'static str;

    fn flags(&self) -> WritingFlags<'_>;

    /// Refuses wrong usage before anything is read.
    fn check_usage(&self) -> Result<(), CommandError> {
        Ok(())
    }

    /// What must be read. `namespace` is the one of the context or of `-n`.
    fn reads(&self, namespace: &str) -> Reads;

    /// The namespaces that the command line names, where one that does not exist selects nothing.
    fn namespaces(&self) -> Vec<String> {
        vec![]
    }

    /// Resolves names and flags against the first state.
    fn ask<'a>(
        &'a self,
        state: &ClusterState,
        context: &'a RunContext<'_>,
    ) -> Result<Self::Question<'a>, CommandError>;

    /// What people should know before they read the plan: lines for stderr.
    fn notices(&self, _: &Self::Question<'_>) -> Vec<String> {
        vec![]
    }

    fn plan(
        &self,
        question: &Self::Question<'_>,
        state: &ClusterState,
        memory: &Memory,
        backends: &Backends,
    ) -> Plan;

    /// The plan, with all that a person needs to review it.
    fn plan_in_detail(
        &self,
        question: &Self::Question<'_>,
        state: &ClusterState,
        memory: &Memory,
        backends: &Backends,
    ) -> Plan {
        let mut plan = self.plan(question, state, memory, backends);
        add_details(&mut plan, state);
        plan
    }

    /// Plans what a failure leaves to be done.
    fn plan_failures(&self, _: &ClusterState, _: &mut Memory) -> Option<Plan> {
        None
    }

    /// Whether objects were named on the command line: what is refused of them counts in the exit status.
    fn are_named(&self) -> bool;

    /// Whether manifests of claims stand for claims that are about to be created.
    fn creates_claims(&self) -> bool {
        false
    }

    /// Whether ages select what is changed: nothing is changed then while the clocks differ.
    fn depends_on_ages(&self) -> bool {
        false
    }

    /// Whether the run waits for claims at its end.
    fn waits(&self) -> bool {
        false
    }

    /// The claim that `--wait` still waits for.
    fn find_awaited(&self, _: &Self::Question<'_>, _: &ClusterState) -> Option<ObjectKey> {
        None
    }

    /// The exit status, given what was done.
    fn status(&self, _: &Self::Question<'_>, exit: Exit, _: &Done) -> Exit {
        exit
    }

    /// The names and flags that select the same objects again.
    fn rerun_words(&self) -> Vec<String>;
}

/// The flags that all writing commands have.
pub(super) struct WritingFlags<'a> {
    pub(super) write: WriteFlags,
    pub(super) backends: Option<&'a BackendFlags>,
    pub(super) take_over: Option<&'a TakeOverFlags>,
    pub(super) files: Option<Files>,
    pub(super) output: &'a OutputFlags,
    pub(super) connection: &'a ConnectionFlags,
}

impl<'a> WritingFlags<'a> {
    /// Those of a command with backends.
    pub(super) fn of(flags: &'a ServingFlags, connection: &'a ConnectionFlags) -> Self {
        Self {
            write: flags.write.clone(),
            backends: Some(&flags.backends),
            take_over: Some(&flags.take_over),
            files: flags.source.files(),
            output: &flags.output,
            connection,
        }
    }

    pub(super) fn open_backends(&self, session: &Session<'_>) -> Result<Backends, CommandError> {
        let opened = self
            .backends
            .map(|flags| flags.open(&session.environment, self.write.timeout));
        opened.unwrap_or_else(|| Ok(Backends::default()))
    }
}

/// What a command reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reads {
    pub(super) scope: Scope,
    pub(super) subject: Subject<'static>,
    /// Whether the namespace of the context is read instead, where claims of all namespaces cannot be listed.
    pub(super) or_own_namespace: bool,
}

impl Reads {
    /// Reads the cluster for the first time, and settles the scope.
    fn load_first(&mut self, cluster: &Cluster) -> Result<ClusterState, CommandError> {
        let state = self.load(cluster)?;
        let is_limited = self.or_own_namespace && !state.saw(Kind::Claims, None);
        if !is_limited || self.scope != Scope::All {
            return Ok(state);
        }
        self.scope = Scope::Namespace(cluster.namespace().to_owned());
        self.load(cluster)
    }

    pub(super) fn load(&self, cluster: &Cluster) -> Result<ClusterState, CommandError> {
        cluster.load(&self.scope, self.subject)
    }

    /// The one namespace that is read.
    fn namespace(&self) -> Option<String> {
        match &self.scope {
            Scope::Namespace(namespace) => Some(namespace.clone()),
            _ => None,
        }
    }
}

/// What a plan depends on besides the state.
pub(super) struct RunContext<'a> {
    /// Whether there is a cluster; files are of no machine.
    pub(super) is_live: bool,
    /// The one namespace that was read, or that `-n` names.
    pub(super) namespace: Option<String>,
    /// This machine.
    pub(super) host: Option<Arc<Host>>,
    /// The name of this run, if it can write.
    pub(super) run: Option<String>,
    pub(super) now: Time,
    pub(super) backends: &'a Backends,
    /// Why a namespace of the command line selects nothing.
    pub(super) missing_namespace: Option<String>,
}

/// What a run has done.
#[derive(Default)]
pub(super) struct Done {
    pub(super) is_live: bool,
    pub(super) wrote: bool,
    /// The objects that were finished, as `Errand::object` spells them.
    pub(super) objects: BTreeSet<String>,
}

impl Done {
    fn of(outcome: &Outcome, wrote: bool) -> Self {
        Self {
            is_live: true,
            wrote,
            objects: outcome.finished().iter().map(Errand::object).collect(),
        }
    }
}

/// Runs a writing command, on files or on the cluster.
pub(super) fn run<C: WritingCommand>(
    command: &C,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let flags = command.flags();
    let backends = flags.open_backends(session)?;
    let taken = flags.take_over.and_then(TakeOverFlags::directory);
    if taken.is_none() {
        command.check_usage()?;
    }
    if flags.files.is_some() && taken.is_some() {
        let message = "--take-over-directory needs a cluster: it cannot be used with -f";
        return Err(CommandError::usage(message));
    }
    if let Some(files) = &flags.files {
        if backends.run_programs() {
            end_programs_with_us()?;
        }
        return on_files::run(command, &flags, &backends, files, session);
    }
    let mut monitor = RunMonitor::start(&session.environment)?;
    on_cluster(command, session, |cluster, session| {
        if let Some(directory) = taken {
            let dry_run = flags.write.dry_run;
            return take_over::run(directory, dry_run, &backends, cluster, session);
        }
        let run = Run {
            command,
            flags: &flags,
            backends: &backends,
            monitor: &mut monitor,
        };
        run.on_cluster(cluster, session)
    })
}

/// Connects, works, and reports the permissions that were missing.
pub(super) fn on_cluster<C: WritingCommand>(
    command: &C,
    session: &mut Session<'_>,
    work: impl FnOnce(&mut Cluster, &mut Session<'_>) -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    let flags = command.flags();
    let mut cluster = Cluster::open(
        &session.environment,
        flags.connection,
        time_for(&flags.write),
    )?;
    let ended = work(&mut cluster, session);
    report_permissions(ended, &cluster.refused(), command.name(), session)
}

pub(super) fn time_for(write: &WriteFlags) -> Duration {
    write.timeout.unwrap_or(TIMEOUT)
}

/// One run on a cluster.
struct Run<'a, C> {
    command: &'a C,
    flags: &'a WritingFlags<'a>,
    backends: &'a Backends,
    monitor: &'a mut RunMonitor,
}

impl<C: WritingCommand> Run<'_, C> {
    fn on_cluster(
        self,
        cluster: &Cluster,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        let (command, flags, backends) = (self.command, self.flags, self.backends);
        let directory = flags.write.review.save.as_deref();
        let saver = directory.map(Saver::new).transpose()?;
        let mut reads = command.reads(cluster.namespace());
        let state = reads.load_first(cluster)?;
        let names = command.namespaces();
        let has_namespace = ask_cluster(cluster);
        let missing = find_missing_namespace(&names, &state, has_namespace, session.stderr)?;
        let context = RunContext {
            is_live: true,
            namespace: reads.namespace(),
            host: session.environment.host.clone(),
            run: Some(cluster.run().to_owned()),
            now: Time(cluster.now().as_second()),
            backends,
            missing_namespace: missing,
        };
        let skew = cluster.clock_skew();
        if let Some(skew) = skew {
            writeln!(session.stderr, "Warning: {}", clocks::describe(skew))?;
        }
        let question = command.ask(&state, &context)?;
        let mut plan = command.plan_in_detail(&question, &state, &Memory::default(), backends);
        if let Some(skew) = skew {
            clocks::judge(&mut plan, skew, command.depends_on_ages());
        }
        check_base_directories(&plan, &state, backends, cluster, context.host.as_deref())?;
        print_notices(&command.notices(&question), session)?;
        warn_of_targets(&plan, backends, session)?;
        let presentation = Presentation {
            output: flags.output,
            connection: flags.connection,
            are_named: command.are_named(),
            is_live: true,
            shows_skipped: command.are_named() || flags.write.review.show_skipped,
        };
        let plan = match presentation.show(plan, &flags.write, cluster, backends, session)? {
            Agreement::Agreed(plan) => plan,
            Agreement::Ended(exit) => {
                let done = Done {
                    is_live: true,
                    ..Done::default()
                };
                return Ok(command.status(&question, exit, &done));
            }
        };
        let mut apply_loop = ApplyLoop {
            command,
            question: &question,
            cluster,
            reads: &reads,
            backends,
            listener: self.monitor,
            saver,
        };
        let mut applied = apply_loop.run(state, plan);
        let in_vain = if command.waits() {
            apply_loop.wait_for_all(&mut applied, time_for(&flags.write))
        } else {
            None
        };
        self.monitor.end_writing();
        if let Some(claim) = in_vain {
            let told = format!("{claim} was not bound within --timeout");
            writeln!(session.stderr, "{}", safe(&told))?;
        }
        let done = Done::of(&applied.outcome, applied.wrote);
        let rerun = || spell_rerun(command, flags);
        let exit = presentation.conclude(applied, rerun, session)?;
        Ok(command.status(&question, exit, &done))
    }
}

fn print_notices(notices: &[String], session: &mut Session<'_>) -> Result<(), CommandError> {
    for notice in notices {
        writeln!(session.stderr, "{}", safe(notice))?;
    }
    Ok(())
}

/// The command that finishes what is open. It asks first: `--yes` is for scripts to add.
fn spell_rerun<C: WritingCommand>(command: &C, flags: &WritingFlags<'_>) -> String {
    let mut words = vec!["kubectl".to_owned(), "pv".to_owned()];
    words.extend(command.name().split(' ').map(str::to_owned));
    words.extend(command.rerun_words());
    words.extend(flags.backends.into_iter().flat_map(BackendFlags::words));
    if let Some(directory) = &flags.write.review.save {
        let next = next_directory(directory).display().to_string();
        words.extend(spell_flag("--save", &next));
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut rerun = CommandLine::of(&words);
    aim(&mut rerun, flags.connection);
    rerun.to_string()
}

/// Adds the flags that have a value.
pub(super) fn add_flags(words: &mut Vec<String>, flags: &[(&str, Option<&str>)]) {
    for (flag, value) in flags {
        if let Some(value) = value {
            words.extend(spell_flag(flag, value));
        }
    }
}

/// Adds the flags that are set.
pub(super) fn add_switches(words: &mut Vec<String>, switches: &[(&str, bool)]) {
    let set = switches.iter().filter(|(_, is_set)| *is_set);
    words.extend(set.map(|(flag, _)| (*flag).to_owned()));
}
