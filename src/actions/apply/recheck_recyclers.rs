//! Whether the controller empties a volume itself at this moment: its recycler is a pod in `default`, or in the namespace that was
//! named, and it mounts what the volume stands for.
//! We look after our lock is written, and again before the volume is anybody's: whichever pod is there then is a reason to plan
//! again.
//!
//! The controller looks at the policy before it begins, and not again: what it began in the moment of our lock shows its pod only
//! then (upstream: pv_controller.go, recycleVolumeOperation). So the first look is a long one.

use super::super::recheck::Period;
use crate::load::client::Connection;
use crate::load::{collection_path, list_of_one};
use crate::model::VolumeSource;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long the controller may take to hear of our lock.
const HEARING: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Which pods are searched.
pub(super) struct Search<'a> {
    pub(super) name: &'a str,
    pub(super) namespaces: &'a [String],
    /// What they mount, as sources of volumes are spelled.
    pub(super) source: &'a str,
}

impl Search<'_> {
    /// A recycler pod of that name that has not finished: now, or for a while.
    pub(super) async fn run(
        &self,
        connection: &Connection,
        period: Period,
    ) -> Result<Option<String>, String> {
        let began = Instant::now();
        loop {
            let found = self.run_once(connection).await?;
            if found.is_some() || period == Period::Once || began.elapsed() >= HEARING {
                return Ok(found);
            }
            sleep(LOOK_EVERY).await;
        }
    }

    async fn run_once(&self, connection: &Connection) -> Result<Option<String>, String> {
        let name = self.name;
        for namespace in self.namespaces {
            let pods = collection_path("v1", Some(namespace), "pods");
            // A pod whose name cannot exist does not exist.
            let Some(path) = list_of_one(&pods, name) else {
                continue;
            };
            let text = connection.get_text(&path).await;
            let text = text.map_err(|error| error.to_string())?;
            let list: Value = serde_json::from_str(&text)
                .map_err(|_| "the list of pods could not be read".to_owned())?;
            let mut pods = list["items"].as_array().into_iter().flatten();
            if pods.any(|pod| is_recycler(pod, self.source)) {
                let found = format!("the controller empties it: pod {namespace}/{name}");
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
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
