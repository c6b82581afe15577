//! What is planned for which row, and what of it when the plan is made again.

use super::*;
use crate::actions::operation::{Action, Operation};
use crate::actions::plan::{Change, Deed};
use crate::commands::backend_answers::plan_with;
use crate::engine::{AssetOwner, Assets, CleanupQuestion, find_leftovers};
use crate::model::Time;
use crate::storage::Backends;
use crate::testing::{claim, state, volume};
use serde_json::json;

fn asset(name: &str, path: &str) -> FoundAsset {
    FoundAsset {
        backend: "example.com/here".to_owned(),
        name: name.to_owned(),
        owner: Some(AssetOwner::Claim {
            key: ObjectKey::new("default", "gone"),
            uid: "uid-gone".to_owned(),
        }),
        field: "hostPath".to_owned(),
        location: Some(path.to_owned()),
        exists: true,
        is_empty: Some(true),
        policy: Some("Delete".to_owned()),
        size: Some("1Gi".to_owned()),
        class: Some("scratch".to_owned()),
        access_modes: vec!["ReadWriteOnce".to_owned()],
        node: Some("node-1".to_owned()),
        volume_source: json!({ "hostPath": { "path": path } }),
        is_current: true,
    }
}

fn plan_for(
    state: &ClusterState,
    found: Vec<FoundAsset>,
    chosen: Option<&ChosenRows>,
) -> (Plan, ChosenRows) {
    let backends = Backends::default();
    let wish = CleanupWish {
        named: BTreeSet::from([CleanupCategory::LostClaims, CleanupCategory::LeakedAssets]),
        include_likely: false,
        only_old: false,
        assets: BTreeSet::new(),
        host: None,
    };
    let assets = Assets {
        found,
        ..Assets::default()
    };
    let question = CleanupQuestion {
        assets,
        ..CleanupQuestion::all(Time(0))
    };
    let report = find_leftovers(state, &question);
    let chosen = match chosen {
        Some(chosen) => chosen.clone(),
        None => ChosenRows::of(state, &report),
    };
    let found = Found {
        report: &report,
        assets: &question.assets.found,
    };
    let asked = (&wish, &Memory::default());
    let plan = plan_with(&backends, |facts| {
        plan_cleanup(state, &found, &chosen, asked, facts)
    });
    (plan, chosen)
}

#[test]
fn an_asset_goes_after_a_last_look_and_only_while_no_volume_lies_there() {
    let free = state(
        vec![claim("other")],
        vec![volume("v").stored_on("hostPath", "/x")],
    );
    let leaked = || vec![asset("pvc-1", "/srv/pvc-1")];
    let (plan, chosen) = plan_for(&free, leaked(), None);
    let actions: Vec<Action> = plan.changes.iter().map(Change::action).collect();
    assert_eq!(actions, [Action::Wait, Action::DeleteAsset]);
    assert!(matches!(plan.changes[0].operation, Operation::Recheck(_)));
    assert!(matches!(plan.errands[0].deed, Deed::DeleteAsset(None)));
    assert!(plan.losses().is_empty());

    // Made again: somebody has put a volume there, above it or below it.
    for path in ["/srv/pvc-1", "/srv", "/srv/pvc-1/sub"] {
        let taken = state(vec![], vec![volume("v").stored_on("hostPath", path)]);
        let (plan, _) = plan_for(&taken, leaked(), Some(&chosen));
        assert!(plan.changes.is_empty(), "{path}: {plan:?}");
        assert_eq!(plan.skipped[0].code().name(), "SharedAsset");
    }
}

/// A record remembers the policy of a volume whose object is gone.
#[test]
fn an_asset_that_may_hold_retained_data_stays_unless_it_is_named() {
    let empty = state(vec![], vec![]);
    let change = |change: fn(&mut FoundAsset)| {
        let mut asset = asset("pvc-1", "/srv/pvc-1");
        change(&mut asset);
        let (plan, _) = plan_for(&empty, vec![asset], None);
        assert!(plan.changes.is_empty(), "{plan:?}");
        plan.skipped[0].code().name()
    };
    assert_eq!(change(|it| it.is_empty = Some(false)), "HoldsData");
    assert_eq!(change(|it| it.is_empty = None), "HoldsData");
    let retain = |it: &mut FoundAsset| it.policy = Some("Retain".to_owned());
    assert_eq!(change(retain), "PolicyRetain");
    assert_eq!(change(|it| it.policy = None), "PolicyRetain");
    assert_eq!(change(|it| it.is_current = false), "NotCertain");
}

#[test]
fn what_is_found_only_later_is_not_touched() {
    let empty = state(vec![], vec![]);
    let (_, chosen) = plan_for(&empty, vec![], None);
    let (plan, _) = plan_for(&empty, vec![asset("pvc-1", "/srv/pvc-1")], Some(&chosen));
    assert!(
        plan.changes.is_empty() && plan.skipped.is_empty(),
        "{plan:?}"
    );
}
