//! Every volume source there is, complete, with the fields that it cannot do without and those that
//! are looked at.

use serde_json::{Value, json};

/// The one that needs a node affinity.
pub(in crate::cluster) const LOCAL: &str = "local";

/// A field of the spec, and what may stand in it.
type Source = (&'static str, fn() -> Value);

/// The sources in the order in which the server looks at them.
pub(in crate::cluster) const SOURCES: &[Source] = &[
    (
        "hostPath",
        || json!({ "path": "/data/a", "type": "Directory" }),
    ),
    (
        "gcePersistentDisk",
        || json!({ "pdName": "disk-1", "fsType": "ext4", "partition": 1 }),
    ),
    (
        "awsElasticBlockStore",
        || json!({ "volumeID": "vol-1", "fsType": "ext4", "partition": 0 }),
    ),
    (
        "glusterfs",
        || json!({ "endpoints": "gluster", "path": "vol", "endpointsNamespace": "default" }),
    ),
    ("flocker", || json!({ "datasetName": "data" })),
    (
        "nfs",
        || json!({ "server": "10.0.0.1", "path": "/export", "readOnly": false }),
    ),
    (
        "rbd",
        || json!({ "monitors": ["10.0.0.1:6789"], "image": "img", "secretRef": { "name": "ceph", "namespace": "default" } }),
    ),
    (
        "quobyte",
        || json!({ "registry": "a:7861,b:7861", "volume": "vol", "tenant": "t" }),
    ),
    (
        "cephfs",
        || json!({ "monitors": ["10.0.0.1:6789"], "path": "/x", "user": "admin" }),
    ),
    ("iscsi", || {
        json!({
            "targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:storage.disk1", "lun": 0,
            "portals": ["10.0.0.2:3260"], "chapAuthSession": true, "secretRef": { "name": "chap" },
            "initiatorName": "iqn.1994-05.com.example:node",
        })
    }),
    (
        "cinder",
        || json!({ "volumeID": "v1", "secretRef": { "name": "s", "namespace": "default" } }),
    ),
    (
        "fc",
        || json!({ "targetWWNs": ["500a0982991b8dc5"], "lun": 2, "fsType": "ext4" }),
    ),
    (
        "flexVolume",
        || json!({ "driver": "example.com/lvm", "options": { "group": "vg" } }),
    ),
    (
        "azureFile",
        || json!({ "secretName": "s", "shareName": "share", "secretNamespace": "default" }),
    ),
    (
        "vsphereVolume",
        || json!({ "volumePath": "[ds] kube/vol.vmdk", "fsType": "ext4" }),
    ),
    (
        "photonPersistentDisk",
        || json!({ "pdID": "id", "fsType": "ext4" }),
    ),
    ("portworxVolume", || json!({ "volumeID": "id" })),
    ("azureDisk", || {
        json!({
            "diskName": "d", "diskURI": "/subscriptions/s/resourcegroups/g/providers/microsoft.compute/disks/d",
            "cachingMode": "ReadWrite", "kind": "Managed",
        })
    }),
    (
        "scaleIO",
        || json!({ "gateway": "https://g", "system": "s", "volumeName": "v", "secretRef": { "name": "s", "namespace": "default" } }),
    ),
    (LOCAL, || json!({ "path": "/mnt/disks/a", "fsType": "xfs" })),
    (
        "storageos",
        || json!({ "volumeName": "vol", "volumeNamespace": "default" }),
    ),
    ("csi", || {
        json!({
            "driver": "ebs.csi.aws.com", "volumeHandle": "vol-1", "volumeAttributes": { "a": "b" },
            "nodePublishSecretRef": { "name": "s", "namespace": "default" },
        })
    }),
];

/// Values for fields of sources that the server looks at closely, right and wrong ones.
pub(in crate::cluster) const TRIED: &[(&str, &str, &[&str])] = &[
    (
        "hostPath",
        "path",
        &["", "\"..\"", "/a/../b", "a/..b", "/", "//", "rel"],
    ),
    (
        "hostPath",
        "type",
        &["\"\"", "Socket", "directory", "FileOrCreate", "Dir"],
    ),
    (
        "gcePersistentDisk",
        "partition",
        &["-1", "255", "256", "1.0", "1.5", "\"1\""],
    ),
    (
        "awsElasticBlockStore",
        "partition",
        &["-1", "255", "256", "0x1F", "010"],
    ),
    (
        "glusterfs",
        "endpointsNamespace",
        &["\"\"", "Bad_NS", "a.b", "ok"],
    ),
    ("flocker", "datasetUUID", &["u", "\"\"", "5"]),
    ("flocker", "datasetName", &["a/b", "\"\"", "a"]),
    ("nfs", "path", &["\"\"", "rel/x", "./x", "/"]),
    ("nfs", "server", &["\"\"", "not a host", "1.5"]),
    ("rbd", "monitors", &["[]", "[\"\"]", "mon", "~"]),
    ("rbd", "secretRef", &["{}", "{name: \"\"}", "~"]),
    (
        "quobyte",
        "registry",
        &[
            "a",
            "\"a:1,b\"",
            "\"[::1]:5\"",
            "\"::1:5\"",
            "\":\"",
            "\"a:b\"",
            "\"a:1,,b:1\"",
        ],
    ),
    (
        "quobyte",
        "tenant",
        &[
            "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg",
            "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg",
        ],
    ),
    ("cephfs", "monitors", &["[]", "~", "[a]"]),
    (
        "iscsi",
        "iqn",
        &[
            "iqn.2001-04.com.example",
            "iqn.01-04.com",
            "eui.0123456789ABCDEF",
            "eui.0123456789abcdeg",
            "naa.0123456789ABCDEF0123456789ABCDEF",
            "naa.1",
            "foo",
            "iqn.2001-13.com.example:x",
            "\"\"",
            "\"iqn.2001-04.com.example:a b\"",
            "IQN.2001-04.com.example",
        ],
    ),
    ("iscsi", "lun", &["-1", "255", "256", "1.0", "yes"]),
    ("iscsi", "secretRef", &["{}", "~", "{name: x}"]),
    (
        "iscsi",
        "chapAuthDiscovery",
        &["yes", "\"yes\"", "off", "1"],
    ),
    (
        "iscsi",
        "initiatorName",
        &[
            "\"\"",
            "foo",
            "eui.0123456789ABCDEF",
            "iqn.2001-04",
            "iqn.2001-04.a",
        ],
    ),
    (
        "iscsi",
        "targetPortal",
        &[
            "\"\"",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:3260",
        ],
    ),
    (
        "cinder",
        "secretRef",
        &["{}", "{name: a}", "{namespace: b}", "~"],
    ),
    ("fc", "lun", &["-1", "256", "~", "255", "2.0", "1e2"]),
    ("fc", "wwids", &["[a]", "[]", "a"]),
    ("fc", "targetWWNs", &["[]", "~", "[\"\"]"]),
    (
        "flexVolume",
        "options",
        &[
            "{kubernetes.io/x: a}",
            "{a.k8s.io/b: c}",
            "{K8S.io: c}",
            "{k8s.iox: c}",
            "{x/kubernetes.io: c}",
        ],
    ),
    ("flexVolume", "driver", &["\"\"", "a b"]),
    ("azureFile", "secretNamespace", &["\"\"", "~", "Bad_NS"]),
    (
        "azureDisk",
        "kind",
        &["Dedicated", "Shared", "managed", "\"\"", "~"],
    ),
    (
        "azureDisk",
        "cachingMode",
        &["None", "readOnly", "\"\"", "ReadOnly", "~"],
    ),
    (
        "azureDisk",
        "diskURI",
        &[
            "https://a.blob.core.windows.net/c/d.vhd",
            "/Subscriptions/x",
            "\"\"",
        ],
    ),
    ("scaleIO", "gateway", &["\"\"", "x"]),
    ("local", "path", &["\"\"", "..", "/a/..", "rel"]),
    (
        "storageos",
        "volumeName",
        &["\"\"", "Bad_name", "a.b", "-a"],
    ),
    ("storageos", "volumeNamespace", &["\"\"", "Bad_name", "a.b"]),
    (
        "storageos",
        "secretRef",
        &["{}", "{name: a}", "{name: a, namespace: b}"],
    ),
    (
        "csi",
        "driver",
        &[
            "\"\"",
            "Ebs.CSI",
            "a_b",
            "a..b",
            "-a",
            "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggggg",
            "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg",
            "\"a\\n\"",
        ],
    ),
    ("csi", "volumeHandle", &["\"\"", "~", "5"]),
    ("csi", "nodePublishSecretRef", &["{}", "{name: a}", "~"]),
    (
        "csi",
        "controllerPublishSecretRef",
        &["{}", "{namespace: a}", "{name: \"\", namespace: b}"],
    ),
    (
        "csi",
        "controllerExpandSecretRef",
        &["{}", "{name: A_b, namespace: b}"],
    ),
    (
        "csi",
        "nodeExpandSecretRef",
        &["{}", "{name: a, namespace: b}"],
    ),
    // Looked at by nobody.
    ("csi", "nodeStageSecretRef", &["{}", "{name: a}", "~"]),
    ("csi", "readOnly", &["yes", "\"true\"", "1", "~"]),
];
