//! The check of an asset immediately before the first write about it: since the plan was made a disk may have been unmounted.

use super::super::asset_check::{AssetCheck, CheckedWork, When};
use super::super::outcome::Sent;
use super::super::plan::{Change, Plan};
use super::{known_of, path_of};
use crate::conventions::object_kind::ObjectKind;
use crate::load::client::{ApiErrorKind, Connection};
use crate::model::asset::Readiness;
use crate::storage::Backends;

/// Why a change is not sent. If its volume was written since the plan was made, another run may have deleted it, which is a reason
/// to plan again.
pub(super) async fn find_refusal(
    connection: &Connection,
    backends: &Backends,
    change: &Change,
    plan: &Plan,
) -> Option<Sent> {
    let check = change.check.as_ref()?;
    let refused = check.judge(&ask(backends, check), When::BeforeWrite);
    let refused = refused.err()?;
    let (code, message) = (refused.code(), refused.message);
    let is_of_volume =
        |it: &&Change| it.errand == change.errand && it.target.kind == ObjectKind::PersistentVolume;
    if let Some(written) = plan.changes.iter().find(is_of_volume)
        && is_changed(connection, written).await
    {
        return Some(Sent::Conflict(message));
    }
    Some(Sent::Refused { code, message })
}

async fn is_changed(connection: &Connection, change: &Change) -> bool {
    let Some(version) = change.preconditions().resource_version else {
        return false;
    };
    match connection.get_text(&path_of(&change.target)).await {
        Ok(text) => known_of(&text).version != Some(version),
        Err(error) => matches!(error.kind, ApiErrorKind::NotFound { .. }),
    }
}

/// Asks the backend, which changes nothing. A program is not asked.
pub(crate) fn ask(backends: &Backends, check: &AssetCheck) -> Readiness {
    match (backends.find(&check.provisioner), &check.work) {
        (None, _) => Readiness::Ready { free: None },
        (Some(backend), CheckedWork::Create) => backend.readiness_to_create(),
        (Some(backend), CheckedWork::Use(_, place)) => backend.readiness(&place.source()),
    }
}
