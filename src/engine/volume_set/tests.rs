//! Who counts as what, and how many are missing.

use super::*;
use crate::model::{ClaimPhase, ClaimRef, Objects, Time};
use crate::testing::{claim, state, volume, volume_set};
use proptest::prelude::*;

fn member(name: &str, size: &str) -> Volume {
    let mut member = volume(name);
    member.labels.insert("pool".to_owned(), "fast".to_owned());
    member.capacity = crate::conventions::quantity::Quantity::parse(size).unwrap();
    member
}

fn held_by(mut volume: Volume, name: &str, uid: Option<&str>) -> Volume {
    volume.claim_ref = Some(ClaimRef {
        namespace: "ns".to_owned(),
        name: name.to_owned(),
        uid: uid.map(str::to_owned),
    });
    volume
}

fn counts_as(volume: Volume) -> CountsAs {
    let mut bound = claim("bound");
    bound.volume_name = Some("v".to_owned());
    bound.phase = ClaimPhase::Bound;
    let state = state(vec![bound], vec![volume]);
    let members = find_members(&state, &volume_set("fast", 1, 2));
    members[0].counts_as
}

#[test]
fn what_members_count_as() {
    let v = || member("v", "1Gi");
    assert_eq!(counts_as(v()), CountsAs::Unbound);
    let in_phase = |phase| Volume { phase, ..v() };
    // A new volume is Pending for a moment, and one that somebody freed by hand keeps its phase for one.
    for phase in [
        VolumePhase::Pending,
        VolumePhase::Released,
        VolumePhase::Failed,
    ] {
        assert_eq!(counts_as(in_phase(phase)), CountsAs::Unbound, "{phase}");
    }
    let bound = in_phase(VolumePhase::Bound);
    assert_eq!(
        counts_as(held_by(bound.clone(), "bound", Some("uid-bound"))),
        CountsAs::Bound
    );
    assert_eq!(
        counts_as(held_by(bound, "gone", Some("uid-gone"))),
        CountsAs::Other
    );
    assert_eq!(
        counts_as(held_by(v(), "bound", Some("uid-bound"))),
        CountsAs::Other
    );
    assert_eq!(counts_as(held_by(v(), "later", None)), CountsAs::Other);
    let going = Volume {
        deleted: Some(Time(0)),
        ..v()
    };
    assert_eq!(counts_as(going), CountsAs::Other);
}

#[test]
fn files_without_claims_leave_volumes_bound() {
    let volume = Volume {
        phase: VolumePhase::Bound,
        ..held_by(member("v", "1Gi"), "bound", Some("uid"))
    };
    let objects = Objects {
        volumes: vec![volume],
        ..Objects::default()
    };
    let state = ClusterState::new(objects, vec![], None).with_absent(vec![Kind::Claims]);
    let members = find_members(&state, &volume_set("fast", 1, 2));
    assert_eq!(members[0].counts_as, CountsAs::Bound);
}

#[test]
fn the_largest_goes_first_and_equals_by_name() {
    let volumes = vec![
        member("b", "1Gi"),
        member("a", "1024Mi"),
        member("c", "2Gi"),
        held_by(member("d", "9Gi"), "later", None),
    ];
    let state = state(vec![], volumes);
    let members = find_members(&state, &volume_set("fast", 1, 2));
    let names: Vec<&str> = largest_first(&members)
        .iter()
        .map(|volume| volume.name.as_str())
        .collect();
    assert_eq!(names, ["c", "a", "b"]);
}

#[test]
fn the_maximum_is_never_passed_where_the_seed_would() {
    let set = volume_set("fast", 3, 4);
    let levels = |total, unbound, going| Levels {
        total,
        unbound,
        bound: 0,
        going,
    };
    assert_eq!(levels(0, 0, 0).missing(&set), 3);
    assert_eq!(levels(3, 1, 0).missing(&set), 1);
    // With `total <= maximum` this would be one more.
    assert_eq!(levels(4, 0, 0).missing(&set), 0);
    assert_eq!(levels(9, 9, 0).missing(&set), 0);
    assert_eq!(levels(6, 2, 0).surplus(&set), 2);
    assert_eq!(levels(6, 2, 2).surplus(&set), 0);
    assert_eq!(levels(4, 4, 0).surplus(&set), 0);
}

proptest! {
    #[test]
    fn never_both_and_never_too_many(
        minimum in 0_i64..20, more in 0_i64..20, unbound in 0_u64..30, bound in 0_u64..30, going in 0_u64..5,
    ) {
        let set = volume_set("fast", minimum, minimum + more);
        let levels = Levels { total: unbound + bound + going, unbound, bound, going };
        let (missing, surplus) = (levels.missing(&set), levels.surplus(&set));
        prop_assert!(missing == 0 || surplus == 0);
        prop_assert!(missing == 0 || levels.total + missing <= set.maximum.unsigned_abs());
        prop_assert!(levels.unbound + missing <= set.minimum.unsigned_abs().max(levels.unbound));
        prop_assert!(surplus == 0 || levels.total - levels.going - surplus == set.maximum.unsigned_abs());
    }
}
