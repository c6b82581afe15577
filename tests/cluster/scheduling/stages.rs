//! A batch in the real control plane. First, with the controller running, volumes get their phases
//! and claims their volumes; then, without it, everything else appears, so that there is a state
//! to be predicted which stays as it is. After that the controller has its say, and the scheduler
//! tries every pod once, alone; only then the controller comes back and finishes what the
//! scheduler has begun.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::attempts::{await_attempts, await_landings};
use super::batch::Batch;
use super::claims::{EXTERNAL, set_owner};
use crate::cluster::agreement::case::{CASE, TERMINATES, VANISHES, fate};
use crate::cluster::agreement::stages::{delete_fated, patch_all};
use crate::cluster::control_plane::{ControlPlane, QUIET};
use crate::cluster::objects::{
    create_all, create_nodes, delete_all, list, settle, update_status, versions_of,
};
use crate::cluster::running::Running;

/// The scheduler does not look again by itself; it takes milliseconds for a pod.
const CALM: Duration = Duration::from_millis(1_500);
pub(super) const PAUSE: Duration = Duration::from_millis(200);
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// Kinds in the order in which they are needed.
const SETTLED: &[&[&str]] = &[
    &[
        "StorageClass",
        "CSIDriver",
        "CSIStorageCapacity",
        "VolumeAttachment",
        "PersistentVolume",
    ],
    &["PersistentVolumeClaim"],
];

impl Batch {
    /// What the controller has done its part for.
    pub(super) async fn prepare(&self, plane: &ControlPlane, client: &Client) {
        plane.namespace(&self.namespace);
        create_all(client, self.priority_classes()).await;
        create_nodes(client, self.nodes.objects()).await;
        create_all(client, self.nodes.csi_objects(&self.limits())).await;
        let settled = self.gather(|world| &world.settled);
        for kinds in SETTLED {
            let these = settled.iter().filter(|object| is_one_of(object, kinds));
            create_all(client, these.cloned().collect()).await;
        }
        run_binder(plane, client).await;
        assert_prepared(client).await;
    }

    /// Everything that would not last if the controller were there.
    pub(super) async fn complete(&self, client: &Client) {
        let pods = self.gather(|world| &world.pods);
        let mut neighbours = self.gather(|world| &world.neighbours);
        neighbours.extend(self.bystanders.clone());
        let pods = create_all(client, pods).await;
        create_all(client, neighbours.clone()).await;
        let mut claims = self.gather(|world| &world.late);
        for claim in &mut claims {
            set_owner(claim, &pods);
        }
        create_all(client, claims.clone()).await;
        for object in neighbours.iter().chain(&claims) {
            if !object["status"].is_null() {
                update_status(client, object).await;
            }
        }
        complete_binds(client, &claims).await;
        for kind in ["Pod", "PersistentVolume", "PersistentVolumeClaim"] {
            delete_fated(client, kind, TERMINATES).await;
        }
        let settled = self.gather(|world| &world.settled).into_iter();
        let vanishing = settled.filter(|object| fate(object) == VANISHES);
        let unprotected = json!({ "metadata": { "finalizers": null } });
        let changes = vanishing.map(|volume| (volume, unprotected.clone()));
        patch_all(client, changes.collect()).await;
        delete_fated(client, "PersistentVolume", VANISHES).await;
        if self.has_default {
            create_all(client, vec![default_class(&self.namespace)]).await;
        }
    }

    /// One for pods that do not want anybody driven out, and one for pods that may be.
    fn priority_classes(&self) -> Vec<Value> {
        let class = |name: &str, value: i32, policy: &str| {
            json!({
                "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                "metadata": {
                    "name": format!("{}-{name}", self.namespace), "labels": { CASE: "all" },
                },
                "value": value, "preemptionPolicy": policy,
            })
        };
        vec![
            class("never", 0, "Never"),
            class("low", -10, "PreemptLowerPriority"),
        ]
    }
}

/// Lets the PV controller do what it has to do before the scheduler comes: it binds what is left
/// to it, and finds out what is lost.
pub(super) async fn run_binder(plane: &ControlPlane, client: &Client) {
    let binder = plane.start_binder();
    settle(client, QUIET, LIMIT).await;
    drop(binder);
}

/// Lets the scheduler try every pod, without anybody to finish what it begins. What it has said
/// before is forgotten first.
pub(super) async fn run_scheduler(plane: &ControlPlane, client: &Client) -> Running {
    delete_all(client, "v1", "Event", "").await;
    let scheduler = plane.start_scheduler();
    await_attempts(client).await;
    scheduler
}

/// Waits until no pod, volume or claim has changed, and nothing new was said, for a while.
pub(super) async fn calm_down(client: &Client) {
    let started = Instant::now();
    let mut last_change = started;
    let mut seen = state(client).await;
    while last_change.elapsed() < CALM {
        assert!(
            started.elapsed() < LIMIT,
            "the scheduler is still busy after {LIMIT:?}"
        );
        sleep(PAUSE).await;
        let now = state(client).await;
        if now != seen {
            last_change = Instant::now();
            seen = now;
        }
    }
}

/// What is said again counts up in the same event, so of those only the number matters.
async fn state(client: &Client) -> BTreeSet<String> {
    let mut state = BTreeSet::new();
    for kind in ["Pod", "PersistentVolume", "PersistentVolumeClaim"] {
        let versions = versions_of(client, kind).await;
        state.extend(versions.into_iter().map(|(uid, version)| uid + &version));
    }
    state.extend(versions_of(client, "Event").await.into_keys());
    state
}

/// Lets the controller finish what the scheduler has begun, until both have nothing left to do.
pub(super) async fn finish(plane: &ControlPlane, client: &Client) {
    let controller = plane.start_controller();
    settle(client, QUIET, LIMIT).await;
    await_landings(client).await;
    calm_down(client).await;
    drop(controller);
}

/// Nobody makes volumes of it, so nobody takes anything from anybody.
fn default_class(name: &str) -> Value {
    let default = json!({ "storageclass.kubernetes.io/is-default-class": "true" });
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": name, "labels": { CASE: "all" }, "annotations": default },
        "provisioner": EXTERNAL, "volumeBindingMode": "WaitForFirstConsumer",
    })
}

fn is_one_of(object: &Value, kinds: &[&str]) -> bool {
    let kind = object["kind"].as_str().expect("a kind");
    kinds.contains(&kind)
}

/// The other side of claims that were created as bound: their volumes, where they exist.
async fn complete_binds(client: &Client, created: &[Value]) {
    let bound = |name: &Value| {
        let mut claims = created.iter();
        claims
            .any(|claim| claim["status"]["phase"] == "Bound" && claim["metadata"]["name"] == *name)
    };
    let claims = list(client, "v1", "PersistentVolumeClaim", None).await;
    for mut volume in list(client, "v1", "PersistentVolume", None).await {
        let reference = &volume["spec"]["claimRef"];
        if !bound(&reference["name"]) {
            continue;
        }
        let claim = claims
            .iter()
            .find(|claim| claim["metadata"]["name"] == reference["name"])
            .expect("the claim was created");
        let reference = json!({ "spec": { "claimRef": { "uid": claim["metadata"]["uid"] } } });
        patch_all(client, vec![(volume.clone(), reference)]).await;
        volume["status"] = json!({ "phase": "Bound" });
        update_status(client, &volume).await;
    }
}

/// The controller did what it was there for.
async fn assert_prepared(client: &Client) {
    let ours = |object: &Value| object["metadata"]["labels"].get(CASE).is_some();
    for volume in list(client, "v1", "PersistentVolume", None).await {
        assert!(
            !ours(&volume) || volume["status"]["phase"] != "Pending",
            "{volume}"
        );
    }
    for claim in list(client, "v1", "PersistentVolumeClaim", None).await {
        assert!(
            !ours(&claim) || claim["status"]["phase"] == "Bound",
            "{claim}"
        );
    }
}
