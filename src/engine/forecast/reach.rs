//! How far a kind of claim may get: every volume it may ever take, given how many others may take some before it.
//!
//! With `k` others at most `k` better volumes are gone, so that only the first `k + 1` matter, and those of equal size with
//! the last. A level of access modes is left only if all its volumes are gone.

use super::actors::Stage;
use super::index::{ChainId, Index, VolumeId};
use super::kinds::{Kind, Part};

/// Every volume a kind of claim may ever take, or more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// Stretches of chains.
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

/// How far a kind gets when others take `budget` volumes before it.
pub(super) fn reach(index: &Index<'_>, kind: &Kind, budget: u32) -> Reach {
    let mut reach = Reach::default();
    match &kind.part {
        Part::Takes(volume) => {
            reach.singles.push(*volume);
            reach.may_fail = true;
        }
        Part::Searches(stages) => {
            let mut left = Some(budget);
            for (place, stage) in stages.iter().enumerate() {
                let Some(budget) = left else { break };
                left = extend(index, &mut reach, place, stage, budget);
            }
            reach.may_fail = left.is_some();
        }
    }
    reach.singles.sort_unstable();
    reach.singles.dedup();
    reach
}

/// Goes through a stage; returns what is left of the budget if all volumes of the stage may be gone.
fn extend(
    index: &Index<'_>,
    reach: &mut Reach,
    place: usize,
    stage: &Stage,
    budget: u32,
) -> Option<u32> {
    reach.singles.extend(stage.own.iter().map(|own| own.volume));
    let mut left = budget;
    // A volume that is kept for the claim is always there: no more modes than it has are ever looked at.
    let kept = stage.own.iter().map(|own| own.modes.len()).min();
    let levels = stage
        .shelf
        .map_or(&[][..], |shelf| &index.shelf(shelf).levels);
    for (depth, level) in levels.iter().enumerate() {
        if kept.is_some_and(|kept| kept < level.length) {
            return None;
        }
        let mut firm = 0;
        for (modes, chain) in &level.chains {
            // In its own chain the kept volume comes first.
            if stage.own.iter().any(|own| own.modes == *modes) {
                continue;
            }
            let (from, to, there) = stretch(index, *chain, stage.needs, left);
            firm += there;
            if from < to {
                reach.stretches.push(Stretch {
                    stage: place,
                    level: depth,
                    chain: *chain,
                    from,
                    to,
                });
            }
        }
        if kept == Some(level.length) || firm > left {
            return None;
        }
        left -= firm;
    }
    kept.is_none().then_some(left)
}

/// The first `budget + 1` volumes of a chain that are large enough, with their equals; and how many there are in all.
fn stretch(index: &Index<'_>, chain: ChainId, needs: u32, budget: u32) -> (u32, u32, u32) {
    let chain = index.chain(chain);
    let from = chain.start(needs);
    let to = match chain.firm_place(from, budget) {
        Some(last) => chain.draw_end(last),
        None => chain.len(),
    };
    (from, to, chain.firm_from(from))
}
