//! Scalars in quotes.

use super::super::yaml::TreeError;
use super::marks::{is_blank, is_break, is_end_of_word};
use super::unquoted::Gap;
use super::{Mark, Scanner, TokenKind};

impl Scanner<'_> {
    pub(super) fn scan_quoted(&mut self) -> Result<TokenKind, TreeError> {
        let start = self.mark;
        let quote = self.first().unwrap_or('"');
        self.skip();
        let mut text = String::new();
        loop {
            if self.document_marker().is_some() || self.first().is_none() {
                return Err(self.error_at(start, "the quote that begins here is never closed"));
            }
            let mut gap = Gap::default();
            let continues = self.take_quoted_piece(quote, start, &mut text)?;
            if self.first() == Some(quote) && !continues {
                break;
            }
            gap.is_over_lines = continues;
            while let Some(c) = self.first().filter(|c| is_blank(*c) || is_break(*c)) {
                if is_break(c) {
                    gap.take_break(self);
                } else if gap.is_over_lines {
                    self.skip();
                } else {
                    self.take_char(&mut gap.blanks);
                }
            }
            gap.fold_into(&mut text);
        }
        self.skip();
        Ok(TokenKind::Scalar {
            text,
            is_plain: false,
        })
    }

    /// Takes over what stands up to a blank, a line end or the closing quote. Answers whether a line end was escaped.
    fn take_quoted_piece(
        &mut self,
        quote: char,
        start: Mark,
        text: &mut String,
    ) -> Result<bool, TreeError> {
        while !is_end_of_word(self.first()) {
            match (quote, self.first(), self.char_at(1)) {
                ('\'', Some('\''), Some('\'')) => {
                    text.push('\'');
                    self.skip();
                    self.skip();
                }
                (_, Some(c), _) if c == quote => break,
                ('"', Some('\\'), Some(c)) if is_break(c) => {
                    self.skip();
                    self.skip_break();
                    return Ok(true);
                }
                ('"', Some('\\'), _) => self.take_escape(start, text)?,
                _ => self.take_char(text),
            }
        }
        Ok(false)
    }

    fn take_escape(&mut self, start: Mark, text: &mut String) -> Result<(), TreeError> {
        self.skip();
        let digits = match self.first() {
            Some('x') => 2,
            Some('u') => 4,
            Some('U') => 8,
            Some(letter) => {
                let Some(meant) = escaped(letter) else {
                    return Err(self.error_at(start, "an escape (`\\`) that nobody knows"));
                };
                text.push(meant);
                self.skip();
                return Ok(());
            }
            None => return Ok(()),
        };
        self.skip();
        let code = self.rest().get(..digits).filter(|code| {
            let mut all = code.chars();
            all.all(|c| c.is_ascii_hexdigit())
        });
        let meant = code
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .and_then(char::from_u32);
        let Some(meant) = meant else {
            return Err(self.error_at(start, "an escape (`\\`) of no character"));
        };
        text.push(meant);
        (0..digits).for_each(|_| self.skip());
        Ok(())
    }
}

fn escaped(letter: char) -> Option<char> {
    Some(match letter {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '\'' | '\\' => letter,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}
