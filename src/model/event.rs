//! Events: what the components of the cluster said.

use super::Time;
use crate::conventions::object_ref::ObjectKey;

/// An event on a claim, volume or pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The namespace it is in.
    pub namespace: String,
    /// The kind of the object it is about.
    pub about_kind: String,
    /// The object it is about; the namespace is empty for volumes.
    pub about: ObjectKey,
    /// The uid of that object.
    pub about_uid: Option<String>,
    /// `Normal` or `Warning`.
    pub kind: String,
    /// The reason, a word.
    pub reason: String,
    /// The sentence.
    pub message: String,
    /// Who said it.
    pub component: String,
    /// When it was said last.
    pub last_seen: Option<Time>,
}

impl Event {
    /// Whether it counts as a report about an object: the only place that decides it. A user who can write events in one namespace
    /// can name any object in them, so the event must be in the object's own namespace (`default` if the object has none).
    pub fn is_about(&self, kind: &str, key: &ObjectKey, uid: Option<&str>) -> bool {
        let is_its_namespace = if key.namespace.is_empty() {
            self.namespace == OF_CLUSTER && ["", OF_CLUSTER].contains(&&*self.about.namespace)
        } else {
            self.namespace == key.namespace && self.about.namespace == key.namespace
        };
        is_its_namespace
            && self.about_kind == kind
            && self.about.name == key.name
            && uid.is_some()
            && self.about_uid.as_deref() == uid
    }
}

/// Where events about objects without a namespace are.
const OF_CLUSTER: &str = "default";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::event;

    #[test]
    fn an_event_counts_for_the_object_of_its_own_namespace_that_it_names() {
        let own = event("PersistentVolumeClaim", "ns", "data", "uid-data");
        let is_about =
            |event: &Event, kind: &str, namespace: &str, name: &str, uid: Option<&str>| {
                event.is_about(kind, &ObjectKey::new(namespace, name), uid)
            };
        let claim = "PersistentVolumeClaim";
        assert!(is_about(&own, claim, "ns", "data", Some("uid-data")));
        assert!(!is_about(&own, "Pod", "ns", "data", Some("uid-data")));
        assert!(!is_about(&own, claim, "other", "data", Some("uid-data")));
        assert!(!is_about(&own, claim, "ns", "other", Some("uid-data")));
        assert!(!is_about(&own, claim, "ns", "data", Some("uid-other")));
        assert!(!is_about(&own, claim, "ns", "data", None));
        let forged = Event {
            namespace: "evil".to_owned(),
            ..own
        };
        assert!(!is_about(&forged, claim, "ns", "data", Some("uid-data")));
        let volume = event("PersistentVolume", "", "v", "uid-v");
        assert!(is_about(
            &volume,
            "PersistentVolume",
            "",
            "v",
            Some("uid-v")
        ));
        for namespace in ["evil", "kube-system"] {
            let mut forged = event("PersistentVolume", namespace, "v", "uid-v");
            assert!(!is_about(
                &forged,
                "PersistentVolume",
                "",
                "v",
                Some("uid-v")
            ));
            forged.about.namespace.clear();
            assert!(!is_about(
                &forged,
                "PersistentVolume",
                "",
                "v",
                Some("uid-v")
            ));
        }
    }
}
