//! One run of one build: what it wrote to standard output and standard error, and its exit status. Text for a terminal is
//! written to a pseudo-terminal of the wanted width, because the program asks the terminal for its width.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

use super::invocations::{Form, Invocation};

/// A run that uses more CPU seconds than this is ended, and its exit status says so.
const CPU_SECONDS: u64 = 120;

/// A build of the program.
pub(super) struct Program {
    pub(super) path: PathBuf,
}

/// What a run left behind.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// The number, or the signal that ended the run.
    pub(super) status: String,
}

impl Program {
    pub(super) fn run(&self, invocation: &Invocation) -> io::Result<Outcome> {
        let mut command = Command::new(&self.path);
        command
            .args(&invocation.words)
            .current_dir(&invocation.folder)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/nonexistent")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm")
            .stderr(Stdio::piped());
        let stdin = match &invocation.stdin {
            Some(file) => Stdio::from(File::open(invocation.folder.join(file))?),
            None => Stdio::null(),
        };
        command.stdin(stdin);
        match invocation.form {
            Form::Output(_) => with_pipe(command),
            Form::Screen(width) => {
                // Colours at one width, plain text at the others.
                if width != 100 {
                    command.env("NO_COLOR", "1");
                }
                with_terminal(command, width)
            }
        }
    }

    /// The command line to repeat a run by hand.
    pub(super) fn line(&self, invocation: &Invocation) -> String {
        let words: Vec<String> = invocation.words.iter().map(|word| quote(word)).collect();
        let mut line = format!("{} {}", self.path.display(), words.join(" "));
        if let Some(file) = &invocation.stdin {
            line.push_str(" < ");
            line.push_str(file);
        }
        line
    }
}

fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn with_pipe(mut command: Command) -> io::Result<Outcome> {
    command.stdout(Stdio::piped());
    let child = spawn(&mut command)?;
    let output = child.wait_with_output()?;
    Ok(Outcome {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        status: spelled(output.status),
    })
}

fn with_terminal(mut command: Command, width: u16) -> io::Result<Outcome> {
    let (screen, terminal) = open_terminal(width)?;
    command.stdout(Stdio::from(terminal));
    let mut child = spawn(&mut command)?;
    // The command holds the terminal open; reading ends when its last holder has closed it.
    drop(command);
    let mut stderr = child.stderr.take().expect("standard error is a pipe");
    let errors = thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr.read_to_end(&mut bytes).map(|_| bytes)
    });
    let stdout = read_screen(File::from(screen));
    let status = child.wait()?;
    let stderr = errors.join().expect("reading does not panic")?;
    Ok(Outcome {
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        status: spelled(status),
    })
}

/// Both ends of a pseudo-terminal that passes bytes on as they are.
fn open_terminal(width: u16) -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let screen = openpt(flags)?;
    grantpt(&screen)?;
    unlockpt(&screen)?;
    let terminal = ioctl_tiocgptpeer(&screen, flags)?;
    let size = Winsize {
        ws_row: 50,
        ws_col: width,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size)?;
    let mut settings = tcgetattr(&terminal)?;
    settings.make_raw();
    tcsetattr(&terminal, OptionalActions::Now, &settings)?;
    Ok((screen, terminal))
}

/// Everything until the other end is closed, which Linux reports as an error.
fn read_screen(mut screen: File) -> Vec<u8> {
    let mut all = Vec::new();
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = screen.read(&mut bytes) {
        all.extend_from_slice(&bytes[..count]);
    }
    all
}

/// Starts a program. A program that was just written is busy while a process that another thread starts holds it open.
fn spawn(command: &mut Command) -> io::Result<Child> {
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => thread::yield_now(),
            Err(error) => return Err(error),
            Ok(child) => {
                limit(&child);
                return Ok(child);
            }
        }
    }
}

fn limit(child: &Child) {
    let limit = Rlimit {
        current: Some(CPU_SECONDS),
        maximum: Some(CPU_SECONDS),
    };
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // A run that has ended already needs no limit.
    let _ = prlimit(pid, Resource::Cpu, limit);
}

fn spelled(status: std::process::ExitStatus) -> String {
    match status.code() {
        Some(code) => code.to_string(),
        None => status.to_string(),
    }
}
