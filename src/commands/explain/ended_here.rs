//! What is to be said of released volumes whose storage this machine holds: that `reclaim` deletes or empties it here.

use super::super::backend_answers::plan_with;
use crate::actions::memory::Memory;
use crate::actions::plan::Deed;
use crate::actions::reclaim::{ChosenVolume, ReclaimQuestion, Wish, plan_reclaim};
use crate::conventions::object_command::command;
use crate::engine::{Rules, Selection};
use crate::model::{ClusterState, Host};
use crate::report::{Danger, Suggestion, VolumeExplanation};
use crate::storage::Backends;
use std::collections::BTreeMap;

/// Completes explanations with what `reclaim` would do here; that is asked of its own plan, so that both say the same.
pub(super) fn tell(
    explanations: &mut [VolumeExplanation],
    state: &ClusterState,
    (backends, flags): (&Backends, &[String]),
    host: Option<&Host>,
) {
    let volumes = explanations.iter();
    let volumes = volumes.filter_map(|it| state.find_volume(&it.volume.name));
    let question = ReclaimQuestion {
        volumes: volumes.map(ChosenVolume::from).collect(),
        empty_selection: None,
        selection: Selection::default(),
        are_named: true,
        wish: Wish::CarryOut,
        recycler: None,
        host,
        rules: Rules::default(),
    };
    let plan = plan_with(backends, |facts| {
        plan_reclaim(state, &question, &Memory::default(), facts)
    });
    let ends = plan.errands.iter().filter_map(|errand| match errand.deed {
        Deed::Delete(_) => Some((errand.volume.as_str(), "delete it")),
        Deed::Recycle(_) => Some((errand.volume.as_str(), "empty it and offer it again")),
        _ => None,
    });
    let ends: BTreeMap<&str, &str> = ends.collect();
    for explanation in explanations {
        let name = explanation.volume.name.as_str();
        let Some(does) = ends.get(name) else {
            continue;
        };
        let mut words = vec!["kubectl", "pv", "reclaim", name];
        words.extend(flags.iter().map(String::as_str));
        explanation.suggestions.push(Suggestion {
            summary: format!("Have this machine {does}; its data is lost"),
            commands: vec![command(&words)],
            danger: Danger::LosesData,
        });
    }
}
