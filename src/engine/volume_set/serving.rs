//! How many pending claims a pool could serve: claims that may end with one of its volumes, each volume given once.

use super::super::Rules;
use super::super::forecast::{Ask, forecast_for};
use crate::model::ClusterState;
use crate::report::Unknown;
use std::collections::{BTreeMap, BTreeSet};

/// What every unbound claim may end with.
#[derive(Debug, Clone, Default)]
pub struct Serving {
    /// Of each claim, the volumes that are there and that it may get.
    wishes: Vec<BTreeSet<String>>,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// Settles the cluster in memory.
pub fn serve(state: &ClusterState, rules: Rules) -> Serving {
    let ask = Ask {
        namespace: None,
        all: true,
    };
    let forecast = forecast_for(state, rules, &ask);
    let wishes = forecast.claims.into_iter();
    Serving {
        wishes: wishes
            .map(|claim| claim.outcomes.into_iter().collect())
            .collect(),
        unknowns: forecast.unknowns,
    }
}

impl Serving {
    /// How many claims these volumes can serve at once: the largest number of pairs.
    pub fn count(&self, volumes: &BTreeSet<&str>) -> usize {
        let wishes: Vec<Vec<&str>> = self
            .wishes
            .iter()
            .map(|wish| {
                let wish = wish.iter().map(String::as_str);
                wish.filter(|volume| volumes.contains(volume)).collect()
            })
            .collect();
        let mut pairs = Pairs {
            wishes: &wishes,
            taken: BTreeMap::new(),
        };
        (0..wishes.len())
            .filter(|claim| pairs.give(*claim, &mut BTreeSet::new()))
            .count()
    }
}

/// Volumes, each given to a claim.
struct Pairs<'a> {
    wishes: &'a [Vec<&'a str>],
    taken: BTreeMap<&'a str, usize>,
}

impl<'a> Pairs<'a> {
    /// Finds a volume for a claim; whoever has it may move to another one.
    fn give(&mut self, claim: usize, tried: &mut BTreeSet<&'a str>) -> bool {
        let wishes: &'a [Vec<&'a str>] = self.wishes;
        for volume in &wishes[claim] {
            if !tried.insert(volume) {
                continue;
            }
            let holder = self.taken.get(volume).copied();
            if holder.is_none_or(|holder| self.give(holder, tried)) {
                self.taken.insert(volume, claim);
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(wishes: &[&[&str]], volumes: &[&str]) -> usize {
        let wish = |wish: &&[&str]| wish.iter().map(|name| (*name).to_owned()).collect();
        let serving = Serving {
            wishes: wishes.iter().map(wish).collect(),
            unknowns: vec![],
        };
        serving.count(&volumes.iter().copied().collect())
    }

    #[test]
    fn each_volume_serves_one_claim() {
        assert_eq!(
            count(&[&["a", "b"], &["a", "b"], &["a", "b"]], &["a", "b"]),
            2
        );
        // The first claim moves, so that the second gets the only one it can have.
        assert_eq!(count(&[&["a", "b"], &["a"]], &["a", "b"]), 2);
        assert_eq!(count(&[&["a"], &["x"], &[]], &["a", "b"]), 1);
        assert_eq!(count(&[&["a"]], &[]), 0);
    }
}
