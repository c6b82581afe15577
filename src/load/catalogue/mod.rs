//! The catalogue of StorageClass parameters, read from the YAML files beside this one. They are part of the program; to
//! extend it, edit a file or add one and name it in `FILES`. What a file may say is `FamilyFile` and `ParameterEntry`.
//!
//! Truth first: a value is listed as the only one allowed only where the provisioner refuses all others.

mod served_here;
#[cfg(test)]
mod tests;

pub(crate) use served_here::{directories_here, program_here, unknown_here};

use super::source_text;
use crate::model::catalogue::{
    CSI_PREFIX, Catalogue, Choice, Deprecation, KnownParameter, KnownProvisioner, UnknownKeys,
    ValueKind,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

macro_rules! files {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!($name))),+] };
}

/// The keys of every CSI driver.
const CSI_KEYS: (&str, &str) = ("csi-common.yaml", include_str!("csi-common.yaml"));

/// One file for each family of provisioners.
const FILES: &[(&str, &str)] = files![
    "aws-ebs.yaml",
    "aws-efs.yaml",
    "azure-disk.yaml",
    "azure-file.yaml",
    "ceph-rbd.yaml",
    "cephfs.yaml",
    "cinder.yaml",
    "gce-pd.yaml",
    "glusterfs.yaml",
    "hostpath-csi.yaml",
    "hostpath-simple.yaml",
    "linstor.yaml",
    "local-path.yaml",
    "longhorn.yaml",
    "microk8s.yaml",
    "nfs-subdir.yaml",
    "nfs.yaml",
    "no-provisioner.yaml",
    "openebs-lvm.yaml",
    "openebs.yaml",
    "portworx.yaml",
    "rbd-in-tree.yaml",
    "smb.yaml",
    "topolvm.yaml",
    "vsphere.yaml",
];

/// A family of provisioners: names for the same thing, such as an in-tree plugin and the CSI driver it became.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FamilyFile {
    /// Their names; one `*` stands for any letters.
    provisioners: Vec<String>,
    /// Where the parameters are documented.
    documentation: String,
    /// Whether they are CSI drivers, or served by one, so that the keys of `csi-common.yaml` apply.
    csi: bool,
    /// Whether keys are read in any case.
    #[serde(default)]
    keys_ignore_case: bool,
    /// What becomes of keys that are not listed.
    unknown_keys: UnknownKeysWord,
    /// The names for which that is different.
    #[serde(default)]
    unknown_keys_of: BTreeMap<String, UnknownKeysWord>,
    parameters: Vec<ParameterEntry>,
}

/// `csi-common.yaml`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CsiFile {
    #[expect(dead_code, reason = "for those who read the file")]
    documentation: String,
    /// The keys that belong to the external-provisioner.
    reserved: Vec<ParameterEntry>,
    /// Older keys that it reads and passes on to the driver as well, which may refuse them.
    passed_on: Vec<ParameterEntry>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum UnknownKeysWord {
    /// Nothing is provisioned.
    Refused,
    /// They have no effect.
    Ignored,
    /// They are passed on.
    Used,
}

/// One parameter.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what people write in a file: each is a word of its own"
)]
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ParameterEntry {
    /// The key; one `*` stands for any letters.
    key: String,
    /// What it is for: one clause, lower-case, no full stop.
    meaning: String,
    #[serde(rename = "type", default)]
    kind: KindWord,
    /// `choice` and `list`: the values.
    #[serde(default)]
    values: Vec<String>,
    /// `choice` and `list`: whether the provisioner refuses all others; `false` when in doubt.
    #[serde(default)]
    complete: bool,
    /// `choice` and `list`: whether the provisioner is known not to take them in another case.
    #[serde(default)]
    exact_case: bool,
    /// `integer`: the least.
    min: Option<i64>,
    /// `integer`: the most.
    max: Option<i64>,
    /// What applies when it is not set.
    default: Option<String>,
    /// What to use instead.
    deprecated: Option<DeprecationEntry>,
    /// Values that others have replaced.
    #[serde(default)]
    deprecated_values: BTreeMap<String, String>,
    /// Whether the value itself is a secret; the name of a Secret is none.
    #[serde(default)]
    secret: bool,
    /// The names of the family it belongs to; all, if none is listed.
    #[serde(default)]
    applies_to: Vec<String>,
    /// Whether the key is read in any case although the family's keys are not.
    #[serde(default)]
    key_ignores_case: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeprecationEntry {
    since: Option<String>,
    instead: String,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum KindWord {
    #[default]
    Text,
    /// `true` or `false`, in any case.
    TrueOrFalse,
    /// What Go's ParseBool takes.
    Bool,
    Integer,
    Octal,
    Choice,
    List,
    Pairs,
    Quantity,
    Json,
}

/// The catalogue.
pub fn catalogue() -> Catalogue {
    let csi: CsiFile = read(CSI_KEYS);
    let known = |entries: &[ParameterEntry], ignores_case: bool| -> Vec<KnownParameter> {
        let known = entries.iter().cloned();
        known.map(|entry| entry.into_known(ignores_case)).collect()
    };
    let reserved = known(&csi.reserved, false);
    let passed_on = known(&csi.passed_on, false);
    let families = FILES.iter().map(|file| read::<FamilyFile>(*file));
    let provisioners = families.flat_map(|family| family.into_provisioners(&reserved, &passed_on));
    Catalogue::new(provisioners.collect(), reserved.clone())
}

/// Reads one file. The files are part of the program and a test reads them all, so this holds.
fn read<T: DeserializeOwned>((name, text): (&str, &str)) -> T {
    let parsed = source_text::documents(text)
        .map_err(|error| format!("line {}: {}", error.line, error.kind))
        .and_then(|documents| match documents.as_slice() {
            [only] => serde_json::from_str(&only.json).map_err(|error| error.to_string()),
            _ => Err("not one document".to_owned()),
        });
    parsed.unwrap_or_else(|error| panic!("{name}, which is part of the program: {error}"))
}

impl FamilyFile {
    fn into_provisioners(
        self,
        reserved: &[KnownParameter],
        passed_on: &[KnownParameter],
    ) -> Vec<KnownProvisioner> {
        let provisioner = |name: &String| {
            let unknown_keys = *self.unknown_keys_of.get(name).unwrap_or(&self.unknown_keys);
            let unknown_keys = UnknownKeys::from(unknown_keys);
            let mut common: Vec<&KnownParameter> = vec![];
            if self.csi {
                common.extend(reserved);
                // A driver that refuses what it does not know lists those it takes.
                if unknown_keys != UnknownKeys::Refused {
                    common.extend(passed_on);
                }
            }
            let own = self
                .parameters
                .iter()
                .filter(|entry| entry.applies_to.is_empty() || entry.applies_to.contains(name));
            let mut parameters: Vec<KnownParameter> = own
                .cloned()
                .map(|entry| entry.into_known(self.keys_ignore_case))
                .collect();
            let unlisted = common
                .iter()
                .filter(|common| !parameters.iter().any(|own| own.is_named(&common.key)));
            let unlisted: Vec<KnownParameter> = unlisted.map(|known| (*known).clone()).collect();
            parameters.extend(unlisted);
            KnownProvisioner {
                name: name.clone(),
                documentation: self.documentation.clone(),
                unknown_keys,
                parameters,
                options: None,
                served_here: None,
            }
        };
        self.provisioners.iter().map(provisioner).collect()
    }
}

impl From<UnknownKeysWord> for UnknownKeys {
    fn from(word: UnknownKeysWord) -> Self {
        match word {
            UnknownKeysWord::Refused => Self::Refused,
            UnknownKeysWord::Ignored => Self::Ignored,
            UnknownKeysWord::Used => Self::Used,
        }
    }
}

impl ParameterEntry {
    fn into_known(self, keys_ignore_case: bool) -> KnownParameter {
        let choice = Choice {
            values: self.values,
            complete: self.complete,
            exact_case: self.exact_case,
        };
        let kind = match self.kind {
            KindWord::Text => ValueKind::Text,
            KindWord::TrueOrFalse => ValueKind::Bool { short_forms: false },
            KindWord::Bool => ValueKind::Bool { short_forms: true },
            KindWord::Integer => ValueKind::Integer {
                min: self.min,
                max: self.max,
            },
            KindWord::Octal => ValueKind::Octal,
            KindWord::Choice => ValueKind::Choice(choice),
            KindWord::List => ValueKind::List(choice),
            KindWord::Pairs => ValueKind::Pairs,
            KindWord::Quantity => ValueKind::Quantity,
            KindWord::Json => ValueKind::Json,
        };
        let deprecated = self.deprecated.map(|entry| Deprecation {
            since: entry.since,
            instead: entry.instead,
        });
        KnownParameter {
            // What belongs to the external-provisioner is read as it is written, whatever the driver does.
            key_ignores_case: self.key_ignores_case
                || keys_ignore_case && !self.key.starts_with(CSI_PREFIX),
            key: self.key,
            meaning: self.meaning,
            kind,
            default: self.default,
            deprecated,
            deprecated_values: self.deprecated_values,
            is_secret: self.secret,
        }
    }
}
