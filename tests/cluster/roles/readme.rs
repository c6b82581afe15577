//! The commands of `deploy/README.md`, as somebody pastes them, and what they allow.

use std::process::Command;

use super::account::wait_until;
use super::scene::Scene;
use crate::support::Ran;

const README: &str = include_str!("../../../deploy/README.md");

/// The lines of the shell blocks.
fn commands() -> Vec<&'static str> {
    let blocks = README.split("```sh\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    blocks.flat_map(str::lines).collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_the_readme_says_can_be_pasted_and_allows_what_it_says() {
    let scene = Scene::set();
    for name in ["ci", "shop"] {
        scene.cluster.namespace(name);
    }
    let commands = commands();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in &commands {
        let pasted = Command::new("bash")
            .args([
                "-c",
                &format!("kubectl() {{ \"$KUBECTL\" \"$@\"; }}; {command}"),
            ])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("KUBECTL", scene.cluster.asset("kubectl"))
            .env("KUBECONFIG", scene.cluster.kubeconfig("admin"))
            .env("KUBERC", "off")
            .output()
            .expect("run bash");
        assert!(pasted.status.success(), "{command}: {pasted:?}");
    }
    let created = scene
        .cluster
        .kubectl(&["create", "serviceaccount", "bot", "-n", "ci"]);
    assert!(created.status.success(), "{created:?}");
    let token = scene
        .cluster
        .kubectl(&["create", "token", "bot", "-n", "ci"]);
    let token = String::from_utf8(token.stdout).expect("a token");
    let bot = |arguments: &[&str]| -> Ran {
        let mut all = arguments.to_vec();
        all.extend(["--token", token.trim()]);
        scene.cluster.kubectl_pv("nobody", &all).ran()
    };
    let is_answered = |ran: &Ran| ran.status == 0 && !ran.stdout.contains("forbidden");
    let question = ["bind", "plain", "-n", "roles", "--dry-run"];
    wait_until("mia may look", || {
        is_answered(&scene.run_as("mia", &question))
    });
    assert!(is_answered(&scene.run_as("jane", &question)));
    assert!(is_answered(&bot(&question)));
    assert_eq!(scene.run_as("joe", &question).status, 3);

    let try_out = ["bind", "plain", "-n", "roles", "--dry-run=server"];
    assert_eq!(scene.run_as("jane", &try_out).status, 0);
    assert_eq!(bot(&try_out).status, 0, "provision binds what it makes");
    // Mia binds in another namespace: the volume would be hers, the claim is not.
    let mia = scene.run_as("mia", &try_out);
    assert_eq!(mia.status, 1);
    let told = "you may not patch persistentvolumeclaims in namespace roles; an administrator allows it with: kubectl create rolebinding kubectl-pv-bind-mia --clusterrole=kubectl-pv-bind --user=mia -n roles\n";
    assert!(mia.stderr.contains(told), "{}", mia.stderr);

    for command in commands.iter().filter(|line| line.contains(" create ")) {
        let words: Vec<&str> = command.split(' ').collect();
        let mut undo = vec!["delete", words[2], words[3]];
        if let Some(flag) = words.iter().position(|word| *word == "-n") {
            undo.extend(&words[flag..]);
        }
        assert!(scene.cluster.kubectl(&undo).status.success(), "{undo:?}");
    }
}
