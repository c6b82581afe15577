//! Texts of any kind where a quantity, a selector, YAML, JSON, an annotation or a kubeconfig is expected: each is read or refused,
//! and nothing panics. The answers of exec programs are tried in `src/storage/tests/exec.rs`, whole files in `mutated_files/`.

use crate::support::{TemporaryFile, kubectl_pv};
use kubectl_pv::conventions::quantity::Quantity;
use kubectl_pv::conventions::selector::LabelSelector;
use kubectl_pv::engine::{Rules, explain_claim};
use kubectl_pv::load::read_text;
use proptest::prelude::*;

/// Pieces of YAML and JSON, so that more than the first character is read.
fn structured() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("apiVersion: v1\n".to_owned()),
        Just("kind: PersistentVolumeClaim\n".to_owned()),
        Just("metadata: {name: a, uid: u}\n".to_owned()),
        Just("spec:\n".to_owned()),
        Just("  resources: {requests: {storage: 1Gi}}\n".to_owned()),
        Just("---\n".to_owned()),
        Just("items: [\n".to_owned()),
        Just("\"kind\": \"List\",".to_owned()),
        "[\\[\\]{}:,&*!|>'\"#%@`?~-]{1,3}",
        "[ \t]{0,8}[a-z]{1,8}: ",
        "\\PC{0,12}",
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// The same in JSON.
fn json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[\\[\\]{},:]{1,4}",
        "\"[a-zA-Z]{0,8}\"",
        Just("\"key\": \"zone\", ".to_owned()),
        Just("\"allowedValues\": [\"a\"], ".to_owned()),
        Just("\"defaultValue\": ".to_owned()),
        "-?[0-9]{1,30}(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,4})?",
        Just("null".to_owned()),
        Just("\"\\ud800\"".to_owned()),
    ];
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

fn explain_all(text: &str) {
    let Ok(loaded) = read_text(text, "default") else {
        return;
    };
    for claim in loaded.state.claims() {
        let explained = explain_claim(&loaded.state, claim, Rules::V1_36);
        serde_json::to_string(&explained).expect("every report is JSON");
    }
}

proptest! {
    #[test]
    fn quantities(text in "[+-]?[0-9.]{0,40}([numkKMGTPEi]|[eE][+-]?[0-9]{0,12}){0,3}|\\PC{0,20}") {
        if let Ok(quantity) = Quantity::parse(&text) {
            let again = Quantity::parse(&quantity.canonical());
            prop_assert_eq!(again.as_ref(), Ok(&quantity));
        }
    }

    #[test]
    fn selectors(text in "([a-z./-]{0,10}|=|==|!=|!|,|\\(|\\)| in | notin |>|<|\\PC){0,12}") {
        let _ = LabelSelector::parse(&text);
    }

    #[test]
    fn yaml(text in structured()) {
        explain_all(&text);
    }

    #[test]
    fn json_texts(text in json()) {
        explain_all(&text);
        explain_all(&format!("{{\"kind\": \"List\", \"items\": [{text}]}}"));
    }

    #[test]
    fn options_in_annotations(text in json()) {
        let text = text.replace('\'', "");
        explain_all(&format!(
            "kind: StorageClass\napiVersion: storage.k8s.io/v1\nprovisioner: a.b/c\nmetadata:\n  name: c\n  annotations:\n    volume.alpha.kubernetes.io/allowed-provisioning-options: '[{text}]'\n---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {{name: a, uid: u, annotations: {{volume.alpha.kubernetes.io/provisioning-options: o}}}}\nspec: {{storageClassName: c, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1}}}}}}\n"
        ));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Read by the program itself; no server answers.
    #[test]
    fn kubeconfigs(text in structured(), field in 0_usize..8) {
        let mut fields = ["c", "a", "u", "", "127.0.0.1", "e30=", "token", "exec"].map(str::to_owned);
        fields[field] = text.replace(['\n', '\'', '\0'], " ");
        let [cluster, context, user, namespace, name, data, token, command] = fields;
        let whole = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: 'a'\nclusters: [{{name: '{cluster}', cluster: {{server: 'https://127.0.0.1:1', tls-server-name: '{name}', certificate-authority-data: '{data}'}}}}]\ncontexts: [{{name: '{context}', context: {{cluster: c, user: u, namespace: '{namespace}'}}}}]\nusers: [{{name: '{user}', user: {{token: '{token}', exec: {{apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: '/nonexistent/{command}'}}}}}}]\n"
        );
        for content in [whole, text] {
            let file = TemporaryFile::new("config", &content);
            let arguments = ["explain", "-A", "--kubeconfig", file.path(), "--request-timeout", "1s"];
            let ran = kubectl_pv(&arguments).ran();
            prop_assert!([2, 3].contains(&ran.status), "{}\n{}", ran.status, ran.stderr);
            prop_assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        }
    }
}
