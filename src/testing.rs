//! Builders for tests: `claim("data").class("fast").build()`. Everything fits everything until a test says otherwise.

use crate::conventions::access_mode::AccessModes;
use crate::conventions::class_name::ClassName;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::LabelSelector;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::ClaimUse;
use crate::model::Event;
use crate::model::{
    BindingMode, Claim, ClaimPhase, ClaimRef, Class, ClusterState, Objects, Options, Origin, Pod,
    PodPhase, PodVolume, PodWishes, ReclaimPolicy, SetStatus, Time, Volume, VolumePhase, VolumeSet,
    VolumeSource, VolumeTemplate,
};
use std::collections::BTreeMap;

/// How many rounds a long test takes: all of them with `tests/run --full`, otherwise a sample.
#[expect(
    clippy::disallowed_methods,
    reason = "how much is tested is set from outside"
)]
pub(crate) fn rounds(all: u64, sampled: u64) -> u64 {
    match std::env::var_os("KUBECTL_PV_TESTS_FULL") {
        Some(_) => all,
        None => sampled,
    }
}

/// Fails unless the variants of an enum are ordered as listed, and none is missing: `assert_order!(Danger: Harmless, LosesData)`.
macro_rules! assert_order {
    ($kind:ident: $($variant:ident $(($value:expr))?),+ $(,)?) => {{
        let listed = [$($kind::$variant $(($value))?),+];
        for pair in listed.windows(2) {
            assert!(pair[0] < pair[1], "{:?} comes before {:?}", pair[0], pair[1]);
        }
        // A variant that is not listed does not compile.
        let _is_listed = |one: &$kind| match one {
            $($kind::$variant { .. } => (),)+
        };
    }};
}
pub(crate) use assert_order;

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).expect("a quantity in a test")
}

/// A claim in namespace `ns` that exists: 1Gi, ReadWriteOnce, class `any`.
pub(crate) fn claim(name: &str) -> Claim {
    Claim {
        key: ObjectKey::new("ns", name),
        uid: Some(format!("uid-{name}")),
        resource_version: Some("1".to_owned()),
        labels: BTreeMap::new(),
        annotations: BTreeMap::new(),
        created: None,
        deleted: None,
        finalizers: vec![],
        requested: Some(quantity("1Gi")),
        access_mode_names: vec!["ReadWriteOnce".to_owned()],
        volume_mode_name: None,
        class: ClassName::from_field(Some("any".to_owned())),
        attributes_class: None,
        selector: None,
        volume_name: None,
        data_source: None,
        data_source_ref: None,
        options: None,
        phase: ClaimPhase::Pending,
        capacity: None,
        status_access_mode_names: vec![],
        allocated: None,
        current_attributes_class: None,
        modifying: None,
        conditions: vec![],
        owner: None,
        owner_uid: None,
        origin: Origin::Object,
    }
}

/// An Available volume of 1Gi, ReadWriteOnce, class `any`.
pub(crate) fn volume(name: &str) -> Volume {
    Volume {
        name: name.to_owned(),
        uid: Some(format!("uid-{name}")),
        resource_version: Some("1".to_owned()),
        labels: BTreeMap::new(),
        annotations: BTreeMap::new(),
        created: None,
        deleted: None,
        finalizers: vec![],
        capacity: quantity("1Gi"),
        access_modes: AccessModes::of_names(["ReadWriteOnce"]),
        access_mode_names: vec!["ReadWriteOnce".to_owned()],
        volume_mode: VolumeMode::Filesystem,
        class: ClassName::from_field(Some("any".to_owned())),
        attributes_class: None,
        claim_ref: None,
        reclaim_policy: ReclaimPolicy::Retain,
        source: VolumeSource {
            field: "nfs".to_owned(),
            location: None,
            driver: None,
        },
        node_affinity: None,
        phase: VolumePhase::Available,
        message: None,
        phase_since: None,
    }
}

/// A set whose volumes are of 1Gi on NFS, each in a place of its own, with label `pool`.
pub(crate) fn volume_set(name: &str, minimum: i64, maximum: i64) -> VolumeSet {
    let labels = BTreeMap::from([("pool".to_owned(), name.to_owned())]);
    let mut volume = Volume {
        uid: None,
        resource_version: None,
        labels: labels.clone(),
        phase: VolumePhase::Pending,
        ..volume("{set}-{ordinal}")
    };
    volume.source.location = Some("filer:/pools/{set}/{ordinal}".to_owned());
    VolumeSet {
        name: name.to_owned(),
        uid: Some(format!("uid-{name}")),
        resource_version: Some("1".to_owned()),
        generation: Some(1),
        created: None,
        deleted: None,
        minimum,
        maximum,
        missing: vec![],
        selector: labels.clone(),
        template: Some(VolumeTemplate {
            written: serde_json::json!({ "metadata": { "labels": labels }, "spec": {
                "capacity": { "storage": "1Gi" }, "accessModes": ["ReadWriteOnce"],
                "storageClassName": "any", "persistentVolumeReclaimPolicy": "Retain",
                "nfs": { "server": "filer", "path": "/pools/{set}/{ordinal}" } } }),
            volume,
        }),
        status: SetStatus::default(),
    }
}

/// A class of that name that binds at once.
pub(crate) fn class(name: &str, provisioner: &str) -> Class {
    Class {
        name: name.to_owned(),
        provisioner: provisioner.to_owned(),
        parameters: BTreeMap::new(),
        binding_mode: BindingMode::Immediate,
        reclaim_policy: "Delete".to_owned(),
        mount_options: vec![],
        allow_expansion: false,
        allowed_topologies: vec![],
        marked_default: false,
        created: None,
        options: Options::None,
    }
}

/// A pod in namespace `ns` that uses a claim.
pub(crate) fn pod(name: &str, claim: &str) -> Pod {
    Pod {
        key: ObjectKey::new("ns", name),
        uid: None,
        created: None,
        phase: PodPhase::Pending,
        node_name: None,
        is_deleted: false,
        has_running_container: false,
        volumes: vec![PodVolume {
            name: "data".to_owned(),
            claim: ClaimUse::Named(claim.to_owned()),
        }],
        disks: vec![],
        mounts: vec![],
        wishes: PodWishes::default(),
        owner: None,
    }
}

impl Claim {
    pub(crate) fn requests(mut self, size: &str) -> Self {
        self.requested = Some(quantity(size));
        self
    }

    pub(crate) fn modes(mut self, names: &[&str]) -> Self {
        self.access_mode_names = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    pub(crate) fn of_class(mut self, class: Option<&str>) -> Self {
        self.class = ClassName::from_field(class.map(str::to_owned));
        self
    }

    pub(crate) fn selecting(mut self, selector: &str) -> Self {
        self.selector = Some(LabelSelector::parse(selector).expect("a selector in a test"));
        self
    }

    pub(crate) fn naming(mut self, volume: &str) -> Self {
        self.volume_name = Some(volume.to_owned());
        self
    }

    pub(crate) fn annotated(mut self, key: &str, value: &str) -> Self {
        self.annotations.insert(key.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn not_there_yet(mut self) -> Self {
        self.uid = None;
        self
    }
}

impl Volume {
    pub(crate) fn holds(mut self, size: &str) -> Self {
        self.capacity = quantity(size);
        self
    }

    pub(crate) fn offers(mut self, names: &[&str]) -> Self {
        self.access_modes = AccessModes::of_names(names.iter().copied());
        self.access_mode_names = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    pub(crate) fn of_class(mut self, class: &str) -> Self {
        self.class = ClassName::from_field(Some(class.to_owned()));
        self
    }

    pub(crate) fn labelled(mut self, key: &str, value: &str) -> Self {
        self.labels.insert(key.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn annotated(mut self, key: &str, value: &str) -> Self {
        self.annotations.insert(key.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn reserved_for(mut self, name: &str, uid: Option<&str>) -> Self {
        self.claim_ref = Some(ClaimRef {
            namespace: "ns".to_owned(),
            name: name.to_owned(),
            uid: uid.map(str::to_owned),
        });
        self
    }

    pub(crate) fn in_phase(mut self, phase: VolumePhase) -> Self {
        self.phase = phase;
        self
    }

    pub(crate) fn with_policy(mut self, policy: ReclaimPolicy) -> Self {
        self.reclaim_policy = policy;
        self
    }

    pub(crate) fn stored_on(mut self, field: &str, location: &str) -> Self {
        self.source = VolumeSource {
            field: field.to_owned(),
            location: Some(location.to_owned()),
            driver: None,
        };
        self
    }

    pub(crate) fn deleted(mut self) -> Self {
        self.deleted = Some(Time(0));
        self
    }
}

impl Class {
    pub(crate) fn delayed(mut self) -> Self {
        self.binding_mode = BindingMode::WaitForFirstConsumer;
        self
    }

    pub(crate) fn default_since(mut self, seconds: i64) -> Self {
        self.marked_default = true;
        self.created = Some(Time(seconds));
        self
    }
}

/// A state of these claims and volumes.
pub(crate) fn state(claims: Vec<Claim>, volumes: Vec<Volume>) -> ClusterState {
    state_with(claims, volumes, |_| {})
}

/// A state of these claims and volumes, and what `more` adds.
pub(crate) fn state_with(
    claims: Vec<Claim>,
    volumes: Vec<Volume>,
    more: impl FnOnce(&mut Objects),
) -> ClusterState {
    let mut objects = Objects {
        volumes,
        claims,
        ..Objects::default()
    };
    more(&mut objects);
    ClusterState::new(objects, vec![], None)
}

/// A warning of the provisioner `csi.example` about an object, in that object's own namespace.
pub(crate) fn event(kind: &str, namespace: &str, name: &str, uid: &str) -> Event {
    Event {
        namespace: if namespace.is_empty() {
            "default"
        } else {
            namespace
        }
        .to_owned(),
        about_kind: kind.to_owned(),
        about: ObjectKey::new(namespace, name),
        about_uid: Some(uid.to_owned()),
        kind: "Warning".to_owned(),
        reason: "ProvisioningFailed".to_owned(),
        message: "no room".to_owned(),
        component: "csi.example".to_owned(),
        last_seen: None,
    }
}
