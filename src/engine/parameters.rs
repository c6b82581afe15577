//! The parameters of a class against the catalogue: what they mean, and which of them its provisioner will not take.
//! Of a provisioner that is not in the catalogue nothing is said, except of keys that belong to Kubernetes itself.

mod nearest;
mod secret_pairs;
#[cfg(test)]
mod tests;

use crate::conventions::foreign::quoted;
use crate::conventions::secrets::{HIDDEN, holds_secret, is_secret};
use crate::model::Class;
use crate::model::catalogue::{
    CSI_PREFIX, Catalogue, Choice, Knowledge, KnownParameter, UnknownKeys, ValueKind,
};
use crate::report::{
    Finding, FindingCode, FindingObject, ParameterDescription, did_you_mean, join_or,
};

/// Every parameter of a class, by key.
pub fn describe(catalogue: &Catalogue, class: &Class) -> Vec<ParameterDescription> {
    let described = class.parameters.iter();
    described
        .map(|(key, value)| describe_one(catalogue, class, key, value))
        .collect()
}

/// What is wrong with the parameters of a class, by key.
pub fn findings(catalogue: &Catalogue, class: &Class) -> Vec<Finding> {
    let mut found = vec![];
    for (key, value) in &class.parameters {
        let knowledge = catalogue.look_up(&class.provisioner, key);
        found.extend(secret(class, &knowledge, key, value));
        match knowledge {
            Knowledge::Unjudged => {}
            Knowledge::Unknown => found.push(unknown(catalogue, class, key)),
            Knowledge::Known(parameter) => found.extend(of_known(class, parameter, key, value)),
        }
    }
    if serves_csi(catalogue, &class.provisioner) {
        found.extend(secret_pairs::findings(class));
        found.sort_by(|one, other| one.field.cmp(&other.field));
    }
    found
}

/// What a parameter of a provisioner is for.
pub fn meaning_of<'a>(catalogue: &'a Catalogue, provisioner: &str, key: &str) -> Option<&'a str> {
    match catalogue.look_up(provisioner, key) {
        Knowledge::Known(parameter) => Some(&parameter.meaning),
        Knowledge::Unknown | Knowledge::Unjudged => None,
    }
}

fn describe_one(
    catalogue: &Catalogue,
    class: &Class,
    key: &str,
    value: &str,
) -> ParameterDescription {
    let knowledge = catalogue.look_up(&class.provisioner, key);
    let parameter = match knowledge {
        Knowledge::Known(parameter) => Some(parameter),
        Knowledge::Unknown | Knowledge::Unjudged => None,
    };
    let hidden = is_hidden(&knowledge, key, value);
    ParameterDescription {
        key: key.to_owned(),
        value: (!hidden).then(|| value.to_owned()),
        known: match knowledge {
            Knowledge::Known(_) => Some(true),
            Knowledge::Unknown => Some(false),
            Knowledge::Unjudged => None,
        },
        meaning: parameter.map(|known| known.meaning.clone()),
        kind: parameter.map(|known| kind_word(&known.kind).to_owned()),
        allowed: parameter.map_or_else(Vec::new, |known| values_of(&known.kind).to_vec()),
        default: parameter.and_then(|known| known.default.clone()),
        deprecated: parameter.and_then(|known| instead_of(known, value)),
        hidden,
    }
}

fn finding(code: FindingCode, class: &Class, key: &str, message: String) -> Finding {
    let object = FindingObject {
        kind: "StorageClass".to_owned(),
        namespace: None,
        name: class.name.clone(),
    };
    Finding::new(code, object, message).at(format!("parameters.{key}"))
}

/// Whether a provisioner may be a CSI driver: all that are not known to be none.
fn serves_csi(catalogue: &Catalogue, provisioner: &str) -> bool {
    catalogue.find(provisioner).is_none_or(|known| {
        let mut all = known.parameters.iter();
        all.any(|parameter| parameter.key.starts_with(CSI_PREFIX))
    })
}

fn unknown(catalogue: &Catalogue, class: &Class, key: &str) -> Finding {
    let provisioner = &class.provisioner;
    let known = catalogue.find(provisioner);
    let serves_csi = serves_csi(catalogue, provisioner);
    let message = match known.map(|known| known.unknown_keys) {
        _ if serves_csi && key.starts_with(CSI_PREFIX) => {
            format!("{key} is none of the reserved parameters, and with it nothing is provisioned")
        }
        Some(UnknownKeys::Refused) => {
            format!("{provisioner} has no parameter {key} and provisions nothing with it")
        }
        _ => format!("{provisioner} has no parameter {key} and takes no notice of it"),
    };
    let parameters = known.map_or_else(|| catalogue.csi_parameters(), |known| &known.parameters);
    let near = nearest::keys(key, parameters, &class.parameters);
    let is_zone = ["zone", "zones"].contains(&key.to_lowercase().as_str());
    let hint = did_you_mean(&near).unwrap_or_else(|| {
        let otherwise = if serves_csi && is_zone {
            "use allowedTopologies instead"
        } else {
            "take it out"
        };
        otherwise.to_owned()
    });
    finding(FindingCode::ParameterUnknown, class, key, message).hint(hint)
}

fn of_known(class: &Class, parameter: &KnownParameter, key: &str, value: &str) -> Vec<Finding> {
    let mut found = vec![];
    if !parameter.kind.takes(value) {
        found.push(bad_value(class, parameter, key, value));
    }
    let instead = instead_of(parameter, value).map(|instead| format!("use {instead} instead"));
    let is_reported = is_hidden(&Knowledge::Known(parameter), key, value) && !value.is_empty();
    if let Some(hint) = instead.filter(|_| !is_reported) {
        let since = parameter
            .deprecated
            .as_ref()
            .and_then(|old| old.since.as_ref());
        let since = since.map_or_else(String::new, |since| format!(" since {since}"));
        let what = match &parameter.deprecated {
            Some(_) => key.to_owned(),
            None => format!("{value} as {key}"),
        };
        let message = format!("{what} is deprecated{since}");
        found.push(finding(FindingCode::ParameterDeprecated, class, key, message).hint(hint));
    }
    found
}

/// Whether a value must not be shown: the catalogue knows, or its key or form says so.
fn is_hidden(knowledge: &Knowledge<'_>, key: &str, value: &str) -> bool {
    match knowledge {
        Knowledge::Known(known) => known.is_secret || holds_secret(value),
        Knowledge::Unknown | Knowledge::Unjudged => is_secret(key, value),
    }
}

/// Every user who reads classes reads their secrets, with any provisioner.
fn secret(class: &Class, knowledge: &Knowledge<'_>, key: &str, value: &str) -> Option<Finding> {
    if value.is_empty() || !is_hidden(knowledge, key, value) {
        return None;
    }
    let instead = match knowledge {
        Knowledge::Known(parameter) => instead_of(parameter, value),
        Knowledge::Unknown | Knowledge::Unjudged => None,
    };
    let message = format!("{key} is a secret, and everybody who may read classes reads it");
    let hint = instead.map_or_else(
        || "keep it in a Secret".to_owned(),
        |instead| format!("use {instead} instead"),
    );
    Some(finding(FindingCode::SecretInParameters, class, key, message).hint(hint))
}

fn bad_value(class: &Class, parameter: &KnownParameter, key: &str, value: &str) -> Finding {
    let provisioner = &class.provisioner;
    let is_hidden = is_hidden(&Knowledge::Known(parameter), key, value);
    let shown = if is_hidden {
        HIDDEN.into()
    } else {
        quoted(value)
    };
    let takes = takes_in_words(&parameter.kind);
    let message = format!("{key} is {shown}, and {provisioner} takes {takes}");
    let found = finding(FindingCode::ParameterValueInvalid, class, key, message);
    let near = match &parameter.kind {
        ValueKind::Choice(choice) | ValueKind::List(choice) => nearest::values(value, choice),
        ValueKind::Bool { .. } => nearest::truth(value),
        _ => vec![],
    };
    match did_you_mean(&near) {
        None => found,
        Some(hint) => found.hint(hint),
    }
}

/// What to use instead of a parameter, or of the value it has.
fn instead_of(parameter: &KnownParameter, value: &str) -> Option<String> {
    let of_value = || {
        let mut all = parameter.deprecated_values.iter();
        all.find(|(old, _)| old.eq_ignore_ascii_case(value))
            .map(|(_, instead)| instead.clone())
    };
    let of_key = parameter.deprecated.as_ref().map(|old| old.instead.clone());
    of_key.or_else(of_value)
}

fn kind_word(kind: &ValueKind) -> &'static str {
    match kind {
        ValueKind::Text => "text",
        ValueKind::Bool { .. } => "true or false",
        ValueKind::Integer { .. } => "whole number",
        ValueKind::Octal => "octal number",
        ValueKind::Choice(_) => "choice",
        ValueKind::List(_) => "list",
        ValueKind::Pairs => "key=value list",
        ValueKind::Quantity => "quantity",
        ValueKind::Json => "JSON",
    }
}

fn values_of(kind: &ValueKind) -> &[String] {
    match kind {
        ValueKind::Choice(choice) | ValueKind::List(choice) => &choice.values,
        _ => &[],
    }
}

fn takes_in_words(kind: &ValueKind) -> String {
    let listed = |choice: &Choice| {
        // Of an open list only the case of a listed value can be wrong, and the hint says which.
        let or_other = if choice.complete {
            ""
        } else {
            ", spelt like that"
        };
        format!("{}{or_other}", join_or(&choice.values))
    };
    match kind {
        ValueKind::Text => "any text".to_owned(),
        ValueKind::Bool { .. } => "true or false".to_owned(),
        ValueKind::Integer { min, max } => match (min, max) {
            (None, None) => "a whole number".to_owned(),
            (Some(min), None) => format!("a whole number from {min} on"),
            (None, Some(max)) => format!("a whole number up to {max}"),
            (Some(min), Some(max)) => format!("a whole number from {min} to {max}"),
        },
        ValueKind::Octal => "a mode such as 0755".to_owned(),
        ValueKind::Choice(choice) => listed(choice),
        ValueKind::List(choice) => format!("{} between commas", listed(choice)),
        ValueKind::Pairs => "key=value between commas".to_owned(),
        ValueKind::Quantity => "a quantity such as 250Mi".to_owned(),
        ValueKind::Json => "JSON".to_owned(),
    }
}
