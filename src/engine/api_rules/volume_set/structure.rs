//! A set against its schema, in the words of the API server: types first, then what each value may be. Whatever is null is
//! not there.

use super::super::Refusal;
use super::super::refusals::Refusals;
use super::schema::{LABEL_VALUE, QUANTITY};
use crate::conventions::names::{go_quote, label_value_problems};
use crate::model::manifest::{Content, Node};
use serde_json::Value;

/// Everything that does not fit. The server's own metadata, and the status, which it drops, are not looked at.
pub(super) fn check(refusals: &mut Refusals, schema: &Value, root: &Node) {
    check_required(refusals, schema, root, "");
    if let Some(spec) = root.get("spec") {
        check_value(refusals, &schema["properties"]["spec"], spec, "spec");
    }
}

/// Whether the server looks at nothing more than types and limits once it has seen this.
pub(super) fn is_blocking(refusal: &Refusal) -> bool {
    let starts = [
        "Required value",
        "Too long",
        "Too many",
        "Unsupported value",
    ];
    starts
        .iter()
        .any(|start| refusal.message.starts_with(start))
        || refusal.message.contains(" must be of type ")
}

fn check_value(refusals: &mut Refusals, schema: &Value, node: &Node, field: &str) {
    if let Some((found, wanted)) = type_problem(schema, node) {
        let detail = format!(
            "{field} in body must be of type {wanted}: {}",
            go_quote(found)
        );
        refusals.invalid(field, found, &detail);
        return;
    }
    match &node.content {
        Content::Text(text) => check_text(refusals, schema, text, field),
        Content::Number(digits) => check_number(refusals, schema, digits, field),
        Content::List(items) => {
            check_count(
                refusals,
                schema,
                items.len(),
                ("minItems", "maxItems", "items"),
                field,
            );
            for (index, item) in items.iter().enumerate() {
                let field = format!("{field}[{index}]");
                check_value(refusals, &schema["items"], item, &field);
            }
        }
        Content::Map(entries) => {
            check_required(refusals, schema, node, field);
            let limits = ("minProperties", "maxProperties", "properties");
            check_count(refusals, schema, entries.len(), limits, field);
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
                        refusals,
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

fn check_required(refusals: &mut Refusals, schema: &Value, node: &Node, field: &str) {
    for key in schema["required"].as_array().into_iter().flatten() {
        let key = key.as_str().unwrap_or("");
        if node.get(key).is_none() {
            let below = if field.is_empty() {
                key.to_owned()
            } else {
                format!("{field}.{key}")
            };
            refusals.required(below, "");
        }
    }
}

fn check_count(
    refusals: &mut Refusals,
    schema: &Value,
    count: usize,
    (least, most, word): (&str, &str, &str),
    field: &str,
) {
    let limit = |key: &str| {
        schema[key]
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
    };
    if let Some(least) = limit(least).filter(|least| count < *least) {
        let detail = format!("{field} in body should have at least {least} {word}");
        refusals.invalid_as(field, &count.to_string(), &detail);
    }
    if let Some(most) = limit(most).filter(|most| count > *most) {
        refusals.worded(
            field,
            &format!("Too many: {count}: must have at most {most} items"),
        );
    }
}

fn check_text(refusals: &mut Refusals, schema: &Value, text: &str, field: &str) {
    let length = text.chars().count();
    let limit = |key: &str| {
        schema[key]
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
    };
    if let Some(most) = limit("maxLength").filter(|most| length > *most) {
        refusals.too_long(field, most);
    }
    if let Some(least) = limit("minLength").filter(|least| length < *least) {
        let detail = format!("{field} in body should be at least {least} chars long");
        refusals.invalid(field, text, &detail);
    }
    if let Some(pattern) = schema["pattern"]
        .as_str()
        .filter(|pattern| !fits(pattern, text))
    {
        let detail = format!("{field} in body should match '{pattern}'");
        refusals.invalid(field, text, &detail);
    }
    if let Some(all) = schema["enum"].as_array() {
        let all: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        if !all.contains(&text) {
            refusals.unsupported(field, text, &all);
        }
    }
}

fn check_number(refusals: &mut Refusals, schema: &Value, digits: &str, field: &str) {
    let Ok(number) = digits.parse::<i64>() else {
        return;
    };
    // Here the server names no field.
    if schema["format"] == "int32" && i32::try_from(number).is_err() {
        let detail = format!("Checked value must be of type integer with format int32 in {field}");
        refusals.invalid_as(field, digits, &detail);
    }
    if let Some(least) = schema["minimum"].as_i64().filter(|least| number < *least) {
        let detail = format!("{field} in body should be greater than or equal to {least}");
        refusals.invalid_as(field, digits, &detail);
    }
}

/// Whether a text has the form that a pattern of the schema asks for.
fn fits(pattern: &str, text: &str) -> bool {
    match pattern {
        LABEL_VALUE => label_value_problems(text)
            .iter()
            .all(|problem| problem.starts_with("must be no more")),
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
