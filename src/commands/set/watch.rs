//! `set reconcile --watch`: one step at a time, for as long as it runs. Only whoever holds the lease works; the others wait
//! until it is not renewed any more. Every step is one that may be cut short anywhere.

use super::super::writing::apply_loop::ApplyLoop;
use super::super::writing::base_directories::check_base_directories;
use super::super::writing::permissions::hints;
use super::super::writing::{Reads, RunContext, WritingCommand, on_cluster};
use super::leadership::{Leadership, RENEW};
use super::reconcile::{Args, Reconcile};
use crate::actions::apply::Silent;
use crate::actions::memory::Memory;
use crate::actions::outcome::{Made, Outcome};
use crate::actions::plan::Skipped;
use crate::actions::volume_set::{COMMAND, SetQuestion};
use crate::cluster::{Cluster, Woken};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::load::Moment;
use crate::model::Time;
use crate::render::{safe, write_steps};
use crate::session::Session;
use crate::signals::Signals;
use crate::storage::Backends;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;

/// How often somebody looks who does not have it.
const LOOK: Duration = Duration::from_secs(2);
/// How long nothing is looked at again though nothing was heard.
const RESYNC: Duration = Duration::from_secs(60);
/// Several changes at once are looked at once.
const SETTLE: Duration = Duration::from_millis(150);
/// How long giving back the lease may take.
const GOODBYE: Duration = Duration::from_secs(5);
/// After the first failure, and after many.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(super) fn run(
    command: &Reconcile<'_>,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let backends = command.flags().open_backends(session)?;
    on_cluster(command, session, |cluster, session| {
        watch(command, &backends, cluster, session)
    })
}

fn watch(
    command: &Reconcile<'_>,
    backends: &Backends,
    cluster: &mut Cluster,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let args = command.args;
    let context = RunContext {
        is_live: true,
        namespace: None,
        host: session.environment.host.clone(),
        run: Some(cluster.run().to_owned()),
        now: Time(session.environment.started_at.as_second()),
        backends,
        missing_namespace: None,
    };
    let reads = command.reads(cluster.namespace());
    let mut watcher = Watcher {
        signals: cluster.catch_signals()?,
        command,
        args,
        reads,
        context: &context,
        leadership: Leadership::new(args, session),
        failures: 0,
        resting: BTreeMap::new(),
        told: String::new(),
        hinted: vec![],
        stays: BTreeSet::new(),
    };
    // Wrong usage ends it; everything else is tried again.
    let state = watcher.reads.load(cluster)?;
    command.ask(&state, &context)?;
    let ended = loop {
        match watcher.round(cluster, session) {
            Ok(Woken::Stopped) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    // However it ends: other watchers need not wait until the lease is over.
    cluster.set_time(GOODBYE);
    watcher.leadership.release(cluster);
    ended?;
    watcher.tell(session, "stopped")?;
    Ok(Exit::Yes)
}

struct Watcher<'a> {
    signals: Signals,
    command: &'a Reconcile<'a>,
    args: &'a Args,
    reads: Reads,
    context: &'a RunContext<'a>,
    leadership: Leadership,
    /// How many rounds in a row have failed: nobody answers, or we may not ask.
    failures: u32,
    /// Sets that something went wrong with: how often in a row, and when they are looked at again.
    resting: BTreeMap<String, (u32, Instant)>,
    /// What was said last; nothing is said twice in a row.
    told: String,
    /// What was said of permissions.
    hinted: Vec<String>,
    /// What was said to be left alone.
    stays: BTreeSet<String>,
}

impl Watcher<'_> {
    /// Looks, does what is to be done, and waits until there may be more, or it is to stop.
    fn round(
        &mut self,
        cluster: &mut Cluster,
        session: &mut Session<'_>,
    ) -> Result<Woken, CommandError> {
        let wait = match self.step(cluster, session) {
            Ok(Next::Wait(moment)) => {
                self.failures = 0;
                return Ok(self.wait(cluster, &moment));
            }
            Ok(Next::GoOn) => {
                self.failures = 0;
                // Between two steps nobody waits, but for a signal.
                Duration::ZERO
            }
            Ok(Next::Stand(holder)) => {
                self.failures = 0;
                self.tell(session, &format!("waiting: {holder} holds the lease"))?;
                LOOK
            }
            // No process reads its output any more; or the base directory belongs to another cluster.
            Err(error) if error.is_silent() || error.is_usage() => return Err(error),
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                let wait = back_off(self.failures);
                self.tell(session, &format!("{error}; again in {} s", wait.as_secs()))?;
                self.tell_refused(cluster, session)?;
                wait
            }
        };
        Ok(self.rest(cluster, wait))
    }

    /// One step: the lease, a look, and one volume at most.
    fn step(
        &mut self,
        cluster: &mut Cluster,
        session: &mut Session<'_>,
    ) -> Result<Next, CommandError> {
        if let Some(holder) = self.leadership.hold(cluster)? {
            return Ok(Next::Stand(holder));
        }
        let lease = &self.args.lease_namespace;
        self.tell(
            session,
            &format!("working: this one holds the lease in namespace {lease}"),
        )?;
        let moment = cluster.mark_moment()?;
        let state = self.reads.load(cluster)?;
        let (command, context) = (self.command, self.context);
        let mut question = SetQuestion {
            deletes: self.args.serving.write.yes,
            most: Some(1),
            ..command.ask(&state, context)?
        };
        question.sets.retain(|set| !self.is_resting(set));
        let backends = context.backends;
        let plan = command.plan_in_detail(&question, &state, &Memory::default(), backends);
        check_base_directories(&plan, &state, backends, cluster, context.host.as_deref())?;
        self.tell_what_stays(&plan.skipped, session)?;
        if plan.changes.is_empty() {
            self.resting.retain(|set, _| !question.sets.contains(set));
            return Ok(Next::Wait(moment));
        }
        let sets = question.sets.clone();
        let has_steps = plan.errands.iter().any(|errand| !errand.deed.is_aside());
        let ended = {
            let mut apply_loop = ApplyLoop {
                command,
                question: &question,
                cluster,
                reads: &self.reads,
                backends,
                listener: &mut Silent,
                saver: None,
            };
            apply_loop.run(state, plan)
        };
        let is_open = ended.outcome.is_open() || ended.trouble.is_some();
        if has_steps || is_open {
            let format = Session::format(&self.args.serving.output);
            let now = cluster.now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            write_steps(session.stdout, &ended.outcome, &now, format)?;
            session.stdout.flush()?;
        }
        if let Some(error) = ended.trouble {
            return Err(error);
        }
        if is_open {
            self.tell_refused(cluster, session)?;
        }
        for set in sets {
            self.rest_if_needed(set, &ended.outcome);
        }
        Ok(Next::GoOn)
    }

    /// What is left alone is told when it comes to that, and not again and again.
    fn tell_what_stays(
        &mut self,
        skipped: &[Skipped],
        session: &mut Session<'_>,
    ) -> Result<(), CommandError> {
        let told = |left: &Skipped| {
            format!(
                "{}: {}: {}",
                left.target.spelled(),
                left.code(),
                left.message
            )
        };
        let stays: BTreeSet<String> = skipped.iter().map(told).collect();
        for new in stays.difference(&self.stays) {
            writeln!(session.stderr, "{}", safe(new))?;
        }
        self.stays = stays;
        Ok(())
    }

    fn is_resting(&self, set: &str) -> bool {
        let rest = self.resting.get(set);
        rest.is_some_and(|(_, until)| Instant::now() < *until)
    }

    /// What goes wrong with one set keeps no other waiting.
    fn rest_if_needed(&mut self, set: String, outcome: &Outcome) {
        let is_its = |made: &&Made| {
            let errand = outcome.errands.get(made.change.errand);
            errand.and_then(|errand| errand.deed.set()) == Some(&*set)
        };
        if !outcome.changes.iter().filter(is_its).any(Made::is_open) {
            self.resting.remove(&set);
            return;
        }
        let (count, _) = self
            .resting
            .get(&set)
            .copied()
            .unwrap_or((0, Instant::now()));
        let count = count.saturating_add(1);
        let until = Instant::now() + back_off(count);
        self.resting.insert(set, (count, until));
    }

    /// How long nothing is looked at again though nothing was heard.
    fn longest_wait(&self) -> Duration {
        let ends = self.resting.values().map(|(_, until)| *until);
        let next = ends
            .min()
            .map(|until| until.saturating_duration_since(Instant::now()));
        next.map_or(RESYNC, |next| next.clamp(SETTLE, RESYNC))
    }

    /// Waits for a change; the lease is renewed meanwhile.
    fn wait(&mut self, cluster: &mut Cluster, moment: &Moment) -> Woken {
        let began = Instant::now();
        let longest = self.longest_wait();
        while let Some(left) = longest.checked_sub(began.elapsed()) {
            match cluster.wait_for_change(moment, left.min(RENEW), &mut self.signals) {
                Woken::Changed => return cluster.rest(SETTLE, &mut self.signals),
                Woken::Stopped => return Woken::Stopped,
                Woken::TimeOver => {}
            }
            if !matches!(self.leadership.hold(cluster), Ok(None)) {
                break;
            }
        }
        Woken::TimeOver
    }

    /// Waits; the lease is renewed meanwhile by whoever has it.
    fn rest(&mut self, cluster: &mut Cluster, time: Duration) -> Woken {
        let began = Instant::now();
        loop {
            let left = time.saturating_sub(began.elapsed());
            let woken = cluster.rest(left.min(RENEW), &mut self.signals);
            if woken == Woken::Stopped || began.elapsed() >= time {
                return woken;
            }
            if self.leadership.is_held {
                // Whether it was lost the next round shows.
                let _ = self.leadership.hold(cluster);
            }
        }
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

/// Whoever fails waits longer each time.
fn back_off(failures: u32) -> Duration {
    let factor = 2_u32.saturating_pow(failures.clamp(1, 10) - 1);
    (FIRST_WAIT * factor).min(LONGEST_WAIT)
}

/// How to go on.
enum Next {
    /// There may be more to do.
    GoOn,
    /// Nothing is to be done until something changes.
    Wait(Moment),
    /// Somebody else works.
    Stand(String),
}
