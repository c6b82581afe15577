//! One request that changes something. It is sent once; whether to send it again is for `actions/apply.rs` to say, which
//! alone may call this.

use http::{Method, Request, header::CONTENT_TYPE};

use super::{
    Connection,
    api_error::{ApiError, describe_api_error, from_answer},
};

/// What is to be sent.
pub(crate) struct Write {
    method: Method,
    path_and_query: String,
    content_type: &'static str,
    body: String,
}

impl Write {
    /// A merge patch (RFC 7386).
    pub(crate) fn merge_patch(path_and_query: String, body: String) -> Self {
        Self {
            method: Method::PATCH,
            path_and_query,
            content_type: "application/merge-patch+json",
            body,
        }
    }

    /// The creation of an object.
    pub(crate) fn create(path_and_query: String, body: String) -> Self {
        Self {
            method: Method::POST,
            path_and_query,
            content_type: "application/json",
            body,
        }
    }

    /// A deletion, with its preconditions.
    pub(crate) fn delete(path_and_query: String, body: String) -> Self {
        Self {
            method: Method::DELETE,
            path_and_query,
            content_type: "application/json",
            body,
        }
    }
}

impl Connection {
    /// Sends a change, and gives the object the server answers with.
    pub(crate) async fn send_write(&self, write: &Write) -> Result<String, ApiError> {
        let path = write.path_and_query.split('?').next().unwrap_or_default();
        let act = format!("{} {path}", write.method.as_str().to_ascii_lowercase());
        self.within_timeout(&act, self.write_once(&act, write))
            .await
    }

    async fn write_once(&self, act: &str, write: &Write) -> Result<String, ApiError> {
        let failed = |error: kube::Error| describe_api_error(act, &error, &self.server);
        let request = Request::builder()
            .method(write.method.clone())
            .uri(&write.path_and_query)
            .header(CONTENT_TYPE, write.content_type)
            .body(kube::client::Body::from(write.body.clone().into_bytes()))
            .map_err(|error| failed(kube::Error::HttpError(error)))?;
        let response = self.client.send(request).await.map_err(failed)?;
        let (parts, body) = response.into_parts();
        let body = body.collect_bytes().await.map_err(failed)?;
        let text = String::from_utf8_lossy(&body);
        if !parts.status.is_success() {
            let refused = self.refusals.note(from_answer(&parts, &text));
            return Err(ApiError::new(act, refused));
        }
        Ok(text.into_owned())
    }
}
