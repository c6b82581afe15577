//! Would a volume be made for a claim, by whom, and what stands in the way (R90–R99).

use super::foreign_messages::{
    ProvisioningError, find_provisioning_error, is_by, is_by_controller,
};
use crate::conventions::annotations::OWN_COMPONENT;
use crate::conventions::class_name::{
    HOST_PATH, IN_TREE_PREFIX, NFS, NO_PROVISIONER, migrated_driver,
};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_ref::similar_names;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{BindingMode, CLAIM, Claim, Class, ClusterState, Event, Kind};
use crate::report::{
    ClaimCause, DataSourceName, NotReady, ProvisionedBy, Says, SourceKind, Unknown, UnknownReason,
    UnknownRemedy, UnknownSubject,
};
use std::collections::BTreeSet;
use std::fmt;

/// Who the controller turns to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Maker {
    /// The controller itself: host-path (R96).
    Internal,
    /// A provisioner outside, by this name.
    External { name: String, by: ProvisionedBy },
    /// `kubernetes.io/no-provisioner` (R94).
    Nobody,
    /// A `kubernetes.io/…` name that nothing implements (R93, R94).
    Unimplemented(NoPlugin),
}

impl Maker {
    /// Upstream: pv_controller.go, findProvisionablePlugin.
    pub(crate) fn of(class: &Class) -> Self {
        let name = class.provisioner.as_str();
        if let Some(driver) = migrated_driver(name) {
            return Self::External {
                name: driver.to_owned(),
                by: ProvisionedBy::Migrated,
            };
        }
        match name {
            HOST_PATH => Self::Internal,
            NO_PROVISIONER => Self::Nobody,
            NFS => Self::Unimplemented(NoPlugin::NotProvisionable),
            _ if name.starts_with(IN_TREE_PREFIX) => {
                Self::Unimplemented(NoPlugin::NotNamed(name.to_owned()))
            }
            _ => Self::External {
                name: name.to_owned(),
                by: ProvisionedBy::External,
            },
        }
    }
}

/// Why the controller finds no plugin for the provisioner of a class, in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoPlugin {
    /// There is a plugin, which cannot provision.
    NotProvisionable,
    /// There is none of this name.
    NotNamed(String),
}

impl fmt::Display for NoPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotProvisionable => f.write_str("no provisionable volume plugin matched"),
            Self::NotNamed(name) => write!(f, "no volume plugin matched name: {name}"),
        }
    }
}

fn failed(message: String) -> Says {
    Says::new("Warning", "ProvisioningFailed", message)
}

/// What Kubernetes says when the class is not there (R91).
pub(crate) fn says_class_missing(class: &str) -> Says {
    failed(format!("storageclass.storage.k8s.io \"{class}\" not found"))
}

/// What Kubernetes says when it turns to `maker`. Nothing for success inside the controller without a uid to name it by.
pub(crate) fn says(state: &ClusterState, claim: &Claim, class: &Class, maker: &Maker) -> Vec<Says> {
    match maker {
        Maker::Nobody => vec![failed(
            NoPlugin::NotNamed(NO_PROVISIONER.to_owned()).to_string(),
        )],
        Maker::Unimplemented(error) => vec![failed(error.to_string())],
        Maker::External { name, .. } => vec![Says::new(
            "Normal",
            "ExternalProvisioning",
            format!(
                "Waiting for a volume to be created either by the external provisioner '{name}' or manually by the system \
                 administrator. If volume creation is delayed, please verify that the provisioner is running and correctly \
                 registered."
            ),
        )],
        Maker::Internal => match internal_refusal(state, claim, class) {
            Some(refusal) => vec![refusal.says()],
            None => made_event(state, claim).into_iter().collect(),
        },
    }
}

fn made_event(state: &ClusterState, claim: &Claim) -> Option<Says> {
    let name = volume_name(claim)?;
    // A volume of that name means that the work was done before (R96).
    let message = format!("Successfully provisioned volume {name} using {HOST_PATH}");
    state
        .find_volume(&name)
        .is_none()
        .then(|| Says::new("Normal", "ProvisioningSucceeded", message))
}

/// Why the provisioner inside the controller refuses, in its words (R96).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InternalRefusal {
    /// It fills no volumes. That is checked before anything is written.
    DataSource,
    /// The class has mount options.
    MountOptions { class: String, options: Vec<String> },
    /// The node chosen for the claim does not exist.
    NodeNotFound(String),
    /// It provisions no block volumes. Only that fails in the attempt itself.
    BlockVolume { class: String },
}

impl fmt::Display for InternalRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DataSource => write!(
                f,
                "plugin \"{HOST_PATH}\" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource"
            ),
            Self::MountOptions { class, options } => write!(
                f,
                "Mount options are not supported by the provisioner but StorageClass \"{class}\" has mount options [{}]",
                options.join(" ")
            ),
            Self::NodeNotFound(node) => {
                write!(f, "Failed to get target node: node \"{node}\" not found")
            }
            Self::BlockVolume { class } => write!(
                f,
                "Failed to provision volume with StorageClass \"{class}\": {HOST_PATH} does not support block volume provisioning"
            ),
        }
    }
}

impl InternalRefusal {
    /// The event that reports it.
    pub(crate) fn says(&self) -> Says {
        failed(self.to_string())
    }
}

/// Whether and why the provisioner inside the controller refuses.
pub(crate) fn internal_refusal(
    state: &ClusterState,
    claim: &Claim,
    class: &Class,
) -> Option<InternalRefusal> {
    if claim.data_source.is_some() || claim.data_source_ref.is_some() {
        return Some(InternalRefusal::DataSource);
    }
    if volume_name(claim).is_some_and(|name| state.find_volume(&name).is_some()) {
        return None;
    }
    let name = || class.name.clone();
    if !class.mount_options.is_empty() {
        return Some(InternalRefusal::MountOptions {
            class: name(),
            options: class.mount_options.clone(),
        });
    }
    if let Some(node) = missing_selected_node(state, claim) {
        return Some(InternalRefusal::NodeNotFound(node.to_owned()));
    }
    let is_block = claim.volume_mode() == VolumeMode::Block;
    is_block.then(|| InternalRefusal::BlockVolume { class: name() })
}

/// Whether the attempt itself fails inside the controller, which then takes the selected node away: the claim waits for a pod
/// again, and that is said too (R96, seen live).
pub(crate) fn forgets_its_node(
    state: &ClusterState,
    claim: &Claim,
    class: &Class,
    maker: &Maker,
) -> bool {
    let refusal = (*maker == Maker::Internal).then(|| internal_refusal(state, claim, class));
    matches!(refusal, Some(Some(InternalRefusal::BlockVolume { .. })))
}

/// The node chosen for the claim, if the nodes were seen and it is not among them.
pub(crate) fn missing_selected_node<'a>(state: &ClusterState, claim: &'a Claim) -> Option<&'a str> {
    let node = claim.selected_node()?;
    let there = state.objects().nodes.iter().any(|known| known.name == node);
    (!there && state.saw(Kind::Nodes, None)).then_some(node)
}

/// The name of the volume that would be made (A52).
pub(crate) fn volume_name(claim: &Claim) -> Option<String> {
    claim.uid.as_ref().map(|uid| format!("pvc-{uid}"))
}

/// Whether an external provisioner shows signs of life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Signs {
    /// It does.
    Seen,
    /// Everything that could show it was read and shows nothing.
    None,
    /// Some of what could show it was not seen.
    NotSeen(Vec<Kind>),
}

/// Whose reports count as signs of life: any user with rights in a namespace can write events there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reports<'a> {
    /// None: something is written that depends on it.
    None,
    /// Those of the namespace of the claim in question.
    Of(&'a str),
    /// All: the answer names where they are.
    All,
}

/// Looks for signs of a provisioner: a CSIDriver, a CSINode entry, a volume it made, an event of its own.
pub(crate) fn signs_of(state: &ClusterState, name: &str, reports: Reports<'_>) -> Signs {
    let objects = state.objects();
    let seen = objects.csi_drivers.iter().any(|driver| driver.name == name)
        || objects
            .csi_nodes
            .iter()
            .any(|node| node.drivers.iter().any(|driver| driver == name))
        || state.has_volume_made_by(name)
        || reports_of(state, name).any(|event| match reports {
            Reports::None => false,
            Reports::Of(namespace) => event.namespace == namespace,
            Reports::All => true,
        });
    if seen {
        return Signs::Seen;
    }
    let wanted = [Kind::CsiDrivers, Kind::CsiNodes, Kind::Volumes];
    let unseen: Vec<Kind> = wanted
        .into_iter()
        .filter(|kind| !state.saw(*kind, None))
        .collect();
    if unseen.is_empty() {
        Signs::None
    } else {
        Signs::NotSeen(unseen)
    }
}

/// The events that a provisioner of this name reports about claims and volumes that exist.
pub(crate) fn reports_of<'a>(
    state: &'a ClusterState,
    name: &'a str,
) -> impl Iterator<Item = &'a Event> {
    let events = state.events_about_storage();
    events.filter(move |event| is_by(event, name))
}

/// The entries for namespaces that hold such events: they prove nothing about claims of other namespaces.
pub(crate) fn reported_elsewhere(
    state: &ClusterState,
    name: &str,
    own: Option<&str>,
) -> Option<Unknown> {
    let namespaces: BTreeSet<&str> = reports_of(state, name)
        .map(|event| event.namespace.as_str())
        .filter(|namespace| Some(*namespace) != own)
        .collect();
    let namespace = namespaces.first()?;
    Some(Unknown {
        what: UnknownSubject::Signature {
            provisioner: name.to_owned(),
            namespace: (*namespace).to_owned(),
        },
        why: UnknownReason::NotObservable,
        remedy: Some(UnknownRemedy::Run(CommandLine::of(&[
            "kubectl", "get", "events", "-n", namespace,
        ]))),
    })
}

/// The registered drivers most like a name, or all of them if they are few.
pub(crate) fn registered_like(state: &ClusterState, name: &str) -> Vec<String> {
    let drivers: Vec<&str> = state
        .objects()
        .csi_drivers
        .iter()
        .map(|driver| driver.name.as_str())
        .collect();
    let near = similar_names(name, drivers.iter().copied());
    let chosen = if near.is_empty() && drivers.len() <= 5 {
        drivers
    } else {
        near
    };
    chosen.into_iter().map(str::to_owned).collect()
}

/// The error the provisioner reported last, if it has not succeeded or started again since.
pub(crate) fn last_failure(
    state: &ClusterState,
    claim: &Claim,
    maker: &Maker,
) -> Option<ClaimCause> {
    let error = |event: &Event| find_provisioning_error(event);
    let speaks = |event: &&Event| match maker {
        // What this program refuses, it refuses in the provisioner's place.
        Maker::External { name, .. } => is_by(event, name) || event.component == OWN_COMPONENT,
        // Of the controller's own words only those about the attempt itself; the others are told by the state.
        Maker::Internal => {
            let is_told_by_state = matches!(
                error(event),
                Some(ProvisioningError::ClassNotFound | ProvisioningError::ObjectNotFound)
            );
            is_by_controller(event) && !is_told_by_state
        }
        Maker::Nobody | Maker::Unimplemented(_) => false,
    };
    let last = state
        .events_about(CLAIM, &claim.key, claim.uid.as_deref())
        .filter(speaks)
        .max_by_key(|event| (event.last_seen, error(event).is_some()))?;
    let error = error(last)?;
    Some(ClaimCause::ProvisioningFailed {
        provisioner: match maker {
            Maker::External { name, .. } => name.clone(),
            _ => HOST_PATH.to_owned(),
        },
        message: last.message.clone(),
        binds_too_early: (error == ProvisioningError::NodeNotChosen)
            .then(|| find_early_class(state, claim))
            .flatten(),
    })
}

/// The claim's class, if it does not wait until a node is chosen.
fn find_early_class(state: &ClusterState, claim: &Claim) -> Option<String> {
    let class = state.find_class(claim.class.resolved())?;
    (class.binding_mode == BindingMode::Immediate).then(|| class.name.clone())
}

/// What is wrong with what the volume is to be filled from (only provisioners look at it).
pub(crate) fn data_source_problem(state: &ClusterState, claim: &Claim) -> Option<ClaimCause> {
    let source = claim
        .data_source_ref
        .as_ref()
        .or(claim.data_source.as_ref())?;
    let namespace = source.namespace.as_deref().unwrap_or(&claim.key.namespace);
    let key = crate::conventions::object_ref::ObjectKey::new(namespace, &*source.name);
    let named = |kind: SourceKind| DataSourceName {
        kind,
        name: source.name.clone(),
    };
    match (source.group.as_deref().unwrap_or(""), source.kind.as_str()) {
        ("", "PersistentVolumeClaim") => {
            if !state.saw(Kind::Claims, Some(namespace)) {
                return None;
            }
            match state.find_claim(&key) {
                None => Some(ClaimCause::DataSourceNotFound {
                    source: named(SourceKind::PersistentVolumeClaim),
                }),
                Some(claim) if claim.phase != crate::model::ClaimPhase::Bound => {
                    Some(ClaimCause::DataSourceNotReady {
                        source: named(SourceKind::PersistentVolumeClaim),
                        why: NotReady::Phase(claim.phase),
                    })
                }
                Some(_) => None,
            }
        }
        ("snapshot.storage.k8s.io", "VolumeSnapshot") => {
            let is_unread = state.find_unread(Kind::Snapshots, &key).is_some();
            if is_unread || !state.saw(Kind::Snapshots, Some(namespace)) {
                return None;
            }
            match state
                .objects()
                .snapshots
                .iter()
                .find(|snapshot| snapshot.key == key)
            {
                None => Some(ClaimCause::DataSourceNotFound {
                    source: named(SourceKind::VolumeSnapshot),
                }),
                Some(snapshot) if !snapshot.is_ready => Some(ClaimCause::DataSourceNotReady {
                    source: named(SourceKind::VolumeSnapshot),
                    why: snapshot
                        .error
                        .clone()
                        .map_or(NotReady::Snapshot, NotReady::SnapshotError),
                }),
                Some(_) => None,
            }
        }
        // Other kinds are filled by populators we do not know.
        _ => None,
    }
}
