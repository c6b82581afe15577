//! Scalars without quotes: plain ones, and blocks (`|`, `>`).

use super::super::yaml::TreeError;
use super::marks::{is_blank, is_break, is_end_of_word};
use super::{Mark, Scanner, TokenKind};

/// What stands between two pieces of a scalar that goes on over lines.
#[derive(Default)]
pub(super) struct Gap {
    pub(super) blanks: String,
    first_break: String,
    more_breaks: String,
    /// Whether a line end was passed.
    pub(super) is_over_lines: bool,
}

impl Gap {
    /// What becomes of it: blanks stay, a line end is a blank, and further ones stay line ends.
    pub(super) fn fold_into(&mut self, text: &mut String) {
        if !self.is_over_lines {
            text.push_str(&self.blanks);
        } else if self.first_break == "\n" {
            if self.more_breaks.is_empty() {
                text.push(' ');
            }
            text.push_str(&self.more_breaks);
        } else {
            text.push_str(&self.first_break);
            text.push_str(&self.more_breaks);
        }
        *self = Self::default();
    }

    /// Takes over the line end that the scanner stands at.
    pub(super) fn take_break(&mut self, scanner: &mut Scanner<'_>) {
        if self.is_over_lines {
            scanner.take_break(&mut self.more_breaks);
        } else {
            self.blanks.clear();
            scanner.take_break(&mut self.first_break);
            self.is_over_lines = true;
        }
    }
}

impl Scanner<'_> {
    pub(super) fn scan_plain(&mut self) -> Result<TokenKind, TreeError> {
        let indent = self.indent + 1;
        let mut text = String::new();
        let mut gap = Gap::default();
        loop {
            if self.document_marker().is_some() || self.first() == Some('#') {
                break;
            }
            while !is_end_of_word(self.first()) && !self.ends_plain() {
                gap.fold_into(&mut text);
                self.take_char(&mut text);
            }
            if !self.first().is_some_and(|c| is_blank(c) || is_break(c)) {
                break;
            }
            self.pass_plain_gap(&mut gap, indent)?;
            if self.flow_level == 0 && self.mark.signed_column() < indent {
                break;
            }
        }
        if gap.is_over_lines {
            self.key_allowed = true;
        }
        Ok(TokenKind::Scalar {
            text,
            is_plain: true,
        })
    }

    /// A colon before a blank; in flow also what belongs to the flow.
    fn ends_plain(&self) -> bool {
        match self.first() {
            Some(':') => is_end_of_word(self.char_at(1)),
            Some(',' | '?' | '[' | ']' | '{' | '}') => self.flow_level > 0,
            _ => false,
        }
    }

    fn pass_plain_gap(&mut self, gap: &mut Gap, indent: isize) -> Result<(), TreeError> {
        while let Some(c) = self.first().filter(|c| is_blank(*c) || is_break(*c)) {
            if is_break(c) {
                gap.take_break(self);
            } else if !gap.is_over_lines {
                self.take_char(&mut gap.blanks);
            } else if c == '\t' && self.mark.signed_column() < indent {
                return Err(self.error_at(self.mark, "a tab cannot indent: use blanks"));
            } else {
                self.skip();
            }
        }
        Ok(())
    }

    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<TokenKind, TreeError> {
        let start = self.mark;
        self.skip();
        let header = self.scan_block_header(start)?;
        let mut indent = match header.increment {
            0 => 0,
            increment => self.indent.max(0).cast_unsigned() + increment,
        };
        let mut text = String::new();
        let mut first_break = String::new();
        let mut more_breaks = String::new();
        self.pass_block_breaks(&mut indent, &mut more_breaks)?;
        let mut began_with_blank = false;
        while self.mark.column == indent && self.first().is_some() {
            let begins_with_blank = self.first().is_some_and(is_blank);
            let folds = !literal && !began_with_blank && !begins_with_blank && first_break == "\n";
            if !folds {
                text.push_str(&first_break);
            } else if more_breaks.is_empty() {
                text.push(' ');
            }
            text.push_str(&more_breaks);
            first_break.clear();
            more_breaks.clear();
            began_with_blank = begins_with_blank;
            while self.first().is_some_and(|c| !is_break(c)) {
                self.take_char(&mut text);
            }
            if self.first().is_some() {
                self.take_break(&mut first_break);
            }
            self.pass_block_breaks(&mut indent, &mut more_breaks)?;
        }
        if header.chomping != Chomping::Strip {
            text.push_str(&first_break);
        }
        if header.chomping == Chomping::Keep {
            text.push_str(&more_breaks);
        }
        Ok(TokenKind::Scalar {
            text,
            is_plain: false,
        })
    }

    /// `+`, `-` and a digit, in either order; then nothing but a comment.
    fn scan_block_header(&mut self, start: Mark) -> Result<Header, TreeError> {
        let mut header = Header::default();
        let has_chomping = self.scan_chomping(&mut header);
        if let Some(digit) = self.first().and_then(|c| c.to_digit(10)) {
            if digit == 0 {
                return Err(self.error_at(start, "a block cannot be indented by 0"));
            }
            header.increment = digit as usize;
            self.skip();
            if !has_chomping {
                self.scan_chomping(&mut header);
            }
        }
        self.skip_blanks();
        self.skip_comment();
        match self.first() {
            None => Ok(header),
            Some(c) if is_break(c) => {
                self.skip_break();
                Ok(header)
            }
            Some(_) => Err(self.error_at(start, "a block begins on the next line")),
        }
    }

    fn scan_chomping(&mut self, header: &mut Header) -> bool {
        header.chomping = match self.first() {
            Some('+') => Chomping::Keep,
            Some('-') => Chomping::Strip,
            _ => return false,
        };
        self.skip();
        true
    }

    /// Empty lines of a block, and the blanks before its text; the first text decides how far it is indented.
    fn pass_block_breaks(
        &mut self,
        indent: &mut usize,
        breaks: &mut String,
    ) -> Result<(), TreeError> {
        let mut furthest = 0;
        loop {
            let is_outside = |column: usize| *indent == 0 || column < *indent;
            while is_outside(self.mark.column) && self.first() == Some(' ') {
                self.skip();
            }
            furthest = furthest.max(self.mark.column);
            if is_outside(self.mark.column) && self.first() == Some('\t') {
                return Err(self.error_at(self.mark, "a tab cannot indent: use blanks"));
            }
            if !self.first().is_some_and(is_break) {
                break;
            }
            self.take_break(breaks);
        }
        if *indent == 0 {
            let least = (self.indent + 1).max(1).cast_unsigned();
            *indent = furthest.max(least);
        }
        Ok(())
    }
}

#[derive(Default)]
struct Header {
    chomping: Chomping,
    /// How much further than what is around it, if that is said.
    increment: usize,
}

/// What becomes of the line ends after a block.
#[derive(Default, PartialEq, Eq)]
enum Chomping {
    /// One stays.
    #[default]
    Clip,
    Strip,
    Keep,
}
