//! One sync of one claim or one volume: everything it may do to a state of the cluster, by the
//! rules of the controller (parts 4–9 of the specification). A sync is never interrupted.

use super::facts::{AtRest, Claim, Facts, Meant, Wants};

const MOST_CLAIMS: usize = 40;
const MOST_VOLUMES: usize = 60;

/// What a claim has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Has {
    Nothing,
    /// Still nothing, but the default class (R15).
    Class,
    /// A new volume, made for it.
    New,
    Volume(u8),
}

/// Whose a volume is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Whose {
    /// Nobody has touched it since it came to rest.
    At(AtRest),
    Claim(u8),
}

/// The cluster between two syncs.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub(super) claims: [Has; MOST_CLAIMS],
    volumes: [Whose; MOST_VOLUMES],
}

/// Who was synced, by its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Claim(usize),
    Volume(usize),
}

/// A rule to be ignored, to see how often it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Neglect {
    Nothing,
    /// Volumes are not given back by claims that go elsewhere (R76b).
    GivingBack,
    /// A claim that gets the default class searches again in the same sync (R15).
    SyncsBetween,
    /// Claims without a class stay so (R15).
    DefaultClass,
    /// Of volumes of equal size the first by name is taken (N1).
    EqualSizes,
    /// Of groups of equally many access modes only the first is looked at (N2).
    EqualGroups,
    /// Of several reservations the first is taken (N3).
    ManyReservations,
    /// Claims are served in the order of their names (N5).
    Order,
}

impl State {
    pub(super) fn at_rest(facts: &Facts) -> Self {
        assert!(facts.claims.len() <= MOST_CLAIMS && facts.volumes.len() <= MOST_VOLUMES);
        let mut state = Self {
            claims: [Has::Nothing; MOST_CLAIMS],
            volumes: [Whose::At(AtRest::Free); MOST_VOLUMES],
        };
        for (whose, volume) in state.volumes.iter_mut().zip(&facts.volumes) {
            *whose = Whose::At(volume.at_rest);
        }
        state
    }

    /// The state as a number, for clusters of up to 25 claims and volumes.
    pub(super) fn number(&self, facts: &Facts) -> u128 {
        assert!(facts.claims.len() + facts.volumes.len() <= 25);
        let mut number = 0;
        for has in &self.claims[..facts.claims.len()] {
            let code = match has {
                Has::Nothing => 0,
                Has::Class => 1,
                Has::New => 2,
                Has::Volume(volume) => 3 + volume,
            };
            number = number << 5 | u128::from(code);
        }
        for whose in &self.volumes[..facts.volumes.len()] {
            let code = match whose {
                Whose::At(AtRest::Free) => 0,
                Whose::At(AtRest::AsWritten) => 1,
                Whose::At(AtRest::WithoutUid) => 2,
                Whose::Claim(claim) => 3 + claim,
            };
            number = number << 5 | u128::from(code);
        }
        number
    }

    fn bind(mut self, claim: usize, volume: usize) -> Self {
        self.claims[claim] = Has::Volume(u8::try_from(volume).expect("few volumes"));
        self.volumes[volume] = Whose::Claim(u8::try_from(claim).expect("few claims"));
        self
    }

    fn with_claim(mut self, claim: usize, has: Has) -> Self {
        self.claims[claim] = has;
        self
    }

    /// Everything that may come of syncing a claim; nothing if that changes nothing.
    pub(super) fn sync_claim(&self, facts: &Facts, index: usize, neglect: Neglect) -> Vec<Self> {
        let claim = &facts.claims[index];
        if matches!(self.claims[index], Has::New | Has::Volume(_)) {
            return Vec::new();
        }
        let volume = match claim.wants {
            Wants::Any => return self.search(facts, index, neglect),
            Wants::Named(volume) => volume.filter(|volume| self.may_have_named(claim, *volume)),
            // Bound before, and the volume has forgotten it (R62).
            Wants::Again(volume) => volume.filter(|volume| self.is_free(*volume)),
        };
        let bound = volume.map(|volume| self.bind(index, volume));
        bound.into_iter().collect()
    }

    fn is_free(&self, volume: usize) -> bool {
        self.volumes[volume] == Whose::At(AtRest::Free)
    }

    /// R41, R42 and R44.
    fn may_have_named(&self, claim: &Claim, volume: usize) -> bool {
        if self.is_free(volume) {
            claim.pairs[volume].satisfies
        } else {
            self.is_meant(claim, volume)
        }
    }

    fn is_meant(&self, claim: &Claim, volume: usize) -> bool {
        let meant = claim.pairs[volume].meant;
        match self.volumes[volume] {
            Whose::At(AtRest::AsWritten) => meant == Meant::Yes,
            Whose::At(AtRest::WithoutUid) => meant != Meant::No,
            Whose::At(AtRest::Free) | Whose::Claim(_) => false,
        }
    }

    /// R20.
    fn search(&self, facts: &Facts, index: usize, neglect: Neglect) -> Vec<Self> {
        let claim = &facts.claims[index];
        let round = usize::from(self.claims[index] == Has::Class);
        let found = self.find(facts, claim, round, neglect);
        if !found.is_empty() {
            let bound = found.into_iter().map(|volume| self.bind(index, volume));
            return bound.collect();
        }
        let may_get_class = round + 1 < claim.by_class.len();
        if may_get_class && neglect != Neglect::DefaultClass {
            let classed = self.with_claim(index, Has::Class);
            return match neglect {
                Neglect::SyncsBetween => classed.search(facts, index, neglect),
                _ => vec![classed],
            };
        }
        if claim.by_class[round].provisions {
            return vec![self.with_claim(index, Has::New)];
        }
        Vec::new()
    }

    /// The volumes a search may end with: of the groups with fewest access modes that hold
    /// anything for the claim, each group's best (R23–R30).
    fn find(&self, facts: &Facts, claim: &Claim, round: usize, neglect: Neglect) -> Vec<usize> {
        let mut found = Vec::new();
        let mut modes = 0;
        for group in &facts.groups {
            let is_settled = !found.is_empty()
                && (group.count_ones() > modes || neglect == Neglect::EqualGroups);
            if is_settled {
                break;
            }
            modes = group.count_ones();
            if claim.modes & !group == 0 {
                found.extend(self.find_in_group(facts, claim, round, *group, neglect));
            }
        }
        found
    }

    fn find_in_group(
        &self,
        facts: &Facts,
        claim: &Claim,
        round: usize,
        group: u8,
        neglect: Neglect,
    ) -> Vec<usize> {
        let in_group = |volume: &usize| facts.volumes[*volume].modes == group;
        let all = || (0..facts.volumes.len()).filter(in_group);
        let mut found: Vec<usize> = all()
            .filter(|volume| claim.pairs[*volume].fits && self.is_meant(claim, *volume))
            .collect();
        if found.is_empty() {
            let takes = &claim.by_class[round].takes;
            found.extend(all().filter(|volume| self.is_free(*volume) && takes[*volume]));
            let smallest = found
                .iter()
                .map(|volume| facts.volumes[*volume].nanos)
                .min();
            found.retain(|volume| Some(facts.volumes[*volume].nanos) == smallest);
            if neglect == Neglect::EqualSizes {
                found.truncate(1);
            }
        } else if neglect == Neglect::ManyReservations {
            found.truncate(1);
        }
        found
    }

    /// What comes of syncing a volume, if anything: its claim may be bound elsewhere (R76).
    pub(super) fn sync_volume(
        &self,
        facts: &Facts,
        index: usize,
        neglect: Neglect,
    ) -> Option<Self> {
        let volume = &facts.volumes[index];
        let awaited = self.claims[volume.awaits?];
        let is_elsewhere = matches!(awaited, Has::New | Has::Volume(_));
        let as_written = Whose::At(AtRest::AsWritten);
        let changes = is_elsewhere
            && self.volumes[index] == as_written
            && volume.given_back != AtRest::AsWritten
            && neglect != Neglect::GivingBack;
        changes.then(|| {
            let mut state = *self;
            state.volumes[index] = Whose::At(volume.given_back);
            state
        })
    }
}
