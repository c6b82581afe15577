//! The screens of the pages are what the program prints, on a terminal of 100 columns without colours.

use super::page::{pages, repository};
use super::shell::{prompt, split};
use std::process::{Command, Stdio};

const COLUMNS: usize = 100;

/// What a person sees who types this in the repository.
fn screen(arguments: &[String]) -> String {
    let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
    let arguments: Vec<String> = arguments.iter().map(quoted).collect();
    let program = env!("CARGO_BIN_EXE_kubectl-pv");
    let arguments = arguments.join(" ");
    let line = format!("stty cols {COLUMNS} rows 50 && exec '{program}' {arguments} 2>/dev/null");
    let output = Command::new("script")
        .args(["-q", "-c", &line, "/dev/null"])
        .current_dir(repository())
        .env_clear()
        .env("SHELL", "/bin/sh")
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("script, of util-linux, makes the terminal for this test");
    let shown = String::from_utf8(output.stdout).unwrap();
    // A terminal that reads from a closed pipe shows the end of the input.
    shown.replace("\r\n", "\n").replace("^D\u{8}\u{8}", "")
}

#[test]
fn shown_output_is_real() {
    let blocks = pages().into_iter().flat_map(|page| page.blocks());
    let screens: Vec<_> = blocks.filter(|block| block.language == "console").collect();
    assert!(
        screens.len() >= 10,
        "only {} screens were found",
        screens.len()
    );
    let mut wrong = Vec::new();
    for block in &screens {
        let (command, shown) = prompt(&block.piece);
        let calls = split(&command);
        let [call] = calls.as_slice() else {
            panic!("{}: a screen shows one command", command.place)
        };
        let arguments = match call.words.as_slice() {
            [kubectl, pv, arguments @ ..] if kubectl == "kubectl" && pv == "pv" => arguments,
            _ => panic!("{}: a screen shows `kubectl pv`", command.place),
        };
        let printed = screen(arguments);
        if printed != shown {
            wrong.push(format!("{}: {}\n{printed}", command.place, command.text));
        }
    }
    assert!(
        wrong.is_empty(),
        "the program prints:\n{}",
        wrong.join("\n")
    );
}
