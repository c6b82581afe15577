//! The reason in another's error, fit for one line of ours: the innermost cause, in lower case,
//! without secrets.

use std::{error::Error, io};

use kube::{
    client::{AuthError, RustlsTlsError},
    config::{KubeconfigError, LoadDataError},
};

use super::{
    address,
    errors::ConnectError,
    foreign_messages::{CertificateFault, certificate_fault, named_kind, without_number},
};

/// What building the client can still find wrong; the rest of `kube::Error` is about requests.
impl From<kube::Error> for ConnectError {
    fn from(error: kube::Error) -> Self {
        let credential = |what, reason| ConnectError::Credential { what, reason };
        match error {
            kube::Error::InferKubeconfig(KubeconfigError::LoadClientCertificate(error)) => {
                credential("client certificate", file_reason(&error))
            }
            kube::Error::InferKubeconfig(KubeconfigError::LoadClientKey(error)) => {
                credential("client key", file_reason(&error))
            }
            kube::Error::RustlsTls(RustlsTlsError::AddRootCertificate(error)) => {
                credential("certificate authority", certificate_reason(error.as_ref()))
            }
            kube::Error::RustlsTls(RustlsTlsError::InvalidServerName(_)) => {
                credential("tls-server-name", "it is not a host name".to_owned())
            }
            kube::Error::RustlsTls(error) => {
                credential("client certificate", certificate_reason(&error))
            }
            kube::Error::Auth(error) => credential("credentials", safe_auth_reason(&error)),
            kube::Error::HttpError(_) => credential(
                "user, uid, group or extra to impersonate",
                "it holds a character that cannot be sent".to_owned(),
            ),
            kube::Error::ProxyProtocolUnsupported { proxy_url } => credential(
                "proxy",
                format!("{} has an unknown scheme", address::shown(&proxy_url)),
            ),
            other => credential("configuration", innermost(&other)),
        }
    }
}

fn file_reason(error: &LoadDataError) -> String {
    match error {
        LoadDataError::ReadFile(error, path) => format!("{}: {}", path.display(), io_reason(error)),
        other => innermost(other),
    }
}

/// What is wrong with a certificate of ours.
fn certificate_reason(error: &(dyn Error + 'static)) -> String {
    let (fault, text) = certificate_fault(&innermost(error));
    match fault {
        CertificateFault::OldVersion => {
            "it is of X.509 version 1; issue it again as version 3".to_owned()
        }
        CertificateFault::OtherKey => "it does not belong to the client key".to_owned(),
        CertificateFault::Damaged => "it is damaged".to_owned(),
        CertificateFault::UnknownAuthority
        | CertificateFault::OtherName
        | CertificateFault::OutOfDate
        | CertificateFault::Other => text,
    }
}

/// What went wrong with credentials. A plugin's command line, environment and output stay unsaid.
pub(super) fn safe_auth_reason(error: &AuthError) -> String {
    match error {
        AuthError::AuthExecRun { out, .. } => format!("a command ended with {}", out.status),
        AuthError::AuthExecStart(error) => io_reason(error),
        AuthError::ReadTokenFile(error, path) => {
            format!("{}: {}", path.display(), io_reason(error))
        }
        AuthError::Oidc(error) => format!("OIDC: {}", innermost(error)),
        AuthError::InvalidBearerToken(_) | AuthError::InvalidBasicAuth(_) => {
            "they hold a character that cannot be sent".to_owned()
        }
        _ => "they cannot be obtained".to_owned(),
    }
}

/// The reason of an IO error in lower case, without numbers of the operating system.
pub(super) fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::Other | io::ErrorKind::InvalidData => one_line(&error.to_string()),
        kind => match named_kind(kind).filter(|_| error.raw_os_error().is_some()) {
            Some(name) => name,
            None => one_line(without_number(&error.to_string())),
        },
    }
}

/// The last of an error's causes: the one that says what happened.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    match error.downcast_ref::<io::Error>() {
        Some(error) => io_reason(error),
        None => one_line(&error.to_string()),
    }
}

/// Text from elsewhere as part of a one-line message: no line breaks, no control characters, cut.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 400;
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}
