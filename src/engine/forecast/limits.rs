//! How much is tried before the answer is only certain to contain the truth.

use super::assignments::Assignments;
use super::groups::Group;
use super::index::id;
use super::kinds::Kind;

/// How many states of one group are tried.
const MOST_STATES: usize = 200_000;
/// With so many claims only half as many, with twice so many a third.
const MANY_CLAIMS: usize = 1_000;
/// Up to so many states it is worth listing who ends with what together.
pub(super) const FEW_STATES: u64 = 20_000;

/// How many states are tried for assignments, which need more room each.
pub(super) const MOST_JOINT_STATES: usize = 20_000;

/// How much is tried, and how much is left of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// States of one group.
    states: usize,
    /// States of all groups together.
    all_states: usize,
    /// Assignments listed of one group.
    assignments: usize,
    /// Claims in listed assignments of all groups together.
    all_listed: usize,
}

impl Limits {
    /// For so many claims: where there are many, nobody waits long for one group of them.
    pub(super) fn new(claims: usize) -> Self {
        let states = MOST_STATES / (1 + claims / MANY_CLAIMS);
        Self {
            states,
            all_states: 5 * states,
            assignments: 1000,
            all_listed: 200_000,
        }
    }

    /// Nothing is tried at all: what is told must hold all the same.
    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self {
            states: 0,
            all_states: 0,
            ..Self::new(0)
        }
    }

    pub(super) fn states(&self) -> usize {
        self.states.min(self.all_states)
    }

    /// How many assignments of so many claims may be listed.
    pub(super) fn assignments(&self, claims: usize) -> usize {
        self.assignments.min(self.all_listed / claims.max(1))
    }

    pub(super) fn note_states(&mut self, tried: usize) {
        self.all_states = self.all_states.saturating_sub(tried);
    }

    pub(super) fn note_listed(&mut self, assignments: &Assignments) {
        if let Assignments::Listed(listed) = assignments {
            let claims: usize = listed.iter().map(Vec::len).sum();
            self.all_listed = self.all_listed.saturating_sub(claims);
        }
    }
}

/// How many states there are at least, if every claim finds something: any part of the claims may have been served.
pub(super) fn least_states(kinds: &[Kind], group: &Group, volumes: usize) -> u64 {
    // ways[n]: in how many ways n claims are served, counted by kind.
    let claims = |kind: &u32| kinds[*kind as usize].members.len();
    let all: usize = group.kinds.iter().map(claims).sum();
    let mut ways = vec![0_u64; volumes.min(all).min(MOST_COUNTED) + 1];
    ways[0] = 1;
    for members in group.kinds.iter().map(claims) {
        // sums[n]: the ways of serving fewer than n.
        let mut sums = vec![0_u64];
        for ways in &ways {
            sums.push(sums[sums.len() - 1].saturating_add(*ways));
        }
        if sums[sums.len() - 1] == u64::MAX {
            return u64::MAX;
        }
        for (served, ways) in ways.iter_mut().enumerate() {
            let lowest = served - members.min(served);
            *ways = sums[served + 1] - sums[lowest];
        }
    }
    let total = ways
        .iter()
        .fold(0, |sum: u64, ways| sum.saturating_add(*ways));
    total.max(u64::from(id(group.kinds.len())))
}

/// Beyond so many claims served nothing is counted: it is enough to know that they are many.
const MOST_COUNTED: usize = 2_500;
