//! Characters that move a terminal or turn a text round, in YAML: they stand inside keys and values, which are then written
//! between double quotes, where YAML has another spelling for them.

use super::machine::is_unsafe;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The same document, safe to look at. Every scalar must stand on one line.
pub(super) fn escape_yaml(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n');
    let escaped = lines.map(|line| {
        if line.contains(is_unsafe) {
            Cow::Owned(escape_line(line))
        } else {
            Cow::Borrowed(line)
        }
    });
    Cow::Owned(escaped.collect())
}

fn escape_line(line: &str) -> String {
    let content = line.trim_start_matches([' ', '-']);
    // A scalar may begin with a dash; then no blank follows it.
    let start = line.len() - content.len();
    let start = line[..start].rfind(' ').map_or(0, |blank| blank + 1);
    let (lead, rest) = line.split_at(start);
    let rest = rest.trim_end_matches('\n');
    let (key, value) = split_key(rest);
    let mut escaped = lead.to_owned();
    if let Some(key) = key {
        escaped.push_str(&quoted(key));
        escaped.push_str(if value.is_empty() { ":" } else { ": " });
    }
    escaped.push_str(&quoted(value));
    escaped.push('\n');
    escaped
}

/// The key of a line, where it has one, and what follows.
fn split_key(text: &str) -> (Option<&str>, &str) {
    let after_quotes = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => closing(text, quote),
        _ => Some(0),
    };
    let Some(from) = after_quotes else {
        return (None, text);
    };
    let tail = &text[from..];
    if let Some(colon) = tail.find(": ") {
        return (Some(&text[..from + colon]), &tail[colon + 2..]);
    }
    match tail.strip_suffix(':') {
        Some(_) => (Some(&text[..text.len() - 1]), ""),
        None => (None, text),
    }
}

/// Where a quoted scalar ends.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            '\\' if quote == '"' && !escaped => escaped = true,
            c if c == quote && !escaped => return Some(index + 1),
            _ => escaped = false,
        }
    }
    None
}

fn quoted(scalar: &str) -> Cow<'_, str> {
    if !scalar.contains(is_unsafe) {
        return Cow::Borrowed(scalar);
    }
    let within = |quote: char| scalar.strip_prefix(quote)?.strip_suffix(quote);
    let plain = match (within('"'), within('\'')) {
        (Some(inner), _) => inner.to_owned(),
        (None, single) => {
            let text = single.map_or_else(|| scalar.to_owned(), |inner| inner.replace("''", "'"));
            text.replace('\\', "\\\\").replace('"', "\\\"")
        }
    };
    let mut escaped = String::from("\"");
    for c in plain.chars() {
        if is_unsafe(c) {
            let _ = write!(escaped, "\\U{:08x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped.push('"');
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn written(value: &Value) -> String {
        let mut text = Vec::new();
        super::super::machine::write_document(&mut text, value).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn what_turns_a_text_round_is_escaped_and_means_the_same() {
        let odd = [
            "a\u{202e}b",
            "- \u{202e}",
            "it's \u{202e} \"so\"",
            "k: \u{2066}v",
            "back\\slash\u{202e}",
            "\u{202e}",
            "'\u{202e}'",
            "#\u{202e}",
            "-\u{202e}",
            "\u{9b}31m",
            "a: \u{202e}:",
            "soft\u{ad}hyphen",
            "tag\u{e0041}",
            "filler\u{3164}",
            "no\u{a0}break",
        ];
        for text in odd {
            let value = json!({ "plain": text, text: { "list": [text, [text], { text: text }] }, "z": "end" });
            let yaml = written(&value);
            assert!(!yaml.contains(is_unsafe), "{yaml:?}");
            let read: Value =
                serde_saphyr::from_str(&yaml).unwrap_or_else(|error| panic!("{yaml}: {error}"));
            assert_eq!(read, value, "{yaml}");
        }
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let text = "a: 'it''s'\nb:\n- x\n";
        assert_eq!(escape_yaml(text), text);
    }
}
