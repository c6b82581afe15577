//! Why there is no connection: everything that can be wrong before the first request is sent.
//! No message holds a token, a key, a plugin's arguments or its environment.

use std::{fmt, path::PathBuf};

use thiserror::Error;

const NOT_CONFIGURED: &str =
    "set KUBECONFIG or use --kubeconfig FILE; to read manifests instead of a cluster, use -f FILE";

/// A connection could not be set up.
#[derive(Debug, Error)]
pub(crate) enum ConnectError {
    #[error("no cluster is configured: {}", Looked(looked_in))]
    NoConfiguration { looked_in: Vec<PathBuf> },
    #[error("cannot read kubeconfig {}: {reason}", path.display())]
    ReadKubeconfig { path: PathBuf, reason: String },
    #[error("{} is not a valid kubeconfig{}", path.display(), Place(*place))]
    ParseKubeconfig {
        path: PathBuf,
        place: Option<(u64, u64)>,
    },
    #[error(
        "no current context in {} ({})",
        Files(files),
        Choice("contexts", contexts)
    )]
    NoCurrentContext {
        files: Vec<PathBuf>,
        contexts: Vec<String>,
    },
    #[error("{what} `{name}` not found in {} ({})", Files(files), Choice(what.plural(), available))]
    EntryNotFound {
        what: Entry,
        name: String,
        files: Vec<PathBuf>,
        available: Vec<String>,
    },
    #[error("cluster `{cluster}` has no server address in {}", Files(files))]
    NoServer {
        cluster: String,
        files: Vec<PathBuf>,
    },
    #[error("cannot use the server `{given}`: {reason}")]
    ServerUrl { given: String, reason: &'static str },
    #[error("cannot use the proxy in {setting}: {reason}")]
    Proxy {
        setting: &'static str,
        reason: &'static str,
    },
    #[error("cannot use the {what}: {reason}")]
    Credential { what: &'static str, reason: String },
    #[error("a certificate authority and insecure-skip-tls-verify exclude each other")]
    InsecureWithAuthority,
    #[error("a uid, groups or extras to impersonate need a user to impersonate")]
    ImpersonationWithoutUser,
    #[error("auth provider `{name}` is not supported")]
    AuthProvider { name: String },
    #[error("exec plugin `{command}` not found")]
    ExecNotFound {
        command: String,
        install_hint: Option<String>,
    },
    #[error("exec plugin `{command}` {problem}")]
    Exec { command: String, problem: String },
}

/// What a kubeconfig lists by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Context,
    Cluster,
    User,
}

impl Entry {
    fn plural(self) -> &'static str {
        match self {
            Self::Context => "contexts",
            Self::Cluster => "clusters",
            Self::User => "users",
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Context => "context",
            Self::Cluster => "cluster",
            Self::User => "user",
        })
    }
}

impl ConnectError {
    /// What the user may do about it.
    pub(crate) fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::NoConfiguration { .. } => NOT_CONFIGURED.into(),
            Self::NoCurrentContext { contexts, .. } if contexts.is_empty() => NOT_CONFIGURED.into(),
            Self::NoCurrentContext { .. } => "choose one with --context NAME".into(),
            Self::ReadKubeconfig { .. } | Self::ParseKubeconfig { .. } => {
                "another kubeconfig can be given with --kubeconfig FILE".into()
            }
            Self::NoServer { .. } => "give its address with --server URL".into(),
            Self::ImpersonationWithoutUser => "add --as USER".into(),
            Self::AuthProvider { name } if name == "gcp" => {
                "kubectl dropped it too; use the exec plugin gke-gcloud-auth-plugin".into()
            }
            Self::AuthProvider { name } if name == "azure" => {
                "kubectl dropped it too; use the exec plugin kubelogin".into()
            }
            Self::ExecNotFound {
                install_hint: Some(hint),
                ..
            } => hint.clone(),
            Self::ExecNotFound { .. } => {
                "install it, or give the full path of its command in the kubeconfig".into()
            }
            _ => return Vec::new(),
        };
        vec![hint]
    }
}

/// Where a kubeconfig was looked for in vain.
struct Looked<'a>(&'a [PathBuf]);

impl fmt::Display for Looked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("there is no home folder to look for a kubeconfig in"),
            paths => write!(f, "no kubeconfig at {}", Files(paths)),
        }
    }
}

struct Files<'a>(&'a [PathBuf]);

impl fmt::Display for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("any kubeconfig");
        }
        let names: Vec<String> = self
            .0
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        f.write_str(&names.join(", "))
    }
}

/// `contexts: a, b`, so that a slip of the pen is seen at once.
struct Choice<'a>(&'static str, &'a [String]);

impl fmt::Display for Choice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            [] => write!(f, "it has no {}", self.0),
            names => write!(f, "{}: {}", self.0, names.join(", ")),
        }
    }
}

/// Line and column: the parser's own words could quote a secret.
struct Place(Option<(u64, u64)>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((line, column)) => write!(f, " (line {line}, column {column})"),
            None => Ok(()),
        }
    }
}
