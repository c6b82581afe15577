//! Flags and commands that the prose names exist: a flag in some `--help`, a command with its flags as a command line.

use super::page::pages;
use super::sandbox::Sandbox;
use super::shell::split;
use std::collections::BTreeSet;

/// Every command of the program, nested ones too, with its help.
fn commands() -> Vec<(Vec<String>, String)> {
    let sandbox = Sandbox::new();
    let mut known = Vec::new();
    let mut unread: Vec<Vec<String>> = vec![vec![]];
    while let Some(command) = unread.pop() {
        let mut arguments = command.clone();
        arguments.push("--help".to_owned());
        let help = sandbox.run(&arguments).stdout;
        let listed = help.split_once("\nCommands:\n").map_or("", |it| it.1);
        let listed = listed.lines().take_while(|line| !line.is_empty());
        // Continued lines are indented further.
        for line in listed.filter_map(|line| line.strip_prefix("  ")) {
            let name = line.split(' ').next().unwrap_or_default();
            if !name.is_empty() && name != "help" {
                unread.push(command.iter().cloned().chain([name.to_owned()]).collect());
            }
        }
        known.push((command, help));
    }
    known
}

/// `--dry-run=server` names `--dry-run`.
fn long_flags(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let words = text.split(move |letter| !is_part(letter));
    words.filter(|word| word.starts_with("--") && word.len() > 2)
}

#[test]
fn every_flag_in_the_prose_exists() {
    let commands = commands();
    assert!(commands.len() > 14, "only {} commands", commands.len());
    let known: BTreeSet<&str> = commands.iter().flat_map(|it| long_flags(&it.1)).collect();
    let mut tested = 0;
    for page in pages() {
        for span in page.spans() {
            if !span.text.starts_with("--") {
                continue;
            }
            for flag in long_flags(&span.text) {
                tested += 1;
                assert!(
                    known.contains(flag),
                    "{}: {flag} does not exist",
                    span.place
                );
            }
        }
    }
    assert!(tested > 30, "only {tested} flags were found");
}

#[test]
fn every_command_in_the_prose_exists() {
    let sandbox = Sandbox::new();
    let commands = commands();
    let top: BTreeSet<&str> = commands
        .iter()
        .filter_map(|it| it.0.first())
        .map(String::as_str)
        .collect();
    let mut tested = 0;
    for page in pages() {
        for span in page.spans() {
            let Some((first, _)) = span.text.split_once(' ') else {
                continue;
            };
            if !top.contains(first) {
                continue;
            }
            tested += 1;
            for call in split(&span) {
                let refused = sandbox.refuses(&call.words);
                assert_eq!(refused, None, "{}: {}", span.place, span.text);
            }
        }
    }
    assert!(tested > 10, "only {tested} commands were found");
}
