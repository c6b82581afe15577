//! How far a kind of claim may get: every volume it may ever take, or a few more.
//!
//! A claim passes by a volume only if somebody else has taken it, and each claim takes one. So it gets past `n` volumes only
//! if `n` others may take one of them; a level of access modes is left only if all its volumes may be gone. Whom these others
//! are depends on how far they get: all are let out from where they begin until nobody gets any further.

use super::actors::Stage;
use super::index::{BucketId, ChainId, Index, VolumeId, id};
use super::kinds::{Kind, KindId, Part};
use super::tally::Tally;

/// Every volume a kind of claim may ever take, or more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// Stretches of chains, at most one of each bucket.
    pub(super) stretches: Vec<Stretch>,
    /// Volumes it takes without a search, or that are kept for it.
    pub(super) singles: Vec<VolumeId>,
    /// Whether all of these may be gone.
    pub(super) may_fail: bool,
}

/// Volumes next to each other in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) stage: usize,
    pub(super) level: usize,
    pub(super) chain: ChainId,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// How many others may be in the way.
struct Others<'t> {
    /// Who comes near which volumes; without it, nobody.
    tally: Option<&'t Tally>,
    /// How many there are at all.
    most: u32,
    /// How many volumes claims of the kind itself may take.
    weight: u32,
    /// Where the kind is among those that are tallied.
    known: &'t [(BucketId, u32, u32)],
}

impl Others<'_> {
    /// How many others may take one of the volumes between two places of a bucket.
    fn near(&self, bucket: BucketId, (from, to): (u32, u32)) -> u32 {
        let Some(tally) = self.tally else { return 0 };
        let all = tally.near(bucket, from, to);
        let counts_itself = self
            .known
            .iter()
            .any(|(own, low, high)| *own == bucket && *low < to && from < *high);
        // The claim itself is not in its way; others of its kind are.
        let others = if counts_itself {
            all.saturating_sub(1)
        } else {
            all.saturating_add(self.weight - 1)
        };
        others.min(self.most)
    }
}

/// How far each kind gets.
pub(super) fn reaches(index: &Index<'_>, kinds: &[Kind]) -> (Vec<Reach>, Tally) {
    let mut tally = Tally::new(index);
    let nobody = |kind: &Kind| Others {
        tally: None,
        most: 0,
        weight: kind.weight(index),
        known: &[],
    };
    let mut reaches: Vec<Reach> = kinds
        .iter()
        .map(|kind| reach(index, kind, &nobody(kind)))
        .collect();
    let mut spans: Vec<Vec<(BucketId, u32, u32)>> = Vec::with_capacity(kinds.len());
    for (kind, reach) in kinds.iter().zip(&reaches) {
        let span = spans_of(index, reach);
        tally.add(&span, kind.weight(index));
        spans.push(span);
    }
    // From the smallest volumes on, so that who is pushed on is looked at after who pushes.
    let mut order: Vec<KindId> = (0..id(kinds.len())).collect();
    order.sort_by_key(|kind| spans[*kind as usize].first().copied());
    let mut goes_on = true;
    while goes_on {
        goes_on = false;
        for place in order.iter().map(|kind| *kind as usize) {
            let kind = &kinds[place];
            if matches!(kind.part, Part::Takes(_)) || reaches[place].may_fail {
                continue;
            }
            let weight = kind.weight(index);
            let others = Others {
                tally: Some(&tally),
                most: u32::MAX,
                weight,
                known: &spans[place],
            };
            let further = reach(index, kind, &others);
            if further == reaches[place] {
                continue;
            }
            let span = spans_of(index, &further);
            tally.remove(&spans[place], weight);
            tally.add(&span, weight);
            spans[place] = span;
            reaches[place] = further;
            goes_on = true;
        }
    }
    (reaches, tally)
}

/// How far a kind gets if it is known that no more than `most` others are in its way.
pub(super) fn reach_among(
    index: &Index<'_>,
    kind: &Kind,
    tally: &Tally,
    reach_so_far: &Reach,
    most: u32,
) -> Reach {
    let known = spans_of(index, reach_so_far);
    let others = Others {
        tally: Some(tally),
        most,
        weight: kind.weight(index),
        known: &known,
    };
    reach(index, kind, &others)
}

/// The places of buckets that a kind comes near.
fn spans_of(index: &Index<'_>, reach: &Reach) -> Vec<(BucketId, u32, u32)> {
    let stretches = reach.stretches.iter().map(|stretch| {
        let chain = index.chain(stretch.chain);
        let (from, to) = chain.span(stretch.from, stretch.to);
        (chain.bucket, from, to)
    });
    let singles = reach.singles.iter().filter_map(|volume| {
        let (bucket, place) = index.place(*volume)?;
        Some((bucket, place, place + 1))
    });
    stretches.chain(singles).collect()
}

fn reach(index: &Index<'_>, kind: &Kind, others: &Others<'_>) -> Reach {
    let mut reach = Reach::default();
    match &kind.part {
        Part::Takes(volume) => {
            reach.singles.push(*volume);
            reach.may_fail = true;
        }
        Part::Searches(stages) => {
            let mut left = Some(others.most);
            for (place, stage) in stages.iter().enumerate() {
                let Some(most) = left else { break };
                left = extend(index, &mut reach, place, stage, others, most);
            }
            reach.may_fail = left.is_some();
        }
    }
    reach.singles.sort_unstable();
    reach.singles.dedup();
    reach
}

/// Goes through a stage; returns how many others are left if all volumes of the stage may be gone.
fn extend(
    index: &Index<'_>,
    reach: &mut Reach,
    place: usize,
    stage: &Stage,
    others: &Others<'_>,
    most: u32,
) -> Option<u32> {
    reach.singles.extend(stage.own.iter().map(|own| own.volume));
    let mut left = most;
    // A volume that is kept for the claim is always there: no more modes than it has are ever looked at.
    let kept = stage.own.iter().map(|own| own.modes.len()).min();
    let levels = stage
        .shelf
        .map_or(&[][..], |shelf| &index.shelf(shelf).levels);
    for (depth, level) in levels.iter().enumerate() {
        if kept.is_some_and(|kept| kept < level.length) {
            return None;
        }
        let (mut there, mut may_be_gone) = (0, true);
        for (modes, chain) in &level.chains {
            // In its own chain the kept volume comes first.
            if stage.own.iter().any(|own| own.modes == *modes) {
                continue;
            }
            let stretched = stretch(index, *chain, stage.needs, others, left);
            there += stretched.there;
            may_be_gone &= stretched.there <= stretched.takers;
            if stretched.from < stretched.to {
                reach.stretches.push(Stretch {
                    stage: place,
                    level: depth,
                    chain: *chain,
                    from: stretched.from,
                    to: stretched.to,
                });
            }
        }
        if kept == Some(level.length) || !may_be_gone || there > left {
            return None;
        }
        left -= there;
    }
    kept.is_none().then_some(left)
}

struct Stretched {
    from: u32,
    to: u32,
    /// How many volumes from `from` on are there from the beginning.
    there: u32,
    /// How many others may take one of the volumes of the stretch.
    takers: u32,
}

/// How far a claim gets in a chain.
fn stretch(
    index: &Index<'_>,
    chain: ChainId,
    needs: u32,
    others: &Others<'_>,
    most: u32,
) -> Stretched {
    let chain = index.chain(chain);
    let from = chain.start(needs);
    let passing = |takers: u32| match chain.firm_place(from, takers) {
        Some(last) => chain.draw_end(last),
        None => chain.len(),
    };
    let mut takers = 0;
    let mut to = passing(takers);
    while from < to {
        takers = others.near(chain.bucket, chain.span(from, to)).min(most);
        let further = passing(takers);
        if further <= to {
            break;
        }
        to = further;
    }
    Stretched {
        from,
        to,
        there: chain.firm_from(from),
        takers,
    }
}
