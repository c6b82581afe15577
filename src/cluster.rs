//! A cluster that is read and written in one run: one connection, so that nobody is asked for credentials twice.

use crate::actions::apply::{Earnest, Onlooker, Site, Times, apply};
use crate::actions::outcome::Applied;
use crate::actions::plan::Plan;
use crate::conventions::fingerprint::fingerprint;
use crate::conventions::permission::Permission;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::flags::ConnectionFlags;
use crate::load::client::{Connection, ConnectionOptions, Patience, StdinUse, connect};
use crate::load::{
    Moment, Overlay, Scope, Subject, load_cluster_uid, load_lease, load_live, mark_moment,
    wait_for_change,
};
use crate::model::{ClusterState, Lease, Time};
use crate::session::{Session, runtime};
use crate::signals::Signals;
use crate::storage::{Backends, RunFacts};
use std::cell::OnceCell;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The way to a cluster, kept open.
pub(crate) struct Cluster {
    runtime: tokio::runtime::Runtime,
    connection: Connection,
    started_at: jiff::Timestamp,
    opened: Instant,
    deadline: Instant,
    /// What this run is called.
    run: String,
    /// The uid of the cluster, once it was asked for.
    uid: OnceCell<String>,
}

impl Cluster {
    /// Opens the way. Everything that is done with it must be done within the time.
    pub(crate) fn open(
        session: &Session<'_>,
        flags: &ConnectionFlags,
        time: Duration,
    ) -> Result<Self, CommandError> {
        let runtime = runtime()?;
        let options = ConnectionOptions {
            patience: Patience::Much,
            ..flags.clone().into()
        };
        let environment = &session.environment;
        let connecting = connect(&options, environment, StdinUse::Free);
        let connection = runtime.block_on(connecting)?;
        Ok(Self {
            runtime,
            connection,
            started_at: environment.started_at,
            opened: Instant::now(),
            deadline: Instant::now() + time,
            run: name_of_run(environment),
            uid: OnceCell::new(),
        })
    }

    /// Tells this run from every other.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// The time: the clock is read once, at the start.
    pub(crate) fn now(&self) -> jiff::Timestamp {
        self.started_at + self.opened.elapsed()
    }

    /// The same, as the API writes it, with the end of this run.
    fn times(&self) -> Times {
        let now = self.now();
        let left = self.deadline.saturating_duration_since(Instant::now());
        let exactly = |time: jiff::Timestamp| time.strftime("%Y-%m-%dT%H:%M:%S.%6fZ").to_string();
        Times {
            now: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            exactly: exactly(now),
            // Later than it is: whoever reads it must not take us for finished. To the microsecond, as that tells whose note it
            // is: another run that began in the same second must not take it for its own.
            until: exactly(now + left + Duration::from_secs(1)),
        }
    }

    /// From now on the time runs.
    pub(crate) fn start_clock(&mut self, time: Duration) {
        self.deadline = Instant::now() + time;
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
        Ok(self.runtime.block_on(loading)?)
    }

    pub(crate) fn apply(
        &self,
        plan: &Plan,
        earnest: Earnest,
        backends: &Backends,
        onlooker: &mut dyn Onlooker,
    ) -> Applied {
        let site = Site {
            connection: &self.connection,
            backends,
            onlooker,
            deadline: self.deadline,
            times: self.times(),
            run: &self.run,
        };
        self.runtime.block_on(apply(site, plan, earnest))
    }

    /// Marks the moment, so that whatever changes later is heard of.
    pub(crate) fn mark_moment(&self) -> Result<Moment, CommandError> {
        Ok(self.runtime.block_on(mark_moment(&self.connection))?)
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
            let uid = self.runtime.block_on(loading)?;
            self.uid.get_or_init(|| uid).clone()
        };
        let now = self.times().now;
        Ok(RunFacts { cluster, now })
    }

    /// The lease of this name.
    pub(crate) fn load_lease(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Lease>, CommandError> {
        let loading = load_lease(&self.connection, namespace, name);
        Ok(self.runtime.block_on(loading)?)
    }

    /// Waits, and says whether there is time left.
    pub(crate) fn pause(&self, time: Duration) -> bool {
        self.runtime.block_on(async { sleep(time).await });
        Instant::now() < self.deadline
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
