//! Our own answer about every claim in the cluster, by the program as users run it.

use serde_json::Value;

use crate::cluster::control_plane::ControlPlane;

/// The explanations of all claims.
pub(super) struct Predictions(Vec<Value>);

impl Predictions {
    /// Asks the program once about everything. Its exit status speaks about the worst claim and is
    /// of no interest here; that it has understood and answered is.
    pub(super) fn ask(plane: &ControlPlane) -> Self {
        let question = ["explain", "-A", "--all", "-o", "json"];
        let ran = plane.kubectl_pv("admin", &question).ran();
        assert_ne!(ran.status, 2, "{}", ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|error| panic!("{error} in the answer\n{}", ran.stderr));
        assert_eq!(answer["kind"], "ExplanationList");
        Self(answer["items"].as_array().expect("items").clone())
    }

    pub(super) fn of(&self, claim: &Value) -> Option<&Value> {
        self.0
            .iter()
            .find(|explanation| explanation["claim"]["uid"] == claim["metadata"]["uid"])
    }
}
