//! One object of the wire → the model. Errors say which field.

use super::seed_spellings;
use super::templates;
use super::wire;
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::class_name::ClassName;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm, TopologyTerm};
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{
    AllowedOption, AttributesClass, BindingMode, Claim, ClaimPhase, ClaimRef, Class, Condition,
    ConfigMap, CsiDriver, CsiNode, DataSource, Event, Kind, LimitRange, LimitRangeItem, Node,
    Objects, Options, Origin, Quota, QuotaScope, ReclaimPolicy, Snapshot, Time, Volume,
    VolumePhase, VolumeSource,
};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// What is wrong in an object, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecodeError {
    /// The field, as a path.
    pub(super) field: String,
    /// What is wrong with it.
    pub(super) message: String,
}

/// Decodes objects into one collection.
#[derive(Default)]
pub(super) struct Decoder {
    pub(super) objects: Objects,
    /// Claims that templates would create; those that exist already win.
    pub(super) template_claims: Vec<Claim>,
    /// The kinds that occurred.
    pub(super) seen: Vec<Kind>,
    /// What was read in another way than it is written, to be told.
    pub(super) notes: Vec<String>,
    /// The namespace of objects that name none.
    pub(super) default_namespace: String,
}

type Decoded = Result<(), DecodeError>;

impl Decoder {
    /// Decodes one object; a kind we do not read is skipped. Answers whether the kind is one we know.
    pub(super) fn add(
        &mut self,
        api_version: &str,
        kind: &str,
        json: &str,
    ) -> Result<bool, DecodeError> {
        let group = api_version.rsplit_once('/').map_or("", |(group, _)| group);
        match (group, kind) {
            ("", "PersistentVolume") => self.volume(json)?,
            ("", "PersistentVolumeClaim") => self.claim(json)?,
            // The seeds' first class is in the core group.
            ("storage.k8s.io" | "", "StorageClass") => self.class(json)?,
            ("storage.k8s.io", "VolumeAttributesClass") => self.attributes_class(json)?,
            ("", "Pod") => templates::add_pod(self, json)?,
            ("", "Node") => self.node(json)?,
            ("storage.k8s.io", "CSIDriver") => self.csi_driver(json)?,
            ("storage.k8s.io", "CSINode") => self.csi_node(json)?,
            ("", "LimitRange") => self.limit_range(json)?,
            ("", "ResourceQuota") => self.quota(json)?,
            ("" | "events.k8s.io", "Event") => self.event(json)?,
            ("", "ConfigMap") => self.config_map(json)?,
            ("snapshot.storage.k8s.io", "VolumeSnapshot") => self.snapshot(json)?,
            ("apps" | "extensions", "StatefulSet" | "Deployment" | "ReplicaSet" | "DaemonSet")
            | ("batch", "Job" | "CronJob")
            | ("", "ReplicationController") => templates::add_workload(self, kind, json)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// All that was read. A claim that exists is not shadowed by the template that made it.
    pub(super) fn finish(mut self) -> Decoder {
        let existing: std::collections::HashSet<ObjectKey> = self
            .objects
            .claims
            .iter()
            .map(|claim| claim.key.clone())
            .collect();
        let new = std::mem::take(&mut self.template_claims);
        self.objects.claims.extend(
            new.into_iter()
                .filter(|claim| !existing.contains(&claim.key)),
        );
        self
    }

    /// Takes over what another decoder has read after this one.
    pub(super) fn absorb(&mut self, other: Decoder) {
        self.objects.append(other.objects);
        self.template_claims.extend(other.template_claims);
        self.notes.extend(other.notes);
        for kind in other.seen {
            self.saw(kind);
        }
    }

    fn saw(&mut self, kind: Kind) {
        if !self.seen.contains(&kind) {
            self.seen.push(kind);
        }
    }

    pub(super) fn note_seen(&mut self, kind: Kind) {
        self.saw(kind);
    }

    pub(super) fn key(&self, meta: &wire::Meta) -> Result<ObjectKey, DecodeError> {
        let namespace = meta
            .namespace
            .clone()
            .filter(|namespace| !namespace.is_empty());
        Ok(ObjectKey::new(
            namespace.unwrap_or_else(|| self.default_namespace.clone()),
            name_of(meta)?,
        ))
    }

    fn volume(&mut self, json: &str) -> Decoded {
        let wire: wire::Volume = parse(json)?;
        let meta = wire.metadata.unwrap_or_default();
        let mut spec = wire.spec.unwrap_or_default();
        let status = wire.status.unwrap_or_default();
        let name = name_of(&meta)?;
        self.notes
            .extend(seed_spellings::modernise(&name, &mut spec));
        let source = find_source(&spec);
        let mut all = meta.annotations.unwrap_or_default();
        let class = ClassName {
            annotation: all.get(annotations::BETA_CLASS).cloned(),
            field: spec.storage_class_name.or(spec.class),
        };
        all.retain(|key, _| annotations::KEPT_ON_VOLUMES.contains(&key.as_str()));
        self.saw(Kind::Volumes);
        self.objects.volumes.push(Volume {
            uid: meta.uid,
            labels: meta.labels.unwrap_or_default(),
            annotations: all,
            created: time(
                meta.creation_timestamp.as_deref(),
                "metadata.creationTimestamp",
            )?,
            deleted: time(
                meta.deletion_timestamp.as_deref(),
                "metadata.deletionTimestamp",
            )?,
            finalizers: meta.finalizers.unwrap_or_default(),
            capacity: storage(spec.capacity.as_ref(), "spec.capacity")?
                .unwrap_or_else(Quantity::zero),
            access_modes: AccessModes::of_names(
                spec.access_modes
                    .unwrap_or_default()
                    .iter()
                    .map(String::as_str),
            ),
            volume_mode: spec
                .volume_mode
                .as_deref()
                .and_then(VolumeMode::find)
                .unwrap_or_default(),
            class,
            attributes_class: spec.volume_attributes_class_name,
            claim_ref: spec.claim_ref.map(|reference| ClaimRef {
                namespace: reference.namespace.unwrap_or_default(),
                name: reference.name.unwrap_or_default(),
                uid: reference.uid.filter(|uid| !uid.is_empty()),
            }),
            reclaim_policy: ReclaimPolicy::of_name(
                spec.persistent_volume_reclaim_policy
                    .as_deref()
                    .unwrap_or(""),
            ),
            source,
            node_affinity: spec
                .node_affinity
                .and_then(|affinity| affinity.required)
                .map(node_selector),
            phase: VolumePhase::of_name(status.phase.as_deref().unwrap_or("")),
            message: status.message.filter(|message| !message.is_empty()),
            phase_since: time(
                status.last_phase_transition_time.as_deref(),
                "status.lastPhaseTransitionTime",
            )?,
            name,
        });
        Ok(())
    }

    fn claim(&mut self, json: &str) -> Decoded {
        let wire: wire::Claim = parse(json)?;
        self.saw(Kind::Claims);
        let meta = wire.metadata.as_ref();
        let key = self.key(meta.unwrap_or(&wire::Meta::default()))?;
        self.objects
            .claims
            .push(decode_claim(wire, key, Origin::Object)?);
        Ok(())
    }

    fn class(&mut self, json: &str) -> Decoded {
        let wire: wire::Class = parse(json)?;
        let meta = wire.metadata.unwrap_or_default();
        let all = meta.annotations.clone().unwrap_or_default();
        let is_true = |key: &str| all.get(key).is_some_and(|value| value == "true");
        let written = wire
            .allowed_provisioning_options
            .as_ref()
            .map(|raw| raw.get());
        let options =
            options(written.or_else(|| all.get(annotations::ALLOWED_OPTIONS).map(String::as_str)));
        self.saw(Kind::Classes);
        self.objects.classes.push(Class {
            name: name_of(&meta)?,
            provisioner: wire.provisioner.unwrap_or_default(),
            parameters: wire.parameters.unwrap_or_default(),
            binding_mode: match wire.volume_binding_mode.as_deref() {
                Some("WaitForFirstConsumer") => BindingMode::WaitForFirstConsumer,
                _ => BindingMode::Immediate,
            },
            reclaim_policy: wire.reclaim_policy.unwrap_or_else(|| "Delete".to_owned()),
            mount_options: wire.mount_options.unwrap_or_default(),
            allow_expansion: wire.allow_volume_expansion.unwrap_or_default(),
            allowed_topologies: wire
                .allowed_topologies
                .unwrap_or_default()
                .into_iter()
                .map(topology)
                .collect(),
            marked_default: is_true(annotations::DEFAULT_CLASS)
                || is_true(annotations::BETA_DEFAULT_CLASS),
            created: time(
                meta.creation_timestamp.as_deref(),
                "metadata.creationTimestamp",
            )?,
            options,
        });
        Ok(())
    }

    fn attributes_class(&mut self, json: &str) -> Decoded {
        let wire: wire::AttributesClass = parse(json)?;
        let name = name_of(&wire.metadata.unwrap_or_default())?;
        self.saw(Kind::AttributesClasses);
        self.objects.attributes_classes.push(AttributesClass {
            name,
            driver: wire.driver_name.unwrap_or_default(),
        });
        Ok(())
    }

    fn node(&mut self, json: &str) -> Decoded {
        let meta = parse::<wire::Bare>(json)?.metadata.unwrap_or_default();
        self.saw(Kind::Nodes);
        self.objects.nodes.push(Node {
            name: name_of(&meta)?,
            labels: meta.labels.unwrap_or_default(),
        });
        Ok(())
    }

    fn csi_driver(&mut self, json: &str) -> Decoded {
        let meta = parse::<wire::Bare>(json)?.metadata.unwrap_or_default();
        self.saw(Kind::CsiDrivers);
        self.objects.csi_drivers.push(CsiDriver {
            name: name_of(&meta)?,
        });
        Ok(())
    }

    fn csi_node(&mut self, json: &str) -> Decoded {
        let wire: wire::CsiNode = parse(json)?;
        let drivers = wire.spec.and_then(|spec| spec.drivers).unwrap_or_default();
        let name = name_of(&wire.metadata.unwrap_or_default())?;
        self.saw(Kind::CsiNodes);
        self.objects.csi_nodes.push(CsiNode {
            name,
            drivers: drivers
                .into_iter()
                .filter_map(|driver| driver.name)
                .collect(),
        });
        Ok(())
    }

    fn limit_range(&mut self, json: &str) -> Decoded {
        let wire: wire::LimitRange = parse(json)?;
        let key = self.key(&wire.metadata.unwrap_or_default())?;
        let items = wire.spec.and_then(|spec| spec.limits).unwrap_or_default();
        let claim_items = items
            .into_iter()
            .filter(|item| item.kind.as_deref() == Some("PersistentVolumeClaim"))
            .map(|item| {
                Ok(LimitRangeItem {
                    min: quantities(item.min.as_ref(), "spec.limits.min")?,
                    max: quantities(item.max.as_ref(), "spec.limits.max")?,
                })
            })
            .collect::<Result<_, DecodeError>>()?;
        self.saw(Kind::LimitRanges);
        self.objects
            .limit_ranges
            .push(LimitRange { key, claim_items });
        Ok(())
    }

    fn quota(&mut self, json: &str) -> Decoded {
        let wire: wire::Quota = parse(json)?;
        let key = self.key(&wire.metadata.unwrap_or_default())?;
        let spec = wire.spec.unwrap_or_default();
        let status = wire.status.unwrap_or_default();
        let plain = spec
            .scopes
            .unwrap_or_default()
            .into_iter()
            .map(|name| QuotaScope {
                name,
                operator: "Exists".to_owned(),
                values: vec![],
            });
        let expressions = spec
            .scope_selector
            .and_then(|selector| selector.match_expressions)
            .unwrap_or_default();
        let selected = expressions.into_iter().map(|expression| QuotaScope {
            name: expression.scope_name.unwrap_or_default(),
            operator: expression.operator.unwrap_or_default(),
            values: expression.values.unwrap_or_default(),
        });
        self.saw(Kind::Quotas);
        self.objects.quotas.push(Quota {
            key,
            hard: quantities(status.hard.as_ref().or(spec.hard.as_ref()), "spec.hard")?,
            has_status: status.hard.is_some(),
            used: quantities(status.used.as_ref(), "status.used")?,
            scopes: plain.chain(selected).collect(),
        });
        Ok(())
    }

    fn event(&mut self, json: &str) -> Decoded {
        let wire: wire::Event = parse(json)?;
        let about = wire.involved_object.or(wire.regarding).unwrap_or_default();
        let component = wire
            .source
            .and_then(|source| source.component)
            .filter(|component| !component.is_empty());
        let series = wire.series.and_then(|series| series.last_observed_time);
        let created = wire.metadata.and_then(|meta| meta.creation_timestamp);
        let last = series
            .or(wire.last_timestamp)
            .or(wire.deprecated_last_timestamp)
            .or(wire.event_time)
            .or(created);
        self.saw(Kind::Events);
        self.objects.events.push(Event {
            about_kind: about.kind.unwrap_or_default(),
            about: ObjectKey::new(
                about.namespace.unwrap_or_default(),
                about.name.unwrap_or_default(),
            ),
            about_uid: about.uid,
            kind: wire.kind.unwrap_or_default(),
            reason: wire.reason.unwrap_or_default(),
            message: wire.message.or(wire.note).unwrap_or_default(),
            component: component
                .or(wire.reporting_component)
                .or(wire.reporting_controller)
                .unwrap_or_default(),
            last_seen: time(last.as_deref(), "lastTimestamp")?,
        });
        Ok(())
    }

    fn config_map(&mut self, json: &str) -> Decoded {
        let wire: wire::ConfigMap = parse(json)?;
        let key = self.key(&wire.metadata.unwrap_or_default())?;
        let binary_keys = wire.binary_data.unwrap_or_default().into_keys().collect();
        self.saw(Kind::ConfigMaps);
        self.objects.config_maps.push(ConfigMap {
            key,
            data: wire.data.unwrap_or_default(),
            binary_keys,
        });
        Ok(())
    }

    fn snapshot(&mut self, json: &str) -> Decoded {
        let wire: wire::Snapshot = parse(json)?;
        let key = self.key(&wire.metadata.unwrap_or_default())?;
        let status = wire.status.unwrap_or_default();
        self.saw(Kind::Snapshots);
        self.objects.snapshots.push(Snapshot {
            key,
            is_ready: status.ready_to_use.unwrap_or_default(),
            error: status.error.and_then(|error| error.message),
        });
        Ok(())
    }
}

/// A claim, or a template of one.
pub(super) fn decode_claim(
    wire: wire::Claim,
    key: ObjectKey,
    origin: Origin,
) -> Result<Claim, DecodeError> {
    let meta = wire.metadata.unwrap_or_default();
    let spec = wire.spec.unwrap_or_default();
    let status = wire.status.unwrap_or_default();
    let all = meta.annotations.unwrap_or_default();
    let from_field = spec.provisioning_options.and_then(|options| options.name);
    let options = from_field
        .or_else(|| all.get(annotations::OPTIONS).cloned())
        .filter(|name| !name.is_empty());
    Ok(Claim {
        key,
        uid: meta.uid.filter(|uid| !uid.is_empty()),
        labels: meta.labels.unwrap_or_default(),
        created: time(
            meta.creation_timestamp.as_deref(),
            "metadata.creationTimestamp",
        )?,
        deleted: time(
            meta.deletion_timestamp.as_deref(),
            "metadata.deletionTimestamp",
        )?,
        finalizers: meta.finalizers.unwrap_or_default(),
        requested: storage(
            spec.resources
                .and_then(|resources| resources.requests)
                .as_ref(),
            "spec.resources.requests",
        )?,
        access_mode_names: spec.access_modes.unwrap_or_default(),
        volume_mode_name: spec.volume_mode.filter(|mode| !mode.is_empty()),
        class: ClassName {
            annotation: all.get(annotations::BETA_CLASS).cloned(),
            field: spec.storage_class_name.or(spec.class),
        },
        attributes_class: spec.volume_attributes_class_name,
        selector: spec.selector.map(label_selector),
        volume_name: spec.volume_name.filter(|name| !name.is_empty()),
        data_source: spec.data_source.map(data_source),
        data_source_ref: spec.data_source_ref.map(data_source),
        options,
        phase: match status.phase.as_deref() {
            Some("Bound") => ClaimPhase::Bound,
            Some("Lost") => ClaimPhase::Lost,
            _ => ClaimPhase::Pending,
        },
        capacity: storage(status.capacity.as_ref(), "status.capacity")?,
        status_access_modes: AccessModes::of_names(
            status
                .access_modes
                .unwrap_or_default()
                .iter()
                .map(String::as_str),
        ),
        allocated: storage(
            status.allocated_resources.as_ref(),
            "status.allocatedResources",
        )?,
        current_attributes_class: status.current_volume_attributes_class_name,
        conditions: status
            .conditions
            .unwrap_or_default()
            .into_iter()
            .map(condition)
            .collect(),
        annotations: all,
        owner: owner_of(meta.owner_references),
        origin,
    })
}

/// The owner that made an object, as in `Job batch`.
pub(super) fn owner_of(owners: Option<Vec<wire::Owner>>) -> Option<String> {
    let owner = owners?
        .into_iter()
        .find(|owner| owner.controller.unwrap_or_default())?;
    Some(format!(
        "{} {}",
        owner.kind.unwrap_or_default(),
        owner.name.unwrap_or_default()
    ))
}

/// Reads the wire struct of a kind; on an error reads it again, to name the field that does not fit.
pub(super) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, DecodeError> {
    if let Ok(object) = serde_json::from_str(json) {
        return Ok(object);
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| DecodeError {
        field: spelled_path(&error.path().to_string()),
        message: plain_message(error.inner()),
    })
}

/// The path of a field; the object itself has none.
fn spelled_path(path: &str) -> String {
    if path == "." {
        "object".to_owned()
    } else {
        path.to_owned()
    }
}

/// serde_json's message without the place in a text that the user never saw, and without the names of our types.
fn plain_message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(message, _)| message);
    let text: String = if text.chars().count() > 300 {
        text.chars().take(300).chain(['…']).collect()
    } else {
        text.to_owned()
    };
    match text.split_once(", expected ") {
        Some((found, wanted)) if wanted.starts_with("struct ") => {
            format!("{found}, expected an object")
        }
        Some((found, "u32" | "u64" | "i64")) => format!("{found}, expected a number"),
        Some((found, "a sequence")) => format!("{found}, expected a list"),
        Some((found, "a map")) => format!("{found}, expected an object"),
        _ => text,
    }
}

/// The name; an object that leaves it to the server gets a stand-in.
pub(super) fn name_of(meta: &wire::Meta) -> Result<String, DecodeError> {
    let given = meta.name.clone().filter(|name| !name.is_empty());
    let generated = || {
        meta.generate_name
            .as_ref()
            .map(|prefix| format!("{prefix}xxxxx"))
    };
    given.or_else(generated).ok_or_else(|| DecodeError {
        field: "metadata.name".to_owned(),
        message: "the object has no name".to_owned(),
    })
}

fn time(text: Option<&str>, field: &str) -> Result<Option<Time>, DecodeError> {
    let Some(text) = text else { return Ok(None) };
    match text.parse::<jiff::Timestamp>() {
        Ok(timestamp) => Ok(Some(Time(timestamp.as_second()))),
        Err(_) => Err(DecodeError {
            field: field.to_owned(),
            message: format!("`{text}` is not a time"),
        }),
    }
}

fn storage(amounts: Option<&wire::Amounts>, field: &str) -> Result<Option<Quantity>, DecodeError> {
    match amounts.and_then(|amounts| amounts.get("storage")) {
        Some(amount) => quantity(amount, &format!("{field}.storage")).map(Some),
        None => Ok(None),
    }
}

fn quantities(
    amounts: Option<&wire::Amounts>,
    field: &str,
) -> Result<BTreeMap<String, Quantity>, DecodeError> {
    let amounts = amounts.into_iter().flatten();
    amounts
        .map(|(key, amount)| Ok((key.clone(), quantity(amount, &format!("{field}.{key}"))?)))
        .collect()
}

fn quantity(amount: &wire::Amount, field: &str) -> Result<Quantity, DecodeError> {
    let Some(text) = &amount.0 else {
        return Ok(Quantity::zero());
    };
    Quantity::parse(text).map_err(|error| DecodeError {
        field: field.to_owned(),
        message: format!("`{text}`: {error}"),
    })
}

fn label_selector(wire: wire::LabelSelector) -> LabelSelector {
    LabelSelector {
        match_labels: wire.match_labels.unwrap_or_default(),
        match_expressions: wire
            .match_expressions
            .unwrap_or_default()
            .into_iter()
            .map(requirement)
            .collect(),
    }
}

fn requirement(wire: wire::Expression) -> Requirement {
    Requirement {
        key: wire.key.unwrap_or_default(),
        operator: Operator::of_name(&wire.operator.unwrap_or_default()),
        values: wire.values.unwrap_or_default(),
    }
}

fn node_selector(wire: wire::NodeSelector) -> NodeSelector {
    let term = |term: wire::NodeSelectorTerm| NodeSelectorTerm {
        match_expressions: term
            .match_expressions
            .unwrap_or_default()
            .into_iter()
            .map(requirement)
            .collect(),
        match_fields: term
            .match_fields
            .unwrap_or_default()
            .into_iter()
            .map(requirement)
            .collect(),
    };
    NodeSelector {
        terms: wire
            .node_selector_terms
            .unwrap_or_default()
            .into_iter()
            .map(term)
            .collect(),
    }
}

fn topology(wire: wire::TopologyTerm) -> TopologyTerm {
    let expressions = wire.match_label_expressions.unwrap_or_default();
    TopologyTerm {
        expressions: expressions
            .into_iter()
            .map(|expression| {
                (
                    expression.key.unwrap_or_default(),
                    expression.values.unwrap_or_default(),
                )
            })
            .collect(),
    }
}

fn data_source(wire: wire::DataSource) -> DataSource {
    DataSource {
        group: wire.api_group,
        kind: wire.kind.unwrap_or_default(),
        name: wire.name.unwrap_or_default(),
        namespace: wire.namespace.filter(|namespace| !namespace.is_empty()),
    }
}

fn condition(wire: wire::Condition) -> Condition {
    Condition {
        kind: wire.kind.unwrap_or_default(),
        status: wire.status.unwrap_or_default(),
        message: wire.message.unwrap_or_default(),
    }
}

/// Options whose JSON is no list of objects with a string key and string values are malformed as a whole.
fn options(json: Option<&str>) -> Options {
    let Some(json) = json.filter(|json| *json != "null") else {
        return Options::None;
    };
    match serde_json::from_str::<Vec<wire::AllowedOption>>(json) {
        Err(error) => Options::Malformed(plain_message(&error)),
        Ok(list) => Options::Declared(
            list.into_iter()
                .map(|option| AllowedOption {
                    key: option.key,
                    default_value: option.default_value,
                    required: option.required.unwrap_or_default(),
                    allowed_values: option.allowed_values.unwrap_or_default(),
                    description: option.description,
                })
                .collect(),
        ),
    }
}

fn find_source(spec: &wire::VolumeSpec) -> VolumeSource {
    let sources = [
        ("csi", &spec.csi),
        ("hostPath", &spec.host_path),
        ("nfs", &spec.nfs),
        ("local", &spec.local),
        ("awsElasticBlockStore", &spec.aws_elastic_block_store),
        ("gcePersistentDisk", &spec.gce_persistent_disk),
        ("gcePersistentDisk", &spec.persistent_disk),
        ("azureDisk", &spec.azure_disk),
        ("azureFile", &spec.azure_file),
        ("cephfs", &spec.cephfs),
        ("cinder", &spec.cinder),
        ("fc", &spec.fc),
        ("flexVolume", &spec.flex_volume),
        ("flocker", &spec.flocker),
        ("glusterfs", &spec.glusterfs),
        ("iscsi", &spec.iscsi),
        ("photonPersistentDisk", &spec.photon_persistent_disk),
        ("portworxVolume", &spec.portworx_volume),
        ("quobyte", &spec.quobyte),
        ("rbd", &spec.rbd),
        ("scaleIO", &spec.scale_io),
        ("storageos", &spec.storageos),
        ("vsphereVolume", &spec.vsphere_volume),
    ];
    let Some((field, source)) = sources
        .into_iter()
        .find_map(|(field, source)| Some((field, source.as_ref()?)))
    else {
        return VolumeSource::default();
    };
    let path = match (&source.server, &source.path) {
        (Some(server), Some(path)) => Some(format!("{server}:{path}")),
        (_, path) => path.clone(),
    };
    VolumeSource {
        field: field.to_owned(),
        location: path
            .or_else(|| source.volume_handle.clone())
            .or_else(|| source.volume_id.clone())
            .or_else(|| source.pd_name.clone()),
        driver: source.driver.clone(),
    }
}
