//! A bound volume that is being deleted: what `explain pv` reports equals what the real controllers do when the claim is
//! deleted, to the object and to the data.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::control_plane::{ControlPlane, QUIET_TWICE};
use super::faults::api::Api;
use super::faults::place::Place;

const LIMIT: Duration = Duration::from_secs(60);
const CODE: &str = "BeingDeleted";

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LIMIT, "{what}");
        sleep(Duration::from_millis(50));
    }
}

/// How the volume comes into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Created by hand.
    ByHand,
    /// Provisioned by the controller, whose finalizer waits for the deletion of the data.
    ByController,
}

struct Case<'a> {
    cluster: &'a ControlPlane,
    api: Api,
    place: Place,
}

impl Case<'_> {
    fn volume(&self, name: &str) -> Value {
        let named =
            json!({ "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": name } });
        self.api.find(&named).expect("the volume")
    }

    /// A claim that the controller has bound, and its volume.
    fn bound(&self, origin: Origin, policy: &str) -> (Value, Value) {
        let class = &self.place.name;
        let claim = self.place.claim("data", "1Gi");
        match origin {
            Origin::ByHand => {
                let mut volume = self.place.volume("v", "1Gi");
                volume["spec"]["hostPath"]["path"] = json!(format!("/tmp/kubectl-pv-{class}"));
                volume["spec"]["persistentVolumeReclaimPolicy"] = json!(policy);
                self.api.create(&volume);
            }
            Origin::ByController => {
                self.api.create(
                    &json!({ "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
                    "metadata": { "name": class }, "provisioner": "kubernetes.io/host-path",
                    "reclaimPolicy": policy }),
                );
            }
        }
        self.api.create(&claim);
        wait_for("the claim is Bound", || {
            let found = self.api.find(&claim).unwrap_or_default();
            found["status"]["phase"] == "Bound"
        });
        let name = self.api.find(&claim).unwrap_or_default()["spec"]["volumeName"].clone();
        wait_for("its volume is Bound", || {
            self.volume(name.as_str().expect("a name"))["status"]["phase"] == "Bound"
        });
        (claim, self.volume(name.as_str().expect("a name")))
    }

    fn explain(&self, words: &[&str]) -> Value {
        let words = [&["explain"], words, &["-o", "json"]].concat();
        let ran = self.cluster.kubectl_pv("admin", &words).ran();
        serde_json::from_str(&ran.stdout).expect("JSON")
    }

    fn is_gone(&self, object: &Value) -> bool {
        self.api.find(object).is_none()
    }

    fn check(&self, origin: Origin, policy: &str) {
        let (claim, volume) = self.bound(origin, policy);
        let name = volume["metadata"]["name"].as_str().expect("a name");
        let path = volume["spec"]["hostPath"]["path"].as_str().expect("a path");
        let directory = Directory::fill(Path::new(path));
        let deleted = self
            .cluster
            .kubectl(&["delete", "pv", name, "--wait=false"]);
        assert!(deleted.status.success(), "{deleted:?}");

        let said = self.explain(&[&format!("pv/{name}")]);
        let what = format!("{origin:?} {policy}: {said:#}");
        assert_eq!(said["volume"]["effectivePhase"], "Bound", "{what}");
        assert_eq!(said["causes"][0]["code"], CODE, "{what}");
        assert_eq!(said["causes"][0]["severity"], "Warning", "{what}");
        let then = &said["onClaimDeletion"];
        assert_eq!(then["phase"], Value::Null, "{what}");
        let place = self.place.name.as_str();
        let of_claim = self.explain(&["data", "-n", place]);
        assert_eq!(of_claim["verdict"], "Bound", "{of_claim:#}");
        assert_eq!(of_claim["causes"][0]["code"], CODE, "{of_claim:#}");
        for words in [
            &["explain", &format!("pv/{name}")][..],
            &["explain", "data", "-n", place],
        ] {
            let text = self.cluster.kubectl_pv("admin", words).ran().stdout;
            assert!(!text.contains("Released"), "{text}");
            assert!(text.contains("disappears"), "{text}");
        }

        let unused = ["cleanup", "--category", "unused-claims", "--include-likely"];
        let words = [&unused[..], &["--dry-run", "-n", place, "-o", "json"]].concat();
        let plan = self.cluster.kubectl_pv("admin", &words).ran().stdout;
        let plan: Value = serde_json::from_str(&plan).expect("a plan");
        assert_eq!(plan["warnings"][0]["code"], CODE, "{plan:#}");
        assert_eq!(plan["warnings"][0]["target"]["name"], name, "{plan:#}");

        let deleted = self
            .cluster
            .kubectl(&["delete", "pvc", "data", "-n", place]);
        assert!(deleted.status.success(), "{deleted:?}");
        wait_for(&format!("the object disappears: {what}"), || {
            self.is_gone(&volume) && self.is_gone(&claim)
        });
        sleep(QUIET_TWICE);
        match then["data"].as_str() {
            Some("Kept") => assert!(directory.has_data(), "{what}"),
            Some("Destroyed") => assert!(!directory.has_data(), "{what}"),
            Some("Unknown") => {}
            other => panic!("{other:?}: {what}"),
        }
        println!("{origin:?} {policy}: {}", then["data"]);
    }
}

/// A directory on this machine, which is also that of the controller.
struct Directory(PathBuf);

impl Directory {
    fn fill(path: &Path) -> Self {
        fs::create_dir_all(path).expect("create the directory");
        fs::write(path.join("file"), "data").expect("fill it");
        Self(path.to_owned())
    }

    fn has_data(&self) -> bool {
        self.0.join("file").exists()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_explain_reports_of_a_volume_that_is_being_deleted_happens() {
    let cluster = ControlPlane::connect();
    let _controller = cluster.start_controller();
    for (origin, policy) in [
        (Origin::ByHand, "Retain"),
        (Origin::ByHand, "Delete"),
        (Origin::ByController, "Retain"),
        (Origin::ByController, "Delete"),
    ] {
        let api = cluster.api();
        let case = Case {
            cluster: &cluster,
            api,
            place: Place::create(api, "going"),
        };
        case.check(origin, policy);
        case.place.clear();
    }
}
