//! Requests that are built from names: the only place that puts a name into a path or a field selector.
//!
//! Names come from other objects too: a claim's `volumeName` is whatever its owner wrote. A name that no object can have is never
//! requested: such an object does not exist. What remains has no character with a meaning in a path or a selector.

use crate::conventions::names::name_problems;
use std::fmt::Write;

/// Where one object is, below the path of its collection; `None` if no object can have the name.
pub(crate) fn object_path(collection: &str, name: &str) -> Option<String> {
    can_exist(name).then(|| format!("{collection}/{name}"))
}

/// The list of the one object of a name: a role that allows to list a kind need not allow to get its objects. `None` if no
/// object can have the name.
pub(crate) fn list_of_one(collection: &str, name: &str) -> Option<String> {
    can_exist(name).then(|| format!("{collection}?fieldSelector=metadata.name%3D{name}"))
}

/// The objects of a namespace, or of the cluster, in one API group and version.
pub(crate) fn collection_path(api_version: &str, namespace: Option<&str>, plural: &str) -> String {
    let root = if api_version.contains('/') {
        "/apis"
    } else {
        "/api"
    };
    match namespace {
        Some(namespace) => {
            let namespace = escape(namespace);
            format!("{root}/{api_version}/namespaces/{namespace}/{plural}")
        }
        None => format!("{root}/{api_version}/{plural}"),
    }
}

/// Whether an object of one of the kinds read here can have the name.
pub(crate) fn can_exist(name: &str) -> bool {
    name_problems(name).is_empty()
}

/// Percent-encoding for one segment or value. A segment of dots alone would mean another path.
pub(crate) fn escape(text: &str) -> String {
    let is_dots = text == "." || text == "..";
    let mut escaped = String::new();
    for byte in text.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        if is_plain && !is_dots {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_object_can_have_is_not_requested() {
        let volumes = collection_path("v1", None, "persistentvolumes");
        assert_eq!(
            list_of_one(&volumes, "pv-1").as_deref(),
            Some("/api/v1/persistentvolumes?fieldSelector=metadata.name%3Dpv-1")
        );
        assert_eq!(
            object_path(&volumes, "pv.1").as_deref(),
            Some("/api/v1/persistentvolumes/pv.1")
        );
        let long = "n".repeat(254);
        for name in [
            "a=b", "a,b", "a\\b", "a/b", "a%2Fb", "..", "", "A", " ", &long,
        ] {
            assert_eq!(object_path(&volumes, name), None, "{name}");
            assert_eq!(list_of_one(&volumes, name), None, "{name}");
        }
        assert_eq!(
            collection_path("apps/v1", Some(".."), "jobs"),
            "/apis/apps/v1/namespaces/%2E%2E/jobs"
        );
    }
}
