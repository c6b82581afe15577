//! Random worlds in the control plane, from their creation to their removal. First, with the
//! controller running, the volumes get their phases; then, without it, the claims appear and their
//! uids are written where the worlds want them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use futures::StreamExt;
use futures::stream;
use kube::Client;
use serde_json::{Value, json};

use super::LIMIT;
use crate::cluster::control_plane::{ControlPlane, QUIET};
use crate::cluster::objects::{create_all, delete_all, list, patch, settle};
use crate::cluster::running::Running;
use crate::plan_exact::draw::{Manner, Place, WORLD, World, driver};
use crate::random::Random;

const IN_FLIGHT: usize = 16;
const STORAGE: &str = "storage.k8s.io/v1";
/// Where kube-controller-manager provisions.
const PROVISIONED: &str = "/tmp/hostpath_pv/";

/// Worlds that share two namespaces and a default class.
pub(super) struct Batch {
    names: Vec<String>,
    worlds: Vec<World>,
    namespaces: [String; 2],
    /// Created after the claims, which therefore get it from the controller (R15).
    default_class: Option<Value>,
}

impl Batch {
    pub(super) fn draw(seed: u64, name: &str, index: u64, number: usize) -> Self {
        let mut random = Random::new(seed.wrapping_add(index.wrapping_mul(0x5851_f42d_4c95_7f2d)));
        let namespaces = [name.to_owned(), format!("{name}-other")];
        let has_default = !index.is_multiple_of(3);
        let default_class = has_default.then(|| default_class(&mut random, name));
        let default_name = default_class.as_ref().map(name_of);
        let names: Vec<String> = (0..number)
            .map(|world| format!("{name}-w{world}"))
            .collect();
        let worlds = names.iter().map(|world| {
            let manner = Manner {
                name: world.clone(),
                namespaces: namespaces.clone(),
                place: Place::Cluster {
                    default_class: default_name.clone(),
                },
                claims: (1, 5),
                volumes: (0, 6),
            };
            World::draw(&mut random, &manner)
        });
        Self {
            worlds: worlds.collect(),
            names,
            namespaces,
            default_class,
        }
    }

    /// The value of the label of each world.
    pub(super) fn worlds(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    fn volumes(&self) -> Vec<Value> {
        self.gather(|world| &world.volumes)
    }

    /// The volumes as they can be created: no bind is begun yet.
    pub(super) fn new_volumes(&self) -> Vec<Value> {
        self.volumes().iter().map(unborn).collect()
    }

    /// Namespaces, classes and volumes, these with their phases.
    pub(super) async fn prepare(&self, plane: &ControlPlane, client: &Client) {
        self.add_surroundings(plane, client).await;
        let controller = plane.start_controller();
        create_all(client, self.new_volumes()).await;
        settle(client, QUIET, LIMIT).await;
        drop(controller);
    }

    /// Everything but volumes and claims.
    pub(super) async fn add_surroundings(&self, plane: &ControlPlane, client: &Client) {
        for namespace in &self.namespaces {
            plane.namespace(namespace);
        }
        let mut driver = driver();
        driver["metadata"]["labels"] = json!({ WORLD: self.namespaces[0] });
        create_all(client, vec![driver]).await;
        create_all(client, self.gather(|world| &world.classes)).await;
    }

    /// The claims and the default class.
    pub(super) async fn add_claims(&self, client: &Client) -> Vec<Value> {
        let claims = self.gather(|world| &world.claims);
        let created = create_all(client, claims.iter().map(unborn).collect()).await;
        create_all(client, self.default_class.clone().into_iter().collect()).await;
        created
    }

    /// The binds that were begun: the uids of claims in volumes.
    pub(super) async fn begin_binds(&self, client: &Client, created: &[Value]) {
        let claims = self.gather(|world| &world.claims);
        let uid = |object: &Value| {
            object["metadata"]["uid"]
                .as_str()
                .expect("a uid")
                .to_owned()
        };
        let uids = claims.iter().map(uid).zip(created.iter().map(uid));
        let uids: BTreeMap<String, String> = uids.collect();
        let changes = self.volumes().into_iter().filter_map(|volume| {
            let mut reference = volume["spec"]["claimRef"].clone();
            let real = uids.get(reference["uid"].as_str()?)?;
            reference["uid"] = json!(real);
            Some((volume, json!({ "spec": { "claimRef": reference } })))
        });
        patch_all(client, changes.collect()).await;
    }

    fn gather(&self, part: impl Fn(&World) -> &Vec<Value>) -> Vec<Value> {
        self.worlds
            .iter()
            .flat_map(|world| part(world).clone())
            .collect()
    }

    /// Takes everything away again, so that batches do not pile up.
    pub(super) async fn clear(self, plane: &ControlPlane, client: &Client, controller: Running) {
        delete_all(client, "v1", "PersistentVolumeClaim", WORLD).await;
        settle(client, QUIET, LIMIT).await;
        for namespace in &self.namespaces {
            plane.kubectl(&["delete", "namespace", namespace, "--wait=false"]);
        }
        drop(controller);
        let volumes = list(client, "v1", "PersistentVolume", None).await;
        let is_ours = |volume: &Value| {
            let claim = volume["spec"]["claimRef"]["namespace"].as_str();
            volume["metadata"]["labels"].get(WORLD).is_some()
                || claim.is_some_and(|claim| self.namespaces.iter().any(|ours| ours == claim))
        };
        delete_volumes(client, volumes.into_iter().filter(is_ours).collect()).await;
        for kind in ["StorageClass", "CSIDriver"] {
            delete_all(client, STORAGE, kind, WORLD).await;
        }
    }
}

/// Everything the oracle looks at.
pub(super) async fn snapshot(client: &Client) -> Vec<Value> {
    let mut objects = Vec::new();
    for (group, kind) in [
        (STORAGE, "StorageClass"),
        (STORAGE, "CSIDriver"),
        ("v1", "PersistentVolume"),
        ("v1", "PersistentVolumeClaim"),
    ] {
        objects.extend(list(client, group, kind, None).await);
    }
    objects
}

/// The object as it can be created: its uid, and that of any claim, is yet to come.
fn unborn(object: &Value) -> Value {
    let mut object = object.clone();
    let metadata = object["metadata"].as_object_mut().expect("metadata");
    metadata.remove("uid");
    let spec = object["spec"].as_object_mut().expect("a spec");
    let of_claim = |reference: &Value| {
        let uid = reference["uid"].as_str();
        uid.is_some_and(|uid| uid != "uid-gone")
    };
    if spec.get("claimRef").is_some_and(of_claim) {
        spec.remove("claimRef");
    }
    object
}

async fn patch_all(client: &Client, changes: Vec<(Value, Value)>) {
    let patches = stream::iter(changes).map(|(object, change)| async move {
        patch(client, &object, &change).await;
    });
    patches.buffered(IN_FLIGHT).collect::<Vec<()>>().await;
}

/// Those that were made carry no label, and the controller's own a folder on this machine.
async fn delete_volumes(client: &Client, volumes: Vec<Value>) {
    for volume in &volumes {
        let path = volume["spec"]["hostPath"]["path"].as_str().unwrap_or("");
        if path.starts_with(PROVISIONED) && Path::new(path).is_dir() {
            fs::remove_dir(path).expect("an empty folder that the controller has made");
        }
    }
    let released = json!({ "metadata": { "finalizers": null, "labels": { WORLD: "all" } } });
    let changes = volumes.into_iter().map(|volume| (volume, released.clone()));
    patch_all(client, changes.collect()).await;
    delete_all(client, "v1", "PersistentVolume", WORLD).await;
}

fn default_class(random: &mut Random, name: &str) -> Value {
    let (provisioner, mode) = random.weighted(&[
        (50, ("kubernetes.io/no-provisioner", "Immediate")),
        (30, ("kubernetes.io/host-path", "Immediate")),
        (20, ("kubernetes.io/no-provisioner", "WaitForFirstConsumer")),
    ]);
    json!({
        "apiVersion": STORAGE, "kind": "StorageClass",
        "metadata": {
            "name": format!("{name}-standard"), "labels": { WORLD: name },
            "annotations": { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        "provisioner": provisioner, "volumeBindingMode": mode,
    })
}

fn name_of(object: &Value) -> String {
    object["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned()
}
