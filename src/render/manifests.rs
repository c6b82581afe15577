//! Manifests, to be applied: the fields in the order of their file.

use super::{Format, machine};
use crate::model::manifest::Node;
use crate::report::List;
use serde::Serialize;
use std::io::{self, Write};
use std::str::FromStr;

/// How to print manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ManifestFormat {
    /// Documents one after the other.
    #[default]
    Yaml,
    /// One `List`.
    Json,
}

impl FromStr for ManifestFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "yaml" => Ok(Self::Yaml),
            "json" => Ok(Self::Json),
            other => Err(format!("`{other}` is no format (yaml, json)")),
        }
    }
}

/// Prints manifests.
pub(crate) fn write_manifests(
    to: &mut dyn Write,
    manifests: Vec<Node>,
    format: ManifestFormat,
) -> io::Result<()> {
    match format {
        ManifestFormat::Json => {
            let list = List {
                api_version: "v1",
                kind: "List",
                items: manifests,
            };
            machine::write(to, &list, Format::Json)
        }
        ManifestFormat::Yaml => {
            for (index, manifest) in manifests.iter().enumerate() {
                if index > 0 {
                    writeln!(to, "---")?;
                }
                machine::write_document(to, manifest)?;
            }
            Ok(())
        }
    }
}

/// Prints one object as it is.
pub(crate) fn write_manifest(
    to: &mut dyn Write,
    manifest: &impl Serialize,
    format: ManifestFormat,
) -> io::Result<()> {
    match format {
        ManifestFormat::Json => machine::write(to, manifest, Format::Json),
        ManifestFormat::Yaml => machine::write_document(to, manifest),
    }
}
