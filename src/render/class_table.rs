//! All classes as a table, a row each. On a narrow terminal the columns that matter least are left out.

use super::class::{add_unknowns, field, unknown};
use super::page::{Page, Screen, Tone, Word, plain};
use super::table::Table;
use crate::conventions::foreign::safe;
use crate::model::BindingMode;
use crate::report::{ClassDescription, Finding, Presence, Unknown};
use std::collections::BTreeMap;
use unicode_width::UnicodeWidthStr;

/// So many keys of options stand in a row.
const MOST_KEYS: usize = 4;
/// Wider than this the last column need not be: it wraps.
const LAST_COLUMN: usize = 24;
/// Between columns.
const GAP: usize = 3;

/// A column: its head, its cells, and when it is left out; 0 is never.
struct Column {
    head: &'static str,
    goes: u8,
    cells: Vec<Word>,
}

impl Column {
    fn new(
        head: &'static str,
        goes: u8,
        classes: &[ClassDescription],
        cell: impl Fn(&ClassDescription) -> Word,
    ) -> Self {
        Self {
            head,
            goes,
            cells: classes.iter().map(cell).collect(),
        }
    }

    fn width(&self) -> usize {
        let cells = self.cells.iter().map(|(_, text)| safe(text).width());
        cells.chain([self.head.len()]).max().unwrap_or(0)
    }
}

pub(super) fn add(page: &mut Page, classes: &[ClassDescription], wide: bool, screen: &Screen) {
    if classes.is_empty() {
        return;
    }
    let mut columns = columns(classes, wide);
    let left_out = match screen.width {
        Some(width) if !wide => leave_out(&mut columns, width),
        _ => vec![],
    };
    let heads: Vec<&'static str> = columns.iter().map(|column| column.head).collect();
    let mut table = Table::new(&heads);
    for index in 0..classes.len() {
        let cells = columns.iter().map(|column| column.cells[index].clone());
        table.row(cells.collect());
    }
    page.table(table);
    page.blank();
    add_problems(page, classes);
    let more = (Tone::Command, "kubectl pv describe-class NAME".to_owned());
    field(page, "More about one:", vec![more]);
    if !left_out.is_empty() {
        let text = format!("{} (-o wide shows all)", left_out.join(", "));
        field(page, "LeftOut:", vec![plain(text)]);
    }
    let unknowns = classes.iter().flat_map(|class| class.unknowns.clone());
    add_unknowns(page, &unknowns.collect::<Vec<Unknown>>());
}

fn columns(classes: &[ClassDescription], wide: bool) -> Vec<Column> {
    let column = |head, goes, cell: &dyn Fn(&ClassDescription) -> Word| {
        Column::new(head, goes, classes, cell)
    };
    let mut columns = vec![
        column("NAME", 0, &name),
        column("PROVISIONER", 0, &|it| plain(it.class.provisioner.as_str())),
    ];
    if wide {
        columns.push(column("DRIVER", 0, &|it| plain(it.driver.name.as_str())));
    }
    columns.push(column("PRESENCE", 5, &presence));
    columns.push(column("RECLAIM", 1, &|it| {
        plain(it.class.reclaim_policy.as_str())
    }));
    columns.push(column("BINDING", 4, &binding));
    if wide {
        columns.push(column("EXPANDS", 0, &|it| {
            plain(it.class.allow_expansion.to_string())
        }));
    }
    columns.push(column("PV", 3, &|it| total(it.usage.volumes.as_ref())));
    columns.push(column("PVC", 2, &|it| total(it.usage.claims.as_ref())));
    if wide {
        columns.push(column("PROBLEMS", 0, &|it| problems(&it.findings)));
    }
    columns.push(column("OPTIONS", 0, &|it| keys(it, wide)));
    columns
}

/// Leaves out columns until the rest fits, and says which.
fn leave_out(columns: &mut Vec<Column>, width: usize) -> Vec<&'static str> {
    let mut gone = Vec::new();
    loop {
        let (last, before) = columns.split_last().map_or((0, columns.as_slice()), |it| {
            (it.0.width().min(LAST_COLUMN), it.1)
        });
        let used: usize = before.iter().map(|column| column.width() + GAP).sum();
        let next = columns.iter().filter(|column| column.goes > 0);
        let Some(next) = next.map(|column| column.goes).min() else {
            return gone;
        };
        if used + last <= width {
            return gone;
        }
        columns.retain(|column| {
            let stays = column.goes != next;
            if !stays {
                gone.push(column.head);
            }
            stays
        });
    }
}

fn name(description: &ClassDescription) -> Word {
    let class = &description.class;
    let mark = match class.default {
        Some(true) => " (default)",
        None => " (default?)",
        Some(false) => "",
    };
    plain(format!("{}{mark}", class.name))
}

fn presence(description: &ClassDescription) -> Word {
    let presence = description.driver.presence;
    let tone = match presence {
        Presence::Registered | Presence::Seen => Tone::Good,
        Presence::NotSeen | Presence::Unknown => Tone::Wait,
        Presence::Internal | Presence::None => Tone::Plain,
    };
    (tone, presence.name().to_owned())
}

fn binding(description: &ClassDescription) -> Word {
    plain(match description.class.binding_mode {
        BindingMode::Immediate => "Immediate",
        BindingMode::WaitForFirstConsumer => "WaitForFirstConsumer",
    })
}

fn total(counts: Option<&BTreeMap<&'static str, usize>>) -> Word {
    match counts {
        None => unknown(),
        Some(counts) => plain(counts.values().sum::<usize>().to_string()),
    }
}

fn add_problems(page: &mut Page, classes: &[ClassDescription]) {
    let troubled = classes.iter().filter(|it| !it.findings.is_empty());
    for (index, class) in troubled.enumerate() {
        let label = if index == 0 { "Problems:" } else { "" };
        let name = plain(format!("{}: ", class.class.name));
        field(page, label, vec![name, problems(&class.findings)]);
    }
}

fn problems(findings: &[Finding]) -> Word {
    let codes: Vec<&str> = findings.iter().map(|finding| finding.code.name()).collect();
    if codes.is_empty() {
        plain("<none>")
    } else {
        (Tone::Wait, codes.join(", "))
    }
}

/// The keys that a claim may set.
fn keys(description: &ClassDescription, wide: bool) -> Word {
    let Some(options) = &description.options else {
        return (Tone::Bad, "malformed".to_owned());
    };
    let most = if wide { usize::MAX } else { MOST_KEYS };
    let listed: Vec<&str> = options
        .iter()
        .take(most)
        .map(|it| it.key.as_str())
        .collect();
    let more = options.len().saturating_sub(most);
    plain(match (options.len(), more) {
        (0, _) => "<none>".to_owned(),
        (_, 0) => listed.join(", "),
        _ => format!("{} and {more} more", listed.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(head: &'static str, goes: u8, cell: &str) -> Column {
        Column {
            head,
            goes,
            cells: vec![plain(cell)],
        }
    }

    #[test]
    fn what_matters_least_goes_first_and_names_stay() {
        let left = |width: usize| {
            let mut columns = vec![
                column("NAME", 0, "a-name-of-20-letters"),
                column("RECLAIM", 1, "Delete"),
                column("PV", 2, "7"),
                column("OPTIONS", 0, &"key, ".repeat(20)),
            ];
            let gone = leave_out(&mut columns, width);
            (columns.len(), gone)
        };
        assert_eq!(left(62), (4, vec![]));
        assert_eq!(left(61), (3, vec!["RECLAIM"]));
        assert_eq!(left(10), (2, vec!["RECLAIM", "PV"]));
    }
}
