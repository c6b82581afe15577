//! A process of the control plane that a test has started, and its end. Its id is noted in the
//! folder `pids` while it runs, so that `tests/run` can stop it when the test itself was killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const START_LIMIT: Duration = Duration::from_secs(60);
const STOP_LIMIT: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);

/// Runs until it is dropped; then it has ended and been reaped.
pub(crate) struct Running {
    child: Child,
    name: String,
    note: PathBuf,
    log: PathBuf,
}

impl Running {
    /// Starts `command` with its output appended to `<name>.log` in `folder`.
    pub(super) fn start(mut command: Command, name: &str, folder: &Path) -> Self {
        let log = folder.join(format!("{name}.log"));
        let output = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .expect("open the log");
        let child = command
            .stdin(Stdio::null())
            .stdout(output.try_clone().expect("share the log"))
            .stderr(output)
            .spawn()
            .unwrap_or_else(|error| panic!("start {name}: {error}"));
        let note = folder.join("pids").join(format!("{name}-{}", child.id()));
        let running = Self {
            child,
            name: name.to_owned(),
            note,
            log,
        };
        fs::write(&running.note, running.child.id().to_string()).expect("note the process id");
        running
    }

    /// Waits until the process is ready, and gives up when it has ended or takes too long.
    pub(super) fn wait_until(&mut self, ready: impl Fn() -> bool) {
        let started = Instant::now();
        while !ready() {
            let ended = self.child.try_wait().expect("ask for the process");
            assert!(
                ended.is_none(),
                "{} has ended, see below\n{}",
                self.name,
                self.last_words()
            );
            assert!(
                started.elapsed() < START_LIMIT,
                "{} does not get ready\n{}",
                self.name,
                self.last_words()
            );
            thread::sleep(PAUSE);
        }
    }

    /// Stops it where it is (`STOP`) or lets it go on (`CONT`).
    pub(super) fn signal(&self, signal: &str) {
        assert!(send(signal, self.child.id()), "{signal} to {}", self.name);
    }

    fn last_words(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    fn has_ended(&mut self) -> bool {
        // An error means that there is no such child any more.
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Politely first; one that was stopped would not hear it.
        send("TERM", self.child.id());
        send("CONT", self.child.id());
        let asked = Instant::now();
        while !self.has_ended() && asked.elapsed() < STOP_LIMIT {
            thread::sleep(PAUSE);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.note);
    }
}

/// Through a shell because only a shell surely has `kill`.
fn send(signal: &str, process: u32) -> bool {
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{signal} {process}")])
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
