//! A claim's provisioning options against what its class allows (seed 003).

use crate::conventions::object_ref::{ObjectKey, similar_names};
use crate::model::{AllowedOption, Claim, Class, ClusterState, ConfigMap, Kind, Options};
use crate::report::{ClaimCause, OptionDescription};
use std::collections::{BTreeMap, BTreeSet};

/// The options of a claim, merged with defaults, and what is wrong with them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Merged {
    pub(crate) values: BTreeMap<String, String>,
    pub(crate) problems: Vec<ClaimCause>,
    /// ConfigMaps could not be read.
    pub(crate) unreadable: bool,
}

/// Merges the options of a claim; a claim without options has none, whatever the class allows.
pub(crate) fn merge(state: &ClusterState, claim: &Claim, class: &Class) -> Merged {
    let Some(name) = &claim.options else {
        return Merged::default();
    };
    let key = ObjectKey::new(&*claim.key.namespace, &**name);
    let Some(map) = state
        .objects()
        .config_maps
        .iter()
        .find(|map| map.key == key)
    else {
        if !state.saw(Kind::ConfigMaps, Some(&claim.key.namespace)) {
            return Merged {
                unreadable: true,
                ..Merged::default()
            };
        }
        return Merged {
            problems: vec![ClaimCause::OptionsConfigMapNotFound { name: name.clone() }],
            ..Merged::default()
        };
    };
    let allowed = match &class.options {
        Options::Declared(allowed) => allowed.as_slice(),
        Options::None => &[],
        // Nothing is concluded from options that cannot be understood.
        Options::Malformed(_) => {
            return Merged {
                values: map.data.clone(),
                ..Merged::default()
            };
        }
    };
    check(map, allowed, class)
}

fn check(map: &ConfigMap, allowed: &[AllowedOption], class: &Class) -> Merged {
    let mut merged = Merged {
        values: map.data.clone(),
        ..Merged::default()
    };
    let find = |key: &str| allowed.iter().find(|option| option.key == key);
    for (key, value) in &map.data {
        match find(key) {
            None => merged.problems.push(ClaimCause::OptionUnknown {
                key: key.clone(),
                nearest: nearest(key, allowed, &map.data),
            }),
            Some(option)
                if !option.allowed_values.is_empty() && !option.allowed_values.contains(value) =>
            {
                merged.problems.push(ClaimCause::OptionValueNotAllowed {
                    key: key.clone(),
                    value: value.clone(),
                    allowed: option.allowed_values.clone(),
                });
            }
            Some(_) => merged.problems.extend(contradiction(key, value, class)),
        }
    }
    for key in map.binary_keys.iter().filter(|key| find(key).is_some()) {
        let value = "(binary data)".to_owned();
        merged.problems.push(ClaimCause::OptionValueNotAllowed {
            key: key.clone(),
            value,
            allowed: vec![],
        });
    }
    for option in allowed
        .iter()
        .filter(|option| !map.data.contains_key(&option.key))
    {
        match &option.default_value {
            Some(default) => {
                merged.values.insert(option.key.clone(), default.clone());
            }
            None if option.required => merged.problems.push(ClaimCause::OptionRequired {
                key: option.key.clone(),
            }),
            None => {}
        }
    }
    merged
}

/// Why a value cannot be given to an option, if it cannot: it is not allowed, or the parameters contradict it.
pub fn option_refusal(class: &Class, option: &OptionDescription, value: &str) -> Option<String> {
    let allowed = &option.allowed_values;
    let cause = if !allowed.is_empty() && !allowed.iter().any(|known| known == value) {
        ClaimCause::OptionValueNotAllowed {
            key: option.key.clone(),
            value: value.to_owned(),
            allowed: allowed.clone(),
        }
    } else {
        contradiction(&option.key, value, class)?
    };
    Some(cause.message())
}

/// The allowed values of an option that the parameters of the class do not contradict, each once.
pub fn usable_values(class: &Class, option: &OptionDescription) -> Vec<String> {
    let mut known = BTreeSet::new();
    let all = option.allowed_values.iter();
    all.filter(|value| known.insert(*value))
        .filter(|value| contradiction(&option.key, value, class).is_none())
        .cloned()
        .collect()
}

/// Offered keys that are near in spelling or share a beginning (`encrypted`, `encryption`), not given already.
fn nearest(key: &str, allowed: &[AllowedOption], given: &BTreeMap<String, String>) -> Vec<String> {
    let open = || {
        allowed
            .iter()
            .map(|option| option.key.as_str())
            .filter(|name| !given.contains_key(*name))
    };
    let near = similar_names(key, open());
    let shared = |name: &str| {
        name.bytes()
            .zip(key.bytes())
            .take_while(|(a, b)| a.eq_ignore_ascii_case(b))
            .count()
    };
    let chosen: Vec<&str> = if near.is_empty() {
        open().filter(|name| shared(name) >= 4).collect()
    } else {
        near
    };
    chosen.into_iter().map(str::to_owned).collect()
}

/// An option corresponds to the parameter of its name, singular or plural; the parameter may be a comma list.
fn contradiction(key: &str, value: &str, class: &Class) -> Option<ClaimCause> {
    let singular = key.strip_suffix('s').unwrap_or(key);
    let candidates = [key.to_owned(), format!("{key}s"), singular.to_owned()];
    let (parameter, listed) = candidates
        .iter()
        .find_map(|name| class.parameters.get_key_value(name))?;
    let allowed: Vec<String> = listed
        .split(',')
        .map(|item| item.trim().to_owned())
        .collect();
    (!allowed.iter().any(|item| item == value)).then(|| ClaimCause::OptionConflictsWithParameters {
        key: key.to_owned(),
        value: value.to_owned(),
        parameter: parameter.clone(),
        allowed,
    })
}
