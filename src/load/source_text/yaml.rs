//! One YAML document → a tree with places, as kubectl's reader understands it (YAML 1.1). Repeated keys are an error; anchors,
//! aliases and merges (`<<`) are followed within bounds.

use super::scalar::{self, Tagged};
use super::scanner::{Scanner, Token, TokenKind};
use crate::model::manifest::{Content, Entry, Node, Place};
use std::collections::{HashMap, HashSet};

/// Deeper than any manifest; every level costs stack.
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

pub(super) const TOO_MUCH: &str =
    "the document is too deep, too large, or repeats itself too often";

/// What was read of a text.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// The first document, unless it holds nothing.
    pub(super) root: Option<Node>,
    /// Where something follows its end. Kubectl passes that over.
    pub(super) left_over: Option<Place>,
}

/// Reads the one document of a text that begins below so many other lines.
pub(super) fn read(text: &str, lines_above: usize) -> Result<Read, TreeError> {
    if let Some(place) = find_forbidden(text, lines_above) {
        return Err(TreeError::new(place, "a control character"));
    }
    let mut reader = Reader {
        scanner: Scanner::new(text, lines_above),
        anchors: HashMap::new(),
        prefixes: vec![],
        depth: 0,
        nodes: 0,
        replayed: 0,
        read_merge: false,
    };
    let root = reader.document()?;
    if let Some(place) = root.as_ref().and_then(find_not_finite) {
        return Err(TreeError::new(place, "no number that JSON knows"));
    }
    // Whatever is wrong after the end is nobody's business, and neither is what is right.
    let left_over = match reader.scanner.peek() {
        Ok(token) if token.kind == TokenKind::End => None,
        Ok(token) => Some(token.place),
        Err(error) => Some(error.place),
    };
    Ok(Read { root, left_over })
}

/// Characters that no YAML may hold.
fn find_forbidden(text: &str, lines_above: usize) -> Option<Place> {
    let is_allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..);
    let (at, _) = text.char_indices().find(|(_, c)| !is_allowed(*c))?;
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    Some(Place {
        line: lines_above + 1 + before.matches('\n').count(),
        column: 1 + before[line_start..].chars().count(),
    })
}

/// What is known of a value before it is read.
#[derive(Default)]
struct Properties {
    place: Place,
    anchor: Option<String>,
    tag: Option<String>,
}

/// An anchor whose value is complete, or still being read.
enum Anchored {
    Open,
    Complete(Node),
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    anchors: HashMap<String, Anchored>,
    /// Handles of tags, and what they stand for.
    prefixes: Vec<(String, String)>,
    depth: usize,
    nodes: usize,
    replayed: usize,
    /// Whether the last scalar was `<<` without quotes.
    read_merge: bool,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Option<Node>, TreeError> {
        let first = self.scanner.peek()?;
        let begins_with_marker = matches!(
            first.kind,
            TokenKind::Version(..) | TokenKind::TagPrefix(..) | TokenKind::DocumentStart
        );
        if first.kind == TokenKind::End {
            return Ok(None);
        }
        self.directives()?;
        if begins_with_marker {
            let token = self.scanner.take()?;
            if token.kind != TokenKind::DocumentStart {
                return Err(TreeError::new(
                    token.place,
                    "`---` is missing after the directives",
                ));
            }
        }
        let next = self.scanner.peek()?;
        let is_empty = begins_with_marker
            && matches!(
                next.kind,
                TokenKind::Version(..)
                    | TokenKind::TagPrefix(..)
                    | TokenKind::DocumentStart
                    | TokenKind::DocumentEnd
                    | TokenKind::End
            );
        let root = if is_empty {
            Node {
                place: next.place,
                ..Node::default()
            }
        } else {
            self.node(Context::Block)?
        };
        // The reader looks at what ends the document, and at no more.
        if self.scanner.peek()?.kind == TokenKind::DocumentEnd {
            self.scanner.take()?;
        }
        Ok(Some(root))
    }

    fn directives(&mut self) -> Result<(), TreeError> {
        let mut has_version = false;
        loop {
            match &self.scanner.peek()?.kind {
                TokenKind::Version(major, minor) => {
                    let fits = (*major, *minor) == (1, 1) && !has_version;
                    has_version = true;
                    let place = self.scanner.take()?.place;
                    if !fits {
                        return Err(TreeError::new(place, "kubectl reads YAML 1.1"));
                    }
                }
                TokenKind::TagPrefix(handle, prefix) => {
                    let pair = (handle.clone(), prefix.clone());
                    let place = self.scanner.take()?.place;
                    if self.prefixes.iter().any(|(handle, _)| *handle == pair.0) {
                        return Err(TreeError::new(place, "a tag directive stands here twice"));
                    }
                    self.prefixes.push(pair);
                }
                _ => break,
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", CORE)] {
            if self.prefixes.iter().all(|(known, _)| known != handle) {
                self.prefixes.push((handle.to_owned(), prefix.to_owned()));
            }
        }
        Ok(())
    }

    fn node(&mut self, context: Context) -> Result<Node, TreeError> {
        self.depth += 1;
        self.nodes += 1;
        let place = self.scanner.peek()?.place;
        if self.depth > DEEPEST || self.nodes > MOST_NODES {
            return Err(TreeError::new(place, TOO_MUCH));
        }
        let node = self.node_within(context);
        self.depth -= 1;
        node
    }

    fn node_within(&mut self, context: Context) -> Result<Node, TreeError> {
        if let TokenKind::Alias(name) = &self.scanner.peek()?.kind {
            let name = name.clone();
            let place = self.scanner.take()?.place;
            return self.alias(&name, place);
        }
        let properties = self.properties()?;
        if let Some(name) = &properties.anchor {
            self.anchors.insert(name.clone(), Anchored::Open);
        }
        let node = Node {
            content: self.content(context, &properties)?,
            place: properties.place,
        };
        if let Some(name) = properties.anchor {
            self.anchors.insert(name, Anchored::Complete(node.clone()));
        }
        Ok(node)
    }

    fn alias(&mut self, name: &str, place: Place) -> Result<Node, TreeError> {
        match self.anchors.get(name) {
            None => Err(TreeError::new(
                place,
                format!("there is no anchor `{name}`"),
            )),
            Some(Anchored::Open) => Err(TreeError::new(
                place,
                "an alias stands inside what it stands for",
            )),
            Some(Anchored::Complete(node)) => {
                self.replayed += size(node, MOST_REPLAYED);
                if self.replayed > MOST_REPLAYED {
                    return Err(TreeError::new(place, TOO_MUCH));
                }
                Ok(node.clone())
            }
        }
    }

    /// An anchor and a tag, in either order.
    fn properties(&mut self) -> Result<Properties, TreeError> {
        let mut properties = Properties {
            place: self.scanner.peek()?.place,
            ..Properties::default()
        };
        for _ in 0..2 {
            match &self.scanner.peek()?.kind {
                TokenKind::Anchor(_) if properties.anchor.is_none() => {
                    if let Token {
                        kind: TokenKind::Anchor(name),
                        ..
                    } = self.scanner.take()?
                    {
                        properties.anchor = Some(name);
                    }
                }
                TokenKind::Tag { .. } if properties.tag.is_none() => {
                    let token = self.scanner.take()?;
                    if let TokenKind::Tag { handle, suffix } = token.kind {
                        properties.tag = Some(self.whole_tag(&handle, suffix, token.place)?);
                    }
                }
                _ => break,
            }
        }
        Ok(properties)
    }

    fn whole_tag(&self, handle: &str, suffix: String, place: Place) -> Result<String, TreeError> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        let prefix = self.prefixes.iter().find(|(known, _)| known == handle);
        prefix
            .map(|(_, prefix)| format!("{prefix}{suffix}"))
            .ok_or_else(|| TreeError::new(place, format!("nobody says what `{handle}` is")))
    }

    fn content(&mut self, context: Context, properties: &Properties) -> Result<Content, TreeError> {
        let token = self.scanner.peek()?;
        let place = token.place;
        match &token.kind {
            TokenKind::Entry if context == Context::BlockValue => self.list_without_indent(),
            TokenKind::Scalar { .. } => {
                let TokenKind::Scalar { text, is_plain } = self.scanner.take()?.kind else {
                    return Ok(Content::Null);
                };
                let tagged = tagged(is_plain, properties.tag.as_deref());
                self.scalar(&text, tagged, place)
            }
            TokenKind::FlowList => self.flow_list(),
            TokenKind::FlowMap => self.flow_map(),
            TokenKind::BlockList if context != Context::Flow => self.block_list(),
            TokenKind::BlockMap if context != Context::Flow => self.block_map(),
            _ if properties.anchor.is_some() || properties.tag.is_some() => {
                let tagged = tagged(true, properties.tag.as_deref());
                self.scalar("", tagged, properties.place)
            }
            _ => Err(TreeError::new(place, "a value is missing here")),
        }
    }

    fn scalar(&mut self, text: &str, tagged: Tagged, place: Place) -> Result<Content, TreeError> {
        self.read_merge = text == "<<" && tagged == Tagged::Plain;
        scalar::resolve(text, tagged).map_err(|message| TreeError::new(place, message))
    }

    /// Whether what was read last is the key `<<`, which merges.
    fn is_merge_key(&self, key: &Node) -> bool {
        self.read_merge && key.as_text() == Some("<<")
    }

    fn next_is(&mut self, kinds: &[TokenKind]) -> Result<bool, TreeError> {
        let next = &self.scanner.peek()?.kind;
        Ok(kinds.contains(next))
    }

    fn block_list(&mut self) -> Result<Content, TreeError> {
        self.scanner.take()?;
        let mut items = Vec::new();
        loop {
            let token = self.scanner.take()?;
            match token.kind {
                TokenKind::BlockEnd => return Ok(Content::List(items)),
                TokenKind::Entry => {
                    let is_empty = self.next_is(&[TokenKind::Entry, TokenKind::BlockEnd])?;
                    items.push(self.value_unless(is_empty, token.place, Context::Block)?);
                }
                _ => return Err(TreeError::new(token.place, "`- ` is missing here")),
            }
        }
    }

    /// A list whose entries stand in the column of the key it belongs to.
    fn list_without_indent(&mut self) -> Result<Content, TreeError> {
        let mut items = Vec::new();
        while self.next_is(&[TokenKind::Entry])? {
            let place = self.scanner.take()?.place;
            let is_empty = self.next_is(&[
                TokenKind::Entry,
                TokenKind::Key,
                TokenKind::Value,
                TokenKind::BlockEnd,
            ])?;
            items.push(self.value_unless(is_empty, place, Context::Block)?);
        }
        Ok(Content::List(items))
    }

    fn block_map(&mut self) -> Result<Content, TreeError> {
        self.scanner.take()?;
        let mut map = OpenMap::default();
        loop {
            let token = self.scanner.take()?;
            match token.kind {
                TokenKind::BlockEnd => return Ok(map.finish()),
                TokenKind::Key => {
                    let is_empty = self.next_is(&BLOCK_MAP_NEXT)?;
                    let key = self.value_unless(is_empty, token.place, Context::BlockValue)?;
                    let is_merge = self.is_merge_key(&key);
                    let value = self.block_value()?;
                    map.add(is_merge, key, value)?;
                }
                _ => return Err(TreeError::new(token.place, "a key is missing here")),
            }
        }
    }

    fn block_value(&mut self) -> Result<Node, TreeError> {
        if !self.next_is(&[TokenKind::Value])? {
            let place = self.scanner.peek()?.place;
            return self.value_unless(true, place, Context::Block);
        }
        let place = self.scanner.take()?.place;
        let is_empty = self.next_is(&BLOCK_MAP_NEXT)?;
        self.value_unless(is_empty, place, Context::BlockValue)
    }

    fn flow_list(&mut self) -> Result<Content, TreeError> {
        self.scanner.take()?;
        let mut items = Vec::new();
        loop {
            if !items.is_empty() && !self.next_is(&[TokenKind::FlowListEnd])? {
                let token = self.scanner.take()?;
                if token.kind != TokenKind::Comma {
                    return Err(TreeError::new(token.place, "`,` or `]` is missing here"));
                }
            }
            if self.next_is(&[TokenKind::FlowListEnd])? {
                self.scanner.take()?;
                return Ok(Content::List(items));
            }
            if self.next_is(&[TokenKind::Key])? {
                items.push(self.pair()?);
            } else {
                items.push(self.node(Context::Flow)?);
            }
        }
    }

    /// `[a: b]`: a map of one field.
    fn pair(&mut self) -> Result<Node, TreeError> {
        let place = self.scanner.take()?.place;
        let ends = [TokenKind::Value, TokenKind::Comma, TokenKind::FlowListEnd];
        let key = if self.next_is(&ends)? {
            // The reader takes whatever stands there for the colon.
            let place = self.scanner.take()?.place;
            Node {
                place,
                ..Node::default()
            }
        } else {
            self.node(Context::Flow)?
        };
        let is_merge = self.is_merge_key(&key);
        let mut value = Node {
            place: self.scanner.peek()?.place,
            ..Node::default()
        };
        if self.next_is(&[TokenKind::Value])? {
            self.scanner.take()?;
            if !self.next_is(&[TokenKind::Comma, TokenKind::FlowListEnd])? {
                value = self.node(Context::Flow)?;
            }
        }
        let mut map = OpenMap::default();
        map.add(is_merge, key, value)?;
        Ok(Node {
            content: map.finish(),
            place,
        })
    }

    fn flow_map(&mut self) -> Result<Content, TreeError> {
        self.scanner.take()?;
        let mut map = OpenMap::default();
        let mut is_first = true;
        loop {
            if !is_first && !self.next_is(&[TokenKind::FlowMapEnd])? {
                let token = self.scanner.take()?;
                if token.kind != TokenKind::Comma {
                    return Err(TreeError::new(token.place, "`,` or `}` is missing here"));
                }
            }
            is_first = false;
            if self.next_is(&[TokenKind::FlowMapEnd])? {
                self.scanner.take()?;
                return Ok(map.finish());
            }
            let ends = [TokenKind::Value, TokenKind::Comma, TokenKind::FlowMapEnd];
            if self.next_is(&[TokenKind::Key])? {
                let place = self.scanner.take()?.place;
                let is_empty = self.next_is(&ends)?;
                let key = self.value_unless(is_empty, place, Context::Flow)?;
                let is_merge = self.is_merge_key(&key);
                let value = self.flow_value()?;
                map.add(is_merge, key, value)?;
            } else {
                let key = self.node(Context::Flow)?;
                let value = Node {
                    place: self.scanner.peek()?.place,
                    ..Node::default()
                };
                map.add(self.is_merge_key(&key), key, value)?;
            }
        }
    }

    fn flow_value(&mut self) -> Result<Node, TreeError> {
        let place = self.scanner.peek()?.place;
        if !self.next_is(&[TokenKind::Value])? {
            return self.value_unless(true, place, Context::Flow);
        }
        self.scanner.take()?;
        let is_empty = self.next_is(&[TokenKind::Comma, TokenKind::FlowMapEnd])?;
        self.value_unless(is_empty, place, Context::Flow)
    }

    /// A value, or nothing where none stands.
    fn value_unless(
        &mut self,
        is_empty: bool,
        place: Place,
        context: Context,
    ) -> Result<Node, TreeError> {
        if is_empty {
            return Ok(Node {
                place,
                ..Node::default()
            });
        }
        self.node(context)
    }
}

/// What begins the next field of a block map, or ends it.
const BLOCK_MAP_NEXT: [TokenKind; 3] = [TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd];

/// The tags of YAML itself.
const CORE: &str = "tag:yaml.org,2002:";

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    /// In a block map, where a list need not be indented.
    BlockValue,
    Flow,
}

/// A map that is being read.
#[derive(Default)]
struct OpenMap {
    entries: Vec<Entry>,
    /// Where each key stands among the entries; a long map is looked up in all the time.
    index: HashMap<String, usize>,
    /// The keys that stand in the text; those of a merge may be overridden.
    written: HashSet<String>,
}

impl OpenMap {
    fn add(&mut self, is_merge: bool, key: Node, value: Node) -> Result<(), TreeError> {
        if is_merge {
            return self.merge(&value);
        }
        let key_place = key.place;
        let Some(key) = scalar::key(key.content) else {
            return Err(TreeError::new(key_place, "a key must be a text"));
        };
        if !self.written.insert(key.clone()) {
            return Err(TreeError::repeated(key_place, key));
        }
        self.set(Entry {
            key,
            key_place,
            value,
        });
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

    fn finish(self) -> Content {
        Content::Map(self.entries)
    }
}

/// A value that JSON cannot hold. As keys they are texts by now.
fn find_not_finite(node: &Node) -> Option<Place> {
    match &node.content {
        Content::List(items) => items.iter().find_map(find_not_finite),
        Content::Map(entries) => entries
            .iter()
            .find_map(|entry| find_not_finite(&entry.value)),
        content => (!scalar::is_finite(content)).then_some(node.place),
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

fn tagged(is_plain: bool, tag: Option<&str>) -> Tagged {
    let Some(tag) = tag else {
        return if is_plain {
            Tagged::Plain
        } else {
            Tagged::Text
        };
    };
    match tag.strip_prefix(CORE) {
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

    fn tree(text: &str, lines_above: usize) -> Result<Option<Node>, TreeError> {
        read(text, lines_above).map(|read| read.root)
    }

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
        assert_eq!(json("{a: !!str x, b: !!str }"), r#"{"a":"x","b":""}"#);
        assert!(tree("{a: !!str}", 0).is_err());
    }

    /// What kubectl's reader and the YAML of today see differently.
    #[test]
    fn yaml_is_that_of_kubectl() {
        assert_eq!(json("{a: -}"), r#"{"a":"-"}"#);
        assert_eq!(json("a: x\u{2028}  y"), "{\"a\":\"x\u{2028}y\"}");
        for tab in [
            "\t\na: 1\n",
            "a:\n\t\n  b: 1\n",
            "a: b\n\t# c\nc: d\n",
            "a: |\n\tx\n",
        ] {
            assert!(tree(tab, 0).is_err(), "{tab:?}");
        }
        assert_eq!(json("a:\t1\t# c\nb: [1,\t2]\n"), r#"{"a":1,"b":[1,2]}"#);
        assert!(tree("a: b: c\n", 0).is_err());
        assert!(tree("a: @b\n", 0).is_err());
        assert!(tree("%YAML 1.2\n---\na: 1\n", 0).is_err());
        assert!(tree("a: \u{7}\n", 0).is_err());
        assert_eq!(json("- a\n-\n- - b\n"), r#"["a",null,["b"]]"#);
        assert_eq!(json("a:\n- b\nc: d\n"), r#"{"a":["b"],"c":"d"}"#);
        assert_eq!(
            json("a: >-\n  x\n  y\n\n  z\nb: |+\n  t\n\n"),
            "{\"a\":\"x y\\nz\",\"b\":\"t\\n\\n\"}"
        );
        assert_eq!(
            json("a: \"x\\\n  y\\u00e9\"\nb: 'it''s'\n"),
            "{\"a\":\"xyé\",\"b\":\"it's\"}"
        );
        assert_eq!(json("[a: b, {c}]"), r#"[{"a":"b"},{"c":null}]"#);
        assert_eq!(json("? a\n: b\n"), r#"{"a":"b"}"#);
    }

    #[test]
    fn what_follows_the_end_is_left_over() {
        let left_over = |text: &str| read(text, 0).unwrap().left_over.map(|place| place.line);
        assert_eq!(left_over("{a: 1}\n{b: 2}\n"), Some(2));
        assert_eq!(left_over("a: 1\n...\n# the end\n"), None);
        assert_eq!(left_over("a: 1\n...\nb: 2\n"), Some(3));
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
