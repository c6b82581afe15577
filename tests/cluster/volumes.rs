//! What becomes of a volume when its claim goes: volumes of every kind, maker and policy, predicted by `explain pv`, then
//! released in the real control plane. Phase, message and events must be what we said, word for word.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::{Value, json};

use super::control_plane::{ControlPlane, QUIET_TWICE, runtime};
use super::objects::{create_all, delete_all, list, patch, settle, update_status};
use super::suggestions::run;

const LIMIT: Duration = Duration::from_secs(120);
/// The label of all that belongs to one of these tests.
const LABEL: &str = "explain-volume";
const MADE_BY: &str = "pv.kubernetes.io/provisioned-by";
const MIGRATED_TO: &str = "pv.kubernetes.io/migrated-to";

/// Where data lies: what it is called here, and the source. `folder` is ours, below `/tmp`.
fn sources(folder: &Path, name: &str) -> Vec<(&'static str, Value)> {
    let own = folder.join(name);
    vec![
        ("tmp", json!({"hostPath": {"path": own}})),
        (
            "nestedtmp",
            json!({"hostPath": {"path": format!("/nowhere/tmp/{name}")}}),
        ),
        (
            "host",
            json!({"hostPath": {"path": format!("/nowhere/{name}")}}),
        ),
        (
            "nfs",
            json!({"nfs": {"server": "127.0.0.1", "path": "/nowhere"}}),
        ),
        (
            "local",
            json!({
                "local": {"path": "/nowhere"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [
                    {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["nowhere"]}]},
                ]}},
            }),
        ),
        (
            "csi",
            json!({"csi": {"driver": "csi.nowhere.example", "volumeHandle": name}}),
        ),
        (
            "ebs",
            json!({"awsElasticBlockStore": {"volumeID": "vol-0123456789abcdef0"}}),
        ),
        (
            "iscsi",
            json!({"iscsi": {"targetPortal": "127.0.0.1:3260", "iqn": "iqn.2026-01.example:x", "lun": 0}}),
        ),
    ]
}

/// Who is said to have made a volume, and who to have taken it over.
fn makers() -> Vec<(&'static str, Value)> {
    vec![
        ("byhand", json!({})),
        ("hostpath", json!({ MADE_BY: "kubernetes.io/host-path" })),
        ("nfs", json!({ MADE_BY: "kubernetes.io/nfs" })),
        ("ebs", json!({ MADE_BY: "kubernetes.io/aws-ebs" })),
        ("unheard", json!({ MADE_BY: "kubernetes.io/unheard-of" })),
        ("foreign", json!({ MADE_BY: "example.com/foreign" })),
        ("empty", json!({ MADE_BY: "" })),
        ("moved", json!({ MIGRATED_TO: "ebs.csi.aws.com" })),
        (
            "stale",
            json!({ MADE_BY: "example.com/foreign", MIGRATED_TO: "ebs.csi.aws.com" }),
        ),
    ]
}

/// A volume of every kind, maker and policy. Recycling has a test of its own: upstream can do only one at a time (R81a).
fn volumes(test: &str, folder: &Path) -> Vec<Value> {
    let mut all = Vec::new();
    for (maker, annotations) in makers() {
        for policy in ["Retain", "Delete", "Recycle"] {
            let kinds = sources(folder, "").len();
            for kind in 0..kinds {
                let label = sources(folder, "")[kind].0;
                let name = format!("{test}-{label}-{maker}-{}", policy.to_lowercase());
                let is_recycled = policy == "Recycle"
                    && ["tmp", "nestedtmp", "host", "nfs"].contains(&label)
                    && !["ebs", "moved"].contains(&maker);
                if is_recycled {
                    continue;
                }
                let source = sources(folder, &name).swap_remove(kind).1;
                all.push(volume(test, &name, policy, &annotations, source));
            }
        }
    }
    all
}

fn volume(test: &str, name: &str, policy: &str, annotations: &Value, source: Value) -> Value {
    let mut spec = json!({
        "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "storageClassName": test,
        "persistentVolumeReclaimPolicy": policy,
    });
    if let (Some(spec), Value::Object(source)) = (spec.as_object_mut(), source) {
        spec.extend(source);
    }
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": {LABEL: test}, "annotations": annotations}, "spec": spec,
    })
}

fn name_of(object: &Value) -> String {
    object["metadata"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// A claim that names the volume, so that it surely gets it.
fn claim_for(test: &str, volume: &Value) -> Value {
    let name = name_of(volume);
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": test, "labels": {LABEL: test}},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": test, "volumeName": name,
            "resources": {"requests": {"storage": "1Gi"}},
        },
    })
}

/// Folders with something in them for the volumes below `/tmp`; gone with this value.
struct Folders {
    base: PathBuf,
}

impl Folders {
    fn new(test: &str) -> Self {
        let base = PathBuf::from(format!("/tmp/kubectl-pv-{test}-{}", std::process::id()));
        fs::create_dir_all(&base).unwrap();
        Self { base }
    }

    fn fill(&self, volumes: &[Value]) {
        for volume in volumes {
            if let Some(path) = self.path_of(volume) {
                fs::create_dir_all(&path).unwrap();
                fs::write(path.join("data"), "precious").unwrap();
            }
        }
    }

    fn path_of(&self, volume: &Value) -> Option<PathBuf> {
        let path = Path::new(volume["spec"]["hostPath"]["path"].as_str()?);
        path.starts_with(&self.base).then(|| path.to_owned())
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.base);
    }
}

/// What `explain pv` says of the volumes of a test, by name.
fn explained(plane: &ControlPlane, test: &str) -> BTreeMap<String, Value> {
    let selector = format!("{LABEL}={test}");
    let list = plane
        .kubectl_pv("admin", &["explain", "pv", "-l", &selector, "-o", "json"])
        .json();
    assert_eq!(list["kind"], "VolumeExplanationList");
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let by_name = |item: Value| (item["volume"]["name"].as_str().unwrap().to_owned(), item);
    items.into_iter().map(by_name).collect()
}

/// A volume as it is, in what we predict of it.
#[derive(Debug, PartialEq, Eq, Clone)]
struct Facts {
    /// Absent where the volume is gone.
    phase: Option<String>,
    message: Option<String>,
    says: Vec<(String, String, String)>,
}

fn words(says: &Value) -> Vec<(String, String, String)> {
    let word = |event: &Value, key: &str| event[key].as_str().unwrap_or_default().to_owned();
    let mut words: Vec<_> = says
        .as_array()
        .into_iter()
        .flatten()
        .map(|event| {
            (
                word(event, "type"),
                word(event, "reason"),
                word(event, "message"),
            )
        })
        .collect();
    words.sort();
    words.dedup();
    words
}

/// What there is of each volume. Reports on the progress of a recycler are no verdict.
async fn facts(client: &Client, names: &[String]) -> BTreeMap<String, Facts> {
    let volumes = list(client, "v1", "PersistentVolume", None).await;
    let events = list(client, "v1", "Event", None).await;
    let of = |name: &String| {
        let volume = volumes.iter().find(|volume| name_of(volume) == *name);
        let said: Vec<Value> = events
            .iter()
            .filter(|event| {
                let about = &event["involvedObject"];
                about["kind"] == "PersistentVolume"
                    && about["name"] == name.as_str()
                    && event["reason"] != "RecyclerPod"
            })
            .cloned()
            .collect();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Facts {
            phase: volume.and_then(|volume| text(&volume["status"]["phase"])),
            message: volume.and_then(|volume| text(&volume["status"]["message"])),
            says: words(&json!(said)),
        }
    };
    names.iter().map(|name| (name.clone(), of(name))).collect()
}

/// What we say becomes of a volume when its claim goes.
fn predicted(explanation: &Value) -> Facts {
    let fate = &explanation["onClaimDeletion"];
    let says = words(&fate["says"]);
    let failed = fate["result"] == "Failed";
    Facts {
        phase: fate["phase"].as_str().map(str::to_owned),
        message: says.first().filter(|_| failed).map(|said| said.2.clone()),
        says,
    }
}

fn compare(predictions: &BTreeMap<String, Facts>, reality: &BTreeMap<String, Facts>) {
    let mut wrong = String::new();
    for (name, real) in reality {
        let said = &predictions[name];
        if said != real {
            wrong.push_str(&format!("{name}\n  said {said:?}\n  is   {real:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for real in reality.values() {
        *counts
            .entry(real.phase.as_deref().unwrap_or("gone"))
            .or_default() += 1;
    }
    println!("{} volumes as predicted: {counts:?}", reality.len());
    // A table that never fails, keeps or deletes anything would prove nothing.
    for phase in ["Failed", "Released", "gone"] {
        assert!(counts.contains_key(phase), "{counts:?}");
    }
}

/// Takes all volumes of a test away, finalizers and all.
async fn clear(client: &Client, test: &str) {
    let selector = format!("{LABEL}={test}");
    delete_all(client, "v1", "Pod", &selector).await;
    delete_all(client, "v1", "PersistentVolumeClaim", &selector).await;
    for volume in list(client, "v1", "PersistentVolume", None).await {
        if volume["metadata"]["labels"][LABEL] == test {
            patch(client, &volume, &json!({"metadata": {"finalizers": null}})).await;
        }
    }
    delete_all(client, "v1", "PersistentVolume", &selector).await;
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn volumes_end_as_predicted_when_their_claims_go() {
    const TEST: &str = "fate";
    let plane = ControlPlane::connect();
    plane.namespace(TEST);
    let folders = Folders::new(TEST);
    let volumes = volumes(TEST, &folders.base);
    folders.fill(&volumes);
    let names: Vec<String> = volumes.iter().map(name_of).collect();
    runtime().block_on(async {
        let client = plane.client().await;
        let controller = plane.start_controller();
        create_all(&client, volumes.clone()).await;
        let claims = volumes.iter().map(|volume| claim_for(TEST, volume));
        create_all(&client, claims.collect()).await;
        settle(&client, QUIET_TWICE, LIMIT).await;
        let before = explained(&plane, TEST);
        assert_eq!(before.len(), volumes.len());
        for (name, explanation) in &before {
            assert_eq!(explanation["volume"]["phase"], "Bound", "{name}");
            assert_eq!(explanation["volume"]["effectivePhase"], "Bound", "{name}");
            assert_eq!(explanation["claimRef"]["claimExists"], true, "{name}");
        }
        delete_all(
            &client,
            "v1",
            "PersistentVolumeClaim",
            &format!("{LABEL}={TEST}"),
        )
        .await;
        settle(&client, QUIET_TWICE, LIMIT).await;
        let reality = facts(&client, &names).await;
        let predictions = before
            .iter()
            .map(|(name, explanation)| (name.clone(), predicted(explanation)))
            .collect();
        compare(&predictions, &reality);
        for volume in &volumes {
            // The data is where we said it would be, too.
            if let Some(path) = folders.path_of(volume) {
                let name = name_of(volume);
                let kept = before[&name]["onClaimDeletion"]["data"] == "Kept"
                    || before[&name]["onClaimDeletion"]["result"] == "LeftToProvisioner";
                assert_eq!(path.join("data").exists(), kept, "{name}");
            }
        }
        assert_told_as_they_are(&explained(&plane, TEST), &reality);
        drop(controller);
        clear(&client, TEST).await;
    });
}

/// Volumes that have come to rest are told as they are, with the words that were said of them.
fn assert_told_as_they_are(told: &BTreeMap<String, Value>, reality: &BTreeMap<String, Facts>) {
    for (name, real) in reality.iter().filter(|(_, real)| real.phase.is_some()) {
        let volume = &told[name]["volume"];
        assert_eq!(volume["phase"].as_str(), real.phase.as_deref(), "{name}");
        assert_eq!(volume["effectivePhase"], volume["phase"], "{name}");
        assert_eq!(words(&told[name]["kubernetesSays"]), real.says, "{name}");
        assert_eq!(told[name]["claimRef"]["claimExists"], false, "{name}");
        let causes = told[name]["causes"].as_array().map_or(0, Vec::len);
        assert!(causes > 0, "{name} is {real:?} for no reason we know");
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn volumes_of_dead_claims_are_seen_for_what_they_will_be() {
    const TEST: &str = "dead";
    let plane = ControlPlane::connect();
    let folders = Folders::new(TEST);
    let mut volumes = volumes(TEST, &folders.base);
    for volume in &mut volumes {
        volume["spec"]["claimRef"] = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": "never-was",
            "uid": "00000000-0000-0000-0000-000000000000",
        });
    }
    folders.fill(&volumes);
    let names: Vec<String> = volumes.iter().map(name_of).collect();
    runtime().block_on(async {
        let client = plane.client().await;
        create_all(&client, volumes).await;
        let before = explained(&plane, TEST);
        let controller = plane.start_controller();
        settle(&client, QUIET_TWICE, LIMIT).await;
        let reality = facts(&client, &names).await;
        let predictions = before.iter().map(|(name, explanation)| {
            let mut facts = predicted(explanation);
            facts.says = words(&explanation["kubernetesSays"]);
            // One that is deleted is Released for a moment.
            if facts.phase.is_some() {
                facts.phase = explanation["volume"]["effectivePhase"]
                    .as_str()
                    .map(str::to_owned);
            }
            (name.clone(), facts)
        });
        compare(&predictions.collect(), &reality);
        drop(controller);
        clear(&client, TEST).await;
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn recycling_waits_for_pods_and_then_empties() {
    const TEST: &str = "recycle";
    let plane = ControlPlane::connect();
    plane.namespace(TEST);
    let folders = Folders::new(TEST);
    runtime().block_on(async {
        let client = plane.client().await;
        let controller = plane.start_controller();
        for (index, (kind, source)) in sources(&folders.base, "recycle").into_iter().enumerate() {
            if !["tmp", "host", "nfs"].contains(&kind) {
                continue;
            }
            let name = format!("{TEST}-{index}-{kind}");
            let annotations = json!({ MADE_BY: "example.com/foreign" });
            let volume = volume(TEST, &name, "Recycle", &annotations, source);
            recycle_one(&plane, &client, &volume).await;
        }
        drop(controller);
        clear(&client, TEST).await;
    });
}

/// Binds a volume, keeps a pod that names its claim, and lets go of the claim, the pod and the recycler, in this order.
async fn recycle_one(plane: &ControlPlane, client: &Client, volume: &Value) {
    let name = name_of(volume);
    let test = volume["spec"]["storageClassName"].as_str().unwrap();
    let claim = claim_for(test, volume);
    // Not scheduled by anybody: such a pod does not hold the claim.
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": test, "labels": {LABEL: test}},
        "spec": {
            "schedulerName": "nobody", "containers": [{"name": "c", "image": "none"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}],
        },
    });
    create_all(client, vec![volume.clone(), claim.clone(), pod.clone()]).await;
    settle(client, QUIET_TWICE, LIMIT).await;
    let before = explained(plane, test)[&name].clone();
    assert_eq!(before["onClaimDeletion"]["result"], "Recycled", "{name}");
    let selector = format!("{LABEL}={test}");
    delete_all(client, "v1", "PersistentVolumeClaim", &selector).await;
    settle(client, QUIET_TWICE, LIMIT).await;

    let waiting = explained(plane, test)[&name].clone();
    let real = facts(client, std::slice::from_ref(&name)).await[&name].clone();
    assert_eq!(waiting["causes"][0]["code"], "InUse", "{waiting:#}");
    assert_eq!(
        (
            waiting["volume"]["effectivePhase"].as_str(),
            words(&waiting["kubernetesSays"])
        ),
        (real.phase.as_deref(), real.says.clone()),
        "{name}"
    );

    delete_all(client, "v1", "Pod", &selector).await;
    finish_recycler(client, &name).await;
    settle(client, QUIET_TWICE, LIMIT).await;
    let mut real = facts(client, std::slice::from_ref(&name)).await[&name].clone();
    real.says
        .retain(|(_, reason, _)| reason == "VolumeRecycled");
    assert_eq!(predicted(&before), real, "{name}");
}

/// No kubelet runs here: the recycler's pod has done its work when we say so.
async fn finish_recycler(client: &Client, volume: &str) {
    let started = Instant::now();
    let name = format!("recycler-for-{volume}");
    loop {
        let pods = list(client, "v1", "Pod", Some("default")).await;
        if let Some(mut pod) = pods.into_iter().find(|pod| name_of(pod) == name) {
            pod["status"] = json!({"phase": "Succeeded"});
            update_status(client, &pod).await;
            return;
        }
        assert!(started.elapsed() < LIMIT, "there is no pod {name}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_we_advise_about_a_volume_works() {
    const TEST: &str = "advice";
    let plane = ControlPlane::connect();
    plane.namespace(TEST);
    let made_by_controller = json!({ MADE_BY: "kubernetes.io/host-path" });
    let by_hand = json!({});
    let nfs = || json!({"nfs": {"server": "127.0.0.1", "path": "/nowhere"}});
    let path = json!({"hostPath": {"path": "/nowhere/tmp/advice"}});
    let kept = volume(TEST, "advice-kept", "Retain", &by_hand, nfs());
    let open = volume(TEST, "advice-open", "Delete", &by_hand, nfs());
    let gone = volume(TEST, "advice-gone", "Delete", &by_hand, nfs());
    let stuck = volume(TEST, "advice-stuck", "Delete", &made_by_controller, path);
    runtime().block_on(async {
        let client = plane.client().await;
        let controller = plane.start_controller();
        let bound = [&kept, &open, &gone];
        create_all(
            &client,
            bound.into_iter().chain([&stuck]).cloned().collect(),
        )
        .await;
        let claims = || bound.iter().map(|volume| claim_for(TEST, volume));
        create_all(&client, claims().collect()).await;
        settle(&client, QUIET_TWICE, LIMIT).await;
        delete_all(
            &client,
            "v1",
            "PersistentVolumeClaim",
            &format!("{LABEL}={TEST}"),
        )
        .await;
        // Deleted before anybody claimed it, and held by the controller's own finalizer (R81d).
        plane.kubectl(&["delete", "pv", "advice-stuck", "--wait=false"]);
        settle(&client, QUIET_TWICE, LIMIT).await;

        let told = explained(&plane, TEST);
        let stuck = &told["advice-stuck"];
        assert_eq!(stuck["causes"][0]["code"], "HeldByFinalizer", "{stuck:#}");
        assert_eq!(
            stuck["holders"][0]["finalizer"],
            "kubernetes.io/pv-controller"
        );
        // New claims of the old names: held off by the uid.
        let mut again: Vec<Value> = claims().take(2).collect();
        again[1]["metadata"]["name"] = json!("another");
        create_all(&client, again).await;
        settle(&client, QUIET_TWICE, LIMIT).await;
        follow(
            &plane,
            &told["advice-kept"],
            "Keep it for advice/advice-kept",
        );
        follow(&plane, &told["advice-open"], "Give it to any claim");
        follow(&plane, &told["advice-gone"], "Delete the object only");
        follow(&plane, stuck, "Delete the object without its data");
        settle(&client, QUIET_TWICE, LIMIT).await;
        let names = ["advice-kept", "advice-open", "advice-gone", "advice-stuck"];
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let phases: Vec<Option<String>> = facts(&client, &names)
            .await
            .into_values()
            .map(|facts| facts.phase)
            .collect();
        // By name: gone, kept, open, stuck.
        let bound = || Some("Bound".to_owned());
        assert_eq!(phases, [None, bound(), bound(), None]);
        drop(controller);
        clear(&client, TEST).await;
    });
}

/// Runs the commands of one suggestion as somebody would who pastes them.
fn follow(plane: &ControlPlane, explanation: &Value, summary: &str) {
    let suggestions = explanation["suggestions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let wanted = suggestions
        .iter()
        .find(|it| {
            it["summary"]
                .as_str()
                .is_some_and(|it| it.starts_with(summary))
        })
        .unwrap_or_else(|| panic!("no suggestion {summary}: {explanation:#}"));
    for command in wanted["commands"].as_array().into_iter().flatten() {
        run(plane, command.as_str().expect("a command"));
    }
}

/// Somebody who may see volumes, and the claims of one namespace.
const HALF_SIGHTED: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: half-sighted}
rules: [{apiGroups: [\"\"], resources: [persistentvolumes], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: half-sighted}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: half-sighted}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: reader}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: half-sighted, namespace: sight}
rules: [{apiGroups: [\"\"], resources: [persistentvolumeclaims], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: half-sighted, namespace: sight}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: half-sighted}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: reader}]
";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_may_not_be_seen_of_a_volume_is_unknown() {
    const TEST: &str = "sight";
    let plane = ControlPlane::connect();
    plane.namespace(TEST);
    plane.apply(HALF_SIGHTED);
    let nfs = || json!({"nfs": {"server": "127.0.0.1", "path": "/nowhere"}});
    let mut theirs = volume(TEST, "sight-theirs", "Delete", &json!({}), nfs());
    theirs["spec"]["claimRef"] = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "elsewhere", "name": "theirs", "uid": "theirs",
    });
    let free = volume(TEST, "sight-free", "Retain", &json!({}), nfs());
    let mut wants = claim_for(TEST, &free);
    wants["spec"]["volumeName"] = Value::Null;
    runtime().block_on(async {
        let client = plane.client().await;
        create_all(&client, vec![theirs, free, wants]).await;
    });
    let told = |user: &str, volume: &str| {
        let target = format!("pv/{volume}");
        plane
            .kubectl_pv(user, &["explain", &target, "-n", TEST, "-o", "json"])
            .json()
    };
    // The administrator sees that the claim is gone; whoever cannot see it says so and concludes nothing.
    assert_eq!(
        told("admin", "sight-theirs")["volume"]["effectivePhase"],
        "Failed"
    );
    let unseen = told("reader", "sight-theirs");
    assert_eq!(unseen["claimRef"]["claimExists"], Value::Null, "{unseen:#}");
    assert_eq!(unseen["volume"]["effectivePhase"], "Pending", "{unseen:#}");
    assert_eq!(unseen["causes"][0]["code"], "NotReadable", "{unseen:#}");
    let unknowns: Vec<&str> = unseen["unknowns"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|unknown| unknown["what"].as_str())
        .collect();
    assert!(
        unknowns.contains(&"persistentvolumeclaims outside namespace sight"),
        "{unknowns:?}"
    );
    // The claims of the own namespace are judged all the same; whether its class delays them is not known.
    let own = told("reader", "sight-free");
    assert_eq!(own["claims"][0]["name"], "sight-free", "{own:#}");
    assert_eq!(own["claims"][0]["result"], "CouldTake", "{own:#}");
    assert_eq!(
        own["claims"][0]["reasons"][0]["code"], "NotReadable",
        "{own:#}"
    );

    let nobody = plane.kubectl_pv("nobody", &["explain", "pv"]).ran();
    assert_eq!(nobody.status, 3);
    assert!(
        nobody.stderr.contains("you cannot list persistentvolumes"),
        "{}",
        nobody.stderr
    );

    for typed in [&["pv/sight-f"][..], &["pv", "sight-f"]] {
        let arguments = [&["__complete", "pv", "explain"], typed].concat();
        let (offered, _, _) = plane.kubectl_with_plugin(&arguments);
        let wanted = typed
            .join(" ")
            .replace("pv ", "")
            .replace("sight-f", "sight-free");
        assert!(
            offered.lines().any(|line| line == wanted),
            "{typed:?}: {offered}"
        );
    }
    // The other tests count on a reader who may read nothing.
    plane.kubectl(&[
        "delete",
        "clusterrolebinding/half-sighted",
        "clusterrole/half-sighted",
    ]);
    runtime().block_on(async { clear(&plane.client().await, TEST).await });
}
