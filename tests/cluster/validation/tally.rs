//! How often each rule was met, and how the server's answers were spread: a run in which nothing
//! much was tried is not agreement.

use std::collections::BTreeMap;
use std::fmt;

use super::generate::Manifest;
use super::rules;
use super::server::Answer;
use crate::sample;

/// How often a full run has to meet each rule.
const ENOUGH: usize = 3;
/// Of a hundred manifests so many are refused.
const REFUSED: std::ops::RangeInclusive<usize> = 40..=60;

pub(super) struct Tally {
    manifests: usize,
    taken: usize,
    answers: BTreeMap<(String, u16), usize>,
    rules: BTreeMap<&'static str, usize>,
    /// Manifests that are not what they were meant to be, above all those that do not show their rules.
    failed: Vec<String>,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            manifests: 0,
            taken: 0,
            answers: BTreeMap::new(),
            rules: rules::all().iter().map(|rule| (rule.name, 0)).collect(),
            failed: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, manifest: &Manifest, answer: &Answer) {
        self.manifests += 1;
        self.taken += usize::from(answer.is_taken());
        let kind = format!("{:?}", manifest.kind);
        *self.answers.entry((kind, answer.status)).or_default() += 1;
        if answer.repeats_a_key {
            let text = format!(
                "a key twice, which is not asked here\n{:.1500}",
                manifest.text
            );
            self.failed.push(text);
        }
        for rule in &manifest.rules {
            if rule.is_shown_by(answer) {
                *self.rules.entry(rule.name).or_default() += 1;
            } else {
                self.failed.push(format!(
                    "{}, expected {:?}: {} {:.300}\n{:.1500}",
                    rule.name, rule.expected, answer.status, answer.message, manifest.text
                ));
            }
        }
    }

    /// What makes this run worth less than it should be.
    pub(super) fn shortcomings(&self) -> Vec<String> {
        let mut found = self.failed.clone();
        // A sample is too small for every rule.
        if !sample::is_full() {
            return found;
        }
        let few = self.rules.iter().filter(|(_, count)| **count < ENOUGH);
        found.extend(few.map(|(name, count)| format!("{name}: met {count} times")));
        let percent = (self.manifests - self.taken) * 100 / self.manifests;
        if !REFUSED.contains(&percent) {
            found.push(format!("{percent} % refused"));
        }
        found
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, count) in &self.rules {
            writeln!(f, "{count:6}  {name}")?;
        }
        for ((kind, status), count) in &self.answers {
            writeln!(f, "{count:6}  {kind} answered {status}")?;
        }
        let refused = self.manifests - self.taken;
        writeln!(f, "{refused:6}  refused of {} manifests", self.manifests)
    }
}
