//! How a group ends: by trying every order where that can be done, otherwise by how far each claim may get.

use super::assignments::{Assignments, assign};
use super::explore::{Ends, explore};
use super::groups::Group;
use super::index::{ClaimId, Index, VolumeId};
use super::kinds::{Kind, Part};
use super::reach::Reach;
use super::table::{Leaves, State, Table, least_states};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A group with its end.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) sides: Vec<SideEnd>,
    pub(super) exact: bool,
    pub(super) assignments: Assignments,
    /// Of every end: how many claims of each side go without a volume that is there, and how many of these left with one
    /// that was made.
    pub(super) rests: BTreeSet<Vec<(u16, u16)>>,
}

/// Claims that end alike.
#[derive(Debug)]
pub(super) struct SideEnd {
    pub(super) members: Vec<ClaimId>,
    /// The volumes any of them may take, sorted.
    pub(super) takes: Rc<[VolumeId]>,
    pub(super) is_refused: bool,
    /// Whether one of them may be left without any of these.
    pub(super) may_wait: bool,
    /// Whether one of them may have a volume made for it before one of these comes free.
    pub(super) may_leave: bool,
}

/// How many states are tried for assignments, which need more room each.
const MOST_JOINT_STATES: usize = 20_000;

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
    pub(super) fn new() -> Self {
        Self {
            states: 200_000,
            all_states: 1_000_000,
            assignments: 1000,
            all_listed: 200_000,
        }
    }

    fn states(&self) -> usize {
        self.states.min(self.all_states)
    }

    /// How many assignments of so many claims may be listed.
    fn assignments(&self, claims: usize) -> usize {
        self.assignments.min(self.all_listed / claims.max(1))
    }

    fn note(&mut self, states: usize, assignments: &Assignments) {
        self.all_states = self.all_states.saturating_sub(states);
        if let Assignments::Listed(listed) = assignments {
            let claims: usize = listed.iter().map(Vec::len).sum();
            self.all_listed = self.all_listed.saturating_sub(claims);
        }
    }
}

/// Settles a group; it may fall apart into several that turn out not to touch.
pub(super) fn solve(
    index: &Index<'_>,
    kinds: &[Kind],
    group: &Group,
    limits: &mut Limits,
    leaves: &dyn Fn(ClaimId) -> Leaves,
) -> Vec<Solved> {
    if let Some(solved) = alone(index, kinds, group, limits) {
        return vec![solved];
    }
    let volumes = count_volumes(group);
    if least_states(kinds, group, volumes) > limits.states() as u64 {
        return vec![estimate(index, kinds, group)];
    }
    let table = Table::new(index, kinds, group, leaves);
    let Some(ends) = explore(&table, limits.states()) else {
        return vec![estimate(index, kinds, group)];
    };
    let parts = table.fall_apart(&ends.takes);
    if parts.len() == 1 {
        return vec![tell(&table, &ends, limits)];
    }
    let mut solved = Vec::new();
    for part in parts {
        let part = Group {
            kinds: part.iter().map(|place| group.kinds[*place]).collect(),
            reaches: part
                .iter()
                .map(|place| group.reaches[*place].clone())
                .collect(),
        };
        let table = Table::new(index, kinds, &part, leaves);
        match explore(&table, limits.states()) {
            Some(ends) => solved.push(tell(&table, &ends, limits)),
            None => solved.push(estimate(index, kinds, &part)),
        }
    }
    solved
}

fn count_volumes(group: &Group) -> usize {
    let sizes = |reach: &Reach| {
        let stretches = reach.stretches.iter();
        let in_chains: u32 = stretches.map(|stretch| stretch.to - stretch.from).sum();
        in_chains as usize + reach.singles.len()
    };
    group.reaches.iter().map(sizes).sum()
}

/// One claim that nobody else comes near: it takes what its search finds.
fn alone(index: &Index<'_>, kinds: &[Kind], group: &Group, limits: &mut Limits) -> Option<Solved> {
    let ([kind], [reach]) = (&group.kinds[..], &group.reaches[..]) else {
        return None;
    };
    let kind = &kinds[*kind as usize];
    let Part::Searches(stages) = &kind.part else {
        return None;
    };
    let is_plain = stages.iter().all(|stage| stage.own.is_empty());
    if kind.members.len() != 1 || kind.is_refused || !is_plain || !kind.gives_back.is_empty() {
        return None;
    }
    let takes = volumes_of(index, reach);
    let claim = kind.members[0];
    let assignments = if takes.len() > limits.assignments(1) {
        Assignments::Counted(takes.len() as u64)
    } else if takes.is_empty() {
        Assignments::Listed(vec![vec![(claim, None)]])
    } else {
        let one = |volume: &VolumeId| vec![(claim, Some(*volume))];
        Assignments::Listed(takes.iter().map(one).collect())
    };
    limits.note(0, &assignments);
    let waits = u16::from(takes.is_empty());
    Some(Solved {
        sides: vec![SideEnd {
            members: vec![claim],
            may_wait: takes.is_empty(),
            takes: takes.into(),
            is_refused: false,
            may_leave: false,
        }],
        exact: true,
        assignments,
        rests: [vec![(waits, 0)]].into(),
    })
}

fn volumes_of(index: &Index<'_>, reach: &Reach) -> Vec<VolumeId> {
    let mut volumes = reach.singles.clone();
    for stretch in &reach.stretches {
        let chain = index.chain(stretch.chain);
        volumes.extend(&chain.volumes[stretch.from as usize..stretch.to as usize]);
    }
    volumes.sort_unstable();
    volumes.dedup();
    volumes
}

/// What is certain without trying: nobody gets further than it can reach.
fn estimate(index: &Index<'_>, kinds: &[Kind], group: &Group) -> Solved {
    let side = |(kind, reach): (&u32, &Reach)| {
        let kind = &kinds[*kind as usize];
        SideEnd {
            members: kind.members.clone(),
            takes: volumes_of(index, reach).into(),
            is_refused: kind.is_refused,
            may_wait: reach.may_fail || kind.is_refused,
            may_leave: false,
        }
    };
    Solved {
        sides: group.kinds.iter().zip(&group.reaches).map(side).collect(),
        exact: false,
        assignments: Assignments::Countless,
        rests: BTreeSet::new(),
    }
}

/// What trying every order showed.
fn tell(table: &Table, ends: &Ends, limits: &mut Limits) -> Solved {
    let places = 0..table.sides.len();
    let rest = |state: &State| -> Vec<(u16, u16)> {
        let sides = places.clone();
        sides
            .map(|side| (table.waiting(side, state), table.left(side, state)))
            .collect()
    };
    let rests: BTreeSet<Vec<(u16, u16)>> = ends.rests.iter().map(rest).collect();
    let side = |place: usize| {
        let side = &table.sides[place];
        let kinds = ends.takes[place].iter().zip(&table.volumes);
        let mut takes: Vec<VolumeId> = kinds
            .filter(|(is_taken, _)| **is_taken)
            .flat_map(|(_, volumes)| volumes.iter().copied())
            .collect();
        takes.sort_unstable();
        takes.dedup();
        SideEnd {
            members: side.members.clone(),
            takes: takes.into(),
            is_refused: side.is_refused,
            may_wait: rests.iter().any(|rest| rest[place].0 > 0),
            may_leave: rests.iter().any(|rest| rest[place].1 > 0),
        }
    };
    let claims = table.sides.iter().map(|side| side.members.len()).sum();
    let most = limits.assignments(claims);
    let assignments = assign(table, most, MOST_JOINT_STATES.min(limits.states()));
    limits.note(ends.states, &assignments);
    Solved {
        sides: places.clone().map(side).collect(),
        exact: true,
        assignments,
        rests,
    }
}
