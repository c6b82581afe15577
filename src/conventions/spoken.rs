//! The sentences of this program. Tests let all of them be in upper case, to show that no decision reads one.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_UPPER_CASE: AtomicBool = AtomicBool::new(false);

/// Lets every sentence from now on be in upper case. Only builds for tests do.
pub fn speak_in_upper_case() {
    IS_UPPER_CASE.store(cfg!(debug_assertions), Ordering::Relaxed);
}

/// A sentence of ours.
pub fn spoken(sentence: String) -> String {
    if cfg!(debug_assertions) && IS_UPPER_CASE.load(Ordering::Relaxed) {
        sentence.to_uppercase()
    } else {
        sentence
    }
}
