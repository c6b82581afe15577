//! Who may get in whose way: kinds of claims that may ever want the same volume are one group, and groups are settled one
//! by one.

use super::index::{Index, VolumeId, id};
use super::kinds::{Kind, KindId};
use super::reach::{Reach, reach};

/// Kinds that may get in each other's way, and how far each may get.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) kinds: Vec<KindId>,
    pub(super) reaches: Vec<Reach>,
}

/// Sorts kinds into groups that nothing connects.
pub(super) fn form(index: &Index<'_>, kinds: &[Kind]) -> Vec<Group> {
    let mut forming = Forming::new(index, kinds);
    let mut open: Vec<KindId> = (0..id(kinds.len())).collect();
    while let Some(kind) = open.pop() {
        let root = forming.root(kind);
        let budget = forming.weights[root as usize] - 1;
        for member in forming.members[root as usize].clone() {
            if forming.budgets[member as usize].is_none_or(|done| done < budget) {
                forming.extend(member, budget);
            }
        }
        // Others may have come in: all must be looked at again with what they take.
        let root = forming.root(kind);
        if forming.weights[root as usize] - 1 > budget {
            open.push(root);
        }
    }
    forming.finish()
}

struct Forming<'i, 'a> {
    index: &'i Index<'a>,
    kinds: &'i [Kind],
    parents: Vec<KindId>,
    /// Of each root: the kinds with it, and how many volumes they take together.
    members: Vec<Vec<KindId>>,
    weights: Vec<u32>,
    reaches: Vec<Reach>,
    budgets: Vec<Option<u32>>,
    /// Of each volume: a kind that may take it.
    takers: Vec<Option<KindId>>,
}

impl<'i, 'a> Forming<'i, 'a> {
    fn new(index: &'i Index<'a>, kinds: &'i [Kind]) -> Self {
        let all = 0..id(kinds.len());
        Self {
            index,
            kinds,
            parents: all.clone().collect(),
            members: all.map(|kind| vec![kind]).collect(),
            weights: kinds.iter().map(|kind| kind.weight(index)).collect(),
            reaches: vec![Reach::default(); kinds.len()],
            budgets: vec![None; kinds.len()],
            takers: vec![None; index.state.volumes().len()],
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

    fn join(&mut self, a: KindId, b: KindId) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (large, small) = if self.members[a as usize].len() >= self.members[b as usize].len() {
            (a, b)
        } else {
            (b, a)
        };
        self.parents[small as usize] = large;
        let moved = std::mem::take(&mut self.members[small as usize]);
        self.members[large as usize].extend(moved);
        self.weights[large as usize] += self.weights[small as usize];
    }

    fn extend(&mut self, kind: KindId, budget: u32) {
        let reach = reach(self.index, &self.kinds[kind as usize], budget);
        for stretch in &reach.stretches {
            let chain = self.index.chain(stretch.chain);
            for place in stretch.from..stretch.to {
                self.touch(kind, chain.volumes[place as usize]);
            }
        }
        let gives_back = &self.kinds[kind as usize].gives_back;
        for volume in reach.singles.iter().chain(gives_back) {
            self.touch(kind, *volume);
        }
        self.reaches[kind as usize] = reach;
        self.budgets[kind as usize] = Some(budget);
    }

    fn touch(&mut self, kind: KindId, volume: VolumeId) {
        match self.takers[volume as usize] {
            Some(other) => self.join(kind, other),
            None => self.takers[volume as usize] = Some(kind),
        }
    }

    fn finish(mut self) -> Vec<Group> {
        let mut groups = Vec::new();
        for kind in 0..id(self.kinds.len()) {
            if self.root(kind) != kind {
                continue;
            }
            let mut kinds = std::mem::take(&mut self.members[kind as usize]);
            kinds.sort_unstable();
            let reaches = kinds
                .iter()
                .map(|kind| std::mem::take(&mut self.reaches[*kind as usize]))
                .collect();
            groups.push(Group { kinds, reaches });
        }
        groups
    }
}
