//! A second opinion on what claims may end with, which shares no code with the program: it reads
//! the objects itself, and tries every order in which claims and volumes may be synced and every
//! choice that the controller leaves to chance, until nothing changes any more.
//!
//! `facts.rs` reads the objects, `sync.rs` knows what a sync may do, and here they are put in order.

mod classes;
mod facts;
mod quantity;
mod selector;
mod sync;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::Value;

use self::facts::Facts;
pub(crate) use self::sync::Neglect;
use self::sync::{Has, State, Step};
use crate::random::Random;

/// What one claim has when nothing changes any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Nothing,
    /// A new volume, made for it.
    New,
    Volume(String),
}

/// What every unbound claim has in the end, in the order of [`Oracle::claims`].
pub(crate) type Ending = Vec<End>;

/// A cluster whose orders can be tried.
pub(crate) struct Oracle {
    facts: Facts,
}

/// Every state that some order leads to.
pub(crate) struct Explored {
    states: Vec<State>,
    /// How each state was met first.
    origins: Vec<Option<(usize, Step)>>,
    /// The states in which nothing changes any more, by what the claims have then.
    pub(crate) endings: BTreeMap<Ending, usize>,
}

impl Oracle {
    pub(crate) fn new(objects: &[Value]) -> Self {
        Self {
            facts: Facts::read(objects),
        }
    }

    /// The claims that are not bound yet, as `namespace/name`.
    pub(crate) fn claims(&self) -> impl Iterator<Item = &str> {
        self.facts.claims.iter().map(|claim| claim.key.as_str())
    }

    /// All orders and all choices.
    pub(crate) fn explore(&self) -> Explored {
        self.explore_without(Neglect::Nothing)
    }

    /// The same by a controller that ignores a rule.
    pub(crate) fn explore_without(&self, neglect: Neglect) -> Explored {
        let start = State::at_rest(&self.facts);
        let mut known = HashSet::from([start.number(&self.facts)]);
        let mut explored = Explored {
            states: vec![start],
            origins: vec![None],
            endings: BTreeMap::new(),
        };
        let mut next = 0;
        while let Some(state) = explored.states.get(next).copied() {
            let steps = self.steps(&state, neglect);
            if steps.is_empty() {
                explored.endings.entry(self.ending(&state)).or_insert(next);
            }
            for (step, result) in steps {
                if known.insert(result.number(&self.facts)) {
                    explored.states.push(result);
                    explored.origins.push(Some((next, step)));
                }
            }
            next += 1;
        }
        explored
    }

    /// One order and one choice after another by chance, until nothing changes.
    pub(crate) fn play(&self, random: &mut Random) -> Ending {
        let claims = (0..self.facts.claims.len()).map(Step::Claim);
        let everything: Vec<Step> = claims
            .chain((0..self.facts.volumes.len()).map(Step::Volume))
            .collect();
        let mut state = State::at_rest(&self.facts);
        // Whatever has changed nothing since something changed need not be tried again.
        let mut left = everything.clone();
        while !left.is_empty() {
            let step = left.swap_remove(random.below(left.len()));
            let mut results = self.results(&state, step, Neglect::Nothing);
            if !results.is_empty() {
                state = results.swap_remove(random.below(results.len()));
                left.clone_from(&everything);
            }
        }
        self.ending(&state)
    }

    /// How the claims come to an ending, sync by sync.
    pub(crate) fn path(&self, explored: &Explored, ending: &Ending) -> Option<String> {
        let mut place = *explored.endings.get(ending)?;
        let mut steps = Vec::new();
        while let Some((before, step)) = explored.origins[place] {
            steps.push(self.describe(step, &explored.states[place]));
            place = before;
        }
        steps.reverse();
        Some(steps.join("; "))
    }

    fn steps(&self, state: &State, neglect: Neglect) -> Vec<(Step, State)> {
        let mut steps = Vec::new();
        let mut try_step = |step: Step| {
            let results = self.results(state, step, neglect);
            steps.extend(results.into_iter().map(|result| (step, result)));
            !steps.is_empty()
        };
        for claim in 0..self.facts.claims.len() {
            if try_step(Step::Claim(claim)) && neglect == Neglect::Order {
                break;
            }
        }
        for volume in 0..self.facts.volumes.len() {
            try_step(Step::Volume(volume));
        }
        steps
    }

    /// What may come of a step; nothing if it changes nothing.
    fn results(&self, state: &State, step: Step, neglect: Neglect) -> Vec<State> {
        match step {
            Step::Claim(claim) => state.sync_claim(&self.facts, claim, neglect),
            Step::Volume(volume) => {
                let result = state.sync_volume(&self.facts, volume, neglect);
                result.into_iter().collect()
            }
        }
    }

    fn ending(&self, state: &State) -> Ending {
        let claims = &state.claims[..self.facts.claims.len()];
        let end = |has: &Has| match has {
            Has::Nothing | Has::Class => End::Nothing,
            Has::New => End::New,
            Has::Volume(volume) => {
                End::Volume(self.facts.volumes[usize::from(*volume)].name.clone())
            }
        };
        claims.iter().map(end).collect()
    }

    fn describe(&self, step: Step, after: &State) -> String {
        match step {
            Step::Volume(volume) => format!("{} is given back", self.facts.volumes[volume].name),
            Step::Claim(claim) => {
                let key = &self.facts.claims[claim].key;
                match after.claims[claim] {
                    Has::Nothing => format!("{key} changes"),
                    Has::Class => format!("{key} gets the default class"),
                    Has::New => format!("{key} is provisioned"),
                    Has::Volume(volume) => {
                        format!(
                            "{key} takes {}",
                            self.facts.volumes[usize::from(volume)].name
                        )
                    }
                }
            }
        }
    }
}

impl Explored {
    /// Whether some order gives a volume back, or makes a claim take the default class.
    pub(crate) fn happens(&self, what: Happening) -> bool {
        self.origins
            .iter()
            .zip(&self.states)
            .any(|(origin, state)| match (what, origin) {
                (Happening::GivenBack, Some((_, Step::Volume(_)))) => true,
                (Happening::Classed, Some((_, Step::Claim(claim)))) => {
                    state.claims[*claim] == Has::Class
                }
                _ => false,
            })
    }

    pub(crate) fn set(&self) -> BTreeSet<&Ending> {
        self.endings.keys().collect()
    }
}

/// What may be met on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happening {
    GivenBack,
    Classed,
}
