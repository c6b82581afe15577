//! Delayed binding: what the claim waits for, whether waiting will help, and what it gets on which node.

use super::super::binding::Judged;
use super::super::consumers::{Consumers, find_future_user};
use super::super::provisioning::Maker;
use super::super::scheduling::{Attempt, Meanwhile, Placement, attempt, say_once};
use super::super::unknowns::cut_ways;
use super::situation::{Answer, Situation};
use super::{Decider, contended, provision};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClaimUse, Kind, Pod, PodPhase, PodVolume, PodWishes, Volume};
use crate::report::{
    Cause, ClaimCause, NodeReason, Path, PodHold, Result, Severity, Unknown, Verdict, VolumeReason,
    plural,
};
use std::collections::BTreeSet;

/// Delayed binding, as far as the claim, its pods and the nodes decide it. `general` is what holds of the claim anyway.
pub(super) fn answer<'a>(
    decider: &dyn Decider<'a>,
    situation: &Situation<'_, 'a>,
    general: &[Cause],
) -> Answer<'a> {
    let seen = Consumers::find_waiting(situation.state, &situation.claim.key);
    let is_seen = seen.is_some();
    let consumers = seen.unwrap_or_default();
    let answer = if !is_seen && !situation.state.is_from_files() {
        // Whether it waits or is stuck for good depends on pods that cannot be read.
        let cause = Cause::blocker(ClaimCause::NotReadable {
            what: vec![Kind::Pods],
        });
        without_pods(situation, Verdict::Unknown, cause)
    } else if !consumers.unscheduled.is_empty() {
        with_pods(decider, situation, &consumers.unscheduled, general)
    } else if consumers.scheduled.is_empty() {
        no_consumer(situation, &consumers, is_seen, general)
    } else {
        let cause = bypasses_scheduler(&consumers.scheduled);
        without_pods(situation, Verdict::Blocked, cause)
    };
    let pods = situation.gap(Kind::Pods).into_iter();
    Answer {
        unknowns: pods.chain(answer.unknowns).collect(),
        ..answer
    }
}

/// One cause, and what else is known ahead.
fn without_pods<'a>(situation: &Situation<'_, 'a>, verdict: Verdict, cause: Cause) -> Answer<'a> {
    let (mut causes, unknowns) = known_ahead(situation);
    causes.push(cause);
    Answer {
        unknowns,
        ..Answer::new(verdict, Path::Scheduler, causes)
    }
}

/// What is known before a pod has a node: ignored reservations, and what will go wrong then.
fn known_ahead(situation: &Situation<'_, '_>) -> (Vec<Cause>, Vec<Unknown>) {
    let (ahead, unknowns) = provision::look_ahead(situation);
    let mut causes = situation.ignored_reservations();
    causes.extend(ahead);
    (causes, unknowns)
}

fn bypasses_scheduler(pods: &[&Pod]) -> Cause {
    let on_node = |pod: &&Pod| {
        let node = pod.node_name.clone().unwrap_or_default();
        (pod.key.name.clone(), node)
    };
    Cause::blocker(ClaimCause::ConsumerBypassesScheduler {
        pods: pods.iter().map(on_node).collect(),
    })
}

fn no_consumer<'a>(
    situation: &Situation<'_, 'a>,
    consumers: &Consumers<'_>,
    pods_seen: bool,
    general: &[Cause],
) -> Answer<'a> {
    let claim = &situation.claim.key;
    let cause = Cause::note(ClaimCause::NoConsumer {
        class: situation.class.clone(),
        finished: names(&consumers.finished),
        would_use: find_future_user(situation.state, claim),
        pods_seen,
    });
    let answer = without_pods(situation, Verdict::Waiting, cause);
    let nodes = nodes_ahead(situation);
    let is_nowhere = !nodes.is_empty() && !nodes.iter().any(Placement::is_feasible);
    let nowhere = is_nowhere.then(|| {
        Cause::warning(ClaimCause::NoFeasibleNode {
            pod: None,
            because: None,
            advice: None,
        })
    });
    let causes = answer.causes.into_iter().chain(nowhere).collect();
    let answer = Answer {
        nodes,
        causes,
        ..answer
    };
    waits_unless_blocked(answer, general)
}

/// Waiting, unless something keeps the claim from a volume whatever pod comes.
fn waits_unless_blocked<'a>(answer: Answer<'a>, general: &[Cause]) -> Answer<'a> {
    let mut causes = general.iter().chain(&answer.causes);
    let is_blocked = causes.any(|cause| cause.severity == Severity::Blocker);
    let verdict = if is_blocked {
        Verdict::Blocked
    } else {
        Verdict::Waiting
    };
    Answer { verdict, ..answer }
}

fn names(pods: &[&Pod]) -> Vec<String> {
    pods.iter().map(|pod| pod.key.name.clone()).collect()
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
fn nodes_ahead<'a>(situation: &Situation<'_, 'a>) -> Vec<Placement<'a>> {
    let pod = imagined_pod(&situation.claim.key);
    let (state, rules) = (situation.state, situation.rules);
    match attempt(state, &pod, rules, None, &Meanwhile::default()) {
        Attempt::Refused(_) => vec![],
        // What other plugins refuse depends on the pod that is to come.
        Attempt::Judged { placements, .. } => placements
            .into_iter()
            .map(|placement| Placement {
                others: vec![],
                ..placement
            })
            .collect(),
    }
}

/// What the scheduler decides for the pods that wait, for the claim: the pod that gets furthest counts.
fn with_pods<'a>(
    decider: &dyn Decider<'a>,
    situation: &Situation<'_, 'a>,
    pods: &[&Pod],
    general: &[Cause],
) -> Answer<'a> {
    let (state, rules) = (situation.state, situation.rules);
    let mut held: Vec<PodHold> = Vec::new();
    let mut judged: Vec<(&Pod, Vec<Placement<'a>>)> = Vec::new();
    for pod in pods {
        if let Some(why) = held_back(pod) {
            held.push(why);
            continue;
        }
        match attempt(state, pod, rules, None, &Meanwhile::default()) {
            Attempt::Refused(refusal) => held.push(PodHold::Refused(refusal.text())),
            Attempt::Judged { placements, .. } => judged.push((pod, placements)),
        }
    }
    let has = |fits: fn(&Placement<'a>) -> bool| {
        let mut judged = judged.iter();
        judged.position(|(_, placements)| placements.iter().any(fits))
    };
    let first = (!judged.is_empty()).then_some(0);
    let best = has(Placement::is_open)
        .or_else(|| has(Placement::is_feasible))
        .or(first)
        .filter(|_| state.saw(Kind::Nodes, None));
    let answer = match best {
        Some(best) => {
            let (pod, placements) = &judged[best];
            let answer = if placements.iter().any(Placement::is_open) {
                open(decider, situation, pod, &judged, general)
            } else {
                on_nodes(situation, pods, pod, placements, general)
            };
            Answer {
                nodes: judged.swap_remove(best).1,
                ..answer
            }
        }
        None => unscheduled(situation, pods, held.into_iter().next(), general),
    };
    let nodes = situation.gap(Kind::Nodes).into_iter();
    let cut = cut_ways(&answer.nodes);
    Answer {
        unknowns: nodes.chain(cut).chain(answer.unknowns).collect(),
        ..answer
    }
}

/// Why none of the nodes takes the pod.
fn on_nodes<'a>(
    situation: &Situation<'_, 'a>,
    pods: &[&Pod],
    pod: &Pod,
    placements: &[Placement<'a>],
    general: &[Cause],
) -> Answer<'a> {
    if placements.iter().any(Placement::is_feasible) {
        let feasible = placements.iter().filter(|one| one.is_feasible());
        let why = feasible.map(|one| (one.node.name.clone(), one.others.clone()));
        let why = PodHold::Nodes(why.collect());
        unscheduled(situation, pods, Some(why), general)
    } else if placements.is_empty() {
        unscheduled(situation, pods, Some(PodHold::NoNodes), general)
    } else {
        no_feasible_node(situation, pod, placements)
    }
}

fn no_feasible_node<'a>(
    situation: &Situation<'_, 'a>,
    pod: &Pod,
    placements: &[Placement<'a>],
) -> Answer<'a> {
    let on = format!("any of {}", plural(placements.len(), "node"));
    let mut volumes = situation.volumes.clone();
    reject_unreachable(&mut volumes, &on, |volume| {
        is_usable_on_any(volume, placements.iter())
    });
    reject_taken(&mut volumes, &situation.claim.key.name, placements);
    let (because, advice) = say_once(situation.state, placements)
        .map_or((None, None), |said| (Some(said.because), said.advice));
    let cause = Cause::blocker(ClaimCause::NoFeasibleNode {
        pod: Some(pod.key.name.clone()),
        because,
        advice,
    });
    Answer {
        volumes: Some(volumes),
        ..without_pods(situation, Verdict::Blocked, cause)
    }
}

fn held_back(pod: &Pod) -> Option<PodHold> {
    let wishes = &pod.wishes;
    if !wishes.gates.is_empty() {
        return Some(PodHold::Gates(wishes.gates.clone()));
    }
    wishes.scheduler.clone().map(PodHold::OtherScheduler)
}

/// The pod waits for something that is not this claim's fault.
fn unscheduled<'a>(
    situation: &Situation<'_, 'a>,
    pods: &[&Pod],
    held_by: Option<PodHold>,
    general: &[Cause],
) -> Answer<'a> {
    let cause = Cause::note(ClaimCause::ConsumerUnscheduled {
        pods: names(pods),
        held_by,
    });
    let answer = without_pods(situation, Verdict::Waiting, cause);
    waits_unless_blocked(answer, general)
}

/// Some node takes the pod: what the claim gets there, with this pod or another one that uses it and may be first.
fn open<'a>(
    decider: &dyn Decider<'a>,
    situation: &Situation<'_, 'a>,
    pod: &Pod,
    judged: &[(&Pod, Vec<Placement<'a>>)],
    general: &[Cause],
) -> Answer<'a> {
    let claim = &situation.claim.key;
    let placements = judged.iter().flat_map(|(_, placements)| placements);
    let open: Vec<&Placement<'_>> = placements.filter(|one| one.is_open()).collect();
    let mut outcomes: BTreeSet<String> = BTreeSet::new();
    for placement in &open {
        outcomes.extend(
            placement
                .sum_up()
                .bindings
                .remove(&claim.name)
                .unwrap_or_default(),
        );
    }
    let outcomes: Vec<String> = outcomes.into_iter().collect();
    if outcomes.is_empty() {
        return provisioned(situation, general);
    }
    let nodes: BTreeSet<&str> = open.iter().map(|one| one.node.name.as_str()).collect();
    let on = match nodes.first() {
        Some(only) if nodes.len() == 1 => (*only).to_owned(),
        _ => format!("any of {}", plural(nodes.len(), "node")),
    };
    let mut volumes = situation.volumes.clone();
    choose(situation, &mut volumes, &outcomes);
    reject_unreachable(&mut volumes, &on, |volume| {
        is_usable_on_any(volume, open.iter().copied())
    });
    let mut causes = situation.ignored_reservations();
    if let Some(unfit) = reserved_and_unfit(situation, &outcomes) {
        causes.push(Cause::blocker(unfit));
        return Answer {
            volumes: Some(volumes),
            ..Answer::new(Verdict::Blocked, Path::Scheduler, causes)
        };
    }
    let competitors = decider.competitors_with_pod(pod, situation.claim, &outcomes);
    causes.extend(contended(competitors, &outcomes));
    Answer {
        outcomes,
        volumes: Some(volumes),
        ..Answer::new(Verdict::WillBind, Path::Scheduler, causes)
    }
}

/// The scheduler does not check the access modes of a reserved volume; the controller does, and then waits for ever.
fn reserved_and_unfit(situation: &Situation<'_, '_>, outcomes: &[String]) -> Option<ClaimCause> {
    let mut lacking = Vec::new();
    for name in outcomes {
        let volume = situation.state.find_volume(name)?;
        let missing = volume.access_modes.missing(situation.claim.access_modes());
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
            missing,
        })
}

/// No existing volume is taken on any node: one is provisioned.
fn provisioned<'a>(situation: &Situation<'_, 'a>, general: &[Cause]) -> Answer<'a> {
    match situation.state.find_class(&situation.class) {
        Some(class) => provision::answer(situation, class, &Maker::of(class), general),
        None => Answer::new(Verdict::Unknown, Path::Scheduler, vec![]),
    }
}

/// Marks the volumes that may be taken, and why the others are not.
fn choose(situation: &Situation<'_, '_>, volumes: &mut [Judged<'_>], outcomes: &[String]) {
    let result = if outcomes.len() == 1 {
        Result::Chosen
    } else {
        Result::Possible
    };
    let taken = outcomes.iter();
    let taken = taken.filter_map(|name| situation.state.find_volume(name));
    let smallest = taken.map(|volume| &volume.capacity).min();
    for judged in volumes.iter_mut() {
        if outcomes.contains(&judged.volume.name) {
            judged.result = result;
            judged.reasons.clear();
        } else if judged.result == Result::Fits
            && let Some(chosen) = smallest
        {
            judged.reasons = vec![VolumeReason::LargerThanChosen {
                chosen: chosen.clone(),
            }];
        }
    }
    volumes.sort_by_key(|judged| judged.result);
}

/// Volumes that would fit, and that no node that is left can use.
fn reject_unreachable(volumes: &mut [Judged<'_>], on: &str, is_usable: impl Fn(&Volume) -> bool) {
    for judged in volumes.iter_mut() {
        let volume = judged.volume;
        let is_out_of_reach = volume.node_affinity.is_some() && !is_usable(volume);
        if judged.result == Result::Fits && is_out_of_reach {
            judged.result = Result::Rejected;
            judged.reasons = vec![VolumeReason::NodeAffinityMismatch {
                node: on.to_owned(),
            }];
        }
    }
    volumes.sort_by_key(|judged| judged.result);
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
fn reject_taken(volumes: &mut [Judged<'_>], claim: &str, placements: &[Placement<'_>]) {
    let sums: Vec<_> = placements.iter().map(Placement::sum_up).collect();
    let near = sums.iter().flat_map(|sum| &sum.reasons);
    let taken: Vec<(&String, &VolumeReason)> = near
        .filter_map(|reason| match reason {
            NodeReason::NoVolumeOnNode {
                claim: of, near, ..
            } if of == claim => Some(near),
            _ => None,
        })
        .flatten()
        .filter_map(|(volume, reasons)| match &reasons[..] {
            [taken @ VolumeReason::TakenByOtherClaim { .. }] => Some((volume, taken)),
            _ => None,
        })
        .collect();
    for judged in volumes {
        let mut taken = taken.iter();
        if judged.result == Result::Fits
            && let Some((_, reason)) = taken.find(|(name, _)| **name == judged.volume.name)
        {
            judged.result = Result::Rejected;
            judged.reasons = vec![(*reason).clone()];
        }
    }
}
