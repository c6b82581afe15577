//! R10d: what it says about classes.

use serde_json::json;

use super::Expected::{Refused, Taken};
use super::{Rule, rule};
use crate::cluster::validation::bases::{Kind::Class, topology};

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule("R10d class reclaimPolicy empty", Class, &["policy"], Taken, |class, _| class.set("reclaimPolicy", json!(""))),
    rule("R10d class volumeBindingMode empty", Class, &["mode"], Refused("volumeBindingMode", "supported values"), |class, _| {
        class.set("volumeBindingMode", json!(""));
    }),
    rule("R10d empty topology term", Class, &["topologies"], Refused("allowedTopologies", "Duplicate value"), |class, random| {
        class.set("allowedTopologies", json!([{}]));
        if random.chance(50) { class.set("allowedTopologies", json!([topology("zone", &["a"]), { "matchLabelExpressions": [] }, topology("zone", &["b"])])) }
    }),
    rule("R10d repeated topology term", Class, &["topologies"], Refused("allowedTopologies", "Duplicate value"), |class, random| {
        let values: &[&str] = if random.chance(50) { &["b", "a"] } else { &["a", "b"] };
        class.set("allowedTopologies", json!([topology("zone", &["a", "b"]), topology("zone", values)]));
    }),
];
