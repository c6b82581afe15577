//! One generated case: a claim under test and all that stands around it, as objects and as what
//! becomes of them. Every case has class names, labels or attributes classes of its own, so that
//! hundreds of them live in one cluster without touching each other. What is in a case is drawn in
//! `generate.rs`; what is done with it is in `stages.rs`.

use serde_json::{Value, json};

/// On every object of a case, with the case's name; claims may select by it.
pub(in crate::cluster) const CASE: &str = "case";
/// On objects that do not stay as they are created.
pub(in crate::cluster) const FATE: &str = "fate";
/// A claim that is bound and then deleted, which leaves its volume Released or Failed.
pub(super) const LEAVES: &str = "leaves";
/// An object that is being deleted and stays, because of a finalizer of ours.
pub(in crate::cluster) const TERMINATES: &str = "terminates";
/// A volume that is gone although a claim is bound to it.
pub(in crate::cluster) const VANISHES: &str = "vanishes";
/// A pod whose containers have ended well.
pub(super) const FINISHES: &str = "finishes";
/// What keeps an object that terminates.
pub(in crate::cluster) const FINALIZER: &str = "kubectl-pv.dev/kept-by-a-test";

/// A cluster in small: one claim and its surroundings.
#[derive(Default)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) namespace: String,
    /// The claim under test.
    pub(super) claim: String,
    pub(super) classes: Vec<Value>,
    /// Created while the controller runs, so that they get a phase.
    pub(super) volumes: Vec<Value>,
    /// Claims that get their volumes from the controller beforehand.
    pub(super) holders: Vec<Value>,
    /// Released volumes that an administrator frees again beforehand.
    pub(super) freed: Vec<String>,
    /// Claims created while no controller runs.
    pub(super) claims: Vec<Value>,
    /// A volume somebody has made for the claim under test.
    pub(super) provisioned: Option<Value>,
    /// What happens to volumes after that.
    pub(super) reservations: Vec<Reservation>,
    pub(super) pods: Vec<Value>,
}

/// A claimRef written into a volume once the claims exist.
pub(super) struct Reservation {
    pub(super) volume: String,
    pub(super) to: Target,
}

/// What a claimRef is set to.
pub(super) enum Target {
    /// A claim of the case, by name and uid.
    Claim(String),
    /// A claim of the case that is bound to another volume, as the controller would have done it.
    LeftBehind(String),
    /// The bound claim without its uid.
    WithoutUid,
    /// Nobody.
    Nobody,
    /// The bound claim with a uid that no claim has.
    Dead,
}

impl Case {
    pub(super) fn metadata(&self, name: &str) -> Value {
        json!({ "name": name, "labels": { CASE: self.name } })
    }

    pub(super) fn namespaced(&self, name: &str) -> Value {
        json!({ "namespace": self.namespace, "name": name, "labels": { CASE: self.name } })
    }

    /// A claimRef by name alone.
    pub(super) fn reference(&self, claim: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "namespace": self.namespace, "name": claim,
        })
    }
}

/// Gives an object its fate, and the finalizer that goes with it.
pub(in crate::cluster) fn set_fate(object: &mut Value, fate: &str) {
    object["metadata"]["labels"][FATE] = json!(fate);
    if fate == TERMINATES {
        object["metadata"]["finalizers"] = json!([FINALIZER]);
    }
}

/// What is to become of an object, or nothing.
pub(in crate::cluster) fn fate(object: &Value) -> &str {
    let fate = object["metadata"]["labels"][FATE].as_str();
    fate.unwrap_or_default()
}
