//! File number N: a few documents of the scenarios, some of them changed at some places. The same seed and number give the
//! same file on every machine.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use crate::random::Random;

/// The commands, each with the file by `-f`.
const COMMANDS: &[&[&str]] = &[
    &["explain", "-A", "-o", "json"],
    &["explain", "-A"],
    &["explain", "pv", "-o", "yaml"],
    &["explain", "pv"],
    &["explain", "pods", "-A"],
    &["explain", "pods", "-A", "-o", "json"],
    &["plan", "-A", "-o", "json"],
    &["plan", "-A"],
    &["status", "--labels", "-o", "json"],
    &["status"],
    &["describe-class"],
    &["describe-class", "-o", "json"],
    &["validate", "--offline", "-o", "json"],
    &["validate", "--offline"],
    &["cleanup", "-o", "json"],
    &["cleanup"],
    &["bind", "-A", "--dry-run"],
    &["provision", "-A", "--dry-run", "-o", "json"],
    &["reclaim", "--all-released", "--dry-run"],
    &["set", "status", "-o", "json"],
    &["convert"],
];

/// What stands where something else is expected.
const HOSTILE: &[&str] = &[
    "",
    "~",
    "null",
    "true",
    "-1",
    "0x7fffffffffffffff",
    "9223372036854775808",
    "1e999999999",
    "-1e-999999999",
    "99999999999999999999999999999999999999Ei",
    "0.000000000000000000000000000000001m",
    "1Ki1",
    ".inf",
    ".nan",
    "[]",
    "{}",
    "[[[[[[[[[[]]]]]]]]]]",
    "{a: {a: {a: {a: {}}}}}",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\u{202e}txt",
    "\u{feff}",
    "a\u{0301}\u{0301}\u{0301}",
    "''",
    "!!binary AAAA",
    "!!set {a}",
    "!<tag:x> y",
    "&a *a",
    "*unknown",
    "&x [*x, *x]",
    "<<: *x",
    "? a",
    "|",
    ">-",
    "2026-11-18T00:00:00Z",
    "-2147483648-01-01T00:00:00Z",
    "kubectl-pv.dev/v1alpha1",
    "--all",
    "../../etc/passwd",
    "a=b,c!=d",
    "'[{\"key\": 1}, {\"key\": \"a\", \"allowedValues\": {}}]'",
    "PersistentVolumeSet",
    "List",
];

/// The documents of the scenarios and examples.
fn documents() -> &'static [String] {
    static ALL: OnceLock<Vec<String>> = OnceLock::new();
    ALL.get_or_init(|| {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = vec![
            repository.join("examples"),
            repository.join("tests/clusters"),
        ];
        folders.push(repository.join("tests/seeds"));
        folders.push(repository.join("deploy"));
        let (mut documents, mut files) = (Vec::new(), Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "yaml") {
                    files.push(path);
                }
            }
        }
        files.sort();
        for file in files {
            let text = fs::read_to_string(file).unwrap();
            let parts = text.split("\n---").map(str::to_owned);
            // Long ones are lists and definitions: one of each kind is enough for a small file.
            documents.extend(parts.filter(|part| part.len() < 8_000));
        }
        documents
    })
}

/// The text of a file, and the command that reads it.
pub(super) fn file(seed: u64, number: usize) -> (Vec<u8>, Vec<&'static str>) {
    let number = u64::try_from(number).expect("a small number");
    let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(number));
    let arguments = random.pick(COMMANDS).to_vec();
    let documents = documents();
    let mut parts: Vec<String> = (0..=random.below(8))
        .map(|_| documents[random.below(documents.len())].clone())
        .collect();
    if random.chance(25) {
        parts = parts.iter().map(|part| as_json(part)).collect();
    }
    for _ in 0..=random.below(2) {
        let place = random.below(parts.len());
        parts[place] = mutate(&mut random, &parts[place], documents);
    }
    let mut bytes = parts.join("\n---\n").into_bytes();
    if random.chance(5) {
        damage(&mut random, &mut bytes);
    }
    (bytes, arguments)
}

/// The same as JSON, if it is YAML.
fn as_json(part: &str) -> String {
    let read: Result<serde_json::Value, _> = serde_saphyr::from_str(part);
    read.map_or_else(|_| part.to_owned(), |value| value.to_string())
}

fn mutate(random: &mut Random, part: &str, documents: &[String]) -> String {
    let mut lines: Vec<String> = part.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return random.pick(HOSTILE).to_owned();
    }
    let place = random.below(lines.len());
    let other = random.below(lines.len());
    match random.below(11) {
        0 => {
            lines.remove(place);
        }
        1 => lines.insert(place, lines[other].clone()),
        2 => lines.swap(place, other),
        3 => lines[place] = replace_value(random, &lines[place]),
        4 => lines[place] = format!("{}{}", " ".repeat(random.below(9)), lines[place].trim()),
        5 => {
            let foreign: Vec<&str> = documents[random.below(documents.len())].lines().collect();
            if !foreign.is_empty() {
                foreign[random.below(foreign.len())].clone_into(&mut lines[place]);
            }
        }
        6 => {
            // Much of the same.
            let copies = random.pick(&[10, 100, 1000]);
            let line = lines[place].clone();
            lines.splice(place..place, std::iter::repeat_n(line, copies));
        }
        7 => lines[place] = nest(random, &lines[place]),
        8 => {
            let long = random.pick(&["a", " ", "-", "\u{e4}", "a.", "9"]);
            lines[place].push_str(&long.repeat(random.pick(&[64, 300, 5_000, 70_000])));
        }
        9 => return replace_json_value(random, part),
        _ => lines[place] = replace_character(random, &lines[place]),
    }
    lines.join("\n")
}

/// Another value behind the key.
fn replace_value(random: &mut Random, line: &str) -> String {
    let key = line.split_once(": ").map_or(line, |(key, _)| key);
    format!("{key}: {}", random.pick(HOSTILE))
}

/// Deep inside lists, maps or both.
fn nest(random: &mut Random, line: &str) -> String {
    let depth = random.pick(&[3, 40, 400, 20_000]);
    let key = line.split_once(": ").map_or("x", |(key, _)| key);
    let (open, close) = random.pick(&[("[", "]"), ("{a: ", "}"), ("[{a: ", "}]"), ("- ", "")]);
    format!("{key}: {}{}", open.repeat(depth), close.repeat(depth))
}

fn replace_character(random: &mut Random, line: &str) -> String {
    let mut characters: Vec<char> = line.chars().collect();
    if !characters.is_empty() {
        let place = random.below(characters.len());
        let odd = [
            ':', '-', '{', '}', '[', ']', '"', '\'', '#', '&', '*', '!', '|', '>', '%', '@', '`',
            '\t', '\0', '\u{85}', '\u{2028}', '\u{200b}', '0', ',', '?', '~',
        ];
        characters[place] = random.pick(&odd);
    }
    characters.into_iter().collect()
}

/// Another value at some place of the tree, so that the file stays well formed.
fn replace_json_value(random: &mut Random, part: &str) -> String {
    let Ok(mut root) = serde_saphyr::from_str::<serde_json::Value>(part) else {
        return part.to_owned();
    };
    let mut at = &mut root;
    for _ in 0..random.below(8) {
        let below = match at {
            serde_json::Value::Object(map) if !map.is_empty() => map.len(),
            serde_json::Value::Array(list) if !list.is_empty() => list.len(),
            _ => break,
        };
        let chosen = random.below(below);
        at = match at {
            serde_json::Value::Object(map) => map.values_mut().nth(chosen).expect("as many"),
            serde_json::Value::Array(list) => &mut list[chosen],
            _ => break,
        };
    }
    let hostile = random.pick(HOSTILE);
    let value = serde_saphyr::from_str(hostile).ok();
    *at = value.unwrap_or_else(|| hostile.into());
    root.to_string()
}

/// Bytes that need not be text.
fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let place = random.below(bytes.len());
        match random.below(3) {
            0 => bytes[place] = u8::try_from(random.below(256)).expect("a byte"),
            1 => bytes.truncate(place),
            _ => {
                let from = random.below(bytes.len());
                let copied: Vec<u8> = bytes[from..].iter().copied().take(2_000).collect();
                bytes.splice(place..place, copied);
            }
        }
    }
}
