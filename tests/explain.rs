//! `explain` as people and scripts meet it: what it prints, in which format, and how it ends.

use crate::support::kubectl_pv;
use insta::assert_snapshot;

/// A scenario in `clusters/`, and the claim asked about.
fn explained(scenario: &str, claim: &str) -> String {
    kubectl_pv(&["explain", claim, "-f", scenario]).shown()
}

#[test]
fn a_claim_that_is_stuck() {
    assert_snapshot!(explained("../../examples/stuck-claim.yaml", "data-0"));
}

#[test]
fn a_draw_a_winner_and_competitors() {
    assert_snapshot!(kubectl_pv(&["explain", "-f", "ties.yaml"]).shown());
    assert_snapshot!(explained("ties.yaml", "cache"));
    assert_snapshot!(explained("ties.yaml", "first"));
}

#[test]
fn waiting_is_not_broken() {
    for claim in ["scratch", "data-web-0", "done", "hopeless"] {
        assert_eq!(
            kubectl_pv(&["explain", claim, "-f", "waiting.yaml"])
                .ran()
                .status,
            5,
            "{claim}"
        );
    }
    assert_snapshot!(explained("waiting.yaml", "scratch"));
    assert_snapshot!(explained("waiting.yaml", "hopeless"));
    assert_snapshot!(explained("waiting.yaml", "pinned"));
}

#[test]
fn the_story_of_a_bound_claim() {
    assert_snapshot!(explained("bound.yaml", "made"));
    assert_snapshot!(explained("bound.yaml", "matched"));
    assert_snapshot!(explained("bound.yaml", "growing"));
}

#[test]
fn claims_that_lost_their_volume() {
    assert_snapshot!(explained("bound.yaml", "lost"));
    assert_snapshot!(explained("bound.yaml", "restored"));
}

#[test]
fn claims_that_name_their_volume() {
    for claim in ["missing", "defaulted", "heir", "new"] {
        assert_snapshot!(format!("named_{claim}"), explained("named.yaml", claim));
    }
}

#[test]
fn labels_that_no_volume_has_are_met_with_the_nearest() {
    for claim in ["slip", "wrong-key", "nowhere"] {
        assert_snapshot!(format!("labels_{claim}"), explained("labels.yaml", claim));
    }
}

#[test]
fn claims_the_api_server_refuses() {
    for claim in ["invalid", "tiny", "over-quota", "too-large-by-now"] {
        assert_snapshot!(format!("refused_{claim}"), explained("refused.yaml", claim));
    }
}

#[test]
fn claims_that_need_a_volume_made() {
    for claim in [
        "fine",
        "nobody-there",
        "failed",
        "picky",
        "unseen",
        "by-hand",
        "restore",
    ] {
        assert_snapshot!(
            format!("made_{claim}"),
            explained("provisioning.yaml", claim)
        );
    }
}

#[test]
fn a_chart_before_it_is_applied() {
    assert_snapshot!(kubectl_pv(&["explain", "-f", "../../examples/chart.yaml"]).shown());
    assert_snapshot!(
        kubectl_pv(&[
            "explain",
            "statefulset/db",
            "-f",
            "../../examples/chart.yaml"
        ])
        .shown()
    );
}

#[test]
fn hostile_names_do_no_harm() {
    let shown = explained("hostile.json", "plain");
    assert!(
        !shown.chars().any(|c| c.is_control() && c != '\n'),
        "{shown:?}"
    );
    assert!(!shown.contains('\u{202e}'));
    assert_snapshot!(shown);
}

#[test]
fn one_named_claim_is_one_object_and_all_else_a_list() {
    let one = kubectl_pv(&[
        "explain",
        "data-0",
        "-f",
        "../../examples/stuck-claim.yaml",
        "-o",
        "json",
    ])
    .json();
    assert_eq!(one["kind"], "Explanation");
    for arguments in [
        &[
            "explain",
            "-f",
            "../../examples/stuck-claim.yaml",
            "-o",
            "json",
        ][..],
        &[
            "explain",
            "pvc",
            "-A",
            "-f",
            "../../examples/stuck-claim.yaml",
            "-o",
            "json",
        ],
    ] {
        let list = kubectl_pv(arguments).json();
        assert_eq!(
            (
                list["kind"].as_str(),
                list["items"].as_array().map(Vec::len)
            ),
            (Some("ExplanationList"), Some(1))
        );
    }
    let none = kubectl_pv(&[
        "explain",
        "-l",
        "no=such",
        "-f",
        "../../examples/stuck-claim.yaml",
        "-o",
        "json",
    ]);
    assert_eq!(none.json()["items"].as_array().map(Vec::len), Some(0));
}

#[test]
fn the_json_of_a_stuck_claim_is_fixed() {
    assert_snapshot!(
        kubectl_pv(&[
            "explain",
            "data-0",
            "-f",
            "../../examples/stuck-claim.yaml",
            "-o",
            "json"
        ])
        .ran()
        .stdout
    );
}

#[test]
fn yaml_says_what_json_says() {
    let ran = kubectl_pv(&[
        "explain",
        "data-0",
        "-f",
        "../../examples/stuck-claim.yaml",
        "-o",
        "yaml",
    ])
    .ran();
    assert_eq!(ran.status, 1);
    assert_snapshot!(ran.stdout);
}

#[test]
fn names_only() {
    assert_snapshot!(kubectl_pv(&["explain", "-f", "ties.yaml", "-o", "name"]).shown());
}

#[test]
fn wide_shows_every_volume_with_its_result() {
    assert_snapshot!(kubectl_pv(&["explain", "logs", "-f", "ties.yaml", "-o", "wide"]).shown());
}

#[test]
fn type_and_name_may_be_apart() {
    let joined = kubectl_pv(&[
        "explain",
        "pvc/data-0",
        "-f",
        "../../examples/stuck-claim.yaml",
    ])
    .shown();
    let apart = kubectl_pv(&[
        "explain",
        "pvc",
        "data-0",
        "-f",
        "../../examples/stuck-claim.yaml",
    ])
    .shown();
    assert_eq!(joined, apart);
}

#[test]
fn pending_and_labels_narrow() {
    let shown = kubectl_pv(&["explain", "--pending", "-f", "bound.yaml", "-o", "name"])
        .ran()
        .stdout;
    assert_eq!(
        shown,
        "persistentvolumeclaim/lost\npersistentvolumeclaim/restored\n"
    );
    let of_class = kubectl_pv(&[
        "explain",
        "--class",
        "logs",
        "-f",
        "ties.yaml",
        "-o",
        "name",
    ]);
    assert_eq!(of_class.ran().stdout, "persistentvolumeclaim/logs\n");
}

#[test]
fn the_most_severe_of_several_decides_the_status() {
    assert_eq!(
        kubectl_pv(&["explain", "-f", "provisioning.yaml"])
            .ran()
            .status,
        3
    );
    assert_eq!(
        kubectl_pv(&["explain", "-f", "waiting.yaml"]).ran().status,
        1
    );
    assert_eq!(kubectl_pv(&["explain", "-f", "ties.yaml"]).ran().status, 0);
}

#[test]
fn standard_input_and_folders_are_read() {
    let stuck = include_str!("../examples/stuck-claim.yaml");
    let from_file =
        kubectl_pv(&["explain", "data-0", "-f", "../../examples/stuck-claim.yaml"]).shown();
    assert_eq!(
        kubectl_pv(&["explain", "data-0", "-f", "-"])
            .stdin(stuck)
            .shown(),
        from_file
    );
    let all = kubectl_pv(&["explain", "-f", ".", "-o", "name"]).ran();
    assert!(
        all.stdout.contains("persistentvolumeclaim/cache")
            && all.stdout.contains("persistentvolumeclaim/plain"),
        "{}",
        all.stderr
    );
}

#[test]
fn ten_thousand_dull_volumes_are_summed_up() {
    let mut text = String::from(include_str!("../examples/stuck-claim.yaml"));
    for number in 0..10_000 {
        text.push_str(&format!(
            "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: pv-{number:05}}}\nspec: {{capacity: {{storage: 1Gi}}, \
             accessModes: [ReadOnlyMany], storageClassName: other, volumeMode: Block, nfs: {{server: s, path: /x}}}}\n"
        ));
    }
    let ran = kubectl_pv(&["explain", "data-0", "-f", "-"])
        .stdin(&text)
        .ran();
    assert!(ran.stdout.lines().count() < 40, "{}", ran.stdout);
    assert!(
        ran.stdout
            .contains("10000 more: TooSmall (10000)   (--all shows them)"),
        "{}",
        ran.stdout
    );
    let all = kubectl_pv(&["explain", "data-0", "--all", "-f", "-"])
        .stdin(&text)
        .ran();
    assert!(all.stdout.contains("pv-09999"));
    let json = kubectl_pv(&["explain", "-o", "json", "-f", "-"])
        .stdin(&text)
        .json();
    assert_eq!(
        json["items"][0]["volumes"].as_array().map(Vec::len),
        Some(20)
    );
    assert_eq!(json["items"][0]["volumesOmitted"], 9_984);
}

#[test]
fn colour_is_for_terminals() {
    let plain = kubectl_pv(&["explain", "data-0", "-f", "../../examples/stuck-claim.yaml"])
        .ran()
        .stdout;
    assert!(!plain.contains('\u{1b}'));
    let forced = kubectl_pv(&[
        "explain",
        "data-0",
        "-f",
        "../../examples/stuck-claim.yaml",
        "--color",
        "always",
    ])
    .ran()
    .stdout;
    assert!(forced.contains("\u{1b}["));
    let by_variable = kubectl_pv(&["explain", "data-0", "-f", "../../examples/stuck-claim.yaml"])
        .env("CLICOLOR_FORCE", "1");
    assert!(by_variable.ran().stdout.contains("\u{1b}["));
    let refused = kubectl_pv(&["explain", "data-0", "-f", "../../examples/stuck-claim.yaml"])
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1");
    assert!(!refused.ran().stdout.contains('\u{1b}'));
}

#[test]
fn rules_of_1_4_are_another_profile() {
    let shown = kubectl_pv(&[
        "explain",
        "logs",
        "-f",
        "ties.yaml",
        "--rules",
        "v1.4",
        "-o",
        "json",
    ])
    .json();
    assert_eq!(
        (shown["rules"].as_str(), &shown["outcomes"]),
        (Some("v1.4"), &serde_json::json!(["pv-9"]))
    );
}
