//! Random cases, the same ones for the same seed, of several sorts, because chance alone would
//! hardly ever meet the rarer rules. The sorts are in `searching.rs` and `past.rs`.
//! Nothing is left out because the control plane and the engine disagree on it. What is left out:
//!
//! - what the API server refuses, which other tests ask it about;
//! - several claims that compete for a volume: who comes first is not determined (R32);
//! - free volumes the controller has not seen yet: whether a claim sees them is not determined (R31).

use super::case::Case;
use super::classes::Binding;
use super::past::{left_behind, was_bound_by_hand, was_provisioned, was_really_bound};
use super::pods::add_pods;
use super::searching::{names_volume, searches, ties};
use super::wish::Surroundings;
use crate::random::Random;

/// The node that exists where there is one.
pub(super) const NODE: &str = "agreement-node";

#[derive(Clone, Copy)]
enum Sort {
    Searches,
    Ties,
    WaitsForPod,
    NamesVolume,
    WasBound,
    WasProvisioned,
    LeftBehind,
}

/// One case by chance.
pub(super) fn case(random: &mut Random, around: &Surroundings, name: String) -> Case {
    let namespace = random.weighted(&[
        (92, &around.namespace),
        (4, &around.limited_namespace),
        (4, &around.quota_namespace),
    ]);
    let mut case = Case {
        claim: format!("{name}-data"),
        namespace: namespace.clone(),
        name,
        ..Case::default()
    };
    let sort = random.weighted(&[
        (50, Sort::Searches),
        (7, Sort::Ties),
        (14, Sort::WaitsForPod),
        (14, Sort::NamesVolume),
        (9, Sort::WasBound),
        (3, Sort::WasProvisioned),
        (3, Sort::LeftBehind),
    ]);
    match sort {
        Sort::Searches => searches(random, &mut case, around, None),
        Sort::Ties => ties(random, &mut case, around),
        Sort::WaitsForPod => {
            searches(random, &mut case, around, Some(Binding::Delayed));
            add_pods(random, &mut case);
        }
        Sort::NamesVolume => names_volume(random, &mut case, around),
        Sort::WasBound if random.chance(50) => was_bound_by_hand(random, &mut case, around),
        Sort::WasBound => was_really_bound(random, &mut case, around),
        Sort::WasProvisioned => was_provisioned(random, &mut case, around),
        Sort::LeftBehind => left_behind(random, &mut case, around),
    }
    case
}
