//! The manifests in deploy/: every container that works with a backend knows its node, and no CronJob acts before an
//! administrator starts it.

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
