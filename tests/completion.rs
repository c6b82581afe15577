//! Completion: the scripts in `completions/` are what the program prints; kubectl's questions get quick, quiet answers.
//!
//! After a change of flags: `UPDATE_COMPLETIONS=1 cargo test --test main completion`.

use crate::support::kubectl_pv;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPTS: [(&str, &str); 4] = [
    ("bash", "kubectl-pv.bash"),
    ("zsh", "_kubectl-pv"),
    ("fish", "kubectl-pv.fish"),
    ("powershell", "_kubectl-pv.ps1"),
];

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "whoever changes flags asks for new scripts this way"
)]
fn scripts_are_in_step() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    for (shell, file) in SCRIPTS {
        let printed = kubectl_pv(&["completion", shell]).ran().stdout;
        if std::env::var_os("UPDATE_COMPLETIONS").is_some() {
            fs::write(folder.join(file), &printed).unwrap();
        }
        let kept = fs::read_to_string(folder.join(file)).unwrap_or_default();
        assert!(
            kept == printed,
            "completions/{file} is out of step; run: UPDATE_COMPLETIONS=1 cargo test --test main completion"
        );
    }
}

/// The program under the name kubectl looks for.
struct Completer {
    folder: PathBuf,
}

impl Completer {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("kubectl-pv-complete-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(
            env!("CARGO_BIN_EXE_kubectl-pv"),
            folder.join("kubectl_complete-pv"),
        )
        .unwrap();
        Self { folder }
    }

    fn ask(&self, words: &[&str]) -> (String, String) {
        let output = Command::new(self.folder.join("kubectl_complete-pv"))
            .args(words)
            .env_clear()
            .env("HOME", "/nonexistent")
            .output()
            .unwrap();
        assert!(output.status.success());
        (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }
}

impl Drop for Completer {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn kubectl_is_offered_subcommands_and_flags() {
    let completer = Completer::new("grammar");
    let (offered, _) = completer.ask(&["ex"]);
    assert!(
        offered.starts_with("explain\t") && offered.ends_with(":4\n"),
        "{offered}"
    );
    let (offered, _) = completer.ask(&["explain", "--pe"]);
    assert!(offered.starts_with("--pending\t"), "{offered}");
    let (offered, _) = completer.ask(&["describe-class", "--tem"]);
    assert!(offered.starts_with("--template\t"), "{offered}");
}

#[test]
fn kinds_of_backends_are_offered_behind_the_name() {
    let program = Completer::new("backends");
    let (offered, _) = program.ask(&["explain", "--backend", "example.com/a=h"]);
    assert_eq!(offered, "example.com/a=hostpath:/\n:6\n");
    let (offered, _) = program.ask(&["validate", "--backend", "example.com/a="]);
    assert_eq!(offered.lines().count(), 4, "{offered}");
    let (offered, _) = program.ask(&["validate", "--backends", ""]);
    assert_eq!(offered, ":0\n");
}

#[test]
fn without_a_cluster_it_is_silent() {
    let completer = Completer::new("silent");
    assert_eq!(
        completer.ask(&["explain", ""]),
        (":4\n".to_owned(), String::new())
    );
    assert_eq!(
        completer.ask(&["explain", "-n", ""]),
        (":4\n".to_owned(), String::new())
    );
    assert_eq!(
        completer.ask(&["explain", "-f", ""]),
        (":0\n".to_owned(), String::new())
    );
}

#[test]
fn install_links_beside_the_program_and_does_it_once() {
    let name = format!("kubectl-pv-install-{}", std::process::id());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("kubectl-pv");
    // Not a copy: a file that was written a moment ago is busy while another test starts a process.
    fs::hard_link(env!("CARGO_BIN_EXE_kubectl-pv"), &program).unwrap();
    let run = |arguments: &[&str]| Command::new(&program).args(arguments).output().unwrap();
    assert_eq!(
        run(&["completion", "install"]).status.code(),
        Some(2),
        "without a terminal somebody must say --yes"
    );
    assert!(run(&["completion", "install", "--yes"]).status.success());
    assert!(folder.join("kubectl_complete-pv").exists());
    let again = run(&["completion", "install", "--yes"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("there already"));
    fs::remove_dir_all(&folder).unwrap();
}
