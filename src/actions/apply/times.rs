//! When something happens: no plan knows, so what is written of it is filled in as it is sent.

use crate::conventions::object_kind::ObjectKind;
use serde_json::{Value, json};

/// The moment a plan is carried out, as the API writes moments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Times {
    /// To the second.
    pub(crate) now: String,
    /// To the microsecond, as leases have it.
    pub(crate) exactly: String,
    /// When this run will have stopped, to the microsecond: no two runs say the same.
    pub(crate) until: String,
}

impl Times {
    /// Fills in what the plan left open.
    pub(super) fn stamp(&self, mut body: Value, kind: ObjectKind) -> Value {
        match kind {
            ObjectKind::PersistentVolumeSet => {
                if let Some(until) = body.pointer_mut("/status/inProgress/until") {
                    *until = json!(self.until);
                }
                let conditions = body.pointer_mut("/status/conditions");
                let conditions = conditions.and_then(Value::as_array_mut);
                for condition in conditions.into_iter().flatten() {
                    if condition["lastTransitionTime"].is_null() {
                        condition["lastTransitionTime"] = json!(self.now);
                    }
                }
            }
            ObjectKind::Lease => {
                for place in ["/spec/renewTime", "/spec/acquireTime"] {
                    if let Some(time) = body.pointer_mut(place).filter(|time| time.is_null()) {
                        *time = json!(self.exactly);
                    }
                }
            }
            ObjectKind::PersistentVolume
            | ObjectKind::PersistentVolumeClaim
            | ObjectKind::Event
            | ObjectKind::Pod
            | ObjectKind::VolumeAttachment
            | ObjectKind::Asset => {}
        }
        body
    }
}
