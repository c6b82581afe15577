//! Somebody who may look at one namespace only: what can be known is told, and what is missing has its name, and a command
//! that an administrator can paste.

use serde_json::Value;

use super::account::wait_until;
use super::scene::Scene;
use crate::support::Ran;

const TO_VIEW: &str = "kubectl create clusterrolebinding kubectl-pv-view-roles-joe --clusterrole=kubectl-pv-view --user=roles-joe";

fn unknowns(ran: &Ran) -> Vec<String> {
    let answer: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr));
    let unknowns = answer["unknowns"].as_array().expect("a list").iter();
    let what = unknowns.map(|unknown| unknown["what"].as_str().unwrap_or_default().to_owned());
    what.collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn whoever_sees_one_namespace_hears_what_is_missing() {
    let scene = Scene::set();
    let bound = scene.cluster.kubectl(&[
        "create",
        "rolebinding",
        "joe",
        "--clusterrole=kubectl-pv-view",
        "--user=roles-joe",
        "-n",
        "roles",
    ]);
    assert!(bound.status.success(), "{bound:?}");
    let joe = |arguments: &[&str]| scene.run_as("roles-joe", arguments);
    wait_until("joe may look", || {
        joe(&["explain", "plain", "-n", "roles"])
            .stdout
            .contains("Not seen")
    });

    let explained = joe(&["explain", "plain", "-n", "roles", "-o", "json"]);
    assert_eq!(explained.status, 3, "{}", explained.stdout);
    let elsewhere = "persistentvolumeclaims outside namespace roles";
    let expected = ["persistentvolumes", "storageclasses", elsewhere];
    assert_eq!(unknowns(&explained), expected);
    // What the claim itself proves is told.
    let said = joe(&["explain", "restored", "-n", "roles", "-o", "json"]);
    assert!(
        said.stdout.contains("\"requested\": \"1Gi\""),
        "{}",
        said.stdout
    );

    for command in ["bind", "provision"] {
        let ran = joe(&[command, "plain", "-n", "roles", "--yes", "-o", "json"]);
        assert_eq!(ran.status, 3, "{}", ran.stdout);
        let unseen = unknowns(&ran);
        for what in ["persistentvolumes", "storageclasses"] {
            assert!(unseen.iter().any(|unseen| unseen == what), "{unseen:?}");
        }
        for told in [
            "the answer depends on persistentvolumes and storageclasses",
            "hint: you may not list",
            "storageclasses.storage.k8s.io",
            TO_VIEW,
        ] {
            assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
        }
    }
    // In a namespace of which nothing may be seen the permission for that one would do.
    let elsewhere = joe(&["bind", "-n", "default", "--yes"]);
    assert_eq!(elsewhere.status, 3);
    for told in [
        "error: you cannot list persistentvolumeclaims in namespace default\n",
        "hint: you may not list",
        ", nor list events, limitranges, persistentvolumeclaims, pods, resourcequotas and statefulsets.apps in namespace default; an administrator",
        TO_VIEW,
    ] {
        assert!(
            elsewhere.stderr.contains(told),
            "{told}: {}",
            elsewhere.stderr
        );
    }

    // The command that is printed is the one that helps.
    let words: Vec<&str> = TO_VIEW.split(' ').skip(1).collect();
    assert!(scene.cluster.kubectl(&words).status.success());
    wait_until("joe may look around", || {
        joe(&["explain", "plain", "-n", "roles"]).status == 0
    });
    let refused = joe(&["bind", "plain", "-n", "roles", "--yes"]);
    assert_eq!(refused.status, 4, "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .contains("hint: you may not patch persistentvolumes; "),
        "{}",
        refused.stderr
    );
    for binding in [
        &["clusterrolebinding", "kubectl-pv-view-roles-joe"][..],
        &["rolebinding", "joe", "-n", "roles"],
    ] {
        let mut words = vec!["delete"];
        words.extend(binding);
        assert!(scene.cluster.kubectl(&words).status.success());
    }
}
