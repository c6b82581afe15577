//! The volumes of a group sorted into kinds, and what each kind of claim goes through.

use super::groups::Group;
use super::index::{ChainId, Index, VolumeId};
use super::kinds::{Kind, Part};
use super::reach::{Reach, Stretch};
use super::standing::Standing;
use super::table::{Choice, VolumeKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Volumes as they are sorted into kinds.
pub(super) struct Layout<'i, 'a> {
    index: &'i Index<'a>,
    pub(super) volumes: Vec<Vec<VolumeId>>,
    /// The kind of each volume that is, or may become, nobody's.
    pub(super) free: HashMap<VolumeId, VolumeKind>,
    kept: HashMap<VolumeId, VolumeKind>,
    /// Kinds that are not there from the beginning.
    pub(super) absent: BTreeSet<VolumeKind>,
}

impl<'i, 'a> Layout<'i, 'a> {
    pub(super) fn new(index: &'i Index<'a>, kinds: &[Kind], group: &Group) -> Self {
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
    pub(super) fn kept(&mut self, volume: VolumeId) -> VolumeKind {
        if let Some(kind) = self.kept.get(&volume) {
            return *kind;
        }
        let kind = self.add(volume);
        self.kept.insert(volume, kind);
        kind
    }

    /// What a kind of claim goes through, stage by stage, level by level.
    pub(super) fn stages(&mut self, kind: &Kind, reach: &Reach) -> Vec<Vec<Vec<Choice>>> {
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
