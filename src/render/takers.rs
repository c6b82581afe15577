//! The table of claims a volume was judged for: who takes it first, then the nearest miss.

use super::page::{Page, Screen, Tone, Word};
use super::table::Table;
use super::volumes::sum_up_codes;
use crate::model::VolumePhase;
use crate::report::{Taker, TakerReason, TakerResult, VolumeExplanation, VolumeReason};

/// As many as fit on a screen beside the rest.
const MOST_SHOWN: usize = 10;

/// Adds the table, unless it would only repeat that the volume is somebody else's.
pub(super) fn add(page: &mut Page, explanation: &VolumeExplanation, screen: &Screen, wide: bool) {
    let everything = screen.all || wide;
    let volume = &explanation.volume;
    let is_out_of_question = volume.effective_phase == VolumePhase::Bound || volume.being_deleted;
    if explanation.claims.is_empty() || (is_out_of_question && !everything) {
        return;
    }
    let (shown, rest): (Vec<&Taker>, Vec<&Taker>) = if everything {
        (explanation.claims.iter().collect(), vec![])
    } else {
        divide(&explanation.claims)
    };
    page.blank();
    let mut table = Table::new(&["CLAIM", "ASKS FOR", "CLASS", "WHY"]);
    for taker in &shown {
        table.row(row(taker, everything));
    }
    if !table.is_empty() {
        page.table(table);
    }
    add_rest(page, shown.len(), &rest, explanation.claims_omitted);
}

/// What names another volume interests nobody here.
fn divide(takers: &[Taker]) -> (Vec<&Taker>, Vec<&Taker>) {
    let mut shown = Vec::new();
    let mut rest = Vec::new();
    for taker in takers {
        let is_dull = taker
            .reasons
            .iter()
            .any(|reason| matches!(reason, TakerReason::NamesOtherVolume { .. }));
        if shown.len() < MOST_SHOWN && !is_dull {
            shown.push(taker);
        } else {
            rest.push(taker);
        }
    }
    (shown, rest)
}

fn add_rest(page: &mut Page, shown: usize, rest: &[&Taker], omitted: usize) {
    let count = rest.len() + omitted;
    if count == 0 {
        return;
    }
    let noun = match (shown, count) {
        (0, 1) => "claim",
        (0, _) => "claims",
        _ => "more",
    };
    let codes = sum_up_codes(rest.iter().map(|taker| {
        let first = taker.reasons.first();
        first.map_or("could take it", |reason| reason.code().name())
    }));
    let codes = if codes.is_empty() {
        String::new()
    } else {
        format!(": {codes}")
    };
    let text = format!("{count} {noun}{codes}   (--all shows them)");
    page.line(vec![(Tone::Plain, text)], 2);
}

/// That the volume is somebody else's was said above; here it is what else there is against a claim.
fn is_said_above(reason: &TakerReason) -> bool {
    match reason {
        TakerReason::Volume(VolumeReason::ReservedForOtherClaim(_)) => true,
        TakerReason::Volume(VolumeReason::ReservedForDeletedClaim(holder)) => {
            holder.asking_uid.is_none()
        }
        _ => false,
    }
}

fn row(taker: &Taker, everything: bool) -> Vec<Word> {
    let plain = |text: &str| {
        let text = if text.is_empty() { "<none>" } else { text };
        (Tone::Plain, text.to_owned())
    };
    let why = match (taker.result, &taker.reasons[..]) {
        (TakerResult::WouldTake, []) => (Tone::Good, "takes it".to_owned()),
        (TakerResult::CouldTake, []) => (Tone::Good, "may take it, or another like it".to_owned()),
        (_, reasons) => {
            let shown = reasons
                .iter()
                .filter(|reason| everything || !is_said_above(reason));
            let said: Vec<String> = shown.map(said).collect();
            let said = if said.is_empty() {
                "it would fit".to_owned()
            } else {
                said.join(" · ")
            };
            (Tone::Plain, said)
        }
    };
    vec![
        plain(&taker.key().to_string()),
        plain(taker.requested.as_deref().unwrap_or("")),
        plain(&taker.class),
        why,
    ]
}

fn said(reason: &TakerReason) -> String {
    format!("{}: {}", reason.code(), reason.message())
}
