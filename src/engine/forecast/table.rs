//! One group laid out for trying every order: kinds of claims, kinds of volumes, and a state that only counts them.
//!
//! Volumes are one kind if no claim of the group can tell them apart. That keeps the states few: dozens of equal claims and
//! equal volumes are two numbers.

use super::groups::Group;
use super::index::{ClaimId, Index, VolumeId};
use super::kinds::Kind;
use super::layout::Layout;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many claims wait and how many volumes are there, kind by kind.
pub(super) type State = Vec<u16>;

/// A kind of volume, by its place.
pub(super) type VolumeKind = usize;

/// Whether a claim that finds nothing may get a volume that is made for it, and so leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Leaves {
    #[default]
    Never,
    /// Nobody knows whether its provisioner is there.
    Perhaps,
    Surely,
}

/// A group, laid out.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) sides: Vec<Side>,
    /// The volumes of each kind.
    pub(super) volumes: Vec<Vec<VolumeId>>,
    /// Where the counts of volumes begin.
    pub(super) first_volume: usize,
    start: State,
    pub(super) returns: Vec<Return>,
}

/// A kind of claim in a group.
#[derive(Debug)]
pub(super) struct Side {
    /// Its place among the kinds of the group.
    kind: usize,
    pub(super) members: Vec<ClaimId>,
    pub(super) is_refused: bool,
    pub(super) leaves: Leaves,
    /// Where the number of those that wait in the first stage stands; further stages follow, then those that left.
    pub(super) slot: usize,
    pub(super) stages: Vec<Vec<Vec<Choice>>>,
}

/// A chain as one kind of claim sees it.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// Volumes kept for the claim.
    pub(super) own: Vec<VolumeKind>,
    /// Volumes that are nobody's: draws, the smallest first.
    pub(super) draws: Vec<Vec<VolumeKind>>,
    /// Where it stands whether a claim that is refused has taken one of these.
    pub(super) held: usize,
}

/// A volume that becomes nobody's when the claim it is kept for is bound to another.
#[derive(Debug)]
pub(super) struct Return {
    pub(super) side: usize,
    pub(super) kept: VolumeKind,
    pub(super) free: VolumeKind,
}

impl Table {
    /// Lays out a group. Whether claims leave is asked only where that can matter: where volumes come back.
    pub(super) fn new(
        index: &Index<'_>,
        kinds: &[Kind],
        group: &Group,
        leaves: &dyn Fn(ClaimId) -> Leaves,
    ) -> Self {
        let mut layout = Layout::new(index, kinds, group);
        let mut sides = Vec::new();
        let mut returns = Vec::new();
        let is_lively = group
            .kinds
            .iter()
            .any(|kind| !kinds[*kind as usize].gives_back.is_empty());
        for (place, (kind, reach)) in group.kinds.iter().zip(&group.reaches).enumerate() {
            let kind = &kinds[*kind as usize];
            let stages = layout.stages(kind, reach);
            let mut by_leaving: BTreeMap<u8, (Leaves, Vec<ClaimId>)> = BTreeMap::new();
            for member in &kind.members {
                let leaves = if is_lively && !kind.is_refused {
                    leaves(*member)
                } else {
                    Leaves::Never
                };
                let same = by_leaving.entry(leaves as u8).or_default();
                same.0 = leaves;
                same.1.push(*member);
            }
            for volume in &kind.gives_back {
                let (kept, free) = (layout.kept(*volume), layout.free[volume]);
                let side = sides.len();
                returns.push(Return { side, kept, free });
            }
            for (leaves, members) in by_leaving.into_values() {
                sides.push(Side {
                    kind: place,
                    members,
                    is_refused: kind.is_refused,
                    leaves,
                    slot: 0,
                    stages: stages.iter().map(|levels| copy(levels)).collect(),
                });
            }
        }
        Self::number(sides, layout.volumes, returns, &layout.absent)
    }

    /// Gives every count its place.
    fn number(
        mut sides: Vec<Side>,
        volumes: Vec<Vec<VolumeId>>,
        returns: Vec<Return>,
        absent: &BTreeSet<VolumeKind>,
    ) -> Self {
        let mut start = State::new();
        for side in &mut sides {
            side.slot = start.len();
            start.push(u16::try_from(side.members.len()).unwrap_or(u16::MAX));
            // One for each further stage, and one for those that left.
            start.extend(side.stages.iter().map(|_| 0));
        }
        let first_volume = start.len();
        for (kind, members) in volumes.iter().enumerate() {
            let there = if absent.contains(&kind) {
                0
            } else {
                u16::try_from(members.len()).unwrap_or(u16::MAX)
            };
            start.push(there);
        }
        for side in sides.iter_mut().filter(|side| side.is_refused) {
            for choice in side.stages.iter_mut().flatten().flatten() {
                choice.held = start.len();
                start.push(0);
            }
        }
        Self {
            sides,
            volumes,
            first_volume,
            start,
            returns,
        }
    }

    /// The kinds of the group, apart where their claims never take the same volume after all: as lists of places.
    pub(super) fn fall_apart(&self, takes: &[Vec<bool>]) -> Vec<Vec<usize>> {
        // The first side that takes a volume stands for all that do.
        let mut of_volume: HashMap<VolumeId, usize> = HashMap::new();
        let kinds = self
            .sides
            .iter()
            .map(|side| side.kind + 1)
            .max()
            .unwrap_or(0);
        let mut parts: Vec<usize> = (0..kinds).collect();
        let mut join = |kind: usize, volume: VolumeId| {
            let other = *of_volume.entry(volume).or_insert(kind);
            let (from, to) = (parts[kind].max(parts[other]), parts[kind].min(parts[other]));
            for part in parts.iter_mut().filter(|part| **part == from) {
                *part = to;
            }
        };
        for (side, takes) in self.sides.iter().zip(takes) {
            let kinds = takes.iter().zip(&self.volumes);
            let wanted = kinds.filter(|(is_taken, _)| **is_taken);
            for volume in wanted.flat_map(|(_, volumes)| volumes) {
                join(side.kind, *volume);
            }
        }
        for back in &self.returns {
            join(self.sides[back.side].kind, self.volumes[back.kept][0]);
        }
        let mut lists: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (kind, part) in parts.into_iter().enumerate() {
            lists.entry(part).or_default().push(kind);
        }
        lists.into_values().collect()
    }

    pub(super) fn start(&self) -> &[u16] {
        &self.start
    }

    /// The claims in a state: those that wait, stage by stage, and those that left.
    pub(super) fn rest<'s>(&self, state: &'s [u16]) -> &'s [u16] {
        &state[..self.first_volume]
    }

    /// How many claims of a side are left without a volume of those that are there, in a state or its rest.
    pub(super) fn waiting(&self, side: usize, rest: &[u16]) -> u16 {
        let side = &self.sides[side];
        rest[side.slot..side.slot + side.stages.len()].iter().sum()
    }

    /// How many claims of a side had a volume made for them, in a state or its rest.
    pub(super) fn left(&self, side: usize, rest: &[u16]) -> u16 {
        let side = &self.sides[side];
        rest[side.slot + side.stages.len()]
    }
}

fn copy(levels: &[Vec<Choice>]) -> Vec<Vec<Choice>> {
    let copy = |choice: &Choice| Choice {
        own: choice.own.clone(),
        draws: choice.draws.clone(),
        held: choice.held,
    };
    levels
        .iter()
        .map(|level| level.iter().map(copy).collect())
        .collect()
}
