//! Waiting until somebody else has made a claim's volume, and telling meanwhile what is heard of it.

use super::super::outcome::Sent;
use super::listener::ProgressListener;
use super::{collection_of, path_of};
use crate::actions::plan::Target;
use crate::conventions::annotations::OWN_COMPONENT;
use crate::conventions::object_ref::ObjectKey;
use crate::load::client::{ApiErrorKind, Connection};
use crate::load::escape;
use serde_json::Value;
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often to look.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Waits until the claim is bound, and says what was heard last if that does not happen in time.
pub(super) async fn wait(
    connection: &Connection,
    target: &Target,
    provisioner: &str,
    deadline: Instant,
    listener: &mut dyn ProgressListener,
) -> Sent {
    let claim = ObjectKey::new(
        target.namespace.clone().unwrap_or_default(),
        target.name.clone(),
    );
    let began = Instant::now();
    let mut heard = Heard::default();
    loop {
        match look(connection, target).await {
            Look::Bound => return Sent::Done,
            Look::Another(why) => return Sent::Conflict(why),
            Look::NotYet => {}
        }
        let uid = target.uid.as_deref();
        heard.listen(connection, uid, &claim, listener).await;
        if Instant::now() + LOOK_EVERY > deadline {
            return Sent::Failed(heard.why_not(provisioner, began.elapsed()));
        }
        if listener.is_stopping() {
            return Sent::NotReached;
        }
        listener.wait(&format!("{claim}: waiting for its volume"), began.elapsed());
        sleep(LOOK_EVERY).await;
    }
}

enum Look {
    Bound,
    NotYet,
    /// It is no longer the claim that was waited for.
    Another(String),
}

async fn look(connection: &Connection, target: &Target) -> Look {
    let text = match connection.get_text(&path_of(target)).await {
        Ok(text) => text,
        Err(error) if matches!(error.kind, ApiErrorKind::NotFound { .. }) => {
            return Look::Another("the claim is gone".to_owned());
        }
        // Whoever waits asks again.
        Err(_) => return Look::NotYet,
    };
    let claim: Value = serde_json::from_str(&text).unwrap_or_default();
    if claim["metadata"]["uid"].as_str() != target.uid.as_deref() {
        return Look::Another("another claim has its name by now".to_owned());
    }
    if !claim["metadata"]["deletionTimestamp"].is_null() {
        return Look::Another("the claim is being deleted".to_owned());
    }
    if claim["status"]["phase"] == "Bound" {
        return Look::Bound;
    }
    Look::NotYet
}

/// What the controller says of every claim it leaves to somebody: it tells nothing of how that goes.
const BY_CONTROLLER: [&str; 2] = ["ExternalProvisioning", "WaitForFirstConsumer"];

/// The events that were told already, and the last of them.
#[derive(Default)]
pub(super) struct Heard {
    told: HashSet<String>,
    pub(super) last: Option<String>,
}

impl Heard {
    /// Tells what is new about the object of this uid.
    pub(super) async fn listen(
        &mut self,
        connection: &Connection,
        uid: Option<&str>,
        claim: &ObjectKey,
        listener: &mut dyn ProgressListener,
    ) {
        let uid = uid.unwrap_or_default();
        let events = collection_of(&Target::event(&claim.namespace, ""));
        let selector = escape(&format!("involvedObject.uid={uid}"));
        // Who may not read events waits all the same, and hears nothing.
        let Ok(text) = connection
            .get_text(&format!("{events}?fieldSelector={selector}"))
            .await
        else {
            return;
        };
        let list: Value = serde_json::from_str(&text).unwrap_or_default();
        let mut items: Vec<&Value> = list["items"].as_array().into_iter().flatten().collect();
        let time = |event: &Value| {
            let of = |field: &str| event[field].as_str().map(str::to_owned);
            of("lastTimestamp").or_else(|| of("eventTime"))
        };
        items.sort_by_key(|event| time(event));
        for event in items {
            let text = |field: &str| event[field].as_str().unwrap_or_default();
            let (reason, message) = (text("reason"), text("message"));
            // What we said ourselves tells nothing of how it goes.
            if event["source"]["component"] == OWN_COMPONENT {
                continue;
            }
            let key = format!("{reason}\0{message}");
            if self.told.insert(key) {
                listener.report(claim, &format!("{reason}: {message}"));
                if !BY_CONTROLLER.contains(&reason) {
                    self.last = Some(format!("{reason}: {message}"));
                }
            }
        }
    }

    fn why_not(&self, provisioner: &str, waited: Duration) -> String {
        let time = format!("{:.0}", waited.as_secs_f32());
        let none = format!("no volume from {provisioner} within {time} seconds");
        match &self.last {
            Some(last) => format!("{none}; the last that was heard is {last}"),
            None => format!("{none}, and nothing was heard of it: does it run?"),
        }
    }
}
