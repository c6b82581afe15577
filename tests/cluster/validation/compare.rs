//! The server's answer against ours.

use std::collections::BTreeSet;

use super::ours::Findings;
use super::server::Answer;

/// In which respect they differ, if they do.
pub(super) fn difference(answer: &Answer, ours: &Findings) -> Option<String> {
    if let Some(malformed) = &ours.malformed {
        return Some(malformed.clone());
    }
    if answer.status >= 500 {
        return Some("the server has no verdict".to_owned());
    }
    match (answer.is_taken(), ours.refuses) {
        (true, true) => Some("the server takes it, we refuse it".to_owned()),
        (false, false) => Some("the server refuses it, we find nothing".to_owned()),
        (true, false) => None,
        (false, true) => {
            let fields: BTreeSet<String> = answer
                .causes
                .iter()
                .map(|cause| cause.field.clone())
                .collect();
            // A 400 says what it stumbled over in words alone.
            let comparable = answer.status == 422 && !fields.is_empty();
            (comparable && fields != ours.fields)
                .then(|| format!("the server names {fields:?}, we name {:?}", ours.fields))
        }
    }
}

/// All of a disagreement, as comments above the manifest.
pub(super) fn show(what: &str, manifest: &str, answer: &Answer, ours: &Findings) -> String {
    let mut text = format!(
        "{what}\nserver {} {:.3000}\n",
        answer.status, answer.message
    );
    for cause in &answer.causes {
        text.push_str(&format!("  {}: {:.500}\n", cause.field, cause.message));
    }
    text.push_str(&format!("ours: {}", ours.shown));
    let comments: String = text.lines().map(|line| format!("# {line}\n")).collect();
    format!("{comments}{manifest}")
}
