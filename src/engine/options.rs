//! A claim's provisioning options against what its class allows (seed 003).

use crate::conventions::object_ref::{ObjectKey, similar_in_any_case};
use crate::conventions::secrets::shown_value;
use crate::model::{AllowedOption, Claim, Class, ClusterState, ConfigMap, Kind, Options};
use crate::report::ClaimCause;
use std::collections::{BTreeMap, HashMap};

/// For how many unknown keys of one ConfigMap it is looked what may be meant; each is compared with every option.
const MOST_GUESSES: usize = 100;

/// The options of a claim, merged with defaults, and what is wrong with them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Merged {
    pub(crate) values: BTreeMap<String, String>,
    /// The values among them that nobody gave.
    pub(crate) defaults: BTreeMap<String, String>,
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
        let is_unread = state.find_unread(Kind::ConfigMaps, &key).is_some();
        if is_unread || !state.saw(Kind::ConfigMaps, Some(&claim.key.namespace)) {
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
    check(map, class)
}

/// Holds a ConfigMap against what a class allows.
pub(crate) fn check(map: &ConfigMap, class: &Class) -> Merged {
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
    let mut merged = Merged {
        values: map.data.clone(),
        ..Merged::default()
    };
    // Of an option that is declared twice the first one counts.
    let mut by_key: HashMap<&str, &AllowedOption> = HashMap::new();
    for option in allowed {
        by_key.entry(&option.key).or_insert(option);
    }
    let find = |key: &str| by_key.get(key).copied();
    let mut guesses = MOST_GUESSES;
    let mut unknown = |key: &str| {
        guesses = guesses.saturating_sub(1);
        let nearest = if guesses > 0 {
            nearest(key, allowed, &map.data)
        } else {
            vec![]
        };
        ClaimCause::OptionUnknown {
            key: key.to_owned(),
            nearest,
        }
    };
    for (key, value) in &map.data {
        match find(key) {
            None => merged.problems.push(unknown(key)),
            Some(option)
                if !option.allowed_values.is_empty() && !option.allowed_values.contains(value) =>
            {
                merged.problems.push(ClaimCause::OptionValueNotAllowed {
                    key: key.clone(),
                    value: shown_value(key, value).to_owned(),
                    allowed: option.allowed_values.clone(),
                });
            }
            Some(_) => merged.problems.extend(contradiction(key, value, class)),
        }
    }
    for key in &map.binary_keys {
        if find(key).is_none() {
            merged.problems.push(unknown(key));
            continue;
        }
        let value = "(binary data)".to_owned();
        merged.problems.push(ClaimCause::OptionValueNotAllowed {
            key: key.clone(),
            value,
            allowed: vec![],
        });
    }
    let is_given = |key: &String| map.data.contains_key(key) || map.binary_keys.contains(key);
    for option in allowed.iter().filter(|option| {
        find(&option.key).is_some_and(|first| std::ptr::eq(first, *option))
            && !is_given(&option.key)
    }) {
        match &option.default_value {
            Some(default) => {
                merged.values.insert(option.key.clone(), default.clone());
                merged.defaults.insert(option.key.clone(), default.clone());
            }
            None if option.required => merged.problems.push(ClaimCause::OptionRequired {
                key: option.key.clone(),
            }),
            None => {}
        }
    }
    merged
}

/// Offered keys that are near in spelling or share a beginning (`encrypted`, `encryption`), not given already.
fn nearest(key: &str, allowed: &[AllowedOption], given: &BTreeMap<String, String>) -> Vec<String> {
    let open = || {
        allowed
            .iter()
            .map(|option| option.key.as_str())
            .filter(|name| !given.contains_key(*name))
    };
    let near = similar_in_any_case(key, open());
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

/// The parameter an option corresponds to: of its name, singular or plural.
pub(crate) fn corresponding_parameter<'a>(
    class: &'a Class,
    key: &str,
) -> Option<(&'a str, &'a str)> {
    spellings(key)
        .iter()
        .find_map(|name| class.parameters.get_key_value(name))
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

/// A word, its plural and its singular: `zone` and `zones`, `policy` and `policies`, `class` and `classes`.
fn spellings(word: &str) -> Vec<String> {
    let mut all = vec![word.to_owned(), format!("{word}s"), format!("{word}es")];
    let endings = [("y", "ies"), ("ies", "y"), ("es", ""), ("s", "")];
    for (ending, other) in endings {
        all.extend(
            word.strip_suffix(ending)
                .map(|stem| format!("{stem}{other}")),
        );
    }
    all
}

/// The values of a parameter, which may be a comma list.
pub(crate) fn listed_values(parameter: &str) -> Vec<&str> {
    parameter.split(',').map(str::trim).collect()
}

pub(crate) fn contradiction(key: &str, value: &str, class: &Class) -> Option<ClaimCause> {
    let (parameter, listed) = corresponding_parameter(class, key)?;
    let allowed = listed_values(listed);
    (!allowed.contains(&value)).then(|| ClaimCause::OptionConflictsWithParameters {
        key: key.to_owned(),
        value: shown_value(key, value).to_owned(),
        parameter: parameter.to_owned(),
        allowed: allowed
            .into_iter()
            .map(|value| shown_value(parameter, value).to_owned())
            .collect(),
    })
}
