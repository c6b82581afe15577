//! Who competes with whom, and for what.

use super::index::{ClaimId, Index, VolumeId};
use super::solve::{SideEnd, Solved};
use super::takes::Takes;
use std::collections::{BTreeMap, BTreeSet};

/// The claims that compete with those of one side, their own kind among them.
#[derive(Debug, Clone, Default)]
pub(super) struct Rivals {
    /// A few of them, sorted.
    few: Vec<ClaimId>,
    /// How many there are.
    all: usize,
}

impl Rivals {
    /// A few competitors of a claim of the side, and how many more there are.
    pub(super) fn of(&self, claim: ClaimId, most: usize) -> (Vec<ClaimId>, usize) {
        let others = self.few.iter().copied().filter(|other| *other != claim);
        let few: Vec<ClaimId> = others.take(most).collect();
        let omitted = self.all.saturating_sub(1 + few.len());
        (few, omitted)
    }
}

/// The competitors of each side of a group; at most so many are named.
pub(super) fn find(index: &Index<'_>, group: &Solved, most: usize) -> Vec<Rivals> {
    let sides = group.sides.iter();
    // Where not all orders were tried the answer is the same for all sides.
    if let Some(all) = everyone(group, most) {
        return vec![all; group.sides.len()];
    }
    sides
        .map(|side| find_met(index, group, side, most))
        .collect()
}

/// The competitors of one side of a group; at most so many are named.
pub(super) fn find_of(index: &Index<'_>, group: &Solved, side: &SideEnd, most: usize) -> Rivals {
    everyone(group, most).unwrap_or_else(|| find_met(index, group, side, most))
}

/// Where all orders were tried it is known which claims meet; otherwise each claim of the group may meet each.
fn everyone(group: &Solved, most: usize) -> Option<Rivals> {
    let members = || group.sides.iter().flat_map(|side| side.members.iter());
    let claims = members().count();
    if claims < 2 {
        return Some(Rivals::default());
    }
    let is_listed = |side: &SideEnd| matches!(side.takes, Takes::Listed(_));
    if group.sides.iter().all(is_listed) {
        return None;
    }
    let mut few: Vec<ClaimId> = members().copied().take(most.saturating_add(1)).collect();
    few.sort_unstable();
    Some(Rivals { few, all: claims })
}

fn find_met(index: &Index<'_>, group: &Solved, side: &SideEnd, most: usize) -> Rivals {
    if side.takes.is_empty() {
        return Rivals::default();
    }
    let taken = side.takes.all(index);
    let meets = |other: &&SideEnd| {
        let mut taken = taken.iter();
        std::ptr::eq(*other, side) || taken.any(|volume| other.takes.contains(index, *volume))
    };
    let met = group.sides.iter().filter(meets);
    let mut few: Vec<ClaimId> = met
        .flat_map(|other| other.members.iter().copied())
        .collect();
    few.sort_unstable();
    let all = few.len();
    few.truncate(most.saturating_add(1));
    Rivals { few, all }
}

/// Volumes of a group that several claims may take, with these claims; and how many more there are of either.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) volumes: Vec<(VolumeId, Vec<ClaimId>, usize)>,
    pub(super) omitted: usize,
}

/// The volumes of a group, sorted, at most so many, and how many more there are.
pub(super) fn volumes(index: &Index<'_>, group: &Solved, most: usize) -> (Vec<VolumeId>, usize) {
    let mut all: BTreeSet<VolumeId> = BTreeSet::new();
    let mut stretches: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for side in &group.sides {
        match &side.takes {
            Takes::Listed(volumes) => all.extend(volumes.iter()),
            Takes::Within(reach) => {
                all.extend(&reach.singles);
                for stretch in &reach.stretches {
                    let of_chain = stretches.entry(stretch.chain).or_default();
                    of_chain.push((stretch.from, stretch.to));
                }
            }
        }
    }
    // Stretches of one chain overlap a great deal; each volume is looked at once a chain.
    for (chain, mut of_chain) in stretches {
        of_chain.sort_unstable();
        let mut done = 0;
        for (from, to) in of_chain {
            let from = from.max(done);
            if from < to {
                all.extend(&index.chain(chain).volumes[from as usize..to as usize]);
                done = to;
            }
        }
    }
    let omitted = all.len().saturating_sub(most);
    (all.into_iter().take(most).collect(), omitted)
}

/// The volumes of a group that several claims may take; at most `most` of them, and of the claims.
pub(super) fn wanted(index: &Index<'_>, group: &Solved, most: usize) -> Wanted {
    let mut takers: BTreeMap<VolumeId, (Vec<ClaimId>, usize)> = BTreeMap::new();
    let (volumes, omitted) = if most == usize::MAX {
        (vec![], 0)
    } else {
        volumes(index, group, most)
    };
    let mut note = |volume: VolumeId, side: &SideEnd| {
        let (few, all) = takers.entry(volume).or_default();
        few.extend(side.members.iter().take(most.saturating_sub(few.len())));
        *all += side.members.len();
    };
    for side in &group.sides {
        if most == usize::MAX {
            let all = side.takes.all(index);
            for volume in all {
                note(volume, side);
            }
        } else {
            let taken = volumes
                .iter()
                .filter(|volume| side.takes.contains(index, **volume));
            for volume in taken {
                note(*volume, side);
            }
        }
    }
    let contended = takers.into_iter().filter(|(_, (_, all))| *all > 1);
    let told = contended.map(|(volume, (mut few, all))| {
        few.sort_unstable();
        let omitted = all - few.len();
        (volume, few, omitted)
    });
    Wanted {
        volumes: told.collect(),
        omitted,
    }
}
