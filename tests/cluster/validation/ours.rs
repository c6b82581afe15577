//! Our answer to a manifest: `validate` of a file that holds the same bytes.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{TemporaryFile, kubectl_pv};

/// What the server would refuse, as far as `validate` can tell; everything else it says is advice.
const REFUSALS: &[&str] = &[
    "InvalidClaim",
    "InvalidVolume",
    "InvalidClass",
    "InvalidConfigMap",
    "InvalidVolumeSet",
];
const UNREADABLE: &str = "Unreadable";

#[derive(Debug)]
pub(in crate::cluster) struct Findings {
    /// The fields of what would be refused.
    pub(in crate::cluster) fields: BTreeSet<String>,
    /// Would it be refused at all?
    pub(in crate::cluster) refuses: bool,
    /// What is wrong with the answer itself.
    pub(in crate::cluster) malformed: Option<String>,
    /// The answer, for people.
    pub(in crate::cluster) shown: String,
}

/// Asks the program, which sees nothing but the file.
pub(in crate::cluster) fn ask(manifest: &str) -> Findings {
    let file = TemporaryFile::new("manifest.yaml", manifest);
    let arguments = ["validate", "-f", file.path(), "--offline", "-o", "json"];
    let ran = kubectl_pv(&arguments).ran();
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let findings: Vec<&Value> = report["findings"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let has = |finding: &Value, codes: &[&str]| {
        finding["code"]
            .as_str()
            .is_some_and(|code| codes.contains(&code))
    };
    let refusals = findings.iter().filter(|finding| has(finding, REFUSALS));
    let fields: BTreeSet<String> = refusals
        .map(|finding| finding["field"].as_str().unwrap_or_default().to_owned())
        .collect();
    let unreadable = findings.iter().any(|finding| has(finding, &[UNREADABLE]));
    let has_errors = findings
        .iter()
        .any(|finding| finding["severity"] == "Error");
    let malformed = if report["kind"] != "ValidationReport" {
        Some("no ValidationReport".to_owned())
    } else if ran.status != i32::from(has_errors) {
        Some(format!("exit {}, errors found: {has_errors}", ran.status))
    } else {
        None
    };
    Findings {
        refuses: !fields.is_empty() || unreadable,
        fields,
        malformed,
        shown: format!(
            "exit {}\n{:.6000}\n{:.2000}",
            ran.status, ran.stdout, ran.stderr
        ),
    }
}
