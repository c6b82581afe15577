//! `unused-claims`: bound, and neither a pod nor anything that makes pods uses it or would.

use super::Search;
use super::holders::{Beyond, find_live_pod};
use super::lost::is_lost;
use super::row::{Finding, Row, Subject, held_by};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::command;
use crate::conventions::quantity::Quantity;
use crate::engine::Rules;
use crate::engine::sync::settled_phase;
use crate::model::{Claim, ClaimPhase, Kind};
use crate::report::{Code, Confidence};

pub(super) fn search<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let claims = search.state.claims().iter();
    let there = claims.filter(|claim| claim.exists() && !is_lost(search, claim));
    there.map(|claim| row(search, claim)).collect()
}

/// Deleting a claim by hand.
pub(super) fn delete_claim(claim: &Claim) -> CommandLine {
    let key = &claim.key;
    command(&["kubectl", "delete", "pvc", &key.name, "-n", &key.namespace])
}

fn row<'a>(search: &Search<'a>, claim: &'a Claim) -> Row<'a> {
    let subject = Subject::Claim(claim);
    if claim.deleted.is_some() {
        let why = "its deletion was asked for already";
        return Row::kept(subject, Code::ClaimTerminating, why);
    }
    if let Some(holder) = search.holders.find(search.state, claim) {
        let is_live = find_live_pod(search.state, claim).is_some();
        return if is_live {
            Row::obvious(subject, Code::InUse, holder)
        } else {
            Row::kept(subject, Code::InUse, holder)
        };
    }
    if !is_bound(search, claim) {
        let why = "it is Pending, and what waits is not unused";
        return Row::kept(subject, Code::NotBound, why);
    }
    let (reason, confidence) = why_unused(search, claim);
    let finding = Finding {
        reason,
        confidence,
        since: claim.unused_since(),
        frees: volume_of(search, claim),
        recreates: false,
        commands: vec![delete_claim(claim)],
    };
    Row::found(subject, finding)
}

/// A claim whose annotations were lost on the way into a file is known by its status.
fn is_bound(search: &Search<'_>, claim: &Claim) -> bool {
    settled_phase(search.state, claim, Rules::default()) == ClaimPhase::Bound
        || (claim.phase == ClaimPhase::Bound && claim.volume_name.is_some())
}

fn why_unused(search: &Search<'_>, claim: &Claim) -> (String, Confidence) {
    if let Some(Beyond { set, ordinal }) = search.holders.find_beyond(claim) {
        let kept = set.when_scaled.as_deref().unwrap_or("Retain");
        let last = u64::from(set.first_ordinal) + u64::from(set.replicas) - 1;
        let has = if u64::from(set.first_ordinal) == last {
            format!("ordinal {last}")
        } else {
            format!("ordinals {} to {last}", set.first_ordinal)
        };
        let reason = format!(
            "no pod uses it; left by StatefulSet {}, which has {has} and not {ordinal} (whenScaled {kept})",
            set.key.name
        );
        return (reason, Confidence::Likely);
    }
    let nobody = "no pod and no workload template uses it";
    match &claim.owner {
        None => (nobody.to_owned(), Confidence::Likely),
        Some(owner) if owner.kind == "Pod" => (
            format!("{nobody}; it was made for {owner}, which is gone"),
            Confidence::Likely,
        ),
        // Operators keep the claims of what they have put to sleep.
        Some(owner) => (
            format!("{nobody}, but it is owned by {owner}, which may"),
            Confidence::Unsure,
        ),
    }
}

/// The volume it holds. Where volumes may not be read the claim says how much it was given.
fn volume_of(search: &Search<'_>, claim: &Claim) -> Option<(String, Quantity)> {
    let name = claim.volume_name.as_ref()?;
    match search.state.find_volume(name) {
        Some(volume) => Some(held_by(volume)),
        None if search.state.saw(Kind::Volumes, None) => None,
        None => Some((name.clone(), claim.capacity.clone()?)),
    }
}
