//! Lists and maps, by indentation and in brackets.

use super::super::scanner::TokenKind;
use super::open_map::OpenMap;
use super::{Context, Reader, TreeError};
use crate::model::manifest::{Content, Node, Place};

/// What begins the next field of a block map, or ends it.
const BLOCK_MAP_NEXT: [TokenKind; 3] = [TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd];

impl Reader<'_> {
    /// Whether what was read last is the key `<<`, which merges.
    fn is_merge_key(&self, key: &Node) -> bool {
        self.read_merge && key.as_text() == Some("<<")
    }

    fn next_is(&mut self, kinds: &[TokenKind]) -> Result<bool, TreeError> {
        let next = &self.scanner.peek()?.kind;
        Ok(kinds.contains(next))
    }

    pub(super) fn block_list(&mut self) -> Result<Content, TreeError> {
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
    pub(super) fn list_without_indent(&mut self) -> Result<Content, TreeError> {
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

    pub(super) fn block_map(&mut self) -> Result<Content, TreeError> {
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

    pub(super) fn flow_list(&mut self) -> Result<Content, TreeError> {
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

    pub(super) fn flow_map(&mut self) -> Result<Content, TreeError> {
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
