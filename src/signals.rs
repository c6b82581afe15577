//! What ends a run that would go on for ever: Ctrl-C, and the end of its pod. In a container the first process hears neither unless it
//! asks to.

use crate::storage::end_programs;
use std::io;

/// The status of a run that a signal ended.
const INTERRUPTED: i32 = 130;

/// Ends this process and the programs of its backends.
#[expect(
    clippy::exit,
    reason = "a signal ends the process, whatever it is doing"
)]
pub(crate) fn end() -> ! {
    end_programs();
    std::process::exit(INTERRUPTED)
}

/// Lets a signal end the programs of backends too. For commands that have no other use for signals.
pub(crate) fn end_programs_with_us() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut signals = {
        let _within = runtime.enter();
        Signals::catch()?
    };
    std::thread::spawn(move || {
        runtime.block_on(signals.hear());
        end();
    });
    Ok(())
}

/// The signals that ask the program to stop; from now on they do not end it by themselves.
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Asks to hear them; within a runtime.
    pub(crate) fn catch() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for one of them.
    pub(crate) async fn hear(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn catch() -> io::Result<Self> {
        Ok(Self {})
    }

    pub(crate) async fn hear(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
