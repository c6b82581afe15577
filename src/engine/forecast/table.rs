//! One group laid out for trying every order: kinds of claims, kinds of volumes, and a state that only counts them.
//!
//! Volumes are one kind if no claim of the group can tell them apart. That keeps the states few: dozens of equal claims and
//! equal volumes are two numbers.

use super::groups::Group;
use super::index::{ChainId, ClaimId, Index, VolumeId, id};
use super::kinds::{Kind, Part};
use super::reach::{Reach, Stretch};
use super::standing::Standing;
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
    first_volume: usize,
    start: State,
    returns: Vec<Return>,
}

/// A kind of claim in a group.
#[derive(Debug)]
pub(super) struct Side {
    /// Its place among the kinds of the group.
    kind: usize,
    pub(super) members: Vec<ClaimId>,
    pub(super) is_refused: bool,
    leaves: Leaves,
    /// Where the number of those that wait in the first stage stands; further stages follow, then those that left.
    slot: usize,
    stages: Vec<Vec<Vec<Choice>>>,
}

/// A chain as one kind of claim sees it.
#[derive(Debug, Default)]
struct Choice {
    /// Volumes kept for the claim.
    own: Vec<VolumeKind>,
    /// Volumes that are nobody's: draws, the smallest first.
    draws: Vec<Vec<VolumeKind>>,
    /// Where it stands whether a claim that is refused has taken one of these.
    held: usize,
}

/// A volume that becomes nobody's when the claim it is kept for is bound to another.
#[derive(Debug)]
struct Return {
    side: usize,
    kept: VolumeKind,
    free: VolumeKind,
}

/// What comes of taking a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The claim has it.
    Binds,
    /// A claim that is refused holds it, which is noted here, and still waits.
    Holds(usize),
    /// A claim that is refused had it before, and still does.
    Keeps,
}

impl Effect {
    /// Changes the state, or changes it back.
    fn apply(self, state: &mut State, volume: usize, claim: usize, back: bool) {
        match self {
            Self::Binds => {
                shift(&mut state[volume], !back);
                shift(&mut state[claim], !back);
            }
            Self::Holds(held) => {
                shift(&mut state[volume], !back);
                shift(&mut state[held], back);
            }
            Self::Keeps => {}
        }
    }
}

/// What happens in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// A claim takes a volume.
    Take(usize, VolumeKind),
    /// Something else changes.
    Other,
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

    /// Tells every step that may come next, with the state it leads to. Answers whether one of them must come, sooner or
    /// later. Whatever stands in the state behind the counts of this table is left alone.
    pub(super) fn steps(&self, state: &mut State, mut tell: impl FnMut(Move, &mut State)) -> bool {
        let mut goes_on = false;
        let mut choices = Vec::new();
        for (place, side) in self.sides.iter().enumerate() {
            for stage in 0..side.stages.len() {
                let slot = side.slot + stage;
                if state[slot] == 0 {
                    continue;
                }
                choices.clear();
                if self.search((side, stage), state, &mut choices) {
                    for (volume, effect) in &choices {
                        goes_on |= *effect != Effect::Keeps;
                        let there = self.first_volume + volume;
                        effect.apply(state, there, slot, false);
                        tell(Move::Take(place, *volume), state);
                        effect.apply(state, there, slot, true);
                    }
                } else if stage + 1 < side.stages.len() {
                    goes_on = true;
                    go(state, slot, slot + 1, &mut tell);
                } else if side.leaves != Leaves::Never {
                    goes_on |= side.leaves == Leaves::Surely;
                    go(state, slot, side.slot + side.stages.len(), &mut tell);
                }
            }
        }
        for back in &self.returns {
            let kept = self.first_volume + back.kept;
            if state[kept] > 0 && self.waiting(back.side, state) == 0 {
                goes_on = true;
                go(state, kept, self.first_volume + back.free, &mut tell);
            }
        }
        goes_on
    }

    /// One search (R23–R30). Answers whether it found anything; what it may take goes into `choices`.
    fn search(
        &self,
        (side, stage): (&Side, usize),
        now: &[u16],
        choices: &mut Vec<(VolumeKind, Effect)>,
    ) -> bool {
        let is_there = |kind: &&VolumeKind| now[self.first_volume + **kind] > 0;
        for level in &side.stages[stage] {
            let mut found = false;
            for choice in level {
                if choice.own.iter().any(|kind| is_there(&kind)) {
                    found = true;
                    let own = choice.own.iter().filter(is_there);
                    let effect = if side.is_refused {
                        Effect::Keeps
                    } else {
                        Effect::Binds
                    };
                    choices.extend(own.map(|kind| (*kind, effect)));
                } else if side.is_refused && now[choice.held] > 0 {
                    found = true;
                } else if let Some(draw) = choice
                    .draws
                    .iter()
                    .find(|draw| draw.iter().any(|kind| is_there(&kind)))
                {
                    found = true;
                    let effect = if side.is_refused {
                        Effect::Holds(choice.held)
                    } else {
                        Effect::Binds
                    };
                    choices.extend(draw.iter().filter(is_there).map(|kind| (*kind, effect)));
                }
            }
            if found {
                return true;
            }
        }
        false
    }
}

/// One more, or one less.
fn shift(count: &mut u16, less: bool) {
    *count = if less { *count - 1 } else { *count + 1 };
}

/// Tells the step in which one goes from one count to another.
fn go(state: &mut State, from: usize, to: usize, tell: &mut impl FnMut(Move, &mut State)) {
    state[from] -= 1;
    state[to] += 1;
    tell(Move::Other, state);
    state[from] += 1;
    state[to] -= 1;
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

/// Volumes as they are sorted into kinds.
struct Layout<'i, 'a> {
    index: &'i Index<'a>,
    volumes: Vec<Vec<VolumeId>>,
    /// The kind of each volume that is, or may become, nobody's.
    free: HashMap<VolumeId, VolumeKind>,
    kept: HashMap<VolumeId, VolumeKind>,
    /// Kinds that are not there from the beginning.
    absent: BTreeSet<VolumeKind>,
}

impl<'i, 'a> Layout<'i, 'a> {
    fn new(index: &'i Index<'a>, kinds: &[Kind], group: &Group) -> Self {
        let mut layout = Self {
            index,
            volumes: vec![],
            free: HashMap::new(),
            kept: HashMap::new(),
            absent: BTreeSet::new(),
        };
        let mut seen_in: BTreeMap<VolumeId, Vec<ChainId>> = BTreeMap::new();
        for stretch in group.reaches.iter().flat_map(|reach| &reach.stretches) {
            let chain = index.chain(stretch.chain);
            for place in stretch.from..stretch.to {
                let chains = seen_in.entry(chain.volumes[place as usize]).or_default();
                if !chains.contains(&stretch.chain) {
                    chains.push(stretch.chain);
                }
            }
        }
        // Volumes that one claim can tell from all others are a kind each.
        let mut special: BTreeSet<VolumeId> = BTreeSet::new();
        for kind in group.kinds.iter().map(|kind| &kinds[*kind as usize]) {
            if let Part::Takes(volume) = kind.part {
                special.insert(volume);
            }
            special.extend(&kind.gives_back);
        }
        let mut alike: HashMap<(u32, Vec<ChainId>), VolumeKind> = HashMap::new();
        for (volume, mut chains) in seen_in {
            chains.sort_unstable();
            let ordered = chains.iter().any(|chain| !index.chain(*chain).has_draws());
            let is_loose = index.standing(volume) != Standing::Free;
            if ordered || is_loose || special.contains(&volume) {
                special.insert(volume);
                continue;
            }
            let key = (index.size(volume), chains);
            let next = layout.volumes.len();
            let kind = *alike.entry(key).or_insert(next);
            if kind == next {
                layout.volumes.push(vec![]);
            }
            layout.volumes[kind].push(volume);
            layout.free.insert(volume, kind);
        }
        for volume in special {
            let kind = layout.add(volume);
            layout.free.insert(volume, kind);
            if index.standing(volume) != Standing::Free {
                layout.absent.insert(kind);
            }
        }
        layout
    }

    fn add(&mut self, volume: VolumeId) -> VolumeKind {
        self.volumes.push(vec![volume]);
        self.volumes.len() - 1
    }

    /// The kind of a volume while it is kept for a claim.
    fn kept(&mut self, volume: VolumeId) -> VolumeKind {
        if let Some(kind) = self.kept.get(&volume) {
            return *kind;
        }
        let kind = self.add(volume);
        self.kept.insert(volume, kind);
        kind
    }

    /// What a kind of claim goes through, stage by stage, level by level.
    fn stages(&mut self, kind: &Kind, reach: &Reach) -> Vec<Vec<Vec<Choice>>> {
        let stages = match &kind.part {
            Part::Takes(volume) => {
                let draws = vec![vec![self.free[volume]]];
                let only = Choice {
                    draws,
                    ..Choice::default()
                };
                return vec![vec![vec![only]]];
            }
            Part::Searches(stages) => stages,
        };
        let mut laid_out = Vec::new();
        for (place, stage) in stages.iter().enumerate() {
            // By number of modes, then by modes: reserved volumes and those that are nobody's side by side.
            let mut levels: BTreeMap<u32, BTreeMap<_, Choice>> = BTreeMap::new();
            for own in &stage.own {
                let kept = self.kept(own.volume);
                let level = levels.entry(self.index.length(own.modes)).or_default();
                level.entry(own.modes).or_default().own.push(kept);
            }
            let of_stage = |stretch: &&Stretch| stretch.stage == place;
            for stretch in reach.stretches.iter().filter(of_stage) {
                let all = stage.shelf.map(|shelf| &self.index.shelf(shelf).levels);
                let Some(level) = all.and_then(|all| all.get(stretch.level)) else {
                    continue;
                };
                let draws = self.draws(*stretch);
                let found = level.chains.iter().find(|(_, id)| *id == stretch.chain);
                let modes = found.map(|(modes, _)| *modes).unwrap_or_default();
                let at_level = levels.entry(level.length).or_default();
                at_level.entry(modes).or_default().draws = draws;
            }
            let levels = levels.into_values();
            laid_out.push(levels.map(|level| level.into_values().collect()).collect());
        }
        laid_out
    }

    /// A stretch as draws of kinds of volumes.
    fn draws(&self, stretch: Stretch) -> Vec<Vec<VolumeKind>> {
        let chain = self.index.chain(stretch.chain);
        let mut draws = Vec::new();
        let mut from = stretch.from;
        while from < stretch.to {
            let to = chain.draw_end(from);
            let mut draw: Vec<VolumeKind> = (from..to)
                .map(|place| self.free[&chain.volumes[place as usize]])
                .collect();
            draw.sort_unstable();
            draw.dedup();
            draws.push(draw);
            from = to;
        }
        draws
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
