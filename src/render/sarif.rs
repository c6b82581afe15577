//! Findings as SARIF 2.1.0, which code hosts show beside the lines.

use crate::report::{Finding, FindingCode, FindingSeverity, ValidationReport};
use serde_json::{Value, json};
use std::fmt::Write;

/// The whole log.
pub(super) fn log(report: &ValidationReport) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "kubectl-pv",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": FindingCode::ALL.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn rule(code: FindingCode) -> Value {
    json!({
        "id": code.name(),
        "name": code.name(),
        "shortDescription": { "text": code.meaning() },
        "defaultConfiguration": { "level": level(code.severity()) },
    })
}

fn level(severity: FindingSeverity) -> &'static str {
    match severity {
        FindingSeverity::Error => "error",
        FindingSeverity::Warning => "warning",
        FindingSeverity::Note => "note",
    }
}

fn result(finding: &Finding) -> Value {
    let text = match &finding.hint {
        Some(hint) => format!("{}. {hint}", finding.message),
        None => finding.message.clone(),
    };
    let index = FindingCode::ALL
        .iter()
        .position(|code| *code == finding.code);
    json!({
        "ruleId": finding.code.name(),
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": text },
        "locations": [location(finding)],
    })
}

fn location(finding: &Finding) -> Value {
    let object = &finding.object;
    let owner = object
        .namespace
        .as_ref()
        .map(|namespace| format!("{namespace}/"));
    let whole = format!(
        "{}/{}{}",
        object.kind,
        owner.unwrap_or_default(),
        object.name
    );
    let logical = match &finding.field {
        Some(field) => format!("{whole}#{field}"),
        None => whole,
    };
    let mut location = json!({
        "logicalLocations": [{ "fullyQualifiedName": logical, "name": object.name, "kind": "object" }],
    });
    if let Some(file) = &finding.file {
        location["physicalLocation"] = json!({
            "artifactLocation": { "uri": uri(file) },
            "region": { "startLine": finding.line.unwrap_or(1), "startColumn": finding.column.unwrap_or(1) },
        });
    }
    location
}

/// A path as a reference, relative where it is.
fn uri(path: &str) -> String {
    let mut text = String::new();
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.starts_with('/') {
        text.push_str("file://");
    }
    for byte in path.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=@".contains(&byte);
        if is_plain {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("./a b/ü.yaml"), "a%20b/%C3%BC.yaml");
        assert_eq!(uri("/tmp/x.yaml"), "file:///tmp/x.yaml");
    }
}
