//! What to do about a refusal of the API server, whose words name the rule and not the remedy.

use crate::conventions::access_mode::AccessMode;
use crate::conventions::object_ref::similar_names;
use crate::report::join_or;

/// What to do, where that can be said.
pub(super) fn advise(field: Option<&str>, message: &str) -> Option<String> {
    let field = field.unwrap_or("");
    let last = field.rsplit('.').next().unwrap_or(field);
    if message.starts_with("quantities must match")
        || message.starts_with("unable to parse quantity")
    {
        return Some(
            "write a number with a unit, such as 10Gi (binary) or 10G (decimal)".to_owned(),
        );
    }
    if let Some(found) = message.strip_suffix(" where a string is expected") {
        return Some(match found {
            "a boolean" | "a number" => "put it in quotes".to_owned(),
            _ => format!("give {last} one text"),
        });
    }
    if let Some((_, wanted)) = message.split_once(" where ") {
        let wanted = wanted.strip_suffix(" is expected").unwrap_or(wanted);
        return Some(format!("write {wanted}"));
    }
    let (kind, detail) = message.split_once(": ").unwrap_or((message, ""));
    match kind {
        "Required value" if field == "spec" => {
            Some("say where the storage is: csi, nfs, hostPath, local …".to_owned())
        }
        "Required value" => Some(format!("add {last}")),
        "Unsupported value" => Some(supported(detail)),
        "Duplicate value" => Some("leave the second one out".to_owned()),
        "Forbidden" => Some(format!(
            "leave it out, or what it cannot stand beside: {detail}"
        )),
        "Too long" | "Too many" => Some("make it shorter".to_owned()),
        "Invalid value" => invalid(field, detail),
        _ => None,
    }
}

/// The value that is probably meant, or all there are: `"delete": supported values: "Delete", "Retain"`.
fn supported(detail: &str) -> String {
    let (given, all) = detail
        .split_once(": supported values: ")
        .unwrap_or((detail, ""));
    let given = given.trim_matches('"');
    let all: Vec<&str> = all
        .split(", ")
        .map(|value| value.trim_matches('"'))
        .collect();
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

fn invalid(field: &str, detail: &str) -> Option<String> {
    if detail.contains("must be greater than zero") || detail.contains("valid resource quantity") {
        return Some("ask for a size above zero, such as 10Gi".to_owned());
    }
    if detail.contains("RFC 1123 subdomain") || detail.contains("DNS-1123") {
        return Some("use lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit".to_owned());
    }
    if field.contains("labels") || detail.contains("label") {
        return Some("use letters, digits, '-', '_' and '.', at most 63, beginning and ending with a letter or digit".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_what_is_meant() {
        let advice = |message: &str| advise(Some("spec.x"), message).unwrap_or_default();
        let modes = "\"ReadOnlyMany\", \"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"";
        assert_eq!(
            advice(&format!(
                "Unsupported value: \"RWO\": supported values: {modes}"
            )),
            "write ReadWriteOnce"
        );
        assert_eq!(
            advice(&format!(
                "Unsupported value: \"readwritemany\": supported values: {modes}"
            )),
            "write ReadWriteMany"
        );
        assert_eq!(
            advice(
                "Unsupported value: \"Dlete\": supported values: \"Delete\", \"Recycle\", \"Retain\""
            ),
            "write Delete"
        );
        assert_eq!(
            advice("Unsupported value: \"no\": supported values: \"Block\", \"Filesystem\""),
            "write Block or Filesystem"
        );
        assert_eq!(
            advice("a boolean where a string is expected"),
            "put it in quotes"
        );
        assert_eq!(advice("Required value"), "add x");
    }
}
