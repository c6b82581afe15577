//! All volumes sorted for many searches: by class, modes and size. A search looks at the few volumes it may get, never at
//! all of them.

use super::super::Rules;
use super::chain::Chain;
use super::labels::{LabelIndex, demanded_label};
use super::sizes::Sizes;
use super::standing::Standing;
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::LabelSelector;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{ClusterState, Volume};
use std::collections::{BTreeMap, HashMap};

/// A volume, by its place in the state.
pub(super) type VolumeId = u32;
/// A claim, by its place in the state.
pub(super) type ClaimId = u32;
/// A list of volumes that one kind of search goes through.
pub(super) type ChainId = u32;
/// All volumes of one class, volume mode, attributes class and set of access modes, by its place.
pub(super) type BucketId = u32;
/// What one kind of search goes through.
pub(super) type ShelfId = u32;

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
    sizes: Sizes<'a>,
    standings: Vec<Standing>,
    reserved: HashMap<ClaimId, Vec<VolumeId>>,
    markets: HashMap<Market<'a>, u32>,
    /// Of each market: its buckets by access modes. 1.4 does not look at modes first, and has one bucket.
    sets: Vec<BTreeMap<AccessModes, BucketId>>,
    buckets: Vec<Vec<VolumeId>>,
    /// Of each volume that is in a bucket: which, and where.
    places: Vec<Option<(BucketId, u32)>>,
    chains: Vec<Chain>,
    chain_ids: HashMap<(u32, AccessModes, u32), ChainId>,
    shelves: Vec<Shelf>,
    shelf_ids: HashMap<(u32, AccessModes, u32), ShelfId>,
    selectors: HashMap<LabelSelector, u32>,
    labels: LabelIndex<'a>,
}

impl<'a> Index<'a> {
    pub(super) fn new(state: &'a ClusterState, rules: Rules) -> Self {
        let volumes = state.volumes();
        let mut index = Self {
            state,
            rules,
            sizes: Sizes::new(volumes),
            standings: vec![],
            reserved: HashMap::new(),
            markets: HashMap::new(),
            sets: vec![],
            buckets: vec![],
            places: vec![None; volumes.len()],
            chains: vec![],
            chain_ids: HashMap::new(),
            shelves: vec![],
            shelf_ids: HashMap::new(),
            selectors: HashMap::new(),
            labels: LabelIndex::default(),
        };
        // Volumes are looked at in the order they lie in memory, and sorted by numbers alone.
        let buckets: Vec<Option<BucketId>> = (0..id(volumes.len()))
            .map(|volume| index.find_bucket(volume))
            .collect();
        for volume in index.sizes.order() {
            if let Some(bucket) = buckets[volume as usize] {
                index.buckets[bucket as usize].push(volume);
            }
        }
        index.sort_buckets();
        index
    }

    /// The bucket a volume belongs to, if a search may ever find it.
    fn find_bucket(&mut self, id: VolumeId) -> Option<BucketId> {
        let volume = self.volume(id);
        let standing = Standing::of(self.state, volume);
        self.standings.push(standing);
        let may_be_free = match standing {
            Standing::Closed => false,
            Standing::Free => true,
            Standing::Reserved { claim, returns } => {
                self.reserved.entry(claim).or_default().push(id);
                returns
            }
        };
        let is_barred = self.rules.alpha_annotation_excludes()
            && volume.has_annotation(annotations::ALPHA_CLASS);
        if !may_be_free || is_barred || volume.deleted.is_some() {
            return None;
        }
        let market = (
            volume.class(),
            volume.volume_mode,
            volume.attributes_class(),
        );
        let next = self::id(self.sets.len());
        let market = *self.markets.entry(market).or_insert(next);
        if market == next {
            self.sets.push(BTreeMap::new());
        }
        let modes = match self.rules {
            Rules::V1_36 => volume.access_modes,
            Rules::V1_4 => AccessModes::default(),
        };
        let next = self::id(self.buckets.len());
        let bucket = *self.sets[market as usize].entry(modes).or_insert(next);
        if bucket == next {
            self.buckets.push(vec![]);
        }
        Some(bucket)
    }

    /// In 1.4 the fewest modes, then the name, settle what is equal in size.
    fn sort_buckets(&mut self) {
        if self.rules == Rules::V1_4 {
            let volumes = self.state.volumes();
            for bucket in &mut self.buckets {
                bucket.sort_by_key(|id| {
                    let modes = volumes[*id as usize].access_modes.len();
                    (self.sizes.rank_of(*id), modes, *id)
                });
            }
        }
        for (bucket, volumes) in self
            .buckets
            .iter()
            .zip(0..)
            .map(|(volumes, id)| (id, volumes))
        {
            for (volume, place) in volumes.iter().zip(0..) {
                self.places[*volume as usize] = Some((bucket, place));
            }
        }
    }

    /// The bucket of a volume, and its place there, if it is in one.
    pub(super) fn place(&self, volume: VolumeId) -> Option<(BucketId, u32)> {
        self.places[volume as usize]
    }

    /// How many volumes each bucket holds.
    pub(super) fn bucket_sizes(&self) -> impl Iterator<Item = usize> {
        self.buckets.iter().map(Vec::len)
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
        self.sizes.rank(request)
    }

    /// The rank of a volume's capacity.
    pub(super) fn size(&self, id: VolumeId) -> u32 {
        self.sizes.rank_of(id)
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
            *self.selectors.entry(selector.clone()).or_insert(next)
        });
        let key = (market, modes, selector_id);
        if let Some(shelf) = self.shelf_ids.get(&key) {
            return Some(*shelf);
        }
        let levels = self.levels(key, selector);
        self.shelves.push(Shelf { levels });
        let last = id(self.shelves.len() - 1);
        self.shelf_ids.insert(key, last);
        Some(last)
    }

    /// One chain for each set of modes that offers those asked for; sets of equal length are one level.
    fn levels(
        &mut self,
        (market, modes, selector_id): (u32, AccessModes, u32),
        selector: Option<&LabelSelector>,
    ) -> Vec<Level> {
        let sets = self.sets[market as usize].iter();
        let sets: Vec<(AccessModes, BucketId)> =
            sets.map(|(set, bucket)| (*set, *bucket)).collect();
        let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
        for (set, bucket) in sets {
            // In 1.4 the modes are looked at volume by volume.
            let filter = match self.rules {
                Rules::V1_36 if !set.offers(modes) => continue,
                Rules::V1_36 => AccessModes::default(),
                Rules::V1_4 => modes,
            };
            let key = (bucket, filter, selector_id);
            let chain = if let Some(chain) = self.chain_ids.get(&key) {
                *chain
            } else {
                let chain = self.add_chain(bucket, filter, selector);
                self.chain_ids.insert(key, chain);
                chain
            };
            let length = match self.rules {
                Rules::V1_36 => set.len(),
                Rules::V1_4 => u32::MAX,
            };
            let level = levels.entry(length).or_default();
            level.length = length;
            level.chains.push((set, chain));
        }
        levels.into_values().collect()
    }

    fn add_chain(
        &mut self,
        bucket: BucketId,
        modes: AccessModes,
        selector: Option<&LabelSelector>,
    ) -> ChainId {
        let state = self.state;
        let all = &self.buckets[bucket as usize];
        let fits = |place: &u32| {
            let candidate = &state.volumes()[all[*place as usize] as usize];
            let matches = |selector: &LabelSelector| selector.matches(&candidate.labels);
            candidate.access_modes.offers(modes) && selector.is_none_or(matches)
        };
        let places: Vec<u32> = match selector.map(demanded_label) {
            // Nothing is asked of the single volume: they need not be looked at.
            None if modes.is_empty() => (0..id(all.len())).collect(),
            Some(Some(label)) => {
                let mut found = self.labels.find(state, (bucket, all), &label);
                let asks_for_more =
                    |selector: &LabelSelector| selector.requirements().nth(1).is_some();
                if !modes.is_empty() || selector.is_some_and(asks_for_more) {
                    found.retain(fits);
                }
                found
            }
            _ => (0..id(all.len())).filter(fits).collect(),
        };
        let volumes: Vec<VolumeId> = places.iter().map(|place| all[*place as usize]).collect();
        let sizes = volumes.iter().map(|id| self.sizes.rank_of(*id)).collect();
        let is_loose = |id: VolumeId| self.standing(id) != Standing::Free;
        let loose = volumes
            .iter()
            .zip(0..)
            .filter(|(volume, _)| is_loose(**volume))
            .map(|(_, place)| place)
            .collect();
        self.chains.push(Chain {
            bucket,
            volumes,
            places,
            sizes,
            loose,
            has_draws: self.rules == Rules::V1_36,
        });
        id(self.chains.len() - 1)
    }
}

pub(super) fn id(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
