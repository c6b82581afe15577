//! Policy Delete, carried out here: behind our lock the asset goes, and then the volume.

use super::super::asset_work::AssetWork;
use super::super::delete_behind_lock::{delete_behind_lock, remove_lock};
use super::super::draft::Draft;
use super::super::operation::{Action, AssetStep};
use super::super::plan::{Deed, Errand};
use super::loss_of;
use crate::engine::OwnDeletion;
use crate::model::Volume;
use crate::report::Danger;
use serde_json::json;

pub(super) fn plan(draft: &mut Draft, volume: Volume, deletion: &OwnDeletion) {
    let provisioner = &deletion.provisioner;
    let what = if deletion.is_begun {
        format!("deleted to the end by {provisioner}, data and all")
    } else {
        format!("deleted by {provisioner}, data and all")
    };
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what,
        deed: Deed::Delete(loss_of(&volume)),
    });
    let first = draft.plan.changes.len();
    let why = "policy Delete, and nobody owns it any more";
    let name = volume.name.clone();
    let shown = json!({ "provisioner": provisioner, "source": volume.source.spelled() });
    let work = AssetWork::Delete {
        provisioner: provisioner.clone(),
        volume: name.clone(),
    };
    delete_behind_lock(draft, volume, why, |draft, source_of| {
        let step = AssetStep {
            work,
            shown,
            source_of,
        };
        draft.work(&name, step, why.to_owned());
    });
    for change in &mut draft.plan.changes[first..] {
        if matches!(change.action(), Action::Delete | Action::DeleteAsset) {
            change.danger = Danger::LosesData;
        }
    }
}

/// An earlier run has deleted the asset, and perhaps not its record. A directory that exists again by then is not deleted.
pub(super) fn plan_rest(draft: &mut Draft, volume: Volume, deletion: &OwnDeletion) {
    let why = "its asset is gone";
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!("unlocked: {why}"),
        deed: Deed::Delete(loss_of(&volume)),
    });
    let (name, provisioner) = (volume.name.clone(), deletion.provisioner.clone());
    let shown = json!({
        "provisioner": provisioner, "source": volume.source.spelled(), "onlyIfEmpty": true,
    });
    let work = AssetWork::DeleteEmpty {
        provisioner,
        volume: name.clone(),
        made: None,
    };
    delete_behind_lock(draft, volume, why, |draft, source_of| {
        let step = AssetStep {
            work,
            shown,
            source_of,
        };
        draft.work(&name, step, why.to_owned());
    });
}

/// The asset is gone, and somebody wrote before our lock could go.
pub(super) fn plan_end(draft: &mut Draft, volume: &Volume) {
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: "unlocked: its asset is gone".to_owned(),
        deed: Deed::Delete(loss_of(volume)),
    });
    remove_lock(draft, volume);
}
