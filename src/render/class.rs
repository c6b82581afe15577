//! Classes for people: one in the form of the design document, with more fields after it. Several are a table, which is in
//! `class_table.rs`.

use super::inventory::by_phase;
use super::page::{Page, Screen, Tone, Word, plain};
use super::{Asked, Format, class_table, machine, safe};
use crate::conventions::class_name::NO_PROVISIONER;
use crate::conventions::command_line::Sentence;
use crate::conventions::foreign::{is_plain, quoted};
use crate::conventions::secrets::HIDDEN;
use crate::model::BindingMode;
use crate::report::{
    ClassDescription, ClassFacts, ClassTopologies, ClassUsage, Finding, FindingCode,
    FindingSeverity, OptionDescription, ParameterDescription, Presence, PublishedCapacity, Unknown,
    UnknownReason, join_and, plural, served,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// So many names stand in a line before the rest is counted.
const MOST_NAMES: usize = 8;
/// Where values stand behind the fields that the design document does not have.
const COLUMN: usize = 19;

/// Prints classes.
pub(crate) fn write_classes(
    to: &mut dyn Write,
    classes: Vec<ClassDescription>,
    asked: Asked,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => {
            machine::write_answers(to, classes, "ClassDescriptionList", asked, format)
        }
        Format::Name => classes.iter().try_for_each(|it| {
            writeln!(to, "storageclass.storage.k8s.io/{}", safe(&it.class.name))
        }),
        Format::Text | Format::Wide => {
            let wide = format == Format::Wide || screen.all;
            let mut page = Page::default();
            if asked == Asked::Filter {
                class_table::add(&mut page, &classes, wide, screen);
            } else {
                for (index, class) in classes.iter().enumerate() {
                    if index > 0 {
                        page.blank();
                    }
                    add_class(&mut page, class, wide);
                }
            }
            page.write(to, screen)
        }
    }
}

/// One class: first the lines of the design document, as it lays them out.
fn add_class(page: &mut Page, description: &ClassDescription, wide: bool) {
    let class = &description.class;
    let is_default = match class.default {
        Some(true) => "Yes",
        Some(false) => "No",
        None => "Unknown",
    };
    for (label, value) in [
        ("Name:", class.name.as_str()),
        ("IsDefaultClass:", is_default),
        ("Provisioner:", class.provisioner.as_str()),
    ] {
        page.line(
            vec![(Tone::Label, format!("{label:<16}")), plain(value)],
            16,
        );
    }
    add_options(page, description);
    add_parameters(page, &description.parameters);
    page.blank();
    add_facts(page, description, wide);
    add_findings(page, &description.findings);
    add_unknowns(page, &description.unknowns);
}

fn add_options(page: &mut Page, description: &ClassDescription) {
    let label = |text: &str| (Tone::Label, text.to_owned());
    match description.options.as_deref() {
        None => {
            let why = description.options_malformed.as_deref().unwrap_or_default();
            page.line(
                vec![
                    label("AllowedProvisioningOptions: "),
                    (Tone::Bad, "cannot be understood".to_owned()),
                    plain(format!(", nothing is concluded from them: {why}")),
                ],
                4,
            );
        }
        Some([]) => page.line(
            vec![label("AllowedProvisioningOptions: "), plain("<none>")],
            4,
        ),
        Some(options) => {
            page.line(vec![label("AllowedProvisioningOptions:")], 4);
            for option in options {
                add_option(page, option);
                page.blank();
            }
        }
    }
}

fn add_option(page: &mut Page, option: &OptionDescription) {
    page.line(vec![plain(format!("    {}", option.key))], 6);
    if let Some(description) = &option.description {
        for (index, line) in lines(description).enumerate() {
            let mark = if index == 0 { "      - " } else { "        " };
            page.line(vec![plain(format!("{mark}{line}"))], 8);
        }
    }
    let default = option.default_value.as_deref();
    if option.required {
        page.line(vec![plain("      - required")], 8);
    }
    if !option.allowed_values.is_empty() {
        page.line(vec![plain("      - values:")], 8);
        for value in &option.allowed_values {
            let mark = if default == Some(value) {
                " (default)"
            } else {
                ""
            };
            page.line(vec![plain(format!("        - {}{mark}", shown(value)))], 10);
        }
    }
    // A default that stands in no list is told by itself.
    if let Some(default) = default
        && !option.allowed_values.iter().any(|value| value == default)
    {
        page.line(
            vec![plain(format!("      - default: {}", shown(default)))],
            8,
        );
    }
}

/// A value as it is, or something to see where there is nothing.
fn shown(value: &str) -> &str {
    if value.is_empty() { "\"\"" } else { value }
}

/// The lines of a text; what ends it is no line of its own.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_end_matches(['\n', '\r']);
    text.split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// `k=v,k=v`, and what the keys mean, as far as that is known.
fn add_parameters(page: &mut Page, parameters: &[ParameterDescription]) {
    let all: Vec<String> = parameters
        .iter()
        .map(|parameter| {
            let value = match parameter.value.as_deref() {
                None => HIDDEN.into(),
                Some("") => "".into(),
                // A list between commas is as plain as its parts.
                Some(list) if list.split(',').all(|part| is_plain(part.trim())) => list.into(),
                Some(value) => quoted(value),
            };
            format!("{}={value}", quoted(&parameter.key))
        })
        .collect();
    let text = if all.is_empty() {
        "<none>".to_owned()
    } else {
        all.join(",")
    };
    page.line(
        vec![(Tone::Label, "Parameters: ".to_owned()), plain(text)],
        12,
    );
    for parameter in parameters {
        let meaning = match (parameter.known, &parameter.meaning) {
            (_, Some(meaning)) => plain(meaning),
            (Some(false), None) => (
                Tone::Wait,
                "not among the parameters its provisioner is known to take".to_owned(),
            ),
            _ => continue,
        };
        page.line(vec![plain(format!("    {}: ", parameter.key)), meaning], 6);
    }
}

pub(super) fn field(page: &mut Page, label: &str, words: Vec<Word>) {
    let label = format!("{label:<COLUMN$}");
    let words = [vec![(Tone::Label, label)], words].concat();
    page.line(words, COLUMN);
}

fn add_facts(page: &mut Page, description: &ClassDescription, wide: bool) {
    let class = &description.class;
    // Where several are marked, that is a problem, which says the same.
    let is_told = |finding: &Finding| finding.code == FindingCode::SeveralDefaultClasses;
    if let Some(why) = &class.default_why
        && !description.findings.iter().any(is_told)
    {
        field(page, "Default:", vec![plain(why)]);
    }
    add_driver(page, description);
    field(page, "BindingMode:", vec![plain(binding(class))]);
    add_topologies(page, &description.topologies, wide);
    field(page, "ReclaimPolicy:", vec![plain(reclaim(class))]);
    field(page, "Expansion:", vec![plain(expansion(class))]);
    if !class.mount_options.is_empty() {
        let options = class.mount_options.join(", ");
        field(page, "MountOptions:", vec![plain(options)]);
    }
    let attributes = match description.attributes_classes.as_deref() {
        None => Some(unknown()),
        Some([]) => None,
        Some(names) => Some(plain(format!(
            "{} (a claim may change to one of them: volumeAttributesClassName)",
            names.join(", ")
        ))),
    };
    if let Some(word) = attributes {
        field(page, "AttributesClasses:", vec![word]);
    }
    add_capacity(page, description);
    add_usage(page, &description.usage);
}

pub(super) fn unknown() -> Word {
    (Tone::Wait, "unknown".to_owned())
}

fn add_driver(page: &mut Page, description: &ClassDescription) {
    let driver = &description.driver;
    let (tone, presence) = match driver.presence {
        Presence::Registered => (Tone::Good, "registered"),
        Presence::Seen => (Tone::Good, "seen"),
        Presence::NotSeen => (Tone::Wait, "not seen"),
        Presence::Internal => (Tone::Plain, "internal"),
        Presence::None => (Tone::Plain, "none"),
        Presence::Unknown => (Tone::Wait, "unknown whether it is there"),
    };
    let mut words = Vec::new();
    if driver.presence != Presence::None {
        let from = driver.migrated_from.as_deref();
        let took_over = from.map(|from| format!(", which took over {from}"));
        let took_over = took_over.unwrap_or_default();
        words.push(plain(format!("{}{took_over}: ", driver.name)));
    }
    let here = driver.served_here.as_deref().map(served);
    if let Some(here) = &here {
        words.push((Tone::Good, here.clone()));
    }
    // Whatever serves it here registers nowhere, so that it was not seen says nothing.
    let is_news = !matches!(driver.presence, Presence::NotSeen | Presence::Unknown);
    if here.is_none() || is_news {
        let comma = if here.is_some() { ", " } else { "" };
        words.push(plain(comma.to_owned()));
        words.push((tone, presence.to_owned()));
    }
    let others = driver
        .evidence
        .iter()
        .filter(|it| Some(*it) != here.as_ref());
    let evidence = join_and(&others.cloned().collect::<Vec<_>>());
    if !evidence.is_empty() {
        words.push(plain(format!(" ({evidence})")));
    }
    if let Some(note) = &driver.note {
        words.push(plain(format!("; {note}")));
    }
    field(page, "Driver:", words);
}

fn binding(class: &ClassFacts) -> String {
    let by_hand = class.provisioner == NO_PROVISIONER;
    match (class.binding_mode, by_hand) {
        (BindingMode::Immediate, true) => {
            "Immediate: a claim gets a volume at once, before any pod is scheduled"
        }
        (BindingMode::Immediate, false) => {
            "Immediate: a claim gets a volume at once, found or made, before any pod is scheduled"
        }
        (BindingMode::WaitForFirstConsumer, true) => {
            "WaitForFirstConsumer: a claim waits for the first pod that uses it, and gets a volume where that can run"
        }
        (BindingMode::WaitForFirstConsumer, false) => {
            "WaitForFirstConsumer: a claim waits for the first pod that uses it, and gets a volume, found or made, where that can run"
        }
    }
    .to_owned()
}

fn reclaim(class: &ClassFacts) -> String {
    let policy = class.reclaim_policy.as_str();
    let means = match policy {
        _ if class.provisioner == NO_PROVISIONER => {
            "means nothing here, as volumes that are made by hand have a policy of their own"
        }
        "Delete" => "when a claim is deleted, its volume and the data on it are deleted",
        "Retain" => {
            "when a claim is deleted, its volume and the data on it stay, and nobody gets them until somebody acts"
        }
        "Recycle" => "when a claim is deleted, its volume is scrubbed and offered again",
        _ => return policy.to_owned(),
    };
    format!("{policy}: {means}")
}

fn expansion(class: &ClassFacts) -> &'static str {
    if class.allow_expansion {
        "yes: a bound claim may ask for more"
    } else {
        "no: a claim keeps the size it first asked for"
    }
}

fn add_topologies(page: &mut Page, topologies: &ClassTopologies, wide: bool) {
    if topologies.terms.is_empty() {
        return field(page, "Topologies:", vec![plain("any node")]);
    }
    let term = |term: &BTreeMap<String, Vec<String>>| {
        let all: Vec<String> = term
            .iter()
            .map(|(key, values)| match &values[..] {
                [value] => format!("{key}={value}"),
                values => format!("{key} in ({})", values.join(", ")),
            })
            .collect();
        if all.is_empty() {
            "no node (an empty term)".to_owned()
        } else {
            all.join(" and ")
        }
    };
    let terms: Vec<String> = topologies.terms.iter().map(term).collect();
    let nodes = match topologies.nodes.as_deref() {
        None => unknown(),
        Some([]) => (Tone::Bad, "none".to_owned()),
        Some(nodes) => plain(names(nodes, wide)),
    };
    field(
        page,
        "Topologies:",
        vec![plain(format!("{}; nodes: ", terms.join(", or "))), nodes],
    );
}

/// As many names as fit a line, and how many more there are.
fn names(all: &[String], wide: bool) -> String {
    let most = if wide { usize::MAX } else { MOST_NAMES };
    let more = all.len().saturating_sub(most);
    let listed: Vec<&str> = all.iter().take(most).map(String::as_str).collect();
    if more == 0 {
        listed.join(", ")
    } else {
        format!("{} and {more} more (-o wide)", listed.join(", "))
    }
}

fn add_capacity(page: &mut Page, description: &ClassDescription) {
    let Some(published) = &description.capacity else {
        return field(page, "Capacity:", vec![unknown()]);
    };
    let is_asked = description.driver.checks_capacity
        && description.class.binding_mode == BindingMode::WaitForFirstConsumer;
    if published.is_empty() && is_asked {
        let text = "none published, and the scheduler asks for it: no pod finds a node";
        field(page, "Capacity:", vec![(Tone::Bad, text.to_owned())]);
    }
    for (index, capacity) in published.iter().enumerate() {
        let label = if index == 0 { "Capacity:" } else { "" };
        field(page, label, vec![plain(room(capacity))]);
    }
}

fn room(published: &PublishedCapacity) -> String {
    let free = published.capacity.as_deref();
    let free = free.map_or("room not published".to_owned(), |free| {
        format!("{free} free")
    });
    let most = published.maximum_volume_size.as_deref();
    let most = most.map(|most| format!(", {most} at most for one volume"));
    let wherein = match published.topology.as_deref() {
        None => " for no node".to_owned(),
        Some("") => " for all nodes".to_owned(),
        Some(topology) => format!(" where {topology}"),
    };
    let nodes = published
        .nodes
        .map(|nodes| format!(" ({})", plural(nodes, "node")));
    format!(
        "{free}{}{wherein}{}",
        most.unwrap_or_default(),
        nodes.unwrap_or_default()
    )
}

fn add_usage(page: &mut Page, usage: &ClassUsage) {
    let counted = |counts: Option<&BTreeMap<&'static str, usize>>| match counts {
        None => unknown(),
        Some(counts) if counts.is_empty() => plain("<none>"),
        Some(counts) => plain(by_phase(counts)),
    };
    field(page, "Volumes:", vec![counted(usage.volumes.as_ref())]);
    let mut claims = vec![counted(usage.claims.as_ref())];
    if let Some(namespace) = &usage.claims_of_namespace {
        claims.push(plain(format!(" in namespace {namespace}; others unknown")));
    }
    field(page, "Claims:", claims);
}

fn add_findings(page: &mut Page, findings: &[Finding]) {
    for (index, finding) in findings.iter().enumerate() {
        let label = if index == 0 { "Problems:" } else { "" };
        let tone = match finding.severity {
            FindingSeverity::Error => Tone::Bad,
            FindingSeverity::Warning => Tone::Wait,
            FindingSeverity::Note => Tone::Plain,
        };
        let code = (tone, finding.code.name().to_owned());
        field(
            page,
            label,
            vec![code, plain(format!(": {}", finding.message))],
        );
        if let Some(hint) = &finding.hint {
            add_hint(page, hint);
        }
    }
}

/// What to do. A command at its end stands by itself, so that it can be copied.
fn add_hint(page: &mut Page, hint: &Sentence) {
    match hint.split_command() {
        None => field(page, "", vec![plain(format!("hint: {hint}"))]),
        Some((text, command)) => {
            field(page, "", vec![plain(format!("hint: {}", text.trim_end()))]);
            page.command(COLUMN + 2, &command.to_string());
        }
    }
}

/// What was not seen, kinds that were not seen for one reason in one line.
pub(super) fn add_unknowns(page: &mut Page, unknowns: &[Unknown]) {
    let mut by_why: BTreeMap<String, Vec<&Unknown>> = BTreeMap::new();
    for unknown in unknowns {
        let alike = by_why.entry(unknown.why.to_string()).or_default();
        alike.push(unknown);
    }
    let mut label = "NotSeen:";
    for (why, unknowns) in by_why {
        let what: BTreeSet<String> = unknowns.iter().map(|it| it.what.to_string()).collect();
        let what: Vec<String> = what.into_iter().collect();
        let remedy = match (&unknowns[0].remedy, &what[..]) {
            (Some(remedy), [_]) => format!(" ({remedy})"),
            (Some(_), _) if unknowns[0].why == UnknownReason::Forbidden => {
                " (ask for permission to list them)".to_owned()
            }
            _ => String::new(),
        };
        let text = format!("{}: {why}{remedy}", what.join(", "));
        field(page, label, vec![plain(text)]);
        label = "";
    }
}
