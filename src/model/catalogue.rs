//! What is known of provisioners: which StorageClass parameters they take and what those mean. The data is read by
//! `load/catalogue`; of a provisioner that is not in it nothing is known, so nothing it is told is wrong.

mod value_kind;

pub use value_kind::{Choice, ValueKind};

use std::collections::BTreeMap;

/// Keys with this prefix belong to the external-provisioner of CSI drivers, which refuses those it does not know.
pub const CSI_PREFIX: &str = "csi.storage.k8s.io/";

/// All that is known of provisioners.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    provisioners: Vec<KnownProvisioner>,
    /// The keys with [`CSI_PREFIX`].
    csi: Vec<KnownParameter>,
}

/// A provisioner, and the parameters it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownProvisioner {
    /// Its name; one `*` in it stands for any letters (`*.rbd.csi.ceph.com`).
    pub name: String,
    /// Where its parameters are documented.
    pub documentation: String,
    /// What it does with keys it does not know.
    pub unknown_keys: UnknownKeys,
    /// All parameters it takes, those of every CSI driver among them if it is one.
    pub parameters: Vec<KnownParameter>,
    /// The provisioning options that claims may set; `None` where nobody here can say.
    pub options: Option<Vec<KnownParameter>>,
    /// The backend of this machine that serves it (`hostpath:/srv/volumes`), if one does.
    pub served_here: Option<String>,
}

/// What a provisioner does with a parameter it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownKeys {
    /// It provisions nothing.
    Refused,
    /// It takes no notice.
    Ignored,
    /// It passes them on, so there is no list of all of them.
    Used,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownParameter {
    /// Its key; one `*` in it stands for any letters (`tagSpecification_*`).
    pub key: String,
    /// Whether the provisioner reads the key in any case.
    pub key_ignores_case: bool,
    /// What it is for, one clause.
    pub meaning: String,
    /// Which values it takes.
    pub kind: ValueKind,
    /// What applies when it is not set.
    pub default: Option<String>,
    /// What to use instead of it.
    pub deprecated: Option<Deprecation>,
    /// Values that something better has replaced, each with its replacement.
    pub deprecated_values: BTreeMap<String, String>,
    /// Whether the value itself is a secret. The name of a Secret is none.
    pub is_secret: bool,
}

/// Something better has taken its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecation {
    /// Since which version, where that is known.
    pub since: Option<String>,
    /// What to use, or that there is nothing to set any more.
    pub instead: String,
}

/// What is known of one key of one provisioner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge<'a> {
    /// It takes it.
    Known(&'a KnownParameter),
    /// It has no such parameter.
    Unknown,
    /// Nobody here can say.
    Unjudged,
}

impl Catalogue {
    /// A catalogue of these provisioners and of the keys that every CSI driver's external-provisioner takes.
    pub fn new(provisioners: Vec<KnownProvisioner>, csi: Vec<KnownParameter>) -> Self {
        Self { provisioners, csi }
    }

    /// The same, and what backends of this machine take; what they say of a name counts, whatever else is known of it.
    #[must_use]
    pub fn with_backends(mut self, own: Vec<KnownProvisioner>) -> Self {
        self.provisioners.splice(..0, own);
        self
    }

    /// The backend of this machine that serves a name.
    pub fn served_here(&self, provisioner: &str) -> Option<&str> {
        self.find(provisioner)?.served_here.as_deref()
    }

    /// All provisioners, by file and in the order of their file.
    pub fn provisioners(&self) -> &[KnownProvisioner] {
        &self.provisioners
    }

    /// The keys that every CSI driver's external-provisioner takes.
    pub fn csi_parameters(&self) -> &[KnownParameter] {
        &self.csi
    }

    /// The provisioner of that name; a name that is spelt out comes before a pattern.
    pub fn find(&self, provisioner: &str) -> Option<&KnownProvisioner> {
        let spelt_out = self
            .provisioners
            .iter()
            .find(|known| known.name == provisioner);
        spelt_out.or_else(|| {
            let mut all = self.provisioners.iter();
            all.find(|known| matches(&known.name, provisioner))
        })
    }

    /// What is known of a key. Reserved keys are judged whoever the provisioner is: nobody else gives them a meaning.
    pub fn look_up(&self, provisioner: &str, key: &str) -> Knowledge<'_> {
        // Who knows no reserved key at all cannot say that this is none.
        let reserved = key.starts_with(CSI_PREFIX) && !self.csi.is_empty();
        let (found, all_known) = match self.find(provisioner) {
            Some(known) => (
                known.parameter(key),
                known.unknown_keys != UnknownKeys::Used,
            ),
            None => (self.csi.iter().find(|known| known.is_named(key)), false),
        };
        match found {
            Some(parameter) => Knowledge::Known(parameter),
            None if all_known || reserved => Knowledge::Unknown,
            None => Knowledge::Unjudged,
        }
    }
}

impl KnownProvisioner {
    /// The parameter of that key; a key that is spelt out comes before a pattern.
    pub fn parameter(&self, key: &str) -> Option<&KnownParameter> {
        let mut named = self.parameters.iter().filter(|known| known.is_named(key));
        let first = named.next()?;
        Some(named.fold(first, |best, other| {
            if best.is_pattern() && !other.is_pattern() {
                other
            } else {
                best
            }
        }))
    }
}

impl KnownParameter {
    /// Whether the key is this parameter's.
    pub fn is_named(&self, key: &str) -> bool {
        if self.key_ignores_case {
            matches(&self.key.to_lowercase(), &key.to_lowercase())
        } else {
            matches(&self.key, key)
        }
    }

    /// Whether its key stands for many.
    pub fn is_pattern(&self) -> bool {
        self.key.contains('*')
    }
}

/// Whether a text is what a pattern with at most one `*` says.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => {
            text.len() >= before.len() + after.len()
                && text.starts_with(before)
                && text.ends_with(after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_catalogue_judges_nothing() {
        let empty = Catalogue::default();
        for key in ["type", "csi.storage.k8s.io/fstype"] {
            assert_eq!(empty.look_up("ebs.csi.aws.com", key), Knowledge::Unjudged);
        }
    }

    #[test]
    fn a_star_stands_for_any_letters() {
        assert!(matches("*.rbd.csi.ceph.com", "rook-ceph.rbd.csi.ceph.com"));
        assert!(!matches("*.rbd.csi.ceph.com", "rbd.csi.ceph.com"));
        assert!(matches("tag_*", "tag_"));
        assert!(!matches("ab*ba", "aba"));
        assert!(!matches("type", "types"));
    }
}
