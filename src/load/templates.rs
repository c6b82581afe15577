//! Pods and workloads stand for the claims they use or would create: claim templates and ephemeral volumes become
//! claims that do not exist yet, so that a rendered chart can be explained before it is applied.

use super::decode::{
    DecodeError, Decoder, decode_claim, name_of, named_source, node_selector, owner_of, parse, time,
};
use super::wire;
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::model::{
    ClaimUse, InlineDisk, Kind, Origin, Pod, PodPhase, PodVolume, PodWishes, Toleration,
    VolumeSource, Workload,
};

/// The scheduler of a pod that names none.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// A rendered chart with absurd replicas must not fill the memory.
const MOST_REPLICAS: u32 = 1_000;

pub(super) fn add_pod(decoder: &mut Decoder, json: &str) -> Result<(), DecodeError> {
    let wire: wire::Pod = parse(json)?;
    let meta = wire.metadata.unwrap_or_default();
    let key = decoder.key(&meta)?;
    let spec = wire.spec.unwrap_or_default();
    let status = wire.status.unwrap_or_default();
    let statuses = status.container_statuses.unwrap_or_default();
    let running = |status: &wire::ContainerStatus| {
        status
            .state
            .as_ref()
            .is_some_and(|state| state.running.is_some())
    };
    let (owner, _) = owner_of(meta.owner_references);
    let mut spec = spec;
    let volumes = spec.volumes.take().unwrap_or_default();
    let disks = volumes.iter().filter_map(inline_disk).collect();
    let mounts = volumes.iter().filter_map(mount).collect();
    let volumes = pod_volumes(decoder, &key, &OwnerRef::new("Pod", &*key.name), volumes)?;
    let node_name = spec.node_name.take().filter(|node| !node.is_empty());
    decoder.note_seen(Kind::Pods);
    decoder.objects.pods.push(Pod {
        uid: meta.uid,
        created: time(
            meta.creation_timestamp.as_deref(),
            "metadata.creationTimestamp",
        )?,
        phase: match status.phase.as_deref() {
            Some("Running") => PodPhase::Running,
            Some("Succeeded") => PodPhase::Succeeded,
            Some("Failed") => PodPhase::Failed,
            Some("Unknown") => PodPhase::Unknown,
            _ => PodPhase::Pending,
        },
        node_name,
        is_deleted: meta.deletion_timestamp.is_some(),
        has_running_container: statuses.iter().any(running),
        volumes,
        disks,
        mounts,
        owner,
        wishes: wishes(spec),
        key,
    });
    Ok(())
}

fn wishes(spec: wire::PodSpec) -> PodWishes {
    let toleration = |toleration: wire::Toleration| Toleration {
        key: toleration.key.unwrap_or_default(),
        operator: toleration.operator.unwrap_or_default(),
        value: toleration.value.unwrap_or_default(),
        effect: toleration.effect.unwrap_or_default(),
    };
    let affinity = spec.affinity.and_then(|affinity| affinity.node_affinity);
    let gates = spec.scheduling_gates.unwrap_or_default();
    PodWishes {
        scheduler: spec
            .scheduler_name
            .filter(|name| !name.is_empty() && name != DEFAULT_SCHEDULER),
        gates: gates.into_iter().filter_map(|gate| gate.name).collect(),
        node_selector: spec.node_selector.unwrap_or_default(),
        node_affinity: affinity
            .and_then(|affinity| affinity.required)
            .map(node_selector),
        tolerations: spec
            .tolerations
            .unwrap_or_default()
            .into_iter()
            .map(toleration)
            .collect(),
        priority: spec.priority.unwrap_or_default(),
        never_preempts: spec.preemption_policy.as_deref() == Some("Never"),
    }
}

/// A directory of a node or a share.
fn mount(volume: &wire::PodVolume) -> Option<VolumeSource> {
    let directory = volume.host_path.as_ref();
    let share = volume.nfs.as_ref();
    directory
        .map(|source| named_source("hostPath", source))
        .or_else(|| share.map(|source| named_source("nfs", source)))
}

fn inline_disk(volume: &wire::PodVolume) -> Option<InlineDisk> {
    let read_only = |disk: &wire::Disk| disk.read_only.unwrap_or_default();
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    if let Some(disk) = &volume.gce_persistent_disk {
        return Some(InlineDisk::Gce {
            disk: text(&disk.pd_name),
            read_only: read_only(disk),
        });
    }
    if let Some(disk) = &volume.aws_elastic_block_store {
        return Some(InlineDisk::Aws {
            disk: text(&disk.volume_id),
        });
    }
    if let Some(disk) = &volume.iscsi {
        return Some(InlineDisk::Iscsi {
            iqn: text(&disk.iqn),
            read_only: read_only(disk),
        });
    }
    let counted = [
        ("kubernetes.io/azure-disk", &volume.azure_disk),
        ("kubernetes.io/cinder", &volume.cinder),
        ("kubernetes.io/portworx-volume", &volume.portworx_volume),
    ];
    for (plugin, disk) in counted {
        if let Some(disk) = disk {
            let disk = disk.uri.clone().or(disk.volume_id.clone());
            return Some(InlineDisk::Counted {
                plugin,
                disk: disk.unwrap_or_default(),
            });
        }
    }
    let disk = volume.rbd.as_ref()?;
    Some(InlineDisk::Rbd {
        monitors: disk.monitors.clone().unwrap_or_default(),
        pool: disk.pool.clone().unwrap_or_else(|| "rbd".to_owned()),
        image: text(&disk.image),
        read_only: read_only(disk),
    })
}

/// The claims of a pod's volumes; ephemeral ones are added as claims of their own.
fn pod_volumes(
    decoder: &mut Decoder,
    pod: &ObjectKey,
    owner: &OwnerRef,
    volumes: Vec<wire::PodVolume>,
) -> Result<Vec<PodVolume>, DecodeError> {
    let mut used = Vec::new();
    for volume in volumes {
        let name = volume.name.unwrap_or_default();
        let by_name = volume.persistent_volume_claim.or(volume
            .source
            .and_then(|source| source.persistent_volume_claim));
        let claimed = by_name.and_then(|claim| {
            claim
                .claim_name
                .or(claim.claim_ref.and_then(|reference| reference.name))
        });
        if let Some(claim) = claimed {
            used.push(PodVolume {
                name,
                claim: ClaimUse::Named(claim),
            });
        } else if let Some(ephemeral) = volume.ephemeral {
            let claim = ObjectKey::new(&*pod.namespace, format!("{}-{name}", pod.name));
            used.push(PodVolume {
                name,
                claim: ClaimUse::Ephemeral(claim.name.clone()),
            });
            if let Some(template) = ephemeral.volume_claim_template {
                add_template_claim(decoder, template, claim, owner)?;
            }
        }
    }
    Ok(used)
}

/// A claim that the template would create. One that was read as an object is left as it is.
fn add_template_claim(
    decoder: &mut Decoder,
    template: wire::Claim,
    key: ObjectKey,
    owner: &OwnerRef,
) -> Result<(), DecodeError> {
    let claim = decode_claim(template, key, Origin::Template(owner.clone()))?;
    decoder.template_claims.push(claim);
    Ok(())
}

pub(super) fn add_workload(
    decoder: &mut Decoder,
    kind: &str,
    json: &str,
) -> Result<(), DecodeError> {
    let wire: wire::Workload = parse(json)?;
    let meta = wire.metadata.unwrap_or_default();
    let key = decoder.key(&meta)?;
    let mut spec = wire.spec.unwrap_or_default();
    if let Some(job) = spec.job_template.take().and_then(|job| job.spec) {
        spec.template = job.template;
    }
    let replicas = match kind {
        "StatefulSet" | "Deployment" | "ReplicaSet" | "ReplicationController" => {
            spec.replicas.unwrap_or(1)
        }
        _ => 1,
    };
    let first_ordinal = spec
        .ordinals
        .and_then(|ordinals| ordinals.start)
        .unwrap_or(0);
    let owner = OwnerRef::new(kind, &*key.name);
    let volumes = spec
        .template
        .and_then(|template| template.spec)
        .and_then(|spec| spec.volumes)
        .unwrap_or_default();
    let claims = named_claims(&volumes);
    add_ephemeral_claims(decoder, kind, &key, first_ordinal, replicas, volumes)?;
    let mut claim_templates = Vec::new();
    for template in spec.volume_claim_templates.unwrap_or_default() {
        let name = name_of(template.metadata.as_ref().unwrap_or(&wire::Meta::default()))?;
        let template = decode_claim(template, key.clone(), Origin::Template(owner.clone()))?;
        for ordinal in ordinals(first_ordinal, replicas) {
            let mut claim = template.clone();
            claim.key.name = format!("{name}-{}-{ordinal}", key.name);
            decoder.template_claims.push(claim);
        }
        if replicas > MOST_REPLICAS {
            decoder.notes.push(format!(
                "{owner}: only the first {MOST_REPLICAS} of {replicas} claims {name} are looked at"
            ));
        }
        claim_templates.push(name);
    }
    decoder.note_seen(Kind::Workloads);
    decoder.objects.workloads.push(Workload {
        kind: kind.to_owned(),
        key,
        replicas,
        first_ordinal,
        when_scaled: spec
            .persistent_volume_claim_retention_policy
            .and_then(|policy| policy.when_scaled),
        claim_templates,
        claims,
    });
    Ok(())
}

fn ordinals(first: u32, replicas: u32) -> impl Iterator<Item = u32> {
    first..first.saturating_add(replicas.min(MOST_REPLICAS))
}

fn named_claims(volumes: &[wire::PodVolume]) -> Vec<String> {
    let name =
        |volume: &wire::PodVolume| volume.persistent_volume_claim.as_ref()?.claim_name.clone();
    volumes.iter().filter_map(name).collect()
}

/// Pods of StatefulSets are called by ordinal; those of others have names nobody knows yet, so `x` stands for them.
fn add_ephemeral_claims(
    decoder: &mut Decoder,
    kind: &str,
    key: &ObjectKey,
    first_ordinal: u32,
    replicas: u32,
    volumes: Vec<wire::PodVolume>,
) -> Result<(), DecodeError> {
    let owner = OwnerRef::new(kind, &*key.name);
    for volume in volumes {
        let name = volume.name.unwrap_or_default();
        let Some(template) = volume
            .ephemeral
            .and_then(|ephemeral| ephemeral.volume_claim_template)
        else {
            continue;
        };
        let template = decode_claim(template, key.clone(), Origin::Template(owner.clone()))?;
        for ordinal in ordinals(first_ordinal, replicas) {
            let pod = if kind == "StatefulSet" {
                ordinal.to_string()
            } else {
                format!("x{ordinal}")
            };
            let mut claim = template.clone();
            claim.key.name = format!("{}-{pod}-{name}", key.name);
            decoder.template_claims.push(claim);
        }
    }
    Ok(())
}
