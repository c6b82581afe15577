//! What around a claim and its volumes has a say: classes, limits and quotas.

use std::cmp::Ordering;

use serde_json::Value;

use super::Cluster;
use super::object::{has_class, name, storage};
use super::quantity::Quantity;

const DEFAULT_CLASS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

impl Cluster {
    /// R15 and R16: the class that is written into a claim without one that found nothing.
    pub(super) fn retroactive_class(&self, claim: &Value) -> Option<&str> {
        if has_class(claim) {
            return None;
        }
        let is_default = |class: &&Value| {
            let annotations = &class["metadata"]["annotations"];
            DEFAULT_CLASS.iter().any(|key| annotations[key] == "true")
        };
        let created = |class: &Value| class["metadata"]["creationTimestamp"].to_string();
        self.classes
            .iter()
            .filter(is_default)
            .min_by(|a, b| created(b).cmp(&created(a)).then(name(a).cmp(name(b))))
            .map(name)
    }

    /// R10b: whether a quota lets one more claim have this class.
    pub(super) fn may_have(&self, claim: &Value, class: &str) -> bool {
        let key = format!("{class}.storageclass.storage.k8s.io/persistentvolumeclaims");
        let count = |amounts: &Value| amounts[&key].as_str()?.parse::<u32>().ok();
        let namespace = &claim["metadata"]["namespace"];
        let quotas = self
            .quotas
            .iter()
            .filter(|quota| quota["metadata"]["namespace"] == *namespace);
        quotas.map(|quota| &quota["status"]).all(|status| {
            count(&status["hard"]).is_none_or(|hard| count(&status["used"]).unwrap_or(0) < hard)
        })
    }

    /// R17.
    pub(super) fn is_delayed(&self, class: &str) -> bool {
        self.classes.iter().any(|object| {
            name(object) == class && object["volumeBindingMode"] == "WaitForFirstConsumer"
        })
    }

    /// R10a.
    pub(super) fn breaks_a_limit(&self, claim: &Value) -> bool {
        // A claim that is on its way out is let through.
        if claim["metadata"]["deletionTimestamp"].is_string() {
            return false;
        }
        let wanted = storage(&claim["spec"]["resources"]["requests"]);
        let breaks = |item: &Value, end: &str, order: Ordering| {
            let limit = item[end]["storage"].as_str();
            limit.is_some_and(|limit| wanted.compare_as_limits_are(&Quantity::read(limit)) == order)
        };
        self.limit_ranges
            .iter()
            .filter(|range| range["metadata"]["namespace"] == claim["metadata"]["namespace"])
            .flat_map(|range| range["spec"]["limits"].as_array().expect("limits"))
            .filter(|item| item["type"] == "PersistentVolumeClaim")
            .any(|item| {
                breaks(item, "max", Ordering::Greater) || breaks(item, "min", Ordering::Less)
            })
    }
}
