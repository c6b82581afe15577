//! A plan in the making: each change is added to the list and made in a copy of the state, so that what is planned next
//! sees it.

use super::asset_check::AssetCheck;
use super::details::Concern;
use super::operation::{AssetStep, Creation, Deletion, Fill, FillWith, Operation, Patch, Provided};
use super::plan::{Change, Errand, Plan, Skipped, Target, Warning};
use super::recheck::Recheck;
use crate::engine::refusal::Refusal;
use crate::engine::rival_report;
use crate::model::{Claim, ClusterState, Pod, Volume, VolumeAttachment, VolumeSet};
use crate::report::{Code, Danger, Unknown};
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

    /// Adds a check of the cluster, so that what was true when it was read still is.
    pub(super) fn recheck(&mut self, target: Target, recheck: Recheck) -> &mut Change {
        let why = recheck.why();
        self.add(target, Operation::Recheck(recheck), why)
    }

    /// Begins an errand: the changes that follow are for it.
    pub(super) fn begin(&mut self, errand: Errand) {
        self.plan.errands.push(errand);
    }

    /// Adds a change to the errand begun last.
    pub(super) fn add(&mut self, target: Target, operation: Operation, why: String) -> &mut Change {
        let index = self.plan.changes.len();
        self.plan.changes.push(Change {
            target,
            operation,
            concern: Concern::default(),
            after: None,
            danger: Danger::Harmless,
            why,
            errand: self.plan.errands.len().saturating_sub(1),
            check: None,
        });
        &mut self.plan.changes[index]
    }

    /// Adds work on an asset.
    pub(super) fn work(&mut self, name: &str, step: AssetStep, why: String) -> &mut Change {
        self.add(Target::asset(name), Operation::Asset(step), why)
    }

    /// Adds the creation of an object under a fixed name.
    pub(super) fn create(
        &mut self,
        target: Target,
        creation: Creation,
        why: String,
    ) -> &mut Change {
        self.last.insert(target.clone(), self.plan.changes.len());
        self.add(target, Operation::Create(creation), why)
    }

    /// Adds the deletion of an object, guarded by uid and version. With `provided` it counts as made by another run only if the
    /// object has these values.
    pub(super) fn delete(
        &mut self,
        deleted: Patched,
        provided: Vec<Provided>,
        why: String,
    ) -> &mut Change {
        let Patched { target, version } = deleted;
        let after = self.last_change(&target);
        let version = version.filter(|_| after.is_none());
        self.last.insert(target.clone(), self.plan.changes.len());
        let deletion = Deletion::Object { version, provided };
        let change = self.add(target, Operation::Delete(deletion), why);
        change.after = after;
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

    /// Skips an object for this reason.
    pub(super) fn refuse(&mut self, target: Target, refusal: Refusal) {
        self.note_unknowns(refusal.unknowns.iter().cloned());
        self.skip(Skipped::new(target, refusal));
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
    pub(super) fn warn(&mut self, target: Target, code: Code, message: String) {
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
            self.warn(target, Code::RivalReported, message);
        }
    }

    /// The change that made the latest version of an object, if one did.
    pub(super) fn last_change(&self, target: &Target) -> Option<usize> {
        self.last.get(target).copied()
    }

    /// Adds a merge patch, guarded by uid and version.
    pub(super) fn patch(&mut self, patched: Patched, mut patch: Patch, why: String) -> &mut Change {
        let Patched { target, version } = patched;
        let after = self.last_change(&target);
        patch.version = version.filter(|_| after.is_none());
        guard(&mut patch, target.uid.as_ref(), after);
        self.last.insert(target.clone(), self.plan.changes.len());
        let change = self.add(target, Operation::Patch(patch), why);
        change.after = after;
        change
    }
}

/// The uid and the version go into the body: the server compares them. Those that an earlier change writes are filled in.
fn guard(patch: &mut Patch, uid: Option<&String>, after: Option<usize>) {
    let body = &mut patch.body;
    if !body["metadata"].is_object() {
        body["metadata"] = Value::Object(Map::new());
    }
    if uid.is_some() || after.is_some() {
        body["metadata"]["uid"] = json!(uid);
    }
    if patch.version.is_some() || after.is_some() {
        body["metadata"]["resourceVersion"] = json!(patch.version);
    }
    let fill = |place, with| {
        after.map(|change| Fill {
            place,
            change,
            with,
        })
    };
    let version = fill("/metadata/resourceVersion", FillWith::Version);
    // An object that an earlier change makes gets its uid then.
    let new = fill("/metadata/uid", FillWith::Uid).filter(|_| uid.is_none());
    patch.fills.splice(0..0, version.into_iter().chain(new));
}
