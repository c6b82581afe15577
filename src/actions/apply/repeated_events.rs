//! An event that exists already, counted up as Kubernetes' own recorders do it. `apply.rs` sends what comes out of here.

use serde_json::{Value, json};

/// The patch that writes a new message into an event and counts it up; nothing where the event has that message.
pub(super) fn count_up(found: &str, wanted: &Value, now: &str) -> Option<Value> {
    let found: Value = serde_json::from_str(found).ok()?;
    if found["message"] == wanted["message"] {
        return None;
    }
    let count = found["count"].as_u64().unwrap_or(1);
    Some(json!({
        "metadata": { "resourceVersion": found["metadata"]["resourceVersion"] },
        "message": wanted["message"],
        "count": count + 1,
        "lastTimestamp": now,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: &str = r#"{
        "metadata": { "name": "data.0123", "resourceVersion": "41" },
        "message": "no space", "count": 2,
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:05:00Z" }"#;

    #[test]
    fn the_same_message_is_written_once() {
        let wanted = json!({ "message": "no space", "count": 1 });
        assert_eq!(count_up(FOUND, &wanted, "2026-01-01T01:00:00Z"), None);
        assert_eq!(count_up("no event", &wanted, "2026-01-01T01:00:00Z"), None);
    }

    #[test]
    fn another_message_is_counted_up_in_the_same_event() {
        let wanted = json!({ "message": "no quota", "count": 1 });
        let patch = json!({
            "metadata": { "resourceVersion": "41" },
            "message": "no quota", "count": 3, "lastTimestamp": "2026-01-01T01:00:00Z",
        });
        assert_eq!(
            count_up(FOUND, &wanted, "2026-01-01T01:00:00Z"),
            Some(patch)
        );
        let uncounted = r#"{ "metadata": {}, "message": "no space" }"#;
        let counted = count_up(uncounted, &wanted, "2026-01-01T01:00:00Z").unwrap();
        assert_eq!(counted["count"], 2);
    }
}
