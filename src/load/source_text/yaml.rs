//! One YAML document → a tree with places. Repeated keys are an error; anchors, aliases and merges (`<<`) are followed
//! within bounds.

use super::scalar::{self, Tagged};
use crate::model::manifest::{Content, Entry, Node, Place};
use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, Tag};
use std::collections::{HashMap, HashSet};

/// Deeper than any manifest; every level costs stack later on.
pub(super) const DEEPEST: usize = 128;
/// Dumps are large; what must stay small is what aliases can blow up.
const MOST_NODES: usize = 50_000_000;
const MOST_REPLAYED: usize = 100_000;

/// What is wrong with a document, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeError {
    pub(super) place: Place,
    pub(super) message: String,
    /// The key that stands a second time, if that is what is wrong.
    pub(super) repeated_key: Option<String>,
}

impl TreeError {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            message: message.into(),
            repeated_key: None,
        }
    }

    pub(super) fn repeated(place: Place, key: String) -> Self {
        Self {
            place,
            message: format!("the key `{key}` stands here a second time"),
            repeated_key: Some(key),
        }
    }
}

const TOO_MUCH: &str = "the document is too deep, too large, or repeats itself too often";

/// Reads the one document of a text that begins below so many other lines; `None` if it holds nothing.
pub(super) fn tree(text: &str, lines_above: usize) -> Result<Option<Node>, TreeError> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.flow_nesting_limit = DEEPEST;
    options.block_nesting_limit = DEEPEST;
    let place = |marker: Marker| Place {
        line: lines_above + marker.line().max(1),
        column: marker.col() + 1,
    };
    let mut builder = Builder::default();
    let mut is_complete = false;
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) =
            event.map_err(|error| TreeError::new(place(*error.marker()), plain(&error.info())))?;
        let place = place(span.start);
        if is_complete && !matches!(event, Event::StreamEnd) {
            return Err(TreeError::new(
                place,
                "something follows the end of the document: put `---` in between",
            ));
        }
        if runs_into_its_tag(text, &event, span.start) {
            return Err(TreeError::new(place, "a blank is missing after the tag"));
        }
        is_complete = builder.take(event, place)? || is_complete;
    }
    Ok(builder.root)
}

/// To kubectl's reader a comma or bracket right after a tag is a part of it, and then something is missing.
fn runs_into_its_tag(text: &str, event: &Event<'_>, start: Marker) -> bool {
    let Event::Scalar(value, ScalarStyle::Plain, _, Some(_)) = event else {
        return false;
    };
    let Some((before, after)) = start.byte_offset().and_then(|at| text.split_at_checked(at)) else {
        return false;
    };
    value.is_empty() && after.starts_with([',', ']']) && !before.ends_with([' ', '\t', '\n', '\r'])
}

/// The parser's limits are ours, and its names for them nobody's business.
fn plain(message: &str) -> String {
    if message.contains("nesting") && message.contains("limit") {
        return TOO_MUCH.to_owned();
    }
    message.to_owned()
}

/// A map or list that is being read.
struct Open {
    place: Place,
    anchor: usize,
    kind: OpenKind,
}

enum OpenKind {
    List(Vec<Node>),
    Map(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    entries: Vec<Entry>,
    /// Where each key stands among the entries; a long map is looked up in all the time.
    index: HashMap<String, usize>,
    /// The keys that stand in the text; those of a merge may be overridden.
    written: HashSet<String>,
    /// The key whose value comes next.
    key: Option<Key>,
}

enum Key {
    Name(String, Place),
    Merge,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    root: Option<Node>,
    nodes: usize,
    replayed: usize,
}

impl Builder {
    /// Takes one event; answers whether the document is complete.
    fn take(&mut self, event: Event<'_>, place: Place) -> Result<bool, TreeError> {
        let fail = |message: String| TreeError::new(place, message);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tagged = tagged(style, tag.as_deref());
                if self.wants_key() && text == "<<" && tagged == Tagged::Plain {
                    self.set_key(Key::Merge);
                    return Ok(false);
                }
                let content = scalar::resolve(&text, tagged).map_err(fail)?;
                if !self.wants_key() && !scalar::is_finite(&content) {
                    return Err(fail(format!("`{text}` is no number that JSON knows")));
                }
                let node = Node { content, place };
                if anchor > 0 {
                    self.anchors.insert(anchor, node.clone());
                }
                self.add(node)?;
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(place, anchor, OpenKind::List(vec![]))?;
            }
            Event::MappingStart(_, anchor, _) => {
                self.begin(place, anchor, OpenKind::Map(OpenMap::default()))?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end()?,
            Event::Alias(id) => {
                let Some(node) = self.anchors.get(&id) else {
                    return Err(fail("an alias stands inside what it stands for".to_owned()));
                };
                self.replayed += size(node, MOST_REPLAYED);
                if self.replayed > MOST_REPLAYED {
                    return Err(fail(TOO_MUCH.to_owned()));
                }
                let node = node.clone();
                self.add(node)?;
            }
            Event::DocumentEnd => return Ok(true),
            _ => {}
        }
        Ok(false)
    }

    fn begin(&mut self, place: Place, anchor: usize, kind: OpenKind) -> Result<(), TreeError> {
        if self.open.len() >= DEEPEST {
            return Err(TreeError::new(place, TOO_MUCH));
        }
        self.open.push(Open {
            place,
            anchor,
            kind,
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), TreeError> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let content = match open.kind {
            OpenKind::List(items) => Content::List(items),
            OpenKind::Map(map) => Content::Map(map.entries),
        };
        let node = Node {
            content,
            place: open.place,
        };
        if open.anchor > 0 {
            self.anchors.insert(open.anchor, node.clone());
        }
        self.add(node)
    }

    fn wants_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open {
                kind: OpenKind::Map(OpenMap { key: None, .. }),
                ..
            })
        )
    }

    fn set_key(&mut self, key: Key) {
        if let Some(Open {
            kind: OpenKind::Map(map),
            ..
        }) = self.open.last_mut()
        {
            map.key = Some(key);
        }
    }

    /// Puts a finished value where it belongs.
    fn add(&mut self, node: Node) -> Result<(), TreeError> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(TreeError::new(node.place, TOO_MUCH));
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(OpenKind::List(items)) => items.push(node),
            Some(OpenKind::Map(map)) => match map.key.take() {
                None => map.take_key(node)?,
                Some(Key::Merge) => map.merge(&node)?,
                Some(Key::Name(key, key_place)) => map.set(Entry {
                    key,
                    key_place,
                    value: node,
                }),
            },
        }
        Ok(())
    }
}

impl OpenMap {
    fn take_key(&mut self, node: Node) -> Result<(), TreeError> {
        let place = node.place;
        let Some(key) = scalar::key(node.content) else {
            return Err(TreeError::new(place, "a key must be a text"));
        };
        if !self.written.insert(key.clone()) {
            return Err(TreeError::repeated(place, key));
        }
        self.key = Some(Key::Name(key, place));
        Ok(())
    }

    /// What comes later wins, merged or written.
    fn set(&mut self, entry: Entry) {
        if let Some(index) = self.index.get(&entry.key) {
            self.entries[*index] = entry;
        } else {
            self.index.insert(entry.key.clone(), self.entries.len());
            self.entries.push(entry);
        }
    }

    /// Of several maps to merge, earlier ones win.
    fn merge(&mut self, node: &Node) -> Result<(), TreeError> {
        let all = match &node.content {
            Content::List(maps) => maps.iter().rev().collect(),
            _ => vec![node],
        };
        for map in all {
            let Content::Map(entries) = &map.content else {
                return Err(TreeError::new(map.place, "only a map can be merged"));
            };
            for entry in entries {
                self.set(entry.clone());
            }
        }
        Ok(())
    }
}

/// How many values a tree holds, counted no further than needed.
fn size(node: &Node, enough: usize) -> usize {
    let mut count = 1;
    let children: Vec<&Node> = match &node.content {
        Content::List(items) => items.iter().collect(),
        Content::Map(entries) => entries.iter().map(|entry| &entry.value).collect(),
        _ => return 1,
    };
    for child in children {
        count += size(child, enough);
        if count > enough {
            break;
        }
    }
    count
}

fn tagged(style: ScalarStyle, tag: Option<&Tag>) -> Tagged {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain {
            Tagged::Plain
        } else {
            Tagged::Text
        };
    };
    let name = tag.to_string();
    let suffix = name
        .strip_prefix("tag:yaml.org,2002:")
        .or_else(|| name.strip_prefix("!!"));
    match suffix {
        Some("int") => Tagged::Int,
        Some("float") => Tagged::Float,
        Some("bool") => Tagged::Bool,
        Some("null") => Tagged::Null,
        Some("binary") => Tagged::Binary,
        _ => Tagged::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::spell;
    use super::*;

    fn json(text: &str) -> String {
        spell(&tree(text, 0).unwrap().unwrap())
    }

    #[test]
    fn trees_keep_order_and_places() {
        let root = tree("b: 1\na:\n  - x: yes\n    z: \"yes\"\n", 0)
            .unwrap()
            .unwrap();
        assert_eq!(spell(&root), r#"{"b":1,"a":[{"x":true,"z":"yes"}]}"#);
        assert_eq!(root.place_of("a[0].z"), Place { line: 4, column: 5 });
        assert_eq!(root.get("a").unwrap().items()[0].place.line, 3);
    }

    #[test]
    fn merges_and_aliases_are_followed() {
        let text = "base: &b {x: 1, z: 2}\none: {<<: *b, z: 3}\ntwo: {z: 3, <<: *b}\nthree: {<<: [{x: 8}, *b]}\n";
        assert_eq!(
            json(text),
            r#"{"base":{"x":1,"z":2},"one":{"x":1,"z":3},"two":{"z":2,"x":1},"three":{"x":8,"z":2}}"#
        );
        assert!(tree("a: {<<: 5}", 0).is_err());
    }

    #[test]
    fn keys_are_texts_and_stand_once() {
        assert_eq!(
            json("yes: 1\n2: x\n1.5: w\n"),
            r#"{"true":1,"2":"x","1.5":"w"}"#
        );
        let error = tree("a: 1\nb: 2\na: 3\n", 0).unwrap_err();
        assert_eq!(error.place, Place { line: 3, column: 1 });
        assert!(tree("{yes: 1, 'true': 2}", 0).is_err());
        assert_eq!(json(".inf: 1"), r#"{".inf":1}"#);
        assert!(tree("a: .inf", 0).is_err());
        assert!(tree("~: 1", 0).is_err());
        assert!(tree("[a]: 1", 0).is_err());
    }

    #[test]
    fn nothing_is_nothing() {
        assert_eq!(tree("# only words\n", 0).unwrap(), None);
        assert_eq!(
            tree("---\n", 0).unwrap().map(|node| node.is_null()),
            Some(true)
        );
    }

    #[test]
    fn a_tag_takes_a_comma_with_it() {
        assert!(tree("{a: !!str, b: 1}", 0).is_err());
        assert!(tree("[!!str]", 0).is_err());
        assert_eq!(json("{a: !!str , b: 1}"), r#"{"a":"","b":1}"#);
        assert_eq!(json("{a: !!str x, b: !!str}"), r#"{"a":"x","b":""}"#);
    }

    #[test]
    fn nothing_is_left_over() {
        let error = tree("{a: 1}\n{b: 2}\n", 0).unwrap_err();
        assert_eq!(error.place.line, 2);
        assert!(tree("a: 1\n...\n", 0).is_ok());
    }

    #[test]
    fn depth_is_bounded() {
        assert!(tree(&"[".repeat(2_000), 0).is_err());
        let deep: Vec<String> = (0..500)
            .map(|level| format!("{}a:", " ".repeat(level)))
            .collect();
        assert!(tree(&deep.join("\n"), 0).is_err());
    }
}
