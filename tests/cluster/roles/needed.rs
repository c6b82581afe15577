//! No rule is superfluous: each is taken away in turn, and some command must answer or end otherwise than with all of them.

use serde_json::Value;
use std::os::unix::process::CommandExt;

use super::account::{Accounts, BIND, PROVISION, Rule, VIEW, rules_of};
use super::errand::Errand;
use super::scene::Scene;
use crate::support::kubectl_pv;

/// Reads that between them need every rule of the role for reading.
const READS: [&[&str]; 7] = [
    &["describe-class", "-n", "roles", "-o", "json"],
    &["explain", "-n", "roles", "-o", "json"],
    &["explain", "pod/late", "-n", "roles", "-o", "json"],
    &["plan", "-n", "roles", "-o", "json"],
    &[
        "validate",
        "configmap/wishes",
        "-n",
        "roles",
        "--class",
        "roles-fast",
        "-o",
        "json",
    ],
    &["set", "status", "-o", "json"],
    &[
        "provision",
        "-n",
        "roles",
        "--dry-run",
        "--backend",
        "example.com/none=hostpath:/tmp",
    ],
];

/// The accounts `PREFIX-all` and `PREFIX-0`, `PREFIX-1` …, which lack one rule each.
fn without_each(prefix: &str, always: &[Rule], rules: &[Rule]) -> Vec<(String, Vec<Rule>)> {
    let with = |own: Vec<Rule>| always.iter().cloned().chain(own).collect();
    let mut accounts = vec![(format!("{prefix}-all"), with(rules.to_vec()))];
    for (number, rule) in rules.iter().enumerate() {
        let others = rules.iter().filter(|other| *other != rule).cloned();
        accounts.push((format!("{prefix}-{number}"), with(others.collect())));
    }
    accounts
}

fn superfluous(rule: &Rule, shipped_in: &str) -> String {
    format!(
        "{shipped_in}: nobody misses {} {}.{}",
        rule.verb, rule.resource, rule.group
    )
}

/// What TAB offers after `-n`.
fn complete_namespace(scene: &Scene, user: &str) -> String {
    let kubeconfig = scene.cluster.kubeconfig("admin");
    let kubeconfig = kubeconfig.to_str().expect("a path in plain text");
    let words = [
        "explain",
        "--kubeconfig",
        kubeconfig,
        "--as",
        user,
        "-n",
        "role",
    ];
    let output = kubectl_pv(&words)
        .command()
        .arg0("kubectl_complete-pv")
        .output()
        .expect("run the program");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_rule_for_reading_is_missed() {
    let scene = Scene::set();
    let rules = rules_of(&scene.cluster, VIEW);
    assert!(rules.len() >= 15, "{rules:?}");
    assert!(rules.iter().any(Rule::reads_cluster_uid), "{rules:?}");
    let all = without_each("roles-view", &[], &rules);
    let _accounts = Accounts::create(&scene.cluster, scene.api(), &all);
    let read = |user: &str, number: usize| {
        let ran = scene.run_as(user, READS[number]);
        (ran.stdout, ran.stderr, ran.status)
    };
    let with_all: Vec<_> = (0..READS.len())
        .map(|number| read("roles-view-all", number))
        .collect();
    let offered = complete_namespace(&scene, "roles-view-all");
    assert!(offered.lines().any(|line| line == "roles"), "{offered}");
    let mut problems = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let user = format!("roles-view-{number}");
        let is_missed = (0..READS.len()).any(|number| read(&user, number) != with_all[number])
            || complete_namespace(&scene, &user) != offered;
        if !is_missed {
            problems.push(superfluous(rule, VIEW));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_rule_for_writing_is_missed() {
    let scene = Scene::set();
    let view = rules_of(&scene.cluster, VIEW);
    let provision = rules_of(&scene.cluster, PROVISION);
    let is_marking = |rule: &&Rule| rule.resource == "persistentvolumes/status";
    let unfinished = provision.iter().filter(|rule| !is_marking(rule)).cloned();
    let unfinished: Vec<Rule> = view.iter().cloned().chain(unfinished).collect();
    let roles: [(&str, &[Errand]); 2] = [
        (BIND, &[Errand::Bind]),
        (
            PROVISION,
            &[
                Errand::Make,
                Errand::Ask,
                Errand::LostAnswer,
                Errand::TakeBack,
                Errand::ToldBefore,
            ],
        ),
    ];
    let mut all = vec![("roles-unfinished".to_owned(), unfinished)];
    for (role, _) in roles {
        all.extend(without_each(role, &view, &rules_of(&scene.cluster, role)));
    }
    let _accounts = Accounts::create(&scene.cluster, scene.api(), &all);
    let mut problems = Vec::new();
    for (role, errands) in roles {
        let run = |user: &str, errand: &Errand| errand.run(&scene, user, "roles-unfinished");
        let with_all = |errand| run(&format!("{role}-all"), errand);
        let with_all: Vec<(&Errand, Value)> = errands
            .iter()
            .map(|errand| (errand, with_all(errand)))
            .collect();
        for (errand, done) in &with_all {
            assert_eq!(done["status"], 0, "{role}, {errand:?}: {done:#}");
        }
        for (number, rule) in rules_of(&scene.cluster, role).iter().enumerate() {
            let user = format!("{role}-{number}");
            if with_all
                .iter()
                .all(|(errand, done)| run(&user, errand) == *done)
            {
                problems.push(superfluous(rule, role));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
