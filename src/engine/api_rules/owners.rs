//! Who an object belongs to. The server does not say which of several owners it means.

use super::field_errors::FieldErrors;
use super::values::{flag, items, text};
use crate::conventions::names::go_quote;
use crate::model::manifest::Node;
use std::collections::BTreeSet;

struct Owner<'a> {
    index: usize,
    api_version: &'a str,
    kind: &'a str,
    name: &'a str,
    uid: &'a str,
    controller: Option<bool>,
    blocks_deletion: Option<bool>,
}

impl<'a> Owner<'a> {
    fn read((index, node): (usize, &'a Node)) -> Self {
        Self {
            index,
            api_version: text(node, "apiVersion"),
            kind: text(node, "kind"),
            name: text(node, "name"),
            uid: text(node, "uid"),
            controller: flag(node, "controller"),
            blocks_deletion: flag(node, "blockOwnerDeletion"),
        }
    }

    /// Group and version; what cannot be taken apart has neither.
    fn group_version(&self) -> (&str, &str) {
        match self.api_version.split('/').collect::<Vec<_>>()[..] {
            [version] => ("", version),
            [group, version] => (group, version),
            _ => ("", ""),
        }
    }

    fn shown(&self) -> String {
        let flag = |name: &str, value: Option<bool>| {
            value.map_or_else(String::new, |value| format!(",\"{name}\":{value}"))
        };
        format!(
            "{{\"apiVersion\":{},\"kind\":{},\"name\":{},\"uid\":{}{}{}}}",
            go_quote(self.api_version),
            go_quote(self.kind),
            go_quote(self.name),
            go_quote(self.uid),
            flag("controller", self.controller),
            flag("blockOwnerDeletion", self.blocks_deletion),
        )
    }
}

pub(super) fn check(errors: &mut FieldErrors, metadata: &Node) {
    const FIELD: &str = "metadata.ownerReferences";
    let mut seen = BTreeSet::new();
    // The server drops an owner that equals another in everything.
    let owners: Vec<Owner> = items(metadata, "ownerReferences")
        .iter()
        .enumerate()
        .map(Owner::read)
        .filter(|owner| seen.insert(owner.shown()))
        .collect();
    let mut controller: Option<&Owner> = None;
    for owner in &owners {
        errors.located(
            |errors| check_owner(errors, FIELD, owner),
            |field| Some(field.replacen(FIELD, &format!("{FIELD}[{}]", owner.index), 1)),
        );
        if owner.controller != Some(true) {
            continue;
        }
        let Some(first) = controller else {
            controller = Some(owner);
            continue;
        };
        let detail = format!(
            "Only one reference can have Controller set to true. Found \"true\" in references for {}/{} and {}/{}",
            first.kind, first.name, owner.kind, owner.name
        );
        errors.invalid_as(FIELD, shown_together(&owners), detail);
    }
}

/// The server shows all of them in each error; here a crowd is not shown, lest the errors outgrow the memory.
fn shown_together(owners: &[Owner]) -> String {
    if owners.len() > 20 {
        return "[...]".to_owned();
    }
    let all: Vec<String> = owners.iter().map(Owner::shown).collect();
    format!("[{}]", all.join(","))
}

fn check_owner(errors: &mut FieldErrors, field: &str, owner: &Owner) {
    let (group, version) = owner.group_version();
    if version.is_empty() {
        errors.invalid(
            format!("{field}.apiVersion"),
            owner.api_version,
            "version must not be empty",
        );
    }
    for (key, value) in [
        ("kind", owner.kind),
        ("name", owner.name),
        ("uid", owner.uid),
    ] {
        if value.is_empty() {
            errors.invalid(format!("{field}.{key}"), value, "must not be empty");
        }
    }
    if (group, version, owner.kind) == ("", "v1", "Event") {
        errors.invalid_as(
            field,
            owner.shown(),
            "/v1, Kind=Event is disallowed from being an owner",
        );
    }
}
