//! The catalogue is data that anyone may extend; these tests are what reads it first.

use super::*;
use std::collections::BTreeSet;
use std::path::Path;

fn all() -> Vec<(String, KnownParameter)> {
    let catalogue = catalogue();
    let mut all: Vec<(String, KnownParameter)> = vec![];
    for provisioner in catalogue.provisioners() {
        let name = |parameter: &KnownParameter| (provisioner.name.clone(), parameter.clone());
        all.extend(provisioner.parameters.iter().map(name));
    }
    let csi = catalogue.csi_parameters().iter();
    all.extend(csi.map(|parameter| ("csi".to_owned(), parameter.clone())));
    all
}

#[test]
fn every_file_is_part_of_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/load/catalogue");
    let there: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "yaml"))
        .collect();
    let read = FILES.iter().chain([&CSI_KEYS, &served_here::FILE]);
    let read: Vec<String> = read.map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(read.iter().cloned().collect::<BTreeSet<_>>(), there);
    assert_eq!(read.len(), there.len(), "a file is listed twice");
}

#[test]
fn names_and_keys_are_unique() {
    let catalogue = catalogue();
    let mut names = BTreeSet::new();
    for provisioner in catalogue.provisioners() {
        assert!(names.insert(&provisioner.name), "{}", provisioner.name);
        assert!(provisioner.documentation.starts_with("https://"));
        for parameter in &provisioner.parameters {
            let same = provisioner
                .parameters
                .iter()
                .filter(|other| other.is_named(&parameter.key));
            assert_eq!(same.count(), 1, "{}: {}", provisioner.name, parameter.key);
        }
    }
}

#[test]
fn what_a_file_says_of_names_is_about_its_names() {
    for file in FILES {
        let family: FamilyFile = read(*file);
        let is_one = |name: &String| family.provisioners.contains(name);
        assert!(!family.provisioners.is_empty(), "{}", file.0);
        assert!(family.unknown_keys_of.keys().all(is_one), "{}", file.0);
        for entry in &family.parameters {
            assert!(entry.applies_to.iter().all(is_one), "{}: {entry:?}", file.0);
            let spelt = entry.key.matches('*').count() <= 1 && !entry.key.contains(' ');
            assert!(spelt, "{}: {entry:?}", file.0);
        }
    }
}

#[test]
fn values_fit_their_kind() {
    for file in FILES {
        let family: FamilyFile = read(*file);
        for entry in &family.parameters {
            let context = format!("{}: {}", file.0, entry.key);
            let lists = matches!(entry.kind, KindWord::Choice | KindWord::List);
            let has_values = !entry.values.is_empty();
            let must_have = matches!(entry.kind, KindWord::Choice) || entry.complete;
            assert!(!must_have || has_values, "{context}: no values");
            assert!(
                lists || !has_values && !entry.complete && !entry.exact_case,
                "{context}"
            );
            let bounds = entry.min.or(entry.max).is_some();
            assert!(
                matches!(entry.kind, KindWord::Integer) || !bounds,
                "{context}"
            );
        }
    }
    for (provisioner, parameter) in all() {
        let context = format!("{provisioner}: {}", parameter.key);
        let default = parameter.default.iter();
        let old = parameter.deprecated_values.keys();
        for value in default.chain(old) {
            assert!(parameter.kind.takes(value), "{context}: {value}");
            assert!(!value.is_empty(), "{context}");
        }
        if let ValueKind::Choice(choice) = &parameter.kind {
            let distinct: BTreeSet<String> = choice
                .values
                .iter()
                .map(|value| value.to_lowercase())
                .collect();
            assert_eq!(distinct.len(), choice.values.len(), "{context}");
        }
    }
}

#[test]
fn meanings_are_one_clause() {
    for (provisioner, parameter) in all() {
        let meaning = &parameter.meaning;
        let context = format!("{provisioner}: {}: {meaning}", parameter.key);
        assert!(
            !meaning.is_empty() && meaning.chars().count() < 110,
            "{context}"
        );
        assert!(!meaning.chars().any(char::is_control), "{context}");
        assert!(
            meaning.trim() == meaning && !meaning.ends_with('.'),
            "{context}"
        );
        let first = meaning.split(' ').next().unwrap_or_default();
        let is_name = first
            .chars()
            .skip(1)
            .any(|letter| letter.is_uppercase() || letter == '/');
        assert!(
            is_name || !first.starts_with(char::is_uppercase),
            "{context}"
        );
    }
}

#[test]
fn a_secret_is_the_value_itself_and_not_a_name() {
    let secrets: Vec<(String, KnownParameter)> = all()
        .into_iter()
        .filter(|(_, known)| known.is_secret)
        .collect();
    assert!(!secrets.is_empty());
    for (provisioner, parameter) in secrets {
        let key = parameter.key.to_lowercase();
        let names_one = key.ends_with("name") || key.ends_with("namespace");
        assert!(!names_one, "{provisioner}: {key}");
    }
}

/// What `describe-class` and `validate` say of directories is what `storage` does.
#[test]
fn directories_take_what_is_said_of_them() {
    let said = directories_here("example.com/scratch", "hostpath:/srv".to_owned());
    let done = crate::storage::directory_keys();
    let pairs = |keys: &[KnownParameter]| -> Vec<(String, String)> {
        let pair = |known: &KnownParameter| (known.key.clone(), known.meaning.clone());
        keys.iter().map(pair).collect()
    };
    let known = |keys: &[crate::storage::KnownKey]| -> Vec<(String, String)> {
        let pair = |known: &crate::storage::KnownKey| (known.key.clone(), known.meaning.clone());
        keys.iter().map(pair).collect()
    };
    assert_eq!(pairs(&said.parameters), known(&done.parameters));
    assert_eq!(pairs(&said.options.unwrap()), known(&done.options));
    let values = [
        "0",
        "7",
        "700",
        "0750",
        "2777",
        "0800",
        "rwx",
        "x=y",
        "tier=gold,region=east",
        "tier",
        "65534",
        "4294967294",
        "4294967295",
        "-1",
        "root",
        "a=1,b",
        "a=,",
    ];
    for parameter in &said.parameters {
        let mut taken = 0;
        for value in values.into_iter().chain(parameter.default.as_deref()) {
            let is_taken = crate::storage::takes_parameter(&parameter.key, value);
            taken += usize::from(is_taken);
            let is_allowed = parameter.kind.takes(value);
            // An error is only what would be refused.
            assert!(is_allowed || !is_taken, "{}: {value}", parameter.key);
        }
        assert!(taken > 0 && taken < values.len(), "{}", parameter.key);
    }
}
