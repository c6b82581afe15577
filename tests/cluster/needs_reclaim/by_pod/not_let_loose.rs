//! The volume is somebody else's by the time our pod could begin: the controller's own recycler is at it, or a claim has taken it.
//! The pod is never let loose then, and no file is lost.

use serde_json::{Value, json};

use super::super::moment::{Moment, first_write, last_look, look_at_pods};
use super::super::scene::code;
use super::super::stage::{MARK, owner, reserve, wait_for};
use super::kubelet::place_on;
use super::{NAMED, Stage};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::report_check::OtherWrite;

/// The gate is about to be opened.
pub(super) fn opening(request: &Request) -> bool {
    request.method == "PATCH" && request.path.contains("/pods/")
}

/// The pod the controller has made for the volume.
fn recycler(stage: &Stage<'_>) -> Option<Value> {
    let name = format!("recycler-for-{}-v", stage.scene.place.name);
    let mut pods = stage.scene.api.list("v1", "Pod", None).into_iter();
    pods.find(|pod| pod["metadata"]["name"] == name.as_str())
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn the_controllers_recycler_is_at_it_or_waits_for_a_node() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let admin = cluster.kubeconfig("admin");
    let admin = admin.to_str().expect("a path in plain text");
    let _controller = cluster.start_controller();
    let stage = Stage::create(&cluster, upstream.api());
    wait_for("the controller begins", || recycler(&stage).is_some());
    let theirs = recycler(&stage).expect("it was there");
    place_on(upstream.api(), "somewhere", &theirs);
    let before = stage.volume();
    let beside = |stage: &Stage<'_>| {
        let mut others = OtherWrite::of_controller();
        let theirs = format!("recycler-for-{}-v", stage.scene.place.name);
        others.push(OtherWrite::object("Pod", &theirs));
        stage.reclaim_beside(stage.command(admin, &[]), &others)
    };
    assert_eq!(code(&beside(&stage)), "InUse");
    assert_eq!(stage.volume(), before);
    assert!(stage.scene.has_data("v") && stage.pods().is_empty());
    assert!(recycler(&stage).is_some());
    upstream.api().delete(&theirs);
    assert_eq!(stage.clear(), (0, vec![]));

    let stage = Stage::create(&cluster, upstream.api());
    wait_for("the controller begins", || recycler(&stage).is_some());
    let ran = beside(&stage);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, 0, "{said}");
    assert_eq!(stage.unmet(), [""; 0], "{said}");
    assert_eq!(recycler(&stage), None, "{said}");
    assert_eq!(stage.clear(), (1, vec![]), "{said}");
}

fn taken_at(cluster: &ControlPlane, upstream: &Upstream, moment: fn(&Request) -> bool) -> usize {
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
    let run = stage.command(proxy.kubeconfig(), &[]);
    let ran = stage.reclaim_beside(run, &stage.scene.taking("v"));
    let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
    assert!(taken.went_well(), "{said}");
    let is_kept = stage.scene.has_data("v");
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
    let (ran, wrong) = stage.clear();
    assert_eq!(wrong, [""; 0], "{said}");
    assert_eq!(is_kept, ran == 0, "{said}");
    ran
}

/// When it is taken, and how many pods are let loose.
type Case = (fn(&Request) -> bool, usize);

#[test]
#[ignore = "needs a control plane: tests/run"]
fn somebody_takes_it_before_the_lock_or_between_lock_and_gate() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    // Whoever takes it when the last look is over gets it empty, and is not unbound.
    let cases: [Case; 4] = [
        (first_write, 0),
        (look_at_pods, 0),
        (last_look, 0),
        (opening, 1),
    ];
    for_all(&cases, |(moment, pods)| {
        assert_eq!(taken_at(&cluster, &upstream, *moment), *pods);
    });
}

/// What refuses the pod does so before anything is locked.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_namespace_lets_no_such_pod_in() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let stage = Stage::create(&cluster, upstream.api());
    let namespace = json!({ "apiVersion": "v1", "kind": "Namespace",
        "metadata": { "name": stage.scene.place.name } });
    let level = json!({ "pod-security.kubernetes.io/enforce": "restricted" });
    let strict = json!({ "metadata": { "labels": level } });
    upstream.api().patch(&namespace, &strict);
    let before = stage.volume();
    let admin = cluster.kubeconfig("admin");
    let ran = stage.reclaim(admin.to_str().expect("a path in plain text"));
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, 4, "{said}");
    assert!(said.contains("PodSecurity"), "{said}");
    assert_eq!(stage.volume(), before, "{said}");
    assert!(stage.scene.has_data("v") && stage.pods().is_empty());
    assert_eq!(stage.clear(), (0, vec![]), "{said}");
}
