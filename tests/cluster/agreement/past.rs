//! Claims with a past: bound before, by hand or really; a volume already provisioned for them; a
//! volume left behind by another.

use serde_json::{Value, json};

use super::case::{Case, Reservation, TERMINATES, Target, VANISHES, set_fate};
use super::classes::Binding;
use super::generate::NODE;
use super::reservations::{add_holder, add_left_behind, add_taken};
use super::searching::{SELECTED_NODE, add_volume, reserve};
use super::volumes::{Defect, some_defects, volume};
use super::wish::{Surroundings, Wish};
use crate::random::Random;

const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";

/// A claim that carries the mark of a finished bind, as after a restore from a backup.
pub(super) fn was_bound_by_hand(random: &mut Random, case: &mut Case, around: &Surroundings) {
    let wish = Wish::any(random, case, around, None);
    let named = format!("{}-v0", case.name);
    let mut claim = wish.claim(random, case, &case.claim);
    claim["metadata"]["annotations"][BIND_COMPLETED] = json!("yes");
    claim["spec"]["volumeName"] = json!(named);
    let defects = some_defects(random);
    let object = volume(random, case, &wish, &named, &defects);
    match random.below(6) {
        0 => claim["spec"]["volumeName"] = Value::Null,
        1 => {} // there is no such volume
        2 => case.volumes.push(object),
        3 | 4 => reserve(random, case, object),
        _ => add_taken(random, case, object),
    }
    case.claims.insert(0, claim);
}

/// A claim the controller has bound, and then something happens to its volume.
pub(super) fn was_really_bound(random: &mut Random, case: &mut Case, around: &Surroundings) {
    let wish = Wish::any(random, case, around, None);
    let name = format!("{}-v0", case.name);
    let mut object = volume(random, case, &wish, &name, &[]);
    object["spec"]["claimRef"] = case.reference(&case.claim);
    let ours = case.claim.clone();
    add_holder(case, &ours, &name);
    let to = match random.below(6) {
        0 => None,
        1 => {
            set_fate(&mut object, VANISHES);
            None
        }
        2 => {
            set_fate(&mut object, TERMINATES);
            None
        }
        3 => Some(Target::WithoutUid),
        4 => Some(Target::Nobody),
        _ => Some(Target::Dead),
    };
    case.volumes.push(object);
    case.reservations
        .extend(to.map(|to| Reservation { volume: name, to }));
}

/// A claim whose provisioner has done its work, well or not so well (R98).
pub(super) fn was_provisioned(random: &mut Random, case: &mut Case, around: &Surroundings) {
    let binding = random.pick(&[Binding::Immediate, Binding::Immediate, Binding::Delayed]);
    let wish = Wish::any(random, case, around, Some(binding));
    let defects: &[Defect] = random.pick(&[
        &[] as &[Defect],
        &[Defect::Size],
        &[Defect::Mode],
        &[Defect::Attributes],
        &[Defect::AccessModes],
        &[Defect::Class],
    ]);
    let mut object = volume(random, case, &wish, "provisioned", defects);
    object["metadata"]["annotations"]["pv.kubernetes.io/provisioned-by"] = provisioner(case);
    case.provisioned = Some(object);
    for index in 0..random.below(3) {
        add_volume(random, case, &wish, index, 10);
    }
    let mut claim = wish.claim(random, case, &case.claim);
    if binding == Binding::Delayed && random.chance(70) {
        claim["metadata"]["annotations"][SELECTED_NODE] = json!(NODE);
    }
    case.claims.insert(0, claim);
}

fn provisioner(case: &Case) -> Value {
    let class = case.classes.first();
    class.map_or(json!("csi.example.com"), |class| {
        class["provisioner"].clone()
    })
}

/// A claim for which a volume becomes free only when the controller is back.
pub(super) fn left_behind(random: &mut Random, case: &mut Case, around: &Surroundings) {
    let wish = Wish::any(random, case, around, Some(Binding::Immediate));
    for class in &mut case.classes {
        class["provisioner"] = json!("kubernetes.io/no-provisioner");
    }
    let name = format!("{}-v0", case.name);
    let object = volume(random, case, &wish, &name, &[]);
    add_left_behind(case, object);
    let claim = wish.claim(random, case, &case.claim);
    case.claims.insert(0, claim);
}
