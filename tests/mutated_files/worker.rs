//! One worker: reads its files one after the other and takes the processor time and the peak memory of each.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::panic;
use std::process::exit;
use std::time::Duration;

use super::generate;
use crate::sample;
use crate::support::TemporaryFolder;

pub(super) const PER_WORKER: usize = 1_000;
pub(super) const FIRST: &str = "KUBECTL_PV_TESTS_FIRST_FILE";
pub(super) const NOTES: &str = "KUBECTL_PV_TESTS_NOTES";
/// Of one file; a few kilobytes, read by an unoptimised build.
pub(super) const MOST_CPU: Duration = Duration::from_secs(20);
pub(super) const MOST_MEMORY: u64 = 1024 * 1024;
/// As the main thread of the program has it.
const STACK: usize = 8 * 1024 * 1024;

/// The most that one file took, each with the number of the file.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) files: usize,
    /// Files that were understood: the command had an answer.
    pub(super) answered: usize,
    /// In milliseconds.
    pub(super) cpu: (u128, usize),
    /// In kB.
    pub(super) memory: (u64, usize),
}

impl Figures {
    pub(super) fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.answered += other.answered;
        self.cpu = self.cpu.max(other.cpu);
        self.memory = self.memory.max(other.memory);
    }

    /// Reads what `write` wrote.
    pub(super) fn read(text: &str) -> Self {
        let numbers: Vec<u64> = text
            .split_whitespace()
            .map(|number| number.parse().unwrap())
            .collect();
        let [files, answered, cpu, of_cpu, memory, of_memory] = numbers[..] else {
            panic!("{text}");
        };
        let small = |number| usize::try_from(number).unwrap();
        Self {
            files: small(files),
            answered: small(answered),
            cpu: (cpu.into(), small(of_cpu)),
            memory: (memory, small(of_memory)),
        }
    }

    fn write(&self) -> String {
        let ((cpu, of_cpu), (memory, of_memory)) = (self.cpu, self.memory);
        let (files, answered) = (self.files, self.answered);
        format!("{files} {answered} {cpu} {of_cpu} {memory} {of_memory}")
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} mutated files, {} of them answered; the most for one: {} ms of CPU (file {}), {} MB (file {})",
            self.files,
            self.answered,
            self.cpu.0,
            self.cpu.1,
            self.memory.0 / 1024,
            self.memory.1
        )
    }
}

fn field(file: &str, name: &str) -> u64 {
    let text = fs::read_to_string(file).unwrap();
    let line = text.lines().find(|line| line.starts_with(name));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap()
}

/// The processor time of this process so far.
fn cpu() -> Duration {
    // Nanoseconds on a processor, of each thread.
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let times = threads.filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(times.sum())
}

fn run_one(number: usize, path: &str) -> (u8, u128, u64) {
    let (text, arguments) = generate::file(sample::seed(), number);
    fs::write(path, text).unwrap();
    // The peak begins again.
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = cpu();
    let all = [&["kubectl-pv"], &arguments[..], &["-f", path]].concat();
    let status = kubectl_pv::run(all.into_iter().map(OsString::from));
    let spent = cpu().saturating_sub(before).as_millis();
    (status, spent, field("/proc/self/status", "VmHWM:"))
}

fn run_all(first: usize, notes: &str) {
    let folder = TemporaryFolder::new();
    let path = folder.path().join("state.yaml").display().to_string();
    let mut figures = Figures::default();
    for number in first..first + PER_WORKER {
        fs::write(notes, number.to_string()).unwrap();
        let (status, spent, memory) = run_one(number, &path);
        figures.files += 1;
        figures.answered += usize::from(status != 3);
        figures.cpu = figures.cpu.max((spent, number));
        figures.memory = figures.memory.max((memory, number));
        if spent > MOST_CPU.as_millis() || memory > MOST_MEMORY {
            drop(folder);
            stop(&format!("{spent} ms of CPU, {memory} kB"));
        }
    }
    fs::write(notes, figures.write()).unwrap();
}

/// Ends the worker; its parent knows the file by its notes.
fn stop(why: &str) -> ! {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), why.as_bytes());
    #[expect(clippy::exit, reason = "a worker ends with the file it is at")]
    exit(101)
}

/// Does the work of a worker, if this process is one.
pub(super) fn run_if_asked() -> bool {
    let variable = |name: &str| {
        let found = std::env::vars().find(|(key, _)| key == name);
        found.map(|(_, value)| value)
    };
    let (Some(first), Some(notes)) = (variable(FIRST), variable(NOTES)) else {
        return false;
    };
    panic::set_hook(Box::new(|panic| stop(&format!("{panic}"))));
    let work = move || run_all(first.parse().unwrap(), &notes);
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap();
    true
}
