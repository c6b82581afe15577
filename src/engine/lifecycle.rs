//! What becomes of a volume, and of its data, when its claim goes (R76–R80).

use crate::conventions::annotations;
use crate::conventions::class_name::{HOST_PATH, IN_TREE_PREFIX, NFS, migrated_driver};
use crate::model::{ClaimRef, ClusterState, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{Removal, Says};

/// Who does what Kubernetes does by itself.
const CONTROLLER: &str = "controller";

/// The reason of the event when a volume cannot be deleted.
const FAILED_DELETE: &str = "VolumeFailedDelete";

/// What becomes of a volume when its claim goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// In one word.
    pub result: FateResult,
    /// Who does it: a provisioner's name, `controller`, or nobody.
    pub by: Option<String>,
    /// Why, as a clause; for `Failed` the message Kubernetes gives, which is also its `status.message`.
    pub why: String,
    /// What the controller says of it on the volume.
    pub says: Vec<Says>,
}

/// What becomes of a volume, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the names say it; they are those of the contract"
)]
pub enum FateResult {
    Retained,
    Deleted,
    Recycled,
    Failed,
    LeftToProvisioner,
}

impl FateResult {
    /// The word of the contract.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retained => "Retained",
            Self::Deleted => "Deleted",
            Self::Recycled => "Recycled",
            Self::Failed => "Failed",
            Self::LeftToProvisioner => "LeftToProvisioner",
        }
    }

    /// The phase the controller leaves the volume in; none where the volume itself goes.
    pub fn phase(self) -> Option<VolumePhase> {
        match self {
            Self::Retained | Self::LeftToProvisioner => Some(VolumePhase::Released),
            Self::Recycled => Some(VolumePhase::Available),
            Self::Failed => Some(VolumePhase::Failed),
            Self::Deleted => None,
        }
    }
}

fn fate(result: FateResult, by: Option<&str>, why: impl Into<String>) -> Fate {
    Fate {
        result,
        by: by.map(str::to_owned),
        why: why.into(),
        says: vec![],
    }
}

/// The controller tries, cannot, and says so in an event and in the status.
fn failed(reason: &str, message: impl Into<String>) -> Fate {
    let message = message.into();
    Fate {
        says: vec![Says::new("Warning", reason, message.clone())],
        ..fate(FateResult::Failed, Some(CONTROLLER), message)
    }
}

/// Upstream: pv_controller.go, reclaimVolume.
pub fn on_release(volume: &Volume) -> Fate {
    // Whoever took it over, Retain keeps it.
    if volume.reclaim_policy == ReclaimPolicy::Retain {
        return fate(
            FateResult::Retained,
            None,
            "policy Retain: the volume stays Released, data and all, until somebody acts",
        );
    }
    if let Some(driver) = find_migrated_driver(volume) {
        let why = match volume.reclaim_policy {
            ReclaimPolicy::Delete => {
                "policy Delete: the CSI driver that took the volume over destroys the data"
            }
            _ => "the CSI driver that took the volume over decides, and drivers only delete",
        };
        return fate(FateResult::LeftToProvisioner, Some(driver), why);
    }
    match &volume.reclaim_policy {
        ReclaimPolicy::Recycle => on_recycle(volume),
        ReclaimPolicy::Delete => on_delete(volume),
        ReclaimPolicy::Retain | ReclaimPolicy::Other(_) => failed(
            "VolumeUnknownReclaimPolicy",
            "Volume has unrecognized PersistentVolumeReclaimPolicy",
        ),
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
    Some(match (fate.result, waits_for_deletion) {
        (FateResult::Failed, true) => Removal::ObjectStays { why: fate.why },
        (FateResult::Failed, false) => Removal::DataStays,
        (FateResult::Deleted | FateResult::LeftToProvisioner, true) => Removal::DataDeleted {
            by: fate.by.unwrap_or_else(|| "its CSI driver".to_owned()),
        },
        _ => Removal::DataMayStay,
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

fn on_recycle(volume: &Volume) -> Fate {
    match volume.source.field.as_str() {
        "hostPath" | "nfs" => Fate {
            says: vec![Says::new("Normal", "VolumeRecycled", "Volume recycled")],
            ..fate(
                FateResult::Recycled,
                Some(CONTROLLER),
                "policy Recycle: everything in it is removed, then it is Available",
            )
        },
        _ => failed(
            "VolumeFailedRecycle",
            "No recycler plugin found for the volume!",
        ),
    }
}

/// Upstream: pv_controller.go, findDeletablePlugin.
fn on_delete(volume: &Volume) -> Fate {
    match volume.provisioned_by() {
        Some(HOST_PATH) => on_host_path_delete(volume),
        Some(NFS) => failed(FAILED_DELETE, "no deletable volume plugin matched"),
        Some(name) if name.starts_with(IN_TREE_PREFIX) => failed(
            FAILED_DELETE,
            format!("no volume plugin matched name: {name}"),
        ),
        Some(name) => fate(
            FateResult::LeftToProvisioner,
            Some(name),
            "policy Delete: its provisioner destroys the data",
        ),
        None => match volume.source.field.as_str() {
            "csi" => fate(
                FateResult::LeftToProvisioner,
                volume.source.driver.as_deref(),
                "policy Delete: its CSI driver destroys the data",
            ),
            "hostPath" => on_host_path_delete(volume),
            "nfs" => no_deleter(volume, "no deletable volume plugin matched"),
            _ => no_deleter(volume, "no volume plugin matched"),
        },
    }
}

/// Upstream: pkg/volume/hostpath/host_path.go, newDeleter and Delete.
fn on_host_path_delete(volume: &Volume) -> Fate {
    if volume.source.field != "hostPath" {
        let message = format!(
            "failed to create deleter for volume \"{}\": spec.PersistentVolumeSource.HostPath is nil",
            volume.name
        );
        return failed(FAILED_DELETE, message);
    }
    let path = volume.source.location.as_deref().unwrap_or("");
    if is_deletable_path(path) {
        return fate(
            FateResult::Deleted,
            Some(CONTROLLER),
            "policy Delete: the controller removes the directory",
        );
    }
    let message = format!("host_path deleter only supports /tmp/.+ but received provided {path}");
    failed(FAILED_DELETE, message)
}

/// Upstream's pattern `/tmp/.+` is not tied to the beginning: `/var/tmp/x` is deleted as well.
fn is_deletable_path(path: &str) -> bool {
    path.match_indices("/tmp/").any(|(at, found)| {
        let rest = &path[at + found.len()..];
        !rest.is_empty() && !rest.starts_with('\n')
    })
}

fn no_deleter(volume: &Volume, detail: &str) -> Fate {
    let message = format!(
        "error getting deleter volume plugin for volume \"{}\": {detail}",
        volume.name
    );
    failed(FAILED_DELETE, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::volume;

    fn fate_of(
        policy: ReclaimPolicy,
        field: &str,
        location: &str,
        made_by: Option<&str>,
    ) -> (FateResult, Option<String>) {
        let mut volume = volume("v").with_policy(policy).stored_on(field, location);
        if let Some(name) = made_by {
            volume = volume.annotated(annotations::PROVISIONED_BY, name);
        }
        let fate = on_release(&volume);
        (fate.result, fate.by)
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
            on_release(&volume("v").with_policy(policy).annotated(key, value)).by
        };
        let driver = Some("ebs.csi.aws.com".to_owned());
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
        let by = "controller".to_owned();
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
        assert_eq!(on_release(&stale).by.as_deref(), Some("example.com/x"));
    }
}
