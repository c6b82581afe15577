//! Every event that the program creates exists already, with another message: it can only be counted up.

use serde_json::{Value, json};

use super::api::Api;
use super::message::Request;
use super::script::{Action, Number, Script};

/// The message that events have before the program comes.
pub(crate) const EARLIER: &str = "an earlier message";

/// Creates each event just before the program does, with an administrator's rights.
pub(crate) struct ToldBefore(pub(crate) Api);

impl Script for ToldBefore {
    fn before(&self, _number: Number, request: &Request) -> Action {
        if request.method == "POST" && request.path.ends_with("/events") {
            let mut event: Value = serde_json::from_slice(&request.body).expect("an event");
            event["message"] = json!(EARLIER);
            let created = self
                .0
                .send("POST", &request.path, "application/json", &event);
            assert!(created.is_ok(), "{created:?}");
        }
        Action::Forward
    }
}
