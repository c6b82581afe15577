//! Small clusters with claims, volumes, nodes and pods, from a number.

use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::engine::Rules;
use crate::engine::forecast::tests::{generate as claims, orders::described};
use crate::model::{ClaimUse, Class, ClusterState, Node, Objects, Pod, PodVolume, Volume};
use crate::testing::{class, pod};
use claims::Random;

/// A cluster of a few claims and volumes, and of some nodes and pods in most cases.
pub(super) fn cluster(random: &mut Random) -> (ClusterState, Rules) {
    let rules = claims::rules(random);
    let (wanted, volumes) = (1 + random.below(5), random.below(7));
    let mut objects: Objects = claims::cluster_of(random, wanted, volumes)
        .objects()
        .clone();
    for class in &mut objects.classes {
        *class = delay(random, class.clone());
    }
    // In some clusters pods compete for all volumes.
    let is_crowded = random.below(3) == 0;
    if is_crowded {
        crowd(random, &mut objects);
    }
    let nodes = random.below(4) + u64::from(is_crowded);
    objects.nodes = (0..nodes).map(|place| node(&format!("n{place}"))).collect();
    for volume in &mut objects.volumes {
        if random.below(3) == 0 {
            let place = random.below(nodes + 1);
            *volume = on(&format!("n{place}"), volume.clone());
        }
    }
    let pods = random.below(5) + if is_crowded { wanted } else { 0 };
    objects.pods = (0..pods)
        .map(|place| any_pod(random, place, wanted, nodes))
        .collect();
    (ClusterState::new(objects, vec![], None), rules)
}

/// One class, which waits for pods, and hardly a claim that names its volume.
fn crowd(random: &mut Random, objects: &mut Objects) {
    let provisioner = if random.below(3) == 0 {
        "kubernetes.io/host-path"
    } else {
        "kubernetes.io/no-provisioner"
    };
    objects.classes = vec![class("a", provisioner).delayed()];
    for volume in &mut objects.volumes {
        *volume = volume.clone().of_class("a");
    }
    for claim in &mut objects.claims {
        *claim = claim.clone().of_class(Some("a"));
        if !claim.is_bind_completed() && random.below(4) > 0 {
            claim.volume_name = None;
        }
    }
}

fn delay(random: &mut Random, class: Class) -> Class {
    if random.below(2) == 0 {
        class.delayed()
    } else {
        class
    }
}

pub(super) fn node(name: &str) -> Node {
    Node {
        name: name.to_owned(),
        labels: [("host".to_owned(), name.to_owned())].into(),
        ..Node::default()
    }
}

/// The volume, usable on one node alone.
pub(super) fn on(node: &str, volume: Volume) -> Volume {
    let requirement = Requirement {
        key: "host".to_owned(),
        operator: Operator::In,
        values: vec![node.to_owned()],
    };
    let term = NodeSelectorTerm {
        match_expressions: vec![requirement],
        match_fields: vec![],
    };
    Volume {
        node_affinity: Some(NodeSelector { terms: vec![term] }),
        ..volume
    }
}

/// A pod that uses these claims.
pub(super) fn pod_with(name: &str, claims: &[&str]) -> Pod {
    let volumes = claims.iter().map(|claim| PodVolume {
        name: (*claim).to_owned(),
        claim: ClaimUse::Named((*claim).to_owned()),
    });
    Pod {
        volumes: volumes.collect(),
        ..pod(name, "")
    }
}

fn any_pod(random: &mut Random, place: u64, claims: u64, nodes: u64) -> Pod {
    let uses = 1 + random.below(2);
    let mut names: Vec<String> = (0..uses)
        .map(|_| format!("c{}", random.below(claims)))
        .collect();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut made = pod_with(&format!("p{place}"), &names);
    if random.below(12) == 0 {
        made.node_name = Some(format!("n{}", random.below(nodes + 1)));
    }
    if random.below(12) == 0 {
        made.wishes.gates = vec!["gate".to_owned()];
    }
    if random.below(16) == 0 {
        made.wishes.scheduler = Some("other".to_owned());
    }
    made
}

/// A cluster in a few lines.
pub(super) fn describe(state: &ClusterState) -> String {
    let affinity = state.volumes().iter().filter_map(|volume| {
        let affinity = volume.node_affinity.as_ref()?;
        Some(format!("{} on {affinity}", volume.name))
    });
    let objects = state.objects();
    let delayed = objects
        .classes
        .iter()
        .map(|class| format!("class {} {:?}", class.name, class.binding_mode));
    let nodes = objects.nodes.iter().map(|node| node.name.clone());
    let pods = objects.pods.iter().map(|pod| {
        let claims: Vec<&str> = pod
            .volumes
            .iter()
            .map(|volume| volume.claim.claim_name())
            .collect();
        format!(
            "{} uses {claims:?} node {:?} gates {:?} scheduler {:?}",
            pod.key, pod.node_name, pod.wishes.gates, pod.wishes.scheduler
        )
    });
    let more = affinity.chain(delayed).chain(nodes).chain(pods);
    let more: Vec<String> = more.collect();
    format!("{}\n{}", described(state), more.join("\n"))
}
