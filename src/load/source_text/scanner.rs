//! YAML text → tokens, as kubectl's reader cuts it: YAML 1.1, where a tab never indents, a comma belongs to the tag before it,
//! and a key is looked for no further than its line.
//!
//! Whether a scalar is a key shows only at the colon behind it. Until then it waits in the queue, and a token that opens a map
//! may yet be put in front of it.

mod keys;
mod marks;
mod quoted;
mod tags;
mod unquoted;

use super::yaml::TreeError;
use crate::model::manifest::Place;
use keys::PossibleKey;
pub(super) use marks::Mark;
use marks::{is_blank, is_break, is_end_of_word};
use std::collections::VecDeque;

/// A piece of YAML, and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) place: Place,
}

/// What a piece of YAML is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// `---`
    DocumentStart,
    /// `...`
    DocumentEnd,
    /// `%YAML 1.1`: the version.
    Version(u8, u8),
    /// `%TAG`: a handle and what it stands for.
    TagPrefix(String, String),
    /// A list by indentation begins.
    BlockList,
    /// A map by indentation begins.
    BlockMap,
    /// What began by indentation ends.
    BlockEnd,
    /// `[`
    FlowList,
    /// `]`
    FlowListEnd,
    /// `{`
    FlowMap,
    /// `}`
    FlowMapEnd,
    /// `- `
    Entry,
    /// `,`
    Comma,
    /// A key follows.
    Key,
    /// `: `
    Value,
    /// `*name`
    Alias(String),
    /// `&name`
    Anchor(String),
    /// `!handle!suffix`; without a handle the suffix is the whole tag.
    Tag { handle: String, suffix: String },
    /// A scalar, and whether it stands there without quotes or block.
    Scalar { text: String, is_plain: bool },
    /// Nothing follows.
    End,
}

/// Cuts a text into tokens, as far as they are asked for.
pub(super) struct Scanner<'a> {
    text: &'a str,
    lines_above: usize,
    mark: Mark,
    tokens: VecDeque<Token>,
    /// How many tokens were taken out of the queue.
    taken: usize,
    /// The column of the innermost block; nothing has begun yet at -1.
    indent: isize,
    indents: Vec<isize>,
    flow_level: usize,
    key_allowed: bool,
    /// One for every level of flow, the block around them first.
    keys: Vec<PossibleKey>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str, lines_above: usize) -> Self {
        Self {
            text,
            lines_above,
            mark: Mark::default(),
            tokens: VecDeque::new(),
            taken: 0,
            indent: -1,
            indents: vec![],
            flow_level: 0,
            key_allowed: true,
            keys: vec![PossibleKey::default()],
        }
    }

    /// The next token, which stays where it is.
    pub(super) fn peek(&mut self) -> Result<&Token, TreeError> {
        while self.tokens.is_empty() || self.head_may_be_a_key()? {
            self.fetch()?;
        }
        Ok(&self.tokens[0])
    }

    /// The next token, taken out.
    pub(super) fn take(&mut self) -> Result<Token, TreeError> {
        self.peek()?;
        self.taken += 1;
        let end = Token {
            kind: TokenKind::End,
            place: self.place_of(self.mark),
        };
        Ok(self.tokens.pop_front().unwrap_or(end))
    }

    fn push(&mut self, kind: TokenKind, mark: Mark) {
        let place = self.place_of(mark);
        self.tokens.push_back(Token { kind, place });
    }

    /// A block begins where something stands further right than the one around it.
    fn indent_to(&mut self, column: isize, at: Option<usize>, kind: TokenKind, mark: Mark) {
        if self.flow_level > 0 || self.indent >= column {
            return;
        }
        self.indents.push(self.indent);
        self.indent = column;
        let place = self.place_of(mark);
        let token = Token { kind, place };
        match at {
            Some(number) => self.tokens.insert(number - self.taken, token),
            None => self.tokens.push_back(token),
        }
    }

    /// Blocks end where something stands further left.
    fn outdent_to(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch(&mut self) -> Result<(), TreeError> {
        self.skip_to_token();
        self.outdent_to(self.mark.signed_column());
        let Some(first) = self.first() else {
            return self.fetch_end();
        };
        let next_ends_word = is_end_of_word(self.char_at(1));
        let in_flow = self.flow_level > 0;
        if self.mark.column == 0 && first == '%' {
            return self.fetch_directive();
        }
        if let Some(kind) = self.document_marker() {
            return self.fetch_document_marker(kind);
        }
        match first {
            '[' => self.fetch_flow_start(TokenKind::FlowList),
            '{' => self.fetch_flow_start(TokenKind::FlowMap),
            ']' => self.fetch_flow_end(TokenKind::FlowListEnd),
            '}' => self.fetch_flow_end(TokenKind::FlowMapEnd),
            ',' => self.fetch_comma(),
            '-' if next_ends_word => self.fetch_entry(),
            '?' if in_flow || next_ends_word => self.fetch_key(),
            ':' if in_flow || next_ends_word => self.fetch_value(),
            '*' => self.fetch_name(TokenKind::Alias),
            '&' => self.fetch_name(TokenKind::Anchor),
            '!' => self.fetch_scalar(Self::scan_tag),
            '|' | '>' if !in_flow => {
                self.drop_key()?;
                self.key_allowed = true;
                let mark = self.mark;
                let kind = self.scan_block_scalar(first == '|')?;
                self.push(kind, mark);
                Ok(())
            }
            '\'' | '"' => self.fetch_scalar(Self::scan_quoted),
            '#' | '|' | '>' | '%' | '@' | '`' | '\t' => Err(self.error_at(
                self.mark,
                if first == '\t' {
                    "a tab cannot stand here: indent with blanks"
                } else {
                    "nothing can begin with this character: put it in quotes"
                },
            )),
            _ => self.fetch_scalar(Self::scan_plain),
        }
    }

    /// Skips blanks, comments and line ends. Tabs are skipped only where no key can stand.
    fn skip_to_token(&mut self) {
        loop {
            while self.first() == Some(' ')
                || (self.first() == Some('\t') && (self.flow_level > 0 || !self.key_allowed))
            {
                self.skip();
            }
            self.skip_comment();
            if !self.first().is_some_and(is_break) {
                return;
            }
            self.skip_break();
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn skip_comment(&mut self) {
        if self.first() == Some('#') {
            while self.first().is_some_and(|c| !is_break(c)) {
                self.skip();
            }
        }
    }

    fn skip_blanks(&mut self) {
        while self.first().is_some_and(is_blank) {
            self.skip();
        }
    }

    fn fetch_end(&mut self) -> Result<(), TreeError> {
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
        self.outdent_to(-1);
        self.drop_key()?;
        self.key_allowed = false;
        self.push(TokenKind::End, self.mark);
        Ok(())
    }

    /// `---` or `...` at the beginning of a line.
    fn document_marker(&self) -> Option<TokenKind> {
        if self.mark.column != 0 || !is_end_of_word(self.char_at(3)) {
            return None;
        }
        match self.rest().get(..3) {
            Some("---") => Some(TokenKind::DocumentStart),
            Some("...") => Some(TokenKind::DocumentEnd),
            _ => None,
        }
    }

    fn fetch_document_marker(&mut self, kind: TokenKind) -> Result<(), TreeError> {
        self.outdent_to(-1);
        self.drop_key()?;
        self.key_allowed = false;
        self.push(kind, self.mark);
        (0..3).for_each(|_| self.skip());
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Result<(), TreeError> {
        self.note_key()?;
        self.keys.push(PossibleKey::default());
        self.flow_level += 1;
        if self.flow_level > super::yaml::DEEPEST {
            return Err(self.error_at(self.mark, super::yaml::TOO_MUCH));
        }
        self.key_allowed = true;
        self.push_skipping(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), TreeError> {
        self.drop_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            self.keys.pop();
        }
        self.key_allowed = false;
        self.push_skipping(kind);
        Ok(())
    }

    fn fetch_comma(&mut self) -> Result<(), TreeError> {
        self.drop_key()?;
        self.key_allowed = true;
        self.push_skipping(TokenKind::Comma);
        Ok(())
    }

    fn fetch_entry(&mut self) -> Result<(), TreeError> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.error_at(self.mark, "a list cannot begin here"));
            }
            self.indent_to(
                self.mark.signed_column(),
                None,
                TokenKind::BlockList,
                self.mark,
            );
        }
        self.drop_key()?;
        self.key_allowed = true;
        self.push_skipping(TokenKind::Entry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), TreeError> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.error_at(self.mark, "a key cannot stand here"));
            }
            self.indent_to(
                self.mark.signed_column(),
                None,
                TokenKind::BlockMap,
                self.mark,
            );
        }
        self.drop_key()?;
        self.key_allowed = self.flow_level == 0;
        self.push_skipping(TokenKind::Key);
        Ok(())
    }

    /// A colon: what stood before it was a key, if it may still be one.
    fn fetch_value(&mut self) -> Result<(), TreeError> {
        let level = self.keys.len() - 1;
        if self.is_still_possible(level)? {
            let key = self.keys[level];
            let place = self.place_of(key.mark);
            let token = Token {
                kind: TokenKind::Key,
                place,
            };
            self.tokens.insert(key.number - self.taken, token);
            let column = key.mark.signed_column();
            self.indent_to(column, Some(key.number), TokenKind::BlockMap, key.mark);
            self.keys[level].possible = false;
            self.key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.key_allowed {
                    return Err(self.error_at(self.mark, "a value cannot stand here"));
                }
                self.indent_to(
                    self.mark.signed_column(),
                    None,
                    TokenKind::BlockMap,
                    self.mark,
                );
            }
            self.key_allowed = self.flow_level == 0;
        }
        self.push_skipping(TokenKind::Value);
        Ok(())
    }

    fn fetch_scalar(
        &mut self,
        scan: impl FnOnce(&mut Self) -> Result<TokenKind, TreeError>,
    ) -> Result<(), TreeError> {
        self.note_key()?;
        self.key_allowed = false;
        let mark = self.mark;
        let kind = scan(self)?;
        self.push(kind, mark);
        Ok(())
    }

    fn fetch_name(&mut self, kind: impl FnOnce(String) -> TokenKind) -> Result<(), TreeError> {
        self.fetch_scalar(|scanner| {
            let start = scanner.mark;
            scanner.skip();
            let name = scanner.take_word();
            let ends = is_end_of_word(scanner.first())
                || scanner.first().is_some_and(|c| "?:,]}%@`".contains(c));
            if name.is_empty() || !ends {
                return Err(scanner.error_at(start, "the name of an anchor is missing or broken"));
            }
            Ok(kind(name))
        })
    }

    fn push_skipping(&mut self, kind: TokenKind) {
        self.push(kind, self.mark);
        self.skip();
    }
}
