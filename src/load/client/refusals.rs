//! What the server did not allow during one run: a list that is forbidden is only a gap to whoever reads, but whoever asks
//! for the permission must know its name.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::api_error::ApiErrorKind;
use super::foreign_messages::find_refused_permission;
use crate::conventions::permission::Permission;

/// The refusals of one connection, each once.
#[derive(Default)]
pub(crate) struct Refusals(Mutex<BTreeSet<Permission>>);

impl Refusals {
    /// Notes a failure if it is a refusal, and passes it on.
    pub(super) fn note(&self, kind: ApiErrorKind) -> ApiErrorKind {
        if let ApiErrorKind::Forbidden { message } = &kind
            && let Some(permission) = find_refused_permission(message)
        {
            let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            noted.insert(permission);
        }
        kind
    }

    /// All of them, in a fixed order.
    pub(crate) fn all(&self) -> Vec<Permission> {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        noted.iter().cloned().collect()
    }
}
