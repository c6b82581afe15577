//! Volumes, claims and classes.

use super::super::library_text::DecodingFault;
use super::super::{seed_spellings, wire};
use super::fields::{
    condition, data_source, label_selector, node_selector, storage, time, topology,
};
use super::{DecodeError, Decoded, Decoder, name_of, owner_of_claim, parse};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations;
use crate::conventions::class_name::ClassName;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::{
    AllowedOption, BindingMode, Claim, ClaimPhase, ClaimRef, Class, Kind, Modification, Options,
    Origin, ReclaimPolicy, Volume, VolumePhase, VolumeSource,
};

impl Decoder {
    pub(super) fn volume(&mut self, json: &str) -> Decoded {
        let wire: wire::Volume = parse(json)?;
        let name = name_of(wire.metadata.as_ref().unwrap_or(&wire::Meta::default()))?;
        let volume = self.decode_volume(wire, name)?;
        self.saw(Kind::Volumes);
        self.objects.volumes.push(volume);
        Ok(())
    }

    /// A volume, or what is to become one.
    pub(super) fn decode_volume(
        &mut self,
        wire: wire::Volume,
        name: String,
    ) -> Result<Volume, DecodeError> {
        let meta = wire.metadata.unwrap_or_default();
        let mut spec = wire.spec.unwrap_or_default();
        let status = wire.status.unwrap_or_default();
        self.notes
            .extend(seed_spellings::modernise(&name, &mut spec));
        let source = find_source(&spec);
        let access_mode_names = spec.access_modes.take().unwrap_or_default();
        let mut all = meta.annotations.unwrap_or_default();
        let class = ClassName {
            annotation: all.get(annotations::BETA_CLASS).cloned(),
            field: spec.storage_class_name.or(spec.class),
        };
        all.retain(|key, _| annotations::KEPT_ON_VOLUMES.contains(&key.as_str()));
        Ok(Volume {
            uid: meta.uid,
            resource_version: meta.resource_version,
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
            access_modes: AccessModes::of_names(access_mode_names.iter().map(String::as_str)),
            access_mode_names,
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
        })
    }

    pub(super) fn claim(&mut self, json: &str) -> Decoded {
        let wire: wire::Claim = parse(json)?;
        self.saw(Kind::Claims);
        let meta = wire.metadata.as_ref();
        let key = self.key(meta.unwrap_or(&wire::Meta::default()))?;
        self.objects
            .claims
            .push(decode_claim(wire, key, Origin::Object)?);
        Ok(())
    }

    pub(super) fn class(&mut self, json: &str) -> Decoded {
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
}

/// A claim, or a template of one.
pub(in super::super) fn decode_claim(
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
    let (owner, owner_uid) = owner_of_claim(meta.owner_references);
    Ok(Claim {
        key,
        uid: meta.uid.filter(|uid| !uid.is_empty()),
        resource_version: meta.resource_version,
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
        status_access_mode_names: status.access_modes.unwrap_or_default(),
        allocated: storage(
            status.allocated_resources.as_ref(),
            "status.allocatedResources",
        )?,
        current_attributes_class: status.current_volume_attributes_class_name,
        modifying: status.modify_volume_status.map(|change| Modification {
            target: change
                .target_volume_attributes_class_name
                .unwrap_or_default(),
            status: change.status.unwrap_or_default(),
        }),
        conditions: status
            .conditions
            .unwrap_or_default()
            .into_iter()
            .map(condition)
            .collect::<Result<_, _>>()?,
        annotations: all,
        owner,
        owner_uid,
        origin,
    })
}

/// Options whose JSON is no list of objects with a string key and string values are malformed as a whole.
fn options(json: Option<&str>) -> Options {
    let Some(json) = json.filter(|json| *json != "null") else {
        return Options::None;
    };
    match serde_json::from_str::<Vec<wire::AllowedOption>>(json) {
        Err(error) => Options::Malformed(DecodingFault::of(&error).to_string()),
        Ok(list) => Options::Declared(
            list.into_iter()
                .map(|option| AllowedOption {
                    key: option.key,
                    default_value: option.default_value,
                    required: option.required.unwrap_or_default(),
                    allowed_values: option.allowed_values.unwrap_or_default(),
                    description: option.description,
                    unread: option.unread.into_keys().collect(),
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
    named_source(field, source)
}

/// A source in the field of this name.
pub(in crate::load) fn named_source(field: &str, source: &wire::Source) -> VolumeSource {
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
