//! Storage classes: which one an object has, which one is the default, and whether a class has a
//! volume made for a claim that finds none (R11–R17, R91–R99).

use serde_json::Value;

const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";
const DEFAULT_ANNOTATIONS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

/// The class of a claim or a volume, if it says anything about one; `""` is a class too (R13).
pub(super) fn class_of(object: &Value) -> Option<&str> {
    let annotation = object["metadata"]["annotations"].get(CLASS_ANNOTATION);
    let field = object["spec"].get("storageClassName");
    annotation.or(field).and_then(Value::as_str)
}

/// The classes and drivers of a cluster.
pub(super) struct Classes<'a> {
    classes: Vec<&'a Value>,
    drivers: Vec<&'a str>,
}

impl<'a> Classes<'a> {
    pub(super) fn new(objects: &'a [Value]) -> Self {
        let of_kind =
            |kind: &'static str| objects.iter().filter(move |object| object["kind"] == kind);
        Self {
            classes: of_kind("StorageClass").collect(),
            drivers: of_kind("CSIDriver").filter_map(name).collect(),
        }
    }

    /// The newest that is marked; of equally new ones the first by name (R16).
    pub(super) fn default(&self) -> Option<&'a str> {
        let marked = |class: &&&Value| {
            let annotations = &class["metadata"]["annotations"];
            DEFAULT_ANNOTATIONS
                .iter()
                .any(|key| annotations[key] == "true")
        };
        let mut marked: Vec<&Value> = self.classes.iter().filter(marked).copied().collect();
        marked.sort_by_key(|class| name(class));
        marked.sort_by_key(|class| {
            std::cmp::Reverse(
                class["metadata"]["creationTimestamp"]
                    .as_str()
                    .unwrap_or(""),
            )
        });
        marked.first().and_then(|class| name(class))
    }

    /// Whether claims of this class wait for a pod (R17).
    pub(super) fn is_delayed(&self, class: &str) -> bool {
        self.find(class)
            .is_some_and(|class| class["volumeBindingMode"] == "WaitForFirstConsumer")
    }

    /// Whether somebody makes a volume for this claim when nothing is found. Nobody plays a pod
    /// here, so what is delayed waits. `makers` have made one already.
    pub(super) fn provisions(&self, class: &str, claim: &Value, makers: &[&str]) -> bool {
        let Some(found) = self.find(class) else {
            return false; // R91, and "" is never provisioned
        };
        if self.is_delayed(class) {
            return false;
        }
        let spec = &claim["spec"];
        match found["provisioner"].as_str().expect("a provisioner") {
            // Copies neither mode nor attributes class (R96). What others made is nothing to it.
            "kubernetes.io/host-path" => {
                spec["volumeMode"] != "Block"
                    && spec["volumeAttributesClassName"]
                        .as_str()
                        .unwrap_or("")
                        .is_empty()
            }
            in_tree if in_tree.starts_with("kubernetes.io/") => false, // R94
            // Provisioners outside refuse selectors (R99); one that is not there does nothing, and
            // one that has made a volume which does not fit makes no other (R98).
            outside => {
                spec.get("selector").is_none()
                    && self.drivers.contains(&outside)
                    && !makers.contains(&outside)
            }
        }
    }

    fn find(&self, class: &str) -> Option<&'a Value> {
        self.classes
            .iter()
            .find(|object| name(object) == Some(class))
            .copied()
    }
}

fn name(object: &Value) -> Option<&str> {
    object["metadata"]["name"].as_str()
}
