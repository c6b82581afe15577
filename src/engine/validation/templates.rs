//! Claims that a manifest would make: the templates of a StatefulSet, and the ephemeral volumes of pods.

use crate::model::manifest::{Manifest, Node};
use crate::report::FindingObject;

/// A template of a claim.
pub(super) struct Template<'a> {
    /// Where it stands.
    pub(super) path: String,
    /// What it says.
    pub(super) node: &'a Node,
    /// How the names of its claims begin.
    prefix: String,
}

/// Every template of a manifest.
pub(super) fn all(manifest: &Manifest) -> Vec<Template<'_>> {
    let root = &manifest.root;
    let name = manifest.name();
    let mut found = Vec::new();
    let claims = root
        .get("spec")
        .and_then(|spec| spec.get("volumeClaimTemplates"));
    for (index, node) in claims.map_or(&[][..], Node::items).iter().enumerate() {
        let own = node
            .get("metadata")
            .and_then(|metadata| metadata.get_text("name"));
        found.push(Template {
            path: format!("spec.volumeClaimTemplates[{index}]"),
            node,
            prefix: format!("{}-{name}", own.unwrap_or("")),
        });
    }
    for path in [
        "spec",
        "spec.template.spec",
        "spec.jobTemplate.spec.template.spec",
    ] {
        let steps = path.split('.');
        let spec = steps
            .into_iter()
            .try_fold(root, |node, step| node.get(step));
        let volumes = spec.and_then(|spec| spec.get("volumes"));
        for (index, volume) in volumes.map_or(&[][..], Node::items).iter().enumerate() {
            let template = volume
                .get("ephemeral")
                .and_then(|ephemeral| ephemeral.get("volumeClaimTemplate"));
            found.extend(template.map(|node| Template {
                path: format!("{path}.volumes[{index}].ephemeral.volumeClaimTemplate"),
                node,
                prefix: name.clone(),
            }));
        }
    }
    found
}

/// Below which path the claim that a finding is about stands in a manifest of something else.
pub(super) fn find(manifest: &Manifest, object: &FindingObject) -> Option<String> {
    if object.kind == manifest.kind || object.kind != "PersistentVolumeClaim" {
        return None;
    }
    let mut templates = all(manifest).into_iter();
    templates
        .find(|template| object.name.starts_with(&template.prefix))
        .map(|template| template.path)
}
