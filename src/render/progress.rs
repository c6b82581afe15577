//! How it goes while nothing else happens: a line that moves on a terminal, plain lines otherwise.

use super::safe;
use crate::actions::apply::Onlooker;
use crate::conventions::object_ref::ObjectKey;
use std::io::Write;
use std::time::Duration;

/// Without a terminal a sign of life is enough.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);

/// Tells somebody who waits.
pub(crate) struct Progress<'a> {
    to: Option<&'a mut dyn Write>,
    moves: bool,
    /// Whether a line stands that the next one takes the place of.
    is_open: bool,
    /// Who was last told to be waited for, and after how long.
    told: Option<(ObjectKey, Duration)>,
}

impl<'a> Progress<'a> {
    /// Tells nobody.
    pub(crate) fn silent() -> Self {
        Self {
            to: None,
            moves: false,
            is_open: false,
            told: None,
        }
    }

    /// Tells somebody; `moves` says whether lines can be written over.
    pub(crate) fn new(to: &'a mut dyn Write, moves: bool) -> Self {
        Self {
            to: Some(to),
            moves,
            ..Self::silent()
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(to) = &mut self.to {
            // Where even stderr is gone there is nobody left to tell.
            let _ = to.write_all(text.as_bytes());
            let _ = to.flush();
        }
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.write("\r\x1b[K");
        }
    }
}

impl Onlooker for Progress<'_> {
    fn hear(&mut self, claim: &ObjectKey, reason: &str, message: &str) {
        self.clear();
        let told = format!("{claim}: {reason}: {message}");
        let line = format!("{}\n", safe(&told));
        self.write(&line);
    }

    fn wait(&mut self, claim: &ObjectKey, waited: Duration) {
        self.keep_on(claim, &format!("{claim}: waits for its volume"), waited);
    }

    fn watch(&mut self, pod: &ObjectKey, phase: &str, waited: Duration) {
        self.keep_on(pod, &format!("pod {pod}: {phase}"), waited);
    }

    fn finish(&mut self) {
        self.clear();
    }
}

impl Progress<'_> {
    fn keep_on(&mut self, about: &ObjectKey, told: &str, waited: Duration) {
        if self.moves {
            let line = format!("\r\x1b[K{} ({}s)", safe(told), waited.as_secs());
            self.write(&line);
            self.is_open = true;
            return;
        }
        let is_due = match &self.told {
            Some((last, when)) if last == about => waited >= *when + SIGN_OF_LIFE,
            _ => true,
        };
        if is_due {
            let line = format!("{} ({}s)\n", safe(told), waited.as_secs());
            self.write(&line);
            self.told = Some((about.clone(), waited));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(moves: bool) -> String {
        let mut text = Vec::new();
        let claim = ObjectKey::new("prod", "data");
        let mut progress = Progress::new(&mut text, moves);
        for seconds in [0, 1, 29, 31] {
            progress.wait(&claim, Duration::from_secs(seconds));
        }
        progress.hear(&claim, "ProvisioningFailed", "no\x1b[2J room");
        progress.wait(&claim, Duration::from_secs(32));
        progress.finish();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_line_moves_on_a_terminal_and_is_gone_in_the_end() {
        let told = told(true);
        assert!(told.starts_with("\r\x1b[Kprod/data: waits for its volume (0s)"));
        assert!(told.ends_with("(32s)\r\x1b[K"));
        assert_eq!(told.matches('\n').count(), 1);
    }

    #[test]
    fn plain_lines_otherwise_and_few_of_them() {
        let told = told(false);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 3, "{told}");
        assert!(
            lines[1].contains("(31s)") && lines[2].starts_with("prod/data: ProvisioningFailed")
        );
        assert!(!told.contains('\x1b'));
    }
}
