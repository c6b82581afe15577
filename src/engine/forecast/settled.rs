//! How many claims end how, whatever the order: of each number the least over all ends, and what is left is undecided.

use super::index::ClaimId;
use super::solve::{Rests, Solved};
use crate::report::{Settled, Verdict};

/// Counts claims by the verdict they end with.
pub(super) fn count(settled: &mut Settled, verdict: Verdict, claims: usize) {
    match verdict {
        Verdict::Bound | Verdict::WillBind => settled.bound += claims,
        Verdict::WillProvision => settled.provisioned += claims,
        Verdict::Waiting => settled.waiting += claims,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected | Verdict::Unknown => {
            settled.blocked += claims;
        }
    }
}

/// Takes back the count of a claim.
pub(super) fn uncount(settled: &mut Settled, verdict: Verdict) {
    let mut one = Settled::default();
    count(&mut one, verdict, 1);
    settled.bound = settled.bound.saturating_sub(one.bound);
    settled.provisioned = settled.provisioned.saturating_sub(one.provisioned);
    settled.waiting = settled.waiting.saturating_sub(one.waiting);
    settled.blocked = settled.blocked.saturating_sub(one.blocked);
}

/// Counts the claims of a group; `fallback` says how a claim ends that goes without a volume that is there.
pub(super) fn count_group(
    settled: &mut Settled,
    group: &Solved,
    fallback: &dyn Fn(ClaimId) -> Verdict,
) {
    let members: usize = group.sides.iter().map(|side| side.members.len()).sum();
    let least = match &group.rests {
        Rests::Unknown => Settled::default(),
        Rests::Together(waiting) => {
            let mut end = Settled::default();
            count(&mut end, Verdict::WillBind, members - waiting);
            let all = group.sides.iter().flat_map(|side| &side.members);
            if let Some(verdict) = same_for_all(all, fallback) {
                count(&mut end, verdict, *waiting);
            }
            end
        }
        Rests::Ends(rests) => {
            let ends = rests.iter().map(|rest| end(group, rest, fallback));
            ends.reduce(least).unwrap_or_default()
        }
    };
    settled.bound += least.bound;
    settled.provisioned += least.provisioned;
    settled.waiting += least.waiting;
    settled.blocked += least.blocked;
    let certain = least.bound + least.provisioned + least.waiting + least.blocked;
    settled.undecided += members - certain;
}

/// One end of a group, as far as it is known who it is that goes without.
fn end(group: &Solved, rest: &[(u16, u16)], fallback: &dyn Fn(ClaimId) -> Verdict) -> Settled {
    let mut end = Settled::default();
    for (side, (waiting, left)) in group.sides.iter().zip(rest) {
        let (all, waiting, left) = (
            side.members.len(),
            usize::from(*waiting),
            usize::from(*left),
        );
        count(&mut end, Verdict::WillBind, all - waiting - left);
        count(&mut end, Verdict::WillProvision, left);
        if waiting == all {
            for claim in &side.members {
                count(&mut end, fallback(*claim), 1);
            }
        } else if waiting > 0
            && let Some(verdict) = same_for_all(side.members.iter(), fallback)
        {
            count(&mut end, verdict, waiting);
        }
    }
    end
}

fn same_for_all<'a>(
    mut claims: impl Iterator<Item = &'a ClaimId>,
    fallback: &dyn Fn(ClaimId) -> Verdict,
) -> Option<Verdict> {
    let first = fallback(*claims.next()?);
    claims
        .all(|claim| fallback(*claim) == first)
        .then_some(first)
}

fn least(a: Settled, b: Settled) -> Settled {
    Settled {
        bound: a.bound.min(b.bound),
        provisioned: a.provisioned.min(b.provisioned),
        waiting: a.waiting.min(b.waiting),
        blocked: a.blocked.min(b.blocked),
        undecided: 0,
    }
}
