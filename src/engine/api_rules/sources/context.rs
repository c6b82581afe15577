//! What the rules of a source look at, and the rules that several sources share.

use super::super::field_errors::FieldErrors;
use super::super::forms::has_backsteps;
use super::super::values::{as_text, items, number, text};
use crate::conventions::field_error::InvalidRule;
use crate::conventions::names::NameProblem;
use crate::model::manifest::Node;

/// What a source's rules look at.
pub(super) struct Context<'a> {
    pub(super) errors: &'a mut FieldErrors,
    pub(super) source: &'a Node,
    pub(super) field: String,
    pub(super) spec: &'a Node,
    pub(super) volume_name: &'a str,
}

impl Context<'_> {
    pub(super) fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.field)
    }

    pub(super) fn text(&self, key: &str) -> &str {
        text(self.source, key)
    }

    pub(super) fn require(&mut self, key: &str) {
        if self.text(key).is_empty() {
            self.errors.required(self.at(key), "");
        }
    }

    pub(super) fn require_items(&mut self, key: &str) {
        if items(self.source, key).is_empty() {
            self.errors.required(self.at(key), "");
        }
    }

    pub(super) fn invalid(&mut self, key: &str, rule: impl Into<InvalidRule>) {
        let value = text(self.source, key);
        self.errors.invalid(self.at(key), value, rule);
    }

    pub(super) fn invalid_each(&mut self, key: &str, problems: &[NameProblem]) {
        for problem in problems {
            self.invalid(key, *problem);
        }
    }

    /// A path that must be there and never goes up.
    pub(super) fn check_path(&mut self) {
        if self.text("path").is_empty() {
            self.require("path");
        } else if has_backsteps(self.text("path")) {
            self.invalid("path", "must not contain '..'");
        }
    }

    /// A number between `0` and `255`; the words differ.
    pub(super) fn check_byte(&mut self, key: &str, detail: &'static str) {
        let value = number(self.source, key).unwrap_or(0);
        if !(0..=255).contains(&value) {
            self.errors
                .invalid_as(self.at(key), value.to_string(), detail);
        }
    }

    /// Whichever of these a reference to a secret, if there is one, does not have.
    pub(super) fn require_in_secret(&mut self, keys: &[&str]) {
        let Some(secret) = self.source.get("secretRef") else {
            return;
        };
        for key in keys.iter().filter(|key| text(secret, key).is_empty()) {
            let field = format!("{}.secretRef.{key}", self.field);
            self.errors.required(field, "");
        }
    }

    pub(super) fn check_choice(&mut self, key: &str, supported: &[&str]) {
        let Some(value) = self.source.get(key).map(as_text) else {
            return;
        };
        if !supported.contains(&value) {
            self.errors.unsupported(self.at(key), value, supported);
        }
    }
}
