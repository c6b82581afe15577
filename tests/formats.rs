//! Formats that live outside the program: the list of all of them, each with the test that pins it, and two guards. `{:?}` is never
//! printed, sent or hashed, and every enum with an order is listed in that order by a test.
//!
//! A pin is a literal, spelled by hand. Who changes one changes what is stored in clusters, on disks or in scripts: the
//! objects of earlier releases must still be understood.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::kubectl_pv;

/// The format, the file of its pin and the name of the test.
const PINNED: [(&str, &str, &str); 28] = [
    (
        "names of recycler pods",
        "src/actions/formats.rs",
        "names_of_recycler_pods",
    ),
    (
        "labels, annotations and gate of recycler pods",
        "src/actions/formats.rs",
        "labels_annotations_and_gate_of_a_recycler_pod",
    ),
    (
        "recycler pods of v0.1.0",
        "src/actions/reclaim/tests/formats.rs",
        "recycler_pods_of_v0_1_0_are_continued_or_deleted",
    ),
    (
        "names and reasons of events",
        "src/actions/formats.rs",
        "names_and_reasons_of_events",
    ),
    (
        "bodies of events",
        "src/actions/formats.rs",
        "the_whole_event",
    ),
    (
        "one event per refusal",
        "src/actions/provision/tests/formats.rs",
        "a_refusal_has_one_event_whenever_it_comes",
    ),
    (
        "repeated events",
        "src/actions/apply/repeated_events.rs",
        "another_message_is_counted_up_in_the_same_event",
    ),
    (
        "keys of annotations, labels, finalizers; component of events",
        "src/conventions/annotations.rs",
        "keys_never_change",
    ),
    (
        "field manager; run in the lock of a volume",
        "src/actions/apply.rs",
        "who_writes_and_which_run",
    ),
    (
        "lock of a volume that is emptied; words of its waits",
        "src/actions/reclaim/tests/formats.rs",
        "the_lock_of_a_volume_that_is_emptied",
    ),
    (
        "lock of a volume that is deleted",
        "src/actions/reclaim/tests/formats.rs",
        "the_lock_of_a_volume_that_is_deleted",
    ),
    (
        "lock that names a pod",
        "src/actions/reclaim/tests/formats.rs",
        "the_lock_that_names_a_pod",
    ),
    (
        "locks of v0.1.0",
        "src/actions/reclaim/tests/formats.rs",
        "marks_of_v0_1_0_are_understood",
    ),
    (
        "annotations of claims and volumes; names of volumes and assets; owners",
        "src/actions/provision/tests/formats.rs",
        "what_is_written_for_a_claim",
    ),
    (
        "uids of claims in files",
        "src/actions/on_files.rs",
        "the_uid_of_a_claim_of_a_file_never_changes",
    ),
    (
        "status of a set: notes, counts, conditions",
        "src/actions/volume_set/tests/formats.rs",
        "the_status_around_a_new_member",
    ),
    (
        "status of a set before a deletion",
        "src/actions/volume_set/tests/formats.rs",
        "the_status_before_a_member_is_deleted",
    ),
    (
        "conditions of a set that is not valid",
        "src/actions/volume_set/tests/formats.rs",
        "the_condition_of_a_set_that_cannot_be_reconciled",
    ),
    (
        "words in the status of a set",
        "src/actions/volume_set/tests/formats.rs",
        "words_in_the_status",
    ),
    (
        "members of a set with a backend",
        "src/actions/volume_set/tests/formats.rs",
        "a_member_of_a_backend",
    ),
    (
        "status of a set of v0.1.0",
        "src/load/decode/volume_set.rs",
        "the_status_of_v0_1_0_is_read",
    ),
    ("lease", "src/actions/formats.rs", "the_lease"),
    (
        "holder of the lease",
        "src/commands/set/leadership.rs",
        "the_holder_of_the_lease",
    ),
    (
        "words in the bodies of plans",
        "src/actions/formats.rs",
        "words_in_the_bodies_of_plans",
    ),
    (
        "records in base directories",
        "src/storage/tests/formats.rs",
        "records_in_a_base_directory",
    ),
    (
        "records of v0.1.0",
        "src/storage/tests/formats.rs",
        "records_of_v0_1_0_are_read",
    ),
    (
        "requests of the exec protocol",
        "src/storage/tests/formats.rs",
        "requests_to_a_program",
    ),
    (
        "CustomResourceDefinition",
        "tests/formats.rs",
        "the_definition_of_sets",
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_pin_exists() {
    for (format, file, test) in PINNED {
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        let is_test = text.contains(&format!("#[test]\nfn {test}()"))
            || text.contains(&format!("    #[test]\n    fn {test}()"));
        assert!(is_test, "{format}: {file} has no test {test}");
    }
}

#[test]
fn the_definition_of_sets() {
    let definition = kubectl_pv(&["set", "crd", "-o", "json"]).json();
    let spec = &definition["spec"];
    let names = json!({
        "kind": "PersistentVolumeSet", "listKind": "PersistentVolumeSetList",
        "plural": "persistentvolumesets", "singular": "persistentvolumeset", "shortNames": ["pvs"],
    });
    assert_eq!(spec["names"], names);
    let found = [
        &definition["apiVersion"],
        &definition["metadata"]["name"],
        &spec["group"],
        &spec["scope"],
        &spec["versions"][0]["name"],
    ];
    let expected = [
        "apiextensions.k8s.io/v1",
        "persistentvolumesets.kubectl-pv.dev",
        "kubectl-pv.dev",
        "Cluster",
        "v1alpha1",
    ];
    assert_eq!(found, expected);
    let status = &spec["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
    let fields = |properties: &serde_json::Value| -> Vec<String> {
        let mut names: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let of_status = [
        "boundReplicas",
        "conditions",
        "inProgress",
        "nextOrdinal",
        "observedGeneration",
        "totalReplicas",
        "unboundReplicas",
    ];
    assert_eq!(fields(&status["properties"]), of_status);
    let note = &status["properties"]["inProgress"]["properties"];
    assert_eq!(fields(note), ["action", "by", "ordinal", "until", "volume"]);
}

/// All sources with their text.
fn sources(path: &Path, found: &mut Vec<(PathBuf, String)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            sources(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push((path.to_owned(), fs::read_to_string(path).unwrap()));
    }
}

/// The lines of code that is not a test, with their numbers: without comments, without what `#[cfg(test)]` is written above. An
/// item ends at the first line of its own indentation that closes it, as rustfmt writes it.
fn production(text: &str) -> Vec<(usize, &str)> {
    let mut kept = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test") {
            let ends = |item: &str| {
                let depth = item.len() - item.trim_start().len();
                depth == indent && (item.ends_with('}') || item.ends_with(';'))
            };
            let _end = lines.find(|(_, item)| ends(item));
        } else if !code.starts_with("//") {
            kept.push((number + 1, line));
        }
    }
    kept
}

/// The sources that are no tests: without modules that another file declares under `#[cfg(test)]`, and all below those.
fn production_files() -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    sources(&root().join("src"), &mut all);
    let mut tests = Vec::new();
    for (path, text) in &all {
        let stem = path.file_stem().unwrap().to_string_lossy();
        let folder = match stem.as_ref() {
            "mod" | "lib" | "main" => path.parent().unwrap().to_owned(),
            _ => path.with_extension(""),
        };
        for name in test_modules(text) {
            tests.push(folder.join(format!("{name}.rs")));
            tests.push(folder.join(name));
        }
    }
    assert!(tests.len() > 20, "{tests:?}");
    all.retain(|(path, _)| !tests.iter().any(|test| path.starts_with(test)));
    assert!(all.len() > 300, "{} files", all.len());
    all
}

/// The modules in files of their own that a text declares under `#[cfg(test)]`, whatever other attributes are between.
fn test_modules(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") {
            is_test |= line.starts_with("#[cfg(test)]");
            continue;
        }
        if let (true, Some(line)) = (is_test, line.strip_suffix(';')) {
            names.extend(line.split("mod ").nth(1));
        }
        is_test = false;
    }
    names
}

/// Where a text formats with `Debug`. Panics and assertions may: only programmers read them.
fn debug_formats(text: &str) -> Vec<(usize, &str)> {
    const MAY: [&str; 6] = [
        "panic!(",
        "assert!(",
        "assert_eq!(",
        "assert_ne!(",
        "unreachable!(",
        "expect(",
    ];
    const FORBIDDEN: [&str; 4] = ["?}", "Debug::fmt(", "dbg!(", "fmt::Debug>::fmt"];
    let mut found = production(text);
    found.retain(|(_, line)| {
        FORBIDDEN.iter().any(|word| line.contains(word))
            && !MAY.iter().any(|word| line.contains(word))
    });
    found
}

/// A name that comes from `Debug` changes with every rename, and with the compiler.
#[test]
fn debug_output_never_leaves_the_program() {
    let mut wrong = Vec::new();
    for (path, text) in &production_files() {
        let found = debug_formats(text).into_iter();
        wrong.extend(
            found.map(|(number, line)| format!("{}:{number}: {}", path.display(), line.trim())),
        );
    }
    let wrong = wrong.join("\n");
    assert!(wrong.is_empty(), "give it a name spelled by hand:\n{wrong}");
}

#[test]
fn the_guard_sees_code_before_after_and_beside_tests() {
    let text = r#"
fn before() -> String {
    format!("{x:?}")
}

#[cfg(test)]
mod tests {
    fn inside() {
        print("{x:?}");
    }
}

#[cfg(test)]
mod elsewhere;

#[error("within {after:#?}")]
fn after() {
    // {x:?}
    assert!(x, "{x:?}");
    write!(f, "{:?}", x);
    dbg!(x);
}
"#;
    let found: Vec<usize> = debug_formats(text)
        .iter()
        .map(|(number, _)| *number)
        .collect();
    assert_eq!(found, [3, 16, 20, 21]);
    let declared =
        "#[cfg(test)]\n#[cfg(unix)]\nmod one;\n#[cfg(test)]\npub(crate) mod two;\nmod three;\n";
    assert_eq!(test_modules(declared), ["one", "two"]);
}

/// The enums that derive an order.
fn ordered_enums(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for part in text.split("#[derive(").skip(1) {
        let (derived, rest) = part.split_once(")]").unwrap_or_default();
        let item = rest
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with("#[") && !line.starts_with("//"));
        let name = item
            .and_then(|item| item.split_once("enum "))
            .map(|(_, rest)| rest);
        let name = name.and_then(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
        let traits: Vec<&str> = derived.split(',').map(str::trim).collect();
        if traits.contains(&"PartialOrd") || traits.contains(&"Ord") {
            names.extend(name);
        }
    }
    names
}

#[test]
fn every_order_of_variants_is_listed_by_hand() {
    let mut all = Vec::new();
    sources(&root().join("src"), &mut all);
    let mut listed = Vec::new();
    for (_, text) in &all {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code: String = code.collect();
        for list in code.split("assert_order!(").skip(1) {
            listed.extend(list.split_once(':').map(|(name, _)| name.trim().to_owned()));
        }
    }
    let files = production_files();
    let ordered: Vec<&str> = files
        .iter()
        .flat_map(|(_, text)| ordered_enums(text))
        .collect();
    assert!(ordered.len() >= 17, "{ordered:?}");
    for name in ordered {
        let is_listed = listed.iter().any(|found| found == name);
        assert!(
            is_listed,
            "no test lists the variants of {name} in their order"
        );
    }
}

#[test]
fn the_guard_finds_enums_with_an_order() {
    let text = "#[derive(Debug, PartialEq, PartialOrd)]\n#[serde(x)]\n/// One.\npub enum One {}\n\
        #[derive(Debug, Ord)]\nstruct Two;\n#[derive(Debug)]\nenum Three {}\n#[derive(Ord)]\nenum Four { A }\n";
    assert_eq!(ordered_enums(text), ["One", "Four"]);
}
