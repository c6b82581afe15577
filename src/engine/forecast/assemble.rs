//! Ends as a report: names instead of numbers, verdicts, and who competes for what.

use super::super::explain::sort_causes;
use super::Ask;
use super::actors::{Actor, Role};
use super::assignments::Assignments;
use super::index::{ClaimId, VolumeId};
use super::rivals::{self, Rivals};
use super::settled::{count, count_group};
use super::solve::{SideEnd, Solved};
use super::teller::Teller;
use crate::report::{
    API_VERSION, Cause, ClaimCause, ClaimForecast, ClusterView, Contention, Explanation, Forecast,
    Group, Provisioning, Settled, Unknown, Verdict, join_and, join_or, plural,
};
use std::collections::{BTreeMap, BTreeSet};

/// Of a list that is too long for everybody, everybody is told so much.
const FEW: usize = 20;
/// So many competitors of a claim are named with it; its group names them all.
const FEW_RIVALS: usize = 5;
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
        changes: None,
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
    /// Of each group and side: who competes with its claims.
    rivals: Vec<Vec<Rivals>>,
    /// How many names a list may have.
    most_listed: usize,
    unknowns: BTreeSet<UnknownKey>,
    /// How claims end that go without a volume that is there.
    fallbacks: Vec<Verdict>,
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
            unknowns: BTreeSet::new(),
            fallbacks: vec![Verdict::Unknown; cast.len()],
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
        let key = &self.cast[claim as usize].subject.key;
        // There may be a great many of these; formatting would take several times as long.
        [key.namespace.as_str(), "/", key.name.as_str()].concat()
    }

    fn claim_names(&self, claims: impl IntoIterator<Item = ClaimId>) -> Vec<String> {
        let claims = claims.into_iter();
        claims.map(|claim| self.claim_name(claim)).collect()
    }

    fn volume_name(&self, volume: VolumeId) -> String {
        self.teller.index.volume(volume).name.clone()
    }

    fn volume_names(&self, volumes: impl IntoIterator<Item = VolumeId>) -> Vec<String> {
        let volumes = volumes.into_iter();
        volumes.map(|volume| self.volume_name(volume)).collect()
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
        let Some(end) = self.end(actor.claim) else {
            return self.settled_claim(actor);
        };
        let index = self.teller.index;
        let takes = end.takes.few(index, self.most_listed);
        let explanation = self.teller.tell(actor, &takes);
        let fallback = if takes.is_empty() || !end.may_wait {
            explanation.verdict
        } else {
            self.fallback(actor)
        };
        self.note(actor, &explanation, fallback);
        let (rivals, competitors_omitted) = self.competitors(actor.claim);
        let mut told = begin(actor, explanation, !rivals.is_empty());
        if told.causes.first() == Some(&"Contended") {
            told.message = Some(self.contended(&rivals, competitors_omitted, &takes));
        }
        told.competitors = self.claim_names(rivals);
        told.competitors_omitted = competitors_omitted;
        told.exact = self.is_exact(actor.claim);
        let takes_any = !takes.is_empty();
        if end.is_refused {
            told.outcomes.clear();
        } else if let Some(cluster) = &mut told.cluster {
            cluster.outcomes = self.volume_names(takes);
        } else if takes_any {
            // Otherwise it is the scheduler who gives, if anybody does.
            told.outcomes_omitted = end.takes.len() - takes.len();
            told.outcomes = self.volume_names(takes);
        }
        let is_made = fallback == Verdict::WillProvision;
        let has_outcomes = !told.outcomes.is_empty();
        told.may_stay_unbound = !is_made && (end.may_wait && takes_any || !has_outcomes);
        told.may_be_provisioned = has_outcomes && (end.may_wait && is_made || end.may_leave);
        told
    }

    /// A claim whose end nobody else can change.
    fn settled_claim(&mut self, actor: &'t Actor<'a>) -> ClaimForecast {
        let explanation = self.teller.tell(actor, &[]);
        let verdict = explanation.verdict;
        self.note(actor, &explanation, verdict);
        let mut told = begin(actor, explanation, false);
        let has_volume = matches!(verdict, Verdict::WillBind | Verdict::WillProvision);
        told.may_stay_unbound = !has_volume;
        told
    }

    /// How a claim ends that goes without a volume that is there.
    fn fallback(&mut self, actor: &'t Actor<'a>) -> Verdict {
        let explanation = self.teller.tell(actor, &[]);
        self.note(actor, &explanation, explanation.verdict);
        explanation.verdict
    }

    fn is_exact(&self, claim: ClaimId) -> bool {
        self.places[claim as usize].is_none_or(|(group, _)| self.solved[group as usize].exact)
    }

    fn note(&mut self, actor: &Actor<'a>, explanation: &Explanation, fallback: Verdict) {
        self.fallbacks[actor.claim as usize] = fallback;
        for unknown in &explanation.unknowns {
            let key = (
                unknown.what.clone(),
                unknown.why.clone(),
                unknown.remedy.clone(),
            );
            self.unknowns.insert(key);
        }
    }

    /// Who may come first, and for what.
    fn contended(&self, rivals: &[ClaimId], more: usize, takes: &[VolumeId]) -> String {
        let is_wanted = |volume: &&VolumeId| {
            let wants = |rival: &ClaimId| {
                let end = self.end(*rival);
                end.is_some_and(|end| end.takes.contains(self.teller.index, **volume))
            };
            rivals.iter().any(wants)
        };
        let wanted = takes.iter().filter(is_wanted).take(FEW_RIVALS + 1);
        let volumes = self.volume_names(wanted.copied());
        let mut claims = self.claim_names(rivals.iter().copied());
        if more > 0 {
            claims.push(plural(more, "other claim"));
        }
        let what = if volumes.len() > FEW_RIVALS {
            "one of its volumes".to_owned()
        } else {
            join_or(&volumes)
        };
        format!("{} may take {what} first", join_and(&claims))
    }

    /// The other claims that may take what this one may take: a few of them, and how many more there are.
    fn competitors(&self, claim: ClaimId) -> (Vec<ClaimId>, usize) {
        self.places[claim as usize].map_or((vec![], 0), |(group, side)| {
            self.rivals[group as usize][side as usize].of(claim, FEW_RIVALS)
        })
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

/// What is said of a claim, without what others have to do with it.
fn begin(actor: &Actor<'_>, explanation: Explanation, is_contended: bool) -> ClaimForecast {
    let mut causes = explanation.causes;
    if is_contended && explanation.verdict == Verdict::WillBind {
        let (claims, volumes) = (vec![], vec![]);
        causes.push(Cause::warning(ClaimCause::Contended { claims, volumes }));
        sort_causes(&mut causes);
    }
    let key = &actor.subject.key;
    ClaimForecast {
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        verdict: explanation.verdict,
        outcomes: explanation.outcomes,
        outcomes_omitted: 0,
        may_stay_unbound: false,
        may_be_provisioned: false,
        exact: true,
        message: causes
            .first()
            .map(|cause| cause.cause.message())
            .or_else(|| explanation.provisioning.as_ref().map(made_by)),
        causes: causes.iter().map(|cause| cause.cause.code()).collect(),
        competitors: vec![],
        competitors_omitted: 0,
        cluster: explanation.cluster.map(|cluster| ClusterView {
            outcomes: vec![],
            ..cluster
        }),
    }
}

/// Who makes the volume.
fn made_by(provisioning: &Provisioning) -> String {
    format!(
        "made by {} (class {})",
        provisioning.provisioner, provisioning.class
    )
}
