//! The borders of the modules, checked by reading `src/`: who may use whom, who reads, who lays out.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(below: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(below),
        &mut found,
    );
    assert!(!found.is_empty(), "no sources below {below}");
    found
}

fn collect(path: &Path, found: &mut Vec<(PathBuf, String)>) {
    if path.is_file() {
        if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((path.to_owned(), fs::read_to_string(path).unwrap()));
        }
        return;
    }
    for entry in fs::read_dir(path).unwrap() {
        collect(&entry.unwrap().path(), found);
    }
}

/// The code of a file without its tests and comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn assert_none(below: &str, forbidden: &[&str]) {
    for (path, text) in sources(below) {
        for word in forbidden {
            assert!(
                !code(&text).contains(word),
                "{} uses `{word}`, which {below} may not",
                path.display()
            );
        }
    }
}

#[test]
fn the_pure_half_knows_nothing_of_the_outside() {
    let outside = [
        "std::fs",
        "std::io",
        "std::env",
        "std::net",
        "std::process",
        "SystemTime",
        "Instant",
        "async ",
        "tokio",
        "kube::",
        "k8s_openapi",
        "clap",
        "crate::load",
        "crate::render",
        "crate::commands",
        "crate::session",
        "owo_colors",
        "println!",
    ];
    for below in ["src/conventions", "src/model", "src/report", "src/engine"] {
        assert_none(below, &outside);
    }
}

#[test]
fn data_flows_one_way() {
    assert_none(
        "src/conventions",
        &["crate::model", "crate::report", "crate::engine"],
    );
    assert_none("src/model", &["crate::report", "crate::engine"]);
    assert_none("src/report", &["crate::engine"]);
    assert_none(
        "src/load",
        &[
            "crate::engine",
            "crate::report",
            "crate::render",
            "crate::commands",
            "clap",
        ],
    );
    assert_none(
        "src/storage",
        &[
            "crate::engine",
            "crate::report",
            "crate::load",
            "crate::render",
            "crate::commands",
            "clap",
            "kube::",
            "tokio",
            "k8s_openapi",
            "async ",
        ],
    );
    assert_none(
        "src/render",
        &[
            "crate::engine",
            "crate::load",
            "crate::commands",
            "clap",
            "kube::",
        ],
    );
}

#[test]
fn each_crate_has_one_owner() {
    let owners = [
        ("dialoguer", "src/prompt.rs"),
        ("owo_colors", "src/render/"),
        ("tabled", "src/render/"),
        ("serde_saphyr", "src/render/machine.rs"),
        ("kube::", "src/load/client/"),
        ("rustix", "src/storage/"),
    ];
    for (path, text) in sources("src") {
        let path = path.display().to_string();
        for (name, owner) in owners {
            let is_owner = owner.split(' ').any(|owner| path.contains(owner));
            assert!(
                is_owner || !code(&text).contains(name),
                "{path} uses {name}, which belongs to {owner}"
            );
        }
    }
}

/// Everybody else plans, or asks for a plan to be applied.
#[test]
fn only_apply_writes_to_the_cluster() {
    for (path, text) in sources("src") {
        let path = path.display().to_string();
        let may_write = ["src/actions/apply.rs", "src/load/client/write.rs"];
        if may_write.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        for word in [
            "send_write",
            "Method::PATCH",
            "Method::POST",
            "Method::PUT",
            "Method::DELETE",
        ] {
            assert!(
                !code(&text).contains(word),
                "{path} uses {word}: only apply writes"
            );
        }
    }
}

#[test]
fn plans_know_nothing_of_the_outside() {
    let outside = [
        "std::fs",
        "std::io",
        "async ",
        "tokio",
        "crate::load",
        "crate::render",
        "clap",
    ];
    for (path, text) in sources("src/actions") {
        let is_exempt = path.display().to_string().contains("src/actions/apply");
        if is_exempt || path.ends_with("tests.rs") {
            continue;
        }
        for word in outside {
            assert!(
                !code(&text).contains(word),
                "{} uses `{word}`",
                path.display()
            );
        }
    }
}

#[test]
fn no_file_is_a_drawer() {
    for (path, _) in sources("src") {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            !["utils", "util", "helpers", "common", "types", "misc"].contains(&stem.as_str()),
            "{}",
            path.display()
        );
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for below in ["src", "tests"] {
        for (path, text) in sources(below) {
            assert!(
                text.starts_with("//!"),
                "{} does not open with what it is for",
                path.display()
            );
        }
    }
}

#[test]
fn every_test_file_is_listed() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for folder in [
        tests.clone(),
        tests.join("cluster"),
        tests.join("cluster/agreement"),
        tests.join("cluster/scheduling"),
        tests.join("cluster/plan"),
        tests.join("cluster/validation"),
        tests.join("cluster/validation/rules"),
        tests.join("cluster/faults"),
        tests.join("cluster/binding_done"),
        tests.join("cluster/needs_bind"),
        tests.join("cluster/roles"),
        tests.join("plan_exact"),
        tests.join("plan_exact/draw"),
        tests.join("plan_exact/oracle"),
    ] {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let list = [folder.join("mod.rs"), folder.join("main.rs")];
        let listed: String = list
            .iter()
            .filter_map(|path| fs::read_to_string(path).ok())
            .collect();
        for entry in entries {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|extension| extension == "rs")
                && !["main", "mod"].contains(&stem.as_str())
            {
                assert!(
                    listed.contains(&format!("mod {stem};")),
                    "{} is listed nowhere",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn the_lock_file_stays_small() {
    let lock =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.lock")).unwrap();
    let crates = lock.matches("[[package]]").count();
    assert!(
        crates <= 240,
        "{crates} crates: each new one needs a reason"
    );
}
