//! Where a volume may be used: its node affinity against the labels of the nodes there are. Names of nodes play no part.

use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::model::{ClusterState, Kind, Node, Volume};
use crate::report::{Likeness, NearNode};

/// Volumes whose zone labels the scheduler may read under another key, depending on the node (R104).
const TRANSLATED: [&str; 5] = [
    "awsElasticBlockStore",
    "gcePersistentDisk",
    "azureDisk",
    "cinder",
    "portworxVolume",
];

/// The nodes that a volume asks for.
pub(crate) struct Reach {
    /// As its node affinity spells them.
    pub(crate) wanted: String,
    /// How many of them exist, if the nodes were read.
    pub(crate) nodes: Option<usize>,
}

/// The nodes the volume asks for, and how many of them there are; nothing if it may be used everywhere.
pub(crate) fn find_reach(state: &ClusterState, volume: &Volume) -> Option<Reach> {
    let affinity = volume.node_affinity.as_ref()?;
    let matching = || {
        let nodes = state.objects().nodes.iter();
        nodes.filter(|node| affinity.matches(&node.labels)).count()
    };
    Some(Reach {
        wanted: spelled(affinity),
        nodes: state.saw(Kind::Nodes, None).then(matching),
    })
}

/// What the volume asks of nodes, if it is certain that none of those there are has it.
pub(crate) fn find_unmet_affinity(state: &ClusterState, volume: &Volume) -> Option<String> {
    if TRANSLATED.contains(&volume.source.field.as_str()) {
        return None;
    }
    find_reach(state, volume)
        .filter(|reach| reach.nodes == Some(0))
        .map(|reach| reach.wanted)
}

fn spelled(affinity: &NodeSelector) -> String {
    // Nodes are compared by their labels alone, so that a term of fields alone holds on every node (R104).
    let is_of_fields = |term: &NodeSelectorTerm| {
        term.match_expressions.is_empty() && !term.match_fields.is_empty()
    };
    if affinity.terms.iter().any(is_of_fields) {
        return "any labels (matchFields of a volume are ignored)".to_owned();
    }
    let term = |term: &NodeSelectorTerm| {
        let all: Vec<String> = term
            .match_expressions
            .iter()
            .map(ToString::to_string)
            .collect();
        all.join(",")
    };
    let terms: Vec<String> = affinity
        .terms
        .iter()
        .map(term)
        .filter(|term| !term.is_empty())
        .collect();
    if terms.is_empty() {
        return "what its nodeAffinity asks for (nothing can)".to_owned();
    }
    terms.join(" or ")
}

/// A node that was probably meant: it bears the name, or the value under another key.
pub(crate) fn find_near_node(state: &ClusterState, volume: &Volume) -> Option<NearNode> {
    let terms = &volume.node_affinity.as_ref()?.terms;
    let wanted = terms.iter().flat_map(|term| &term.match_expressions);
    wanted
        .filter(|requirement| requirement.operator == Operator::In)
        .find_map(|requirement| {
            state
                .objects()
                .nodes
                .iter()
                .find_map(|node| likeness(requirement, node))
        })
}

fn likeness(requirement: &Requirement, node: &Node) -> Option<NearNode> {
    let key = &requirement.key;
    let likeness = if requirement.values.contains(&node.name) {
        Likeness::Name {
            key: key.clone(),
            value: node.labels.get(key).cloned(),
        }
    } else {
        let mut labels = node.labels.iter();
        let (other, value) =
            labels.find(|(other, value)| *other != key && requirement.values.contains(value))?;
        Likeness::OtherKey {
            key: other.clone(),
            value: value.clone(),
        }
    };
    Some(NearNode {
        node: node.name.clone(),
        likeness,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{state_with, volume};

    fn pinned(host: &str) -> Volume {
        let requirement = Requirement {
            key: "kubernetes.io/hostname".to_owned(),
            operator: Operator::In,
            values: vec![host.to_owned()],
        };
        let mut volume = volume("v");
        volume.node_affinity = Some(NodeSelector {
            terms: vec![NodeSelectorTerm {
                match_expressions: vec![requirement],
                match_fields: vec![],
            }],
        });
        volume
    }

    fn asked(host: &str, name: &str, labels: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let node = Node {
            name: name.to_owned(),
            labels,
            ..Node::default()
        };
        let state = state_with(vec![], vec![pinned(host)], |objects| {
            objects.nodes = vec![node];
        });
        let volume = &state.volumes()[0];
        (
            find_unmet_affinity(&state, volume),
            find_near_node(&state, volume).map(|near| near.to_string()),
        )
    }

    #[test]
    fn labels_are_compared_and_not_names() {
        let hostname = "kubernetes.io/hostname";
        assert_eq!(asked("a", "other", &[(hostname, "a")]).0, None);
        let (unmet, near) = asked("a", "a", &[(hostname, "a.example")]);
        assert_eq!(unmet.as_deref(), Some("kubernetes.io/hostname=a"));
        assert_eq!(
            near.as_deref(),
            Some("node a is there, but has kubernetes.io/hostname=a.example")
        );
        assert_eq!(
            asked("a", "other", &[("old/hostname", "a")]).1.as_deref(),
            Some("node other has old/hostname=a, which is another key")
        );
    }

    #[test]
    fn what_was_not_seen_or_is_read_under_another_key_is_not_out_of_reach() {
        let gap = crate::model::Gap {
            kind: Kind::Nodes,
            why: crate::model::GapReason::NotCaptured,
            seen_only_in: None,
        };
        let objects = crate::model::Objects {
            volumes: vec![pinned("a")],
            ..Default::default()
        };
        let unseen = ClusterState::new(objects, vec![gap], None);
        assert_eq!(find_unmet_affinity(&unseen, &unseen.volumes()[0]), None);
        let disk = pinned("a").stored_on("awsElasticBlockStore", "vol-1");
        let state = state_with(vec![], vec![disk], |_| {});
        assert_eq!(find_unmet_affinity(&state, &state.volumes()[0]), None);
    }
}
