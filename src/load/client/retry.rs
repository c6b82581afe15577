//! When a request is sent again: a CLI has a person waiting, so seldom and for a few seconds only.
//! (kube would try 15 times, any verb, and wait as long as the server says.)

use std::time::Duration;

use http::{HeaderMap, Method, Request, Response, StatusCode, header::RETRY_AFTER};
use kube::client::Body;
use tokio::time::{Sleep, sleep};
use tower::{BoxError, retry::Policy};

use super::options::Patience;

/// How often one request may be sent in all.
const ATTEMPTS: u32 = 4;
/// The same for the reads of somebody who writes.
const PATIENT_ATTEMPTS: u32 = 6;
const FIRST_DELAY: Duration = Duration::from_millis(250);
/// The longest wait, whatever the server asks for.
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// The retry policy of one request; tower clones a fresh one for each.
#[derive(Clone, Default)]
pub(super) struct FewRetries {
    retries: u32,
    patience: Patience,
}

impl FewRetries {
    pub(super) fn new(patience: Patience) -> Self {
        Self {
            retries: 0,
            patience,
        }
    }

    fn may_repeat<B>(
        &self,
        request: &Request<Body>,
        result: &Result<Response<B>, BoxError>,
    ) -> bool {
        let is_patient = self.patience == Patience::Much && request.method() == Method::GET;
        let attempts = if is_patient {
            PATIENT_ATTEMPTS
        } else {
            ATTEMPTS
        };
        let passes = match result {
            Ok(response) => {
                let status = response.status();
                let is_internal = status == StatusCode::INTERNAL_SERVER_ERROR;
                may_repeat(request.method(), status) || is_patient && is_internal
            }
            Err(_) => is_patient,
        };
        passes && self.retries + 1 < attempts
    }
}

impl<B> Policy<Request<Body>, Response<B>, BoxError> for FewRetries {
    type Future = Sleep;

    fn retry(
        &mut self,
        request: &mut Request<Body>,
        result: &mut Result<Response<B>, BoxError>,
    ) -> Option<Sleep> {
        if !self.may_repeat(request, result) {
            return None;
        }
        let none = HeaderMap::new();
        let delay = delay(
            self.retries,
            result.as_ref().map_or(&none, Response::headers),
        );
        self.retries += 1;
        Some(sleep(delay))
    }

    fn clone_request(&mut self, request: &Request<Body>) -> Option<Request<Body>> {
        let mut copy = Request::new(request.body().try_clone()?);
        *copy.method_mut() = request.method().clone();
        *copy.uri_mut() = request.uri().clone();
        *copy.version_mut() = request.version();
        *copy.headers_mut() = request.headers().clone();
        *copy.extensions_mut() = request.extensions().clone();
        Some(copy)
    }
}

/// A 503 or 504 leaves open whether the request took effect, so only reads are repeated then.
fn may_repeat(method: &Method, status: StatusCode) -> bool {
    match status {
        StatusCode::TOO_MANY_REQUESTS => true,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => method == Method::GET,
        _ => false,
    }
}

fn delay(retries: u32, headers: &HeaderMap) -> Duration {
    let asked = headers
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .map_or(Duration::ZERO, Duration::from_secs);
    asked
        .max(FIRST_DELAY * 2_u32.pow(retries))
        .min(LONGEST_DELAY)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn reads_are_repeated_when_the_server_is_busy_and_writes_only_when_refused_outright() {
        let table = [
            (Method::GET, 429, true),
            (Method::GET, 503, true),
            (Method::GET, 504, true),
            (Method::GET, 500, false),
            (Method::GET, 404, false),
            (Method::POST, 429, true),
            (Method::POST, 503, false),
            (Method::PATCH, 504, false),
            (Method::DELETE, 503, false),
        ];
        for (method, status, repeated) in table {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(may_repeat(&method, status), repeated, "{method} {status}");
        }
    }

    #[test]
    fn the_servers_wish_counts_up_to_ten_seconds() {
        let after = |text: &'static str| {
            HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(text))])
        };
        assert_eq!(delay(0, &HeaderMap::new()), Duration::from_millis(250));
        assert_eq!(delay(2, &HeaderMap::new()), Duration::from_secs(1));
        assert_eq!(delay(0, &after("3")), Duration::from_secs(3));
        assert_eq!(delay(0, &after("3600")), Duration::from_secs(10));
        assert_eq!(delay(1, &after("0")), Duration::from_millis(500));
        assert_eq!(
            delay(0, &after("Wed, 21 Oct 2026 07:28:00 GMT")),
            Duration::from_millis(250)
        );
    }

    #[tokio::test]
    async fn a_request_is_sent_four_times_at_most() {
        let mut policy = FewRetries::default();
        let mut request = Request::new(Body::empty());
        let mut sent = 1;
        loop {
            let mut busy: Result<Response<()>, BoxError> = Ok(Response::new(()));
            *busy.as_mut().unwrap().status_mut() = StatusCode::TOO_MANY_REQUESTS;
            match policy.retry(&mut request, &mut busy) {
                Some(_) => sent += 1,
                None => break,
            }
        }
        assert_eq!(sent, 4);
    }
}
