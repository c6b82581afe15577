//! Label selectors as the oracle reads them (Q5), from the plain JSON of a claim.

use serde_json::Value;

/// Whether the labels of a volume pass a claim's selector, which may be absent.
pub(super) fn matches(selector: &Value, labels: &Value) -> bool {
    let exact = selector["matchLabels"].as_object().into_iter().flatten();
    let expressions = selector["matchExpressions"].as_array();
    exact
        .into_iter()
        .all(|(key, value)| labels.get(key) == Some(value))
        && expressions
            .into_iter()
            .flatten()
            .all(|expression| passes(expression, labels))
}

fn passes(expression: &Value, labels: &Value) -> bool {
    let key = expression["key"].as_str().expect("a key");
    let label = labels.get(key);
    let listed = || {
        let values = expression["values"].as_array().expect("values");
        label.is_some_and(|label| values.contains(label))
    };
    match expression["operator"].as_str() {
        Some("In") => listed(),
        Some("NotIn") => !listed(),
        Some("Exists") => label.is_some(),
        Some("DoesNotExist") => label.is_none(),
        other => panic!("operator {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::matches;

    fn one(operator: &str, values: &Value) -> Value {
        json!({ "matchExpressions": [{ "key": "tier", "operator": operator, "values": values }] })
    }

    #[test]
    fn every_operator_with_the_label_and_without() {
        let gold = json!({ "tier": "gold" });
        let none = Value::Null;
        let listed = json!(["gold", "silver"]);
        for (selector, with, without) in [
            (Value::Null, true, true),
            (json!({}), true, true),
            (json!({ "matchLabels": { "tier": "gold" } }), true, false),
            (json!({ "matchLabels": { "tier": "bronze" } }), false, false),
            (one("In", &listed), true, false),
            (one("NotIn", &listed), false, true),
            (one("Exists", &Value::Null), true, false),
            (one("DoesNotExist", &Value::Null), false, true),
        ] {
            assert_eq!(matches(&selector, &gold), with, "{selector}");
            assert_eq!(matches(&selector, &none), without, "{selector}");
        }
    }
}
