//! A plan in the making: each change is added to the list and made in a copy of the state, so that what is planned next
//! sees it.

use super::asset_check::AssetCheck;
use super::asset_work::AssetWork;
use super::details::Concern;
use super::look::Look;
use super::plan::{
    Action, Change, Errand, Fill, FillWith, Plan, Preconditions, Skipped, Standing, Target, Warning,
};
use crate::engine::{RIVAL_REPORTED, rival_report};
use crate::model::{Claim, ClusterState, Pod, Volume, VolumeAttachment, VolumeSet};
use crate::report::{Danger, Unknown};
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
    pub(super) version: Option<String>,
}

impl Patched {
    /// What is no object of the model's state.
    pub(super) fn new(target: Target, version: Option<String>) -> Self {
        Self { target, version }
    }
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

impl From<&VolumeAttachment> for Patched {
    fn from(attachment: &VolumeAttachment) -> Self {
        Self {
            target: Target::attachment(&attachment.name, attachment.uid.as_ref()),
            version: attachment.resource_version.clone(),
        }
    }
}

impl From<&VolumeSet> for Patched {
    fn from(set: &VolumeSet) -> Self {
        Self {
            target: Target::volume_set(&set.name, set.uid.as_ref()),
            version: set.resource_version.clone(),
        }
    }
}

impl From<&Pod> for Patched {
    fn from(pod: &Pod) -> Self {
        Self {
            target: Target::pod(&pod.key, pod.uid.as_ref()),
            version: None,
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

    /// Goes on with a plan that was made of the same state, under another command.
    pub(super) fn resume(state: &ClusterState, plan: Plan, command: &'static str) -> Self {
        Self {
            plan: Plan { command, ..plan },
            ..Self::new(state, command)
        }
    }

    /// Adds a look at the cluster, so that what was true when it was read still is.
    pub(super) fn look(&mut self, target: Target, look: Look) {
        let (body, why) = (look.spelled(), look.why());
        let index = self.add(Action::Wait, target, body, why);
        self.plan.changes[index].look = Some(look);
    }

    /// Begins an errand: the changes that follow are for it.
    pub(super) fn begin(&mut self, errand: Errand) {
        self.plan.errands.push(errand);
    }

    /// Adds a change to the errand begun last, and says which it is.
    pub(super) fn add(
        &mut self,
        action: Action,
        target: Target,
        body: Value,
        why: String,
    ) -> usize {
        let index = self.plan.changes.len();
        self.plan.changes.push(Change {
            action,
            preconditions: Preconditions {
                uid: None,
                resource_version: None,
            },
            target,
            subresource: None,
            body,
            before: Value::Null,
            concern: Concern::default(),
            after: None,
            danger: Danger::Harmless,
            why,
            errand: self.plan.errands.len().saturating_sub(1),
            fills: vec![],
            provided: vec![],
            may_be_gone: false,
            removes_finalizer: None,
            asset: None,
            mounted: None,
            look: None,
            check: None,
            sums_up: vec![],
        });
        index
    }

    /// Adds work on an asset.
    pub(super) fn work(
        &mut self,
        action: Action,
        name: &str,
        body: Value,
        work: AssetWork,
        why: String,
    ) -> usize {
        let index = self.add(action, Target::asset(name), body, why);
        self.plan.changes[index].asset = Some(work);
        index
    }

    /// Adds the creation of an object under a fixed name.
    pub(super) fn create(&mut self, target: Target, body: Value, why: String) -> &mut Change {
        let index = self.add(Action::Create, target.clone(), body, why);
        self.last.insert(target, index);
        &mut self.plan.changes[index]
    }

    /// Adds the deletion of an object, guarded by uid and version.
    pub(super) fn delete(&mut self, deleted: Patched, why: String) -> &mut Change {
        let Patched { target, version } = deleted;
        let after = self.last_change(&target);
        let version = version.filter(|_| after.is_none());
        let body = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {
            "uid": target.uid, "resourceVersion": version } });
        let index = self.add(Action::Delete, target.clone(), body, why);
        self.last.insert(target.clone(), index);
        let change = &mut self.plan.changes[index];
        change.preconditions = Preconditions {
            uid: target.uid,
            resource_version: version,
        };
        change.after = after;
        let place = "/preconditions/resourceVersion";
        let with = FillWith::Version;
        change.fills.extend(after.map(|change| Fill {
            place,
            change,
            with,
        }));
        change
    }

    /// Lets the asset be checked before the change of this number, which is the first one about it.
    pub(super) fn check_before(&mut self, index: usize, check: Option<AssetCheck>) {
        if let Some(change) = self.plan.changes.get_mut(index) {
            change.check = check;
        }
    }

    pub(super) fn skip(&mut self, skipped: Skipped) {
        self.plan.skipped.push(skipped);
    }

    /// Adds what was not read, each entry once.
    pub(super) fn note_unknowns(&mut self, unknowns: impl IntoIterator<Item = Unknown>) {
        for unknown in unknowns {
            if !self.plan.unknowns.contains(&unknown) {
                self.plan.unknowns.push(unknown);
            }
        }
    }

    /// Adds a warning, once for each object.
    pub(super) fn warn(&mut self, target: Target, code: &'static str, message: String) {
        let warning = Warning {
            code,
            message,
            target: Some(target),
        };
        if !self.plan.warnings.contains(&warning) {
            self.plan.warnings.push(warning);
        }
    }

    /// Warns that a name that is configured here may be served by another component too: once for each name.
    pub(super) fn warn_of_rival(&mut self, target: Target, provisioner: &str) {
        let Some(message) = rival_report(&self.state, provisioner) else {
            return;
        };
        let mut warnings = self.plan.warnings.iter();
        if !warnings.any(|warning| warning.message == message) {
            self.warn(target, RIVAL_REPORTED, message);
        }
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
        let index = self.add(Action::Patch, target.clone(), body, why);
        let change = &mut self.plan.changes[index];
        change.preconditions = Preconditions {
            uid: target.uid.clone(),
            resource_version: version,
        };
        change.subresource = subresource;
        change.after = after;
        let fill = |place, with| {
            after.map(|change| Fill {
                place,
                change,
                with,
            })
        };
        change
            .fills
            .extend(fill("/metadata/resourceVersion", FillWith::Version));
        if target.uid.is_none() {
            // An object that an earlier change makes gets its uid then.
            change.fills.extend(fill("/metadata/uid", FillWith::Uid));
        }
        self.last.insert(target, index);
        change
    }
}

/// Leaves something alone, where no command is to be pasted from the message.
pub(super) fn skip(
    draft: &mut Draft,
    target: Target,
    code: &'static str,
    message: String,
    standing: Standing,
) {
    draft.skip(Skipped {
        target,
        code,
        message,
        standing,
        commands: vec![],
    });
}

/// The uid and the version go into the body: the server compares them.
fn guard(body: &mut Value, uid: Option<&String>, version: Option<&String>, after: Option<usize>) {
    if !body["metadata"].is_object() {
        body["metadata"] = Value::Object(Map::new());
    }
    if uid.is_some() || after.is_some() {
        body["metadata"]["uid"] = json!(uid);
    }
    if version.is_some() || after.is_some() {
        body["metadata"]["resourceVersion"] = json!(version);
    }
}
