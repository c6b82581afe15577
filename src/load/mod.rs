//! The outside world → [`ClusterState`]. Files and a live cluster give the same model: both end in `decode.rs`.

mod catalogue;
mod changes;
pub(crate) mod client;
mod decode;
mod files;
mod items;
mod library_text;
mod live;
mod manifests;
mod outside;
mod overlay;
mod pairs;
mod requests;
mod seed_spellings;
mod source_text;
mod templates;
mod wire;
mod zero_values;

pub use catalogue::catalogue;
pub(crate) use catalogue::{directories_here, program_here, unknown_here};
pub(crate) use changes::{
    Moment, has_namespace, load_cluster_uid, load_lease, mark_moment, wait_for_change,
};
pub use files::{FileError, Files, Input};
pub(crate) use live::{Scope, Subject, load_live};
pub(crate) use manifests::{Joined, Manifests};
pub use overlay::{Overlay, Removal, RemovalError, WhatIf, Within};
pub(crate) use pairs::read_pairs;
pub(crate) use requests::{collection_path, escape, list_of_one, object_path};

use crate::model::{ClusterState, Gap, GapReason, Kind, Time};
use decode::Decoder;

/// A state, and what its reader wants to say about it.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The cluster.
    pub state: ClusterState,
    /// What was read in another way than it is written.
    pub notes: Vec<String>,
    /// The namespace of whatever names none.
    pub namespace: String,
}

/// Reads manifests from a text, as from a file; for tests and for those who use the engine as a library.
pub fn read_text(text: &str, default_namespace: &str) -> Result<Loaded, FileError> {
    let files = Files {
        inputs: vec![Input::Text(text.to_owned())],
        recursive: false,
    };
    files.load(default_namespace)
}

/// The kinds whose absence from the files means "none"; Pods and Nodes were simply not captured.
const EMPTY_IF_ABSENT: [Kind; 14] = [
    Kind::Events,
    Kind::Volumes,
    Kind::Claims,
    Kind::Classes,
    Kind::AttributesClasses,
    Kind::CsiDrivers,
    Kind::CsiNodes,
    Kind::Capacities,
    Kind::Attachments,
    Kind::LimitRanges,
    Kind::Quotas,
    Kind::ConfigMaps,
    Kind::Snapshots,
    Kind::VolumeSets,
];

/// What the decoder of files holds, as a state.
fn state_of_files(decoder: Decoder) -> Loaded {
    let decoder = decoder.finish();
    let missing = |kind: &Kind| !decoder.seen.contains(kind);
    let not_captured = |kind| Gap {
        kind,
        why: GapReason::NotCaptured,
        seen_only_in: None,
    };
    let gaps = [Kind::Pods, Kind::Nodes]
        .into_iter()
        .filter(missing)
        .map(not_captured)
        .collect();
    let absent = EMPTY_IF_ABSENT.into_iter().filter(missing).collect();
    Loaded {
        state: ClusterState::new(decoder.objects, gaps, None).with_absent(absent),
        notes: decoder.notes,
        namespace: decoder.default_namespace,
    }
}

/// What the decoder of a live cluster holds, as a state.
fn state_of_cluster(decoder: Decoder, gaps: Vec<Gap>, now: Time) -> ClusterState {
    let decoder = decoder.finish();
    ClusterState::new(decoder.objects, gaps, Some(now))
}
