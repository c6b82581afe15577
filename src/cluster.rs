//! A cluster that is read and written in one run: one connection, so that nobody is asked for credentials twice.

use crate::actions::apply::{
    ApplyContext, Earnest, ProgressListener, Times, apply, find_remains, read_object,
};
use crate::actions::outcome::{Applied, Remains};
use crate::actions::plan::{Plan, Target};
use crate::conventions::annotations::OWN_DELETION;
use crate::conventions::fingerprint::fingerprint;
use crate::conventions::permission::Permission;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::flags::ConnectionFlags;
use crate::load::client::{Connection, ConnectionOptions, Patience, StdinUse, connect};
use crate::load::{
    Moment, Overlay, Scope, Subject, has_namespace, load_cluster_uid, load_lease, load_live,
    mark_moment, wait_for_change,
};
use crate::model::{ClusterState, Lease, Time};
use crate::session::runtime;
use crate::signals::Signals;
use crate::storage::{Backends, RunFacts};
use futures::{StreamExt, stream};
use serde_json::Value;
use std::cell::{Cell, OnceCell};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Clocks that differ by more are not believed.
const MOST_SKEW: Duration = Duration::from_secs(120);

/// How many objects are read at a time.
const AT_ONCE: usize = 16;

/// The way to a cluster, kept open.
pub(crate) struct Cluster {
    runtime: tokio::runtime::Runtime,
    connection: Connection,
    started_at: jiff::Timestamp,
    opened: Instant,
    /// The longest that one wait takes.
    time: Duration,
    /// What this run is called.
    run: String,
    /// The uid of the cluster, once it was asked for.
    uid: OnceCell<String>,
    /// Whether the last read got no answer within the time.
    is_silent: Cell<bool>,
}

impl Cluster {
    /// Opens the way. `time` bounds each wait.
    pub(crate) fn open(
        environment: &Environment,
        flags: &ConnectionFlags,
        time: Duration,
    ) -> Result<Self, CommandError> {
        let runtime = runtime()?;
        let options = ConnectionOptions {
            patience: Patience::Much,
            ..flags.clone().into()
        };
        let connecting = connect(&options, environment, StdinUse::Free);
        let connection = runtime.block_on(connecting)?;
        Ok(Self {
            runtime,
            connection,
            started_at: environment.started_at,
            opened: Instant::now(),
            time,
            run: name_of_run(environment),
            uid: OnceCell::new(),
            is_silent: Cell::new(false),
        })
    }

    /// Tells this run from every other.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// The time of the server; before its first answer, the time of this machine, whose clock is read once, at the start.
    pub(crate) fn now(&self) -> jiff::Timestamp {
        let local = self.started_at + self.opened.elapsed();
        self.connection.clock.now().unwrap_or(local)
    }

    /// By how much the clock of this machine is ahead of the server's; negative where it is behind. `None` where they agree.
    pub(crate) fn clock_skew(&self) -> Option<jiff::SignedDuration> {
        let local = self.started_at + self.opened.elapsed();
        let skew = local.duration_since(self.connection.clock.now()?);
        (skew.unsigned_abs() > MOST_SKEW).then_some(skew)
    }

    /// The moment as the API writes it.
    fn times(&self) -> Times {
        let now = self.now();
        let exactly = |time: jiff::Timestamp| time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
        Times {
            now: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            exactly: exactly(now),
            // A member is begun within the time, and its last request ends within another. To the microsecond, as that tells
            // two runs apart that began in the same second.
            until: exactly(now + self.time * 3 + Duration::from_secs(1)),
        }
    }

    /// The moment in RFC 3339, to the second.
    pub(crate) fn timestamp(&self) -> String {
        self.times().now
    }

    /// The longest that one wait takes.
    pub(crate) fn time(&self) -> Duration {
        self.time
    }

    /// Whether the last read got no answer within that time.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent.get()
    }

    /// Changes the longest that one wait takes.
    pub(crate) fn set_time(&mut self, time: Duration) {
        self.time = time;
    }

    /// The namespace for whatever names none.
    pub(crate) fn namespace(&self) -> &str {
        &self.connection.namespace
    }

    pub(crate) fn load(
        &self,
        scope: &Scope,
        subject: Subject<'_>,
    ) -> Result<ClusterState, CommandError> {
        let none = Overlay::default();
        let loading = load_live(
            &self.connection,
            scope,
            subject,
            Time(self.now().as_second()),
            &none,
        );
        self.within_time(loading)
    }

    /// Runs one wait.
    fn within_time<T, E: Into<CommandError>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, CommandError> {
        let waited = self
            .runtime
            .block_on(async { timeout(self.time, work).await });
        self.is_silent.set(waited.is_err());
        let Ok(result) = waited else {
            let error = self.connection.no_answer(self.time);
            let hint = "give it more time with --timeout".to_owned();
            return Err(CommandError::failed(error).with_hints([hint]));
        };
        result.map_err(Into::into)
    }

    pub(crate) fn apply(
        &self,
        plan: &Plan,
        earnest: Earnest,
        backends: &Backends,
        listener: &mut dyn ProgressListener,
    ) -> Applied {
        let context = ApplyContext {
            connection: &self.connection,
            backends,
            listener,
            time: self.time,
            times: &|| self.times(),
            run: &self.run,
        };
        self.runtime.block_on(apply(context, plan, earnest))
    }

    /// The objects as the server has them, in their order; `None` for those that do not exist.
    pub(crate) fn read_objects(
        &self,
        targets: &[Target],
    ) -> Result<Vec<Option<Value>>, CommandError> {
        let reading = async {
            let objects = targets
                .iter()
                .map(|target| read_object(&self.connection, target));
            let objects: Vec<_> = stream::iter(objects).buffered(AT_ONCE).collect().await;
            objects.into_iter().collect::<Result<Vec<_>, _>>()
        };
        self.within_time(reading)
    }

    /// What is left of deleted objects, in their order. A server that did not answer before is not asked again.
    pub(crate) fn find_remains(&self, targets: &[&Target]) -> Vec<Remains> {
        let not_read = || {
            let error = self.connection.no_answer(self.time).to_string();
            vec![Remains::NotRead(error); targets.len()]
        };
        if self.is_silent.get() {
            return not_read();
        }
        let reading = async {
            let remains = targets
                .iter()
                .map(|target| find_remains(&self.connection, target, OWN_DELETION));
            stream::iter(remains).buffered(AT_ONCE).collect().await
        };
        let waited = self
            .runtime
            .block_on(async { timeout(self.time, reading).await });
        waited.unwrap_or_else(|_| {
            self.is_silent.set(true);
            not_read()
        })
    }

    /// Marks the moment, so that whatever changes later is heard of.
    pub(crate) fn mark_moment(&self) -> Result<Moment, CommandError> {
        self.within_time(mark_moment(&self.connection))
    }

    /// Asks to hear the signals that would end the program.
    pub(crate) fn catch_signals(&self) -> Result<Signals, CommandError> {
        let _within = self.runtime.enter();
        Ok(Signals::catch()?)
    }

    /// Waits until a volume or a set has changed since, but not for longer.
    pub(crate) fn wait_for_change(
        &self,
        moment: &Moment,
        longest: Duration,
        signals: &mut Signals,
    ) -> Woken {
        let waiting = wait_for_change(&self.connection, moment, longest);
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = signals.hear() => Woken::Stopped,
                heard = waiting => if heard { Woken::Changed } else { Woken::TimeOver },
            }
        })
    }

    /// Waits for so long, or until it is to stop.
    pub(crate) fn rest(&self, time: Duration, signals: &mut Signals) -> Woken {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = signals.hear() => Woken::Stopped,
                () = sleep(time) => Woken::TimeOver,
            }
        })
    }

    /// What backends need to know about this run.
    pub(crate) fn run_facts(&self) -> Result<RunFacts, CommandError> {
        let cluster = if let Some(uid) = self.uid.get() {
            uid.clone()
        } else {
            let loading = load_cluster_uid(&self.connection);
            let uid = self.within_time(loading)?;
            self.uid.get_or_init(|| uid).clone()
        };
        let now = self.times().now;
        Ok(RunFacts { cluster, now })
    }

    /// Whether a namespace exists.
    pub(crate) fn has_namespace(&self, name: &str) -> Result<bool, CommandError> {
        self.within_time(has_namespace(&self.connection, name))
    }

    /// The lease of this name.
    pub(crate) fn load_lease(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Lease>, CommandError> {
        self.within_time(load_lease(&self.connection, namespace, name))
    }

    /// Waits.
    pub(crate) fn pause(&self, time: Duration) {
        self.runtime.block_on(async { sleep(time).await });
    }

    /// What the server did not allow.
    pub(crate) fn refused(&self) -> Vec<Permission> {
        self.connection.refusals.all()
    }

    /// What the server warned of.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.connection.warnings.take()
    }
}

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Woken {
    Changed,
    TimeOver,
    /// Somebody asked the program to stop.
    Stopped,
}

/// No two runs have the same: machines, processes and the moments they start at differ.
fn name_of_run(environment: &Environment) -> String {
    let host = environment.host_name.as_deref().unwrap_or_default();
    let moment = environment.started_at.as_nanosecond();
    let process = std::process::id();
    format!(
        "{:016x}",
        fingerprint(&format!("{host} {process} {moment}"))
    )
}
