//! What other actors write while a run works, as narrow as a test knows it: an object, a field of it, or an asset.

use super::assets::directory_name;
use super::report::{DONE, Report, Row};
use super::unexplained::leaves;

/// A write of another actor: of one object or of all of a kind, in one field or as a whole, its existence included.
#[derive(Clone, Debug)]
pub(crate) struct OtherWrite {
    kind: String,
    /// All objects of the kind if absent.
    name: Option<String>,
    /// A JSON pointer; empty for the whole object.
    field: String,
    effect: Effect,
}

/// What the write can lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// The field, or the object, can be anything afterwards.
    Anything,
    /// The object exists.
    Exists,
    /// It does not exist.
    Gone,
    /// The asset is empty.
    Empty,
}

/// Fields that the controller writes when it binds, and when it protects what is bound.
const OF_CONTROLLER: [(&str, &str); 10] = [
    ("PersistentVolume", "/spec/claimRef"),
    ("PersistentVolume", "/status"),
    (
        "PersistentVolume",
        "/metadata/annotations/pv.kubernetes.io~1bound-by-controller",
    ),
    ("PersistentVolume", "/metadata/finalizers"),
    ("PersistentVolumeClaim", "/spec/volumeName"),
    ("PersistentVolumeClaim", "/status"),
    (
        "PersistentVolumeClaim",
        "/metadata/annotations/pv.kubernetes.io~1bind-completed",
    ),
    (
        "PersistentVolumeClaim",
        "/metadata/annotations/pv.kubernetes.io~1bound-by-controller",
    ),
    (
        "PersistentVolumeClaim",
        "/metadata/annotations/volume.kubernetes.io~1storage-provisioner",
    ),
    (
        "PersistentVolumeClaim",
        "/metadata/annotations/volume.beta.kubernetes.io~1storage-provisioner",
    ),
];

impl OtherWrite {
    /// An object as a whole: created, changed or deleted.
    pub(crate) fn object(kind: &str, name: &str) -> Self {
        Self::field(kind, name, "")
    }

    pub(crate) fn field(kind: &str, name: &str, field: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            name: Some(name.to_owned()),
            field: field.to_owned(),
            effect: Effect::Anything,
        }
    }

    /// One field of all objects of a kind.
    pub(crate) fn field_of_all(kind: &str, field: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            name: None,
            field: field.to_owned(),
            effect: Effect::Anything,
        }
    }

    /// New objects of a kind, whatever their names.
    pub(crate) fn new_objects(kind: &str) -> Self {
        Self {
            effect: Effect::Exists,
            ..Self::field_of_all(kind, "")
        }
    }

    /// Objects of a kind that are deleted, whatever their names.
    pub(crate) fn deletions(kind: &str) -> Self {
        Self {
            effect: Effect::Gone,
            ..Self::field_of_all(kind, "")
        }
    }

    /// New assets, whatever their names.
    pub(crate) fn new_assets() -> Self {
        Self::new_objects("Asset")
    }

    /// The fields that bind a volume to a claim, as the controller writes them.
    pub(crate) fn binding_of_volume(name: &str) -> Vec<Self> {
        Self::binding_of("PersistentVolume", name)
    }

    pub(crate) fn binding_of_claim(name: &str) -> Vec<Self> {
        Self::binding_of("PersistentVolumeClaim", name)
    }

    fn binding_of(kind: &str, name: &str) -> Vec<Self> {
        let fields = OF_CONTROLLER.iter().filter(|(of, _)| *of == kind);
        fields
            .map(|(_, field)| Self::field(kind, name, field))
            .collect()
    }

    fn with_effect(kind: &str, name: &str, effect: Effect) -> Self {
        Self {
            effect,
            ..Self::object(kind, name)
        }
    }

    /// The directory of an asset and the files in it.
    pub(crate) fn asset(name: &str) -> Self {
        Self::object("Asset", name)
    }

    /// The files in any asset, for tests in which new owners write into what was scrubbed.
    pub(crate) fn any_asset() -> Self {
        Self::field_of_all("Asset", "/files")
    }

    /// The real controller binds available volumes, and removes its own finalizers.
    pub(crate) fn of_controller() -> Vec<Self> {
        let fields = OF_CONTROLLER.iter();
        fields
            .map(|(kind, field)| Self::field_of_all(kind, field))
            .collect()
    }

    /// What another run of the program reports to have written, or may have written.
    pub(super) fn of_report(report: &Report) -> Vec<Self> {
        let rows = report.rows.iter();
        let made = rows.filter(|row| row.result == DONE || row.is_open() && row.may_be_made());
        made.flat_map(Self::of_row).collect()
    }

    fn of_row(row: &Row) -> Vec<Self> {
        let whole = |name: &str, effect| vec![Self::with_effect(&row.key.kind, name, effect)];
        let asset = directory_name(row);
        match row.action.as_str() {
            "Patch" => leaves(&row.body)
                .iter()
                .map(|(field, _)| Self::field(&row.key.kind, &row.key.name, field))
                .collect(),
            "Create" => whole(&row.key.name, Effect::Exists),
            "Delete" => whole(&row.key.name, Effect::Gone),
            "CreateAsset" => whole(&asset, Effect::Exists),
            "DeleteAsset" => whole(&asset, Effect::Gone),
            "ScrubAsset" => whole(&asset, Effect::Empty),
            _ => Vec::new(),
        }
    }

    fn is_about(&self, kind: &str, name: &str) -> bool {
        self.kind == kind && self.name.as_deref().is_none_or(|own| own == name)
    }

    /// Whether it explains that this field is something else.
    fn covers(&self, kind: &str, name: &str, field: &str) -> bool {
        let is_within = field.starts_with(&format!("{}/", self.field));
        let is_whole = self.field.is_empty() && self.effect != Effect::Gone;
        self.is_about(kind, name) && (is_whole || field == self.field || is_within)
    }

    fn has_effect(&self, kind: &str, name: &str, effects: &[Effect]) -> bool {
        self.is_about(kind, name) && self.field.is_empty() && effects.contains(&self.effect)
    }
}

/// Whether one of them explains that this field is something else.
pub(super) fn cover(others: &[OtherWrite], kind: &str, name: &str, field: &str) -> bool {
    others.iter().any(|other| other.covers(kind, name, field))
}

/// Whether one of them explains that the object exists although the report states that it does not.
pub(super) fn may_create(others: &[OtherWrite], kind: &str, name: &str) -> bool {
    let effects = [Effect::Anything, Effect::Exists];
    others
        .iter()
        .any(|other| other.has_effect(kind, name, &effects))
}

/// Whether one of them explains that the object does not exist although the report states that it does.
pub(super) fn may_delete(others: &[OtherWrite], kind: &str, name: &str) -> bool {
    let effects = [Effect::Anything, Effect::Gone];
    others
        .iter()
        .any(|other| other.has_effect(kind, name, &effects))
}

/// Whether one of them explains that files are in an asset which the report calls empty.
pub(super) fn may_fill(others: &[OtherWrite], name: &str) -> bool {
    cover(others, "Asset", name, "/files")
}

/// Whether one of them explains that an asset is empty.
pub(super) fn may_empty(others: &[OtherWrite], name: &str) -> bool {
    let effects = [Effect::Anything, Effect::Gone, Effect::Empty];
    others
        .iter()
        .any(|other| other.has_effect("Asset", name, &effects))
}
