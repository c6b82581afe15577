//! Who reclaims a released volume besides this program, or why nobody does: asked when a volume is explained and when one is
//! to be reclaimed, so that both say the same (R78–R80).

use super::foreign_messages::is_failed_deletion;
use super::lifecycle::{find_migrated_driver, on_release};
use crate::conventions::class_name::{HOST_PATH, IN_TREE_PREFIX, NFS};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Event, Kind, ReclaimPolicy, VOLUME, Volume};
use crate::report::{
    DeleterPresence, FateResult, NoDeleter, NoRecycler, ReclaimFailure, VolumeCause,
};

/// What becomes of a volume that nobody owns any more, if it is left to the cluster.
pub(crate) fn left_to_cluster(state: &ClusterState, volume: &Volume) -> VolumeCause {
    match on_release(volume).result() {
        FateResult::Retained => VolumeCause::PolicyRetain,
        FateResult::Deleted => VolumeCause::LeftToController { empties: false },
        FateResult::Recycled => VolumeCause::LeftToController { empties: true },
        FateResult::Failed => will_fail(volume).unwrap_or(VolumeCause::PolicyRetain),
        FateResult::LeftToProvisioner if volume.reclaim_policy == ReclaimPolicy::Delete => {
            foreign_deleter(state, volume)
        }
        FateResult::LeftToProvisioner => VolumeCause::NoRecycler {
            why: NoRecycler::CsiDriver,
        },
    }
}

/// The provisioner that answers for the volume, if one does.
pub(crate) fn find_deleter(volume: &Volume) -> Option<&str> {
    find_migrated_driver(volume)
        .or_else(|| volume.provisioned_by())
        .or(volume.source.driver.as_deref())
}

fn foreign_deleter(state: &ClusterState, volume: &Volume) -> VolumeCause {
    let by = find_deleter(volume).unwrap_or("its CSI driver").to_owned();
    if volume.is_unwatched() {
        let why = NoDeleter::Unwatched { by };
        return VolumeCause::NoDeleter { why };
    }
    VolumeCause::ForeignDeleter {
        presence: presence_of(state, &by),
        said: last_failure(state, volume).map(|event| event.message.clone()),
        by,
    }
}

/// Whether a provisioner is there now. Volumes it made prove only that it once was, and events are written by anyone who has
/// rights in their namespace.
fn presence_of(state: &ClusterState, name: &str) -> DeleterPresence {
    let objects = state.objects();
    let seen = objects.csi_drivers.iter().any(|driver| driver.name == name)
        || objects
            .csi_nodes
            .iter()
            .any(|node| node.drivers.iter().any(|driver| driver == name));
    let could_be_seen =
        state.saw(Kind::CsiDrivers, None) && state.saw(Kind::CsiNodes, None) && !name.contains('/');
    match (seen, could_be_seen) {
        (true, _) => DeleterPresence::Seen,
        (false, true) => DeleterPresence::NotSeen,
        (false, false) => DeleterPresence::Unknown,
    }
}

/// Why reclaiming it fails, in words people use (upstream's are in the event).
pub(crate) fn will_fail(volume: &Volume) -> Option<VolumeCause> {
    let field = volume.source.field.as_str();
    Some(match &volume.reclaim_policy {
        ReclaimPolicy::Retain => return None,
        ReclaimPolicy::Other(name) => VolumeCause::ReclaimFailed {
            why: ReclaimFailure::UnknownPolicy(name.clone()),
        },
        ReclaimPolicy::Recycle => VolumeCause::NoRecycler {
            why: NoRecycler::Source {
                field: field.to_owned(),
            },
        },
        ReclaimPolicy::Delete => VolumeCause::NoDeleter {
            why: nobody_deletes(volume, field),
        },
    })
}

fn nobody_deletes(volume: &Volume, field: &str) -> NoDeleter {
    let storage = field.to_owned();
    match (volume.provisioned_by(), field) {
        (Some(HOST_PATH) | None, "hostPath") => NoDeleter::PathNotAllowed {
            path: volume.source.location.clone(),
        },
        (Some(HOST_PATH), _) => NoDeleter::NotHostPath { field: storage },
        (Some(name), _) if name.starts_with(IN_TREE_PREFIX) && name != NFS => {
            NoDeleter::NotImplemented {
                name: name.to_owned(),
            }
        }
        _ => NoDeleter::NoProvisioner { field: storage },
    }
}

/// What the provisioner that is to delete the volume last reported against it.
pub(crate) fn last_failure<'a>(state: &'a ClusterState, volume: &Volume) -> Option<&'a Event> {
    let key = ObjectKey::new("", &*volume.name);
    let events = state.events_about(VOLUME, &key, volume.uid.as_deref());
    events
        .filter(|event| is_failed_deletion(event))
        .max_by_key(|event| event.last_seen)
}
