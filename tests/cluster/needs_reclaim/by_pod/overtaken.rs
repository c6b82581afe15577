//! Two runs of ours at one volume. Another one goes to its end just before one of the requests of this one, and a claim gets the
//! volume and writes into it: its files stay. Or both go on side by side: it is emptied, and two pods are never there at once.

use std::fs;
use std::sync::Mutex;
use std::thread::{self, sleep};
use std::time::Duration;

use serde_json::Value;

use super::super::moment::{Moment, last_look, look_at_pods};
use super::super::stage::{owner, reserve};
use super::not_let_loose::opening;
use super::{Stage, beside_node};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::Subject;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::report_check::{OtherWrite, Report};

/// The pod has done its work and is about to go.
fn deleting(request: &Request) -> bool {
    request.method == "DELETE" && request.path.contains("/pods/")
}

fn overtaken_at(cluster: &ControlPlane, upstream: &Upstream, moment: fn(&Request) -> bool) {
    let (stage, api) = (Stage::create(cluster, upstream.api()), upstream.api());
    let claim = api.create(&stage.scene.place.claim("next", "1Gi"));
    let volume = stage.scene.place.volume("v", "1Gi");
    let file = stage.scene.directory("v").join("file");
    let directly = Proxy::start(upstream.address, Pass);
    let overtaken = {
        let (claim, file) = (claim.clone(), file.clone());
        let command = stage.command(directly.kubeconfig(), &[]).command();
        let command = Mutex::new(Some(command));
        Moment::new(moment, move || {
            let command = command.lock().unwrap().take().expect("once");
            let ended = Subject::start(command).wait();
            let found = api.find(&volume).unwrap_or_default();
            ended.status == Some(0)
                && !file.exists()
                && reserve(api, &found, &claim, true)
                && fs::write(&file, "of the next owner").is_ok()
        })
    };
    let proxy = Proxy::start(upstream.address, overtaken.clone());
    // The other run locks the volume, creates and deletes its pod, and a claim takes the volume.
    let mut others = stage.scene.taking("v");
    others.push(OtherWrite::field_of_all("Pod", ""));
    let fields = [
        "/metadata/annotations/kubectl-pv.dev~1recycling",
        "/metadata/annotations/kubectl-pv.dev~1recycler-pod",
        "/spec/persistentVolumeReclaimPolicy",
    ];
    others.extend(fields.map(|field| OtherWrite::field_of_all("PersistentVolume", field)));
    let ran = stage.reclaim_beside(stage.command(proxy.kubeconfig(), &[]), &others);
    let (this, other) = (proxy.show(), directly.show());
    let said = format!("{}{}{this}other:\n{other}", ran.stdout, ran.stderr);
    assert!(overtaken.went_well(), "{said}");
    let text = fs::read_to_string(&file);
    assert_eq!(text.ok().as_deref(), Some("of the next owner"), "{said}");
    let found = stage.volume();
    assert_eq!(*owner(&found), claim["metadata"]["uid"], "{said}{found}");
    let policy = &found["spec"]["persistentVolumeReclaimPolicy"];
    assert_eq!(*policy, "Recycle", "{said}{found}");
    assert_eq!(stage.pods(), [] as [Value; 0], "{said}");
    let (_, wrong) = stage.clear();
    assert_eq!(wrong, [""; 0], "{said}");
}

fn the_next_owner_keeps_its_files(cluster: &ControlPlane, upstream: &Upstream) {
    let moments: [fn(&Request) -> bool; 4] = [look_at_pods, last_look, opening, deleting];
    for_all(&moments, |moment| overtaken_at(cluster, upstream, *moment));
}

fn side_by_side_it_is_emptied(cluster: &ControlPlane, upstream: &Upstream) {
    for_all(&[0, 100, 700, 1300], |&later| {
        let stage = Stage::create(cluster, upstream.api());
        let proxy = Proxy::start(upstream.address, Pass);
        let start = || Subject::start(stage.command(proxy.kubeconfig(), &[]).command());
        let site = stage.scene.site();
        let before = site.read();
        let one = start();
        sleep(Duration::from_millis(later));
        let other = start();
        let ended = [one.wait(), other.wait()];
        let said = format!("{later}: {ended:?}\n{}", proxy.show());
        assert!(ended.iter().any(|one| one.status == Some(0)), "{said}");
        let reports = ended.each_ref().map(Report::from);
        let untrue = site.false_reports(&before, &reports, &beside_node(&[]));
        assert_eq!(untrue, [""; 0], "{said}");
        assert_eq!(stage.unmet(), [""; 0], "{said}");
        let (_, wrong) = stage.clear();
        assert_eq!(wrong, [""; 0], "{said}");
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn by_another_run_or_side_by_side_with_one() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    thread::scope(|scope| {
        scope.spawn(|| the_next_owner_keeps_its_files(&cluster, &upstream));
        side_by_side_it_is_emptied(&cluster, &upstream);
    });
}
