//! What the judged nodes come to for a pod: it can be placed, other things keep it, or no node has volumes for it.

use super::super::scheduling::{Placement, say_once, sentence};
use super::PodDraft;
use crate::conventions::object_command::command;
use crate::model::Kind;
use crate::report::{Code, Danger, NodeReason, PodCause, PodVerdict, Suggestion, VolumeReason};
use std::collections::{BTreeMap, BTreeSet};

impl PodDraft<'_> {
    pub(super) fn tell_nodes(&mut self, only: Option<&str>) -> PodVerdict {
        if !self.state.saw(Kind::Nodes, None) {
            return self.unreadable(Kind::Nodes);
        }
        let mut open = self
            .placements
            .iter()
            .filter(|placement| placement.is_open())
            .peekable();
        if open.peek().is_some() {
            if open.all(Placement::may_fail) {
                self.says = sentence::unplaced(self.state, self.pod, &self.placements);
                self.causes.insert(0, PodCause::ChanceDecides);
            }
            return PodVerdict::Schedulable;
        }
        if only.is_none() {
            self.says = sentence::unplaced(self.state, self.pod, &self.placements);
        }
        if self.placements.is_empty() {
            self.causes.insert(0, PodCause::NoNodes);
            return PodVerdict::Unschedulable;
        }
        let feasible: Vec<&Placement<'_>> = self
            .placements
            .iter()
            .filter(|placement| placement.is_feasible())
            .collect();
        if !feasible.is_empty() {
            let nodes = feasible
                .iter()
                .map(|placement| (placement.node.name.clone(), placement.others.clone()))
                .collect();
            self.suggest_uncordon();
            self.causes.insert(0, PodCause::NodesExcluded { nodes });
            return PodVerdict::Waiting;
        }
        self.tell_infeasible();
        PodVerdict::Unschedulable
    }

    fn suggest_uncordon(&mut self) {
        let only_cordoned = self.placements.iter().find(|placement| {
            placement.is_feasible() && placement.others == [NodeReason::NodeCordoned]
        });
        if let Some(placement) = only_cordoned {
            self.suggestions.push(Suggestion {
                summary: format!(
                    "Let pods onto {} again, which has volumes for it",
                    placement.node.name
                ),
                commands: vec![command(&["kubectl", "uncordon", &placement.node.name])],
                danger: Danger::Reversible,
            });
        }
    }

    fn tell_infeasible(&mut self) {
        let mut codes: BTreeMap<Code, usize> = BTreeMap::new();
        let mut greedy: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        let mut promised: BTreeSet<(String, String)> = BTreeSet::new();
        for placement in &self.placements {
            let sum = placement.sum_up();
            let about_volumes: Vec<&NodeReason> = sum
                .reasons
                .iter()
                .filter(|reason| reason.is_about_volumes())
                .collect();
            if let Some(first) = about_volumes.first() {
                *codes.entry(first.code()).or_default() += 1;
            }
            for reason in about_volumes {
                match reason {
                    NodeReason::NoVolumeOnNode { claim, near, .. } => {
                        if let Some(taker) = taker_of(near) {
                            greedy
                                .entry((claim.clone(), taker))
                                .or_default()
                                .push(placement.node.name.clone());
                        }
                    }
                    NodeReason::SelectedNodeElsewhere { claim, node } => {
                        promised.insert((claim.clone(), node.clone()));
                    }
                    _ => {}
                }
            }
        }
        let mut why: Vec<(String, usize)> = codes
            .into_iter()
            .map(|(code, count)| (code.name().to_owned(), count))
            .collect();
        why.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), code.clone()));
        let nodes = self.placements.len();
        let said = say_once(self.state, &self.placements);
        let (because, advice) = said.map_or((None, None), |said| (Some(said.because), said.advice));
        self.causes.insert(
            0,
            PodCause::NoFeasibleNode {
                nodes,
                why,
                because,
                advice,
            },
        );
        for ((claim, taker), nodes) in greedy {
            self.causes.push(PodCause::SmallerClaimFirst {
                claim,
                taker,
                nodes,
            });
        }
        for (claim, node) in promised {
            self.suggest_forgetting(&claim, &node);
        }
    }

    /// A claim that is pinned to a node that is gone, or that cannot take the pod, has to forget it.
    fn suggest_forgetting(&mut self, claim: &str, node: &str) {
        let exists = self.state.find_node(node).is_some();
        let why = if exists {
            "which cannot take the pod"
        } else {
            "which does not exist"
        };
        self.suggestions.push(Suggestion {
            summary: format!("Let claim {claim} forget node {node}, {why}"),
            commands: vec![command(&[
                "kubectl",
                "annotate",
                "pvc",
                claim,
                "-n",
                &self.pod.key.namespace,
                "volume.kubernetes.io/selected-node-",
            ])],
            danger: Danger::Reversible,
        });
    }
}

/// The claim of the same pod that took what another one needed.
fn taker_of(near: &[(String, Vec<VolumeReason>)]) -> Option<String> {
    near.iter().find_map(|(_, reasons)| match &reasons[..] {
        [VolumeReason::TakenByOtherClaim { claim }] => Some(claim.name.clone()),
        _ => None,
    })
}
