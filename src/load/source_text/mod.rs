//! A text that holds documents: YAML with `---` between them, or JSON one after the other. Every document becomes JSON,
//! as kubectl does it, and knows its line.

mod json;
mod scalar;
mod scanner;
mod separators;
mod yaml;

pub(super) use json::spell;
pub(super) use separators::separate;

use super::library_text::without_place;
use crate::model::manifest::{BrokenKind, Node, Place};
use std::borrow::Cow;
use yaml::Read;

/// One document of a text.
#[derive(Debug)]
pub(super) struct Document<'a> {
    /// Its place among the documents, from 1.
    pub(super) index: usize,
    /// Its first line in the text, from 1.
    pub(super) first_line: usize,
    /// Its first column in that line, from 1.
    first_column: usize,
    /// As JSON.
    pub(super) json: Cow<'a, str>,
    /// With the place of every value, if it was YAML.
    tree: Option<Node>,
    /// Where something follows its end without `---`, which kubectl passes over.
    pub(super) left_over: Option<Place>,
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) document: usize,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) kind: BrokenKind,
}

impl SyntaxError {
    fn of(error: yaml::TreeError, document: usize) -> Self {
        Self {
            document,
            line: error.place.line,
            column: error.place.column,
            kind: error.kind,
        }
    }
}

/// All documents of a text; empty ones are left out. The first broken one is the answer.
pub(super) fn documents(text: &str) -> Result<Vec<Document<'_>>, SyntaxError> {
    each_document(text).into_iter().collect()
}

/// All documents of a text, the broken ones among them.
pub(super) fn each_document(text: &str) -> Vec<Result<Document<'_>, SyntaxError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.trim_start().starts_with(['{', '[']) {
        return yaml_documents(text);
    }
    let found = json_documents(text);
    if found.iter().all(Result::is_ok) {
        return found;
    }
    // Flow YAML looks like JSON from afar; whoever writes JSON wants to hear about JSON.
    let as_yaml = yaml_documents(text);
    if as_yaml.iter().all(Result::is_ok) {
        as_yaml
    } else {
        found
    }
}

fn json_documents(text: &str) -> Vec<Result<Document<'_>, SyntaxError>> {
    let mut stream =
        serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
    let mut found = Vec::new();
    let mut position = Position::default();
    loop {
        let start = stream.byte_offset();
        let Some(next) = stream.next() else {
            return found;
        };
        let index = found.len() + 1;
        match next {
            Ok(raw) => {
                let offset = start + text[start..].find(raw.get()).unwrap_or(0);
                position.advance(text, offset);
                found.push(Ok(Document {
                    index,
                    first_line: 1 + position.lines,
                    first_column: 1 + position.columns,
                    json: Cow::Borrowed(raw.get()),
                    tree: None,
                    left_over: None,
                }));
            }
            Err(error) => {
                found.push(Err(SyntaxError {
                    document: index,
                    line: error.line(),
                    column: error.column().max(1),
                    kind: BrokenKind::Syntax(without_place(&error).into()),
                }));
                return found;
            }
        }
    }
}

/// How far the lines and columns of a text were counted: there may be many documents on one line.
#[derive(Debug, Default)]
struct Position {
    offset: usize,
    lines: usize,
    columns: usize,
}

impl Position {
    fn advance(&mut self, text: &str, offset: usize) {
        let passed = &text[self.offset..offset];
        self.lines += passed.matches('\n').count();
        self.columns = match passed.rsplit_once('\n') {
            Some((_, rest)) => rest.chars().count(),
            None => self.columns + passed.chars().count(),
        };
        self.offset = offset;
    }
}

fn yaml_documents(text: &str) -> Vec<Result<Document<'_>, SyntaxError>> {
    let mut found = Vec::new();
    for (position, (first_line, chunk)) in split(text).into_iter().enumerate() {
        let index = position + 1;
        match yaml::read(chunk, first_line - 1) {
            Ok(Read { root, left_over }) => {
                let root = root.unwrap_or_default();
                if left_over.is_some() || !root.is_null() {
                    found.push(Ok(Document {
                        index,
                        first_line,
                        first_column: 1,
                        json: Cow::Owned(spell(&root)),
                        tree: Some(root),
                        left_over,
                    }));
                }
            }
            Err(error) => found.push(Err(SyntaxError::of(error, index))),
        }
    }
    found
}

/// Whether a line parts documents.
fn is_separator(line: &str) -> bool {
    let rest = line.strip_prefix("---");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// Splits at lines that begin with `---`, as kubectl does; chunks without content are left out.
fn split(text: &str) -> Vec<(usize, &str)> {
    let mut chunks = Vec::new();
    let (mut start, mut start_line, mut offset) = (0, 1, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if is_separator(line) {
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

impl<'a> Document<'a> {
    /// A text that is one JSON document and nothing else.
    pub(super) fn whole(text: &'a str) -> Self {
        let json = text.trim_start();
        let leading = &text[..text.len() - json.len()];
        Self {
            index: 1,
            first_line: 1 + leading.matches('\n').count(),
            first_column: 1,
            json: Cow::Borrowed(json),
            tree: None,
            left_over: None,
        }
    }

    /// The document with the place of every value, or the key in it that is repeated.
    pub(super) fn tree(&self) -> Result<Cow<'_, Node>, SyntaxError> {
        if let Some(tree) = &self.tree {
            return Ok(Cow::Borrowed(tree));
        }
        let start = Place {
            line: self.first_line,
            column: self.first_column,
        };
        json::tree(&self.json, start)
            .map(Cow::Owned)
            .map_err(|error| SyntaxError::of(error, self.index))
    }

    /// The line of a field, or of the nearest thing around it.
    pub(super) fn line_of(&self, field: &str) -> usize {
        self.tree()
            .map_or(self.first_line, |tree| tree.place_of(field).line)
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
        let found = documents("{\"a\": 1}\n\n{\"ü\": 2} {\"c\": 3}\n  {}").unwrap();
        let places = found.iter().map(|d| (d.first_line, d.first_column));
        assert_eq!(
            places.collect::<Vec<_>>(),
            [(1, 1), (3, 1), (3, 10), (4, 3)]
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
