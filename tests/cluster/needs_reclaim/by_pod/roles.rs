//! What `deploy/` ships is enough for a user bound as its README says, the pods in one namespace alone; and each rule about pods is
//! missed.

use serde_json::json;

use super::Stage;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::roles::account::{Accounts, Rule, VIEW, install, rules_of, wait_until};

const RECLAIM: &str = "kubectl-pv-reclaim";
const RECYCLE: &str = "kubectl-pv-recycle";
const BY_POD: &str = "kubectl-pv-recycle-by-pod";
const GROUP: &str = "rbac.authorization.k8s.io";

#[test]
#[ignore = "needs a control plane: tests/run"]
fn they_are_enough_and_each_rule_is_missed() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    install(&cluster);
    let mut everywhere = rules_of(&cluster, VIEW);
    everywhere.extend(rules_of(&cluster, RECLAIM));
    everywhere.extend(rules_of(&cluster, RECYCLE));
    let of_pods = rules_of(&cluster, BY_POD);
    assert_eq!(of_pods.len(), 3, "{of_pods:?}");
    let mut accounts: Vec<(String, Vec<Rule>)> = Vec::new();
    for missing in &of_pods {
        let others = of_pods.iter().filter(|rule| *rule != missing);
        let rules = everywhere.iter().chain(others).cloned().collect();
        accounts.push((format!("by-pod-no-{}", missing.verb), rules));
    }
    accounts.push(("by-pod-all".to_owned(), everywhere));
    let _accounts = Accounts::create(&cluster, upstream.api(), &accounts);
    let admin = cluster.kubeconfig("admin");
    let admin = admin.to_str().expect("a path in plain text");

    for_all(&of_pods, |missing| {
        let verb = &missing.verb;
        let stage = Stage::create(&cluster, upstream.api());
        let user = format!("by-pod-no-{verb}");
        let before = stage.volume();
        let refused = stage.command(admin, &["--as", &user]).ran();
        let said = format!("{verb}: {}{}", refused.stdout, refused.stderr);
        assert_eq!(refused.status, 4, "{said}");
        let hint = format!(
            "you may not {verb} pods in namespace {}",
            stage.scene.place.name
        );
        assert!(refused.stderr.contains(&hint), "{said}");
        assert!(
            refused.stderr.contains(&format!("--clusterrole={BY_POD}")),
            "{said}"
        );
        if verb == "create" {
            assert_eq!(stage.volume(), before, "{said}");
        }
        if verb != "get" {
            assert!(stage.scene.has_data("v"), "{said}");
        }
        // Whoever may goes on.
        let ran = stage.reclaim(admin);
        assert_eq!(ran.status, 0, "{said}{}{}", ran.stdout, ran.stderr);
        assert_eq!(stage.unmet(), [""; 0], "{said}");
        let (ran, wrong) = stage.clear();
        // Without `get` nobody hears whether the first has ended: a second may make sure.
        let most = if verb == "get" { 2 } else { 1 };
        assert!((1..=most).contains(&ran), "{ran} pods ran: {said}");
        assert_eq!(wrong, [""; 0], "{said}");
    });

    let stage = Stage::create(&cluster, upstream.api());
    let place = &stage.scene.place.name;
    upstream.api().create(&json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "RoleBinding",
        "metadata": { "name": BY_POD, "namespace": place },
        "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": BY_POD },
        "subjects": [{ "apiGroup": GROUP, "kind": "User", "name": "by-pod-all" }],
    }));
    let asked = [
        "auth",
        "can-i",
        "create",
        "pods",
        "-q",
        "-n",
        place,
        "--as",
        "by-pod-all",
    ];
    wait_until("the binding is in force", || {
        cluster.kubectl(&asked).status.success()
    });
    let ran = stage.command(admin, &["--as", "by-pod-all"]).ran();
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, 0, "{said}");
    assert_eq!(stage.unmet(), [""; 0], "{said}");
    assert_eq!(stage.clear(), (1, vec![]), "{said}");
}
