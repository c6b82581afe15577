//! Waiting for a recycler pod of ours: until it has ended, telling meanwhile what is heard of it, or until it is gone.

use super::super::operation::Wait;
use super::super::outcome::Sent;
use super::super::plan::Target;
use super::listener::ProgressListener;
use super::path_of;
use super::waiting::Heard;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::load::client::{ApiErrorKind, Connection};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Of what a pod says at its end, so that it can be told in an event.
const LONGEST_WORDS: usize = 400;

/// The pod that is waited for.
pub(super) struct OwnRecycler<'a> {
    pub(super) target: &'a Target,
    pub(super) uid: Option<&'a str>,
}

impl OwnRecycler<'_> {
    /// Waits until it has ended, or is gone.
    pub(super) async fn wait(
        self,
        connection: &Connection,
        wait: &Wait,
        deadline: Instant,
        listener: &mut dyn ProgressListener,
    ) -> Sent {
        let pod = ObjectKey::new(
            self.target.namespace.clone().unwrap_or_default(),
            self.target.name.clone(),
        );
        let is_over_when_gone = *wait == Wait::PodIsGone;
        let began = Instant::now();
        let mut heard = Heard::default();
        loop {
            let phase = match self.look(connection).await {
                Look::Gone if is_over_when_gone => return Sent::Done,
                Look::Gone => return Sent::Conflict("the pod is gone".to_owned()),
                Look::Forbidden(why) => return Sent::Failed(why),
                Look::There(found) if is_over_when_gone => phase_of(&found),
                Look::There(found) => match &*phase_of(&found) {
                    "Succeeded" => return Sent::Done,
                    "Failed" => return Sent::Failed(why_failed(&found, &pod)),
                    phase => phase.to_owned(),
                },
                Look::NotSeen => "not seen".to_owned(),
            };
            heard.listen(connection, self.uid, &pod, listener).await;
            if Instant::now() + LOOK_EVERY > deadline {
                return Sent::Failed(why_not(&heard, &pod, &phase, began.elapsed()));
            }
            listener.wait(&format!("pod {pod}: {phase}"), began.elapsed());
            sleep(LOOK_EVERY).await;
        }
    }

    async fn look(&self, connection: &Connection) -> Look {
        match connection.get_text(&path_of(self.target)).await {
            Ok(text) => {
                let pod: Value = serde_json::from_str(&text).unwrap_or_default();
                match pod["metadata"]["uid"].as_str() {
                    None => Look::NotSeen,
                    found if found == self.uid => Look::There(Box::new(pod)),
                    Some(_) => Look::Gone,
                }
            }
            Err(error) => match error.kind {
                ApiErrorKind::NotFound { .. } => Look::Gone,
                ApiErrorKind::Forbidden { .. } => Look::Forbidden(error.to_string()),
                _ => Look::NotSeen,
            },
        }
    }
}

enum Look {
    There(Box<Value>),
    /// Or another has its name.
    Gone,
    NotSeen,
    /// Who may not look waits in vain.
    Forbidden(String),
}

fn phase_of(pod: &Value) -> String {
    if !pod["spec"]["schedulingGates"].is_null() {
        return "behind its gate".to_owned();
    }
    let phase = pod["status"]["phase"].as_str().unwrap_or("Pending");
    phase.to_owned()
}

/// What it said at its end, and where the rest is told.
fn why_failed(pod: &Value, key: &ObjectKey) -> String {
    let text = |place: &str| {
        let found = pod.pointer(place).and_then(Value::as_str);
        found.map(str::trim).filter(|text| !text.is_empty())
    };
    let ended = "/status/containerStatuses/0/state/terminated";
    let said = text(&format!("{ended}/message"))
        .or_else(|| text("/status/message"))
        .or_else(|| text(&format!("{ended}/reason")))
        .or_else(|| text("/status/reason"))
        .unwrap_or("it does not say why");
    let said: String = said.chars().take(LONGEST_WORDS).collect();
    let log = command(&["kubectl", "logs", "-n", &key.namespace, &key.name]);
    format!("pod {key} failed: {said} (its log: {log})")
}

fn why_not(heard: &Heard, pod: &ObjectKey, phase: &str, waited: Duration) -> String {
    let time = format!("{:.0}", waited.as_secs_f32());
    let open = format!("pod {pod} has not ended within {time} seconds (it is {phase})");
    match &heard.last {
        Some(last) => format!("{open}; the last that was heard is {last}"),
        None => open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pod_that_failed_says_why() {
        let key = ObjectKey::new("kube-system", "p");
        let log = "(its log: kubectl logs -n kube-system p)";
        let told = |status: Value| why_failed(&json!({ "status": status }), &key);
        let ended = json!({ "containerStatuses": [{ "state": { "terminated": {
            "exitCode": 1, "reason": "Error", "message": "not permitted\n" } } }] });
        let failed = "pod kube-system/p failed:";
        assert_eq!(told(ended), format!("{failed} not permitted {log}"));
        let late = json!({ "reason": "DeadlineExceeded", "message": "too long" });
        assert_eq!(told(late), format!("{failed} too long {log}"));
        assert_eq!(
            told(json!({})),
            format!("{failed} it does not say why {log}")
        );
    }

    #[test]
    fn a_gate_is_a_phase_of_its_own() {
        let gated = json!({ "spec": { "schedulingGates": [{ "name": "g" }] }, "status": { "phase": "Pending" } });
        assert_eq!(phase_of(&gated), "behind its gate");
        assert_eq!(
            phase_of(&json!({ "status": { "phase": "Running" } })),
            "Running"
        );
    }
}
