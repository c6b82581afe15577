//! `explain pv/NAME` as people and scripts meet it.

use crate::support::kubectl_pv;
use insta::assert_snapshot;
use serde_json::json;

const SCENARIO: &str = "volumes.yaml";

fn explained(volume: &str) -> String {
    kubectl_pv(&["explain", &format!("pv/{volume}"), "-f", SCENARIO]).shown()
}

fn told(volume: &str) -> serde_json::Value {
    let target = format!("pv/{volume}");
    kubectl_pv(&["explain", &target, "-f", SCENARIO, "-o", "json"]).json()
}

#[test]
fn a_volume_that_is_free() {
    assert_snapshot!(explained("free"));
    assert_snapshot!(explained("waits-for-a-pod"));
}

#[test]
fn the_three_states_of_a_claim_ref_and_the_empty_one() {
    for (volume, state, exists) in [
        ("free", "None", json!(null)),
        ("by-name", "NameOnly", json!(false)),
        ("too-small-for-it", "NameOnly", json!(true)),
        ("nobodys", "Empty", json!(null)),
        ("old-disk", "Uid", json!(false)),
        ("pvc-made", "Uid", json!(true)),
    ] {
        let told = told(volume);
        assert_eq!(told["claimRef"]["state"], state, "{volume}");
        assert_eq!(told["claimRef"]["claimExists"], exists, "{volume}");
    }
    assert_snapshot!(explained("old-disk"));
    assert_snapshot!(explained("by-name"));
    assert_snapshot!(explained("too-small-for-it"));
    assert_snapshot!(explained("nobodys"));
}

#[test]
fn what_becomes_of_a_volume_when_its_claim_goes() {
    for (volume, result, by, data) in [
        ("old-disk", "Retained", json!(null), "Kept"),
        ("static-delete", "Failed", json!("controller"), "Kept"),
        (
            "pvc-made",
            "LeftToProvisioner",
            json!("csi.example"),
            "Destroyed",
        ),
        ("recycled", "Recycled", json!("controller"), "Destroyed"),
        ("never-claimed", "Deleted", json!("controller"), "Destroyed"),
    ] {
        let fate = told(volume)["onClaimDeletion"].clone();
        assert_eq!(
            (&fate["result"], &fate["by"], &fate["data"]),
            (&json!(result), &by, &json!(data)),
            "{volume}"
        );
    }
    assert_snapshot!(explained("static-delete"));
    assert_snapshot!(explained("pvc-made"));
}

#[test]
fn volumes_nobody_has_any_more() {
    assert_snapshot!(explained("failed-delete"));
    assert_snapshot!(explained("pvc-forsaken"));
    assert_snapshot!(explained("recycled"));
}

#[test]
fn volumes_on_their_way_out() {
    assert_snapshot!(explained("pvc-stuck"));
    assert_snapshot!(explained("never-claimed"));
}

#[test]
fn volumes_that_cannot_be_reached_or_bound() {
    assert_snapshot!(explained("stranded"));
    assert_snapshot!(explained("block-for-it"));
}

#[test]
fn all_volumes_a_line_or_two_each() {
    assert_snapshot!(kubectl_pv(&["explain", "pv", "-f", SCENARIO]).shown());
}

#[test]
fn the_json_of_a_released_volume_is_fixed() {
    let ran = kubectl_pv(&["explain", "pv/old-disk", "-f", SCENARIO, "-o", "json"]).ran();
    assert_eq!(ran.status, 0);
    assert_snapshot!(ran.stdout);
}

#[test]
fn one_named_volume_is_one_object_and_all_else_a_list() {
    assert_eq!(told("free")["kind"], "VolumeExplanation");
    for targets in [
        &["pv"][..],
        &["pv", "free", "old-disk"],
        &["persistentvolumes"],
    ] {
        let arguments = [&["explain"], targets, &["-f", SCENARIO, "-o", "json"]].concat();
        let list = kubectl_pv(&arguments).json();
        assert_eq!(list["kind"], "VolumeExplanationList", "{targets:?}");
        assert!(
            list["items"]
                .as_array()
                .is_some_and(|items| items.len() > 1)
        );
    }
}

#[test]
fn names_may_be_apart_and_types_spelled_out() {
    let joined = explained("free");
    for target in [
        &["pv", "free"][..],
        &["persistentvolume/free"],
        &["PV/free"],
    ] {
        let arguments = [&["explain"], target, &["-f", SCENARIO]].concat();
        assert_eq!(kubectl_pv(&arguments).shown(), joined, "{target:?}");
    }
}

#[test]
fn labels_class_namespace_and_pending_narrow() {
    let names = |narrowed: &[&str]| {
        let arguments = [&["explain", "pv", "-f", SCENARIO, "-o", "name"], narrowed].concat();
        kubectl_pv(&arguments).ran().stdout
    };
    assert_eq!(names(&["-l", "tier=gold"]), "pv/free\n");
    assert_eq!(names(&["--class", "other"]), "pv/by-name\n");
    assert_eq!(names(&["-n", "team-b"]), "");
    assert!(names(&["-n", "prod"]).contains("pv/old-disk\n"));
    assert!(!names(&["-n", "prod"]).contains("pv/free\n"));
    assert!(names(&[]).contains("pv/pvc-made\n"));
    assert!(!names(&["--pending"]).contains("pv/pvc-made\n"));
}

#[test]
fn a_volume_that_does_not_exist_offers_similar_names() {
    assert_snapshot!(explained("fre"));
    let together = kubectl_pv(&["explain", "pv/free", "data-0", "-f", SCENARIO]).ran();
    assert_eq!((together.status, together.stdout.as_str()), (2, ""));
}

#[test]
fn a_hundred_claims_are_summed_up() {
    let mut text = String::from(include_str!("clusters/volumes.yaml"));
    for number in 0..100 {
        text.push_str(&format!(
            "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: many-{number:03}, namespace: prod, uid: many-{number}}}\n\
             spec: {{accessModes: [ReadWriteOnce], storageClassName: manual, resources: {{requests: {{storage: 1Ti}}}}}}\n"
        ));
    }
    let run = |arguments: &[&str]| {
        let arguments = [&["explain"], arguments, &["-f", "-"]].concat();
        kubectl_pv(&arguments).stdin(&text)
    };
    let shown = run(&["pv/free"]).ran().stdout;
    assert!(
        shown.contains("\n94 more: TooSmall (92), ClassMismatch (1), NamesOtherVolume (1)   (--all shows them)\n"),
        "{shown}"
    );
    assert!(run(&["pv/free", "--all"]).ran().stdout.contains("many-099"));
    let one = run(&["pv/free", "-o", "json"]).json();
    assert_eq!(one["claims"].as_array().map(Vec::len), Some(104));
    let listed = run(&["pv", "-o", "json"]).json();
    let free = listed["items"].as_array().and_then(|items| {
        items
            .iter()
            .find(|item| item["volume"]["name"] == "free")
            .cloned()
    });
    let free = free.unwrap_or_default();
    assert_eq!(free["claims"].as_array().map(Vec::len), Some(20));
    assert_eq!(free["claimsOmitted"], 84);
}

#[test]
fn what_the_files_do_not_hold_is_said() {
    let volume = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n\
                  spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], nfs: {server: s, path: /x}, \
                  claimRef: {namespace: a, name: b, uid: c}}\nstatus: {phase: Bound}\n";
    assert_snapshot!(
        kubectl_pv(&["explain", "pv/v", "-f", "-"])
            .stdin(volume)
            .shown()
    );
}

/// What a claim says of a volume, and what the volume says of the claim, is the same thing.
#[test]
fn claims_and_volumes_agree_about_each_other() {
    let mut pairs = 0;
    for scenario in [
        "volumes.yaml",
        "ties.yaml",
        "named.yaml",
        "waiting.yaml",
        "../../examples",
    ] {
        let claims = kubectl_pv(&["explain", "-A", "--all", "-o", "json", "-f", scenario]).json();
        let volumes = kubectl_pv(&["explain", "pv", "--all", "-o", "json", "-f", scenario]).json();
        for claim in claims["items"].as_array().into_iter().flatten() {
            let verdict = claim["verdict"].as_str().unwrap();
            // Who names a volume, or is settled, lists no other; what is refused lists none.
            let is_named = claim["claim"].get("volumeName").is_some();
            if is_named || ["Bound", "Lost", "Rejected"].contains(&verdict) {
                continue;
            }
            for assessment in claim["volumes"].as_array().into_iter().flatten() {
                let taker = find_taker(&volumes, &assessment["name"], &claim["claim"]);
                let expected = match assessment["result"].as_str().unwrap() {
                    "Chosen" => "WouldTake",
                    "Possible" | "Fits" => "CouldTake",
                    _ => "Rejected",
                };
                let about = format!(
                    "{scenario}: {} {}",
                    claim["claim"]["name"], assessment["name"]
                );
                if taker["reasons"][0]["code"] == "NodeAffinityMismatch" {
                    // The volume knows that no node suits it.
                    assert_ne!(expected, "WouldTake", "{about}");
                } else {
                    assert_eq!(taker["result"], expected, "{about}");
                    assert_eq!(taker["reasons"], assessment["reasons"], "{about}");
                }
                pairs += 1;
            }
        }
    }
    assert!(pairs > 50, "{pairs}");
}

fn find_taker(
    volumes: &serde_json::Value,
    volume: &serde_json::Value,
    claim: &serde_json::Value,
) -> serde_json::Value {
    let volumes = volumes["items"].as_array().unwrap();
    let found = volumes
        .iter()
        .find(|it| it["volume"]["name"] == *volume)
        .unwrap();
    let takers = found["claims"].as_array().unwrap();
    let is_it = |taker: &&serde_json::Value| {
        taker["name"] == claim["name"] && taker["namespace"] == claim["namespace"]
    };
    takers.iter().find(is_it).cloned().unwrap_or_default()
}
