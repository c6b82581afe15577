//! PersistentVolumeSets: pools that keep a minimum of unbound volumes ready, made from a template, up to a maximum (seed 002).

use super::{Time, Volume};
use crate::conventions::selector::Labels;
use serde_json::Value;

/// In names and paths of a template: the name of the set.
pub const SET_PLACEHOLDER: &str = "{set}";
/// In names and paths of a template: the number of the member.
pub const ORDINAL_PLACEHOLDER: &str = "{ordinal}";
/// What members are called whose template does not say.
pub const DEFAULT_MEMBER_NAME: &str = "{set}-{ordinal}";

/// A pool of volumes.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeSet {
    /// The name; sets have no namespace.
    pub name: String,
    /// The uid, if it exists.
    pub uid: Option<String>,
    /// The version that was read, which writes are guarded by.
    pub resource_version: Option<String>,
    /// How often its spec was changed.
    pub generation: Option<i64>,
    /// When it was created.
    pub created: Option<Time>,
    /// When its deletion was asked for.
    pub deleted: Option<Time>,
    /// `spec.minimumReplicas`: how many unbound volumes are to be ready.
    pub minimum: i64,
    /// `spec.maximumReplicas`: how many volumes there may be, whatever their phase.
    pub maximum: i64,
    /// Which of the two are not written at all, by their fields: that is refused, and not the same as none.
    pub missing: Vec<&'static str>,
    /// `spec.selector`: whoever carries all these labels is a member.
    pub selector: Labels,
    /// `spec.template`: what new members are made from.
    pub template: Option<VolumeTemplate>,
    /// What was written of it last.
    pub status: SetStatus,
}

/// What new members are made from.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeTemplate {
    /// As it was written: `metadata` and `spec`.
    pub written: Value,
    /// As it is understood. Its name, and where its data lies, have placeholders.
    pub volume: Volume,
}

/// What was written of a set last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SetStatus {
    /// How many members were bound.
    pub bound: Option<i64>,
    /// How many were there to be claimed.
    pub unbound: Option<i64>,
    /// How many there were.
    pub total: Option<i64>,
    /// The generation that was looked at.
    pub observed_generation: Option<i64>,
    /// The first number that was never given to a member. Whoever had a lower one may have left something behind.
    pub next_ordinal: Option<u64>,
    /// What somebody is doing to it at this moment, or was when they were cut short.
    pub in_progress: Option<InProgress>,
    /// What holds of it.
    pub conditions: Vec<SetCondition>,
}

/// A step that somebody has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InProgress {
    /// `Create` or `Delete`.
    pub action: String,
    /// The member.
    pub volume: String,
    /// Its number, if it is made.
    pub ordinal: Option<u64>,
    /// When whoever began it will have stopped.
    pub until: Option<Time>,
    /// The run that began it.
    pub by: Option<String>,
}

/// What holds of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetCondition {
    /// What it is about: `Ready`, `Valid`.
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Why, in a word.
    pub reason: String,
    /// Why, in a sentence.
    pub message: String,
    /// Since when, as it was written.
    pub since: Option<String>,
}

impl VolumeSet {
    /// Whether a volume is a member. A set that selects nothing in particular has none.
    pub fn selects(&self, volume: &Volume) -> bool {
        self.selects_labels(&volume.labels)
    }

    /// Whether a volume of these labels is a member.
    pub fn selects_labels(&self, labels: &Labels) -> bool {
        let mut wanted = self.selector.iter();
        !self.selector.is_empty() && wanted.all(|(key, value)| labels.get(key) == Some(value))
    }

    /// The template's own `provisioned-by`: the backend that makes and deletes members.
    pub fn provisioner(&self) -> Option<&str> {
        self.template.as_ref()?.volume.provisioned_by()
    }

    /// A text of the template for one member.
    pub fn fill(&self, text: &str, ordinal: u64) -> String {
        text.replace(SET_PLACEHOLDER, &self.name)
            .replace(ORDINAL_PLACEHOLDER, &ordinal.to_string())
    }

    /// What the member of this number is called.
    pub fn member_name(&self, ordinal: u64) -> Option<String> {
        let template = self.template.as_ref()?;
        Some(self.fill(&template.volume.name, ordinal))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{volume, volume_set};

    #[test]
    fn members_carry_all_labels_of_the_selector() {
        let set = volume_set("fast", 1, 2);
        let mut member = volume("v");
        assert!(!set.selects(&member));
        member.labels.insert("pool".to_owned(), "fast".to_owned());
        assert!(set.selects(&member));
        member.labels.insert("more".to_owned(), "x".to_owned());
        assert!(set.selects(&member));
        let mut everything = set.clone();
        everything.selector.clear();
        assert!(!everything.selects(&member));
    }

    #[test]
    fn placeholders_are_filled_in() {
        let set = volume_set("fast", 1, 2);
        assert_eq!(set.member_name(7).unwrap(), "fast-7");
        assert_eq!(
            set.fill("/srv/{set}/{ordinal}/{ordinal}", 3),
            "/srv/fast/3/3"
        );
    }
}
