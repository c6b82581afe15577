//! `plan` is exact, not merely safe: on thousands of small random clusters it allows precisely what
//! some order of processing leads to, as an oracle finds out by trying all orders and all choices.
//! On larger ones, where nobody can try all, every order tried by chance must be allowed.
//!
//! `KUBECTL_PV_EXACT_SEED` says which clusters (4), for tries by hand.
//!
//! `draw/` makes the clusters, `oracle/` tries the orders, `forecast.rs` reads what `plan` says,
//! `compare.rs` judges, and `worth.rs` shows that clusters and judge are worth their while.

mod compare;
pub(crate) mod draw;
mod exact;
pub(crate) mod forecast;
pub(crate) mod oracle;
mod worth;

use std::env;

use serde_json::Value;

pub(crate) use self::compare::refusals;
use self::draw::{Manner, Place, World};
use crate::random::Random;

const CLUSTERS: usize = 10_000;

/// Up to five claims and six volumes: small enough for all orders.
fn small() -> Manner {
    manner((1, 5), (0, 6))
}

fn manner(claims: (usize, usize), volumes: (usize, usize)) -> Manner {
    Manner {
        name: String::new(),
        namespaces: ["x".to_owned(), "y".to_owned()],
        place: Place::File,
        claims,
        volumes,
    }
}

/// The cluster of this number, whatever was drawn before.
fn world(number: usize, manner: &Manner) -> Vec<Value> {
    let place = u64::try_from(number).expect("a small number");
    let seed = self::number("KUBECTL_PV_EXACT_SEED", 4);
    let mut random = Random::new(seed.wrapping_add(place.wrapping_mul(0x5851_f42d_4c95_7f2d)));
    World::draw(&mut random, manner).objects()
}

/// The cluster as one would write it, to be looked at with `kubectl pv plan -A -f`.
pub(crate) fn yaml(objects: &[Value]) -> String {
    let documents = objects.iter().map(|object| {
        let text = serde_saphyr::to_string(object).expect("objects can be written");
        format!("---\n{}\n", text.trim_end())
    });
    documents.collect()
}

/// A number somebody has set, or the usual one.
#[expect(
    clippy::disallowed_methods,
    reason = "a test has no environment.rs to read it"
)]
pub(crate) fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).map_or(otherwise, |value| value.parse().expect(variable))
}
