//! What a provisioner of the cluster is asked for: what makes it start is written, and then its work is waited for.

use super::super::bind_writes::assign_class;
use super::super::draft::Draft;
use super::super::operation::{Operation, Patch, Wait};
use super::super::plan::{Deed, Errand, MadeBy, Product};
use super::{ProvisionQuestion, target};
use crate::conventions::annotations::{
    BETA_STORAGE_PROVISIONER, SELECTED_NODE, STORAGE_PROVISIONER,
};
use crate::conventions::object_ref::ObjectKey;
use crate::engine::DelegatedMaking;
use crate::engine::refusal::{ProvisionEvidence, Refusal, Standing};
use crate::model::Claim;
use serde_json::{Map, json};

/// A claim whose volume somebody else makes.
pub(super) struct AwaitedClaim {
    claim: Claim,
    errand: usize,
    provisioner: String,
}

pub(super) fn plan(
    draft: &mut Draft,
    claim: &Claim,
    making: &DelegatedMaking,
    question: &ProvisionQuestion<'_>,
) -> Option<AwaitedClaim> {
    let first_change = draft.plan.changes.len();
    let node = making.selected_node.as_ref().map(|node| &node.name);
    let at = node.map_or(String::new(), |node| format!(", node {node}"));
    draft.begin(Errand {
        claim: Some(claim.key.clone()),
        volume: making.volume_name.clone().unwrap_or_default(),
        what: format!("asks {}{at}", making.provisioner),
        deed: Deed::Make(Product {
            class: making.class.clone(),
            size: claim
                .requested
                .as_ref()
                .map_or(String::new(), ToString::to_string),
            warnings: making.warnings.clone(),
            by: if question.waits {
                MadeBy::AskedAndAwaited
            } else {
                MadeBy::Asked
            },
        }),
    });
    if let Some(class) = &making.assigned_class {
        assign_class(draft, &claim.key, class);
    }
    let mut annotations: Vec<(&str, &str)> = Vec::new();
    if making.needs_annotations {
        annotations.push((STORAGE_PROVISIONER, &making.provisioner));
        annotations.push((BETA_STORAGE_PROVISIONER, &making.provisioner));
    }
    let mut why = format!("{} acts on claims that name it", making.provisioner);
    if let Some(node) = &making.selected_node {
        annotations.push((SELECTED_NODE, &node.name));
        why = format!("{why}, for {}: {}", node.name, node.why);
    }
    if !annotations.is_empty() {
        annotate(draft, &claim.key, &annotations, why);
    }
    if question.waits {
        return Some(AwaitedClaim {
            claim: claim.clone(),
            errand: draft.plan.errands.len() - 1,
            provisioner: making.provisioner.clone(),
        });
    }
    if draft.plan.changes.len() == first_change {
        draft.plan.errands.pop();
        let evidence = ProvisionEvidence::AskedBefore {
            provisioner: making.provisioner.clone(),
            could_wait: question.is_live,
        };
        let refusal = Refusal::new(evidence).standing(Standing::Fine);
        draft.refuse(target(claim), refusal);
    }
    None
}

impl AwaitedClaim {
    pub(super) fn plan(self, draft: &mut Draft) {
        let why = format!("{} makes the volume", self.provisioner);
        let provisioner = self.provisioner;
        let wait = Operation::Wait(Wait::ClaimIsBound { provisioner });
        draft.add(target(&self.claim), wait, why).errand = self.errand;
    }
}

/// Plans annotations of a claim.
pub(super) fn annotate(
    draft: &mut Draft,
    key: &ObjectKey,
    annotations: &[(&str, &str)],
    why: String,
) {
    let Some(mut claim) = draft.state.find_claim(key).cloned() else {
        return;
    };
    let values: Map<String, serde_json::Value> = annotations
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    let body = json!({ "metadata": { "annotations": values } });
    draft.patch((&claim).into(), Patch::object(body), why);
    for (key, value) in annotations {
        let (key, value) = ((*key).to_owned(), (*value).to_owned());
        claim.annotations.insert(key, value);
    }
    draft.state.swap_claim(claim);
}
