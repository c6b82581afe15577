//! Addresses of servers: as kubectl reads them and as they are safe to print.

use http::Uri;

use super::errors::ConnectError;

/// The URL of a server given as URL or as `host:port`, which is plain HTTP.
///
/// Upstream: client-go/rest/url_utils.go, `DefaultServerURL`.
pub(super) fn parse_server(given: &str) -> Result<Uri, ConnectError> {
    let error = |reason| ConnectError::ServerUrl {
        given: shown_text(given),
        reason,
    };
    let full = if given.contains("://") {
        given.to_owned()
    } else if given.trim_end_matches('/').contains('/') {
        return Err(error("a server is a URL or HOST:PORT"));
    } else {
        format!("http://{given}")
    };
    let uri: Uri = full.parse().map_err(|_| error("it is not a URL"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(error("it must begin with https:// or http://"));
    }
    let host = uri.host().unwrap_or_default();
    if host.is_empty() {
        return Err(error("it has no host"));
    }
    if uri.port_u16().is_none() && has_port(&uri, host) {
        return Err(error("its port is not a number up to 65535"));
    }
    Ok(uri)
}

fn has_port(uri: &Uri, host: &str) -> bool {
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let without_user = authority
        .rsplit_once('@')
        .map_or(authority, |(_, rest)| rest);
    without_user.len() > host.len() + 1
}

/// The host without the brackets of IPv6, and the port or the scheme's default.
pub(super) fn host_and_port(uri: &Uri) -> (String, u16) {
    let host = uri
        .host()
        .unwrap_or_default()
        .trim_matches(['[', ']'])
        .to_lowercase();
    let default = if uri.scheme_str() == Some("https") {
        443
    } else {
        80
    };
    (host, uri.port_u16().unwrap_or(default))
}

/// A URL without user name and password.
pub(super) fn shown(uri: &Uri) -> String {
    let scheme = uri.scheme_str().unwrap_or("http");
    let host = uri.host().unwrap_or_default();
    let port = uri
        .port_u16()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    let path = uri.path().trim_end_matches('/');
    format!("{scheme}://{host}{port}{path}")
}

/// The same for what could not be parsed.
fn shown_text(given: &str) -> String {
    match (given.split_once("://"), given.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://{rest}"),
        (None, Some((_, rest))) => rest.to_owned(),
        _ => given.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_a_url_or_host_and_port() {
        let table = [
            ("https://k8s:6443", "https://k8s:6443"),
            ("https://k8s", "https://k8s"),
            (
                "https://rancher/k8s/clusters/c-1/",
                "https://rancher/k8s/clusters/c-1",
            ),
            ("https://[::1]:6443", "https://[::1]:6443"),
            ("https://me:secret@k8s:6443", "https://k8s:6443"),
            ("localhost:8080", "http://localhost:8080"),
            ("k8s", "http://k8s"),
        ];
        for (given, expected) in table {
            assert_eq!(shown(&parse_server(given).unwrap()), expected);
        }
    }

    #[test]
    fn what_is_no_server_is_refused_without_its_password() {
        for given in [
            "",
            "ftp://k8s",
            "k8s/path",
            "https://",
            "https://me:secret@k8s:99999",
            "https://a b",
        ] {
            let error = parse_server(given).unwrap_err().to_string();
            assert!(error.starts_with("cannot use the server `"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
