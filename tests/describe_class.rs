//! `describe-class`: the form of the design document, whoever makes the volumes, and a claim to start from.

use crate::support::{TemporaryFile, kubectl_pv};
use crate::terminal::Terminal;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::Path;

fn shown(arguments: &[&str]) -> String {
    kubectl_pv(&[&["describe-class"], arguments].concat()).shown()
}

fn described(name: &str) -> Value {
    kubectl_pv(&["describe-class", name, "-f", "classes.yaml", "-o", "json"]).json()
}

/// The design document's example with the class's own values: its layout, line by line.
const DESIGN: &str = "\
Name:           slow
IsDefaultClass: No
Provisioner:    kubernetes.io/aws-ebs
AllowedProvisioningOptions:
    zone
      - Requested AWS availability zone
      - values:
        - us-east-1a
        - us-east-1b
        - us-east-1c
        - us-east-2a
        - us-east-2b
        - us-east-2c

    encryption
      - Request volume encryption
      - values:
        - true
        - false (default)

    kmsKeyId
      - ID of AWS encryption key

Parameters: type=gp2,zones=us-east-1a, us-east-1b, us-east-1c, us-east-2a, us-east-2b, us-east-2c
";

#[test]
fn the_class_of_the_design_document_in_its_layout() {
    let text = shown(&["slow", "-f", "../seeds/003-class.yaml"]);
    assert!(text.starts_with(DESIGN), "{text}");
    assert_snapshot!(text[DESIGN.len()..]);
}

#[test]
fn the_json_is_that_of_the_contract() {
    let json = kubectl_pv(&[
        "describe-class",
        "slow",
        "-f",
        "../seeds/003-class.yaml",
        "-o",
        "json",
    ])
    .json();
    assert_eq!(json["apiVersion"], "kubectl-pv.dev/v1alpha1");
    assert_eq!(json["kind"], "ClassDescription");
    for (field, value) in [
        ("name", json!("slow")),
        ("provisioner", json!("kubernetes.io/aws-ebs")),
        ("default", json!(false)),
        ("markedDefault", json!(false)),
        ("reclaimPolicy", json!("Delete")),
        ("bindingMode", json!("Immediate")),
        ("allowExpansion", json!(false)),
        ("mountOptions", json!([])),
    ] {
        assert_eq!(json["class"][field], value, "{field}");
    }
    for (field, value) in [
        ("name", json!("ebs.csi.aws.com")),
        ("migratedFrom", json!("kubernetes.io/aws-ebs")),
        ("presence", json!("NotSeen")),
        ("evidence", json!([])),
    ] {
        assert_eq!(json["driver"][field], value, "{field}");
    }
    assert_eq!(
        json["options"][1],
        json!({"key": "encryption", "description": "Request volume encryption", "allowedValues": ["true", "false"], "defaultValue": "false", "required": false})
    );
    assert_eq!(json["options"][2]["allowedValues"], json!([]));
    assert_eq!(json["options"][2]["defaultValue"], Value::Null);
    assert_eq!(json["parameters"][0]["key"], "type");
    assert_eq!(json["parameters"][0]["value"], "gp2");
    assert!(json["parameters"][0].get("known").is_some());
    assert_eq!(json["topologies"], json!({"terms": [], "nodes": null}));
    assert_eq!(json["usage"], json!({"volumes": {}, "claims": {}}));
    assert!(json["findings"].is_array() && json["unknowns"].is_array());
}

#[test]
fn the_typo_class_is_shown_as_it_is() {
    let text = shown(&["slow", "-f", "../seeds/003-typo-class.yaml"]);
    assert!(
        text.contains("      - values:\n        - us-east-2a\n        - us-east-2b\n"),
        "{text}"
    );
    assert!(
        text.contains("\nParameters: type=gp2,zones=us-east-1a, us-east-1b\n"),
        "{text}"
    );
}

#[test]
fn every_presence_with_what_shows_it() {
    for (class, presence, evidence) in [
        (
            "gold",
            "Registered",
            json!([
                "CSIDriver ebs.csi.aws.com",
                "CSINode entries on 2 of 3 nodes"
            ]),
        ),
        (
            "roomy",
            "Registered",
            json!(["CSIDriver room.csi.example.com"]),
        ),
        (
            "scratch",
            "Seen",
            json!(["1 volume names it in provisioned-by"]),
        ),
        (
            "spoken",
            "Seen",
            json!([
                "1 event of its own, the last Provisioning at 2026-04-01T00:00:00Z on prod/data"
            ]),
        ),
        ("never", "NotSeen", json!([])),
        ("typo", "NotSeen", json!([])),
        ("gone", "NotSeen", json!([])),
        ("host", "Internal", json!([])),
        ("by-hand", "None", json!([])),
    ] {
        let driver = &described(class)["driver"];
        assert_eq!(
            (&driver["presence"], &driver["evidence"]),
            (&json!(presence), &evidence),
            "{class}: {driver:#}"
        );
    }
    let typo = described("typo");
    let note = typo["driver"]["note"].as_str().unwrap();
    assert!(note.ends_with("registered: ebs.csi.aws.com"), "{note}");
    let in_tree = described("old-gold");
    assert_eq!(in_tree["driver"]["migratedFrom"], "kubernetes.io/aws-ebs");
    assert_eq!(in_tree["driver"]["presence"], "Registered");
}

#[test]
fn of_several_defaults_the_newest_wins_and_both_say_so() {
    let (gold, old) = (described("gold"), described("old-gold"));
    let marks = |it: &Value| {
        (
            it["class"]["default"].clone(),
            it["class"]["markedDefault"].clone(),
        )
    };
    assert_eq!(marks(&gold), (json!(true), json!(true)));
    assert_eq!(marks(&old), (json!(false), json!(true)));
    assert_eq!(
        old["class"]["defaultWhy"],
        "marked, but gold was created last (2026-03-01T10:00:00Z)"
    );
    for class in [&gold, &old] {
        assert_eq!(class["findings"][0]["code"], "SeveralDefaultClasses");
        let hint = class["findings"][0]["hint"].as_str().unwrap();
        assert!(
            hint.ends_with("kubectl annotate storageclass old-gold storageclass.kubernetes.io/is-default-class- storageclass.beta.kubernetes.io/is-default-class-"),
            "{hint}"
        );
    }
    assert_eq!(described("scratch")["class"]["default"], false);
}

#[test]
fn a_class_in_full() {
    assert_snapshot!("gold", shown(&["gold", "-f", "classes.yaml"]));
    assert_snapshot!("by_hand", shown(&["sc/by-hand", "-f", "classes.yaml"]));
    assert_snapshot!("roomy", shown(&["roomy", "roomless", "-f", "classes.yaml"]));
}

#[test]
fn topologies_and_room_name_their_nodes() {
    let gold = described("gold");
    assert_eq!(
        gold["topologies"],
        json!({"terms": [{"topology.kubernetes.io/zone": ["a", "b"]}], "nodes": ["n1", "n2"]})
    );
    assert_eq!(gold["attributesClasses"], json!(["silver"]));
    assert_eq!(
        gold["usage"],
        json!({"volumes": {}, "claims": {"Pending": 1}})
    );
    assert_eq!(gold["capacity"], json!([]));
    assert_eq!(
        described("roomy")["capacity"][0],
        json!({"topology": "topology.kubernetes.io/zone=a", "capacity": "100Gi", "maximumVolumeSize": "10Gi", "nodes": 1})
    );
}

#[test]
fn all_classes_as_a_table() {
    assert_snapshot!("table", shown(&["-f", "classes.yaml"]));
    assert_snapshot!("table_wide", shown(&["-f", "classes.yaml", "-o", "wide"]));
    let list = kubectl_pv(&["describe-class", "-f", "classes.yaml", "-o", "json"]).json();
    assert_eq!(list["kind"], "ClassDescriptionList");
    assert_eq!(list["items"].as_array().map(Vec::len), Some(12));
    let names = kubectl_pv(&["describe-class", "-f", "classes.yaml", "-o", "name"]).ran();
    assert!(
        names
            .stdout
            .starts_with("storageclass.storage.k8s.io/broken\n"),
        "{}",
        names.stdout
    );
    // What it prints it takes.
    let first = names.stdout.lines().next().unwrap();
    assert_eq!(
        kubectl_pv(&["describe-class", first, "-f", "classes.yaml"])
            .ran()
            .status,
        0
    );
    let none = kubectl_pv(&["describe-class", "-f", "ties.yaml", "--without", "sc/none"]).ran();
    assert_eq!(none.status, 3, "{}{}", none.stdout, none.stderr);
}

#[test]
fn a_class_that_is_not_there() {
    assert_snapshot!(shown(&["glod", "-f", "classes.yaml"]));
    assert_eq!(
        kubectl_pv(&["describe-class", "pv/gold", "-f", "classes.yaml"])
            .ran()
            .status,
        2
    );
    assert_eq!(
        kubectl_pv(&[
            "describe-class",
            "gold",
            "--name",
            "x",
            "-f",
            "classes.yaml"
        ])
        .ran()
        .status,
        2
    );
}

#[test]
fn what_if_counts_here_too() {
    let json = kubectl_pv(&[
        "describe-class",
        "gold",
        "-f",
        "classes.yaml",
        "--without",
        "sc/gold",
        "--with",
        "../seeds/003-class.yaml",
        "-o",
        "json",
    ])
    .ran();
    assert_eq!(json.status, 3, "{}", json.stdout);
    let json = kubectl_pv(&[
        "describe-class",
        "slow",
        "-f",
        "classes.yaml",
        "--with",
        "../seeds/003-class.yaml",
        "-o",
        "json",
    ])
    .json();
    assert_eq!(json["driver"]["presence"], "Registered");
}

#[test]
fn options_that_cannot_be_understood_are_not_none() {
    let broken = described("broken");
    assert_eq!(broken["options"], Value::Null);
    assert_eq!(broken["findings"][0]["code"], "OptionsMalformed");
    assert_eq!(broken["findings"][0]["severity"], "Error");
    let text = shown(&["broken", "-f", "classes.yaml"]);
    assert!(
        text.contains(
            "\nAllowedProvisioningOptions: cannot be understood, nothing is concluded from them: "
        ),
        "{text}"
    );
    assert!(text.ends_with("[exit 0]\n"), "{text}");
    let template = kubectl_pv(&[
        "describe-class",
        "broken",
        "-f",
        "classes.yaml",
        "--template",
    ])
    .ran();
    assert_eq!((template.status, template.stdout.as_str()), (3, ""));
}

fn class_with(options: &Value) -> String {
    json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "many"},
        "provisioner": "x.example.com",
        "allowedProvisioningOptions": options
    })
    .to_string()
}

#[test]
fn ten_thousand_options() {
    let options: Vec<Value> = (0..10_000)
        .map(|n| json!({"key": format!("key-{n}"), "required": n % 2 == 0}))
        .collect();
    let class = class_with(&json!(options));
    let text = kubectl_pv(&["describe-class", "many", "-f", "-"])
        .stdin(&class)
        .ran()
        .stdout;
    assert_eq!(text.matches("\n    key-").count(), 10_000);
    let table = kubectl_pv(&["describe-class", "-f", "-"])
        .stdin(&class)
        .ran()
        .stdout;
    assert!(
        table.contains("key-0, key-1, key-2, key-3 and 9996 more\n"),
        "{table}"
    );
    let template = kubectl_pv(&["describe-class", "many", "-f", "-", "--template"])
        .stdin(&class)
        .ran();
    assert_eq!(template.stdout.matches("# FILL IN\n").count(), 5_000);
}

/// Text that would move the cursor, turn letters round, leave a comment or end a document.
fn hostile() -> Value {
    json!([
        {"key": "zone", "description": "two\nlines\r\n--- # \u{1b}[2J\u{202e}x\u{2028}kind: Secret\u{85}y\rz https://example.com/a?b=c#d\n", "allowedValues": ["a: b # c", "yes", "\u{1b}]0;x\u{7}", "l1\nl2", "\"\\\u{2028}'", "", "- x", "😀"], "defaultValue": "l1\nl2"},
        {"key": "true", "required": true, "description": "...\n---\nkind: Pod"},
        {"key": "1e3", "defaultValue": "no"},
        {"key": "true", "required": true},
        {"key": "a: b\nkind: Pod", "required": false, "description": "no key"},
        {"key": "..", "required": false}
    ])
}

#[test]
fn nothing_is_printed_raw() {
    for arguments in [
        &["describe-class", "many", "-f", "-"][..],
        &["describe-class", "-f", "-"],
        &["describe-class", "many", "-f", "-", "--template"],
    ] {
        let ran = kubectl_pv(arguments).stdin(&class_with(&hostile())).ran();
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let is_raw = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2028}".contains(c);
        assert!(!ran.stdout.contains(is_raw), "{:?}", ran.stdout);
        assert!(
            !ran.stdout
                .lines()
                .any(|line| line.starts_with("kind: Pod") || line == "..."),
            "{}",
            ran.stdout
        );
    }
    let text = kubectl_pv(&["describe-class", "many", "-f", "-"])
        .stdin(&class_with(&hostile()))
        .ran()
        .stdout;
    assert!(
        text.contains("    zone\n      - two\n        lines\n        --- # ^[[2J"),
        "{text}"
    );
    assert!(text.contains("https://example.com/a?b=c#d\n"), "{text}");
    assert!(text.contains("        - l1\\nl2 (default)\n"), "{text}");
}

/// The objects of a template as the program itself reads them: the claim, with its class and the ConfigMap it names.
fn read_back(class: &str, template: &str) -> Value {
    let text = format!("{class}\n---\n{template}");
    let file = TemporaryFile::new("both.yaml", &text);
    let claims = kubectl_pv(&["explain", "-f", file.path(), "-o", "json"]).json();
    claims["items"][0].clone()
}

#[test]
fn a_template_is_read_as_it_is_meant() {
    let class = include_str!("seeds/003-class.yaml");
    let template = kubectl_pv(&[
        "describe-class",
        "slow",
        "-f",
        "-",
        "--template",
        "--name",
        "data",
        "-n",
        "prod",
    ])
    .stdin(class)
    .ran();
    assert_snapshot!(template.stdout);
    let claim = read_back(class, &template.stdout);
    assert_eq!(
        (
            claim["claim"]["namespace"].as_str(),
            claim["claim"]["name"].as_str()
        ),
        (Some("prod"), Some("data"))
    );
    assert_eq!(claim["claim"]["class"]["name"], "slow");
    assert_eq!(
        claim["provisioning"]["options"],
        json!({"encryption": "false"}),
        "{claim:#}"
    );
    // An option is set by taking away its mark.
    let chosen = template
        .stdout
        .replace("  #zone: \"\"", "  zone: us-east-1a");
    assert_eq!(
        read_back(class, &chosen)["provisioning"]["options"],
        json!({"encryption": "false", "zone": "us-east-1a"})
    );
}

#[test]
fn a_hostile_class_does_not_leave_the_comments() {
    let class = class_with(&hostile());
    let template = kubectl_pv(&["describe-class", "many", "-f", "-", "--template"])
        .stdin(&class)
        .ran()
        .stdout;
    assert!(
        template.contains("  \"true\": \"\" # FILL IN\n"),
        "{template}"
    );
    assert!(template.contains("  #\"1e3\": \"no\"\n"), "{template}");
    let objects: Vec<&str> = template
        .lines()
        .filter(|line| line.starts_with("kind: "))
        .collect();
    assert_eq!(
        objects,
        ["kind: ConfigMap", "kind: PersistentVolumeClaim"],
        "{template}"
    );
    let filled = template
        .replace("\"true\": \"\"", "\"true\": \"x\"")
        .replace("  #zone: ", "  zone: ");
    let options = read_back(&class, &filled)["provisioning"]["options"].clone();
    assert_eq!(
        options,
        json!({"zone": "l1\nl2", "true": "x", "1e3": "no"}),
        "{filled}"
    );
}

#[test]
fn a_template_of_a_class_without_options_is_a_claim() {
    let template = kubectl_pv(&[
        "describe-class",
        "by-hand",
        "-f",
        "classes.yaml",
        "--template",
    ])
    .ran();
    assert_snapshot!(template.stdout);
    for arguments in [
        &["--template"][..],
        &["gold", "gold", "host", "--template"],
        &["gold", "--template", "-o", "json"],
        &["gold", "--template", "--name", "Bad_Name"],
        &["gold", "--template", "--interactive"],
    ] {
        let all = [&["describe-class", "-f", "classes.yaml"], arguments].concat();
        let ran = kubectl_pv(&all).ran();
        assert_eq!(
            (ran.status, ran.stdout.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn nobody_is_asked_without_a_terminal() {
    assert_snapshot!(shown(&["gold", "-f", "classes.yaml", "--interactive"]));
}

fn seed(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds");
    folder.join(name).display().to_string()
}

#[test]
fn on_a_terminal_it_asks_option_by_option() {
    let stdout = TemporaryFile::new("claim.yaml", "");
    let class = seed("003-class.yaml");
    let mut terminal = Terminal::start(
        &format!("describe-class slow -f '{class}' --interactive"),
        stdout.path(),
    );
    terminal
        // From "leave it out", which is the last, round to the first and one down.
        .answer("zone:", "\u{1b}[B\u{1b}[B\r")
        .answer("false (default)", "\r")
        .answer("kmsKeyId (empty: leave it out):", "\r")
        .answer("Name of the claim [my-claim]:", "Bad_Name\r")
        .answer("RFC 1123", "\u{15}data\r")
        .answer("Size [1Gi]:", "5Gi\r")
        .answer("Access mode:", "\r");
    let screen = terminal.screen();
    assert_eq!(terminal.end(), 0, "{screen}");
    let written = std::fs::read_to_string(stdout.path()).unwrap();
    assert_snapshot!(written);
    let claim = read_back(include_str!("seeds/003-class.yaml"), &written);
    let causes = claim["causes"].as_array().unwrap().iter();
    let codes: Vec<&str> = causes.filter_map(|it| it["code"].as_str()).collect();
    // Nobody objects to the options; that the files hold no driver is another matter.
    let expected = [
        "ProvisionerNotRegistered",
        "NoVolumes",
        "OptionsIgnoredByCluster",
    ];
    assert_eq!(codes, expected, "{claim:#}");
}

#[test]
fn values_that_the_parameters_contradict_are_not_offered() {
    let stdout = TemporaryFile::new("claim.yaml", "");
    let class = seed("003-typo-class.yaml");
    let mut terminal = Terminal::start(
        &format!("describe-class slow -f '{class}' --interactive --name data"),
        stdout.path(),
    );
    terminal
        .answer("not offered: ", "")
        .answer("not offered: ", "")
        .answer("leave it out", "\r")
        .answer("Size [1Gi]:", "\r")
        .answer("Access mode:", "\r");
    let screen = terminal.screen();
    assert_eq!(terminal.end(), 0, "{screen}");
    let written = std::fs::read_to_string(stdout.path()).unwrap();
    assert!(written.contains("\ndata: {}\n"), "{written}");
}
