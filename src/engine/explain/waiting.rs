//! Delayed binding, told: who the claim waits for, whether waiting will help, and what it gets on which node.

use super::super::consumers::{Consumers, find_future_user};
use super::super::provisioning::Maker;
use super::super::scheduling::{
    Attempt, Meanwhile, Placement, attempt, claims_of_others, say_once,
};
use super::draft::Draft;
use super::provision;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::model::{ClaimUse, Kind, Pod, PodPhase, PodVolume, PodWishes, Volume};
use crate::report::{
    Cause, ClaimCause, Explanation, NodeReason, Path, Result, Severity, Verdict, VolumeReason,
    join_and, plural,
};
use std::collections::BTreeSet;

/// Delayed binding, as far as the claim, its pods and the nodes decide it.
pub(super) fn tell(mut draft: Draft<'_>) -> Explanation {
    draft.note_gap(Kind::Pods);
    let seen = Consumers::find_waiting(draft.state, &draft.claim.key);
    if seen.is_none() && !draft.state.is_from_files() {
        // Whether it waits or is stuck for good hangs on pods that may not be read.
        draft.note_ignored_reservations();
        warn_ahead(&mut draft);
        draft.block(ClaimCause::NotReadable {
            what: vec![Kind::Pods.resource().to_owned()],
        });
        return draft.finish(Verdict::Unknown, Path::Scheduler);
    }
    let pods_seen = seen.is_some();
    let consumers = seen.unwrap_or_default();
    if !consumers.unscheduled.is_empty() {
        return tell_with_pods(draft, &consumers.unscheduled);
    }
    draft.note_ignored_reservations();
    warn_ahead(&mut draft);
    if !consumers.scheduled.is_empty() {
        let on_node = |pod: &&Pod| {
            (
                pod.key.name.clone(),
                pod.node_name.clone().unwrap_or_default(),
            )
        };
        let pods = consumers.scheduled.iter().map(on_node).collect();
        draft.block(ClaimCause::ConsumerBypassesScheduler { pods });
        return draft.finish(Verdict::Blocked, Path::Scheduler);
    }
    let would_use = find_future_user(draft.state, &draft.claim.key);
    let (class, finished) = (draft.class.clone(), names(&consumers.finished));
    draft.causes.push(Cause::note(ClaimCause::NoConsumer {
        class,
        finished,
        would_use,
        pods_seen,
    }));
    look_ahead(&mut draft);
    if !draft.nodes.is_empty() && !draft.nodes.iter().any(|node| node.feasible) {
        draft
            .causes
            .push(Cause::warning(ClaimCause::NoFeasibleNode {
                pod: None,
                because: None,
                advice: None,
            }));
    }
    draft.finish_waiting()
}

fn names(pods: &[&Pod]) -> Vec<String> {
    pods.iter().map(|pod| pod.key.name.clone()).collect()
}

fn warn_ahead(draft: &mut Draft<'_>) {
    if let Some(class) = draft.state.find_class(&draft.class) {
        provision::warn_of_what_is_to_come(draft, class);
    }
}

/// A pod that uses a claim alone, and asks for nothing else.
pub(crate) fn imagined_pod(claim: &ObjectKey) -> Pod {
    Pod {
        key: claim.clone(),
        uid: None,
        created: None,
        phase: PodPhase::Pending,
        node_name: None,
        is_deleted: false,
        has_running_container: false,
        volumes: vec![PodVolume {
            name: "volume".to_owned(),
            claim: ClaimUse::Named(claim.name.clone()),
        }],
        disks: vec![],
        mounts: vec![],
        owner: None,
        wishes: PodWishes::default(),
    }
}

/// What a pod that uses this claim alone would find on each node, if one came now.
fn look_ahead(draft: &mut Draft<'_>) {
    let pod = imagined_pod(&draft.claim.key);
    if let Attempt::Judged { placements, .. } =
        attempt(draft.state, &pod, draft.rules, None, &Meanwhile::default())
    {
        draft.nodes = placements
            .iter()
            .map(|placement| {
                let mut assessment = placement.assessment();
                // What other things say depends on the pod that is to come.
                assessment.reasons.retain(NodeReason::is_about_volumes);
                assessment
            })
            .collect();
    }
}

/// What the scheduler makes of the pods that wait, told for the claim: the pod that gets furthest counts.
fn tell_with_pods(mut draft: Draft<'_>, pods: &[&Pod]) -> Explanation {
    draft.note_gap(Kind::Nodes);
    let mut held: Vec<String> = Vec::new();
    let mut judged: Vec<(&Pod, Vec<Placement<'_>>)> = Vec::new();
    for pod in pods {
        if let Some(why) = held_back(pod) {
            held.push(why);
            continue;
        }
        match attempt(draft.state, pod, draft.rules, None, &Meanwhile::default()) {
            Attempt::Refused(refusal) => held.push(refusal.text()),
            Attempt::Judged { placements, .. } => judged.push((pod, placements)),
        }
    }
    let open =
        |(_, placements): &&(&Pod, Vec<Placement<'_>>)| placements.iter().any(Placement::is_open);
    let feasible = |(_, placements): &&(&Pod, Vec<Placement<'_>>)| {
        placements.iter().any(Placement::is_feasible)
    };
    let nodes_seen = draft.state.saw(Kind::Nodes, None);
    let best = judged
        .iter()
        .find(open)
        .or_else(|| judged.iter().find(feasible))
        .or(judged.first())
        .filter(|_| nodes_seen);
    let Some((pod, placements)) = best else {
        return tell_held(draft, pods, &held);
    };
    draft.nodes = placements.iter().map(Placement::assessment).collect();
    if placements.iter().any(Placement::is_open) {
        return tell_open(draft, pod, placements);
    }
    if placements.iter().any(Placement::is_feasible) {
        let why = placements
            .iter()
            .filter(|placement| placement.is_feasible())
            .map(|placement| {
                let why: Vec<String> = placement.others.iter().map(NodeReason::message).collect();
                format!("{}: {}", placement.node.name, join_and(&why))
            })
            .collect::<Vec<_>>();
        return tell_held(draft, pods, &[why.join("; ")]);
    }
    if placements.is_empty() {
        return tell_held(draft, pods, &["there is no node".to_owned()]);
    }
    let on = format!("any of {}", plural(placements.len(), "node"));
    reject_unreachable(&mut draft, &on, |volume| {
        is_usable_on_any(volume, placements.iter())
    });
    reject_taken(&mut draft);
    draft.note_ignored_reservations();
    warn_ahead(&mut draft);
    let (because, advice) = say_once(draft.state, placements)
        .map_or((None, None), |said| (Some(said.because), said.advice));
    draft.block(ClaimCause::NoFeasibleNode {
        pod: Some(pod.key.name.clone()),
        because,
        advice,
    });
    draft.finish(Verdict::Blocked, Path::Scheduler)
}

fn held_back(pod: &Pod) -> Option<String> {
    let wishes = &pod.wishes;
    if !wishes.gates.is_empty() {
        return Some(format!("scheduling gates {}", join_and(&wishes.gates)));
    }
    wishes
        .scheduler
        .as_ref()
        .map(|scheduler| format!("scheduler {scheduler}, which is to place it"))
}

/// The pod waits for something that is not this claim's fault.
fn tell_held(mut draft: Draft<'_>, pods: &[&Pod], held: &[String]) -> Explanation {
    draft.note_ignored_reservations();
    warn_ahead(&mut draft);
    draft
        .causes
        .push(Cause::note(ClaimCause::ConsumerUnscheduled {
            pods: names(pods),
            held_by: held.first().cloned().filter(|why| !why.is_empty()),
        }));
    draft.finish_waiting()
}

/// Some node takes the pod: what the claim gets there.
fn tell_open(mut draft: Draft<'_>, pod: &Pod, placements: &[Placement<'_>]) -> Explanation {
    let name = &draft.claim.key.name;
    let open: Vec<_> = placements
        .iter()
        .filter(|placement| placement.is_open())
        .collect();
    let assessments: Vec<_> = open
        .iter()
        .map(|placement| placement.assessment())
        .collect();
    let outcomes: BTreeSet<String> = assessments
        .iter()
        .filter_map(|node| node.bindings.get(name))
        .flatten()
        .cloned()
        .collect();
    if outcomes.is_empty() {
        return tell_made(draft);
    }
    draft.outcomes = outcomes.iter().cloned().collect();
    let usable_nodes: Vec<&str> = open
        .iter()
        .map(|placement| placement.node.name.as_str())
        .collect();
    let on = match &usable_nodes[..] {
        [only] => (*only).to_owned(),
        several => format!("any of {}", plural(several.len(), "node")),
    };
    choose(&mut draft);
    reject_unreachable(&mut draft, &on, |volume| {
        is_usable_on_any(volume, open.iter().copied())
    });
    draft.note_ignored_reservations();
    if let Some(unfit) = reserved_and_unfit(&draft) {
        draft.block(unfit);
        draft.outcomes.clear();
        return draft.finish(Verdict::Blocked, Path::Scheduler);
    }
    let rivals = claims_of_others(
        draft.state,
        pod,
        &draft.claim.key,
        &draft.outcomes,
        draft.rules,
    );
    if !rivals.is_empty() {
        let volumes = draft.outcomes.clone();
        draft.causes.push(Cause::warning(ClaimCause::Contended {
            claims: rivals,
            volumes,
        }));
    }
    draft.finish(Verdict::WillBind, Path::Scheduler)
}

/// The scheduler does not ask a reserved volume for its access modes; the controller does, and then waits for ever.
fn reserved_and_unfit(draft: &Draft<'_>) -> Option<ClaimCause> {
    let mut lacking = Vec::new();
    for name in &draft.outcomes {
        let volume = draft.state.find_volume(name)?;
        let missing = volume.access_modes.missing(draft.claim.access_modes());
        if missing.is_empty() {
            return None;
        }
        lacking.push((name, missing));
    }
    lacking
        .into_iter()
        .next()
        .map(|(volume, missing)| ClaimCause::ReservedVolumeUnfit {
            volume: volume.clone(),
            why: vec![format!("it does not offer {missing}")],
        })
}

/// No volume that exists is taken on any node: one is made.
fn tell_made(draft: Draft<'_>) -> Explanation {
    match draft.state.find_class(&draft.class) {
        Some(class) => provision::tell(draft, class, &Maker::of(class)),
        None => draft.finish(Verdict::Unknown, Path::Scheduler),
    }
}

/// Marks the volumes that may be taken, and what the others are not taken for.
fn choose(draft: &mut Draft<'_>) {
    let result = if draft.outcomes.len() == 1 {
        Result::Chosen
    } else {
        Result::Possible
    };
    let outcomes = draft.outcomes.clone();
    let smallest: Option<Quantity> = outcomes
        .iter()
        .filter_map(|name| draft.state.find_volume(name))
        .map(|volume| volume.capacity.clone())
        .min();
    for assessment in &mut draft.assessments {
        if outcomes.contains(&assessment.name) {
            assessment.result = result;
            assessment.reasons.clear();
        } else if assessment.result == Result::Fits
            && let Some(chosen) = &smallest
        {
            assessment.reasons = vec![VolumeReason::LargerThanChosen {
                chosen: chosen.clone(),
            }];
        }
    }
    draft
        .assessments
        .sort_by_key(|assessment| assessment.result);
}

/// Volumes that would fit, were they not out of reach of every node that is left.
fn reject_unreachable(draft: &mut Draft<'_>, on: &str, is_usable: impl Fn(&Volume) -> bool) {
    for assessment in &mut draft.assessments {
        let out_of_reach = draft
            .state
            .find_volume(&assessment.name)
            .is_some_and(|volume| volume.node_affinity.is_some() && !is_usable(volume));
        if assessment.result == Result::Fits && out_of_reach {
            assessment.result = Result::Rejected;
            assessment.reasons = vec![VolumeReason::NodeAffinityMismatch {
                node: on.to_owned(),
            }];
        }
    }
    draft
        .assessments
        .sort_by_key(|assessment| assessment.result);
}

fn is_usable_on_any<'a>(
    volume: &Volume,
    mut placements: impl Iterator<Item = &'a Placement<'a>>,
) -> bool {
    placements.any(|placement| {
        volume
            .node_affinity
            .as_ref()
            .is_none_or(|affinity| affinity.matches(&placement.node.labels))
    })
}

/// Volumes that another claim of the same pod takes first.
fn reject_taken(draft: &mut Draft<'_>) {
    let near = draft.nodes.iter().flat_map(|node| &node.reasons);
    let taken: Vec<(String, VolumeReason)> = near
        .filter_map(|reason| match reason {
            NodeReason::NoVolumeOnNode { claim, near, .. } if *claim == draft.claim.key.name => {
                Some(near)
            }
            _ => None,
        })
        .flatten()
        .filter_map(|(volume, reasons)| match &reasons[..] {
            [taken @ VolumeReason::TakenByOtherClaim { .. }] => {
                Some((volume.clone(), taken.clone()))
            }
            _ => None,
        })
        .collect();
    for assessment in &mut draft.assessments {
        if assessment.result == Result::Fits
            && let Some((_, reason)) = taken.iter().find(|(name, _)| *name == assessment.name)
        {
            assessment.result = Result::Rejected;
            assessment.reasons = vec![reason.clone()];
        }
    }
}

impl Draft<'_> {
    /// Waiting, unless something keeps the claim from a volume whatever pod comes.
    fn finish_waiting(self) -> Explanation {
        let blocked = self
            .causes
            .iter()
            .any(|cause| cause.severity == Severity::Blocker);
        let verdict = if blocked {
            Verdict::Blocked
        } else {
            Verdict::Waiting
        };
        self.finish(verdict, Path::Scheduler)
    }
}
