//! Who takes part: the claims that may take a volume, and how each goes about it. Claims whose end nobody else can change
//! are settled from the beginning.

use super::super::Rules;
use super::super::admission::{admit, class_assignment_refusals, update_refusals};
use super::super::binding::Timing;
use super::super::checks::{Candidate, Question, search_failures};
use super::super::claims::missing_kinds;
use super::super::classes::{find_default, lacks_class};
use super::super::named::free_failures;
use super::super::phases::{Phases, Reservation, view};
use super::index::{ClaimId, Index, ShelfId, VolumeId};
use super::standing::Standing;
use crate::conventions::access_mode::AccessModes;
use crate::model::{Claim, ClaimPhase};
use std::borrow::Cow;

/// A claim, and its part in what happens.
#[derive(Debug)]
pub(super) struct Actor<'a> {
    pub(super) claim: ClaimId,
    /// The claim as it is, or as it is stored once it is created.
    pub(super) subject: Cow<'a, Claim>,
    pub(super) role: Role,
    /// Whether the API server refuses every update of it: it takes volumes and never has one (R10a).
    pub(super) is_refused: bool,
}

/// How a claim goes about it. A pod that decides for its claims will be one more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// It has its volume already.
    Bound,
    /// Whatever others do, it ends as it would alone.
    Settled,
    /// It takes this one volume when nobody holds it: it names it (R41), or lost it (R62).
    Takes(VolumeId),
    /// It searches; when it finds nothing it goes on to the next stage (R15).
    Searches(Vec<Stage>),
}

/// A search by one class.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Stage {
    /// The volumes that are nobody's; none where only reserved ones are taken (R26.8).
    pub(super) shelf: Option<ShelfId>,
    /// The rank of the smallest capacity that is enough.
    pub(super) needs: u32,
    /// The volumes that are kept for the claim and fit.
    pub(super) own: Vec<Own>,
    /// Where only reserved ones are taken: one that would do once a pod comes.
    pub(super) would_do: Option<VolumeId>,
}

/// A volume kept for the claim: it comes before all others with as many modes (R26.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Own {
    pub(super) volume: VolumeId,
    pub(super) modes: AccessModes,
}

/// All claims of the state with their parts, in the order of the state.
pub(super) fn cast<'a>(index: &mut Index<'a>, rules: Rules) -> Vec<Actor<'a>> {
    let claims = index.state.claims();
    let mut cast = Vec::with_capacity(claims.len());
    for (claim, place) in claims.iter().zip(0..) {
        cast.push(Actor::new(index, claim, place, rules));
    }
    cast
}

impl<'a> Actor<'a> {
    fn new(index: &mut Index<'a>, claim: &'a Claim, place: ClaimId, rules: Rules) -> Self {
        let (subject, is_rejected) = if claim.exists() {
            (Cow::Borrowed(claim), false)
        } else {
            let admitted = admit(index.state, claim, rules);
            (Cow::Owned(admitted.stored), !admitted.refusals.is_empty())
        };
        let role = if is_rejected {
            Role::Settled
        } else {
            find_role(index, &subject, place, rules)
        };
        let takes_part = matches!(role, Role::Takes(_) | Role::Searches(_));
        let is_refused = takes_part
            && subject.exists()
            && !subject.is_bind_completed()
            && !update_refusals(index.state, &subject).is_empty();
        Self {
            claim: place,
            subject,
            role,
            is_refused,
        }
    }
}

fn find_role(index: &mut Index<'_>, claim: &Claim, place: ClaimId, rules: Rules) -> Role {
    if claim.is_bind_completed() {
        return role_of_bound(index, claim);
    }
    if !missing_kinds(index.state, claim, rules).is_empty() {
        return Role::Settled;
    }
    if claim.volume_name.is_some() {
        return role_of_named(index, claim, rules);
    }
    let has_problems = |selector: &crate::conventions::selector::LabelSelector| {
        !selector.is_empty() && !selector.problems().is_empty()
    };
    // A selector that is invalid makes every search fail (Q5).
    if claim.selector.as_ref().is_some_and(has_problems) {
        return Role::Settled;
    }
    Role::Searches(stages(index, claim, place, rules))
}

/// A claim that was bound before holds its volume, may get it back (R62), or has lost it.
fn role_of_bound(index: &Index<'_>, claim: &Claim) -> Role {
    let name = claim.volume_name.as_deref();
    let Some(id) = name.and_then(|name| index.find(name)) else {
        return Role::Settled;
    };
    match index.standing(id) {
        Standing::Free | Standing::Reserved { returns: true, .. } => Role::Takes(id),
        _ => {
            let reference = index.volume(id).claim_ref.as_ref();
            let is_held =
                claim.exists() && reference.is_some_and(|reference| reference.uid == claim.uid);
            if is_held && claim.phase == ClaimPhase::Bound {
                Role::Bound
            } else {
                Role::Settled
            }
        }
    }
}

fn role_of_named(index: &Index<'_>, claim: &Claim, rules: Rules) -> Role {
    let name = claim.volume_name.as_deref();
    let Some(id) = name.and_then(|name| index.find(name)) else {
        return Role::Settled;
    };
    let may_be_free = matches!(
        index.standing(id),
        Standing::Free | Standing::Reserved { returns: true, .. }
    );
    let question = Question::new(claim, claim.class.resolved(), rules);
    let candidate = Candidate {
        volume: index.volume(id),
        phase: crate::model::VolumePhase::Available,
        reservation: Reservation::Free,
    };
    if may_be_free && free_failures(&question, &candidate).is_empty() {
        Role::Takes(id)
    } else {
        Role::Settled
    }
}

/// The searches of a claim: by its own class, then by the default class if it has none and may be given it.
fn stages(index: &mut Index<'_>, claim: &Claim, place: ClaimId, rules: Rules) -> Vec<Stage> {
    let own = reserved_and_fit(index, claim, place, rules);
    let first = stage(index, claim, claim.class.resolved(), own.clone());
    let state = index.state;
    let default = find_default(state)
        .filter(|_| lacks_class(claim, rules) && claim.class.resolved().is_empty())
        .filter(|class| class_assignment_refusals(state, claim, &class.name).is_empty());
    match default {
        Some(default) => vec![first, stage(index, claim, &default.name, own)],
        None => vec![first],
    }
}

fn stage(index: &mut Index<'_>, claim: &Claim, class: &str, own: Vec<Own>) -> Stage {
    let needs = index.rank(&claim.request());
    let market = (class, claim.volume_mode(), claim.attributes_class());
    let shelf = index.find_shelf(market, claim.access_modes(), claim.selector.as_ref());
    let (shelf, would_do) = match Timing::of(index.state, class) {
        Timing::Now => (shelf, None),
        Timing::WithPod => (None, shelf.and_then(|shelf| first_fit(index, shelf, needs))),
    };
    Stage {
        shelf,
        needs,
        own,
        would_do,
    }
}

/// Any volume of a shelf that is nobody's and large enough.
fn first_fit(index: &Index<'_>, shelf: ShelfId, needs: u32) -> Option<VolumeId> {
    let chains = index
        .shelf(shelf)
        .levels
        .iter()
        .flat_map(|level| &level.chains);
    chains.into_iter().find_map(|(_, chain)| {
        let chain = index.chain(*chain);
        let place = chain.firm_place(chain.start(needs), 0)?;
        Some(chain.volumes[place as usize])
    })
}

/// Of the volumes kept for the claim those that it may take.
fn reserved_and_fit(index: &Index<'_>, claim: &Claim, place: ClaimId, rules: Rules) -> Vec<Own> {
    if index.reserved_for(place).is_empty() {
        return vec![];
    }
    let question = Question::new(claim, claim.class.resolved(), rules);
    let fits = |id: &VolumeId| {
        let settled = view(index.state, index.volume(*id), Phases::Settled);
        let candidate = Candidate::new(index.state, &settled, claim);
        search_failures(&question, &candidate).is_empty()
    };
    let reserved = index.reserved_for(place).iter().copied().filter(fits);
    let mut own: Vec<Own> = reserved
        .map(|volume| Own {
            volume,
            modes: index.volume(volume).access_modes,
        })
        .collect();
    if rules == Rules::V1_4 {
        // Nothing is left open: the fewest modes, then the name.
        own.sort_by_key(|own| (own.modes.len(), own.volume));
        own.truncate(1);
    }
    own
}
