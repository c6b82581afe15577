//! Conflicts in the scheduler's PreBind: a volume or claim was changed between the scheduler's read and
//! its write, the API server answers 409, and the scheduler tries the pod again.
//!
//! A conflict changes no rule of the search. It only means that the order in which the scheduler chose
//! volumes (`AssumePodVolumes`, one pod after the other) is not the order in which it wrote them
//! (`bindAPIUpdate`, every pod in a goroutine of its own). Upstream, v1.36.4,
//! pkg/scheduler/framework/plugins/volumebinding:
//! - binder.go 404-464: a chosen volume is in the cache with its claimRef before it is written, so later
//!   pods see it as taken, and a second pod with the same claim chooses the same volume.
//! - binder.go 546-559: every pod writes every volume it chose, also one that another pod wrote or is about
//!   to write with the same claimRef. Of two pods that share a claim, the second write is refused.
//! - binder.go 526-536: after a refusal the volumes written so far keep their claimRef, and the others are
//!   returned to the cache as the informer has them; `schedule_one.go` 505-536 queues the pod again.
//! - passive_assume_cache.go 244-256: what is returned is the informer's version, which may be older than
//!   the write that caused the conflict. Until the informer has caught up, such a volume looks free, and
//!   a third pod may choose it and be refused in turn.
//!
//! So the pod with the conflict may be the one that chose first: others chose with its volumes taken.
//! The predictions hold, for the cache as each attempt saw it. `sequence.rs` finds these attempts.

use super::compare::Comparison;
use super::deed::{Turn, claim_names};

const BEGINNING: &str =
    "running PreBind plugin \"VolumeBinding\": Operation cannot be fulfilled on ";
const END: &str = "\": the object has been modified";

/// The object whose write was refused.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Conflict {
    Volume(String),
    Claim(String),
}

impl Conflict {
    /// The conflict that a refusal of the scheduler reports, if it is one.
    pub(super) fn reported_by(message: &str) -> Option<Self> {
        let object = message.strip_prefix(BEGINNING)?;
        let (object, _) = object.split_once(END)?;
        let (resource, name) = object.split_once(" \"")?;
        match resource {
            "persistentvolumes" => Some(Self::Volume(name.to_owned())),
            "persistentvolumeclaims" => Some(Self::Claim(name.to_owned())),
            _ => None,
        }
    }
}

impl Turn<'_> {
    /// The conflicts that can still be seen. An event keeps its first message and the condition has the
    /// last one; a conflict between two other refusals leaves no trace.
    pub(super) fn conflicts(&self) -> Vec<Conflict> {
        let first = self.after.refusal(self.pod);
        let messages = first.into_iter().chain([self.condition()]);
        let mut conflicts: Vec<Conflict> = messages.filter_map(Conflict::reported_by).collect();
        conflicts.dedup();
        conflicts
    }

    /// Whether the pod's latest attempt that reported something ended in a conflict.
    pub(super) fn ended_in_a_conflict(&self) -> bool {
        Conflict::reported_by(self.condition()).is_some()
    }
}

impl Comparison<'_> {
    /// The conflicts of a pod that competes with no other. It has them only with itself: a claim that it
    /// uses twice and that has to be provisioned is written twice, and the second write is refused.
    pub(super) fn unexpected_conflicts(&self) -> Vec<String> {
        let gifts = self.turn.gifts();
        let is_expected = |conflict: &Conflict| match conflict {
            Conflict::Claim(claim) => self.is_used_twice(claim),
            Conflict::Volume(volume) => gifts
                .iter()
                .any(|(claim, gift)| gift.volumes.contains(volume) && self.is_used_twice(claim)),
        };
        let conflicts = self.turn.conflicts().into_iter();
        let unexpected = conflicts.filter(|conflict| !is_expected(conflict));
        unexpected
            .map(|conflict| format!("unexpected conflict: {conflict:?}"))
            .collect()
    }

    /// In the pod itself, or by it and another one.
    fn is_used_twice(&self, claim: &str) -> bool {
        let namespace = &self.turn.pod["metadata"]["namespace"];
        let pods = self.turn.before.pods.iter();
        let here = pods.filter(|pod| pod["metadata"]["namespace"] == *namespace);
        let names = here.flat_map(claim_names);
        names.filter(|name| name == claim).count() > 1
    }
}

#[test]
fn a_conflict_is_known_by_its_message() {
    let tail = "the object has been modified; please apply your changes to the latest version and \
                try again";
    let reported = |object: &str| Conflict::reported_by(&format!("{BEGINNING}{object}: {tail}"));
    let volume = Conflict::Volume("pv-a".to_owned());
    assert_eq!(reported("persistentvolumes \"pv-a\""), Some(volume));
    let claim = Conflict::Claim("data".to_owned());
    assert_eq!(reported("persistentvolumeclaims \"data\""), Some(claim));
    assert_eq!(reported("pods \"web\""), None);
    let refusal =
        "0/5 nodes are available: 5 node(s) didn't find available persistent volumes to bind";
    assert_eq!(Conflict::reported_by(refusal), None);
}
