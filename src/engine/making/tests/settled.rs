//! Claims for which nothing is made: bound, named, served by what exists, on their way out, or without a class.

use super::*;
use crate::conventions::annotations::BIND_COMPLETED;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::model::{ClaimPhase, LimitRange, LimitRangeItem, Quota, Time, VolumePhase};
use crate::testing::state;

fn size(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity")
}

#[test]
fn a_claim_that_holds_a_volume_gets_no_other() {
    let mut bound = claim("c").naming("v").annotated(BIND_COMPLETED, "yes");
    bound.phase = ClaimPhase::Bound;
    let held = volume("v").reserved_for("c", Some("uid-c"));
    let held = held.in_phase(VolumePhase::Bound);
    let state_of = |volumes: Vec<Volume>| {
        state_with(vec![bound.clone()], volumes, |objects| {
            objects.classes.push(class("any", OURS));
        })
    };
    let is_bound = |making: Making| matches!(making, Making::Bound { volume } if volume == "v");
    let whole = state_of(vec![held]);
    assert!(is_bound(ask(&whole)));
    // Its status says it, whoever may not see volumes.
    let blind = with_gaps(&state_of(vec![]), &[Kind::Volumes]);
    assert!(is_bound(ask(&blind)));
    assert_eq!(code(ask(&state_of(vec![]))), "VolumeLost");
    let mut lost = bound.clone();
    lost.phase = ClaimPhase::Lost;
    let lost = state(vec![lost], vec![]);
    assert_eq!(code(ask(&with_gaps(&lost, &[Kind::Volumes]))), "VolumeLost");
}

#[test]
fn a_claim_that_names_a_volume_gets_no_other() {
    let state_of = |volumes: Vec<Volume>| {
        state_with(vec![claim("c").naming("v")], volumes, |objects| {
            objects.classes.push(class("any", OURS));
        })
    };
    assert_eq!(code(ask(&state_of(vec![]))), "NamedVolumeNotFound");
    let small = volume("v").holds("1Mi");
    assert_eq!(code(ask(&state_of(vec![small]))), "NamedVolumeMismatch");
    let fits = unmade(ask(&state_of(vec![volume("v")])));
    assert_eq!(fits.code().name(), "VolumeFits");
    assert_eq!(
        fits.hint().map(|hint| hint.to_string()).as_deref(),
        Some("kubectl pv bind c -n ns")
    );
    // Interrupted after the claim was pointed at it.
    let begun = volume("v").reserved_for("c", Some("uid-c"));
    assert!(matches!(ask(&state_of(vec![begun])), Making::Made { volume } if volume == "v"));
}

#[test]
fn a_volume_that_was_made_is_not_made_again() {
    let made = volume("pvc-uid-c").reserved_for("c", Some("uid-c"));
    let state_of = |claim: Claim, made: Volume| {
        state_with(vec![claim], vec![made], |objects| {
            objects.classes.push(class("any", OURS));
        })
    };
    let is_made =
        |making: Making| matches!(making, Making::Made { volume } if volume == "pvc-uid-c");
    assert!(is_made(ask(&state_of(claim("c"), made.clone()))));
    let mut optional = claim("c");
    optional.options = Some("options".to_owned());
    assert!(is_made(ask(&state_of(optional, made.clone()))));
    // One that can never be bound is not made a second time either.
    let unfit = unmade(ask(&state_of(claim("c"), made.clone().holds("1Mi"))));
    assert_eq!(
        (unfit.code().name(), unfit.is_ours),
        ("ProvisionedVolumeUnfit", true)
    );
    // Another claim of that name had it.
    let old = volume("v").reserved_for("c", Some("uid-old"));
    assert!(matches!(ask(&state_of(claim("c"), old)), Making::Own(_)));
}

#[test]
fn an_existing_volume_comes_first() {
    let state = state_with(
        vec![claim("c")],
        vec![volume("b"), volume("a")],
        |objects| {
            objects.classes.push(class("any", OURS));
        },
    );
    let fits = unmade(ask(&state));
    assert_eq!((fits.code().name(), fits.is_ours), ("VolumeFits", false));
    assert!(
        fits.message().starts_with("volumes a or b fit"),
        "{}",
        fits.message()
    );
    let mut optional = claim("c");
    optional.options = Some("options".to_owned());
    let state = state_with(vec![optional], vec![volume("a")], |objects| {
        objects.classes.push(class("any", OURS));
    });
    // It would be made, were its options there.
    assert_eq!(code(ask(&state)), "OptionsConfigMapNotFound");
}

#[test]
fn what_cannot_be_changed_or_seen_is_left_alone() {
    let ours = || class("any", OURS);
    let described = cluster(claim("c").not_there_yet(), ours(), |_| {});
    assert_eq!(code(ask(&described)), "NotReadable");
    let bad = cluster(claim("c").modes(&[]).not_there_yet(), ours(), |_| {});
    assert_eq!(code(ask(&bad)), "InvalidClaim");
    let mut going = claim("c");
    going.deleted = Some(Time(1));
    let going = cluster(going, ours(), |_| {});
    assert_eq!(code(ask(&going)), "ClaimTerminating");
    let limited = cluster(claim("c"), ours(), |objects| {
        objects.limit_ranges.push(LimitRange {
            key: ObjectKey::new("ns", "limits"),
            claim_items: vec![LimitRangeItem {
                max: [("storage".to_owned(), size("1Mi"))].into(),
                ..LimitRangeItem::default()
            }],
        });
    });
    assert_eq!(code(ask(&limited)), "LimitRangeViolated");
    let whole = cluster(claim("c"), ours(), |_| {});
    for kind in [Kind::Volumes, Kind::Classes] {
        let unknown = unmade(ask(&with_gaps(&whole, &[kind])));
        assert_eq!(
            (unknown.code().name(), unknown.standing),
            ("NotReadable", Standing::Unknown)
        );
        assert!(unknown.unknowns[0].is_of(kind));
    }
}

#[test]
fn the_class_decides_whether_anything_is_made() {
    let asked = |claim: Claim| code(ask(&cluster(claim, class("fast", OURS), |_| {})));
    assert_eq!(asked(claim("c").of_class(Some(""))), "ClassExplicitlyEmpty");
    assert_eq!(asked(claim("c").of_class(None)), "NoDefaultClass");
    let missing = || claim("c").of_class(Some("fsat"));
    let unmade_of = |claim: Claim| unmade(ask(&cluster(claim, class("fast", OURS), |_| {})));
    let plain = unmade_of(missing());
    assert_eq!(
        (plain.code().name(), plain.is_ours),
        ("ClassNotFound", false)
    );
    assert_eq!(
        plain.hint().map(|hint| hint.to_string()).as_deref(),
        Some("did you mean fast?")
    );
    // Seed 000, step 3: who it was left to says so on the claim.
    assert!(unmade_of(left_to(missing(), OURS)).is_ours);
}

#[test]
fn a_claim_without_a_class_gets_the_default_first() {
    let default = || class("fast", OURS).default_since(1);
    let state = cluster(claim("c").of_class(None), default(), |_| {});
    let making = own(ask(&state));
    assert_eq!(making.assigned_class.as_deref(), Some("fast"));
    assert_eq!(making.class, "fast");
    let key = "fast.storageclass.storage.k8s.io/requests.storage";
    let full = cluster(claim("c").of_class(None), default(), |objects| {
        objects.quotas.push(Quota {
            key: ObjectKey::new("ns", "quota"),
            hard: [(key.to_owned(), size("1Mi"))].into(),
            has_status: true,
            used: [(key.to_owned(), size("0"))].into(),
            scopes: vec![],
        });
    });
    assert_eq!(code(ask(&full)), "QuotaExceeded");
    // A volume without a class would be bound, and no class be written.
    let free = state_with(
        vec![claim("c").of_class(None)],
        vec![volume("v").of_class("")],
        |objects| objects.classes.push(default()),
    );
    assert_eq!(code(ask(&free)), "VolumeFits");
}
