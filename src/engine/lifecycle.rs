//! What becomes of a volume, and of its data, when its claim goes (R76–R80).

use super::phases::{Phases, view};
use crate::conventions::annotations;
use crate::conventions::class_name::{HOST_PATH, IN_TREE_PREFIX, NFS, migrated_driver};
use crate::model::{ClaimRef, ClusterState, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{Fate, ReclaimError, Removal};

/// Upstream: pv_controller.go, reclaimVolume.
pub fn on_release(volume: &Volume) -> Fate {
    // Whoever took it over, Retain keeps it.
    if volume.reclaim_policy == ReclaimPolicy::Retain {
        return Fate::Retained;
    }
    if let Some(driver) = find_migrated_driver(volume) {
        return Fate::LeftToMigratedDriver {
            driver: driver.to_owned(),
            deletes: volume.reclaim_policy == ReclaimPolicy::Delete,
        };
    }
    match &volume.reclaim_policy {
        ReclaimPolicy::Recycle => on_recycle(volume),
        ReclaimPolicy::Delete => on_delete(volume),
        ReclaimPolicy::Retain | ReclaimPolicy::Other(_) => {
            Fate::Failed(ReclaimError::UnknownPolicy)
        }
    }
}

/// What happens to a bound volume that is being deleted, when its claim is deleted. Only its finalizers decide whether the object
/// waits for the deletion of its data; without them the protection controller lets it disappear at once.
///
/// Upstream: pv_protection_controller.go; pv_controller.go, deleteVolumeOperation; R81d.
pub fn find_removal(volume: &Volume) -> Option<Removal> {
    volume.deleted?;
    if volume.reclaim_policy == ReclaimPolicy::Retain {
        return Some(Removal::DataStays);
    }
    let fate = on_release(volume);
    let waits_for_deletion = volume.finalizers.iter().any(|finalizer| {
        [
            annotations::CONTROLLER_DELETION,
            annotations::PROVISIONER_DELETION,
        ]
        .contains(&finalizer.as_str())
    });
    Some(match (fate, waits_for_deletion) {
        (Fate::Failed(why), true) => Removal::ObjectStays { why },
        (Fate::Failed(_), false) => Removal::DataStays,
        (Fate::Recycled, _) | (_, false) => Removal::DataMayStay,
        (fate, true) => Removal::DataDeleted { by: fate.by() },
    })
}

/// The CSI driver that answers for the volume in place of an in-tree name.
///
/// Before it looks at anything else the controller writes the annotation from the name of the maker, or takes it away
/// (R70); it is left alone only where nobody is named as the maker.
pub(crate) fn find_migrated_driver(volume: &Volume) -> Option<&str> {
    match volume.annotations.get(annotations::PROVISIONED_BY) {
        Some(maker) => migrated_driver(maker),
        None => volume
            .annotations
            .get(annotations::MIGRATED_TO)
            .map(String::as_str)
            .filter(|driver| !driver.is_empty()),
    }
}

/// The pods that keep a released volume from being recycled: alive, and naming a claim that is gone (R79).
///
/// Deleting asks nobody; only recycling does.
pub fn recycling_waits_for(state: &ClusterState, volume: &Volume) -> Vec<String> {
    let Some(claim) = volume.claim_ref.as_ref().map(ClaimRef::key) else {
        return vec![];
    };
    if volume.reclaim_policy != ReclaimPolicy::Recycle || state.find_claim(&claim).is_some() {
        return vec![];
    }
    let pods = state
        .objects()
        .pods
        .iter()
        .filter(|pod| pod.uses(&claim) && !pod.is_terminated());
    pods.map(|pod| pod.key.to_string()).collect()
}

/// The phase that a volume settles in, with what the controller then tries: one that it cannot reclaim is Failed.
pub(crate) fn phase_in_the_end(state: &ClusterState, volume: &Volume) -> VolumePhase {
    let settled = view(state, volume, Phases::Settled).phase;
    let fails = settled == VolumePhase::Released
        && on_release(volume).fails()
        && recycling_waits_for(state, volume).is_empty();
    if fails { VolumePhase::Failed } else { settled }
}

fn on_recycle(volume: &Volume) -> Fate {
    match volume.source.field.as_str() {
        "hostPath" | "nfs" => Fate::Recycled,
        _ => Fate::Failed(ReclaimError::NoRecycler),
    }
}

/// Upstream: pv_controller.go, findDeletablePlugin.
fn on_delete(volume: &Volume) -> Fate {
    let no_deleter = |has_plugin: bool| {
        let volume = volume.name.clone();
        Fate::Failed(ReclaimError::NoDeleter { volume, has_plugin })
    };
    match volume.provisioned_by() {
        Some(HOST_PATH) => on_host_path_delete(volume),
        Some(NFS) => Fate::Failed(ReclaimError::NotDeletable),
        Some(name) if name.starts_with(IN_TREE_PREFIX) => {
            Fate::Failed(ReclaimError::NoPluginNamed(name.to_owned()))
        }
        Some(name) => Fate::LeftToProvisioner {
            name: name.to_owned(),
        },
        None => match volume.source.field.as_str() {
            "csi" => Fate::LeftToCsiDriver {
                driver: volume.source.driver.clone(),
            },
            "hostPath" => on_host_path_delete(volume),
            "nfs" => no_deleter(true),
            _ => no_deleter(false),
        },
    }
}

/// Upstream: pkg/volume/hostpath/host_path.go, newDeleter and Delete.
fn on_host_path_delete(volume: &Volume) -> Fate {
    let path = volume.source.location.as_deref().unwrap_or("");
    if volume.source.field != "hostPath" {
        let volume = volume.name.clone();
        Fate::Failed(ReclaimError::NotHostPath { volume })
    } else if is_deletable_path(path) {
        Fate::DirectoryRemoved
    } else {
        let path = path.to_owned();
        Fate::Failed(ReclaimError::PathNotAllowed { path })
    }
}

/// Upstream's pattern `/tmp/.+` is not tied to the beginning: `/var/tmp/x` is deleted as well.
fn is_deletable_path(path: &str) -> bool {
    path.match_indices("/tmp/").any(|(at, found)| {
        let rest = &path[at + found.len()..];
        !rest.is_empty() && !rest.starts_with('\n')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{FateResult, Reclaimer};
    use crate::testing::volume;

    fn fate_of(
        policy: ReclaimPolicy,
        field: &str,
        location: &str,
        made_by: Option<&str>,
    ) -> (FateResult, Option<Reclaimer>) {
        let mut volume = volume("v").with_policy(policy).stored_on(field, location);
        if let Some(name) = made_by {
            volume = volume.annotated(annotations::PROVISIONED_BY, name);
        }
        let fate = on_release(&volume);
        (fate.result(), fate.by())
    }

    #[test]
    fn who_does_what_when_a_claim_goes() {
        use FateResult::{Deleted, Failed, LeftToProvisioner, Recycled, Retained};
        let of = |policy, field, location, made_by| fate_of(policy, field, location, made_by).0;
        assert_eq!(
            of(ReclaimPolicy::Retain, "csi", "x", Some("ebs.csi.aws.com")),
            Retained
        );
        assert_eq!(
            of(ReclaimPolicy::Delete, "csi", "x", None),
            LeftToProvisioner
        );
        assert_eq!(
            of(ReclaimPolicy::Delete, "nfs", "x", Some("example.com/nfs")),
            LeftToProvisioner
        );
        assert_eq!(
            of(
                ReclaimPolicy::Delete,
                "nfs",
                "x",
                Some("kubernetes.io/unheard-of")
            ),
            Failed
        );
        assert_eq!(
            of(ReclaimPolicy::Delete, "hostPath", "/tmp/x", None),
            Deleted
        );
        assert_eq!(of(ReclaimPolicy::Delete, "hostPath", "/tmp/", None), Failed);
        assert_eq!(
            of(ReclaimPolicy::Delete, "hostPath", "/var/tmp/x", None),
            Deleted
        );
        assert_eq!(
            of(
                ReclaimPolicy::Delete,
                "nfs",
                "/tmp/x",
                Some("kubernetes.io/host-path")
            ),
            Failed
        );
        assert_eq!(
            of(ReclaimPolicy::Delete, "hostPath", "/srv/x", None),
            Failed
        );
        assert_eq!(of(ReclaimPolicy::Delete, "nfs", "x", None), Failed);
        assert_eq!(of(ReclaimPolicy::Delete, "local", "x", None), Failed);
        assert_eq!(of(ReclaimPolicy::Recycle, "nfs", "x", None), Recycled);
        assert_eq!(of(ReclaimPolicy::Recycle, "iscsi", "x", None), Failed);
        assert_eq!(
            of(ReclaimPolicy::Other("Shred".to_owned()), "nfs", "x", None),
            Failed
        );
    }

    #[test]
    fn a_migrated_volume_is_left_to_its_driver_unless_it_is_retained() {
        let by = |policy: ReclaimPolicy, key: &str, value: &str| {
            on_release(&volume("v").with_policy(policy).annotated(key, value)).by()
        };
        let driver = Some(Reclaimer::Component("ebs.csi.aws.com".to_owned()));
        for policy in [ReclaimPolicy::Recycle, ReclaimPolicy::Delete] {
            let migrated_to = annotations::MIGRATED_TO;
            assert_eq!(by(policy.clone(), migrated_to, "ebs.csi.aws.com"), driver);
            let made_by = annotations::PROVISIONED_BY;
            assert_eq!(by(policy, made_by, "kubernetes.io/aws-ebs"), driver);
        }
        assert_eq!(
            by(
                ReclaimPolicy::Retain,
                annotations::PROVISIONED_BY,
                "kubernetes.io/aws-ebs"
            ),
            None
        );
    }

    #[test]
    fn a_bound_volume_that_is_being_deleted_waits_only_for_its_finalizers() {
        let of = |policy: ReclaimPolicy, path: &str, finalizers: &[&str]| {
            let mut volume = volume("v").with_policy(policy).stored_on("hostPath", path);
            volume.finalizers = finalizers.iter().map(ToString::to_string).collect();
            assert_eq!(find_removal(&volume), None, "it is not being deleted");
            find_removal(&volume.deleted()).expect("an end")
        };
        let protected = annotations::VOLUME_PROTECTION;
        let waits = [protected, annotations::CONTROLLER_DELETION];
        let by = Some(Reclaimer::Controller);
        assert_eq!(
            of(ReclaimPolicy::Retain, "/tmp/x", &waits),
            Removal::DataStays
        );
        assert_eq!(
            of(ReclaimPolicy::Delete, "/tmp/x", &waits),
            Removal::DataDeleted { by }
        );
        assert_eq!(
            of(ReclaimPolicy::Delete, "/tmp/x", &[protected]),
            Removal::DataMayStay
        );
        assert_eq!(
            of(ReclaimPolicy::Delete, "/srv/x", &[protected]),
            Removal::DataStays
        );
        assert!(matches!(
            of(ReclaimPolicy::Delete, "/srv/x", &waits),
            Removal::ObjectStays { .. }
        ));
        assert_eq!(
            of(ReclaimPolicy::Recycle, "/srv/x", &[protected]),
            Removal::DataMayStay
        );
    }

    #[test]
    fn a_maker_who_did_not_move_outweighs_an_annotation_that_says_so() {
        let stale = volume("v")
            .with_policy(ReclaimPolicy::Delete)
            .annotated(annotations::MIGRATED_TO, "ebs.csi.aws.com")
            .annotated(annotations::PROVISIONED_BY, "example.com/x");
        let named = Reclaimer::Component("example.com/x".to_owned());
        assert_eq!(on_release(&stale).by(), Some(named));
    }
}
