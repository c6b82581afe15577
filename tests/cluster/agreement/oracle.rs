//! A second opinion: which volumes may a claim be bound to, computed from the plain JSON objects
//! as the API server has them. Written from R10a, R10b, R11–R31, R40–R45, R60–R65 and R76 of
//! the specification and sharing no code with the engine, so that an engine which names too many
//! volumes, and is therefore never contradicted by the control plane, is contradicted here.
//! It judges what kube-controller-manager does; the scheduler is not its business.

mod object;
mod quantity;
mod search;
mod selector;
mod surroundings;

use std::collections::BTreeSet;

use serde_json::Value;

use object::{
    attributes_class, class, designates, has_annotation, is_terminating, modes, name, storage, uid,
    volume_mode,
};

const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";

/// All the oracle looks at.
pub(super) struct Cluster {
    pub(super) volumes: Vec<Value>,
    pub(super) claims: Vec<Value>,
    pub(super) classes: Vec<Value>,
    pub(super) limit_ranges: Vec<Value>,
    pub(super) quotas: Vec<Value>,
}

/// Why Kubernetes itself does not determine the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tie {
    /// N1: equally small ones in one group of access modes.
    Sizes,
    /// N2: groups with equally many access modes.
    Groups,
    /// N3: several that are reserved for the claim.
    Reservations,
}

/// The volumes a claim may get, none if none, and why they are several.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    pub(super) volumes: BTreeSet<String>,
    pub(super) ties: BTreeSet<Tie>,
}

impl Outcomes {
    fn only(volume: &Value) -> Self {
        Self {
            volumes: BTreeSet::from([name(volume).to_owned()]),
            ties: BTreeSet::new(),
        }
    }
}

impl Cluster {
    /// The volumes that `claim` may be bound to once the cluster has settled.
    pub(super) fn outcomes(&self, claim: &Value) -> Outcomes {
        let named = claim["spec"]["volumeName"].as_str().unwrap_or_default();
        if has_annotation(claim, BIND_COMPLETED) {
            return self.bound_before(claim, named);
        }
        if self.breaks_a_limit(claim) {
            // R10a: the update that would name the volume is refused.
            return Outcomes::default();
        }
        if !named.is_empty() {
            return self.named(claim, named);
        }
        let found = self.search(claim, class(claim));
        match self.retroactive_class(claim) {
            Some(default) if found.volumes.is_empty() && self.may_have(claim, default) => {
                self.search(claim, default)
            }
            _ => found,
        }
    }

    /// R60–R64.
    fn bound_before(&self, claim: &Value, named: &str) -> Outcomes {
        match self.volume(named) {
            Some(volume) if volume["spec"]["claimRef"].is_null() => Outcomes::only(volume),
            Some(volume) if volume["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"] => {
                Outcomes::only(volume)
            }
            _ => Outcomes::default(),
        }
    }

    /// R40–R45.
    fn named(&self, claim: &Value, named: &str) -> Outcomes {
        let Some(volume) = self.volume(named) else {
            return Outcomes::default();
        };
        let fits = match self.holder(volume) {
            Holder::Nobody => {
                let offered = storage(&volume["spec"]["capacity"]).whole_units();
                let wanted = storage(&claim["spec"]["resources"]["requests"]).whole_units();
                !is_terminating(volume)
                    && offered >= wanted
                    && class(volume) == class(claim)
                    && attributes_class(volume) == attributes_class(claim)
                    && volume_mode(volume) == volume_mode(claim)
                    && modes(claim).is_subset(&modes(volume))
            }
            Holder::Claim(reference) => designates(reference, claim),
        };
        if fits {
            Outcomes::only(volume)
        } else {
            Outcomes::default()
        }
    }

    /// Whom a volume is for once the controller has looked at it (R31, R76).
    fn holder<'a>(&self, volume: &'a Value) -> Holder<'a> {
        let reference = &volume["spec"]["claimRef"];
        if reference.is_null() {
            return Holder::Nobody;
        }
        let bound_elsewhere = self.claims.iter().any(|claim| {
            let named = claim["spec"]["volumeName"].as_str().unwrap_or_default();
            !uid(reference).is_empty()
                && designates(reference, claim)
                && !named.is_empty()
                && named != name(volume)
        });
        let provisioned_to_be_deleted = has_annotation(volume, PROVISIONED_BY)
            && volume["spec"]["persistentVolumeReclaimPolicy"] == "Delete";
        if bound_elsewhere
            && has_annotation(volume, BOUND_BY_CONTROLLER)
            && !provisioned_to_be_deleted
        {
            return Holder::Nobody;
        }
        Holder::Claim(reference)
    }

    fn volume(&self, wanted: &str) -> Option<&Value> {
        self.volumes.iter().find(|volume| name(volume) == wanted)
    }
}

enum Holder<'a> {
    Nobody,
    Claim(&'a Value),
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Cluster, Outcomes, Tie};

    fn volume(name: &str, size: &str, modes: &[&str]) -> Value {
        json!({ "metadata": { "name": name }, "spec": {
            "capacity": { "storage": size }, "accessModes": modes, "storageClassName": "fast",
        }})
    }

    fn reserved(mut volume: Value, uid: &str) -> Value {
        volume["spec"]["claimRef"] = json!({ "namespace": "n", "name": "data", "uid": uid });
        volume
    }

    fn claim(size: &str) -> Value {
        json!({ "metadata": { "namespace": "n", "name": "data", "uid": "u1" }, "spec": {
            "resources": { "requests": { "storage": size } }, "accessModes": ["ReadWriteOnce"],
            "storageClassName": "fast",
        }})
    }

    fn outcomes(volumes: Vec<Value>, claim: &Value) -> Outcomes {
        let cluster = Cluster {
            volumes,
            claims: vec![claim.clone()],
            classes: vec![],
            limit_ranges: vec![],
            quotas: vec![],
        };
        cluster.outcomes(claim)
    }

    fn expect(names: &[&str], ties: &[Tie]) -> Outcomes {
        Outcomes {
            volumes: names.iter().map(ToString::to_string).collect(),
            ties: ties.iter().copied().collect(),
        }
    }

    const RWO: &[&str] = &["ReadWriteOnce"];
    const RWO_ROX: &[&str] = &["ReadWriteOnce", "ReadOnlyMany"];
    const RWO_RWX: &[&str] = &["ReadWriteMany", "ReadWriteOnce"];

    #[test]
    fn equally_small_ones_are_all_possible() {
        let volumes = vec![
            volume("a", "1Gi", RWO),
            volume("b", "1024Mi", RWO),
            volume("c", "2Gi", RWO),
        ];
        assert_eq!(
            outcomes(volumes, &claim("1G")),
            expect(&["a", "b"], &[Tie::Sizes])
        );
    }

    #[test]
    fn fewest_modes_win_and_equally_many_are_all_possible() {
        let few = vec![volume("a", "8Gi", RWO), volume("b", "1Gi", RWO_ROX)];
        assert_eq!(outcomes(few, &claim("1Gi")), expect(&["a"], &[]));
        let equal = vec![volume("a", "8Gi", RWO_RWX), volume("b", "1Gi", RWO_ROX)];
        assert_eq!(
            outcomes(equal, &claim("1Gi")),
            expect(&["a", "b"], &[Tie::Groups])
        );
    }

    #[test]
    fn a_reservation_wins_in_its_group_only() {
        let same = vec![
            volume("a", "1Gi", RWO),
            reserved(volume("b", "9Gi", RWO), "u1"),
        ];
        assert_eq!(outcomes(same, &claim("1Gi")), expect(&["b"], &[]));
        let later = vec![
            volume("a", "1Gi", RWO),
            reserved(volume("b", "1Gi", RWO_ROX), ""),
        ];
        assert_eq!(outcomes(later, &claim("1Gi")), expect(&["a"], &[]));
        let dead = vec![reserved(volume("b", "1Gi", RWO), "u0")];
        assert_eq!(outcomes(dead, &claim("1Gi")), expect(&[], &[]));
    }

    #[test]
    fn a_named_volume_is_compared_in_whole_units() {
        let mut named = claim("200E");
        named["spec"]["volumeName"] = json!("a");
        let volumes = vec![volume("a", "1Gi", RWO)];
        assert_eq!(outcomes(volumes.clone(), &named), expect(&["a"], &[]));
        assert_eq!(outcomes(volumes, &claim("200E")), expect(&[], &[]));
    }
}
