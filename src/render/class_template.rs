//! A ConfigMap and a claim as YAML that people go on with: what they may choose stands in comments beside it.
//!
//! What the class says may hold anything. In comments it is made safe, line by line, so that it cannot leave them; in
//! values it is quoted.

use super::class::lines;
use crate::conventions::annotations;
use crate::conventions::foreign::{is_unsafe, safe};
use crate::report::{ClaimTemplate, OptionDescription, TemplateEntry, TemplateValue};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Prints a template.
pub(crate) fn write_template(to: &mut dyn Write, template: &ClaimTemplate) -> io::Result<()> {
    let mut text = String::new();
    add_head(&mut text, template);
    if !template.entries.is_empty() {
        add_config_map(&mut text, template);
    }
    add_claim(&mut text, template);
    to.write_all(text.as_bytes())
}

fn add_head(text: &mut String, template: &ClaimTemplate) {
    let class = safe(&template.class);
    if template.entries.is_empty() {
        comment(
            text,
            0,
            &format!("A claim of class {class}, which has no provisioning options."),
        );
        return;
    }
    comment(
        text,
        0,
        &format!(
            "A claim of class {class}, and the ConfigMap that it takes its provisioning options from."
        ),
    );
    if !template.is_filled {
        comment(
            text,
            0,
            "Take away the # before an option to set it; fill in what says FILL IN.",
        );
    }
    for line in [
        "Kubernetes itself knows nothing of these options: its controller may bind an existing volume, and provisioners",
        "ignore them, unless they know them. They count only while the volume is made.",
    ] {
        comment(text, 0, line);
    }
}

fn add_config_map(text: &mut String, template: &ClaimTemplate) {
    text.push_str("apiVersion: v1\nkind: ConfigMap\n");
    add_metadata(text, template.config_map(), template);
    if template.is_filled {
        let chosen: Vec<_> = template.entries.iter().filter_map(line_of_chosen).collect();
        text.push_str(if chosen.is_empty() {
            "data: {}\n"
        } else {
            "data:\n"
        });
        text.push_str(&chosen.concat());
    } else {
        text.push_str("data:\n");
        for entry in &template.entries {
            add_entry(text, entry);
        }
    }
    text.push_str("---\n");
}

fn line_of_chosen(entry: &TemplateEntry) -> Option<String> {
    match &entry.value {
        TemplateValue::Chosen(value) => Some(format!(
            "  {}: {}\n",
            scalar(&entry.option.key),
            quoted(value)
        )),
        _ => None,
    }
}

fn add_entry(text: &mut String, entry: &TemplateEntry) {
    let option = &entry.option;
    comment(text, 2, &option.key);
    let description = option.description.as_deref().unwrap_or_default();
    for line in lines(description).filter(|_| !description.is_empty()) {
        comment(text, 2, &format!("  {line}"));
    }
    for value in &option.allowed_values {
        let is_default = option.default_value.as_ref() == Some(value);
        let mark = if is_default { " (default)" } else { "" };
        comment(text, 2, &format!("  - {}{mark}", quoted(value)));
    }
    comment(text, 2, &format!("  {}", rule(entry)));
    let key = scalar(&option.key);
    let default = quoted(option.default_value.as_deref().unwrap_or_default());
    let _ = match &entry.value {
        TemplateValue::FillIn => writeln!(text, "  {key}: \"\" # FILL IN"),
        TemplateValue::LeftOut => writeln!(text, "  #{key}: {default}"),
        TemplateValue::Chosen(value) => writeln!(text, "  {key}: {}", quoted(value)),
        TemplateValue::NoKey | TemplateValue::Repeated => Ok(()),
    };
}

/// Whether the option must be set, and what applies if it is not.
fn rule(entry: &TemplateEntry) -> String {
    let OptionDescription {
        default_value,
        required,
        ..
    } = &entry.option;
    match (&entry.value, default_value, required) {
        (TemplateValue::NoKey, ..) => "cannot be set: no ConfigMap can have this key".to_owned(),
        (TemplateValue::Repeated, ..) => "declared before; only the first counts".to_owned(),
        (_, Some(default), _) => format!("optional; without it: {}", quoted(default)),
        (_, None, true) => "required".to_owned(),
        (_, None, false) => "optional; without it the provisioner chooses".to_owned(),
    }
}

fn add_claim(text: &mut String, template: &ClaimTemplate) {
    text.push_str("apiVersion: v1\nkind: PersistentVolumeClaim\n");
    add_metadata(text, &template.claim, template);
    if !template.entries.is_empty() {
        let _ = writeln!(
            text,
            "  annotations:\n    {}: {}",
            annotations::OPTIONS,
            scalar(template.config_map())
        );
    }
    let size = quoted(&template.size);
    let comment = if template.is_filled {
        ""
    } else {
        " # how much it needs"
    };
    let _ = write!(
        text,
        "spec:\n  storageClassName: {}\n  accessModes:\n    - {}\n  resources:\n    requests:\n      storage: {size}{comment}\n",
        scalar(&template.class),
        template.access_mode.name(),
    );
}

fn add_metadata(text: &mut String, name: &str, template: &ClaimTemplate) {
    let _ = writeln!(text, "metadata:\n  name: {}", scalar(name));
    if let Some(namespace) = &template.namespace {
        let _ = writeln!(text, "  namespace: {}", scalar(namespace));
    }
}

/// One line of comment, whatever is in it.
fn comment(text: &mut String, indent: usize, line: &str) {
    let line = safe(line);
    let _ = writeln!(text, "{:indent$}# {}", "", line.trim_end());
}

/// A string without quotes where nobody could take it for anything else.
fn scalar(value: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let is_word = WORDS.contains(&value.to_ascii_lowercase().as_str());
    let begins_well = value.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if begins_well && !is_word && value.chars().all(is_plain) {
        value.to_owned()
    } else {
        quoted(value)
    }
}

/// A string in double quotes. What a terminal would obey and what YAML could take for the end of a line is escaped.
fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for c in value.chars() {
        let code = u32::from(c);
        let _ = match c {
            '"' | '\\' => write!(text, "\\{c}"),
            '\n' => write!(text, "\\n"),
            '\t' => write!(text, "\\t"),
            _ if code > 0xffff && is_unsafe(c) => write!(text, "\\U{code:08x}"),
            _ if is_unsafe(c) || matches!(code, 0xfff0..=0xffff) => write!(text, "\\u{code:04x}"),
            _ => write!(text, "{c}"),
        };
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_be_something_else_is_quoted() {
        for (value, written) in [
            ("fast", "fast"),
            ("kmsKeyId", "kmsKeyId"),
            ("True", "\"True\""),
            ("no", "\"no\""),
            ("1e3", "\"1e3\""),
            ("", "\"\""),
            ("a: b", "\"a: b\""),
            ("a\nb\u{2028}\u{1b}\"\\", "\"a\\nb\\u2028\\u001b\\\"\\\\\""),
        ] {
            assert_eq!(scalar(value), written);
        }
    }
}
