//! The whole cluster settled in memory: what every unbound claim ends with, over all orders in which the controller may
//! process claims and volumes, and all choices it leaves to chance (N1–N3, N5).
//!
//! ```text
//! volumes ─▶ index ─┐
//!                   ├─▶ kinds ─▶ groups ─▶ solve ─▶ report
//! claims ─▶ actors ─┘            (reach)   (table, explore, assignments)
//! ```
//!
//! One step is a sync of a claim (it binds one volume of what its search may give, or is given the default class) or of a
//! volume (it is given back when its claim was bound elsewhere). Claims and volumes that cannot be told apart are counted,
//! not named, so that trying every order stays small. Where a group is still too large, the answer contains the truth and
//! says that it may contain more. Pods that wait for a node compete in the same way ([`pods`]).

mod actors;
mod assemble;
mod assignments;
mod chain;
mod claims;
mod competition;
mod diff;
mod explore;
mod groups;
mod index;
mod kinds;
mod labels;
mod layout;
mod limits;
mod pods;
mod reach;
mod rivals;
mod seen;
mod settled;
mod sizes;
mod solve;
mod standing;
mod steps;
mod sweep;
mod table;
mod takes;
mod tally;
mod teller;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::competition::Competition;
pub use self::diff::{Foreseen, compare};

use self::actors::Actor;
use self::assemble::assemble;
use self::index::Index;
use self::limits::Limits;
use self::solve::{Solved, solve};
use self::teller::Teller;
use super::Rules;
use crate::model::ClusterState;
use crate::report::Forecast;

/// What is asked of a forecast.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ask {
    /// The namespace whose claims are told about; all of them settle either way.
    pub namespace: Option<String>,
    /// Whether nothing is left out of long lists.
    pub all: bool,
}

/// Settles the cluster, and tells about every claim that is not bound.
pub fn forecast(state: &ClusterState, rules: Rules) -> Forecast {
    forecast_for(state, rules, &Ask::default())
}

/// Settles the cluster, and tells what is asked.
pub fn forecast_for(state: &ClusterState, rules: Rules, ask: &Ask) -> Forecast {
    settle(state, rules, ask, Limits::new)
}

fn settle(
    state: &ClusterState,
    rules: Rules,
    ask: &Ask,
    limits: impl FnOnce(usize) -> Limits,
) -> Forecast {
    let by_controller = ByController::settle(state, rules, limits);
    let teller = by_controller.teller(rules);
    let mut forecast = assemble(&teller, &by_controller.cast, &by_controller.solved, ask);
    let groups = pods::find_groups(state, rules, &by_controller);
    pods::compete(state, rules, ask, &groups, &mut forecast);
    forecast
}

/// How the claims that the controller binds end.
struct ByController<'a> {
    index: Index<'a>,
    cast: Vec<Actor<'a>>,
    solved: Vec<Solved>,
}

impl<'a> ByController<'a> {
    fn settle(state: &'a ClusterState, rules: Rules, limits: impl FnOnce(usize) -> Limits) -> Self {
        let mut index = Index::new(state, rules);
        let cast = actors::cast(&mut index, rules);
        let kinds = kinds::sort(&index, &cast);
        let mut groups = groups::form(&index, &kinds);
        // Small groups first: what they need is never missing because of a large one.
        groups.sort_by_key(|group| group.kinds.len());
        let mut settled = Self {
            index,
            cast,
            solved: vec![],
        };
        let teller = settled.teller(rules);
        let leaves = |claim: u32| teller.leaves(&settled.cast[claim as usize]);
        let mut limits = limits(kinds.iter().map(|kind| kind.members.len()).sum());
        let mut solved = Vec::new();
        for group in &groups {
            solved.extend(solve(&settled.index, &kinds, group, &mut limits, &leaves));
        }
        settled.solved = solved;
        settled
    }

    fn teller(&self, rules: Rules) -> Teller<'_, 'a> {
        Teller {
            index: &self.index,
            rules,
        }
    }
}
