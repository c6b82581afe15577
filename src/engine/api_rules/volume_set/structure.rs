//! A set against its schema, in the words of the API server: types first, then what each value may be. Whatever is null is
//! not there.

use super::super::FieldError;
use super::super::field_errors::FieldErrors;
use super::schema::{LABEL_VALUE, QUANTITY};
use crate::conventions::field_error::{FieldErrorKind, InvalidRule, SchemaRule};
use crate::conventions::names::{NameProblem, label_value_problems};
use crate::model::manifest::{Content, Node};
use serde_json::Value;

/// Everything that does not fit. The server's own metadata, and the status, which it drops, are not looked at.
pub(super) fn check(errors: &mut FieldErrors, schema: &Value, root: &Node) {
    check_required(errors, schema, root, "");
    if let Some(spec) = root.get("spec") {
        check_value(errors, &schema["properties"]["spec"], spec, "spec");
    }
}

/// Whether the server looks at nothing more than types and limits once it has seen this.
pub(super) fn is_blocking(error: &FieldError) -> bool {
    match &error.kind {
        FieldErrorKind::Required(_)
        | FieldErrorKind::TooLong(_)
        | FieldErrorKind::TooMany { .. }
        | FieldErrorKind::NotSupported { .. } => true,
        FieldErrorKind::Invalid { rule, .. } => matches!(
            rule,
            InvalidRule::Schema {
                rule: SchemaRule::Type { .. } | SchemaRule::Int32,
                ..
            }
        ),
        _ => false,
    }
}

fn check_value(errors: &mut FieldErrors, schema: &Value, node: &Node, field: &str) {
    if let Some((found, wanted)) = type_problem(schema, node) {
        let wanted = wanted.to_owned();
        let rule = broken(field, SchemaRule::Type { found, wanted });
        errors.invalid(field, found, rule);
        return;
    }
    match &node.content {
        Content::Text(text) => check_text(errors, schema, text, field),
        Content::Number(digits) => check_number(errors, schema, digits, field),
        Content::List(items) => {
            check_count(
                errors,
                schema,
                items.len(),
                ("minItems", "maxItems", "items"),
                field,
            );
            for (index, item) in items.iter().enumerate() {
                let field = format!("{field}[{index}]");
                check_value(errors, &schema["items"], item, &field);
            }
        }
        Content::Map(entries) => {
            check_required(errors, schema, node, field);
            let limits = ("minProperties", "maxProperties", "properties");
            check_count(errors, schema, entries.len(), limits, field);
            for entry in entries {
                let known = &schema["properties"][&entry.key];
                let schema = if known.is_null() {
                    &schema["additionalProperties"]
                } else {
                    known
                };
                // What the schema does not have is dropped.
                if !schema.is_null() {
                    check_value(
                        errors,
                        schema,
                        &entry.value,
                        &format!("{field}.{}", entry.key),
                    );
                }
            }
        }
        Content::Null | Content::Bool(_) => {}
    }
}

fn broken(field: &str, rule: SchemaRule) -> InvalidRule {
    InvalidRule::Schema {
        field: field.to_owned(),
        rule,
    }
}

/// The type it has and those it should have, in the server's words, which are odd where a number is wanted.
fn type_problem<'a>(schema: &'a Value, node: &Node) -> Option<(&'static str, &'a str)> {
    let wanted = schema["type"].as_str().unwrap_or("integer,string");
    let found = match &node.content {
        Content::Null => "null",
        Content::Bool(_) => "boolean",
        Content::Number(digits) if digits.parse::<i64>().is_ok() => "integer",
        Content::Number(_) => "number",
        Content::Text(_) => "string",
        Content::List(_) => "array",
        Content::Map(_) => "object",
    };
    if wanted.split(',').any(|wanted| wanted == found) {
        return None;
    }
    match (schema["format"].as_str(), found) {
        (Some(format), "boolean" | "object") if wanted == "integer" => Some(("", format)),
        (Some(format), "number") if wanted == "integer" => Some(("float64", format)),
        _ => Some((found, wanted)),
    }
}

fn check_required(errors: &mut FieldErrors, schema: &Value, node: &Node, field: &str) {
    for key in schema["required"].as_array().into_iter().flatten() {
        let key = key.as_str().unwrap_or("");
        if node.get(key).is_none() {
            let below = if field.is_empty() {
                key.to_owned()
            } else {
                format!("{field}.{key}")
            };
            errors.required(below, "");
        }
    }
}

fn check_count(
    errors: &mut FieldErrors,
    schema: &Value,
    count: usize,
    (least, most, items): (&str, &str, &'static str),
    field: &str,
) {
    let limit = |key: &str| {
        schema[key]
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
    };
    if let Some(least) = limit(least).filter(|least| count < *least) {
        let rule = broken(field, SchemaRule::MinCount { least, items });
        errors.invalid_as(field, count.to_string(), rule);
    }
    if let Some(limit) = limit(most).filter(|most| count > *most) {
        errors.report(field, FieldErrorKind::TooMany { count, limit });
    }
}

fn check_text(errors: &mut FieldErrors, schema: &Value, text: &str, field: &str) {
    let length = text.chars().count();
    let limit = |key: &str| {
        schema[key]
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
    };
    if let Some(most) = limit("maxLength").filter(|most| length > *most) {
        errors.too_long(field, most);
    }
    if let Some(least) = limit("minLength").filter(|least| length < *least) {
        errors.invalid(field, text, broken(field, SchemaRule::MinLength(least)));
    }
    if let Some(pattern) = schema["pattern"]
        .as_str()
        .filter(|pattern| !fits(pattern, text))
    {
        let rule = SchemaRule::Pattern(pattern.to_owned());
        errors.invalid(field, text, broken(field, rule));
    }
    if let Some(all) = schema["enum"].as_array() {
        let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        if !all.contains(&text) {
            errors.unsupported(field, text, &all);
        }
    }
}

fn check_number(errors: &mut FieldErrors, schema: &Value, digits: &str, field: &str) {
    let Ok(number) = digits.parse::<i64>() else {
        return;
    };
    if schema["format"] == "int32" && i32::try_from(number).is_err() {
        errors.invalid_as(field, digits, broken(field, SchemaRule::Int32));
    }
    if let Some(least) = schema["minimum"].as_i64().filter(|least| number < *least) {
        let rule = broken(field, SchemaRule::Minimum(least));
        errors.invalid_as(field, digits, rule);
    }
}

/// Whether a text has the form that a pattern of the schema asks for.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern {
        LABEL_VALUE => label_value_problems(text)
            .iter()
            .all(NameProblem::is_too_long),
        QUANTITY => is_quantity(text),
        _ => true,
    }
}

/// The pattern of quantities by hand.
pub(super) fn is_quantity(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (whole, rest) = unsigned.split_at(digits(unsigned));
    let (fraction, unit) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(digits(rest)),
        None => ("", rest),
    };
    let is_number = !whole.is_empty() || !fraction.is_empty();
    let is_unit = match unit {
        "" | "n" | "u" | "m" | "k" | "M" | "G" | "T" | "P" | "E" | "Ki" | "Mi" | "Gi" | "Ti"
        | "Pi" | "Ei" => true,
        _ => unit.strip_prefix(['e', 'E']).is_some_and(|exponent| {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            (1..=2).contains(&exponent.len()) && digits(exponent) == exponent.len()
        }),
    };
    is_number && is_unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_by_hand() {
        for good in [
            "1", "+1", "-1.5Gi", ".5", "5.", "1e3", "1E-12", "10k", "0", "5.Ki",
        ] {
            assert!(is_quantity(good), "{good}");
        }
        for bad in [
            "", "+", ".", "1gi", "1 Gi", "Gi", "1e100", "1e", "1e1.5", "1K", "1Gib", "1e+", " 1",
            "1\n",
        ] {
            assert!(!is_quantity(bad), "{bad}");
        }
    }
}
