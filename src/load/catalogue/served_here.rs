//! What is known of the provisioners that this machine serves itself. Their names are configured here, so no file lists them;
//! what directories take is in `backends.yaml`, what a program takes it says itself.

use super::{ParameterEntry, read};
use crate::conventions::secrets::is_secret_key;
use crate::model::catalogue::{KnownParameter, KnownProvisioner, UnknownKeys, ValueKind};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The keys of directories.
pub(super) const FILE: (&str, &str) = ("backends.yaml", include_str!("backends.yaml"));

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BackendFile {
    documentation: String,
    /// Which of the parameters claims may set.
    pub(super) options: Vec<String>,
    pub(super) parameters: Vec<ParameterEntry>,
}

/// A provisioner that this machine serves with directories; `target` is what it was configured as.
pub(crate) fn directories_here(provisioner: &str, target: String) -> KnownProvisioner {
    let file: BackendFile = read(FILE);
    let known = file.parameters.into_iter();
    let parameters: Vec<KnownParameter> = known.map(|entry| entry.into_known(false)).collect();
    let options = parameters
        .iter()
        .filter(|known| file.options.contains(&known.key));
    KnownProvisioner {
        name: provisioner.to_owned(),
        documentation: file.documentation,
        unknown_keys: UnknownKeys::Refused,
        options: Some(options.cloned().collect()),
        parameters,
        served_here: Some(target),
    }
}

/// A provisioner that this machine serves with a program, which takes these keys, each with what it is for.
pub(crate) fn program_here(
    provisioner: &str,
    target: String,
    parameters: impl IntoIterator<Item = (String, String)>,
    options: impl IntoIterator<Item = (String, String)>,
) -> KnownProvisioner {
    KnownProvisioner {
        unknown_keys: UnknownKeys::Refused,
        parameters: parameters.into_iter().map(said).collect(),
        options: Some(options.into_iter().map(said).collect()),
        ..unknown_here(provisioner, target)
    }
}

/// A provisioner that this machine serves, and nobody can say what it takes.
pub(crate) fn unknown_here(provisioner: &str, target: String) -> KnownProvisioner {
    KnownProvisioner {
        name: provisioner.to_owned(),
        documentation: String::new(),
        unknown_keys: UnknownKeys::Used,
        parameters: vec![],
        options: None,
        served_here: Some(target),
    }
}

fn said((key, meaning): (String, String)) -> KnownParameter {
    KnownParameter {
        is_secret: is_secret_key(&key),
        key,
        key_ignores_case: false,
        meaning,
        kind: ValueKind::Text,
        default: None,
        deprecated: None,
        deprecated_values: BTreeMap::new(),
    }
}
