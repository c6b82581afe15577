//! Large values of one claim: the answers for others stay the same.

use serde_json::{Value, json};

use super::scene::{Scene, on_a_scene};

fn selector_of(scene: &Scene, name: &str, expressions: &Value) -> Value {
    let mut claim = scene.hostile_claim(name);
    claim["spec"]["selector"] = json!({ "matchExpressions": expressions });
    claim
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn large_values_move_no_other_answer() {
    on_a_scene("sizes", |scene| {
        scene.assert_unmoved_by(|| {
            let values: Vec<String> = (0..60_000).map(|number| format!("v{number}")).collect();
            let one = json!([{ "key": "tier", "operator": "In", "values": values }]);
            scene.create_as_attacker(&selector_of(scene, "values", &one));
            let many = values.iter().take(15_000);
            let many: Value = many
                .map(|value| json!({ "key": value, "operator": "In", "values": ["x"] }))
                .collect();
            scene.create_as_attacker(&selector_of(scene, "expressions", &many));
            let mut claim = scene.hostile_claim("volume-name");
            claim["spec"]["volumeName"] = json!("f".repeat(1_000_000));
            scene.create_as_attacker(&claim);
        });
    });
}
