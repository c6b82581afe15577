//! The borders of the modules, checked by reading the sources as the compiler finds them: which module may use which, which
//! one reads, which one writes. `modules.rs` finds the modules, `test_items.rs` removes their tests, `paths.rs` spells out
//! the paths that they use.

mod layers;
mod modules;
mod paths;
mod sentences;
mod test_items;
mod tokens;

use modules::{Module, all_modules, files_under, modules_under, read, repository};
use std::collections::BTreeSet;
use tokens::mentions;

/// Everything that reads or changes something outside of the process, and everything that depends on the moment.
const OUTSIDE: [&str; 12] = [
    "std::fs",
    "std::io",
    "std::env",
    "std::net",
    "std::os",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant",
    "async",
    "tokio",
    "println!",
];

/// The crates of the program's edges.
const EDGE_CRATES: [&str; 9] = [
    "clap",
    "clap_complete",
    "dialoguer",
    "http",
    "k8s_openapi",
    "kube",
    "owo_colors",
    "rustix",
    "tabled",
];

/// Which modules of the crate a folder may use.
const MAY_USE: [(&str, &[&str]); 7] = [
    ("src/conventions", &["conventions"]),
    ("src/model", &["model", "conventions"]),
    ("src/report", &["report", "model", "conventions"]),
    ("src/engine", &["engine", "report", "model", "conventions"]),
    // The variables of the process, read once at its start, choose the cluster.
    ("src/load", &["load", "model", "conventions", "environment"]),
    ("src/storage", &["storage", "model", "conventions"]),
    (
        "src/render",
        &["render", "report", "actions", "model", "conventions"],
    ),
];

/// What planners may use of the crate: neither `storage` nor `load`, so planning reads nothing and starts no program.
const PLANNERS_MAY_USE: [&str; 5] = ["actions", "engine", "report", "model", "conventions"];

/// Whether the code of a module has this text, or a `use` of it in a group.
fn has(module: &Module, text: &str) -> bool {
    let names: Vec<&str> = text.trim_end_matches("::").split("::").collect();
    let in_group = |path: &Vec<String>| {
        path.len() >= names.len() && path.iter().zip(&names).all(|(one, other)| one == other)
    };
    mentions(&module.code, text) || module.paths.iter().any(in_group)
}

fn assert_none(modules: &[&Module], forbidden: &[&str]) {
    for module in modules {
        for text in forbidden {
            assert!(!has(module, text), "{} uses `{text}`", module.file);
        }
    }
}

/// Every path into the crate must lead into one of these modules.
fn assert_uses_only(modules: &[&Module], allowed: &[&str]) {
    for module in modules {
        for path in module.paths.iter().filter(|path| path[0] == "crate") {
            let first = path.get(1).map_or("itself", String::as_str);
            assert!(
                allowed.contains(&first),
                "{} uses `{}`: it may use {}",
                module.file,
                path.join("::"),
                allowed.join(", ")
            );
        }
    }
}

/// Everything in `actions` that plans: all but `apply`, which carries out.
fn planners() -> Vec<&'static Module> {
    let is_apply = |module: &&Module| module.place.get(2).is_some_and(|name| name == "apply");
    let (apply, planners): (Vec<_>, Vec<_>) =
        modules_under("src/actions").into_iter().partition(is_apply);
    assert!(!apply.is_empty() && !planners.is_empty());
    planners
}

#[test]
fn the_pure_half_knows_nothing_of_the_outside() {
    for folder in ["src/conventions", "src/model", "src/report", "src/engine"] {
        let modules = modules_under(folder);
        assert_none(&modules, &OUTSIDE);
        assert_none(&modules, &EDGE_CRATES);
    }
}

#[test]
fn data_flows_one_way() {
    for (folder, allowed) in MAY_USE {
        assert_uses_only(&modules_under(folder), allowed);
    }
    assert_none(&modules_under("src/load"), &["clap"]);
    assert_none(
        &modules_under("src/storage"),
        &["clap", "kube", "tokio", "k8s_openapi", "async"],
    );
    assert_none(&modules_under("src/render"), &["clap", "kube"]);
}

#[test]
fn plans_know_nothing_of_the_outside() {
    let planners = planners();
    assert_none(&planners, &OUTSIDE);
    assert_none(&planners, &EDGE_CRATES);
}

/// A planner that needs an answer of a backend says so, and the command asks (`commands/backend_answers.rs`).
#[test]
fn planners_use_neither_storage_nor_apply() {
    let planners = planners();
    assert_uses_only(&planners, &PLANNERS_MAY_USE);
    assert_none(&planners, &["crate::actions::apply"]);
}

/// Otherwise a path to a forbidden module could begin with a name that no guard reads.
#[test]
fn nothing_imports_all_of_a_root() {
    for module in all_modules().iter().filter(|module| !module.is_test) {
        for path in &module.paths {
            let is_root = matches!(path.join("::").as_str(), "crate" | "crate::*" | "std::*");
            assert!(!is_root, "{} imports `{}`", module.file, path.join("::"));
        }
    }
}

#[test]
fn each_crate_has_one_owner() {
    let owners = [
        ("dialoguer", "src/prompt.rs"),
        ("owo_colors", "src/render"),
        ("tabled", "src/render"),
        ("serde_saphyr", "src/render/machine.rs"),
        ("kube::", "src/load/client"),
        ("rustix", "src/storage"),
    ];
    for (name, owner) in owners {
        let owners: BTreeSet<&str> = files_of(&modules_under(owner));
        for module in modules_under("src") {
            let is_owner = owners.contains(module.file.as_str());
            assert!(
                is_owner || !has(module, name),
                "{} uses {name}, which belongs to {owner}",
                module.file
            );
        }
    }
}

fn files_of<'a>(modules: &[&'a Module]) -> BTreeSet<&'a str> {
    modules.iter().map(|module| module.file.as_str()).collect()
}

/// Everything else plans, or asks for a plan to be applied.
#[test]
fn only_apply_writes_to_the_cluster() {
    let may_write = ["src/actions/apply.rs", "src/load/client/write.rs"];
    for file in may_write {
        assert!(repository().join(file).is_file(), "{file} does not exist");
    }
    let mut modules = modules_under("src");
    modules.retain(|module| !may_write.contains(&module.file.as_str()));
    assert_none(
        &modules,
        &[
            "send_write",
            "Method::PATCH",
            "Method::POST",
            "Method::PUT",
            "Method::DELETE",
        ],
    );
}

#[test]
fn no_file_is_a_drawer() {
    let drawers = ["utils", "util", "helpers", "common", "types", "misc"];
    for file in files_under("src").into_iter().chain(files_under("tests")) {
        let names = file.trim_end_matches(".rs").split('/');
        let drawer = names.clone().find(|name| drawers.contains(name));
        assert!(drawer.is_none(), "{file}");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for file in files_under("src").into_iter().chain(files_under("tests")) {
        let opens = read(&file).starts_with("//!");
        assert!(opens, "{file} does not open with what it is for");
    }
}

/// A file that no module lists is not compiled, and its tests never run.
#[test]
fn every_file_is_listed() {
    let listed = all_modules().iter().map(|module| module.file.as_str());
    let listed: BTreeSet<&str> = listed.collect();
    for folder in ["src", "tests", "benches"] {
        for file in files_under(folder) {
            assert!(listed.contains(file.as_str()), "no module lists {file}");
        }
    }
}

#[test]
fn the_lock_file_stays_small() {
    let crates = read("Cargo.lock").matches("[[package]]").count();
    assert!(
        crates <= 240,
        "{crates} crates: each new one needs a reason"
    );
}
