//! Classes: their options against themselves and against their parameters, and what else cannot work.

use super::super::classes::{self, marked_default};
use super::super::options::{corresponding_parameter, listed_values};
use super::super::parameters;
use crate::conventions::annotations::{BETA_DEFAULT_CLASS, DEFAULT_CLASS};
use crate::conventions::class_name::NO_PROVISIONER;
use crate::conventions::command_line::Sentence;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::similar_in_any_case;
use crate::model::catalogue::Catalogue;
use crate::model::{AllowedOption, BindingMode, Class, ClusterState, Options};
use crate::report::{Finding, FindingCode, FindingObject, did_you_mean, few, join_and, join_or};
use std::collections::HashSet;

const FIELD: &str = "allowedProvisioningOptions";

pub(super) fn object(class: &Class) -> FindingObject {
    FindingObject {
        kind: "StorageClass".to_owned(),
        namespace: None,
        name: class.name.clone(),
    }
}

pub(super) fn findings(state: &ClusterState, class: &Class, catalogue: &Catalogue) -> Vec<Finding> {
    let mut found = option_findings(class);
    found.extend(options_nobody_takes(class, catalogue));
    found.extend(parameters::findings(catalogue, class));
    found.extend(immediate_without_provisioner(class));
    found.extend(several_defaults(state, class));
    found
}

/// Options that the backend of this machine does not take: a claim that sets one gets nothing.
fn options_nobody_takes(class: &Class, catalogue: &Catalogue) -> Vec<Finding> {
    let provisioner = &class.provisioner;
    let taken = catalogue
        .find(provisioner)
        .and_then(|known| known.options.as_ref());
    let (Some(taken), Options::Declared(options)) = (taken, &class.options) else {
        return vec![];
    };
    let finding = |(index, option): (usize, &AllowedOption)| {
        let key = &option.key;
        if taken.iter().any(|known| known.is_named(key)) {
            return None;
        }
        let message = format!(
            "{provisioner} has no option {key} and provisions nothing for a claim that sets it"
        );
        let near = similar_in_any_case(key, taken.iter().map(|known| known.key.as_str()));
        let hint = did_you_mean(&near).unwrap_or_else(|| "take it out".to_owned());
        let finding = Finding::new(FindingCode::ParameterUnknown, object(class), message);
        Some(finding.at(format!("{FIELD}[{index}].key")).hint(hint))
    };
    options.iter().enumerate().filter_map(finding).collect()
}

pub(super) fn option_findings(class: &Class) -> Vec<Finding> {
    let options = match &class.options {
        Options::None => return vec![],
        Options::Malformed(why) => {
            let finding = Finding::new(
                FindingCode::OptionsMalformed,
                object(class),
                format!(
                    "its provisioning options cannot be understood, and nothing is concluded from them: {why}"
                ),
            );
            let wanted = "write a JSON list of {key, description, allowedValues, defaultValue, required}; only key is \
                          needed; required is true or false, all else is text";
            return vec![finding.at(FIELD).hint(wanted)];
        }
        Options::Declared(options) => options,
    };
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for (index, option) in options.iter().enumerate() {
        let about = |code, field: &str, message: String| {
            Finding::new(code, object(class), message).at(format!("{FIELD}[{index}].{field}"))
        };
        if !seen.insert(option.key.as_str()) {
            let finding = about(
                FindingCode::OptionDuplicate,
                "key",
                format!("option {} is declared a second time", option.key),
            );
            found.push(finding.hint("only the first one counts: leave the other out"));
        }
        found.extend(unread_findings(option, &about));
        found.extend(default_findings(option, &about));
        found.extend(parameter_findings(class, option, &about));
    }
    found
}

type About<'a> = dyn Fn(FindingCode, &str, String) -> Finding + 'a;

/// Attributes that nobody reads: misspelt ones restrict nothing.
fn unread_findings(option: &AllowedOption, about: &About<'_>) -> Vec<Finding> {
    let known = [
        "key",
        "defaultValue",
        "required",
        "allowedValues",
        "description",
    ];
    let finding = |name: &String| {
        let finding = about(
            FindingCode::DroppedByServer,
            name,
            format!("option {} says {name}, which nobody reads", option.key),
        );
        let near = similar_in_any_case(name, known);
        let hint = did_you_mean(&near).unwrap_or_else(|| "leave it out".to_owned());
        finding.hint(hint)
    };
    option.unread.iter().map(finding).collect()
}

fn default_findings(option: &AllowedOption, about: &About<'_>) -> Vec<Finding> {
    let Some(default) = &option.default_value else {
        return vec![];
    };
    let mut found = Vec::new();
    if !option.allowed_values.is_empty() && !option.allowed_values.contains(default) {
        let finding = about(
            FindingCode::OptionDefaultNotAllowed,
            "defaultValue",
            format!(
                "the default of option {} is {default}, which its allowed values leave out",
                option.key
            ),
        );
        let allowed = join_or(&few(&option.allowed_values));
        found.push(finding.hint(format!("allow {default}, or take {allowed} as the default")));
    }
    if option.required {
        let finding = about(
            FindingCode::OptionRequiredWithDefault,
            "required",
            format!(
                "option {} is required and has a default, which applies when it is not given",
                option.key
            ),
        );
        found.push(finding.hint("leave one of the two out"));
    }
    found
}

/// The seed's "typos": what the options offer and what the parameters restrict the class to.
fn parameter_findings(class: &Class, option: &AllowedOption, about: &About<'_>) -> Vec<Finding> {
    let Some((parameter, value)) = corresponding_parameter(class, &option.key) else {
        return vec![];
    };
    let listed = listed_values(value);
    let is_outside = |value: &&String| !listed.contains(&value.as_str());
    let mut found = Vec::new();
    let mut contradicts = |field: &str, values: &[String]| {
        let finding = about(
            FindingCode::OptionConflictsWithParameters,
            field,
            format!(
                "option {} offers {}, but parameter {parameter} restricts the class to {}",
                option.key,
                join_and(&few(values)),
                restricted_to(&listed),
            ),
        );
        let hint = "claims that ask for them are refused: correct the one or the other";
        found.push(finding.hint(hint));
    };
    let outside: Vec<String> = option
        .allowed_values
        .iter()
        .filter(is_outside)
        .cloned()
        .collect();
    if !outside.is_empty() {
        contradicts("allowedValues", &outside);
    }
    let default = option.default_value.iter().filter(is_outside);
    let default: Vec<String> = default.cloned().collect();
    if !default.is_empty() {
        contradicts("defaultValue", &default);
    }
    if found.is_empty() && parameter == option.key {
        let finding = about(
            FindingCode::OptionShadowsParameter,
            "key",
            format!(
                "option {} has the key of a parameter, which is set to {value}",
                option.key
            ),
        );
        found.push(finding.hint("what a claim may choose cannot be fixed as well: leave the parameter or the option out"));
    }
    found
}

fn immediate_without_provisioner(class: &Class) -> Option<Finding> {
    let is_early =
        class.provisioner == NO_PROVISIONER && class.binding_mode == BindingMode::Immediate;
    is_early.then(|| {
        let message = "claims are bound before their pods are scheduled, to volumes made by hand: a pod may not be able to run where its volume is";
        Finding::new(
            FindingCode::ImmediateWithoutProvisioner,
            object(class),
            message,
        )
        .at("volumeBindingMode")
        .hint("make the class anew with volumeBindingMode: WaitForFirstConsumer, unless every node reaches its volumes")
    })
}

fn several_defaults(state: &ClusterState, class: &Class) -> Option<Finding> {
    if !class.marked_default {
        return None;
    }
    let message = classes::several_defaults(state)?;
    let marked = marked_default(state);
    let (winner, next) = (marked.first()?, marked.get(1)?);
    let loser = if class.name == winner.name {
        next
    } else {
        class
    };
    let unmark = command(&[
        "kubectl",
        "annotate",
        "storageclass",
        &loser.name,
        // Either may be the one that marks it.
        &format!("{DEFAULT_CLASS}-"),
        &format!("{BETA_DEFAULT_CLASS}-"),
    ]);
    let finding = Finding::new(FindingCode::SeveralDefaultClasses, object(class), message);
    Some(
        finding
            .at(format!("metadata.annotations[{DEFAULT_CLASS}]"))
            .hint(Sentence::from("leave one of them marked: ").command(unmark)),
    )
}

fn restricted_to(listed: &[&str]) -> String {
    match listed {
        [""] => "nothing".to_owned(),
        listed => join_and(&few(listed)),
    }
}
