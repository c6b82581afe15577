//! The comparison itself: all inputs, asked of both builds by all cores, and what was found.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use super::accepted::Entry;
use super::difference::differences;
use super::generate::stream;
use super::groups::{Groups, Key, show};
use super::inputs::{Job, Workplace};
use super::invocations::Invocation;
use super::program::Program;
use super::settings::Settings;

/// How often progress is reported.
const PROGRESS: Duration = Duration::from_secs(15);

/// A command, the form of its output, and the rules.
type Combination = (&'static str, String, &'static str);

/// What one worker or all of them have seen.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) groups: Groups,
    /// Differences that a second run of both builds did not show.
    pub(super) passing: Groups,
    /// Command lines, each run by both builds.
    pub(super) pairs: usize,
    pub(super) clusters: usize,
    combinations: BTreeMap<Combination, usize>,
    /// How often each exit status occurred in OLD.
    statuses: BTreeMap<String, usize>,
}

/// Runs everything that the settings ask for; `report` receives lines about the progress.
pub(super) fn survey(
    settings: &Settings,
    workplace: &Workplace,
    report: &(dyn Fn(&str) + Sync),
) -> io::Result<Survey> {
    let jobs = workplace.jobs(settings);
    let next = AtomicUsize::new(0);
    let last_report = Mutex::new(Instant::now());
    let workers = thread::available_parallelism().map_or(2, usize::from);
    let work = || -> io::Result<Survey> {
        let mut own = Survey::default();
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            own.add(settings, workplace, job)?;
            let mut last = last_report.lock().expect("no worker panics");
            if last.elapsed() > PROGRESS {
                *last = Instant::now();
                let done = next.load(Ordering::Relaxed).min(jobs.len());
                report(&format!("{done} of {} inputs", jobs.len()));
            }
        }
        Ok(own)
    };
    let parts: Vec<io::Result<Survey>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let ended = workers
            .into_iter()
            .map(|worker| worker.join().expect("no worker panics"));
        ended.collect()
    });
    let mut all = Survey::default();
    for part in parts {
        all.merge(part?);
    }
    Ok(all)
}

impl Survey {
    fn add(&mut self, settings: &Settings, workplace: &Workplace, job: &Job) -> io::Result<()> {
        let mut random = stream(settings.seed.wrapping_add(1), job.number());
        let prepared = workplace.prepare(settings, job)?;
        let invocations = prepared.invocations(settings, &mut random, &workplace.pool);
        let mut differs = false;
        for invocation in &invocations {
            differs |= self.compare(settings, invocation, prepared.size)?;
        }
        self.clusters += 1;
        if !differs {
            prepared.remove()?;
        }
        Ok(())
    }

    /// Runs a command line with both builds; whether they differ.
    fn compare(
        &mut self,
        settings: &Settings,
        invocation: &Invocation,
        size: usize,
    ) -> io::Result<bool> {
        let (old, new) = (&settings.old, &settings.new);
        let before = old.run(invocation)?;
        let after = new.run(invocation)?;
        self.pairs += 1;
        let form = invocation.form.spelled();
        let combination = (invocation.command, form, invocation.rules);
        *self.combinations.entry(combination).or_default() += 1;
        *self.statuses.entry(before.status.clone()).or_default() += 1;
        if before == after {
            return Ok(false);
        }
        // A difference counts if both builds repeat their answers; the clock may have moved on.
        let found = differences(invocation, &before, &after);
        let is_steady = old.run(invocation)? == before && new.run(invocation)? == after;
        let groups = if is_steady {
            &mut self.groups
        } else {
            &mut self.passing
        };
        groups.add(invocation, found, size);
        Ok(true)
    }

    fn merge(&mut self, other: Self) {
        self.groups.merge(other.groups);
        self.passing.merge(other.passing);
        self.pairs += other.pairs;
        self.clusters += other.clusters;
        for (combination, count) in other.combinations {
            *self.combinations.entry(combination).or_default() += count;
        }
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
    }

    /// What was run, in a few lines.
    pub(super) fn totals(&self) -> String {
        let least = self.combinations.iter().min_by_key(|(_, count)| **count);
        let least = least.map_or(String::new(), |((command, form, rules), count)| {
            format!(", the rarest {count} times ({command}, {form} {rules})")
        });
        let statuses: Vec<String> = self
            .statuses
            .iter()
            .map(|(status, count)| format!("{status}: {count}"))
            .collect();
        let differing: usize = self.groups.0.values().map(|group| group.count).sum();
        format!(
            "{} inputs, {} command lines, {} runs\n{} combinations of command, output and rules{least}\n\
             exit status of OLD: {}\n{differing} differences in {} groups\n",
            self.clusters,
            self.pairs,
            self.pairs * 2,
            self.combinations.len(),
            statuses.join(", "),
            self.groups.0.len(),
        )
    }

    /// All groups as people read them, and whether the comparison has failed.
    pub(super) fn verdict(&self, settings: &Settings) -> (String, bool) {
        let (old, new): (&Program, &Program) = (&settings.old, &settings.new);
        let split = self.groups.split(&settings.accepted);
        let mut text = String::new();
        for (key, group) in &split.open {
            text.push_str(&show(key, group, old, new));
            text.push('\n');
        }
        if !split.accepted.is_empty() {
            text.push_str("Accepted:\n");
        }
        for (key, group, entry) in &split.accepted {
            let Key { command, field } = key;
            let line = format!(
                "  {command} | {field} | {} times: {}\n",
                group.count, entry.reason
            );
            text.push_str(&line);
        }
        for (key, group) in &self.passing.0 {
            text.push_str("Not repeatable, so not counted:\n");
            text.push_str(&show(key, group, old, new));
        }
        let unused = self.unused(settings);
        for entry in &unused {
            let line = format!("accepted.txt, {}: matches no difference\n", entry.spelled());
            text.push_str(&line);
        }
        let has_failed = !split.open.is_empty() || !unused.is_empty();
        (text, has_failed)
    }

    /// The entries of a full run that match nothing; a sample cannot tell.
    fn unused<'a>(&self, settings: &'a Settings) -> Vec<&'a Entry> {
        let is_used = |entry: &&Entry| self.groups.0.keys().any(|key| entry.matches(key));
        let entries = settings.accepted.iter();
        entries
            .filter(|entry| settings.is_full && !is_used(entry))
            .collect()
    }
}

/// Removes a folder that may not exist.
pub(super) fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
