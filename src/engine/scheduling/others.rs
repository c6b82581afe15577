//! What keeps a pod off a node besides volumes, as far as objects show it: cordons, taints, selectors and affinity.
//! These are asked before the volumes, so a node they refuse never shows a volume reason in the scheduler's sentence.

use crate::conventions::selector::Operator;
use crate::conventions::topology::NodeSelector;
use crate::model::{Node, Pod, Taint, Toleration};
use crate::report::NodeReason;
use std::collections::BTreeSet;

/// The taint a cordon stands for.
const CORDON: &str = "node.kubernetes.io/unschedulable";

/// Everything other plugins say against the node.
pub(super) fn reasons(pod: &Pod, node: &Node) -> Vec<NodeReason> {
    let wishes = &pod.wishes;
    let mut reasons = Vec::new();
    let named = wishes.node_affinity.as_ref().and_then(named_nodes);
    if named.is_some_and(|named| !named.contains(node.name.as_str())) {
        reasons.push(NodeReason::NodeNotNamed);
    }
    let cordon = Taint {
        key: CORDON.to_owned(),
        value: String::new(),
        effect: "NoSchedule".to_owned(),
    };
    if node.is_cordoned && !is_tolerated(&cordon, &wishes.tolerations) {
        reasons.push(NodeReason::NodeCordoned);
    }
    let repels = |taint: &&Taint| {
        matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute")
            && !is_tolerated(taint, &wishes.tolerations)
    };
    if let Some(taint) = node.taints.iter().find(repels) {
        reasons.push(NodeReason::TaintNotTolerated {
            taint: spelled(taint),
        });
    }
    let selected = wishes
        .node_selector
        .iter()
        .all(|(key, value)| node.labels.get(key) == Some(value));
    let wanted = wishes
        .node_affinity
        .as_ref()
        .is_none_or(|affinity| affinity.matches_node(&node.labels, &node.name));
    if !selected || !wanted {
        reasons.push(NodeReason::NodeNotSelected);
    }
    reasons
}

/// Whether the pod's affinity names nodes, and in every term several that cannot be one.
pub(super) fn names_no_node(pod: &Pod) -> bool {
    let affinity = pod.wishes.node_affinity.as_ref();
    affinity
        .and_then(named_nodes)
        .is_some_and(|named| named.is_empty())
}

/// The nodes an affinity names, if every one of its terms names some (DaemonSets do).
fn named_nodes(affinity: &NodeSelector) -> Option<BTreeSet<&str>> {
    let mut named = BTreeSet::new();
    for term in &affinity.terms {
        let by_name = term.match_fields.iter().filter(|requirement| {
            requirement.key == "metadata.name" && requirement.operator == Operator::In
        });
        let sets: Vec<BTreeSet<&str>> = by_name
            .map(|requirement| requirement.values.iter().map(String::as_str).collect())
            .collect();
        let (first, rest) = sets.split_first()?;
        let in_all = |name: &&str| rest.iter().all(|set| set.contains(name));
        named.extend(first.iter().copied().filter(in_all));
    }
    (!affinity.terms.is_empty()).then_some(named)
}

fn is_tolerated(taint: &Taint, tolerations: &[Toleration]) -> bool {
    tolerations.iter().any(|toleration| {
        let effect = toleration.effect.is_empty() || toleration.effect == taint.effect;
        let key = toleration.key.is_empty() || toleration.key == taint.key;
        let value = match toleration.operator.as_str() {
            "Exists" => true,
            "" | "Equal" => toleration.value == taint.value,
            _ => false,
        };
        effect && key && value
    })
}

fn spelled(taint: &Taint) -> String {
    if taint.value.is_empty() {
        format!("{}:{}", taint.key, taint.effect)
    } else {
        format!("{}={}:{}", taint.key, taint.value, taint.effect)
    }
}
