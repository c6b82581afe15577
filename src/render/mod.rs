//! Answers as text. The only place that knows formats, colours and layout; data in, lines out.

mod claim;
mod class;
mod class_table;
mod class_template;
mod cleanup;
mod forecast;
mod inventory;
mod machine;
mod manifests;
mod nodes;
mod page;
mod plan;
mod pod;
mod sarif;
mod sentence;
mod table;
mod takers;
mod validation;
mod volume;
mod volume_sentence;
mod volume_set;
mod volumes;
mod words;
mod yaml_escape;

pub(crate) use class::write_classes;
pub(crate) use class_template::write_template;
pub(crate) use cleanup::{CleanupAdvice, spell_object, write_cleanup};
pub(crate) use forecast::write_forecast;
pub(crate) use manifests::{ManifestFormat, write_manifest, write_manifests};
pub(crate) use page::{Page, Screen};
pub(crate) use plan::{write_outcome, write_plan, write_trial, write_unfinished};
pub(crate) use validation::{ReportFormat, write_validation};
pub(crate) use volume::write_volumes;
pub(crate) use volume_set::{write_sets, write_steps};

pub(crate) use crate::conventions::foreign::safe;
use crate::report::{Explanation, Inventory, PodExplanation};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::str::FromStr;

/// In lists no claim shows more volumes than this, and no volume more claims, unless all are asked for.
pub(crate) const MOST_LISTED: usize = 20;

/// How to print an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// For people, with everything.
    Wide,
    /// For programs.
    Json,
    /// For programs and people.
    Yaml,
    /// Names only.
    Name,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" | "table" => Ok(Self::Text),
            "wide" => Ok(Self::Wide),
            "json" => Ok(Self::Json),
            "yaml" => Ok(Self::Yaml),
            "name" => Ok(Self::Name),
            other
                if other.starts_with("jsonpath")
                    || other.starts_with("go-template")
                    || other.starts_with("custom-columns") =>
            {
                Err(format!("`{other}` is not supported; use -o json and jq"))
            }
            other => Err(format!(
                "`{other}` is no format (table, wide, json, yaml, name)"
            )),
        }
    }
}

/// What was asked for: one claim by name, or however many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// One claim by name: one object.
    One,
    /// Several by name: a list, each in full.
    Several,
    /// All that a filter leaves: a list, each in short.
    Filter,
}

/// Prints explanations.
pub(crate) fn write_explanations(
    to: &mut dyn Write,
    mut explanations: Vec<Explanation>,
    asked: Asked,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => {
            let is_list = asked != Asked::One || explanations.len() != 1;
            if is_list && !screen.all {
                explanations.iter_mut().for_each(shorten);
            }
            machine::write_answers(to, explanations, "ExplanationList", asked, format)
        }
        Format::Name => explanations.iter().try_for_each(|explanation| {
            writeln!(
                to,
                "persistentvolumeclaim/{}",
                safe(&explanation.claim.name)
            )
        }),
        Format::Text | Format::Wide => {
            let in_full = asked != Asked::Filter || format == Format::Wide;
            for (index, explanation) in explanations.iter().enumerate() {
                let mut page = Page::default();
                if in_full {
                    if index > 0 {
                        page.blank();
                    }
                    claim::in_full(&mut page, explanation, screen, format == Format::Wide);
                } else {
                    claim::in_short(&mut page, explanation);
                }
                page.write(to, screen)?;
            }
            Ok(())
        }
    }
}

/// Prints the storage of a cluster.
pub(crate) fn write_inventory(
    to: &mut dyn Write,
    inventory: &Inventory,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, inventory, format),
        Format::Name => write_names(to, inventory),
        Format::Text | Format::Wide => {
            let screen = Screen {
                all: screen.all || format == Format::Wide,
                ..screen.clone()
            };
            let mut page = Page::default();
            inventory::show(&mut page, inventory, &screen);
            page.write(to, &screen)
        }
    }
}

/// What is listed, each once: claims, then volumes.
fn write_names(to: &mut dyn Write, inventory: &Inventory) -> io::Result<()> {
    for claim in &inventory.pending {
        writeln!(to, "persistentvolumeclaim/{}", safe(&claim.name))?;
    }
    let volumes: BTreeSet<&str> = inventory
        .attention
        .iter()
        .map(|found| found.volume.as_str())
        .collect();
    volumes
        .into_iter()
        .try_for_each(|volume| writeln!(to, "persistentvolume/{}", safe(volume)))
}

fn shorten(explanation: &mut Explanation) {
    explanation.volumes_omitted = explanation.volumes.len().saturating_sub(MOST_LISTED);
    explanation.volumes.truncate(MOST_LISTED);
}

/// Prints explanations of pods.
pub(crate) fn write_pods(
    to: &mut dyn Write,
    mut explanations: Vec<PodExplanation>,
    asked: Asked,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => {
            let is_list = asked != Asked::One || explanations.len() != 1;
            if is_list && !screen.all {
                let claims = explanations.iter_mut().flat_map(|pod| &mut pod.claims);
                claims.for_each(shorten);
            }
            machine::write_answers(to, explanations, "PodExplanationList", asked, format)
        }
        Format::Name => explanations
            .iter()
            .try_for_each(|explanation| writeln!(to, "pod/{}", safe(&explanation.pod.name))),
        Format::Text | Format::Wide => {
            let in_full = asked != Asked::Filter || format == Format::Wide;
            for (index, explanation) in explanations.iter().enumerate() {
                let mut page = Page::default();
                if in_full {
                    if index > 0 {
                        page.blank();
                    }
                    pod::in_full(&mut page, explanation, screen);
                } else {
                    pod::in_short(&mut page, explanation);
                }
                page.write(to, screen)?;
            }
            Ok(())
        }
    }
}
