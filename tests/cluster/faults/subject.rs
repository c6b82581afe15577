//! The process under test: it can be killed (SIGKILL) at any moment, and what it printed until then is
//! kept.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(5);
const LIMIT: Duration = Duration::from_secs(180);

/// Runs until it ends or is killed.
pub(crate) struct Subject {
    child: Mutex<Child>,
    output: Mutex<Vec<JoinHandle<String>>>,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// None when it was killed.
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Subject {
    pub(crate) fn start(mut command: Command) -> Arc<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("start {command:?}: {error}"));
        let stdout = child.stdout.take().expect("stdout was asked for");
        let stderr = child.stderr.take().expect("stderr was asked for");
        Arc::new(Self {
            child: Mutex::new(child),
            output: Mutex::new(vec![collect(stdout), collect(stderr)]),
        })
    }

    /// Kills it; on return it is gone.
    pub(crate) fn kill(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }

    /// Asks it to stop, as the end of a pod does.
    pub(crate) fn ask_to_stop(&self) {
        assert!(self.signal("TERM"), "the process does not exist");
    }

    /// Sends a signal by its name without SIG; false if the process has ended.
    pub(crate) fn signal(&self, name: &str) -> bool {
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let id = child.id().to_string();
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &id])
            .stderr(Stdio::null())
            .status();
        sent.is_ok_and(|status| status.success())
    }

    /// Waits for its end, and fails when that does not come.
    pub(crate) fn wait(&self) -> Ended {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.has_ended() {
                break status;
            }
            if started.elapsed() > LIMIT {
                self.kill();
                panic!("the process does not end: {:?}", self.ended(None));
            }
            thread::sleep(PAUSE);
        };
        self.ended(status.code())
    }

    fn has_ended(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.try_wait().expect("ask for a child of ours")
    }

    fn ended(&self, status: Option<i32>) -> Ended {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let mut texts = output
            .drain(..)
            .map(|reader| reader.join().unwrap_or_default());
        Ended {
            status,
            stdout: texts.next().unwrap_or_default(),
            stderr: texts.next().unwrap_or_default(),
        }
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        self.kill();
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
