//! What never changes while claims are served: the objects read once, and for every pair of a
//! claim and a volume what each rule says about them.

use serde_json::Value;

use super::classes::{Classes, class_of};
use super::quantity::{nanos, whole_units};
use super::selector::selects;

const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
const MODES: [&str; 4] = [
    "ReadWriteOnce",
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOncePod",
];

/// A volume as far as all claims agree on it.
pub(super) struct Volume {
    pub(super) name: String,
    /// One bit per access mode (Q8).
    pub(super) modes: u8,
    pub(super) nanos: u128,
    /// What the volume is at rest, before any claim is served.
    pub(super) at_rest: AtRest,
    /// The claim whose uid is written into it, if that claim is still unbound: it may go elsewhere.
    pub(super) awaits: Option<usize>,
    /// What is left of its claimRef when the claim goes elsewhere (R76).
    pub(super) given_back: AtRest,
}

/// A claimRef nobody has touched yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtRest {
    /// None, and so Available (R72).
    Free,
    /// As it stands in the object.
    AsWritten,
    /// The one in the object without its uid (R76b).
    WithoutUid,
}

/// A claim that is not bound yet.
pub(super) struct Claim {
    pub(super) key: String,
    pub(super) wants: Wants,
    /// One bit per access mode.
    pub(super) modes: u8,
    /// With its own class, and with the default one if it gets that (R15).
    pub(super) by_class: Vec<ByClass>,
    /// By volume.
    pub(super) pairs: Vec<Pair>,
}

/// How a claim comes to a volume.
#[derive(Clone, Copy)]
pub(super) enum Wants {
    /// By searching (part 5).
    Any,
    /// By name (part 6), of a volume that is there or not.
    Named(Option<usize>),
    /// It was bound to this volume before (part 8).
    Again(Option<usize>),
}

/// What depends on the class a claim searches with.
pub(super) struct ByClass {
    pub(super) provisions: bool,
    /// Volumes that would be taken if they were free: R26.3–6 and 8–11, by volume.
    pub(super) takes: Vec<bool>,
}

/// What the rules say about one claim and one volume.
pub(super) struct Pair {
    /// R26.3–6 and the access modes (R23): enough if the volume is reserved for the claim.
    pub(super) fits: bool,
    pub(super) meant: Meant,
    /// A claim that names it may have it (R43).
    pub(super) satisfies: bool,
}

/// Whether a claimRef designates a claim (R26.2).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    No,
    /// It would without its uid, which is another's.
    ByName,
    Yes,
}

/// The cluster: its unbound claims and its volumes.
pub(super) struct Facts {
    pub(super) claims: Vec<Claim>,
    pub(super) volumes: Vec<Volume>,
    /// The sets of access modes that volumes have, small ones first (R24).
    pub(super) groups: Vec<u8>,
}

impl Facts {
    pub(super) fn read(objects: &[Value]) -> Self {
        let of_kind = |kind: &str| -> Vec<&Value> {
            let all = objects.iter();
            all.filter(|object| object["kind"] == kind).collect()
        };
        let volumes = of_kind("PersistentVolume");
        let all_claims = of_kind("PersistentVolumeClaim");
        let is_unbound = |claim: &&&Value| !is_bound(claim, &volumes);
        let claims: Vec<&Value> = all_claims.iter().filter(is_unbound).copied().collect();
        let classes = Classes::new(objects);
        let mut groups: Vec<u8> = volumes.iter().map(|volume| modes(volume)).collect();
        groups.sort_unstable_by_key(|group| (group.count_ones(), *group));
        groups.dedup();
        Self {
            groups,
            claims: claims
                .iter()
                .map(|claim| read_claim(claim, &volumes, &classes))
                .collect(),
            volumes: volumes
                .iter()
                .map(|volume| read_volume(volume, &claims, &all_claims))
                .collect(),
        }
    }
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

fn has_annotation(object: &Value, key: &str) -> bool {
    object["metadata"]["annotations"].get(key).is_some()
}

fn volume_name(claim: &Value) -> Option<&str> {
    claim["spec"]["volumeName"]
        .as_str()
        .filter(|name| !name.is_empty())
}

fn claim_ref(volume: &Value) -> Option<&Value> {
    volume["spec"]
        .get("claimRef")
        .filter(|claim| !claim.is_null())
}

fn uid(holder: &Value) -> Option<&str> {
    holder["uid"].as_str().filter(|uid| !uid.is_empty())
}

/// Bound before and still so (R63).
fn is_bound(claim: &Value, volumes: &[&Value]) -> bool {
    let bound_to = volume_name(claim).filter(|_| has_annotation(claim, BIND_COMPLETED));
    let volume = volumes.iter().find(|volume| Some(name(volume)) == bound_to);
    let reference = volume.and_then(|volume| claim_ref(volume));
    reference.is_some_and(|reference| uid(reference) == uid(&claim["metadata"]))
}

fn is_named_by(reference: &Value, claim: &Value) -> bool {
    let part = |object: &Value, key: &str| object[key].as_str().map(str::to_owned);
    ["namespace", "name"]
        .iter()
        .all(|key| part(reference, key) == part(&claim["metadata"], key))
}

fn modes(object: &Value) -> u8 {
    let listed = object["spec"]["accessModes"].as_array().expect("modes");
    let bit = |mode: &Value| {
        let place = MODES.iter().position(|known| mode == known);
        1_u8 << place.expect("a known mode")
    };
    listed.iter().map(bit).fold(0, |all, one| all | one)
}

fn is_block(object: &Value) -> bool {
    object["spec"]["volumeMode"] == "Block"
}

fn attributes(object: &Value) -> &str {
    object["spec"]["volumeAttributesClassName"]
        .as_str()
        .unwrap_or("")
}

fn is_going(object: &Value) -> bool {
    object["metadata"].get("deletionTimestamp").is_some()
}

fn read_volume(volume: &Value, unbound: &[&Value], all: &[&Value]) -> Volume {
    let reference = claim_ref(volume);
    let by_uid = |claim: &&Value| {
        reference.is_some_and(|reference| {
            uid(reference).is_some()
                && is_named_by(reference, claim)
                && uid(reference) == uid(&claim["metadata"])
        })
    };
    // Made for one claim and to be deleted after it: released, never given back (R76a).
    let is_for_one_only = has_annotation(volume, PROVISIONED_BY)
        && volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete";
    let given_back = if is_for_one_only {
        AtRest::AsWritten
    } else if has_annotation(volume, BOUND_BY_CONTROLLER) {
        AtRest::Free
    } else {
        AtRest::WithoutUid
    };
    let owner = all.iter().copied().find(|claim| by_uid(claim));
    let owner_is_elsewhere = owner
        .and_then(volume_name)
        .is_some_and(|elsewhere| elsewhere != name(volume));
    Volume {
        name: name(volume).to_owned(),
        modes: modes(volume),
        nanos: nanos(&volume["spec"]["capacity"]["storage"]),
        at_rest: match reference {
            None => AtRest::Free,
            Some(_) if owner_is_elsewhere => given_back,
            Some(_) => AtRest::AsWritten,
        },
        awaits: unbound.iter().position(by_uid),
        given_back,
    }
}

fn read_claim(claim: &Value, volumes: &[&Value], classes: &Classes) -> Claim {
    let place = |wanted: &str| volumes.iter().position(|volume| name(volume) == wanted);
    let named = volume_name(claim);
    let wants = if has_annotation(claim, BIND_COMPLETED) {
        Wants::Again(named.and_then(place))
    } else {
        named.map_or(Wants::Any, |named| Wants::Named(place(named)))
    };
    let pairs: Vec<Pair> = volumes.iter().map(|volume| pair(claim, volume)).collect();
    let own = class_of(claim);
    // Only who says nothing about a class ever gets the default (R13, R15).
    let default = classes.default().filter(|_| own.is_none());
    let searched = [Some(own.unwrap_or("")), default].into_iter().flatten();
    let makers: Vec<&str> = volumes
        .iter()
        .zip(&pairs)
        .filter(|(volume, pair)| {
            pair.meant == Meant::Yes && claim_ref(volume).and_then(uid).is_some()
        })
        .filter_map(|(volume, _)| volume["metadata"]["annotations"][PROVISIONED_BY].as_str())
        .collect();
    let by_class = searched.map(|class| ByClass {
        provisions: classes.provisions(class, claim, &makers),
        takes: volumes
            .iter()
            .zip(&pairs)
            .map(|(volume, pair)| {
                pair.fits
                    && !classes.is_delayed(class)
                    && class_of(volume).unwrap_or("") == class
                    && selects(&claim["spec"]["selector"], &volume["metadata"]["labels"])
            })
            .collect(),
    });
    Claim {
        key: format!(
            "{}/{}",
            claim["metadata"]["namespace"]
                .as_str()
                .expect("a namespace"),
            name(claim)
        ),
        wants,
        modes: modes(claim),
        by_class: by_class.collect(),
        pairs,
    }
}

fn pair(claim: &Value, volume: &Value) -> Pair {
    let offered = nanos(&volume["spec"]["capacity"]["storage"]);
    let requested = nanos(&claim["spec"]["resources"]["requests"]["storage"]);
    let like = modes(claim) & !modes(volume) == 0
        && is_block(claim) == is_block(volume)
        && attributes(claim) == attributes(volume)
        && !is_going(volume);
    let reference = claim_ref(volume).filter(|reference| is_named_by(reference, claim));
    let same_uid =
        |reference: &Value| uid(reference).is_none() || uid(reference) == uid(&claim["metadata"]);
    Pair {
        fits: like && offered >= requested,
        meant: match reference {
            None => Meant::No,
            Some(reference) if same_uid(reference) => Meant::Yes,
            Some(_) => Meant::ByName,
        },
        satisfies: like
            && whole_units(offered) >= whole_units(requested)
            && class_of(claim).unwrap_or("") == class_of(volume).unwrap_or(""),
    }
}
