//! `kubectl pv`: why a PersistentVolumeClaim is Pending, which volume it would get, and the command that fixes it.
//!
//! ```text
//! files ──┐
//!         ├─ load ─▶ model ─▶ engine ─▶ report ─▶ render ─▶ stdout
//! cluster ┘            └────▶ actions: plan ─▶ apply ─▶ cluster
//!                                       └────▶ storage (assets of this machine)
//! ```
//!
//! Only `load` reads, only `actions/apply.rs` writes to the cluster, only `storage` touches assets and only `render` lays out;
//! all between is pure: no IO, no clock, no environment, no async. The pure half (`conventions`, `model`, `report`, `engine`)
//! builds with `default-features = false`, for those who want the engine as a library:
//!
//! ```
//! # #[cfg(feature = "cli")] {
//! use kubectl_pv::{engine::{Rules, explain_claim}, load::read_text};
//!
//! let loaded = read_text("
//! apiVersion: v1
//! kind: PersistentVolumeClaim
//! metadata: {name: data}
//! spec:
//!   accessModes: [ReadWriteOnce]
//!   storageClassName: \"\"
//!   resources: {requests: {storage: 1Gi}}
//! ", "default").unwrap();
//! let explanation = explain_claim(&loaded.state, &loaded.state.claims()[0], Rules::V1_36);
//! assert_eq!(explanation.causes[0].cause.code().name(), "ClassExplicitlyEmpty");
//! # }
//! ```

pub mod conventions;
pub mod engine;
pub mod model;
#[cfg(test)]
mod orders;
pub mod report;
#[cfg(test)]
mod testing;

#[cfg(feature = "cli")]
mod actions;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod cluster;
#[cfg(feature = "cli")]
mod commands;
#[cfg(feature = "cli")]
mod environment;
#[cfg(feature = "cli")]
mod error;
#[cfg(feature = "cli")]
pub mod exit;
#[cfg(feature = "cli")]
mod flags;
#[cfg(feature = "cli")]
pub mod load;
#[cfg(feature = "cli")]
mod prompt;
#[cfg(feature = "cli")]
mod render;
#[cfg(feature = "cli")]
mod run_monitor;
#[cfg(feature = "cli")]
mod session;
#[cfg(feature = "cli")]
mod signals;
#[cfg(feature = "cli")]
mod storage;

/// Runs the program: the arguments, the program's own name first, in; the exit status out.
#[cfg(feature = "cli")]
pub fn run(args: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    use std::io::Write;
    let args: Vec<std::ffi::OsString> = args.into_iter().collect();
    let environment = environment::Environment::read();
    if environment.speaks_in_upper_case() {
        conventions::spoken::speak_in_upper_case();
    }
    let mut stdout = std::io::BufWriter::new(std::io::stdout().lock());
    // Not locked: the monitor of a writing run prints from its own thread.
    let mut stderr = std::io::stderr();
    if is_completer(args.first()) {
        let words: Vec<String> = args
            .iter()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        commands::complete::run(&words, &environment, &mut stdout);
        return exit::Exit::Yes.code();
    }
    let result = <cli::Cli as clap::Parser>::try_parse_from(args).map_err(|error| {
        // Help and version are answers; clap prints them, and everything else, to the right stream.
        let _ = error.print();
        if error.use_stderr() {
            exit::Exit::Usage
        } else {
            exit::Exit::Yes
        }
    });
    let cli = match result {
        Ok(cli) => cli,
        Err(exit) => return exit.code(),
    };
    let mut session = session::Session {
        environment,
        stdout: &mut stdout,
        stderr: &mut stderr,
    };
    let ended = cli
        .run(&mut session)
        .and_then(|exit| stdout.flush().map(|()| exit).map_err(Into::into));
    match ended {
        Ok(exit) => exit.code(),
        Err(error) if error.is_silent() => exit::Exit::Yes.code(),
        Err(error) => error.report(&mut stderr).code(),
    }
}

/// Whether the program was called under the name kubectl asks for completions by.
#[cfg(feature = "cli")]
fn is_completer(name: Option<&std::ffi::OsString>) -> bool {
    let stem = name.and_then(|name| std::path::Path::new(name).file_stem()?.to_str());
    stem == Some(commands::completion::COMPLETE_NAME)
}
