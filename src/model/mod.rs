//! The cluster as plain values, parsed once: what the engine is asked about.
//!
//! A [`ClusterState`] is the same whether it came from files or from a live cluster. What could not be seen is a
//! [`Gap`], never an empty list.

pub mod asset;
mod asset_name;
mod attachment;
mod capacity;
pub mod catalogue;
mod claim;
mod class;
mod config_map;
mod event;
mod gap;
mod host;
mod lease;
mod limits;
mod lookups;
pub mod manifest;
mod node;
mod place;
mod pod;
mod provisioner;
mod quota_usage;
mod snapshot;
mod source_file;
mod time;
mod volume;
mod volume_set;
mod workload;

pub use attachment::VolumeAttachment;
pub use capacity::StorageCapacity;
pub use claim::{Claim, ClaimPhase, Condition, DataSource, Modification, Origin};
pub use class::{AllowedOption, BindingMode, Class, Options};
pub use config_map::ConfigMap;
pub use event::Event;
pub use gap::{Gap, GapReason, Kind, UnreadObject, UnreadReason};
pub use host::Host;
pub use lease::Lease;
pub use limits::{LimitRange, LimitRangeItem, Quota, QuotaScope};
pub use node::{Node, Taint};
pub use pod::{ClaimUse, InlineDisk, Pod, PodPhase, PodVolume, PodWishes, Toleration};
pub use provisioner::{AttributesClass, CsiDriver, CsiNode};
pub use quota_usage::{CLASS_MARK, Usage};
pub use snapshot::Snapshot;
pub use time::Time;
pub use volume::{ClaimRef, ReclaimPolicy, Volume, VolumePhase, VolumeSource};
pub use volume_set::{
    DEFAULT_MEMBER_NAME, InProgress, ORDINAL_PLACEHOLDER, SET_PLACEHOLDER, SetCondition, SetStatus,
    VolumeSet, VolumeTemplate,
};
pub use workload::Workload;

use self::lookups::Lookups;
use crate::conventions::object_ref::ObjectKey;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// How events call the objects they are about.
pub(crate) const CLAIM: &str = "PersistentVolumeClaim";
pub(crate) const VOLUME: &str = "PersistentVolume";
pub(crate) const POD: &str = "Pod";

/// All objects of a cluster, in no particular order.
#[derive(Debug, Clone, Default)]
pub struct Objects {
    /// The uid of the namespace kube-system, by which a cluster is known; `None` where it was not asked for or not read.
    pub cluster_uid: Option<String>,
    /// PersistentVolumes.
    pub volumes: Vec<Volume>,
    /// PersistentVolumeClaims, those that only a template would create among them.
    pub claims: Vec<Claim>,
    /// StorageClasses.
    pub classes: Vec<Class>,
    /// VolumeAttributesClasses.
    pub attributes_classes: Vec<AttributesClass>,
    /// Pods.
    pub pods: Vec<Pod>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// CSIDrivers.
    pub csi_drivers: Vec<CsiDriver>,
    /// CSINodes.
    pub csi_nodes: Vec<CsiNode>,
    /// CSIStorageCapacities.
    pub capacities: Vec<StorageCapacity>,
    /// VolumeAttachments.
    pub attachments: Vec<VolumeAttachment>,
    /// LimitRanges.
    pub limit_ranges: Vec<LimitRange>,
    /// ResourceQuotas.
    pub quotas: Vec<Quota>,
    /// Events on claims, volumes and pods.
    pub events: Vec<Event>,
    /// ConfigMaps.
    pub config_maps: Vec<ConfigMap>,
    /// VolumeSnapshots.
    pub snapshots: Vec<Snapshot>,
    /// What creates pods and claims: StatefulSets, Deployments and the like.
    pub workloads: Vec<Workload>,
    /// PersistentVolumeSets.
    pub volume_sets: Vec<VolumeSet>,
    /// Single objects that were asked for by name and not read.
    pub unread: Vec<UnreadObject>,
}

impl Objects {
    /// Adds all objects of another collection behind these.
    pub fn append(&mut self, mut other: Self) {
        self.volumes.append(&mut other.volumes);
        self.claims.append(&mut other.claims);
        self.classes.append(&mut other.classes);
        self.attributes_classes
            .append(&mut other.attributes_classes);
        self.pods.append(&mut other.pods);
        self.nodes.append(&mut other.nodes);
        self.csi_drivers.append(&mut other.csi_drivers);
        self.csi_nodes.append(&mut other.csi_nodes);
        self.capacities.append(&mut other.capacities);
        self.attachments.append(&mut other.attachments);
        self.limit_ranges.append(&mut other.limit_ranges);
        self.quotas.append(&mut other.quotas);
        self.events.append(&mut other.events);
        self.config_maps.append(&mut other.config_maps);
        self.snapshots.append(&mut other.snapshots);
        self.workloads.append(&mut other.workloads);
        self.volume_sets.append(&mut other.volume_sets);
        self.unread.append(&mut other.unread);
    }
}

/// Whether nothing differs that volumes are looked up by.
fn is_found_alike(one: &Volume, other: &Volume) -> bool {
    one.class() == other.class()
        && one.sign_of() == other.sign_of()
        && one.labels == other.labels
        && one.source == other.source
}

/// The cluster as it was seen: its objects, sorted so that they are found, and what could not be seen.
#[derive(Debug, Clone, Default)]
pub struct ClusterState {
    objects: Objects,
    gaps: Vec<Gap>,
    absent: Vec<Kind>,
    captured_at: Option<Time>,
    lookups: Lookups,
}

impl ClusterState {
    /// Puts the objects in order. Of two objects of one name the later one counts, as with `kubectl apply`.
    pub fn new(mut objects: Objects, gaps: Vec<Gap>, captured_at: Option<Time>) -> Self {
        // What exists is not made undone by a manifest of the same name, which could only change it.
        objects.volumes.sort_by_key(|volume| volume.uid.is_some());
        objects.claims.sort_by_key(|claim| claim.uid.is_some());
        keep_last(&mut objects.volumes, |a, b| a.name.cmp(&b.name));
        keep_last(&mut objects.claims, |a, b| a.key.cmp(&b.key));
        keep_last(&mut objects.limit_ranges, |a, b| a.key.cmp(&b.key));
        keep_last(&mut objects.quotas, |a, b| a.key.cmp(&b.key));
        keep_last(&mut objects.snapshots, |a, b| a.key.cmp(&b.key));
        keep_last(&mut objects.classes, |a, b| a.name.cmp(&b.name));
        keep_last(&mut objects.pods, |a, b| a.key.cmp(&b.key));
        keep_last(&mut objects.nodes, |a, b| a.name.cmp(&b.name));
        keep_last(&mut objects.csi_drivers, |a, b| a.name.cmp(&b.name));
        keep_last(&mut objects.csi_nodes, |a, b| a.name.cmp(&b.name));
        keep_last(&mut objects.capacities, |a, b| a.key.cmp(&b.key));
        keep_last(&mut objects.attachments, |a, b| a.name.cmp(&b.name));
        keep_last(&mut objects.config_maps, |a, b| a.key.cmp(&b.key));
        keep_last(&mut objects.volume_sets, |a, b| a.name.cmp(&b.name));
        Self {
            objects,
            gaps,
            absent: vec![],
            captured_at,
            lookups: Lookups::default(),
        }
    }

    /// All volumes, by name.
    pub fn volumes(&self) -> &[Volume] {
        &self.objects.volumes
    }

    /// All claims, by namespace and name.
    pub fn claims(&self) -> &[Claim] {
        &self.objects.claims
    }

    /// All classes, by name.
    pub fn classes(&self) -> &[Class] {
        &self.objects.classes
    }

    /// Everything else that was read.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The volume of that name.
    pub fn find_volume(&self, name: &str) -> Option<&Volume> {
        self.volume_at(name)
            .map(|index| &self.objects.volumes[index])
    }

    /// The claim of that name.
    pub fn find_claim(&self, key: &ObjectKey) -> Option<&Claim> {
        self.claim_at(key).map(|index| &self.objects.claims[index])
    }

    /// The class of that name.
    pub fn find_class(&self, name: &str) -> Option<&Class> {
        self.class_at(name)
            .map(|index| &self.objects.classes[index])
    }

    /// All sets of volumes, by name.
    pub fn volume_sets(&self) -> &[VolumeSet] {
        &self.objects.volume_sets
    }

    /// The set of volumes of that name.
    pub fn find_volume_set(&self, name: &str) -> Option<&VolumeSet> {
        let sets = &self.objects.volume_sets;
        let index = sets.binary_search_by(|set| set.name.as_str().cmp(name));
        index.ok().map(|index| &sets[index])
    }

    /// The node of that name.
    pub fn find_node(&self, name: &str) -> Option<&Node> {
        let nodes = &self.objects.nodes;
        let index = nodes.binary_search_by(|node| node.name.as_str().cmp(name));
        index.ok().map(|index| &nodes[index])
    }

    /// The pod of that name.
    pub fn find_pod(&self, key: &ObjectKey) -> Option<&Pod> {
        let pods = &self.objects.pods;
        let index = pods.binary_search_by(|pod| pod.key.cmp(key));
        index.ok().map(|index| &pods[index])
    }

    /// What the drivers said of the node of that name.
    pub fn find_csi_node(&self, name: &str) -> Option<&CsiNode> {
        let nodes = &self.objects.csi_nodes;
        let index = nodes.binary_search_by(|node| node.name.as_str().cmp(name));
        index.ok().map(|index| &nodes[index])
    }

    fn volume_at(&self, name: &str) -> Option<usize> {
        self.objects
            .volumes
            .binary_search_by(|volume| volume.name.as_str().cmp(name))
            .ok()
    }

    fn claim_at(&self, key: &ObjectKey) -> Option<usize> {
        self.objects
            .claims
            .binary_search_by(|claim| claim.key.cmp(key))
            .ok()
    }

    fn class_at(&self, name: &str) -> Option<usize> {
        self.objects
            .classes
            .binary_search_by(|class| class.name.as_str().cmp(name))
            .ok()
    }

    /// Puts another version of a volume in its place and returns the one that was there.
    ///
    /// The what-ifs of the engine change one object, ask, and put it back, so that a large state is never copied.
    pub fn swap_volume(&mut self, volume: Volume) -> Option<Volume> {
        let index = self.volume_at(&volume.name)?;
        // Most changes are of what nothing is looked up by, and a large state has many volumes.
        if !is_found_alike(&self.objects.volumes[index], &volume) {
            self.lookups.forget_volumes();
        }
        Some(std::mem::replace(&mut self.objects.volumes[index], volume))
    }

    /// Adds a volume that is made only now, or puts it in the place of the one that has its name.
    pub fn add_volume(&mut self, volume: Volume) {
        let volumes = &mut self.objects.volumes;
        let place = volumes.binary_search_by(|other| other.name.cmp(&volume.name));
        self.lookups.forget_volumes();
        match place {
            Ok(index) => volumes[index] = volume,
            Err(index) => volumes.insert(index, volume),
        }
    }

    /// Puts another version of a claim in its place and returns the one that was there.
    pub fn swap_claim(&mut self, claim: Claim) -> Option<Claim> {
        let index = self.claim_at(&claim.key)?;
        self.lookups.forget_claims();
        Some(std::mem::replace(&mut self.objects.claims[index], claim))
    }

    /// Takes a volume out that is deleted only now.
    pub fn remove_volume(&mut self, name: &str) -> Option<Volume> {
        let index = self.volume_at(name)?;
        self.lookups.forget_volumes();
        Some(self.objects.volumes.remove(index))
    }

    /// Puts another version of a set of volumes in its place and returns the one that was there.
    pub fn swap_volume_set(&mut self, set: VolumeSet) -> Option<VolumeSet> {
        let sets = &mut self.objects.volume_sets;
        let index = sets
            .binary_search_by(|other| other.name.cmp(&set.name))
            .ok()?;
        Some(std::mem::replace(&mut sets[index], set))
    }

    /// Puts another version of a class in its place and returns the one that was there.
    pub fn swap_class(&mut self, class: Class) -> Option<Class> {
        let index = self.class_at(&class.name)?;
        Some(std::mem::replace(&mut self.objects.classes[index], class))
    }

    /// The first volume, besides the one of this name, whose data lies where this source says, above it or below it.
    pub fn find_sharer(&self, source: &VolumeSource, own: &str) -> Option<&Volume> {
        self.lookups.find_sharer(self.volumes(), source, own)
    }

    /// The claims that name a volume.
    pub fn claims_naming(&self, volume: &str) -> impl Iterator<Item = &Claim> {
        let indexes = self.lookups.claims_naming(self.claims(), volume);
        indexes.iter().map(|index| &self.objects.claims[*index])
    }

    /// The pods of that name, in whichever namespace.
    pub fn pods_called(&self, name: &str) -> impl Iterator<Item = &Pod> {
        let indexes = self.lookups.pods_called(&self.objects.pods, name);
        indexes.iter().map(|index| &self.objects.pods[*index])
    }

    /// How many volumes have a class.
    pub fn count_volumes_of(&self, class: &str) -> usize {
        self.lookups.count_volumes_of(self.volumes(), class)
    }

    /// The keys of all labels of volumes, each with all its values.
    pub fn labels_of_volumes(&self) -> &BTreeMap<String, BTreeSet<String>> {
        self.lookups.labels(self.volumes())
    }

    /// Whether any volume was made by this provisioner.
    pub fn has_volume_made_by(&self, provisioner: &str) -> bool {
        self.lookups.has_volume_made_by(self.volumes(), provisioner)
    }

    /// The pods that use a claim, by name.
    pub fn pods_using(&self, claim: &ObjectKey) -> impl Iterator<Item = &Pod> {
        let pods = &self.objects.pods;
        let found = self.lookups.pods_using(pods, claim).iter();
        found.map(|index| &pods[*index])
    }

    /// The events that count for an object ([`Event::is_about`]), in the order they were read. The namespace of an object that
    /// has none is empty.
    pub fn events_about(
        &self,
        kind: &'static str,
        key: &ObjectKey,
        uid: Option<&str>,
    ) -> impl Iterator<Item = &Event> {
        let events = &self.objects.events;
        let found = self.lookups.events_about(events, uid.unwrap_or_default());
        let found = found.iter().map(|index| &events[*index]);
        found.filter(move |event| event.is_about(kind, key, uid))
    }

    /// The events that count for a claim or volume that was read: what is said of others may be about nothing.
    pub fn events_about_storage(&self) -> impl Iterator<Item = &Event> {
        let events = &self.objects.events;
        let counts = |event: &Event| match event.about_kind.as_str() {
            CLAIM => self
                .find_claim(&event.about)
                .is_some_and(|claim| event.is_about(CLAIM, &claim.key, claim.uid.as_deref())),
            VOLUME => self.find_volume(&event.about.name).is_some_and(|volume| {
                let key = ObjectKey::new("", &*volume.name);
                event.is_about(VOLUME, &key, volume.uid.as_deref())
            }),
            _ => false,
        };
        let found = self.lookups.counted_events(events, counts).iter();
        found.map(|index| &events[*index])
    }

    /// What could not be seen.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Why the objects of a kind in a namespace (or, without one, any at all) could not be seen, if so.
    pub fn find_gap(&self, kind: Kind, namespace: Option<&str>) -> Option<&Gap> {
        self.gaps
            .iter()
            .filter(|gap| gap.kind == kind)
            .find(|gap| gap.seen_only_in.is_none() || gap.seen_only_in.as_deref() != namespace)
    }

    /// Whether all objects of a kind in a namespace (or, without one, everywhere) were seen.
    pub fn saw(&self, kind: Kind, namespace: Option<&str>) -> bool {
        self.find_gap(kind, namespace).is_none()
    }

    /// The object of this name, if it was asked for and not read.
    pub fn find_unread(&self, kind: Kind, key: &ObjectKey) -> Option<&UnreadObject> {
        let mut unread = self.objects.unread.iter();
        unread.find(|unread| unread.kind == kind && unread.key == *key)
    }

    /// Notes the kinds of which the files hold none: taken as empty, and said where it matters.
    #[must_use]
    pub fn with_absent(mut self, absent: Vec<Kind>) -> Self {
        self.absent = absent;
        self
    }

    /// The same cluster with other objects in it, for a what-if that adds and removes. What could not be seen stays
    /// unseen; of the kinds in `present` nobody can say any more that there are none.
    #[must_use]
    pub fn changed(self, present: &[Kind], change: impl FnOnce(&mut Objects)) -> Self {
        let Self {
            mut objects,
            gaps,
            mut absent,
            captured_at,
            lookups: _,
        } = self;
        change(&mut objects);
        absent.retain(|kind| !present.contains(kind));
        Self::new(objects, gaps, captured_at).with_absent(absent)
    }

    /// Whether this was read from files, which have no moment.
    pub fn is_from_files(&self) -> bool {
        self.captured_at.is_none()
    }

    /// Whether the files hold none of a kind, so that "there is none" rests on their silence.
    pub fn is_absent(&self, kind: Kind) -> bool {
        self.absent.contains(&kind)
    }

    /// When this was read; absent for files, which do not say.
    pub fn captured_at(&self) -> Option<Time> {
        self.captured_at
    }
}

/// Sorts, and keeps the last of equals. Dumps are sorted already and have no equals, which costs one look at each.
fn keep_last<T>(items: &mut Vec<T>, order: impl Fn(&T, &T) -> Ordering) {
    // A stable sort keeps the order of reading among equals.
    items.sort_by(&order);
    if items
        .windows(2)
        .all(|pair| order(&pair[0], &pair[1]).is_ne())
    {
        return;
    }
    items.reverse();
    items.dedup_by(|earlier, later| order(earlier, later).is_eq());
    items.reverse();
}
