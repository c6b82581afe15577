//! JSON and YAML.

use super::Format;
use serde::Serialize;
use std::io::{self, Write};

/// Writes a report for programs.
pub(super) fn write(to: &mut dyn Write, report: &impl Serialize, format: Format) -> io::Result<()> {
    if format == Format::Yaml {
        return write_yaml(to, report);
    }
    serde_json::to_writer_pretty(&mut *to, report).map_err(io::Error::from)?;
    writeln!(to)
}

fn write_yaml(to: &mut dyn Write, report: &impl Serialize) -> io::Result<()> {
    // Through JSON, so that both formats say the same things in the same shapes.
    let value = serde_json::to_value(report).map_err(io::Error::from)?;
    write_document(to, &value)
}

/// Writes one YAML document, its fields in the order they come.
pub(super) fn write_document(to: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    // Long strings stay on their line, as kubectl prints them.
    let mut options = serde_saphyr::SerializerOptions::default();
    options.prefer_block_scalars = false;
    let text = serde_saphyr::to_string_with_options(value, options).map_err(io::Error::other)?;
    to.write_all(text.as_bytes())?;
    if text.ends_with('\n') {
        Ok(())
    } else {
        writeln!(to)
    }
}
