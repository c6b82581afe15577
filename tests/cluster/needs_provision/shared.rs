//! An asset is taken back when its volume cannot be saved, but never from under somebody else's volume, and
//! never with something in it.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::scene::{Kind, Scene, TrialNode};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::chance::refusal;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Before, Number, Script};
use crate::cluster::report_check::OtherWrite;

const DIRECTORIES: [Kind; 2] = [Kind::HostPath, Kind::Nfs];

fn is_new_volume(request: &Request) -> bool {
    request.method == "POST" && request.path == "/api/v1/persistentvolumes"
}

/// The path a volume would have that stands for this asset.
fn path_of_asset(scene: &Scene, asset: &str) -> String {
    match scene.kind {
        Kind::Nfs => format!("{}/{asset}", scene.yard.export()),
        Kind::HostPath | Kind::Exec => scene.yard.base().join(asset).display().to_string(),
    }
}

/// A volume of somebody else with that path.
fn foreign(scene: &Scene, name: &str, path: &str) -> Value {
    let mut volume = scene.place.volume("foreign", "1Gi");
    volume["metadata"]["name"] = json!(name);
    volume["spec"]["storageClassName"] = json!("of-somebody-else");
    volume["spec"]["claimRef"] = json!({ "namespace": scene.place.name, "name": "their-claim" });
    if scene.kind == Kind::Nfs {
        volume["spec"].as_object_mut().unwrap().remove("hostPath");
        volume["spec"]["nfs"] = json!({ "server": "filer.example.com", "path": path });
    } else {
        volume["spec"]["hostPath"] = json!({ "path": path });
    }
    volume
}

/// What the other actor writes: the volume of one of these names, and a file in the directory.
fn theirs(scene: &Scene) -> Vec<OtherWrite> {
    let asset = format!("pvc-{}", scene.uid());
    let own = format!("{}-theirs", scene.place.name);
    let mut writes: Vec<OtherWrite> = [&asset, &own]
        .map(|name| OtherWrite::object("PersistentVolume", name))
        .to_vec();
    writes.push(OtherWrite::field("Asset", &asset, "/files"));
    writes
}

struct Stage {
    upstream: Upstream,
    _node: TrialNode,
}

impl Stage {
    fn set() -> Self {
        let upstream = Upstream::of(&ControlPlane::connect());
        let node = TrialNode::create(upstream.api());
        Self {
            upstream,
            _node: node,
        }
    }

    /// Runs `provision` twice, in vain; whatever was to stay must have stayed.
    fn in_vain(&self, scene: &Scene, script: impl Script + 'static) -> String {
        let proxy = Proxy::start(self.upstream.address, script);
        let mut said = String::new();
        for _ in 0..2 {
            let arguments = ["data", "--timeout", "10s"];
            let site = scene.site();
            let before = site.read();
            let ran = scene.provision(proxy.kubeconfig(), &arguments).ran();
            let untrue = site.false_report(&before, &ran, &theirs(scene));
            assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
            assert!([1, 4].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
            said = ran.stderr;
        }
        assert_ne!(scene.found_claim()["status"]["phase"], "Bound");
        said
    }
}

/// The name is taken, by a volume that stands for that very directory.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_volume_of_that_name_keeps_its_directory() {
    let stage = Stage::set();
    for kind in Kind::ALL {
        let scene = Scene::create(stage.upstream.api(), "taken", kind);
        let asset = format!("pvc-{}", scene.uid());
        let theirs = foreign(&scene, &asset, &path_of_asset(&scene, &asset));
        // It appears when the directory is made already, as it would in a race.
        let (api, late) = (scene.api, theirs.clone());
        let file = scene.yard.base().join(&asset).join("theirs");
        let to_fill = file.clone();
        let script = Before(move |_: Number, request: &Request| {
            if is_new_volume(request) && api.find(&late).is_none() {
                api.create(&late);
                fs::write(&to_fill, "years of work").unwrap();
            }
            Action::Forward
        });
        let said = stage.in_vain(&scene, script);
        assert!(file.exists(), "{kind:?}: {said}");
        let found = scene.api.find(&theirs).expect("their volume");
        assert!(found["metadata"]["deletionTimestamp"].is_null(), "{found}");
        assert_eq!(found["spec"]["claimRef"]["name"], "their-claim");
        scene.api.delete(&theirs);
        scene.clear();
    }
}

/// The path is taken, or one above it, by a volume of another name.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_volume_on_that_path_keeps_its_directory() {
    let stage = Stage::set();
    for kind in DIRECTORIES {
        for is_above in [false, true] {
            let scene = Scene::create(stage.upstream.api(), "path", kind);
            let asset = format!("pvc-{}", scene.uid());
            let whole = path_of_asset(&scene, &asset);
            let above = whole
                .trim_end_matches(&asset)
                .trim_end_matches('/')
                .to_owned();
            let path = if is_above { above } else { whole };
            let theirs = foreign(&scene, &format!("{}-theirs", scene.place.name), &path);
            let (api, late) = (scene.api, theirs.clone());
            let script = Before(move |_: Number, request: &Request| {
                if is_new_volume(request) {
                    if api.find(&late).is_none() {
                        api.create(&late);
                    }
                    return Action::Answer(refusal(403, "Forbidden"));
                }
                Action::Forward
            });
            let said = stage.in_vain(&scene, script);
            assert!(
                scene.yard.assets().contains(&asset),
                "{kind:?} {path}: {said}"
            );
            scene.api.delete(&theirs);
            scene.clear();
        }
    }
}

/// Somebody has put something there meanwhile.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_in_it_stays() {
    let stage = Stage::set();
    for kind in DIRECTORIES {
        let scene = Scene::create(stage.upstream.api(), "filled", kind);
        let asset = format!("pvc-{}", scene.uid());
        let file: PathBuf = scene.yard.base().join(&asset).join("precious");
        let to_fill = file.clone();
        let script = Before(move |_: Number, request: &Request| {
            if is_new_volume(request) {
                fs::write(&to_fill, "years of work").unwrap();
                return Action::Answer(refusal(403, "Forbidden"));
            }
            Action::Forward
        });
        let said = stage.in_vain(&scene, script);
        assert!(file.exists(), "{kind:?}: {said}");
        assert!(said.contains(&asset), "it says what is left: {said}");
        scene.clear();
    }
}
