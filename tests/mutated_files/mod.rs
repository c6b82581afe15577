//! Mutated state files: whatever a file holds, every command ends by itself, without a panic, a stack overflow, a hang or much
//! memory. 20,000 files in the suite, 1,000,000 with `tests/run --full`; each by one command, in worker processes of 1,000.
//!
//! A worker is the same test, started again by itself. It notes each file before it reads it, so that its parent knows which
//! one ended it.

mod generate;
mod worker;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use self::worker::{Figures, MOST_CPU, MOST_MEMORY, PER_WORKER};
use crate::sample;
use crate::support::TemporaryFolder;

/// The test below, which is also what a worker runs.
const TEST: &str = "mutated_files::every_command_survives_every_mutated_file";
const ALL: usize = 1_000_000;
const SAMPLED: usize = 20_000;
/// Far longer than a worker takes: its own limit is processor time.
const LONGEST_SILENCE: Duration = Duration::from_secs(300);
/// Past this the kernel refuses memory, so that a mistake here does not take the machine along.
const ADDRESS_SPACE_KB: u64 = 6 * 1024 * 1024;

/// A worker that runs, and where it notes what it does.
struct Running {
    child: Child,
    first: usize,
    notes: PathBuf,
}

impl Running {
    fn start(folder: &Path, first: usize) -> Self {
        let notes = folder.join(format!("notes-{first}"));
        let errors = fs::File::create(notes.with_extension("errors")).unwrap();
        let child = Command::new("sh")
            .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
            .arg(ADDRESS_SPACE_KB.to_string())
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", TEST])
            .env(worker::FIRST, first.to_string())
            .env(worker::NOTES, &notes)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .unwrap();
        Self {
            child,
            first,
            notes,
        }
    }

    /// What it counted, or which file it did not survive.
    fn end(mut self, folder: &Path) -> Result<Figures, String> {
        let noted = || fs::read_to_string(&self.notes).unwrap_or_default();
        let (mut seen, mut since) = (noted(), Instant::now());
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            let now = noted();
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
            if since.elapsed() > LONGEST_SILENCE {
                self.child.kill().unwrap();
                break self.child.wait().unwrap();
            }
            thread::sleep(Duration::from_millis(100));
        };
        if status.success() {
            return Ok(Figures::read(&noted()));
        }
        let number = noted().trim().parse().unwrap_or(self.first);
        let (text, arguments) = generate::file(sample::seed(), number);
        let kept = folder.with_file_name(format!("kubectl-pv-mutated-{number}"));
        fs::write(&kept, text).unwrap();
        let errors = fs::read(self.notes.with_extension("errors")).unwrap_or_default();
        let end = errors.len().saturating_sub(3000);
        Err(format!(
            "file {number}, kept as {}, with {arguments:?}: {status}\n{}",
            kept.display(),
            String::from_utf8_lossy(&errors[end..])
        ))
    }
}

#[test]
fn every_command_survives_every_mutated_file() {
    if worker::run_if_asked() {
        return;
    }
    let folder = TemporaryFolder::new();
    let files = sample::rounds_of("KUBECTL_PV_TESTS_MUTATED", ALL, SAMPLED);
    let mut firsts = (0..files).step_by(PER_WORKER);
    let mut running: Vec<Running> = Vec::new();
    let (mut figures, mut broken) = (Figures::default(), Vec::new());
    let at_once = thread::available_parallelism().map_or(2, usize::from);
    loop {
        while running.len() < at_once && broken.len() < 20 {
            let Some(first) = firsts.next() else { break };
            running.push(Running::start(folder.path(), first));
        }
        if running.is_empty() {
            break;
        }
        match running.remove(0).end(folder.path()) {
            Ok(of_worker) => figures.add(&of_worker),
            Err(problem) => broken.push(problem),
        }
    }
    println!("{figures}");
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    assert_eq!(figures.files, files);
    assert!(figures.cpu.0 <= MOST_CPU.as_millis(), "{figures}");
    assert!(figures.memory.0 <= MOST_MEMORY, "{figures}");
    // Mutations that no reader accepts would test nothing behind the reader.
    assert!(figures.answered * 4 > files, "{figures}");
}
