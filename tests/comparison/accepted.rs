//! The file of accepted differences (`accepted.txt`): which groups of differences a change causes on purpose, and why.

use super::groups::Key;

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) line: usize,
    command: String,
    field: String,
    pub(super) reason: String,
}

impl Entry {
    pub(super) fn matches(&self, key: &Key) -> bool {
        matches(&self.command, &key.command) && matches(&self.field, &key.field)
    }

    pub(super) fn spelled(&self) -> String {
        format!("line {}: {} | {}", self.line, self.command, self.field)
    }
}

/// Reads the file; an error names the line.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| parse_line(index + 1, line))
        .collect()
}

fn parse_line(number: usize, line: &str) -> Result<Entry, String> {
    let parts: Vec<&str> = line.splitn(3, " | ").map(str::trim).collect();
    match parts[..] {
        [command, field, reason] if !reason.is_empty() => Ok(Entry {
            line: number,
            command: command.to_owned(),
            field: field.to_owned(),
            reason: reason.to_owned(),
        }),
        [_, _] | [_, _, _] => Err(format!("line {number} has no reason: {line}")),
        _ => Err(format!(
            "line {number} is not COMMAND | FIELD | REASON: {line}"
        )),
    }
}

/// Whether a text is of this pattern, in which `*` stands for any characters.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(text) = text.strip_prefix(start) else {
        return false;
    };
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    places.into_iter().any(|at| matches(rest, &text[at..]))
}

#[test]
fn a_star_stands_for_any_characters() {
    let table = [
        ("explain*", "explain pod", true),
        ("explain", "explain pod", false),
        ("json *[].name", "json items[].name", true),
        ("json *[].name", "json items[].names", false),
        ("*", "", true),
    ];
    for (pattern, text, expected) in table {
        assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
    }
}

#[test]
fn an_entry_without_a_reason_is_an_error() {
    let read = parse("# a comment\n\nplan* | table first line | issue 17: new words\n").unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!(
        (read[0].line, read[0].reason.as_str()),
        (3, "issue 17: new words")
    );
    for wrong in ["plan | json claims[]", "plan | json claims[] | ", "plan"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}
