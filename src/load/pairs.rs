//! A small YAML or JSON file that is one map from texts to texts, such as that of `--backends`; every pair knows its line.

use super::FileError;
use super::outside::{read_configuration, text};
use super::source_text::documents;
use crate::model::manifest::{BrokenKind, Content, Entry};
use std::borrow::Cow;
use std::path::Path;

/// One pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    /// Where it stands, from 1.
    pub(crate) line: usize,
    pub(crate) key: String,
    pub(crate) value: String,
}

/// Reads the pairs of a file, in its order; a file that says nothing has none.
pub(crate) fn read_pairs(path: &Path) -> Result<Vec<Pair>, FileError> {
    let shown = path.display().to_string();
    let text = read_configuration(path)
        .and_then(text)
        .map_err(|source| FileError::Read {
            path: shown.clone(),
            source,
        })?;
    pairs(&text).map_err(|(line, kind)| FileError::Syntax {
        path: shown,
        document: 1,
        line,
        kind,
    })
}

fn pairs(text: &str) -> Result<Vec<Pair>, (usize, BrokenKind)> {
    let found = documents(text).map_err(|error| (error.line, error.kind))?;
    let document = match &found[..] {
        [] => return Ok(vec![]),
        [only] => only,
        [_, second, ..] => return Err(wrong(second.first_line, "a second document")),
    };
    if let Some(rest) = document.left_over {
        return Err(wrong(rest.line, "something follows the end of the map"));
    }
    let tree = document.tree().map_err(|error| (error.line, error.kind))?;
    match &tree.content {
        Content::Map(entries) => entries.iter().map(pair).collect(),
        _ => Err(wrong(tree.place.line.max(1), "not a map")),
    }
}

fn wrong(line: usize, words: impl Into<Cow<'static, str>>) -> (usize, BrokenKind) {
    (line, BrokenKind::Syntax(words.into()))
}

fn pair(entry: &Entry) -> Result<Pair, (usize, BrokenKind)> {
    let line = entry.key_place.line;
    match entry.value.as_text() {
        Some(value) => Ok(Pair {
            line,
            key: entry.key.clone(),
            value: value.to_owned(),
        }),
        None => Err(wrong(
            line,
            format!("the value of `{}` is no text", entry.key),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_know_their_lines() {
        let found = pairs("# ours\na.b/c: hostpath:/srv\n\n'd': \"x: y\"\n").unwrap();
        let found: Vec<(usize, &str, &str)> = found
            .iter()
            .map(|pair| (pair.line, pair.key.as_str(), pair.value.as_str()))
            .collect();
        assert_eq!(found, [(2, "a.b/c", "hostpath:/srv"), (4, "d", "x: y")]);
        let json = pairs("{\"a\":\n \"b\"}").unwrap();
        assert_eq!((json[0].key.as_str(), json[0].value.as_str()), ("a", "b"));
        for nothing in ["", "# nothing\n", "---\n", "{}"] {
            assert!(pairs(nothing).unwrap().is_empty(), "{nothing:?}");
        }
    }

    #[test]
    fn what_is_no_map_of_texts_is_refused_with_its_line() {
        for (text, line, part) in [
            ("a: b\nc: d\na: e\n", 3, "a"),
            ("a: b\n---\nc: d\n", 2, "second document"),
            ("- a\n", 1, "not a map"),
            ("just text\n", 1, "not a map"),
            ("a: b\nc:\n  d: e\n", 2, "no text"),
            ("a: b\nc: [d]\n", 2, "no text"),
            ("a:\n", 1, "no text"),
            ("a: 7\n", 1, "no text"),
            ("a: yes\n", 1, "no text"),
            ("{\"a\": \"b\", \"a\": \"c\"}", 1, "a"),
        ] {
            let (found, kind) = pairs(text).unwrap_err();
            assert_eq!(found, line, "{text:?}: {kind}");
            assert!(kind.to_string().contains(part), "{text:?}: {kind}");
        }
        assert!(pairs("a: b\n  c: [\n").is_err());
    }
}
