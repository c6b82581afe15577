//! What-ifs on small states, each written as the manifests somebody would have.

use super::super::{Input, read_text};
use super::*;
use crate::conventions::annotations;
use crate::model::{ClaimPhase, ClusterState, VolumePhase};

const CLUSTER: &str = r"
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-a, uid: uid-a, labels: {tier: gold}, annotations: {pv.kubernetes.io/provisioned-by: made.example.com}}
spec:
  capacity: {storage: 5Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  nfs: {server: files, path: /a}
  claimRef: {namespace: prod, name: old, uid: uid-old}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  {name: old, namespace: prod, uid: uid-old, creationTimestamp: 2026-01-01T00:00:00Z, annotations: {pv.kubernetes.io/bind-completed: yes-it-is}}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  volumeName: pv-a
  resources: {requests: {storage: 5Gi}}
status: {phase: Bound, capacity: {storage: 5Gi}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: new, namespace: prod, uid: uid-new}
spec:
  accessModes: [ReadWriteOnce]
  selector: {matchLabels: {tier: gold}}
  storageClassName: fast
  resources: {requests: {storage: 5Gi}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, creationTimestamp: 2026-01-01T00:00:00Z, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}
provisioner: made.example.com
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: cap, namespace: prod}
spec: {hard: {requests.storage: 10Gi}}
status: {hard: {requests.storage: 10Gi}, used: {requests.storage: 10Gi}}
";

fn without(names: &[&str]) -> WhatIf {
    WhatIf {
        without: names
            .iter()
            .map(|name| Removal::parse(name).unwrap())
            .collect(),
        ..WhatIf::default()
    }
}

fn with(text: &str) -> WhatIf {
    let with = Files {
        inputs: vec![Input::Text(text.to_owned())],
        recursive: false,
    };
    WhatIf {
        with,
        without: vec![],
    }
}

fn lay(base: &str, what_if: &WhatIf) -> Result<Loaded, RemovalError> {
    let base = read_text(base, "prod").unwrap();
    what_if
        .read("prod")
        .unwrap()
        .lay_over(base, &Within::Anywhere)
}

fn state_of(what_if: &WhatIf) -> ClusterState {
    let loaded = lay(CLUSTER, what_if).unwrap();
    assert_eq!(loaded.notes, Vec::<String>::new());
    loaded.state
}

fn claim_of<'a>(state: &'a ClusterState, name: &str) -> &'a Claim {
    state.find_claim(&ObjectKey::new("prod", name)).unwrap()
}

const VOLUME: &str = r"
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-a, labels: {tier: silver}}
spec:
  capacity: {storage: 20Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: slow
  nfs: {server: files, path: /a}
";

#[test]
fn an_applied_volume_takes_the_spec_and_keeps_what_kubernetes_wrote() {
    let state = state_of(&with(VOLUME));
    let volume = state.find_volume("pv-a").unwrap();
    assert_eq!(volume.capacity.as_str(), "20Gi");
    assert_eq!(
        (volume.class(), volume.labels["tier"].as_str()),
        ("slow", "silver")
    );
    assert_eq!(volume.uid.as_deref(), Some("uid-a"));
    assert_eq!(volume.phase, VolumePhase::Bound);
    assert_eq!(volume.provisioned_by(), Some("made.example.com"));
    assert_eq!(
        volume
            .claim_ref
            .as_ref()
            .and_then(|reference| reference.uid.as_deref()),
        Some("uid-old")
    );
}

#[test]
fn an_edited_volume_is_as_it_was_edited() {
    let edited = VOLUME.replace("name: pv-a,", "name: pv-a, uid: uid-a,");
    let volume_state = state_of(&with(&edited));
    let volume = volume_state.find_volume("pv-a").unwrap();
    assert_eq!(volume.claim_ref, None);
    assert_eq!(
        volume.phase,
        VolumePhase::Bound,
        "nobody gave another status"
    );
    let another = VOLUME.replace("name: pv-a,", "name: pv-a, uid: another,");
    let state = state_of(&with(&another));
    assert_eq!(
        state.find_volume("pv-a").unwrap().phase,
        VolumePhase::Pending
    );
}

#[test]
fn what_the_server_would_refuse_is_told_and_not_done() {
    let table = [
        (
            VOLUME.replace("nfs: {server: files, path: /a}", "hostPath: {path: /a}"),
            "pv/pv-a",
            "the volume source is immutable",
        ),
        (
            VOLUME.replace("  nfs:", "  volumeMode: Block\n  nfs:"),
            "pv/pv-a",
            "volumeMode is immutable",
        ),
        (
            CLAIM.replace("tier: gold", "tier: silver"),
            "pvc/prod/new",
            "selector would change",
        ),
        (
            CLAIM.replace("5Gi", "6Gi"),
            "pvc/prod/new",
            "resources.requests would change",
        ),
        (
            BOUND.replace("5Gi", "6Gi"),
            "pvc/prod/old",
            "must support resize",
        ),
        (
            BOUND.replace("5Gi", "4Gi"),
            "pvc/prod/old",
            "can not be less than status.capacity",
        ),
        (
            CLASS.replace("made.example.com", "other.example.com"),
            "sc/fast",
            "provisioner is immutable",
        ),
    ];
    let before = read_text(CLUSTER, "prod").unwrap().state;
    for (text, name, why) in table {
        let after = lay(CLUSTER, &with(&text)).unwrap();
        assert_eq!(after.notes.len(), 1, "{text}");
        assert!(
            after.notes[0].starts_with(&format!("{name} stays as it is")),
            "{}",
            after.notes[0]
        );
        assert!(after.notes[0].contains(why), "{}", after.notes[0]);
        assert_eq!(after.state.volumes(), before.volumes());
        assert_eq!(after.state.claims(), before.claims());
        assert_eq!(after.state.classes(), before.classes());
    }
}

const CLAIM: &str = r"
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: new, namespace: prod, annotations: {volume.kubernetes.io/selected-node: node-1}}
spec:
  accessModes: [ReadWriteOnce]
  selector: {matchLabels: {tier: gold}}
  resources: {requests: {storage: 5Gi}}
";

const BOUND: &str = r"
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: old, namespace: prod, labels: {app: web}}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  resources: {requests: {storage: 5Gi}}
";

const CLASS: &str = r"
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: made.example.com
allowVolumeExpansion: true
";

#[test]
fn a_claim_that_exists_stays_existing() {
    let state = state_of(&with(CLAIM));
    let claim = claim_of(&state, "new");
    assert_eq!(claim.uid.as_deref(), Some("uid-new"));
    assert_eq!(claim.class.resolved(), "fast", "a class is not taken away");
    assert_eq!(claim.selected_node(), Some("node-1"));
    let state = state_of(&with(BOUND));
    let claim = claim_of(&state, "old");
    assert_eq!(
        (claim.phase, claim.volume_name.as_deref()),
        (ClaimPhase::Bound, Some("pv-a"))
    );
    assert!(claim.has_annotation(annotations::BIND_COMPLETED) && claim.created.is_some());
    assert_eq!(claim.labels["app"], "web");
}

#[test]
fn a_volume_may_be_named_once_and_a_bound_claim_may_grow_where_its_class_lets_it() {
    let naming = CLAIM.replace("  resources:", "  volumeName: pv-a\n  resources:");
    assert_eq!(
        claim_of(&state_of(&with(&naming)), "new")
            .volume_name
            .as_deref(),
        Some("pv-a")
    );
    let growing = format!("{CLASS}---{}", BOUND.replace("5Gi", "6Gi"));
    let state = state_of(&with(&growing));
    assert_eq!(claim_of(&state, "old").request().as_str(), "6Gi");
    assert_eq!(
        state.objects().quotas[0].used["requests.storage"].as_str(),
        "11Gi"
    );
}

#[test]
fn left_out_and_put_in_is_made_anew() {
    let what_if = WhatIf {
        without: without(&["pvc/new"]).without,
        ..with(&CLAIM.replace("tier: gold", "tier: silver"))
    };
    let state = state_of(&what_if);
    assert!(!claim_of(&state, "new").exists());
}

#[test]
fn a_claim_left_out_makes_room_in_its_quota_and_nothing_else_goes() {
    let state = state_of(&without(&["pvc/old"]));
    assert_eq!(state.claims().len(), 1);
    assert_eq!(state.volumes().len(), 1);
    assert_eq!(
        state.objects().quotas[0].used["requests.storage"].as_str(),
        "5Gi"
    );
}

#[test]
fn a_quota_keeps_what_it_counted_and_counts_what_is_new_to_it() {
    let quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: cap, namespace: prod}\nspec: {hard: {requests.storage: 20Gi}}\n";
    let state = state_of(&with(quota));
    let quota_now = &state.objects().quotas[0];
    assert_eq!(
        (
            quota_now.hard["requests.storage"].as_str(),
            quota_now.used["requests.storage"].as_str()
        ),
        ("20Gi", "10Gi")
    );
    let wider = quota.replace("20Gi}", "20Gi, persistentvolumeclaims: 2}");
    let quota_now = &state_of(&with(&wider)).objects().quotas[0].clone();
    assert!(!quota_now.has_status && quota_now.used.is_empty());
}

#[test]
fn a_new_default_class_is_the_newest() {
    let class = CLASS.replace(
        "{name: fast}",
        "{name: best, annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}",
    );
    let state = state_of(&with(&class));
    let created = |name: &str| state.find_class(name).unwrap().created;
    assert!(created("best") > created("fast"));
}

#[test]
fn what_was_not_captured_stays_unseen_and_what_was_put_in_is_not_absent() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n---\napiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: d}\n";
    let state = state_of(&with(node));
    assert_eq!(state.objects().nodes.len(), 1);
    assert!(!state.saw(Kind::Nodes, None), "other nodes may be there");
    assert!(!state.is_absent(Kind::CsiDrivers) && state.is_absent(Kind::Snapshots));
}

const SET: &str = r"
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: prod}
spec:
  replicas: 2
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
";

fn names(state: &ClusterState) -> Vec<&str> {
    state
        .claims()
        .iter()
        .map(|claim| claim.key.name.as_str())
        .collect()
}

#[test]
fn templates_make_claims_and_those_that_are_there_stay() {
    assert_eq!(
        names(&state_of(&with(SET))),
        ["data-web-0", "data-web-1", "new", "old"]
    );
    let there = CLUSTER.replace("name: new,", "name: data-web-0,");
    let loaded = lay(&there, &with(SET)).unwrap();
    assert!(claim_of(&loaded.state, "data-web-0").exists());
    assert_eq!(loaded.state.claims().len(), 3);
}

#[test]
fn a_replaced_set_makes_what_it_says_now_and_a_removed_one_nothing() {
    let smaller = lay(SET, &with(&SET.replace("replicas: 2", "replicas: 1"))).unwrap();
    assert_eq!(names(&smaller.state), ["data-web-0"]);
    let gone = lay(SET, &without(&["sts/web"])).unwrap();
    assert!(names(&gone.state).is_empty() && gone.state.objects().workloads.is_empty());
}

#[test]
fn what_belongs_to_a_pod_goes_with_it() {
    let pod = r"
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: prod, ownerReferences: [{kind: StatefulSet, name: web, controller: true}]}
spec: {volumes: [{name: tmp, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce]}}}}]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: mine, namespace: prod, uid: u, ownerReferences: [{kind: Pod, name: p, controller: true}]}
";
    let base = format!("{SET}---{pod}");
    let without_pod = lay(&base, &without(&["pod/p"])).unwrap();
    assert_eq!(names(&without_pod.state), ["data-web-0", "data-web-1"]);
    let without_set = lay(&base, &without(&["statefulset.apps/web"])).unwrap();
    assert!(names(&without_set.state).is_empty() && without_set.state.objects().pods.is_empty());
}

#[test]
fn what_is_not_there_cannot_be_left_out() {
    let error = |name: &str| lay(CLUSTER, &without(&[name])).unwrap_err();
    let similar = |error: RemovalError| match error {
        RemovalError::NotFound { similar, .. } => similar,
        other => panic!("{other:?}"),
    };
    assert_eq!(similar(error("pvc/nwe")), ["pvc/prod/new"]);
    assert_eq!(similar(error("pv/pv-b")), ["pv/pv-a"]);
    assert_eq!(similar(error("pvc/dev/new")), ["pvc/prod/new"]);
    assert!(similar(error("sc/nothing-like-it")).is_empty());
    assert!(matches!(
        error("pod/p"),
        RemovalError::NotSeen { what: "pods", .. }
    ));
    let twice = format!(
        "{CLUSTER}---{}",
        CLAIM.replace("namespace: prod", "namespace: dev")
    );
    let several = lay(&twice, &without(&["pvc/new"])).unwrap_err();
    assert!(
        matches!(several, RemovalError::Several { ref namespaces, .. } if namespaces == &["dev", "prod"])
    );
    assert_eq!(
        lay(&twice, &without(&["pvc/dev/new"]))
            .unwrap()
            .state
            .claims()
            .len(),
        2
    );
}

#[test]
fn names_are_read_as_kubectl_prints_them() {
    for good in [
        "pvc/a",
        "PersistentVolumeClaim/a",
        "pvc/ns/a",
        "storageclass.storage.k8s.io/fast",
        "quota/q",
        "no/n",
    ] {
        assert!(Removal::parse(good).is_ok(), "{good}");
    }
    for bad in [
        "", "a", "pvc/", "/a", "pvc//a", "pv/ns/a", "secret/a", "a/b/c/d",
    ] {
        assert!(Removal::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn files_that_hold_nothing_of_storage_are_told() {
    let loaded = lay(
        CLUSTER,
        &with("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"),
    )
    .unwrap();
    assert!(
        loaded.notes[0].starts_with("nothing in the files of --with"),
        "{:?}",
        loaded.notes
    );
}
