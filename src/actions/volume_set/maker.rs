//! Who makes the members of a set: a backend of this machine that its template names, or nobody, where the template says all
//! there is to say.

use super::super::asset_check::AssetCheck;
use super::super::backend_facts::KnownBackend;
use super::super::this_node::{ChosenBy, check_this_node};
use super::Work;
use crate::engine::refusal::{ProvisionEvidence, Refusal, SetEvidence};
use crate::engine::{find_host, serves_name};
use crate::model::asset::NodeName;
use crate::model::{Kind, Node};
use std::collections::BTreeMap;

/// The label that tells hosts apart.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Who makes members, and for which node.
pub(super) struct Maker<'a> {
    pub(super) backend: Option<&'a KnownBackend>,
    pub(super) node: Option<NodeName>,
    /// That this machine is not a Node.
    pub(super) warning: Option<String>,
    /// What is checked again before the first write about a member.
    pub(super) check: Option<AssetCheck>,
    /// What the class of the members says, if its provisioner is the backend.
    pub(super) parameters: BTreeMap<String, String>,
}

impl Maker<'_> {
    /// Whether somebody can look what is left behind a number that was given before.
    pub(super) fn can_look(&self) -> bool {
        self.backend.is_some_and(|backend| backend.keeps_records)
    }
}

/// A backend says no, or does not say anything.
pub(super) fn failed(error: &str) -> Refusal {
    let message = error.to_owned();
    ProvisionEvidence::BackendFailed { message }.into()
}

impl<'a> Work<'a> {
    /// Finds out who makes the members of the set; `None` until the backend has answered.
    pub(super) fn find_maker(&self) -> Result<Option<Maker<'a>>, Refusal> {
        let Some(name) = self.set.provisioner() else {
            return Ok(Some(Maker {
                backend: None,
                node: None,
                warning: None,
                check: None,
                parameters: BTreeMap::new(),
            }));
        };
        let Some(backend) = self.inquiry.find(name) else {
            let name = name.to_owned();
            return Err(SetEvidence::BackendNotConfigured { name }.into());
        };
        if let Some(sign) = serves_name(&self.draft.state, name) {
            let name = name.to_owned();
            return Err(ProvisionEvidence::NameServedTwice { name, sign }.into());
        }
        // A CSI driver cannot have a name with a slash.
        let drivers = [Kind::CsiDrivers, Kind::CsiNodes];
        let unseen = |kind: &Kind| !self.draft.state.saw(*kind, None);
        if let Some(kind) = drivers
            .into_iter()
            .find(unseen)
            .filter(|_| !name.contains('/'))
        {
            let resource = kind.resource();
            return Err(SetEvidence::ListNotReadable { resource }.into());
        }
        match self.inquiry.can_create(name) {
            None => return Ok(None),
            Some(Err(error)) => return Err(failed(error)),
            Some(Ok(false)) => {
                let name = name.to_owned();
                return Err(SetEvidence::CannotCreate { name }.into());
            }
            Some(Ok(true)) => {}
        }
        let node = self.find_node(backend)?;
        Ok(Some(Maker {
            backend: Some(backend),
            warning: match &node {
                Some(node) => self.check_node(backend, node)?,
                None => None,
            },
            node,
            check: None,
            parameters: self.class_parameters(name),
        }))
    }

    /// The node that directories of this machine are of.
    fn find_node(&self, backend: &KnownBackend) -> Result<Option<NodeName>, Refusal> {
        if !backend.needs_node && self.question.node.is_none() {
            return Ok(None);
        }
        let state = &self.draft.state;
        let node = match self.question.node {
            Some(name) => state.find_node(name),
            None => find_host(state, self.question.host),
        };
        let hostname = node.and_then(|node| node.labels.get(HOSTNAME));
        let Some((node, hostname)) = node.zip(hostname) else {
            let provisioner = backend.provisioner.clone();
            return Err(ProvisionEvidence::NodeUnknown { provisioner }.into());
        };
        self.check_affinity(node)?;
        Ok(Some(NodeName {
            name: node.name.clone(),
            hostname: hostname.clone(),
        }))
    }

    /// A directory of one node is created on that node. The text is a warning.
    fn check_node(
        &self,
        backend: &KnownBackend,
        node: &NodeName,
    ) -> Result<Option<String>, Refusal> {
        let question = self.question;
        let host = question.host.filter(|_| question.is_live);
        let Some(host) = host.filter(|_| backend.needs_node) else {
            return Ok(None);
        };
        let chosen_by = match question.node {
            Some(_) => ChosenBy::Flag,
            None => ChosenBy::Cluster,
        };
        let chosen = (&*node.name, chosen_by);
        check_this_node(&self.draft.state, host, backend, chosen)
    }

    /// A template that says where its volumes are must mean this node.
    fn check_affinity(&self, node: &Node) -> Result<(), Refusal> {
        let template = self.set.template.as_ref();
        let wanted = template.and_then(|template| template.volume.node_affinity.as_ref());
        match wanted {
            Some(wanted) if !wanted.matches(&node.labels) => {
                let (wanted, node) = (wanted.to_string(), node.name.clone());
                Err(SetEvidence::TemplateForOtherNodes { wanted, node }.into())
            }
            _ => Ok(()),
        }
    }

    /// What the class of the members tells its provisioner.
    fn class_parameters(&self, provisioner: &str) -> BTreeMap<String, String> {
        let template = self.set.template.as_ref();
        let class = template.map(|template| template.volume.class());
        let class = class.and_then(|name| self.draft.state.find_class(name));
        class
            .filter(|class| class.provisioner == provisioner)
            .map(|class| class.parameters.clone())
            .unwrap_or_default()
    }
}
