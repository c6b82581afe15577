//! Whether our lock on a volume is still the last that was written to it. Policy Retain keeps nobody from taking the volume by
//! hand, so we look once more before anything is lost.

use super::super::outcome::Sent;
use super::super::plan::Change;
use super::path_of;
use crate::load::client::{ApiErrorKind, Connection};
use serde_json::Value;

/// Reads the volume and compares its version with the one our lock made.
pub(super) async fn look(connection: &Connection, change: &Change, body: &Value) -> Sent {
    let text = match connection.get_text(&path_of(&change.target)).await {
        Ok(text) => text,
        Err(error) if matches!(error.kind, ApiErrorKind::NotFound { .. }) => {
            return Sent::Conflict("the volume is gone".to_owned());
        }
        Err(error) => return Sent::Failed(error.to_string()),
    };
    let volume: Value = serde_json::from_str(&text).unwrap_or_default();
    let locked = &body["resourceVersion"];
    if locked.is_string() && volume["metadata"]["resourceVersion"] == *locked {
        return Sent::Done;
    }
    Sent::Conflict("somebody wrote the volume after it was locked".to_owned())
}
