//! Every command line of the pages is accepted: by the program itself, in a sandbox without a cluster, or, for the scripts in
//! tests/, as far as their flags go.

use super::page::{Page, other_pages, pages, repository};
use super::sandbox::Sandbox;
use super::shell::{Call, calls};
use std::fs;

/// Programs whose arguments are not ours to test.
const OTHERS: [&str; 6] = ["cargo", "echo", "git", "helm", "kubectl", "source"];

/// What a call starts.
enum Started<'a> {
    /// This program, with these arguments.
    Program(&'a [String]),
    /// A script of the repository, with these arguments.
    Script(&'a str, &'a [String]),
    /// Another program.
    Other,
    /// Nothing that is known: a slip, or a program to add to the list.
    Unknown,
}

fn started(call: &Call) -> Started<'_> {
    let words: Vec<&str> = call.words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["kubectl", "pv", ..] => Started::Program(&call.words[2..]),
        ["kubectl-pv", ..] => Started::Program(&call.words[1..]),
        ["cargo", "run", "--", ..] => Started::Program(&call.words[3..]),
        [script, ..] if script.starts_with("tests/") => Started::Script(script, &call.words[1..]),
        // `NAME=value program …`, as in a shell.
        [first, ..] if OTHERS.contains(first) || first.contains('=') => Started::Other,
        _ => Started::Unknown,
    }
}

/// A script names each flag it takes.
fn refused_by_script(script: &str, arguments: &[String]) -> Option<String> {
    let Ok(text) = fs::read_to_string(repository().join(script)) else {
        return Some(format!("{script} does not exist"));
    };
    let ours = arguments.iter().take_while(|word| *word != "--");
    let mut flags = ours.filter(|word| word.starts_with("--"));
    let unknown = flags.find(|flag| !text.contains(flag.as_str()))?;
    Some(format!("{script} does not know {unknown}"))
}

fn refusal(call: &Call, sandbox: &Sandbox) -> Option<String> {
    let why = match started(call) {
        Started::Program(arguments) => sandbox.refuses(arguments)?,
        Started::Script(script, arguments) => refused_by_script(script, arguments)?,
        Started::Other => return None,
        Started::Unknown => "no program of this name is known to the tests".to_owned(),
    };
    Some(format!("{}: {}\n  {why}", call.place, call.words.join(" ")))
}

#[test]
fn every_command_line_is_accepted() {
    let sandbox = Sandbox::new();
    let mut pages = pages();
    pages.extend(other_pages());
    let calls: Vec<Call> = pages.iter().flat_map(calls).collect();
    let own = calls
        .iter()
        .filter(|call| matches!(started(call), Started::Program(_)));
    let own = own.count();
    assert!(own > 60, "only {own} command lines were found");
    let refused: Vec<String> = calls
        .iter()
        .filter_map(|call| refusal(call, &sandbox))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    println!("{own} command lines of {} pages were accepted", pages.len());
}

#[test]
fn every_code_block_says_what_it_is() {
    for page in pages() {
        for block in page.blocks() {
            // A block without a language would be read by no test.
            assert!(
                ["sh", "console", "yaml", "toml"].contains(&block.language.as_str()),
                "{}: a code block of language `{}`",
                block.piece.place,
                block.language
            );
        }
    }
}

#[test]
fn slips_of_every_kind_are_found() {
    let sandbox = Sandbox::new();
    let page = Page {
        path: "page.md".to_owned(),
        text: "Run `kubectl pv status --lables` or `tests/run --no-clutser`.\n\n```sh\nkubectl get pv -o json \\\n  | kubectl pv explain --pendign -f -\nkubctl pv status\ntests/walk\n```\n"
            .to_owned(),
    };
    let found = calls(&page);
    let refused: Vec<&str> = found
        .iter()
        .filter(|call| refusal(call, &sandbox).is_some())
        .map(|call| call.place.as_str())
        .collect();
    assert_eq!(
        refused,
        [
            "page.md:4",
            "page.md:6",
            "page.md:7",
            "page.md:1",
            "page.md:1"
        ]
    );
}
