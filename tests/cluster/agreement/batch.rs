//! Many cases that live together, and what they have in common: namespaces, default classes, a
//! node. `stages.rs` puts a batch into the control plane, `clear.rs` takes it out again.

use serde_json::{Value, json};

use super::case::{CASE, Case};
use super::classes::{Binding, class};
use super::generate::case;
use super::wish::Surroundings;
use crate::random::Random;

/// When there is a default class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DefaultClass {
    Never,
    /// Before the claims: the API server writes it into them.
    Before,
    /// After the claims: the controller does (R15).
    Late,
}

/// What is in the control plane at one time.
pub(super) struct Batch {
    pub(super) cases: Vec<Case>,
    pub(super) around: Surroundings,
    pub(super) default: DefaultClass,
    pub(super) default_classes: Vec<Value>,
    /// Looks like one and is none (R16).
    pub(super) no_default_class: Value,
    pub(super) has_node: bool,
}

impl Batch {
    /// The batch of this number: every fourth is of the same kind.
    pub(super) fn generate(seed: u64, number: usize, size: usize) -> Self {
        let stream = u64::try_from(number).expect("a small number");
        let mut random = Random::new(seed.wrapping_add(stream.wrapping_mul(0x5851_f42d_4c95_7f2d)));
        let (default, names): (_, &[&str]) = match number % 4 {
            0 => (DefaultClass::Never, &[]),
            1 => (DefaultClass::Late, &["standard"]),
            2 => (DefaultClass::Before, &["standard"]),
            _ => (DefaultClass::Late, &["older", "newer"]),
        };
        let prefix = format!("a{number}");
        let default_classes = names
            .iter()
            .map(|name| default_class(&mut random, &format!("{prefix}-{name}"), "true"))
            .collect();
        let around = Surroundings {
            namespace: format!("agreement-{number}"),
            limited_namespace: format!("agreement-{number}-limited"),
            quota_namespace: format!("agreement-{number}-quota"),
            default_class: names.last().map(|name| format!("{prefix}-{name}")),
        };
        let cases = (0..size)
            .map(|index| case(&mut random, &around, format!("{prefix}-c{index}")))
            .collect();
        Self {
            cases,
            around,
            default,
            default_classes,
            no_default_class: default_class(&mut random, &format!("{prefix}-no-default"), "True"),
            has_node: number % 2 == 1,
        }
    }

    /// One sort of objects of all cases.
    pub(super) fn gather(&self, part: impl Fn(&Case) -> &Vec<Value>) -> Vec<Value> {
        let objects = self.cases.iter().flat_map(|case| part(case).clone());
        objects.collect()
    }
}

fn default_class(random: &mut Random, name: &str, marked: &str) -> Value {
    let delayed = random.chance(25);
    let binding = if delayed {
        Binding::Delayed
    } else {
        Binding::Immediate
    };
    let key = random.pick(&[
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
    ]);
    let annotations = json!({ key: marked });
    let metadata = json!({ "name": name, "labels": { CASE: "all" }, "annotations": annotations });
    class(random, &metadata, binding)
}
