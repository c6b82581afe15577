//! The node that is written as `selected-node`, so that a provisioner of the cluster acts for a claim that waits for a pod: the
//! one that was named, or one that the scheduler could take.

use super::super::claims::imagined_pod;
use super::super::consumers::Consumers;
use super::super::provisioning::Maker;
use super::super::refusal::{Advice, NodeObstacle, ProvisionEvidence, Refusal};
use super::super::scheduling::{Placement, say_once};
use super::MakingQuestion;
use super::nodes::{ChosenNode, Found, named_node};
use super::placing::{
    about_volumes, first_waiting, judge, refuse_if_one_fits, room_unknown, unregistered,
};
use super::unmade::{not_readable, refused_node, unmade};
use crate::model::{ClusterState, Kind, Pod};
use crate::report::{ClaimCause, join_and};
use std::collections::BTreeSet;

/// The node to write as `selected-node` for a claim that waits for a pod; nothing if it has one.
pub(super) fn choose_node(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    maker: &Maker,
) -> Result<Found, Refusal> {
    let claim = question.claim;
    if claim.selected_node().is_some() {
        return Ok(Found::default());
    }
    if !state.saw(Kind::Nodes, None) {
        return Err(not_readable(state, claim, &[Kind::Nodes]));
    }
    if let Some(name) = question.node {
        let node = named_node(state, question, name)?;
        let chosen = ChosenNode::new(node, "it is the one that was named");
        return for_this(state, question, maker, chosen);
    }
    let consumers = Consumers::find_waiting(state, &claim.key);
    if consumers.is_none() && !state.is_from_files() {
        let refusal = not_readable(state, claim, &[Kind::Pods]);
        return Err(refusal.advise(Advice::NameNode));
    }
    let consumers = consumers.unwrap_or_default();
    let on_node = |pod: &&Pod| Some((pod.key.name.clone(), pod.node_name.clone()?));
    if let Some((pod, node)) = consumers.scheduled.iter().find_map(on_node)
        && consumers.unscheduled.is_empty()
    {
        // Its pod went past the scheduler, and nobody will choose a node for the claim (R118).
        let node = named_node(state, question, &node)?;
        let chosen = ChosenNode::new(node, format!("pod {pod} is on it"));
        return for_this(state, question, maker, chosen);
    }
    find_feasible(state, question, maker)
}

/// A node that is given: it must do for the claim. What keeps pods off it is only said.
fn for_this(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    maker: &Maker,
    chosen: ChosenNode,
) -> Result<Found, Refusal> {
    let alone = imagined_pod(&question.claim.key);
    let judged = judge(state, question, &alone, Some(&chosen.name));
    let reasons = judged.iter().flat_map(|one| about_volumes(state, one));
    if let Some(refused) = refused_node(&chosen.name, reasons) {
        return Err(refused);
    }
    if let Some(driver) = unregistered(state, maker, &chosen.name) {
        let node = chosen.name;
        let evidence = ProvisionEvidence::DriverNotRegistered { driver, node };
        return Err(Refusal::new(evidence));
    }
    refuse_if_one_fits(question, judged.iter())?;
    let waiting = first_waiting(state, question);
    let who = waiting.map_or_else(
        || "a pod that tolerates nothing".to_owned(),
        |pod| format!("pod {}", pod.key.name),
    );
    let pod = waiting.unwrap_or(&alone);
    let against: BTreeSet<String> = judge(state, question, pod, Some(&chosen.name))
        .iter()
        .flat_map(|one| [&*one.others, &*about_volumes(state, one)].concat())
        .map(|reason| reason.message())
        .collect();
    let against: Vec<String> = against.into_iter().collect();
    let cannot = (!against.is_empty()).then(|| {
        format!(
            "{who} cannot run on node {}: {}",
            chosen.name,
            join_and(&against)
        )
    });
    Ok(Found {
        warnings: cannot.into_iter().chain(room_unknown(state)).collect(),
        node: Some(chosen),
        unknowns: vec![],
    })
}

/// A node the scheduler could take for the pod that waits, or for one that asks for nothing: the first by name.
fn find_feasible(
    state: &ClusterState,
    question: &MakingQuestion<'_>,
    maker: &Maker,
) -> Result<Found, Refusal> {
    let waiting = first_waiting(state, question);
    let pod = waiting
        .cloned()
        .unwrap_or_else(|| imagined_pod(&question.claim.key));
    let judged = judge(state, question, &pod, None);
    let can_go = |one: &&Placement<'_>| waiting.is_none() || one.is_open();
    refuse_if_one_fits(question, judged.iter().filter(can_go))?;
    let does = |one: &&Placement<'_>| {
        about_volumes(state, one).is_empty() && unregistered(state, maker, &one.node.name).is_none()
    };
    let is_open = |one: &&Placement<'_>| one.others.is_empty();
    let open = judged.iter().filter(does).find(is_open);
    // Taints keep off pods that do not tolerate them; the one that is to come may.
    let uncordoned = |one: &&Placement<'_>| waiting.is_none() && !one.node.is_cordoned;
    let tainted = judged.iter().filter(does).find(uncordoned);
    let Some(chosen) = open.or(tainted) else {
        return Err(nowhere(state, waiting, &judged, maker));
    };
    let of_whom = waiting.map_or_else(
        || "on which a volume can be made".to_owned(),
        |pod| format!("that pod {} can go to", pod.key.name),
    );
    let why = format!("it is the first node by name {of_whom}");
    let taints = open.is_none().then(|| {
        format!(
            "node {} keeps off pods that do not tolerate its taints",
            chosen.node.name
        )
    });
    let pods_unseen =
        waiting.is_none() && !state.saw(Kind::Pods, Some(&question.claim.key.namespace));
    let unseen = pods_unseen.then(|| "which pods wait for it was not seen".to_owned());
    Ok(Found {
        node: Some(ChosenNode::new(chosen.node, why)),
        warnings: taints
            .into_iter()
            .chain(unseen)
            .chain(room_unknown(state))
            .collect(),
        unknowns: vec![],
    })
}

fn nowhere(
    state: &ClusterState,
    waiting: Option<&Pod>,
    judged: &[Placement<'_>],
    maker: &Maker,
) -> Refusal {
    if judged.is_empty() {
        return Refusal::new(ProvisionEvidence::NoNodeExists);
    }
    let said = say_once(state, judged);
    let (because, advice) = said.map_or((None, None), |said| (Some(said.because), said.advice));
    if because.is_some() || waiting.is_some() {
        return unmade(ClaimCause::NoFeasibleNode {
            pod: waiting.map(|pod| pod.key.name.clone()),
            because,
            advice,
        });
    }
    let why = |one: &Placement<'_>| {
        let node = one.node.name.clone();
        let volumes = about_volumes(state, one).into_iter();
        let mut why: Vec<NodeObstacle> = volumes.map(NodeObstacle::Scheduler).collect();
        why.extend(unregistered(state, maker, &node).map(|driver| {
            let node = node.clone();
            NodeObstacle::DriverNotRegistered { driver, node }
        }));
        why.extend(one.others.iter().cloned().map(NodeObstacle::Scheduler));
        (node, why)
    };
    let nodes = judged.iter().take(5).map(why).collect();
    Refusal::new(ProvisionEvidence::NoNodeSuits { nodes })
}
