//! Every category and its look-alikes: `--yes` does what may be done, and nothing else, data on disk checked.

use std::fs;

use serde_json::{Value, json};

use super::scene::{OURS, Scene, skipped, template};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;

const NAMED: &str = "lost-claims,unused-claims,unreachable,leftover-attachments";

/// Claims that only look unused: held by a CronJob, by a StatefulSet of no replicas, and by an annotation.
fn hold_claims(scene: &Scene<'_>) -> Vec<Value> {
    let namespace = &scene.place.name;
    scene.add(&json!({ "apiVersion": "batch/v1", "kind": "CronJob",
        "metadata": { "namespace": namespace, "name": "report" },
        "spec": { "schedule": "0 3 * * *", "jobTemplate": { "spec": {
            "template": template("report", "Never") } } } }));
    scene.add(&json!({ "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": { "namespace": namespace, "name": "web" },
        "spec": { "replicas": 0, "serviceName": "web", "selector": { "matchLabels": { "app": "x" } },
            "template": { "metadata": { "labels": { "app": "x" } },
                "spec": { "containers": [{ "name": "c", "image": "c" }] } },
            "volumeClaimTemplates": [{ "metadata": { "name": "data" }, "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } } }] } }));
    scene.add(&json!({ "apiVersion": "v1", "kind": "Pod",
        "metadata": { "namespace": namespace, "name": "scratch" },
        "spec": { "nodeName": scene.node(), "containers": [{ "name": "c", "image": "c" }],
            "volumes": [{ "name": "tmp", "ephemeral": { "volumeClaimTemplate": { "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": { "requests": { "storage": "1Gi" } } } } } }] } }));
    let names = ["report", "data-web-0", "scratch-tmp", "precious"];
    let claims: Vec<Value> = names
        .iter()
        .map(|name| scene.bound_claim(name, "Delete"))
        .collect();
    let keep = json!({ "metadata": { "annotations": { "kubectl-pv.dev/keep": "" } } });
    scene.api.patch(&claims[3], &keep);
    claims
}

/// Two volumes of a node that does not exist, of which one has policy Retain.
fn pin_volumes(scene: &Scene<'_>) -> [Value; 2] {
    [("pinned", "Delete"), ("promised", "Retain")].map(|(name, policy)| {
        let mut volume = scene.place.volume(name, "1Gi");
        volume["spec"]["persistentVolumeReclaimPolicy"] = json!(policy);
        volume["spec"]["nodeAffinity"] = json!({ "required": { "nodeSelectorTerms": [{ "matchExpressions": [
            { "key": "kubernetes.io/hostname", "operator": "In", "values": ["long-gone"] }] }] } });
        scene.put(&volume, "Available");
        volume
    })
}

/// The rows of the report: category, name and confidence.
fn reported(scene: &Scene<'_>) -> Vec<String> {
    let report = scene.cleanup(&[]).stdout;
    let report: Value = serde_json::from_str(&report).expect("a report");
    let rows = report["findings"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let prefix = format!("{}-", scene.place.name);
    rows.map(|row| {
        let name = text(&row["object"]["name"]).replace(&prefix, "");
        format!(
            "{} {name} {}",
            text(&row["category"]),
            text(&row["confidence"])
        )
    })
    .collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn exactly_what_may_go_goes() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "sweep");
    let place = scene.place.name.clone();
    scene.put(&scene.volume("gone", "Delete"), "Released");
    scene.put(&scene.volume("failed", "Delete"), "Failed");
    scene.put(&scene.volume("kept", "Retain"), "Released");
    let mut marked = scene.volume("marked", "Delete");
    marked["metadata"]["annotations"]["kubectl-pv.dev/keep"] = json!("");
    scene.put(&marked, "Released");
    let mut reserved = scene.volume("reserved", "Delete");
    reserved["spec"]["claimRef"] = json!({ "namespace": place, "name": "soon" });
    scene.put(&reserved, "Available");
    let [pinned, promised] = pin_volumes(&scene);
    let attachment = json!({ "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
        "metadata": { "name": place }, "spec": { "attacher": "x.example.com", "nodeName": "long-gone",
            "source": { "persistentVolumeName": format!("{place}-kept") } } });
    scene.add(&attachment);
    let lost = scene.lost_claim("lost");
    let unused = scene.bound_claim("unused", "Delete");
    let held = hold_claims(&scene);
    let of_held = ["report", "data-web-0", "scratch-tmp", "precious"];
    let is_held = || {
        held.iter().all(|claim| !scene.is_going(claim))
            && of_held.iter().all(|name| scene.has_data(name))
    };

    // The report, which changes nothing.
    let expected = [
        "failed failed Certain".to_owned(),
        format!("leftover-attachments {place} Certain"),
        "lost-claims lost Certain".to_owned(),
        "released gone Certain".to_owned(),
        "released kept Likely".to_owned(),
        "unreachable pinned Likely".to_owned(),
        "unreachable promised Likely".to_owned(),
        "unused-claims unused Likely".to_owned(),
    ];
    assert_eq!(reported(&scene), expected);

    let ran = scene.cleanup(&["--yes"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    for name in ["gone", "failed"] {
        assert!(!scene.base().join(name).exists(), "{name}: {}", ran.stdout);
        assert!(scene.is_going(&scene.place.volume(name, "1Gi")), "{name}");
    }
    for name in ["kept", "marked", "reserved", "unused"] {
        assert!(scene.has_data(name), "{name}");
        assert!(!scene.is_going(&scene.place.volume(name, "1Gi")), "{name}");
    }
    for object in [&lost, &unused, &pinned, &promised, &attachment] {
        assert!(!scene.is_going(object), "not named: {object}");
    }
    assert!(is_held());
    let left = skipped(&ran);
    for told in ["kept PolicyRetain", "pinned NotNamed"] {
        let told = format!("{place}-{told}");
        assert!(left.contains(&told), "{told}: {left:?}");
    }

    let ran = scene.cleanup(&["--yes", "--category", NAMED]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    for object in [&lost, &attachment] {
        assert!(scene.is_going(object), "certain and named: {object}");
    }
    for object in [&unused, &pinned, &promised] {
        assert!(!scene.is_going(object), "only likely: {object}");
    }
    let old = [
        "--yes",
        "--category",
        NAMED,
        "--include-likely",
        "--older-than",
        "1h",
    ];
    let ran = scene.cleanup(&old);
    assert!(
        !scene.is_going(&unused),
        "nobody knows since when: {}",
        ran.stdout
    );
    let ran = scene.cleanup(&["--yes", "--category", NAMED, "--include-likely"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(scene.is_going(&unused), "{}", ran.stdout);
    assert!(scene.is_going(&pinned), "{}", ran.stdout);
    assert!(!scene.is_going(&promised), "{}", ran.stdout);
    assert!(ran.stdout.contains("LosesData"), "{}", ran.stdout);
    assert!(is_held() && scene.has_data("kept") && scene.has_data("marked"));
    assert!(scene.has_data("unused"), "its volume is for the next run");
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_leaked_asset_goes_unless_a_volume_lies_there() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "leaked");
    let place = scene.place.name.clone();
    scene.add(
        &json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": { "name": place }, "provisioner": OURS }),
    );
    let claim = scene.place.claim("data", "1Gi");
    scene.api.create(&claim);
    let backend = format!("{OURS}=hostpath:{}", scene.base().display());
    let kubeconfig = scene.kubeconfig();
    let with = |words: &[&str]| {
        let mut all = words.to_vec();
        all.extend(["-n", &place, "--backend", &backend, "--yes", "-o", "json"]);
        crate::support::kubectl_pv(&all)
            .env("KUBECONFIG", &kubeconfig)
            .ran()
    };
    let made = with(&["provision", "data", "--node", &scene.node()]);
    assert_eq!(made.status, 0, "{}{}", made.stdout, made.stderr);
    let volumes = scene.api.list("v1", "PersistentVolume", None).into_iter();
    let mut volumes = volumes.filter(|volume| volume["spec"]["storageClassName"] == place.as_str());
    let volume = volumes.next().expect("the volume that was made");
    let asset = volume["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    fs::write(scene.base().join(&asset).join("file"), "data").expect("fill it");

    let sweep = || with(&["cleanup", "--category", "leaked-assets"]);
    // The claim is there, and then the volume alone: nothing is leaked.
    assert_eq!(sweep().status, 0);
    scene.api.delete(&claim);
    assert_eq!(sweep().status, 0);
    assert!(scene.has_data(&asset));
    // The volume is gone, but another lies above the asset.
    scene.api.delete(&volume);
    let mut above = scene.place.volume("above", "1Gi");
    above["spec"]["hostPath"] = json!({ "path": scene.base() });
    scene.api.create(&above);
    assert_eq!(sweep().status, 0);
    assert!(scene.has_data(&asset), "another volume lies above it");
    scene.api.delete(&above);
    // Unless it is named, only what is empty is deleted.
    let ran = sweep();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(scene.has_data(&asset), "{}", ran.stdout);
    assert!(
        skipped(&ran).contains(&format!("{asset} HoldsData")),
        "{}",
        ran.stdout
    );
    fs::remove_file(scene.base().join(&asset).join("file")).expect("empty it");
    let unnamed = with(&["cleanup"]);
    assert_eq!(unnamed.status, 0, "{}", unnamed.stderr);
    assert!(scene.base().join(&asset).exists(), "{}", unnamed.stdout);
    let ran = sweep();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(!scene.base().join(&asset).exists(), "{}", ran.stdout);
    assert!(
        sweep().stdout.contains("\"changes\": []"),
        "nothing is left"
    );
    scene.clear();
}
