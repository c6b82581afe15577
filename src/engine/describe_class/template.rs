//! A claim to start from, and the ConfigMap with the options of its class.

use super::options;
use crate::conventions::access_mode::AccessMode;
use crate::conventions::names::config_map_key_problems;
use crate::model::Class;
use crate::report::{ClaimTemplate, OptionDescription, TemplateEntry, TemplateValue};
use std::collections::BTreeSet;

/// Why there is no template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateError {
    /// The options of the class cannot be understood.
    Malformed {
        /// The class.
        class: String,
        /// Why not.
        why: String,
    },
}

/// A claim of this class that asks for little, with all options of the class laid out.
pub fn claim_template(
    class: &Class,
    claim: &str,
    namespace: Option<&str>,
) -> Result<ClaimTemplate, TemplateError> {
    let (declared, malformed) = options(&class.options);
    let declared = declared.ok_or_else(|| TemplateError::Malformed {
        class: class.name.clone(),
        why: malformed.unwrap_or_default(),
    })?;
    let mut known = BTreeSet::new();
    let entries = declared
        .into_iter()
        .map(|option| TemplateEntry {
            value: first_value(&option, known.insert(option.key.clone())),
            option,
        })
        .collect();
    Ok(ClaimTemplate {
        class: class.name.clone(),
        namespace: namespace.map(str::to_owned),
        claim: claim.to_owned(),
        size: "1Gi".to_owned(),
        access_mode: AccessMode::ReadWriteOnce,
        entries,
        is_filled: false,
    })
}

fn first_value(option: &OptionDescription, is_new: bool) -> TemplateValue {
    if !config_map_key_problems(&option.key).is_empty() {
        TemplateValue::NoKey
    } else if !is_new {
        TemplateValue::Repeated
    } else if option.required && option.default_value.is_none() {
        TemplateValue::FillIn
    } else {
        TemplateValue::LeftOut
    }
}
