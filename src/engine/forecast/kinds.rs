//! Claims that are alike in every respect that matters are one kind: whatever may happen to one may happen to each.

use super::actors::{Actor, Role, Stage};
use super::index::{ClaimId, Index, VolumeId, id};
use std::collections::HashMap;

/// A kind of claim, by its place.
pub(super) type KindId = u32;

/// Claims that are interchangeable.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) members: Vec<ClaimId>,
    pub(super) part: Part,
    pub(super) is_refused: bool,
    /// Volumes that become nobody's when the claim is bound to another (R76b); only a kind of one has any.
    pub(super) gives_back: Vec<VolumeId>,
}

/// What claims of a kind do.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Takes(VolumeId),
    Searches(Vec<Stage>),
}

/// The kinds of the claims that take part.
pub(super) fn sort(index: &Index<'_>, cast: &[Actor<'_>]) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut known: HashMap<&[Stage], usize> = HashMap::new();
    for actor in cast {
        let part = match &actor.role {
            Role::Bound | Role::Settled => continue,
            Role::Takes(volume) => Part::Takes(*volume),
            Role::Searches(stages) => {
                let is_common = index.reserved_for(actor.claim).is_empty() && !actor.is_refused;
                if is_common {
                    if let Some(kind) = known.get(&stages[..]) {
                        kinds[*kind].members.push(actor.claim);
                        continue;
                    }
                    known.insert(stages, kinds.len());
                }
                Part::Searches(stages.clone())
            }
        };
        kinds.push(Kind {
            members: vec![actor.claim],
            part,
            is_refused: actor.is_refused,
            gives_back: returning(index, actor),
        });
    }
    kinds
}

fn returning(index: &Index<'_>, actor: &Actor<'_>) -> Vec<VolumeId> {
    let returns = |volume: &VolumeId| {
        matches!(
            index.standing(*volume),
            super::standing::Standing::Reserved { returns: true, .. }
        )
    };
    let reserved = index.reserved_for(actor.claim).iter().copied();
    reserved.filter(returns).collect()
}

impl Kind {
    /// How many volumes the claims of this kind may take from others.
    pub(super) fn weight(&self, index: &Index<'_>) -> u32 {
        let claims = id(self.members.len());
        match &self.part {
            // A claim that is refused takes one volume of each chain it comes to.
            Part::Searches(stages) if self.is_refused => {
                let chains = |stage: &Stage| {
                    stage.shelf.map_or(0, |shelf| {
                        let levels = index.shelf(shelf).levels.iter();
                        levels.map(|level| level.chains.len()).sum()
                    })
                };
                claims.max(id(stages.iter().map(chains).sum::<usize>()))
            }
            _ => claims,
        }
    }
}
