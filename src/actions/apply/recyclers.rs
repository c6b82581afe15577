//! Whether the controller empties a volume itself at this moment: its recycler is a pod in `default`, or in the namespace that was
//! named, and it mounts what the volume stands for.
//! We look after our lock is written, and again before the volume is anybody's: whichever pod is there then is a reason to plan
//! again.
//!
//! The controller looks at the policy before it begins, and not again: what it began in the moment of our lock shows its pod only
//! then (upstream: pv_controller.go, recycleVolumeOperation). So the first look is a long one.

use super::super::outcome::Sent;
use super::super::plan::{Change, LONG_LOOK, MOUNTS, NAMESPACES};
use crate::load::client::Connection;
use crate::load::{collection_path, list_of_one};
use crate::model::VolumeSource;
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
    let namespaces = change.body[NAMESPACES].as_array().into_iter().flatten();
    for namespace in namespaces.filter_map(Value::as_str) {
        let found = look_in(connection, change, namespace).await;
        if found != Sent::Done {
            return found;
        }
    }
    Sent::Done
}

async fn look_in(connection: &Connection, change: &Change, namespace: &str) -> Sent {
    let name = &change.target.name;
    let pods = collection_path("v1", Some(namespace), "pods");
    // A pod whose name cannot exist does not exist.
    let Some(path) = list_of_one(&pods, name) else {
        return Sent::Done;
    };
    let text = match connection.get_text(&path).await {
        Ok(text) => text,
        Err(error) => return Sent::Failed(error.to_string()),
    };
    let Ok(list) = serde_json::from_str::<Value>(&text) else {
        return Sent::Failed("the list of pods could not be read".to_owned());
    };
    let source = change.body[MOUNTS].as_str().unwrap_or_default();
    let mut pods = list["items"].as_array().into_iter().flatten();
    if pods.any(|pod| is_recycler(pod, source)) {
        return Sent::Conflict(format!("the controller empties it: pod {namespace}/{name}"));
    }
    Sent::Done
}

/// As the engine finds them: the controller's recyclers have no owner, they mount what the volume stands for and use no claim, and
/// they may have finished.
fn is_recycler(pod: &Value, source: &str) -> bool {
    let has = |place: &str| {
        let list = pod.pointer(place).and_then(Value::as_array);
        list.is_some_and(|list| !list.is_empty())
    };
    let volumes = || pod["spec"]["volumes"].as_array().into_iter().flatten();
    let is_claim = |volume: &Value| {
        volume.get("persistentVolumeClaim").is_some() || volume.get("ephemeral").is_some()
    };
    let phase = pod["status"]["phase"].as_str().unwrap_or_default();
    !has("/metadata/ownerReferences")
        && !volumes().any(is_claim)
        && volumes().any(|volume| mounted(volume).as_deref() == Some(source))
        && !["Succeeded", "Failed"].contains(&phase)
}

/// A directory of a node or a share that a pod mounts, as sources of volumes are spelt.
fn mounted(volume: &Value) -> Option<String> {
    let of = |field: &str, part: &str| volume[field][part].as_str().map(str::to_owned);
    let directory = of("hostPath", "path").map(|path| ("hostPath", path));
    let share = of("nfs", "server").zip(of("nfs", "path"));
    let share = share.map(|(server, path)| ("nfs", format!("{server}:{path}")));
    let (field, location) = directory.or(share)?;
    let source = VolumeSource {
        field: field.to_owned(),
        location: Some(location),
        driver: None,
    };
    Some(source.spelled())
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
        assert!(is_recycler(&pod("Pending", Value::Null), "hostPath /x"));
        assert!(is_recycler(&pod("Running", json!([])), "hostPath /x"));
        assert!(!is_recycler(&pod("Succeeded", Value::Null), "hostPath /x"));
        let job = json!([{ "kind": "Job" }]);
        assert!(!is_recycler(&pod("Running", job), "hostPath /x"));
        assert!(!is_recycler(&pod("Running", Value::Null), "hostPath /y"));
        assert!(!is_recycler(&pod("Running", Value::Null), "nfs filer:/x"));
        let mut user = pod("Running", Value::Null);
        user["spec"]["volumes"] = json!([{ "name": "data", "persistentVolumeClaim": {} }]);
        assert!(!is_recycler(&user, "hostPath /x"));
    }
}
