//! Who makes the volume of a claim, and how; or why nobody does: what `provision` may do for it.
//!
//! First what needs no making: claims that are bound, name a volume, or have one that fits ([`settled`]). Then the class, which
//! may have to be written first (R15), and whose the claim is ([`owner`]): ours ([`own`]) or that of a provisioner of the
//! cluster, which is only set going ([`delegated`]). The node comes last ([`nodes`], [`selecting`]). What was made on paper is held against
//! the claim by [`proves`], before anything is created.

mod class;
mod delegated;
mod nodes;
mod own;
mod owner;
mod placing;
mod proof;
mod selecting;
mod settled;
#[cfg(test)]
mod tests;
mod unmade;

pub use delegated::{DelegatedMaking, Seen};
pub use nodes::{ChosenNode, find_host};
pub use own::OwnMaking;
pub(crate) use owner::{rival_report, somebody_else};
pub use proof::proves;

use super::Rules;
use super::refusal::Refusal;
use crate::model::{Claim, ClusterState, Host};
use owner::Owner;

/// One claim, and what is known of who asks.
pub struct MakingQuestion<'a> {
    /// The claim, as it is in the state.
    pub claim: &'a Claim,
    /// Whether this program serves a provisioner name: a backend is configured for it.
    pub is_own: &'a dyn Fn(&str) -> bool,
    /// The node somebody named.
    pub node: Option<&'a str>,
    /// The host name of this machine, to find the Node that is this host.
    pub host: Option<&'a Host>,
    /// The rules.
    pub rules: Rules,
}

/// Who makes the volume of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Making {
    /// This program.
    Own(Box<OwnMaking>),
    /// A provisioner of the cluster, once what triggers it is written.
    Delegated(Box<DelegatedMaking>),
    /// It was made already, or taken by somebody's bind, for this claim by uid: only the rest of the bind is missing.
    Made {
        /// The volume.
        volume: String,
    },
    /// The claim holds this volume; its status may still lack something.
    Bound {
        /// The volume.
        volume: String,
    },
    /// Nobody, for now.
    Not(Refusal),
}

impl From<Refusal> for Making {
    fn from(refusal: Refusal) -> Self {
        Self::Not(refusal)
    }
}

/// Decides who makes the volume of a claim, and how.
pub fn decide_making(state: &ClusterState, question: &MakingQuestion<'_>) -> Making {
    if let Some(settled) = settled::look(state, question) {
        return settled;
    }
    let made = class::resolve(state, question).and_then(|resolved| {
        match owner::find(state, question, &resolved)? {
            Owner::Us { provisioner } => {
                own::plan(state, question, &resolved, provisioner).map(Making::from)
            }
            Owner::Cluster(maker) => {
                delegated::plan(state, question, &resolved, &maker).map(Making::from)
            }
        }
    });
    made.unwrap_or_else(Making::Not)
}
