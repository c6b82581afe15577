//! One volume for people: whose it is, what it is, why, the claims, who holds it, what helps, what Kubernetes says.

use super::claim::{add_first_help, add_more_help, add_says, add_unknown_kinds, labelled};
use super::page::{Page, Screen, plain};
use super::volume_sentence::{verdict, verdict_in_short};
use super::{Asked, Format, machine, safe, takers};
use crate::conventions::annotations::VOLUME_PROTECTION;
use crate::conventions::foreign::quoted;
use crate::model::VolumePhase;
use crate::report::{
    AttachmentSummary, FinalizerHold, Severity, UnknownReason, VolumeCause, VolumeExplanation,
    VolumeFinding, VolumeReason, VolumeSummary, join_and, plural,
};
use std::io::{self, Write};

/// Prints explanations of volumes.
pub(crate) fn write_volumes(
    to: &mut dyn Write,
    explanations: Vec<VolumeExplanation>,
    asked: Asked,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => {
            machine::write_answers(to, explanations, "VolumeExplanationList", asked, format)
        }
        Format::Name => explanations
            .iter()
            .try_for_each(|explanation| writeln!(to, "pv/{}", safe(&explanation.volume.name))),
        Format::Text | Format::Wide => {
            let in_full_length = asked != Asked::Filter || format == Format::Wide;
            for (index, explanation) in explanations.iter().enumerate() {
                let mut page = Page::default();
                if in_full_length {
                    if index > 0 {
                        page.blank();
                    }
                    in_full(&mut page, explanation, screen, format == Format::Wide);
                } else {
                    in_short(&mut page, explanation);
                }
                page.write(to, screen)?;
            }
            Ok(())
        }
    }
}

/// Everything about one volume.
fn in_full(page: &mut Page, explanation: &VolumeExplanation, screen: &Screen, wide: bool) {
    let sentence = verdict(explanation);
    let first_line: String = sentence.iter().map(|(_, text)| text.as_str()).collect();
    page.line(sentence, 2);
    let more = add_first_help(page, &explanation.suggestions);
    page.blank();
    add_facts(page, explanation);
    add_causes(page, explanation, &first_line);
    add_holders(page, explanation, &first_line, wide || screen.all);
    takers::add(page, explanation, screen, wide);
    add_more_help(page, more);
    add_says(page, &explanation.kubernetes_says, None);
    add_unknown_kinds(page, &explanation.unknowns);
    ask_administrator(page, explanation);
}

/// The sentence to send to somebody who may see what this user may not.
fn ask_administrator(page: &mut Page, explanation: &VolumeExplanation) {
    let wanted: Vec<String> = explanation
        .unknowns
        .iter()
        .filter(|unknown| unknown.why == UnknownReason::Forbidden)
        .filter_map(|unknown| unknown.remedy.as_ref()?.permission())
        .collect();
    if wanted.is_empty() {
        return;
    }
    let target = format!("pv/{}", explanation.volume.name);
    let again = crate::conventions::object_command::command(&["kubectl", "pv", "explain", &target]);
    let text = format!(
        "To an administrator: please run `{again}` for me, or let me {}.",
        wanted.join(", ")
    );
    page.line(vec![plain(text)], 17);
}

/// One volume among many: the sentence, and the first thing that would help where somebody must act.
fn in_short(page: &mut Page, explanation: &VolumeExplanation) {
    page.line(verdict_in_short(explanation), 2);
    let must_act = explanation
        .causes
        .iter()
        .any(|finding| finding.severity != Severity::Note);
    if let Some(suggestion) = explanation.suggestions.first().filter(|_| must_act) {
        page.line(vec![plain(format!("  {}.", suggestion.summary))], 4);
    }
}

fn add_facts(page: &mut Page, explanation: &VolumeExplanation) {
    let volume = &explanation.volume;
    labelled(page, "Volume", described(volume));
    if let Some(reach) = &volume.reach {
        let there = match reach.nodes {
            None => "which nodes there are was not seen".to_owned(),
            Some(0) => "there is none".to_owned(),
            Some(1) => "there is one".to_owned(),
            Some(nodes) => format!("there are {nodes}"),
        };
        labelled(
            page,
            "Usable on",
            format!("nodes with {}: {there}", reach.wanted),
        );
    }
    labelled(page, "claimRef", explanation.claim_ref.meaning.clone());
    match explanation.used_by.as_deref() {
        None => labelled(page, "Used by", "unknown: pods could not be read"),
        Some([]) => {}
        Some(pods) => {
            let spelled = |pod: &crate::report::Consumer| match &pod.node {
                Some(node) => format!("pod {} on {node}", pod.pod, node = quoted(node)),
                None => format!("pod {} (not on a node yet)", pod.pod),
            };
            let pods: Vec<String> = pods.iter().map(spelled).collect();
            labelled(page, "Used by", join_and(&pods));
        }
    }
    for (index, attachment) in explanation.attachments.iter().enumerate() {
        let label = if index == 0 { "Attached" } else { "" };
        labelled(page, label, attachment_line(attachment));
    }
    if volume.phase != volume.effective_phase {
        let text = format!(
            "{} still, about to be {}",
            volume.phase, volume.effective_phase
        );
        labelled(page, "Phase", text);
    }
}

fn described(volume: &VolumeSummary) -> String {
    let class = match volume.class.as_str() {
        "" => "no class".to_owned(),
        class => format!("class {class}", class = quoted(class)),
    };
    let made = match &volume.provisioned_by {
        Some(name) => format!("made by {name}", name = quoted(name)),
        None => "made by hand".to_owned(),
    };
    let since = match (volume.phase, volume.phase_since) {
        (VolumePhase::Released | VolumePhase::Failed, Some(since)) => {
            format!("{} since {since}", volume.phase)
        }
        _ => String::new(),
    };
    let modes = volume.access_modes.to_string();
    let modes = if modes.is_empty() {
        "no access modes".to_owned()
    } else {
        modes
    };
    let facts = [
        volume.capacity.clone(),
        modes,
        volume.volume_mode.to_string(),
        class,
        format!("policy {}", volume.reclaim_policy),
        volume.source.clone(),
        made,
        since,
    ];
    facts
        .into_iter()
        .filter(|fact| !fact.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}

fn attachment_line(attachment: &AttachmentSummary) -> String {
    let how = match (attachment.detaching, attachment.attached) {
        (true, _) => ", being detached",
        (false, true) => "",
        (false, false) => ", not attached yet",
    };
    let error = attachment.error.as_ref();
    let error = error.map(|error| format!(": {error}")).unwrap_or_default();
    format!("{}{how}{error}", attachment.spelled())
}

/// Codes, because people search for them; messages only where the first line has not said it.
fn add_causes(page: &mut Page, explanation: &VolumeExplanation, first_line: &str) {
    let mut label_before = "";
    for finding in explanation.causes.iter().filter(|it| !is_told_as_fact(it)) {
        let label = match finding.severity {
            Severity::Blocker => "Cause",
            Severity::Warning => "Careful",
            Severity::Note => "Note",
        };
        let message = finding.cause.message();
        let mut text = finding.cause.code().to_string();
        let is_told = first_line.contains(&message)
            || matches!(finding.cause, VolumeCause::HeldByFinalizer { .. });
        if !is_told {
            text = format!("{text}: {message}");
        }
        if let Some(hint) = finding.cause.hint() {
            text = format!("{text} ({hint})");
        }
        labelled(page, if label == label_before { "" } else { label }, text);
        label_before = label;
    }
}

/// What stands among the facts already.
fn is_told_as_fact(finding: &VolumeFinding) -> bool {
    match &finding.cause {
        VolumeCause::ClaimExists {
            elsewhere: None, ..
        }
        | VolumeCause::LeftToController { .. }
        | VolumeCause::Attached { .. }
        | VolumeCause::InUse {
            recycling: false, ..
        } => true,
        VolumeCause::Volume(VolumeReason::ReservedForOtherClaim(_)) => {
            finding.severity == Severity::Note
        }
        _ => false,
    }
}

/// Every volume has its protection, which interests only while it is being deleted.
fn add_holders(
    page: &mut Page,
    explanation: &VolumeExplanation,
    first_line: &str,
    everything: bool,
) {
    let is_going = explanation.volume.being_deleted;
    let label = if is_going { "Held by" } else { "Guarded by" };
    let interests = |hold: &&FinalizerHold| {
        let is_dull = !is_going && hold.finalizer == VOLUME_PROTECTION;
        everything || !is_dull && !first_line.contains(&hold.waits_for)
    };
    let holds = explanation.holders.iter().filter(interests);
    for (index, hold) in holds.enumerate() {
        let by = hold.by.as_ref();
        let by = by.map(|by| format!(" ({by})")).unwrap_or_default();
        let text = format!("{}{by}: {}", hold.finalizer, hold.waits_for);
        labelled(page, if index == 0 { label } else { "" }, text);
    }
}

/// `the only unbound claim`, `none of 3 unbound claims`.
pub(super) fn unbound_claims(count: usize) -> String {
    plural(count, "unbound claim")
}
