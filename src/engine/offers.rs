//! The free volumes, sorted for many choices one after the other: by class, modes and size. A choice looks at the few
//! volumes it may get, never at all of them; what is taken or given back in between is followed.
//!
//! It only says where to look: the rules themselves stay in [`checks`](super::checks), which judge what is found here.

use super::Rules;
use super::binding::{Search, Timing};
use super::checks::Question;
use super::phases::{Phases, view};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{Claim, ClusterState, Volume};
use crate::report::FEW;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A volume, by its place in the state.
type Place = usize;
/// Class, volume mode and attributes class: only volumes of the claim's own are ever free for it.
type Market = (String, VolumeMode, String);
/// Volumes of equal modes: those of equal size are a draw.
type Sizes = BTreeMap<Quantity, BTreeSet<Place>>;

/// The volumes of a state, by who may get them. It is for one state, whose volumes may change but not come or go.
pub struct Offers {
    rules: Rules,
    free: HashMap<Market, BTreeMap<AccessModes, Sizes>>,
    /// Where each volume is found among the free ones, if it is one.
    shelves: Vec<Option<(Market, AccessModes, Quantity)>>,
    /// The volumes whose claimRef names a claim.
    named: HashMap<ObjectKey, BTreeSet<Place>>,
    /// The claim each volume names.
    holders: Vec<Option<ObjectKey>>,
}

/// A search over the few volumes that may be taken.
pub(crate) struct Found<'a> {
    pub(crate) search: Search<'a>,
    /// How many others are equal to those that may be taken.
    pub(crate) more: usize,
}

/// Equal volumes: the first by name, and how many there are beyond them.
struct Draw {
    first: Vec<Place>,
    more: usize,
}

impl Offers {
    /// Sorts the volumes of a state. Only for the rules of v1.36: v1.4 has other ties.
    pub fn new(state: &ClusterState, rules: Rules) -> Option<Self> {
        if rules != Rules::V1_36 {
            return None;
        }
        let count = state.volumes().len();
        let mut offers = Self {
            rules,
            free: HashMap::new(),
            shelves: vec![None; count],
            named: HashMap::new(),
            holders: vec![None; count],
        };
        for place in 0..count {
            offers.put(state, place);
        }
        Some(offers)
    }

    /// Looks again at volumes that have changed, and at all that name a claim that has.
    pub fn follow<'v>(
        &mut self,
        state: &ClusterState,
        volumes: impl Iterator<Item = &'v str>,
        claim: &ObjectKey,
    ) {
        let all = state.volumes();
        let changed =
            volumes.filter_map(|name| all.binary_search_by(|volume| (*volume.name).cmp(name)).ok());
        let mut places: BTreeSet<Place> = changed.collect();
        places.extend(self.named.get(claim).into_iter().flatten());
        for place in places {
            self.take_out(place);
            self.put(state, place);
        }
    }

    fn put(&mut self, state: &ClusterState, place: Place) {
        let volume = &state.volumes()[place];
        if let Some(reference) = &volume.claim_ref {
            let key = reference.key();
            self.named.entry(key.clone()).or_default().insert(place);
            self.holders[place] = Some(key);
        }
        if !self.is_free(state, volume) {
            return;
        }
        let market = market(
            volume.class(),
            volume.volume_mode,
            volume.attributes_class(),
        );
        let (modes, size) = (volume.access_modes, volume.capacity.clone());
        let sets = self.free.entry(market.clone()).or_default();
        let sizes = sets.entry(modes).or_default();
        sizes.entry(size.clone()).or_default().insert(place);
        self.shelves[place] = Some((market, modes, size));
    }

    fn take_out(&mut self, place: Place) {
        if let Some(key) = self.holders[place].take()
            && let Some(places) = self.named.get_mut(&key)
        {
            places.remove(&place);
        }
        let Some((market, modes, size)) = self.shelves[place].take() else {
            return;
        };
        let sets = self.free.get_mut(&market);
        let Some(sizes) = sets.and_then(|sets| sets.get_mut(&modes)) else {
            return;
        };
        if let Some(places) = sizes.get_mut(&size) {
            places.remove(&place);
            if places.is_empty() {
                sizes.remove(&size);
            }
        }
    }

    /// Whether any claim whose wishes it meets may take the volume.
    fn is_free(&self, state: &ClusterState, volume: &Volume) -> bool {
        let is_barred = self.rules.alpha_annotation_excludes()
            && volume.has_annotation(annotations::ALPHA_CLASS);
        // Without a claimRef a volume settles as Available.
        !is_barred
            && volume.deleted.is_none()
            && view(state, volume, Phases::Settled).claim_ref.is_none()
    }

    /// Searches as [`Search::run`] does, over what may be taken; of a long draw only the first by name are looked at.
    pub(crate) fn search<'a>(
        &self,
        state: &'a ClusterState,
        question: &Question<'_>,
        timing: Timing,
    ) -> Found<'a> {
        let claim = question.claim;
        let draws = match timing {
            Timing::Now => self.draws(state, claim, &question.class),
            Timing::WithPod => vec![],
        };
        let mut places: BTreeSet<Place> = BTreeSet::new();
        places.extend(self.named.get(&claim.key).into_iter().flatten());
        places.extend(draws.iter().flat_map(|draw| &draw.first));
        let volumes = places.iter().map(|place| &state.volumes()[*place]);
        let search = Search::over(state, volumes, question, Phases::Settled, timing);
        let taken: BTreeSet<String> = search.outcomes().into_iter().collect();
        let is_taken = |place: &Place| taken.contains(&state.volumes()[*place].name);
        let more = draws
            .iter()
            .filter(|draw| draw.first.iter().any(is_taken))
            .map(|draw| draw.more)
            .sum();
        Found { search, more }
    }

    /// The smallest free volumes that serve the claim, of the fewest modes (R24, R27): one draw for each set of modes.
    fn draws(&self, state: &ClusterState, claim: &Claim, class: &str) -> Vec<Draw> {
        let market = market(class, claim.volume_mode(), claim.attributes_class());
        let Some(sets) = self.free.get(&market) else {
            return vec![];
        };
        let mut by_length: BTreeMap<u32, Vec<Draw>> = BTreeMap::new();
        for (modes, sizes) in sets {
            if modes.offers(claim.access_modes())
                && let Some(draw) = smallest(state, sizes, claim)
            {
                by_length.entry(modes.len()).or_default().push(draw);
            }
        }
        by_length.into_values().next().unwrap_or_default()
    }
}

fn smallest(state: &ClusterState, sizes: &Sizes, claim: &Claim) -> Option<Draw> {
    sizes.range(claim.request()..).find_map(|(_, places)| {
        let Some(selector) = &claim.selector else {
            let first: Vec<Place> = places.iter().take(FEW).copied().collect();
            let more = places.len() - first.len();
            return Some(Draw { first, more });
        };
        let is_selected = |place: &&Place| selector.matches(&state.volumes()[**place].labels);
        let mut selected = places.iter().filter(is_selected).copied();
        let first: Vec<Place> = selected.by_ref().take(FEW).collect();
        let more = selected.count();
        (!first.is_empty()).then_some(Draw { first, more })
    })
}

fn market(class: &str, mode: VolumeMode, attributes_class: &str) -> Market {
    (class.to_owned(), mode, attributes_class.to_owned())
}
