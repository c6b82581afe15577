//! Claims that have no volume yet and look for one: any that fits, one of several that fit equally
//! well, or one by name.

use serde_json::{Value, json};

use super::case::{Case, Reservation, TERMINATES, Target, set_fate};
use super::classes::Binding;
use super::generate::NODE;
use super::reservations::{add_freed, add_taken};
use super::sizes::Size;
use super::volumes::{Defect, some_defects, volume};
use super::wish::{Surroundings, Wish};
use crate::random::Random;

const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
pub(super) const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// A claim that takes what it finds.
pub(super) fn searches(
    random: &mut Random,
    case: &mut Case,
    around: &Surroundings,
    binding: Option<Binding>,
) {
    let wish = Wish::any(random, case, around, binding);
    let number = random.weighted(&[(10, 0), (18, 1), (22, 2), (20, 3), (15, 4), (10, 5), (5, 7)]);
    let many_reservations = random.chance(12);
    for index in 0..number {
        add_volume(
            random,
            case,
            &wish,
            index,
            if many_reservations { 60 } else { 9 },
        );
    }
    let mut claim = wish.claim(random, case, &case.claim);
    if random.chance(if binding.is_some() { 30 } else { 2 }) {
        claim["metadata"]["annotations"][SELECTED_NODE] = json!(random.pick(&[NODE, NODE, "gone"]));
    }
    if random.chance(3) {
        let sources = [volume_source(), snapshot_source()];
        claim["spec"]["dataSource"] = sources[random.below(2)].clone();
    }
    if random.chance(3) {
        set_fate(&mut claim, TERMINATES);
    }
    case.claims.insert(0, claim);
}

/// A claim with several volumes that are equally good, and perhaps some others.
pub(super) fn ties(random: &mut Random, case: &mut Case, around: &Surroundings) {
    let mut wish = Wish::any(random, case, around, Some(Binding::Immediate));
    wish.modes = vec!["ReadWriteOnce"];
    let reserved = random.chance(33);
    let modes: &[&[&str]] = random.pick(&[
        &[&["ReadWriteOnce"] as &[&str]] as &[&[&str]],
        &[
            &["ReadOnlyMany", "ReadWriteOnce"],
            &["ReadWriteOnce", "ReadWriteMany"],
        ],
    ]);
    let tied = 2 + random.below(2);
    let size = wish.size.spelling(random);
    for index in 0..tied {
        let name = format!("{}-v{index}", case.name);
        let mut object = volume(random, case, &wish, &name, &[]);
        object["spec"]["accessModes"] = json!(modes[index % modes.len()]);
        if random.chance(80) {
            object["spec"]["capacity"]["storage"] = json!(size);
        }
        if reserved {
            reserve(random, case, object);
        } else {
            case.volumes.push(object);
        }
    }
    for index in tied..tied + random.below(3) {
        add_volume(random, case, &wish, index, 5);
    }
    let claim = wish.claim(random, case, &case.claim);
    case.claims.insert(0, claim);
}

fn volume_source() -> Value {
    json!({ "kind": "PersistentVolumeClaim", "name": "missing" })
}

fn snapshot_source() -> Value {
    json!({ "apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "missing" })
}

/// One more volume, which is `reserved` for the claim in so many of a hundred cases.
pub(super) fn add_volume(
    random: &mut Random,
    case: &mut Case,
    wish: &Wish,
    index: usize,
    reserved: usize,
) {
    let name = format!("{}-v{index}", case.name);
    let defects = some_defects(random);
    let mut volume = volume(random, case, wish, &name, &defects);
    match random.below(100) {
        n if n < reserved => reserve(random, case, volume),
        n if n < reserved + 18 => add_taken(random, case, volume),
        n if n < reserved + 21 => add_freed(case, volume),
        n if n < reserved + 23 => {
            // Provisioned once, for nobody any more: free all the same.
            volume["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] =
                json!("csi.old.example.com");
            case.volumes.push(volume);
        }
        _ => case.volumes.push(volume),
    }
}

/// Reserves the volume for the claim under test, by name at once or later by uid.
pub(super) fn reserve(random: &mut Random, case: &mut Case, mut volume: Value) {
    if random.chance(50) {
        volume["spec"]["claimRef"] = case.reference(&case.claim);
    } else {
        let to = Target::Claim(case.claim.clone());
        let name = name_of(&volume);
        case.reservations.push(Reservation { volume: name, to });
    }
    case.volumes.push(volume);
}

/// A claim that wants one volume and no other.
pub(super) fn names_volume(random: &mut Random, case: &mut Case, around: &Surroundings) {
    let binding = random.chance(15).then_some(Binding::Delayed);
    let mut wish = Wish::any(random, case, around, binding);
    let overflow = random.chance(12);
    if overflow {
        wish.size = Size::huge(random);
    }
    let named = format!("{}-v0", case.name);
    let mut defects = some_defects(random);
    defects.truncate(if random.chance(80) { 1 } else { 3 });
    if overflow {
        defects.retain(|defect| *defect == Defect::Size);
    }
    let object = volume(random, case, &wish, &named, &defects);
    match random.below(100) {
        0..8 => {} // there is no such volume
        8..60 => case.volumes.push(object),
        60..78 => reserve(random, case, object),
        _ => add_taken(random, case, object),
    }
    for index in 1..=random.below(3) {
        add_volume(random, case, &wish, index, 15);
    }
    let mut claim = wish.claim(random, case, &case.claim);
    claim["spec"]["volumeName"] = json!(named);
    if random.chance(15) {
        claim["metadata"]["annotations"][BOUND_BY_CONTROLLER] = json!("yes");
    }
    case.claims.insert(0, claim);
}

fn name_of(object: &Value) -> String {
    object["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned()
}
