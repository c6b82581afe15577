//! Plans, carried out: the only file that writes to the cluster.
//!
//! Changes are sent one after the other. What may pass is tried again; what was refused because somebody else wrote in
//! between is told as a conflict, and the caller looks and plans again.

use super::outcome::Sent;
use super::plan::{Action, CLAIM, Change, Plan, Target};
use crate::load::client::{ApiError, ApiErrorKind, Connection, Write};
use crate::load::escape;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often a request is sent before somebody else has to try.
const ATTEMPTS: u32 = 6;
const FIRST_DELAY: Duration = Duration::from_millis(100);
const FIELD_MANAGER: &str = "kubectl-pv";

/// Whether the server is to make the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earnest {
    /// It makes them.
    Yes,
    /// It only says what it would do. What builds on an earlier change cannot be tried.
    DryRun,
}

/// What came of the changes, in their order.
pub(crate) struct Applied {
    pub(crate) sent: Vec<Sent>,
    /// Whether anything was sent at all, whatever came of it.
    pub(crate) wrote: bool,
}

/// Sends the changes of a plan. One that fails ends its errand; one that gets no answer ends everything.
pub(crate) async fn apply(
    connection: &Connection,
    plan: &Plan,
    earnest: Earnest,
    deadline: Instant,
) -> Applied {
    let mut versions: Vec<Option<String>> = vec![None; plan.changes.len()];
    let mut ended: HashSet<usize> = HashSet::new();
    let mut sent = Vec::with_capacity(plan.changes.len());
    let mut is_cut_off = false;
    for (index, change) in plan.changes.iter().enumerate() {
        let waits = earnest == Earnest::DryRun && change.after.is_some();
        if is_cut_off || waits || ended.contains(&change.errand) {
            sent.push(Sent::NotReached);
            continue;
        }
        let sending = Sending {
            connection,
            change,
            body: fill(change, &versions),
            earnest,
            deadline,
        };
        let (result, version) = match sending.send().await {
            Ended::Made(result, version) => (result, version),
            Ended::CutOff(error) => {
                is_cut_off = true;
                (Sent::Failed(error), None)
            }
        };
        if matches!(result, Sent::Conflict(_) | Sent::Failed(_)) {
            ended.insert(change.errand);
        }
        versions[index] = version;
        sent.push(result);
    }
    let wrote = sent.iter().any(|sent| *sent != Sent::NotReached);
    Applied { sent, wrote }
}

/// The body with the versions that earlier changes have made.
fn fill(change: &Change, versions: &[Option<String>]) -> Value {
    let mut body = change.body.clone();
    let own = change
        .after
        .map(|index| ("/metadata/resourceVersion", index));
    for (place, index) in own.into_iter().chain(change.fills.iter().copied()) {
        if let (Some(slot), Some(version)) = (body.pointer_mut(place), &versions[index]) {
            *slot = json!(version);
        }
    }
    body
}

/// How the sending of one change ended.
enum Ended {
    /// With an answer, and the version the object has now.
    Made(Sent, Option<String>),
    /// Nobody answers.
    CutOff(String),
}

struct Sending<'a> {
    connection: &'a Connection,
    change: &'a Change,
    body: Value,
    earnest: Earnest,
    deadline: Instant,
}

impl Sending<'_> {
    async fn send(&self) -> Ended {
        let path = path_of(&self.change.target);
        let subresource = self.change.subresource.map(|name| format!("/{name}"));
        let dry_run = match self.earnest {
            Earnest::Yes => "",
            Earnest::DryRun => "&dryRun=All",
        };
        let query = format!("fieldManager={FIELD_MANAGER}{dry_run}");
        let write = match self.change.action {
            Action::Patch => Write::merge_patch(
                format!("{path}{}?{query}", subresource.unwrap_or_default()),
                self.body.to_string(),
            ),
        };
        let mut is_uncertain = false;
        let mut attempt = 0;
        loop {
            let error = match self.connection.send_write(&write).await {
                Ok(text) => return Ended::Made(Sent::Done, version_of(&text)),
                Err(error) => error,
            };
            match Answer::of(&error) {
                Answer::LookAgain => return self.look(&path, &error, is_uncertain).await,
                Answer::No => return Ended::Made(Sent::Failed(error.to_string()), None),
                Answer::TryAgain => is_uncertain = true,
            }
            attempt += 1;
            let delay = FIRST_DELAY * 2_u32.pow(attempt.min(5));
            if attempt >= ATTEMPTS || Instant::now() + delay > self.deadline {
                // It may have been made all the same.
                return match self.look(&path, &error, true).await {
                    made @ Ended::Made(Sent::Done, _) => made,
                    _ => Ended::CutOff(error.to_string()),
                };
            }
            sleep(delay).await;
        }
    }

    /// Reads the object again: is it as the change would make it?
    async fn look(&self, path: &str, error: &ApiError, is_uncertain: bool) -> Ended {
        let found = self.connection.get_text(path).await;
        let object: Option<Value> = found.ok().and_then(|text| serde_json::from_str(&text).ok());
        match object {
            Some(object) if holds(&object, &self.body) => {
                let done = if is_uncertain {
                    Sent::Done
                } else {
                    Sent::AlreadyDone
                };
                let version = object["metadata"]["resourceVersion"].as_str();
                Ended::Made(done, version.map(str::to_owned))
            }
            _ => Ended::Made(Sent::Conflict(error.to_string()), None),
        }
    }
}

/// What a refusal asks for.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    LookAgain,
    TryAgain,
    No,
}

impl Answer {
    fn of(error: &ApiError) -> Self {
        match &error.kind {
            ApiErrorKind::Server { code: 409, .. } | ApiErrorKind::NotFound { .. } => {
                Self::LookAgain
            }
            // A uid that is another, or a volume that was named meanwhile.
            ApiErrorKind::Server {
                code: 422, message, ..
            } if message.contains("immutable") => Self::LookAgain,
            ApiErrorKind::Server {
                code: 429 | 500 | 502 | 503 | 504,
                ..
            }
            | ApiErrorKind::Unreachable { .. }
            | ApiErrorKind::Timeout { .. } => Self::TryAgain,
            _ => Self::No,
        }
    }
}

/// Whether an object has everything a merge patch would give it; its version does not count.
fn holds(object: &Value, patch: &Value) -> bool {
    match patch {
        Value::Object(fields) => fields.iter().all(|(key, wanted)| {
            key == "resourceVersion" || holds(object.get(key).unwrap_or(&Value::Null), wanted)
        }),
        wanted => object == wanted,
    }
}

fn version_of(text: &str) -> Option<String> {
    let object: Value = serde_json::from_str(text).ok()?;
    object["metadata"]["resourceVersion"]
        .as_str()
        .map(str::to_owned)
}

fn path_of(target: &Target) -> String {
    let name = escape(&target.name);
    match (&target.namespace, target.kind) {
        (Some(namespace), CLAIM) => {
            let namespace = escape(namespace);
            format!("/api/v1/namespaces/{namespace}/persistentvolumeclaims/{name}")
        }
        _ => format!("/api/v1/persistentvolumes/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_there_when_all_its_fields_are() {
        let object = json!({ "metadata": { "uid": "u", "resourceVersion": "9", "labels": { "a": "b" } },
            "spec": { "claimRef": { "uid": "c" } } });
        let patch = |uid: &str, note: Value| {
            json!({ "metadata": { "uid": "u", "resourceVersion": "7", "annotations": { "note": note } },
                "spec": { "claimRef": { "uid": uid } } })
        };
        assert!(holds(&object, &patch("c", Value::Null)));
        assert!(!holds(&object, &patch("d", Value::Null)));
        assert!(!holds(&object, &patch("c", json!("yes"))));
    }

    #[test]
    fn refusals_that_ask_for_another_look_and_those_that_pass() {
        let of = |code: u16, message: &str| {
            let kind = ApiErrorKind::Server {
                code,
                reason: String::new(),
                message: message.to_owned(),
            };
            Answer::of(&ApiError::new("patch", kind))
        };
        assert_eq!(of(409, "modified"), Answer::LookAgain);
        assert_eq!(of(422, "uid: field is immutable"), Answer::LookAgain);
        assert_eq!(of(422, "spec.capacity: Required value"), Answer::No);
        for code in [429, 500, 503, 504] {
            assert_eq!(of(code, ""), Answer::TryAgain);
        }
    }
}
