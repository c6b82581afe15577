//! The search among all volumes, for a claim that names none (R23–R31).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::object::{
    attributes_class, class, designates, is_terminating, modes, name, storage, volume_mode,
};
use super::selector;
use super::{Cluster, Holder, Outcomes, Tie};

impl Cluster {
    /// R23–R30: the groups from few access modes to many, until one of a number has a volume.
    pub(super) fn search(&self, claim: &Value, class: &str) -> Outcomes {
        let mut groups: BTreeMap<(usize, BTreeSet<&str>), Vec<&Value>> = BTreeMap::new();
        for volume in &self.volumes {
            let modes = modes(volume);
            groups.entry((modes.len(), modes)).or_default().push(volume);
        }
        let wanted = modes(claim);
        let mut outcomes = Outcomes::default();
        let mut winning_groups = BTreeMap::new();
        for ((number, offered), volumes) in groups {
            if winning_groups.keys().any(|winner| *winner < number) {
                break;
            }
            if !wanted.is_subset(&offered) {
                continue;
            }
            let found = self.search_group(claim, class, &volumes);
            if !found.volumes.is_empty() {
                *winning_groups.entry(number).or_insert(0) += 1;
                outcomes.volumes.extend(found.volumes);
                outcomes.ties.extend(found.ties);
            }
        }
        if winning_groups.values().any(|winners| *winners > 1) {
            outcomes.ties.insert(Tie::Groups);
        }
        outcomes
    }

    /// R26–R29 within the volumes of one set of access modes.
    fn search_group(&self, claim: &Value, class_wanted: &str, volumes: &[&Value]) -> Outcomes {
        let fits = |volume: &&&Value| {
            let offered = storage(&volume["spec"]["capacity"]);
            offered.compare(&storage(&claim["spec"]["resources"]["requests"])) != Ordering::Less
                && volume_mode(volume) == volume_mode(claim)
                && attributes_class(volume) == attributes_class(claim)
                && !is_terminating(volume)
        };
        let reserved: BTreeSet<String> = volumes
            .iter()
            .filter(fits)
            .filter(|volume| match self.holder(volume) {
                Holder::Nobody => false,
                Holder::Claim(reference) => designates(reference, claim),
            })
            .map(|volume| name(volume).to_owned())
            .collect();
        if !reserved.is_empty() {
            return tied(reserved, Tie::Reservations);
        }
        if self.is_delayed(class_wanted) {
            return Outcomes::default();
        }
        let labels_fit = |volume: &Value| {
            selector::matches(&claim["spec"]["selector"], &volume["metadata"]["labels"])
        };
        let free: Vec<&&Value> = volumes
            .iter()
            .filter(fits)
            .filter(|volume| matches!(self.holder(volume), Holder::Nobody))
            .filter(|volume| labels_fit(volume) && class(volume) == class_wanted)
            .collect();
        let size = |volume: &Value| storage(&volume["spec"]["capacity"]);
        let is_smallest = |one: &Value| {
            free.iter()
                .all(|other| size(one).compare(&size(other)) != Ordering::Greater)
        };
        let smallest = free
            .iter()
            .filter(|volume| is_smallest(volume))
            .map(|volume| name(volume).to_owned())
            .collect();
        tied(smallest, Tie::Sizes)
    }
}

fn tied(volumes: BTreeSet<String>, why: Tie) -> Outcomes {
    let several = volumes.len() > 1;
    Outcomes {
        volumes,
        ties: several.then_some(why).into_iter().collect(),
    }
}
