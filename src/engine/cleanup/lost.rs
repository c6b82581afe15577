//! `lost-claims`: bound once, and the volume is gone or somebody else's (R60, R61, R64). Such a claim never works again.

use super::Search;
use super::row::{Finding, Row, Subject};
use super::unused::delete_claim;
use crate::engine::Rules;
use crate::engine::sync::settled_phase;
use crate::model::{Claim, ClaimPhase, Kind};
use crate::report::{Code, Confidence};

pub(super) fn search<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let claims = search.state.claims().iter();
    let lost = claims.filter(|claim| claim.exists() && is_lost(search, claim));
    lost.map(|claim| row(search, claim)).collect()
}

/// A claim whose annotations were lost on the way into a file is known by its status.
pub(super) fn is_lost(search: &Search<'_>, claim: &Claim) -> bool {
    let is_gone = || {
        let volume = claim.volume_name.as_ref();
        volume.is_none_or(|name| search.state.find_volume(name).is_none())
    };
    settled_phase(search.state, claim, Rules::default()) == ClaimPhase::Lost
        || (claim.phase == ClaimPhase::Lost && is_gone())
}

fn row<'a>(search: &Search<'a>, claim: &'a Claim) -> Row<'a> {
    let subject = Subject::Claim(claim);
    if claim.deleted.is_some() {
        let why = "its deletion was asked for already";
        return Row::kept(subject, Code::ClaimTerminating, why);
    }
    let state = search.state;
    let mut confidence = Confidence::Certain;
    let mut reason = match &claim.volume_name {
        None => "it is Lost, and names no volume".to_owned(),
        Some(name) if state.find_volume(name).is_none() => format!("its volume {name} is gone"),
        Some(name) => {
            confidence = Confidence::Likely;
            format!("its volume {name} is another claim's")
        }
    };
    if let Some(holder) = search.holders.find(state, claim) {
        confidence = confidence.max(Confidence::Likely);
        reason = format!("{reason}; {holder}");
    }
    if state.is_absent(Kind::Volumes) {
        confidence = Confidence::Unsure;
        reason.push_str("; there are no volumes in the files");
    }
    if !search.unseen(&[Kind::Pods]).is_empty() {
        confidence = confidence.max(Confidence::Likely);
        reason.push_str("; pods were not seen");
    }
    let finding = Finding {
        reason,
        confidence,
        since: claim.unused_since(),
        frees: None,
        recreates: false,
        commands: vec![delete_claim(claim)],
    };
    Row::found(subject, finding)
}
