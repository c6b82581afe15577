//! Changes of the claim or of a class: what the claim would have to ask for. How that is written is in `correction.rs`.

use super::super::Rules;
use super::super::classes::lacks_class;
use super::super::ending::may_be_reused;
use super::super::phases::{self, Phases};
use super::super::reclaim_commands::reuse_for;
use super::conditions::{Conditions, has_data_source, is_reachable, where_to_check};
use super::correction::correct;
use super::{Change, Remedy, RemedyKind};
use crate::conventions::annotations;
use crate::conventions::class_name::ClassName;
use crate::conventions::command_line::CommandLine;
use crate::conventions::foreign::quoted;
use crate::conventions::object_command::command;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::{Operator, Requirement};
use crate::model::{Claim, ClusterState, Kind, ReclaimPolicy, Volume, VolumePhase};
use crate::report::{ClaimCause, ClassSource, Danger, Explanation, Result, VolumeReason};
use serde_json::json;

/// Kubernetes binds any of several equal volumes, and may prefer a larger one: a claim can name the one that is meant.
pub(super) fn choose_by_hand(
    conditions: &Conditions<'_>,
    explanation: &Explanation,
) -> Vec<Remedy> {
    let (state, claim) = (conditions.state, conditions.claim);
    let can_be_used = |name: &&String| {
        let volume = state.find_volume(name);
        volume.is_none_or(|volume| is_reachable(state, volume))
    };
    let (volume, purpose) = match &explanation.outcomes[..] {
        [_, _, ..] => match explanation.outcomes.iter().find(can_be_used) {
            Some(first) => (first.clone(), "To make it certain".to_owned()),
            None => return vec![],
        },
        [chosen] => match smaller_one(explanation, chosen) {
            Some(smaller) => (smaller.clone(), format!("To get {smaller} instead")),
            None => return vec![],
        },
        [] => return vec![],
    };
    let mut changed = claim.clone();
    changed.volume_name = Some(volume.clone());
    let (summary, commands) = if claim.exists() {
        let (name, namespace) = (&claim.key.name, &claim.key.namespace);
        let bind = ["kubectl", "pv", "bind", name, "-n", namespace];
        let bind = command(&[&bind[..], &["--volume", &volume]].concat());
        (purpose, vec![bind])
    } else {
        let summary = format!(
            "{purpose}, write spec.volumeName: {} into the manifest",
            quoted(&volume)
        );
        (summary, vec![])
    };
    vec![change(summary, commands, changed, Some(volume))]
}

/// A volume that fits, is smaller, and is passed over for its access modes.
fn smaller_one<'a>(explanation: &'a Explanation, chosen: &str) -> Option<&'a String> {
    let size = |capacity: &str| Quantity::parse(capacity).ok();
    let of = |name: &str| {
        let mut volumes = explanation.volumes.iter();
        volumes.find(|volume| volume.name == name)
    };
    let taken = size(&of(chosen)?.capacity)?;
    let has_more_modes =
        |reason: &VolumeReason| matches!(reason, VolumeReason::MoreModesThanChosen { .. });
    explanation
        .volumes
        .iter()
        .filter(|volume| volume.result == Result::Fits && volume.reasons.iter().any(has_more_modes))
        .filter_map(|volume| Some((size(&volume.capacity)?, &volume.name)))
        .filter(|(capacity, _)| *capacity < taken)
        .min()
        .map(|(_, name)| name)
}

/// A claim that got the default class, or that selects by labels, and a volume without a class that would fit it (R14).
pub(super) fn without_the_default(
    conditions: &Conditions<'_>,
    explanation: &Explanation,
    rules: Rules,
) -> Vec<Remedy> {
    let claim = conditions.claim;
    let is_default = explanation.claim.class.source == ClassSource::Default;
    let has_selector = claim.selector.is_some();
    if !rules.empty_class_is_a_choice()
        || !(is_default || has_selector)
        || claim.volume_name.is_some()
    {
        return vec![];
    }
    let has_no_class = |reasons: &[VolumeReason]| matches!(reasons, [VolumeReason::ClassMismatch { offered, .. }] if offered.is_empty());
    let rejected = explanation.volumes.iter();
    let near = rejected.filter(|assessment| has_no_class(&assessment.reasons));
    let mut volumes = near.filter_map(|near| conditions.state.find_volume(&near.name));
    let Some(volume) = volumes.find(|volume| is_free_for(conditions, volume)) else {
        return vec![];
    };
    let mut changed = claim.clone();
    changed.class = ClassName::from_field(Some(String::new()));
    let name = &volume.name;
    let how = format!("with storageClassName: \"\", so that it binds {name}, which has no class");
    // The author of the claim did not choose the default class, but may have chosen another.
    let size = usize::from(!is_default);
    let volume = Some(name.clone());
    vec![Remedy {
        size,
        ..correct(conditions.state, claim, changed, &how, volume)
    }]
}

/// Whether the claim may be corrected so that it binds this volume: no other claim wants it, and no provisioner provisioned
/// it for another one.
fn is_free_for(conditions: &Conditions<'_>, volume: &Volume) -> bool {
    let reference = volume.claim_ref.as_ref();
    let is_own = reference.is_some_and(|it| it.key() == conditions.claim.key);
    conditions.state.saw(Kind::Claims, None)
        && !has_data_source(conditions.claim)
        && (is_own || !volume.has_annotation(annotations::PROVISIONED_BY))
        && conditions.is_unwanted(volume)
}

pub(super) fn propose(
    conditions: &Conditions<'_>,
    explanation: &Explanation,
    rules: Rules,
) -> Vec<Remedy> {
    let mut remedies: Vec<Remedy> = explanation
        .causes
        .iter()
        .flat_map(|cause| for_cause(conditions, explanation, &cause.cause, rules))
        .collect();
    if conditions.claim.is_bind_completed() {
        // It may hold data: it is never recreated.
        remedies.retain(|remedy| matches!(remedy.change, Change::Volume(_)));
        return remedies;
    }
    remedies.extend(without_the_default(conditions, explanation, rules));
    remedies.extend(smaller_request(conditions, explanation));
    remedies
}

fn for_cause(
    conditions: &Conditions<'_>,
    explanation: &Explanation,
    cause: &ClaimCause,
    rules: Rules,
) -> Vec<Remedy> {
    let (state, claim) = (conditions.state, conditions.claim);
    match cause {
        ClaimCause::ClassNotFound { similar, .. } => similar
            .iter()
            .map(|class| with_class(state, claim, Some(class)))
            .collect(),
        ClaimCause::ClassExplicitlyEmpty { default: Some(_) } => {
            vec![with_class(state, claim, None)]
        }
        ClaimCause::NoDefaultClass { classes } => match &classes[..] {
            [class] => {
                let marked = mark_default(conditions, class, rules);
                [assign_class(state, claim, class)]
                    .into_iter()
                    .chain(marked)
                    .collect()
            }
            _ => vec![],
        },
        ClaimCause::LabelNotOffered {
            key,
            nearest,
            offered,
            ..
        } => nearest
            .iter()
            .map(|near| with_label(state, claim, key, near, offered.is_empty()))
            .collect(),
        ClaimCause::SelectorNotProvisionable { .. } => {
            let mut changed = claim.clone();
            changed.selector = None;
            vec![correct(state, claim, changed, "without the selector", None)]
        }
        ClaimCause::NamedVolumeNotFound { similar, .. } => {
            let near = similar.iter().map(|(name, _)| name);
            let is_free = |name: &&String| {
                let volume = state.find_volume(name);
                volume.is_some_and(|volume| is_free_for(conditions, volume))
            };
            let returned = near
                .clone()
                .filter_map(|name| with_released(state, claim, name));
            let named = near
                .filter(is_free)
                .map(|name| with_volume(state, claim, name));
            let all = returned.chain(named);
            all.chain([without_volume(state, claim)]).collect()
        }
        ClaimCause::NamedVolumeMismatch { volume, .. } => {
            class_of_named(conditions, explanation, volume, rules)
        }
        ClaimCause::VolumeMisbound { volume, .. } => {
            reclaim_misbound(state, claim, volume).into_iter().collect()
        }
        ClaimCause::SelectedNodeMissing { .. } => vec![forget_node(claim)],
        _ => vec![],
    }
}

/// A claim that is changed as it is, not recreated.
fn change(
    summary: String,
    commands: Vec<CommandLine>,
    claim: Claim,
    volume: Option<String>,
) -> Remedy {
    Remedy {
        kind: RemedyKind::CorrectClaim,
        summary,
        commands,
        danger: Danger::Reversible,
        change: Change::Claim(Box::new(claim)),
        size: 1,
        volume,
    }
}

fn with_class(state: &ClusterState, claim: &Claim, class: Option<&String>) -> Remedy {
    let mut changed = claim.clone();
    changed.class = ClassName::from_field(class.cloned());
    let how = class.map_or_else(
        || "without storageClassName, so that it gets the default class".to_owned(),
        |class| format!("with class {}", quoted(class)),
    );
    correct(state, claim, changed, &how, None)
}

/// A claim without a class can be given one as it is (R15).
fn assign_class(state: &ClusterState, claim: &Claim, class: &str) -> Remedy {
    let mut changed = claim.clone();
    changed.class = ClassName::from_field(Some(class.to_owned()));
    if !claim.exists() {
        let how = format!("with class {}", quoted(class));
        return correct(state, claim, changed, &how, None);
    }
    let (name, namespace) = (&claim.key.name, &claim.key.namespace);
    let patch = json!({"spec": {"storageClassName": class}}).to_string();
    let words = ["kubectl", "patch", "pvc", name, "-n", namespace];
    let words = [&words[..], &["--type", "merge", "-p", &patch]].concat();
    let summary = format!("Set the class of the claim to {}", quoted(class));
    change(summary, vec![command(&words)], changed, None)
}

fn with_volume(state: &ClusterState, claim: &Claim, name: &str) -> Remedy {
    let mut changed = claim.clone();
    changed.volume_name = Some(name.to_owned());
    let how = format!("with volumeName {}", quoted(name));
    correct(state, claim, changed, &how, Some(name.to_owned()))
}

/// The claim gets another volume than the one it names, so this is not printed first.
fn without_volume(state: &ClusterState, claim: &Claim) -> Remedy {
    let mut changed = claim.clone();
    changed.volume_name = None;
    let how = "without volumeName, so that it binds any volume that fits or gets an empty one";
    Remedy {
        kind: RemedyKind::OfferVolume,
        ..correct(state, claim, changed, how, None)
    }
}

/// A volume of nearly that name that a deleted claim of the same name had: both sides are changed.
fn with_released(state: &ClusterState, claim: &Claim, name: &str) -> Option<Remedy> {
    let found = state.find_volume(name)?;
    let mut volume = found.clone();
    let phase = phases::view(state, &volume, Phases::Settled).phase;
    let reference = volume.claim_ref.as_mut()?;
    let is_left = phase == VolumePhase::Released
        && volume.reclaim_policy == ReclaimPolicy::Retain
        && reference.key() == claim.key
        && reference.uid.take().is_some()
        && may_be_reused(state, found);
    if !is_left {
        return None;
    }
    let mut with = with_volume(state, claim, name);
    // Where the template is corrected first, the volume is reserved later.
    if with.commands.len() != 1 {
        return None;
    }
    let Change::Claim(changed) = with.change else {
        return None;
    };
    // Not before: what the claim names now is another volume.
    with.commands.push(reuse_for(name, &claim.key));
    Some(Remedy {
        kind: RemedyKind::ReturnVolume,
        summary: format!(
            "Reuse {name}, with the data of the deleted claim. Recreate the claim with volumeName {name}, then reserve {name} for it"
        ),
        change: Change::Both(Box::new(volume), changed),
        size: 0,
        ..with
    })
}

/// The claim with the label that was meant: another value of the key, or another key where no volume has that one.
fn with_label(
    state: &ClusterState,
    claim: &Claim,
    key: &str,
    near: &str,
    key_is_wrong: bool,
) -> Remedy {
    let mut changed = claim.clone();
    let mut wanted = changed.selector.take().unwrap_or_default();
    let old = wanted.match_labels.remove(key);
    if key_is_wrong {
        wanted
            .match_labels
            .extend(old.map(|value| (near.to_owned(), value)));
    } else {
        wanted
            .match_labels
            .extend(old.map(|_| (key.to_owned(), near.to_owned())));
    }
    let named = |requirement: &&mut Requirement| requirement.key == key;
    for requirement in wanted.match_expressions.iter_mut().filter(named) {
        if key_is_wrong {
            near.clone_into(&mut requirement.key);
        } else if requirement.operator == Operator::In {
            requirement.values = vec![near.to_owned()];
        }
    }
    let how = format!("with selector {wanted}");
    changed.selector = Some(wanted);
    Remedy {
        size: 0,
        ..correct(state, claim, changed, &how, None)
    }
}

/// A claim that names a volume of another class usually got its class from the default (R14).
fn class_of_named(
    conditions: &Conditions<'_>,
    explanation: &Explanation,
    volume: &str,
    rules: Rules,
) -> Vec<Remedy> {
    let (state, claim) = (conditions.state, conditions.claim);
    let Some(named) = state.find_volume(volume) else {
        return vec![];
    };
    let class = named.class().to_owned();
    if class == explanation.claim.class.name
        || (class.is_empty() && !rules.empty_class_is_a_choice())
    {
        return vec![];
    }
    let mut changed = claim.clone();
    changed.class = ClassName::from_field(Some(class.clone()));
    let is_default = explanation.claim.class.source == ClassSource::Default;
    let why = if is_default {
        ", so that the default class is not applied"
    } else {
        ""
    };
    let how = format!("with storageClassName: \"{class}\", the class of {volume}{why}");
    vec![Remedy {
        // The author of the claim did not choose the default class.
        size: usize::from(!is_default),
        ..correct(state, claim, changed, &how, Some(volume.to_owned()))
    }]
}

/// A volume that is too small. A size in the wrong unit is corrected; less than was meant is another volume, and half of it
/// is none.
fn smaller_request(conditions: &Conditions<'_>, explanation: &Explanation) -> Vec<Remedy> {
    let rejected = explanation
        .volumes
        .iter()
        .filter(|assessment| assessment.result == Result::Rejected);
    let near = rejected.filter_map(|assessment| {
        let [VolumeReason::TooSmall { requested, offered }] = &assessment.reasons[..] else {
            return None;
        };
        let volume = conditions.state.find_volume(&assessment.name)?;
        if offered < requested && is_other_unit(requested, offered) {
            return is_free_for(conditions, volume).then(|| with_size(conditions, volume));
        }
        let is_near = offered < requested && offered.ceil_units() > requested.ceil_units() / 2;
        let is_allowed = is_near && conditions.allow_offer(volume, &assessment.reasons);
        is_allowed.then(|| {
            let Remedy { summary, .. } = with_size(conditions, volume);
            let (name, storage) = (&volume.name, where_to_check(volume));
            Remedy {
                kind: RemedyKind::OfferVolume,
                summary: format!("{summary}. {name} may hold data: check {storage} first"),
                ..with_size(conditions, volume)
            }
        })
    });
    near.take(1).collect()
}

/// Whether two sizes are the same number, in other units: 10Gi and 10G.
fn is_other_unit(one: &Quantity, other: &Quantity) -> bool {
    let number = |size: &Quantity| {
        let text = size.as_str();
        let end = text.find(|it: char| !it.is_ascii_digit() && it != '.');
        text[..end.unwrap_or(text.len())].to_owned()
    };
    number(one) == number(other) && one.as_str() != other.as_str()
}

fn with_size(conditions: &Conditions<'_>, volume: &Volume) -> Remedy {
    let (state, claim) = (conditions.state, conditions.claim);
    let mut changed = claim.clone();
    changed.requested = Some(volume.capacity.clone());
    let how = format!("with {}, which {} offers", volume.capacity, volume.name);
    correct(state, claim, changed, &how, Some(volume.name.clone()))
}

/// The default class applies to every claim without a class, so it is marked only if no other claim waits for one.
fn mark_default(conditions: &Conditions<'_>, class: &str, rules: Rules) -> Option<Remedy> {
    let (state, claim) = (conditions.state, conditions.claim);
    let waits = |other: &Claim| {
        other.key != claim.key && !other.is_bind_completed() && lacks_class(other, rules)
    };
    if !state.saw(Kind::Claims, None) || state.claims().iter().any(waits) {
        return None;
    }
    let mut changed = state.find_class(class)?.clone();
    changed.marked_default = true;
    let annotation = format!("{}=true", annotations::DEFAULT_CLASS);
    Some(Remedy {
        kind: RemedyKind::ChangeCluster,
        summary: format!(
            "Ask an administrator to mark {class} as the default class. It applies to every claim without a class"
        ),
        commands: vec![command(&[
            "kubectl",
            "annotate",
            "storageclass",
            class,
            &annotation,
            "--overwrite",
        ])],
        danger: Danger::Reversible,
        change: Change::Class(Box::new(changed)),
        size: 1,
        volume: None,
    })
}

/// A volume that names this claim with another uid or none, as restores and GitOps tools write it, or one that is reserved
/// for a deleted claim and is free once its claimRef is removed (R62).
fn reclaim_misbound(state: &ClusterState, claim: &Claim, volume: &str) -> Option<Remedy> {
    let mut changed = state.find_volume(volume)?.clone();
    let reference = changed.claim_ref.as_mut()?;
    let (patch, summary) = if reference.key() == claim.key {
        reference.uid.clone_from(&claim.uid);
        let patch = json!({"spec": {"claimRef": {"uid": claim.uid, "resourceVersion": null}}});
        (
            patch,
            format!("Return {volume} to this claim: write the uid of the claim into its claimRef"),
        )
    } else {
        let holder = reference.key();
        let lives = state.find_claim(&holder).is_some()
            || !state.saw(Kind::Claims, Some(&holder.namespace));
        if lives || holder.namespace != claim.key.namespace {
            return None;
        }
        changed.claim_ref = None;
        let summary = format!(
            "Return {volume} to this claim: it is reserved for {holder}, which was deleted"
        );
        (json!({"spec": {"claimRef": null}}), summary)
    };
    Some(Remedy {
        kind: RemedyKind::ReturnVolume,
        summary,
        commands: vec![command(&[
            "kubectl",
            "patch",
            "pv",
            volume,
            "--type",
            "merge",
            "-p",
            &patch.to_string(),
        ])],
        danger: Danger::Reversible,
        change: Change::Volume(Box::new(changed)),
        size: 1,
        volume: Some(volume.to_owned()),
    })
}

fn forget_node(claim: &Claim) -> Remedy {
    let mut changed = claim.clone();
    changed.annotations.remove(annotations::SELECTED_NODE);
    let annotation = format!("{}-", annotations::SELECTED_NODE);
    let words = [
        "kubectl",
        "annotate",
        "pvc",
        &claim.key.name,
        "-n",
        &claim.key.namespace,
        &annotation,
    ];
    change(
        "Remove the annotation of the deleted node, so that the scheduler selects another"
            .to_owned(),
        vec![command(&words)],
        changed,
        None,
    )
}
