//! One thread beside a writing run: it prints progress on stderr, and receives the signals that ask the run to stop. The run
//! itself may block in a backend for minutes, so neither can be left to it.

use crate::actions::apply::ProgressListener;
use crate::conventions::object_ref::ObjectKey;
use crate::environment::Environment;
use crate::error::CommandError;
use crate::render::safe;
use crate::session::runtime;
use crate::signals::{Signals, end};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The longest silence in a pipe.
const SILENCE: Duration = Duration::from_secs(10);
/// How often a terminal is redrawn.
const TICK: Duration = Duration::from_secs(1);
/// Prints the progress of one run, and receives its signals.
pub(crate) struct RunMonitor {
    state: Arc<Mutex<State>>,
}

/// Where the run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was written: a signal ends the run.
    BeforeWriting,
    Writing,
    /// Everything was written or given up: the report is printed.
    Reporting,
}

struct State {
    phase: Phase,
    is_stopping: bool,
    /// All objects that the run works on, and those that are finished.
    objects: BTreeSet<String>,
    finished: BTreeSet<String>,
    /// The object at hand.
    current: String,
    /// What the run waits for, and for how long by now.
    awaited: Option<String>,
    /// Whether lines are rewritten in place, and how wide they can be.
    moves: bool,
    width: usize,
    /// Whether a line stands that the next one replaces.
    is_line_open: bool,
    printed_at: Instant,
}

impl RunMonitor {
    /// Begins to receive signals. From now on they do not end the program by themselves.
    pub(crate) fn start(environment: &Environment) -> Result<Self, CommandError> {
        let state = Arc::new(Mutex::new(State {
            phase: Phase::BeforeWriting,
            is_stopping: false,
            objects: BTreeSet::new(),
            finished: BTreeSet::new(),
            current: String::new(),
            awaited: None,
            moves: environment.stderr_is_terminal && !environment.is_dumb_terminal,
            width: environment.terminal_width.unwrap_or(80),
            is_line_open: false,
            printed_at: Instant::now(),
        }));
        let runtime = runtime()?;
        let signals = {
            let _within = runtime.enter();
            Signals::catch()?
        };
        let watched = Arc::clone(&state);
        std::thread::spawn(move || runtime.block_on(attend(&watched, signals)));
        Ok(Self { state })
    }

    /// No more writes follow.
    pub(crate) fn end_writing(&self) {
        let mut state = lock(&self.state);
        state.clear();
        state.phase = Phase::Reporting;
    }
}

async fn attend(state: &Mutex<State>, mut signals: Signals) {
    loop {
        tokio::select! {
            biased;
            () = signals.hear() => lock(state).receive_signal(),
            () = tokio::time::sleep(TICK) => lock(state).tick(),
        }
    }
}

/// A thread that panicked while it printed leaves nothing half done here.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl State {
    fn receive_signal(&mut self) {
        match self.phase {
            _ if self.is_stopping => end(),
            Phase::BeforeWriting => {
                // The question may stand on the line.
                let newline = if self.moves { "\n" } else { "" };
                print(&format!("{newline}Nothing was changed.\n"));
                end();
            }
            Phase::Writing => {
                self.is_stopping = true;
                self.clear();
                let what = if self.current.is_empty() {
                    "finishing".to_owned()
                } else {
                    format!("finishing {}", safe(&self.current))
                };
                print(&format!("{what}; a second signal ends now\n"));
            }
            Phase::Reporting => self.is_stopping = true,
        }
    }

    fn tick(&mut self) {
        // The next tick would be too late.
        let is_due = self.moves || self.printed_at.elapsed() + 2 * TICK > SILENCE;
        if self.phase == Phase::Writing && is_due {
            let text = self.awaited.as_ref().unwrap_or(&self.current).clone();
            self.print_progress(&text);
        }
    }

    /// `[3/300] pv-x`: a line of its own in a pipe, rewritten in place on a terminal.
    fn print_progress(&mut self, text: &str) {
        let line = self.line(text);
        if self.moves {
            let line: String = line.chars().take(self.width.saturating_sub(1)).collect();
            print(&format!("\r\x1b[K{line}"));
            self.is_line_open = true;
        } else {
            print(&format!("{line}\n"));
        }
        self.printed_at = Instant::now();
    }

    fn line(&self, text: &str) -> String {
        let (done, all) = (self.finished.len(), self.objects.len());
        format!("[{done}/{all}] {}", safe(text))
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_line_open) {
            print("\r\x1b[K");
        }
    }
}

/// Where stderr is closed no reader is left.
fn print(text: &str) {
    let mut stderr = std::io::stderr();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

impl ProgressListener for RunMonitor {
    fn expect(&mut self, objects: &mut dyn Iterator<Item = String>) {
        lock(&self.state).objects.extend(objects);
    }

    fn begin_write(&mut self) {
        let mut state = lock(&self.state);
        if state.phase == Phase::BeforeWriting {
            state.phase = Phase::Writing;
            state.printed_at = Instant::now();
        }
    }

    fn start(&mut self, object: &str) {
        let mut state = lock(&self.state);
        object.clone_into(&mut state.current);
        state.awaited = None;
    }

    fn finish(&mut self, object: &str) {
        let mut state = lock(&self.state);
        state.finished.insert(object.to_owned());
    }

    fn report(&mut self, about: &ObjectKey, message: &str) {
        let mut state = lock(&self.state);
        state.clear();
        let line = state.line(&format!("{about}: {message}"));
        print(&format!("{line}\n"));
        state.printed_at = Instant::now();
    }

    fn wait(&mut self, what: &str, waited: Duration) {
        let mut state = lock(&self.state);
        state.awaited = Some(format!("{what} ({}s)", waited.as_secs()));
    }

    fn is_stopping(&self) -> bool {
        lock(&self.state).is_stopping
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_finished_objects() {
        let mut state = State {
            phase: Phase::Writing,
            is_stopping: false,
            objects: ["pv/a", "pv/b"].map(str::to_owned).into(),
            finished: ["pv/a"].map(str::to_owned).into(),
            current: "pv/b".to_owned(),
            awaited: None,
            moves: false,
            width: 80,
            is_line_open: false,
            printed_at: Instant::now(),
        };
        assert_eq!(state.line("pv/b"), "[1/2] pv/b");
        // Text of others cannot move the cursor.
        assert!(!state.line("no\x1b[2J room").contains('\x1b'));
        state.finished.insert("pv/b".to_owned());
        assert_eq!(state.line(""), "[2/2] ");
    }
}
