//! Which class a claim has, which is the default, and whether it delays binding (R11–R18).

use super::Rules;
use crate::model::{BindingMode, Claim, Class, ClusterState};
use std::cmp::Reverse;

/// The default class: of those marked, the newest, then the first by name (R16).
pub fn find_default(state: &ClusterState) -> Option<&Class> {
    state
        .classes()
        .iter()
        .filter(|class| class.marked_default)
        .min_by_key(|class| (Reverse(class.created), &class.name))
}

/// Whether the claim says nothing about its class, so that a default applies (R13).
pub fn lacks_class(claim: &Claim, rules: Rules) -> bool {
    if rules.empty_class_is_a_choice() {
        !claim.class.is_set()
    } else {
        claim.class.resolved().is_empty()
    }
}

/// Whether a claim of this class waits for a pod (R17). A class that is not there delays nothing.
pub fn is_delayed(state: &ClusterState, class: &str) -> bool {
    state
        .find_class(class)
        .is_some_and(|class| class.binding_mode == BindingMode::WaitForFirstConsumer)
}
