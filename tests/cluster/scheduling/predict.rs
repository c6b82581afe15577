//! Our own answer about every pod in the cluster, by the program as users run it.

use serde_json::{Value, json};

use crate::cluster::control_plane::ControlPlane;
use crate::support::{Run, kubectl_pv};

const QUESTION: [&str; 5] = ["explain", "pods", "-A", "-o", "json"];

/// The explanations of all pods.
pub(super) struct Predictions(Vec<Value>);

impl Predictions {
    /// Asks the program once about everything in the cluster.
    pub(super) fn ask(plane: &ControlPlane) -> Self {
        Self::understand(plane.kubectl_pv("admin", &QUESTION))
    }

    /// Asks about a cluster that consists of these objects.
    pub(super) fn imagine(objects: &[Value]) -> Self {
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": objects });
        let mut question = QUESTION.to_vec();
        question.extend(["-f", "-"]);
        Self::understand(kubectl_pv(&question).stdin(&list.to_string()))
    }

    /// The exit status speaks about the worst pod and is of no interest here; that the program has
    /// understood and answered is.
    fn understand(run: Run) -> Self {
        let ran = run.ran();
        assert_ne!(ran.status, 2, "{}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{error} in the answer\n{}", ran.stderr));
        assert_eq!(answer["kind"], "PodExplanationList");
        Self(answer["items"].as_array().expect("items").clone())
    }

    pub(super) fn of(&self, pod: &Value) -> &Value {
        let metadata = &pod["metadata"];
        let is_meant = |explanation: &&Value| {
            let pod = &explanation["pod"];
            pod["namespace"] == metadata["namespace"] && pod["name"] == metadata["name"]
        };
        self.0.iter().find(is_meant).unwrap_or(&Value::Null)
    }
}
