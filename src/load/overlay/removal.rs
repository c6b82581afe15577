//! `--without KIND/NAME`: an object as if it were not there, with what Kubernetes removes along with it.
//!
//! Finalizers are not waited for: the question is what happens once the object is gone.

use super::Within;
use crate::conventions::object_ref::{ObjectKey, OwnerRef, similar_names};
use crate::model::{Claim, ClusterState, GapReason, Kind, Objects, Origin, Pod, Workload};
use std::fmt;

/// An object to leave out, as somebody named it: `pvc/NAME`, `pvc/NAMESPACE/NAME`, `pv/NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    what: What,
    namespace: Option<String>,
    name: String,
}

/// What kind of object it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Claim,
    Volume,
    Class,
    AttributesClass,
    Pod,
    Node,
    CsiDriver,
    CsiNode,
    Capacity,
    Attachment,
    LimitRange,
    Quota,
    ConfigMap,
    Snapshot,
    VolumeSet,
    Workload(&'static str),
}

/// Why something cannot be left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemovalError {
    /// There is no such object.
    #[error("{asked} cannot be left out: there is none {wherein}")]
    NotFound {
        /// The object as it was named.
        asked: String,
        /// Where it was looked for.
        wherein: String,
        /// Objects it may be meant for, as they are to be named.
        similar: Vec<String>,
    },
    /// There are several.
    #[error("{asked} is in several namespaces: {}", namespaces.join(", "))]
    Several {
        /// The object as it was named.
        asked: String,
        /// Where it is.
        namespaces: Vec<String>,
    },
    /// Objects of this kind could not be read.
    #[error("{asked} cannot be left out: {what} {why}")]
    NotSeen {
        /// The object as it was named.
        asked: String,
        /// The kind, as RBAC names it.
        what: &'static str,
        /// Why not.
        why: &'static str,
    },
}

/// What went, beside the object itself.
#[derive(Default)]
pub(super) struct Removed {
    pub(super) claims: Vec<Claim>,
    pub(super) notes: Vec<String>,
}

/// How kinds are named, in our own words first; groups may follow, as in `-o name`.
const WORDS: [(What, &[&str]); 22] = [
    (
        What::Claim,
        &[
            "pvc",
            "pvcs",
            "persistentvolumeclaim",
            "persistentvolumeclaims",
        ],
    ),
    (
        What::Volume,
        &["pv", "persistentvolume", "persistentvolumes"],
    ),
    (What::Class, &["sc", "storageclass", "storageclasses"]),
    (
        What::AttributesClass,
        &["vac", "volumeattributesclass", "volumeattributesclasses"],
    ),
    (What::Pod, &["pod", "po", "pods"]),
    (What::Node, &["node", "no", "nodes"]),
    (What::CsiDriver, &["csidriver", "csidrivers"]),
    (What::CsiNode, &["csinode", "csinodes"]),
    (
        What::Capacity,
        &["csistoragecapacity", "csistoragecapacities"],
    ),
    (What::Attachment, &["volumeattachment", "volumeattachments"]),
    (What::LimitRange, &["limitrange", "limits", "limitranges"]),
    (What::Quota, &["quota", "resourcequota", "resourcequotas"]),
    (What::ConfigMap, &["cm", "configmap", "configmaps"]),
    (What::Snapshot, &["volumesnapshot", "vs", "volumesnapshots"]),
    (
        What::VolumeSet,
        &["pvs", "persistentvolumeset", "persistentvolumesets"],
    ),
    (
        What::Workload("StatefulSet"),
        &["sts", "statefulset", "statefulsets"],
    ),
    (
        What::Workload("Deployment"),
        &["deploy", "deployment", "deployments"],
    ),
    (
        What::Workload("ReplicaSet"),
        &["rs", "replicaset", "replicasets"],
    ),
    (
        What::Workload("DaemonSet"),
        &["ds", "daemonset", "daemonsets"],
    ),
    (What::Workload("Job"), &["job", "jobs"]),
    (What::Workload("CronJob"), &["cj", "cronjob", "cronjobs"]),
    (
        What::Workload("ReplicationController"),
        &["rc", "replicationcontroller", "replicationcontrollers"],
    ),
];

impl fmt::Display for Removal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(self.namespace.as_deref(), &self.name))
    }
}

impl What {
    fn kind(self) -> Kind {
        match self {
            Self::Claim => Kind::Claims,
            Self::Volume => Kind::Volumes,
            Self::Class => Kind::Classes,
            Self::AttributesClass => Kind::AttributesClasses,
            Self::Pod => Kind::Pods,
            Self::Node => Kind::Nodes,
            Self::CsiDriver => Kind::CsiDrivers,
            Self::CsiNode => Kind::CsiNodes,
            Self::Capacity => Kind::Capacities,
            Self::Attachment => Kind::Attachments,
            Self::LimitRange => Kind::LimitRanges,
            Self::Quota => Kind::Quotas,
            Self::ConfigMap => Kind::ConfigMaps,
            Self::Snapshot => Kind::Snapshots,
            Self::VolumeSet => Kind::VolumeSets,
            Self::Workload(_) => Kind::Workloads,
        }
    }

    fn word(self) -> &'static str {
        let words = WORDS.iter().find(|(what, _)| *what == self);
        words
            .and_then(|(_, words)| words.first())
            .unwrap_or(&"object")
    }
}

impl Removal {
    /// Reads what somebody named on the command line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        let (word, namespace, name) = match parts[..] {
            [word, name] => (word, None, name),
            [word, namespace, name] => (word, Some(namespace), name),
            _ => {
                return Err(
                    "expected KIND/NAME or KIND/NAMESPACE/NAME, such as pvc/data-0".to_owned(),
                );
            }
        };
        let plain = word.split('.').next().unwrap_or(word).to_ascii_lowercase();
        let Some((what, _)) = WORDS
            .into_iter()
            .find(|(_, words)| words.contains(&plain.as_str()))
        else {
            return Err(format!(
                "`{word}` is no kind that can be left out; one of {}",
                WORDS
                    .iter()
                    .filter_map(|(_, words)| words.first().copied())
                    .collect::<Vec<_>>()
                    .join(", ")
            ));
        };
        if name.is_empty() || namespace.is_some_and(str::is_empty) {
            return Err("the name is missing".to_owned());
        }
        if namespace.is_some() && !what.kind().is_namespaced() {
            return Err(format!("`{word}` has no namespace: {plain}/{name}"));
        }
        Ok(Self {
            what,
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
        })
    }

    /// How it is named on the command line.
    fn spelled(&self, namespace: Option<&str>, name: &str) -> String {
        let word = self.what.word();
        match namespace {
            Some(namespace) => format!("{word}/{namespace}/{name}"),
            None => format!("{word}/{name}"),
        }
    }

    /// An object of a kind that was not read cannot be found, and that is not its absence.
    pub(super) fn check_seen(
        &self,
        state: &ClusterState,
        within: &Within,
    ) -> Result<(), RemovalError> {
        let kind = self.what.kind();
        let namespace = self.namespace.as_deref().or(match within {
            Within::Namespace(namespace) => Some(namespace.as_str()),
            Within::Anywhere => None,
        });
        let Some(gap) = state.find_gap(kind, namespace) else {
            return Ok(());
        };
        if gap.seen_only_in.is_some() && namespace.is_none() {
            return Ok(());
        }
        Err(RemovalError::NotSeen {
            asked: self.spelled(self.namespace.as_deref(), &self.name),
            what: kind.resource(),
            why: match gap.why {
                GapReason::Forbidden => "could not be listed",
                GapReason::NotCaptured => "are not in the files",
                GapReason::NotServed => "are not served by this cluster",
            },
        })
    }

    /// Takes the object out, and what goes with it.
    pub(super) fn remove_from(
        &self,
        objects: &mut Objects,
        within: &Within,
    ) -> Result<Removed, RemovalError> {
        match self.what {
            What::Claim => {
                let claims = self.take(&mut objects.claims, within, |claim| {
                    in_namespace(&claim.key)
                })?;
                Ok(Removed {
                    claims,
                    notes: vec![],
                })
            }
            What::Pod => {
                let pods = self.take(&mut objects.pods, within, |pod| in_namespace(&pod.key))?;
                Ok(take_owned_claims(
                    objects,
                    pods.iter().map(|pod| (&pod.key, "Pod")),
                ))
            }
            What::Node => {
                let nodes = self.take(&mut objects.nodes, within, |node| at_large(&node.name))?;
                // A CSINode belongs to its Node and goes with it.
                objects
                    .csi_nodes
                    .retain(|csi_node| !nodes.iter().any(|node| node.name == csi_node.name));
                Ok(Removed::default())
            }
            What::Workload(kind) => self.remove_workload(objects, within, kind),
            What::Volume => self
                .take(&mut objects.volumes, within, |volume| {
                    at_large(&volume.name)
                })
                .map(nothing_else),
            What::Class => self
                .take(&mut objects.classes, within, |class| at_large(&class.name))
                .map(nothing_else),
            What::AttributesClass => self
                .take(&mut objects.attributes_classes, within, |class| {
                    at_large(&class.name)
                })
                .map(nothing_else),
            What::CsiDriver => self
                .take(&mut objects.csi_drivers, within, |driver| {
                    at_large(&driver.name)
                })
                .map(nothing_else),
            What::CsiNode => self
                .take(&mut objects.csi_nodes, within, |node| at_large(&node.name))
                .map(nothing_else),
            What::Capacity => self
                .take(&mut objects.capacities, within, |capacity| {
                    in_namespace(&capacity.key)
                })
                .map(nothing_else),
            What::Attachment => self
                .take(&mut objects.attachments, within, |attachment| {
                    at_large(&attachment.name)
                })
                .map(nothing_else),
            What::LimitRange => self
                .take(&mut objects.limit_ranges, within, |limits| {
                    in_namespace(&limits.key)
                })
                .map(nothing_else),
            What::Quota => self
                .take(&mut objects.quotas, within, |quota| {
                    in_namespace(&quota.key)
                })
                .map(nothing_else),
            What::ConfigMap => self
                .take(&mut objects.config_maps, within, |map| {
                    in_namespace(&map.key)
                })
                .map(nothing_else),
            What::Snapshot => self
                .take(&mut objects.snapshots, within, |snapshot| {
                    in_namespace(&snapshot.key)
                })
                .map(nothing_else),
            What::VolumeSet => self
                .take(&mut objects.volume_sets, within, |set| at_large(&set.name))
                .map(nothing_else),
        }
    }

    /// A workload goes with the pods and claims it owns, and with the claims it would have made.
    fn remove_workload(
        &self,
        objects: &mut Objects,
        within: &Within,
        kind: &'static str,
    ) -> Result<Removed, RemovalError> {
        let all = std::mem::take(&mut objects.workloads);
        let (mut of_kind, others): (Vec<Workload>, _) =
            all.into_iter().partition(|workload| workload.kind == kind);
        let gone = self.take(&mut of_kind, within, |workload| in_namespace(&workload.key))?;
        objects.workloads = others;
        objects.workloads.append(&mut of_kind);
        let mut removed =
            take_owned_claims(objects, gone.iter().map(|workload| (&workload.key, kind)));
        for workload in &gone {
            let owner = workload.owner_ref();
            let is_owned = |pod: &mut Pod| {
                pod.key.namespace == workload.key.namespace && pod.owner.as_ref() == Some(&owner)
            };
            let pods: Vec<Pod> = objects.pods.extract_if(.., is_owned).collect();
            let claims =
                take_owned_claims(objects, pods.iter().map(|pod| (&pod.key, "Pod"))).claims;
            removed.claims.extend(claims);
            // Its pods belong to what stands between, which nobody named.
            if matches!(kind, "Deployment" | "CronJob") && !objects.pods.is_empty() {
                removed.notes.push(format!(
                    "pods of {owner}, if there are any, stay: leave them out by pod/NAME"
                ));
            }
        }
        Ok(removed)
    }

    /// The one object that is meant.
    fn take<T>(
        &self,
        items: &mut Vec<T>,
        within: &Within,
        place: impl Fn(&T) -> Place<'_>,
    ) -> Result<Vec<T>, RemovalError> {
        let wanted = self.namespace.as_deref().or(match within {
            Within::Namespace(namespace) => Some(namespace.as_str()),
            Within::Anywhere => None,
        });
        let is_here = |place: &Place<'_>| {
            place.namespace.is_none() || wanted.is_none() || place.namespace == wanted
        };
        let found: Vec<(usize, Option<String>)> = items
            .iter()
            .enumerate()
            .map(|(index, item)| (index, place(item)))
            .filter(|(_, place)| place.name == self.name && is_here(place))
            .map(|(index, place)| (index, place.namespace.map(str::to_owned)))
            .collect();
        match &found[..] {
            [(index, _)] => Ok(vec![items.remove(*index)]),
            [] => {
                let places: Vec<Place<'_>> = items.iter().map(&place).collect();
                Err(self.not_found(&places, wanted))
            }
            several => Err(RemovalError::Several {
                asked: self.spelled(None, &self.name),
                namespaces: several
                    .iter()
                    .filter_map(|(_, namespace)| namespace.clone())
                    .collect(),
            }),
        }
    }

    fn not_found(&self, places: &[Place<'_>], wanted: Option<&str>) -> RemovalError {
        let wanted = wanted.filter(|_| self.what.kind().is_namespaced());
        let here = places
            .iter()
            .filter(|place| wanted.is_none() || place.namespace == wanted);
        let near = similar_names(&self.name, here.clone().map(|place| place.name));
        let near = here.filter(|place| near.contains(&place.name));
        let elsewhere = places.iter().filter(|place| place.name == self.name);
        RemovalError::NotFound {
            asked: self.spelled(self.namespace.as_deref(), &self.name),
            wherein: wanted.map_or_else(
                || "among what was read".to_owned(),
                |namespace| format!("in namespace {namespace}"),
            ),
            similar: near
                .chain(elsewhere)
                .take(3)
                .map(|place| {
                    self.spelled(
                        place
                            .namespace
                            .filter(|namespace| Some(*namespace) != wanted),
                        place.name,
                    )
                })
                .collect(),
        }
    }
}

/// Namespace and name of an object.
struct Place<'a> {
    namespace: Option<&'a str>,
    name: &'a str,
}

fn in_namespace(key: &ObjectKey) -> Place<'_> {
    Place {
        namespace: Some(&key.namespace),
        name: &key.name,
    }
}

fn at_large(name: &str) -> Place<'_> {
    Place {
        namespace: None,
        name,
    }
}

fn nothing_else<T>(_: Vec<T>) -> Removed {
    Removed::default()
}

/// The claims that belong to these owners, and those they would have made: the garbage collector takes them along.
fn take_owned_claims<'a>(
    objects: &mut Objects,
    owners: impl Iterator<Item = (&'a ObjectKey, &'static str)>,
) -> Removed {
    let owners: Vec<(&str, OwnerRef)> = owners
        .map(|(key, kind)| (key.namespace.as_str(), OwnerRef::new(kind, &*key.name)))
        .collect();
    let is_owner = |namespace: &str, owner: &OwnerRef| {
        owners.iter().any(|(n, o)| *n == namespace && o == owner)
    };
    let belongs = |claim: &mut Claim| match &claim.origin {
        Origin::Template(owner) => is_owner(&claim.key.namespace, owner),
        Origin::Object => claim
            .owner
            .as_ref()
            .is_some_and(|owner| is_owner(&claim.key.namespace, owner)),
    };
    Removed {
        claims: objects.claims.extract_if(.., belongs).collect(),
        notes: vec![],
    }
}
