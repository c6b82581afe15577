//! `--with` and `--without`: the answer for a cluster that is not there yet.

use crate::support::kubectl_pv;
use insta::assert_snapshot;

/// `explain` over `whatif.yaml` with these arguments.
fn asked(arguments: &[&str]) -> Vec<String> {
    let all = [&["explain", "-f", "whatif.yaml"], arguments].concat();
    all.into_iter().map(str::to_owned).collect()
}

fn shown(arguments: &[&str]) -> String {
    let all = asked(arguments);
    kubectl_pv(&all.iter().map(String::as_str).collect::<Vec<_>>()).shown()
}

/// What `explain` says with standard input as `--with`.
fn shown_with(arguments: &[&str], text: &str) -> String {
    let all = asked(&[arguments, &["--with", "-"]].concat());
    kubectl_pv(&all.iter().map(String::as_str).collect::<Vec<_>>())
        .stdin(text)
        .shown()
}

#[test]
fn a_volume_that_is_added_is_taken() {
    assert!(shown(&["data-0"]).ends_with("[exit 1]\n"));
    assert_snapshot!(shown(&["data-0", "--with", "whatif-volume.yaml"]));
}

#[test]
fn a_claim_that_goes_leaves_its_volume_released_and_room_in_the_quota() {
    assert_snapshot!(shown(&["data-0", "--without", "pvc/old"]));
    let claim = "
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: fourth, namespace: prod}
spec: {accessModes: [ReadWriteOnce], storageClassName: manual, resources: {requests: {storage: 1Gi}}}
";
    assert_snapshot!(shown_with(&["fourth"], claim));
    let made = shown_with(
        &[
            "fourth",
            "--without",
            "pvc/prod/old",
            "--with",
            "whatif-volume.yaml",
        ],
        claim,
    );
    assert!(
        made.starts_with("prod/fourth will bind to pv-new"),
        "{made}"
    );
}

#[test]
fn a_volume_that_goes_is_lost() {
    assert_snapshot!(shown(&["old", "--without", "pv/pv-a"]));
}

#[test]
fn a_pod_that_comes_is_waited_for() {
    assert!(shown(&["scratch"]).contains("NoConsumer"));
    let pod = "
apiVersion: v1
kind: Pod
metadata: {name: worker, namespace: prod}
spec: {volumes: [{name: tmp, persistentVolumeClaim: {claimName: scratch}}]}
";
    assert!(shown_with(&["scratch"], pod).contains("worker"));
}

#[test]
fn templates_make_claims_here_too() {
    let set = "
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: prod}
spec:
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: manual, resources: {requests: {storage: 1Gi}}}
";
    let text = shown_with(&["sts/db", "--without", "pvc/scratch"], set);
    assert!(text.starts_with("prod/data-db-0 "), "{text}");
}

#[test]
fn what_the_server_would_refuse_is_said_and_not_done() {
    let claim = "
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data-0, namespace: prod}
spec: {accessModes: [ReadWriteMany], storageClassName: manual, resources: {requests: {storage: 5Gi}}}
";
    assert_snapshot!(shown_with(&["data-0"], claim));
    assert_snapshot!(shown_with(&["data-0", "--without", "pvc/data-0"], claim));
}

#[test]
fn what_is_not_there_cannot_be_left_out() {
    assert_snapshot!(shown(&["--without", "pvc/data-1"]));
    assert_snapshot!(shown(&["--without", "pod/web-0"]));
    assert_snapshot!(shown(&["-n", "dev", "--without", "pvc/data-0"]));
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [
        &["--without", "data-0"][..],
        &["--without", "secret/x"],
        &["--without", "pv/prod/pv-a"],
        &["--with", "-", "-f", "-"],
    ] {
        let text = shown(arguments);
        assert!(text.ends_with("[exit 2]\n"), "{arguments:?}: {text}");
    }
    assert!(shown(&["--with", "no-such-file.yaml"]).ends_with("[exit 3]\n"));
}

#[test]
fn plan_shows_only_what_changes() {
    let new = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pv-new}\n\
               spec: {accessModes: [ReadWriteOnce], capacity: {storage: 15Gi}, storageClassName: fast, hostPath: {path: /x}}\n";
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let diff = |more: &[&str]| {
        let arguments: Vec<&str> = ["plan", "-f", examples, "--diff"]
            .iter()
            .chain(more)
            .copied()
            .collect();
        kubectl_pv(&arguments).stdin(new)
    };
    insta::assert_snapshot!(diff(&["--with", "-"]).shown());
    insta::assert_snapshot!(diff(&["--without", "pv/disk-1"]).shown());
    let same = diff(&["--without", "pv/pv-c"]).ran();
    assert_eq!(
        same.stdout,
        "Nothing changes for any claim without pv/pv-c.\n"
    );
    let changes = diff(&["--with", "-", "-o", "json"]).json()["changes"].clone();
    assert_eq!(
        changes,
        serde_json::json!([{"namespace": "prod", "name": "data-0",
            "before": {"verdict": "Blocked", "outcomes": []},
            "after": {"verdict": "WillBind", "outcomes": ["pv-new"]}}])
    );
    assert_eq!(diff(&[]).ran().status, 2);
}
