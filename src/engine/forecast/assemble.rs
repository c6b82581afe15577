//! Ends as a report: names instead of numbers, verdicts, and who competes for what.

use super::super::explain::sort_causes;
use super::Ask;
use super::actors::{Actor, Role};
use super::assignments::Assignments;
use super::index::{ClaimId, VolumeId};
use super::solve::{SideEnd, Solved};
use super::teller::Teller;
use crate::report::{
    API_VERSION, Cause, ClaimCause, ClaimForecast, ClusterView, Contention, Explanation, Forecast,
    Group, Settled, Unknown, Verdict,
};
use std::collections::{BTreeMap, BTreeSet};

/// Of a list that is too long for everybody, everybody is told so much.
const FEW: usize = 20;
/// So many names may be listed in all before lists are cut.
const MANY: usize = 1_000_000;

pub(super) fn assemble<'a>(
    teller: &Teller<'_, 'a>,
    cast: &[Actor<'a>],
    solved: &[Solved],
    ask: &Ask,
) -> Forecast {
    let mut assembly = Assembly::new(teller, cast, solved, ask);
    let claims = assembly.claims();
    let mut contention = assembly.contention();
    contention.sort_by(|a, b| a.volume.cmp(&b.volume));
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
        settled: assembly.settled(&claims),
        claims: claims.into_iter().map(|(_, claim)| claim).collect(),
        contention,
        groups,
        unknowns: assembly.unknowns.into_iter().map(unknown).collect(),
    }
}

type UnknownKey = (String, String, Option<String>);

fn unknown((what, why, remedy): UnknownKey) -> Unknown {
    Unknown { what, why, remedy }
}

struct Assembly<'t, 'i, 'a> {
    teller: &'t Teller<'i, 'a>,
    cast: &'t [Actor<'a>],
    solved: &'t [Solved],
    ask: &'t Ask,
    /// Of each claim: its group, and its side there.
    places: Vec<Option<(u32, u32)>>,
    /// Of each volume: how many claims may take it.
    takers: Vec<u32>,
    /// How many names a list may have.
    most_listed: usize,
    unknowns: BTreeSet<UnknownKey>,
    /// How claims end that go without a volume that is there.
    fallbacks: BTreeMap<ClaimId, Verdict>,
}

impl<'t, 'i, 'a> Assembly<'t, 'i, 'a> {
    fn new(
        teller: &'t Teller<'i, 'a>,
        cast: &'t [Actor<'a>],
        solved: &'t [Solved],
        ask: &'t Ask,
    ) -> Self {
        let mut places = vec![None; cast.len()];
        let mut takers = vec![0; teller.index.state.volumes().len()];
        let mut names = 0;
        for (group, solved) in solved
            .iter()
            .zip(0..)
            .map(|(solved, group)| (group, solved))
        {
            for (side, end) in solved.sides.iter().zip(0..).map(|(end, side)| (side, end)) {
                let members = u32::try_from(end.members.len()).unwrap_or(u32::MAX);
                for volume in &*end.takes {
                    takers[*volume as usize] += members;
                }
                for claim in &end.members {
                    places[*claim as usize] = Some((group, side));
                }
                names += end.members.len() * end.takes.len();
            }
        }
        let is_cut = names > MANY && !ask.all;
        Self {
            teller,
            cast,
            solved,
            ask,
            places,
            takers,
            most_listed: if is_cut { FEW } else { usize::MAX },
            unknowns: BTreeSet::new(),
            fallbacks: BTreeMap::new(),
        }
    }

    fn is_shown(&self, claim: ClaimId) -> bool {
        let namespace = &self.cast[claim as usize].subject.key.namespace;
        self.ask
            .namespace
            .as_ref()
            .is_none_or(|own| own == namespace)
    }

    fn end(&self, claim: ClaimId) -> Option<&'t SideEnd> {
        let (group, side) = self.places[claim as usize]?;
        Some(&self.solved[group as usize].sides[side as usize])
    }

    fn claim_name(&self, claim: ClaimId) -> String {
        self.cast[claim as usize].subject.key.to_string()
    }

    fn volume_name(&self, volume: VolumeId) -> String {
        self.teller.index.volume(volume).name.clone()
    }

    /// Every claim that is shown and not bound.
    fn claims(&mut self) -> Vec<(ClaimId, ClaimForecast)> {
        let mut claims = Vec::new();
        let cast = self.cast;
        for actor in cast {
            if actor.role == Role::Bound || !self.is_shown(actor.claim) {
                continue;
            }
            let told = self.claim(actor);
            if told.verdict != Verdict::Bound {
                claims.push((actor.claim, told));
            }
        }
        claims
    }

    fn claim(&mut self, actor: &'t Actor<'a>) -> ClaimForecast {
        let end = self.end(actor.claim);
        let takes: &[VolumeId] = end.map_or(&[], |end| &end.takes);
        let explanation = self.teller.tell(actor, takes);
        self.note_unknowns(&explanation);
        let may_wait = end.is_none_or(|end| end.may_wait);
        let fallback = if takes.is_empty() || !may_wait {
            explanation.verdict
        } else {
            let fallback = self.teller.tell(actor, &[]);
            self.note_unknowns(&fallback);
            fallback.verdict
        };
        self.fallbacks.insert(actor.claim, fallback);
        let is_refused = end.is_some_and(|end| end.is_refused);
        let shown = takes.iter().take(self.most_listed);
        let mut outcomes: Vec<String> = shown.map(|volume| self.volume_name(*volume)).collect();
        let mut outcomes_omitted = takes.len() - outcomes.len();
        if is_refused {
            (outcomes, outcomes_omitted) = (vec![], 0);
        } else if takes.is_empty() {
            // What the scheduler gives is no matter of the controller's search.
            outcomes.clone_from(&explanation.outcomes);
        }
        let cluster = explanation.cluster.clone().map(|cluster| ClusterView {
            outcomes: std::mem::take(&mut outcomes),
            ..cluster
        });
        if cluster.is_some() {
            outcomes.clone_from(&explanation.outcomes);
            outcomes_omitted = 0;
        }
        let (rivals, competitors_omitted) = self.competitors(actor, takes);
        let mut causes = explanation.causes;
        if !rivals.is_empty() && explanation.verdict == Verdict::WillBind {
            causes.push(self.contended(&rivals, takes));
            sort_causes(&mut causes);
        }
        let competitors = rivals.iter().map(|claim| self.claim_name(*claim)).collect();
        let goes_without = outcomes.is_empty() || may_wait && !takes.is_empty();
        let key = &actor.subject.key;
        ClaimForecast {
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            verdict: explanation.verdict,
            may_stay_unbound: goes_without && fallback != Verdict::WillProvision,
            may_be_provisioned: !outcomes.is_empty()
                && (may_wait && fallback == Verdict::WillProvision
                    || end.is_some_and(|end| end.may_leave)),
            outcomes,
            outcomes_omitted,
            exact: self.is_exact(actor.claim),
            message: causes.first().map(|cause| cause.cause.message()),
            causes: causes.iter().map(|cause| cause.cause.code()).collect(),
            competitors,
            competitors_omitted,
            cluster,
        }
    }

    fn is_exact(&self, claim: ClaimId) -> bool {
        self.places[claim as usize].is_none_or(|(group, _)| self.solved[group as usize].exact)
    }

    fn note_unknowns(&mut self, explanation: &Explanation) {
        for unknown in &explanation.unknowns {
            let key = (
                unknown.what.clone(),
                unknown.why.clone(),
                unknown.remedy.clone(),
            );
            self.unknowns.insert(key);
        }
    }

    fn contended(&self, rivals: &[ClaimId], takes: &[VolumeId]) -> Cause {
        let key = |claim: &ClaimId| self.cast[*claim as usize].subject.key.clone();
        let wanted = takes
            .iter()
            .filter(|volume| self.takers[**volume as usize] > 1);
        Cause::warning(ClaimCause::Contended {
            claims: rivals.iter().map(key).collect(),
            volumes: wanted
                .take(FEW)
                .map(|volume| self.volume_name(*volume))
                .collect(),
        })
    }

    /// The other claims that may take what this one may take: a few of them, and how many more there are.
    fn competitors(&self, actor: &Actor<'a>, takes: &[VolumeId]) -> (Vec<ClaimId>, usize) {
        let is_wanted = |volume: &VolumeId| self.takers[*volume as usize] > 1;
        let Some((group, own)) = self.places[actor.claim as usize] else {
            return (vec![], 0);
        };
        if !takes.iter().any(is_wanted) {
            return (vec![], 0);
        }
        let sides = &self.solved[group as usize].sides;
        let competes = |(place, side): &(usize, &SideEnd)| {
            *place == own as usize || intersect(&side.takes, takes)
        };
        let rivals = || {
            let sides = sides.iter().enumerate().filter(competes);
            sides
                .flat_map(|(_, side)| side.members.iter().copied())
                .filter(|claim| *claim != actor.claim)
        };
        let mut few: Vec<ClaimId> = rivals().take(FEW).collect();
        few.sort_unstable();
        let omitted = rivals().count() - few.len();
        (few, omitted)
    }

    /// The volumes that several claims may take.
    fn contention(&self) -> Vec<Contention> {
        let mut wanted: BTreeMap<VolumeId, (Vec<ClaimId>, usize)> = BTreeMap::new();
        for side in self.solved.iter().flat_map(|group| &group.sides) {
            for volume in &*side.takes {
                if self.takers[*volume as usize] < 2 {
                    continue;
                }
                let (listed, omitted) = wanted.entry(*volume).or_default();
                let room = self.most_listed.saturating_sub(listed.len());
                listed.extend(side.members.iter().take(room));
                *omitted += side.members.len().saturating_sub(room);
            }
        }
        let told = |(volume, (mut claims, claims_omitted)): (VolumeId, (Vec<ClaimId>, usize))| {
            claims.sort_unstable();
            claims
                .iter()
                .any(|claim| self.is_shown(*claim))
                .then(|| Contention {
                    volume: self.volume_name(volume),
                    claims: claims
                        .into_iter()
                        .map(|claim| self.claim_name(claim))
                        .collect(),
                    claims_omitted,
                })
        };
        wanted.into_iter().filter_map(told).collect()
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
        let mut claims: Vec<ClaimId> = group
            .sides
            .iter()
            .flat_map(|side| side.members.iter().copied())
            .collect();
        claims.sort_unstable();
        let volumes: BTreeSet<VolumeId> = group
            .sides
            .iter()
            .flat_map(|side| side.takes.iter().copied())
            .collect();
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
            claims: claims
                .into_iter()
                .map(|claim| self.claim_name(claim))
                .collect(),
            volumes: volumes
                .into_iter()
                .map(|volume| self.volume_name(volume))
                .collect(),
            exact: group.exact,
            assignments,
            assignments_omitted,
            assignments_unlisted,
        }
    }

    /// How many claims end how. Of a group that is wholly shown, each number is the least over all its ends.
    fn settled(&self, claims: &[(ClaimId, ClaimForecast)]) -> Settled {
        let mut settled = Settled::default();
        let is_told: BTreeSet<ClaimId> = claims.iter().map(|(claim, _)| *claim).collect();
        for actor in self.cast {
            let is_bound = !is_told.contains(&actor.claim);
            if is_bound && self.is_shown(actor.claim) {
                settled.bound += 1;
            }
        }
        let mut of_group: BTreeMap<u32, Vec<&ClaimForecast>> = BTreeMap::new();
        for (claim, told) in claims {
            match self.places[*claim as usize] {
                Some((group, _)) if told.cluster.is_none() => {
                    of_group.entry(group).or_default().push(told);
                }
                _ => count(&mut settled, told.verdict, 1),
            }
        }
        for (group, told) in of_group {
            let solved = &self.solved[group as usize];
            let members: usize = solved.sides.iter().map(|side| side.members.len()).sum();
            if members == told.len() && solved.exact {
                self.count_group(&mut settled, solved);
            } else {
                for claim in told {
                    let is_open = !claim.outcomes.is_empty()
                        && (claim.may_stay_unbound || claim.may_be_provisioned);
                    if is_open {
                        settled.undecided += 1;
                    } else {
                        count(&mut settled, claim.verdict, 1);
                    }
                }
            }
        }
        settled
    }

    fn count_group(&self, settled: &mut Settled, solved: &Solved) {
        let mut least: Option<Settled> = None;
        let mut members = 0;
        for rest in &solved.rests {
            let mut end = Settled::default();
            members = 0;
            for (side, (waiting, left)) in solved.sides.iter().zip(rest) {
                let (all, waiting, left) = (
                    side.members.len(),
                    usize::from(*waiting),
                    usize::from(*left),
                );
                members += all;
                count(&mut end, Verdict::WillBind, all - waiting - left);
                count(&mut end, Verdict::WillProvision, left);
                let fallbacks: Vec<Verdict> = side
                    .members
                    .iter()
                    .filter_map(|claim| self.fallbacks.get(claim).copied())
                    .collect();
                let is_uniform = fallbacks.windows(2).all(|pair| pair[0] == pair[1]);
                if waiting == all {
                    for verdict in fallbacks {
                        count(&mut end, verdict, 1);
                    }
                } else if let Some(verdict) = fallbacks.first().filter(|_| is_uniform) {
                    count(&mut end, *verdict, waiting);
                }
            }
            least = Some(least.map_or(end, |least| Settled {
                bound: least.bound.min(end.bound),
                provisioned: least.provisioned.min(end.provisioned),
                waiting: least.waiting.min(end.waiting),
                blocked: least.blocked.min(end.blocked),
                undecided: 0,
            }));
        }
        let least = least.unwrap_or_default();
        let certain = least.bound + least.provisioned + least.waiting + least.blocked;
        settled.bound += least.bound;
        settled.provisioned += least.provisioned;
        settled.waiting += least.waiting;
        settled.blocked += least.blocked;
        settled.undecided += members - certain;
    }
}

/// Counts claims by the verdict they end with.
fn count(settled: &mut Settled, verdict: Verdict, claims: usize) {
    match verdict {
        Verdict::Bound | Verdict::WillBind => settled.bound += claims,
        Verdict::WillProvision => settled.provisioned += claims,
        Verdict::Waiting => settled.waiting += claims,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected | Verdict::Unknown => {
            settled.blocked += claims;
        }
    }
}

/// Whether two sorted lists have anything in common.
fn intersect(a: &[VolumeId], b: &[VolumeId]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    short
        .iter()
        .any(|volume| long.binary_search(volume).is_ok())
}
