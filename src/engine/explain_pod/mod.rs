//! One pod, told: where it can go, what each of its claims gets there, and what keeps it.

mod verdict;

use super::Rules;
use super::attachments;
use super::explain::assess_node;
use super::phases::Phases;
use super::scheduling::{Attempt, Meanwhile, Placement, PodClaims, Refusal, attempt, sentence};
use super::unknowns::{cut_ways, describe, find_unknown};
use crate::conventions::object_ref::{ObjectKey, similar_names};
use crate::model::{Claim, ClusterState, Kind, Pod, PodPhase};
use crate::report::{
    API_VERSION, Explanation, PodCause, PodExplanation, PodSummary, PodVerdict, Says, Suggestion,
    UnboundClaim, Unknown, Verdict,
};

/// The claims of a pod that exist, each once, in the order of its volumes.
pub(super) fn claims_of<'a>(state: &'a ClusterState, pod: &Pod) -> Vec<&'a Claim> {
    let mut names: Vec<&str> = Vec::new();
    for volume in &pod.volumes {
        let name = volume.claim.claim_name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let keys = names.into_iter();
    let keys = keys.map(|name| ObjectKey::new(&*pod.key.namespace, name));
    keys.filter_map(|key| state.find_claim(&key)).collect()
}

/// Explains one pod of the state with these explanations of its claims; `only` narrows it to one node.
pub(super) fn explain(
    state: &ClusterState,
    rules: Rules,
    pod: &Pod,
    claims: Vec<Explanation>,
    only: Option<&str>,
) -> PodExplanation {
    let mut draft = PodDraft {
        state,
        pod,
        rules,
        claims,
        placements: vec![],
        causes: vec![],
        suggestions: vec![],
        says: vec![],
        unknowns: vec![],
    };
    let verdict = draft.judge(only);
    draft.finish(verdict)
}

pub(super) struct PodDraft<'a> {
    pub(super) state: &'a ClusterState,
    pub(super) pod: &'a Pod,
    pub(super) rules: Rules,
    pub(super) claims: Vec<Explanation>,
    pub(super) placements: Vec<Placement<'a>>,
    pub(super) causes: Vec<PodCause>,
    pub(super) suggestions: Vec<Suggestion>,
    pub(super) says: Vec<Says>,
    pub(super) unknowns: Vec<Unknown>,
}

impl PodDraft<'_> {
    fn judge(&mut self, only: Option<&str>) -> PodVerdict {
        let namespace = self.pod.key.namespace.clone();
        if let Some(gap) = self.state.find_gap(Kind::Claims, Some(&namespace)) {
            self.unknowns.push(describe(gap));
            return self.unreadable(Kind::Claims);
        }
        if matches!(self.pod.phase, PodPhase::Succeeded | PodPhase::Failed) {
            self.causes.push(PodCause::Finished {
                phase: self.pod.phase.name().to_owned(),
            });
            return PodVerdict::Scheduled;
        }
        if let Some(node) = self.pod.node_name.clone() {
            self.look_at_placed(&node);
            return PodVerdict::Scheduled;
        }
        self.note_gaps();
        let verdict = match attempt(
            self.state,
            self.pod,
            self.rules,
            only,
            &Meanwhile::default(),
        ) {
            Attempt::Refused(refusal) => self.tell_refusal(&refusal),
            Attempt::Judged {
                placements,
                bound_first,
            } => {
                self.note_bound_first(&bound_first);
                self.unknowns.extend(cut_ways(&placements));
                self.placements = placements;
                self.tell_nodes(only)
            }
        };
        self.hold_back(verdict)
    }

    /// Gates and other schedulers come before everything the default scheduler would say.
    fn hold_back(&mut self, verdict: PodVerdict) -> PodVerdict {
        let wishes = &self.pod.wishes;
        let held = if !wishes.gates.is_empty() {
            PodCause::SchedulingGated {
                gates: wishes.gates.clone(),
            }
        } else if let Some(scheduler) = &wishes.scheduler {
            PodCause::OtherScheduler {
                scheduler: scheduler.clone(),
            }
        } else {
            return verdict;
        };
        self.says.clear();
        self.causes.insert(0, held);
        match verdict {
            // Whatever places it, these claims have no volume for it.
            PodVerdict::Unschedulable if wishes.gates.is_empty() => verdict,
            PodVerdict::Schedulable | PodVerdict::Unschedulable => PodVerdict::Waiting,
            other => other,
        }
    }

    fn note_gaps(&mut self) {
        let may_have_limits = self
            .state
            .objects()
            .csi_nodes
            .iter()
            .any(|node| !node.limits.is_empty());
        let mut kinds = vec![Kind::Nodes, Kind::CsiNodes];
        if may_have_limits {
            kinds.extend([Kind::Attachments, Kind::Pods]);
        }
        let asks_capacity = |driver: &crate::model::CsiDriver| driver.checks_capacity;
        if self.state.objects().csi_drivers.iter().any(asks_capacity) {
            kinds.push(Kind::Capacities);
        }
        for kind in kinds {
            if let Some(gap) = self.state.find_gap(kind, None) {
                self.unknowns.push(describe(gap));
            } else if kind == Kind::Capacities {
                self.unknowns.extend(find_unknown(self.state, kind, None));
            }
        }
    }

    pub(super) fn unreadable(&mut self, kind: Kind) -> PodVerdict {
        self.causes.push(PodCause::NotReadable { what: vec![kind] });
        PodVerdict::Unknown
    }

    fn explanation(&self, claim: &str) -> Option<&Explanation> {
        self.claims
            .iter()
            .find(|explanation| explanation.claim.name == claim)
    }

    fn tell_refusal(&mut self, refusal: &Refusal) -> PodVerdict {
        let nodes = self.state.objects().nodes.len();
        if self.state.saw(Kind::Nodes, None) {
            self.says.push(sentence::refused(nodes, refusal));
        }
        match refusal {
            Refusal::AffinityConflict => self.causes.push(PodCause::AffinityConflict),
            Refusal::ClaimNotFound(claim) => {
                let here = self.state.claims().iter();
                let names = here
                    .filter(|other| other.key.namespace == self.pod.key.namespace)
                    .map(|other| other.key.name.as_str());
                let similar = similar_names(claim, names);
                self.causes.push(PodCause::ClaimNotFound {
                    claim: claim.clone(),
                    similar: similar.into_iter().map(str::to_owned).collect(),
                });
            }
            Refusal::EphemeralClaimNotCreated(claim) => {
                self.causes.push(PodCause::EphemeralClaimNotCreated {
                    claim: claim.clone(),
                });
                return PodVerdict::Waiting;
            }
            Refusal::ClaimLost { claim, volume } => self.causes.push(PodCause::VolumeLost {
                claim: claim.clone(),
                volume: volume.clone(),
            }),
            Refusal::ClaimTerminating(claim) => self.causes.push(PodCause::ClaimTerminating {
                claim: claim.clone(),
            }),
            Refusal::EphemeralClaimNotOwned { claim, .. } => {
                self.causes.push(PodCause::EphemeralClaimNotOwned {
                    claim: claim.name.clone(),
                });
            }
            Refusal::BoundVolumeMissing { claim, volume } => {
                self.causes.push(PodCause::BoundVolumeMissing {
                    claim: claim.clone(),
                    volume: volume.clone(),
                });
            }
            Refusal::UnboundImmediateClaims(claims) => return self.tell_unbound(claims),
        }
        PodVerdict::Unschedulable
    }

    /// The pod waits for claims that must be bound first; whether that is normal depends on what becomes of them.
    fn tell_unbound(&mut self, claims: &[String]) -> PodVerdict {
        let mut worst = PodVerdict::Waiting;
        let mut each = Vec::new();
        for claim in claims {
            let Some(explanation) = self.explanation(claim) else {
                continue;
            };
            let main = explanation.causes.first();
            let why = match explanation.verdict {
                Verdict::WillBind | Verdict::Bound => UnboundClaim::WillBind,
                Verdict::WillProvision => UnboundClaim::WillProvision,
                _ => main.map_or(UnboundClaim::NotBound, |cause| {
                    UnboundClaim::Because(Box::new(cause.cause.clone()))
                }),
            };
            match explanation.verdict {
                Verdict::Blocked | Verdict::Lost | Verdict::Rejected => {
                    worst = PodVerdict::Unschedulable;
                }
                Verdict::Unknown if worst == PodVerdict::Waiting => worst = PodVerdict::Unknown,
                _ => {}
            }
            each.push((claim.clone(), why));
        }
        self.causes.push(PodCause::UnboundImmediateClaims {
            claims: each,
            will_do: worst == PodVerdict::Waiting,
        });
        worst
    }

    fn note_bound_first(&mut self, bound_first: &[(ObjectKey, Vec<String>)]) {
        if bound_first.is_empty() {
            return;
        }
        let claims = bound_first
            .iter()
            .map(|(claim, volumes)| {
                let to = UnboundClaim::WillBindTo(volumes.clone());
                (claim.name.clone(), to)
            })
            .collect();
        self.causes.push(PodCause::UnboundImmediateClaims {
            claims,
            will_do: true,
        });
    }

    /// A pod with a node: did the scheduler choose it, and do its volumes get there.
    fn look_at_placed(&mut self, node: &str) {
        if let Ok(claims) = PodClaims::find(self.state, self.pod, self.rules, Phases::Settled) {
            let waiting: Vec<String> = claims
                .delayed()
                .filter(|usage| usage.claim.selected_node().is_none())
                .map(|usage| usage.claim.key.name.clone())
                .collect();
            if !waiting.is_empty() {
                self.causes.push(PodCause::ConsumerBypassesScheduler {
                    node: node.to_owned(),
                    claims: waiting,
                });
            }
        }
        if self.pod.phase == PodPhase::Pending {
            let (causes, says) = attachments::look_at(self.state, self.pod, node);
            self.causes.extend(causes);
            self.says.extend(says);
            for kind in [Kind::Attachments, Kind::Events] {
                if let Some(gap) = self.state.find_gap(kind, Some(&self.pod.key.namespace)) {
                    self.unknowns.push(describe(gap));
                }
            }
        }
    }

    fn finish(self, verdict: PodVerdict) -> PodExplanation {
        let nodes = self.placements.iter().map(assess_node).collect();
        let mut unknowns = self.unknowns;
        for unknown in self.claims.iter().flat_map(|claim| &claim.unknowns) {
            if !unknowns.contains(unknown) {
                unknowns.push(unknown.clone());
            }
        }
        PodExplanation {
            api_version: API_VERSION,
            kind: "PodExplanation",
            rules: self.rules.name(),
            pod: PodSummary {
                namespace: self.pod.key.namespace.clone(),
                name: self.pod.key.name.clone(),
                phase: self
                    .pod
                    .uid
                    .is_some()
                    .then(|| self.pod.phase.name().to_owned()),
                node_name: self.pod.node_name.clone(),
            },
            verdict,
            claims: self.claims,
            nodes,
            causes: self.causes,
            suggestions: self.suggestions,
            kubernetes_says: self.says,
            unknowns,
        }
    }
}
