//! The rules that a scenario file would only hide: scope, ages, sums, gaps, ordinals, assets.

use super::found_asset::{AssetOwner, FoundAsset};
use super::*;
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::model::{ClaimPhase, Condition, GapReason, Node, Objects, VolumePhase, Workload};
use crate::report::Confidence;
use crate::testing::{claim, pod, state_with, volume};
use serde_json::json;

const NOW: Time = Time(1_000_000);

fn bound(name: &str, to: &str) -> Claim {
    let mut bound = claim(name)
        .naming(to)
        .annotated(annotations::BIND_COMPLETED, "yes");
    bound.phase = ClaimPhase::Bound;
    bound
}

fn held(name: &str, by: &str) -> Volume {
    volume(name)
        .in_phase(VolumePhase::Bound)
        .reserved_for(by, Some(&format!("uid-{by}")))
}

fn given_up(name: &str) -> Volume {
    volume(name)
        .in_phase(VolumePhase::Released)
        .reserved_for("gone", Some("uid-gone"))
}

/// `category name confidence` of each finding, and `code name` of what is kept.
fn told(report: &CleanupReport) -> (Vec<String>, Vec<String>) {
    let found = report.findings.iter().map(|found| {
        let category = found.category.name();
        format!(
            "{category} {} {}",
            found.object.name,
            found.confidence.name()
        )
    });
    let kept = report
        .kept
        .iter()
        .map(|kept| format!("{} {}", kept.code.name(), kept.object.name));
    (found.collect(), kept.collect())
}

fn asked(state: &ClusterState) -> (Vec<String>, Vec<String>) {
    told(&find_leftovers(state, &CleanupQuestion::all(NOW)))
}

fn set(replicas: u32, first_ordinal: u32) -> Workload {
    Workload {
        kind: "StatefulSet".to_owned(),
        key: ObjectKey::new("ns", "web"),
        replicas,
        first_ordinal,
        claim_templates: vec!["data".to_owned()],
        when_scaled: None,
        claims: vec![],
    }
}

#[test]
fn a_set_holds_its_ordinals_and_all_of_them_while_it_has_none() {
    let names = ["data-web-0", "data-web-2", "data-web-5", "data-web-05"];
    let found = |replicas, start| {
        let claims = names.map(|name| bound(name, &format!("v-{name}"))).into();
        let volumes = names.map(|name| held(&format!("v-{name}"), name)).into();
        let state = state_with(claims, volumes, |objects| {
            objects.workloads = vec![set(replicas, start)];
        });
        asked(&state).0
    };
    let rows = |names: &[&str]| -> Vec<String> {
        let rows = names.iter();
        rows.map(|name| format!("unused-claims {name} Likely"))
            .collect()
    };
    assert_eq!(found(0, 0), rows(&["data-web-05"]));
    assert_eq!(
        found(2, 0),
        rows(&["data-web-05", "data-web-2", "data-web-5"])
    );
    assert_eq!(
        found(3, 2),
        rows(&["data-web-0", "data-web-05", "data-web-5"])
    );
    assert_eq!(found(u32::MAX, 1), rows(&["data-web-0", "data-web-05"]));
}

#[test]
fn a_claim_of_an_operator_and_one_that_is_copied_are_told_apart() {
    let mut operated = bound("operated", "v-1");
    operated.owner = Some(OwnerRef::new("Cluster", "pg"));
    let mut copy = claim("copy");
    copy.data_source = Some(crate::model::DataSource {
        group: None,
        kind: "PersistentVolumeClaim".to_owned(),
        name: "original".to_owned(),
        namespace: None,
    });
    let state = state_with(
        vec![operated, copy, bound("original", "v-2")],
        vec![held("v-1", "operated"), held("v-2", "original")],
        |_| {},
    );
    let (found, kept) = asked(&state);
    assert_eq!(found, ["unused-claims operated Unsure"]);
    assert_eq!(kept, ["NotBound copy", "InUse original"]);
}

#[test]
fn what_does_not_say_since_when_is_never_too_young() {
    let mut young = given_up("young");
    young.phase_since = Some(Time(NOW.0 - 99));
    let mut old = given_up("old");
    old.phase_since = Some(Time(NOW.0 - 100));
    let mut used_lately = bound("used-lately", "v");
    used_lately.conditions = vec![Condition {
        kind: "Unused".to_owned(),
        status: "True".to_owned(),
        message: String::new(),
        since: Some(Time(NOW.0 - 5)),
    }];
    let state = state_with(
        vec![used_lately],
        vec![young, old, given_up("silent"), held("v", "used-lately")],
        |_| {},
    );
    let question = CleanupQuestion {
        older_than: Some(100),
        ..CleanupQuestion::all(NOW)
    };
    let (found, _) = told(&find_leftovers(&state, &question));
    assert_eq!(found, ["released old Certain", "released silent Certain"]);
    let (all, _) = asked(&state);
    assert_eq!(all.len(), 4);
}

/// An unused claim does not say since when; it cannot have been so before it was created.
#[test]
fn what_was_created_later_is_not_old() {
    let of = |name: &str, volume: &str, created: i64| {
        let mut claim = bound(name, volume);
        claim.created = Some(Time(created));
        claim
    };
    let claims = vec![of("new", "v-1", NOW.0 - 60), of("old", "v-2", NOW.0 - 200)];
    let volumes = vec![held("v-1", "new"), held("v-2", "old")];
    let state = state_with(claims, volumes, |_| {});
    let question = CleanupQuestion {
        older_than: Some(100),
        ..CleanupQuestion::all(NOW)
    };
    let report = find_leftovers(&state, &question);
    assert_eq!(told(&report).0, ["unused-claims old Likely"]);
    let found = &report.findings[0];
    assert_eq!(
        (found.since, found.not_before),
        (None, Some(Time(NOW.0 - 200)))
    );
}

#[test]
fn a_volume_is_freed_once_and_sums_are_exact() {
    let mut pinned = held("v-1", "idle").holds("1Gi");
    pinned.node_affinity = Some(crate::conventions::topology::NodeSelector { terms: vec![] });
    let state = state_with(
        vec![bound("idle", "v-1")],
        vec![
            pinned,
            given_up("v-2").holds("1500M"),
            given_up("v-3").holds("0.5"),
        ],
        |objects| objects.nodes = vec![Node::default()],
    );
    let report = find_leftovers(&state, &CleanupQuestion::all(NOW));
    assert_eq!(told(&report).0.len(), 4);
    assert_eq!(report.frees, "2573741824500m");
    let none = state_with(vec![], vec![], |_| {});
    assert_eq!(find_leftovers(&none, &CleanupQuestion::all(NOW)).frees, "0");
}

#[test]
fn each_list_that_was_forbidden_refuses_what_depends_on_it_and_nothing_else() {
    let refused = |kind: Kind, only: Option<&str>, namespace: Option<&str>| -> Vec<&'static str> {
        let gap = Gap {
            kind,
            why: GapReason::Forbidden,
            seen_only_in: only.map(str::to_owned),
        };
        let state = ClusterState::new(Objects::default(), vec![gap], Some(NOW));
        let question = CleanupQuestion {
            selection: Selection {
                namespace,
                ..Selection::default()
            },
            ..CleanupQuestion::all(NOW)
        };
        let report = find_leftovers(&state, &question);
        let refused = report.refused.iter().map(|refused| refused.category.name());
        refused.collect()
    };
    let all = |kind| refused(kind, None, None);
    for kind in [
        Kind::Workloads,
        Kind::Deployments,
        Kind::ReplicaSets,
        Kind::ReplicationControllers,
        Kind::DaemonSets,
        Kind::Jobs,
        Kind::CronJobs,
    ] {
        assert_eq!(all(kind), ["unused-claims"], "{kind:?}");
    }
    assert_eq!(all(Kind::Pods), ["leftover-attachments", "unused-claims"]);
    assert_eq!(all(Kind::Nodes), ["leftover-attachments", "unreachable"]);
    assert_eq!(all(Kind::Attachments), ["leftover-attachments"]);
    assert_eq!(
        all(Kind::Claims),
        [
            "duplicate-volumes",
            "failed",
            "leaked-assets",
            "lost-claims",
            "released",
            "unused-claims"
        ]
    );
    assert_eq!(all(Kind::Volumes).len(), 7);
    assert!(all(Kind::Classes).is_empty());
    // What was seen in the namespace that is asked about is enough.
    assert!(refused(Kind::Claims, Some("ns"), Some("ns")).is_empty());
    assert_eq!(refused(Kind::Claims, Some("ns"), None).len(), 6);
}

#[test]
fn without_pods_a_released_volume_is_only_likely_so() {
    let gap = Gap {
        kind: Kind::Pods,
        why: GapReason::NotCaptured,
        seen_only_in: None,
    };
    let objects = Objects {
        volumes: vec![given_up("v")],
        ..Objects::default()
    };
    let state = ClusterState::new(objects, vec![gap], None);
    assert_eq!(asked(&state).0, ["released v Likely"]);
    let seen = state_with(vec![], vec![given_up("v")], |objects| {
        objects.pods = vec![pod("p", "gone")];
    });
    assert_eq!(asked(&seen), (vec![], vec!["InUse v".to_owned()]));
}

#[test]
fn what_is_marked_is_kept_by_its_own_mark_or_that_of_its_claim_or_volume() {
    let state = state_with(
        vec![
            bound("marked", "v-1").annotated(annotations::KEEP, ""),
            bound("plain", "v-2"),
        ],
        vec![
            held("v-1", "marked"),
            held("v-2", "plain").annotated(annotations::KEEP, "why not"),
            given_up("v-3").annotated(annotations::KEEP, ""),
        ],
        |_| {},
    );
    let (found, kept) = asked(&state);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(kept, ["OptOut v-3", "OptOut marked", "OptOut plain"]);
    // Whether there is anything left to keep of what kubectl pv has begun to delete is decided when its policy is carried out.
    let mut locked = given_up("v").annotated(annotations::KEEP, "").deleted();
    locked.finalizers = vec![annotations::OWN_DELETION.to_owned()];
    let (found, kept) = asked(&state_with(vec![], vec![locked], |_| {}));
    assert_eq!((found.len(), kept.len()), (1, 0), "{found:?} {kept:?}");
}

#[test]
fn an_attachment_is_left_over_without_its_volume_its_node_or_a_pod_there() {
    let attached = |name: &str, volume: Option<&str>, node: &str, is_deleted| VolumeAttachment {
        name: name.to_owned(),
        uid: None,
        resource_version: None,
        attacher: "csi.example".to_owned(),
        node: node.to_owned(),
        volume: volume.map(str::to_owned),
        is_attached: true,
        attach_error: None,
        detach_error: None,
        is_deleted,
    };
    let mut user = pod("p", "c");
    user.node_name = Some("n1".to_owned());
    let node = |name: &str| Node {
        name: name.to_owned(),
        ..Node::default()
    };
    let state = state_with(vec![bound("c", "v")], vec![held("v", "c")], |objects| {
        objects.pods = vec![user];
        objects.nodes = vec![node("n1"), node("n2")];
        objects.attachments = vec![
            attached("a-used", Some("v"), "n1", false),
            attached("b-elsewhere", Some("v"), "n2", false),
            attached("c-no-node", Some("v"), "n3", false),
            attached("d-no-volume", Some("gone"), "n1", false),
            attached("e-going", Some("gone"), "n1", true),
            attached("f-inline", None, "n1", false),
        ];
    });
    let (found, kept) = asked(&state);
    assert_eq!(
        found,
        [
            "leftover-attachments b-elsewhere Likely",
            "leftover-attachments c-no-node Certain",
            "leftover-attachments d-no-volume Certain",
        ]
    );
    assert_eq!(
        kept,
        [
            "InUse c",
            "InUse a-used",
            "BeingDeleted e-going",
            "InUse f-inline"
        ]
    );
}

#[test]
fn an_asset_is_leaked_only_if_nobody_waits_for_it_and_nothing_lies_there() {
    let asset = |name: &str, owner: Option<AssetOwner>, path: &str| FoundAsset {
        backend: "example.com/here".to_owned(),
        name: name.to_owned(),
        owner,
        field: "hostPath".to_owned(),
        location: Some(path.to_owned()),
        exists: true,
        is_empty: Some(true),
        policy: Some("Delete".to_owned()),
        size: Some("1Gi".to_owned()),
        class: Some("scratch".to_owned()),
        access_modes: vec!["ReadWriteOnce".to_owned()],
        node: Some("node-1".to_owned()),
        volume_source: json!({ "hostPath": { "path": path } }),
        is_current: true,
    };
    let made_for = |name: &str, uid: &str| {
        Some(AssetOwner::Claim {
            key: ObjectKey::new("ns", name),
            uid: uid.to_owned(),
        })
    };
    let question = CleanupQuestion {
        assets: Assets {
            found: vec![
                asset("a-gone", made_for("gone", "uid-gone"), "/srv/a-gone"),
                asset("b-awaited", made_for("c", "uid-c"), "/srv/b-awaited"),
                asset("c-namesake", made_for("c", "uid-old"), "/srv/c-namesake"),
                asset("d-shared", made_for("gone", "uid-gone"), "/srv/d-shared"),
                asset("e-record", None, "/srv/e-record"),
            ],
            ..Assets::default()
        },
        ..CleanupQuestion::all(NOW)
    };
    let below = volume("static").stored_on("local", "/srv//d-shared/below");
    let state = state_with(vec![claim("c")], vec![below], |_| {});
    let report = find_leftovers(&state, &question);
    let (found, kept) = told(&report);
    assert_eq!(
        found,
        [
            "leaked-assets a-gone Certain",
            "leaked-assets c-namesake Certain",
            "leaked-assets e-record Unsure",
        ]
    );
    assert_eq!(
        kept,
        [
            "ClaimExists b-awaited",
            "SharedAsset d-shared",
            "NotReleased static",
            "NotBound c"
        ]
    );
    // An asset without the record of a claim is in no namespace.
    let elsewhere = CleanupQuestion {
        selection: Selection {
            namespace: Some("other"),
            ..Selection::default()
        },
        ..question
    };
    let report = find_leftovers(&state, &elsewhere);
    assert_eq!(told(&report).0, [""; 0]);
}

#[test]
fn a_lost_claim_is_surer_if_nobody_names_it() {
    let state = state_with(
        vec![bound("used", "v-1"), bound("idle", "v-2")],
        vec![],
        |objects| {
            objects.pods = vec![pod("p", "used")];
        },
    );
    let (found, _) = asked(&state);
    assert_eq!(
        found,
        ["lost-claims idle Certain", "lost-claims used Likely"]
    );
    let report = find_leftovers(&state, &CleanupQuestion::all(NOW));
    assert_eq!(report.findings[0].confidence, Confidence::Certain);
    assert_eq!(report.frees, "0");
}

#[test]
fn only_what_names_nodes_that_are_gone_is_unreachable() {
    let pinned = |name: &str, key: &str, operator: Operator, values: &[&str]| {
        let wanted = Requirement {
            key: key.to_owned(),
            operator,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let term = NodeSelectorTerm {
            match_expressions: vec![wanted],
            match_fields: vec![],
        };
        let mut volume = volume(name);
        volume.node_affinity = Some(NodeSelector { terms: vec![term] });
        volume
    };
    let volumes = vec![
        pinned("gone", annotations::HOSTNAME, Operator::In, &["n9"]),
        pinned("driver", "x.example.com/node", Operator::In, &["n9"]),
        pinned("zone", "zone", Operator::In, &["z9"]),
        pinned("others", annotations::HOSTNAME, Operator::NotIn, &["n1"]),
        pinned("none", annotations::HOSTNAME, Operator::DoesNotExist, &[]),
    ];
    let state = state_with(vec![], volumes, |objects| {
        let labels = [(annotations::HOSTNAME.to_owned(), "n1".to_owned())];
        objects.nodes = vec![Node {
            name: "n1".to_owned(),
            labels: labels.into(),
            ..Node::default()
        }];
    });
    let found = asked(&state).0;
    assert_eq!(
        found,
        [
            "unreachable driver Unsure",
            "unreachable gone Likely",
            "unreachable zone Unsure",
        ]
    );
}

#[test]
fn the_command_for_a_leaked_asset_survives_a_shell() {
    let asset = FoundAsset {
        backend: "example.com/here".to_owned(),
        name: "pvc-1".to_owned(),
        owner: Some(AssetOwner::Claim {
            key: ObjectKey::new("ns", "gone"),
            uid: "uid-gone".to_owned(),
        }),
        field: "hostPath".to_owned(),
        location: Some("/srv/it's $(id)".to_owned()),
        exists: true,
        is_empty: Some(false),
        policy: Some("Retain".to_owned()),
        size: Some("10Gi".to_owned()),
        class: None,
        access_modes: vec![],
        node: Some("node-1".to_owned()),
        volume_source: json!({ "hostPath": { "path": "/srv/it's $(id)" } }),
        is_current: true,
    };
    let commands = |asset: FoundAsset| {
        let question = CleanupQuestion {
            assets: Assets {
                found: vec![asset],
                ..Assets::default()
            },
            ..CleanupQuestion::all(NOW)
        };
        let mut report = find_leftovers(&state_with(vec![], vec![], |_| {}), &question);
        let found = report.findings.remove(0);
        assert_eq!(report.frees, found.frees.clone().unwrap_or("0".to_owned()));
        (found.recreates, found.commands)
    };
    let (recreates, lines) = commands(asset.clone());
    assert!(recreates);
    let object = r#"{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"annotations":{"kubectl-pv.dev/made-once":"yes","pv.kubernetes.io/provisioned-by":"example.com/here"},"name":"pvc-1"},"spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"10Gi"},"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","name":"gone","namespace":"ns"},"hostPath":{"path":"/srv/it'\''s $(id)"},"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"kubernetes.io/hostname","operator":"In","values":["node-1"]}]}]}},"persistentVolumeReclaimPolicy":"Retain","storageClassName":""}}"#;
    assert_eq!(
        lines,
        [format!("printf %s '{object}' | kubectl create -f -")]
    );
    // Without a size or a node no volume can be created for it, and an asset that does not exist needs none.
    let without = [
        FoundAsset {
            size: None,
            ..asset.clone()
        },
        FoundAsset {
            node: None,
            ..asset.clone()
        },
        FoundAsset {
            exists: false,
            ..asset
        },
    ];
    for asset in without {
        let expected = "kubectl pv cleanup --category leaked-assets --asset pvc-1 --dry-run";
        let (recreates, lines) = commands(asset);
        assert_eq!((recreates, &*lines[0].to_string()), (false, expected));
    }
}
