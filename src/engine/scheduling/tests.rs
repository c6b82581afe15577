//! Small clusters of nodes, volumes and pods: what chance decides, and what looks alike and is not.

use super::*;
use crate::conventions::selector::{Labels, Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::engine::look_at_node;
use crate::model::{Claim, ClaimUse, CsiNode, PodVolume, Volume};
use crate::report::NodeAssessment;
use crate::testing::{claim, class, pod, state_with, volume};

fn labels(pairs: &[(&str, &str)]) -> Labels {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn node(name: &str) -> Node {
    Node {
        name: name.to_owned(),
        labels: labels(&[("host", name)]),
        ..Node::default()
    }
}

fn pinned(volume: Volume, key: &str, value: &str) -> Volume {
    let requirement = Requirement {
        key: key.to_owned(),
        operator: Operator::In,
        values: vec![value.to_owned()],
    };
    Volume {
        node_affinity: Some(NodeSelector {
            terms: vec![NodeSelectorTerm {
                match_expressions: vec![requirement],
                match_fields: vec![],
            }],
        }),
        ..volume
    }
}

/// One attempt at a node of a cluster whose class `any` is delayed and makes nothing.
fn look(claims: Vec<Claim>, volumes: Vec<Volume>, nodes: Vec<Node>, at: &str) -> NodeAssessment {
    let mut waiting = pod("p", "");
    waiting.volumes = claims
        .iter()
        .map(|claim| PodVolume {
            name: claim.key.name.clone(),
            claim: ClaimUse::Named(claim.key.name.clone()),
        })
        .collect();
    let state = state_with(claims, volumes, |objects| {
        objects
            .classes
            .push(class("any", "kubernetes.io/no-provisioner").delayed());
        objects.nodes = nodes;
    });
    look_at_node(&state, &waiting, at, &BTreeSet::new()).expect("no refusal")
}

fn bindings(assessment: &NodeAssessment, claim: &str) -> Vec<String> {
    assessment.bindings.get(claim).cloned().unwrap_or_default()
}

#[test]
fn equal_volumes_are_all_possible_and_never_given_twice() {
    let volumes = || vec![volume("a"), volume("b"), volume("c")];
    let two = look(
        vec![claim("x"), claim("y")],
        volumes(),
        vec![node("n")],
        "n",
    );
    assert!(two.feasible && !two.may_fail);
    assert_eq!(bindings(&two, "x"), ["a", "b", "c"]);
    assert_eq!(bindings(&two, "y"), ["a", "b", "c"]);
    let four = vec![claim("w"), claim("x"), claim("y"), claim("z")];
    assert!(!look(four, volumes(), vec![node("n")], "n").feasible);
}

#[test]
fn chance_may_leave_too_little_for_another_claim() {
    // Both volumes are equal for `plain`; only one of them serves `picky`, which is larger in name only.
    let gold = volume("gold").labelled("tier", "gold");
    let picky = claim("z-picky").selecting("tier=gold");
    let found = look(
        vec![claim("plain"), picky],
        vec![gold, volume("other")],
        vec![node("n")],
        "n",
    );
    assert!(found.feasible && found.may_fail);
    assert_eq!(bindings(&found, "plain"), ["other"]);
    assert_eq!(bindings(&found, "z-picky"), ["gold"]);
}

#[test]
fn the_smaller_claim_is_served_first_and_nobody_goes_back() {
    let claims = vec![claim("large").requests("5Gi"), claim("small")];
    let found = look(
        claims,
        vec![volume("only").holds("9Gi")],
        vec![node("n")],
        "n",
    );
    assert!(!found.feasible);
    assert_eq!(bindings(&found, "small"), ["only"]);
    assert_eq!(found.reasons[0].claim(), Some("large"));
}

#[test]
fn a_volume_reserved_on_another_node_ends_the_search() {
    let kept = pinned(volume("kept").reserved_for("x", None), "host", "m");
    let found = look(
        vec![claim("x")],
        vec![kept.clone(), volume("free")],
        vec![node("n"), node("m")],
        "n",
    );
    assert!(!found.feasible, "the free volume is not taken: {found:?}");
    let there = look(
        vec![claim("x")],
        vec![kept, volume("free")],
        vec![node("m")],
        "m",
    );
    assert_eq!(bindings(&there, "x"), ["kept"]);
}

#[test]
fn of_two_reserved_volumes_either_may_be_met_first() {
    let far = pinned(volume("far").reserved_for("x", None), "host", "m");
    let near = volume("near").reserved_for("x", None);
    let found = look(vec![claim("x")], vec![far, near], vec![node("n")], "n");
    assert!(found.feasible && found.may_fail);
    assert_eq!(bindings(&found, "x"), ["near"]);
}

#[test]
fn modes_count_for_free_volumes_and_not_for_reserved_ones() {
    let wanting = || vec![claim("x").modes(&["ReadWriteMany"])];
    let free = look(wanting(), vec![volume("v")], vec![node("n")], "n");
    assert!(!free.feasible);
    let reserved = volume("v").reserved_for("x", None);
    assert!(look(wanting(), vec![reserved], vec![node("n")], "n").feasible);
}

#[test]
fn an_in_tree_disk_follows_its_driver_s_key_where_the_node_leaves_it_to_the_driver() {
    let disk = volume("disk")
        .stored_on("gcePersistentDisk", "pd-1")
        .labelled("topology.kubernetes.io/zone", "a__b");
    let at = |zone: &str, migrated: bool| {
        let here = Node {
            labels: labels(&[("topology.gke.io/zone", zone)]),
            ..node("n")
        };
        let state = state_with(vec![], vec![disk.clone()], |objects| {
            objects.csi_nodes.push(CsiNode {
                name: "n".to_owned(),
                migrated_plugins: migrated
                    .then(|| "kubernetes.io/gce-pd".to_owned())
                    .into_iter()
                    .collect(),
                ..CsiNode::default()
            });
        });
        migration::affinity_on(&state, &state.volumes()[0], &here)
            .is_none_or(|affinity| affinity.matches(&here.labels))
    };
    assert!(at("a", true) && at("b", true) && !at("c", true));
    assert!(
        at("c", false),
        "without the driver the label alone does not pin it"
    );
}

#[test]
fn fields_restrict_pods_and_not_volumes() {
    let by_name = NodeSelector {
        terms: vec![NodeSelectorTerm {
            match_expressions: vec![],
            match_fields: vec![Requirement {
                key: "metadata.name".to_owned(),
                operator: Operator::In,
                values: vec!["m".to_owned()],
            }],
        }],
    };
    let mut waiting = pod("p", "x");
    waiting.wishes.node_affinity = Some(by_name.clone());
    let codes: Vec<_> = others::reasons(&waiting, &node("n"))
        .iter()
        .map(|reason: &NodeReason| reason.code().name())
        .collect();
    assert_eq!(codes, ["NodeNotNamed", "NodeNotSelected"]);
    assert!(others::reasons(&waiting, &node("m")).is_empty());
    let volume = Volume {
        node_affinity: Some(by_name),
        ..volume("v")
    };
    assert!(look(vec![claim("x")], vec![volume], vec![node("n")], "n").feasible);
}
