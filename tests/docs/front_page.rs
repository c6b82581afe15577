//! README.md stays a front page: short, narrow, in its order, and with a command for every situation readers come with.

use super::page::{Page, repository};

const LINES: usize = 150;
const COLUMNS: usize = 100;

fn readme() -> Page {
    Page::read("README.md".to_owned())
}

#[test]
fn it_fits() {
    let text = readme().text;
    let lines = text.lines().count();
    assert!(
        lines <= LINES,
        "README.md has {lines} lines, more than {LINES}"
    );
    for (index, line) in text.lines().enumerate() {
        let columns = line.chars().count();
        assert!(
            columns <= COLUMNS,
            "README.md:{}: {columns} columns, more than {COLUMNS}",
            index + 1
        );
    }
}

#[test]
fn its_parts_are_in_order() {
    let text = readme().text;
    let parts = [
        "# kubectl pv\n",
        "\n```console\n$ kubectl pv ",
        "\ncargo run -- explain data-0 -n prod -f examples\n",
        "\ntests/run\n",
        "\n## Install\n",
        "\ncargo install --path .",
        "\nkubectl pv completion install",
        "\n| I have … | run |\n",
        "\n## Exit status\n",
        "\n## Read on\n",
        "(docs/README.md)",
        "(deploy/README.md)",
        "(examples)",
        "(CHANGELOG.md)",
    ];
    let mut rest = text.as_str();
    for part in parts {
        let Some(at) = rest.find(part) else {
            panic!("README.md: {part:?} is missing, or not in its place");
        };
        rest = &rest[at + part.len() - 1..];
    }
    assert!(repository().join("tests/run").exists());
}

#[test]
fn two_sentences_say_what_it_is() {
    let text = readme().text;
    let first = text.split("\n\n").nth(1).unwrap();
    let ends = first
        .split_whitespace()
        .filter(|word| word.ends_with(['.', '?']));
    assert_eq!(ends.count(), 2, "{first}");
}

#[test]
fn every_situation_has_a_command() {
    let text = readme().text;
    let table = text.split("\n| I have … | run |\n").nth(1).unwrap();
    let rows: Vec<&str> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .skip(1)
        .collect();
    let situations = [
        "Pending claim",
        "Pending pod",
        "Released volume",
        "chart",
        "dump",
        "CI",
        "few rights",
        "clean",
        "pool",
    ];
    for situation in situations {
        let row = rows.iter().find(|row| {
            let cells: Vec<&str> = row.split('|').collect();
            cells.len() == 4 && cells[1].contains(situation) && cells[2].contains("`kubectl pv ")
        });
        assert!(row.is_some(), "README.md has no command for: {situation}");
    }
}
