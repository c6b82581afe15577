//! Kubernetes objects as they stand in JSON, only the fields the model needs. Everything is optional: null is the zero
//! value everywhere, and files hold what people wrote. The seeds' spellings are read beside today's.

use super::zero_values::{list, texts};
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

pub(super) type Strings = BTreeMap<String, String>;

/// What any document says of itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Envelope<'a> {
    #[serde(borrow, default)]
    pub(super) api_version: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
pub(super) struct ListMeta {
    #[serde(rename = "continue", default)]
    pub(super) next: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Meta {
    pub(super) name: Option<String>,
    pub(super) generate_name: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) uid: Option<String>,
    pub(super) resource_version: Option<String>,
    pub(super) generation: Option<i64>,
    #[serde(deserialize_with = "texts")]
    pub(super) labels: Option<Strings>,
    #[serde(deserialize_with = "texts")]
    pub(super) annotations: Option<Strings>,
    pub(super) creation_timestamp: Option<String>,
    pub(super) deletion_timestamp: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) finalizers: Option<Vec<String>>,
    #[serde(deserialize_with = "list")]
    pub(super) owner_references: Option<Vec<Owner>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Owner {
    pub(super) uid: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) controller: Option<bool>,
}

/// A quantity as written: a string, or a bare number, whose digits must not pass through a float.
#[derive(Debug, Clone)]
pub(super) struct Amount(pub(super) Option<String>);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        match raw.as_bytes().first() {
            Some(b'"') => serde_json::from_str(raw)
                .map(|text| Self(Some(text)))
                .map_err(de::Error::custom),
            Some(b'n') => Ok(Self(None)),
            Some(b'-' | b'0'..=b'9') => Ok(Self(Some(raw.to_owned()))),
            _ => Err(de::Error::custom("a quantity must be a string or a number")),
        }
    }
}

pub(super) type Amounts = BTreeMap<String, Amount>;

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Volume {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<VolumeSpec>,
    pub(super) status: Option<VolumeStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct VolumeSpec {
    pub(super) capacity: Option<Amounts>,
    #[serde(deserialize_with = "list")]
    pub(super) access_modes: Option<Vec<String>>,
    pub(super) volume_mode: Option<String>,
    pub(super) storage_class_name: Option<String>,
    /// The seeds' spelling.
    pub(super) class: Option<String>,
    pub(super) volume_attributes_class_name: Option<String>,
    pub(super) claim_ref: Option<ClaimRef>,
    pub(super) persistent_volume_reclaim_policy: Option<String>,
    pub(super) node_affinity: Option<NodeAffinity>,
    pub(super) csi: Option<Source>,
    pub(super) host_path: Option<Source>,
    pub(super) nfs: Option<Source>,
    pub(super) local: Option<Source>,
    pub(super) aws_elastic_block_store: Option<Source>,
    pub(super) gce_persistent_disk: Option<Source>,
    /// The seeds' spelling of gcePersistentDisk.
    pub(super) persistent_disk: Option<Source>,
    pub(super) azure_disk: Option<Source>,
    pub(super) azure_file: Option<Source>,
    pub(super) cephfs: Option<Source>,
    pub(super) cinder: Option<Source>,
    pub(super) fc: Option<Source>,
    pub(super) flex_volume: Option<Source>,
    pub(super) flocker: Option<Source>,
    pub(super) glusterfs: Option<Source>,
    pub(super) iscsi: Option<Source>,
    pub(super) photon_persistent_disk: Option<Source>,
    pub(super) portworx_volume: Option<Source>,
    pub(super) quobyte: Option<Source>,
    pub(super) rbd: Option<Source>,
    #[serde(rename = "scaleIO")]
    pub(super) scale_io: Option<Source>,
    pub(super) storageos: Option<Source>,
    pub(super) vsphere_volume: Option<Source>,
}

/// Where a volume's data lies; each kind of source has a few of these.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Source {
    pub(super) path: Option<String>,
    pub(super) server: Option<String>,
    pub(super) driver: Option<String>,
    pub(super) volume_handle: Option<String>,
    #[serde(rename = "volumeID")]
    pub(super) volume_id: Option<String>,
    pub(super) pd_name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ClaimRef {
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) uid: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct NodeAffinity {
    pub(super) required: Option<NodeSelector>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NodeSelector {
    #[serde(deserialize_with = "list")]
    pub(super) node_selector_terms: Option<Vec<NodeSelectorTerm>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NodeSelectorTerm {
    #[serde(deserialize_with = "list")]
    pub(super) match_expressions: Option<Vec<Expression>>,
    #[serde(deserialize_with = "list")]
    pub(super) match_fields: Option<Vec<Expression>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Expression {
    pub(super) key: Option<String>,
    pub(super) operator: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) values: Option<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct VolumeStatus {
    pub(super) phase: Option<String>,
    pub(super) message: Option<String>,
    pub(super) last_phase_transition_time: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct VolumeSet {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<VolumeSetSpec>,
    pub(super) status: Option<VolumeSetStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct VolumeSetSpec {
    pub(super) minimum_replicas: Option<i64>,
    pub(super) maximum_replicas: Option<i64>,
    #[serde(deserialize_with = "texts")]
    pub(super) selector: Option<Strings>,
    /// A volume, kept as it was written.
    pub(super) template: Option<Box<RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct VolumeSetStatus {
    pub(super) bound_replicas: Option<i64>,
    pub(super) unbound_replicas: Option<i64>,
    pub(super) total_replicas: Option<i64>,
    pub(super) observed_generation: Option<i64>,
    pub(super) next_ordinal: Option<u64>,
    pub(super) in_progress: Option<InProgress>,
    #[serde(deserialize_with = "list")]
    pub(super) conditions: Option<Vec<SetCondition>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct InProgress {
    pub(super) action: Option<String>,
    pub(super) volume: Option<String>,
    pub(super) ordinal: Option<u64>,
    pub(super) until: Option<String>,
    pub(super) by: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SetCondition {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) last_transition_time: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Claim {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<ClaimSpec>,
    pub(super) status: Option<ClaimStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ClaimSpec {
    #[serde(deserialize_with = "list")]
    pub(super) access_modes: Option<Vec<String>>,
    pub(super) resources: Option<Resources>,
    pub(super) storage_class_name: Option<String>,
    /// The seeds' spelling.
    pub(super) class: Option<String>,
    pub(super) volume_mode: Option<String>,
    pub(super) volume_name: Option<String>,
    pub(super) volume_attributes_class_name: Option<String>,
    pub(super) selector: Option<LabelSelector>,
    pub(super) data_source: Option<DataSource>,
    pub(super) data_source_ref: Option<DataSource>,
    /// Seed 003: the ConfigMap with options.
    pub(super) provisioning_options: Option<LocalRef>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct LocalRef {
    pub(super) name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Resources {
    pub(super) requests: Option<Amounts>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct LabelSelector {
    #[serde(deserialize_with = "texts")]
    pub(super) match_labels: Option<Strings>,
    #[serde(deserialize_with = "list")]
    pub(super) match_expressions: Option<Vec<Expression>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DataSource {
    pub(super) api_group: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) name: Option<String>,
    pub(super) namespace: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ClaimStatus {
    pub(super) phase: Option<String>,
    pub(super) capacity: Option<Amounts>,
    #[serde(deserialize_with = "list")]
    pub(super) access_modes: Option<Vec<String>>,
    pub(super) allocated_resources: Option<Amounts>,
    pub(super) current_volume_attributes_class_name: Option<String>,
    pub(super) modify_volume_status: Option<ModifyVolumeStatus>,
    #[serde(deserialize_with = "list")]
    pub(super) conditions: Option<Vec<Condition>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ModifyVolumeStatus {
    pub(super) target_volume_attributes_class_name: Option<String>,
    pub(super) status: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Condition {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) message: Option<String>,
    pub(super) last_transition_time: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Class {
    pub(super) metadata: Option<Meta>,
    pub(super) provisioner: Option<String>,
    #[serde(deserialize_with = "texts")]
    pub(super) parameters: Option<Strings>,
    pub(super) reclaim_policy: Option<String>,
    pub(super) volume_binding_mode: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) mount_options: Option<Vec<String>>,
    pub(super) allow_volume_expansion: Option<bool>,
    #[serde(deserialize_with = "list")]
    pub(super) allowed_topologies: Option<Vec<TopologyTerm>>,
    /// Seed 003: kept as text, since a malformed list is a finding and not a broken file.
    pub(super) allowed_provisioning_options: Option<Box<RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TopologyTerm {
    #[serde(deserialize_with = "list")]
    pub(super) match_label_expressions: Option<Vec<Expression>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AllowedOption {
    pub(super) key: String,
    #[serde(default)]
    pub(super) default_value: Option<String>,
    #[serde(default)]
    pub(super) required: Option<bool>,
    #[serde(default)]
    pub(super) allowed_values: Option<Vec<String>>,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(flatten)]
    pub(super) unread: BTreeMap<String, serde_json::Value>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AttributesClass {
    pub(super) metadata: Option<Meta>,
    pub(super) driver_name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Pod {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<PodSpec>,
    pub(super) status: Option<PodStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PodSpec {
    pub(super) scheduler_name: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) scheduling_gates: Option<Vec<LocalRef>>,
    #[serde(deserialize_with = "texts")]
    pub(super) node_selector: Option<Strings>,
    pub(super) affinity: Option<Affinity>,
    #[serde(deserialize_with = "list")]
    pub(super) tolerations: Option<Vec<Toleration>>,
    pub(super) priority: Option<i64>,
    pub(super) preemption_policy: Option<String>,
    pub(super) node_name: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) volumes: Option<Vec<PodVolume>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Affinity {
    pub(super) node_affinity: Option<PodNodeAffinity>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct PodNodeAffinity {
    #[serde(rename = "requiredDuringSchedulingIgnoredDuringExecution")]
    pub(super) required: Option<NodeSelector>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Toleration {
    pub(super) key: Option<String>,
    pub(super) operator: Option<String>,
    pub(super) value: Option<String>,
    pub(super) effect: Option<String>,
}

/// A disk named in a pod; each kind has a few of these.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Disk {
    pub(super) pd_name: Option<String>,
    #[serde(rename = "volumeID")]
    pub(super) volume_id: Option<String>,
    #[serde(rename = "diskURI")]
    pub(super) uri: Option<String>,
    pub(super) iqn: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) monitors: Option<Vec<String>>,
    pub(super) pool: Option<String>,
    pub(super) image: Option<String>,
    pub(super) read_only: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PodVolume {
    pub(super) name: Option<String>,
    pub(super) persistent_volume_claim: Option<PodClaim>,
    pub(super) ephemeral: Option<Ephemeral>,
    pub(super) host_path: Option<Source>,
    pub(super) nfs: Option<Source>,
    pub(super) gce_persistent_disk: Option<Disk>,
    pub(super) aws_elastic_block_store: Option<Disk>,
    pub(super) iscsi: Option<Disk>,
    pub(super) rbd: Option<Disk>,
    pub(super) azure_disk: Option<Disk>,
    pub(super) cinder: Option<Disk>,
    pub(super) portworx_volume: Option<Disk>,
    /// Seed 001 puts the source one level down.
    pub(super) source: Option<SeedSource>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SeedSource {
    pub(super) persistent_volume_claim: Option<PodClaim>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PodClaim {
    pub(super) claim_name: Option<String>,
    /// Seed 001's spelling.
    pub(super) claim_ref: Option<LocalRef>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Ephemeral {
    pub(super) volume_claim_template: Option<Claim>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PodStatus {
    pub(super) phase: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) container_statuses: Option<Vec<ContainerStatus>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ContainerStatus {
    pub(super) state: Option<ContainerState>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ContainerState {
    pub(super) running: Option<Present>,
}

/// Anything that is there, whatever it holds.
#[derive(Debug)]
pub(super) struct Present;

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Anything;
        impl<'de> Visitor<'de> for Anything {
            type Value = Present;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Present, M::Error> {
                while map
                    .next_entry::<de::IgnoredAny, de::IgnoredAny>()?
                    .is_some()
                {}
                Ok(Present)
            }
        }
        deserializer.deserialize_map(Anything)
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Node {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<NodeSpec>,
    pub(super) status: Option<NodeStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NodeStatus {
    pub(super) node_info: Option<NodeInfo>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct NodeInfo {
    #[serde(rename = "machineID")]
    pub(super) machine_id: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct NodeSpec {
    pub(super) unschedulable: Option<bool>,
    #[serde(deserialize_with = "list")]
    pub(super) taints: Option<Vec<Toleration>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct CsiDriver {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<CsiDriverSpec>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CsiDriverSpec {
    pub(super) storage_capacity: Option<bool>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StorageCapacity {
    pub(super) metadata: Option<Meta>,
    pub(super) storage_class_name: Option<String>,
    pub(super) node_topology: Option<LabelSelector>,
    pub(super) capacity: Option<Amount>,
    pub(super) maximum_volume_size: Option<Amount>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Attachment {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<AttachmentSpec>,
    pub(super) status: Option<AttachmentStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AttachmentSpec {
    pub(super) attacher: Option<String>,
    pub(super) node_name: Option<String>,
    pub(super) source: Option<AttachmentSource>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AttachmentSource {
    pub(super) persistent_volume_name: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct AttachmentStatus {
    pub(super) attached: Option<bool>,
    pub(super) attach_error: Option<Said>,
    pub(super) detach_error: Option<Said>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Said {
    pub(super) message: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct CsiNode {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<CsiNodeSpec>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct CsiNodeSpec {
    #[serde(deserialize_with = "list")]
    pub(super) drivers: Option<Vec<CsiNodeDriver>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct CsiNodeDriver {
    pub(super) name: Option<String>,
    pub(super) allocatable: Option<Allocatable>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Allocatable {
    pub(super) count: Option<i64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct LimitRange {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<LimitRangeSpec>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct LimitRangeSpec {
    #[serde(deserialize_with = "list")]
    pub(super) limits: Option<Vec<LimitRangeItem>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct LimitRangeItem {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) min: Option<Amounts>,
    pub(super) max: Option<Amounts>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Quota {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<QuotaSpec>,
    pub(super) status: Option<QuotaStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QuotaSpec {
    pub(super) hard: Option<Amounts>,
    #[serde(deserialize_with = "list")]
    pub(super) scopes: Option<Vec<String>>,
    pub(super) scope_selector: Option<ScopeSelector>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ScopeSelector {
    #[serde(deserialize_with = "list")]
    pub(super) match_expressions: Option<Vec<ScopeExpression>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ScopeExpression {
    pub(super) scope_name: Option<String>,
    pub(super) operator: Option<String>,
    #[serde(deserialize_with = "list")]
    pub(super) values: Option<Vec<String>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct QuotaStatus {
    pub(super) hard: Option<Amounts>,
    pub(super) used: Option<Amounts>,
}

/// Both spellings of events: `v1` and `events.k8s.io/v1`.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_field_names, reason = "the names are those of the wire")]
pub(super) struct Event {
    pub(super) metadata: Option<Meta>,
    pub(super) involved_object: Option<InvolvedObject>,
    pub(super) regarding: Option<InvolvedObject>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) note: Option<String>,
    pub(super) source: Option<EventSource>,
    pub(super) reporting_component: Option<String>,
    pub(super) reporting_controller: Option<String>,
    pub(super) last_timestamp: Option<String>,
    pub(super) deprecated_last_timestamp: Option<String>,
    pub(super) event_time: Option<String>,
    pub(super) series: Option<EventSeries>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct EventSeries {
    pub(super) last_observed_time: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct InvolvedObject {
    pub(super) kind: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) name: Option<String>,
    pub(super) uid: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct EventSource {
    pub(super) component: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ConfigMap {
    pub(super) metadata: Option<Meta>,
    #[serde(deserialize_with = "texts")]
    pub(super) data: Option<Strings>,
    #[serde(deserialize_with = "texts")]
    pub(super) binary_data: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Snapshot {
    pub(super) metadata: Option<Meta>,
    pub(super) status: Option<SnapshotStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SnapshotStatus {
    pub(super) ready_to_use: Option<bool>,
    pub(super) error: Option<Said>,
}

/// StatefulSets, Deployments and their like; CronJobs have their pods one level further down.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Workload {
    pub(super) metadata: Option<Meta>,
    pub(super) spec: Option<WorkloadSpec>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct WorkloadSpec {
    pub(super) replicas: Option<u32>,
    pub(super) ordinals: Option<Ordinals>,
    pub(super) template: Option<PodTemplate>,
    pub(super) job_template: Option<Box<Workload>>,
    #[serde(deserialize_with = "list")]
    pub(super) volume_claim_templates: Option<Vec<Claim>>,
    pub(super) persistent_volume_claim_retention_policy: Option<Retention>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Retention {
    pub(super) when_scaled: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Ordinals {
    pub(super) start: Option<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct PodTemplate {
    pub(super) spec: Option<PodSpec>,
}
