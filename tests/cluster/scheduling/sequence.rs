//! Pods that compete: what each of them gets depends on the attempts before it, and their order is not
//! reported. So every order is tried, with our program asked about the state that each attempt would
//! have seen, until one order explains everything that was seen.
//!
//! A pod with a conflict in PreBind was tried more than once (`conflicts.rs`). Its first attempt counts
//! for the others although it failed: the volumes it chose were taken until the scheduler returned them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::compare::Comparison;
use super::conflicts::Conflict;
use super::deed::{Deed, Turn};
use super::seen::{Seen, Taken};
use super::snapshot::Snapshot;
use super::world::World;

/// The pods of one world, before and after the scheduler has had its turn with all of them.
pub(super) struct Sequence<'a> {
    turns: Vec<Turn<'a>>,
    /// When everything has come to its end, which shows where the pods have gone.
    finished: &'a Snapshot,
    seen: Seen<'a>,
}

/// One point in an order of attempts.
#[derive(Clone)]
struct Moment {
    /// The volumes that pods have got for good.
    written: Taken,
    /// The volumes whose write was refused: the cache may still have them as they were before.
    stale: BTreeSet<String>,
    pods: Vec<Progress>,
    /// For each pod the prediction that came true.
    explained: Vec<Option<Value>>,
}

/// How far a pod has come.
#[derive(Clone)]
enum Progress {
    /// Its next attempts end in conflicts over these volumes, in any order; then comes the last one.
    Waits(BTreeSet<String>),
    /// It has chosen volumes, and the write of `refused` will be refused.
    Holds {
        chosen: Taken,
        refused: String,
        later: BTreeSet<String>,
    },
    Served,
}

impl<'a> Sequence<'a> {
    pub(super) fn new(world: &'a World, turns: Vec<Turn<'a>>, finished: &'a Snapshot) -> Self {
        let seen = Seen::new(world, turns[0].before);
        Self {
            turns,
            finished,
            seen,
        }
    }

    /// What we say of the pod before any other is tried.
    pub(super) fn if_first(&mut self, pod: &Value) -> &Value {
        self.seen.predict(&Taken::new(), pod)
    }

    /// For each pod the prediction that came true; nothing if no order explains what was seen.
    pub(super) fn explain(&mut self) -> Option<Vec<Value>> {
        let conflicts = self.turns.iter().map(|turn| {
            let volume = |conflict| match conflict {
                Conflict::Volume(volume) => Some(volume),
                // No claim here is to be provisioned, so no claim is written.
                Conflict::Claim(_) => None,
            };
            let volumes: Option<BTreeSet<String>> =
                turn.conflicts().into_iter().map(volume).collect();
            volumes.map(Progress::Waits)
        });
        let start = Moment {
            written: Taken::new(),
            stale: BTreeSet::new(),
            pods: conflicts.collect::<Option<_>>()?,
            explained: vec![None; self.turns.len()],
        };
        self.explain_from(start)
    }

    fn explain_from(&mut self, mut moment: Moment) -> Option<Vec<Value>> {
        self.explain_refusals(&mut moment);
        if moment.explained.iter().all(Option::is_some) {
            return moment.explained.into_iter().collect();
        }
        for pod in 0..self.turns.len() {
            let next = match moment.pods[pod].clone() {
                Progress::Waits(conflicts) if conflicts.is_empty() => {
                    self.serve(&moment, pod).into_iter().collect()
                }
                Progress::Waits(conflicts) => self.choose(&moment, pod, &conflicts),
                Progress::Holds {
                    chosen,
                    refused,
                    later,
                } => self.refuse(&moment, pod, &chosen, &refused, &later),
                Progress::Served => Vec::new(),
            };
            for moment in next {
                if let Some(explained) = self.explain_from(moment) {
                    return Some(explained);
                }
            }
        }
        None
    }

    /// A pod that was refused was so at some time, and is not always tried again.
    fn explain_refusals(&mut self, moment: &mut Moment) {
        let taken = moment.taken();
        for pod in 0..self.turns.len() {
            let is_last =
                matches!(&moment.pods[pod], Progress::Waits(conflicts) if conflicts.is_empty());
            let is_refused = is_last && self.turns[pod].deed() != Deed::Placed;
            if is_refused && moment.explained[pod].is_none() {
                moment.explained[pod] = self.explanation(pod, &taken);
            }
        }
    }

    /// The last attempt of a pod, by which it has got what it has got.
    fn serve(&mut self, moment: &Moment, pod: usize) -> Option<Moment> {
        if self.turns[pod].deed() != Deed::Placed {
            return None;
        }
        let explanation = self.explanation(pod, &moment.taken())?;
        let mut moment = moment.clone();
        moment.explained[pod] = Some(explanation);
        moment.written.extend(self.gifts(pod));
        moment.pods[pod] = Progress::Served;
        Some(moment)
    }

    /// An attempt that will end in a conflict over a volume that the pod must have chosen by our prediction.
    fn choose(&mut self, moment: &Moment, pod: usize, conflicts: &BTreeSet<String>) -> Vec<Moment> {
        let mut found = Vec::new();
        for refused in conflicts {
            let mut views = vec![moment.taken()];
            if moment.stale.contains(refused) {
                let mut older = moment.taken();
                older.remove(refused);
                views.push(older);
            }
            for view in views {
                let choices = self.seen.choices(&view, self.turns[pod].pod);
                let choices = choices
                    .into_iter()
                    .filter(|chosen| chosen.contains_key(refused));
                found.extend(choices.map(|chosen| {
                    let mut later = conflicts.clone();
                    later.remove(refused);
                    let mut moment = moment.clone();
                    moment.pods[pod] = Progress::Holds {
                        chosen,
                        refused: refused.clone(),
                        later,
                    };
                    moment
                }));
            }
        }
        found
    }

    /// The conflict itself, possible once another pod has written the volume. Volumes that the pod wrote
    /// before keep its claims, and all others are free again. How many it wrote cannot be seen.
    fn refuse(
        &self,
        moment: &Moment,
        pod: usize,
        chosen: &Taken,
        refused: &str,
        later: &BTreeSet<String>,
    ) -> Vec<Moment> {
        if !moment.written.contains_key(refused) {
            return Vec::new();
        }
        let gifts = self.gifts(pod);
        let kept = chosen
            .iter()
            .filter(|(volume, claim)| gifts.get(*volume) == Some(*claim));
        let kept: Taken = kept.map(|(v, c)| (v.clone(), c.clone())).collect();
        let mut found: Vec<Moment> = Vec::new();
        for written in [kept, Taken::new()] {
            let mut moment = moment.clone();
            moment.stale.insert(refused.to_owned());
            moment.pods[pod] = Progress::Waits(later.clone());
            for (volume, claim) in written {
                moment.written.entry(volume).or_insert(claim);
            }
            if found.iter().all(|other| other.written != moment.written) {
                found.push(moment);
            }
        }
        found
    }

    /// What we say of the pod when these volumes are taken, if it came true.
    fn explanation(&mut self, pod: usize, taken: &Taken) -> Option<Value> {
        let turn = self.turns[pod];
        let predicted = self.seen.predict(taken, turn.pod);
        let comparison = Comparison { turn, predicted };
        let came_true =
            comparison.disagreements().is_empty() && comparison.landing(self.finished).is_empty();
        came_true.then(|| predicted.clone())
    }

    /// The volumes that the pod's claims have got, with these claims.
    fn gifts(&self, pod: usize) -> Taken {
        let gifts = self.turns[pod].gifts().into_iter();
        let gifts = gifts.flat_map(|(claim, gift)| {
            let volumes = gift.volumes.into_iter();
            volumes.map(move |volume| (volume, claim.clone()))
        });
        gifts.collect()
    }
}

impl Moment {
    /// The volumes as the next attempt sees them.
    fn taken(&self) -> Taken {
        let mut taken = self.written.clone();
        for pod in &self.pods {
            if let Progress::Holds { chosen, .. } = pod {
                for (volume, claim) in chosen {
                    taken.entry(volume.clone()).or_insert_with(|| claim.clone());
                }
            }
        }
        taken
    }
}
