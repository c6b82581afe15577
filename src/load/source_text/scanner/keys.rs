//! What may turn out to be a key: that shows only at the colon behind it, on the same line.

use super::super::yaml::TreeError;
use super::{Mark, Scanner};

/// A token that may turn out to be a key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PossibleKey {
    pub(super) possible: bool,
    /// Nothing but a key can stand here.
    required: bool,
    /// Its number among all tokens.
    pub(super) number: usize,
    pub(super) mark: Mark,
}

/// A key is looked for no further than this many characters.
const LONGEST_KEY: usize = 1024;

impl Scanner<'_> {
    pub(super) fn head_may_be_a_key(&mut self) -> Result<bool, TreeError> {
        let head = self.taken;
        let is_head = |key: &PossibleKey| key.possible && key.number == head;
        match self.keys.iter().position(is_head) {
            None => Ok(false),
            Some(level) => self.is_still_possible(level),
        }
    }

    /// A key ends on the line where it begins.
    pub(super) fn is_still_possible(&mut self, level: usize) -> Result<bool, TreeError> {
        let key = self.keys[level];
        if !key.possible {
            return Ok(false);
        }
        let is_stale =
            key.mark.line < self.mark.line || key.mark.index + LONGEST_KEY < self.mark.index;
        if is_stale && key.required {
            return Err(self.missing_colon(key.mark));
        }
        self.keys[level].possible = !is_stale;
        Ok(!is_stale)
    }

    fn missing_colon(&self, mark: Mark) -> TreeError {
        self.error_at(mark, "a colon is missing after this key")
    }

    /// Notes that the token about to come may be a key.
    pub(super) fn note_key(&mut self) -> Result<(), TreeError> {
        let required = self.flow_level == 0 && self.indent == self.mark.signed_column();
        if !self.key_allowed {
            return Ok(());
        }
        let key = PossibleKey {
            possible: true,
            required,
            number: self.taken + self.tokens.len(),
            mark: self.mark,
        };
        self.drop_key()?;
        if let Some(last) = self.keys.last_mut() {
            *last = key;
        }
        Ok(())
    }

    /// What might have been a key is none.
    pub(super) fn drop_key(&mut self) -> Result<(), TreeError> {
        let key = self.keys.last().copied().unwrap_or_default();
        if key.possible && key.required {
            return Err(self.missing_colon(key.mark));
        }
        if let Some(last) = self.keys.last_mut() {
            last.possible = false;
        }
        Ok(())
    }
}
