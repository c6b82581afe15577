//! Sources that are reached over a network.

use super::super::forms::{is_host_and_port, is_iscsi_name};
use super::super::values::{as_text, flag, items, text};
use super::context::Context;
use crate::conventions::names::{go_quote, label_problems};

pub(super) fn check_glusterfs(context: &mut Context) {
    context.require("endpoints");
    context.require("path");
    let Some(namespace) = context.source.get("endpointsNamespace").map(as_text) else {
        return;
    };
    if namespace.is_empty() {
        context.invalid(
            "endpointsNamespace",
            "if the endpointnamespace is set, it must be a valid namespace name",
        );
    } else {
        context.invalid_each("endpointsNamespace", &label_problems(namespace));
    }
}

pub(super) fn check_flocker(context: &mut Context) {
    let named = !context.text("datasetName").is_empty();
    let identified = !context.text("datasetUUID").is_empty();
    if !named && !identified {
        context.errors.required(
            &context.field,
            "one of datasetName and datasetUUID is required",
        );
    }
    if named && identified {
        context.errors.invalid(
            &context.field,
            "resource",
            "datasetName and datasetUUID can not be specified simultaneously",
        );
    }
    if context.text("datasetName").contains('/') {
        context.invalid("datasetName", "must not contain '/'");
    }
}

pub(super) fn check_nfs(context: &mut Context) {
    context.require("server");
    context.require("path");
    if !context.text("path").starts_with('/') {
        context.invalid("path", "must be an absolute path");
    }
}

pub(super) fn check_rbd(context: &mut Context) {
    context.require_items("monitors");
    context.require("image");
}

pub(super) fn check_quobyte(context: &mut Context) {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let registry = text(context.source, "registry");
    if registry.is_empty() {
        context.errors.required(context.at("registry"), PAIRS);
    } else if context.text("tenant").len() >= 65 {
        context.errors.required(
            context.at("tenant"),
            "must be a UUID and may not exceed a length of 64 characters",
        );
    } else {
        for _ in registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            context.invalid("registry", PAIRS);
        }
    }
    context.require("volume");
}

pub(super) fn check_iscsi(context: &mut Context) {
    context.require("targetPortal");
    let initiator = context.source.get("initiatorName").map(as_text);
    // Name, colon and portal together are the name of an initiator.
    let length = context.volume_name.len() + 1 + context.text("targetPortal").len();
    if initiator.is_some() && length > 64 {
        let portal = text(context.source, "targetPortal");
        context.errors.invalid(
            context.at("targetportal"),
            portal,
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is \
             specified.",
        );
    }
    if context.text("iqn").is_empty() {
        context.require("iqn");
    } else if !is_iscsi_name(context.text("iqn")) {
        context.invalid("iqn", "must be valid format");
    }
    context.check_byte("lun", "must be between 0 and 255, inclusive");
    let authenticates = ["chapAuthDiscovery", "chapAuthSession"]
        .iter()
        .any(|key| flag(context.source, key) == Some(true));
    if authenticates && context.source.get("secretRef").is_none() {
        context.errors.required(context.at("secretRef"), "");
    }
    context.require_in_secret(&["name"]);
    if let Some(name) = initiator.filter(|name| !is_iscsi_name(name)) {
        let field = context.at("initiatorname");
        context.errors.invalid(field, name, "must be valid format");
    }
}

pub(super) fn check_cinder(context: &mut Context) {
    context.require("volumeID");
    context.require_in_secret(&["name", "namespace"]);
}

pub(super) fn check_fc(context: &mut Context) {
    let targets = items(context.source, "targetWWNs");
    let identifiers = items(context.source, "wwids");
    let field = context.at("targetWWNs");
    if targets.is_empty() && identifiers.is_empty() {
        context.errors.required(
            &field,
            "must specify either targetWWNs or wwids, but not both",
        );
    }
    if targets.is_empty() {
        return;
    }
    if !identifiers.is_empty() {
        let shown: Vec<String> = targets.iter().map(|node| go_quote(as_text(node))).collect();
        context.errors.invalid_as(
            &field,
            format!("[{}]", shown.join(",")),
            "targetWWNs and wwids can not be specified simultaneously",
        );
    }
    if context.source.get("lun").is_none() {
        let field = context.at("lun");
        context
            .errors
            .required(field, "lun is required if targetWWNs is specified");
    }
    context.check_byte("lun", "must be between 0 and 255, inclusive");
}

pub(super) fn check_azure_file(context: &mut Context) {
    context.require("secretName");
    context.require("shareName");
    if context.source.get("secretNamespace").is_some() {
        context.require("secretNamespace");
    }
}
