//! What to do about an error of the API server, whose words name the rule and not the remedy.

use super::super::FieldError;
use crate::conventions::access_mode::AccessMode;
use crate::conventions::field_error::{
    FieldErrorKind, InvalidRule, SchemaRule, Undecodable, Value, ValueType,
};
use crate::conventions::names::NameRule;
use crate::conventions::object_ref::similar_names;
use crate::conventions::quantity::QuantityError;
use crate::report::join_or;

const QUANTITY: &str = "write a number with a unit, such as 10Gi (binary) or 10G (decimal)";
const LABEL: &str = "use letters, digits, '-', '_' and '.', at most 63, beginning and ending with a letter or digit";
const QUOTES: &str = "put it in quotes";

/// Where the volume of a set stands.
pub(super) const TEMPLATE: &str = "spec.template.";

/// What to do about an error, where that can be said.
pub(super) fn advise(error: &FieldError) -> Option<String> {
    advise_on(error.field.as_deref().unwrap_or(""), &error.kind)
}

/// The same about an error of a set of volumes, whose own rules say what to do themselves.
pub(super) fn advise_set(error: &FieldError) -> Option<String> {
    let rule = match &error.kind {
        FieldErrorKind::Invalid {
            rule: InvalidRule::Schema { rule, .. },
            ..
        } => Some(rule),
        _ => None,
    };
    if let Some(SchemaRule::Type { wanted, .. }) = rule {
        let advice = match wanted.as_str() {
            "string" => QUOTES,
            "object" => "write a map",
            "array" => "write a list",
            "boolean" => "write true or false",
            "integer,string" => QUANTITY,
            _ => "write a whole number",
        };
        return Some(advice.to_owned());
    }
    let field = error.field.as_deref()?;
    if let Some(SchemaRule::Pattern(_)) = rule {
        let is_size = field.ends_with("capacity.storage");
        return Some(if is_size { QUANTITY } else { LABEL }.to_owned());
    }
    match field.strip_prefix(TEMPLATE) {
        Some("spec") | None if error.kind == FieldErrorKind::Required("") => {
            Some(format!("add {field}"))
        }
        inside => advise_on(inside.unwrap_or(field), &error.kind),
    }
}

fn advise_on(field: &str, kind: &FieldErrorKind) -> Option<String> {
    let last = field.rsplit('.').next().unwrap_or(field);
    match kind {
        FieldErrorKind::Undecodable(problem) => undecodable(last, problem),
        FieldErrorKind::Required(_) => Some(match field {
            "spec" => "say where the storage is: csi, nfs, hostPath, local …".to_owned(),
            "spec.resources[storage]" => {
                "add spec.resources.requests.storage, such as 10Gi".to_owned()
            }
            _ => format!("add {last}"),
        }),
        FieldErrorKind::NotSupported { value, supported } => Some(meant(value, supported)),
        FieldErrorKind::Duplicate(_) => Some("leave the second one out".to_owned()),
        FieldErrorKind::Forbidden(_) => {
            Some("leave it out, or what it cannot stand beside".to_owned())
        }
        FieldErrorKind::TooLong(_) | FieldErrorKind::TooMany { .. } => {
            Some("make it shorter".to_owned())
        }
        FieldErrorKind::Invalid { rule, .. } => invalid(field, rule).map(str::to_owned),
        FieldErrorKind::BrokenRule(_) => None,
    }
}

fn undecodable(last: &str, problem: &Undecodable) -> Option<String> {
    match problem {
        Undecodable::Quantity(QuantityError::Form | QuantityError::Suffix) => {
            Some(QUANTITY.to_owned())
        }
        Undecodable::Type {
            found: ValueType::Boolean | ValueType::Number,
            wanted: ValueType::Text,
        } => Some(QUOTES.to_owned()),
        Undecodable::Type {
            wanted: ValueType::Text,
            ..
        } => Some(format!("give {last} one text")),
        Undecodable::Type { wanted, .. } => Some(format!("write {wanted}")),
        _ => None,
    }
}

/// The value that is probably meant, or all there are.
fn meant(value: &Value, supported: &[String]) -> String {
    let (Value::Text(given) | Value::Json(given)) = value;
    let all: Vec<&str> = supported.iter().map(String::as_str).collect();
    let by_short_name = AccessMode::of_short_name(given).map(AccessMode::name);
    let same = all
        .iter()
        .find(|value| value.eq_ignore_ascii_case(given))
        .copied();
    if let Some(meant) = by_short_name.filter(|name| all.contains(name)).or(same) {
        return format!("write {meant}");
    }
    let near = similar_names(given, all.iter().copied());
    let offered = if near.is_empty() { all } else { near };
    let offered: Vec<String> = offered.into_iter().map(str::to_owned).collect();
    format!("write {}", join_or(&offered))
}

fn invalid(field: &str, rule: &InvalidRule) -> Option<&'static str> {
    let name_rule = match rule {
        InvalidRule::Positive | InvalidRule::ValidQuantity => {
            return Some("ask for a size above zero, such as 10Gi");
        }
        InvalidRule::Name(problem) => Some(problem.rule),
        InvalidRule::Schema { .. } | InvalidRule::Other(_) => None,
    };
    if name_rule == Some(NameRule::Subdomain) {
        return Some(
            "use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit",
        );
    }
    if field.ends_with("namespace") || name_rule == Some(NameRule::Label) {
        return Some(
            "use lower-case letters, digits and '-', beginning and ending with a letter or digit",
        );
    }
    let is_label = ["labels", "matchExpressions", "matchLabels"]
        .iter()
        .any(|part| field.contains(part));
    is_label.then_some(LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::names::name_problems;

    #[test]
    fn advice_names_what_is_meant() {
        let advice = |kind: FieldErrorKind| advise_on("spec.x", &kind).unwrap_or_default();
        let unsupported = |value: &str, supported: &[&str]| {
            advice(FieldErrorKind::NotSupported {
                value: Value::Text(value.to_owned()),
                supported: supported.iter().map(|it| (*it).to_owned()).collect(),
            })
        };
        let modes = AccessMode::ALL.map(AccessMode::name);
        assert_eq!(unsupported("RWO", &modes), "write ReadWriteOnce");
        assert_eq!(unsupported("readwritemany", &modes), "write ReadWriteMany");
        assert_eq!(
            unsupported("Dlete", &["Delete", "Recycle", "Retain"]),
            "write Delete"
        );
        assert_eq!(
            unsupported("no", &["Block", "Filesystem"]),
            "write Block or Filesystem"
        );
        let boolean = Undecodable::Type {
            found: ValueType::Boolean,
            wanted: ValueType::Text,
        };
        assert_eq!(advice(FieldErrorKind::Undecodable(boolean)), QUOTES);
        assert_eq!(advice(FieldErrorKind::Required("")), "add x");
    }

    /// The words of a value were once taken for those of the server.
    #[test]
    fn a_value_does_not_change_the_advice() {
        let advice = |name: &str| {
            let problems = name_problems(name).into_iter();
            let mut kinds = problems.map(|problem| FieldErrorKind::invalid(name, problem));
            kinds.find_map(|kind| advise_on("metadata.name", &kind))
        };
        assert!(advice("A").is_some());
        assert_eq!(advice("x where y is expected"), advice("A"));
        assert_eq!(advice("must be greater than zero"), advice("A"));
    }
}
