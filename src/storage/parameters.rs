//! What classes and claims may set for the backends that make directories, and how unknown keys are refused.
//!
//! | key      | meaning                                             | default               | who may set it |
//! | -------- | --------------------------------------------------- | --------------------- | -------------- |
//! | `mode`   | the permissions of the directory, octal             | `0750`                | both           |
//! | `uid`    | the user the directory is given to, a number        | who runs this program | both           |
//! | `gid`    | the group the directory is given to, a number       | who runs this program | both           |
//! | `labels` | labels of every volume of the class, `tier=gold,…`  | none                  | the class      |
//!
//! The catalogue (`load/catalogue/backends.yaml`) says the same to people; a test there holds both together. A container that does not run as root needs one of them. Where a class allows a claim to set one, and sets it itself to
//! something else, both must hold and cannot: that is refused.

use super::labels;
use super::{CreateRequest, KnownKeys, StorageError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A key and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownKey {
    /// The key.
    pub(crate) key: String,
    /// What it is for, one clause.
    pub(crate) meaning: String,
}

/// The permissions of a directory. A record keeps those that the class asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Access {
    pub(super) mode: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) uid: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) gid: Option<u32>,
}

impl Default for Access {
    fn default() -> Self {
        Self {
            mode: DEFAULT_MODE,
            uid: None,
            gid: None,
        }
    }
}

const DEFAULT_MODE: u32 = 0o750;
/// Permissions, and the bits that matter on a directory: setgid and sticky.
const MODE_BITS: u32 = 0o3777;

/// The keys that [`Access::of_request`] and [`labels::of_request`] read.
pub(crate) fn directory_keys() -> KnownKeys {
    let keys = [
        (
            "mode",
            "the permissions of the directory, octal; 0750 if not set",
        ),
        ("uid", "the user the directory is given to, by number"),
        ("gid", "the group the directory is given to, by number"),
    ];
    let known: Vec<KnownKey> = keys
        .map(|(key, meaning)| KnownKey {
            key: key.to_owned(),
            meaning: meaning.to_owned(),
        })
        .into();
    let mut parameters = known.clone();
    parameters.push(KnownKey {
        key: labels::KEY.to_owned(),
        meaning: "labels of every volume of the class, such as tier=gold,region=east".to_owned(),
    });
    KnownKeys {
        parameters,
        options: known,
    }
}

/// Refuses keys that the backend does not know, all at once. Values may be secrets and are not repeated.
pub(super) fn check_keys(request: &CreateRequest, known: &KnownKeys) -> Result<(), StorageError> {
    let unknown = |kind: &str, set: &BTreeMap<String, String>, known: &[KnownKey]| -> Vec<String> {
        set.keys()
            .filter(|key| !known.iter().any(|known| known.key == **key))
            .map(|key| format!("{kind} `{key}`"))
            .collect()
    };
    let mut wrong = unknown("parameter", &request.parameters, &known.parameters);
    wrong.extend(unknown("option", &request.options, &known.options));
    if wrong.is_empty() {
        return Ok(());
    }
    let mut all: Vec<&str> = known
        .parameters
        .iter()
        .chain(&known.options)
        .map(|known| known.key.as_str())
        .collect();
    all.sort_unstable();
    all.dedup();
    let all = if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    };
    Err(StorageError::Refused(format!(
        "unknown {}; known here: {all}",
        wrong.join(", ")
    )))
}

impl Access {
    /// What the parameters and options ask for.
    pub(super) fn of_request(request: &CreateRequest) -> Result<Self, StorageError> {
        Self::of_values(|key| find(request, key))
    }

    /// What the parameters of the class alone ask for.
    pub(super) fn of_parameters(
        parameters: &BTreeMap<String, String>,
    ) -> Result<Self, StorageError> {
        Self::of_values(|key| Ok(parameters.get(key).map(String::as_str)))
    }

    fn of_values<'a>(
        find: impl Fn(&str) -> Result<Option<&'a str>, StorageError>,
    ) -> Result<Self, StorageError> {
        let number = |key| find(key)?.map(|text| parse_id(key, text)).transpose();
        Ok(Self {
            mode: find("mode")?
                .map(parse_mode)
                .transpose()?
                .unwrap_or(DEFAULT_MODE),
            uid: number("uid")?,
            gid: number("gid")?,
        })
    }
}

/// Whether a directory can be made for a class that says this of a key.
#[cfg(test)]
pub(crate) fn takes_parameter(key: &str, value: &str) -> bool {
    match key {
        "mode" => parse_mode(value).is_ok(),
        "labels" => labels::parse(value).is_ok(),
        key => parse_id(key, value).is_ok(),
    }
}

/// The value of a key; what the class says holds whatever the claim says.
fn find<'a>(request: &'a CreateRequest, key: &str) -> Result<Option<&'a str>, StorageError> {
    match (request.parameters.get(key), request.options.get(key)) {
        (Some(class), Some(claim)) if class != claim => Err(StorageError::Refused(format!(
            "parameter `{key}` of the class is `{class}` and option `{key}` of the claim is `{claim}`: both cannot hold"
        ))),
        (class, claim) => Ok(claim.or(class).map(String::as_str)),
    }
}

fn parse_mode(text: &str) -> Result<u32, StorageError> {
    let is_octal =
        (3..=4).contains(&text.len()) && text.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let mode = u32::from_str_radix(text, 8)
        .ok()
        .filter(|mode| is_octal && mode & !MODE_BITS == 0);
    mode.ok_or_else(|| {
        StorageError::Refused(format!(
            "`mode` is `{text}`, not three or four octal digits up to 3777"
        ))
    })
}

fn parse_id(key: &str, text: &str) -> Result<u32, StorageError> {
    let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    // The largest number means "leave it" to the operating system.
    let id = text.parse().ok().filter(|id| is_number && *id != u32::MAX);
    id.ok_or_else(|| {
        StorageError::Refused(format!(
            "`{key}` is `{text}`, not the number of a user or group"
        ))
    })
}
