//! The classes a generated claim may ask for: who provisions, when is bound, or no object at all.

use serde_json::{Value, json};

use super::case::Case;
use crate::random::Random;

/// A driver that is registered by a CSIDriver object, though nobody runs it.
pub(super) const REGISTERED_DRIVER: &str = "csi.registered.example.com";

const PROVISIONERS: &[(usize, &str)] = &[
    (30, "kubernetes.io/no-provisioner"),
    (22, "kubernetes.io/host-path"),
    (6, "kubernetes.io/nfs"),
    (6, "kubernetes.io/unknown"),
    (8, "kubernetes.io/aws-ebs"),
    (20, "example.com/x"),
    (8, "csi.example.com"),
    (6, REGISTERED_DRIVER),
];

/// When volumes of a class are bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    Immediate,
    Delayed,
}

/// A class object with a provisioner by chance.
pub(super) fn class(random: &mut Random, metadata: &Value, binding: Binding) -> Value {
    let mode = match binding {
        Binding::Immediate => "Immediate",
        Binding::Delayed => "WaitForFirstConsumer",
    };
    let mut class = json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": metadata,
        "provisioner": random.weighted(PROVISIONERS),
        "volumeBindingMode": mode,
        "reclaimPolicy": random.pick(&["Delete", "Retain"]),
    });
    if random.chance(15) {
        class["mountOptions"] = json!(["ro", "soft"]);
    }
    class
}

/// The class of a case under a name of its own; sometimes there is only the name (R18).
pub(super) fn add_own_class(
    random: &mut Random,
    case: &mut Case,
    binding: Option<Binding>,
) -> String {
    let name = format!("{}-fast", case.name);
    let binding = binding.unwrap_or_else(|| {
        let delayed = random.chance(8);
        if delayed {
            Binding::Delayed
        } else {
            Binding::Immediate
        }
    });
    if binding == Binding::Delayed || random.chance(85) {
        let class = class(random, &case.metadata(&name), binding);
        case.classes.push(class);
    }
    name
}
