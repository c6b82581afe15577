//! `released` and `failed`: the claim of the volume is gone, and the volume is still there.
//!
//! Retained volumes are findings too, as they hold what nobody can claim; acting on them is another question.

use super::Search;
use super::row::{Finding, Row, Subject, held_by};
use crate::conventions::annotations;
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::lifecycle::on_release;
use crate::engine::phases::{Phases, SettledVolume, view};
use crate::model::{Claim, ClaimRef, Kind, Volume, VolumePhase};
use crate::report::{Code, Confidence, FateResult, join_and};

/// Volumes whose claim is gone, and those that nobody has had yet, which look like them.
pub(super) fn released<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let volumes = search.state.volumes().iter();
    let rows = volumes.filter_map(|volume| {
        let settled = view(search.state, volume, Phases::Settled);
        match settled.phase {
            VolumePhase::Released => row(search, &settled),
            VolumePhase::Available | VolumePhase::Pending => {
                let why = why_not_released(search, &settled);
                let code = Code::NotReleased;
                let subject = Subject::Volume(volume);
                Some(match settled.claim_ref {
                    None => Row::obvious(subject, code, why),
                    Some(_) => Row::kept(subject, code, why),
                })
            }
            VolumePhase::Bound | VolumePhase::Failed => None,
        }
    });
    rows.collect()
}

/// Volumes whose policy could not be carried out.
pub(super) fn failed<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let volumes = search.state.volumes().iter();
    let settled = volumes.map(|volume| view(search.state, volume, Phases::Settled));
    let failed = settled.filter(|settled| settled.phase == VolumePhase::Failed);
    failed.filter_map(|settled| row(search, &settled)).collect()
}

fn why_not_released(search: &Search<'_>, settled: &SettledVolume<'_>) -> String {
    if settled.volume.deleted.is_some() {
        return "its deletion was asked for already, and nobody had it".to_owned();
    }
    match settled.claim_ref.as_deref() {
        None => "free: any claim may take it".to_owned(),
        Some(reference) if reference.is_empty() => {
            "its claimRef is empty, which reserves it for nobody".to_owned()
        }
        Some(reference) => {
            let key = reference.key();
            let is_there = search.state.find_claim(&key).is_some();
            let waits = if is_there { "" } else { ", which is not there" };
            format!("reserved for {key}{waits}")
        }
    }
}

fn row<'a>(search: &Search<'a>, settled: &SettledVolume<'a>) -> Option<Row<'a>> {
    let volume = settled.volume;
    let subject = Subject::Volume(volume);
    let reference = volume.claim_ref.as_ref()?;
    if let Some(claim) = owner(search, reference) {
        // One that went elsewhere makes this a duplicate, which is told there.
        let why = format!("claim {}, which has that uid, is there", claim.key);
        let is_waiting = claim.volume_name.is_none();
        return is_waiting.then(|| Row::kept(subject, Code::ClaimExists, why));
    }
    if let Some((code, why)) = why_kept(search, volume, reference) {
        return Some(Row::kept(subject, code, why));
    }
    let doubts = doubts(search, settled, reference);
    let confidence = doubts.iter().map(|(level, _)| *level).max();
    let mut reasons = vec![why_given_up(search, settled, &reference.key())];
    reasons.extend(doubts.into_iter().map(|(_, why)| why));
    let finding = Finding {
        reason: reasons.join("; "),
        confidence: confidence.unwrap_or(Confidence::Certain),
        since: volume.phase_since.filter(|_| volume.phase == settled.phase),
        frees: Some(held_by(volume)),
        recreates: false,
        commands: vec![what_helps(search, volume, reference)],
    };
    Some(Row::found(subject, finding))
}

/// Its end has begun already, or somebody waits for it.
fn why_kept(search: &Search<'_>, volume: &Volume, reference: &ClaimRef) -> Option<(Code, String)> {
    if volume.deleted.is_some() && !is_begun_here(volume) {
        let why = match &volume.finalizers[..] {
            [] => "its deletion was asked for".to_owned(),
            holders => format!(
                "its deletion was asked for, and waits for {}",
                join_and(holders)
            ),
        };
        return Some((Code::BeingDeleted, why));
    }
    let key = reference.key();
    let pods = waiting_pods(search, &key);
    let verb = if pods.len() == 1 { "names" } else { "name" };
    let why = || format!("{} still {verb} its claim {key}", join_and(&pods));
    (!pods.is_empty()).then(|| (Code::InUse, why()))
}

/// Whether we asked for its deletion and were interrupted; then somebody must go on.
fn is_begun_here(volume: &Volume) -> bool {
    let mut finalizers = volume.finalizers.iter();
    finalizers.any(|finalizer| finalizer == annotations::OWN_DELETION)
}

/// What else is to be known of it, and how sure it leaves us.
fn doubts(
    search: &Search<'_>,
    settled: &SettledVolume<'_>,
    reference: &ClaimRef,
) -> Vec<(Confidence, String)> {
    let volume = settled.volume;
    let mut doubts = Vec::new();
    if volume.deleted.is_some() {
        let why = "kubectl pv has begun to delete it".to_owned();
        doubts.push((Confidence::Certain, why));
    }
    if let Some(heir) = heir(search, reference) {
        let waits = match heir.volume_name {
            None => "a new claim of that name is there, and has no volume",
            Some(_) => "a new claim of that name is there",
        };
        doubts.push((Confidence::Likely, waits.to_owned()));
    }
    let nodes = attached_to(search, volume);
    if !nodes.is_empty() {
        let why = format!("still attached to {}", join_and(&nodes));
        doubts.push((Confidence::Likely, why));
    }
    if settled.phase != volume.phase {
        // Files without a single claim do not show that this one is gone.
        let is_silent = search.state.is_absent(Kind::Claims);
        let level = if is_silent {
            Confidence::Unsure
        } else {
            Confidence::Likely
        };
        doubts.push((level, format!("its status still says {}", volume.phase)));
    }
    if !search.unseen(&[Kind::Pods]).is_empty() {
        doubts.push((Confidence::Likely, "pods were not seen".to_owned()));
    }
    doubts
}

/// The claim with the uid of the claimRef.
fn owner<'a>(search: &Search<'a>, reference: &ClaimRef) -> Option<&'a Claim> {
    let claim = search.state.find_claim(&reference.key())?;
    (reference.uid.is_some() && claim.uid == reference.uid).then_some(claim)
}

/// A claim of the same name and another uid.
fn heir<'a>(search: &Search<'a>, reference: &ClaimRef) -> Option<&'a Claim> {
    let claim = search.state.find_claim(&reference.key())?;
    (claim.exists() && claim.uid != reference.uid).then_some(claim)
}

/// Pods that are not over and name a claim that is gone: nobody deletes what they may have open.
fn waiting_pods(search: &Search<'_>, claim: &ObjectKey) -> Vec<String> {
    if search.state.find_claim(claim).is_some_and(Claim::exists) {
        return vec![];
    }
    let pods = search.state.pods_using(claim);
    let pods = pods.filter(|pod| !pod.is_terminated());
    pods.map(|pod| format!("pod {}", pod.key.name)).collect()
}

fn attached_to(search: &Search<'_>, volume: &Volume) -> Vec<String> {
    let attachments = search.attached.get(volume.name.as_str());
    let attachments = attachments.into_iter().flatten();
    attachments
        .map(|attachment| format!("node {}", attachment.node))
        .collect()
}

fn why_given_up(search: &Search<'_>, settled: &SettledVolume<'_>, claim: &ObjectKey) -> String {
    let volume = settled.volume;
    let policy = &volume.reclaim_policy;
    if settled.phase == VolumePhase::Failed {
        let said = volume.message.clone().filter(|said| !said.is_empty());
        let said = said.unwrap_or_else(|| on_release(volume).clause());
        let ours = served_here(search, volume).map(|name| format!("; ours ({name})"));
        let ours = ours.unwrap_or_default();
        return format!("its policy {policy} could not be carried out: {said}{ours}");
    }
    let begin = format!("released by {claim} (deleted), policy {policy}");
    if let Some(name) = served_here(search, volume) {
        return format!("{begin}, ours ({name})");
    }
    let fate = on_release(volume);
    let by = fate.by_or("its maker");
    match fate.result() {
        FateResult::Retained => format!("{begin}: no claim can bind it"),
        FateResult::LeftToProvisioner if volume.is_unwatched() => {
            format!("{begin}, made by kubectl pv, and deleted when {by} is told to")
        }
        FateResult::LeftToProvisioner => format!("{begin}, left to {by}, which has not acted yet"),
        FateResult::Deleted | FateResult::Recycled => {
            format!("{begin}, the controller has not acted yet")
        }
        FateResult::Failed => format!("{begin}, which nobody can carry out: {}", fate.clause()),
    }
}

fn served_here<'s>(search: &Search<'s>, volume: &Volume) -> Option<&'s str> {
    let served = &search.question.served_here;
    served.get(&volume.name).map(String::as_str)
}

/// Carrying out the policy, where somebody can; otherwise letting others have it.
fn what_helps(search: &Search<'_>, volume: &Volume, reference: &ClaimRef) -> CommandLine {
    let fate = on_release(volume).result();
    let can_be_done = !matches!(fate, FateResult::Retained | FateResult::Failed)
        || served_here(search, volume).is_some();
    let mut words = vec!["kubectl", "pv", "reclaim", &volume.name];
    let key = reference.key().to_string();
    if !can_be_done {
        words.push("--reuse");
        if heir(search, reference).is_some_and(|heir| heir.volume_name.is_none()) {
            words.extend(["--for", &key]);
        }
    }
    command(&words)
}
