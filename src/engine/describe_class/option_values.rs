//! Which values an option of a class may be given, for those who fill in a claim.

use super::super::options::contradiction;
use crate::conventions::secrets::shown_value;
use crate::model::Class;
use crate::report::{ClaimCause, OptionDescription};
use std::collections::BTreeSet;

/// Why a value cannot be given to an option, if it cannot: it is not allowed, or the parameters contradict it.
pub fn option_refusal(class: &Class, option: &OptionDescription, value: &str) -> Option<String> {
    let allowed = &option.allowed_values;
    let cause = if !allowed.is_empty() && !allowed.iter().any(|known| known == value) {
        ClaimCause::OptionValueNotAllowed {
            key: option.key.clone(),
            value: shown_value(&option.key, value).to_owned(),
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
