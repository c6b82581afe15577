//! Small clusters in which claims get in each other's way, from a number.

use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::engine::Rules;
use crate::model::{
    Claim, ClaimPhase, ClusterState, LimitRange, LimitRangeItem, Quota, ReclaimPolicy, Volume,
    VolumePhase,
};
use crate::testing::{claim, class, state_with, volume};

/// Numbers that look random and are always the same.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66_D1CE_4E5B)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        let place = usize::try_from(self.below(choices.len() as u64)).unwrap_or(0);
        choices[place]
    }
}

const RWO: &str = "ReadWriteOnce";
const ROX: &str = "ReadOnlyMany";
const RWX: &str = "ReadWriteMany";
const SETS: [&[&str]; 6] = [
    &[RWO],
    &[RWO],
    &[RWO, ROX],
    &[RWO, RWX],
    &[RWO, ROX, RWX],
    &[ROX],
];

pub(crate) fn rules(random: &mut Random) -> Rules {
    if random.one_in(8) {
        Rules::V1_4
    } else {
        Rules::V1_36
    }
}

/// A cluster of a few claims and volumes.
pub(crate) fn cluster(random: &mut Random) -> ClusterState {
    let claims = 1 + random.below(4);
    let volumes = random.below(6);
    cluster_of(random, claims, volumes)
}

/// A cluster of so many claims and volumes.
pub(crate) fn cluster_of(random: &mut Random, claims: u64, volumes: u64) -> ClusterState {
    // Where all are alike they compete; where all differ they hardly meet.
    let variety = 1 + random.below(3);
    let volumes: Vec<Volume> = (0..volumes)
        .map(|place| any_volume(random, place, claims, variety))
        .collect();
    let claims: Vec<Claim> = (0..claims)
        .map(|place| any_claim(random, place, volumes.len() as u64, variety))
        .collect();
    let has_default = !random.one_in(4);
    let is_limited = random.one_in(8);
    let has_quota = random.one_in(10);
    state_with(claims, volumes, |objects| {
        objects.classes.push(class("late", "x.example").delayed());
        objects
            .classes
            .push(class("made", "kubernetes.io/host-path"));
        if has_default {
            objects
                .classes
                .push(class("a", "kubernetes.io/no-provisioner").default_since(1));
        }
        if is_limited {
            let max = [("storage".to_owned(), Quantity::from_bytes(1 << 30))].into();
            objects.limit_ranges.push(LimitRange {
                key: ObjectKey::new("ns", "bounds"),
                claim_items: vec![LimitRangeItem {
                    max,
                    ..LimitRangeItem::default()
                }],
            });
        }
        if has_quota {
            let key = "a.storageclass.storage.k8s.io/persistentvolumeclaims".to_owned();
            let none = Quantity::zero();
            objects.quotas.push(Quota {
                key: ObjectKey::new("ns", "none-of-a"),
                hard: [(key.clone(), none.clone())].into(),
                used: [(key, none)].into(),
                scopes: vec![],
                has_status: true,
            });
        }
    })
}

fn any_volume(random: &mut Random, place: u64, claims: u64, variety: u64) -> Volume {
    let mut made = volume(&format!("v{place}"))
        .holds(random.of(&["1Gi", "1024Mi", "2Gi", "3Gi"][..2 + min(variety, 2)]))
        .of_class(random.of(&["a", "made", "", "a", "late"][..min(variety * 2, 5)]))
        .offers(random.of(&SETS[..min(variety * 2, 6)]))
        .in_phase(VolumePhase::Pending);
    if random.one_in(3) {
        made = made.labelled("tier", "gold");
    }
    if random.one_in(3) {
        let name = format!("c{}", random.below(claims + 1));
        let uid = format!("uid-{name}");
        let uid = (!random.one_in(3)).then_some(uid);
        made = made.reserved_for(&name, uid.as_deref());
        if random.one_in(2) {
            made = made.annotated(annotations::BOUND_BY_CONTROLLER, "yes");
        }
        if random.one_in(5) {
            made = made
                .annotated(annotations::PROVISIONED_BY, "x.example")
                .with_policy(ReclaimPolicy::Delete);
        }
    }
    if random.one_in(20) {
        made = made.deleted();
    }
    made
}

fn any_claim(random: &mut Random, place: u64, volumes: u64, variety: u64) -> Claim {
    let classes = [Some("a"), Some("made"), None, Some(""), Some("late")];
    let class = usize::try_from(random.below(min(variety * 2, 5) as u64)).unwrap_or(0);
    let mut made = claim(&format!("c{place}"))
        .requests(random.of(&["1Gi", "2Gi", "3Gi"][..min(variety, 3)]))
        .of_class(classes[class])
        .modes(
            random.of(&[&[RWO][..], &[RWO], &[RWO, ROX], &[ROX], &[RWX]][..min(variety * 2, 5)]),
        );
    if random.one_in(5) {
        made = made.selecting(random.of(&["tier=gold", "tier!=gold"]));
    }
    if random.one_in(6) {
        made = made.naming(&format!("v{}", random.below(volumes + 1)));
        if random.one_in(3) {
            made = made.annotated(annotations::BIND_COMPLETED, "yes");
            made.phase = if random.one_in(2) {
                ClaimPhase::Lost
            } else {
                ClaimPhase::Bound
            };
        }
    }
    if random.one_in(12) {
        made = made.not_there_yet();
    }
    made
}

fn min(number: u64, most: u64) -> usize {
    usize::try_from(number.min(most)).unwrap_or(0)
}
