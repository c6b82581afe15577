//! `duplicate-volumes`: made for a claim that was bound to another volume meanwhile. Whoever made it deletes it (R76a), so
//! it is only reported.

use super::Search;
use super::row::{Finding, Row, Subject, held_by};
use crate::conventions::object_command::command;
use crate::engine::phases::{Phases, view};
use crate::model::{Volume, VolumePhase};
use crate::report::{Code, Confidence};

pub(super) fn search<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let volumes = search.state.volumes().iter();
    volumes.filter_map(|volume| row(search, volume)).collect()
}

fn row<'a>(search: &Search<'a>, volume: &'a Volume) -> Option<Row<'a>> {
    let settled = view(search.state, volume, Phases::Settled);
    if !matches!(settled.phase, VolumePhase::Released | VolumePhase::Failed) {
        return None;
    }
    volume.claim_ref.as_ref()?.uid.as_ref()?;
    let claim = search.claim_of(volume)?;
    let other = claim.volume_name.as_ref()?;
    let maker = volume.provisioned_by().unwrap_or("whoever made it");
    if volume.deleted.is_some() {
        let why = format!("its deletion was asked for, and waits for {maker}");
        return Some(Row::kept(Subject::Volume(volume), Code::BeingDeleted, why));
    }
    let finding = Finding {
        reason: format!(
            "made for {}, which has {other}; {maker} is to delete it",
            claim.key
        ),
        confidence: Confidence::Certain,
        since: volume.phase_since.filter(|_| volume.phase == settled.phase),
        frees: Some(held_by(volume)),
        recreates: false,
        commands: vec![command(&[
            "kubectl",
            "pv",
            "explain",
            &format!("pv/{}", volume.name),
        ])],
    };
    Some(Row::found(Subject::Volume(volume), finding))
}
