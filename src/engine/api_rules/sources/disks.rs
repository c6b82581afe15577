//! Sources that are disks, or folders on a node.

use super::super::values::text;
use super::context::Context;

pub(super) fn check_host_path(context: &mut Context) {
    const TYPES: [&str; 8] = [
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ];
    context.check_path();
    if !context.text("path").is_empty() {
        context.check_choice("type", &TYPES);
    }
}

/// Partition 0 is none, which the words forget.
const PARTITION: &str = "must be between 1 and 255, inclusive";

pub(super) fn check_gce_disk(context: &mut Context) {
    context.require("pdName");
    context.check_byte("partition", PARTITION);
}

pub(super) fn check_aws_disk(context: &mut Context) {
    context.require("volumeID");
    context.check_byte("partition", PARTITION);
}

pub(super) fn check_azure_disk(context: &mut Context) {
    context.require("diskName");
    context.require("diskURI");
    context.check_choice("cachingMode", &["None", "ReadOnly", "ReadWrite"]);
    context.check_choice("kind", &["Dedicated", "Managed", "Shared"]);
    let managed = context.text("kind") == "Managed";
    let (start, form) = if managed {
        (
            "/subscriptions/",
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
        )
    } else {
        (
            "https://",
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
        )
    };
    let address = text(context.source, "diskURI");
    if !address.starts_with(start) {
        let field = context.at("diskURI");
        context.errors.unsupported(field, address, &[form]);
    }
}

pub(super) fn check_scale_io(context: &mut Context) {
    for key in ["gateway", "system", "volumeName"] {
        context.require(key);
    }
}

pub(super) fn check_local(context: &mut Context) {
    context.check_path();
    if context.spec.get("nodeAffinity").is_none() {
        context
            .errors
            .required("spec.nodeAffinity", "Local volume requires node affinity");
    }
}
