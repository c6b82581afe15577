//! Every branch of the decision, on small clusters.

mod delegated;
mod own;
mod proof;
mod settled;

use super::*;
use crate::conventions::annotations::{BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER};
use crate::conventions::selector::{Labels, Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm, TopologyTerm};
use crate::engine::refusal::Standing;
use crate::model::{Class, CsiDriver, CsiNode, Gap, GapReason, Kind, Node, Objects, Time, Volume};
use crate::testing::{claim, class, event, pod, state_with, volume};

/// The provisioner that is configured here.
const OURS: &str = "example.com/scratch";

/// Asks about claim `c`, with a node that somebody named.
fn ask_for(state: &ClusterState, node: Option<&str>) -> Making {
    let claim = state.claims().iter().find(|claim| claim.key.name == "c");
    decide_making(
        state,
        &MakingQuestion {
            claim: claim.expect("claim c"),
            is_own: &|name| name == OURS || name == "scratch.example.com",
            node,
            host: Some(&Host::named("N2")),
            rules: Rules::V1_36,
        },
    )
}

fn ask(state: &ClusterState) -> Making {
    ask_for(state, None)
}

/// A cluster of a claim, a class and what `more` adds.
fn cluster(claim: Claim, class: Class, more: impl FnOnce(&mut Objects)) -> ClusterState {
    state_with(vec![claim], vec![], |objects| {
        objects.classes.push(class);
        more(objects);
    })
}

/// The same, live, where some lists were not seen.
fn with_gaps(state: &ClusterState, kinds: &[Kind]) -> ClusterState {
    let gap = |kind: &Kind| Gap {
        kind: *kind,
        why: GapReason::Forbidden,
        seen_only_in: None,
    };
    ClusterState::new(
        state.objects().clone(),
        kinds.iter().map(gap).collect(),
        Some(Time(1)),
    )
}

fn unmade(making: Making) -> Refusal {
    match making {
        Making::Not(unmade) => unmade,
        other => panic!("it is made: {other:?}"),
    }
}

fn code(making: Making) -> &'static str {
    unmade(making).code().name()
}

fn own(making: Making) -> OwnMaking {
    match making {
        Making::Own(own) => *own,
        other => panic!("it is not ours: {other:?}"),
    }
}

fn delegated(making: Making) -> DelegatedMaking {
    match making {
        Making::Delegated(delegated) => *delegated,
        other => panic!("it is not delegated: {other:?}"),
    }
}

fn node(name: &str) -> Node {
    let label = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let labels = [
        label("kubernetes.io/hostname", &format!("{name}.local")),
        label("zone", &name[..1]),
    ];
    Node {
        name: name.to_owned(),
        labels: Labels::from(labels),
        ..Node::default()
    }
}

fn driver(name: &str) -> CsiDriver {
    CsiDriver {
        name: name.to_owned(),
        checks_capacity: false,
    }
}

fn on_node(node: &str, driver: &str) -> CsiNode {
    CsiNode {
        name: node.to_owned(),
        drivers: vec![driver.to_owned()],
        ..CsiNode::default()
    }
}

fn only_in(class: Class, zone: &str) -> Class {
    let expressions = vec![("zone".to_owned(), vec![zone.to_owned()])];
    Class {
        allowed_topologies: vec![TopologyTerm { expressions }],
        ..class
    }
}

fn pinned(volume: Volume, zone: &str) -> Volume {
    let requirement = Requirement {
        key: "zone".to_owned(),
        operator: Operator::In,
        values: vec![zone.to_owned()],
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

fn left_to(claim: Claim, provisioner: &str) -> Claim {
    claim
        .annotated(STORAGE_PROVISIONER, provisioner)
        .annotated(BETA_STORAGE_PROVISIONER, provisioner)
}
