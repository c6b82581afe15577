//! The labels that volumes of a backend carry, so that the selector of a claim can be met: few, and only what the API server
//! takes.

use super::{CreateRequest, Labels, StorageError};
use crate::conventions::annotations::HOSTNAME;
use crate::conventions::names::{label_key_problems, label_value_problems};
use crate::conventions::secrets::is_secret;

/// The parameter of a class that lists them.
pub(super) const KEY: &str = "labels";
/// More is no label any more, but a document.
const MOST: usize = 16;

/// The labels of every volume of the class: `tier=gold,region=east`.
pub(super) fn of_request(request: &CreateRequest) -> Result<Labels, StorageError> {
    match request.parameters.get(KEY) {
        None => Ok(Labels::new()),
        Some(text) => parse(text).map_err(|why| StorageError::Refused(format!("`{KEY}` {why}"))),
    }
}

/// The same, and the label that ties a directory to its node.
pub(super) fn of_node_directory(request: &CreateRequest) -> Result<Labels, StorageError> {
    let mut labels = of_request(request)?;
    if let Some(node) = &request.node {
        if node.hostname.is_empty() || !label_value_problems(&node.hostname).is_empty() {
            return Err(StorageError::Refused(format!(
                "the label {HOSTNAME} of node `{}` cannot be that of a volume",
                node.name
            )));
        }
        labels.insert(HOSTNAME.to_owned(), node.hostname.clone());
    }
    Ok(labels)
}

/// What is wrong with labels that somebody else chose; `None` when nothing is.
pub(super) fn problem(labels: &Labels) -> Option<String> {
    if labels.len() > MOST {
        return Some(format!("{} labels, and {MOST} are enough", labels.len()));
    }
    labels.iter().find_map(|(key, value)| wrong(key, value))
}

pub(super) fn parse(text: &str) -> Result<Labels, String> {
    let mut labels = Labels::new();
    for pair in text.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let Some((key, value)) = pair.split_once('=') else {
            return Err("is not KEY=VALUE, several between commas".to_owned());
        };
        let (key, value) = (key.trim(), value.trim());
        if key == HOSTNAME {
            return Err(format!("has {HOSTNAME}, which is the node's to say"));
        }
        if labels.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(format!("has the key `{key}` twice"));
        }
    }
    match problem(&labels) {
        None => Ok(labels),
        Some(problem) => Err(format!("has {problem}")),
    }
}

/// What the API server would say of one label. A value is repeated only where it can be no secret.
fn wrong(key: &str, value: &str) -> Option<String> {
    if let Some(problem) = label_key_problems(key).first() {
        return Some(format!("the key `{key}`: {problem}"));
    }
    let problem = label_value_problems(value).into_iter().next()?;
    Some(if is_secret(key, value) {
        format!("a value for the key `{key}` that cannot be that of a label")
    } else {
        format!("the value `{value}` for the key `{key}`: {problem}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_what_the_api_server_takes() {
        let labels = parse(" tier=gold, topology.kubernetes.io/zone = a,empty=,").unwrap();
        let labels: Vec<(&str, &str)> = labels
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        let expected = [
            ("empty", ""),
            ("tier", "gold"),
            ("topology.kubernetes.io/zone", "a"),
        ];
        assert_eq!(labels, expected);
        assert!(parse("").unwrap().is_empty());
        let many: Vec<String> = (0..=MOST).map(|number| format!("k{number}=v")).collect();
        assert_eq!(parse(&many[1..].join(",")).unwrap().len(), MOST);
        for (text, part) in [
            ("tier", "KEY=VALUE"),
            ("tier=gold;region=east", "the value"),
            ("=gold", "the key"),
            ("a=1,a=1", "twice"),
            ("a=1,a=2", "twice"),
            ("../../etc=x", "the key"),
            ("a=../../etc", "the value"),
            ("a=/etc", "the value"),
            ("a=b\nc", "the value"),
            ("a\nb=c", "the key"),
            ("a=$(id)", "the value"),
            ("a=`id`", "the value"),
            ("a=b=c", "the value"),
            ("kubernetes.io/hostname=n", "the node's to say"),
            (&many.join(","), "17 labels"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let long = format!("a={}", "x".repeat(64));
        assert!(parse(&long).is_err());
        let secret = parse("api-token=hunter 2").unwrap_err();
        assert!(
            !secret.contains("hunter") && secret.contains("api-token"),
            "{secret}"
        );
    }
}
