//! The real catalogue of parameters on real classes: as documented they are right, typical slips are found, and of
//! strangers nothing is said.

use kubectl_pv::engine::parameters::{describe, findings};
use kubectl_pv::load::{catalogue as read_catalogue, read_text};
use kubectl_pv::model::catalogue::{CSI_PREFIX, Catalogue};
use kubectl_pv::model::{Class, ClusterState};
use kubectl_pv::report::{Finding, FindingCode};
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::LazyLock;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(read_catalogue);

fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}

fn state(text: &str) -> ClusterState {
    read_text(text, "default").unwrap().state
}

fn class(provisioner: &str, parameters: &[(String, String)]) -> Class {
    let text = "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: gold}, provisioner: x}";
    let parameters = parameters.iter().cloned();
    Class {
        provisioner: provisioner.to_owned(),
        parameters: parameters.collect(),
        ..state(text).objects().classes[0].clone()
    }
}

fn found(provisioner: &str, key: &str, value: &str) -> Vec<Finding> {
    let class = class(provisioner, &[(key.to_owned(), value.to_owned())]);
    findings(catalogue(), &class)
}

#[test]
fn documented_classes_are_right() {
    let state = state(include_str!("catalogue/documented.yaml"));
    let catalogue = catalogue();
    let mut seen = 0;
    for class in &state.objects().classes {
        assert_eq!(findings(catalogue, class), [], "{}", class.name);
        for described in describe(catalogue, class) {
            seen += usize::from(described.known == Some(true));
            assert_eq!(described.known.is_some(), described.meaning.is_some());
        }
    }
    println!(
        "{} classes, {seen} known parameters",
        state.objects().classes.len()
    );
    let documented = |name: &str| {
        let mut classes = state.objects().classes.iter();
        classes.any(|class| {
            catalogue
                .find(&class.provisioner)
                .is_some_and(|known| known.name == name)
        })
    };
    // Every provisioner that is judged is shown at its best here; the rest has no parameters, or is not judged.
    let without: Vec<&str> = catalogue
        .provisioners()
        .iter()
        .map(|known| known.name.as_str())
        .filter(|name| !documented(name))
        .collect();
    assert_eq!(
        without,
        [
            "cephfs.csi.ceph.com",
            "kubernetes.io/glusterfs",
            "kubernetes.io/host-path",
            "docker.io/hostpath",
            "cluster.local/*local-path-provisioner",
            "cluster.local/*nfs-client-provisioner",
            "openebs.io/local",
            "kubernetes.io/portworx-volume",
            "kubernetes.io/vsphere-volume",
        ]
    );
}

/// Slips, each on a class of its own: provisioner, key, value.
const SLIPS: &[(&str, &str, &str)] = &[
    ("ebs.csi.aws.com", "iopsPerGiB", "10"),
    ("ebs.csi.aws.com", "encryption", "true"),
    ("ebs.csi.aws.com", "encrypted", "yes"),
    ("ebs.csi.aws.com", "type", "gp33"),
    ("ebs.csi.aws.com", "type", "GP3"),
    ("ebs.csi.aws.com", "iops", "3k"),
    ("ebs.csi.aws.com", "fsType", "xfs"),
    ("ebs.csi.aws.com", "zone", "us-east-1a"),
    ("kubernetes.io/aws-ebs", "zones", "us-east-1a,us-east-1b"),
    ("pd.csi.storage.gke.io", "fstype", "ext4"),
    ("pd.csi.storage.gke.io", "replication-type", "regional"),
    ("pd.csi.storage.gke.io", "labels", "team"),
    (
        "pd.csi.storage.gke.io",
        "provisioned-throughput-on-create",
        "50MB",
    ),
    ("kubernetes.io/gce-pd", "zone", "us-central1-a"),
    ("disk.csi.azure.com", "skuName", "premium_lrs"),
    ("disk.csi.azure.com", "cachingMode", "Readonly"),
    ("disk.csi.azure.com", "kind", "Dedicated"),
    ("disk.csi.azure.com", "maxShares", "0"),
    ("file.csi.azure.com", "sku", "Premium_LRS"),
    ("file.csi.azure.com", "storeAccountKey", "no"),
    ("cinder.csi.openstack.org", "availabilityZone", "nova"),
    ("cinder.csi.openstack.org", "fsType", "xfs"),
    ("csi.vsphere.vmware.com", "datastore", "vsanDatastore"),
    ("kubernetes.io/vsphere-volume", "diskformat", "thin"),
    ("kubernetes.io/vsphere-volume", "datastoreURL", "ds:///x"),
    (
        "rook-ceph.rbd.csi.ceph.com",
        "imageFeatures",
        "layering,fastdiff",
    ),
    ("rook-ceph.rbd.csi.ceph.com", "clusterId", "rook-ceph"),
    ("rook-ceph.cephfs.csi.ceph.com", "mounter", "ceph-fuse"),
    ("nfs.csi.k8s.io", "path", "/exports"),
    ("nfs.csi.k8s.io", "mountPermissions", "u+rwx"),
    ("nfs.csi.k8s.io", "onDelete", "archived"),
    (
        "k8s-sigs.io/nfs-subdir-external-provisioner",
        "archiveOnDelete",
        "yes",
    ),
    (
        "k8s-sigs.io/nfs-subdir-external-provisioner",
        "csi.storage.k8s.io/fstype",
        "x",
    ),
    ("rancher.io/local-path", "nodepath", "/data"),
    ("kubernetes.io/no-provisioner", "path", "/mnt"),
    ("driver.longhorn.io", "numberOfReplica", "3"),
    ("driver.longhorn.io", "numberOfReplicas", "three"),
    ("driver.longhorn.io", "dataLocality", "bestEffort"),
    (
        "driver.longhorn.io",
        "recurringJobSelector",
        "[{name: snap}]",
    ),
    ("disk.csi.azure.com", "zones", "1,2"),
    ("topolvm.io", "topolvm.cybozu.com/device-class", "ssd"),
    ("kubernetes.io/glusterfs", "restuserkey", "hunter2"),
    (
        "efs.csi.aws.com",
        "csi.storage.k8s.io/provisionerSecretName",
        "x",
    ),
    ("csi.example.com", "csi.storage.k8s.io/fsType", "xfs"),
    (
        "csi.example.com",
        "csi.storage.k8s.io/provisioner-secret-name",
        "x",
    ),
    (
        "ebs.csi.aws.com",
        "csi.storage.k8s.io/node-stage-secret-namespace",
        "x",
    ),
    (
        "csi.example.com",
        "csi.storage.k8s.io/node-secret-name",
        "x",
    ),
];

#[test]
fn slips_are_found() {
    let mut text = String::new();
    for (provisioner, key, value) in SLIPS {
        writeln!(text, "{provisioner} {key}: {value}").unwrap();
        for finding in found(provisioner, key, value) {
            let expected = Some(format!("parameters.{key}"));
            assert_eq!(finding.field, expected);
            writeln!(text, "  {}: {}", finding.code.name(), finding.message).unwrap();
            writeln!(text, "  → {}", finding.hint.unwrap_or_default()).unwrap();
        }
    }
    assert!(!text.contains("is hunter2"), "a secret is repeated");
    insta::assert_snapshot!(text);
}

#[test]
fn keys_are_read_in_the_case_the_provisioner_reads_them() {
    assert_eq!(found("ebs.csi.aws.com", "IOPSPERGB", "10"), []);
    assert_eq!(
        found("ebs.csi.aws.com", "CSI.storage.k8s.io/fstype", "xfs").len(),
        1
    );
    assert_eq!(found("driver.longhorn.io", "FSTYPE", "xfs"), []);
    assert_eq!(
        found("driver.longhorn.io", "NUMBEROFREPLICAS", "3").len(),
        1
    );
}

#[test]
fn reserved_keys_are_found_with_every_csi_driver() {
    let catalogue = catalogue();
    for reserved in catalogue.csi_parameters() {
        for known in catalogue.provisioners() {
            let serves_csi = known
                .parameters
                .iter()
                .any(|known| known.key.starts_with(CSI_PREFIX));
            let codes: Vec<FindingCode> = found(&known.name, &reserved.key, "x")
                .into_iter()
                .map(|finding| finding.code)
                // Alone they are half of a pair, which is another matter.
                .filter(|code| *code != FindingCode::ParameterValueInvalid)
                .collect();
            let not_csi = [FindingCode::ParameterUnknown];
            let expected: &[FindingCode] = if serves_csi { &[] } else { &not_csi };
            assert_eq!(codes, expected, "{} {}", known.name, reserved.key);
        }
    }
}

proptest! {
    /// Of a provisioner that is not in the catalogue only a reserved key can be wrong.
    #[test]
    fn strangers_are_never_called_wrong(
        name in "[a-z]{1,8}\\.example\\.(com|org)(/[a-z]{1,8})?",
        parameters in prop::collection::vec(("[ -~]{1,20}", "\\PC{0,12}"), 0..6),
    ) {
        prop_assume!(parameters.iter().all(|(key, _)| !key.starts_with(CSI_PREFIX)));
        let class = class(&name, &parameters);
        prop_assert_eq!(findings(catalogue(), &class), vec![]);
        for described in describe(catalogue(), &class) {
            prop_assert_eq!(described.known, None);
        }
    }

    /// Whatever a class says, every finding is about one of its parameters, and the order is theirs.
    #[test]
    fn anything_can_be_asked(
        which in any::<prop::sample::Index>(),
        parameters in prop::collection::vec(("(csi.storage.k8s.io/)?[a-zA-Z]{1,12}", "\\PC{0,12}"), 0..6),
    ) {
        let catalogue = catalogue();
        let known = which.get(catalogue.provisioners());
        let class = class(&known.name.replace('*', "x"), &parameters);
        let fields: Vec<String> = findings(catalogue, &class)
            .into_iter()
            .filter_map(|finding| finding.field)
            .collect();
        prop_assert!(fields.is_sorted());
        for field in fields {
            let key = field.strip_prefix("parameters.").unwrap_or_default();
            prop_assert!(class.parameters.contains_key(key));
        }
        prop_assert_eq!(describe(catalogue, &class).len(), class.parameters.len());
    }
}
