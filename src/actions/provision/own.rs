//! What this program makes itself: first the claim is ours, then there is an asset, then its volume, then the bind. Whatever
//! speaks against it is found before anything is made.

use super::super::asset_check::{AssetCheck, check_asset, low_space};
use super::super::backend_facts::{KnownBackend, Offer};
use super::super::bind_writes::{VERSION_IN_CLAIM_REF, assign_class, bind};
use super::super::draft::{Draft, Patched};
use super::super::event::{Happening, News, tell};
use super::super::inquiry::Inquiry;
use super::super::make_asset::make_asset;
use super::super::new_volume::NewVolume;
use super::super::operation::{Creation, Fill, FillWith, Operation};
use super::super::plan::{Deed, Errand, MadeBy, Product, Target};
use super::super::this_node::{ChosenBy, check_this_node};
use super::{ProvisionQuestion, refuse, target};
use crate::conventions::annotations::{BETA_STORAGE_PROVISIONER, STORAGE_PROVISIONER};
use crate::engine::refusal::{
    AssetEvidence, NameHolder, ProvisionEvidence, Refusal, RefusedOffer, Several,
};
use crate::engine::{OwnMaking, proves};
use crate::model::Claim;
use crate::model::asset::{AssetName, CreateRequest, NodeName, Owner};
use crate::report::Code;
use serde_json::Value;

/// Where a claim shows how much it has.
const CAPACITY_OF_CLAIM: &str = "/status/capacity/storage";

pub(super) fn plan(
    draft: &mut Draft,
    claim: &Claim,
    making: &OwnMaking,
    question: &ProvisionQuestion<'_>,
    inquiry: &Inquiry<'_>,
) {
    let Some(backend) = inquiry.find(&making.provisioner) else {
        return;
    };
    let asked = Asked {
        claim,
        making,
        backend,
        question,
        inquiry,
    };
    let warning = match asked.check_node(draft) {
        Ok(warning) => warning,
        // Another machine serves the claim: that is nothing to report on it.
        Err(refusal) => return draft.refuse(target(claim), refusal),
    };
    let (request, offer) = match asked.find_offer(draft) {
        Ok(Some(found)) => found,
        // The backend is asked first.
        Ok(None) => return,
        Err(refusal) => return refuse(draft, claim, refusal),
    };
    draft.warn_of_rival(target(claim), &making.provisioner);
    if let Some(message) = warning {
        draft.warn(target(claim), Code::NotThisNode, message);
    }
    let check = match asked.check_room(draft, &request) {
        None => return,
        Some(Ok(check)) => check,
        Some(Err(evidence)) => return refuse(draft, claim, Refusal::new(evidence)),
    };
    let new = asked.volume(&request, offer);
    for unknown in &making.unknowns {
        if !draft.plan.unknowns.contains(unknown) {
            draft.plan.unknowns.push(unknown.clone());
        }
    }
    draft.begin(Errand {
        claim: Some(claim.key.clone()),
        volume: making.volume_name.clone(),
        what: format!("made here by {}", making.provisioner),
        deed: Deed::Make(Product {
            class: making.class.clone(),
            size: new.capacity.to_string(),
            warnings: making.warnings.clone(),
            by: MadeBy::Us,
        }),
    });
    let first = draft.plan.changes.len();
    claim_it(draft, claim, making);
    let made = make_asset(draft, backend, &request);
    draft.check_before(first, check);
    create_volume(draft, &new, offer.asset.is_some(), made);
    draft.state.add_volume(new.volume());
    let why = "it was made for the claim";
    let first = draft.plan.changes.len();
    bind(draft, &claim.key, &making.volume_name, why);
    for change in &mut draft.plan.changes[first..] {
        if let Operation::Patch(patch) = &mut change.operation
            && patch.body.pointer(CAPACITY_OF_CLAIM).is_some()
        {
            patch.fills.push(Fill {
                place: CAPACITY_OF_CLAIM,
                change: made,
                with: FillWith::Capacity,
            });
        }
    }
    let message = format!("Successfully provisioned volume {}", making.volume_name);
    let what = Happening {
        news: News::Succeeded,
        volume: &making.volume_name,
        code: "",
    };
    tell(draft, claim, what, &message);
}

/// A claim, and what its volume is provisioned by.
struct Asked<'a> {
    claim: &'a Claim,
    making: &'a OwnMaking,
    backend: &'a KnownBackend,
    question: &'a ProvisionQuestion<'a>,
    inquiry: &'a Inquiry<'a>,
}

/// What is asked of a backend, and what it offers; absent until it has answered.
type Found<'a> = Option<(CreateRequest, &'a Offer)>;

impl<'a> Asked<'a> {
    /// A directory of one node is created on that node. The text is a warning.
    fn check_node(&self, draft: &Draft) -> Result<Option<String>, Refusal> {
        let host = self.question.host.filter(|_| self.question.is_live);
        let (Some(host), Some(node)) = (host, &self.making.node) else {
            return Ok(None);
        };
        if !self.backend.needs_node {
            return Ok(None);
        }
        let chosen_by = match self.question.node {
            Some(_) => ChosenBy::Flag,
            None => ChosenBy::Cluster,
        };
        check_this_node(&draft.state, host, self.backend, (&node.name, chosen_by))
    }

    /// What is offered for a claim, proven to be what it asks for; or why not.
    fn find_offer(&self, draft: &Draft) -> Result<Found<'a>, Refusal> {
        let making = self.making;
        let maker = &making.provisioner;
        let has_hostname = making
            .node
            .as_ref()
            .is_some_and(|node| node.hostname.is_some());
        if self.backend.needs_node && !has_hostname {
            let provisioner = maker.clone();
            return Err(ProvisionEvidence::NodeUnknown { provisioner }.into());
        }
        if let Some(other) = draft.state.find_volume(&making.volume_name) {
            let holder = match &other.claim_ref {
                _ if other.deleted.is_some() => NameHolder::BeingDeleted,
                Some(reference) => NameHolder::Claim(reference.key()),
                None => NameHolder::Free,
            };
            let volume = other.name.clone();
            return Err(ProvisionEvidence::NameTaken { volume, holder }.into());
        }
        let Some((request, offer)) = self.ask()? else {
            return Ok(None);
        };
        if offer.asset.is_none() && !self.question.is_live {
            let provisioner = maker.clone();
            return Err(ProvisionEvidence::ProgramNotAsked { provisioner }.into());
        }
        let planned = self.volume(&request, offer).volume();
        let reasons = proves(&draft.state, self.claim, &planned, self.question.rules);
        if let Some(reasons) = Several::of(reasons) {
            let provisioner = maker.clone();
            return Err(ProvisionEvidence::Offer(RefusedOffer {
                provisioner,
                reasons,
            })
            .into());
        }
        Ok(Some((request, offer)))
    }

    /// What the backend offers; or why it does not.
    fn ask(&self) -> Result<Found<'a>, Refusal> {
        let failed = |message| Refusal::new(ProvisionEvidence::BackendFailed { message });
        let maker = &self.making.provisioner;
        match self.inquiry.can_create(maker) {
            None => return Ok(None),
            Some(Err(error)) => return Err(failed(error.clone())),
            Some(Ok(false)) => {
                let provisioner = maker.clone();
                return Err(ProvisionEvidence::CannotCreate { provisioner }.into());
            }
            Some(Ok(true)) => {}
        }
        let request = request_for(self.claim, self.making).map_err(failed)?;
        let Some(offer) = self.inquiry.offer(maker, &request) else {
            return Ok(None);
        };
        let offer = offer.as_ref().map_err(|error| failed(error.clone()))?;
        Ok(Some((request, offer)))
    }

    /// Whether there is room, and the right to use it: the check to repeat before the first write. `None` until the backend has
    /// answered.
    fn check_room(
        &self,
        draft: &mut Draft,
        request: &CreateRequest,
    ) -> Option<Result<Option<AssetCheck>, AssetEvidence>> {
        let check = AssetCheck::creation(&self.backend.provisioner);
        if let Some(message) = self.find_low_space(&check, request) {
            draft.warn(target(self.claim), Code::LowSpace, message);
        }
        check_asset(self.inquiry, draft, check, self.question.is_live)
    }

    fn find_low_space(&self, check: &AssetCheck, request: &CreateRequest) -> Option<String> {
        if !self.question.is_live || !self.backend.keeps_records {
            return None;
        }
        low_space(self.inquiry.readiness(check)?, self.backend, &request.size)
    }

    fn volume(&self, request: &CreateRequest, offer: &Offer) -> NewVolume<'a> {
        let asset = offer.asset.as_ref();
        let node = self.making.node.as_ref();
        let hostname = node.and_then(|node| node.hostname.clone());
        NewVolume {
            claim: self.claim,
            making: self.making,
            capacity: asset.map_or_else(|| request.size.clone(), |made| made.capacity.clone()),
            labels: offer.labels.clone(),
            source: asset.map(|made| made.source.clone()),
            node: asset.and_then(|made| made.node.as_ref()).and(hostname),
        }
    }
}

fn request_for(claim: &Claim, making: &OwnMaking) -> Result<CreateRequest, String> {
    let name = AssetName::find(&making.volume_name)
        .ok_or_else(|| format!("`{}` is no name for an asset", making.volume_name))?;
    let size = claim.requested.clone();
    let size = size.ok_or_else(|| "the claim does not say how much it needs".to_owned())?;
    Ok(CreateRequest {
        name,
        owner: Owner::Claim {
            namespace: claim.key.namespace.clone(),
            name: claim.key.name.clone(),
            uid: claim.uid.clone().unwrap_or_default(),
        },
        size,
        policy: making.reclaim_policy.clone(),
        class: making.class.clone(),
        access_modes: claim.access_modes(),
        volume_mode: claim.volume_mode(),
        parameters: making.parameters.clone(),
        options: making.options.clone(),
        node: making.node.as_ref().and_then(|node| {
            Some(NodeName {
                name: node.name.clone(),
                hostname: node.hostname.clone()?,
            })
        }),
    })
}

/// Class and annotations: from now on everybody knows whose the claim is.
fn claim_it(draft: &mut Draft, claim: &Claim, making: &OwnMaking) {
    if let Some(class) = &making.assigned_class {
        assign_class(draft, &claim.key, class);
    }
    if !making.needs_annotations {
        return;
    }
    let why = format!("{} is its provisioner", making.provisioner);
    super::delegated::annotate(
        draft,
        &claim.key,
        &[STORAGE_PROVISIONER, BETA_STORAGE_PROVISIONER].map(|key| (key, &*making.provisioner)),
        why,
    );
}

fn create_volume(draft: &mut Draft, new: &NewVolume<'_>, is_foreseen: bool, asset: usize) {
    let mut object = new.object();
    let written = draft.last_change(&Patched::from(new.claim).target);
    if written.is_some() {
        object["spec"]["claimRef"]["resourceVersion"] = Value::Null;
    }
    let why = if is_foreseen {
        "it stands for the asset and belongs to the claim".to_owned()
    } else {
        "it stands for the asset, whose source its program tells, and belongs to the claim"
            .to_owned()
    };
    let made = Fill {
        place: "",
        change: asset,
        with: FillWith::Asset,
    };
    let written = written.map(|change| Fill {
        place: VERSION_IN_CLAIM_REF,
        change,
        with: FillWith::Version,
    });
    let creation = Creation {
        object,
        fills: [made].into_iter().chain(written).collect(),
    };
    let target = Target::volume(&new.making.volume_name, None);
    draft.create(target, creation, why).after = (!is_foreseen).then_some(asset);
}
