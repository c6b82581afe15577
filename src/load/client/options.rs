//! What a user may say about the connection, as plain values. Where they come from (flags) is not
//! known here; what they mean is in `target.rs`.

use std::{path::PathBuf, time::Duration};

use secrecy::SecretString;

/// The user's wishes; whatever is `None`, empty or `false` is left to the kubeconfig.
#[derive(Clone, Default)]
pub(crate) struct ConnectionOptions {
    /// The one kubeconfig file to read.
    pub(crate) kubeconfig: Option<PathBuf>,
    pub(crate) context: Option<String>,
    pub(crate) cluster: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) namespace: Option<String>,
    /// A URL, or `host:port`, which means plain HTTP.
    pub(crate) server: Option<String>,
    pub(crate) token: Option<SecretString>,
    pub(crate) impersonate: Impersonation,
    pub(crate) certificate_authority: Option<PathBuf>,
    pub(crate) client_certificate: Option<PathBuf>,
    pub(crate) client_key: Option<PathBuf>,
    pub(crate) insecure_skip_tls_verify: bool,
    pub(crate) tls_server_name: Option<String>,
    /// The longest one request may take; `None` is as long as it takes.
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) disable_compression: bool,
    /// Whether reads are repeated after any passing failure: somebody who writes has more to lose than time.
    pub(crate) patience: Patience,
}

/// How often a read is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Patience {
    /// When the server asks for it.
    #[default]
    Little,
    /// After broken connections and internal errors, too.
    Much,
}

/// Whom to act as.
#[derive(Clone, Default)]
pub(crate) struct Impersonation {
    pub(crate) user: Option<String>,
    pub(crate) uid: Option<String>,
    pub(crate) groups: Vec<String>,
    /// Key and value; a key may occur more than once.
    pub(crate) extra: Vec<(String, String)>,
}

/// Whether stdin carries data of ours (`-f -`), so that nobody else may read from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StdinUse {
    Free,
    Taken,
}
