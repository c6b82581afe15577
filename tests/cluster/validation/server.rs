//! The API server's answer to a manifest: the very bytes, as a create that is not carried out.

use http::Request;
use http::header::{CONTENT_TYPE, WARNING};
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use serde_json::value::RawValue;

use super::bases::Kind;

/// One reason of a refusal.
#[derive(Debug, Clone)]
pub(in crate::cluster) struct Cause {
    pub(in crate::cluster) field: String,
    pub(in crate::cluster) message: String,
}

#[derive(Debug, Clone)]
pub(in crate::cluster) struct Answer {
    pub(in crate::cluster) status: u16,
    pub(in crate::cluster) message: String,
    pub(in crate::cluster) causes: Vec<Cause>,
    /// It found a key twice, and says so in a warning.
    pub(in crate::cluster) repeats_a_key: bool,
}

impl Answer {
    pub(in crate::cluster) fn is_taken(&self) -> bool {
        self.status == 201
    }
}

/// JSON is sent as JSON, as kubectl does: `1e400` is a number there, and a text in YAML.
fn content_type(manifest: &str) -> &'static str {
    match serde_json::from_str::<&RawValue>(manifest) {
        Ok(_) => "application/json",
        Err(_) => "application/yaml",
    }
}

/// Asks the server, which keeps nothing of it.
pub(super) async fn ask(client: &Client, kind: Kind, manifest: &str) -> Answer {
    ask_at(client, kind.collection(), manifest).await
}

/// The same of any collection.
pub(in crate::cluster) async fn ask_at(
    client: &Client,
    collection: &str,
    manifest: &str,
) -> Answer {
    let address = format!("{collection}?dryRun=All&fieldManager=test");
    let request = Request::post(address)
        .header(CONTENT_TYPE, content_type(manifest))
        .body(Body::from(manifest.as_bytes().to_vec()))
        .expect("a request that is well formed");
    let response = client.send(request).await.expect("the server answers");
    let status = response.status().as_u16();
    let warnings = response.headers().get_all(WARNING).iter();
    let repeats_a_key = warnings
        .filter_map(|warning| warning.to_str().ok())
        .any(|warning| {
            warning.contains("already set in map") || warning.contains("duplicate field")
        });
    let bytes = response.into_body().collect_bytes().await;
    let bytes = bytes.expect("the server finishes its answer");
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let causes = body["details"]["causes"].as_array().into_iter().flatten();
    Answer {
        status,
        repeats_a_key,
        message: text(&body["message"]),
        causes: causes
            .map(|cause| Cause {
                field: text(&cause["field"]),
                message: text(&cause["message"]),
            })
            .collect(),
    }
}
