//! In-tree volumes as the CSI drivers see them that took them over (R3, R104).

use crate::conventions::class_name::migrated_driver;
use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::model::{ClusterState, Node, Volume};
use std::borrow::Cow;

const ZONE: &str = "topology.kubernetes.io/zone";
const REGION: &str = "topology.kubernetes.io/region";
const BETA_ZONE: &str = "failure-domain.beta.kubernetes.io/zone";
const BETA_REGION: &str = "failure-domain.beta.kubernetes.io/region";

/// Several zones in one label.
const ZONE_SEPARATOR: &str = "__";

/// The in-tree name behind a volume's source, for those the scheduler takes over.
pub(super) fn plugin_of(volume: &Volume) -> Option<&'static str> {
    Some(match volume.source.field.as_str() {
        "awsElasticBlockStore" => "kubernetes.io/aws-ebs",
        "gcePersistentDisk" => "kubernetes.io/gce-pd",
        "azureDisk" => "kubernetes.io/azure-disk",
        "cinder" => "kubernetes.io/cinder",
        "portworxVolume" => "kubernetes.io/portworx-volume",
        _ => return None,
    })
}

/// The driver that answers for a volume, and the volume's name there; `None` if no driver does.
pub(crate) fn driver_and_handle(volume: &Volume) -> Option<(String, String)> {
    let location = volume.source.location.clone().unwrap_or_default();
    if volume.source.field == "csi" {
        return Some((volume.source.driver.clone().unwrap_or_default(), location));
    }
    let driver = migrated_driver(plugin_of(volume)?)?;
    // `aws://zone/vol-1` and `vol-1` are one disk.
    let handle = match location.rsplit_once('/') {
        Some((_, last)) if volume.source.field == "awsElasticBlockStore" => last.to_owned(),
        _ => location,
    };
    Some((driver.to_owned(), handle))
}

/// The node affinity that counts on a node: on one that leaves the volume's kind to a driver, zones are spelled with the
/// driver's own key.
///
/// Upstream: csi-translation-lib/plugins/in_tree_volume.go, translateTopologyFromInTreeToCSI.
pub(super) fn affinity_on<'a>(
    state: &ClusterState,
    volume: &'a Volume,
    node: &Node,
) -> Option<Cow<'a, NodeSelector>> {
    let own = volume.node_affinity.as_ref().map(Cow::Borrowed);
    let Some(plugin) = plugin_of(volume) else {
        return own;
    };
    let is_left_to_driver = state
        .find_csi_node(&node.name)
        .is_some_and(|csi| csi.migrated_plugins.iter().any(|name| name == plugin));
    match zone_key(plugin).filter(|_| is_left_to_driver) {
        Some(key) => translated(volume, key).map(Cow::Owned).or(own),
        None => own,
    }
}

/// The drivers' keys for zones; azure-disk and portworx have none of that kind.
fn zone_key(plugin: &str) -> Option<&'static str> {
    match plugin {
        "kubernetes.io/aws-ebs" => Some("topology.ebs.csi.aws.com/zone"),
        "kubernetes.io/gce-pd" => Some("topology.gke.io/zone"),
        "kubernetes.io/cinder" => Some("topology.cinder.csi.openstack.org/zone"),
        _ => None,
    }
}

fn translated(volume: &Volume, key: &str) -> Option<NodeSelector> {
    let affinity = volume.node_affinity.clone();
    let mentions = |label: &str| {
        let terms = affinity.iter().flat_map(|affinity| &affinity.terms);
        terms
            .flat_map(|term| &term.match_expressions)
            .any(|requirement| requirement.key == label)
    };
    let (zone, region) = if mentions(ZONE) {
        (ZONE, REGION)
    } else if mentions(BETA_ZONE)
        || (!volume.labels.contains_key(ZONE) && volume.labels.contains_key(BETA_ZONE))
    {
        (BETA_ZONE, BETA_REGION)
    } else {
        (ZONE, REGION)
    };
    let mut terms = affinity.map(|affinity| affinity.terms);
    let has_values = |terms: &[NodeSelectorTerm], label: &str| {
        terms
            .iter()
            .flat_map(|term| &term.match_expressions)
            .any(|requirement| requirement.key == label && !requirement.values.is_empty())
    };
    if terms
        .as_deref()
        .is_some_and(|terms| has_values(terms, zone))
    {
        rename(terms.as_mut()?, zone, key);
    } else if let Some(label) = volume.labels.get(zone) {
        add_zones(&mut terms, label, key);
    }
    if region == BETA_REGION
        && terms
            .as_deref()
            .is_some_and(|terms| has_values(terms, region))
    {
        rename(terms.as_mut()?, region, REGION);
    }
    terms.map(|terms| NodeSelector { terms })
}

fn rename(terms: &mut [NodeSelectorTerm], from: &str, to: &str) {
    let requirements = terms
        .iter_mut()
        .flat_map(|term| &mut term.match_expressions);
    for requirement in requirements.filter(|requirement| requirement.key == from) {
        to.clone_into(&mut requirement.key);
    }
}

fn add_zones(terms: &mut Option<Vec<NodeSelectorTerm>>, label: &str, key: &str) {
    let zones: Vec<String> = label
        .split(ZONE_SEPARATOR)
        .map(str::trim)
        .filter(|zone| !zone.is_empty())
        .map(str::to_owned)
        .collect();
    if zones.is_empty() {
        return;
    }
    let terms = terms.get_or_insert_default();
    if terms.is_empty() {
        terms.push(NodeSelectorTerm::default());
    }
    for term in terms {
        term.match_expressions.push(Requirement {
            key: key.to_owned(),
            operator: Operator::In,
            values: zones.clone(),
        });
    }
}
