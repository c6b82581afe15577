//! Which proxy leads to the cluster, by the rules kubectl has from Go: a `proxy-url` in the
//! kubeconfig always applies; one from the environment only if `NO_PROXY` does not name the
//! cluster and the cluster is not this machine. (kube compares `NO_PROXY` with the proxy instead.)
//!
//! Rules: golang.org/x/net/http/httpproxy, proxy.go, `useProxy` and `init`.

use std::net::IpAddr;

use http::Uri;

use super::{address, errors::ConnectError};
use crate::environment::Environment;

/// The proxy for `server`, if there is one.
pub(super) fn find_proxy(
    server: &Uri,
    from_kubeconfig: Option<&str>,
    environment: &Environment,
) -> Result<Option<Uri>, ConnectError> {
    if let Some(proxy) = from_kubeconfig {
        return parse(proxy, "proxy-url").map(Some);
    }
    let (variable, proxy) = if server.scheme_str() == Some("https") {
        ("HTTPS_PROXY", environment.https_proxy.as_deref())
    } else {
        ("HTTP_PROXY", environment.http_proxy.as_deref())
    };
    let Some(proxy) = proxy else { return Ok(None) };
    let (host, port) = address::host_and_port(server);
    let no_proxy = environment.no_proxy.as_deref().unwrap_or_default();
    if is_this_machine(&host) || is_exempt(no_proxy, &host, port) {
        return Ok(None);
    }
    // Only the environment may leave the scheme out.
    let with_scheme = if proxy.contains("://") {
        proxy.to_owned()
    } else {
        format!("http://{proxy}")
    };
    parse(&with_scheme, variable).map(Some)
}

/// Errors name where the proxy was set, never the address itself: it may hold a password.
fn parse(proxy: &str, setting: &'static str) -> Result<Uri, ConnectError> {
    let error = |reason| ConnectError::Proxy { setting, reason };
    // The host name is left to the proxy in any case, which is what the `h` asks for.
    let proxy = proxy.replacen("socks5h://", "socks5://", 1);
    let uri: Uri = proxy.parse().map_err(|_| error("it is not a URL"))?;
    match uri.scheme_str() {
        Some("http" | "https" | "socks5") if uri.host().is_some() => Ok(uri),
        _ => Err(error("it must begin with http://, https:// or socks5://")),
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || parse_ip(host).is_some_and(|ip| ip.is_loopback())
}

/// Whether one entry of a `NO_PROXY` list names this host and port.
fn is_exempt(no_proxy: &str, host: &str, port: u16) -> bool {
    let host = host.to_lowercase();
    no_proxy
        .split(',')
        .map(|entry| entry.trim().to_lowercase())
        .filter(|entry| !entry.is_empty())
        .any(|entry| entry == "*" || matches_entry(&entry, &host, port))
}

fn matches_entry(entry: &str, host: &str, port: u16) -> bool {
    let ip = parse_ip(host);
    if let Some((network, length)) = parse_network(entry) {
        return ip.is_some_and(|ip| contains(network, length, ip));
    }
    let (name, wanted_port) = split_port(entry);
    if wanted_port.is_some_and(|wanted| wanted != port.to_string()) {
        return false;
    }
    if let Some(wanted) = parse_ip(name) {
        return ip == Some(wanted);
    }
    // `example.org` is the host and all below it; `.example.org` and `*.example.org` only the latter.
    let name = name
        .strip_prefix('*')
        .filter(|rest| rest.starts_with('.'))
        .unwrap_or(name);
    match name.strip_prefix('.') {
        Some("") => false,
        Some(_) => host.ends_with(name),
        None => !name.is_empty() && (host == name || host.ends_with(&format!(".{name}"))),
    }
}

fn parse_ip(text: &str) -> Option<IpAddr> {
    text.parse().ok().map(|ip: IpAddr| ip.to_canonical())
}

/// `host:80`, `[::1]:80` and both without the port.
fn split_port(entry: &str) -> (&str, Option<&str>) {
    let (host, port) = match entry
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => match entry.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') => (host, Some(port)),
            _ => (entry, None),
        },
    };
    (host, port.filter(|port| !port.is_empty()))
}

/// A network in CIDR form.
fn parse_network(entry: &str) -> Option<(IpAddr, u32)> {
    let (address, length) = entry.split_once('/')?;
    let (address, length): (IpAddr, u32) = (address.parse().ok()?, length.parse().ok()?);
    let bits = if address.is_ipv4() { 32 } else { 128 };
    (length <= bits).then_some((address, length))
}

fn contains(network: IpAddr, length: u32, ip: IpAddr) -> bool {
    match (network, ip) {
        (IpAddr::V4(network), IpAddr::V4(ip)) => {
            let differing = network.to_bits() ^ ip.to_bits();
            differing.leading_zeros() >= length
        }
        (IpAddr::V6(network), IpAddr::V6(ip)) => {
            let differing = network.to_bits() ^ ip.to_bits();
            differing.leading_zeros() >= length
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_entries_name_hosts_as_they_do_in_go() {
        // NO_PROXY, host, port, exempt
        let table = [
            ("", "example.org", 443, false),
            ("*", "example.org", 443, true),
            ("example.org", "example.org", 443, true),
            ("example.org", "api.example.org", 443, true),
            ("example.org", "badexample.org", 443, false),
            (".example.org", "example.org", 443, false),
            (".example.org", "api.example.org", 443, true),
            ("*.example.org", "api.example.org", 443, true),
            ("*.example.org", "example.org", 443, false),
            ("EXAMPLE.org", "Api.Example.ORG", 443, true),
            ("example.org:6443", "example.org", 6443, true),
            ("example.org:6443", "example.org", 443, false),
            ("example.org:", "example.org", 443, true),
            ("10.0.0.1", "10.0.0.1", 6443, true),
            ("10.0.0.1:6443", "10.0.0.1", 6443, true),
            ("10.0.0.1:443", "10.0.0.1", 6443, false),
            ("10.0.0.1", "10.0.0.10", 6443, false),
            ("10.0.0.0/8", "10.200.3.4", 6443, true),
            ("10.0.0.0/8", "11.0.0.1", 6443, false),
            ("0.0.0.0/0", "11.0.0.1", 6443, true),
            ("10.0.0.0/33", "10.0.0.1", 6443, false),
            ("10.0.0.0/8", "10.example.org", 443, false),
            ("fd00::/8", "fd12::1", 6443, true),
            ("fd00::/8", "fe80::1", 6443, false),
            ("fd12::1", "fd12::1", 6443, true),
            ("[fd12::1]:6443", "fd12::1", 6443, true),
            ("[fd12::1]:443", "fd12::1", 6443, false),
            ("a.org, example.org ,", "example.org", 443, true),
            (",,:80,/8,.", "example.org", 80, false),
        ];
        for (no_proxy, host, port, exempt) in table {
            assert_eq!(
                is_exempt(no_proxy, host, port),
                exempt,
                "NO_PROXY={no_proxy} for {host}:{port}"
            );
        }
    }

    fn environment(no_proxy: &str) -> Environment {
        Environment {
            https_proxy: Some("secure-proxy:3128".to_owned()),
            http_proxy: Some("http://plain-proxy:3128".to_owned()),
            no_proxy: Some(no_proxy.to_owned()),
            ..Environment::default()
        }
    }

    fn proxy(server: &str, from_kubeconfig: Option<&str>, no_proxy: &str) -> Option<String> {
        let server = Uri::try_from(server).unwrap();
        find_proxy(&server, from_kubeconfig, &environment(no_proxy))
            .unwrap()
            .map(|uri| uri.to_string())
    }

    #[test]
    fn the_scheme_of_the_server_chooses_the_variable() {
        assert_eq!(
            proxy("https://k8s.example.org", None, ""),
            Some("http://secure-proxy:3128/".into())
        );
        assert_eq!(
            proxy("http://k8s.example.org", None, ""),
            Some("http://plain-proxy:3128/".into())
        );
    }

    #[test]
    fn no_proxy_is_about_the_cluster_and_not_about_the_proxy() {
        assert_eq!(
            proxy("https://k8s.example.org", None, "k8s.example.org:443"),
            None
        );
        assert!(proxy("https://k8s.example.org", None, "secure-proxy,plain-proxy").is_some());
    }

    #[test]
    fn this_machine_is_reached_without_a_proxy_of_the_environment() {
        for server in [
            "https://localhost:6443",
            "https://127.0.0.1:6443",
            "https://127.8.9.1",
            "https://[::1]:6443",
        ] {
            assert_eq!(proxy(server, None, ""), None, "{server}");
        }
    }

    #[test]
    fn a_proxy_of_the_kubeconfig_always_applies() {
        let named = Some("socks5h://bastion:1080");
        assert_eq!(
            proxy("https://127.0.0.1:6443", named, "*"),
            Some("socks5://bastion:1080/".into())
        );
    }

    #[test]
    fn an_unusable_proxy_is_named_by_its_source_only() {
        let server = Uri::from_static("https://k8s.example.org");
        for proxy in [
            "ftp://me:secret@proxy",
            "http://me:secret@pro xy",
            "bastion:1080",
        ] {
            let error = find_proxy(&server, Some(proxy), &Environment::default()).unwrap_err();
            assert!(
                error
                    .to_string()
                    .starts_with("cannot use the proxy in proxy-url: "),
                "{error}"
            );
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
