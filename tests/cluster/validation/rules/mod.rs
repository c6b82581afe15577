//! The rules R7, R10 and R10d of the binding specification, one by one: how a manifest gets to meet
//! each, and how the server's answer shows that it did. A rule whose manifest the server answers
//! otherwise is not counted as met, so this list cannot just claim things.
//!
//! Not here, because a create by dry run cannot show them: what may change later (the second half of
//! R10), a claim without a namespace (the address has one), and a `resourceVersion`, which the dry
//! run lets pass.

mod claims;
mod classes;
mod odd;
mod volumes;

use super::bases::Kind;
use super::server::Answer;
use super::tree::Node;
use crate::random::Random;

/// What the server is known to do about it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected {
    Taken,
    /// A 422, one cause of which has this field, or one below it, and these words.
    Refused(&'static str, &'static str),
    /// A 400, which names no field.
    Unreadable,
}

/// One statement of the specification.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// The parts of the manifest it changes: rules that share none go into one manifest.
    pub(super) touches: &'static [&'static str],
    pub(super) expected: Expected,
    pub(super) apply: fn(&mut Node, &mut Random),
}

impl Rule {
    /// Does this answer show the rule at work?
    pub(super) fn is_shown_by(&self, answer: &Answer) -> bool {
        match self.expected {
            Expected::Taken => answer.is_taken(),
            Expected::Unreadable => answer.status == 400 && answer.causes.is_empty(),
            Expected::Refused(field, words) => answer
                .causes
                .iter()
                .any(|cause| cause.field.starts_with(field) && cause.message.contains(words)),
        }
    }

    /// May both stand in one manifest, and both be seen in the answer?
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        let alike = matches!(
            (self.expected, other.expected),
            (Expected::Taken, Expected::Taken) | (Expected::Refused(..), Expected::Refused(..))
        );
        let apart = !self.touches.iter().any(|part| other.touches.contains(part));
        self.kind == other.kind && alike && apart
    }
}

/// All of them.
pub(super) fn all() -> Vec<Rule> {
    let lists: [&[Rule]; 4] = [claims::RULES, volumes::RULES, classes::RULES, odd::RULES];
    lists.concat()
}

const fn rule(
    name: &'static str,
    kind: Kind,
    touches: &'static [&'static str],
    expected: Expected,
    apply: fn(&mut Node, &mut Random),
) -> Rule {
    Rule {
        name,
        kind,
        touches,
        expected,
        apply,
    }
}
