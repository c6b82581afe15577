//! Objects as JSON values: their kind and names, and what of them a command line can name.

use serde_json::Value;

pub(super) fn is_kind(object: &Value, kind: &str) -> bool {
    object["kind"] == kind
}

pub(super) fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

pub(super) fn namespace_of(object: &Value) -> &str {
    let namespace = object["metadata"]["namespace"].as_str();
    namespace.unwrap_or("default")
}

/// The workloads that `explain` accepts, by kind and by the word for the command line.
const WORKLOADS: &[(&str, &str)] = &[
    ("StatefulSet", "statefulset"),
    ("Deployment", "deployment"),
    ("DaemonSet", "daemonset"),
    ("Job", "job"),
    ("CronJob", "cronjob"),
];

/// What a command line can name in a cluster.
#[derive(Default, Clone)]
pub(super) struct Subjects {
    /// Namespace and name, as for pods.
    pub(super) claims: Vec<(String, String)>,
    pub(super) pods: Vec<(String, String)>,
    /// Namespace and `TYPE/NAME`.
    pub(super) workloads: Vec<(String, String)>,
    pub(super) config_maps: Vec<(String, String)>,
    pub(super) volumes: Vec<String>,
    pub(super) classes: Vec<String>,
    pub(super) nodes: Vec<String>,
    pub(super) sets: Vec<String>,
    /// Provisioners of the classes that `--backend` accepts.
    pub(super) provisioners: Vec<String>,
}

impl Subjects {
    pub(super) fn of(objects: &[Value]) -> Self {
        let mut subjects = Self::default();
        for object in objects {
            subjects.add(object);
        }
        subjects
    }

    fn add(&mut self, object: &Value) {
        let name = name_of(object).to_owned();
        let kind = object["kind"].as_str().unwrap_or_default();
        if let Some(items) = object["items"].as_array() {
            for item in items {
                self.add(item);
            }
            return;
        }
        if name.is_empty() {
            return;
        }
        let key = (namespace_of(object).to_owned(), name.clone());
        match kind {
            "PersistentVolumeClaim" => self.claims.push(key),
            "Pod" => self.pods.push(key),
            "ConfigMap" => self.config_maps.push(key),
            "PersistentVolume" => self.volumes.push(name),
            "Node" => self.nodes.push(name),
            "PersistentVolumeSet" => self.sets.push(name),
            "StorageClass" => {
                self.classes.push(name);
                let provisioner = object["provisioner"].as_str().unwrap_or_default();
                if provisioner.contains('/') && !provisioner.starts_with("kubernetes.io/") {
                    self.provisioners.push(provisioner.to_owned());
                }
            }
            _ => {
                if let Some((_, word)) = WORKLOADS.iter().find(|(known, _)| *known == kind) {
                    self.workloads.push((key.0, format!("{word}/{name}")));
                }
            }
        }
    }

    /// The objects of a YAML or JSON text; a text that cannot be read has none.
    pub(super) fn read(text: &str) -> Self {
        let mut documents = vec![String::new()];
        for line in text.lines() {
            if line.trim_end() == "---" {
                documents.push(String::new());
            } else if let Some(document) = documents.last_mut() {
                document.push_str(line);
                document.push('\n');
            }
        }
        let objects: Vec<Value> = documents
            .iter()
            .filter_map(|document| serde_saphyr::from_str(document).ok())
            .collect();
        Self::of(&objects)
    }
}
