//! The volume is somebody else's by the time our pod could begin: the controller's own recycler is at it, or a claim has taken it.
//! The pod is never let loose then, and no file is lost.

use serde_json::{Value, json};

use super::super::moment::{Moment, first_write, last_look, look_at_pods};
use super::super::scene::code;
use super::super::stage::{MARK, owner, reserve};
use super::{NAMED, Stage};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::needs_provision::workers::for_all;

/// The pod the controller would make for the volume, placed on a node.
fn recycler_at_work(api: Api, stage: &Stage<'_>) -> Value {
    let place = &stage.scene.place.name;
    api.create(&json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": format!("recycler-for-{place}-v"), "namespace": "default" },
        "spec": {
            "nodeName": format!("{place}-node"), "restartPolicy": "Never",
            "containers": [{ "name": "pv-recycler", "image": "busybox",
                "volumeMounts": [{ "name": "vol", "mountPath": "/scrub" }] }],
            "volumes": [{ "name": "vol", "hostPath": { "path": stage.scene.directory("v") } }],
        },
    }))
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_controllers_recycler_is_at_it() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::start(&cluster);
    let stage = Stage::create(&cluster, upstream.api());
    let theirs = recycler_at_work(upstream.api(), &stage);
    let before = stage.volume();
    let admin = cluster.kubeconfig("admin");
    let ran = stage.reclaim(admin.to_str().expect("a path in plain text"));
    assert_eq!(code(&ran), "InUse");
    assert_eq!(stage.volume(), before);
    assert!(stage.scene.has_data("v") && stage.pods().is_empty());
    assert!(upstream.api().find(&theirs).is_some());
    upstream.api().delete(&theirs);
    assert_eq!(stage.clear(), (0, vec![]));
}

fn taken_at(cluster: &ControlPlane, upstream: &Upstream, moment: fn(&Request) -> bool) {
    let (stage, api) = (Stage::create(cluster, upstream.api()), upstream.api());
    let claim = api.create(&stage.scene.place.claim("next", "1Gi"));
    let volume = stage.scene.place.volume("v", "1Gi");
    let taken = {
        let claim = claim.clone();
        Moment::new(moment, move || {
            reserve(api, &api.find(&volume).unwrap_or_default(), &claim, true)
        })
    };
    let proxy = Proxy::start(upstream.address, taken.clone());
    let ran = stage.reclaim(proxy.kubeconfig());
    let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
    assert!(taken.went_well(), "{said}");
    assert!(stage.scene.has_data("v"), "{said}");
    let found = stage.volume();
    assert_eq!(*owner(&found), claim["metadata"]["uid"], "{said}");
    let policy = &found["spec"]["persistentVolumeReclaimPolicy"];
    assert_eq!(*policy, "Recycle", "{said}{found}");
    let annotations = &found["metadata"]["annotations"];
    assert!(
        annotations[MARK].is_null() && annotations[NAMED].is_null(),
        "{said}{found}"
    );
    assert_eq!(stage.pods(), [] as [Value; 0], "{said}");
    assert_eq!(stage.clear(), (0, vec![]), "{said}");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn somebody_takes_it_before_the_lock_or_between_lock_and_gate() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::start(&cluster);
    let moments: [fn(&Request) -> bool; 3] = [first_write, look_at_pods, last_look];
    for_all(&moments, |moment| taken_at(&cluster, &upstream, *moment));
}
