//! What the claim under test asks for, kept beside the claim so that volumes can be made which
//! fit it, or miss it by one thing. The claim object is built here; volumes are in `volumes.rs`.

use serde_json::{Value, json};

use super::case::Case;
use super::classes::{Binding, add_own_class};
use super::sizes::Size;
use crate::random::Random;

/// Tells the volumes of a case apart where their class does not.
const POOL: &str = "pool";
pub(super) const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

const MODES: &[(usize, &[&str])] = &[
    (45, &["ReadWriteOnce"]),
    (10, &["ReadOnlyMany"]),
    (8, &["ReadWriteMany"]),
    (7, &["ReadWriteOncePod"]),
    (8, &["ReadWriteOnce", "ReadOnlyMany"]),
    (8, &["ReadWriteMany", "ReadWriteOnce"]),
    (5, &["ReadOnlyMany", "ReadWriteMany"]),
    (5, &["ReadWriteOnce", "ReadWriteOnce"]),
    (4, &["ReadWriteMany", "ReadOnlyMany", "ReadWriteOnce"]),
];

/// What all cases of a batch share.
pub(super) struct Surroundings {
    pub(super) namespace: String,
    /// Where a LimitRange appears after the claims.
    pub(super) limited_namespace: String,
    /// Where no claim may get a default class afterwards.
    pub(super) quota_namespace: String,
    /// The class that claims without one get sooner or later.
    pub(super) default_class: Option<String>,
}

impl Surroundings {
    pub(super) fn namespaces(&self) -> [&str; 3] {
        [
            &self.namespace,
            &self.limited_namespace,
            &self.quota_namespace,
        ]
    }
}

/// How a claim names its class.
#[derive(Clone, Copy)]
enum Naming {
    Field,
    Annotation,
    AnnotationOverField,
    EmptyField,
    EmptyAnnotation,
    Unset,
}

/// What the claim under test asks for.
pub(super) struct Wish {
    pub(super) size: Size,
    pub(super) modes: Vec<&'static str>,
    /// No volume offers these modes and no others, so that groups of equally many compete.
    pub(super) no_exact_modes: bool,
    pub(super) block: bool,
    pub(super) attributes: Option<String>,
    pub(super) selector: Value,
    /// The classes a volume may have to be considered, the first one above all.
    pub(super) classes: Vec<String>,
    naming: Naming,
}

impl Wish {
    /// A wish that no volume of another case can fulfil.
    pub(super) fn any(
        random: &mut Random,
        case: &mut Case,
        around: &Surroundings,
        binding: Option<Binding>,
    ) -> Self {
        // A quota on default classes is of interest to claims without a class.
        let is_refused_classes = case.namespace == around.quota_namespace;
        let own_class =
            binding.is_some() || random.chance(if is_refused_classes { 20 } else { 72 });
        let naming = if own_class {
            use Naming::{Annotation, AnnotationOverField, Field};
            random.weighted(&[(75, Field), (15, Annotation), (10, AnnotationOverField)])
        } else {
            use Naming::{EmptyAnnotation, EmptyField, Unset};
            random.weighted(&[(30, EmptyField), (10, EmptyAnnotation), (60, Unset)])
        };
        let classes = match naming {
            Naming::Unset => {
                let mut classes = vec![String::new()];
                classes.extend(around.default_class.clone());
                if random.chance(50) {
                    classes.reverse();
                }
                classes
            }
            Naming::EmptyField | Naming::EmptyAnnotation => vec![String::new()],
            _ => vec![add_own_class(random, case, binding)],
        };
        // Without a class of its own the case is told apart by a label or an attributes class.
        let by_attributes = !own_class && random.chance(25);
        let attributes =
            (by_attributes || random.chance(15)).then(|| format!("{}-gold", case.name));
        let selector = if !own_class && !by_attributes {
            selector(random, Some(case))
        } else if random.chance(30) {
            selector(random, None)
        } else {
            Value::Null
        };
        Self {
            size: Size::any(random),
            modes: random.weighted(MODES).to_vec(),
            no_exact_modes: random.chance(18),
            block: random.chance(22),
            attributes,
            selector,
            classes,
            naming,
        }
    }

    /// The claim that asks for it.
    pub(super) fn claim(&self, random: &mut Random, case: &Case, name: &str) -> Value {
        let mut claim = json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": case.namespaced(name),
            "spec": {
                "accessModes": self.modes,
                "resources": { "requests": { "storage": self.size.spelling(random) } },
            },
        });
        let spec = &mut claim["spec"];
        if !self.selector.is_null() {
            spec["selector"] = self.selector.clone();
        }
        if self.block {
            spec["volumeMode"] = json!("Block");
        } else if random.chance(30) {
            spec["volumeMode"] = json!("Filesystem");
        }
        if let Some(attributes) = &self.attributes {
            spec["volumeAttributesClassName"] = json!(attributes);
        } else if random.chance(5) {
            spec["volumeAttributesClassName"] = json!("");
        }
        match self.naming {
            Naming::Field => spec["storageClassName"] = json!(self.classes[0]),
            Naming::EmptyField => spec["storageClassName"] = json!(""),
            Naming::AnnotationOverField => {
                spec["storageClassName"] = json!(format!("{}-ignored", case.name));
                claim["metadata"]["annotations"] = json!({ CLASS_ANNOTATION: self.classes[0] });
            }
            Naming::Annotation | Naming::EmptyAnnotation => {
                claim["metadata"]["annotations"] = json!({ CLASS_ANNOTATION: self.classes[0] });
            }
            Naming::Unset => {}
        }
        claim
    }
}

/// A selector that volumes labelled by [`label`] pass.
fn selector(random: &mut Random, own_label_of: Option<&Case>) -> Value {
    let mut labels = json!({});
    let mut expressions = Vec::new();
    if let Some(case) = own_label_of {
        labels[POOL] = json!(case.name);
    }
    if random.chance(30) {
        labels["tier"] = json!("gold");
    }
    for (operator, key, values) in [
        ("In", "tier", json!(["gold", "silver"])),
        ("NotIn", "zone", json!(["b", "c"])),
        ("Exists", "tier", Value::Null),
        ("DoesNotExist", "retired", Value::Null),
    ] {
        if random.chance(30) {
            let mut expression = json!({ "key": key, "operator": operator });
            if !values.is_null() {
                expression["values"] = values;
            }
            expressions.push(expression);
        }
    }
    let mut selector = json!({});
    if labels != json!({}) {
        selector["matchLabels"] = labels;
    }
    if !expressions.is_empty() {
        selector["matchExpressions"] = json!(expressions);
    }
    selector
}

/// Labels that pass every selector made here; or that miss one that looks at them.
pub(super) fn label(random: &mut Random, case: &Case, volume: &mut Value, fitting: bool) {
    let labels = &mut volume["metadata"]["labels"];
    labels[POOL] = json!(case.name);
    labels["tier"] = json!("gold");
    if random.chance(40) {
        labels["zone"] = json!("a");
    }
    if !fitting {
        match random.below(4) {
            0 => labels["tier"] = json!("bronze"),
            1 => labels["zone"] = json!("b"),
            2 => labels["retired"] = json!("yes"),
            _ => labels[POOL] = json!("none"),
        }
    }
}
