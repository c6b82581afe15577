//! The manifests in deploy/: every container that works with a backend knows its node, and no CronJob acts before an
//! administrator starts it. Images have a version, memory has a limit, and no role deletes pods of the whole cluster.

use std::fs;
use std::path::Path;

use serde_json::Value;

fn documents() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let files = fs::read_dir(folder).expect("read deploy/").flatten();
    let manifests = files.filter(|file| file.path().extension().is_some_and(|it| it == "yaml"));
    let documents = manifests.flat_map(|file| {
        let text = fs::read_to_string(file.path()).expect("read a manifest");
        serde_saphyr::from_multiple::<Value>(&text).expect("read YAML")
    });
    documents.collect()
}

/// The containers of a workload.
fn containers(workload: &Value) -> Vec<&Value> {
    let templates = [
        "/spec/template/spec/containers",
        "/spec/jobTemplate/spec/template/spec/containers",
    ];
    let lists = templates.iter().filter_map(|path| workload.pointer(path));
    lists.filter_map(Value::as_array).flatten().collect()
}

fn arguments(container: &Value) -> Vec<&str> {
    let arguments = container["args"].as_array().into_iter().flatten();
    arguments.filter_map(Value::as_str).collect()
}

#[test]
fn containers_that_write_know_their_node() {
    let documents = documents();
    let all: Vec<&Value> = documents.iter().flat_map(containers).collect();
    let writes = |container: &&&Value| {
        let arguments = arguments(container);
        let has_backend = arguments.iter().any(|it| it.starts_with("--backend"));
        has_backend || arguments.contains(&"--yes")
    };
    let writing: Vec<&&Value> = all.iter().filter(writes).collect();
    assert_eq!(writing.len(), 2, "cleanup-act and set-reconcile");
    for container in writing {
        let mut variables = container["env"].as_array().into_iter().flatten();
        let node = variables.find(|it| it["name"] == "KUBECTL_PV_NODE_NAME");
        let node = node.unwrap_or_else(|| panic!("{container:#}"));
        assert_eq!(node["valueFrom"]["fieldRef"]["fieldPath"], "spec.nodeName");
    }
}

#[test]
fn cron_jobs_that_act_are_suspended_and_delete_no_data() {
    for job in documents().iter().filter(|it| it["kind"] == "CronJob") {
        let containers = containers(job);
        let arguments = arguments(containers[0]);
        let acts = arguments.contains(&"--yes");
        assert_eq!(acts, job["spec"]["suspend"] == true, "{job:#}");
        if acts {
            let category = arguments.iter().position(|it| *it == "--category");
            let category = category.map(|at| arguments[at + 1]);
            assert_eq!(category, Some("lost-claims"), "{job:#}");
            assert!(!arguments.contains(&"--include-likely"), "{job:#}");
        }
    }
}

#[test]
fn images_have_a_version_and_memory_has_a_limit() {
    let documents = documents();
    let all: Vec<&Value> = documents.iter().flat_map(containers).collect();
    assert_eq!(all.len(), 3);
    for container in all {
        let image = container["image"].as_str().expect("an image");
        assert!(
            image.ends_with(concat!(":", env!("CARGO_PKG_VERSION"))),
            "{image}"
        );
        let limit = &container["resources"]["limits"]["memory"];
        assert!(limit.is_string(), "{container:#}");
    }
}

/// In these roles, which are bound for the whole cluster, a rule for pods would be one for every pod.
#[test]
fn only_roles_of_one_namespace_delete_pods() {
    let mut deleting = Vec::new();
    for role in documents().iter().filter(|it| it["kind"] == "ClusterRole") {
        let rules = role["rules"].as_array().expect("rules");
        let has = |rule: &&Value, list: &str, text: &str| {
            let list = rule[list].as_array().expect("a list");
            list.iter().any(|it| it == text)
        };
        let deletes =
            |rule: &&Value| has(rule, "resources", "pods") && has(rule, "verbs", "delete");
        if rules.iter().any(|rule| deletes(&rule)) {
            deleting.push(role["metadata"]["name"].clone());
        }
    }
    assert_eq!(deleting, ["kubectl-pv-recycle"]);
    for binding in documents() {
        let role = &binding["roleRef"]["name"];
        let is_recycling = role == "kubectl-pv-recycle" || role == "kubectl-pv-recycle-by-pod";
        assert!(
            !is_recycling || binding["kind"] == "RoleBinding",
            "{binding:#}"
        );
    }
}
