//! What the process is handed from outside: environment variables, the home folder, the kind of
//! stdin, the time of the start. Read once, here; everybody else takes values and can be tested.

use crate::model::Host;
use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, IsTerminal},
    path::PathBuf,
    sync::Arc,
};

/// Where Kubernetes mounts the credentials of a pod.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The outside of the process, as far as a connection depends on it.
///
/// Proxy addresses may hold passwords, hence no `Debug`.
#[derive(Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Environment {
    /// `KUBECONFIG`: a list of files.
    pub(crate) kubeconfig: Option<OsString>,
    pub(crate) home: Option<PathBuf>,
    /// What this machine is called, where the system says so.
    pub(crate) host_name: Option<String>,
    /// The same with all else by which its Node is found.
    pub(crate) host: Option<Arc<Host>>,
    /// `KUBECTL_PV_BACKENDS`: the file of `--backends`.
    pub(crate) backends: Option<OsString>,
    /// All variables; the programs of backends get few of them.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// `HTTPS_PROXY`, else `https_proxy`.
    pub(crate) https_proxy: Option<String>,
    /// `HTTP_PROXY`, else `http_proxy`.
    pub(crate) http_proxy: Option<String>,
    /// `NO_PROXY`, else `no_proxy`.
    pub(crate) no_proxy: Option<String>,
    pub(crate) pod: PodEnvironment,
    pub(crate) stdin_is_terminal: bool,
    pub(crate) stdout_is_terminal: bool,
    pub(crate) stderr_is_terminal: bool,
    /// `NO_COLOR`, set to more than nothing (no-color.org).
    pub(crate) no_color: bool,
    /// `CLICOLOR_FORCE`, set to more than `0`.
    pub(crate) force_color: bool,
    /// `TERM` is `dumb`.
    pub(crate) is_dumb_terminal: bool,
    /// The locale's character set is UTF-8.
    pub(crate) is_utf8: bool,
    /// The width of the terminal behind stdout.
    pub(crate) terminal_width: Option<usize>,
    pub(crate) started_at: jiff::Timestamp,
}

/// What a container in a pod sees of its cluster.
#[derive(Clone, Default)]
pub(crate) struct PodEnvironment {
    /// `KUBERNETES_SERVICE_HOST`.
    pub(crate) service_host: Option<String>,
    /// `KUBERNETES_SERVICE_PORT`.
    pub(crate) service_port: Option<String>,
    /// `POD_NAMESPACE`, which some manifests set.
    pub(crate) namespace: Option<String>,
    /// The folder with `token`, `ca.crt` and `namespace`.
    pub(crate) service_account: PathBuf,
}

impl Environment {
    /// `KUBECTL_PV_TESTS_UPPER_CASE`, for tests only: sentences are in upper case, to show that no decision reads one.
    pub(crate) fn speaks_in_upper_case(&self) -> bool {
        let mut variables = self.variables.iter();
        cfg!(debug_assertions) && variables.any(|(name, _)| name == "KUBECTL_PV_TESTS_UPPER_CASE")
    }

    /// `PATH`: where programs are.
    pub(crate) fn search_path(&self) -> &OsStr {
        let path = self.variables.iter().find(|(name, _)| name == "PATH");
        path.map_or_else(|| OsStr::new(""), |(_, value)| value.as_os_str())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads them"
    )]
    pub(crate) fn read() -> Self {
        Self {
            kubeconfig: env::var_os("KUBECONFIG").filter(|value| !value.is_empty()),
            home: env::home_dir(),
            host_name: host_name(),
            host: host().map(Arc::new),
            backends: env::var_os("KUBECTL_PV_BACKENDS").filter(|value| !value.is_empty()),
            variables: env::vars_os().collect(),
            https_proxy: first_set(["HTTPS_PROXY", "https_proxy"]),
            http_proxy: first_set(["HTTP_PROXY", "http_proxy"]),
            no_proxy: first_set(["NO_PROXY", "no_proxy"]),
            pod: PodEnvironment {
                service_host: first_set(["KUBERNETES_SERVICE_HOST"]),
                service_port: first_set(["KUBERNETES_SERVICE_PORT"]),
                namespace: first_set(["POD_NAMESPACE"]),
                service_account: PathBuf::from(SERVICE_ACCOUNT),
            },
            stdin_is_terminal: io::stdin().is_terminal(),
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_is_terminal: io::stderr().is_terminal(),
            no_color: first_set(["NO_COLOR"]).is_some(),
            force_color: first_set(["CLICOLOR_FORCE"]).is_some_and(|value| value != "0"),
            is_dumb_terminal: first_set(["TERM"]).is_some_and(|value| value == "dumb"),
            is_utf8: first_set(["LC_ALL", "LC_CTYPE", "LANG"]).is_some_and(|value| {
                let value = value.to_ascii_lowercase();
                value.contains("utf-8") || value.contains("utf8")
            }),
            terminal_width: terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)),
            started_at: jiff::Timestamp::now(),
        }
    }
}

fn host() -> Option<Host> {
    let node_name = first_set(["KUBECTL_PV_NODE_NAME"]);
    let name = host_name().or_else(|| node_name.clone())?;
    Some(Host {
        name,
        machine_id: first_line("/etc/machine-id"),
        node_name,
    })
}

fn host_name() -> Option<String> {
    first_line("/proc/sys/kernel/hostname")
}

fn first_line(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().next()?.trim().to_owned();
    Some(line).filter(|line| !line.is_empty())
}

/// The first of these variables that is set to more than nothing.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads them"
)]
fn first_set<const N: usize>(names: [&str; N]) -> Option<String> {
    names
        .into_iter()
        .filter_map(|name| env::var(name).ok())
        .find(|value| !value.is_empty())
}
