//! `explain pod/NAME`: a pod for each reason a volume can give, in one cluster of four nodes.

use crate::support::kubectl_pv;
use insta::assert_snapshot;
use serde_json::{Value, json};

fn shown(pod: &str) -> String {
    kubectl_pv(&["explain", &format!("pod/{pod}"), "-f", "pods.yaml"]).shown()
}

fn explained(pod: &str) -> Value {
    kubectl_pv(&[
        "explain",
        &format!("pod/{pod}"),
        "-f",
        "pods.yaml",
        "-o",
        "json",
    ])
    .json()
}

/// The verdict, the main cause, and the codes each node gives.
fn gist(pod: &str) -> Value {
    let answer = explained(pod);
    let codes = |node: &Value| -> Vec<Value> {
        let reasons = node["reasons"].as_array().unwrap();
        reasons
            .iter()
            .map(|reason| reason["code"].clone())
            .collect()
    };
    let nodes: Vec<Value> = answer["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| json!([node["name"], node["feasible"], codes(node)]))
        .collect();
    json!([answer["verdict"], answer["causes"][0]["code"], nodes])
}

#[test]
fn no_node_for_both_claims() {
    assert_snapshot!(shown("greedy"));
}

#[test]
fn the_json_of_a_pod_is_fixed() {
    let mut answer = explained("greedy");
    answer["claims"] = json!("as explained elsewhere");
    assert_snapshot!(serde_json::to_string_pretty(&answer).unwrap());
}

#[test]
fn a_bound_volume_on_a_node_that_is_gone() {
    assert_snapshot!(shown("far"));
}

#[test]
fn a_driver_that_is_full_on_one_node_and_silent_on_the_others() {
    assert_snapshot!(shown("full"));
}

#[test]
fn a_claim_that_one_pod_has_to_itself() {
    assert_snapshot!(shown("second"));
}

#[test]
fn a_claim_promised_to_a_node_that_is_gone() {
    assert_snapshot!(shown("pinned"));
}

#[test]
fn a_claim_that_does_not_exist() {
    assert_snapshot!(shown("nameless"));
}

#[test]
fn a_pod_past_the_scheduler() {
    assert_snapshot!(shown("byhand"));
}

#[test]
fn a_volume_attached_to_another_node() {
    assert_snapshot!(shown("stuck"));
}

#[test]
fn volumes_allow_only_the_cordoned_node() {
    assert_snapshot!(shown("cold"));
}

#[test]
fn a_reserved_volume_that_never_binds() {
    assert_snapshot!(shown("trap"));
}

#[test]
fn each_reason_on_its_nodes() {
    assert_eq!(
        gist("zoned"),
        json!([
            "Unschedulable",
            "NoFeasibleNode",
            [
                [
                    "n1",
                    false,
                    ["NodeVolumeLimitReached", "VolumeZoneMismatch"]
                ],
                ["n2", false, ["VolumeZoneMismatch"]],
                ["n3", false, ["TaintNotTolerated", "VolumeZoneMismatch"]],
                ["n4", false, ["NodeCordoned", "VolumeZoneMismatch"]]
            ]
        ])
    );
    assert_eq!(
        gist("away"),
        json!([
            "Unschedulable",
            "NoFeasibleNode",
            [
                [
                    "n1",
                    false,
                    ["NodeVolumeLimitReached", "TopologyNotAllowed"]
                ],
                ["n2", false, ["TopologyNotAllowed"]],
                ["n3", false, ["TaintNotTolerated", "TopologyNotAllowed"]],
                ["n4", false, ["NodeCordoned", "TopologyNotAllowed"]]
            ]
        ])
    );
    let open = json!([
        ["n1", true, []],
        ["n2", true, []],
        ["n3", true, ["TaintNotTolerated"]],
        ["n4", true, ["NodeCordoned"]]
    ]);
    assert_eq!(
        gist("soon"),
        json!(["Schedulable", "UnboundImmediateClaims", open])
    );
    assert_eq!(
        gist("never"),
        json!(["Unschedulable", "UnboundImmediateClaims", []])
    );
    assert_eq!(gist("gated")[0], "Waiting");
    assert_eq!(gist("holder"), json!(["Scheduled", null, []]));
}

#[test]
fn the_scheduler_is_quoted_word_for_word() {
    let says = |pod: &str| explained(pod)["kubernetesSays"][0]["message"].clone();
    assert_eq!(
        says("zoned"),
        "0/4 nodes are available: 1 node(s) exceed max volume count, 1 node(s) had no available volume zone, \
         1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims to deallocate, \
         preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, \
         3 Preemption is not helpful for scheduling."
    );
    assert_eq!(
        says("never"),
        "0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    );
    assert_eq!(
        says("nameless"),
        "0/4 nodes are available: persistentvolumeclaim \"dta\" not found. not found"
    );
}

#[test]
fn one_node_is_asked_about() {
    let run = kubectl_pv(&[
        "explain",
        "pod/greedy",
        "--node",
        "n2",
        "-f",
        "pods.yaml",
        "-o",
        "json",
    ]);
    let answer = run.json();
    assert_eq!(answer["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(answer["nodes"][0]["name"], "n2");
    let ran = kubectl_pv(&["explain", "pod/greedy", "--node", "n0", "-f", "pods.yaml"]).ran();
    assert_eq!(ran.status, 3);
    assert!(ran.stderr.contains("did you mean n1"), "{}", ran.stderr);
}

#[test]
fn claims_are_told_with_their_pods() {
    let claim = |name: &str| {
        let answer = kubectl_pv(&["explain", name, "-f", "pods.yaml", "-o", "json"]).json();
        json!([
            answer["verdict"],
            answer["path"],
            answer["outcomes"],
            answer["causes"][0]["code"]
        ])
    };
    assert_eq!(
        claim("data"),
        json!(["Blocked", "Scheduler", [], "NoFeasibleNode"])
    );
    assert_eq!(
        claim("mine"),
        json!(["Blocked", "Scheduler", [], "ConsumerBypassesScheduler"])
    );
    assert_eq!(
        claim("gated"),
        json!(["Waiting", "Scheduler", [], "ConsumerUnscheduled"])
    );
    assert_eq!(
        claim("shared"),
        json!(["Blocked", "Scheduler", [], "ReservedVolumeUnfit"])
    );
    assert_eq!(claim("pinned")[3], "SelectedNodeMissing");
    assert_snapshot!(kubectl_pv(&["explain", "next", "-f", "pods.yaml"]).shown());
}

#[test]
fn signs_are_words_where_the_locale_has_none() {
    let run = kubectl_pv(&["explain", "pod/greedy", "-f", "pods.yaml"]).env("LC_ALL", "C");
    let text = run.ran().stdout;
    assert!(
        text.is_ascii() && text.contains("no, ") && text.contains("yes, "),
        "{text}"
    );
}

#[test]
fn all_pods_in_short_and_as_names() {
    assert_snapshot!(kubectl_pv(&["explain", "pods", "-f", "pods.yaml"]).shown());
    let names = kubectl_pv(&[
        "explain",
        "pods",
        "-f",
        "pods.yaml",
        "--pending",
        "-o",
        "name",
    ])
    .ran();
    assert!(
        names.stdout.starts_with("pod/away\npod/cold\n"),
        "{}",
        names.stdout
    );
}
