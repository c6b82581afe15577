//! A place of its own in the cluster for one run of a scenario: a namespace, and volumes and classes
//! that carry the place's name, so that the next run finds nothing of this one and two runs can be
//! compared.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::api::Api;
use super::normal_form::normal_form;
use crate::cluster::report_check::Site;

/// What every name of a place becomes in a normal form.
const ANY_PLACE: &str = "place";

pub(crate) struct Place {
    pub(crate) name: String,
    api: Api,
}

/// Three letters for this process: tests follow one another on a plane, each as a process of its own.
fn own_letters() -> String {
    let mut left = std::process::id();
    let letters = (0..3).map(|_| {
        let letter = u8::try_from(left % 26).expect("below 26");
        left /= 26;
        char::from(b'a' + letter)
    });
    letters.collect()
}

impl Place {
    /// A new one, with its namespace.
    pub(crate) fn create(api: Api, what: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // The end mark keeps place 1 apart from place 11 where names are replaced.
        let name = format!("{what}-{}{number}z", own_letters());
        let namespace = json!({
            "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name },
        });
        api.create(&namespace);
        Self { name, api }
    }

    /// A volume of this place, 1Gi and ReadWriteOnce unless it is changed.
    pub(crate) fn volume(&self, name: &str, capacity: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": format!("{}-{name}", self.name) },
            "spec": {
                "storageClassName": self.name, "capacity": { "storage": capacity },
                "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
                "hostPath": { "path": "/nowhere" },
            },
        })
    }

    /// A claim of this place.
    pub(crate) fn claim(&self, name: &str, request: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": { "namespace": self.name, "name": name },
            "spec": {
                "storageClassName": self.name, "accessModes": ["ReadWriteOnce"],
                "resources": { "requests": { "storage": request } },
            },
        })
    }

    /// Its claims, and every volume that is its own or was made for one of its claims.
    pub(crate) fn storage(&self) -> Vec<Value> {
        let mut found = self
            .api
            .list("v1", "PersistentVolumeClaim", Some(&self.name));
        let volumes = self.api.list("v1", "PersistentVolume", None).into_iter();
        found.extend(volumes.filter(|volume| self.owns(volume)));
        found
    }

    fn owns(&self, volume: &Value) -> bool {
        let name = volume["metadata"]["name"].as_str().unwrap_or_default();
        name.starts_with(&format!("{}-", self.name))
            || volume["spec"]["storageClassName"] == self.name
            || volume["spec"]["claimRef"]["namespace"] == self.name
    }

    /// Its claims and volumes, comparable with those of another place.
    pub(crate) fn normal_form(&self) -> Value {
        normal_form(&self.storage(), &[(&self.name, ANY_PLACE)])
    }

    /// Where reports of runs in this place are checked.
    pub(crate) fn site(&self, bases: &[PathBuf]) -> Site {
        Site::new(self.api, &self.name, bases)
    }

    /// Takes all of it away but the empty namespace: a thousand of them on their way out would keep the next test's control
    /// plane busy.
    pub(crate) fn clear(&self) {
        let pods = self.api.list("v1", "Pod", Some(&self.name));
        for object in pods.iter().chain(&self.storage()) {
            self.api.delete(object);
        }
    }
}
