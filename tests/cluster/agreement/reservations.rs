//! Whom a volume is for: nobody, the claim under test, or somebody else in one of the many ways in
//! which a claimRef can mean somebody else. Each way is made by real means where there are some.

use serde_json::{Value, json};

use super::case::{Case, LEAVES, Reservation, Target, set_fate};
use crate::random::Random;

/// Ways in which a volume is not free.
#[derive(Clone, Copy)]
pub(super) enum Taken {
    /// Bound to a claim by the controller.
    Bound,
    /// By name, for a claim that waits for it.
    WaitedFor,
    /// By name, for a claim nobody has created.
    Unborn,
    /// By name, for a claim of the right name elsewhere.
    OtherNamespace,
    /// By the uid of a claim that is bound to another volume.
    BoundElsewhere,
    /// A claimRef without anything in it.
    Empty,
    /// Released by a claim that was bound and is gone.
    Released,
    /// The same, and could not be deleted.
    Failed,
    /// Written by hand with the uid of a claim that never was, under the name of ours.
    DeadSameName,
    /// The same under another name.
    DeadOtherName,
}

const TAKEN: &[(usize, Taken)] = &[
    (14, Taken::Bound),
    (10, Taken::WaitedFor),
    (10, Taken::Unborn),
    (8, Taken::OtherNamespace),
    (8, Taken::BoundElsewhere),
    (8, Taken::Empty),
    (14, Taken::Released),
    (8, Taken::Failed),
    (12, Taken::DeadSameName),
    (8, Taken::DeadOtherName),
];

const DEAD_UID: &str = "00000000-dead-dead-dead-000000000000";

/// Takes the volume away from the claim under test in some way, and adds it to the case.
pub(super) fn add_taken(random: &mut Random, case: &mut Case, volume: Value) {
    let way = random.weighted(TAKEN);
    add_taken_so(case, volume, way);
}

pub(super) fn add_taken_so(case: &mut Case, mut volume: Value, way: Taken) {
    let name = volume["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    let other = format!("{name}-other");
    let ours = case.claim.clone();
    match way {
        Taken::Bound => {
            add_holder(case, &other, &name);
            volume["spec"]["claimRef"] = case.reference(&other);
        }
        Taken::WaitedFor => {
            let claim = waiting_claim(case, &other);
            case.claims.push(claim);
            volume["spec"]["claimRef"] = case.reference(&other);
        }
        Taken::Unborn => volume["spec"]["claimRef"] = case.reference(&other),
        Taken::OtherNamespace => {
            volume["spec"]["claimRef"] = case.reference(&ours);
            volume["spec"]["claimRef"]["namespace"] = json!("elsewhere");
        }
        Taken::BoundElsewhere => {
            add_bound_elsewhere(case, &other, &name);
            let to = Target::Claim(other);
            case.reservations.push(Reservation { volume: name, to });
        }
        Taken::Empty => volume["spec"]["claimRef"] = json!({}),
        Taken::Released | Taken::Failed => release(case, &mut volume, &name, way),
        Taken::DeadSameName | Taken::DeadOtherName => {
            let same = matches!(way, Taken::DeadSameName);
            volume["spec"]["claimRef"] = case.reference(if same { &ours } else { &other });
            volume["spec"]["claimRef"]["uid"] = json!(DEAD_UID);
        }
    }
    case.volumes.push(volume);
}

/// A claim is bound to the volume and leaves. One of them may have had the name of ours.
fn release(case: &mut Case, volume: &mut Value, name: &str, way: Taken) {
    let taken = |holder: &Value| holder["metadata"]["name"] == json!(case.claim);
    let leaver = if case.holders.iter().any(taken) {
        format!("{name}-left")
    } else {
        case.claim.clone()
    };
    add_holder(case, &leaver, name);
    set_fate(case.holders.last_mut().expect("just added"), LEAVES);
    volume["spec"]["claimRef"] = case.reference(&leaver);
    let on_this_host = volume["spec"].get("hostPath").is_some();
    if matches!(way, Taken::Failed) && on_this_host {
        // The controller deletes below /tmp only.
        volume["spec"]["persistentVolumeReclaimPolicy"] = json!("Delete");
    }
}

/// A volume that another claim had and that an administrator has freed: Available again (R31).
pub(super) fn add_freed(case: &mut Case, mut volume: Value) {
    let name = volume["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    release(case, &mut volume, &name, Taken::Released);
    case.freed.push(name);
    case.volumes.push(volume);
}

/// A volume the controller had taken for a claim which then got another one: freed by the
/// controller when it comes back (R76b).
pub(super) fn add_left_behind(case: &mut Case, volume: Value) {
    let name = volume["metadata"]["name"]
        .as_str()
        .expect("a name")
        .to_owned();
    let other = format!("{name}-other");
    add_bound_elsewhere(case, &other, &name);
    case.volumes.push(volume);
    let to = Target::LeftBehind(other);
    case.reservations.push(Reservation { volume: name, to });
}

fn add_bound_elsewhere(case: &mut Case, claim: &str, volume: &str) {
    let home = format!("{volume}-home");
    add_holder(case, claim, &home);
    let home = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": case.metadata(&home),
        "spec": {
            "capacity": { "storage": "1Gi" },
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": format!("{}-home", case.name),
            "claimRef": case.reference(claim),
            "hostPath": { "path": "/nowhere" },
        },
    });
    case.volumes.push(home);
}

/// A claim that names a volume which is reserved for it, and is therefore bound without questions.
pub(super) fn add_holder(case: &mut Case, claim: &str, volume: &str) {
    let mut holder = waiting_claim(case, claim);
    holder["spec"]["volumeName"] = json!(volume);
    case.holders.push(holder);
}

/// A claim of a class that exists only as its own name: it gets what is reserved for it or nothing.
fn waiting_claim(case: &Case, name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": case.namespaced(name),
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": format!("{name}-class"),
            "resources": { "requests": { "storage": "1Gi" } },
        },
    })
}
