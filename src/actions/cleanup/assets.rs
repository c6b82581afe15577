//! An asset of this machine that no volume stands for goes, if that is still so when its turn comes and our record still gives
//! it to the claim that is gone.

use super::super::asset_work::AssetWork;
use super::super::draft::Draft;
use super::super::look::Look;
use super::super::plan::{Action, Deed, Errand, Loss, Target};
use crate::engine::{AssetOwner, FoundAsset};
use crate::model::asset::Owner;
use crate::report::Danger;
use serde_json::json;

pub(super) fn plan(draft: &mut Draft, asset: &FoundAsset) {
    // Whose it is nobody knows is never certain.
    let Some(AssetOwner::Claim { key, uid }) = &asset.owner else {
        return;
    };
    let (name, backend) = (&asset.name, &asset.backend);
    let what = if asset.exists {
        format!("deleted by {backend}, data and all: made for {key}, which is gone")
    } else {
        format!("our record of it is deleted by {backend}: all else is gone, and so is {key}")
    };
    draft.begin(Errand {
        claim: None,
        volume: name.clone(),
        what,
        deed: Deed::DeleteAsset(asset.exists.then(|| Loss {
            size: String::new(),
            of: Some(key.clone()),
        })),
    });
    let look = Look::NobodyHas {
        source: asset.source(),
        claim: key.clone(),
        uid: uid.clone(),
    };
    draft.look(Target::asset(name), look);
    let work = AssetWork::DeleteLeaked {
        provisioner: backend.clone(),
        name: name.clone(),
        owner: Owner::Claim {
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            uid: uid.clone(),
        },
    };
    let body = json!({ "provisioner": backend, "source": asset.source().spelled() });
    let why = format!("no volume stands for it, and {key} is gone");
    let index = draft.work(Action::DeleteAsset, name, body, work, why);
    if asset.exists {
        draft.plan.changes[index].danger = Danger::LosesData;
    }
}
