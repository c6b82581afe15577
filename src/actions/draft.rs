//! A plan in the making: each change is added to the list and made in a copy of the state, so that what is planned next
//! sees it.

use super::plan::{Action, Change, Errand, Plan, Preconditions, Skipped, Target};
use crate::model::{Claim, ClusterState, Volume};
use crate::report::Danger;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

pub(super) struct Draft {
    /// The cluster as it is once the changes so far are made.
    pub(super) state: ClusterState,
    pub(super) plan: Plan,
    /// The last change of an object.
    last: HashMap<Target, usize>,
}

/// What is patched, with the version it was read in.
pub(super) struct Patched {
    pub(super) target: Target,
    version: Option<String>,
}

impl From<&Volume> for Patched {
    fn from(volume: &Volume) -> Self {
        Self {
            target: Target::volume(&volume.name, volume.uid.as_ref()),
            version: volume.resource_version.clone(),
        }
    }
}

impl From<&Claim> for Patched {
    fn from(claim: &Claim) -> Self {
        Self {
            target: Target::claim(&claim.key, claim.uid.as_ref()),
            version: claim.resource_version.clone(),
        }
    }
}

impl Draft {
    pub(super) fn new(state: &ClusterState, command: &'static str) -> Self {
        Self {
            state: state.clone(),
            plan: Plan::new(command),
            last: HashMap::new(),
        }
    }

    /// Begins an errand: the changes that follow are for it.
    pub(super) fn begin(&mut self, errand: Errand) {
        self.plan.errands.push(errand);
    }

    pub(super) fn skip(&mut self, skipped: Skipped) {
        self.plan.skipped.push(skipped);
    }

    /// The change that made the latest version of an object, if one did.
    pub(super) fn last_change(&self, target: &Target) -> Option<usize> {
        self.last.get(target).copied()
    }

    /// Adds a merge patch, guarded by uid and version.
    pub(super) fn patch(
        &mut self,
        patched: Patched,
        subresource: Option<&'static str>,
        mut body: Value,
        why: String,
    ) -> &mut Change {
        let Patched { target, version } = patched;
        let after = self.last_change(&target);
        let version = version.filter(|_| after.is_none());
        guard(&mut body, target.uid.as_ref(), version.as_ref(), after);
        let index = self.plan.changes.len();
        self.last.insert(target.clone(), index);
        self.plan.changes.push(Change {
            action: Action::Patch,
            preconditions: Preconditions {
                uid: target.uid.clone(),
                resource_version: version,
            },
            target,
            subresource,
            body,
            after,
            danger: Danger::Harmless,
            why,
            errand: self.plan.errands.len().saturating_sub(1),
            fills: vec![],
        });
        &mut self.plan.changes[index]
    }
}

/// The uid and the version go into the body: the server compares them.
fn guard(body: &mut Value, uid: Option<&String>, version: Option<&String>, after: Option<usize>) {
    if !body["metadata"].is_object() {
        body["metadata"] = Value::Object(Map::new());
    }
    if let Some(uid) = uid {
        body["metadata"]["uid"] = json!(uid);
    }
    if version.is_some() || after.is_some() {
        body["metadata"]["resourceVersion"] = json!(version);
    }
}
