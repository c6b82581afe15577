//! Pods: seed 001 puts the source of a volume one level down and calls the claim `claimRef`.

use super::{Rewriting, claim, join};
use crate::model::manifest::{Content, Node};

/// Where the pods and claims of workloads stand.
const TEMPLATES: [&str; 2] = ["spec.template.spec", "spec.jobTemplate.spec.template.spec"];

/// Rewrites the pods that a workload makes, and its claims.
pub(super) fn rewrite_templates(rewriting: &mut Rewriting) {
    for template in TEMPLATES {
        rewrite(rewriting, template);
    }
    let count = rewriting
        .at("spec")
        .and_then(|spec| spec.get("volumeClaimTemplates"))
        .map_or(0, |templates| templates.items().len());
    for index in 0..count {
        claim::rewrite(rewriting, &format!("spec.volumeClaimTemplates[{index}]"));
    }
}

/// Rewrites the volumes of the pod whose spec is at this path.
pub(super) fn rewrite(rewriting: &mut Rewriting, spec: &str) {
    let count = rewriting
        .at(spec)
        .and_then(|spec| spec.get("volumes"))
        .map_or(0, |volumes| volumes.items().len());
    for index in 0..count {
        let volume = format!("{}[{index}]", join(spec, "volumes"));
        lift_source(rewriting, &volume);
        name_claim(rewriting, &volume);
        claim::rewrite(
            rewriting,
            &format!("{volume}.ephemeral.volumeClaimTemplate"),
        );
    }
}

fn lift_source(rewriting: &mut Rewriting, volume: &str) {
    let field = join(volume, "source");
    let place = rewriting.place_of(&field);
    let Some(node) = rewriting.at(volume) else {
        return;
    };
    let Some(source) = node.remove("source") else {
        return;
    };
    let Content::Map(entries) = source.value.content else {
        return;
    };
    for entry in entries {
        if node.get(&entry.key).is_none() {
            node.set(&entry.key, entry.value);
        }
    }
    rewriting.dropped(
        field,
        place,
        "left out, its fields put in its place",
        "a pod's volume has no field source",
    );
}

fn name_claim(rewriting: &mut Rewriting, volume: &str) {
    let source = format!("{volume}.persistentVolumeClaim");
    let (field, mode) = (join(&source, "claimRef"), join(&source, "accessMode"));
    let (place, mode_place) = (rewriting.place_of(&field), rewriting.place_of(&mode));
    let Some(node) = rewriting.at(&source) else {
        return;
    };
    let reference = node.remove("claimRef");
    let had_mode = reference.is_some() && node.remove("accessMode").is_some();
    let Some(reference) = reference else { return };
    if node.get("claimName").is_none()
        && let Some(name) = reference.value.get_text("name")
    {
        node.set("claimName", Node::text(name));
    }
    rewriting.dropped(
        field,
        place,
        "is now claimName",
        "a pod names its claim by claimName",
    );
    if had_mode {
        rewriting.dropped(
            mode,
            mode_place,
            "left out",
            "the claim says it, and a pod cannot choose",
        );
    }
}
