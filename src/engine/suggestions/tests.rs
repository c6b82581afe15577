//! The order of suggestions, and each condition under which another volume is offered.

use super::super::explain_claim;
use super::*;
use crate::conventions::annotations;
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::model::{
    CsiDriver, DataSource, Gap, GapReason, Kind, Node, Objects, Pod, VolumePhase, VolumeSource,
    Workload,
};
use crate::testing::{claim, class, pod, state_with, volume};

const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
const OFFER: &str = r#"kubectl patch pv v --type merge -p '{"spec":{"storageClassName":"any"}}'"#;

fn suggestions_of(state: &ClusterState, name: &str) -> Vec<Suggestion> {
    let mut claims = state.claims().iter();
    let claim = claims.find(|claim| claim.key.name == name);
    explain_claim(state, claim.expect("the claim of the test"), Rules::V1_36).suggestions
}

fn first_of(state: &ClusterState, name: &str) -> Suggestion {
    let first = suggestions_of(state, name).into_iter().next();
    first.expect("a suggestion")
}

/// Every command that is printed for claim `c`.
fn commands(state: &ClusterState) -> Vec<String> {
    let all = suggestions_of(state, "c").into_iter();
    all.flat_map(|suggestion| suggestion.commands)
        .map(|command| command.to_string())
        .collect()
}

/// Claim `c` of class `any`, which provisions nothing, and volume `v` of another class that would fit otherwise.
fn near_miss(more: impl FnOnce(&mut Objects)) -> ClusterState {
    let other = volume("v").of_class("other");
    state_with(vec![claim("c")], vec![other], |objects| {
        objects.classes.push(class("any", NO_PROVISIONER));
        more(objects);
    })
}

fn is_offered(state: &ClusterState) -> bool {
    commands(state)
        .iter()
        .any(|command| command.contains("patch pv v"))
}

fn node(name: &str) -> Node {
    let host = ("kubernetes.io/hostname".to_owned(), name.to_owned());
    Node {
        name: name.to_owned(),
        labels: [host].into(),
        ..Node::default()
    }
}

fn on_node(name: &str) -> NodeSelector {
    let requirement = Requirement {
        key: "kubernetes.io/hostname".to_owned(),
        operator: Operator::In,
        values: vec![name.to_owned()],
    };
    NodeSelector {
        terms: vec![NodeSelectorTerm {
            match_expressions: vec![requirement],
            match_fields: vec![],
        }],
    }
}

#[test]
fn another_volume_is_offered_after_the_next_step_and_with_a_warning() {
    let told = suggestions_of(&near_miss(|_| {}), "c");
    let [next, offer] = &told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(
        (next.summary.as_str(), next.commands.len()),
        (
            "Ask an administrator to create a volume of class any with 1Gi and ReadWriteOnce",
            0
        )
    );
    assert_eq!(offer.commands, [OFFER]);
    assert_eq!(
        offer.summary,
        "Offer v: set its class to any. It may hold data: check nfs first. The claim would then bind"
    );
}

#[test]
fn a_claim_with_a_data_source_gets_no_other_volume() {
    let source = DataSource {
        group: None,
        kind: "PersistentVolumeClaim".to_owned(),
        name: "origin".to_owned(),
        namespace: None,
    };
    let cloned = near_miss(|objects| objects.claims[0].data_source = Some(source.clone()));
    assert!(!is_offered(&cloned));
    // Nor by a correction after which an existing volume would be bound.
    let corrected = state_with(
        vec![claim("c").of_class(Some("anyy"))],
        vec![volume("v")],
        |objects| {
            objects.claims[0].data_source = Some(source);
            objects.classes.push(class("any", NO_PROVISIONER));
        },
    );
    assert_eq!(suggestions_of(&corrected, "c"), []);
}

#[test]
fn one_single_change_must_be_enough() {
    let two =
        |objects: &mut Objects| objects.volumes[0] = volume("v").of_class("other").offers(&[]);
    assert!(!is_offered(&near_miss(two)));
    let labels = |labels: &str| {
        state_with(
            vec![claim("c").selecting(labels)],
            vec![volume("v")],
            |_| {},
        )
    };
    assert!(is_offered(&labels("tier=gold")));
    assert!(!is_offered(&labels("tier=gold,zone=a")));
}

#[test]
fn the_volume_is_of_the_kind_that_the_class_provisions() {
    let of = |provisioner: &'static str, source: &str, driver: Option<&str>| {
        let source = VolumeSource {
            field: source.to_owned(),
            location: None,
            driver: driver.map(str::to_owned),
        };
        is_offered(&near_miss(|objects| {
            objects.classes = vec![class("any", provisioner)];
            objects.volumes[0].source = source;
        }))
    };
    assert!(of(NO_PROVISIONER, "local", None));
    assert!(of("disk.example", "csi", Some("disk.example")));
    assert!(!of("disk.example", "csi", Some("other.example")));
    assert!(!of("disk.example", "nfs", None));
    assert!(of("kubernetes.io/aws-ebs", "csi", Some("ebs.csi.aws.com")));
    assert!(of("kubernetes.io/aws-ebs", "awsElasticBlockStore", None));
    // A provisioner that is no CSI driver is known by what it has provisioned.
    let alike = |field: &str| {
        let wants = vec![claim("c").selecting("tier=gold")];
        let made = volume("made").annotated(annotations::PROVISIONED_BY, "example.com/files");
        let volumes = vec![volume("v"), made.stored_on(field, "x").of_class("third")];
        is_offered(&state_with(wants, volumes, |objects| {
            objects.classes.push(class("any", "example.com/files"));
        }))
    };
    assert!(alike("nfs") && !alike("glusterfs"));
}

#[test]
fn a_volume_of_a_provisioner_is_not_offered() {
    assert!(!is_offered(&near_miss(|objects| {
        let annotated = &mut objects.volumes[0].annotations;
        annotated.insert(annotations::PROVISIONED_BY.to_owned(), String::new());
    })));
}

#[test]
fn a_volume_that_another_claim_wants_is_not_offered() {
    let with = |other: Claim| is_offered(&near_miss(|objects| objects.claims.push(other)));
    let elsewhere = |claim: Claim| Claim {
        key: ObjectKey::new("team-b", "d"),
        ..claim
    };
    assert!(with(elsewhere(claim("d").of_class(Some("third")))));
    // It names the volume, has it among its outcomes, or waits for a pod to get it.
    assert!(!with(elsewhere(claim("d").naming("v"))));
    assert!(!with(elsewhere(claim("d").of_class(Some("other")))));
    let delayed = near_miss(|objects| {
        objects
            .classes
            .push(class("other", NO_PROVISIONER).delayed());
        objects
            .claims
            .push(elsewhere(claim("d").of_class(Some("other"))));
    });
    assert!(!is_offered(&delayed));
    // Its claimRef names another claim, by name or with the uid of one that exists.
    let held = |uid: Option<&str>| {
        is_offered(&near_miss(|objects| {
            let held = volume("v").of_class("other").reserved_for("d", uid);
            objects.volumes[0] = held;
        }))
    };
    assert!(!held(None) && !held(Some("uid-d")));
}

#[test]
fn a_volume_of_a_deleted_claim_is_offered_unless_a_set_creates_that_claim_again() {
    let left = |owner: &str, sets: Vec<Workload>| {
        let left = volume("v").reserved_for(owner, Some("u"));
        let left = left.in_phase(VolumePhase::Released);
        let state = state_with(vec![claim("c")], vec![left], |objects| {
            objects.workloads = sets;
        });
        suggestions_of(&state, "c")
    };
    let set = Workload {
        kind: "StatefulSet".to_owned(),
        key: ObjectKey::new("ns", "db"),
        replicas: 1,
        first_ordinal: 0,
        claim_templates: vec!["data".to_owned()],
        when_scaled: None,
        claims: vec![],
    };
    let told = left("gone", vec![set.clone()]);
    assert_eq!(
        told[1].commands,
        ["kubectl pv reclaim v --reuse --for ns/c"]
    );
    assert!(
        told[1]
            .summary
            .contains("holds the data of the deleted claim ns/gone")
    );
    assert_eq!(left("data-db-3", vec![set]), []);
    // The previous volume of the claim itself comes first.
    let told = left("c", vec![]);
    assert_eq!(
        told[0].summary,
        "Reuse v, with the data of the deleted claim"
    );
    assert_eq!(
        told[0].commands,
        ["kubectl pv reclaim v --reuse --for ns/c"]
    );
}

#[test]
fn the_nearest_claim_gets_the_offer() {
    // Both lack one thing; the selector comes before the class in the order of the codes.
    let nearer = near_miss(|objects| {
        let other = claim("d").of_class(Some("other")).selecting("tier=gold");
        objects.claims.push(other);
        objects.classes.push(class("other", NO_PROVISIONER));
    });
    assert!(!is_offered(&nearer));
    let all = suggestions_of(&nearer, "d");
    assert!(
        all[1].commands[0]
            .to_string()
            .contains(r#"{"tier":"gold"}"#),
        "{all:?}"
    );
    // Of equal claims each is told.
    let equal = near_miss(|objects| objects.claims.push(claim("d")));
    assert!(is_offered(&equal));
}

#[test]
fn a_class_that_does_not_exist_moves_no_volume() {
    assert!(!is_offered(&near_miss(|objects| objects.classes.clear())));
    let unread = near_miss(|_| {});
    let gap = |kind| Gap {
        kind,
        why: GapReason::Forbidden,
        seen_only_in: None,
    };
    for kind in [Kind::Classes, Kind::Claims] {
        let objects = unread.objects().clone();
        let state = ClusterState::new(objects, vec![gap(kind)], None);
        assert!(!is_offered(&state), "{kind:?}");
    }
}

#[test]
fn a_volume_without_a_node_is_never_offered() {
    let on = |node_of_volume: &str| {
        near_miss(|objects| {
            objects.nodes.push(node("here"));
            objects.volumes[0].node_affinity = Some(on_node(node_of_volume));
        })
    };
    assert!(is_offered(&on("here")));
    assert!(!is_offered(&on("gone")));
    // Nor is it returned, nor bound by a correction.
    let mut lost = volume("v").reserved_for("c", Some("u"));
    lost.node_affinity = Some(on_node("gone"));
    let returned = state_with(vec![claim("c")], vec![lost], |objects| {
        objects.nodes.push(node("here"));
    });
    assert_eq!(suggestions_of(&returned, "c"), []);
    let mut far = volume("v");
    far.node_affinity = Some(on_node("gone"));
    let corrected = |far: Volume| {
        state_with(
            vec![claim("c").of_class(Some("anyy"))],
            vec![far],
            |objects| {
                objects.nodes.push(node("here"));
                objects.classes.push(class("any", NO_PROVISIONER));
            },
        )
    };
    assert_eq!(suggestions_of(&corrected(far), "c"), []);
    assert!(
        first_of(&corrected(volume("v")), "c")
            .summary
            .contains("with class any")
    );
}

#[test]
fn an_offer_needs_a_node_for_the_pod_that_uses_the_claim() {
    let with = |change: fn(&mut Pod)| {
        let mut user = pod("p", "c");
        change(&mut user);
        is_offered(&near_miss(|objects| {
            objects.nodes.extend([node("one"), node("two")]);
            objects.volumes[0].node_affinity = Some(on_node("one"));
            objects.pods.push(user);
        }))
    };
    assert!(with(|_| {}));
    assert!(with(|pod| pod.wishes.node_selector = node("one").labels));
    assert!(!with(|pod| pod.wishes.node_selector = node("two").labels));
}

#[test]
fn corrections_come_before_offers() {
    // The same number in another unit, beside a volume that lacks one label.
    let units = state_with(
        vec![claim("c").requests("10Gi").selecting("tier=gold")],
        vec![
            volume("v").holds("10Gi"),
            volume("w").holds("10G").labelled("tier", "gold"),
        ],
        |_| {},
    );
    let told = suggestions_of(&units, "c");
    assert_eq!(
        told[0].summary,
        "Recreate the claim with 10G, which w offers. It holds no data"
    );
    assert!(told[1].summary.starts_with("Offer v: label it tier=gold."));
    // Less than was meant is another volume.
    let less = state_with(
        vec![claim("c").requests("10Gi")],
        vec![volume("v").holds("9Gi")],
        |_| {},
    );
    let told = suggestions_of(&less, "c");
    assert!(told[0].commands.is_empty());
    assert!(
        told[1].summary.contains("v may hold data: check nfs first"),
        "{told:?}"
    );
}

#[test]
fn a_misspelt_class_is_corrected_in_the_claim() {
    let misspelt = |change: &dyn Fn(&mut Claim), more: &dyn Fn(&mut Objects)| {
        let mut wrong = claim("data-db-0").of_class(Some("gp33"));
        change(&mut wrong);
        let state = state_with(
            vec![wrong],
            vec![volume("v").of_class("local")],
            |objects| {
                objects.classes.push(class("gp3", "disk.example"));
                objects.csi_drivers.push(CsiDriver {
                    name: "disk.example".to_owned(),
                    ..CsiDriver::default()
                });
                more(objects);
            },
        );
        let told = suggestions_of(&state, "data-db-0");
        assert_eq!(told.len(), 1, "{told:?}");
        told.into_iter().next().expect("one")
    };
    let nothing = |_: &mut Claim| {};
    let by_person = misspelt(&nothing, &|_| {});
    assert!(
        by_person.commands[0]
            .to_string()
            .ends_with("| kubectl replace --force -f -")
    );

    let by_set = misspelt(&nothing, &|objects| {
        objects.workloads.push(Workload {
            kind: "StatefulSet".to_owned(),
            key: ObjectKey::new("ns", "db"),
            replicas: 3,
            first_ordinal: 0,
            claim_templates: vec!["data".to_owned()],
            when_scaled: None,
            claims: vec![],
        });
    });
    let commands = [
        "kubectl delete sts db -n ns --cascade=orphan",
        "kubectl delete pvc data-db-0 -n ns --wait=false",
    ];
    assert_eq!(by_set.commands, commands);
    // The owner of the pod that uses it names the set as well, where StatefulSets cannot be read.
    let by_pod = misspelt(&nothing, &|objects| {
        let mut user = pod("db-0", "data-db-0");
        user.owner = Some(OwnerRef::new("StatefulSet", "db"));
        objects.pods.push(user);
    });
    assert_eq!(by_pod.commands, commands);

    for owner in [
        OwnerRef::new("Pod", "web-0"),
        OwnerRef::new("PostgresCluster", "pg"),
    ] {
        let owned = misspelt(&|claim| claim.owner = Some(owner.clone()), &|_| {});
        assert_eq!(
            (owned.summary.as_str(), owned.commands.len()),
            (
                &*format!("Correct the claim template of {owner}, with class gp3"),
                0
            )
        );
    }
}

#[test]
fn a_class_is_assigned_to_the_claim_before_the_default_is_marked() {
    let with = |claims: Vec<Claim>| {
        let state = state_with(claims, vec![], |objects| {
            objects.classes.push(class("only", "disk.example"));
            objects.csi_drivers.push(CsiDriver {
                name: "disk.example".to_owned(),
                ..CsiDriver::default()
            });
        });
        commands(&state)
    };
    let own = r#"kubectl patch pvc c -n ns --type merge -p '{"spec":{"storageClassName":"only"}}'"#;
    let marked = with(vec![claim("c").of_class(None)]);
    assert_eq!((marked[0].as_str(), marked.len()), (own, 2));
    // A default class would be applied to the other claim too.
    let others = with(vec![claim("c").of_class(None), claim("d").of_class(None)]);
    assert_eq!(others, [own]);
}

#[test]
fn a_claim_that_names_a_missing_volume_keeps_what_it_names() {
    let near =
        |volume: Volume| state_with(vec![claim("c").naming("pv-data-1")], vec![volume], |_| {});
    let told = suggestions_of(&near(volume("pv-data-12")), "c");
    assert!(
        told[0].summary.contains("with volumeName pv-data-12"),
        "{told:?}"
    );
    // Another provisioner's volume is probably another claim's.
    let theirs = volume("pv-data-12").annotated(annotations::PROVISIONED_BY, "disk.example");
    let told = suggestions_of(&near(theirs), "c");
    assert!(
        told[0].commands.is_empty() && told[1].summary.contains("without volumeName"),
        "{told:?}"
    );
}
