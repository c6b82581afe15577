//! `--save DIR`: what a run deletes is in files first, and `kubectl create` restores it.

use std::fs;

use serde_json::json;

use super::trial::Trial;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::needs_provision::scene::Kind;
use crate::support::TemporaryFolder;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_was_deleted_is_created_again() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let trial = Trial::create(upstream.api(), "saved", Kind::HostPath);
    let before = trial.released("v", "Delete");
    let folder = TemporaryFolder::new();
    let directory = folder.path().join("saved");
    let directory = directory.to_str().expect("a plain path");
    let class = trial.place.name.clone();
    let words = ["--all-released", "--class", &class, "--save", directory];
    let ran = trial.run(proxy.kubeconfig(), "reclaim", &words).ran();
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(trial.find("v"), None);
    let name = before["metadata"]["name"].as_str().expect("a name");
    let file = format!("{directory}/deleted/PersistentVolume.{name}.yaml");
    let text = fs::read_to_string(&file).expect("it was saved");
    let claim = format!("{}/claim-of-v", trial.place.name);
    let reuse = format!("kubectl pv reclaim {name} --reuse --for {claim}");
    assert!(text.starts_with("# ") && text.contains(&reuse), "{text}");

    let created = cluster.kubectl(&["create", "-f", &format!("{directory}/deleted")]);
    assert!(created.status.success(), "{created:?}\n{text}");
    let found = trial.find("v").expect("it exists again");
    let mut spec = before["spec"].clone();
    spec["persistentVolumeReclaimPolicy"] = json!("Retain");
    assert_eq!(found["spec"], spec);
    let annotations = &found["metadata"]["annotations"];
    assert_eq!(annotations["kubectl-pv.dev/saved-policy"], "Delete");
    assert_eq!(
        annotations["pv.kubernetes.io/provisioned-by"],
        Kind::HostPath.provisioner()
    );

    // A directory that is not empty is refused before anything is changed.
    let again = trial.run(proxy.kubeconfig(), "reclaim", &words).ran();
    assert_eq!(again.status, 2, "{}{}", again.stdout, again.stderr);
    assert!(again.stderr.contains("is not empty"), "{}", again.stderr);
    trial.clear();
}
