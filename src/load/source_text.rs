//! A text that holds documents: YAML with `---` between them, or JSON one after the other. Every document becomes JSON,
//! as kubectl does it, and knows its line.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Budget, Options, Spanned};
use std::borrow::Cow;
use std::fmt;

/// Dumps are large; what must stay small is what aliases can blow up.
const MOST_NODES: usize = 50_000_000;
const MOST_ALIASES: usize = 1_000;
const MOST_REPLAYED: usize = 100_000;
/// Deeper than any manifest; every level costs stack.
const DEEPEST: usize = 128;

/// One document of a text.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// Its place among the documents, from 1.
    pub(super) index: usize,
    /// Its first line in the text, from 1.
    pub(super) first_line: usize,
    /// As JSON.
    pub(super) json: Cow<'a, str>,
    /// As it was written, if that was YAML.
    yaml: Option<&'a str>,
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) document: usize,
    pub(super) line: usize,
    pub(super) message: String,
}

/// All documents of a text; empty ones are left out.
pub(super) fn documents(text: &str) -> Result<Vec<Document<'_>>, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return yaml_documents(text);
    }
    // Flow YAML looks like JSON from afar; whoever writes JSON wants to hear about JSON.
    json_documents(text).or_else(|error| yaml_documents(text).map_err(|_| error))
}

fn json_documents(text: &str) -> Result<Vec<Document<'_>>, SyntaxError> {
    let mut stream =
        serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
    let mut found = Vec::new();
    loop {
        let start = stream.byte_offset();
        let Some(next) = stream.next() else {
            return Ok(found);
        };
        let index = found.len() + 1;
        match next {
            Ok(raw) => {
                let offset = start + text[start..].find(raw.get()).unwrap_or(0);
                let first_line = 1 + text[..offset].matches('\n').count();
                found.push(Document {
                    index,
                    first_line,
                    json: Cow::Borrowed(raw.get()),
                    yaml: None,
                });
            }
            Err(error) => {
                let message = error.to_string();
                let message = message
                    .rsplit_once(" at line ")
                    .map_or(message.as_str(), |(message, _)| message);
                return Err(SyntaxError {
                    document: index,
                    line: error.line(),
                    message: message.to_owned(),
                });
            }
        }
    }
}

fn yaml_documents(text: &str) -> Result<Vec<Document<'_>>, SyntaxError> {
    let mut found = Vec::new();
    for (position, (first_line, chunk)) in split(text).into_iter().enumerate() {
        let index = position + 1;
        let value: serde_json::Value = match serde_saphyr::from_str_with_options(chunk, options()) {
            Ok(value) => value,
            Err(error) => return Err(syntax_error(index, first_line, &error)),
        };
        let mut value = value;
        whole_numbers(&mut value);
        if !value.is_null() {
            found.push(Document {
                index,
                first_line,
                json: Cow::Owned(value.to_string()),
                yaml: Some(chunk),
            });
        }
    }
    Ok(found)
}

/// `1e3` is read as a float and means 1000, as kubectl hands it on.
fn whole_numbers(value: &mut serde_json::Value) {
    /// Above this a float does not know its last digits.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(whole_numbers),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(whole_numbers),
        serde_json::Value::Number(number) => {
            if let Some(float) = number
                .as_f64()
                .filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT)
                && let Ok(whole) = format!("{float:.0}").parse::<i64>()
            {
                *value = whole.into();
            }
        }
        _ => {}
    }
}

/// Splits at lines that begin with `---`, as kubectl does; chunks without content are left out.
fn split(text: &str) -> Vec<(usize, &str)> {
    let mut chunks = Vec::new();
    let (mut start, mut start_line, mut offset) = (0, 1, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let rest = line
            .strip_prefix("---")
            .filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']));
        if rest.is_some() {
            chunks.push((start_line, &text[start..offset]));
            start = offset;
            start_line = number + 1;
        }
        offset += line.len();
    }
    chunks.push((start_line, &text[start..]));
    let has_content = |chunk: &str| {
        let mut lines = chunk
            .lines()
            .map(|line| line.strip_prefix("---").unwrap_or(line).trim());
        lines.any(|line| !line.is_empty() && !line.starts_with('#') && line != "...")
    };
    chunks
        .into_iter()
        .filter(|(_, chunk)| has_content(chunk))
        .collect()
}

fn options() -> Options {
    let mut budget = Budget::default();
    budget.max_events = MOST_NODES * 3;
    budget.max_nodes = MOST_NODES;
    budget.max_aliases = MOST_ALIASES;
    budget.max_anchors = MOST_ALIASES;
    budget.max_depth = DEEPEST;
    budget.max_total_scalar_bytes = usize::MAX;
    let mut options = Options::default();
    options.budget = Some(budget);
    options.alias_limits.max_total_replayed_events = MOST_REPLAYED;
    // As kubectl reads YAML 1.1: `0644` is a number.
    options.legacy_octal_numbers = true;
    options
}

fn syntax_error(document: usize, first_line: usize, error: &serde_saphyr::Error) -> SyntaxError {
    let within = error
        .location()
        .map_or(1, |location| usize::try_from(location.line()).unwrap_or(1));
    let rendered = error.without_snippet().to_string();
    // The place is told in our own way; what is left is the first line of the message.
    let message = rendered.lines().next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let message = message.split(" at line ").next().unwrap_or(message);
    // Advice to programmers is of no use to the person with the file.
    let message = message
        .split(", set DuplicateKeyPolicy")
        .next()
        .unwrap_or(message);
    // The limits are ours, and the parser's names for them nobody's business.
    let is_limit = message.contains("budget breached") || message.contains("limit exceeded");
    let message = if is_limit {
        "the document is too deep, too large, or repeats itself too often"
    } else {
        message
    };
    SyntaxError {
        document,
        line: first_line + within.max(1) - 1,
        message: message.to_owned(),
    }
}

impl<'a> Document<'a> {
    /// A text that is one JSON document and nothing else.
    pub(super) fn whole(json: &'a str) -> Self {
        let leading = &json[..json.len() - json.trim_start().len()];
        Self {
            index: 1,
            first_line: 1 + leading.matches('\n').count(),
            json: Cow::Borrowed(json),
            yaml: None,
        }
    }

    /// The line of a field such as `spec.capacity.storage`, or the document's own.
    pub(super) fn line_of(&self, field: &str) -> usize {
        // JSON is YAML too, where only the places of things are asked for.
        let text = self.yaml.unwrap_or(&self.json);
        let Ok(tree) = serde_saphyr::from_str_with_options::<Node>(text, options()) else {
            return self.first_line;
        };
        tree.find_line(field)
            .map_or(self.first_line, |line| self.first_line + line - 1)
    }
}

/// A document with the place of every value, read only to say where an error is.
enum Node {
    Map(Vec<(String, Spanned<Node>)>),
    List(Vec<Spanned<Node>>),
    Leaf,
}

impl Node {
    /// Follows a path like `spec.accessModes[0]` as far as it goes.
    fn find_line(&self, path: &str) -> Option<usize> {
        let mut node = self;
        let mut line = None;
        let steps = path
            .split(['.', '['])
            .map(|step| step.trim_end_matches(']'));
        for step in steps {
            let next = match node {
                Self::Map(entries) => entries
                    .iter()
                    .find(|(key, _)| key == step)
                    .map(|(_, value)| value),
                Self::List(items) => step
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get(index)),
                Self::Leaf => None,
            };
            let Some(next) = next else { break };
            line = usize::try_from(next.referenced.line()).ok();
            node = &next.value;
        }
        line
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Build;
        impl<'de> Visitor<'de> for Build {
            type Value = Node;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("any value")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Node, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Node::Map(entries))
            }
            fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Node, S::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Node::List(items))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Node, E> {
                Ok(Node::Leaf)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
                Ok(Node::Leaf)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
                Ok(Node::Leaf)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
                Ok(Node::Leaf)
            }
            fn visit_str<E>(self, _: &str) -> Result<Node, E> {
                Ok(Node::Leaf)
            }
            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Leaf)
            }
        }
        deserializer.deserialize_any(Build)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_know_their_place() {
        let text = "# nothing yet\n---\na: 1\n---\n\n---\nb:\n- c: x\n  d: [1,\n    2]\n";
        let found = documents(text).unwrap();
        assert_eq!(
            found
                .iter()
                .map(|d| (d.index, d.first_line))
                .collect::<Vec<_>>(),
            [(1, 2), (2, 6)]
        );
        assert_eq!(found[1].line_of("b[0].d"), 9);
        assert_eq!(found[1].line_of("b[0].missing"), 8);
    }

    #[test]
    fn broken_documents_name_the_line() {
        let error = documents("a: 1\n---\nb:\n  - [1\nc: 2\n").unwrap_err();
        assert_eq!(error.document, 2);
        assert!((4..=6).contains(&error.line), "{error:?}");
        let error = documents("{\"a\":\n  1,,\n}").unwrap_err();
        assert_eq!((error.document, error.line), (1, 2));
    }

    #[test]
    fn json_documents_may_follow_each_other() {
        let found = documents("{\"a\": 1}\n\n{\"b\": 2}").unwrap();
        assert_eq!(
            found.iter().map(|d| d.first_line).collect::<Vec<_>>(),
            [1, 3]
        );
    }

    #[test]
    fn aliases_cannot_fill_the_memory() {
        let ten = |item: &str| [item; 10].join(",");
        let level = |n: usize| format!("a{n}: &a{n} [{}]\n", ten(&format!("*a{}", n - 1)));
        let text = format!(
            "a0: &a0 [{}]\n{}",
            ten("x"),
            (1..10).map(level).collect::<String>()
        );
        assert!(documents(&text).is_err());
    }

    #[test]
    fn repeated_keys_are_refused() {
        assert!(documents("a: 1\na: 2\n").is_err());
    }

    #[test]
    fn scalars_are_read_as_kubectl_reads_them() {
        assert_eq!(
            documents("a: 1e3\nb: 1.5\n").unwrap()[0].json,
            r#"{"a":1000,"b":1.5}"#
        );
        let found = documents("a: 0644\nb: yes\nc: 'yes'\n").unwrap();
        assert_eq!(found[0].json, r#"{"a":420,"b":true,"c":"yes"}"#);
    }
}
