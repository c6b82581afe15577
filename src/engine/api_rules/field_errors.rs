//! The errors of one answer as they are found. Their kinds and the server's words are a convention.

use super::FieldError;
use crate::conventions::field_error::{FieldErrorKind, ForbiddenRule, InvalidRule, Value};
use crate::conventions::names::NameProblem;

/// A growing list of errors.
#[derive(Debug, Default)]
pub(super) struct FieldErrors(Vec<FieldError>);

impl FieldErrors {
    pub(super) fn into_list(self) -> Vec<FieldError> {
        self.0
    }

    /// What was found so far.
    pub(super) fn list(&self) -> &[FieldError] {
        &self.0
    }

    /// An error that is complete.
    pub(super) fn add(&mut self, error: FieldError) {
        self.0.push(error);
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
        for error in &mut self.0[before..] {
            if error.at.is_none() {
                error.at = error.field.as_deref().and_then(&place);
            }
        }
    }

    /// An error of this kind.
    pub(super) fn report(&mut self, field: impl Into<String>, kind: FieldErrorKind) {
        self.0.push(FieldError {
            field: Some(field.into()),
            at: None,
            kind,
        });
    }

    /// Something must be there and is not.
    pub(super) fn required(&mut self, field: impl Into<String>, detail: &'static str) {
        self.report(field, FieldErrorKind::Required(detail));
    }

    /// Something may not be there.
    pub(super) fn forbidden(&mut self, field: impl Into<String>, detail: &'static str) {
        self.report(
            field,
            FieldErrorKind::Forbidden(ForbiddenRule::Other(detail)),
        );
    }

    /// A text is not in order.
    pub(super) fn invalid(
        &mut self,
        field: impl Into<String>,
        value: &str,
        rule: impl Into<InvalidRule>,
    ) {
        self.report(field, FieldErrorKind::invalid(value, rule));
    }

    /// A text is not in order, for several reasons.
    pub(super) fn invalid_each(&mut self, field: &str, value: &str, problems: &[NameProblem]) {
        for problem in problems {
            self.invalid(field, value, *problem);
        }
    }

    /// A value that is no text is not in order; it is shown as given.
    pub(super) fn invalid_as(
        &mut self,
        field: impl Into<String>,
        shown: impl Into<String>,
        rule: impl Into<InvalidRule>,
    ) {
        let kind = FieldErrorKind::Invalid {
            value: Value::Json(shown.into()),
            rule: rule.into(),
        };
        self.report(field, kind);
    }

    /// A value is none of those there are.
    pub(super) fn unsupported(
        &mut self,
        field: impl Into<String>,
        value: &str,
        supported: &[&str],
    ) {
        let supported = supported.iter().map(|value| (*value).to_owned());
        let kind = FieldErrorKind::NotSupported {
            value: Value::Text(value.to_owned()),
            supported: supported.collect(),
        };
        self.report(field, kind);
    }

    /// A value stands there twice.
    pub(super) fn duplicate(&mut self, field: impl Into<String>, value: &str) {
        self.report(field, FieldErrorKind::Duplicate(value.to_owned()));
    }

    /// Something has more bytes than it may.
    pub(super) fn too_long(&mut self, field: impl Into<String>, limit: usize) {
        self.report(field, FieldErrorKind::TooLong(limit));
    }
}
