//! What "the class of" means: beta annotation, field, empty, unset (R11–R13); and which provisioner names moved to CSI (R3).

/// The class a claim or volume was given, as it was given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ClassName {
    /// The beta annotation, which wins even when it is empty.
    pub annotation: Option<String>,
    /// The field. `None` and empty differ on claims; on volumes the server knows no difference.
    pub field: Option<String>,
}

impl ClassName {
    /// The class that counts: the annotation, else the field, else none at all.
    pub fn resolved(&self) -> &str {
        self.annotation
            .as_deref()
            .or(self.field.as_deref())
            .unwrap_or("")
    }

    /// Whether anything was said about the class. An explicit `""` says "none, and no default" (R13).
    pub fn is_set(&self) -> bool {
        self.annotation.is_some() || self.field.is_some()
    }

    /// The field alone.
    pub fn from_field(field: Option<String>) -> Self {
        Self {
            annotation: None,
            field,
        }
    }
}

/// The provisioner that never provisions.
pub const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
/// The only provisioner that still lives inside the controller (R2).
pub const HOST_PATH: &str = "kubernetes.io/host-path";
/// Lives inside the controller, but only recycles (R2).
pub const NFS: &str = "kubernetes.io/nfs";
/// The prefix of names that only Kubernetes itself may implement (R94).
pub const IN_TREE_PREFIX: &str = "kubernetes.io/";

/// The CSI driver that answers for an in-tree name (R3).
pub fn migrated_driver(provisioner: &str) -> Option<&'static str> {
    Some(match provisioner {
        "kubernetes.io/aws-ebs" => "ebs.csi.aws.com",
        "kubernetes.io/gce-pd" => "pd.csi.storage.gke.io",
        "kubernetes.io/azure-disk" => "disk.csi.azure.com",
        "kubernetes.io/azure-file" => "file.csi.azure.com",
        "kubernetes.io/cinder" => "cinder.csi.openstack.org",
        "kubernetes.io/vsphere-volume" => "csi.vsphere.vmware.com",
        "kubernetes.io/portworx-volume" => "pxd.portworx.com",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_annotation_wins_even_when_empty() {
        let class = ClassName {
            annotation: Some(String::new()),
            field: Some("fast".into()),
        };
        assert_eq!(class.resolved(), "");
        assert!(class.is_set());
        assert!(!ClassName::default().is_set());
        assert!(ClassName::from_field(Some(String::new())).is_set());
    }
}
