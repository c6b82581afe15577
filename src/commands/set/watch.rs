//! `set reconcile --watch`: one step at a time, for as long as it runs. Only whoever holds the lease works; the others wait
//! until it is not renewed any more. Every step is one that may be cut short anywhere.

use super::super::refused::hints;
use super::super::writing::time_for;
use super::reconcile::{Args, question, reconcile_now};
use crate::actions::apply::Earnest;
use crate::actions::lease::{self, plan_lease};
use crate::actions::outcome::Sent;
use crate::actions::volume_set::{COMMAND, SetQuestion, plan_sets};
use crate::cluster::Cluster;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::load::{Moment, Scope, Subject};
use crate::render::{Format, Progress, safe, write_outcome};
use crate::session::Session;
use crate::storage::Backends;
use std::time::Duration;
use tokio::time::Instant;

/// How often the lease is renewed.
const RENEW: Duration = Duration::from_secs(5);
/// How often somebody looks who does not have it.
const LOOK: Duration = Duration::from_secs(2);
/// How long nothing is looked at again though nothing was heard.
const RESYNC: Duration = Duration::from_secs(60);
/// Several changes at once are looked at once.
const SETTLE: Duration = Duration::from_millis(150);
/// Whoever fails waits longer each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(super) fn run(
    args: &Args,
    backends: &Backends,
    cluster: &mut Cluster,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let mut watcher = Watcher {
        args,
        backends,
        host: session.environment.host_name.clone(),
        lease: Watch::new(args, session),
        failures: 0,
        told: String::new(),
        hinted: vec![],
    };
    // What is wrong with what was asked, and with nothing else, ends it.
    let state = cluster.load(&Scope::All, Subject::Sets)?;
    question(args, backends, &state, None)?;
    loop {
        watcher.round(cluster, session)?;
    }
}

struct Watcher<'a> {
    args: &'a Args,
    backends: &'a Backends,
    host: Option<String>,
    lease: Watch,
    /// How many rounds in a row have failed.
    failures: u32,
    /// What was said last; nothing is said twice in a row.
    told: String,
    /// What was said of permissions.
    hinted: Vec<String>,
}

impl Watcher<'_> {
    /// Looks, does what is to be done, and waits until there may be more.
    fn round(
        &mut self,
        cluster: &mut Cluster,
        session: &mut Session<'_>,
    ) -> Result<(), CommandError> {
        cluster.start_clock(time_for(&self.args.write));
        let wait = match self.step(cluster, session) {
            Ok(Next::Wait(moment)) => {
                self.failures = 0;
                self.wait(cluster, &moment);
                return Ok(());
            }
            Ok(Next::GoOn) => {
                self.failures = 0;
                return Ok(());
            }
            Ok(Next::Stand(holder)) => {
                self.failures = 0;
                self.tell(session, &format!("waiting: {holder} holds the lease"))?;
                LOOK
            }
            Ok(Next::BackOff) => {
                self.tell_refused(cluster, session)?;
                self.back_off()
            }
            Err(error) => {
                let wait = self.back_off();
                self.tell(
                    session,
                    &format!("{}; again in {} s", error.message(), wait.as_secs()),
                )?;
                self.tell_refused(cluster, session)?;
                wait
            }
        };
        self.rest(cluster, wait);
        Ok(())
    }

    /// One step: the lease, a look, and one volume at most.
    fn step(
        &mut self,
        cluster: &mut Cluster,
        session: &mut Session<'_>,
    ) -> Result<Next, CommandError> {
        if let Some(holder) = self.lease.hold(cluster)? {
            return Ok(Next::Stand(holder));
        }
        let moment = cluster.mark_moment()?;
        let state = cluster.load(&Scope::All, Subject::Sets)?;
        let question = SetQuestion {
            deletes: self.args.write.yes,
            most: Some(1),
            ..question(self.args, self.backends, &state, self.host.as_deref())?
        };
        let plan = plan_sets(&state, &question);
        if plan.changes.is_empty() {
            return Ok(Next::Wait(moment));
        }
        let has_steps = plan.errands.iter().any(|errand| !errand.deed.is_aside());
        let ended = reconcile_now(cluster, state, plan, &question, session);
        let is_open = ended.outcome.is_open() || ended.trouble.is_some();
        if has_steps || is_open {
            let screen = session.screen(&self.args.output, true);
            let format = Session::format(&self.args.output);
            let is_text = matches!(format, Format::Text | Format::Wide);
            let mut outcome = ended.outcome;
            if is_text {
                // What is left alone is told by `set status`, and not again and again.
                outcome.skipped.clear();
            }
            write_outcome(session.stdout, &outcome, format, &screen)?;
            session.stdout.flush()?;
        }
        if let Some(error) = ended.trouble {
            return Err(error);
        }
        Ok(if is_open { Next::BackOff } else { Next::GoOn })
    }

    /// Waits for a change; the lease is renewed meanwhile.
    fn wait(&mut self, cluster: &mut Cluster, moment: &Moment) {
        let began = Instant::now();
        while began.elapsed() < RESYNC {
            if cluster.wait_for_change(moment, RENEW) {
                cluster.pause(SETTLE);
                return;
            }
            cluster.start_clock(time_for(&self.args.write));
            if !matches!(self.lease.hold(cluster), Ok(None)) {
                return;
            }
        }
    }

    /// Waits; the lease is renewed meanwhile by whoever has it.
    fn rest(&mut self, cluster: &mut Cluster, time: Duration) {
        let began = Instant::now();
        while let Some(left) = time.checked_sub(began.elapsed()) {
            cluster.pause(left.min(RENEW));
            if self.lease.is_held {
                // Whether it was lost the next round shows.
                let _ = self.lease.hold(cluster);
            }
        }
    }

    fn back_off(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1);
        let factor = 2_u32.saturating_pow(self.failures.min(10) - 1);
        (FIRST_WAIT * factor).min(LONGEST_WAIT)
    }

    /// What is not allowed, and how it would be; each once.
    fn tell_refused(
        &mut self,
        cluster: &Cluster,
        session: &mut Session<'_>,
    ) -> Result<(), CommandError> {
        for hint in hints(&cluster.refused(), COMMAND) {
            if !self.hinted.contains(&hint) {
                writeln!(session.stderr, "hint: {}", safe(&hint))?;
                self.hinted.push(hint);
            }
        }
        Ok(())
    }

    fn tell(&mut self, session: &mut Session<'_>, what: &str) -> Result<(), CommandError> {
        if self.told != what {
            writeln!(session.stderr, "{}", safe(what))?;
            what.clone_into(&mut self.told);
        }
        Ok(())
    }
}

/// How to go on.
enum Next {
    /// There may be more to do.
    GoOn,
    /// Nothing is to be done until something changes.
    Wait(Moment),
    /// Somebody else works.
    Stand(String),
    /// Something went wrong.
    BackOff,
}

/// Who works: the lease, as it was seen last.
struct Watch {
    namespace: String,
    /// Who we are.
    identity: String,
    is_held: bool,
    renewed: Option<Instant>,
    /// The version that was seen last, and since when. Clocks of others are not compared.
    seen: Option<(Option<String>, Instant)>,
}

impl Watch {
    fn new(args: &Args, session: &Session<'_>) -> Self {
        let host = session.environment.host_name.clone().unwrap_or_default();
        let moment = session.environment.started_at.as_millisecond();
        Self {
            namespace: args.lease_namespace.clone(),
            identity: format!("{host}_{}_{moment}", std::process::id()),
            is_held: false,
            renewed: None,
            seen: None,
        }
    }

    /// Takes or renews the lease; says who has it if somebody else does.
    fn hold(&mut self, cluster: &Cluster) -> Result<Option<String>, CommandError> {
        let is_fresh = self.renewed.is_some_and(|at| at.elapsed() < RENEW);
        if self.is_held && is_fresh {
            return Ok(None);
        }
        let lease = cluster.load_lease(&self.namespace, lease::NAME)?;
        if let Some(lease) = &lease {
            let holder = lease.holder.as_ref().filter(|name| **name != self.identity);
            let seconds = lease.seconds.unwrap_or(lease::SECONDS);
            let is_over = self.is_over(lease.resource_version.as_ref(), seconds);
            if let Some(holder) = holder.filter(|_| !is_over) {
                self.is_held = false;
                return Ok(Some(holder.clone()));
            }
        }
        let plan = plan_lease(lease.as_ref(), &self.namespace, &self.identity);
        let none = Backends::default();
        let began = Instant::now();
        let applied = cluster.apply(&plan, Earnest::Yes, &none, &mut Progress::silent());
        match applied.sent.into_iter().next() {
            Some(Sent::Done | Sent::AlreadyDone) => {
                self.is_held = true;
                self.renewed = Some(began);
                Ok(None)
            }
            Some(Sent::Conflict(_)) => {
                self.is_held = false;
                Ok(Some("somebody else".to_owned()))
            }
            Some(Sent::Failed(why) | Sent::Unanswered(why)) => {
                self.is_held = false;
                Err(CommandError::unanswered(why))
            }
            _ => Ok(Some("nobody".to_owned())),
        }
    }

    /// Whether nobody has renewed the lease for as long as it holds, by our own clock.
    fn is_over(&mut self, version: Option<&String>, seconds: u64) -> bool {
        match &self.seen {
            Some((seen, since)) if seen.as_ref() == version => {
                since.elapsed() >= Duration::from_secs(seconds)
            }
            _ => {
                self.seen = Some((version.cloned(), Instant::now()));
                false
            }
        }
    }
}
