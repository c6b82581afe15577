//! The layers of the engine: which module belongs to which, and what a layer may use. Decisions and plans are made without
//! reports: of `report` they use the enums of codes with their evidence, nothing else.

use super::modules::{Module, files_under, modules_under, read};
use std::collections::{BTreeMap, BTreeSet};

/// A layer of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    /// What Kubernetes does, as typed decisions with evidence.
    Decide,
    /// A decision becomes a report.
    Explain,
    /// Suggestions, tried on decisions and explanations.
    Advise,
    /// What the writing commands may do, and why not.
    Write,
}

use Layer::{Advise, Decide, Explain, Write};

impl Layer {
    fn may_use(self, other: Self) -> bool {
        match self {
            Decide | Explain => other <= self,
            // A command is advised only if the writing command would do it.
            Advise => true,
            Write => matches!(other, Decide | Write),
        }
    }
}

/// The layer of each module under `crate::engine`; the longest path that fits counts.
const LAYERS: &[(&str, Layer)] = &[
    ("admission", Decide),
    ("api_rules", Decide),
    ("attachments", Decide),
    ("binding", Decide),
    ("checks", Decide),
    ("choice", Decide),
    ("claim_changes", Decide),
    ("claims", Decide),
    ("classes", Decide),
    ("cleanup", Explain),
    ("cleanup::asset_holder", Decide),
    ("cleanup::found_asset", Decide),
    ("consumers", Decide),
    ("contention", Decide),
    ("conversion", Explain),
    ("describe_class", Explain),
    ("ending", Write),
    ("evidence", Decide),
    ("explain", Explain),
    ("explain_pod", Explain),
    ("explain_volume", Advise),
    ("explain_volume::case", Explain),
    ("explain_volume::causes", Explain),
    ("explain_volume::claim_ref", Explain),
    ("explain_volume::says", Explain),
    ("explainer", Advise),
    ("forecast", Explain),
    ("forecast::actors", Decide),
    ("forecast::assignments", Decide),
    ("forecast::chain", Decide),
    ("forecast::explore", Decide),
    ("forecast::groups", Decide),
    ("forecast::index", Decide),
    ("forecast::kinds", Decide),
    ("forecast::labels", Decide),
    ("forecast::layout", Decide),
    ("forecast::limits", Decide),
    ("forecast::reach", Decide),
    ("forecast::rivals", Decide),
    ("forecast::seen", Decide),
    ("forecast::sizes", Decide),
    ("forecast::solve", Decide),
    ("forecast::standing", Decide),
    ("forecast::steps", Decide),
    ("forecast::sweep", Decide),
    ("forecast::table", Decide),
    ("forecast::takes", Decide),
    ("forecast::tally", Decide),
    ("forecast::teller", Decide),
    ("foreign_messages", Decide),
    ("inventory", Explain),
    ("holders", Decide),
    ("lifecycle", Decide),
    ("making", Write),
    ("named", Decide),
    ("offered_labels", Decide),
    ("offers", Decide),
    ("options", Decide),
    ("own_marks", Decide),
    ("parameters", Explain),
    ("phases", Decide),
    ("provisioning", Decide),
    ("reach", Decide),
    ("reclaim_commands", Decide),
    ("reclaimers", Decide),
    ("refusal", Write),
    ("rules", Decide),
    ("scheduling", Decide),
    ("selection", Decide),
    ("story", Explain),
    ("suggestions", Advise),
    ("sync", Decide),
    ("takers", Decide),
    ("taxonomy", Explain),
    ("unknowns", Decide),
    ("validation", Explain),
    ("volume_set", Write),
    ("volume_set::problems", Decide),
    ("volume_set::faults", Decide),
    ("volume_set::serving", Explain),
    ("volume_users", Decide),
];

/// Structs of `report` that are evidence, and no part of one report only.
const EVIDENCE: &[&str] = &[
    "AttachmentSummary",
    "Cause",
    "CleanupObject",
    "FinalizerHold",
    "Says",
    "Taker",
    "Unknown",
];

/// What is left to do: the plans of `cleanup` and of sets are made from findings of their reports.
const LEFT: &[(&str, &[&str])] = &[
    (
        "src/actions/cleanup",
        &["CleanupFinding", "CleanupReport", "KeptObject"],
    ),
    ("src/actions/plan.rs", &["RefusedCategory"]),
    ("src/actions/outcome.rs", &["RefusedCategory"]),
    ("src/actions/volume_set", &["SetFinding"]),
];

fn is_left(file: &str, name: &str) -> bool {
    let mut left = LEFT.iter();
    left.any(|(place, names)| file.starts_with(place) && names.contains(&name))
}

/// The parts of reports: every struct of `report` that is serialised. The enums there are codes, and what is not serialised is
/// evidence.
fn report_structs() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files_under("src/report") {
        let text = read(&file);
        let mut is_serialised = false;
        for line in text.lines() {
            if line.starts_with("#[derive(") {
                is_serialised = line.contains("Serialize");
            } else if let Some(rest) = line.strip_prefix("pub struct ") {
                let name = rest.split(|c: char| !c.is_alphanumeric()).next();
                found.extend(name.filter(|_| is_serialised).map(str::to_owned));
            }
            if !line.starts_with('#') && !line.starts_with("//") && !line.trim().is_empty() {
                is_serialised = false;
            }
        }
    }
    assert!(found.contains("Explanation") && !found.contains("NearNode"));
    found
}

fn layer_of(path: &[String]) -> Option<Layer> {
    let names = path.strip_prefix(&["crate".to_owned(), "engine".to_owned()][..])?;
    let fits = |module: &&(&str, Layer)| {
        let parts = module.0.split("::");
        let length = parts.clone().count();
        names.len() >= length && parts.zip(names).all(|(part, name)| part == name)
    };
    let found = LAYERS.iter().filter(fits);
    let longest = found.max_by_key(|(path, _)| path.split("::").count());
    longest.map(|(_, layer)| *layer)
}

/// What `crate::engine` exports, and where it is.
fn exports() -> BTreeMap<String, Vec<String>> {
    let engine = modules_under("src/engine/mod.rs");
    let paths = engine.iter().flat_map(|module| &module.paths);
    let inner = paths.filter(|path| path.len() > 3 && path[1] == "engine");
    inner
        .map(|path| (path.last().cloned().unwrap_or_default(), path.clone()))
        .collect()
}

/// A module, its layer, and what it must not use.
fn violations(modules: &[(&Module, Layer)]) -> Vec<String> {
    let (exports, reports) = (exports(), report_structs());
    let mut found = Vec::new();
    for (module, layer) in modules {
        for path in &module.paths {
            let place = match &path[..] {
                [root, engine, name] if root == "crate" && engine == "engine" => {
                    exports.get(name).unwrap_or(path)
                }
                _ => path,
            };
            if layer_of(place).is_some_and(|used| !layer.may_use(used)) {
                found.push(format!(
                    "{} ({layer:?}) uses {}",
                    module.file,
                    place.join("::")
                ));
            }
            let is_report = path.len() > 2 && path[0] == "crate" && path[1] == "report";
            let decides = matches!(layer, Decide | Write);
            let name = path.get(2).map_or("", String::as_str);
            let is_part = reports.contains(name) && !EVIDENCE.contains(&name);
            if is_report && decides && is_part && !is_left(&module.file, name) {
                found.push(format!(
                    "{} ({layer:?}) uses the report {name}",
                    module.file
                ));
            }
        }
    }
    found
}

/// Every module of the engine, and the planners of the writing commands.
fn layered() -> Vec<(&'static Module, Layer)> {
    let engine = modules_under("src/engine").into_iter();
    let engine = engine.filter(|module| module.place.len() > 2);
    let engine = engine.map(|module| {
        let layer = layer_of(&module.place);
        let layer = layer.unwrap_or_else(|| panic!("{} is in no layer", module.file));
        (module, layer)
    });
    let planners = super::planners().into_iter();
    engine
        .chain(planners.map(|module| (module, Write)))
        .collect()
}

#[test]
fn decisions_and_plans_use_no_report() {
    let found = violations(&layered());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Each entry is a module, so that a renamed one is not forgotten.
#[test]
fn every_layer_names_modules() {
    let modules = modules_under("src/engine");
    for (path, _) in LAYERS {
        let names: Vec<&str> = path.split("::").collect();
        let is_there = modules.iter().any(|module| module.place[2..] == names);
        assert!(is_there, "{path} is no module");
    }
}

#[test]
fn a_planted_violation_is_found() {
    let all = layered();
    let explain = |(module, layer): &&(&Module, Layer)| {
        *layer == Explain && module.file == "src/engine/explain/mod.rs"
    };
    let (module, _) = all
        .iter()
        .find(explain)
        .expect("the module of explanations");
    // The same code as a decision would use reports, and what makes them.
    let found = violations(&[(module, Decide)]);
    let has = |text: &str| found.iter().any(|found| found.contains(text));
    assert!(has("uses the report Explanation"), "{found:?}");
    assert!(has("uses crate::engine::explain::nodes"), "{found:?}");
    let found = violations(&[(module, Write)]);
    assert!(!found.is_empty());
}
