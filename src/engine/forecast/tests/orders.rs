//! Every order of syncs, tried on whole states with the controller's own decisions: what the forecast must allow, no more
//! and no less.

use super::super::limits::Limits;
use super::generate::{Random, cluster, cluster_of, rules};
use crate::conventions::annotations;
use crate::engine::admission::{admit, class_assignment_refusals, update_refusals};
use crate::engine::phases::{Phases, view};
use crate::engine::sync::{Step, decide};
use crate::engine::{Ask, Rules, explain_claim, forecast};
use crate::model::{Claim, ClaimPhase, ClaimRef, ClusterState, Objects, Volume, VolumePhase};
use crate::report::{ClaimForecast, Code, Forecast, Verdict};
use std::collections::{BTreeMap, BTreeSet, HashMap};

type Assignment = BTreeMap<String, Option<String>>;

/// A volume that was made for a claim in the meantime.
const MADE: &str = "(made)";

/// The state as it is once every volume was looked at and every claim that can be created was.
fn settle(state: &ClusterState, rules: Rules) -> ClusterState {
    let mut objects: Objects = state.objects().clone();
    objects.volumes = state
        .volumes()
        .iter()
        .map(|volume| settled(state, volume))
        .collect();
    objects.claims = state
        .claims()
        .iter()
        .filter_map(|claim| {
            if claim.exists() {
                return Some(claim.clone());
            }
            let admitted = admit(state, claim, rules);
            let mut stored = admitted.stored;
            stored.uid = Some(format!("new-{}", claim.key.name));
            admitted.refusals.is_empty().then_some(stored)
        })
        .collect();
    ClusterState::new(objects, vec![], None)
}

fn settled(state: &ClusterState, volume: &Volume) -> Volume {
    let seen = view(state, volume, Phases::Settled);
    let claim_ref = seen.claim_ref.map(std::borrow::Cow::into_owned);
    let mut settled = volume.clone();
    settled.phase = seen.phase;
    if claim_ref.is_none() {
        settled.annotations.remove(annotations::BOUND_BY_CONTROLLER);
    }
    settled.claim_ref = claim_ref;
    settled
}

/// What tells two states apart.
fn fingerprint(state: &ClusterState) -> String {
    let claims = state.claims().iter().map(|claim| {
        format!(
            "{} {:?} {:?} {}",
            claim.key,
            claim.volume_name,
            claim.class,
            claim.is_bind_completed()
        )
    });
    let volumes = state.volumes().iter().map(|volume| {
        format!(
            "{} {:?} {:?} {:?}",
            volume.name, volume.phase, volume.claim_ref, volume.annotations
        )
    });
    claims.chain(volumes).collect::<Vec<_>>().join("\n")
}

fn with_claim(state: &ClusterState, claim: Claim) -> ClusterState {
    let mut next = state.clone();
    next.swap_claim(claim);
    next
}

fn bound(state: &ClusterState, claim: &Claim, name: &str) -> ClusterState {
    let mut next = state.clone();
    let mut volume = state
        .find_volume(name)
        .expect("a volume of the state")
        .clone();
    let was_for_it = volume
        .claim_ref
        .as_ref()
        .is_some_and(|reference| reference.designates(claim));
    if !was_for_it {
        volume.annotations.insert(
            annotations::BOUND_BY_CONTROLLER.to_owned(),
            "yes".to_owned(),
        );
    }
    volume.claim_ref = Some(ClaimRef {
        namespace: claim.key.namespace.clone(),
        name: claim.key.name.clone(),
        uid: claim.uid.clone(),
    });
    volume.phase = VolumePhase::Bound;
    next.swap_volume(volume);
    if claim.is_bind_completed() || update_refusals(state, claim).is_empty() {
        next.swap_claim(completed(claim, name));
    }
    next
}

fn completed(claim: &Claim, volume: &str) -> Claim {
    let mut claim = claim.clone();
    claim.volume_name = Some(volume.to_owned());
    claim
        .annotations
        .insert(annotations::BIND_COMPLETED.to_owned(), "yes".to_owned());
    claim.phase = ClaimPhase::Bound;
    claim
}

/// Every state that one sync of a claim may lead to.
fn after_claim(state: &ClusterState, claim: &Claim, rules: Rules) -> Vec<ClusterState> {
    let decision = decide(state, claim, rules, Phases::Stored);
    match decision.step {
        Step::Bind(outcomes) => outcomes
            .iter()
            .map(|name| bound(state, claim, name))
            .collect(),
        Step::Rebind(volume) => vec![bound(state, claim, &volume.name)],
        Step::AssignClass(class) => {
            if !class_assignment_refusals(state, claim, &class).is_empty() {
                return vec![];
            }
            let mut assigned = claim.clone();
            assigned.class.field = Some(class);
            vec![with_claim(state, assigned)]
        }
        // Whoever makes volumes may be as quick as it likes.
        Step::Provision(..) if is_made(state, claim, rules) => {
            vec![with_claim(state, completed(claim, MADE))]
        }
        _ => vec![],
    }
}

/// Whether a volume is made for a claim that found none, told by a cluster that has only those kept for it.
fn is_made(state: &ClusterState, claim: &Claim, rules: Rules) -> bool {
    let mut objects: Objects = state.objects().clone();
    let is_kept = |reference: &ClaimRef| reference.designates(claim);
    objects
        .volumes
        .retain(|volume| volume.claim_ref.as_ref().is_some_and(is_kept));
    let few = ClusterState::new(objects, vec![], None);
    explain_claim(&few, claim, rules).verdict == Verdict::WillProvision
}

fn assignment(state: &ClusterState, asked: &BTreeSet<String>) -> Assignment {
    let holds = |claim: &Claim| {
        let name = claim
            .volume_name
            .as_ref()
            .filter(|_| claim.is_bind_completed())?;
        let volume = state.find_volume(name)?;
        let reference = volume.claim_ref.as_ref()?;
        (reference.uid == claim.uid).then(|| name.clone())
    };
    asked
        .iter()
        .map(|key| {
            let find = |claim: &&Claim| claim.key.to_string() == *key;
            let claim = state.claims().iter().find(find);
            (key.clone(), claim.and_then(holds))
        })
        .collect()
}

/// Every assignment that some order ends with.
fn all_ends(state: &ClusterState, rules: Rules, asked: &BTreeSet<String>) -> BTreeSet<Assignment> {
    let start = settle(state, rules);
    let mut seen = BTreeSet::from([fingerprint(&start)]);
    let mut open = vec![start];
    let mut ends = BTreeSet::new();
    while let Some(state) = open.pop() {
        let own = fingerprint(&state);
        let mut next: Vec<ClusterState> = Vec::new();
        for claim in state.claims() {
            if claim.volume_name.as_deref() != Some(MADE) {
                next.extend(after_claim(&state, claim, rules));
            }
        }
        for volume in state.volumes() {
            let mut changed = state.clone();
            changed.swap_volume(settled(&state, volume));
            next.push(changed);
        }
        next.retain(|next| fingerprint(next) != own);
        if next.is_empty() {
            ends.insert(assignment(&state, asked));
        }
        open.extend(
            next.into_iter()
                .filter(|next| seen.insert(fingerprint(next))),
        );
    }
    ends
}

fn key(claim: &ClaimForecast) -> String {
    format!("{}/{}", claim.namespace, claim.name)
}

fn settle_without_trying(state: &ClusterState, rules: Rules) -> Forecast {
    super::super::settle(state, rules, &Ask::default(), |_| Limits::none())
}

/// Every assignment that the forecast allows.
fn allowed(forecast: &Forecast) -> BTreeSet<Assignment> {
    let mut all = BTreeSet::from([Assignment::new()]);
    let mut grouped = BTreeSet::new();
    let mut multiply = |ways: Vec<Assignment>| {
        let pairs = all.iter().flat_map(|so_far| {
            ways.iter().map(move |way| {
                let mut both = so_far.clone();
                both.extend(way.clone());
                both
            })
        });
        all = pairs.collect();
    };
    for group in &forecast.groups {
        assert!(group.exact && !group.assignments_unlisted);
        grouped.extend(group.claims.iter().cloned());
        multiply(group.assignments.clone());
    }
    for claim in &forecast.claims {
        let key = key(claim);
        if !grouped.contains(&key) {
            assert!(claim.outcomes.len() <= 1, "{claim:?}");
            multiply(vec![[(key, claim.outcomes.first().cloned())].into()]);
        }
    }
    all
}

/// A cluster in a few lines.
pub(crate) fn described(state: &ClusterState) -> String {
    let claims = state.claims().iter().map(|claim| {
        format!(
            "{} {:?} {} {} class {:?} names {:?} {} {:?} uid {:?}",
            claim.key,
            claim.phase,
            claim.request(),
            claim.access_modes().short(),
            claim.class.field,
            claim.volume_name,
            claim
                .selector
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
            claim.annotations.keys(),
            claim.uid,
        )
    });
    let volumes = state.volumes().iter().map(|volume| {
        format!(
            "{} {:?} {} {} class {:?} {:?} {:?} {:?} {:?} deleted {:?}",
            volume.name,
            volume.phase,
            volume.capacity,
            volume.access_modes.short(),
            volume.class(),
            volume.claim_ref,
            volume.annotations.keys(),
            volume.reclaim_policy,
            volume.labels,
            volume.deleted,
        )
    });
    let objects = state.objects();
    let around = format!(
        "classes {:?}, limits {}, quotas {}",
        state
            .classes()
            .iter()
            .map(|class| &class.name)
            .collect::<Vec<_>>(),
        objects.limit_ranges.len(),
        objects.quotas.len()
    );
    claims
        .chain(volumes)
        .chain([around])
        .collect::<Vec<_>>()
        .join("\n")
}

fn check(seed: u64, met: &mut HashMap<&'static str, usize>) {
    let mut random = Random::new(seed);
    let rules = rules(&mut random);
    let state = cluster(&mut random);
    let forecast = forecast(&state, rules);
    let asked: BTreeSet<String> = forecast.claims.iter().map(key).collect();
    let ends = all_ends(&state, rules, &asked);
    let allowed = allowed(&forecast);
    assert_eq!(
        allowed,
        ends,
        "seed {seed} by {rules}: allowed and not reached {:?}, reached and not allowed {:?}\n{}",
        allowed.difference(&ends).collect::<Vec<_>>(),
        ends.difference(&allowed).collect::<Vec<_>>(),
        described(&state)
    );
    for claim in &forecast.claims {
        let key = key(claim);
        let volumes: BTreeSet<&String> = ends.iter().filter_map(|end| end[&key].as_ref()).collect();
        let outcomes: BTreeSet<&String> = claim.outcomes.iter().collect();
        assert_eq!(outcomes, volumes, "seed {seed}: {claim:?}");
        let goes_without = ends.iter().any(|end| end[&key].is_none());
        assert_eq!(
            claim.may_stay_unbound
                || claim.may_be_provisioned
                || claim.verdict == Verdict::WillProvision,
            goes_without,
            "seed {seed}: {claim:?}"
        );
        let mut note = |what, holds: bool| {
            if holds {
                *met.entry(what).or_default() += 1;
            }
        };
        note("contended", claim.causes.contains(&Code::Contended));
        note(
            "may stay unbound",
            claim.may_stay_unbound && !claim.outcomes.is_empty(),
        );
        note("may be provisioned", claim.may_be_provisioned);
        note("several outcomes", claim.outcomes.len() > 1);
    }
    check_numbers(&forecast, &ends, seed);
    *met.entry("groups of several").or_default() += forecast
        .groups
        .iter()
        .filter(|group| group.claims.len() > 1)
        .count();
}

/// No end binds fewer claims than were counted as bound, and none leaves fewer without.
fn check_numbers(forecast: &Forecast, ends: &BTreeSet<Assignment>, seed: u64) {
    let settled = forecast.settled;
    let counted =
        settled.bound + settled.provisioned + settled.waiting + settled.blocked + settled.undecided;
    let already = counted - forecast.claims.len();
    for end in ends {
        let bound = end.values().flatten().count();
        let others = forecast.claims.len() - bound;
        let certain = settled.provisioned + settled.waiting + settled.blocked;
        assert!(
            settled.bound <= already + bound && certain <= others,
            "seed {seed}: {settled:?} and {end:?}"
        );
    }
}

/// Without trying any order: nothing that some order reaches is left out, and what is called exact is.
fn check_estimate(seed: u64, met: &mut HashMap<&'static str, usize>) {
    let mut random = Random::new(seed);
    let rules = rules(&mut random);
    let state = cluster(&mut random);
    let forecast = settle_without_trying(&state, rules);
    let asked: BTreeSet<String> = forecast.claims.iter().map(key).collect();
    let ends = all_ends(&state, rules, &asked);
    for claim in &forecast.claims {
        let volumes: BTreeSet<&String> = ends
            .iter()
            .filter_map(|end| end[&key(claim)].as_ref())
            .collect();
        let outcomes: BTreeSet<&String> = claim.outcomes.iter().collect();
        let context = || format!("seed {seed} by {rules}: {claim:?}\n{}", described(&state));
        let goes_without = ends.iter().any(|end| end[&key(claim)].is_none());
        let may_go_without = claim.may_stay_unbound
            || claim.may_be_provisioned
            || claim.verdict == Verdict::WillProvision;
        assert!(outcomes.is_superset(&volumes), "{}", context());
        assert!(may_go_without || !goes_without, "{}", context());
        if claim.exact {
            assert_eq!(outcomes, volumes, "{}", context());
            assert_eq!(may_go_without, goes_without, "{}", context());
        }
        let compete = !claim.competitors.is_empty();
        *met.entry("exact").or_default() += usize::from(claim.exact && compete);
        *met.entry("not exact").or_default() += usize::from(!claim.exact && compete);
    }
}

#[test]
fn what_was_not_tried_is_not_left_out() {
    let mut met = HashMap::new();
    for seed in 0..1500 {
        check_estimate(seed, &mut met);
    }
    assert!(met["exact"] > 50 && met["not exact"] > 50, "{met:?}");
}

/// Larger clusters than can be tried whole: what was tried lies within what was not, and is the same where that is exact.
#[test]
fn trying_only_takes_away() {
    let mut met = [0, 0];
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let rules = rules(&mut random);
        let state = cluster_of(&mut random, 9, 14);
        let (tried, untried) = (
            forecast(&state, rules),
            settle_without_trying(&state, rules),
        );
        for (tried, untried) in tried.claims.iter().zip(&untried.claims) {
            let outcomes = |claim: &ClaimForecast| -> BTreeSet<String> {
                claim.outcomes.iter().cloned().collect()
            };
            let context = || format!("seed {seed}: {tried:?}\n{untried:?}\n{}", described(&state));
            assert!(tried.exact, "{}", context());
            assert!(
                outcomes(untried).is_superset(&outcomes(tried)),
                "{}",
                context()
            );
            assert!(
                untried.may_stay_unbound || !tried.may_stay_unbound,
                "{}",
                context()
            );
            if untried.exact {
                assert_eq!(outcomes(tried), outcomes(untried), "{}", context());
                assert_eq!(
                    tried.may_stay_unbound,
                    untried.may_stay_unbound,
                    "{}",
                    context()
                );
            }
            met[usize::from(untried.exact)] += usize::from(!untried.competitors.is_empty());
        }
        assert_eq!(
            tried.settled.bound.max(untried.settled.bound),
            tried.settled.bound
        );
    }
    assert!(met.iter().all(|times| *times > 100), "{met:?}");
}

#[test]
fn the_forecast_allows_precisely_what_some_order_reaches() {
    let mut met = HashMap::new();
    for seed in 0..1500 {
        check(seed, &mut met);
    }
    for what in [
        "contended",
        "may stay unbound",
        "may be provisioned",
        "several outcomes",
        "groups of several",
    ] {
        let times = met.get(what).copied().unwrap_or(0);
        assert!(times > 20, "{what}: only {times} times");
    }
}
