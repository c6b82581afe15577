//! Counts in the text that a run prints when something is open: `pv-a: 2 of 4 changes done`, then one line for each change.

use super::report::Report;

/// How the text says that this run made a change.
const DONE_HERE: &str = ": done";

pub(super) fn wrongs(report: &Report) -> Vec<String> {
    let lines: Vec<&str> = report.stderr.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some((about, done, all)) = counted(line) else {
            continue;
        };
        let changes = lines[index + 1..].iter();
        let changes = changes.take_while(|line| line.starts_with("  "));
        let changes: Vec<&&str> = changes.filter(|line| is_write(line)).collect();
        let made = changes.iter().filter(|line| line.ends_with(DONE_HERE));
        let made = made.count();
        if (done, all) != (made, changes.len()) {
            found.push(format!(
                "the text says of {about} that {done} of {all} changes are done, and lists {made} of {}",
                changes.len()
            ));
        }
    }
    found
}

/// Waits and events are listed and not counted.
fn is_write(line: &str) -> bool {
    let what = line.trim_start();
    !what.starts_with("waiting for ") && !what.starts_with("event/")
}

/// `pv-a: 2 of 4 changes done` as `pv-a`, 2 and 4.
fn counted(line: &str) -> Option<(&str, usize, usize)> {
    let (about, rest) = line.rsplit_once(": ")?;
    let (done, rest) = rest.split_once(" of ")?;
    let (all, rest) = rest.split_once(' ')?;
    let is_it = ["change done", "changes done"].contains(&rest);
    let (done, all) = (done.parse().ok()?, all.parse().ok()?);
    is_it.then_some((about, done, all))
}
