//! Runs the binary and shows stdout, stderr and status as one text.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// One run of the program.
pub(crate) struct Run {
    command: Command,
    stdin: Option<String>,
}

/// What a run left behind.
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
}

/// The program with these arguments, in the folder of scenarios, with nothing of the user's around it.
pub(crate) fn kubectl_pv(arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-pv"));
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clusters");
    command
        .args(arguments)
        .current_dir(scenarios)
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("LC_ALL", "C.UTF-8");
    Run {
        command,
        stdin: None,
    }
}

impl Run {
    pub(crate) fn stdin(mut self, text: &str) -> Self {
        self.stdin = Some(text.to_owned());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// The same in another folder.
    pub(crate) fn within(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// The command itself, for those who start and end it their own way.
    pub(crate) fn command(self) -> Command {
        self.command
    }

    pub(crate) fn ran(mut self) -> Ran {
        let stdin = if self.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let mut child = self
            .command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if let Some(text) = self.stdin {
            // A program that refuses its arguments does not read.
            let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        }
        let output = child.wait_with_output().unwrap();
        Ran {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            status: output.status.code().unwrap_or(-1),
        }
    }

    /// All of it as one text, for snapshots.
    pub(crate) fn shown(self) -> String {
        let ran = self.ran();
        let mut text = ran.stdout;
        if !ran.stderr.is_empty() {
            text.push_str("[stderr]\n");
            text.push_str(&ran.stderr);
        }
        text.push_str(&format!("[exit {}]\n", ran.status));
        text
    }

    /// Standard output as JSON.
    pub(crate) fn json(self) -> serde_json::Value {
        let ran = self.ran();
        serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
    }
}

/// A folder of its own for a test, deleted with its value.
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let own = format!("kubectl-pv-test-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file for the program to read, deleted with its value.
pub(crate) struct TemporaryFile {
    _folder: TemporaryFolder,
    path: String,
}

impl TemporaryFile {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let folder = TemporaryFolder::new();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let path = path.to_str().expect("a path in plain text").to_owned();
        Self {
            _folder: folder,
            path,
        }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}
