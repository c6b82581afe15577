//! A cluster of three teams in which ten claims are stuck: the first suggestion for each is run as it is printed. It may help
//! or not, but it changes no other claim, no volume of another claim, and binds no volume that no node can use.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::control_plane::{CONTROLLERS, ControlPlane, QUIET_TWICE, runtime};
use super::objects::{create_nodes, list, settle};
use super::suggestions::run;

const CLUSTER: &str = include_str!("mixed_cluster.yaml");
const STUCK: &str = include_str!("mixed_stuck.yaml");
const TEAMS: [&str; 3] = ["team-a", "team-b", "team-c"];

/// Each stuck claim, what the commands of its first suggestion contain, and the volume or class that it has afterwards.
const CLAIMS: [(&str, &[&str], Option<&str>); 10] = [
    ("team-a/web", &["| kubectl"], Some("gp3")),
    ("team-a/no-driver", &[], None),
    ("team-a/clone", &[], None),
    (
        "team-a/uploads",
        &["kubectl pv reclaim nfs-uploads --reuse"],
        Some("nfs-uploads"),
    ),
    ("team-b/units", &["| kubectl"], Some("nfs-units")),
    ("team-b/labels", &["| kubectl"], Some("nfs-gold")),
    ("team-c/modes", &[], None),
    ("team-c/far", &[], None),
    ("team-c/scratch", &[], None),
    (
        "team-c/data-db-0",
        &[" delete sts db ", " delete pvc data-db-0 "],
        Some("gp3"),
    ),
];

#[test]
#[ignore = "needs a control plane: tests/run"]
fn no_first_suggestion_does_harm() {
    let cluster = ControlPlane::connect();
    let controllers =
        format!("--controllers={CONTROLLERS},statefulset-controller,garbage-collector-controller");
    let _controllers = cluster.start_controller_with(&[&controllers]);
    for team in TEAMS {
        cluster.namespace(team);
    }
    runtime().block_on(async {
        let nodes = ["mixed-a", "mixed-b"].map(node);
        create_nodes(&cluster.client().await, nodes.to_vec()).await;
    });
    cluster.apply(CLUSTER);
    settled(&cluster);
    cluster.apply(STUCK);
    settled(&cluster);

    let before = Storage::read(&cluster);
    assert_eq!(
        before.claim("team-b/docs")["spec"]["volumeName"],
        "nfs-docs"
    );
    for (claim, contents, _) in CLAIMS {
        let told = first_suggestion(&cluster, claim);
        let commands: Vec<&str> = told["commands"]
            .as_array()
            .map(|commands| commands.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let is_expected = commands.len() == contents.len()
            && commands
                .iter()
                .zip(contents)
                .all(|(it, contents)| it.contains(contents));
        for command in &commands {
            run(&cluster, command);
        }
        if claim == "team-c/data-db-0" {
            // The person who corrects the template applies it.
            let (_, set) = STUCK.rsplit_once("\n---\n").expect("the last document");
            cluster.apply(&set.replace("storageClassName: gp33", "storageClassName: gp3"));
        }
        settled(&cluster);
        before.check_unharmed(&Storage::read(&cluster), &cluster, claim);
        assert!(is_expected, "{claim}: {told:#}");
    }
    let after = Storage::read(&cluster);
    for (claim, _, gets) in CLAIMS {
        let spec = &after.claim(claim)["spec"];
        let has = [&spec["volumeName"], &spec["storageClassName"]];
        let is_helped = gets.is_none_or(|gets| has.contains(&&json!(gets)));
        assert!(is_helped, "{claim}: {spec:#}");
    }
}

fn node(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {
            "allocatable": {"pods": "100", "cpu": "8", "memory": "8Gi"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    })
}

fn settled(cluster: &ControlPlane) {
    runtime().block_on(async {
        settle(
            &cluster.client().await,
            QUIET_TWICE,
            Duration::from_secs(60),
        )
        .await;
    });
}

fn first_suggestion(cluster: &ControlPlane, claim: &str) -> Value {
    let (namespace, name) = claim.split_once('/').expect("namespace and name");
    let arguments = ["explain", name, "-n", namespace, "-o", "json"];
    let explanation = cluster.kubectl_pv("admin", &arguments).json();
    assert_ne!(explanation["verdict"], "Bound", "{claim} is not stuck");
    explanation["suggestions"][0].clone()
}

/// All volumes by name, and all claims by namespace and name.
struct Storage {
    volumes: BTreeMap<String, Value>,
    claims: BTreeMap<String, Value>,
}

impl Storage {
    fn read(cluster: &ControlPlane) -> Self {
        let all = |kind: &'static str| {
            runtime().block_on(async { list(&cluster.client().await, "v1", kind, None).await })
        };
        let named = |object: Value| {
            let part = |key: &str| {
                object["metadata"][key]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            };
            let name = match part("namespace").as_str() {
                "" => part("name"),
                namespace => format!("{namespace}/{}", part("name")),
            };
            (name, object)
        };
        Self {
            volumes: all("PersistentVolume").into_iter().map(named).collect(),
            claims: all("PersistentVolumeClaim")
                .into_iter()
                .map(named)
                .collect(),
        }
    }

    fn claim(&self, key: &str) -> &Value {
        &self.claims[key]
    }

    /// After the suggestion for `current`: every claim that is not stuck, and every volume but for the reservation of a
    /// stuck claim, is as it was; and nodes exist for every volume that is bound.
    fn check_unharmed(&self, after: &Self, cluster: &ControlPlane, current: &str) {
        let stuck: BTreeSet<&str> = CLAIMS.iter().map(|(claim, ..)| *claim).collect();
        let others = self
            .claims
            .iter()
            .filter(|(key, _)| !stuck.contains(key.as_str()));
        for (key, claim) in others {
            assert_eq!(
                claim["spec"], after.claims[key]["spec"],
                "{current} changed {key}"
            );
            assert_eq!(
                claim["status"], after.claims[key]["status"],
                "{current} changed {key}"
            );
        }
        assert_eq!(
            self.volumes.keys().collect::<Vec<_>>(),
            after.volumes.keys().collect::<Vec<_>>(),
            "{current}"
        );
        let nodes =
            runtime().block_on(async { list(&cluster.client().await, "v1", "Node", None).await });
        for (name, volume) in &self.volumes {
            let now = &after.volumes[name];
            assert_eq!(
                (without_reservation(volume), &volume["metadata"]["labels"]),
                (without_reservation(now), &now["metadata"]["labels"]),
                "{current} changed {name}"
            );
            let (old, new) = (owner(volume), owner(now));
            let is_allowed = new == old
                || old.is_none() && new.as_ref().is_some_and(|new| stuck.contains(new.as_str()));
            assert!(is_allowed, "{current} moved {name} from {old:?} to {new:?}");
            let is_bound = now["status"]["phase"] == "Bound";
            assert!(
                !is_bound || has_node(now, &nodes),
                "{current} bound {name}: {now:#}"
            );
        }
    }
}

fn without_reservation(volume: &Value) -> Value {
    let mut spec = volume["spec"].clone();
    if let Some(spec) = spec.as_object_mut() {
        spec.remove("claimRef");
    }
    spec
}

/// The claim of the claimRef, as namespace and name.
fn owner(volume: &Value) -> Option<String> {
    let reference = &volume["spec"]["claimRef"];
    let part = |key: &str| reference[key].as_str();
    Some(format!("{}/{}", part("namespace")?, part("name")?))
}

/// Whether a node has a hostname that the volume asks for.
fn has_node(volume: &Value, nodes: &[Value]) -> bool {
    let terms = &volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"];
    let values = &terms[0]["matchExpressions"][0]["values"];
    let Some(hosts) = values.as_array() else {
        return true;
    };
    let mut nodes = nodes.iter();
    nodes.any(|node| hosts.contains(&node["metadata"]["labels"]["kubernetes.io/hostname"]))
}
