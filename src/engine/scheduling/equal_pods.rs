//! Pods that the scheduler cannot tell apart: they and their claims are equal in everything but their names. What happens to one
//! of them can happen to each. `plan` and the search for competitors use it to judge one pod of each class.

use crate::conventions::annotations::LAST_APPLIED;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClaimRef, ClaimUse, ClusterState, Origin, Pod};
use std::collections::{BTreeMap, BTreeSet};

/// The equivalence classes of these pods; the first pod of each class stands for it.
pub(crate) fn find_classes<'a>(
    state: &'a ClusterState,
    pods: impl IntoIterator<Item = &'a Pod>,
) -> Vec<Vec<&'a Pod>> {
    let reserved = reserved_claims(state);
    let mut classes: Vec<(Option<Shape<'a>>, Vec<&'a Pod>)> = Vec::new();
    for pod in pods {
        let shape = Shape::of(state, pod, &reserved);
        let is_equal = |(other, _): &&mut (Option<Shape<'a>>, Vec<&'a Pod>)| {
            other.is_some() && *other == shape
        };
        match classes.iter_mut().find(is_equal) {
            Some((_, members)) => members.push(pod),
            None => classes.push((shape, vec![pod])),
        }
    }
    classes.into_iter().map(|(_, members)| members).collect()
}

/// The claims that a volume is reserved for, by name.
fn reserved_claims(state: &ClusterState) -> BTreeSet<ObjectKey> {
    let references = state
        .volumes()
        .iter()
        .filter_map(|volume| volume.claim_ref.as_ref());
    references.map(ClaimRef::key).collect()
}

/// What the scheduler sees of a pod.
#[derive(PartialEq)]
struct Shape<'a> {
    pod: Pod,
    claims: Vec<(Claim, BTreeMap<&'a str, &'a str>)>,
    /// Which of the claims each volume is.
    uses: Vec<usize>,
}

impl<'a> Shape<'a> {
    /// None for a pod that differs from every other.
    fn of(state: &'a ClusterState, pod: &'a Pod, reserved: &BTreeSet<ObjectKey>) -> Option<Self> {
        let mut keys: Vec<ObjectKey> = Vec::new();
        let mut uses = Vec::new();
        let mut claims = Vec::new();
        for volume in &pod.volumes {
            let ClaimUse::Named(name) = &volume.claim else {
                return None;
            };
            let key = ObjectKey::new(&*pod.key.namespace, &**name);
            if let Some(place) = keys.iter().position(|known| *known == key) {
                uses.push(place);
                continue;
            }
            let claim = state.find_claim(&key)?;
            if reserved.contains(&key) || claim.volume_name.is_some() {
                return None;
            }
            claims.push((without_identity(claim), annotations(claim)));
            uses.push(keys.len());
            keys.push(key);
        }
        let pod = Pod {
            key: ObjectKey::new(&*pod.key.namespace, ""),
            uid: None,
            created: None,
            volumes: vec![],
            owner: None,
            ..pod.clone()
        };
        Some(Self { pod, claims, uses })
    }
}

fn without_identity(claim: &Claim) -> Claim {
    Claim {
        key: ObjectKey::new(&*claim.key.namespace, ""),
        uid: claim.uid.as_ref().map(|_| String::new()),
        resource_version: None,
        labels: BTreeMap::new(),
        annotations: BTreeMap::new(),
        created: None,
        owner: None,
        owner_uid: None,
        conditions: vec![],
        origin: Origin::default(),
        ..claim.clone()
    }
}

/// The annotations that can matter: the last applied configuration repeats the name.
fn annotations(claim: &Claim) -> BTreeMap<&str, &str> {
    let all = claim.annotations.iter();
    let others = all.filter(|(key, _)| *key != LAST_APPLIED);
    others.map(|(key, value)| (&**key, &**value)).collect()
}
