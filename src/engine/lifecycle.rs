//! What becomes of a volume, and of its data, when its claim goes (R76–R80).

use crate::conventions::annotations;
use crate::conventions::class_name::{HOST_PATH, IN_TREE_PREFIX, NFS, migrated_driver};
use crate::model::{ClaimRef, ClusterState, ReclaimPolicy, Volume};

/// What becomes of a volume when its claim goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// In one word.
    pub result: FateResult,
    /// Who does it: a provisioner's name, `controller`, or nobody.
    pub by: Option<String>,
    /// Why, as a clause; for `Failed` the message Kubernetes gives.
    pub why: String,
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
}

fn fate(result: FateResult, by: Option<&str>, why: impl Into<String>) -> Fate {
    Fate {
        result,
        by: by.map(str::to_owned),
        why: why.into(),
    }
}

/// Upstream: pv_controller.go, reclaimVolume.
pub fn on_release(volume: &Volume) -> Fate {
    // The controller writes the annotation from the name of the maker before it looks at anything else (R70).
    let by_name = volume.provisioned_by().and_then(migrated_driver);
    if let Some(driver) = volume
        .annotations
        .get(annotations::MIGRATED_TO)
        .map(String::as_str)
        .or(by_name)
    {
        return fate(
            FateResult::LeftToProvisioner,
            Some(driver),
            "the CSI driver that took the volume over decides",
        );
    }
    match &volume.reclaim_policy {
        ReclaimPolicy::Retain => fate(
            FateResult::Retained,
            None,
            "policy Retain: the volume stays Released, data and all, until somebody acts",
        ),
        ReclaimPolicy::Recycle => on_recycle(volume),
        ReclaimPolicy::Delete => on_delete(volume),
        ReclaimPolicy::Other(_) => fate(
            FateResult::Failed,
            Some("controller"),
            "Volume has unrecognized PersistentVolumeReclaimPolicy",
        ),
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
        "hostPath" | "nfs" => fate(
            FateResult::Recycled,
            Some("controller"),
            "policy Recycle: everything in it is removed, then it is Available",
        ),
        _ => fate(
            FateResult::Failed,
            Some("controller"),
            "No recycler plugin found for the volume!",
        ),
    }
}

/// Upstream: pv_controller.go, findDeletablePlugin.
fn on_delete(volume: &Volume) -> Fate {
    match volume.provisioned_by() {
        Some(HOST_PATH) => on_host_path_delete(volume),
        Some(NFS) => fate(
            FateResult::Failed,
            Some("controller"),
            "no deletable volume plugin matched",
        ),
        Some(name) if name.starts_with(IN_TREE_PREFIX) => fate(
            FateResult::Failed,
            Some("controller"),
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

fn on_host_path_delete(volume: &Volume) -> Fate {
    let path = volume.source.location.as_deref().unwrap_or("");
    if volume.source.field == "hostPath" && path.len() > "/tmp/".len() && path.starts_with("/tmp/")
    {
        return fate(
            FateResult::Deleted,
            Some("controller"),
            "policy Delete: the controller removes the directory",
        );
    }
    let why = format!("host_path deleter only supports /tmp/.+ but received provided {path}");
    fate(FateResult::Failed, Some("controller"), why)
}

fn no_deleter(volume: &Volume, detail: &str) -> Fate {
    let why = format!(
        "error getting deleter volume plugin for volume \"{}\": {detail}",
        volume.name
    );
    fate(FateResult::Failed, Some("controller"), why)
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
    fn a_migrated_volume_is_left_to_its_driver() {
        let migrated = volume("v")
            .with_policy(ReclaimPolicy::Recycle)
            .annotated(annotations::MIGRATED_TO, "ebs.csi.aws.com");
        assert_eq!(on_release(&migrated).by.as_deref(), Some("ebs.csi.aws.com"));
    }
}
