//! Every annotation, label and finalizer key we read or write: who sets it, and what its absence means.
//! Presence counts, never the value, except where a value is named (R5).

/// On a claim, by the controller: the bind was finished once. Absent: never bound.
pub const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// On a claim or volume, by the controller: it, not a person, wrote `volumeName` or `claimRef`.
pub const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// On a claim, by the scheduler: the node to provision for. Absent: no node was chosen.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// On a claim, by the controller: the external provisioner that is to act.
pub const STORAGE_PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";
/// The beta spelling of [`STORAGE_PROVISIONER`]; both are written, the GA one is read first.
pub const BETA_STORAGE_PROVISIONER: &str = "volume.beta.kubernetes.io/storage-provisioner";
/// On a volume, by its provisioner: who made it and will delete it. Absent: made by hand.
pub const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// On claims and volumes, by the controller: the CSI driver that took over an in-tree name.
pub const MIGRATED_TO: &str = "pv.kubernetes.io/migrated-to";
/// On claims and volumes, by people: the class, before the field existed. It still wins over the field (R11).
pub const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// On volumes, in the days of Kubernetes 1.4; means nothing today (R5), skips the volume under rules v1.4.
pub const ALPHA_CLASS: &str = "volume.alpha.kubernetes.io/storage-class";
/// On a volume while a file system grows: the capacity its claim still shows.
pub const PRE_RESIZE_CAPACITY: &str = "volume.alpha.kubernetes.io/pre-resize-capacity";
/// On a class, by an administrator: `true` makes it the default (R16).
pub const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";
/// The beta spelling of [`DEFAULT_CLASS`], equal in force.
pub const BETA_DEFAULT_CLASS: &str = "storageclass.beta.kubernetes.io/is-default-class";
/// On anything, by `kubectl apply`: the manifest as it was applied. Tells a default class from a chosen one.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// On a class: the provisioning options it allows, a JSON list (seed 003).
pub const ALLOWED_OPTIONS: &str = "volume.alpha.kubernetes.io/allowed-provisioning-options";
/// On a claim: the ConfigMap with its provisioning options (seed 003).
pub const OPTIONS: &str = "volume.alpha.kubernetes.io/provisioning-options";
/// On a volume or claim, by people: `cleanup` and `reclaim --all-released` leave it alone.
pub const KEEP: &str = "kubectl-pv.dev/keep";
/// The reclaim policy that a volume had when `--save` saved it.
pub const SAVED_POLICY: &str = "kubectl-pv.dev/saved-policy";
/// On a volume, by `kubectl pv` while it empties it: the policy it had, which is put back when it is empty, the
/// version of the volume it was written from, and the run that wrote it, `Recycle/7/0123456789abcdef`. With it, policy
/// Retain is our lock and nobody's wish. Absent: nobody here is at it.
pub const RECYCLING: &str = "kubectl-pv.dev/recycling";
/// On a volume, by `kubectl pv`, beside that: the uid of the pod that may empty it. No other pod of ours is let go.
pub const RECYCLER_POD: &str = "kubectl-pv.dev/recycler-pod";
/// On a recycler pod of ours: the uid of the volume it empties.
pub const RECYCLED_VOLUME: &str = "kubectl-pv.dev/volume-uid";
/// On a recycler pod of ours: the uid of the claim whose data it deletes.
pub const RECYCLED_OWNER: &str = "kubectl-pv.dev/claim-uid";
/// The scheduling gate of a recycler pod of ours: it stays until the volume names the pod ([`RECYCLER_POD`]).
pub const RECYCLER_GATE: &str = "kubectl-pv.dev/volume-locked";

/// On a node, by the kubelet: its host name; on a volume of one node, the same. What ties volumes to nodes asks for it.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// On a CSINode, by the kubelet: the in-tree names it leaves to CSI drivers, separated by commas.
pub const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";

/// Holds a deleted claim while a pod uses it (R122).
pub const CLAIM_PROTECTION: &str = "kubernetes.io/pvc-protection";
/// Holds a deleted volume while it is Bound (R123).
pub const VOLUME_PROTECTION: &str = "kubernetes.io/pv-protection";

/// Holds a deleted volume that the controller itself made, until it has deleted its storage (R123).
pub const CONTROLLER_DELETION: &str = "kubernetes.io/pv-controller";
/// Holds a deleted volume until its external provisioner has deleted its storage (R99).
pub const PROVISIONER_DELETION: &str = "external-provisioner.volume.kubernetes.io/finalizer";
/// Holds a deleted volume, with a driver's name behind it, until nothing attaches it any more; by the external-attacher.
pub const ATTACHER_PREFIX: &str = "external-attacher/";
/// Holds a volume that `kubectl pv` deletes, until its storage is deleted.
pub const OWN_DELETION: &str = "kubectl-pv.dev/asset";
/// On volumes that one run of `kubectl pv` made: nobody watches for more claims of their provisioner because of them.
pub const MADE_ONCE: &str = "kubectl-pv.dev/made-once";
/// On volumes that `set reconcile` made, by it: the uid of their set. Absent: made otherwise, and no less a member.
pub const SET_UID: &str = "kubectl-pv.dev/set-uid";
/// On the same: which member of its set it is.
pub const SET_ORDINAL: &str = "kubectl-pv.dev/set-ordinal";
/// Who `kubectl pv` says it is in its events, whichever provisioner it acts for.
pub const OWN_COMPONENT: &str = "kubectl-pv";

/// Volumes are many: only these of their annotations are kept in the model.
pub const KEPT_ON_VOLUMES: [&str; 13] = [
    BOUND_BY_CONTROLLER,
    PROVISIONED_BY,
    MIGRATED_TO,
    BETA_CLASS,
    ALPHA_CLASS,
    PRE_RESIZE_CAPACITY,
    KEEP,
    MADE_ONCE,
    RECYCLING,
    RECYCLER_POD,
    STORAGE_PROVISIONER,
    SET_UID,
    SET_ORDINAL,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Objects in clusters carry these keys: a new spelling does not find them.
    #[test]
    fn keys_never_change() {
        for (key, spelled) in [
            (BIND_COMPLETED, "pv.kubernetes.io/bind-completed"),
            (BOUND_BY_CONTROLLER, "pv.kubernetes.io/bound-by-controller"),
            (SELECTED_NODE, "volume.kubernetes.io/selected-node"),
            (
                STORAGE_PROVISIONER,
                "volume.kubernetes.io/storage-provisioner",
            ),
            (
                BETA_STORAGE_PROVISIONER,
                "volume.beta.kubernetes.io/storage-provisioner",
            ),
            (PROVISIONED_BY, "pv.kubernetes.io/provisioned-by"),
            (MIGRATED_TO, "pv.kubernetes.io/migrated-to"),
            (BETA_CLASS, "volume.beta.kubernetes.io/storage-class"),
            (ALPHA_CLASS, "volume.alpha.kubernetes.io/storage-class"),
            (
                PRE_RESIZE_CAPACITY,
                "volume.alpha.kubernetes.io/pre-resize-capacity",
            ),
            (DEFAULT_CLASS, "storageclass.kubernetes.io/is-default-class"),
            (
                BETA_DEFAULT_CLASS,
                "storageclass.beta.kubernetes.io/is-default-class",
            ),
            (
                LAST_APPLIED,
                "kubectl.kubernetes.io/last-applied-configuration",
            ),
            (
                ALLOWED_OPTIONS,
                "volume.alpha.kubernetes.io/allowed-provisioning-options",
            ),
            (OPTIONS, "volume.alpha.kubernetes.io/provisioning-options"),
            (KEEP, "kubectl-pv.dev/keep"),
            (RECYCLING, "kubectl-pv.dev/recycling"),
            (RECYCLER_POD, "kubectl-pv.dev/recycler-pod"),
            (RECYCLED_VOLUME, "kubectl-pv.dev/volume-uid"),
            (RECYCLED_OWNER, "kubectl-pv.dev/claim-uid"),
            (RECYCLER_GATE, "kubectl-pv.dev/volume-locked"),
            (HOSTNAME, "kubernetes.io/hostname"),
            (
                MIGRATED_PLUGINS,
                "storage.alpha.kubernetes.io/migrated-plugins",
            ),
            (CLAIM_PROTECTION, "kubernetes.io/pvc-protection"),
            (VOLUME_PROTECTION, "kubernetes.io/pv-protection"),
            (CONTROLLER_DELETION, "kubernetes.io/pv-controller"),
            (
                PROVISIONER_DELETION,
                "external-provisioner.volume.kubernetes.io/finalizer",
            ),
            (ATTACHER_PREFIX, "external-attacher/"),
            (OWN_DELETION, "kubectl-pv.dev/asset"),
            (MADE_ONCE, "kubectl-pv.dev/made-once"),
            (SET_UID, "kubectl-pv.dev/set-uid"),
            (SET_ORDINAL, "kubectl-pv.dev/set-ordinal"),
            (OWN_COMPONENT, "kubectl-pv"),
        ] {
            assert_eq!(key, spelled);
        }
    }
}
