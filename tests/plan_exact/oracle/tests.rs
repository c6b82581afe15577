//! The oracle on clusters small enough to be worked out by hand from the specification.

use serde_json::{Value, json};

use super::{End, Oracle};

const RWO: &[&str] = &["ReadWriteOnce"];
const RWO_ROX: &[&str] = &["ReadWriteOnce", "ReadOnlyMany"];
const RWO_RWX: &[&str] = &["ReadWriteOnce", "ReadWriteMany"];

fn claim(name: &str, class: impl Into<Value>) -> Value {
    json!({
        "kind": "PersistentVolumeClaim",
        "metadata": { "namespace": "x", "name": name, "uid": format!("uid-{name}") },
        "spec": {
            "accessModes": RWO, "storageClassName": class.into(),
            "resources": { "requests": { "storage": "1Gi" } },
        },
    })
}

fn volume(name: &str, class: &str, size: &str, modes: &[&str]) -> Value {
    json!({
        "kind": "PersistentVolume",
        "metadata": { "name": name },
        "spec": {
            "accessModes": modes, "storageClassName": class, "capacity": { "storage": size },
            "persistentVolumeReclaimPolicy": "Retain",
        },
    })
}

fn class(name: &str, provisioner: &str) -> Value {
    json!({
        "kind": "StorageClass", "metadata": { "name": name },
        "provisioner": provisioner, "volumeBindingMode": "Immediate",
    })
}

/// The claim's uid in the volume, by the controller's own hand.
fn begun(mut volume: Value, claim: &str) -> Value {
    volume["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"] = json!("yes");
    volume["spec"]["claimRef"] =
        json!({ "namespace": "x", "name": claim, "uid": format!("uid-{claim}") });
    volume
}

/// All endings, each as the volumes of the claims in order: `-` is nothing, `+` a new one.
fn endings(objects: &[Value]) -> Vec<String> {
    let oracle = Oracle::new(objects);
    let one = |end: &End| match end {
        End::Nothing => "-".to_owned(),
        End::New => "+".to_owned(),
        End::Volume(name) => name.clone(),
    };
    let explored = oracle.explore();
    let endings = explored.endings.keys();
    let mut endings: Vec<String> = endings
        .map(|ending| ending.iter().map(one).collect::<Vec<_>>().join(" "))
        .collect();
    endings.sort();
    endings
}

#[test]
fn two_claims_and_one_volume() {
    let objects = [
        claim("a", "c"),
        claim("b", "c"),
        volume("v", "c", "1Gi", RWO),
    ];
    assert_eq!(endings(&objects), ["- v", "v -"]);
}

#[test]
fn the_smallest_wins_and_equals_are_left_to_chance() {
    let mut objects = vec![
        claim("a", "c"),
        volume("v", "c", "1024Mi", RWO),
        volume("w", "c", "2Gi", RWO),
    ];
    assert_eq!(endings(&objects), ["v"]);
    objects.push(volume("x", "c", "1Gi", RWO));
    assert_eq!(endings(&objects), ["v", "x"]);
}

#[test]
fn fewest_modes_come_first_and_equally_many_in_any_order() {
    let mut objects = vec![
        claim("a", "c"),
        volume("v", "c", "100Gi", RWO_ROX),
        volume("w", "c", "1Gi", RWO_RWX),
    ];
    assert_eq!(endings(&objects), ["v", "w"]);
    objects.push(volume("x", "c", "100Gi", RWO));
    assert_eq!(endings(&objects), ["x"]);
}

#[test]
fn a_reservation_wins_in_its_group_and_loses_to_fewer_modes() {
    let mut reserved = volume("w", "other", "9Gi", RWO);
    reserved["spec"]["claimRef"] = json!({ "namespace": "x", "name": "a" });
    let free = volume("v", "c", "1Gi", RWO);
    let objects = [claim("a", "c"), free.clone(), reserved.clone()];
    assert_eq!(endings(&objects), ["w"]);
    reserved["spec"]["accessModes"] = json!(RWO_ROX);
    assert_eq!(endings(&[claim("a", "c"), free, reserved]), ["v"]);
}

#[test]
fn what_a_claim_leaves_behind_is_there_for_others() {
    // R30: `a` takes `v`, whose modes are fewer; then `w` is given back (R76b) and goes to `b`,
    // unless `b` has taken `v` before, in which case `a` finishes what was begun.
    let objects = [
        claim("a", "c"),
        claim("b", "c"),
        volume("v", "c", "1Gi", RWO),
        begun(volume("w", "c", "1Gi", RWO_ROX), "a"),
    ];
    assert_eq!(endings(&objects), ["v w", "w v"]);
    // By hand it stays reserved for `a`, which has no use for it.
    let mut by_hand = objects;
    by_hand[3]["metadata"]["annotations"] = json!({});
    assert_eq!(endings(&by_hand), ["v -", "w v"]);
}

#[test]
fn a_claim_between_two_classes_can_be_overtaken() {
    let mut default = class("d", "kubernetes.io/no-provisioner");
    default["metadata"]["annotations"]["storageclass.kubernetes.io/is-default-class"] =
        json!("true");
    // `a` finds nothing without a class, and only then looks among those of class `d`.
    let objects = [
        default,
        claim("a", Value::Null),
        claim("b", ""),
        volume("v", "", "1Gi", RWO),
        volume("w", "d", "1Gi", RWO),
    ];
    assert_eq!(endings(&objects), ["v -", "w v"]);
}

#[test]
fn somebody_else_takes_the_volume_of_a_claim_that_was_bound() {
    let mut was_bound = claim("a", "c");
    was_bound["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = json!("yes");
    was_bound["spec"]["volumeName"] = json!("v");
    let objects = [was_bound, claim("b", "c"), volume("v", "c", "1Gi", RWO)];
    assert_eq!(endings(&objects), ["- v", "v -"]);
}

#[test]
fn a_named_volume_is_checked_in_whole_units_and_a_reserved_one_not_at_all() {
    let mut named = claim("a", "c");
    named["spec"]["volumeName"] = json!("v");
    let fitting = |size: &str, class: &str| {
        let objects = [named.clone(), volume("v", class, size, RWO)];
        endings(&objects)
    };
    assert_eq!(fitting("1073741823.2", "c"), ["v"]);
    assert_eq!(fitting("1G", "c"), ["-"]);
    assert_eq!(fitting("1Gi", "other"), ["-"]);
    let mut reserved = volume("v", "other", "1k", RWO_RWX);
    reserved["spec"]["claimRef"] = json!({ "namespace": "x", "name": "a" });
    assert_eq!(endings(&[named.clone(), reserved.clone()]), ["v"]);
    reserved["spec"]["claimRef"]["uid"] = json!("uid-gone");
    assert_eq!(endings(&[named, reserved]), ["-"]);
}

#[test]
fn a_claim_that_is_provisioned_leaves_the_race() {
    let driver = json!({ "kind": "CSIDriver", "metadata": { "name": "csi.example.com" } });
    let objects = [
        driver,
        class("c", "csi.example.com"),
        claim("a", "c"),
        claim("b", "c"),
        volume("v", "c", "1Gi", RWO),
    ];
    assert_eq!(endings(&objects), ["+ v", "v +"]);
    assert_eq!(endings(&objects[1..]), ["- v", "v -"]);
}

#[test]
fn an_empty_reference_is_nobodys_and_a_delayed_class_takes_what_is_reserved_only() {
    let mut empty = volume("v", "c", "1Gi", RWO);
    empty["spec"]["claimRef"] = json!({});
    assert_eq!(endings(&[claim("a", "c"), empty]), ["-"]);
    let mut delayed = class("c", "kubernetes.io/no-provisioner");
    delayed["volumeBindingMode"] = json!("WaitForFirstConsumer");
    let mut reserved = volume("w", "c", "1Gi", RWO);
    reserved["spec"]["claimRef"] = json!({ "namespace": "x", "name": "b" });
    let objects = [
        delayed,
        claim("a", "c"),
        claim("b", "c"),
        volume("v", "c", "1Gi", RWO),
        reserved,
    ];
    assert_eq!(endings(&objects), ["- w"]);
}
