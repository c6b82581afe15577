//! Users with exactly these rules, played by the administrator (`--as`).

use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Api;

pub(crate) const VIEW: &str = "kubectl-pv-view";
pub(crate) const BIND: &str = "kubectl-pv-bind";
pub(crate) const PROVISION: &str = "kubectl-pv-provision";

const GROUP: &str = "rbac.authorization.k8s.io";

/// One verb on one resource: what can be taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) verb: String,
    /// The only objects it is for; none means all.
    names: Vec<String>,
}

/// Installs the roles as they are shipped.
pub(crate) fn install(cluster: &ControlPlane) {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/rbac.yaml");
    let applied = cluster.kubectl(&["apply", "-f", shipped]);
    assert!(applied.status.success(), "{applied:?}");
}

impl Rule {
    /// Whether it is the one by which the cluster is known.
    pub(crate) fn reads_cluster_uid(&self) -> bool {
        (self.resource.as_str(), self.verb.as_str()) == ("namespaces", "get")
            && self.names == ["kube-system"]
    }
}

/// Every single rule of a shipped role, as the server has it.
pub(crate) fn rules_of(cluster: &ControlPlane, role: &str) -> Vec<Rule> {
    let output = cluster.kubectl(&["get", "clusterrole", role, "-o", "json"]);
    let role: Value = serde_json::from_slice(&output.stdout).expect("a role");
    let texts = |list: &Value| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.map(|text| text.as_str().expect("a text").to_owned())
            .collect()
    };
    let mut rules = Vec::new();
    for entry in role["rules"].as_array().expect("rules") {
        for group in texts(&entry["apiGroups"]) {
            for resource in texts(&entry["resources"]) {
                for verb in texts(&entry["verbs"]) {
                    let (group, resource) = (group.clone(), resource.clone());
                    rules.push(Rule {
                        group,
                        resource,
                        verb,
                        names: texts(&entry["resourceNames"]),
                    });
                }
            }
        }
    }
    rules
}

/// Accounts that are there for the length of a test.
pub(crate) struct Accounts {
    api: Api,
    objects: Vec<Value>,
}

impl Accounts {
    /// Users of these names with these rules everywhere, in force on return.
    pub(crate) fn create(
        cluster: &ControlPlane,
        api: Api,
        accounts: &[(String, Vec<Rule>)],
    ) -> Self {
        let roles = accounts.iter().map(|(name, rules)| role(name, rules));
        let bindings = accounts.iter().map(|(name, _)| binding(name));
        let objects: Vec<Value> = roles.chain(bindings).collect();
        for object in &objects {
            api.delete(object);
            api.create(object);
        }
        // The authorizer learns of roles, and of bindings, in the order they were made.
        if let Some((name, rules)) = accounts.last() {
            wait_until_allowed(cluster, name, rules);
        }
        Self { api, objects }
    }
}

impl Drop for Accounts {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.objects
                .iter()
                .for_each(|object| self.api.delete(object));
        }
    }
}

fn role(name: &str, rules: &[Rule]) -> Value {
    let rule = |rule: &Rule| {
        let mut entry = json!({ "apiGroups": [rule.group], "resources": [rule.resource], "verbs": [rule.verb] });
        if !rule.names.is_empty() {
            entry["resourceNames"] = json!(rule.names);
        }
        entry
    };
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRole",
        "metadata": { "name": name },
        "rules": rules.iter().map(rule).collect::<Vec<_>>(),
    })
}

fn binding(name: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "ClusterRoleBinding",
        "metadata": { "name": name },
        "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": name },
        "subjects": [{ "apiGroup": GROUP, "kind": "User", "name": name }],
    })
}

fn wait_until_allowed(cluster: &ControlPlane, user: &str, rules: &[Rule]) {
    let is_general = |rule: &&Rule| !rule.resource.contains('/') && rule.names.is_empty();
    let rule = rules.iter().find(is_general);
    let rule = rule.expect("a rule for all objects, without a subresource");
    let resource = format!("{}.{}", rule.resource, rule.group);
    let resource = resource.trim_end_matches('.');
    wait_until(&format!("{user} may {} {resource}", rule.verb), || {
        let asked = [
            "auth", "can-i", &rule.verb, resource, "-A", "-q", "--as", user,
        ];
        cluster.kubectl(&asked).status.success()
    });
}

/// Looks until it is so, and fails when that does not come.
pub(crate) fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
