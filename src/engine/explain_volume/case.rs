//! A volume with everything around it that its explanation is made of.

use super::super::attachments;
use super::super::consumers::Consumers;
use super::super::lifecycle::{on_release, phase_in_the_end};
use super::super::phases::{Phases, SettledVolume, view};
use super::claim_ref;
use crate::model::{ClaimRef, ClusterState, Volume, VolumePhase};
use crate::report::{AttachmentSummary, ClaimRefSummary, Consumer, DataFate, Fate, Taker};

/// A volume with everything around it that the answer is made of.
pub(super) struct Case<'a> {
    pub(super) state: &'a ClusterState,
    pub(super) volume: &'a Volume,
    pub(super) settled: SettledVolume<'a>,
    /// The phase it settles in, failing to be reclaimed included.
    pub(super) phase: VolumePhase,
    pub(super) claim_ref: ClaimRefSummary,
    pub(super) fate: Fate,
    pub(super) attachments: Vec<AttachmentSummary>,
    pub(super) used_by: Option<Vec<Consumer>>,
    pub(super) takers: Vec<Taker>,
}

impl<'a> Case<'a> {
    pub(super) fn new(state: &'a ClusterState, volume: &'a Volume, takers: Vec<Taker>) -> Self {
        let settled = view(state, volume, Phases::Settled);
        let fate = on_release(volume);
        Self {
            state,
            volume,
            phase: phase_in_the_end(state, volume),
            settled,
            claim_ref: claim_ref::read(state, volume),
            fate,
            attachments: attachments::of_volume(state, volume),
            used_by: users_of(state, volume),
            takers,
        }
    }

    /// Whether the data goes when the volume is reclaimed.
    pub(super) fn data_fate(&self) -> DataFate {
        self.fate.data()
    }
}

/// The living pods that use the volume through the claim it names.
fn users_of(state: &ClusterState, volume: &Volume) -> Option<Vec<Consumer>> {
    let Some(claim) = volume.claim_ref.as_ref().filter(|it| !it.is_empty()) else {
        return Some(vec![]);
    };
    let consumers = Consumers::find(state, &ClaimRef::key(claim))?;
    let alive = consumers.scheduled.iter().chain(&consumers.unscheduled);
    let mut users: Vec<Consumer> = alive
        .map(|pod| Consumer {
            pod: pod.key.name.clone(),
            node: pod.node_name.clone(),
        })
        .collect();
    users.sort_by(|a, b| a.pod.cmp(&b.pod));
    Some(users)
}
