//! An asset of this machine that no volume stands for goes, if that is still so when its turn comes and our record still gives
//! it to the claim that is gone.

use super::super::asset_check::{AssetCheck, CheckedWork, check_asset};
use super::super::asset_work::AssetWork;
use super::super::backend_facts::StoragePlace;
use super::super::draft::Draft;
use super::super::inquiry::Inquiry;
use super::super::operation::AssetStep;
use super::super::plan::{Deed, Errand, Loss, Target};
use super::super::recheck::Recheck;
use crate::engine::refusal::{AssetEvidence, CleanupEvidence, Refusal};
use crate::engine::{FoundAsset, OwnedAsset};
use crate::model::asset::{AssetUse, Owner};
use crate::report::Danger;
use serde_json::json;

/// Plans the deletion of an asset that may go unnamed, or that was named with its own name.
pub(super) fn plan(draft: &mut Draft, asset: &FoundAsset, is_named: bool, inquiry: &Inquiry<'_>) {
    // Whose it is nobody knows is never certain.
    let (name, backend) = (&asset.name, &asset.backend);
    let Some(owned) = OwnedAsset::of(asset) else {
        let refusal = Refusal::new(CleanupEvidence::OwnerUnknown);
        return draft.refuse(Target::asset(name), refusal);
    };
    let OwnedAsset {
        claim: key, uid, ..
    } = &owned.clone();
    let may_hold_data = asset.is_empty != Some(true);
    if !is_named && !asset.is_disposable() {
        return draft.refuse(Target::asset(name), Refusal::new(why_kept(asset)));
    }
    let check = match check(draft, asset, inquiry) {
        None => return,
        Some(Ok(check)) => check,
        Some(Err(evidence)) => {
            return draft.refuse(Target::asset(name), Refusal::new(evidence));
        }
    };
    let whose = if owned.has_claim(&draft.state) {
        format!("{key}, whose volume another machine provisioned first")
    } else {
        format!("{key}, which does not exist")
    };
    let what = match (asset.exists, may_hold_data) {
        (true, true) => {
            format!("deleted with its data by {backend}: provisioned for {whose}")
        }
        (true, false) => {
            format!("deleted by {backend}: empty, provisioned for {whose}")
        }
        (false, _) => format!("the record of it is deleted by {backend}: the asset does not exist"),
    };
    draft.begin(Errand {
        claim: None,
        volume: name.clone(),
        what,
        deed: Deed::DeleteAsset(may_hold_data.then(|| Loss {
            size: asset.size.clone().unwrap_or_default(),
            of: Some(key.clone()),
        })),
    });
    let recheck = Recheck::NothingHas(owned);
    draft.recheck(Target::asset(name), recheck);
    let work = AssetWork::DeleteLeaked {
        provisioner: backend.clone(),
        name: name.clone(),
        owner: Owner::Claim {
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            uid: uid.clone(),
        },
        only_if_empty: !may_hold_data,
    };
    let shown = json!({ "provisioner": backend, "source": asset.source().spelled() });
    let why = format!("no volume stands for it; it was provisioned for {whose}");
    let step = AssetStep {
        work,
        shown,
        source_of: None,
    };
    let change = draft.work(name, step, why);
    change.check = check;
    change.danger = if may_hold_data {
        Danger::LosesData
    } else {
        Danger::Harmless
    };
}

/// Whether it can be deleted now; `None` until the backend has answered. Leaked assets are found on this machine alone.
fn check(
    draft: &mut Draft,
    asset: &FoundAsset,
    inquiry: &Inquiry<'_>,
) -> Option<Result<Option<AssetCheck>, AssetEvidence>> {
    let source = asset.source();
    let place = StoragePlace {
        provisioned_by: None,
        field: source.field,
        location: source.location,
    };
    let check = AssetCheck {
        provisioner: asset.backend.clone(),
        work: CheckedWork::Use(AssetUse::Delete, place),
        may_be_gone: true,
    };
    check_asset(inquiry, draft, check, true)
}

/// Why an asset stays unless it is named.
fn why_kept(asset: &FoundAsset) -> CleanupEvidence {
    let name = asset.name.clone();
    match asset.policy.as_deref() {
        Some("Delete") => CleanupEvidence::AssetHoldsData {
            name,
            is_known: asset.is_empty == Some(false),
        },
        policy => CleanupEvidence::AssetRetained {
            name,
            policy: policy.map(str::to_owned),
        },
    }
}
