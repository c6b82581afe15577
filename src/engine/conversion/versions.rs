//! API versions that were, and the one that is.

use super::Rewriting;
use crate::model::manifest::{Manifest, Node};

/// The API version a kind has today, if the one it was written with is gone.
fn today(group: &str, version: &str, kind: &str) -> Option<&'static str> {
    match (group, kind) {
        ("storage.k8s.io" | "extensions" | "", "StorageClass") => {
            (group != "storage.k8s.io" || version != "v1").then_some("storage.k8s.io/v1")
        }
        (
            "storage.k8s.io",
            "CSIDriver"
            | "CSINode"
            | "CSIStorageCapacity"
            | "VolumeAttachment"
            | "VolumeAttributesClass",
        ) => (version != "v1").then_some("storage.k8s.io/v1"),
        ("snapshot.storage.k8s.io", "VolumeSnapshot") => {
            (version != "v1").then_some("snapshot.storage.k8s.io/v1")
        }
        ("batch", "CronJob") => (version != "v1").then_some("batch/v1"),
        (
            "",
            "PersistentVolume"
            | "PersistentVolumeClaim"
            | "Pod"
            | "ConfigMap"
            | "Node"
            | "LimitRange"
            | "ResourceQuota",
        ) => (version != "v1").then_some("v1"),
        _ => None,
    }
}

pub(super) fn rewrite(rewriting: &mut Rewriting, manifest: &Manifest) {
    let written = manifest.api_version.as_str();
    let version = written.rsplit('/').next().unwrap_or(written);
    let Some(today) = today(manifest.group(), version, &manifest.kind) else {
        return;
    };
    let place = rewriting.place_of("apiVersion");
    rewriting.root.set("apiVersion", Node::text(today));
    rewriting.dropped(
        "apiVersion".to_owned(),
        place,
        format!("{written} is now {today}"),
        format!(
            "no API server of today knows a {} of {written}",
            manifest.kind
        ),
    );
}
