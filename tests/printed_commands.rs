//! Every printed command is what the program built, also where names are hostile: a shell splits it into the same words, and no
//! name of an object becomes a flag.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{TemporaryFolder, kubectl_pv};

/// What an object may be called in a file.
const HOSTILE: [&str; 6] = [
    "--all-",
    "-n",
    "$(touch pwned)",
    "it's; rm -rf / #",
    "a\\nb ",
    "--reuse=--all ",
];
/// The fields that hold names.
const FIELDS: [&str; 7] = [
    "name",
    "namespace",
    "claimName",
    "volumeName",
    "storageClassName",
    "nodeName",
    "storageClass",
];
const QUESTIONS: [&[&str]; 6] = [
    &["explain", "-A", "--all"],
    &["explain", "pv", "--all"],
    &["explain", "pods", "-A"],
    &["cleanup"],
    &["validate", "--offline"],
    &["describe-class"],
];
/// The flags that printed commands have.
const FLAGS: [&str; 26] = [
    "-n",
    "-o",
    "-p",
    "-f",
    "--type",
    "--volume",
    "--force",
    "--reuse",
    "--for",
    "--set-policy",
    "--overwrite",
    "--cascade=orphan",
    "--wait=false",
    "--category",
    "--asset",
    "--yes",
    "--dry-run",
    "--all-namespaces",
    "--class",
    "-A",
    "-R",
    "-l",
    "--node",
    "--backend",
    "--include-likely",
    "--save",
];

/// Every scenario of the tests.
fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clusters");
    let files = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
            .collect()
    };
    let mut all = files(&folder);
    all.extend(files(&folder.join("problems")));
    all.sort();
    assert!(all.len() > 30, "{}", all.len());
    all
}

/// The same objects, each name with a hostile beginning.
fn with_hostile_names(text: &str, hostile: &str) -> String {
    let mut changed = String::new();
    let mut rest = text;
    while let Some(colon) = rest.find(": ") {
        let (before, after) = rest.split_at(colon + 2);
        changed.push_str(before);
        let field = before[..colon]
            .rsplit(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap();
        let end = after
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-._".contains(c)))
            .unwrap_or(after.len());
        let name = &after[..end];
        let is_value = after[end..].starts_with(['\n', ',', '}', ' ']);
        if FIELDS.contains(&field) && !name.is_empty() && is_value && !hostile.is_empty() {
            changed.push_str(&format!("\"{hostile}{name}\""));
        } else {
            changed.push_str(name);
        }
        rest = &after[end..];
    }
    changed + rest
}

/// What JSON calls a command, and commands inside of texts.
pub(crate) fn commands_of(text: &str) -> BTreeSet<String> {
    fn collect(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    if key == "commands" {
                        let lines = value.as_array().unwrap().iter().filter_map(Value::as_str);
                        found.extend(lines.map(str::to_owned));
                    }
                    let line = value.as_str().filter(|line| line.starts_with("kubectl "));
                    if ["finishWith", "remedy"].contains(&key.as_str()) {
                        found.extend(line.map(str::to_owned));
                    }
                    collect(value, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    collect(&serde_json::from_str(text).unwrap_or_default(), &mut found);
    found
}

/// All commands of the corpus, with names as they are, and with hostile ones: one kind per scenario, in turn.
pub(crate) fn printed_commands() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (number, path) in corpus().iter().enumerate() {
        let text = fs::read_to_string(path).unwrap();
        for names in ["", HOSTILE[number % HOSTILE.len()]] {
            let state = with_hostile_names(&text, names);
            for question in QUESTIONS {
                let words = [question, &["-o", "json", "-f", "-"]].concat();
                found.extend(commands_of(&kubectl_pv(&words).stdin(&state).ran().stdout));
            }
        }
    }
    assert!(found.len() > 60, "{}", found.len());
    found
}

/// The words of a command by the rules of quoting alone: single quotes, a backslash before a quote, blanks between words.
fn split(command: &str) -> Vec<String> {
    let mut words = vec![];
    let mut word: Option<String> = None;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                word.extend(letters.by_ref().take_while(|c| *c != '\''));
            }
            '\\' => word.get_or_insert_default().extend(letters.next()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn a_shell_takes_every_command_as_it_was_built() {
    let folder = TemporaryFolder::new();
    let recorded = folder.path().join("recorded");
    let kubectl = folder.path().join("kubectl");
    let script = format!(
        "#!/bin/sh\nfor word; do printf '%s\\0' \"$word\"; done >'{}'\ncat >/dev/null\n",
        recorded.display()
    );
    fs::write(&kubectl, script).unwrap();
    fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).unwrap();
    let commands = printed_commands();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    for command in &commands {
        let shell = |flag: &str| {
            let mut shell = Command::new("sh");
            shell
                .args([flag, command])
                .env_clear()
                .env("PATH", &path)
                .current_dir(folder.path());
            shell.stdin(std::process::Stdio::null()).output().unwrap()
        };
        let parsed = Command::new("sh")
            .args(["-n", "-c", command])
            .output()
            .unwrap();
        assert!(parsed.status.success(), "{command}");
        let _ = fs::remove_file(&recorded);
        let ran = shell("-c");
        assert!(
            ran.status.success(),
            "{command}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let words = fs::read_to_string(&recorded).unwrap();
        let words: Vec<&str> = words.split_terminator('\0').collect();
        let built = split(command);
        let start = built.iter().position(|word| word == "kubectl").unwrap();
        assert_eq!(words, built[start + 1..], "{command}");
        let mut is_value = false;
        for word in words {
            let is_flag = word.starts_with('-') && word != "-" && !is_value;
            assert!(!is_flag || FLAGS.contains(&word), "{command}: {word}");
            is_value = is_flag && ["-p", "--type", "-l"].contains(&word);
        }
    }
    assert!(!folder.path().join("pwned").exists());
}

#[test]
fn a_name_that_the_server_refuses_gets_no_command_and_the_text_says_why() {
    let state = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: '--all', uid: u}\nspec:\n  capacity: {storage: 1Gi}\n  accessModes: [ReadWriteOnce]\n  persistentVolumeReclaimPolicy: Retain\n  hostPath: {path: /x}\n  claimRef: {namespace: prod, name: data, uid: gone}\nstatus: {phase: Released}\n---\napiVersion: v1\nkind: PersistentVolumeClaimList\nitems: []\n";
    for question in [
        &["explain", "pv"][..],
        &["explain", "pv/--all"],
        &["cleanup"],
    ] {
        let words = [question, &["-f", "-"]].concat();
        let ran = kubectl_pv(&words).stdin(state).ran();
        assert!(!ran.stdout.contains("kubectl delete"), "{}", ran.stdout);
        let machine = [&words[..], &["-o", "json"]].concat();
        let printed = kubectl_pv(&machine).stdin(state).ran().stdout;
        assert_eq!(commands_of(&printed), BTreeSet::new(), "{printed}");
    }
    let shown = kubectl_pv(&["explain", "pv/--all", "-f", "-"])
        .stdin(state)
        .ran()
        .stdout;
    assert!(
        shown.contains("the API server does not accept the name \"--all\""),
        "{shown}"
    );
}

#[test]
fn the_password_of_a_server_is_not_printed() {
    let folder = TemporaryFolder::new();
    let state = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clusters/volumes.yaml"),
    )
    .unwrap();
    let file = folder.path().join("state.yaml");
    fs::write(&file, state).unwrap();
    for question in [
        &["explain", "pv"][..],
        &["explain", "-A"],
        &["cleanup"],
        &["reclaim", "--all-released", "--dry-run"],
    ] {
        for format in ["table", "json"] {
            let server = [
                "--server",
                "https://admin:hunter2@127.0.0.1:6443",
                "-f",
                file.to_str().unwrap(),
                "-o",
                format,
            ];
            let words = [question, &server].concat();
            let ran = kubectl_pv(&words).ran();
            assert!(
                !ran.stdout.contains("hunter2") && !ran.stderr.contains("hunter2"),
                "{words:?}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
    let words = [
        "explain",
        "pv",
        "--server",
        "https://admin:hunter2@127.0.0.1:6443",
        "-f",
        file.to_str().unwrap(),
    ];
    let shown = kubectl_pv(&words).ran().stdout;
    let flags = kubectl_pv(&[&words[..], &["-o", "json"]].concat())
        .ran()
        .stdout;
    assert!(
        format!("{shown}{flags}").contains("https://127.0.0.1:6443"),
        "{shown}{flags}"
    );
}
