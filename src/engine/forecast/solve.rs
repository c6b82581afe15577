//! How a group ends: by trying every order where that can be done, otherwise by how far each claim may get.

use super::assignments::{Assignments, assign};
use super::explore::{Ends, explore};
use super::groups::Group;
use super::index::{ClaimId, Index, VolumeId};
use super::kinds::{Kind, Part};
use super::limits::{FEW_STATES, Limits, MOST_JOINT_STATES, least_states};
use super::reach::{Reach, Stretch};
use super::sweep::{Queue, sweep};
use super::table::{Leaves, State, Table};
use super::takes::Takes;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A group with its end.
#[derive(Debug)]
pub(super) struct Solved {
    pub(super) sides: Vec<SideEnd>,
    pub(super) exact: bool,
    pub(super) assignments: Assignments,
    pub(super) rests: Rests,
}

/// How many claims go without a volume that is there.
#[derive(Debug)]
pub(super) enum Rests {
    /// Of every end and each side: how many wait, and how many left with one that was made.
    Ends(BTreeSet<Vec<(u16, u16)>>),
    /// So many of them together, whatever the order.
    Together(usize),
    /// Nobody knows.
    Unknown,
}

/// Claims that end alike.
#[derive(Debug)]
pub(super) struct SideEnd {
    pub(super) members: Vec<ClaimId>,
    /// The volumes any of them may take.
    pub(super) takes: Takes,
    pub(super) is_refused: bool,
    /// Whether one of them may be left without any of these.
    pub(super) may_wait: bool,
    /// Whether one of them may have a volume made for it before one of these comes free.
    pub(super) may_leave: bool,
}

/// Settles a group; it may fall apart into several that turn out not to touch.
pub(super) fn solve(
    index: &Index<'_>,
    kinds: &[Kind],
    group: &Group,
    limits: &mut Limits,
    leaves: &dyn Fn(ClaimId) -> Leaves,
) -> Vec<Solved> {
    let mut solving = Solving {
        index,
        kinds,
        limits,
        leaves,
        solved: vec![],
    };
    match sweep(index, kinds, group) {
        Some(queues) => {
            for queue in queues {
                solving.solve_queue(group, queue);
            }
        }
        None => solving.solve_group(group),
    }
    solving.solved
}

struct Solving<'s, 'a> {
    index: &'s Index<'a>,
    kinds: &'s [Kind],
    limits: &'s mut Limits,
    leaves: &'s dyn Fn(ClaimId) -> Leaves,
    solved: Vec<Solved>,
}

impl Solving<'_, '_> {
    /// Claims along one chain: the sweep knows what each may end with, and trying adds who ends with what together.
    fn solve_queue(&mut self, group: &Group, queue: Queue) {
        let part = Group {
            kinds: queue
                .kinds
                .iter()
                .map(|place| group.kinds[*place])
                .collect(),
            reaches: queue.reaches,
        };
        if let Some(solved) = self.solve_alone(&part) {
            self.solved.push(solved);
        } else if self.least_states(&part) <= (FEW_STATES / 10).min(self.limits.states() as u64) {
            self.solve_group(&part);
        } else {
            let mut solved = estimate(self.kinds, part);
            solved.exact = true;
            solved.rests = Rests::Together(queue.waiting);
            self.solved.push(solved);
        }
    }

    fn solve_group(&mut self, group: &Group) {
        if let Some(solved) = self.solve_alone(group) {
            self.solved.push(solved);
            return;
        }
        let Some((table, ends)) = self.explore(group) else {
            let all = group.reaches.clone();
            let group = Group {
                kinds: group.kinds.clone(),
                reaches: all,
            };
            self.solved.push(estimate(self.kinds, group));
            return;
        };
        let parts = table.fall_apart(&ends.takes);
        if parts.len() == 1 {
            let solved = tell(&table, &ends, self.limits);
            self.solved.push(solved);
            return;
        }
        for part in parts {
            let part = Group {
                kinds: part.iter().map(|place| group.kinds[*place]).collect(),
                reaches: part
                    .iter()
                    .map(|place| group.reaches[*place].clone())
                    .collect(),
            };
            let solved = match self.explore(&part) {
                Some((table, ends)) => tell(&table, &ends, self.limits),
                None => estimate(self.kinds, part),
            };
            self.solved.push(solved);
        }
    }

    /// Tries every order, if there is hope to come to an end.
    fn explore(&mut self, group: &Group) -> Option<(Table, Ends)> {
        let most = self.limits.states();
        if self.least_states(group) > most as u64 {
            return None;
        }
        let table = Table::new(self.index, self.kinds, group, self.leaves);
        let ends = explore(&table, most);
        let tried = ends.as_ref().map_or(most, |ends| ends.states);
        self.limits.note_states(tried);
        ends.map(|ends| (table, ends))
    }

    fn least_states(&self, group: &Group) -> u64 {
        let sizes = |reach: &Reach| {
            let stretches = reach.stretches.iter();
            let lengths = stretches.map(|stretch| (stretch.to - stretch.from) as usize);
            lengths.sum::<usize>() + reach.singles.len()
        };
        let volumes = group.reaches.iter().map(sizes).sum();
        least_states(self.kinds, group, volumes)
    }

    /// One claim that nobody else comes near: it takes what its search finds.
    fn solve_alone(&mut self, group: &Group) -> Option<Solved> {
        let ([kind], [reach]) = (&group.kinds[..], &group.reaches[..]) else {
            return None;
        };
        let kind = &self.kinds[*kind as usize];
        let Part::Searches(stages) = &kind.part else {
            return None;
        };
        let is_firm = |stretch: &Stretch| {
            let chain = self.index.chain(stretch.chain);
            chain.is_firm(stretch.from, stretch.to)
        };
        let is_plain = stages.iter().all(|stage| stage.own.is_empty())
            && kind.members.len() == 1
            && !kind.is_refused
            && kind.gives_back.is_empty()
            && reach.stretches.iter().all(is_firm);
        if !is_plain {
            return None;
        }
        let takes = Takes::Within(Rc::new(reach.clone()));
        let claim = kind.members[0];
        let assignments = if takes.len() > self.limits.assignments(1) {
            Assignments::Counted(takes.len() as u64)
        } else if takes.is_empty() {
            Assignments::Listed(vec![vec![(claim, None)]])
        } else {
            let one = |volume: VolumeId| vec![(claim, Some(volume))];
            Assignments::Listed(takes.all(self.index).into_iter().map(one).collect())
        };
        self.limits.note_listed(&assignments);
        let waits = u16::from(takes.is_empty());
        Some(Solved {
            sides: vec![SideEnd {
                members: vec![claim],
                may_wait: takes.is_empty(),
                takes,
                is_refused: false,
                may_leave: false,
            }],
            exact: true,
            assignments,
            rests: Rests::Ends([vec![(waits, 0)]].into()),
        })
    }
}

/// What is certain without trying: nobody gets further than it can reach.
fn estimate(kinds: &[Kind], group: Group) -> Solved {
    let side = |(kind, reach): (u32, Reach)| {
        let kind = &kinds[kind as usize];
        SideEnd {
            members: kind.members.clone(),
            is_refused: kind.is_refused,
            may_wait: reach.may_fail || kind.is_refused,
            takes: Takes::Within(Rc::new(reach)),
            may_leave: false,
        }
    };
    Solved {
        sides: group
            .kinds
            .into_iter()
            .zip(group.reaches)
            .map(side)
            .collect(),
        exact: false,
        assignments: Assignments::Countless,
        rests: Rests::Unknown,
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
            takes: Takes::Listed(takes.into()),
            is_refused: side.is_refused,
            may_wait: rests.iter().any(|rest| rest[place].0 > 0),
            may_leave: rests.iter().any(|rest| rest[place].1 > 0),
        }
    };
    let claims = table.sides.iter().map(|side| side.members.len()).sum();
    let most = limits.assignments(claims);
    let assignments = if ends.states as u64 <= FEW_STATES {
        assign(table, most, MOST_JOINT_STATES)
    } else {
        Assignments::Countless
    };
    limits.note_listed(&assignments);
    Solved {
        sides: places.clone().map(side).collect(),
        exact: true,
        assignments,
        rests: Rests::Ends(rests),
    }
}
