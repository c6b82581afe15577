//! Where a volume's data is: exactly one source, each with rules of its own.
//!
//! Upstream: pkg/apis/core/validation, ValidatePersistentVolumeSpec and the functions it calls, in its order: of two sources
//! the later one in this list is the one too many.

mod context;
mod disks;
mod drivers;
mod network;

use super::field_errors::FieldErrors;
use crate::conventions::field_error::{FieldErrorKind, ForbiddenRule};
use crate::model::manifest::Node;
use context::Context;
use disks::{
    check_aws_disk, check_azure_disk, check_gce_disk, check_host_path, check_local, check_scale_io,
};
use drivers::{check_csi, check_flex, check_storage_os};
use network::{
    check_azure_file, check_cinder, check_fc, check_flocker, check_glusterfs, check_iscsi,
    check_nfs, check_quobyte, check_rbd,
};

/// A source of a volume.
struct Source {
    /// Its field in `spec`.
    key: &'static str,
    /// What the server calls the field in the source's own errors.
    name: &'static str,
    /// What the server calls the field when it is one too many.
    name_when_second: &'static str,
    check: fn(&mut Context),
}

impl Source {
    /// Where an error stands that the server has another name for.
    fn written(&self, field: &str) -> Option<String> {
        let path = field
            .replacen(
                &format!("spec.{}.", self.name),
                &format!("spec.{}.", self.key),
                1,
            )
            .replace(".targetportal", ".targetPortal")
            .replace(".initiatorname", ".initiatorName");
        Some(path).filter(|path| path != field)
    }
}

const fn source(key: &'static str, check: fn(&mut Context)) -> Source {
    Source {
        key,
        name: key,
        name_when_second: key,
        check,
    }
}

const SOURCES: [Source; 22] = [
    source("hostPath", check_host_path),
    Source {
        name: "persistentDisk",
        ..source("gcePersistentDisk", check_gce_disk)
    },
    source("awsElasticBlockStore", check_aws_disk),
    source("glusterfs", check_glusterfs),
    source("flocker", check_flocker),
    source("nfs", check_nfs),
    source("rbd", check_rbd),
    source("quobyte", check_quobyte),
    Source {
        name_when_second: "cephFS",
        ..source("cephfs", |context| context.require_items("monitors"))
    },
    source("iscsi", check_iscsi),
    source("cinder", check_cinder),
    source("fc", check_fc),
    source("flexVolume", check_flex),
    source("azureFile", check_azure_file),
    source("vsphereVolume", |context| context.require("volumePath")),
    source("photonPersistentDisk", |context| context.require("pdID")),
    source("portworxVolume", |context| context.require("volumeID")),
    source("azureDisk", check_azure_disk),
    source("scaleIO", check_scale_io),
    source("local", check_local),
    source("storageos", check_storage_os),
    source("csi", check_csi),
];

/// The fields of `spec` that are sources.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    SOURCES.iter().map(|source| source.key)
}

pub(super) fn check(errors: &mut FieldErrors, spec: &Node, volume_name: &str) {
    let mut seen = false;
    for kind in &SOURCES {
        let Some(node) = spec.get(kind.key) else {
            continue;
        };
        // Nobody has told flexVolume that it may be one too many.
        if seen && kind.key != "flexVolume" {
            let field = format!("spec.{}", kind.name_when_second);
            errors.at(&format!("spec.{}", kind.key), |errors| {
                errors.report(
                    field,
                    FieldErrorKind::Forbidden(ForbiddenRule::SecondSource),
                );
            });
            continue;
        }
        seen = true;
        let check_source = |errors: &mut FieldErrors| {
            (kind.check)(&mut Context {
                errors,
                source: node,
                field: format!("spec.{}", kind.name),
                spec,
                volume_name,
            });
        };
        errors.located(check_source, |field| kind.written(field));
    }
    if !seen {
        errors.required("spec", "must specify a volume type");
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::api_rules::Judged;
    use crate::engine::api_rules::testing::{fields, judge};
    use serde_json::{Value, json};

    /// The fields refused of a volume with these sources, without `spec.` in front.
    fn refused(sources: &Value) -> Vec<String> {
        let mut volume = json!({"metadata": {"name": "disk"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
        }});
        for (key, value) in sources.as_object().expect("a map") {
            volume["spec"][key] = value.clone();
        }
        let found = fields(Judged::Volume, &volume).into_iter();
        found.map(|field| field.replacen("spec.", "", 1)).collect()
    }

    #[test]
    fn there_is_exactly_one() {
        assert_eq!(refused(&json!({})), ["spec"]);
        assert_eq!(refused(&json!({"nfs": null})), ["spec"]);
        let host = json!({"path": "/x"});
        for (second, named) in [
            ("nfs", "nfs"),
            ("cephfs", "cephFS"),
            ("gcePersistentDisk", "gcePersistentDisk"),
        ] {
            let sources = json!({"hostPath": host, second: {}});
            assert_eq!(refused(&sources), [named]);
        }
        assert!(refused(&json!({"hostPath": host, "flexVolume": {"driver": "d"}})).is_empty());
    }

    fn check(cases: &[(Value, &str)]) {
        for (source, expected) in cases {
            assert_eq!(refused(source).join(" "), *expected, "{source}");
        }
    }

    #[test]
    fn errors_stand_where_the_field_is_written() {
        let place = |key: &str, source: Value| {
            let volume = json!({"metadata": {"name": "disk"}, "spec": {
                "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, key: source,
            }});
            let refused = judge(Judged::Volume, &volume);
            refused
                .into_iter()
                .filter_map(|error| error.at)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            place("gcePersistentDisk", json!({})),
            ["spec.gcePersistentDisk.pdName"]
        );
        assert_eq!(
            place(
                "iscsi",
                json!({"targetPortal": "p", "iqn": "iqn.2003-01.a:b", "initiatorName": ""})
            ),
            ["spec.iscsi.initiatorName"]
        );
        assert!(place("csi", json!({})).is_empty());
    }

    #[test]
    fn disks_and_paths() {
        check(&[
            (json!({"hostPath": {"type": "No"}}), "hostPath.path"),
            (
                json!({"hostPath": {"path": "a/..", "type": "No"}}),
                "hostPath.path hostPath.type",
            ),
            (json!({"hostPath": {"path": "relative"}}), ""),
            (
                json!({"gcePersistentDisk": {"partition": 256}}),
                "persistentDisk.pdName persistentDisk.partition",
            ),
            (
                json!({"awsElasticBlockStore": {"volumeID": "v", "partition": -1}}),
                "awsElasticBlockStore.partition",
            ),
            (json!({"vsphereVolume": {}}), "vsphereVolume.volumePath"),
            (
                json!({"photonPersistentDisk": {}}),
                "photonPersistentDisk.pdID",
            ),
            (json!({"portworxVolume": {}}), "portworxVolume.volumeID"),
            // The kind that is left out is `Shared`.
            (
                json!({"azureDisk": {"diskName": "d", "diskURI": "/subscriptions/x"}}),
                "azureDisk.diskURI",
            ),
            (
                json!({"azureDisk": {"diskName": "d", "diskURI": "/subscriptions/x", "kind": "Managed",
                    "cachingMode": ""}}),
                "azureDisk.cachingMode",
            ),
            (
                json!({"scaleIO": {}}),
                "scaleIO.gateway scaleIO.system scaleIO.volumeName",
            ),
            (json!({"local": {"path": "/x"}}), "nodeAffinity"),
        ]);
    }

    #[test]
    fn network_and_drivers() {
        check(&[
            (
                json!({"glusterfs": {"endpointsNamespace": ""}}),
                "glusterfs.endpoints glusterfs.path glusterfs.endpointsNamespace",
            ),
            (json!({"flocker": {}}), "flocker"),
            (
                json!({"flocker": {"datasetName": "a/b", "datasetUUID": "u"}}),
                "flocker flocker.datasetName",
            ),
            (json!({"nfs": {}}), "nfs.server nfs.path nfs.path"),
            (json!({"nfs": {"server": "s", "path": "p"}}), "nfs.path"),
            (json!({"rbd": {"monitors": []}}), "rbd.monitors rbd.image"),
            (
                json!({"quobyte": {"registry": "a:1,b", "volume": "v"}}),
                "quobyte.registry",
            ),
            (
                json!({"quobyte": {"registry": "b", "tenant": "t".repeat(65)}}),
                "quobyte.tenant quobyte.volume",
            ),
            (json!({"cephfs": {}}), "cephfs.monitors"),
            (
                json!({"iscsi": {"targetPortal": "p".repeat(60), "iqn": "x", "lun": 256, "chapAuthSession": true,
                    "initiatorName": ""}}),
                "iscsi.targetportal iscsi.iqn iscsi.lun iscsi.secretRef iscsi.initiatorname",
            ),
            (
                json!({"cinder": {"volumeID": "v", "secretRef": {}}}),
                "cinder.secretRef.name cinder.secretRef.namespace",
            ),
            (json!({"fc": {}}), "fc.targetWWNs"),
            (
                json!({"fc": {"targetWWNs": ["a"], "wwids": ["b"]}}),
                "fc.targetWWNs fc.lun",
            ),
            (
                json!({"flexVolume": {"options": {"x.K8s.io/a": "", "ok8s.io": ""}}}),
                "flexVolume.driver flexVolume.options[x.K8s.io/a]",
            ),
            (
                json!({"azureFile": {"shareName": "s", "secretNamespace": ""}}),
                "azureFile.secretName azureFile.secretNamespace",
            ),
        ]);
    }

    #[test]
    fn storage_os_and_csi() {
        check(&[
            (
                json!({"storageos": {"volumeName": "a.b", "volumeNamespace": "C", "secretRef": {}}}),
                "storageos.volumeName storageos.volumeNamespace storageos.secretRef.name storageos.secretRef.namespace",
            ),
            (json!({"csi": {}}), "csi.driver csi.volumeHandle"),
            (
                json!({"csi": {"driver": "A".repeat(64), "volumeHandle": "v"}}),
                "csi.driver",
            ),
            (
                json!({"csi": {"driver": "EBS.csi", "volumeHandle": "v", "nodeStageSecretRef": {},
                    "nodeExpandSecretRef": {"name": "A", "namespace": "a.b"}}}),
                "csi.nodeExpandSecretRef.name csi.nodeExpandSecretRef.namespace",
            ),
        ]);
    }
}
