//! ConfigMaps with provisioning options, held against the classes they are for.

use super::super::options::{self, Merged};
use super::class::option_findings;
use super::{MapUse, Review};
use crate::conventions::foreign::{quoted, quoted_each};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, Class, ConfigMap, Options};
use crate::report::{ClaimCause, Finding, FindingCode, FindingObject, did_you_mean, few, join_or};
use std::collections::{BTreeMap, HashSet};

/// The findings about every ConfigMap that matters: named by a claim that is judged, or judged itself.
pub(super) fn all_findings(review: &Review<'_>) -> Vec<Finding> {
    uses(review).values().flat_map(findings).collect()
}

/// Each ConfigMap with each class it is for, once. A class that is named in the question is the only one for a ConfigMap that
/// is judged.
fn uses<'a>(review: &Review<'a>) -> BTreeMap<(ObjectKey, &'a str), MapUse<'a>> {
    let mut uses = BTreeMap::new();
    let mut add = |map: &'a ConfigMap, class: &'a Class| {
        let key = (map.key.clone(), class.name.as_str());
        uses.insert(key, MapUse { map, class });
    };
    let question = review.question;
    for claim in question.state.claims() {
        let Some(key) = options_key(claim) else {
            continue;
        };
        let map_is_judged = review.maps_judged.contains(&key);
        let concerns = if map_is_judged {
            question.class.is_none()
        } else {
            review.claims_judged.contains(&claim.key)
        };
        if concerns
            && let (Some(map), Some(class)) = (review.maps.get(&key), review.class_of(claim))
        {
            add(map, class);
        }
    }
    if let Some(class) = question.class {
        let maps = question.candidates.iter();
        for map in maps.flat_map(|candidate| &candidate.objects.config_maps) {
            add(map, class);
        }
    }
    uses
}

/// The ConfigMap with a claim's options, as long as they matter: they are used once, when the volume is made.
pub(super) fn options_key(claim: &Claim) -> Option<ObjectKey> {
    let name = claim.options.as_deref()?;
    claim
        .volume_name
        .is_none()
        .then(|| ObjectKey::new(&*claim.key.namespace, name))
}

pub(super) fn object(map: &ConfigMap) -> FindingObject {
    FindingObject {
        kind: "ConfigMap".to_owned(),
        namespace: Some(map.key.namespace.clone()),
        name: map.key.name.clone(),
    }
}

fn findings(usage: &MapUse<'_>) -> Vec<Finding> {
    let (map, class) = (usage.map, usage.class);
    // Nothing is concluded from options that cannot be understood, which is said of the class.
    if matches!(class.options, Options::Malformed(_)) {
        return option_findings(class);
    }
    let Merged {
        problems, defaults, ..
    } = options::check(map, class);
    let mut found: Vec<Finding> = problems
        .iter()
        .filter_map(|problem| finding(problem, map, class))
        .collect();
    for (key, value) in defaults {
        let note = Finding::new(
            FindingCode::OptionDefaultApplies,
            object(map),
            format!(
                "option {key} is not given: {value} applies, the default of class {}",
                class.name
            ),
        );
        found.push(note.at("data"));
    }
    found
}

fn finding(problem: &ClaimCause, map: &ConfigMap, class: &Class) -> Option<Finding> {
    let field = |key: &str| {
        if map.data.contains_key(key) {
            format!("data.{key}")
        } else {
            format!("binaryData.{key}")
        }
    };
    let name = &class.name;
    let about =
        |code, field: String, message: String| Finding::new(code, object(map), message).at(field);
    Some(match problem {
        ClaimCause::OptionUnknown { key, nearest } => about(
            FindingCode::OptionUnknown,
            field(key),
            format!("class {name} offers no option {key}"),
        )
        .hint(unknown_hint(key, nearest, class)),
        ClaimCause::OptionValueNotAllowed {
            key,
            value,
            allowed,
        } => {
            let finding = about(
                FindingCode::OptionValueNotAllowed,
                field(key),
                format!(
                    "option {key} of class {name} cannot be {}",
                    quoted(&shorten(value))
                ),
            );
            let allowed = match allowed.as_slice() {
                [] => "give it as text, in data".to_owned(),
                [only] => format!("it can only be {}", quoted(only)),
                allowed => format!("one of {}", join_or(&few(&quoted_each(allowed)))),
            };
            finding.hint(allowed)
        }
        ClaimCause::OptionRequired { key } => {
            let finding = about(
                FindingCode::OptionRequired,
                "data".to_owned(),
                format!("class {name} requires option {key}"),
            );
            let allowed = values_of(class, key);
            match allowed {
                [] => finding.hint(format!("add {key} to data")),
                allowed => finding.hint(format!("add {key}: one of {}", join_or(&few(allowed)))),
            }
        }
        ClaimCause::OptionConflictsWithParameters {
            key,
            value,
            parameter,
            allowed,
        } => about(
            FindingCode::OptionConflictsWithParameters,
            field(key),
            format!(
                "option {key} is {}, but parameter {parameter} restricts class {name} to {}",
                quoted(&shorten(value)),
                join_or(&few(&quoted_each(allowed)))
            ),
        )
        .hint("the provisioner refuses it: choose a value that both allow"),
        _ => return None,
    })
}

fn unknown_hint(key: &str, nearest: &[String], class: &Class) -> String {
    if let Some(meant) = did_you_mean(nearest) {
        return meant;
    }
    if class.parameters.contains_key(key) {
        return format!(
            "{key} is a parameter, which only the administrator of the class sets: leave it out"
        );
    }
    match &class.options {
        Options::Declared(options) if !options.is_empty() => {
            let mut keys: Vec<String> = options.iter().map(|option| option.key.clone()).collect();
            let mut seen = HashSet::new();
            keys.retain(|key| seen.insert(key.clone()));
            format!("it offers {}", join_or(&few(&keys)))
        }
        _ => "it offers none at all: leave the options out, or use another class".to_owned(),
    }
}

fn values_of<'a>(class: &'a Class, key: &str) -> &'a [String] {
    match &class.options {
        Options::Declared(options) => options
            .iter()
            .find(|option| option.key == key)
            .map_or(&[], |option| &option.allowed_values),
        _ => &[],
    }
}

/// The beginning of a long value.
fn shorten(value: &str) -> String {
    const LONG: usize = 80;
    if value.chars().count() <= LONG {
        return value.to_owned();
    }
    value.chars().take(LONG).chain(['…']).collect()
}
