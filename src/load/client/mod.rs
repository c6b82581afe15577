//! Flags, kubeconfig and environment → one `kube::Client` per run, and reading with it.
//!
//! `target.rs` finds cluster and user, `config.rs` turns them into kube's terms, and this file
//! stacks the layers. Everything is as kubectl does it; where kube 5 differs, the file concerned
//! says so. Writing is left to `actions/apply.rs`.

mod address;
mod api_error;
mod clock;
mod config;
mod credentials;
mod errors;
mod exec;
mod foreign_messages;
mod kubeconfig;
mod lookup;
mod obstacle;
mod options;
mod overlay;
mod pem;
mod plugin_credentials;
mod pod;
mod proxy;
mod reason;
mod refusals;
mod retry;
mod target;
#[cfg(test)]
pub(crate) mod testing;
mod warnings;
mod write;

use std::time::Duration;

use futures::AsyncBufReadExt;
use http::Request;
use kube::{Client, client::ClientBuilder};
use tokio::time::timeout;
use tower::{
    buffer::BufferLayer,
    retry::RetryLayer,
    util::{MapRequestLayer, MapResponseLayer},
};

pub(crate) use self::{
    api_error::{ApiError, ApiErrorKind, describe_api_error},
    clock::ServerClock,
    errors::ConnectError,
    options::{ConnectionOptions, Impersonation, Patience, StdinUse},
    warnings::Warnings,
    write::Write,
};
use self::{
    api_error::{ServerAddress, from_answer},
    config::build_config,
    exec::Plugin,
    plugin_credentials::PluginCredentials,
    refusals::Refusals,
    retry::FewRetries,
    target::find_target,
};
use crate::environment::Environment;

/// How long the server may take to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How many requests may wait for their turn; more are held back, not lost.
const WAITING_REQUESTS: usize = 64;

/// A way to a cluster. Nothing is sent before the first request.
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// The namespace for whatever names none.
    pub(crate) namespace: String,
    /// The server's address for messages, with the proxy on the way.
    pub(crate) server: ServerAddress,
    /// The longest one request may take, with its retries.
    pub(crate) request_timeout: Option<Duration>,
    /// What the server warned of; print it after the requests.
    pub(crate) warnings: Warnings,
    /// The time of the server.
    pub(crate) clock: ServerClock,
    /// What the server did not allow so far.
    pub(crate) refusals: Refusals,
}

/// Sets up the client. Build it once per run: it may ask a credential plugin.
pub(crate) async fn connect(
    options: &ConnectionOptions,
    environment: &Environment,
    stdin: StdinUse,
) -> Result<Connection, ConnectError> {
    let target = find_target(options, environment)?;
    let namespace = target.namespace.clone().filter(|name| !name.is_empty());
    let namespace = namespace.unwrap_or_else(|| "default".to_owned());
    let (mut config, exec) = build_config(target, environment)?;
    config.default_namespace.clone_from(&namespace);
    let server = shown_server(&config);

    let person_at_stdin = environment.stdin_is_terminal && stdin == StdinUse::Free;
    let credentials = match exec {
        Some(exec) => {
            let plugin = Plugin::new(exec, person_at_stdin, environment.search_path())?;
            Some(PluginCredentials::obtain(
                plugin,
                &mut config.auth_info,
                environment.started_at,
            )?)
        }
        None => None,
    };
    let warnings = Warnings::default();
    let noted = warnings.clone();
    let clock = ServerClock::default();
    let set_clock = clock.clone();
    let client = ClientBuilder::try_from(config)?
        .with_layer(&MapResponseLayer::new(move |response| {
            set_clock.note(noted.note(response))
        }))
        .with_layer(&MapRequestLayer::new(move |request| match &credentials {
            Some(credentials) => credentials.authorize(request),
            None => request,
        }))
        // Retrying needs a service that can be cloned, which kube's own cannot.
        .with_layer(&BufferLayer::new(WAITING_REQUESTS))
        .with_layer(&RetryLayer::new(FewRetries::new(options.patience)))
        .build();
    let request_timeout = options.request_timeout;
    Ok(Connection {
        client,
        namespace,
        server,
        request_timeout,
        warnings,
        clock,
        refusals: Refusals::default(),
    })
}

/// The contexts of the kubeconfig, for completion; none if it cannot be read.
pub(crate) fn context_names(options: &ConnectionOptions, environment: &Environment) -> Vec<String> {
    let loaded = kubeconfig::load_kubeconfig(options.kubeconfig.as_deref(), environment);
    loaded
        .map(|loaded| {
            loaded
                .config
                .contexts
                .into_iter()
                .map(|context| context.name)
                .collect()
        })
        .unwrap_or_default()
}

fn shown_server(config: &kube::Config) -> ServerAddress {
    ServerAddress {
        server: address::shown(&config.cluster_url),
        proxy: config.proxy_url.as_ref().map(address::shown),
    }
}

impl Connection {
    /// The body of one GET, whatever it holds.
    pub(crate) async fn get_text(&self, path_and_query: &str) -> Result<String, ApiError> {
        let path = path_and_query.split('?').next().unwrap_or_default();
        let act = format!("get {path}");
        self.within_timeout(&act, self.read_text(&act, path_and_query))
            .await
    }

    /// Opens a stream, and waits for the first of it: whether anything came before it ended.
    pub(crate) async fn first_word(&self, path_and_query: &str) -> Result<bool, ApiError> {
        let path = path_and_query.split('?').next().unwrap_or_default();
        let act = format!("watch {path}");
        let failed = |error: kube::Error| describe_api_error(&act, &error, &self.server);
        let request = Request::get(path_and_query)
            // What is compressed comes in pieces of which only the first is understood.
            .header(http::header::ACCEPT_ENCODING, "identity")
            .body(vec![])
            .map_err(|error| failed(kube::Error::HttpError(error)))?;
        let stream = self.client.request_stream(request).await.map_err(failed)?;
        let mut stream = std::pin::pin!(stream);
        let heard = stream.fill_buf().await.map_err(kube::Error::ReadEvents);
        Ok(!heard.map_err(failed)?.is_empty())
    }

    /// Runs a request of any kind under the user's `--request-timeout`.
    pub(crate) async fn within_timeout<T>(
        &self,
        act: &str,
        request: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let Some(after) = self.request_timeout else {
            return request.await;
        };
        match timeout(after, request).await {
            Ok(result) => result,
            Err(_) => Err(ApiError::new(
                act,
                ApiErrorKind::Timeout {
                    server: self.server.clone(),
                    after,
                },
            )),
        }
    }

    /// The error of a request that got no answer within this time.
    pub(crate) fn no_answer(&self, after: Duration) -> ApiError {
        let server = self.server.clone();
        ApiError::new("wait", ApiErrorKind::Timeout { server, after })
    }

    /// Not by `Client::request_text`: it forgets the status of an answer that is JSON but no
    /// Kubernetes `Status`, and takes a redirect to a login page for success.
    async fn read_text(&self, act: &str, path_and_query: &str) -> Result<String, ApiError> {
        let failed = |error: kube::Error| describe_api_error(act, &error, &self.server);
        let request = Request::get(path_and_query)
            .body(kube::client::Body::empty())
            .map_err(|error| failed(kube::Error::HttpError(error)))?;
        let response = self.client.send(request).await.map_err(failed)?;
        let (parts, body) = response.into_parts();
        let body = body.collect_bytes().await.map_err(failed)?;
        if !parts.status.is_success() {
            let failure = from_answer(&parts, &String::from_utf8_lossy(&body));
            return Err(ApiError::new(act, self.refusals.note(failure)));
        }
        String::from_utf8(body.into()).map_err(|error| failed(kube::Error::FromUtf8(error)))
    }
}
