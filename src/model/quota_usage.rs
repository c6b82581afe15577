//! What a claim uses of a ResourceQuota, and which quotas count it (R10b). Whether it is too much, the engine says.

use super::{Claim, Quota, QuotaScope};
use crate::conventions::quantity::Quantity;
use std::collections::BTreeMap;

/// What stands between a class and what is counted of it, in the keys of a quota.
pub const CLASS_MARK: &str = ".storageclass.storage.k8s.io/";

/// Amounts by the keys of a quota.
pub type Usage = BTreeMap<String, Quantity>;

impl Claim {
    /// What quotas count of this claim.
    pub fn quota_usage(&self) -> Usage {
        let one = || Quantity::parse("1").unwrap_or_else(|_| Quantity::zero());
        let mut usage = Usage::from([
            ("persistentvolumeclaims".to_owned(), one()),
            ("count/persistentvolumeclaims".to_owned(), one()),
        ]);
        let class = self.class.resolved();
        if !class.is_empty() {
            usage.insert(format!("{class}{CLASS_MARK}persistentvolumeclaims"), one());
        }
        let request = self.requested.as_ref().map(Quantity::rounded_up);
        let storage = match (request, self.allocated.as_ref().map(Quantity::rounded_up)) {
            (Some(request), Some(allocated)) => Some(request.max(allocated)),
            (request, _) => request,
        };
        if let Some(storage) = storage {
            usage.insert("requests.storage".to_owned(), storage.clone());
            if !class.is_empty() {
                usage.insert(format!("{class}{CLASS_MARK}requests.storage"), storage);
            }
        }
        usage
    }
}

impl Quota {
    /// Whether it counts this claim: only scopes about attributes classes can match a claim at all.
    pub fn counts(&self, claim: &Claim) -> bool {
        let names: Vec<&str> = [
            claim.attributes_class.as_deref(),
            claim.current_attributes_class.as_deref(),
        ]
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty())
        .collect();
        let matches =
            |scope: &QuotaScope| scope.name == "VolumeAttributesClass" && scope.matches(&names);
        self.key.namespace == claim.key.namespace && self.scopes.iter().all(matches)
    }
}

impl QuotaScope {
    fn matches(&self, names: &[&str]) -> bool {
        let listed = || {
            names
                .iter()
                .any(|name| self.values.iter().any(|value| value == name))
        };
        match self.operator.as_str() {
            "Exists" => !names.is_empty(),
            "DoesNotExist" => names.is_empty(),
            "In" => listed(),
            "NotIn" => !listed(),
            _ => false,
        }
    }
}
