//! The scheduler's next attempt at a pod, in the settled cluster: first the controller binds what it can, then the nodes are
//! judged.

use super::super::Rules;
use super::super::checks::Question;
use super::super::phases::Phases;
use super::super::sync::{Step, decide_question};
use super::claims::{PodClaims, Refusal, Standing};
use super::migration::driver_and_handle;
use super::{Placement, place, zones};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::topology::NodeSelector;
use crate::model::{Claim, ClusterState, Pod, Volume};
use std::collections::{BTreeMap, BTreeSet};

/// Claims that are about to be bound may go to several volumes. So many combinations that differ in their effect are followed; if
/// there are more, the placements say so.
const MOST_COMBINATIONS: usize = 4_096;

/// What comes of the scheduler's next attempt at a pod, in the settled cluster.
pub(crate) enum Attempt<'a> {
    /// No node is looked at.
    Refused(Refusal),
    /// Every node, judged.
    Judged {
        placements: Vec<Placement<'a>>,
        /// Claims that the controller binds before, with the volumes they may get.
        bound_first: Vec<(ObjectKey, Vec<String>)>,
    },
}

/// What pods that were placed before have changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Meanwhile {
    /// Volumes that are taken.
    pub(crate) gone: BTreeSet<String>,
    /// Claims that were bound with another pod that uses them too.
    pub(crate) bound: BTreeMap<ObjectKey, String>,
}

/// What comes of an attempt at the pod, at all nodes or the one asked about.
pub(crate) fn attempt<'a>(
    state: &'a ClusterState,
    pod: &Pod,
    rules: Rules,
    only: Option<&str>,
    meanwhile: &Meanwhile,
) -> Attempt<'a> {
    let mut claims = match PodClaims::find(state, pod, rules, Phases::Settled) {
        Ok(claims) => claims,
        Err(refusal) => return Attempt::Refused(refusal),
    };
    for (claim, volume) in &meanwhile.bound {
        claims.assume(claim, volume);
    }
    let bound_first = bound_first(state, &claims, rules);
    let first = BoundFirst::new(state, &claims, &bound_first);
    let (combinations, is_cut) = first.combinations();
    if combinations.is_empty() {
        // There are too few volumes for all of them.
        let claims = bound_first.iter().map(|(claim, _)| claim.name.clone());
        return Attempt::Refused(Refusal::UnboundImmediateClaims(claims.collect()));
    }
    let mut merged: Vec<Placement<'a>> = Vec::new();
    for combination in combinations {
        let mut claims = claims.clone();
        let mut gone = meanwhile.gone.clone();
        for ((claim, _), group) in bound_first.iter().zip(&combination) {
            let taken = first.groups[*group].iter().copied();
            let volume = taken.clone().find(|volume| !gone.contains(*volume));
            let Some(volume) = volume.or(taken.clone().next()) else {
                continue;
            };
            claims.assume(claim, volume);
            gone.insert(volume.to_owned());
        }
        if let Some(refusal) = claims.refusal(state) {
            return Attempt::Refused(refusal);
        }
        let mut placements = place(state, pod, &claims, Phases::Settled, only, &gone);
        for way in placements.iter_mut().flat_map(|one| &mut one.ways) {
            for ((claim, _), group) in bound_first.iter().zip(&combination) {
                let equal = first.groups[*group].iter().map(|name| (*name).to_owned());
                way.bindings
                    .entry(claim.name.clone())
                    .or_default()
                    .extend(equal);
            }
        }
        if merged.is_empty() {
            merged = placements;
            continue;
        }
        for (known, new) in merged.iter_mut().zip(placements) {
            known.is_cut |= new.is_cut;
            for way in new.ways {
                if !known.ways.contains(&way) {
                    known.ways.push(way);
                }
            }
        }
    }
    for placement in &mut merged {
        placement.is_cut |= is_cut;
    }
    Attempt::Judged {
        placements: merged,
        bound_first,
    }
}

/// Of a claim that waits for a node the controller takes only volumes that are reserved for it (R26.8); where there are none,
/// all volumes need not be judged to know that.
fn has_reservation(state: &ClusterState, claim: &Claim) -> bool {
    let is_for_it = |volume: &Volume| {
        let reference = volume.claim_ref.as_ref();
        reference.is_some_and(|reference| reference.designates(claim))
    };
    state.volumes().iter().any(is_for_it)
}

/// The claims that the controller binds before the scheduler gets so far, with the volumes they may get.
pub(super) fn bound_first(
    state: &ClusterState,
    claims: &PodClaims<'_>,
    rules: Rules,
) -> Vec<(ObjectKey, Vec<String>)> {
    let mut found: BTreeMap<ObjectKey, Vec<String>> = BTreeMap::new();
    for usage in claims
        .uses
        .iter()
        .filter(|usage| !matches!(usage.standing, Standing::Bound(_)))
        .filter(|usage| usage.standing != Standing::Delayed || has_reservation(state, &usage.claim))
    {
        let question = Question::new(&usage.claim, &*usage.class, rules);
        if let Step::Bind(volumes) = decide_question(state, &question, Phases::Settled).step {
            found.insert(usage.claim.key.clone(), volumes);
        }
    }
    found.into_iter().collect()
}

/// The volumes that claims get before the pod is placed, put together where it makes no difference which of them it is.
struct BoundFirst<'v> {
    groups: Vec<Vec<&'v str>>,
    /// Per claim the groups that it may get a volume of.
    options: Vec<Vec<usize>>,
}

/// What a bound volume has to do with nodes, and with other claims.
#[derive(PartialEq)]
struct Effect<'a> {
    affinity: Option<&'a NodeSelector>,
    zones: Vec<Option<&'a String>>,
    driver: Option<(String, String)>,
    field: &'a str,
    /// Whether each of the claims may get it.
    takers: Vec<bool>,
    /// Where a claim of the pod that waits for a node may want it, it is like no other.
    name: Option<&'a str>,
}

impl<'v> BoundFirst<'v> {
    fn new(
        state: &'v ClusterState,
        claims: &PodClaims<'_>,
        choices: &'v [(ObjectKey, Vec<String>)],
    ) -> Self {
        let volumes: BTreeSet<&String> = choices.iter().flat_map(|(_, volumes)| volumes).collect();
        let mut known: Vec<(Effect<'v>, Vec<&'v str>)> = Vec::new();
        for volume in volumes
            .into_iter()
            .filter_map(|name| state.find_volume(name))
        {
            let takers = choices.iter().map(|(_, all)| all.contains(&volume.name));
            let effect = Effect::of(state, claims, volume, takers.collect());
            match known.iter_mut().find(|(other, _)| *other == effect) {
                Some((_, members)) => members.push(&volume.name),
                None => known.push((effect, vec![&volume.name])),
            }
        }
        let options = (0..choices.len()).map(|claim| {
            let groups = known.iter().enumerate();
            let open = groups.filter(|(_, (effect, _))| effect.takers[claim]);
            open.map(|(group, _)| group).collect()
        });
        Self {
            options: options.collect(),
            groups: known.into_iter().map(|(_, members)| members).collect(),
        }
    }

    /// Every choice of a group per claim, no volume twice; and whether there are more of them.
    fn combinations(&self) -> (Vec<Vec<usize>>, bool) {
        let mut all: Vec<Vec<usize>> = vec![vec![]];
        let mut is_cut = false;
        for options in &self.options {
            let mut longer = Vec::new();
            for so_far in &all {
                let taken = |group: usize| so_far.iter().filter(|one| **one == group).count();
                let left = |group: &&usize| self.groups[**group].len() > taken(**group);
                for group in options.iter().filter(left) {
                    longer.push([so_far.as_slice(), &[*group]].concat());
                }
            }
            is_cut |= longer.len() > MOST_COMBINATIONS;
            longer.truncate(MOST_COMBINATIONS);
            all = longer;
        }
        (all, is_cut)
    }
}

impl<'a> Effect<'a> {
    fn of(
        state: &'a ClusterState,
        claims: &PodClaims<'_>,
        volume: &'a Volume,
        takers: Vec<bool>,
    ) -> Self {
        let is_wanted = claims.delayed().any(|usage| usage.class == volume.class());
        let driver = driver_and_handle(volume);
        // A volume that is attached somewhere counts there already.
        let attachments = &state.objects().attachments;
        let is_attached = |name: &String| {
            let mut volumes = attachments.iter().filter_map(|one| one.volume.as_ref());
            volumes.any(|attached| attached == name)
        };
        Self {
            affinity: volume.node_affinity.as_ref(),
            zones: zones::values(volume),
            driver: driver.map(|(driver, handle)| {
                let is_counted = is_attached(&volume.name);
                (driver, if is_counted { handle } else { String::new() })
            }),
            field: &volume.source.field,
            takers,
            name: is_wanted.then_some(&volume.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClaimUse, Node, PodVolume};
    use crate::testing::{claim, class, pod, state_with, volume};

    fn placements_of(claims: usize, volumes: usize) -> (usize, BTreeSet<String>) {
        let names: Vec<String> = (0..claims).map(|index| format!("c{index}")).collect();
        let volumes = (0..volumes).map(|index| volume(&format!("v{index:03}")));
        let uses = names.iter().map(|name| PodVolume {
            name: name.clone(),
            claim: ClaimUse::Named(name.clone()),
        });
        let pod = Pod {
            volumes: uses.collect(),
            ..pod("pod", "")
        };
        let claims = names.iter().map(|name| claim(name)).collect();
        let state = state_with(claims, volumes.collect(), |objects| {
            objects.classes = vec![class("any", "kubernetes.io/no-provisioner")];
            objects.nodes = vec![Node {
                name: "n".to_owned(),
                ..Node::default()
            }];
        });
        let meanwhile = Meanwhile::default();
        let attempted = attempt(&state, &pod, Rules::V1_36, None, &meanwhile);
        let Attempt::Judged { placements, .. } = attempted else {
            return (0, BTreeSet::new());
        };
        assert!(placements.iter().all(|placement| !placement.is_cut));
        let sum = placements[0].sum_up();
        (placements[0].ways.len(), sum.bindings["c0"].clone())
    }

    #[test]
    fn equal_volumes_are_one_choice_however_many_they_are() {
        let (ways, volumes) = placements_of(3, 200);
        assert_eq!((ways, volumes.len()), (1, 200));
    }

    #[test]
    fn no_volume_is_bound_to_two_claims_of_a_pod() {
        let (ways, volumes) = placements_of(2, 2);
        assert_eq!((ways, volumes.len()), (1, 2));
        // One of two claims stays without a volume, so that no node is judged.
        assert_eq!(placements_of(2, 1).0, 0);
    }
}
