//! The modules of every crate in the repository, found as the compiler finds them: from the roots that the manifests name,
//! along each `mod name;`. A module under `#[cfg(test)]` is test code, and so is everything under it.

use super::paths::{Names, paths_of};
use super::test_items::without_tests;
use super::tokens::{Token, tokens_of};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// One file, as a module.
pub(super) struct Module {
    /// Its file, from the root of the repository.
    pub(super) file: String,
    /// What it is called: `crate`, then the names down to it.
    pub(super) place: Names,
    pub(super) is_test: bool,
    /// Its code, without tests and comments.
    pub(super) code: Vec<Token>,
    /// The paths that its code uses.
    pub(super) paths: BTreeSet<Names>,
}

/// The root of the repository.
pub(super) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every module of every crate.
pub(super) fn all_modules() -> &'static [Module] {
    static ALL: LazyLock<Vec<Module>> = LazyLock::new(|| {
        let mut found = Vec::new();
        for root in roots() {
            read_module(&root, &["crate".to_owned()], false, &mut found);
        }
        found
    });
    &ALL
}

/// The modules of the program that are not tests, under a folder or in a file. What does not exist is a mistake.
pub(super) fn modules_under(place: &str) -> Vec<&'static Module> {
    let path = repository().join(place);
    assert!(path.exists(), "{place} does not exist: change the guard");
    let prefix = if path.is_dir() {
        format!("{}/", place.trim_end_matches('/'))
    } else {
        place.to_owned()
    };
    // `actions.rs` beside the folder `actions` belongs to it.
    let beside = format!("{}.rs", place.trim_end_matches('/'));
    let modules = all_modules().iter();
    let found: Vec<&Module> = modules
        .filter(|module| !module.is_test)
        .filter(|module| module.file.starts_with(&prefix) || module.file == beside)
        .collect();
    assert!(!found.is_empty(), "{place} has no modules");
    found
}

/// Every file that ends in `.rs` under a folder, from the root of the repository.
pub(super) fn files_under(folder: &str) -> Vec<String> {
    let path = repository().join(folder);
    assert!(path.is_dir(), "{folder} does not exist: change the guard");
    let mut found = Vec::new();
    collect(&path, "rs", &mut found);
    found.iter().map(|path| spelled(path)).collect()
}

pub(super) fn read(file: &str) -> String {
    let text = fs::read_to_string(repository().join(file));
    text.unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn spelled(path: &Path) -> String {
    let path = path.strip_prefix(repository()).unwrap_or(path);
    path.display().to_string()
}

fn collect(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_built = name == "target" || name.starts_with('.');
        if path.is_dir() && !is_built {
            collect(&path, ending, found);
        } else if path.is_file() && name.ends_with(&format!(".{ending}")) {
            found.push(path);
        }
    }
}

/// Where the crates of the repository begin.
fn roots() -> Vec<PathBuf> {
    let mut manifests = Vec::new();
    collect(repository(), "toml", &mut manifests);
    manifests.retain(|path| path.file_name().is_some_and(|name| name == "Cargo.toml"));
    let mut roots = BTreeSet::new();
    for manifest in manifests {
        let folder = manifest.parent().unwrap_or(repository());
        let usual = ["src/lib.rs", "src/main.rs", "build.rs"];
        roots.extend(usual.map(|name| folder.join(name)));
        roots.extend(named_in(&manifest).map(|name| folder.join(name)));
        for several in ["src/bin", "benches", "examples"] {
            let entries = fs::read_dir(folder.join(several)).into_iter().flatten();
            roots.extend(entries.map(|entry| entry.unwrap().path()));
        }
    }
    let is_rust = |path: &PathBuf| path.is_file() && path.extension().is_some_and(|it| it == "rs");
    roots.into_iter().filter(is_rust).collect()
}

/// The values of `path = "…"` in a manifest.
fn named_in(manifest: &Path) -> impl Iterator<Item = String> {
    let text = fs::read_to_string(manifest).unwrap();
    let values = text.lines().filter_map(|line| {
        let value = line.trim().strip_prefix("path")?.trim_start();
        let value = value.strip_prefix('=')?.trim().trim_matches('"');
        Some(value.to_owned())
    });
    values.collect::<Vec<_>>().into_iter()
}

fn read_module(file: &Path, place: &[String], is_test: bool, found: &mut Vec<Module>) {
    let shown = spelled(file);
    let tokens = tokens_of(&read(&shown));
    let code = without_tests(&tokens);
    let in_code = declared(&code);
    let own: Names = in_code
        .iter()
        .filter_map(|path| path.first().cloned())
        .collect();
    let is_named_for_folder = place.len() == 1 || shown.ends_with("/mod.rs");
    let folder = if is_named_for_folder {
        file.parent().unwrap_or(file).to_owned()
    } else {
        file.with_extension("")
    };
    let paths = paths_of(&code, place, &own);
    found.push(Module {
        file: shown.clone(),
        place: place.to_vec(),
        is_test,
        code,
        paths,
    });
    for names in declared(&tokens) {
        let is_test = is_test || !in_code.contains(&names);
        let beside = folder.join(names.join("/")).with_extension("rs");
        let within = folder.join(names.join("/")).join("mod.rs");
        let child = [beside, within].into_iter().find(|path| path.is_file());
        let name = names.join("::");
        let child = child.unwrap_or_else(|| panic!("{shown} lists {name}, which has no file"));
        let place: Names = place.iter().cloned().chain(names).collect();
        read_module(&child, &place, is_test, found);
    }
}

/// Each `mod name;`, with the modules within the file that it stands in.
fn declared(tokens: &[Token]) -> Vec<Names> {
    let mut found = Vec::new();
    let mut open: Vec<Option<&str>> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = |back: usize| index.checked_sub(back).map(|at| &tokens[at]);
        let name = before(1).and_then(Token::word);
        let name = name.filter(|_| before(2).is_some_and(|token| token.is("mod")));
        match token {
            Token::Sign('{') => open.push(name),
            Token::Sign('}') => drop(open.pop()),
            Token::Sign(';') => {
                let around = open.iter().copied().flatten();
                let names = name.map(|name| around.chain([name]).map(str::to_owned));
                found.extend(names.map(Iterator::collect));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_is_found_with_what_it_stands_in() {
        let tokens = tokens_of("mod a; pub(crate) mod b { fn x() { y; } mod c; } mod d { } mod e;");
        let found: Vec<String> = declared(&tokens).iter().map(|it| it.join("::")).collect();
        assert_eq!(found, ["a", "b::c", "e"]);
    }

    #[test]
    fn what_is_under_cfg_test_is_test_code_whatever_its_name() {
        let find = |file: &str| all_modules().iter().find(|module| module.file == file);
        for (file, is_test) in [
            ("src/lib.rs", false),
            ("src/testing.rs", true),
            ("src/storage/own_ground.rs", true),
            ("src/storage/tests/exec.rs", true),
            ("src/storage/exec.rs", false),
        ] {
            let module = find(file).unwrap_or_else(|| panic!("{file} was not found"));
            assert_eq!(module.is_test, is_test, "{file}");
        }
    }

    #[test]
    #[should_panic(expected = "does not exist")]
    fn a_folder_that_does_not_exist_is_a_mistake() {
        modules_under("src/no-such-folder");
    }
}
