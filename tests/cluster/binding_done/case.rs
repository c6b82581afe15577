//! One claim and its volume, drawn: templates in which the side, the claim's uid and its version are
//! still open, so that the same pair can be created twice. Every pair has a class or a label of its
//! own, so that hundreds live together.

use serde_json::{Map, Value, json};

use super::state::State;
use crate::cluster::agreement::case::CASE;
use crate::random::Random;

/// Stands in a template for what is known later.
pub(super) const SIDE: &str = "@side@";
pub(super) const UID: &str = "@uid@";
pub(super) const VERSION: &str = "@version@";

const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
const PRE_RESIZE: &str = "volume.alpha.kubernetes.io/pre-resize-capacity";
const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

/// Requested and offered.
const SIZES: [(&str, &str); 6] = [
    ("1Gi", "1Gi"),
    ("500Mi", "1Gi"),
    ("1G", "1Gi"),
    ("1024Mi", "1Gi"),
    ("1Gi", "1.5Gi"),
    ("100", "2e3"),
];
const MODES: [(&[&str], &[&str]); 5] = [
    (&["ReadWriteOnce"], &["ReadWriteOnce"]),
    (&["ReadWriteOnce"], &["ReadOnlyMany", "ReadWriteOnce"]),
    (&["ReadWriteMany"], &["ReadWriteMany"]),
    (
        &["ReadOnlyMany", "ReadWriteOnce"],
        &["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"],
    ),
    (&["ReadWriteOncePod"], &["ReadWriteOncePod"]),
];

const MIGRATED_TO: &str = "pv.kubernetes.io/migrated-to";
/// One that lives on in the controller, two that went to drivers, and one that never was in it.
const PROVISIONERS: [&str; 4] = [
    "kubernetes.io/host-path",
    "kubernetes.io/aws-ebs",
    "kubernetes.io/gce-pd",
    "csi.example.com",
];
const DRIVERS: [Option<&str>; 5] = [
    None,
    None,
    None,
    Some("ebs.csi.aws.com"),
    Some("old.example.com"),
];
const FINALIZERS: [&[&str]; 5] = [
    &[],
    &[],
    &["kubernetes.io/pv-controller"],
    &["external-provisioner.volume.kubernetes.io/finalizer"],
    &["example.com/first", "kubernetes.io/pv-controller"],
];

pub(super) struct Case {
    pub(super) name: String,
    pub(super) state: State,
    pub(super) class: Option<Value>,
    pub(super) claim: Value,
    /// Written after its creation.
    pub(super) claim_status: Option<Value>,
    pub(super) volume: Value,
    pub(super) volume_status: Option<Value>,
}

impl Case {
    /// The case of this number; all states come in turn.
    pub(super) fn draw(random: &mut Random, number: usize) -> Self {
        let state = State::ALL[number % State::ALL.len()];
        let name = format!("c{number}-{state:?}").to_lowercase();
        let mut case = Self {
            class: class(&name, state),
            claim: json!({
                "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {
                    "namespace": namespace(SIDE), "name": name,
                    "labels": { CASE: name }, "annotations": {},
                },
                "spec": {},
            }),
            claim_status: None,
            volume: json!({
                "apiVersion": "v1", "kind": "PersistentVolume",
                "metadata": {
                    "name": volume_name(&name), "labels": { CASE: name, "side": SIDE },
                    "annotations": {},
                },
                "spec": { "persistentVolumeReclaimPolicy": "Retain" },
            }),
            volume_status: None,
            name,
            state,
        };
        case.draw_properties(random);
        case.draw_class(random);
        case.draw_volume_side(random);
        case.draw_claim_side(random);
        case.draw_provisioners(random);
        case.draw_clutter(random);
        case
    }

    /// Sizes, modes, where the volume is.
    fn draw_properties(&mut self, random: &mut Random) {
        let (request, capacity) = random.pick(&SIZES);
        let (asked, offered) = random.pick(&MODES);
        let claim = &mut self.claim["spec"];
        let volume = &mut self.volume["spec"];
        claim["resources"] = json!({ "requests": { "storage": request } });
        volume["capacity"] = json!({ "storage": capacity });
        claim["accessModes"] = json!(asked);
        volume["accessModes"] = json!(offered);
        let csi = json!({ "driver": "csi.example.com", "volumeHandle": self.name });
        if random.chance(15) {
            claim["volumeMode"] = json!("Block");
            volume["volumeMode"] = json!("Block");
            volume["csi"] = csi;
        } else {
            let sources = [
                ("hostPath", json!({ "path": "/nowhere" })),
                (
                    "nfs",
                    json!({ "server": "nfs.example.com", "path": "/export" }),
                ),
                ("csi", csi),
            ];
            let (source, detail) = &sources[random.below(sources.len())];
            volume[*source] = detail.clone();
        }
        // Only volumes of CSI drivers have attributes.
        if volume.get("csi").is_some() && random.chance(50) {
            let gold = json!(format!("gold-{SIDE}"));
            claim["volumeAttributesClassName"] = gold.clone();
            volume["volumeAttributesClassName"] = gold;
        }
        if random.chance(20) {
            let before = random.pick(&["512Mi", "0.5Gi", "536870912", "no quantity"]);
            self.volume["metadata"]["annotations"][PRE_RESIZE] = json!(before);
        }
    }

    fn draw_class(&mut self, random: &mut Random) {
        let own = json!(class_name(&self.name));
        match self.state {
            State::NoClass | State::RetroactiveDefault => {
                self.claim["spec"]["selector"] =
                    json!({ "matchLabels": { CASE: self.name, "side": SIDE } });
                if self.state == State::RetroactiveDefault {
                    self.volume["spec"]["storageClassName"] = json!(default_class_name(SIDE));
                }
            }
            _ => {
                for object in [&mut self.claim, &mut self.volume] {
                    if random.chance(15) {
                        object["metadata"]["annotations"][BETA_CLASS] = own.clone();
                    } else {
                        object["spec"]["storageClassName"] = own.clone();
                    }
                }
            }
        }
    }

    /// claimRef, annotations and phase of the volume.
    fn draw_volume_side(&mut self, random: &mut Random) {
        let mut reference = json!({ "namespace": namespace(SIDE), "name": self.name });
        let annotations = &mut self.volume["metadata"]["annotations"];
        if self.state.has_uid() {
            reference["uid"] = json!(UID);
            if random.chance(60) {
                reference["resourceVersion"] = json!(VERSION);
            }
        }
        if random.chance(60) {
            reference["apiVersion"] = json!("v1");
            reference["kind"] = json!("PersistentVolumeClaim");
        }
        if self.state == State::Provisioned {
            annotations["pv.kubernetes.io/provisioned-by"] = json!("csi.example.com");
            self.volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete");
        } else if self.state.has_uid() && random.chance(50)
            || self.state.is_reserved() && random.chance(15)
        {
            annotations[BOUND_BY_CONTROLLER] = json!("yes");
        }
        if self.state.has_uid() || self.state.is_reserved() {
            self.volume["spec"]["claimRef"] = reference;
        }
        let phase = random.pick(self.state.phases());
        self.volume_status = match phase {
            "Pending" => None,
            "Failed" => Some(json!({ "phase": phase, "message": "it broke", "reason": "Broken" })),
            _ => Some(json!({ "phase": phase })),
        };
    }

    /// What the claim says of its volume.
    fn draw_claim_side(&mut self, random: &mut Random) {
        if self.state.names_volume() {
            self.claim["spec"]["volumeName"] = json!(volume_name(&self.name));
        }
        let annotations = &mut self.claim["metadata"]["annotations"];
        if self.state.names_volume() && random.chance(50) {
            annotations[BOUND_BY_CONTROLLER] = json!("yes");
        }
        if self.state.is_completed() {
            annotations[BIND_COMPLETED] = json!("yes");
        }
        if self.state == State::Provisioned {
            annotations["volume.kubernetes.io/storage-provisioner"] = json!("csi.example.com");
            annotations["volume.beta.kubernetes.io/storage-provisioner"] = json!("csi.example.com");
        }
        self.claim_status = match self.state {
            State::Lost => Some(json!({ "phase": "Lost" })),
            // An equal capacity stays as it is written, a different one does not.
            State::CompletedWithoutStatus if random.chance(40) => {
                let capacity = random.pick(&["1Gi", "1024Mi", "3Gi"]);
                Some(json!({ "phase": "Pending", "capacity": { "storage": capacity } }))
            }
            _ => None,
        };
    }

    /// Who made the volume or was asked to, and whether the driver that took over is noted: a sync corrects that first.
    fn draw_provisioners(&mut self, random: &mut Random) {
        let driver = |random: &mut Random| random.pick(&DRIVERS).map(|name| json!(name));
        let claim = &mut self.claim["metadata"]["annotations"];
        if random.chance(40) {
            let key = random.pick(&["volume.kubernetes.io", "volume.beta.kubernetes.io"]);
            claim[format!("{key}/storage-provisioner")] = json!(random.pick(&PROVISIONERS));
        }
        if let Some(driver) = driver(random) {
            claim[MIGRATED_TO] = driver;
        }
        let volume = &mut self.volume["metadata"];
        if random.chance(40) {
            volume["annotations"]["pv.kubernetes.io/provisioned-by"] =
                json!(random.pick(&PROVISIONERS));
            let policy = random.pick(&["Retain", "Delete"]);
            self.volume["spec"]["persistentVolumeReclaimPolicy"] = json!(policy);
        }
        let volume = &mut self.volume["metadata"];
        if let Some(driver) = driver(random) {
            volume["annotations"][MIGRATED_TO] = driver;
        }
        let finalizers = random.pick(&FINALIZERS);
        if !finalizers.is_empty() {
            volume["finalizers"] = json!(finalizers);
        }
    }

    /// What must survive.
    fn draw_clutter(&mut self, random: &mut Random) {
        for object in [&mut self.claim, &mut self.volume] {
            if random.chance(30) {
                object["metadata"]["annotations"]["example.com/note"] =
                    json!("a \"note\"\nof two lines");
                object["metadata"]["labels"]["team"] = json!("storage");
            }
            if random.chance(15) {
                object["metadata"]["finalizers"] = json!(["example.com/held"]);
            }
        }
    }
}

fn class(case: &str, state: State) -> Option<Value> {
    (state == State::ReservedDelayed).then(|| {
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": { "name": class_name(case), "labels": { CASE: case } },
            "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "WaitForFirstConsumer",
        })
    })
}

/// The one that becomes the default when the claims are there already.
pub(super) fn default_class() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {
            "name": default_class_name(SIDE), "labels": { CASE: "all" },
            "annotations": { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": "Immediate",
    })
}

pub(super) fn namespace(side: &str) -> String {
    format!("binding-{side}")
}

fn class_name(case: &str) -> String {
    format!("{case}-{SIDE}")
}

fn volume_name(case: &str) -> String {
    format!("{case}-{SIDE}")
}

fn default_class_name(side: &str) -> String {
    format!("late-{side}")
}

/// A template with its placeholders filled in.
pub(super) fn fill(template: &Value, words: &[(&str, &str)]) -> Value {
    let text = |text: &String| {
        let mut text = text.clone();
        for (placeholder, word) in words {
            text = text.replace(placeholder, word);
        }
        text
    };
    match template {
        Value::String(found) => json!(text(found)),
        Value::Array(items) => items.iter().map(|item| fill(item, words)).collect(),
        Value::Object(fields) => {
            let filled = fields
                .iter()
                .map(|(key, value)| (text(key), fill(value, words)));
            Value::Object(filled.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}
