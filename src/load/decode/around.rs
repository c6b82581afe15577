//! What stands around volumes and claims: nodes, drivers, limits, quotas, events, ConfigMaps, snapshots.

use super::super::wire;
use super::fields::{label_selector, quantities, quantity, time};
use super::{DecodeError, Decoded, Decoder, name_of, parse};
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{
    AttributesClass, ConfigMap, CsiDriver, CsiNode, Event, Kind, LimitRange, LimitRangeItem, Node,
    Quota, QuotaScope, Snapshot, StorageCapacity, Taint, VolumeAttachment,
};

impl Decoder {
    pub(super) fn attributes_class(&mut self, json: &str) -> Decoded {
        let wire: wire::AttributesClass = parse(json)?;
        let name = name_of(&wire.metadata.unwrap_or_default())?;
        self.saw(Kind::AttributesClasses);
        self.objects.attributes_classes.push(AttributesClass {
            name,
            driver: wire.driver_name.unwrap_or_default(),
        });
        Ok(())
    }

    pub(super) fn node(&mut self, json: &str) -> Decoded {
        let wire: wire::Node = parse(json)?;
        let meta = wire.metadata.unwrap_or_default();
        let spec = wire.spec.unwrap_or_default();
        let taint = |taint: wire::Toleration| Taint {
            key: taint.key.unwrap_or_default(),
            value: taint.value.unwrap_or_default(),
            effect: taint.effect.unwrap_or_default(),
        };
        self.saw(Kind::Nodes);
        self.objects.nodes.push(Node {
            name: name_of(&meta)?,
            labels: meta.labels.unwrap_or_default(),
            machine_id: wire
                .status
                .and_then(|status| status.node_info?.machine_id)
                .unwrap_or_default(),
            is_cordoned: spec.unschedulable.unwrap_or_default(),
            taints: spec
                .taints
                .unwrap_or_default()
                .into_iter()
                .map(taint)
                .collect(),
        });
        Ok(())
    }

    pub(super) fn csi_driver(&mut self, json: &str) -> Decoded {
        let wire: wire::CsiDriver = parse(json)?;
        self.saw(Kind::CsiDrivers);
        self.objects.csi_drivers.push(CsiDriver {
            name: name_of(&wire.metadata.unwrap_or_default())?,
            checks_capacity: wire
                .spec
                .and_then(|spec| spec.storage_capacity)
                .unwrap_or_default(),
        });
        Ok(())
    }

    pub(super) fn csi_node(&mut self, json: &str) -> Decoded {
        let wire: wire::CsiNode = parse(json)?;
        let drivers = wire.spec.and_then(|spec| spec.drivers).unwrap_or_default();
        let mut meta = wire.metadata.unwrap_or_default();
        let name = name_of(&meta)?;
        let migrated = meta
            .annotations
            .as_mut()
            .and_then(|annotations| annotations.remove(annotations::MIGRATED_PLUGINS))
            .unwrap_or_default();
        let limit = |driver: &wire::CsiNodeDriver| {
            let count = driver.allocatable.as_ref()?.count?;
            Some((driver.name.clone()?, count))
        };
        self.saw(Kind::CsiNodes);
        self.objects.csi_nodes.push(CsiNode {
            name,
            limits: drivers.iter().filter_map(limit).collect(),
            migrated_plugins: migrated.split(',').map(str::to_owned).collect(),
            drivers: drivers
                .into_iter()
                .filter_map(|driver| driver.name)
                .collect(),
        });
        Ok(())
    }

    pub(super) fn capacity(&mut self, json: &str) -> Decoded {
        let wire: wire::StorageCapacity = parse(json)?;
        let key = self.key(&wire.metadata.unwrap_or_default())?;
        let amount = |amount: Option<&wire::Amount>, field| {
            amount.map(|amount| quantity(amount, field)).transpose()
        };
        self.saw(Kind::Capacities);
        self.objects.capacities.push(StorageCapacity {
            key,
            class: wire.storage_class_name.unwrap_or_default(),
            node_topology: wire.node_topology.map(label_selector),
            capacity: amount(wire.capacity.as_ref(), "capacity")?,
            maximum_volume_size: amount(wire.maximum_volume_size.as_ref(), "maximumVolumeSize")?,
        });
        Ok(())
    }

    pub(super) fn attachment(&mut self, json: &str) -> Decoded {
        let wire: wire::Attachment = parse(json)?;
        let meta = wire.metadata.unwrap_or_default();
        let spec = wire.spec.unwrap_or_default();
        let status = wire.status.unwrap_or_default();
        let said = |said: Option<wire::Said>| said.and_then(|said| said.message);
        self.saw(Kind::Attachments);
        self.objects.attachments.push(VolumeAttachment {
            name: name_of(&meta)?,
            uid: meta.uid,
            resource_version: meta.resource_version,
            attacher: spec.attacher.unwrap_or_default(),
            node: spec.node_name.unwrap_or_default(),
            volume: spec.source.and_then(|source| source.persistent_volume_name),
            is_attached: status.attached.unwrap_or_default(),
            attach_error: said(status.attach_error),
            detach_error: said(status.detach_error),
            is_deleted: meta.deletion_timestamp.is_some(),
        });
        Ok(())
    }

    pub(super) fn limit_range(&mut self, json: &str) -> Decoded {
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

    pub(super) fn quota(&mut self, json: &str) -> Decoded {
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

    pub(super) fn event(&mut self, json: &str) -> Decoded {
        let wire: wire::Event = parse(json)?;
        let about = wire.involved_object.or(wire.regarding).unwrap_or_default();
        let component = wire
            .source
            .and_then(|source| source.component)
            .filter(|component| !component.is_empty());
        let series = wire.series.and_then(|series| series.last_observed_time);
        let meta = wire.metadata.unwrap_or_default();
        let created = meta.creation_timestamp;
        let about_namespace = about.namespace.unwrap_or_default();
        // Only a manifest lacks its namespace.
        let namespace = meta.namespace.filter(|name| !name.is_empty());
        let namespace = namespace.or_else(|| Some(about_namespace.clone()));
        let namespace = namespace.filter(|name| !name.is_empty());
        let last = series
            .or(wire.last_timestamp)
            .or(wire.deprecated_last_timestamp)
            .or(wire.event_time)
            .or(created);
        self.saw(Kind::Events);
        self.objects.events.push(Event {
            namespace: namespace.unwrap_or_else(|| "default".to_owned()),
            about_kind: about.kind.unwrap_or_default(),
            about: ObjectKey::new(about_namespace, about.name.unwrap_or_default()),
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

    pub(super) fn config_map(&mut self, json: &str) -> Decoded {
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

    pub(super) fn snapshot(&mut self, json: &str) -> Decoded {
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
