//! What differs between two outcomes of the same command line, each difference with the name of its field.

use super::invocations::{Form, Invocation};
use super::program::Outcome;
use super::{structure, text};

/// The longest value that is shown.
const SHOWN: usize = 400;

/// One field in which two outcomes differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) field: String,
    pub(super) old: String,
    pub(super) new: String,
}

impl Difference {
    pub(super) fn new(field: String, old: &str, new: &str) -> Self {
        let same = old.chars().zip(new.chars());
        let same = same.take_while(|(old, new)| old == new).count();
        Self {
            field,
            old: cut(old, same),
            new: cut(new, same),
        }
    }
}

/// Every field in which the two differ; none if they are equal byte by byte.
pub(super) fn differences(
    invocation: &Invocation,
    old: &Outcome,
    new: &Outcome,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if old.status != new.status {
        let field = "exit status".to_owned();
        found.push(Difference::new(field, &old.status, &new.status));
    }
    if old.stderr != new.stderr {
        let lines = text::differences(&old.stderr, &new.stderr);
        found.extend(lines.into_iter().map(|difference| Difference {
            field: format!("stderr {}", difference.field),
            ..difference
        }));
    }
    if old.stdout != new.stdout {
        found.extend(of_stdout(invocation.form, &old.stdout, &new.stdout));
    }
    found
}

fn of_stdout(form: Form, old: &str, new: &str) -> Vec<Difference> {
    let name = form.name();
    let is_structured = ["json", "yaml", "sarif"].contains(&name);
    let parsed = is_structured
        .then(|| structure::parse(old, name).zip(structure::parse(new, name)))
        .flatten();
    let fields = match parsed {
        Some((old, new)) => structure::differences(&old, &new),
        None => text::differences(old, new),
    };
    if fields.is_empty() {
        // The same data in another spelling, such as the order of keys.
        let lines = text::differences(old, new);
        return in_form(
            name,
            lines.into_iter().map(|difference| Difference {
                field: "layout".to_owned(),
                ..difference
            }),
        );
    }
    in_form(name, fields.into_iter())
}

fn in_form(name: &str, found: impl Iterator<Item = Difference>) -> Vec<Difference> {
    let named = found.map(|difference| Difference {
        field: format!("{name} {}", difference.field),
        ..difference
    });
    named.collect()
}

/// A long value is shown around the first character that differs.
fn cut(value: &str, same: usize) -> String {
    let length = value.chars().count();
    if length <= SHOWN {
        return value.to_owned();
    }
    let start = same.saturating_sub(SHOWN / 4);
    let shown: String = value.chars().skip(start).take(SHOWN).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + SHOWN < length { "…" } else { "" };
    format!("{before}{shown}{after}")
}
