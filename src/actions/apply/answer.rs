//! What a request that failed asks for, judged by the code, the reason and the causes of the server's answer, never by its
//! message.

use crate::load::client::{ApiError, ApiErrorKind};

/// What a failure asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    LookAgain,
    /// The object does not exist; of an object that is created, its namespace.
    NotFound,
    TryAgain,
    No,
}

impl Answer {
    pub(super) fn of(error: &ApiError) -> Self {
        match &error.kind {
            ApiErrorKind::Server { code: 409, .. } => Self::LookAgain,
            ApiErrorKind::NotFound { .. } => Self::NotFound,
            ApiErrorKind::Server {
                code: 422, causes, ..
            } if causes.iter().any(|it| is_overtaken(&it.reason, &it.field)) => Self::LookAgain,
            ApiErrorKind::Server {
                code: 429 | 500 | 502 | 503 | 504,
                ..
            }
            | ApiErrorKind::Unreachable { .. }
            | ApiErrorKind::Timeout { .. } => Self::TryAgain,
            _ => Self::No,
        }
    }
}

/// Whether a field is refused because another write came first: another object has the name, the object is being deleted and
/// gets no new finalizer, or the claim names a volume or a class by now.
/// Upstream: apimachinery/pkg/api/validation/objectmeta.go, ValidateObjectMetaAccessorUpdate; pkg/apis/core/validation,
/// ValidatePersistentVolumeClaimUpdate.
fn is_overtaken(reason: &str, field: &str) -> bool {
    matches!(
        (reason, field),
        ("FieldValueInvalid", "metadata.uid")
            | ("FieldValueForbidden", "metadata.finalizers" | "spec")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::client::testing::recorded_failure;

    #[test]
    fn recorded_answers_ask_for_another_look_or_are_final() {
        let of = |name: &str| {
            let kind = recorded_failure(name);
            Answer::of(&ApiError::new("patch", kind))
        };
        for name in [
            "other uid",
            "other uid, status",
            "pod other uid",
            "new finalizer",
            "claim names another volume",
            "claim class",
            "old version",
            "delete other uid",
            "create existing",
        ] {
            assert_eq!(of(name), Answer::LookAgain, "{name}");
        }
        for name in [
            "create no capacity",
            "no such policy",
            "forbidden status",
            "quota",
        ] {
            assert_eq!(of(name), Answer::No, "{name}");
        }
    }

    /// The same refusals in other words mean the same, and the words alone mean nothing.
    #[test]
    fn no_message_decides() {
        let reworded = |name: &str, told: &str| {
            let mut kind = recorded_failure(name);
            if let ApiErrorKind::Server {
                message, causes, ..
            } = &mut kind
            {
                told.clone_into(message);
                for cause in causes {
                    told.clone_into(&mut cause.message);
                }
            }
            Answer::of(&ApiError::new("patch", kind))
        };
        assert_eq!(reworded("other uid", "ANDERS"), Answer::LookAgain);
        assert_eq!(reworded("new finalizer", "ANDERS"), Answer::LookAgain);
        assert_eq!(reworded("no such policy", "field is immutable"), Answer::No);
    }

    #[test]
    fn an_overloaded_server_is_asked_again() {
        for code in [429, 500, 502, 503, 504] {
            let kind = ApiErrorKind::Server {
                code,
                reason: String::new(),
                message: String::new(),
                causes: vec![],
            };
            let answer = Answer::of(&ApiError::new("patch", kind));
            assert_eq!(answer, Answer::TryAgain);
        }
    }
}
