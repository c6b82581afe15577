//! `bind` whose writes the API server refuses half-way: by permissions, by a LimitRange and by a quota that the one who
//! binds cannot see. It says what was done and what was not, and the command it prints finishes the bind once it may.

use serde_json::{Value, json};

use super::{paste, unbound};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::support::{Ran, kubectl_pv};

/// Somebody who may read volumes, claims and classes, write volumes, and write claims if it is said so.
fn allow(cluster: &ControlPlane, name: &str, claims: bool) {
    let claims = if claims {
        "[get, list, patch]"
    } else {
        "[get, list]"
    };
    cluster.apply(&format!(
        "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: {name}}}
rules:
- {{apiGroups: [\"\"], resources: [persistentvolumes, persistentvolumes/status], verbs: [get, list, patch]}}
- {{apiGroups: [\"\"], resources: [persistentvolumeclaims, persistentvolumeclaims/status], verbs: {claims}}}
- {{apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [get, list]}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: {name}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {name}}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: {name}}}]
"
    ));
}

struct Refused<'a> {
    place: &'a Place,
    proxy: &'a Proxy,
    user: &'a str,
}

impl Refused<'_> {
    fn bind(&self) -> Ran {
        let arguments = ["bind", "data", "-n", &self.place.name, "--as", self.user];
        let all = [&arguments[..], &["--yes", "-o", "json"]].concat();
        let site = self.place.site(&[]);
        let before = site.read();
        let ran = kubectl_pv(&all)
            .env("KUBECONFIG", self.proxy.kubeconfig())
            .ran();
        let untrue = site.false_report(&before, &ran, &[]);
        assert_eq!(untrue, [""; 0], "{}{}", ran.stdout, ran.stderr);
        ran
    }

    /// What is told when so many of the writes were done, and then one was refused.
    fn is_told(&self, results: &[&str], refusal: &str) -> String {
        let ran = self.bind();
        println!("{}", ran.stderr);
        assert_eq!(ran.status, 4, "{}", ran.stderr);
        let outcome: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let all = outcome["changes"].as_array().expect("changes");
        let found: Vec<&str> = all
            .iter()
            .filter_map(|made| made["result"].as_str())
            .collect();
        assert_eq!(found, results, "{}", ran.stderr);
        let done = results.iter().filter(|result| **result == "Done").count();
        let count = format!("{done} of {} changes done", results.len());
        let finish = outcome["finishWith"]
            .as_str()
            .expect("a command")
            .to_owned();
        for told in [
            &count,
            refusal,
            "not tried",
            &format!("to finish: {finish}"),
        ] {
            assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
        }
        assert!(!unbound(&self.place.storage()).is_empty());
        // kubectl takes no flags before the name of a plugin.
        assert!(finish.starts_with("kubectl pv bind data "), "{finish}");
        assert!(finish.ends_with(&format!("--as {}", self.user)), "{finish}");
        finish
    }

    /// The command that was printed finishes it.
    fn is_finished_by(&self, command: &str) {
        let site = self.place.site(&[]);
        let before = site.read();
        let ended = paste(command, self.proxy.kubeconfig());
        let untrue = site.false_report(&before, &ended, &[]);
        assert_eq!(untrue, [""; 0], "{ended:?}");
        assert_eq!(ended.status, Some(0), "{command}: {ended:?}");
        let storage = self.place.storage();
        let problems = [contradictions(&storage), unbound(&storage)].concat();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
        self.place.clear();
    }
}

fn place(api: Api) -> Place {
    let place = Place::create(api, "refused");
    api.create(&place.volume("one", "1Gi"));
    place
}

const AFTER_THE_VOLUME: [&str; 4] = ["Done", "Done", "Failed", "NotReached"];

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_refusal_half_way_is_told_and_the_printed_command_finishes_it() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let proxy = Proxy::start(upstream.address, Pass);

    allow(&cluster, "no-claims", false);
    let forbidden = place(api);
    api.create(&forbidden.claim("data", "1Gi"));
    let refused = Refused {
        place: &forbidden,
        proxy: &proxy,
        user: "no-claims",
    };
    let finish = refused.is_told(&AFTER_THE_VOLUME, "cannot patch resource");
    allow(&cluster, "no-claims", true);
    refused.is_finished_by(&finish);

    allow(&cluster, "no-limits", true);
    let limited = place(api);
    api.create(&limited.claim("data", "1Gi"));
    let range = json!({
        "apiVersion": "v1", "kind": "LimitRange",
        "metadata": { "namespace": limited.name, "name": "large" },
        "spec": { "limits": [{ "type": "PersistentVolumeClaim", "min": { "storage": "2Gi" } }] },
    });
    api.create(&range);
    let refused = Refused {
        place: &limited,
        proxy: &proxy,
        user: "no-limits",
    };
    let finish = refused.is_told(&AFTER_THE_VOLUME, "minimum storage usage");
    api.delete(&range);
    refused.is_finished_by(&finish);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_class_that_a_quota_refuses_is_told_before_anything_is_taken() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let api = upstream.api();
    let proxy = Proxy::start(upstream.address, Pass);
    allow(&cluster, "no-quotas", true);
    let place = place(api);
    let mut claim = place.claim("data", "1Gi");
    claim["spec"]
        .as_object_mut()
        .expect("a spec")
        .remove("storageClassName");
    api.create(&claim);
    let class = json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
        "metadata": {
            "name": place.name,
            "annotations": { "storageclass.kubernetes.io/is-default-class": "true" },
        },
        "provisioner": "kubernetes.io/no-provisioner",
    });
    api.create(&class);
    let key = format!(
        "{}.storageclass.storage.k8s.io/persistentvolumeclaims",
        place.name
    );
    let quota = json!({
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": { "namespace": place.name, "name": "none" },
        "spec": { "hard": { &key: "0" } },
    });
    api.create(&quota);
    api.patch_status(
        &quota,
        &json!({ "hard": { &key: "0" }, "used": { &key: "0" } }),
    );
    let refused = Refused {
        place: &place,
        proxy: &proxy,
        user: "no-quotas",
    };
    let results = [
        "Failed",
        "NotReached",
        "NotReached",
        "NotReached",
        "NotReached",
    ];
    let finish = refused.is_told(&results, "exceeded quota");
    api.delete(&quota);
    refused.is_finished_by(&finish);
    api.delete(&class);
}
