//! Runs the administrator's program, and nothing else: no shell, no arguments, few variables, bounded time and output.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// An answer is a small object.
const LARGEST_ANSWER: usize = 1024 * 1024;
/// Of what it says on stderr, the end is kept.
const LARGEST_TALK: usize = 4 * 1024;
/// How often it is seen whether the program has ended, when it is silent.
const PULSE: Duration = Duration::from_millis(10);
/// A program that is being replaced cannot be started for a moment.
const STARTS: u32 = 20;

/// How a run ended.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// Why there is no outcome.
#[derive(Debug)]
pub(super) enum Failure {
    /// It could not be started or listened to.
    Io(io::Error),
    /// It took too long and was killed, with all it had started.
    TimedOut { stderr: String },
    /// It wrote more than any answer has.
    TooMuch { stderr: String },
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Errno> for Failure {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// The variables a program gets: where programs are, the language, and what is meant for it.
pub(super) fn allowed_variables(all: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let is_allowed = |name: &OsStr| {
        name == "PATH" || name == "LANG" || name.as_bytes().starts_with(b"KUBECTL_PV_")
    };
    all.iter()
        .filter(|(name, _)| is_allowed(name))
        .cloned()
        .collect()
}

/// Runs a program: the request on its stdin, then the end of input; the answer from its stdout.
pub(super) fn run(
    program: &Path,
    variables: &[(OsString, OsString)],
    request: &[u8],
    timeout: Duration,
) -> Result<Outcome, Failure> {
    let mut command = Command::new(program);
    command
        .env_clear()
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = start(&mut command)?;
    let _running = Running::note(&child);
    let result =
        Talk::new(&mut child, request).and_then(|talk| talk.until_end(&mut child, timeout));
    if result.is_err() {
        kill(&mut child);
    }
    result
}

fn start(command: &mut Command) -> io::Result<Child> {
    for _ in 1..STARTS {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(PULSE);
            }
            other => return other,
        }
    }
    command.spawn()
}

/// The process groups of the programs that run now.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn running() -> MutexGuard<'static, BTreeSet<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends every program that runs, with all that it has started. For the moment before this process ends: a program has a process
/// group of its own, so the signal that ends us does not reach it.
pub(crate) fn end_all() {
    for group in running().iter().copied().filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// A program that runs, until this is dropped.
struct Running(Option<i32>);

impl Running {
    fn note(child: &Child) -> Self {
        let group = i32::try_from(child.id()).ok();
        running().extend(group);
        Self(group)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            running().remove(&group);
        }
    }
}

/// Ends a program and all it has started, as far as that stayed in its group.
fn kill(child: &mut Child) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // Once its end has been seen, its number may be somebody else's.
    if let (Ok(None), Some(group)) = (child.try_wait(), group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// The three pipes to a program.
struct Talk<'a> {
    stdin: Option<ChildStdin>,
    request: &'a [u8],
    stdout: Listener<std::process::ChildStdout>,
    stderr: Listener<std::process::ChildStderr>,
}

struct Listener<P> {
    pipe: Option<P>,
    heard: Vec<u8>,
}

impl<'a> Talk<'a> {
    fn new(child: &mut Child, request: &'a [u8]) -> Result<Self, Failure> {
        let talk = Self {
            stdin: child.stdin.take(),
            request,
            stdout: Listener {
                pipe: child.stdout.take(),
                heard: Vec::new(),
            },
            stderr: Listener {
                pipe: child.stderr.take(),
                heard: Vec::new(),
            },
        };
        talk.stdin.iter().try_for_each(never_block)?;
        talk.stdout.pipe.iter().try_for_each(never_block)?;
        talk.stderr.pipe.iter().try_for_each(never_block)?;
        Ok(talk)
    }

    fn until_end(mut self, child: &mut Child, timeout: Duration) -> Result<Outcome, Failure> {
        let deadline = Instant::now() + timeout;
        loop {
            // First whether it ended, then what it said: nothing it says before its end is missed.
            let ended = child.try_wait()?;
            self.exchange()?;
            if self.stdout.heard.len() > LARGEST_ANSWER {
                return Err(Failure::TooMuch {
                    stderr: self.stderr.text(),
                });
            }
            if let Some(status) = ended {
                return Ok(Outcome {
                    status,
                    stderr: self.stderr.text(),
                    stdout: self.stdout.heard,
                });
            }
            if Instant::now() >= deadline {
                return Err(Failure::TimedOut {
                    stderr: self.stderr.text(),
                });
            }
            self.wait()?;
        }
    }

    /// Writes and reads what can be written and read now.
    fn exchange(&mut self) -> io::Result<()> {
        self.write()?;
        self.stdout.read(LARGEST_ANSWER + 1)?;
        // Bounded as well, or a program that never stops talking would never be seen to take too long.
        self.stderr.read(LARGEST_ANSWER)?;
        let talk = &mut self.stderr.heard;
        if talk.len() > LARGEST_TALK {
            talk.drain(..talk.len() - LARGEST_TALK);
        }
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Ok(());
        };
        while !self.request.is_empty() {
            match stdin.write(self.request) {
                Ok(written) => self.request = &self.request[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // It does not want to know more; its answer says what it makes of that.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                Err(error) => return Err(error),
            }
        }
        self.stdin = None;
        Ok(())
    }

    /// Until there is something to write or read, a moment at most.
    fn wait(&self) -> Result<(), Failure> {
        let mut fds = Vec::with_capacity(3);
        fds.extend(
            self.stdin
                .iter()
                .map(|pipe| PollFd::new(pipe, PollFlags::OUT)),
        );
        fds.extend(
            self.stdout
                .pipe
                .iter()
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        fds.extend(
            self.stderr
                .pipe
                .iter()
                .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        );
        let pulse = Timespec {
            tv_sec: 0,
            tv_nsec: i64::from(PULSE.subsec_nanos()),
        };
        match poll(&mut fds, Some(&pulse)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl<P: Read> Listener<P> {
    fn read(&mut self, limit: usize) -> io::Result<()> {
        let mut buffer = [0; 8192];
        while let Some(pipe) = &mut self.pipe {
            if self.heard.len() >= limit {
                return Ok(());
            }
            match pipe.read(&mut buffer) {
                Ok(0) => self.pipe = None,
                Ok(length) => self.heard.extend_from_slice(&buffer[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.heard).trim().to_owned()
    }
}

fn never_block(pipe: impl AsFd) -> Result<(), Errno> {
    let flags = fcntl_getfl(&pipe)?;
    fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)
}
