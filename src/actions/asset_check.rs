//! Whether what a plan does to an asset can be done: asked while planning, and once more immediately before the first write of
//! the same object (`apply/readiness.rs`). An object is locked only if its asset can be deleted or emptied.

use super::backend_facts::{KnownBackend, StoragePlace};
use super::draft::Draft;
use super::inquiry::Inquiry;
use crate::conventions::quantity::Quantity;
use crate::engine::own_marks::is_locked;
use crate::engine::refusal::AssetEvidence;
use crate::engine::{OwnBackend, find_host};
use crate::model::asset::{AssetObstacle, AssetUse, Readiness};
use crate::model::{ClusterState, Host, Volume};
use crate::report::{Unknown, UnknownReason, UnknownSubject};

/// What is checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AssetCheck {
    pub(crate) provisioner: String,
    pub(crate) work: CheckedWork,
    /// Whether an asset that does not exist, and has no record, was deleted by an earlier run.
    pub(crate) may_be_gone: bool,
}

/// What is done, and to what.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CheckedWork {
    Create,
    Use(AssetUse, StoragePlace),
}

/// When it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// A base directory of another cluster ends the command afterwards, with a message of its own.
    Planning,
    BeforeWrite,
}

impl AssetCheck {
    pub(crate) fn creation(provisioner: &str) -> Self {
        Self {
            provisioner: provisioner.to_owned(),
            work: CheckedWork::Create,
            may_be_gone: false,
        }
    }

    /// The check of the asset behind a volume. One that our lock was written for, on its node, may be gone by now.
    pub(super) fn of_volume(
        state: &ClusterState,
        volume: &Volume,
        provisioner: &str,
        wanted: AssetUse,
        host: Option<&Host>,
    ) -> Self {
        Self {
            provisioner: provisioner.to_owned(),
            work: CheckedWork::Use(wanted, StoragePlace::of_volume(volume)),
            may_be_gone: is_locked(volume) && may_be_of_this_machine(state, volume, host),
        }
    }

    /// What an answer means for this plan.
    pub(crate) fn judge(&self, answer: &Readiness, when: When) -> Result<(), AssetEvidence> {
        let (obstacle, message) = match answer {
            Readiness::Ready { .. } => return Ok(()),
            Readiness::OfAnotherCluster { .. } if when == When::Planning => return Ok(()),
            Readiness::OfAnotherCluster { message } => (AssetObstacle::Missing, message.clone()),
            Readiness::Missing { is_recorded, .. }
                if self.is_deletion() && (*is_recorded || self.may_be_gone) =>
            {
                return Ok(());
            }
            Readiness::Missing { path, .. } => {
                let message = format!("{path} does not exist: is the disk mounted?");
                (AssetObstacle::Missing, message)
            }
            Readiness::Refused { obstacle, message } => (*obstacle, message.clone()),
        };
        Err(AssetEvidence { obstacle, message })
    }

    fn is_deletion(&self) -> bool {
        matches!(self.work, CheckedWork::Use(AssetUse::Delete, _))
    }
}

/// Whether our lock keeps a volume whose asset is gone; absent until the backend has answered. What a program has deleted only the
/// program knows.
pub(super) fn is_asset_gone(
    inquiry: &Inquiry<'_>,
    state: &ClusterState,
    volume: &Volume,
    own: Option<&OwnBackend>,
    host: Option<&Host>,
) -> Option<bool> {
    let backend = own.and_then(|own| inquiry.find(&own.provisioner));
    // On files nothing of this machine is read.
    let is_asked = host.is_some() && is_locked(volume);
    let Some(backend) = backend.filter(|it| it.keeps_records && is_asked) else {
        return Some(false);
    };
    let name = &backend.provisioner;
    let check = AssetCheck::of_volume(state, volume, name, AssetUse::Delete, host);
    let answer = inquiry.readiness(&check)?;
    let is_missing = matches!(answer, Readiness::Missing { .. });
    Some(is_missing && check.judge(answer, When::Planning).is_ok())
}

/// A machine that is not a Node cannot tell; only one that is another node is sure not to be meant.
fn may_be_of_this_machine(state: &ClusterState, volume: &Volume, host: Option<&Host>) -> bool {
    match (&volume.node_affinity, find_host(state, host)) {
        (Some(wanted), Some(here)) => wanted.matches_node(&here.labels, &here.name),
        _ => true,
    }
}

/// The text of that warning, if it is true.
pub(super) fn low_space(
    answer: &Readiness,
    backend: &KnownBackend,
    size: &Quantity,
) -> Option<String> {
    let Readiness::Ready { free: Some(free) } = answer else {
        return None;
    };
    let free = Quantity::from_bytes(i128::from(*free));
    (free < *size).then(|| {
        let base = backend.directory();
        format!("{base} has {free} free, and {size} is requested")
    })
}

/// The check, if nothing is in the way now; `None` until the backend has answered. On files nothing of this machine is read,
/// and the plan says so.
pub(super) fn check_asset(
    inquiry: &Inquiry<'_>,
    draft: &mut Draft,
    check: AssetCheck,
    is_live: bool,
) -> Option<Result<Option<AssetCheck>, AssetEvidence>> {
    let backend = inquiry.find(&check.provisioner);
    let Some(backend) = backend.filter(|backend| backend.keeps_records) else {
        return Some(Ok(None));
    };
    if !is_live {
        draft.note_unknowns([Unknown {
            what: UnknownSubject::Directory(backend.directory().to_owned()),
            why: UnknownReason::NotInInput,
            remedy: None,
        }]);
        return Some(Ok(None));
    }
    let answer = inquiry.readiness(&check)?;
    Some(check.judge(answer, When::Planning).map(|()| Some(check)))
}
