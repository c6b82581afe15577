//! The pod that empties a volume on the cluster: what it is called, what it mounts, and what it runs.
//!
//! It begins behind a scheduling gate and cannot run before the volume itself names it by uid; so however many runs of this
//! program meet, no pod empties a volume that was unlocked meanwhile. Nothing that a volume says goes into a shell: its place is
//! mounted, and the script is always the same.

use crate::conventions::annotations::{RECYCLED_OWNER, RECYCLED_VOLUME, RECYCLER_GATE};
use crate::conventions::fingerprint::fingerprint;
use crate::conventions::selector::{Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
use crate::engine::PodPlace;
use crate::engine::ending::own_recycler_prefix;
use crate::model::Volume;
use serde_json::{Value, json};

/// What a run of this program uses for its recycler pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecyclerImage {
    pub(crate) image: String,
    pub(crate) namespace: String,
    /// The node that was named.
    pub(crate) node: Option<String>,
    /// How long it may run.
    pub(crate) seconds: u64,
}

/// Where the volume is mounted.
const MOUNT: &str = "/scrub";
/// The name of the volume and of the container.
const NAME: &str = "recycler";

/// What runs, with the mount point as `$1`. It needs `sh` and a `find` with `-xdev`, `-mindepth`, `-maxdepth` and `-delete`, as
/// busybox, Alpine and Debian have them.
///
/// What is mounted below would be emptied with it where it is of the same file system, so nothing is done then. Mounts that come
/// later are not seen in here. `find` follows no links, and its own status is not enough (busybox goes on after a failure): what
/// counts is that nothing is left, hidden or not, whatever it is called.
const SCRIPT: &str = r#"mounted=no
while read -r id parent device root point rest; do
  case $point in
  "$1") mounted=yes ;;
  "$1"/*) echo "something is mounted inside the volume; nothing was deleted" >&2; exit 3 ;;
  esac
done </proc/self/mountinfo
if [ "$mounted" != yes ]; then echo "the volume is not mounted; nothing was deleted" >&2; exit 3; fi
find "$1" -xdev -mindepth 1 -delete
left=$(find "$1" -mindepth 1 -maxdepth 1) || exit 1
if [ -n "$left" ]; then echo "something could not be deleted" >&2; exit 1; fi"#;

/// What it is called: the same for the same data of the same volume, emptied in the same way.
pub(crate) fn name_of(volume: &Volume, place: &PodPlace, wish: &RecyclerImage) -> String {
    let owner = owner_of(volume).unwrap_or_default();
    let how = format!("{owner} {} {}", canonical(place), wish.image);
    let number = fingerprint(&how) & 0xffff_ffff;
    format!("{}{number:08x}", own_recycler_prefix(volume))
}

/// A place as pods are named after it. v0.1.0 wrote it so; written otherwise, the pods of earlier runs would not be found
/// under their names, so it never changes.
fn canonical(place: &PodPlace) -> String {
    match place {
        PodPlace::Anywhere => "Anywhere".to_owned(),
        PodPlace::Node(name) => format!("Node({})", quoted(name)),
        PodPlace::Nodes(selector) => {
            let terms = selector.terms.iter().map(canonical_term);
            format!("Nodes(NodeSelector {{ terms: [{}] }})", joined(terms))
        }
    }
}

fn canonical_term(term: &NodeSelectorTerm) -> String {
    let expressions = joined(term.match_expressions.iter().map(canonical_requirement));
    let fields = joined(term.match_fields.iter().map(canonical_requirement));
    format!("NodeSelectorTerm {{ match_expressions: [{expressions}], match_fields: [{fields}] }}")
}

fn canonical_requirement(one: &Requirement) -> String {
    let key = quoted(&one.key);
    let operator = match &one.operator {
        Operator::Other(name) => format!("Other({})", quoted(name)),
        known => known.name().to_owned(),
    };
    let values = joined(one.values.iter().map(|value| quoted(value)));
    format!("Requirement {{ key: {key}, operator: {operator}, values: [{values}] }}")
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<String>>().join(", ")
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

fn owner_of(volume: &Volume) -> Option<&str> {
    let reference = volume.claim_ref.as_ref();
    reference.and_then(|reference| reference.uid.as_deref())
}

/// The pod; nothing if the volume's source is none that a pod can mount so.
pub(crate) fn pod_for(volume: &Volume, place: &PodPlace, wish: &RecyclerImage) -> Option<Value> {
    let mut source = mounted(volume)?;
    source["name"] = json!(NAME);
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name_of(volume, place, wish),
            "namespace": wish.namespace,
            "labels": {
                "app.kubernetes.io/name": "kubectl-pv",
                "app.kubernetes.io/component": NAME,
            },
            "annotations": {
                RECYCLED_VOLUME: volume.uid.as_deref().unwrap_or_default(),
                RECYCLED_OWNER: owner_of(volume).unwrap_or_default(),
            },
        },
        "spec": {
            "schedulingGates": [{ "name": RECYCLER_GATE }],
            "restartPolicy": "Never",
            "activeDeadlineSeconds": wish.seconds.max(1),
            "terminationGracePeriodSeconds": 5,
            "automountServiceAccountToken": false,
            "enableServiceLinks": false,
            "securityContext": { "seccompProfile": { "type": "RuntimeDefault" } },
            "containers": [container(&wish.image)],
            "volumes": [source],
        },
    });
    if let Some(uid) = &volume.uid {
        // Whatever is left over goes with the volume.
        pod["metadata"]["ownerReferences"] = json!([{ "apiVersion": "v1",
            "kind": "PersistentVolume", "name": volume.name, "uid": uid }]);
    }
    if let Some(terms) = terms_for(place) {
        pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
            json!({ "nodeSelectorTerms": terms });
    }
    if matches!(place, PodPlace::Node(_)) {
        // The directory is nowhere else, whatever keeps other pods away; a node that is not ready waits all the same.
        pod["spec"]["tolerations"] = json!([{ "operator": "Exists", "effect": "NoSchedule" }]);
    }
    Some(pod)
}

/// Root, as the files are of whoever used the volume, with the two capabilities that deleting others' files takes.
fn container(image: &str) -> Value {
    json!({
        "name": NAME,
        "image": image,
        "command": ["/bin/sh", "-c", SCRIPT, NAME, MOUNT],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "resources": {
            "requests": { "cpu": "10m", "memory": "16Mi" },
            "limits": { "memory": "256Mi" },
        },
        "securityContext": {
            "runAsUser": 0,
            "runAsGroup": 0,
            "runAsNonRoot": false,
            "privileged": false,
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": { "drop": ["ALL"], "add": ["DAC_OVERRIDE", "FOWNER"] },
        },
        "volumeMounts": [{ "name": NAME, "mountPath": MOUNT }],
    })
}

/// The volume's source as a pod mounts it. One that is not there is not made.
fn mounted(volume: &Volume) -> Option<Value> {
    let location = volume.source.location.as_deref()?;
    match volume.source.field.as_str() {
        "hostPath" => Some(json!({ "hostPath": { "path": location, "type": "Directory" } })),
        "nfs" => {
            let (server, path) = location.split_once(":/")?;
            Some(json!({ "nfs": { "server": server, "path": format!("/{path}") } }))
        }
        _ => None,
    }
}

/// Whether a pod mounts what the volume says now: a name of a server may be spelled so that it was taken for another.
pub(crate) fn mounts(pod: &Value, source: &Value) -> bool {
    let mounted = &pod["spec"]["volumes"][0];
    let same = |field: &str, parts: &[&str]| {
        source[field].is_object()
            && parts
                .iter()
                .all(|part| mounted[field][part] == source[field][part])
    };
    same("hostPath", &["path"]) || same("nfs", &["server", "path"])
}

fn terms_for(place: &PodPlace) -> Option<Vec<Value>> {
    match place {
        PodPlace::Anywhere => None,
        PodPlace::Nodes(selector) => Some(spell(selector)),
        PodPlace::Node(name) => Some(vec![json!({ "matchFields": [{
            "key": "metadata.name", "operator": "In", "values": [name] }] })]),
    }
}

/// As the volume has them. Fields do not restrict where a volume can be used.
fn spell(selector: &NodeSelector) -> Vec<Value> {
    let requirement = |one: &Requirement| {
        let mut spelled = json!({ "key": one.key, "operator": one.operator.name() });
        if !one.values.is_empty() {
            spelled["values"] = json!(one.values);
        }
        spelled
    };
    let term = |term: &NodeSelectorTerm| {
        let expressions: Vec<Value> = term.match_expressions.iter().map(requirement).collect();
        json!({ "matchExpressions": expressions })
    };
    selector.terms.iter().map(term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::volume;

    fn wish() -> RecyclerImage {
        RecyclerImage {
            image: "busybox:1.36".to_owned(),
            namespace: "kube-system".to_owned(),
            node: None,
            seconds: 60,
        }
    }

    fn directory() -> Volume {
        volume("v")
            .reserved_for("gone", Some("uid-gone"))
            .stored_on("hostPath", "/srv/a b;$(x)")
    }

    #[test]
    fn the_whole_pod() {
        let place = PodPlace::Node("n1".to_owned());
        let pod = pod_for(&directory(), &place, &wish()).unwrap();
        insta::assert_snapshot!(serde_json::to_string_pretty(&pod).unwrap());
    }

    #[test]
    fn what_a_volume_says_is_mounted_and_never_run() {
        let pod = pod_for(&directory(), &PodPlace::Anywhere, &wish()).unwrap();
        let spec = &pod["spec"];
        assert_eq!(spec["volumes"][0]["hostPath"]["path"], "/srv/a b;$(x)");
        assert!(!spec["containers"].to_string().contains("a b"));
        assert!(spec["affinity"].is_null() && spec["tolerations"].is_null());
        assert!(mounts(
            &pod,
            &json!({ "hostPath": { "path": "/srv/a b;$(x)", "type": "" } })
        ));
        assert!(!mounts(&pod, &json!({ "hostPath": { "path": "/srv" } })));
        assert!(!mounts(&pod, &json!({ "csi": {} })));
        assert!(
            pod_for(
                &directory().stored_on("iscsi", "x"),
                &PodPlace::Anywhere,
                &wish()
            )
            .is_none()
        );
    }

    #[test]
    fn a_share_is_mounted_where_it_can_be_used() {
        let share = directory().stored_on("nfs", "nas:/export/v");
        let requirement = Requirement {
            key: "zone".to_owned(),
            operator: Operator::In,
            values: vec!["a".to_owned()],
        };
        let selector = NodeSelector {
            terms: vec![NodeSelectorTerm {
                match_expressions: vec![requirement],
                match_fields: vec![],
            }],
        };
        let pod = pod_for(&share, &PodPlace::Nodes(selector), &wish()).unwrap();
        let nfs = json!({ "server": "nas", "path": "/export/v" });
        assert_eq!(pod["spec"]["volumes"][0]["nfs"], nfs);
        let terms =
            json!([{ "matchExpressions": [{ "key": "zone", "operator": "In", "values": ["a"] }] }]);
        let place = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
        assert_eq!(*pod.pointer(place).unwrap(), terms);
        assert!(mounts(&pod, &json!({ "nfs": nfs })));
        // A server whose name was taken apart in the wrong place.
        assert!(!mounts(
            &pod,
            &json!({ "nfs": { "server": "nas:/export", "path": "/v" } })
        ));
    }

    #[test]
    fn the_name_says_whose_data_it_is_and_how_it_is_emptied() {
        let place = PodPlace::Node("n1".to_owned());
        let name = name_of(&directory(), &place, &wish());
        assert_eq!(name, name_of(&directory(), &place, &wish()));
        let another = directory().reserved_for("gone", Some("uid-next"));
        assert_ne!(name, name_of(&another, &place, &wish()));
        assert_ne!(name, name_of(&directory(), &PodPlace::Anywhere, &wish()));
        let image = RecyclerImage {
            image: "alpine".to_owned(),
            ..wish()
        };
        assert_ne!(name, name_of(&directory(), &place, &image));
        let longer = RecyclerImage {
            seconds: 600,
            ..wish()
        };
        assert_eq!(name, name_of(&directory(), &place, &longer));
        assert!(name.starts_with(&own_recycler_prefix(&directory())));
    }
}
