//! Who gets what at the same time: every assignment of volumes to the claims of a group that some order reaches.

use super::index::{ClaimId, VolumeId};
use super::seen::Seen;
use super::steps::Move;
use super::table::{State, Table};
use std::collections::{BTreeSet, HashSet};

/// One assignment: each claim of the group with the volume it ends with.
pub(super) type Assignment = Vec<(ClaimId, Option<VolumeId>)>;

/// The assignments of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Assignments {
    /// All of them, sorted.
    Listed(Vec<Assignment>),
    /// So many, too many to list.
    Counted(u64),
    /// Too many to count.
    Countless,
}

/// How many numbers may be kept while looking for assignments.
const MOST_NUMBERS: usize = 2_000_000;

/// Finds the assignments of a group, and lists them if they are at most `most`.
pub(super) fn assign(table: &Table, most: usize, most_states: usize) -> Assignments {
    let Some(ends) = explore(table, most_states) else {
        return Assignments::Countless;
    };
    let mut total: u128 = 0;
    for taken in &ends {
        match count(table, taken).and_then(|ways| total.checked_add(ways)) {
            Some(sum) => total = sum,
            None => return Assignments::Countless,
        }
    }
    if total > most as u128 {
        return u64::try_from(total).map_or(Assignments::Countless, Assignments::Counted);
    }
    let mut listed = Vec::new();
    for taken in &ends {
        list(table, taken, &mut listed);
    }
    listed.sort_unstable();
    listed.dedup();
    Assignments::Listed(listed)
}

/// For every way it may end: how many claims of each side took each kind of volume.
fn explore(table: &Table, most_states: usize) -> Option<BTreeSet<State>> {
    let width = table.volumes.len();
    // Behind the counts of the table: how many claims of each side took each kind of volume.
    let first = table.start().len();
    let mut state = table.start().to_vec();
    state.resize(first + table.sides.len() * width, 0);
    let most = most_states.min(MOST_NUMBERS / state.len().max(1));
    let mut ends = BTreeSet::new();
    let mut seen = Seen::new(state.len());
    seen.add(&state);
    let mut place = 0;
    while let Some(next) = seen.get(place) {
        state.clear();
        state.extend_from_slice(next);
        place += 1;
        let goes_on = table.steps(&mut state, |step, next| match step {
            Move::Take(side, volume) if !table.sides[side].is_refused => {
                next[first + side * width + volume] += 1;
                seen.add(next);
                next[first + side * width + volume] -= 1;
            }
            _ => seen.add(next),
        });
        if seen.len() > most {
            return None;
        }
        if !goes_on {
            ends.insert(state[first..].to_vec());
        }
    }
    Some(ends)
}

/// In how many ways claims and volumes of these kinds can be put together.
fn count(table: &Table, taken: &State) -> Option<u128> {
    let width = table.volumes.len();
    let mut ways: u128 = 1;
    for (place, side) in table.sides.iter().enumerate() {
        let mut open = side.members.len() as u128;
        for number in &taken[place * width..(place + 1) * width] {
            ways = ways.checked_mul(choose(open, u128::from(*number))?)?;
            open -= u128::from(*number);
        }
    }
    for (kind, members) in table.volumes.iter().enumerate() {
        let sides = 0..table.sides.len();
        let used: usize = sides.map(|side| taken[side * width + kind] as usize).sum();
        for step in 0..used {
            ways = ways.checked_mul((members.len() - step) as u128)?;
        }
    }
    Some(ways)
}

fn choose(all: u128, some: u128) -> Option<u128> {
    let mut ways: u128 = 1;
    for step in 0..some.min(all - some) {
        ways = ways.checked_mul(all - step)? / (step + 1);
    }
    Some(ways)
}

/// Lists every way of putting claims and volumes of these kinds together.
fn list(table: &Table, taken: &State, listed: &mut Vec<Assignment>) {
    let claims: Vec<(usize, ClaimId)> = table
        .sides
        .iter()
        .enumerate()
        .flat_map(|(side, kind)| kind.members.iter().map(move |claim| (side, *claim)))
        .collect();
    let mut listing = Listing {
        table,
        claims,
        open: taken.clone(),
        used: HashSet::new(),
        chosen: vec![],
        listed,
    };
    listing.go_on();
}

struct Listing<'t> {
    table: &'t Table,
    claims: Vec<(usize, ClaimId)>,
    /// How many claims of each side still take each kind of volume.
    open: State,
    used: HashSet<VolumeId>,
    chosen: Assignment,
    listed: &'t mut Vec<Assignment>,
}

impl Listing<'_> {
    fn go_on(&mut self) {
        let Some((side, claim)) = self.claims.get(self.chosen.len()).copied() else {
            let mut done = self.chosen.clone();
            done.sort_unstable();
            self.listed.push(done);
            return;
        };
        let width = self.table.volumes.len();
        let row = side * width..(side + 1) * width;
        let left = self.claims[self.chosen.len()..].iter();
        let of_side = left.filter(|(other, _)| *other == side).count();
        let to_serve: usize = self.open[row.clone()].iter().map(|n| *n as usize).sum();
        if to_serve < of_side {
            self.chosen.push((claim, None));
            self.go_on();
            self.chosen.pop();
        }
        for kind in 0..width {
            if self.open[row.start + kind] == 0 {
                continue;
            }
            self.open[row.start + kind] -= 1;
            for volume in &self.table.volumes[kind] {
                if self.used.insert(*volume) {
                    self.chosen.push((claim, Some(*volume)));
                    self.go_on();
                    self.chosen.pop();
                    self.used.remove(volume);
                }
            }
            self.open[row.start + kind] += 1;
        }
    }
}
