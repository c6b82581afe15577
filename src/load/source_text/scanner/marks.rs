//! Where the scanner is, and what it sees there.

use super::super::yaml::TreeError;
use super::Scanner;
use crate::model::manifest::Place;
use std::borrow::Cow;

/// A place in the text: in bytes, in characters, and as line and column from 0.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Mark {
    at: usize,
    pub(super) index: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Mark {
    /// The column, for comparing with an indentation that may be -1.
    pub(super) fn signed_column(self) -> isize {
        self.column.cast_signed()
    }
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// The line ends of YAML 1.1.
pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A blank, the end of a line, or of the text.
pub(super) fn is_end_of_word(c: Option<char>) -> bool {
    c.is_none_or(|c| is_blank(c) || is_break(c))
}

impl Scanner<'_> {
    pub(super) fn rest(&self) -> &str {
        self.text.get(self.mark.at..).unwrap_or("")
    }

    pub(super) fn first(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The character so many after the first one.
    pub(super) fn char_at(&self, number: usize) -> Option<char> {
        self.rest().chars().nth(number)
    }

    pub(super) fn skip(&mut self) {
        if let Some(c) = self.first() {
            self.mark.at += c.len_utf8();
            self.mark.index += 1;
            self.mark.column += 1;
        }
    }

    /// Takes one character over.
    pub(super) fn take_char(&mut self, text: &mut String) {
        text.extend(self.first());
        self.skip();
    }

    pub(super) fn skip_break(&mut self) {
        if self.rest().starts_with("\r\n") {
            self.skip();
        }
        self.skip();
        self.mark.line += 1;
        self.mark.column = 0;
    }

    /// Takes a line end over; all but two kinds become a plain one.
    pub(super) fn take_break(&mut self, text: &mut String) {
        match self.first() {
            Some(c @ ('\u{2028}' | '\u{2029}')) => text.push(c),
            _ => text.push('\n'),
        }
        self.skip_break();
    }

    /// Letters, digits, `-` and `_`.
    pub(super) fn take_word(&mut self) -> String {
        let mut word = String::new();
        while self
            .first()
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        {
            self.take_char(&mut word);
        }
        word
    }

    pub(super) fn place_of(&self, mark: Mark) -> Place {
        Place {
            line: self.lines_above + mark.line + 1,
            column: mark.column + 1,
        }
    }

    pub(super) fn error_at(&self, mark: Mark, message: impl Into<Cow<'static, str>>) -> TreeError {
        TreeError::new(self.place_of(mark), message)
    }
}
