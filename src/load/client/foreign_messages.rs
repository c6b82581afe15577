//! Messages of other components that have no typed form, read in this file and nowhere else in `load`. What comes out is typed.
//!
//! - The authorizer of the API server: a refusal names user, verb, resource and namespace in its message only. `details` has
//!   neither user nor verb, and is the same for a refusal by a quota.
//! - Go's HTTP server: that it expects TLS.
//! - The standard library: the name of the kind of an IO error that it does not know, and the number in its messages.
//! - rustls (certificates, alerts), the resolver of the standard library, hyper and its connectors (proxies, closed
//!   connections): these crates are not dependencies of ours, so their errors cannot be downcast.

use std::io;

use super::{obstacle::Obstacle, reason::one_line};
use crate::conventions::permission::Permission;

/// Reads a refusal: `… User "jane" cannot list resource "pods" in API group "" in the namespace "team"`.
/// Upstream: apiserver/pkg/endpoints/handlers/responsewriters/errors.go, forbiddenMessage.
pub(super) fn find_refused_permission(message: &str) -> Option<Permission> {
    let (_, rest) = message.split_once("User \"")?;
    let (user, rest) = rest.split_once("\" cannot ")?;
    let (verb, rest) = rest.split_once(" resource \"")?;
    let (resource, rest) = rest.split_once("\" in API group \"")?;
    let (group, rest) = rest.split_once('"')?;
    let namespace = match rest.strip_prefix(" in the namespace \"") {
        Some(rest) => Some(rest.split_once('"')?.0.to_owned()),
        None if rest.starts_with(" at the cluster scope") => None,
        None => return None,
    };
    // A backslash means that the server has quoted something: then it is not the name any more.
    (!user.contains('\\')).then(|| Permission {
        user: user.to_owned(),
        verb: verb.to_owned(),
        resource: resource.to_owned(),
        group: group.to_owned(),
        namespace,
    })
}

/// Whether a server answered 400 because it expects TLS. Upstream: Go, net/http/server.go.
pub(super) fn expects_tls(message: &str) -> bool {
    message.contains("HTTP request to an HTTPS server")
}

/// The name of a kind of IO error, unless the standard library has none for it: that variant cannot be named.
pub(super) fn named_kind(kind: io::ErrorKind) -> Option<String> {
    Some(kind.to_string()).filter(|name| name != "uncategorized error")
}

/// The message of an IO error without the number of the operating system.
pub(super) fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or_default()
}

/// What is wrong with a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CertificateFault {
    UnknownAuthority,
    OtherName,
    OutOfDate,
    /// X.509 version 1.
    OldVersion,
    /// It does not belong to the key.
    OtherKey,
    Damaged,
    Other,
}

/// How rustls begins a message about any certificate, as if all of them were the server's.
const CERTIFICATE: &str = "invalid peer certificate: ";

/// The fault that a message of rustls reports, and its text.
pub(super) fn certificate_fault(message: &str) -> (CertificateFault, String) {
    let text = message.strip_prefix(CERTIFICATE).unwrap_or(message);
    let begins = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    // With and without the times it is spelled differently.
    let times = [
        "Expired",
        "NotValidYet",
        "certificate expired",
        "certificate not valid yet",
    ];
    let fault = if begins(&["UnknownIssuer"]) || text.contains("CaUsedAsEndEntity") {
        CertificateFault::UnknownAuthority
    } else if begins(&["certificate not valid for name"]) {
        CertificateFault::OtherName
    } else if begins(&times) {
        CertificateFault::OutOfDate
    } else if text.contains("UnsupportedCertVersion") {
        CertificateFault::OldVersion
    } else if text.contains("KeyMismatch") {
        CertificateFault::OtherKey
    } else if text == "BadEncoding" {
        CertificateFault::Damaged
    } else {
        CertificateFault::Other
    };
    (fault, text.to_owned())
}

/// The obstacle that one of the causes of an error reports.
pub(super) fn find_obstacle(text: &str) -> Option<Obstacle> {
    if text.starts_with(CERTIFICATE) {
        let (fault, text) = certificate_fault(text);
        return Some(match fault {
            CertificateFault::UnknownAuthority => Obstacle::UnknownAuthority,
            CertificateFault::OtherName => Obstacle::OtherName(one_line(&text)),
            CertificateFault::OutOfDate => Obstacle::OutOfDate,
            CertificateFault::OldVersion
            | CertificateFault::OtherKey
            | CertificateFault::Damaged
            | CertificateFault::Other => Obstacle::Other(format!(
                "its certificate is not valid ({})",
                one_line(&text)
            )),
        });
    }
    if let Some(reason) = text.strip_prefix("failed to lookup address information: ") {
        return Some(Obstacle::Name(reason.to_lowercase()));
    }
    if let Some(alert) = text.strip_prefix("received fatal alert: ") {
        return match alert {
            "CertificateRequired" => Some(Obstacle::Other(
                "it demands a client certificate".to_owned(),
            )),
            _ if alert.contains("ertificate") || alert == "UnknownCA" => {
                Some(Obstacle::ClientCertificate(alert.to_owned()))
            }
            _ => None,
        };
    }
    if let Some(reason) = text.strip_prefix("SOCKS error: ") {
        return Some(Obstacle::Proxy(one_line(reason)));
    }
    match text.strip_prefix("tunnel error: ") {
        Some("unsuccessful") => return Some(Obstacle::Proxy("it opens no tunnel".to_owned())),
        Some("proxy authorization required") => {
            return Some(Obstacle::Proxy("it wants a user and a password".to_owned()));
        }
        Some("unexpected end of file") => return Some(Obstacle::Closed),
        _ => {}
    }
    match text {
        _ if text.contains("InvalidContentType") => Some(Obstacle::NotTls),
        "connection closed before message completed" | "unexpected EOF during chunk size line" => {
            Some(Obstacle::Closed)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::client::testing::recorded_answer;

    #[test]
    fn refusals_of_the_authorizer_name_what_is_missing() {
        let refused = |name: &str| {
            let message = recorded_answer(name)["message"].clone();
            find_refused_permission(message.as_str().unwrap())
        };
        let permission = |verb: &str, resource: &str, group: &str, namespace: Option<&str>| {
            Some(Permission {
                user: "nobody".to_owned(),
                verb: verb.to_owned(),
                resource: resource.to_owned(),
                group: group.to_owned(),
                namespace: namespace.map(str::to_owned),
            })
        };
        let pods = permission("list", "pods", "", Some("default"));
        assert_eq!(refused("forbidden list"), pods);
        let status = permission("patch", "persistentvolumes/status", "", None);
        assert_eq!(refused("forbidden status"), status);
        let classes = permission("list", "storageclasses", "storage.k8s.io", None);
        assert_eq!(refused("forbidden class"), classes);
        // A path has no resource, and no role helps against a quota.
        assert_eq!(refused("forbidden path"), None);
        assert_eq!(refused("quota"), None);
        for message in [
            "",
            r#"User "ja\"ne" cannot list resource "pods" in API group "" at the cluster scope"#,
            r#"User "jane" cannot list resource "pods" in API group "" in the namespace "#,
        ] {
            assert_eq!(find_refused_permission(message), None, "{message}");
        }
    }

    #[test]
    fn a_server_that_expects_tls_says_so() {
        // As kube-apiserver v1.36.4 answers.
        assert!(expects_tls(
            "Client sent an HTTP request to an HTTPS server."
        ));
        assert!(!expects_tls("the server rejected our request"));
    }

    #[test]
    fn errors_of_the_operating_system_are_named_without_their_number() {
        let refused = io::Error::from_raw_os_error(111);
        assert_eq!(
            named_kind(refused.kind()).as_deref(),
            Some("connection refused")
        );
        let unnamed = io::Error::from_raw_os_error(61);
        assert_eq!(named_kind(unnamed.kind()), None);
        assert_eq!(without_number(&unnamed.to_string()), "No data available");
    }

    #[test]
    fn faults_of_certificates_of_ours() {
        let fault = |message: &str| certificate_fault(message).0;
        let message = "invalid peer certificate: BadEncoding";
        assert_eq!(
            certificate_fault(message),
            (CertificateFault::Damaged, "BadEncoding".to_owned())
        );
        assert_eq!(
            fault("keys may not be consistent: KeyMismatch"),
            CertificateFault::OtherKey
        );
        let version = "invalid peer certificate: Other(OtherError(UnsupportedCertVersion))";
        assert_eq!(fault(version), CertificateFault::OldVersion);
    }
}
