//! What was meant: the known keys and values nearest to one that is not known, whatever the case.

use crate::conventions::object_ref::similar_in_any_case;
use crate::model::catalogue::{Choice, KnownParameter};
use std::collections::BTreeMap;

/// The keys that may have been meant; none that the class has already.
pub(super) fn keys<'a>(
    key: &str,
    known: &'a [KnownParameter],
    given: &BTreeMap<String, String>,
) -> Vec<&'a str> {
    let is_given = |parameter: &KnownParameter| given.keys().any(|key| parameter.is_named(key));
    let open: Vec<&KnownParameter> = known
        .iter()
        .filter(|parameter| !parameter.is_pattern() && !is_given(parameter))
        .collect();
    let names = || {
        let advised = open.iter().filter(|known| known.deprecated.is_none());
        advised.map(|known| known.key.as_str())
    };
    // A prefix is easily forgotten or taken for another, and too long for any likeness.
    let last = last_part(key);
    let same_end =
        names().find(|name| name.contains('/') && last_part(name).eq_ignore_ascii_case(last));
    same_end.map_or_else(|| similar_in_any_case(key, names()), |found| vec![found])
}

fn last_part(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

/// The values that may have been meant by the first one, of several between commas, that is not listed.
pub(super) fn values<'a>(value: &str, choice: &'a Choice) -> Vec<&'a str> {
    let listed = || choice.values.iter().map(String::as_str);
    let items = value.split(',').map(str::trim);
    let mut wrong = items.filter(|item| !listed().any(|listed| listed == *item));
    wrong
        .next()
        .map_or_else(Vec::new, |item| similar_in_any_case(item, listed()))
}

/// The word for yes or no in another spelling.
pub(super) fn truth(value: &str) -> Vec<&'static str> {
    match value.to_lowercase().as_str() {
        "yes" | "y" | "on" | "1" | "t" | "enabled" => vec!["true"],
        "no" | "n" | "off" | "0" | "f" | "disabled" => vec!["false"],
        other => similar_in_any_case(other, ["true", "false"]),
    }
}
