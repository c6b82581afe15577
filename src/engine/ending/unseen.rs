//! What an ending depends on and could not be seen. What was not seen keeps nobody from being told what holds for certain; it
//! keeps everything from being destroyed.

use super::super::refusal::Refusal;
use super::super::unknowns::find_unknown;
use crate::model::{ClusterState, Kind};
use crate::report::{Unknown, VolumeCause};

pub(super) struct Unseen<'a> {
    state: &'a ClusterState,
    missing: Vec<Kind>,
    unknowns: Vec<Unknown>,
}

impl<'a> Unseen<'a> {
    pub(super) fn new(state: &'a ClusterState) -> Self {
        Self {
            state,
            missing: vec![],
            unknowns: vec![],
        }
    }

    /// That there is none of these decides: notes whether all of them were seen.
    pub(super) fn need(&mut self, kind: Kind, namespace: Option<&str>) {
        if !self.state.saw(kind, namespace) && !self.missing.contains(&kind) {
            self.missing.push(kind);
        }
        let unknown = find_unknown(self.state, kind, namespace);
        if let Some(unknown) = unknown.filter(|unknown| !self.unknowns.contains(unknown)) {
            self.unknowns.push(unknown);
        }
    }

    /// Nothing is done on the ground of what was not seen.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        if self.missing.is_empty() {
            return Ok(());
        }
        Err(not_readable(&self.missing))
    }

    pub(super) fn into_unknowns(self) -> Vec<Unknown> {
        self.unknowns
    }
}

pub(super) fn not_readable(kinds: &[Kind]) -> Refusal {
    let what = kinds.to_vec();
    Refusal::from(VolumeCause::NotReadable { what })
}
