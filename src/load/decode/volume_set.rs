//! Sets of volumes. Their template is a volume that has no name of its own yet.

use super::super::wire;
use super::fields::time;
use super::{DecodeError, Decoded, Decoder, name_of, parse};
use crate::model::{
    DEFAULT_MEMBER_NAME, InProgress, Kind, SetCondition, SetStatus, VolumeSet, VolumeTemplate,
};

impl Decoder {
    pub(super) fn volume_set(&mut self, json: &str) -> Decoded {
        let wire: wire::VolumeSet = parse(json)?;
        let meta = wire.metadata.unwrap_or_default();
        let spec = wire.spec.unwrap_or_default();
        let template = spec.template.as_ref();
        let template = template.map(|raw| self.volume_template(raw.get()));
        self.saw(Kind::VolumeSets);
        self.objects.volume_sets.push(VolumeSet {
            name: name_of(&meta)?,
            uid: meta.uid,
            resource_version: meta.resource_version,
            generation: meta.generation,
            created: time(
                meta.creation_timestamp.as_deref(),
                "metadata.creationTimestamp",
            )?,
            deleted: time(
                meta.deletion_timestamp.as_deref(),
                "metadata.deletionTimestamp",
            )?,
            missing: missing(&spec),
            minimum: spec.minimum_replicas.unwrap_or_default(),
            maximum: spec.maximum_replicas.unwrap_or_default(),
            selector: spec.selector.unwrap_or_default(),
            template: template.transpose()?,
            status: status(wire.status.unwrap_or_default())?,
        });
        Ok(())
    }

    fn volume_template(&mut self, json: &str) -> Result<VolumeTemplate, DecodeError> {
        let below = |error: DecodeError| DecodeError {
            field: format!("spec.template.{}", error.field),
            ..error
        };
        let wire: wire::Volume = parse(json).map_err(below)?;
        let name = wire.metadata.as_ref().and_then(|meta| meta.name.clone());
        let name = name.filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| DEFAULT_MEMBER_NAME.to_owned());
        Ok(VolumeTemplate {
            written: parse(json).map_err(below)?,
            volume: self.decode_volume(wire, name).map_err(below)?,
        })
    }
}

fn missing(spec: &wire::VolumeSetSpec) -> Vec<&'static str> {
    let fields = [
        ("minimumReplicas", spec.minimum_replicas),
        ("maximumReplicas", spec.maximum_replicas),
    ];
    let missing = fields.into_iter().filter(|(_, count)| count.is_none());
    missing.map(|(field, _)| field).collect()
}

fn status(status: wire::VolumeSetStatus) -> Result<SetStatus, DecodeError> {
    let in_progress = status.in_progress.map(|it| {
        Ok(InProgress {
            action: it.action.unwrap_or_default(),
            volume: it.volume.unwrap_or_default(),
            ordinal: it.ordinal,
            until: time(it.until.as_deref(), "status.inProgress.until")?,
            by: it.by,
        })
    });
    let conditions = status.conditions.unwrap_or_default().into_iter();
    let conditions = conditions.map(|condition| SetCondition {
        kind: condition.kind.unwrap_or_default(),
        status: condition.status.unwrap_or_default(),
        reason: condition.reason.unwrap_or_default(),
        message: condition.message.unwrap_or_default(),
        since: condition.last_transition_time,
    });
    Ok(SetStatus {
        bound: status.bound_replicas,
        unbound: status.unbound_replicas,
        total: status.total_replicas,
        observed_generation: status.observed_generation,
        next_ordinal: status.next_ordinal,
        in_progress: in_progress.transpose()?,
        conditions: conditions.collect(),
    })
}

#[cfg(test)]
mod tests {
    use crate::model::{InProgress, SetCondition, SetStatus, Time};

    /// As v0.1.0 wrote it into the cluster.
    const STATUS: &str = r#"{
        "apiVersion": "kubectl-pv.dev/v1alpha1", "kind": "PersistentVolumeSet",
        "metadata": { "name": "fast", "uid": "uid-fast", "resourceVersion": "9", "generation": 2 },
        "spec": { "minimumReplicas": 1, "maximumReplicas": 5, "selector": { "pool": "fast" } },
        "status": {
            "totalReplicas": 3, "unboundReplicas": 1, "boundReplicas": 2,
            "observedGeneration": 2, "nextOrdinal": 4,
            "inProgress": { "action": "Create", "volume": "fast-3", "ordinal": 3,
                "until": "1970-01-01T00:01:00.500000Z", "by": "0123456789abcdef" },
            "conditions": [ { "type": "Ready", "status": "False", "reason": "CreationFailed",
                "message": "no space", "observedGeneration": 2,
                "lastTransitionTime": "2026-01-01T00:00:00Z" } ] } }"#;

    #[test]
    fn the_status_of_v0_1_0_is_read() {
        let read = crate::load::read_text(STATUS, "ns").unwrap().state;
        let set = read.find_volume_set("fast").unwrap();
        let status = SetStatus {
            bound: Some(2),
            unbound: Some(1),
            total: Some(3),
            observed_generation: Some(2),
            next_ordinal: Some(4),
            in_progress: Some(InProgress {
                action: "Create".to_owned(),
                volume: "fast-3".to_owned(),
                ordinal: Some(3),
                until: Some(Time(60)),
                by: Some("0123456789abcdef".to_owned()),
            }),
            conditions: vec![SetCondition {
                kind: "Ready".to_owned(),
                status: "False".to_owned(),
                reason: "CreationFailed".to_owned(),
                message: "no space".to_owned(),
                since: Some("2026-01-01T00:00:00Z".to_owned()),
            }],
        };
        assert_eq!(set.status, status);
    }
}
