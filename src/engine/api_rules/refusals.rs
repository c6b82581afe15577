//! The errors of one answer as they are found: the kinds of field error the API server knows, each in its words.

use super::Refusal;
use crate::conventions::names::go_quote;

/// A growing list of refusals.
#[derive(Debug, Default)]
pub(super) struct Refusals(Vec<Refusal>);

impl Refusals {
    pub(super) fn into_list(self) -> Vec<Refusal> {
        self.0
    }

    /// What was found so far.
    pub(super) fn list(&self) -> &[Refusal] {
        &self.0
    }

    /// A refusal that is complete.
    pub(super) fn add(&mut self, refusal: Refusal) {
        self.0.push(refusal);
    }

    /// Whatever `check` refuses, it stands here.
    pub(super) fn at(&mut self, place: &str, check: impl FnOnce(&mut Self)) {
        self.located(check, |_| Some(place.to_owned()));
    }

    /// Whatever `check` refuses, it stands where `place` says for its field.
    pub(super) fn located(
        &mut self,
        check: impl FnOnce(&mut Self),
        place: impl Fn(&str) -> Option<String>,
    ) {
        let before = self.0.len();
        check(self);
        for refusal in &mut self.0[before..] {
            if refusal.at.is_none() {
                refusal.at = refusal.field.as_deref().and_then(&place);
            }
        }
    }

    /// Something must be there and is not.
    pub(super) fn required(&mut self, field: impl Into<String>, detail: &str) {
        self.push(field, "Required value", detail);
    }

    /// Something may not be there.
    pub(super) fn forbidden(&mut self, field: impl Into<String>, detail: &str) {
        self.push(field, "Forbidden", detail);
    }

    /// A text is not in order.
    pub(super) fn invalid(&mut self, field: impl Into<String>, value: &str, detail: &str) {
        self.invalid_as(field, &go_quote(value), detail);
    }

    /// A text is not in order, for several reasons.
    pub(super) fn invalid_each(&mut self, field: &str, value: &str, details: &[String]) {
        for detail in details {
            self.invalid(field, value, detail);
        }
    }

    /// A value that is no text is not in order; it is shown as given.
    pub(super) fn invalid_as(&mut self, field: impl Into<String>, shown: &str, detail: &str) {
        self.push(field, &format!("Invalid value: {shown}"), detail);
    }

    /// A value is none of those there are.
    pub(super) fn unsupported(
        &mut self,
        field: impl Into<String>,
        value: &str,
        supported: &[&str],
    ) {
        self.unsupported_as(field, &go_quote(value), supported);
    }

    /// The same of a value that is no text, shown as given.
    pub(super) fn unsupported_as(
        &mut self,
        field: impl Into<String>,
        shown: &str,
        supported: &[&str],
    ) {
        let quoted: Vec<String> = supported.iter().map(|value| go_quote(value)).collect();
        self.push(
            field,
            &format!("Unsupported value: {shown}"),
            &format!("supported values: {}", quoted.join(", ")),
        );
    }

    /// A value stands there twice.
    pub(super) fn duplicate(&mut self, field: impl Into<String>, value: &str) {
        self.push(field, &format!("Duplicate value: {}", go_quote(value)), "");
    }

    /// An error that has its words already.
    pub(super) fn worded(&mut self, field: impl Into<String>, message: &str) {
        self.push(field, message, "");
    }

    /// Something has more bytes than it may.
    pub(super) fn too_long(&mut self, field: impl Into<String>, limit: usize) {
        self.push(
            field,
            "Too long",
            &format!("may not be more than {limit} bytes"),
        );
    }

    fn push(&mut self, field: impl Into<String>, kind: &str, detail: &str) {
        let message = if detail.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}: {detail}")
        };
        self.0.push(Refusal {
            field: Some(field.into()),
            at: None,
            message,
            malformed: false,
        });
    }
}
