//! The first line about a plan or its outcome: how many claims get their volume, and how many things are left alone.

use super::super::page::{Tone, Word, plain};
use crate::actions::plan::{Change, Skipped, VOLUME};
use crate::report::plural;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// What is as it was wanted before anything was done.
pub(super) const ALREADY_BOUND: &str = "AlreadyBound";

/// The errands that give a volume back and bind nothing.
pub(super) fn freed<'a>(changes: impl Iterator<Item = &'a Change>) -> HashSet<usize> {
    let gives_back = |change: &&Change| {
        let reference = change.body["spec"].get("claimRef");
        let is_emptied = reference
            .is_some_and(|reference| reference.get("uid").unwrap_or(&Value::Null).is_null());
        let phase = change.body["status"]["phase"].as_str();
        change.target.kind == VOLUME
            && (is_emptied || matches!(phase, Some("Available" | "Released")))
    };
    changes
        .filter(gives_back)
        .map(|change| change.errand)
        .collect()
}

/// What is to be said first: how many of what.
#[derive(Default)]
pub(super) struct Count {
    bound: usize,
    freed: usize,
    pub(super) open: usize,
}

impl Count {
    pub(super) fn add(&mut self, is_freed: bool) {
        if is_freed {
            self.freed += 1;
        } else {
            self.bound += 1;
        }
    }

    /// `2 claims would be bound, 1 volume would be given back; 3 are left alone.`
    pub(super) fn headline(&self, verb: &str, skipped: &[Skipped]) -> Vec<Word> {
        let verb = |count: usize| match verb {
            "were" if count == 1 => "was",
            verb => verb,
        };
        let mut done = Vec::new();
        if self.bound > 0 {
            let claims = plural(self.bound, "claim");
            done.push(format!("{claims} {} bound", verb(self.bound)));
        }
        if self.freed > 0 {
            let volumes = plural(self.freed, "volume");
            done.push(format!("{volumes} {} given back", verb(self.freed)));
        }
        let mut words = Vec::new();
        if self.open > 0 {
            let unfinished = plural(self.open, "bind");
            words.push((Tone::Bad, format!("{unfinished} unfinished")));
        }
        if !done.is_empty() {
            words.push((Tone::Good, done.join(", ")));
        }
        let targets = |is_bound: bool| -> BTreeSet<String> {
            let skipped = skipped.iter();
            let those = skipped.filter(|left| (left.code == ALREADY_BOUND) == is_bound);
            those.map(|left| left.target.spelled()).collect()
        };
        let (bound, left) = (targets(true), targets(false));
        if words.is_empty() && left.is_empty() {
            words.push(plain("Nothing to do"));
        } else if words.is_empty() {
            words.push((Tone::Wait, "Nothing can be bound now".to_owned()));
        }
        let is = |count: usize| if count == 1 { "is" } else { "are" };
        if !bound.is_empty() {
            let count = bound.len();
            words.push((Tone::Good, format!("{count} {} bound already", is(count))));
        }
        if !left.is_empty() {
            let count = left.len();
            words.push((Tone::Wait, format!("{count} {} left alone", is(count))));
        }
        let mut line: Vec<Word> = Vec::new();
        for word in words {
            if !line.is_empty() {
                line.push(plain("; "));
            }
            line.push(word);
        }
        line.push(plain("."));
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::plan::{Standing, Target};
    use crate::conventions::object_ref::ObjectKey;

    fn said(counts: [usize; 3], codes: &[&'static str], verb: &str) -> String {
        let [bound, freed, open] = counts;
        let skipped: Vec<Skipped> = codes
            .iter()
            .enumerate()
            .map(|(index, code)| Skipped {
                target: Target::claim(&ObjectKey::new("ns", format!("c{index}")), None),
                code,
                message: String::new(),
                standing: Standing::Refused,
            })
            .collect();
        let words = Count { bound, freed, open }.headline(verb, &skipped);
        words.into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn the_first_line_says_what_comes_of_it() {
        assert_eq!(said([0, 0, 0], &[], "were"), "Nothing to do.");
        assert_eq!(
            said([0, 0, 0], &["AlreadyBound"], "were"),
            "Nothing to do; 1 is bound already."
        );
        assert_eq!(
            said([0, 0, 0], &["TooSmall", "NoVolumeFits"], "would be"),
            "Nothing can be bound now; 2 are left alone."
        );
        assert_eq!(
            said([2, 1, 0], &["AlreadyBound", "TooSmall"], "would be"),
            "2 claims would be bound, 1 volume would be given back; 1 is bound already; 1 is left alone."
        );
        assert_eq!(
            said([1, 0, 2], &[], "were"),
            "2 binds unfinished; 1 claim was bound."
        );
    }
}
