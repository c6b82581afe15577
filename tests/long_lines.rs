//! Files that are one long line: memory and time grow with the number of findings, not with its square.
#![cfg(target_os = "linux")]

use crate::support::{TemporaryFile, kubectl_pv};
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::process::{Child, Stdio};

/// What a run used until it began to print.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) kilobytes: u64,
    /// Of the processor, in hundredths of a second.
    pub(crate) time: u64,
}

impl Used {
    /// The child has all its findings and waits until its output is read.
    pub(crate) fn by(child: &Child) -> Self {
        let read = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap();
        let status = read("status");
        let peak = status.lines().find(|line| line.starts_with("VmHWM:"));
        let peak = peak.and_then(|line| line.split_whitespace().nth(1));
        let statistics = read("stat");
        // The name of the program is in parentheses; two fields later the 14th and the 15th of proc(5) count.
        let (_, fields) = statistics.rsplit_once(") ").unwrap();
        let times = fields.split(' ').skip(11).take(2);
        Self {
            kilobytes: peak.unwrap().parse().unwrap(),
            time: times.map(|time| time.parse::<u64>().unwrap()).sum(),
        }
    }
}

/// A list of invalid claims on one line.
fn invalid_claims(count: usize) -> String {
    let claim = |number: usize| {
        json!({ "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": { "name": format!("claim-{number}") },
                "spec": { "accessModes": ["Sometimes"], "resources": { "requests": { "storage": "1Gi" } } } })
    };
    let items: Vec<Value> = (0..count).map(claim).collect();
    json!({ "apiVersion": "v1", "kind": "List", "items": items }).to_string()
}

fn validate(count: usize, format: &str) -> Used {
    let file = TemporaryFile::new("claims.json", &invalid_claims(count));
    let run = kubectl_pv(&["validate", "--offline", "-f", file.path(), "-o", format]);
    let mut command = run.command();
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // A pipe holds 64 KiB, and the report is longer: from here the child waits.
    let mut output = vec![0; 1];
    stdout.read_exact(&mut output).unwrap();
    let used = Used::by(&child);
    stdout.read_to_end(&mut output).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(output.len() > 100_000, "{} bytes", output.len());
    used
}

#[test]
fn twice_as_many_findings_on_one_line_need_twice_the_memory_and_time() {
    for format in ["table", "json", "sarif"] {
        let least = validate(500, format);
        let [once, twice] = [1_500, 3_000].map(|count| validate(count, format));
        // What 500 findings need is subtracted: the ratio is 2.5 if the growth is linear and 4.4 if it is quadratic.
        let kilobytes = |used: Used| used.kilobytes.saturating_sub(least.kilobytes);
        assert!(
            10 * kilobytes(twice) < 33 * kilobytes(once).max(1_000),
            "{format}: {least:?}, {once:?}, {twice:?}"
        );
        let time = |used: Used| used.time.saturating_sub(least.time);
        assert!(
            10 * time(twice) < 33 * time(once).max(20),
            "{format}: {least:?}, {once:?}, {twice:?}"
        );
    }
}
