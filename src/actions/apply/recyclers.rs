//! Whether the controller empties a volume itself at this moment: its recycler is a pod, in whichever namespace its flags say.
//! We look after our lock is written, and again before the volume is anybody's: whichever pod is there then is a reason to plan
//! again.
//!
//! The controller looks at the policy before it begins, and not again: what it began in the moment of our lock shows its pod only
//! then (upstream: pv_controller.go, recycleVolumeOperation). So the first look is a long one.

use super::super::outcome::Sent;
use super::super::plan::{Change, LONG_LOOK};
use crate::load::client::Connection;
use crate::load::escape;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the controller may take to hear of our lock.
const HEARING: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Makes sure that there is no recycler pod of that name that has not finished: now, or for a while.
pub(super) async fn look(connection: &Connection, change: &Change) -> Sent {
    let is_long = change.body[LONG_LOOK] == true;
    let began = Instant::now();
    loop {
        let found = look_once(connection, change).await;
        if found != Sent::Done || !is_long || began.elapsed() >= HEARING {
            return found;
        }
        sleep(LOOK_EVERY).await;
    }
}

async fn look_once(connection: &Connection, change: &Change) -> Sent {
    let name = &change.target.name;
    let selector = escape(&format!("metadata.name={name}"));
    let listed = connection
        .get_text(&format!("/api/v1/pods?fieldSelector={selector}"))
        .await;
    let text = match listed {
        Ok(text) => text,
        Err(error) => return Sent::Failed(error.to_string()),
    };
    let Ok(list) = serde_json::from_str::<Value>(&text) else {
        return Sent::Failed("the list of pods could not be read".to_owned());
    };
    let mut pods = list["items"].as_array().into_iter().flatten();
    match pods.find(|pod| is_recycler(pod)) {
        Some(pod) => {
            let namespace = pod["metadata"]["namespace"].as_str().unwrap_or_default();
            Sent::Conflict(format!("the controller empties it: pod {namespace}/{name}"))
        }
        None => Sent::Done,
    }
}

/// As the engine tells them: nobody owns the controller's recyclers, they use no claim, and they may have finished.
fn is_recycler(pod: &Value) -> bool {
    let has = |place: &str| {
        let list = pod.pointer(place).and_then(Value::as_array);
        list.is_some_and(|list| !list.is_empty())
    };
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    let is_claim = |volume: &Value| {
        volume.get("persistentVolumeClaim").is_some() || volume.get("ephemeral").is_some()
    };
    let phase = pod["status"]["phase"].as_str().unwrap_or_default();
    !has("/metadata/ownerReferences")
        && !volumes.into_iter().any(is_claim)
        && !["Succeeded", "Failed"].contains(&phase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_an_unfinished_pod_of_nobody_is_the_controllers() {
        let pod = |phase: &str, more: Value| {
            let mut pod = json!({ "metadata": {}, "spec": { "volumes": [{ "name": "vol", "hostPath": { "path": "/x" } }] },
                "status": { "phase": phase } });
            pod["metadata"]["ownerReferences"] = more;
            pod
        };
        assert!(is_recycler(&pod("Pending", Value::Null)));
        assert!(is_recycler(&pod("Running", json!([]))));
        assert!(!is_recycler(&pod("Succeeded", Value::Null)));
        assert!(!is_recycler(&pod("Running", json!([{ "kind": "Job" }]))));
        let mut user = pod("Running", Value::Null);
        user["spec"]["volumes"] = json!([{ "name": "data", "persistentVolumeClaim": {} }]);
        assert!(!is_recycler(&user));
    }
}
