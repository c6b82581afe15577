//! JSON and YAML.

use super::yaml_escape::escape_yaml;
use super::{Asked, Format};
use crate::conventions::foreign;
use crate::report::List;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes a report for programs.
pub(super) fn write(to: &mut dyn Write, report: &impl Serialize, format: Format) -> io::Result<()> {
    if format == Format::Yaml {
        return write_yaml(to, report);
    }
    let text = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
    to.write_all(escape(&text).as_bytes())?;
    writeln!(to)
}

/// Writes one answer that was asked for by name as it is, and anything else as a list.
pub(super) fn write_answers<T: Serialize>(
    to: &mut dyn Write,
    answers: Vec<T>,
    kind: &'static str,
    asked: Asked,
    format: Format,
) -> io::Result<()> {
    match answers.as_slice() {
        [only] if asked == Asked::One => write(to, only, format),
        _ => write(to, &List::of(kind, answers), format),
    }
}

/// Characters that move a terminal, show nothing or turn a text round stand only inside strings, where JSON has another spelling for them.
fn escape(json: &str) -> Cow<'_, str> {
    if !json.contains(is_unsafe) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_unsafe(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// White space between values is JSON's own, and inside strings it is escaped already.
pub(super) fn is_unsafe(c: char) -> bool {
    c != '\n' && foreign::is_unsafe(c)
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
    let text = escape_yaml(&text);
    to.write_all(text.as_bytes())?;
    if text.ends_with('\n') {
        Ok(())
    } else {
        writeln!(to)
    }
}
