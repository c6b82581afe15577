//! A plan carried out to its end: where somebody else wrote in between, the cluster is read and the plan made again.

use crate::actions::apply::Earnest;
use crate::actions::bind::Taken;
use crate::actions::outcome::{Outcome, Sent};
use crate::actions::plan::{CLAIM, Errand, Plan, VOLUME};
use crate::cluster::Cluster;
use crate::error::CommandError;
use crate::model::{ClaimPhase, ClusterState};
use std::time::Duration;

/// Whoever loses so often gives up, and says how to go on.
const ROUNDS: u32 = 20;

/// How it ended.
pub(super) struct CarriedOut {
    pub(super) outcome: Outcome,
    /// Whether anything was sent, whatever came of it.
    pub(super) wrote: bool,
    /// Why it could not go on.
    pub(super) trouble: Option<CommandError>,
}

/// Carries out a plan, and those that follow from conflicts.
pub(super) fn carry_out(
    cluster: &Cluster,
    mut plan: Plan,
    load: &dyn Fn() -> Result<ClusterState, CommandError>,
    plan_again: &dyn Fn(&ClusterState, &[Taken]) -> Plan,
) -> CarriedOut {
    let mut ended = CarriedOut {
        outcome: Outcome::new(plan.command),
        wrote: false,
        trouble: None,
    };
    let mut taken = Vec::new();
    for round in 1.. {
        let applied = cluster.apply(&plan, Earnest::Yes);
        ended.wrote |= applied.wrote;
        note_taken(&mut taken, &plan, &applied.sent);
        let is_conflict = |sent: &Sent| matches!(sent, Sent::Conflict(_));
        let has_conflict = applied.sent.iter().any(is_conflict);
        ended.outcome.add(plan, applied.sent);
        if !has_conflict || round >= ROUNDS || !cluster.pause(wait_before(round)) {
            break;
        }
        match load() {
            Ok(state) => {
                plan = plan_again(&state, &taken);
                let is_done = |errand: &Errand| is_bound(&state, errand);
                ended.outcome.drop_what_is_open(is_done);
            }
            Err(error) => {
                ended.trouble = Some(error);
                break;
            }
        }
    }
    ended
}

/// Several of us at once must not meet again and again.
fn wait_before(round: u32) -> Duration {
    let own = std::process::id() % 10;
    Duration::from_millis(u64::from(10 * round.min(10) + 7 * own))
}

fn is_bound(state: &ClusterState, errand: &Errand) -> bool {
    state.find_claim(&errand.claim).is_some_and(|claim| {
        claim.phase == ClaimPhase::Bound && claim.volume_name.as_ref() == Some(&errand.volume)
    })
}

/// Remembers which volumes now carry the uid of a claim because of us.
fn note_taken(taken: &mut Vec<Taken>, plan: &Plan, sent: &[Sent]) {
    for (change, sent) in plan.changes.iter().zip(sent) {
        // What got no answer may have been made.
        let may_be_made = matches!(sent, Sent::Done | Sent::AlreadyDone | Sent::Failed(_));
        let errand = plan.errands.get(change.errand);
        let Some(errand) = errand.filter(|_| may_be_made) else {
            continue;
        };
        let uid = change.body["spec"]["claimRef"]["uid"].as_str();
        if let (VOLUME, Some(uid)) = (change.target.kind, uid) {
            taken.push(Taken {
                volume: errand.volume.clone(),
                uid: uid.to_owned(),
                claim_was_written: false,
            });
        }
        let uid = change.target.uid.as_deref();
        if let (CLAIM, None, Some(uid)) = (change.target.kind, change.subresource, uid)
            && change.body["spec"]["volumeName"].is_string()
        {
            let is_it = |taken: &&mut Taken| taken.volume == errand.volume && taken.uid == uid;
            taken
                .iter_mut()
                .filter(is_it)
                .for_each(|taken| taken.claim_was_written = true);
        }
    }
}
