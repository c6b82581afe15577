//! What is to be done, as data: what a dry run prints is what an apply sends.

use super::asset_check::AssetCheck;
use super::asset_work::AssetWork;
use super::details::Concern;
use super::operation::{Action, Operation, Wait};
use crate::conventions::command_line::Sentence;
use crate::conventions::object_kind::ObjectKind;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::refusal::{Refusal, Standing};
use crate::report::{API_VERSION, Code, Danger, RefusedCategory, Unknown};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::mem::discriminant;

/// Changes in the order they are made, and what is left alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) api_version: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) command: &'static str,
    pub(crate) changes: Vec<Change>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) unknowns: Vec<Unknown>,
    /// What `cleanup` did not decide, as something could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) refused: Vec<RefusedCategory>,
    /// What the changes are for; if one fails, the others of its errand are not made.
    #[serde(skip)]
    pub(crate) errands: Vec<Errand>,
}

impl Plan {
    pub(crate) fn new(command: &'static str) -> Self {
        Self {
            api_version: API_VERSION,
            kind: "Plan",
            command,
            changes: vec![],
            skipped: vec![],
            warnings: vec![],
            unknowns: vec![],
            refused: vec![],
            errands: vec![],
        }
    }

    /// Whose data goes for good: `pv-a (10Gi, of prod/data)`.
    pub(crate) fn losses(&self) -> Vec<String> {
        let lost = self.errands.iter().filter_map(|errand| {
            let loss = errand.deed.loss()?;
            let of = loss.of.as_ref().map(|key| format!("of {key}"));
            let size = Some(loss.size.clone()).filter(|size| !size.is_empty());
            let told: Vec<String> = size.into_iter().chain(of).collect();
            Some(format!("{} ({})", errand.volume, told.join(", ")))
        });
        lost.collect()
    }
}

/// One thing that is done by one or more changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Errand {
    /// The claim it is for; what becomes of a volume that nobody has is for no claim.
    pub(crate) claim: Option<ObjectKey>,
    pub(crate) volume: String,
    /// What it is, for people: `binds (10Gi)`.
    pub(crate) what: String,
    /// What kind of thing it is.
    pub(crate) deed: Deed,
}

impl Errand {
    /// What it is about, as people write it: `pvc/prod/data`, `pv/pv-a`.
    pub(crate) fn object(&self) -> String {
        let name = &self.volume;
        match (&self.deed, &self.claim) {
            (Deed::Detach, _) => format!("volumeattachment/{name}"),
            (Deed::DeleteAsset(_), _) => format!("asset/{name}"),
            (Deed::Record { set }, _) => format!("pvs/{set}"),
            (_, Some(claim)) => format!("pvc/{claim}"),
            (_, None) => format!("pv/{name}"),
        }
    }

    /// Whether it is the same thing, planned again.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        let is_same_deed = discriminant(&self.deed) == discriminant(&other.deed)
            && self.deed.set() == other.deed.set();
        is_same_deed && self.claim == other.claim && self.volume == other.volume
    }

    /// Whom it is about, for people: `prod/data`, or `pv-a` if it is for no claim.
    pub(crate) fn about(&self) -> String {
        match &self.claim {
            Some(claim) => claim.to_string(),
            None if self.volume.is_empty() => self.object(),
            None => self.volume.clone(),
        }
    }
}

/// What is done, seen from afar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// A claim gets a volume that is there.
    Bind,
    /// A claim gets a volume that is made for it, here or by somebody who is asked.
    Make(Product),
    /// A volume that was taken for a claim is nobody's again.
    GiveBack,
    /// A volume that was made for a claim goes again, with its asset.
    TakeBack,
    /// A volume that nobody owns any more goes, and its data with it.
    Delete(Loss),
    /// A volume that nobody owns any more is emptied, and anybody's again.
    Recycle(Loss),
    /// A volume that nobody owns any more is somebody else's, data and all.
    Reuse {
        /// What surprises about it.
        warnings: Vec<String>,
    },
    /// A volume gets another reclaim policy.
    SetPolicy {
        /// What surprises about it.
        warnings: Vec<String>,
    },
    /// A claim that nobody uses goes; the data of its volume goes with it, or stays.
    DeleteClaim(Option<Loss>),
    /// A volume that nobody can reach goes, and what is behind it stays where it is.
    DeleteObject,
    /// A volume is detached from where nobody needs it; the attachment stands for the volume.
    Detach,
    /// An asset of this machine that no volume stands for goes; there may be only our record of it.
    DeleteAsset(Option<Loss>),
    /// A set of volumes gets one more.
    MakeMember { set: String },
    /// A set of volumes loses one that nobody has; what may be in it goes with it.
    DeleteMember { set: String, loss: Option<Loss> },
    /// An asset that was made for a set, and whose volume never came, goes again.
    TakeBackMember { set: String },
    /// It is written into a set how it stands.
    Record { set: String },
    /// Somebody is told something.
    Tell,
}

impl Deed {
    /// Whether it is what was asked for a volume that nobody owns.
    pub(crate) fn is_reclaim(&self) -> bool {
        matches!(
            self,
            Self::Delete(_) | Self::Recycle(_) | Self::Reuse { .. } | Self::SetPolicy { .. }
        )
    }

    /// The data that goes for good with it.
    fn loss(&self) -> Option<&Loss> {
        match self {
            Self::Delete(loss) | Self::Recycle(loss) => Some(loss),
            Self::DeleteClaim(loss) | Self::DeleteAsset(loss) | Self::DeleteMember { loss, .. } => {
                loss.as_ref()
            }
            _ => None,
        }
    }

    /// Whether only `cleanup` does it.
    pub(crate) fn is_cleanup(&self) -> bool {
        matches!(
            self,
            Self::DeleteClaim(_) | Self::DeleteObject | Self::Detach | Self::DeleteAsset(_)
        )
    }

    /// The set of volumes it is done for.
    pub(crate) fn set(&self) -> Option<&str> {
        match self {
            Self::MakeMember { set }
            | Self::DeleteMember { set, .. }
            | Self::TakeBackMember { set }
            | Self::Record { set } => Some(set),
            _ => None,
        }
    }

    /// Whether it is news or a note, and nothing that anybody asked for.
    pub(crate) fn is_aside(&self) -> bool {
        matches!(self, Self::Tell | Self::Record { .. })
    }

    /// What surprises.
    pub(crate) fn warnings(&self) -> &[String] {
        match self {
            Self::Make(product) => &product.warnings,
            Self::Reuse { warnings } | Self::SetPolicy { warnings } => warnings,
            _ => &[],
        }
    }
}

/// Data that goes for good, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) size: String,
    /// Whose it was.
    pub(crate) of: Option<ObjectKey>,
}

/// A volume that is made, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) class: String,
    pub(crate) size: String,
    /// What surprises about how it is made.
    pub(crate) warnings: Vec<String>,
    pub(crate) by: MadeBy,
}

/// Who makes a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MadeBy {
    /// This program.
    Us,
    /// Somebody who is asked, and waited for.
    AskedAndAwaited,
    /// Somebody who is asked; when it is there nobody knows.
    Asked,
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Change {
    pub(crate) target: Target,
    pub(crate) operation: Operation,
    pub(crate) concern: Concern,
    /// The change whose result this one builds on: its version is this one's precondition.
    pub(crate) after: Option<usize>,
    pub(crate) danger: Danger,
    pub(crate) why: String,
    /// Which errand it is part of.
    pub(crate) errand: usize,
    /// What is checked on this machine immediately before it is made.
    pub(crate) check: Option<AssetCheck>,
}

impl Change {
    pub(crate) fn action(&self) -> Action {
        self.operation.action()
    }

    /// As the plan prints it.
    pub(crate) fn body(&self) -> Value {
        self.operation.body(&self.target)
    }

    /// The part of an object that is patched, if it is not the object itself.
    pub(crate) fn subresource(&self) -> Option<&'static str> {
        match &self.operation {
            Operation::Patch(patch) => patch.part.subresource(),
            _ => None,
        }
    }

    /// What must still hold when the request arrives.
    pub(crate) fn preconditions(&self) -> Preconditions {
        let uid = self.target.uid.clone();
        let resource_version = match &self.operation {
            Operation::Patch(patch) => patch.version.clone(),
            Operation::Delete(deletion) => deletion.version().map(str::to_owned),
            Operation::Wait(Wait::PodHasEnded | Wait::PodIsGone) => None,
            Operation::Create(_)
            | Operation::Event(_)
            | Operation::Asset(_)
            | Operation::Wait(Wait::ClaimIsBound { .. })
            | Operation::Recheck(_) => return Preconditions::default(),
        };
        Preconditions {
            uid,
            resource_version,
        }
    }

    /// Whether the end can be reached without it: news that could not be told changes nothing.
    pub(crate) fn is_optional(&self) -> bool {
        matches!(self.operation, Operation::Event(_))
    }

    /// What is done to an asset.
    pub(crate) fn asset_work(&self) -> Option<&AssetWork> {
        match &self.operation {
            Operation::Asset(step) => Some(&step.work),
            _ => None,
        }
    }
}

#[cfg(test)]
impl Change {
    /// The patch of a change that is one.
    pub(super) fn patch(&self) -> &super::operation::Patch {
        match &self.operation {
            Operation::Patch(patch) => patch,
            other => panic!("{other:?} is not a patch"),
        }
    }

    /// What the object of a patch or of a deletion must say besides.
    pub(super) fn provided(&self) -> &[super::operation::Provided] {
        use super::operation::{Deletion, Purpose};
        match &self.operation {
            Operation::Delete(Deletion::Object { provided, .. }) => provided,
            _ => match &self.patch().purpose {
                Purpose::Write { provided } => provided,
                other => panic!("{other:?} writes nothing else"),
            },
        }
    }
}

/// A change as JSON and YAML print it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PrintedChange<'a> {
    action: Action,
    target: &'a Target,
    subresource: Option<&'static str>,
    body: Value,
    before: &'a Value,
    preconditions: Preconditions,
    #[serde(flatten)]
    concern: &'a Concern,
    after: Option<usize>,
    danger: Danger,
    why: &'a str,
}

impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let before = match &self.operation {
            Operation::Patch(patch) => &patch.before,
            _ => &Value::Null,
        };
        let printed = PrintedChange {
            action: self.action(),
            target: &self.target,
            subresource: self.subresource(),
            body: self.body(),
            before,
            preconditions: self.preconditions(),
            concern: &self.concern,
            after: self.after,
            danger: self.danger,
            why: &self.why,
        };
        printed.serialize(serializer)
    }
}

/// The object a change is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) kind: ObjectKind,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) uid: Option<String>,
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut target = serializer.serialize_struct("Target", 5)?;
        target.serialize_field("apiVersion", self.kind.api_version())?;
        target.serialize_field("kind", &self.kind)?;
        target.serialize_field("namespace", &self.namespace)?;
        target.serialize_field("name", &self.name)?;
        target.serialize_field("uid", &self.uid)?;
        target.end()
    }
}

impl Target {
    /// An object outside any namespace.
    fn of_cluster(kind: ObjectKind, name: &str, uid: Option<&String>) -> Self {
        Self {
            kind,
            namespace: None,
            name: name.to_owned(),
            uid: uid.cloned(),
        }
    }

    fn in_namespace(kind: ObjectKind, namespace: &str, name: &str, uid: Option<&String>) -> Self {
        let namespace = Some(namespace.to_owned());
        Self {
            namespace,
            ..Self::of_cluster(kind, name, uid)
        }
    }

    pub(crate) fn volume(name: &str, uid: Option<&String>) -> Self {
        Self::of_cluster(ObjectKind::PersistentVolume, name, uid)
    }

    pub(crate) fn claim(key: &ObjectKey, uid: Option<&String>) -> Self {
        let kind = ObjectKind::PersistentVolumeClaim;
        Self::in_namespace(kind, &key.namespace, &key.name, uid)
    }

    pub(crate) fn event(namespace: &str, name: &str) -> Self {
        Self::in_namespace(ObjectKind::Event, namespace, name, None)
    }

    pub(crate) fn pod(key: &ObjectKey, uid: Option<&String>) -> Self {
        Self::in_namespace(ObjectKind::Pod, &key.namespace, &key.name, uid)
    }

    /// A pod of that name in any namespace.
    pub(crate) fn pod_anywhere(name: &str) -> Self {
        Self::of_cluster(ObjectKind::Pod, name, None)
    }

    pub(crate) fn attachment(name: &str, uid: Option<&String>) -> Self {
        Self::of_cluster(ObjectKind::VolumeAttachment, name, uid)
    }

    pub(crate) fn volume_set(name: &str, uid: Option<&String>) -> Self {
        Self::of_cluster(ObjectKind::PersistentVolumeSet, name, uid)
    }

    pub(crate) fn lease(namespace: &str, name: &str, uid: Option<&String>) -> Self {
        Self::in_namespace(ObjectKind::Lease, namespace, name, uid)
    }

    pub(crate) fn asset(name: &str) -> Self {
        Self::of_cluster(ObjectKind::Asset, name, None)
    }

    /// As people write it: `pvc/prod/data`, `pv/pv-a`.
    pub(crate) fn spelled(&self) -> String {
        // What was selected is no object.
        if self.name.is_empty() {
            return "selection".to_owned();
        }
        let kind = self.kind.short_name();
        match &self.namespace {
            Some(namespace) => format!("{kind}/{namespace}/{}", self.name),
            None => format!("{kind}/{}", self.name),
        }
    }
}

/// What must still hold when the request arrives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Preconditions {
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
}

/// An object that is skipped, and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Skipped {
    pub(crate) target: Target,
    pub(crate) refusal: Refusal,
    /// The refusal in words, with what to do about it.
    pub(crate) message: Sentence,
}

impl Skipped {
    pub(crate) fn new(target: Target, refusal: Refusal) -> Self {
        Self {
            message: refusal.told(),
            target,
            refusal,
        }
    }

    pub(crate) fn code(&self) -> Code {
        self.refusal.code()
    }

    /// Whether it is a claim that is bound as it was wanted.
    pub(crate) fn is_bound_as_wanted(&self) -> bool {
        self.code() == Code::AlreadyBound && self.standing() == Standing::Fine
    }

    pub(crate) fn standing(&self) -> Standing {
        self.refusal.standing
    }
}

impl Serialize for Skipped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut skipped = serializer.serialize_struct("Skipped", 3)?;
        skipped.serialize_field("target", &self.target)?;
        skipped.serialize_field("code", &self.code())?;
        skipped.serialize_field("message", &self.message)?;
        skipped.end()
    }
}

/// What to read before agreeing to a plan. It changes neither the plan nor the exit status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Warning {
    pub(crate) code: Code,
    pub(crate) message: String,
    /// The object it is about, if it is about one.
    pub(crate) target: Option<Target>,
}
