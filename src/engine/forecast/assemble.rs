//! Ends as a report: names instead of numbers, verdicts, and who competes for what.

use super::Ask;
use super::actors::Actor;
use super::assignments::Assignments;
use super::claims::FEW_RIVALS;
use super::index::{ClaimId, VolumeId};
use super::rivals::{self, Rivals};
use super::settled::{count, count_group};
use super::solve::{SideEnd, Solved};
use super::teller::Teller;
use crate::report::{
    API_VERSION, ClaimForecast, Contention, Forecast, Group, Settled, Unknown, Verdict,
};
use std::collections::BTreeMap;

/// Of a list that is too long for everybody, everybody is told so much.
const FEW: usize = 20;
/// So many names may be listed in all before lists are cut.
const MANY: usize = 200_000;
/// So many if all are asked for: beyond it no memory would do.
const ALL: usize = 50_000_000;

pub(super) fn assemble<'a>(
    teller: &Teller<'_, 'a>,
    cast: &[Actor<'a>],
    solved: &[Solved],
    ask: &Ask,
) -> Forecast {
    let mut assembly = Assembly::new(teller, cast, solved, ask);
    let claims = assembly.claims();
    let settled = assembly.settled(&claims);
    let (contention, contention_omitted) = assembly.contention();
    let mut groups: Vec<Group> = solved
        .iter()
        .filter(|group| assembly.is_told(group))
        .map(|group| assembly.group(group))
        .collect();
    groups.sort_by(|a, b| a.claims.cmp(&b.claims));
    Forecast {
        api_version: API_VERSION,
        kind: "Forecast",
        rules: teller.rules.name(),
        claims: claims.into_iter().map(|(_, claim)| claim).collect(),
        settled,
        contention,
        contention_omitted,
        groups,
        unknowns: assembly.unknowns.into_values().collect(),
        changes: None,
    }
}

/// Unknowns by their words, which order them.
type Unknowns = BTreeMap<((String, String), Option<String>), Unknown>;

pub(super) struct Assembly<'t, 'i, 'a> {
    pub(super) teller: &'t Teller<'i, 'a>,
    pub(super) cast: &'t [Actor<'a>],
    pub(super) solved: &'t [Solved],
    ask: &'t Ask,
    /// Of each claim: its group, and its side there.
    pub(super) places: Vec<Option<(u32, u32)>>,
    /// Of each group and side: who competes with its claims.
    pub(super) rivals: Vec<Vec<Rivals>>,
    /// How many names a list may have.
    pub(super) most_listed: usize,
    pub(super) unknowns: Unknowns,
    /// How claims end that go without a volume that is there.
    pub(super) fallbacks: Vec<Verdict>,
}

impl<'t, 'i, 'a> Assembly<'t, 'i, 'a> {
    fn new(
        teller: &'t Teller<'i, 'a>,
        cast: &'t [Actor<'a>],
        solved: &'t [Solved],
        ask: &'t Ask,
    ) -> Self {
        let mut places = vec![None; cast.len()];
        let mut names = 0_usize;
        for (solved, group) in solved.iter().zip(0..) {
            for (end, side) in solved.sides.iter().zip(0..) {
                for claim in &end.members {
                    places[*claim as usize] = Some((group, side));
                }
                names = names.saturating_add(end.members.len() * end.takes.len());
            }
        }
        let is_cut = names > if ask.all { ALL } else { MANY };
        Self {
            teller,
            cast,
            solved,
            ask,
            places,
            rivals: solved
                .iter()
                .map(|group| rivals::find(teller.index, group, FEW_RIVALS))
                .collect(),
            most_listed: if is_cut { FEW } else { usize::MAX },
            unknowns: Unknowns::new(),
            fallbacks: vec![Verdict::Unknown; cast.len()],
        }
    }

    pub(super) fn is_shown(&self, claim: ClaimId) -> bool {
        let namespace = &self.cast[claim as usize].subject.key.namespace;
        self.ask
            .namespace
            .as_ref()
            .is_none_or(|own| own == namespace)
    }

    pub(super) fn end(&self, claim: ClaimId) -> Option<&'t SideEnd> {
        let (group, side) = self.places[claim as usize]?;
        Some(&self.solved[group as usize].sides[side as usize])
    }

    pub(super) fn claim_name(&self, claim: ClaimId) -> String {
        let key = &self.cast[claim as usize].subject.key;
        // There may be a great many of these; formatting would take several times as long.
        [key.namespace.as_str(), "/", key.name.as_str()].concat()
    }

    pub(super) fn claim_names(&self, claims: impl IntoIterator<Item = ClaimId>) -> Vec<String> {
        let claims = claims.into_iter();
        claims.map(|claim| self.claim_name(claim)).collect()
    }

    pub(super) fn volume_name(&self, volume: VolumeId) -> String {
        self.teller.index.volume(volume).name.clone()
    }

    pub(super) fn volume_names(&self, volumes: impl IntoIterator<Item = VolumeId>) -> Vec<String> {
        let volumes = volumes.into_iter();
        volumes.map(|volume| self.volume_name(volume)).collect()
    }

    /// The volumes that several claims may take, and how many more there are.
    fn contention(&self) -> (Vec<Contention>, usize) {
        let mut contention = Vec::new();
        let mut omitted = 0;
        for group in self.solved {
            let mut claims = group.sides.iter().flat_map(|side| &side.members);
            if claims.clone().count() < 2 || !claims.any(|claim| self.is_shown(*claim)) {
                continue;
            }
            let wanted = rivals::wanted(self.teller.index, group, self.most_listed);
            omitted += wanted.omitted;
            for (volume, claims, claims_omitted) in wanted.volumes {
                if claims.iter().any(|claim| self.is_shown(*claim)) {
                    contention.push(Contention {
                        volume: self.volume_name(volume),
                        claims: self.claim_names(claims),
                        claims_omitted,
                    });
                }
            }
        }
        contention.sort_by(|a, b| a.volume.cmp(&b.volume));
        (contention, omitted)
    }

    /// Whether a group is worth telling: several claims compete, or several ends are possible.
    fn is_told(&self, group: &Solved) -> bool {
        let several = match &group.assignments {
            Assignments::Listed(listed) => listed.len() > 1,
            Assignments::Counted(_) | Assignments::Countless => true,
        };
        let mut members = group.sides.iter().flat_map(|side| &side.members);
        let takes_any = group.sides.iter().any(|side| !side.takes.is_empty());
        let compete = takes_any && members.clone().count() > 1;
        (several || compete) && members.any(|claim| self.is_shown(*claim))
    }

    fn group(&self, group: &Solved) -> Group {
        let members = group.sides.iter().flat_map(|side| &side.members);
        let mut claims: Vec<ClaimId> = members.copied().collect();
        claims.sort_unstable();
        let (volumes, volumes_omitted) =
            rivals::volumes(self.teller.index, group, self.most_listed);
        let (assignments, assignments_omitted, assignments_unlisted) = match &group.assignments {
            Assignments::Listed(listed) => {
                let named = listed.iter().map(|assignment| {
                    let pairs = assignment.iter().map(|(claim, volume)| {
                        let volume = volume.map(|volume| self.volume_name(volume));
                        (self.claim_name(*claim), volume)
                    });
                    pairs.collect()
                });
                (named.collect(), None, false)
            }
            Assignments::Counted(count) => (vec![], Some(*count), true),
            Assignments::Countless => (vec![], None, true),
        };
        Group {
            claims: self.claim_names(claims),
            volumes: self.volume_names(volumes),
            volumes_omitted,
            exact: group.exact,
            assignments,
            assignments_omitted,
            assignments_unlisted,
        }
    }

    /// How many claims end how. A group that is only partly shown is counted claim by claim.
    fn settled(&self, claims: &[(ClaimId, ClaimForecast)]) -> Settled {
        let shown = self.cast.iter().filter(|actor| self.is_shown(actor.claim));
        let mut settled = Settled {
            bound: shown.count() - claims.len(),
            ..Settled::default()
        };
        let mut of_group: BTreeMap<u32, Vec<&ClaimForecast>> = BTreeMap::new();
        for (claim, told) in claims {
            match self.places[*claim as usize] {
                Some((group, _)) if told.cluster.is_none() => {
                    of_group.entry(group).or_default().push(told);
                }
                _ => count(&mut settled, told.verdict, 1),
            }
        }
        let fallback = |claim: ClaimId| self.fallbacks[claim as usize];
        for (group, told) in of_group {
            let solved = &self.solved[group as usize];
            let members: usize = solved.sides.iter().map(|side| side.members.len()).sum();
            if members == told.len() && solved.exact {
                count_group(&mut settled, solved, &fallback);
                continue;
            }
            for claim in told {
                let has_outcomes = !claim.outcomes.is_empty();
                if has_outcomes && (claim.may_stay_unbound || claim.may_be_provisioned) {
                    settled.undecided += 1;
                } else {
                    count(&mut settled, claim.verdict, 1);
                }
            }
        }
        settled
    }
}
