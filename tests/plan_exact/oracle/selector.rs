//! Label selectors (Q5), straight from the object.

use serde_json::Value;

/// Whether labels pass; a claim without a selector takes any.
pub(super) fn selects(selector: &Value, labels: &Value) -> bool {
    let equal = selector["matchLabels"].as_object();
    let equal = equal.into_iter().flatten();
    let expressions = selector["matchExpressions"].as_array();
    let mut expressions = expressions.into_iter().flatten();
    equal
        .into_iter()
        .all(|(key, value)| labels.get(key) == Some(value))
        && expressions.all(|expression| holds(expression, labels))
}

fn holds(expression: &Value, labels: &Value) -> bool {
    let key = expression["key"].as_str().expect("a key");
    let value = labels.get(key);
    let listed = || {
        let values = expression["values"].as_array();
        values.is_some_and(|values| value.is_some_and(|value| values.contains(value)))
    };
    match expression["operator"].as_str().expect("an operator") {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        other => panic!("no operator: {other}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::selects;

    #[test]
    fn an_absent_label_is_not_in_anything() {
        let with = |operator: &str, values: Value| {
            let expression = json!({ "key": "zone", "operator": operator, "values": values });
            json!({ "matchExpressions": [expression] })
        };
        let none = json!({});
        let zone_a = json!({ "zone": "a" });
        assert!(selects(&Value::Null, &none) && selects(&json!({}), &none));
        assert!(selects(&with("In", json!(["a"])), &zone_a));
        assert!(!selects(&with("In", json!(["a"])), &none));
        assert!(!selects(&with("NotIn", json!(["a"])), &zone_a));
        assert!(selects(&with("NotIn", json!(["a"])), &none));
        assert!(selects(&with("Exists", Value::Null), &zone_a));
        assert!(selects(&with("DoesNotExist", Value::Null), &none));
        assert!(selects(&json!({ "matchLabels": { "zone": "a" } }), &zone_a));
        assert!(!selects(
            &json!({ "matchLabels": { "zone": "b" } }),
            &zone_a
        ));
    }
}
