//! Labels whose value cannot be one: a design document writes sentences into them.

use super::Rewriting;
use crate::conventions::names::label_value_problems;
use crate::model::manifest::{Content, Node};

/// The longest value a label may have.
const LONGEST: usize = 63;

pub(super) fn mend(rewriting: &mut Rewriting) {
    let Some(labels) = rewriting.at("metadata.labels") else {
        return;
    };
    let mut mended = Vec::new();
    let Content::Map(entries) = &mut labels.content else {
        return;
    };
    for entry in entries {
        let Some(value) = entry.value.as_text() else {
            continue;
        };
        if !label_value_problems(value).is_empty() {
            let now = label_value(value);
            let done = format!("\"{value}\" is now \"{now}\"");
            mended.push((entry.key.clone(), entry.key_place, done));
            entry.value = Node {
                place: entry.value.place,
                ..Node::text(now)
            };
        }
    }
    for (key, place, done) in mended {
        rewriting.cleared(
            format!("metadata.labels[{key}]"),
            place,
            done,
            "a label's value has only letters, digits, '-', '_' and '.', at most 63",
        );
    }
}

/// The nearest text that can be the value of a label.
fn label_value(text: &str) -> String {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let words = text
        .split(|c: char| !is_fit(c))
        .filter(|word| !word.is_empty());
    let joined = words.collect::<Vec<_>>().join("-");
    let cut: String = joined.chars().take(LONGEST).collect();
    cut.trim_matches(|c: char| !c.is_ascii_alphanumeric())
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_becomes_a_value() {
        assert_eq!(label_value("any labels as needed"), "any-labels-as-needed");
        assert_eq!(label_value("-é x_"), "x");
        let long = label_value(&"ab ".repeat(40));
        assert!(label_value_problems(&long).is_empty(), "{long}");
    }
}
