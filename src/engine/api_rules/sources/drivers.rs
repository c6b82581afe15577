//! Sources that a driver stands for.

use super::super::field_errors::FieldErrors;
use super::super::forms::lower;
use super::super::values::{pairs, text};
use super::context::Context;
use crate::conventions::names::{NameProblem, label_problems, name_problems};
use crate::model::manifest::Node;

pub(super) fn check_flex(context: &mut Context) {
    context.require("driver");
    for (key, _) in pairs(context.source, "options") {
        let namespace = format!(".{}", lower(key.split('/').next().unwrap_or("")));
        if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
            context.errors.invalid(
                format!("{}.options[{key}]", context.field),
                key,
                "kubernetes.io and k8s.io namespaces are reserved",
            );
        }
    }
}

pub(super) fn check_storage_os(context: &mut Context) {
    context.require("volumeName");
    for key in ["volumeName", "volumeNamespace"] {
        let name = text(context.source, key);
        if !name.is_empty() {
            context.invalid_each(key, &label_problems(name));
        }
    }
    context.require_in_secret(&["name", "namespace"]);
}

pub(super) fn check_csi(context: &mut Context) {
    let driver = text(context.source, "driver");
    context.require("driver");
    if driver.len() > 63 {
        context.errors.too_long(context.at("driver"), 63);
    }
    if !driver.is_empty() {
        context.invalid_each("driver", &name_problems(&lower(driver)));
    }
    context.require("volumeHandle");
    // Not the one of nodeStageSecretRef: nobody looks at that.
    for key in [
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ] {
        if let Some(secret) = context.source.get(key) {
            let field = context.at(key);
            check_csi_secret(context.errors, secret, &field);
        }
    }
}

fn check_csi_secret(errors: &mut FieldErrors, secret: &Node, field: &str) {
    type Problems = fn(&str) -> Vec<NameProblem>;
    let parts: [(&str, Problems); 2] = [("name", name_problems), ("namespace", label_problems)];
    for (key, problems) in parts {
        let field = format!("{field}.{key}");
        let value = text(secret, key);
        if value.is_empty() {
            errors.required(field, "");
        } else {
            errors.invalid_each(&field, value, &problems(value));
        }
    }
}
