//! Each role is enough for its commands, and the one for reading changes nothing.

use serde_json::Value;

use super::account::{Accounts, BIND, PROVISION, Rule, VIEW, rules_of};
use super::errand::{OWN, Site, summary};
use super::scene::Scene;
use crate::cluster::faults::script::Pass;
use crate::support::Ran;

/// The role for reading, and one more.
fn with_view(scene: &Scene, role: &str) -> Vec<Rule> {
    let mut rules = rules_of(&scene.cluster, VIEW);
    rules.extend(rules_of(&scene.cluster, role));
    rules
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn view_answers_every_question_and_changes_nothing() {
    let scene = Scene::set();
    let view = vec![("roles-viewer".to_owned(), rules_of(&scene.cluster, VIEW))];
    let _accounts = Accounts::create(&scene.cluster, scene.api(), &view);
    let questions: [&[&str]; 12] = [
        &["explain", "-n", "roles"],
        &["explain", "-A"],
        &["explain", "pod/late", "-n", "roles"],
        &["explain", "pv/roles-plain"],
        &["plan", "-n", "roles"],
        &["plan", "-A"],
        &["status", "-A"],
        &["status", "--labels"],
        &["describe-class"],
        &[
            "validate",
            "configmap/wishes",
            "-n",
            "roles",
            "--class",
            "roles-fast",
        ],
        &["bind", "-n", "roles", "--dry-run"],
        &["provision", "-n", "roles", "--dry-run"],
    ];
    for question in questions {
        let mut words = question.to_vec();
        words.extend(["-o", "json"]);
        let ran = scene.run_as("roles-viewer", &words);
        // Times pass between two looks, and only `status` tells them. Commands to paste say as whom.
        let answer_of = |ran: &Ran| {
            let stdout = ran.stdout.replace(" --as roles-viewer", "");
            let answer: Value = serde_json::from_str(&stdout).expect("an answer");
            let seen = if question[0] == "status" {
                answer["unknowns"].clone()
            } else {
                answer
            };
            (seen, ran.stderr.clone(), ran.status)
        };
        assert!(
            !ran.stdout.contains("forbidden"),
            "{question:?}: {}",
            ran.stdout
        );
        let of_admin = scene.cluster.kubectl_pv("admin", &words).ran();
        assert_eq!(answer_of(&ran), answer_of(&of_admin), "{question:?}");
    }

    let site = Site::open(&scene, OWN);
    scene.api().create(&site.place.volume("one", "1Gi"));
    site.claim();
    let before = site.place.storage();
    let refused = site.bind("roles-viewer");
    assert_eq!(refused.status, 4, "{}", refused.stderr);
    assert_eq!(site.place.storage(), before, "nothing is changed");
    for told in [
        "pv/errand",
        // What was begun with few rights is not finished with more.
        " --as roles-viewer\n",
        "cannot patch resource \"persistentvolumes\"",
        "hint: you may not patch persistentvolumes; an administrator allows it with: kubectl create clusterrolebinding kubectl-pv-bind-roles-viewer --clusterrole=kubectl-pv-bind --user=roles-viewer\n",
    ] {
        assert!(refused.stderr.contains(told), "{told}: {}", refused.stderr);
    }
    let tried = ["bind", "data", "-n", &site.place.name, "--dry-run=server"];
    let tried = scene.run_as("roles-viewer", &tried);
    assert_eq!(tried.status, 1, "{}", tried.stdout);
    assert!(
        tried.stderr.contains("--clusterrole=kubectl-pv-bind"),
        "{}",
        tried.stderr
    );
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn bind_binds_and_provision_provisions() {
    let scene = Scene::set();
    let provisioner = with_view(&scene, PROVISION);
    let is_marking = |rule: &&Rule| rule.resource == "persistentvolumes/status";
    let unfinished = provisioner.iter().filter(|rule| !is_marking(rule)).cloned();
    let accounts = [
        ("roles-unfinished".to_owned(), unfinished.collect()),
        ("roles-binder".to_owned(), with_view(&scene, BIND)),
        ("roles-provisioner".to_owned(), provisioner),
    ];
    let _accounts = Accounts::create(&scene.cluster, scene.api(), &accounts);
    let is_bound = |site: &Site<'_>| {
        let storage = site.place.storage();
        let mut claims = storage
            .iter()
            .filter(|object| object["kind"] == "PersistentVolumeClaim");
        claims.all(|claim| claim["status"]["phase"] == "Bound")
    };

    let site = Site::open(&scene, OWN);
    scene.api().create(&site.place.volume("one", "1Gi"));
    site.claim();
    let bound = site.bind("roles-binder");
    assert_eq!(bound.status, 0, "{}", bound.stderr);
    assert!(is_bound(&site));
    assert_eq!(bound.stderr, "");

    let site = Site::open(&scene, OWN);
    site.claim();
    let refused = site.provision("roles-binder", Pass);
    assert_eq!(refused.status, 4, "{}", refused.stderr);
    let missing = format!(
        "hint: you may not create persistentvolumes, nor create events in namespace {}; an administrator allows it with: kubectl create clusterrolebinding kubectl-pv-provision-roles-binder --clusterrole=kubectl-pv-provision --user=roles-binder\n",
        site.place.name
    );
    assert!(refused.stderr.contains(&missing), "{}", refused.stderr);
    assert!(site.assets().is_empty(), "the asset is taken back");
    let made = site.provision("roles-provisioner", Pass);
    assert_eq!(made.status, 0, "{}", made.stderr);
    assert!(
        is_bound(&site) && site.assets().len() == 1,
        "{}",
        made.stdout
    );

    // A claim that was made again gets a volume of its own; the other one and its asset go.
    let site = Site::open(&scene, OWN);
    site.leave_behind("roles-unfinished");
    let left = site.assets();
    let made = site.provision("roles-provisioner", Pass);
    let done = summary(&made).to_string();
    assert_eq!(made.status, 0, "{done}{}", made.stderr);
    assert!(
        done.contains(r#"["Delete","PersistentVolume",null,"Done"]"#),
        "{done}"
    );
    assert!(is_bound(&site) && site.assets().len() == 1, "{done}");
    assert_ne!(site.assets(), left);

    // What others make is asked for and waited for; nobody plays the provisioner.
    let site = Site::open(&scene, "roles.example.com");
    let claim = site.claim();
    let asked = site.ask("roles-provisioner", "2s");
    assert_eq!(asked.status, 4, "{}", asked.stderr);
    let claim = scene.api().find(&claim).expect("the claim");
    let key = "volume.kubernetes.io/storage-provisioner";
    assert_eq!(claim["metadata"]["annotations"][key], "roles.example.com");
    assert!(!asked.stderr.contains("may not"), "{}", asked.stderr);
}
