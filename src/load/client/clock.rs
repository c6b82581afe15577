//! The clock of the API server, from the `Date` header of its answers. Ages are computed from it: the clock of this machine may be
//! wrong by days, and a wrong age can delete data.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use http::{Response, header::DATE};

/// The time of the server in the first answer, and when it came; shared between the client and its users.
#[derive(Clone, Default)]
pub(crate) struct ServerClock(Arc<Mutex<Option<(jiff::Timestamp, Instant)>>>);

impl ServerClock {
    /// The time of the server now, once it has answered.
    pub(crate) fn now(&self) -> Option<jiff::Timestamp> {
        let first = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (time, since) = first?;
        time.checked_add(since.elapsed()).ok()
    }

    /// Notes the time of a response and passes it on.
    pub(super) fn note<B>(&self, response: Response<B>) -> Response<B> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            let text = response.headers().get(DATE);
            let time = text.and_then(|text| parse(text.to_str().ok()?));
            *first = time.map(|time| (time, Instant::now()));
        }
        drop(first);
        response
    }
}

/// `Wed, 21 Oct 2026 07:28:00 GMT`, the one form that servers send (RFC 9110, 5.6.7).
fn parse(text: &str) -> Option<jiff::Timestamp> {
    let zoned = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_sets_the_clock() {
        let clock = ServerClock::default();
        assert_eq!(clock.now(), None);
        let answer = |date: &str| Response::builder().header(DATE, date).body(()).unwrap();
        clock.note(answer("no date"));
        assert_eq!(clock.now(), None);
        clock.note(answer("Wed, 21 Oct 2026 07:28:00 GMT"));
        clock.note(answer("Wed, 21 Oct 2020 07:28:00 GMT"));
        let start: jiff::Timestamp = "2026-10-21T07:28:00Z".parse().unwrap();
        let passed = clock.now().unwrap().as_second() - start.as_second();
        assert!((0..60).contains(&passed), "{passed}");
    }
}
