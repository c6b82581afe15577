//! Differences grouped by command and field, each group with its count and one example: the smallest input that shows it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::accepted::Entry;
use super::difference::Difference;
use super::invocations::{Form, Invocation};
use super::program::Program;

/// What a group has in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) command: String,
    pub(super) field: String,
}

/// One difference with what is needed to repeat it.
pub(super) struct Example {
    pub(super) invocation: Invocation,
    pub(super) difference: Difference,
    /// The length of the input.
    pub(super) size: usize,
}

/// How often a field differed, and one example.
pub(super) struct Group {
    pub(super) count: usize,
    pub(super) example: Example,
}

/// The groups by whether an entry of `accepted.txt` accepts them.
#[derive(Default)]
pub(super) struct Split<'a> {
    pub(super) open: Vec<(&'a Key, &'a Group)>,
    pub(super) accepted: Vec<(&'a Key, &'a Group, &'a Entry)>,
}

/// All groups of a comparison.
#[derive(Default)]
pub(super) struct Groups(pub(super) BTreeMap<Key, Group>);

impl Groups {
    /// Counts the differences of one command line; the example of a group is the one with the smallest input.
    pub(super) fn add(&mut self, invocation: &Invocation, found: Vec<Difference>, size: usize) {
        for difference in found {
            let key = Key {
                command: invocation.command.to_owned(),
                field: difference.field.clone(),
            };
            let example = Example {
                invocation: invocation.clone(),
                difference,
                size,
            };
            match self.0.get_mut(&key) {
                None => {
                    self.0.insert(key, Group { count: 1, example });
                }
                Some(group) => {
                    group.count += 1;
                    if size < group.example.size {
                        group.example = example;
                    }
                }
            }
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        for (key, group) in other.0 {
            match self.0.get_mut(&key) {
                None => {
                    self.0.insert(key, group);
                }
                Some(own) => {
                    own.count += group.count;
                    if group.example.size < own.example.size {
                        own.example = group.example;
                    }
                }
            }
        }
    }

    /// The groups that no entry accepts, and those that one does, with that entry.
    pub(super) fn split<'a>(&'a self, accepted: &'a [Entry]) -> Split<'a> {
        let mut split = Split::default();
        for (key, group) in &self.0 {
            match accepted.iter().find(|entry| entry.matches(key)) {
                Some(entry) => split.accepted.push((key, group, entry)),
                None => split.open.push((key, group)),
            }
        }
        split
    }
}

/// A group as people read it.
pub(super) fn show(key: &Key, group: &Group, old: &Program, new: &Program) -> String {
    let Example {
        invocation,
        difference,
        ..
    } = &group.example;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} | {} | {} times",
        key.command, key.field, group.count
    );
    let _ = writeln!(text, "  in   {}", invocation.folder.display());
    if let Form::Screen(width) = invocation.form {
        let _ = writeln!(text, "  on a terminal of {width} columns");
    }
    for (name, program, value) in [("OLD", old, &difference.old), ("NEW", new, &difference.new)] {
        let _ = writeln!(text, "  {name}  {}", program.line(invocation));
        for line in value.lines() {
            let _ = writeln!(text, "       {line}");
        }
    }
    text
}
