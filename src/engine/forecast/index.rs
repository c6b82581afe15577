//! All volumes sorted for many searches: by class, modes and size. A search looks at the few volumes it may get, never at
//! all of them.

use super::super::Rules;
use super::super::phases::{Phases, view};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::LabelSelector;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{ClaimRef, ClusterState, ReclaimPolicy, Volume};
use std::collections::{BTreeMap, HashMap};

/// A volume, by its place in the state.
pub(super) type VolumeId = u32;
/// A claim, by its place in the state.
pub(super) type ClaimId = u32;
/// A list of volumes that one kind of search goes through.
pub(super) type ChainId = u32;
/// What one kind of search goes through.
pub(super) type ShelfId = u32;

/// Whose a volume is before anything happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nobody's.
    Free,
    /// Kept for a claim, by name or by uid.
    Reserved {
        claim: ClaimId,
        /// Whether it becomes nobody's when that claim is bound to another volume (R76b).
        returns: bool,
    },
    /// Nobody's to take.
    Closed,
}

/// Volumes in the order in which a search prefers them, the smallest first.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) volumes: Vec<VolumeId>,
    /// The rank of each volume's capacity.
    sizes: Vec<u32>,
    /// The places of volumes that are not there from the beginning.
    loose: Vec<u32>,
    /// Whether equal sizes are a draw (R28); in 1.4 the order settles it.
    has_draws: bool,
}

/// The chains a search goes through, level by level (R24).
#[derive(Debug, Default)]
pub(super) struct Shelf {
    pub(super) levels: Vec<Level>,
}

/// Chains of as many access modes: whichever comes first (R25).
#[derive(Debug, Default)]
pub(super) struct Level {
    /// How many modes the volumes offer. 1.4 does not look at that, and has one level.
    pub(super) length: u32,
    pub(super) chains: Vec<(AccessModes, ChainId)>,
}

type Market<'a> = (&'a str, VolumeMode, &'a str);

/// The sorted volumes.
pub(super) struct Index<'a> {
    pub(super) state: &'a ClusterState,
    rules: Rules,
    capacities: Vec<&'a Quantity>,
    sizes: Vec<u32>,
    standings: Vec<Standing>,
    reserved: HashMap<ClaimId, Vec<VolumeId>>,
    markets: HashMap<Market<'a>, u32>,
    buckets: Vec<BTreeMap<AccessModes, Vec<VolumeId>>>,
    chains: Vec<Chain>,
    chain_ids: HashMap<(u32, AccessModes, u32), ChainId>,
    shelves: Vec<Shelf>,
    shelf_ids: HashMap<(u32, AccessModes, u32), ShelfId>,
    selectors: HashMap<String, u32>,
}

impl<'a> Index<'a> {
    pub(super) fn new(state: &'a ClusterState, rules: Rules) -> Self {
        let volumes = state.volumes();
        let mut order: Vec<VolumeId> = (0..id(volumes.len())).collect();
        order.sort_by(|a, b| capacity(volumes, *a).cmp(capacity(volumes, *b)));
        let mut index = Self {
            state,
            rules,
            capacities: vec![],
            sizes: vec![0; volumes.len()],
            standings: vec![Standing::Closed; volumes.len()],
            reserved: HashMap::new(),
            markets: HashMap::new(),
            buckets: vec![],
            chains: vec![],
            chain_ids: HashMap::new(),
            shelves: vec![],
            shelf_ids: HashMap::new(),
            selectors: HashMap::new(),
        };
        for volume in order {
            index.add(volume);
        }
        for reserved in index.reserved.values_mut() {
            reserved.sort_unstable();
        }
        index
    }

    fn add(&mut self, id: VolumeId) {
        let volume = self.volume(id);
        if self.capacities.last() != Some(&&volume.capacity) {
            self.capacities.push(&volume.capacity);
        }
        self.sizes[id as usize] = self::id(self.capacities.len() - 1);
        let standing = standing(self.state, volume);
        self.standings[id as usize] = standing;
        let may_be_free = match standing {
            Standing::Closed => return,
            Standing::Free => true,
            Standing::Reserved { claim, returns } => {
                self.reserved.entry(claim).or_default().push(id);
                returns
            }
        };
        let is_barred = self.rules.alpha_annotation_excludes()
            && volume.has_annotation(annotations::ALPHA_CLASS);
        if !may_be_free || is_barred || volume.deleted.is_some() {
            return;
        }
        let market = (
            volume.class(),
            volume.volume_mode,
            volume.attributes_class(),
        );
        let next = self::id(self.buckets.len());
        let market = *self.markets.entry(market).or_insert(next);
        if market == next {
            self.buckets.push(BTreeMap::new());
        }
        let bucket = self.buckets[market as usize].entry(volume.access_modes);
        bucket.or_default().push(id);
    }

    pub(super) fn volume(&self, id: VolumeId) -> &'a Volume {
        &self.state.volumes()[id as usize]
    }

    pub(super) fn standing(&self, id: VolumeId) -> Standing {
        self.standings[id as usize]
    }

    /// The volume of that name.
    pub(super) fn find(&self, name: &str) -> Option<VolumeId> {
        let volumes = self.state.volumes();
        let found = volumes.binary_search_by(|volume| volume.name.as_str().cmp(name));
        found.ok().map(id)
    }

    /// The volumes kept for a claim, by name.
    pub(super) fn reserved_for(&self, claim: ClaimId) -> &[VolumeId] {
        self.reserved.get(&claim).map_or(&[], Vec::as_slice)
    }

    /// The rank of the smallest capacity that serves a request.
    pub(super) fn rank(&self, request: &Quantity) -> u32 {
        id(self
            .capacities
            .partition_point(|capacity| *capacity < request))
    }

    /// The rank of a volume's capacity.
    pub(super) fn size(&self, id: VolumeId) -> u32 {
        self.sizes[id as usize]
    }

    /// How late a search comes to volumes with these modes, if they are kept for the claim.
    pub(super) fn length(&self, modes: AccessModes) -> u32 {
        match self.rules {
            Rules::V1_36 => modes.len(),
            Rules::V1_4 => 0,
        }
    }

    pub(super) fn chain(&self, id: ChainId) -> &Chain {
        &self.chains[id as usize]
    }

    pub(super) fn shelf(&self, id: ShelfId) -> &Shelf {
        &self.shelves[id as usize]
    }

    /// What a search of this kind goes through, or nothing if there are no such volumes.
    pub(super) fn find_shelf(
        &mut self,
        market: (&str, VolumeMode, &str),
        modes: AccessModes,
        selector: Option<&LabelSelector>,
    ) -> Option<ShelfId> {
        let market = *self.markets.get(&market)?;
        let selector = selector.filter(|selector| !selector.is_empty());
        let selector_id = selector.map_or(0, |selector| {
            let next = id(self.selectors.len()) + 1;
            *self
                .selectors
                .entry(format!("{selector:?}"))
                .or_insert(next)
        });
        let key = (market, modes, selector_id);
        if let Some(shelf) = self.shelf_ids.get(&key) {
            return Some(*shelf);
        }
        let levels = match self.rules {
            Rules::V1_36 => self.levels_by_modes(key, selector),
            Rules::V1_4 => vec![Level {
                length: u32::MAX,
                chains: vec![(AccessModes::default(), self.chain_of_all(key, selector))],
            }],
        };
        self.shelves.push(Shelf { levels });
        let last = id(self.shelves.len() - 1);
        self.shelf_ids.insert(key, last);
        Some(last)
    }

    /// One chain for each set of modes that offers those asked for; sets of equal length are one level.
    fn levels_by_modes(
        &mut self,
        (market, modes, selector_id): (u32, AccessModes, u32),
        selector: Option<&LabelSelector>,
    ) -> Vec<Level> {
        let sets: Vec<AccessModes> = self.buckets[market as usize]
            .keys()
            .copied()
            .filter(|set| set.offers(modes))
            .collect();
        let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
        for set in sets {
            let key = (market, set, selector_id);
            let chain = if let Some(chain) = self.chain_ids.get(&key) {
                *chain
            } else {
                let volumes = self.filter(market, set, selector);
                let chain = self.add_chain(volumes, true);
                self.chain_ids.insert(key, chain);
                chain
            };
            let level = levels.entry(set.len()).or_default();
            level.length = set.len();
            level.chains.push((set, chain));
        }
        levels.into_values().collect()
    }

    /// 1.4: all that offer the modes, by size, then the fewest modes, then the name.
    fn chain_of_all(
        &mut self,
        (market, modes, _): (u32, AccessModes, u32),
        selector: Option<&LabelSelector>,
    ) -> ChainId {
        let sets: Vec<AccessModes> = self.buckets[market as usize]
            .keys()
            .copied()
            .filter(|set| set.offers(modes))
            .collect();
        let mut all: Vec<VolumeId> = sets
            .into_iter()
            .flat_map(|set| self.filter(market, set, selector))
            .collect();
        all.sort_by_key(|id| {
            let modes = self.volume(*id).access_modes.len();
            (self.sizes[*id as usize], modes, *id)
        });
        self.add_chain(all, false)
    }

    fn filter(
        &self,
        market: u32,
        set: AccessModes,
        selector: Option<&LabelSelector>,
    ) -> Vec<VolumeId> {
        let bucket = self.buckets[market as usize].get(&set);
        let all = bucket.map_or(&[][..], Vec::as_slice).iter().copied();
        match selector {
            None => all.collect(),
            Some(selector) => all
                .filter(|id| selector.matches(&self.volume(*id).labels))
                .collect(),
        }
    }

    fn add_chain(&mut self, volumes: Vec<VolumeId>, has_draws: bool) -> ChainId {
        let sizes = volumes.iter().map(|id| self.sizes[*id as usize]).collect();
        let is_loose = |id: VolumeId| self.standing(id) != Standing::Free;
        let places = volumes.iter().enumerate();
        let loose = places
            .filter(|(_, volume)| is_loose(**volume))
            .map(|(place, _)| id(place))
            .collect();
        self.chains.push(Chain {
            volumes,
            sizes,
            loose,
            has_draws,
        });
        id(self.chains.len() - 1)
    }
}

impl Chain {
    /// Where the volumes that are large enough begin.
    pub(super) fn start(&self, rank: u32) -> u32 {
        id(self.sizes.partition_point(|size| *size < rank))
    }

    pub(super) fn len(&self) -> u32 {
        id(self.volumes.len())
    }

    /// Whether equal sizes are a draw.
    pub(super) fn has_draws(&self) -> bool {
        self.has_draws
    }

    /// Where the draw that this place belongs to ends.
    pub(super) fn draw_end(&self, place: u32) -> u32 {
        if !self.has_draws {
            return place + 1;
        }
        let size = self.sizes[place as usize];
        let after = &self.sizes[place as usize..];
        // Most draws are short; a binary search over the whole rest would look far away first.
        let mut step = 1;
        while step < after.len() && after[step] == size {
            step *= 2;
        }
        let end = after[..step.min(after.len())].partition_point(|other| *other == size);
        place + id(end)
    }

    /// How many volumes from `from` on are there from the beginning.
    pub(super) fn firm_from(&self, from: u32) -> u32 {
        let loose = self.loose.len() - self.loose.partition_point(|place| *place < from);
        self.len() - from.min(self.len()) - id(loose)
    }

    /// Where the `count`-th volume (from 0) that is there from the beginning stands, counted from `from`.
    pub(super) fn firm_place(&self, from: u32, count: u32) -> Option<u32> {
        let mut place = from.checked_add(count)?;
        // Each loose volume before the place pushes it one further.
        let first = self.loose.partition_point(|loose| *loose < from);
        for loose in &self.loose[first..] {
            if *loose > place {
                break;
            }
            place = place.checked_add(1)?;
        }
        (place < self.len()).then_some(place)
    }
}

pub(super) fn id(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

fn capacity(volumes: &[Volume], id: VolumeId) -> &Quantity {
    &volumes[id as usize].capacity
}

fn standing(state: &ClusterState, volume: &Volume) -> Standing {
    if volume.claim_ref.is_none() {
        return Standing::Free;
    }
    let settled = view(state, volume, Phases::Settled);
    let Some(reference) = settled.claim_ref else {
        return Standing::Free;
    };
    let Some(claim) = find_claim(state, &reference) else {
        return Standing::Closed;
    };
    let holder = &state.claims()[claim as usize];
    // A claim that has its volume takes no other, and what it has is settled.
    if !reference.designates(holder) || holder.volume_name.is_some() || holder.is_bind_completed() {
        return Standing::Closed;
    }
    let is_made = volume.provisioned_by().is_some();
    let is_released = is_made && volume.reclaim_policy == ReclaimPolicy::Delete;
    let is_ours = volume.has_annotation(annotations::BOUND_BY_CONTROLLER);
    Standing::Reserved {
        claim,
        returns: reference.uid.is_some() && is_ours && !is_released,
    }
}

fn find_claim(state: &ClusterState, reference: &ClaimRef) -> Option<ClaimId> {
    let wanted = (reference.namespace.as_str(), reference.name.as_str());
    let spelled = |key: &'_ ObjectKey| (key.namespace.as_str(), key.name.as_str()).cmp(&wanted);
    let found = state.claims().binary_search_by(|claim| spelled(&claim.key));
    found.ok().map(id)
}
