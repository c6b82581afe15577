//! Access modes: their names, short names and what "offers" means (Q8). No mode implies another.

use serde::{Serialize, Serializer};
use std::fmt;

/// One access mode the binding rules know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessMode {
    /// Read and write on one node.
    ReadWriteOnce,
    /// Read only, on many nodes.
    ReadOnlyMany,
    /// Read and write on many nodes.
    ReadWriteMany,
    /// Read and write by one pod.
    ReadWriteOncePod,
}

impl AccessMode {
    /// All modes in the order Kubernetes lists them.
    pub const ALL: [Self; 4] = [
        Self::ReadWriteOnce,
        Self::ReadOnlyMany,
        Self::ReadWriteMany,
        Self::ReadWriteOncePod,
    ];

    /// The mode of that name, if it is one.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// The mode of a short name, `RWO`.
    pub fn of_short_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.short_name() == name)
    }

    /// The name in manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadWriteOnce => "ReadWriteOnce",
            Self::ReadOnlyMany => "ReadOnlyMany",
            Self::ReadWriteMany => "ReadWriteMany",
            Self::ReadWriteOncePod => "ReadWriteOncePod",
        }
    }

    /// The name in tables.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::ReadWriteOnce => "RWO",
            Self::ReadOnlyMany => "ROX",
            Self::ReadWriteMany => "RWX",
            Self::ReadWriteOncePod => "RWOP",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Serialize for AccessMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A set of access modes: what a volume offers or a claim asks for. Volumes are grouped by it (R23).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct AccessModes(u8);

impl AccessModes {
    /// The set of the known modes among these names; duplicates and unknown names are dropped, as upstream does.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        names.into_iter().filter_map(AccessMode::find).collect()
    }

    /// How many modes there are; smaller sets are searched first (R24).
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every mode of `requested` is offered.
    pub fn offers(self, requested: Self) -> bool {
        requested.0 & !self.0 == 0
    }

    /// The requested modes that are not offered.
    #[must_use]
    pub fn missing(self, requested: Self) -> Self {
        Self(requested.0 & !self.0)
    }

    /// Both sets together.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The modes in Kubernetes' order.
    pub fn iter(self) -> impl Iterator<Item = AccessMode> {
        AccessMode::ALL
            .into_iter()
            .filter(move |mode| self.0 & mode.bit() != 0)
    }

    /// `RWO,ROX`, as in kubectl's tables.
    pub fn short(self) -> String {
        self.iter()
            .map(AccessMode::short_name)
            .collect::<Vec<_>>()
            .join(",")
    }
}

impl FromIterator<AccessMode> for AccessModes {
    fn from_iter<I: IntoIterator<Item = AccessMode>>(modes: I) -> Self {
        Self(modes.into_iter().fold(0, |bits, mode| bits | mode.bit()))
    }
}

impl fmt::Display for AccessModes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            &self
                .iter()
                .map(AccessMode::name)
                .collect::<Vec<_>>()
                .join(", "),
        )
    }
}

impl Serialize for AccessModes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mode_implies_another() {
        let set = |names: &[&str]| AccessModes::of_names(names.iter().copied());
        assert!(!set(&["ReadWriteMany"]).offers(set(&["ReadWriteOnce"])));
        assert!(!set(&["ReadWriteOnce"]).offers(set(&["ReadWriteOncePod"])));
        assert!(
            set(&["ReadWriteMany", "ReadWriteOnce", "ReadWriteOnce"])
                .offers(set(&["ReadWriteOnce"]))
        );
        assert_eq!(set(&["ReadWriteMany", "ReadWriteOnce"]).short(), "RWO,RWX");
        assert_eq!(set(&["ReadWriteMany", "Unheard"]).len(), 1);
    }
}
