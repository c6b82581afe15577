//! Every manifest of the five design documents, verbatim (`seeds/NUMBER-NAME.yaml`), with the answer the document gives.
//!
//! Two of their blocks hold several objects with nothing between them, which is no YAML: those get their `---`, and
//! `two_objects` says so. The document on volume sets (002) has no manifest.

use kubectl_pv::engine::{Rules, explain_claim};
use kubectl_pv::load::{Loaded, read_text};
use kubectl_pv::report::{ClassSource, Explanation, ProvisionedBy, Verdict, VolumeReason};

const EXTERNAL_CLAIM: &str = include_str!("seeds/000-external-claim.yaml");
const EXTERNAL_VOLUME: &str = include_str!("seeds/000-external-volume.yaml");
const CLASSES: &str = include_str!("seeds/000-classes.yaml");
const VOLUME: &str = include_str!("seeds/001-volume.yaml");
const CLAIM: &str = include_str!("seeds/001-claim.yaml");
const POD: &str = include_str!("seeds/001-pod.yaml");
const OPTIONS_CLASS: &str = include_str!("seeds/003-class.yaml");
const OPTIONS_MAP: &str = include_str!("seeds/003-config-map.yaml");
const OPTIONS_CLAIM: &str = include_str!("seeds/003-claim.yaml");
const TYPO_CLASS: &str = include_str!("seeds/003-typo-class.yaml");
const LABELLED_VOLUME: &str = include_str!("seeds/004-labelled-volume.yaml");
const VOLUMES: &str = include_str!("seeds/004-volumes.yaml");
const CLAIMS: &str = include_str!("seeds/004-claims.yaml");

/// Puts `---` between the two objects of a block, which the document leaves out.
pub(crate) fn two_objects(block: &str, first_line_of_an_object: &str) -> String {
    let parts: Vec<&str> = block.split(first_line_of_an_object).collect();
    assert_eq!(
        parts.len(),
        3,
        "the block holds two objects without a separator"
    );
    parts[1..]
        .iter()
        .map(|part| format!("---\n{first_line_of_an_object}{part}"))
        .collect()
}

fn load(manifests: &[&str]) -> Loaded {
    read_text(&manifests.join("\n---\n"), "default").unwrap()
}

fn explain(manifests: &[&str], name: &str, rules: Rules) -> Explanation {
    let loaded = load(manifests);
    let claim = loaded
        .state
        .claims()
        .iter()
        .find(|claim| claim.key.name == name)
        .expect(name);
    explain_claim(&loaded.state, claim, rules)
}

fn codes(explanation: &Explanation) -> Vec<&str> {
    explanation
        .causes
        .iter()
        .map(|cause| cause.cause.code().name())
        .collect()
}

fn claim(name: &str, extra: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}}}\nspec:\n  accessModes: [ReadWriteOnce]\n  \
         resources: {{requests: {{storage: 1Gi}}}}\n{extra}"
    )
}

fn volume(name: &str, size: &str, modes: &str, extra: &str) -> String {
    format!(
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {{name: {name}}}\nspec:\n  capacity: {{storage: {size}}}\n  \
         accessModes: [{modes}]\n  hostPath: {{path: /data/{name}}}\n{extra}"
    )
}

#[test]
fn the_volume_made_for_a_claim_is_bound_to_it() {
    for rules in [Rules::V1_36, Rules::V1_4] {
        let explanation = explain(&[EXTERNAL_CLAIM, EXTERNAL_VOLUME], "fooclaim", rules);
        assert_eq!(explanation.verdict, Verdict::WillBind, "{explanation:?}");
        // The document leaves the name to the server (generateName).
        assert_eq!(explanation.outcomes, ["foo-volume-xxxxx"]);
    }
}

#[test]
fn a_claim_whose_class_is_missing_stays_pending_and_is_tried_again() {
    let explanation = explain(&[EXTERNAL_CLAIM], "fooclaim", Rules::V1_36);
    assert_eq!(explanation.verdict, Verdict::Blocked);
    assert!(codes(&explanation).contains(&"ClassNotFound"));
    assert_eq!(explanation.claim.class.source, ClassSource::Annotation);
}

#[test]
fn the_claim_s_provisioner_is_outside_and_cannot_be_seen_until_it_speaks() {
    let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: myClass}\nprovisioner: foo.org/foo-volume";
    let explanation = explain(&[EXTERNAL_CLAIM, class], "fooclaim", Rules::V1_36);
    assert_eq!(explanation.verdict, Verdict::Unknown);
    let provisioning = explanation.provisioning.unwrap();
    assert_eq!(
        (provisioning.by, provisioning.provisioner.as_str()),
        (ProvisionedBy::External, "foo.org/foo-volume")
    );
    assert_eq!(
        provisioning.volume_name.as_deref(),
        Some("pvc-5a294561-7e5b-11e6-a20e-0eb6048532a3")
    );
}

#[test]
fn two_classes_with_distinct_quality_of_service() {
    let classes = two_objects(CLASSES, "apiVersion: v1\nkind: StorageClass\n");
    let driver =
        "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: ebs.csi.aws.com}";
    for (class, kind) in [("aws-fast", "ssd"), ("aws-slow", "spinning")] {
        let claim = claim("data", &format!("  storageClassName: {class}\n"));
        let explanation = explain(&[&classes, driver, &claim], "data", Rules::V1_36);
        assert_eq!(
            explanation.verdict,
            Verdict::WillProvision,
            "{explanation:?}"
        );
        let provisioning = explanation.provisioning.unwrap();
        assert_eq!(
            (provisioning.by, provisioning.provisioner.as_str()),
            (ProvisionedBy::Migrated, "ebs.csi.aws.com")
        );
        assert_eq!(provisioning.parameters["type"], kind);
    }
}

#[test]
fn the_administrator_s_volume_is_bound_to_the_user_s_claim() {
    for rules in [Rules::V1_36, Rules::V1_4] {
        let loaded = load(&[VOLUME, CLAIM, POD]);
        // As the document's own output shows it: 10737418240, RWO.
        let volume = loaded.state.find_volume("pv0001").unwrap();
        assert_eq!(
            (
                volume.capacity.value(),
                volume.access_modes.short().as_str()
            ),
            (10_737_418_240, "RWO")
        );
        assert_eq!(loaded.notes.len(), 3, "{:?}", loaded.notes);
        let explanation = explain_claim(&loaded.state, &loaded.state.claims()[0], rules);
        assert_eq!(explanation.verdict, Verdict::WillBind, "{explanation:?}");
        assert_eq!(explanation.outcomes, ["pv0001"]);
    }
}

#[test]
fn the_document_s_pod_uses_the_claim() {
    let loaded = load(&[CLAIM, POD]);
    assert!(loaded.state.objects().pods[0].uses(&loaded.state.claims()[0].key));
}

#[test]
fn without_a_volume_the_request_goes_unfulfilled() {
    let explanation = explain(&[CLAIM], "myclaim-1", Rules::V1_36);
    assert_eq!(
        (explanation.verdict, codes(&explanation)),
        (Verdict::Blocked, vec!["NoDefaultClass", "NoVolumes"])
    );
}

#[test]
fn a_claim_with_options_always_gets_a_new_volume() {
    let fitting = volume("fits", "2Gi", "ReadWriteOnce", "  storageClassName: slow\n");
    let driver =
        "apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: ebs.csi.aws.com}";
    let good_map = OPTIONS_MAP
        .replace("us-east-1d", "us-east-1a")
        .replace("  type: gp2\n", "")
        .replace("encrypted:", "encryption:");
    let explanation = explain(
        &[OPTIONS_CLASS, OPTIONS_CLAIM, &good_map, &fitting, driver],
        "myclaim",
        Rules::V1_36,
    );
    assert_eq!(
        explanation.verdict,
        Verdict::WillProvision,
        "{explanation:?}"
    );
    assert_eq!(
        explanation.volumes[0].reasons,
        [VolumeReason::OptionsNeedNewVolume]
    );
    let provisioning = explanation.provisioning.unwrap();
    assert_eq!(provisioning.options["encryption"], "true");
    assert_eq!(provisioning.parameters["zone"], "us-east-1a");
    // The cluster knows nothing of options and would take the volume at hand.
    let cluster = explanation.cluster.unwrap();
    assert_eq!(
        (cluster.verdict, cluster.outcomes),
        (Verdict::WillBind, vec!["fits".to_owned()])
    );
    assert!(
        explanation
            .causes
            .iter()
            .any(|cause| cause.cause.code().name() == "OptionsIgnoredByCluster")
    );
}

#[test]
fn the_document_s_own_options_are_refused() {
    let explanation = explain(
        &[OPTIONS_CLASS, OPTIONS_CLAIM, OPTIONS_MAP],
        "myclaim",
        Rules::V1_36,
    );
    assert_eq!(explanation.verdict, Verdict::Blocked);
    let causes: Vec<String> = explanation
        .causes
        .iter()
        .map(|cause| format!("{}: {}", cause.cause.code().name(), cause.cause.message()))
        .collect();
    assert!(
        causes
            .iter()
            .any(|cause| cause.starts_with("OptionUnknown: option encrypted")),
        "{causes:?}"
    );
    assert!(
        causes
            .iter()
            .any(|cause| cause.starts_with("OptionUnknown: option type")),
        "{causes:?}"
    );
    assert!(
        causes
            .iter()
            .any(|cause| cause
                .starts_with("OptionValueNotAllowed: option zone cannot be us-east-1d")),
        "{causes:?}"
    );
    let hints: Vec<String> = explanation
        .causes
        .iter()
        .filter_map(|cause| cause.cause.hint())
        .collect();
    assert!(
        hints.iter().any(|hint| hint.contains("encryption")),
        "{hints:?}"
    );
}

#[test]
fn options_without_their_config_map_are_refused() {
    let explanation = explain(&[OPTIONS_CLASS, OPTIONS_CLAIM], "myclaim", Rules::V1_36);
    assert_eq!(codes(&explanation)[0], "OptionsConfigMapNotFound");
}

#[test]
fn a_class_that_contradicts_itself_is_found_out_by_the_claim() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: my-provisioning-config}\ndata: {zone: us-east-2a}";
    let explanation = explain(&[TYPO_CLASS, OPTIONS_CLAIM, map], "myclaim", Rules::V1_36);
    assert!(
        codes(&explanation).contains(&"OptionConflictsWithParameters"),
        "{:?}",
        codes(&explanation)
    );
}

#[test]
fn two_selector_claims_bind_west_and_east() {
    let volumes = two_objects(VOLUMES, "apiVersion: v1\nkind: PersistentVolume\n");
    let claims = two_objects(CLAIMS, "kind: PersistentVolumeClaim\napiVersion: v1\n");
    for rules in [Rules::V1_36, Rules::V1_4] {
        for (claim, volume) in [
            ("ebs-claim-west", "ebs-pv-west"),
            ("ebs-claim-east", "ebs-pv-east"),
        ] {
            let explanation = explain(&[&volumes, &claims, LABELLED_VOLUME], claim, rules);
            assert_eq!(explanation.outcomes, [volume], "{explanation:?}");
            // All criteria must hold: the third volume has the modes and the size, not the labels.
            let labelled = explanation
                .volumes
                .iter()
                .find(|volume| volume.name == "ebs-pv-1")
                .unwrap();
            assert!(
                labelled
                    .reasons
                    .iter()
                    .any(|reason| reason.code().name() == "SelectorMismatch")
            );
        }
    }
}

// The eight steps of document 001, under both profiles.

#[test]
fn the_smallest_volume_wins() {
    let small = volume("small", "2Gi", "ReadWriteOnce, ReadWriteMany", "");
    let large = volume("large", "5Gi", "ReadWriteOnce", "");
    let claim = claim("data", "");
    // In 1.4 over all that remain; today only among those with the fewest modes.
    assert_eq!(
        explain(&[&small, &large, &claim], "data", Rules::V1_4).outcomes,
        ["small"]
    );
    assert_eq!(
        explain(&[&small, &large, &claim], "data", Rules::V1_36).outcomes,
        ["large"]
    );
}

#[test]
fn among_equals_the_first_by_modes_then_by_name_wins_in_1_4_and_nobody_knows_today() {
    let a = volume("a", "2Gi", "ReadWriteOnce, ReadWriteMany", "");
    let b = volume("b", "2Gi", "ReadWriteOnce", "");
    let c = volume("c", "2048Mi", "ReadWriteOnce", "");
    let claim = claim("data", "");
    assert_eq!(
        explain(&[&a, &b, &c, &claim], "data", Rules::V1_4).outcomes,
        ["b"]
    );
    assert_eq!(
        explain(&[&a, &b, &c, &claim], "data", Rules::V1_36).outcomes,
        ["b", "c"]
    );
}

#[test]
fn a_reserved_volume_is_bound_at_once_if_it_is_large_enough() {
    let reference = "  claimRef: {namespace: default, name: data}\n";
    let claim = claim("data", "");
    let exact = volume("exact", "1Gi", "ReadWriteOnce", "");
    let reserved = volume("reserved", "9Gi", "ReadWriteOnce", reference);
    let too_small = volume("too-small", "10Mi", "ReadWriteOnce", reference);
    for rules in [Rules::V1_36, Rules::V1_4] {
        assert_eq!(
            explain(&[&exact, &reserved, &claim], "data", rules).outcomes,
            ["reserved"]
        );
        assert_eq!(
            explain(&[&exact, &too_small, &claim], "data", rules).outcomes,
            ["exact"]
        );
    }
}

#[test]
fn a_placeholder_claim_ref_keeps_a_volume_out() {
    let claim = claim("data", "");
    let placeholder = volume("placeholder", "1Gi", "ReadWriteOnce", "  claimRef: {}\n");
    for rules in [Rules::V1_36, Rules::V1_4] {
        let explanation = explain(&[&placeholder, &claim], "data", rules);
        assert_eq!(
            explanation.volumes[0].reasons[0].code().name(),
            "ReservedForOtherClaim"
        );
    }
}

#[test]
fn the_alpha_annotation_keeps_a_volume_out_in_1_4_only() {
    let annotated = volume("annotated", "1Gi", "ReadWriteOnce", "").replace(
        "{name: annotated}",
        "{name: annotated, annotations: {volume.alpha.kubernetes.io/storage-class: x}}",
    );
    let claim = claim("data", "");
    let old = explain(&[&annotated, &claim], "data", Rules::V1_4);
    assert_eq!(old.volumes[0].reasons, [VolumeReason::AlphaClassAnnotation]);
    assert_eq!(
        explain(&[&annotated, &claim], "data", Rules::V1_36).outcomes,
        ["annotated"]
    );
}

#[test]
fn an_unset_and_an_empty_class_mean_what_the_rules_say() {
    let class = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: standard\n  annotations: \
                 {storageclass.kubernetes.io/is-default-class: \"true\"}\nprovisioner: kubernetes.io/host-path";
    let unset = claim("unset", "");
    let empty = claim("empty", "  storageClassName: \"\"\n");
    let of = |name: &str, rules| explain(&[class, &unset, &empty], name, rules);
    for rules in [Rules::V1_36, Rules::V1_4] {
        let explanation = of("unset", rules);
        assert_eq!(
            (explanation.verdict, explanation.claim.class.source),
            (Verdict::WillProvision, ClassSource::Default)
        );
    }
    // Then `""` was the same as unset; now it is a choice.
    assert_eq!(of("empty", Rules::V1_4).verdict, Verdict::WillProvision);
    let today = of("empty", Rules::V1_36);
    assert_eq!(
        (today.verdict, codes(&today)[0]),
        (Verdict::Blocked, "ClassExplicitlyEmpty")
    );
}

#[test]
fn selector_and_class_exclude_each_other_in_1_4_only() {
    let both = claim(
        "both",
        "  storageClassName: fast\n  selector: {matchLabels: {a: b}}\n",
    );
    let fitting = volume("fits", "1Gi", "ReadWriteOnce", "  storageClassName: fast\n")
        .replace("{name: fits}", "{name: fits, labels: {a: b}}");
    let old = explain(&[&both, &fitting], "both", Rules::V1_4);
    assert_eq!(
        (old.verdict, codes(&old)[0]),
        (Verdict::Rejected, "InvalidClaim")
    );
    assert_eq!(
        explain(&[&both, &fitting], "both", Rules::V1_36).outcomes,
        ["fits"]
    );
}
