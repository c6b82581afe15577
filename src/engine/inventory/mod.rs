//! What there is, what is stuck and what needs somebody: the whole cluster, or one namespace, at a glance.

mod attention;
mod pending;

use super::classes::find_default;
use super::phases::{Phases, SettledVolume, view};
use super::sync::settled_phase;
use super::unknowns::describe;
use super::{Rules, classes as default_classes, taxonomy};
use crate::model::{Claim, ClaimPhase, ClusterState, Kind};
use crate::report::{
    API_VERSION, ClassUse, Code, Counts, Inventory, InventoryFinding, Severity, Unknown,
};
use std::collections::{BTreeMap, HashSet};

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InventoryQuestion<'a> {
    /// One namespace, with the volumes its claims hold or are to get; or everything.
    pub namespace: Option<&'a str>,
    /// By which rules claims are served.
    pub rules: Rules,
    /// Whether the labels of the volumes are wanted too.
    pub labels: bool,
}

/// Looks at everything once.
pub fn take_inventory(state: &ClusterState, question: InventoryQuestion<'_>) -> Inventory {
    let claims = claims_of(state, question.namespace);
    let volumes = volumes_of(state, question.namespace, &claims);
    let phases: Vec<ClaimPhase> = claims
        .iter()
        .map(|claim| settled_phase(state, claim, question.rules))
        .collect();
    let mut unknowns = Unknowns::default();
    unknowns.note(state, Kind::Volumes, None);
    unknowns.note(state, Kind::Claims, question.namespace);
    let pending = pending::list(state, question, &mut unknowns);
    let attention = attention::list(state, &volumes, &claims, &mut unknowns);
    let saw_volumes = state.saw(Kind::Volumes, None);
    Inventory {
        api_version: API_VERSION,
        kind: "StorageStatus",
        rules: question.rules.name(),
        namespace: question.namespace.map(str::to_owned),
        captured_at: state.captured_at(),
        volumes: saw_volumes.then(|| count_volumes(&volumes)),
        claims: saw_some_claims(state, question.namespace).then(|| count_claims(&claims, &phases)),
        classes: classes(state, question, &volumes, &claims, &phases),
        pending,
        attention,
        findings: several_defaults(state).into_iter().collect(),
        taxonomy: question
            .labels
            .then(|| taxonomy::survey(state, &claims, &phases)),
        unknowns: unknowns.sorted(),
    }
}

/// What was not seen, each thing once.
#[derive(Default)]
struct Unknowns(Vec<Unknown>);

impl Unknowns {
    fn note(&mut self, state: &ClusterState, kind: Kind, namespace: Option<&str>) {
        self.extend(state.find_gap(kind, namespace).map(describe));
    }

    fn extend(&mut self, more: impl IntoIterator<Item = Unknown>) {
        for unknown in more {
            if !self.0.contains(&unknown) {
                self.0.push(unknown);
            }
        }
    }

    fn sorted(mut self) -> Vec<Unknown> {
        self.0.sort_by_cached_key(Unknown::sort_key);
        self.0
    }
}

fn claims_of<'a>(state: &'a ClusterState, namespace: Option<&str>) -> Vec<&'a Claim> {
    let is_meant = |claim: &&Claim| namespace.is_none_or(|own| claim.key.namespace == own);
    state.claims().iter().filter(is_meant).collect()
}

/// Volumes have no namespace; those of one are what its claims hold, name, or are to get.
fn volumes_of<'a>(
    state: &'a ClusterState,
    namespace: Option<&str>,
    claims: &[&Claim],
) -> Vec<SettledVolume<'a>> {
    let named: HashSet<&str> = claims
        .iter()
        .filter_map(|claim| claim.volume_name.as_deref())
        .collect();
    let all = state.volumes().iter();
    all.filter(|volume| {
        let reference = volume.claim_ref.as_ref();
        namespace.is_none_or(|own| {
            reference.is_some_and(|reference| reference.namespace == own)
                || named.contains(volume.name.as_str())
        })
    })
    .map(|volume| view(state, volume, Phases::Settled))
    .collect()
}

/// A list of claims of which nothing was seen is no list; one of which a namespace was seen is.
fn saw_some_claims(state: &ClusterState, namespace: Option<&str>) -> bool {
    state
        .find_gap(Kind::Claims, namespace)
        .is_none_or(|gap| gap.seen_only_in.is_some())
}

fn count_volumes(volumes: &[SettledVolume<'_>]) -> Counts {
    let mut counts = Counts::default();
    for settled in volumes {
        counts.add(settled.phase.name(), settled.volume.class());
    }
    counts
}

fn count_claims(claims: &[&Claim], phases: &[ClaimPhase]) -> Counts {
    let mut counts = Counts::default();
    for (claim, phase) in claims.iter().zip(phases) {
        counts.add(phase.name(), claim.class.resolved());
    }
    counts
}

impl Counts {
    fn add(&mut self, phase: &'static str, class: &str) {
        *self.by_phase.entry(phase).or_default() += 1;
        // Classes are few and volumes many: a name is copied once.
        if let Some(count) = self.by_class.get_mut(class) {
            *count += 1;
        } else {
            self.by_class.insert(class.to_owned(), 1);
        }
    }
}

/// Every class that exists or is used, by name.
fn classes(
    state: &ClusterState,
    question: InventoryQuestion<'_>,
    volumes: &[SettledVolume<'_>],
    claims: &[&Claim],
    phases: &[ClaimPhase],
) -> Vec<ClassUse> {
    let default = find_default(state).map(|class| class.name.as_str());
    let new = |name: &str| ClassUse {
        name: name.to_owned(),
        exists: match (name.is_empty(), state.find_class(name)) {
            (true, _) => Some(false),
            (false, Some(_)) => Some(true),
            (false, None) => {
                let is_known = state.saw(Kind::Classes, None) && !state.is_absent(Kind::Classes);
                is_known.then_some(false)
            }
        },
        default: default == Some(name),
        volumes: BTreeMap::new(),
        claims: BTreeMap::new(),
    };
    let mut by_name: BTreeMap<&str, ClassUse> = state
        .classes()
        .iter()
        .map(|class| (class.name.as_str(), new(&class.name)))
        .collect();
    for settled in volumes {
        let name = settled.volume.class();
        let used = by_name.entry(name).or_insert_with(|| new(name));
        *used.volumes.entry(settled.phase.name()).or_default() += 1;
    }
    for (claim, phase) in claims.iter().zip(phases) {
        let name = claim.class.resolved();
        let used = by_name.entry(name).or_insert_with(|| new(name));
        *used.claims.entry(phase.name()).or_default() += 1;
    }
    let mut uses: Vec<ClassUse> = by_name.into_values().collect();
    // A namespace has no classes of its own; those it uses are enough.
    uses.retain(|class| {
        question.namespace.is_none() || !class.volumes.is_empty() || !class.claims.is_empty()
    });
    uses
}

/// Several defaults are allowed, and the newest wins, whichever was marked last (R16).
fn several_defaults(state: &ClusterState) -> Option<InventoryFinding> {
    default_classes::several_defaults(state).map(|message| InventoryFinding {
        severity: Severity::Warning,
        code: Code::SeveralDefaultClasses,
        message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::annotations;
    use crate::model::VolumePhase;
    use crate::testing::{claim, class, state_with, volume};

    fn cluster() -> ClusterState {
        let mut bound = claim("bound")
            .naming("held")
            .annotated(annotations::BIND_COMPLETED, "yes");
        bound.phase = ClaimPhase::Bound;
        let mut elsewhere = claim("elsewhere");
        elsewhere.key.namespace = "other".to_owned();
        let volumes = vec![
            volume("held")
                .in_phase(VolumePhase::Bound)
                .reserved_for("bound", Some("uid-bound")),
            volume("free")
                .in_phase(VolumePhase::Pending)
                .of_class("slow"),
            volume("left")
                .in_phase(VolumePhase::Bound)
                .reserved_for("gone", Some("uid-gone")),
        ];
        state_with(vec![bound, claim("open"), elsewhere], volumes, |objects| {
            objects.classes = vec![
                class("any", "x").default_since(1),
                class("slow", "x").default_since(2),
            ];
        })
    }

    #[test]
    fn phases_are_those_that_objects_settle_in() {
        let inventory = take_inventory(&cluster(), InventoryQuestion::default());
        let volumes = inventory.volumes.expect("volumes were seen");
        assert_eq!(
            volumes.by_phase,
            BTreeMap::from([("Available", 1), ("Bound", 1), ("Released", 1)])
        );
        assert_eq!(
            inventory.claims.expect("claims were seen").by_phase,
            BTreeMap::from([("Bound", 1), ("Pending", 2)])
        );
        let slow = inventory
            .classes
            .iter()
            .find(|class| class.name == "slow")
            .expect("a class");
        assert!(slow.default);
        assert_eq!(slow.volumes, BTreeMap::from([("Available", 1)]));
    }

    #[test]
    fn a_namespace_has_its_claims_and_the_volumes_they_hold() {
        let question = InventoryQuestion {
            namespace: Some("other"),
            ..InventoryQuestion::default()
        };
        let inventory = take_inventory(&cluster(), question);
        assert_eq!(
            inventory.volumes.expect("volumes were seen").by_phase.len(),
            0
        );
        let names: Vec<&str> = inventory
            .pending
            .iter()
            .map(|claim| claim.name.as_str())
            .collect();
        assert_eq!(names, ["elsewhere"]);
    }

    #[test]
    fn the_default_that_wins_is_named() {
        let inventory = take_inventory(&cluster(), InventoryQuestion::default());
        assert_eq!(inventory.findings[0].code.name(), "SeveralDefaultClasses");
        assert!(inventory.findings[0].message.contains("gets slow"));
    }

    #[test]
    fn what_was_not_seen_is_not_counted() {
        let gap = crate::model::Gap {
            kind: Kind::Volumes,
            why: crate::model::GapReason::Forbidden,
            seen_only_in: None,
        };
        let objects = crate::model::Objects {
            claims: vec![claim("open")],
            ..Default::default()
        };
        let state = ClusterState::new(objects, vec![gap], None);
        let inventory = take_inventory(&state, InventoryQuestion::default());
        assert_eq!(inventory.volumes, None);
        assert!(
            inventory
                .unknowns
                .iter()
                .any(|unknown| unknown.is_of(Kind::Volumes))
        );
        assert_eq!(inventory.pending[0].cause, Some(Code::NotReadable));
    }
}
