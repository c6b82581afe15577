//! Tags and directives.

use super::super::yaml::TreeError;
use super::marks::{is_blank, is_break, is_end_of_word};
use super::{Mark, Scanner, TokenKind};

impl Scanner<'_> {
    pub(super) fn scan_tag(&mut self) -> Result<TokenKind, TreeError> {
        let start = self.mark;
        let (handle, suffix) = if self.char_at(1) == Some('<') {
            self.skip();
            self.skip();
            let suffix = self.take_uri(start, String::new(), false)?;
            if self.first() != Some('>') {
                return Err(self.error_at(start, "the tag is not closed"));
            }
            self.skip();
            (String::new(), suffix)
        } else {
            let handle = self.take_handle();
            if handle.len() > 1 && handle.ends_with('!') {
                let suffix = self.take_uri(start, String::new(), false)?;
                (handle, suffix)
            } else {
                let suffix = self.take_uri(start, handle[1..].to_owned(), true)?;
                if suffix.is_empty() {
                    (String::new(), "!".to_owned())
                } else {
                    ("!".to_owned(), suffix)
                }
            }
        };
        if !is_end_of_word(self.first()) {
            return Err(self.error_at(start, "a blank is missing after the tag"));
        }
        Ok(TokenKind::Tag { handle, suffix })
    }

    /// `!`, `!!` or `!name!`; a name without the second `!` is the beginning of a suffix.
    fn take_handle(&mut self) -> String {
        let mut handle = String::new();
        self.take_char(&mut handle);
        handle.push_str(&self.take_word());
        if self.first() == Some('!') {
            self.take_char(&mut handle);
        }
        handle
    }

    fn take_uri(
        &mut self,
        start: Mark,
        mut uri: String,
        may_be_empty: bool,
    ) -> Result<String, TreeError> {
        let begin = uri.len();
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_;/?:@&=+$,.!~*'()[]%".contains(c);
        let mut bytes = uri.into_bytes();
        while let Some(c) = self.first().filter(|c| is_part(*c)) {
            if c == '%' {
                let code = self.rest().get(1..3);
                let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) else {
                    return Err(self.error_at(start, "an escape (`%`) of no character"));
                };
                bytes.push(byte);
                (0..3).for_each(|_| self.skip());
            } else {
                bytes.push(u8::try_from(c).unwrap_or(b'?'));
                self.skip();
            }
        }
        uri = String::from_utf8(bytes)
            .map_err(|_| self.error_at(start, "an escape (`%`) of no character"))?;
        if uri.len() == begin && begin == 0 && !may_be_empty {
            return Err(self.error_at(start, "the tag has no name"));
        }
        Ok(uri)
    }

    pub(super) fn fetch_directive(&mut self) -> Result<(), TreeError> {
        self.outdent_to(-1);
        self.drop_key()?;
        self.key_allowed = false;
        let start = self.mark;
        self.skip();
        let name = self.take_word();
        if name.is_empty() || !is_end_of_word(self.first()) {
            return Err(self.error_at(start, "a directive without a name"));
        }
        self.skip_blanks();
        let kind = match name.as_str() {
            "YAML" => self.scan_version(start)?,
            "TAG" => self.scan_tag_prefix(start)?,
            _ => return Err(self.error_at(start, "a directive that nobody knows")),
        };
        self.skip_blanks();
        self.skip_comment();
        match self.first() {
            None => {}
            Some(c) if is_break(c) => self.skip_break(),
            Some(_) => return Err(self.error_at(start, "something follows the directive")),
        }
        self.push(kind, start);
        Ok(())
    }

    fn scan_version(&mut self, start: Mark) -> Result<TokenKind, TreeError> {
        let major = self.take_version_number(start)?;
        if self.first() != Some('.') {
            return Err(self.error_at(start, "no version of YAML"));
        }
        self.skip();
        let minor = self.take_version_number(start)?;
        Ok(TokenKind::Version(major, minor))
    }

    fn take_version_number(&mut self, start: Mark) -> Result<u8, TreeError> {
        let mut digits = String::new();
        while self.first().is_some_and(|c| c.is_ascii_digit()) {
            self.take_char(&mut digits);
        }
        let number = digits.parse().ok().filter(|_| digits.len() <= 2);
        number.ok_or_else(|| self.error_at(start, "no version of YAML"))
    }

    fn scan_tag_prefix(&mut self, start: Mark) -> Result<TokenKind, TreeError> {
        if self.first() != Some('!') {
            return Err(self.error_at(start, "a tag directive begins with `!`"));
        }
        let handle = self.take_handle();
        if handle.len() > 1 && !handle.ends_with('!') {
            return Err(self.error_at(start, "the handle of a tag ends with `!`"));
        }
        if !self.first().is_some_and(is_blank) {
            return Err(self.error_at(start, "a blank is missing after the handle"));
        }
        self.skip_blanks();
        let prefix = self.take_uri(start, String::new(), false)?;
        if !is_end_of_word(self.first()) {
            return Err(self.error_at(start, "a blank is missing after the prefix"));
        }
        Ok(TokenKind::TagPrefix(handle, prefix))
    }
}
