//! Where a volume's data is: exactly one source, each with rules of its own.
//!
//! Upstream: pkg/apis/core/validation, ValidatePersistentVolumeSpec and the functions it calls, in its order: of two sources
//! the later one in this list is the one too many.

use super::forms::{has_backsteps, is_host_and_port, is_iscsi_name, label_problems, lower};
use super::refusals::Refusals;
use super::values::{as_text, flag, items, number, pairs, text};
use crate::conventions::names::{go_quote, name_problems};
use crate::model::manifest::Node;

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

/// What a source's rules look at.
struct Context<'a> {
    refusals: &'a mut Refusals,
    source: &'a Node,
    field: String,
    spec: &'a Node,
    volume_name: &'a str,
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

pub(super) fn check(refusals: &mut Refusals, spec: &Node, volume_name: &str) {
    let mut seen = false;
    for kind in &SOURCES {
        let Some(node) = spec.get(kind.key) else {
            continue;
        };
        // Nobody has told flexVolume that it may be one too many.
        if seen && kind.key != "flexVolume" {
            let field = format!("spec.{}", kind.name_when_second);
            refusals.at(&format!("spec.{}", kind.key), |refusals| {
                refusals.forbidden(field, "may not specify more than 1 volume type");
            });
            continue;
        }
        seen = true;
        let check_source = |refusals: &mut Refusals| {
            (kind.check)(&mut Context {
                refusals,
                source: node,
                field: format!("spec.{}", kind.name),
                spec,
                volume_name,
            });
        };
        refusals.located(check_source, |field| kind.written(field));
    }
    if !seen {
        refusals.required("spec", "must specify a volume type");
    }
}

impl Context<'_> {
    fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.field)
    }

    fn text(&self, key: &str) -> &str {
        text(self.source, key)
    }

    fn require(&mut self, key: &str) {
        if self.text(key).is_empty() {
            self.refusals.required(self.at(key), "");
        }
    }

    fn require_items(&mut self, key: &str) {
        if items(self.source, key).is_empty() {
            self.refusals.required(self.at(key), "");
        }
    }

    fn invalid(&mut self, key: &str, detail: &str) {
        let value = text(self.source, key);
        self.refusals.invalid(self.at(key), value, detail);
    }

    fn invalid_each(&mut self, key: &str, problems: &[String]) {
        for problem in problems {
            self.invalid(key, problem);
        }
    }

    /// A path that must be there and never goes up.
    fn check_path(&mut self) {
        if self.text("path").is_empty() {
            self.require("path");
        } else if has_backsteps(self.text("path")) {
            self.invalid("path", "must not contain '..'");
        }
    }

    /// A number between `0` and `255`; the words differ.
    fn check_byte(&mut self, key: &str, detail: &str) {
        let value = number(self.source, key).unwrap_or(0);
        if !(0..=255).contains(&value) {
            let shown = value.to_string();
            self.refusals.invalid_as(self.at(key), &shown, detail);
        }
    }

    /// Whichever of these a reference to a secret, if there is one, does not have.
    fn require_in_secret(&mut self, keys: &[&str]) {
        let Some(secret) = self.source.get("secretRef") else {
            return;
        };
        for key in keys.iter().filter(|key| text(secret, key).is_empty()) {
            let field = format!("{}.secretRef.{key}", self.field);
            self.refusals.required(field, "");
        }
    }

    fn check_choice(&mut self, key: &str, supported: &[&str]) {
        let Some(value) = self.source.get(key).map(as_text) else {
            return;
        };
        if !supported.contains(&value) {
            self.refusals.unsupported(self.at(key), value, supported);
        }
    }
}

fn check_host_path(context: &mut Context) {
    const TYPES: [&str; 8] = [
        "",
        "BlockDevice",
        "CharDevice",
        "Directory",
        "DirectoryOrCreate",
        "File",
        "FileOrCreate",
        "Socket",
    ];
    context.check_path();
    if !context.text("path").is_empty() {
        context.check_choice("type", &TYPES);
    }
}

/// Partition 0 is none, which the words forget.
const PARTITION: &str = "must be between 1 and 255, inclusive";

fn check_gce_disk(context: &mut Context) {
    context.require("pdName");
    context.check_byte("partition", PARTITION);
}

fn check_aws_disk(context: &mut Context) {
    context.require("volumeID");
    context.check_byte("partition", PARTITION);
}

fn check_glusterfs(context: &mut Context) {
    context.require("endpoints");
    context.require("path");
    let Some(namespace) = context.source.get("endpointsNamespace").map(as_text) else {
        return;
    };
    if namespace.is_empty() {
        context.invalid(
            "endpointsNamespace",
            "if the endpointnamespace is set, it must be a valid namespace name",
        );
    } else {
        context.invalid_each("endpointsNamespace", &label_problems(namespace));
    }
}

fn check_flocker(context: &mut Context) {
    let named = !context.text("datasetName").is_empty();
    let identified = !context.text("datasetUUID").is_empty();
    if !named && !identified {
        context.refusals.required(
            &context.field,
            "one of datasetName and datasetUUID is required",
        );
    }
    if named && identified {
        context.refusals.invalid(
            &context.field,
            "resource",
            "datasetName and datasetUUID can not be specified simultaneously",
        );
    }
    if context.text("datasetName").contains('/') {
        context.invalid("datasetName", "must not contain '/'");
    }
}

fn check_nfs(context: &mut Context) {
    context.require("server");
    context.require("path");
    if !context.text("path").starts_with('/') {
        context.invalid("path", "must be an absolute path");
    }
}

fn check_rbd(context: &mut Context) {
    context.require_items("monitors");
    context.require("image");
}

fn check_quobyte(context: &mut Context) {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let registry = text(context.source, "registry");
    if registry.is_empty() {
        context.refusals.required(context.at("registry"), PAIRS);
    } else if context.text("tenant").len() >= 65 {
        context.refusals.required(
            context.at("tenant"),
            "must be a UUID and may not exceed a length of 64 characters",
        );
    } else {
        for _ in registry.split(',').filter(|pair| !is_host_and_port(pair)) {
            context.invalid("registry", PAIRS);
        }
    }
    context.require("volume");
}

fn check_iscsi(context: &mut Context) {
    context.require("targetPortal");
    let initiator = context.source.get("initiatorName").map(as_text);
    // Name, colon and portal together are the name of an initiator.
    let length = context.volume_name.len() + 1 + context.text("targetPortal").len();
    if initiator.is_some() && length > 64 {
        let portal = text(context.source, "targetPortal");
        context.refusals.invalid(
            context.at("targetportal"),
            portal,
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is \
             specified.",
        );
    }
    if context.text("iqn").is_empty() {
        context.require("iqn");
    } else if !is_iscsi_name(context.text("iqn")) {
        context.invalid("iqn", "must be valid format");
    }
    context.check_byte("lun", "must be between 0 and 255, inclusive");
    let authenticates = ["chapAuthDiscovery", "chapAuthSession"]
        .iter()
        .any(|key| flag(context.source, key) == Some(true));
    if authenticates && context.source.get("secretRef").is_none() {
        context.refusals.required(context.at("secretRef"), "");
    }
    context.require_in_secret(&["name"]);
    if let Some(name) = initiator.filter(|name| !is_iscsi_name(name)) {
        let field = context.at("initiatorname");
        context
            .refusals
            .invalid(field, name, "must be valid format");
    }
}

fn check_cinder(context: &mut Context) {
    context.require("volumeID");
    context.require_in_secret(&["name", "namespace"]);
}

fn check_fc(context: &mut Context) {
    let targets = items(context.source, "targetWWNs");
    let identifiers = items(context.source, "wwids");
    let field = context.at("targetWWNs");
    if targets.is_empty() && identifiers.is_empty() {
        context.refusals.required(
            &field,
            "must specify either targetWWNs or wwids, but not both",
        );
    }
    if targets.is_empty() {
        return;
    }
    if !identifiers.is_empty() {
        let shown: Vec<String> = targets.iter().map(|node| go_quote(as_text(node))).collect();
        context.refusals.invalid_as(
            &field,
            &format!("[{}]", shown.join(",")),
            "targetWWNs and wwids can not be specified simultaneously",
        );
    }
    if context.source.get("lun").is_none() {
        let field = context.at("lun");
        context
            .refusals
            .required(field, "lun is required if targetWWNs is specified");
    }
    context.check_byte("lun", "must be between 0 and 255, inclusive");
}

fn check_flex(context: &mut Context) {
    context.require("driver");
    for (key, _) in pairs(context.source, "options") {
        let namespace = format!(".{}", lower(key.split('/').next().unwrap_or("")));
        if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
            context.refusals.invalid(
                format!("{}.options[{key}]", context.field),
                key,
                "kubernetes.io and k8s.io namespaces are reserved",
            );
        }
    }
}

fn check_azure_file(context: &mut Context) {
    context.require("secretName");
    context.require("shareName");
    if context.source.get("secretNamespace").is_some() {
        context.require("secretNamespace");
    }
}

fn check_azure_disk(context: &mut Context) {
    context.require("diskName");
    context.require("diskURI");
    context.check_choice("cachingMode", &["None", "ReadOnly", "ReadWrite"]);
    context.check_choice("kind", &["Dedicated", "Managed", "Shared"]);
    let managed = context.text("kind") == "Managed";
    let (start, form) = if managed {
        (
            "/subscriptions/",
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
        )
    } else {
        (
            "https://",
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
        )
    };
    let address = text(context.source, "diskURI");
    if !address.starts_with(start) {
        let field = context.at("diskURI");
        context.refusals.unsupported(field, address, &[form]);
    }
}

fn check_scale_io(context: &mut Context) {
    for key in ["gateway", "system", "volumeName"] {
        context.require(key);
    }
}

fn check_local(context: &mut Context) {
    context.check_path();
    if context.spec.get("nodeAffinity").is_none() {
        context
            .refusals
            .required("spec.nodeAffinity", "Local volume requires node affinity");
    }
}

fn check_storage_os(context: &mut Context) {
    context.require("volumeName");
    for key in ["volumeName", "volumeNamespace"] {
        let name = text(context.source, key);
        if !name.is_empty() {
            context.invalid_each(key, &label_problems(name));
        }
    }
    context.require_in_secret(&["name", "namespace"]);
}

fn check_csi(context: &mut Context) {
    let driver = text(context.source, "driver");
    context.require("driver");
    if driver.len() > 63 {
        context.refusals.too_long(context.at("driver"), 63);
    }
    if !driver.is_empty() {
        context.invalid_each("driver", &name_problems(&lower(driver)));
    }
    context.require("volumeHandle");
    // Not the one of nodeStageSecretRef: nobody looks at that.
    for key in [
        "controllerPublishSecretRef",
        "controllerExpandSecretRef",
        "nodePublishSecretRef",
        "nodeExpandSecretRef",
    ] {
        if let Some(secret) = context.source.get(key) {
            let field = context.at(key);
            check_csi_secret(context.refusals, secret, &field);
        }
    }
}

fn check_csi_secret(refusals: &mut Refusals, secret: &Node, field: &str) {
    type Problems = fn(&str) -> Vec<String>;
    let parts: [(&str, Problems); 2] = [("name", name_problems), ("namespace", label_problems)];
    for (key, problems) in parts {
        let field = format!("{field}.{key}");
        let value = text(secret, key);
        if value.is_empty() {
            refusals.required(field, "");
        } else {
            refusals.invalid_each(&field, value, &problems(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judged;
    use super::super::testing::{fields, judge};
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
                .filter_map(|refusal| refusal.at)
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
