//! The program on a terminal of its own, which `script` (util-linux) makes: questions are waited for, and answered.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A run of the program, its standard output apart from the terminal.
pub(crate) struct Terminal {
    child: Child,
    keys: Option<ChildStdin>,
    screen: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
    read: usize,
}

impl Terminal {
    /// Starts the program; what it prints to standard output goes to a file.
    pub(crate) fn start(arguments: &str, stdout: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_kubectl-pv");
        let line = format!("exec '{program}' {arguments} > '{stdout}'");
        let mut child = Command::new("script")
            .args(["-q", "-e", "-c", &line, "/dev/null"])
            .env_clear()
            .env("SHELL", "/bin/sh")
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/nonexistent")
            .env("TERM", "xterm")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("script, of util-linux, makes the terminal for this test");
        let keys = child.stdin.take();
        let mut shown = child.stdout.take().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let written = Arc::clone(&screen);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = shown.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                written.lock().unwrap().push_str(&text);
            }
        });
        Self {
            child,
            keys,
            screen,
            reader,
            read: 0,
        }
    }

    /// Everything shown so far.
    pub(crate) fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits until this is shown after all that was waited for before, then types.
    pub(crate) fn answer(&mut self, question: &str, keys: &str) -> &mut Self {
        let patience = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = self.screen();
            if let Some(at) = screen[self.read..].find(question) {
                self.read += at + question.len();
                break;
            }
            assert!(
                Instant::now() < patience,
                "`{question}` was never asked: {screen}"
            );
            thread::sleep(Duration::from_millis(20));
        }
        // A choice is shown before its keys are read.
        thread::sleep(Duration::from_millis(100));
        let typed = self.keys.as_mut().unwrap().write_all(keys.as_bytes());
        typed.unwrap();
        self
    }

    /// Waits for the end, and gives the exit status.
    pub(crate) fn end(self) -> i32 {
        self.end_with_screen().0
    }

    /// The same, and everything that was shown.
    pub(crate) fn end_with_screen(mut self) -> (i32, String) {
        let status = self.child.wait().unwrap();
        drop(self.keys.take());
        self.reader.join().unwrap();
        let screen = self.screen.lock().unwrap().clone();
        (status.code().unwrap_or(-1), screen)
    }
}

/// What a run shows on a terminal of so many columns.
pub(crate) fn on_terminal(columns: usize, arguments: &str) -> String {
    let program = env!("CARGO_BIN_EXE_kubectl-pv");
    let line = format!("stty cols {columns} rows 50 && exec '{program}' {arguments}");
    let output = Command::new("script")
        .args(["-q", "-c", &line, "/dev/null"])
        .env_clear()
        .env("SHELL", "/bin/sh")
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("script, of util-linux, makes the terminal for this test");
    let shown = String::from_utf8(output.stdout).expect("text");
    shown.replace("\r\n", "\n").replace("^D\u{8}\u{8}", "")
}
