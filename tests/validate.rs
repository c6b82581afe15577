//! `validate`, from files.

use crate::support::{TemporaryFile, kubectl_pv};
use insta::assert_snapshot;
use serde_json::{Value, json};

const SEED_TRIO: [&str; 7] = [
    "--offline",
    "-f",
    "../seeds/003-class.yaml",
    "-f",
    "../seeds/003-config-map.yaml",
    "-f",
    "../seeds/003-claim.yaml",
];

fn validate(arguments: &[&str]) -> crate::support::Run {
    kubectl_pv(&[&["validate"], arguments].concat())
}

/// The report on a text.
fn report(text: &str) -> Value {
    validate(&["--offline", "-f", "-", "-o", "json"])
        .stdin(text)
        .json()
}

/// `CODE field` of every finding, in the order of the report.
fn found(text: &str) -> Vec<String> {
    spelled(&report(text))
}

fn spelled(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let spell = |finding: &Value| {
        let code = finding["code"].as_str().unwrap();
        let field = finding["field"].as_str().unwrap_or("");
        format!("{code} {field}").trim_end().to_owned()
    };
    findings.map(spell).collect()
}

/// A class with these options and parameters, as JSON that YAML reads too.
fn class(options: &Value, parameters: &Value) -> String {
    let class = json!({
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "fast",
            "annotations": {"volume.alpha.kubernetes.io/allowed-provisioning-options": options.to_string()},
        },
        "provisioner": "example.com/disks",
        "parameters": parameters,
    });
    format!("---\n{class}\n")
}

fn config_map(data: &Value) -> String {
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}, "data": data});
    format!("---\n{map}\n")
}

fn claim(extra: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: data\n  annotations:\n    \
         volume.alpha.kubernetes.io/provisioning-options: mine\nspec:\n  accessModes: [ReadWriteOnce]\n  \
         storageClassName: fast\n  resources: {{requests: {{storage: 1Gi}}}}\n{extra}"
    )
}

/// What `configmap/mine --class fast` finds.
fn found_in_map(options: &Value, parameters: &Value, map: &str) -> Vec<String> {
    let text = format!("{}{map}", class(options, parameters));
    let arguments = [
        "--offline",
        "-f",
        "-",
        "configmap/mine",
        "--class",
        "fast",
        "-o",
        "json",
    ];
    spelled(&validate(&arguments).stdin(&text).json())
}

#[test]
fn the_design_documents_own_options() {
    assert_snapshot!(validate(&SEED_TRIO).shown());
    let report = validate(&[&SEED_TRIO[..], &["-o", "json"]].concat()).json();
    let errors = report["findings"].as_array().unwrap().iter();
    let errors: Vec<Value> = errors
        .filter(|finding| finding["severity"] == "Error")
        .cloned()
        .collect();
    assert_eq!(errors.len(), 3);
    for (error, (code, field, line)) in errors.iter().zip([
        ("OptionValueNotAllowed", "data.zone", 6),
        ("OptionUnknown", "data.type", 7),
        ("OptionUnknown", "data.encrypted", 8),
    ]) {
        assert_eq!(error["code"], code);
        assert_eq!(error["field"], field);
        assert_eq!(
            (&error["line"], &error["column"]),
            (&json!(line), &json!(3))
        );
        assert_eq!(
            error["object"],
            json!({"kind": "ConfigMap", "namespace": "default", "name": "my-provisioning-config"})
        );
        assert_eq!(error["file"], "../seeds/003-config-map.yaml");
    }
    assert_eq!(errors[2]["hint"], "did you mean encryption?");
    assert_eq!(report["checked"], 3);
}

#[test]
fn the_design_documents_typo() {
    let typo = ["--offline", "-f", "../seeds/003-typo-class.yaml"];
    assert_snapshot!(validate(&typo).shown());
    let report = validate(&[&typo[..], &["-o", "json"]].concat()).json();
    let findings = report["findings"].as_array().unwrap();
    let conflict = findings
        .iter()
        .find(|finding| finding["code"] == "OptionConflictsWithParameters")
        .unwrap();
    assert_eq!(
        conflict["field"],
        "allowedProvisioningOptions[0].allowedValues"
    );
}

#[test]
fn options_of_a_class() {
    let none = json!({});
    for (options, parameters, wanted) in [
        (json!([]), &none, &[][..]),
        (json!([{"key": "zone"}]), &none, &[]),
        (
            json!([{"key": "zone"}, {"key": "zone"}]),
            &none,
            &["OptionDuplicate allowedProvisioningOptions[1].key"],
        ),
        (
            json!([{"key": "a", "defaultValue": "x", "allowedValues": ["y"]}]),
            &none,
            &["OptionDefaultNotAllowed allowedProvisioningOptions[0].defaultValue"],
        ),
        (
            json!([{"key": "a", "defaultValue": "x", "allowedValues": []}]),
            &none,
            &[],
        ),
        (
            json!([{"key": "a", "defaultValue": "x", "required": true}]),
            &none,
            &["OptionRequiredWithDefault allowedProvisioningOptions[0].required"],
        ),
        (
            json!([{"key": "zone", "allowedValues": ["b"]}]),
            &json!({"zones": "a, b"}),
            &[],
        ),
        (
            json!([{"key": "zones", "allowedValues": ["b"]}]),
            &json!({"zone": "a"}),
            &["OptionConflictsWithParameters allowedProvisioningOptions[0].allowedValues"],
        ),
        (
            json!([{"key": "zone", "defaultValue": "c"}]),
            &json!({"zones": "a, b"}),
            &["OptionConflictsWithParameters allowedProvisioningOptions[0].defaultValue"],
        ),
        (
            json!([{"key": "zone"}]),
            &json!({"zone": "a"}),
            &["OptionShadowsParameter allowedProvisioningOptions[0].key"],
        ),
        (json!([{"key": "zone"}]), &json!({"zones": "a"}), &[]),
        (
            json!([{"key": 1}]),
            &none,
            &["OptionsMalformed allowedProvisioningOptions"],
        ),
        (
            json!([{"description": "no key"}]),
            &none,
            &["OptionsMalformed allowedProvisioningOptions"],
        ),
        (
            json!({"key": "zone"}),
            &none,
            &["OptionsMalformed allowedProvisioningOptions"],
        ),
        (
            json!("zone"),
            &none,
            &["OptionsMalformed allowedProvisioningOptions"],
        ),
        (
            json!([{"key": "a", "allowedValues": [1]}]),
            &none,
            &["OptionsMalformed allowedProvisioningOptions"],
        ),
        (
            json!([{"key": "a", "defaultValue": true}]),
            &none,
            &["OptionsMalformed allowedProvisioningOptions"],
        ),
    ] {
        assert_eq!(
            found(&class(&options, parameters)),
            wanted,
            "{options} {parameters}"
        );
    }
}

#[test]
fn options_in_a_config_map() {
    let zone = json!([{"key": "zone", "allowedValues": ["a", "b"], "required": true}, {"key": "size", "defaultValue": "s"}]);
    let none = json!({});
    for (data, wanted) in [
        (json!({"zone": "a", "size": "m"}), &[][..]),
        (json!({"zone": "a"}), &["OptionDefaultApplies data"]),
        (json!({"size": "m"}), &["OptionRequired data"]),
        (
            json!({"zone": "c", "size": "m"}),
            &["OptionValueNotAllowed data.zone"],
        ),
        (
            json!({"zone": "a", "size": "m", "x": "y"}),
            &["OptionUnknown data.x"],
        ),
    ] {
        assert_eq!(
            found_in_map(&zone, &none, &config_map(&data)),
            wanted,
            "{data}"
        );
    }
    let options = json!([{"key": "zone"}]);
    let contradicting = found_in_map(
        &options,
        &json!({"zones": "a,b"}),
        &config_map(&json!({"zone": "c"})),
    );
    assert_eq!(contradicting, ["OptionConflictsWithParameters data.zone"]);
    let undeclared = found_in_map(
        &json!([]),
        &none,
        &config_map(&json!({"zone": "c", "a": "b"})),
    );
    assert_eq!(
        undeclared,
        ["OptionUnknown data.a", "OptionUnknown data.zone"]
    );
    let malformed = found_in_map(&json!("no"), &none, &config_map(&json!({"zone": "c"})));
    // Nothing is concluded from them, which is said of the class.
    assert_eq!(malformed, ["OptionsMalformed allowedProvisioningOptions"]);
    let binary = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\nbinaryData: {zone: YQ==, other: YQ==}\n";
    let binary = found_in_map(&options, &none, &format!("---\n{binary}"));
    assert_eq!(
        binary,
        [
            "OptionUnknown binaryData.other",
            "OptionValueNotAllowed binaryData.zone"
        ]
    );
}

#[test]
fn a_claim_with_options() {
    let options = json!([{"key": "zone"}]);
    let class = class(&options, &json!({}));
    let map = config_map(&json!({"zone": "a"}));
    let ignored = "OptionsIgnoredByCluster metadata.annotations[volume.alpha.kubernetes.io/provisioning-options]";
    assert_eq!(found(&format!("{class}{map}{}", claim(""))), [ignored]);
    let no_map = found(&format!("{class}{}", claim("")));
    let not_found = ignored.replace("OptionsIgnoredByCluster", "OptionsConfigMapNotFound");
    assert_eq!(no_map, [not_found.as_str(), ignored]);
    let no_class = found(&format!("{map}{}", claim("")));
    assert_eq!(no_class, ["ClassNotFound spec.storageClassName"]);
    // In another namespace the ConfigMap is none of the claim's.
    let elsewhere = map.replace(r#""name":"mine""#, r#""name":"mine","namespace":"other""#);
    assert!(found(&format!("{class}{elsewhere}{}", claim(""))).contains(&not_found));
    // What is bound used its options long ago.
    assert!(found(&format!("{class}{}", claim("  volumeName: pv-1\n"))).is_empty());
}

#[test]
fn what_can_never_match() {
    let dynamic = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: example.com/disks\n---\n";
    let by_hand = dynamic.replace("example.com/disks", "kubernetes.io/no-provisioner");
    let claim = |size: &str, extra: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: data}}\nspec:\n  accessModes: [ReadWriteOnce]\n  storageClassName: fast\n  resources: {{requests: {{storage: {size}}}}}\n{extra}---\n"
        )
    };
    let volume = |size: &str, policy: &str, source: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: pv, labels: {{tier: gold}}}}\nspec:\n  accessModes: [ReadWriteOnce]\n  storageClassName: fast\n  capacity: {{storage: {size}}}\n  persistentVolumeReclaimPolicy: {policy}\n  {source}\n---\n"
        )
    };
    let nfs = "nfs: {server: s, path: /x}";
    let selector = "  selector: {matchLabels: {tier: gold}}\n";
    assert_eq!(
        found(&format!("{dynamic}{}", claim("1Gi", selector))),
        ["SelectorNotProvisionable spec.selector"]
    );
    assert!(
        found(&format!(
            "{dynamic}{}{}",
            claim("1Gi", selector),
            volume("1Gi", "Retain", nfs)
        ))
        .is_empty()
    );
    assert_eq!(
        found(&by_hand),
        ["ImmediateWithoutProvisioner volumeBindingMode"]
    );
    assert!(
        found(&by_hand.replace("---", "volumeBindingMode: WaitForFirstConsumer\n---")).is_empty()
    );
    assert_eq!(
        found(&volume("1Gi", "Delete", nfs)),
        ["NotDeletable spec.persistentVolumeReclaimPolicy"]
    );
    assert!(found(&volume("1Gi", "Retain", nfs)).is_empty());
    assert!(
        found(&volume(
            "1Gi",
            "Delete",
            "csi: {driver: d.example.com, volumeHandle: x}"
        ))
        .is_empty()
    );
    let mixed = found(&format!(
        "{dynamic}{}{}",
        claim("10Gi", ""),
        volume("10G", "Retain", nfs)
    ));
    assert_eq!(mixed, ["UnitMix spec.resources.requests.storage"]);
    assert!(
        found(&format!(
            "{dynamic}{}{}",
            claim("10Gi", ""),
            volume("20G", "Retain", nfs)
        ))
        .is_empty()
    );
}

#[test]
fn old_ways_to_name_a_class_and_several_defaults() {
    let claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: data\n  annotations:\n    volume.beta.kubernetes.io/storage-class: fast\n    volume.alpha.kubernetes.io/storage-class: slow\nspec:\n  accessModes: [ReadWriteOnce]\n  resources: {requests: {storage: 1Gi}}\n";
    assert_eq!(
        found(claim),
        [
            "BetaClassAnnotation metadata.annotations[volume.beta.kubernetes.io/storage-class]",
            "AlphaClassAnnotation metadata.annotations[volume.alpha.kubernetes.io/storage-class]",
        ]
    );
    let class = |name: &str| {
        format!(
            "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: {name}\n  annotations: {{storageclass.kubernetes.io/is-default-class: \"true\"}}\nprovisioner: example.com/disks\n"
        )
    };
    let several = report(&format!("{}{}", class("a"), class("b")));
    assert_eq!(spelled(&several).len(), 2);
    assert!(
        several["findings"][1]["message"]
            .as_str()
            .unwrap()
            .contains("a and b are marked as the default class")
    );
    assert!(found(&class("a")).is_empty());
}

#[test]
fn documents_that_cannot_be_read() {
    let report = report(
        "- a\n- b\n---\nkind: ConfigMap\nmetadata: {name: a}\nkind: Secret\n---\nno: kind\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ok}\n",
    );
    let findings = report["findings"].as_array().unwrap();
    let seen: Vec<(&str, i64)> = findings
        .iter()
        .map(|finding| {
            (
                finding["code"].as_str().unwrap(),
                finding["line"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [("Unreadable", 1), ("Unreadable", 6), ("Unreadable", 8)]
    );
    assert_eq!(report["checked"], 1);
    assert!(findings[1]["hint"].as_str().unwrap().contains("---"));
    assert_eq!(
        validate(&["--offline", "-f", "-"])
            .stdin("- a")
            .ran()
            .status,
        1
    );
    // One file that is no text says nothing about the others.
    let file = TemporaryFile::new(
        "good.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ok}\n",
    );
    let folder = std::path::Path::new(file.path()).parent().unwrap();
    std::fs::write(folder.join("bad.yaml"), b"kind: \xff\n").unwrap();
    let both = validate(&["--offline", "-f", folder.to_str().unwrap(), "-o", "json"]).json();
    assert_eq!(spelled(&both), ["Unreadable"]);
    assert_eq!(both["checked"], 1);
    // Two objects on one line have their own columns.
    let line = self::report(
        "{\"kind\": \"ConfigMap\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"a\"}}{\"kind\": \"ConfigMap\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"B\"}}",
    );
    assert_eq!(line["findings"][0]["column"], 124);
    assert_eq!(
        validate(&["--offline", "-f", "nowhere.yaml"]).ran().status,
        3
    );
}

#[test]
fn how_it_ends() {
    let warning = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: a}\nprovisioner: kubernetes.io/no-provisioner\n";
    assert_eq!(
        validate(&["--offline", "-f", "-"])
            .stdin(warning)
            .ran()
            .status,
        0
    );
    assert_eq!(
        validate(&["--offline", "--strict", "-f", "-"])
            .stdin(warning)
            .ran()
            .status,
        1
    );
    let fine = warning.to_owned() + "volumeBindingMode: WaitForFirstConsumer\n";
    assert_eq!(
        validate(&["--offline", "--strict", "-f", "-"])
            .stdin(&fine)
            .ran()
            .status,
        0
    );
    for wrong in [
        &[][..],
        &["--offline"],
        &["secret/x"],
        &["class"],
        &["--offline", "-f", "-", "-o", "wider"],
    ] {
        assert_eq!(validate(wrong).ran().status, 2, "{wrong:?}");
    }
    // A ConfigMap is held against a class, and nobody says which.
    let map = config_map(&json!({}));
    assert_eq!(
        validate(&["--offline", "-f", "-", "configmap/mine"])
            .stdin(&map)
            .ran()
            .status,
        2
    );
    let missing = validate(&["--offline", "-f", "-", "configmap/mien", "--class", "fast"])
        .stdin(&map)
        .ran();
    assert_eq!(missing.status, 3);
    assert!(
        missing.stderr.contains("did you mean mine?"),
        "{}",
        missing.stderr
    );
}

#[test]
fn without_a_cluster_the_files_are_looked_at_alone() {
    let ran = validate(&["-f", "../seeds/003-typo-class.yaml"]).ran();
    assert_eq!(ran.status, 1);
    assert!(
        ran.stderr.contains("no cluster is configured"),
        "{}",
        ran.stderr
    );
    // What is configured and cannot be reached is another matter.
    let configured = [
        "-f",
        "../seeds/003-typo-class.yaml",
        "--server",
        "http://127.0.0.1:9",
    ];
    assert_eq!(validate(&configured).ran().status, 3);
    assert_eq!(validate(&["class/slow"]).ran().status, 3);
}

#[test]
fn for_code_hosts() {
    let log = validate(&[&SEED_TRIO[..], &["-o", "sarif"]].concat()).json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let report = validate(&[&SEED_TRIO[..], &["-o", "json"]].concat()).json();
    let (results, findings) = (
        run["results"].as_array().unwrap(),
        report["findings"].as_array().unwrap(),
    );
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["code"]);
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], finding["code"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], finding["file"]);
        assert_eq!(place["region"]["startLine"], finding["line"]);
    }
}

#[test]
fn too_much_of_everything_is_a_clear_finding_each() {
    let many: serde_json::Map<String, Value> = (0..10_000)
        .map(|n| (format!("key-{n:05}"), json!("x")))
        .collect();
    let text = format!(
        "{}{}",
        class(&json!([{"key": "zone"}]), &json!({})),
        config_map(&Value::Object(many))
    );
    let arguments = ["--offline", "-f", "-", "cm/mine", "--class", "fast"];
    let shown = validate(&arguments).stdin(&text).ran();
    assert_eq!(shown.status, 1);
    assert!(
        shown
            .stdout
            .starts_with("Not valid: 10000 errors, 1 object checked."),
        "{}",
        &shown.stdout[..200]
    );
    assert!(
        shown
            .stdout
            .contains("and 9990 more OptionUnknown (--all shows them)")
    );
    let huge = class(
        &json!([{"key": "zone", "description": "x".repeat(262_144)}]),
        &json!({}),
    );
    assert!(
        found(&huge).contains(&"InvalidClass metadata.annotations".to_owned()),
        "{:?}",
        found(&huge)
    );
    let hostile = class(
        &json!([{"key": "zone\u{1b}[2J", "allowedValues": ["\u{202e}b"], "description": "\u{7}"}]),
        &json!({"zone\u{1b}[2J": "a"}),
    );
    let shown = validate(&["--offline", "-f", "-"]).stdin(&hostile).ran();
    assert!(
        !shown.stdout.contains(['\u{1b}', '\u{202e}', '\u{7}']),
        "{:?}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("OptionConflictsWithParameters"),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_file_is_named_as_it_was_given() {
    let file = TemporaryFile::new(
        "class.yaml",
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: a\nprovisioner: kubernetes.io/no-provisioner\n",
    );
    let report = validate(&["--offline", "-f", file.path(), "-o", "json"]).json();
    assert_eq!(report["findings"][0]["file"], file.path());
    assert_eq!(report["findings"][0]["line"], 1);
}

#[test]
fn what_nobody_reads_is_told() {
    let options = json!([{"key": "zone", "allowedvalues": ["a"], "requierd": true, "x": 1}]);
    let report = report(&class(&options, &json!({})));
    let hints: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["hint"].as_str().unwrap())
        .collect();
    assert_eq!(
        spelled(&report),
        [
            "DroppedByServer allowedProvisioningOptions[0].allowedvalues",
            "DroppedByServer allowedProvisioningOptions[0].requierd",
            "DroppedByServer allowedProvisioningOptions[0].x",
        ]
    );
    assert_eq!(
        hints,
        [
            "did you mean allowedValues?",
            "did you mean required?",
            "leave it out"
        ]
    );
    let claim = "kind: PersistentVolumeClaim\nmetadata: {name: x}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
    assert_eq!(found(claim), ["DroppedByServer apiVersion"]);
    assert_eq!(
        found("apiVersion: v1\nkind: PersistentVolumeclaim\nmetadata: {name: x}\n"),
        ["DroppedByServer kind"]
    );
    assert!(found("apiVersion: v1\nkind: Service\nmetadata: {name: x}\n").is_empty());
    let rest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n...\nkind: Secret\n";
    assert_eq!(found(rest), ["DroppedByServer"]);
}

#[test]
fn plurals_are_those_of_the_language() {
    for (option, parameter) in [
        ("classes", "class"),
        ("box", "boxes"),
        ("policy", "policies"),
        ("policies", "policy"),
        ("zones", "zone"),
    ] {
        let options = json!([{"key": option, "allowedValues": ["x"]}]);
        let found = found(&class(&options, &json!({parameter: "y"})));
        assert_eq!(
            found,
            ["OptionConflictsWithParameters allowedProvisioningOptions[0].allowedValues"],
            "{option}"
        );
    }
}

#[test]
fn one_broken_object_is_not_a_missing_one() {
    let broken = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: example.com/disks\nallowVolumeExpansion: \"yes\"\n";
    let found = found(&format!("{broken}{}{}", config_map(&json!({})), claim("")));
    assert_eq!(found, ["InvalidClass allowVolumeExpansion"]);
}

#[test]
fn claims_of_templates_are_judged_where_they_stand() {
    let text = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 3
  volumeClaimTemplates:
  - metadata:
      name: data
      annotations: {volume.beta.kubernetes.io/storage-class: fast}
    spec:
      accessModes: [RWO]
      storageClasName: fast
      resources: {requests: {storage: 1Gi}}
";
    let report = report(text);
    let placed: Vec<(String, i64)> = spelled(&report)
        .into_iter()
        .zip(
            report["findings"]
                .as_array()
                .unwrap()
                .iter()
                .map(|finding| finding["line"].as_i64().unwrap()),
        )
        .collect();
    let template = "spec.volumeClaimTemplates[0]";
    assert_eq!(
        placed,
        [
            (
                format!(
                    "BetaClassAnnotation {template}.metadata.annotations[volume.beta.kubernetes.io/storage-class]"
                ),
                9
            ),
            (format!("InvalidClaim {template}.spec.accessModes"), 11),
            (
                format!("DroppedByServer {template}.spec.storageClasName"),
                12
            ),
        ]
    );
    let bad_size = self::report(&text.replace("1Gi", "1Gb"));
    let size = bad_size["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["line"] == 13)
        .unwrap();
    assert_eq!(size["code"], "InvalidClaim");
}

#[test]
fn a_named_claim_has_its_options_placed_too() {
    let text = format!(
        "{}{}{}",
        class(&json!([]), &json!({})),
        config_map(&json!({"k": "v"})),
        claim("")
    );
    let arguments = ["--offline", "-f", "-", "pvc/data", "-o", "json"];
    let report = validate(&arguments).stdin(&text).json();
    let unknown = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["code"] == "OptionUnknown")
        .unwrap();
    assert_eq!(
        (&unknown["file"], &unknown["line"]),
        (&json!("stdin"), &json!(4))
    );
    // A class that is named is the only one the ConfigMap is held against.
    let other = class(&json!([{"key": "only", "required": true}]), &json!({}))
        .replace("\"fast\"", "\"other\"");
    let text = format!(
        "{}{other}{}{}",
        class(&json!([{"key": "k"}]), &json!({})),
        config_map(&json!({"k": "v"})),
        claim("").replace("fast", "other")
    );
    let arguments = [
        "--offline",
        "-f",
        "-",
        "cm/mine",
        "--class",
        "fast",
        "-o",
        "json",
    ];
    assert!(spelled(&validate(&arguments).stdin(&text).json()).is_empty());
}
