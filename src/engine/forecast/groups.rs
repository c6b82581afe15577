//! Who may get in whose way: kinds of claims that may ever want the same volume are one group, and groups are settled one
//! by one.

use super::index::{ChainId, Index, VolumeId, id};
use super::kinds::{Kind, KindId};
use super::reach::{Reach, Stretch, reach_among, reaches};

/// Kinds that may get in each other's way, and how far each may get.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) kinds: Vec<KindId>,
    pub(super) reaches: Vec<Reach>,
}

/// Sorts kinds into groups that nothing connects.
pub(super) fn form(index: &Index<'_>, kinds: &[Kind]) -> Vec<Group> {
    let (reaches, tally) = reaches(index, kinds);
    let mut links = Links::new(index, kinds.len());
    for (kind, reach) in reaches.iter().enumerate() {
        for stretch in &reach.stretches {
            links.touch_all(id(kind), *stretch);
        }
        for volume in reach.singles.iter().chain(&kinds[kind].gives_back) {
            links.touch(id(kind), *volume);
        }
    }
    let mut groups = links.groups();
    for group in &mut groups {
        let weights = group
            .kinds
            .iter()
            .map(|kind| kinds[*kind as usize].weight(index));
        let others = weights.sum::<u32>() - 1;
        let reach = |kind: &KindId| {
            let so_far = &reaches[*kind as usize];
            if others == 0 {
                return so_far.clone();
            }
            reach_among(index, &kinds[*kind as usize], &tally, so_far, others)
        };
        group.reaches = group.kinds.iter().map(reach).collect();
    }
    groups
}

/// Which kinds are connected by volumes.
struct Links<'i, 'a> {
    index: &'i Index<'a>,
    parents: Vec<KindId>,
    /// Of each volume: a kind that may take it.
    takers: Vec<Option<KindId>>,
    /// Of each chain: where the volumes go on that are known to be connected with those before them.
    jumps: Vec<Vec<u32>>,
}

impl<'i, 'a> Links<'i, 'a> {
    fn new(index: &'i Index<'a>, kinds: usize) -> Self {
        Self {
            index,
            parents: (0..id(kinds)).collect(),
            takers: vec![None; index.state.volumes().len()],
            jumps: vec![],
        }
    }

    fn root(&mut self, mut kind: KindId) -> KindId {
        while self.parents[kind as usize] != kind {
            let above = self.parents[self.parents[kind as usize] as usize];
            self.parents[kind as usize] = above;
            kind = above;
        }
        kind
    }

    fn touch(&mut self, kind: KindId, volume: VolumeId) {
        match self.takers[volume as usize] {
            Some(other) => {
                let (a, b) = (self.root(kind), self.root(other));
                self.parents[a.max(b) as usize] = a.min(b);
            }
            None => self.takers[volume as usize] = Some(kind),
        }
    }

    /// Touches all volumes of a stretch, those at once that are connected already.
    fn touch_all(&mut self, kind: KindId, stretch: Stretch) {
        let index = self.index;
        let chain = index.chain(stretch.chain);
        self.touch(kind, chain.volumes[stretch.from as usize]);
        let mut last = self.last(stretch.chain, stretch.from);
        while last + 1 < stretch.to {
            self.touch(kind, chain.volumes[last as usize + 1]);
            self.jumps[stretch.chain as usize][last as usize] = last + 1;
            last = self.last(stretch.chain, last + 1);
        }
    }

    /// The last volume that is connected with this one without a gap.
    fn last(&mut self, chain: ChainId, mut place: u32) -> u32 {
        let length = self.index.chain(chain).len();
        let chain = chain as usize;
        if self.jumps.len() <= chain {
            self.jumps.resize(chain + 1, vec![]);
        }
        let jumps = &mut self.jumps[chain];
        if jumps.is_empty() {
            *jumps = (0..length).collect();
        }
        while jumps[place as usize] != place {
            let next = jumps[jumps[place as usize] as usize];
            jumps[place as usize] = next;
            place = next;
        }
        place
    }

    fn groups(mut self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places = vec![None; self.parents.len()];
        for kind in 0..id(self.parents.len()) {
            let root = self.root(kind) as usize;
            let place = *places[root].get_or_insert_with(|| {
                groups.push(Group {
                    kinds: vec![],
                    reaches: vec![],
                });
                groups.len() - 1
            });
            groups[place].kinds.push(kind);
        }
        groups
    }
}
