//! Who else may take the volumes a claim would get (N5).

use super::Rules;
use super::admission::{admit, class_assignment_refusals};
use super::binding::Timing;
use super::checks::{Candidate, Question, search_failures};
use super::classes::{find_default, lacks_class};
use super::phases::{Phases, view};
use super::sync::{Step, decide_question};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClusterState, Volume};
use crate::report::VolumeReason;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// Who wants which volumes. What a claim wants does not depend on who asks, so each is decided at most once.
pub(crate) struct Wishes<'a> {
    state: &'a ClusterState,
    rules: Rules,
    known: RefCell<Known>,
}

/// What was found out so far.
#[derive(Default)]
struct Known {
    /// Of each claim of the state, by its place.
    claims: Vec<Wish>,
    /// Every set of volumes that some claim wants, once: many claims want the same.
    sets: Vec<Vec<usize>>,
    ids: HashMap<Vec<usize>, usize>,
    /// Of a volume, by its place, the claims that come nearest to it.
    nearest: HashMap<usize, Vec<(Distance, usize)>>,
    /// How many pairs of claims and volumes were checked in search of later competitors.
    checks: usize,
}

/// So many pairs of claims and volumes are checked one by one before the whole cluster is settled instead.
const MOST_CHECKS: usize = 1_000_000;

/// How far a volume is from fitting a claim: the number of failed checks, then the place of the first code.
type Distance = (usize, usize);

/// What is known of the wish of one claim.
#[derive(Clone, Copy)]
enum Wish {
    /// At so many volumes it was only glanced.
    Open { glances: usize },
    /// It wants one of the volumes of this set.
    Decided { set: usize },
}

impl<'a> Wishes<'a> {
    pub(crate) fn new(state: &'a ClusterState, rules: Rules) -> Self {
        Self {
            state,
            rules,
            known: RefCell::default(),
        }
    }

    /// The other unbound claims that would take one of these volumes if they were served first.
    pub(crate) fn competitors(&self, claim: &Claim, volumes: &[String]) -> Vec<ObjectKey> {
        let asked: BTreeSet<usize> = volumes
            .iter()
            .filter_map(|name| self.place_of(name))
            .collect();
        let known = &mut *self.known.borrow_mut();
        let claims = self.state.claims();
        known.claims.resize(claims.len(), Wish::Open { glances: 0 });
        // A set that many claims want is compared once.
        let mut meets: HashMap<usize, bool> = HashMap::new();
        let mut found = Vec::new();
        for (place, other) in claims.iter().enumerate() {
            if other.key == claim.key || !self.may_want(known, place, &asked) {
                continue;
            }
            let set = self.decide(known, place);
            let is_met = meets.entry(set).or_insert_with(|| {
                let wanted = &known.sets[set];
                wanted.iter().any(|volume| asked.contains(volume))
            });
            if *is_met {
                found.push(other.key.clone());
            }
        }
        found
    }

    /// Whether one of the volumes fits another claim, or another claim names it: only then can the claim have a competitor, in
    /// whatever order. After [`MOST_CHECKS`] the answer is yes without a check: settling the whole cluster takes less time.
    pub(crate) fn may_compete(&self, claim: &Claim, volumes: &[String]) -> bool {
        let claims = self.state.claims();
        let known = &mut *self.known.borrow_mut();
        known.checks += claims.len() * volumes.len();
        let asked: Vec<&Volume> = volumes
            .iter()
            .filter_map(|name| self.state.find_volume(name))
            .collect();
        let wants = |other: &Claim| match &other.volume_name {
            Some(name) => volumes.contains(name),
            None => !other.is_bind_completed() && self.fits_any(other, &asked),
        };
        let mut others = claims.iter().filter(|other| other.key != claim.key);
        known.checks > MOST_CHECKS || others.any(wants)
    }

    /// Whether one of the volumes fits the claim, whether the controller or a pod decides.
    fn fits_any(&self, other: &Claim, volumes: &[&Volume]) -> bool {
        let mut classes = classes_of(self.state, other, self.rules).into_iter();
        classes.any(|class| {
            let question = question_for(other, &class, self.rules);
            volumes.iter().any(|volume| {
                let seen = view(self.state, volume, Phases::Settled);
                let candidate = Candidate::new(self.state, &seen, other);
                search_failures(&question, &candidate).is_empty()
            })
        })
    }

    /// Whether another unbound claim fails fewer checks on the volume than this one, which fails `failures`; of equal
    /// numbers the order of the codes decides.
    pub(crate) fn another_is_nearer(
        &self,
        claim: &Claim,
        volume: &Volume,
        failures: &[VolumeReason],
    ) -> bool {
        let Some(place) = self.place_of(&volume.name) else {
            return false;
        };
        let known = &mut *self.known.borrow_mut();
        let nearest = known.nearest.entry(place);
        let nearest = nearest.or_insert_with(|| self.find_nearest(volume));
        let own = distance(failures);
        let claims = self.state.claims();
        let mut others = nearest.iter();
        others.any(|(distance, place)| claims[*place].key != claim.key && *distance < own)
    }

    /// The two nearest claims: one of them may be the one that asks.
    fn find_nearest(&self, volume: &Volume) -> Vec<(Distance, usize)> {
        let settled = view(self.state, volume, Phases::Settled);
        let claims = self.state.claims().iter().enumerate();
        let unbound =
            claims.filter(|(_, claim)| !claim.is_bind_completed() && claim.volume_name.is_none());
        let mut all: Vec<(Distance, usize)> = unbound
            .filter_map(|(place, claim)| {
                let candidate = Candidate::new(self.state, &settled, claim);
                let classes = classes_of(self.state, claim, self.rules).into_iter();
                let distances = classes.map(|class| {
                    let question = question_for(claim, &class, self.rules);
                    distance(&search_failures(&question, &candidate))
                });
                Some((distances.min()?, place))
            })
            .collect();
        all.sort_unstable();
        all.truncate(2);
        all
    }

    /// A cheap look at the volumes in question, before the search over all of them; but whoever was looked at as often as a
    /// search would have done is better searched for.
    fn may_want(&self, known: &mut Known, place: usize, asked: &BTreeSet<usize>) -> bool {
        let other = &self.state.claims()[place];
        let Wish::Open { glances } = &mut known.claims[place] else {
            return true;
        };
        if let Some(name) = &other.volume_name {
            return self
                .place_of(name)
                .is_some_and(|place| asked.contains(&place));
        }
        if other.is_bind_completed() {
            return false;
        }
        *glances += asked.len();
        if *glances > self.state.volumes().len() {
            return true;
        }
        let asked = asked.iter().map(|place| &self.state.volumes()[*place]);
        may_fit_any(self.state, other, &asked.collect::<Vec<_>>(), self.rules)
    }

    /// The set of volumes the claim wants.
    fn decide(&self, known: &mut Known, place: usize) -> usize {
        if let Wish::Decided { set } = known.claims[place] {
            return set;
        }
        let names = wish_of(self.state, &self.state.claims()[place], self.rules);
        let places = names.iter().filter_map(|name| self.place_of(name));
        let wanted: Vec<usize> = places.collect();
        let next = known.sets.len();
        let set = *known.ids.entry(wanted.clone()).or_insert(next);
        if set == next {
            known.sets.push(wanted);
        }
        known.claims[place] = Wish::Decided { set };
        set
    }

    fn place_of(&self, volume: &str) -> Option<usize> {
        let volumes = self.state.volumes();
        volumes
            .binary_search_by(|candidate| candidate.name.as_str().cmp(volume))
            .ok()
    }
}

fn distance(failures: &[VolumeReason]) -> Distance {
    let first = failures.iter().map(VolumeReason::rank).min();
    (failures.len(), first.unwrap_or_default())
}

fn may_fit_any(state: &ClusterState, other: &Claim, volumes: &[&Volume], rules: Rules) -> bool {
    classes_of(state, other, rules).into_iter().any(|class| {
        let question = question_for(other, &class, rules);
        let timing = Timing::of(state, &class);
        volumes.iter().any(|volume| {
            let candidate = Candidate::new(state, &view(state, volume, Phases::Settled), other);
            (timing == Timing::Now || candidate.is_reserved())
                && search_failures(&question, &candidate).is_empty()
        })
    })
}

/// The volumes of which a claim takes one, if it is served next.
fn wish_of(state: &ClusterState, claim: &Claim, rules: Rules) -> Vec<String> {
    if !claim.exists() && !admit(state, claim, rules).refusals.is_empty() {
        return vec![];
    }
    for class in classes_of(state, claim, rules) {
        match decide_question(state, &question_for(claim, &class, rules), Phases::Settled).step {
            Step::Bind(outcomes) => return outcomes,
            // A claim that lost its volume and finds it free again takes it without a check (R62).
            Step::Rebind(volume) => {
                let is_free = view(state, volume, Phases::Settled).claim_ref.is_none();
                return is_free.then(|| volume.name.clone()).into_iter().collect();
            }
            // A quota may refuse the class, and then it is never searched by.
            Step::AssignClass(class)
                if class_assignment_refusals(state, claim, &class).is_empty() => {}
            _ => return vec![],
        }
    }
    vec![]
}

fn question_for<'a>(claim: &'a Claim, class: &str, rules: Rules) -> Question<'a> {
    let mut question = Question::new(claim, class, rules);
    question.new_volume_only = false;
    question
}

/// The classes a claim searches by, in turn: its own, then the default if it says nothing (R15).
fn classes_of(state: &ClusterState, claim: &Claim, rules: Rules) -> Vec<String> {
    let own = claim.class.resolved().to_owned();
    let default = find_default(state)
        .filter(|_| lacks_class(claim, rules))
        .map(|class| class.name.clone());
    // A claim that does not exist yet gets the default before it is ever looked at (R14).
    match default {
        Some(default) if !claim.exists() => vec![default],
        Some(default) => vec![own, default],
        None => vec![own],
    }
}

#[cfg(test)]
mod tests {
    use super::super::generate::{Random, cluster_of, rules};
    use super::*;
    use crate::testing::{claim, state, volume};

    /// Every pair of claims anew, as it was before wishes were kept.
    fn competitors_pair_by_pair(
        state: &ClusterState,
        claim: &Claim,
        volumes: &[String],
        rules: Rules,
    ) -> Vec<ObjectKey> {
        let others = state.claims().iter().filter(|other| other.key != claim.key);
        others
            .filter(|other| may_want(state, other, volumes, rules))
            .filter(|other| wants(state, other, volumes, rules))
            .map(|other| other.key.clone())
            .collect()
    }

    /// A cheap look at the few volumes in question, before the search over all of them.
    fn may_want(state: &ClusterState, other: &Claim, volumes: &[String], rules: Rules) -> bool {
        if let Some(name) = &other.volume_name {
            return volumes.contains(name);
        }
        if other.is_bind_completed() {
            return false;
        }
        classes_of(state, other, rules).into_iter().any(|class| {
            let question = question_for(other, &class, rules);
            let timing = Timing::of(state, &class);
            volumes
                .iter()
                .filter_map(|name| state.find_volume(name))
                .any(|volume| {
                    let candidate =
                        Candidate::new(state, &view(state, volume, Phases::Settled), other);
                    (timing == Timing::Now || candidate.is_reserved())
                        && search_failures(&question, &candidate).is_empty()
                })
        })
    }

    fn wants(state: &ClusterState, other: &Claim, volumes: &[String], rules: Rules) -> bool {
        if !other.exists() && !admit(state, other, rules).refusals.is_empty() {
            return false;
        }
        for class in classes_of(state, other, rules) {
            match decide_question(state, &question_for(other, &class, rules), Phases::Settled).step
            {
                Step::Bind(outcomes) => return outcomes.iter().any(|name| volumes.contains(name)),
                // A claim that lost its volume and finds it free again takes it without a check (R62).
                Step::Rebind(volume) => {
                    let is_free = view(state, volume, Phases::Settled).claim_ref.is_none();
                    return is_free && volumes.contains(&volume.name);
                }
                // A quota may refuse the class, and then it is never searched by.
                Step::AssignClass(class)
                    if class_assignment_refusals(state, other, &class).is_empty() => {}
                _ => return false,
            }
        }
        false
    }

    #[test]
    fn kept_wishes_answer_as_every_pair_anew() {
        let mut met = 0;
        for seed in 0..400 {
            let random = &mut Random::new(seed);
            let rules = rules(random);
            let (claims, volumes) = (2 + random.below(12), random.below(14));
            let state = cluster_of(random, claims, volumes);
            let wishes = Wishes::new(&state, rules);
            for _ in 0..30 {
                let place = usize::try_from(random.below(claims)).expect("small");
                let claim = &state.claims()[place];
                let few = 1 + random.below(4);
                let all = state.volumes().iter().map(|volume| volume.name.clone());
                let asked: Vec<String> = all.filter(|_| random.below(few) == 0).collect();
                let told = wishes.competitors(claim, &asked);
                let expected = competitors_pair_by_pair(&state, claim, &asked, rules);
                assert_eq!(told, expected, "seed {seed}, {}, {asked:?}", claim.key);
                met += usize::from(!told.is_empty());
            }
        }
        assert!(met > 1000, "only {met} had competitors");
    }

    #[test]
    fn a_claim_that_was_only_glanced_at_is_not_searched_for() {
        let volumes = (0..9).map(|place| volume(&format!("v{place}")));
        let mut volumes: Vec<Volume> = volumes.collect();
        volumes.push(volume("own").of_class("own"));
        let other = claim("other").of_class(Some("own"));
        let state = state(vec![claim("asking"), other], volumes);
        let wishes = Wishes::new(&state, Rules::V1_36);
        let asking = &state.claims()[0];
        let is_decided = || matches!(wishes.known.borrow().claims[1], Wish::Decided { .. });
        for _ in 0..10 {
            let told = wishes.competitors(asking, &["v0".to_owned()]);
            assert!(told.is_empty() && !is_decided());
        }
        assert!(wishes.competitors(asking, &["v0".to_owned()]).is_empty());
        assert!(is_decided());
        let own = wishes.competitors(asking, &["own".to_owned()]);
        assert_eq!(own, [ObjectKey::new("ns", "other")]);
    }
}
