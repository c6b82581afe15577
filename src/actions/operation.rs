//! What a change does, each variant with what carrying it out needs. What a plan prints of it is made from the same values.

use super::asset_work::AssetWork;
use super::plan::Target;
use super::recheck::Recheck;
use serde::Serialize;
use serde_json::{Value, json};

/// What a change does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Operation {
    Create(Creation),
    Patch(Patch),
    Delete(Deletion),
    /// An event is written. The end can be reached without it.
    Event(Value),
    Asset(AssetStep),
    Wait(Wait),
    Recheck(Recheck),
}

/// The word for an operation in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Action {
    Create,
    Patch,
    Delete,
    CreateAsset,
    DeleteAsset,
    ScrubAsset,
    Event,
    Wait,
}

impl Operation {
    pub(crate) fn action(&self) -> Action {
        match self {
            Self::Create(_) => Action::Create,
            Self::Patch(_) => Action::Patch,
            Self::Delete(_) => Action::Delete,
            Self::Event(_) => Action::Event,
            Self::Asset(step) => match step.work {
                AssetWork::Create { .. } => Action::CreateAsset,
                AssetWork::Scrub { .. } => Action::ScrubAsset,
                AssetWork::Delete { .. }
                | AssetWork::DeleteEmpty { .. }
                | AssetWork::DeleteLeaked { .. }
                | AssetWork::RollBack(_) => Action::DeleteAsset,
            },
            Self::Wait(_) | Self::Recheck(_) => Action::Wait,
        }
    }

    /// As the plan prints it.
    pub(super) fn body(&self, target: &Target) -> Value {
        let uid = target.uid.as_deref();
        match self {
            Self::Create(creation) => creation.object.clone(),
            Self::Patch(patch) => patch.body.clone(),
            Self::Event(event) => event.clone(),
            Self::Delete(deletion) => deletion.options(uid, deletion.version()),
            Self::Asset(step) => step.shown.clone(),
            Self::Wait(wait) => wait.spelled(uid),
            Self::Recheck(recheck) => recheck.spelled(),
        }
    }

    /// The earlier changes whose results it needs.
    pub(crate) fn bases(&self) -> Vec<usize> {
        let of_fills = |fills: &[Fill]| fills.iter().map(|fill| fill.change).collect();
        match self {
            Self::Create(creation) => of_fills(&creation.fills),
            Self::Patch(patch) => {
                let mut bases: Vec<usize> = of_fills(&patch.fills);
                if let Purpose::OpenGate { locked, .. } = &patch.purpose {
                    bases.extend(locked);
                }
                bases
            }
            Self::Asset(step) => step.source_of.into_iter().collect(),
            Self::Delete(_) | Self::Event(_) | Self::Wait(_) | Self::Recheck(_) => vec![],
        }
    }
}

/// An object that is created under a fixed name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Creation {
    pub(crate) object: Value,
    pub(crate) fills: Vec<Fill>,
}

/// A merge patch (RFC 7386), guarded by uid and version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Patch {
    pub(crate) part: Part,
    pub(crate) body: Value,
    /// The values that it replaces, in the shape of its body.
    pub(crate) before: Value,
    /// The version that was read; absent where an earlier change writes the version.
    pub(crate) version: Option<String>,
    pub(crate) fills: Vec<Fill>,
    pub(crate) purpose: Purpose,
}

impl Patch {
    pub(super) fn new(part: Part, body: Value, purpose: Purpose) -> Self {
        Self {
            part,
            body,
            before: Value::Null,
            version: None,
            fills: vec![],
            purpose,
        }
    }

    /// Writes fields of an object.
    pub(super) fn object(body: Value) -> Self {
        Self::provided(Part::Object, body, vec![])
    }

    /// Writes fields, and counts as made by another run only if the object has these values besides.
    pub(super) fn provided(part: Part, body: Value, provided: Vec<Provided>) -> Self {
        Self::new(part, body, Purpose::Write { provided })
    }
}

/// Which part of an object is patched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Object,
    Status,
}

impl Part {
    /// As in URLs.
    pub(crate) fn subresource(self) -> Option<&'static str> {
        match self {
            Self::Object => None,
            Self::Status => Some("status"),
        }
    }
}

/// A place of an object, as a JSON pointer, and its value.
pub(crate) type Provided = (&'static str, Value);

/// What a patch is for, as far as that matters when it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Purpose {
    Write {
        /// What the object must say besides, for the patch to count as made by another run.
        provided: Vec<Provided>,
    },
    /// Removes our finalizer from an object that is being deleted. After a conflict it is sent again, without a plan; an object
    /// that does not exist any more is as good.
    RemoveLock,
    /// Opens the gate of this pod, which must mount the source of the volume that the change `locked` answers with.
    OpenGate { pod: Value, locked: Option<usize> },
    /// States how a set stands once these errands are done: it is made only if all of them were carried out.
    SumUp { errands: Vec<usize> },
}

/// The deletion of an object, guarded by its uid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Deletion {
    /// In the version that was read, or that an earlier change has written.
    Object {
        version: Option<String>,
        /// What an object that exists must say, for the deletion to count as made by another run. Where anything is
        /// provided, an object that does not exist was deleted by another component.
        provided: Vec<Provided>,
    },
    /// A recycler pod of the controller that has no node: one that got a node meanwhile runs on.
    IdlePod,
    /// A recycler pod of ours: one that does not exist any more is as good.
    OwnPod,
}

impl Deletion {
    pub(crate) fn version(&self) -> Option<&str> {
        match self {
            Self::Object { version, .. } => version.as_deref(),
            Self::IdlePod | Self::OwnPod => None,
        }
    }

    /// The request's body.
    pub(crate) fn options(&self, uid: Option<&str>, version: Option<&str>) -> Value {
        let preconditions = match self {
            Self::Object { .. } | Self::IdlePod => {
                json!({ "uid": uid, "resourceVersion": version })
            }
            Self::OwnPod => json!({ "uid": uid }),
        };
        json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions })
    }
}

/// Something that is done to an asset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssetStep {
    pub(crate) work: AssetWork,
    /// What the plan prints of it: no secrets.
    pub(crate) shown: Value,
    /// The change whose answer tells where the asset is.
    pub(crate) source_of: Option<usize>,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wait {
    ClaimIsBound { provisioner: String },
    PodHasEnded,
    PodIsGone,
}

impl Wait {
    /// For the plan.
    pub(super) fn spelled(&self, uid: Option<&str>) -> Value {
        match self {
            Self::ClaimIsBound { provisioner } => {
                json!({ "until": { "status": { "phase": "Bound" } }, "provisioner": provisioner })
            }
            Self::PodHasEnded => json!({ "until": "it has ended", "uid": uid }),
            Self::PodIsGone => json!({ "until": "it is gone", "uid": uid }),
        }
    }
}

/// A place in a body, and the earlier change whose result goes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fill {
    /// A JSON pointer.
    pub(crate) place: &'static str,
    pub(crate) change: usize,
    pub(crate) with: FillWith,
}

/// What of the result of an earlier change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FillWith {
    Version,
    Uid,
    /// Source, capacity and labels of the asset that was made: they belong to the whole volume.
    Asset,
    /// The capacity of the asset that was made.
    Capacity,
}
