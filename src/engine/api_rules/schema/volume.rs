//! The Go type of a volume, with its twenty-two sources.

use super::Shape::{self, Bool, Int32, List, Object, Text, Time};
use super::{METADATA, QUANTITIES, REQUIREMENT, TEXT_MAP, TEXTS};

const SECRET: Shape = Object(&[("name", Text), ("namespace", Text)]);

const OBJECT_REFERENCE: Shape = Object(&[
    ("kind", Text),
    ("namespace", Text),
    ("name", Text),
    ("uid", Text),
    ("apiVersion", Text),
    ("resourceVersion", Text),
    ("fieldPath", Text),
]);

const NODE_SELECTOR_TERM: Shape = Object(&[
    ("matchExpressions", List(&REQUIREMENT)),
    ("matchFields", List(&REQUIREMENT)),
]);

const NODE_AFFINITY: Shape = Object(&[(
    "required",
    Object(&[("nodeSelectorTerms", List(&NODE_SELECTOR_TERM))]),
)]);

const GCE_DISK: Shape = Object(&[
    ("pdName", Text),
    ("fsType", Text),
    ("partition", Int32),
    ("readOnly", Bool),
]);

const AWS_DISK: Shape = Object(&[
    ("volumeID", Text),
    ("fsType", Text),
    ("partition", Int32),
    ("readOnly", Bool),
]);

const GLUSTERFS: Shape = Object(&[
    ("endpoints", Text),
    ("path", Text),
    ("readOnly", Bool),
    ("endpointsNamespace", Text),
]);

const NFS: Shape = Object(&[("server", Text), ("path", Text), ("readOnly", Bool)]);

const RBD: Shape = Object(&[
    ("monitors", TEXTS),
    ("image", Text),
    ("fsType", Text),
    ("pool", Text),
    ("user", Text),
    ("keyring", Text),
    ("secretRef", SECRET),
    ("readOnly", Bool),
]);

const ISCSI: Shape = Object(&[
    ("targetPortal", Text),
    ("iqn", Text),
    ("lun", Int32),
    ("iscsiInterface", Text),
    ("fsType", Text),
    ("readOnly", Bool),
    ("portals", TEXTS),
    ("chapAuthDiscovery", Bool),
    ("chapAuthSession", Bool),
    ("secretRef", SECRET),
    ("initiatorName", Text),
]);

const CINDER: Shape = Object(&[
    ("volumeID", Text),
    ("fsType", Text),
    ("readOnly", Bool),
    ("secretRef", SECRET),
]);

const CEPHFS: Shape = Object(&[
    ("monitors", TEXTS),
    ("path", Text),
    ("user", Text),
    ("secretFile", Text),
    ("secretRef", SECRET),
    ("readOnly", Bool),
]);

const FC: Shape = Object(&[
    ("targetWWNs", TEXTS),
    ("lun", Int32),
    ("fsType", Text),
    ("readOnly", Bool),
    ("wwids", TEXTS),
]);

const FLEX: Shape = Object(&[
    ("driver", Text),
    ("fsType", Text),
    ("secretRef", SECRET),
    ("readOnly", Bool),
    ("options", TEXT_MAP),
]);

const AZURE_FILE: Shape = Object(&[
    ("secretName", Text),
    ("shareName", Text),
    ("readOnly", Bool),
    ("secretNamespace", Text),
]);

const VSPHERE: Shape = Object(&[
    ("volumePath", Text),
    ("fsType", Text),
    ("storagePolicyName", Text),
    ("storagePolicyID", Text),
]);

const QUOBYTE: Shape = Object(&[
    ("registry", Text),
    ("volume", Text),
    ("readOnly", Bool),
    ("user", Text),
    ("group", Text),
    ("tenant", Text),
]);

const AZURE_DISK: Shape = Object(&[
    ("diskName", Text),
    ("diskURI", Text),
    ("cachingMode", Text),
    ("fsType", Text),
    ("readOnly", Bool),
    ("kind", Text),
]);

const SCALE_IO: Shape = Object(&[
    ("gateway", Text),
    ("system", Text),
    ("secretRef", SECRET),
    ("sslEnabled", Bool),
    ("protectionDomain", Text),
    ("storagePool", Text),
    ("storageMode", Text),
    ("volumeName", Text),
    ("fsType", Text),
    ("readOnly", Bool),
]);

const STORAGE_OS: Shape = Object(&[
    ("volumeName", Text),
    ("volumeNamespace", Text),
    ("fsType", Text),
    ("readOnly", Bool),
    ("secretRef", OBJECT_REFERENCE),
]);

const CSI: Shape = Object(&[
    ("driver", Text),
    ("volumeHandle", Text),
    ("readOnly", Bool),
    ("fsType", Text),
    ("volumeAttributes", TEXT_MAP),
    ("controllerPublishSecretRef", SECRET),
    ("nodeStageSecretRef", SECRET),
    ("nodePublishSecretRef", SECRET),
    ("controllerExpandSecretRef", SECRET),
    ("nodeExpandSecretRef", SECRET),
]);

pub(super) const SPEC: Shape = Object(&[
    ("capacity", QUANTITIES),
    ("accessModes", TEXTS),
    ("claimRef", OBJECT_REFERENCE),
    ("persistentVolumeReclaimPolicy", Text),
    ("storageClassName", Text),
    ("mountOptions", TEXTS),
    ("volumeMode", Text),
    ("nodeAffinity", NODE_AFFINITY),
    ("volumeAttributesClassName", Text),
    ("gcePersistentDisk", GCE_DISK),
    ("awsElasticBlockStore", AWS_DISK),
    ("hostPath", Object(&[("path", Text), ("type", Text)])),
    ("glusterfs", GLUSTERFS),
    ("nfs", NFS),
    ("rbd", RBD),
    ("iscsi", ISCSI),
    ("cinder", CINDER),
    ("cephfs", CEPHFS),
    ("fc", FC),
    (
        "flocker",
        Object(&[("datasetName", Text), ("datasetUUID", Text)]),
    ),
    ("flexVolume", FLEX),
    ("azureFile", AZURE_FILE),
    ("vsphereVolume", VSPHERE),
    ("quobyte", QUOBYTE),
    ("azureDisk", AZURE_DISK),
    (
        "photonPersistentDisk",
        Object(&[("pdID", Text), ("fsType", Text)]),
    ),
    (
        "portworxVolume",
        Object(&[("volumeID", Text), ("fsType", Text), ("readOnly", Bool)]),
    ),
    ("scaleIO", SCALE_IO),
    ("local", Object(&[("path", Text), ("fsType", Text)])),
    ("storageos", STORAGE_OS),
    ("csi", CSI),
]);

const STATUS: Shape = Object(&[
    ("phase", Text),
    ("message", Text),
    ("reason", Text),
    ("lastPhaseTransitionTime", Time),
]);

pub(in crate::engine::api_rules) static VOLUME: Shape = Object(&[
    ("kind", Text),
    ("apiVersion", Text),
    ("metadata", METADATA),
    ("spec", SPEC),
    ("status", STATUS),
]);
