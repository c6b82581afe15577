//! One YAML document → a tree with places, as kubectl's reader understands it (YAML 1.1). Repeated keys are an error; anchors,
//! aliases and merges (`<<`) are followed within bounds.

mod collections;
mod open_map;
#[cfg(test)]
mod tests;

use super::scalar::{self, Tagged};
use super::scanner::{Scanner, Token, TokenKind};
use crate::model::manifest::{BrokenKind, Content, Node, Place};
use std::borrow::Cow;
use std::collections::HashMap;

/// Deeper than any manifest; every level costs stack.
pub(super) const DEEPEST: usize = 128;
/// Dumps are large; what must stay small is what aliases can blow up.
const MOST_NODES: usize = 50_000_000;
const MOST_REPLAYED: usize = 100_000;

/// What is wrong with a document, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeError {
    pub(super) place: Place,
    pub(super) kind: BrokenKind,
}

impl TreeError {
    pub(super) fn new(place: Place, words: impl Into<Cow<'static, str>>) -> Self {
        Self {
            place,
            kind: BrokenKind::Syntax(words.into()),
        }
    }

    pub(super) fn repeated(place: Place, key: String) -> Self {
        Self {
            place,
            kind: BrokenKind::DuplicateKey(key),
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
}

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
