//! Why a request was not answered as hoped, in words for people. kube's own texts are made for
//! programmers and may quote whole answers.

use std::{error::Error, fmt, time::Duration};

use http::{StatusCode, header::LOCATION, response::Parts};
use kube::{
    client::AuthError,
    core::{Status, response::StatusCause},
};
use thiserror::Error;

use super::{
    foreign_messages::expects_tls,
    obstacle::Obstacle,
    reason::{innermost, one_line, safe_auth_reason},
};

/// Where requests go, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    pub(super) server: String,
    /// The proxy on the way.
    pub(super) proxy: Option<String>,
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.server)?;
        match &self.proxy {
            Some(proxy) => write!(f, " (through the proxy {proxy})"),
            None => Ok(()),
        }
    }
}

/// A request that failed, and what it was for.
#[derive(Debug, Error)]
#[error("{act}: {kind}")]
pub(crate) struct ApiError {
    /// Such as `list persistentvolumes`.
    pub(crate) act: String,
    pub(crate) kind: ApiErrorKind,
}

/// How a request failed.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum ApiErrorKind {
    #[error("cannot reach the server {server}: {obstacle}")]
    Unreachable {
        server: ServerAddress,
        obstacle: Obstacle,
    },
    #[error("no answer from {server} within {}", Spelled(*after))]
    Timeout {
        server: ServerAddress,
        after: Duration,
    },
    #[error("cannot get credentials: {reason}")]
    Credentials { reason: String },
    #[error("the server does not accept your credentials (401 Unauthorized)")]
    Unauthorized,
    #[error("{message} (403 Forbidden)")]
    Forbidden { message: String },
    #[error("{message} (404 Not Found)")]
    NotFound { message: String },
    /// Any other answer that is not a success; `reason` is Kubernetes' word, such as `Conflict`.
    #[error("{message} ({code}{})", Reason(reason))]
    Server {
        code: u16,
        reason: String,
        message: String,
        /// The fields that it concerns, from `details.causes`.
        causes: Vec<StatusCause>,
    },
    #[error("cannot understand the answer: {reason}")]
    Malformed { reason: String },
}

impl ApiError {
    pub(crate) fn new(act: &str, kind: ApiErrorKind) -> Self {
        Self {
            act: act.to_owned(),
            kind,
        }
    }

    /// The same failure, told as part of a larger act.
    pub(crate) fn while_doing(self, act: &str) -> Self {
        Self::new(act, self.kind)
    }

    /// What the user may do about it.
    pub(crate) fn hints(&self) -> Vec<String> {
        let hint = match &self.kind {
            ApiErrorKind::Unreachable { server, obstacle } => {
                let mut hints = obstacle.hints();
                if server.proxy.is_some() {
                    hints.push(
                        "the proxy is from proxy-url in the kubeconfig or from HTTPS_PROXY; NO_PROXY names hosts to reach without the latter"
                            .to_owned(),
                    );
                }
                return hints;
            }
            ApiErrorKind::Timeout { .. } => "give it more time with --request-timeout",
            ApiErrorKind::Unauthorized => {
                "log in again if the login has expired, or use other credentials with --context, --user or --token"
            }
            ApiErrorKind::Server {
                code: 400, message, ..
            } if expects_tls(message) => "begin the server's address with https://",
            _ => return Vec::new(),
        };
        vec![hint.to_owned()]
    }
}

/// The failure behind an error of kube; `act` is what was tried, `server` whom it was asked.
pub(crate) fn describe_api_error(
    act: &str,
    error: &kube::Error,
    server: &ServerAddress,
) -> ApiError {
    let kind = match error {
        kube::Error::Api(status) => from_status(status.code, status),
        kube::Error::FromUtf8(_) => ApiErrorKind::Malformed {
            reason: "it is not UTF-8".to_owned(),
        },
        kube::Error::SerdeError(error) => ApiErrorKind::Malformed {
            reason: one_line(&error.to_string()),
        },
        kube::Error::BuildRequest(_) | kube::Error::HttpError(_) => ApiErrorKind::Malformed {
            reason: innermost(error),
        },
        _ => match find_auth_error(error) {
            Some(error) => ApiErrorKind::Credentials {
                reason: safe_auth_reason(error),
            },
            None => ApiErrorKind::Unreachable {
                server: server.clone(),
                obstacle: Obstacle::of(error),
            },
        },
    };
    ApiError::new(act, kind)
}

/// The failure an answer stands for that is not a success.
pub(super) fn from_answer(parts: &Parts, body: &str) -> ApiErrorKind {
    let code = parts.status.as_u16();
    if let Some(elsewhere) = parts
        .headers
        .get(LOCATION)
        .filter(|_| parts.status.is_redirection())
    {
        // A login page, most likely; what follows the question mark may be secret.
        let elsewhere = String::from_utf8_lossy(elsewhere.as_bytes());
        let elsewhere = one_line(elsewhere.split('?').next().unwrap_or_default());
        let message = format!("the server wants us to go to {elsewhere}");
        return ApiErrorKind::Server {
            code,
            reason: String::new(),
            message,
            causes: vec![],
        };
    }
    let status = serde_json::from_str(body).unwrap_or_else(|_| Status::failure(body, ""));
    from_status(code, &status)
}

/// kube's `is_not_found` and its like look at the reason only, which plain-text answers lack.
fn from_status(code: u16, status: &Status) -> ApiErrorKind {
    let message = || {
        let told = one_line(&status.message);
        let code = StatusCode::from_u16(code).ok();
        if told.is_empty() {
            code.and_then(|code| code.canonical_reason())
                .unwrap_or("no reason given")
                .to_owned()
        } else {
            told
        }
    };
    match code {
        // What kube makes of JSON that is no `Status`, such as the error page of a gateway.
        0 if status.reason.is_empty() => ApiErrorKind::Malformed {
            reason: "it is an error, but not one of Kubernetes".to_owned(),
        },
        401 => ApiErrorKind::Unauthorized,
        403 => ApiErrorKind::Forbidden { message: message() },
        404 => ApiErrorKind::NotFound { message: message() },
        _ if status.is_not_found() => ApiErrorKind::NotFound { message: message() },
        _ => ApiErrorKind::Server {
            code,
            reason: one_line(&status.reason),
            message: message(),
            causes: status
                .details
                .iter()
                .flat_map(|it| it.causes.clone())
                .collect(),
        },
    }
}

fn find_auth_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a AuthError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The reason after the code, if there is one.
struct Reason<'a>(&'a str);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            Ok(())
        } else {
            write!(f, " {}", self.0)
        }
    }
}

/// A time in its largest unit, with as many decimals as it has: `5s`, `1.5s`, `250ms`.
struct Spelled(Duration);

impl fmt::Display for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = self.0.as_nanos();
        let (unit, name, digits) = match nanoseconds {
            1_000_000_000.. => (1_000_000_000, "s", 9),
            1_000_000.. => (1_000_000, "ms", 6),
            1_000.. => (1_000, "µs", 3),
            _ => (1, "ns", 0),
        };
        let (whole, rest) = (nanoseconds / unit, nanoseconds % unit);
        let decimals = format!("{rest:0digits$}");
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{whole}{name}"),
            decimals => write!(f, "{whole}.{decimals}{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Response};

    use super::*;

    fn server() -> ServerAddress {
        ServerAddress {
            server: "https://k8s".to_owned(),
            proxy: None,
        }
    }

    fn told(code: u16, body: &str) -> String {
        let (mut parts, ()) = Response::new(()).into_parts();
        parts.status = StatusCode::from_u16(code).unwrap();
        parts.headers.insert(
            LOCATION,
            HeaderValue::from_static("https://login/?state=hush"),
        );
        ApiError::new("list pods", from_answer(&parts, body)).to_string()
    }

    #[test]
    fn a_timeout_names_the_time_as_people_write_it() {
        let times = [
            (5_000_000_000, "5s"),
            (90_000_000_000, "90s"),
            (1_500_000_000, "1.5s"),
            (1_000_000_001, "1.000000001s"),
            (250_000_000, "250ms"),
            (2_050_000, "2.05ms"),
            (700_000, "700µs"),
            (1, "1ns"),
            (0, "0ns"),
        ];
        for (nanoseconds, spelled) in times {
            let kind = ApiErrorKind::Timeout {
                server: server(),
                after: Duration::from_nanos(nanoseconds),
            };
            let expected = format!("no answer from https://k8s within {spelled}");
            assert_eq!(kind.to_string(), expected);
        }
    }

    #[test]
    fn a_redirect_is_no_answer() {
        assert_eq!(
            told(302, ""),
            "list pods: the server wants us to go to https://login/ (302)"
        );
    }

    #[test]
    fn a_missing_api_group_is_not_found_although_its_answer_is_plain_text() {
        assert_eq!(
            told(404, "404 page not found\n"),
            "list pods: 404 page not found (404 Not Found)"
        );
    }

    #[test]
    fn the_status_line_counts_when_the_body_is_json_of_someone_else() {
        assert_eq!(
            told(401, r#"{"error": "expired"}"#),
            "list pods: the server does not accept your credentials (401 Unauthorized)"
        );
        assert_eq!(
            told(502, r#"{"error": "x"}"#),
            "list pods: Bad Gateway (502)"
        );
    }

    #[test]
    fn kubernetes_own_words_are_kept() {
        let body = r#"{"kind":"Status","code":403,"reason":"Forbidden","message":"pods is forbidden: User \"jane\" cannot list"}"#;
        assert_eq!(
            told(403, body),
            r#"list pods: pods is forbidden: User "jane" cannot list (403 Forbidden)"#
        );
        let body = r#"{"kind":"Status","code":409,"reason":"Conflict","message":"it has changed"}"#;
        assert_eq!(told(409, body), "list pods: it has changed (409 Conflict)");
    }

    #[test]
    fn a_page_of_html_stays_one_short_line() {
        let page = format!("<html>\n\x1b[31m{}</html>", "long ".repeat(500));
        let told = told(503, &page);
        assert!(!told.contains(['\n', '\x1b']) && told.len() < 500, "{told}");
    }

    #[test]
    fn an_error_of_kube_is_told_without_its_debug_form() {
        let status = Status::failure("it has changed", "Conflict")
            .with_code(409)
            .boxed();
        let error = describe_api_error("bind pv-a", &kube::Error::Api(status), &server());
        assert_eq!(
            error.to_string(),
            "bind pv-a: it has changed (409 Conflict)"
        );
    }
}
