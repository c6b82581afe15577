//! The storage of a cluster on one screen: counts, classes, claims without a volume, volumes that need somebody; or the
//! labels of the volumes.

use super::page::{Page, Screen, Tone, Word, plain};
use super::table::Table;
use super::words::age;
use crate::conventions::quantity::Quantity;
use crate::model::Time;
use crate::report::{
    Attention, AttentionCode, Code, Counts, Inventory, LabelKey, LabelValue, MissingLabel,
    PendingClaim, Unknown, Verdict, amount, join_or, plural,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// One screen holds this many lines of a kind; `--all` lifts it.
const MOST_CLAIMS: usize = 20;
const MOST_OF_A_CODE: usize = 5;
const MOST_CLASSES: usize = 10;
const MOST_VALUES: usize = 10;
const MOST_NAMES: usize = 3;

/// The order people expect phases in.
const PHASES: [&str; 6] = [
    "Bound",
    "Available",
    "Pending",
    "Released",
    "Failed",
    "Lost",
];

/// Everything, or with labels only those.
pub(super) fn show(page: &mut Page, inventory: &Inventory, screen: &Screen) {
    page.line(vec![(Tone::Label, headline(inventory))], 2);
    if let Some(taxonomy) = &inventory.taxonomy {
        add_taxonomy(page, taxonomy, screen);
    } else {
        add_classes(page, inventory, screen);
        add_pending(page, inventory, screen);
        add_attention(page, inventory, screen);
        add_rest(page, inventory);
    }
    add_unknowns(page, &inventory.unknowns);
}

fn headline(inventory: &Inventory) -> String {
    let namespace = inventory
        .namespace
        .as_ref()
        .map(|name| format!("namespace {name}: "))
        .unwrap_or_default();
    format!(
        "{namespace}{}     {}",
        counted("volume", inventory.volumes.as_ref()),
        counted("claim", inventory.claims.as_ref())
    )
}

fn counted(noun: &str, counts: Option<&Counts>) -> String {
    let Some(counts) = counts else {
        return format!("{noun}s: not readable");
    };
    let total = counts.by_phase.values().sum();
    match by_phase(&counts.by_phase) {
        phases if phases.is_empty() => plural(total, noun),
        phases => format!("{}: {phases}", plural(total, noun)),
    }
}

/// `380 Bound, 21 Available`.
pub(super) fn by_phase(counts: &BTreeMap<&'static str, usize>) -> String {
    let parts: Vec<String> = PHASES
        .iter()
        .filter_map(|phase| Some(format!("{} {phase}", counts.get(phase)?)))
        .collect();
    parts.join(", ")
}

fn add_classes(page: &mut Page, inventory: &Inventory, screen: &Screen) {
    let most = if screen.all { usize::MAX } else { MOST_CLASSES };
    let none = |text: String| {
        if text.is_empty() {
            "<none>".to_owned()
        } else {
            text
        }
    };
    let mut table = Table::new(&["CLASS", "VOLUMES", "CLAIMS"]);
    for class in inventory.classes.iter().take(most) {
        let mark = match (class.default, class.exists) {
            (true, _) => " (default)",
            (_, Some(false)) if !class.name.is_empty() => " (no such class)",
            _ => "",
        };
        table.row(vec![
            plain(format!("{}{mark}", none(class.name.clone()))),
            plain(none(by_phase(&class.volumes))),
            plain(none(by_phase(&class.claims))),
        ]);
    }
    if !table.is_empty() {
        page.blank();
        page.table(table);
        let more = inventory.classes.len().saturating_sub(most);
        if more > 0 {
            page.line(vec![plain(format!("{more} more (--all lists them)"))], 2);
        }
    }
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Bound | Verdict::WillBind | Verdict::WillProvision => Tone::Good,
        Verdict::Waiting | Verdict::Unknown => Tone::Wait,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected => Tone::Bad,
    }
}

/// What is stuck comes first, the longest stuck before the others.
fn urgency(claim: &PendingClaim) -> (u8, Option<Reverse<Time>>, &str, &str) {
    let group = match claim.verdict {
        Verdict::Lost => 0,
        Verdict::Blocked | Verdict::Rejected => 1,
        Verdict::Unknown => 2,
        Verdict::Waiting => 3,
        Verdict::Bound | Verdict::WillBind | Verdict::WillProvision => 4,
    };
    // The oldest first, and those of unknown age last.
    let newest = claim
        .since
        .map(|Time(second)| Reverse(Time(second.saturating_neg())));
    (group, newest, &claim.namespace, &claim.name)
}

fn add_pending(page: &mut Page, inventory: &Inventory, screen: &Screen) {
    let mut claims: Vec<&PendingClaim> = inventory.pending.iter().collect();
    claims.sort_by(|a, b| urgency(a).cmp(&urgency(b)));
    let most = if screen.all { usize::MAX } else { MOST_CLAIMS };
    let (listed, rest) = claims.split_at(claims.len().min(most));
    let now = inventory.captured_at;
    let mut table = Aged::new(
        "UNBOUND CLAIM",
        &["VERDICT", "WHY"],
        listed.iter().any(|claim| since(now, claim.since).is_some()),
    );
    for claim in listed {
        table.row(
            plain(format!("{}/{}", claim.namespace, claim.name)),
            since(now, claim.since),
            vec![
                (tone(claim.verdict), claim.verdict.name().to_owned()),
                plain(why(claim)),
            ],
        );
    }
    table.add_to(
        page,
        rest.iter()
            .map(|claim| claim.cause.map_or("in order", Code::name)),
    );
}

fn why(claim: &PendingClaim) -> String {
    let is_normal = claim.verdict == Verdict::Waiting && !claim.is_hopeless;
    match claim.cause {
        Some(Code::NoConsumer) if is_normal => "NoConsumer: waits for a pod (normal)".to_owned(),
        Some(code) => format!("{code}: {}", claim.message),
        None => claim.message.clone(),
    }
}

fn add_attention(page: &mut Page, inventory: &Inventory, screen: &Screen) {
    let most = if screen.all {
        usize::MAX
    } else {
        MOST_OF_A_CODE
    };
    let mut seen: BTreeMap<AttentionCode, usize> = BTreeMap::new();
    let (listed, rest): (Vec<&Attention>, Vec<&Attention>) =
        inventory.attention.iter().partition(|found| {
            let count = seen.entry(found.code).or_default();
            *count += 1;
            *count <= most
        });
    let now = inventory.captured_at;
    let mut table = Aged::new(
        "NEEDS ATTENTION",
        &["WHY"],
        listed.iter().any(|found| since(now, found.since).is_some()),
    );
    for found in listed {
        let text = format!("{}: {}", found.code.code(), found.message);
        table.row(
            plain(&found.volume),
            since(now, found.since),
            vec![plain(text)],
        );
    }
    table.add_to(page, rest.iter().map(|found| found.code.code().name()));
}

/// How long ago something was, where both ends are known.
fn since(now: Option<Time>, then: Option<Time>) -> Option<String> {
    Some(age(now?.0.saturating_sub(then?.0)))
}

/// A table with a column for ages, if any are known.
struct Aged {
    table: Table,
    has_ages: bool,
}

impl Aged {
    fn new(first: &'static str, others: &[&'static str], has_ages: bool) -> Self {
        let ages: &[&'static str] = if has_ages { &["FOR"] } else { &[] };
        let heads = [&[first], ages, others].concat();
        Self {
            table: Table::new(&heads),
            has_ages,
        }
    }

    fn row(&mut self, first: Word, age: Option<String>, others: Vec<Word>) {
        let age = self
            .has_ages
            .then(|| plain(age.unwrap_or_else(|| "<unknown>".to_owned())));
        self.table
            .row([first].into_iter().chain(age).chain(others).collect());
    }

    /// The table, and the codes of what is not in it, most frequent first.
    fn add_to<'a>(self, page: &mut Page, rest: impl Iterator<Item = &'a str>) {
        if self.table.is_empty() {
            return;
        }
        page.blank();
        page.table(self.table);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for code in rest {
            *counts.entry(code).or_default() += 1;
        }
        let total: usize = counts.values().sum();
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(code, count)| (Reverse(*count), *code));
        let codes: Vec<String> = counts
            .iter()
            .map(|(code, count)| format!("{code} ({count})"))
            .collect();
        if total > 0 {
            page.line(
                vec![plain(format!(
                    "{total} more: {} (--all lists them)",
                    codes.join(", ")
                ))],
                2,
            );
        }
    }
}

fn add_rest(page: &mut Page, inventory: &Inventory) {
    let is_quiet = inventory.pending.is_empty() && inventory.attention.is_empty();
    page.blank();
    for finding in &inventory.findings {
        page.line(
            vec![
                (Tone::Label, "Careful  ".to_owned()),
                plain(format!("{}: {}", finding.code, finding.message)),
            ],
            9,
        );
    }
    if !is_quiet {
        page.line(
            vec![plain(
                "More about one:  kubectl pv explain NAME -n NAMESPACE, kubectl pv explain pv/NAME",
            )],
            2,
        );
    } else if let (Some(_), Some(claims)) = (&inventory.volumes, &inventory.claims) {
        let claims = if claims.by_phase.is_empty() {
            "There are no claims"
        } else {
            "Every claim is bound"
        };
        let text = format!("{claims}, and no volume needs attention.");
        page.line(vec![(Tone::Good, text)], 2);
    }
}

fn add_taxonomy(page: &mut Page, taxonomy: &[LabelKey], screen: &Screen) {
    page.blank();
    if taxonomy.is_empty() {
        page.line(
            vec![plain("No volume has labels, and no claim asks for any.")],
            2,
        );
        return;
    }
    let most = if screen.all { usize::MAX } else { MOST_VALUES };
    let mut table = Table::new(&[
        "LABEL",
        "VALUE",
        "VOLUMES",
        "AVAILABLE",
        "FREE",
        "WANTED BY",
    ]);
    for key in taxonomy {
        let mut label = key.key.as_str();
        let mut row = |cells: Vec<Word>| {
            table.row(
                [plain(std::mem::take(&mut label))]
                    .into_iter()
                    .chain(cells)
                    .collect(),
            );
        };
        key.values
            .iter()
            .take(most)
            .for_each(|value| row(offered(value)));
        key.missing
            .iter()
            .for_each(|value| row(missing(key, value)));
        let more = key.values.len().saturating_sub(most);
        if more > 0 {
            row(vec![plain(format!(
                "{} (--all lists them)",
                plural(more, "more value")
            ))]);
        }
    }
    page.table(table);
}

fn offered(value: &LabelValue) -> Vec<Word> {
    let free = Quantity::parse(&value.free_capacity).map_or(0, |free| free.ceil_units());
    vec![
        plain(if value.value.is_empty() {
            "\"\""
        } else {
            &value.value
        }),
        plain(value.volumes.to_string()),
        plain(value.available.to_string()),
        plain(if free == 0 {
            "<none>".to_owned()
        } else {
            amount(free)
        }),
        plain(if value.wanted_by.is_empty() {
            "<none>".to_owned()
        } else {
            names(&value.wanted_by)
        }),
    ]
}

fn missing(key: &LabelKey, missing: &MissingLabel) -> Vec<Word> {
    let what = if key.values.is_empty() {
        "nobody uses this label"
    } else {
        "nobody offers it"
    };
    let meant = if missing.nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", join_or(&missing.nearest))
    };
    vec![
        plain(missing.value.clone().unwrap_or_else(|| "<any>".to_owned())),
        (Tone::Bad, "0".to_owned()),
        plain("0"),
        plain("<none>"),
        plain(format!("{}: {what}{meant}", names(&missing.wanted_by))),
    ]
}

fn names(all: &[String]) -> String {
    let more = all.len().saturating_sub(MOST_NAMES);
    let few = all[..all.len().min(MOST_NAMES)].join(", ");
    if more > 0 {
        format!("{few} and {more} more")
    } else {
        few
    }
}

pub(super) fn add_unknowns(page: &mut Page, unknowns: &[Unknown]) {
    if !unknowns.is_empty() {
        page.blank();
    }
    for unknown in unknowns {
        let text = match &unknown.remedy {
            Some(remedy) => format!("{}: {} ({remedy})", unknown.what, unknown.why),
            None => format!("{}: {}", unknown.what, unknown.why),
        };
        page.line(
            vec![(Tone::Label, "Not seen  ".to_owned()), plain(text)],
            10,
        );
    }
}
