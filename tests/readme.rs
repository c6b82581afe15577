//! The README shows what the program really prints, and its two commands are the ones that work.

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../README.md");

#[test]
fn shown_output_is_real() {
    let blocks: Vec<&str> = README
        .split("```console\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(blocks.len() >= 2, "{blocks:?}");
    for block in blocks {
        let (prompt, shown) = block.split_once('\n').unwrap();
        let words: Vec<&str> = prompt
            .strip_prefix("$ kubectl pv ")
            .unwrap()
            .split(' ')
            .collect();
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-pv"))
            .args(words)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), shown, "{prompt}");
    }
}

#[test]
fn the_two_commands_are_there() {
    assert!(README.contains("\ncargo run -- explain data-0 -n prod -f examples\n"));
    assert!(README.contains("\ntests/run\n"));
    assert!(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/run")
            .exists()
    );
}
