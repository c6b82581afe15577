//! All that is needed to understand one disagreement: YAML with comments on top, for whoever wants
//! to try `kubectl-pv explain pods -A -f` on it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::claims::name_of;
use super::compare::Comparison;
use super::deed::Turn;
use super::world::World;

/// Something we said about a pod, and something else that happened.
pub(super) struct Disagreement {
    pod: String,
    when: String,
    pub(super) text: String,
}

impl Disagreement {
    /// The world as it was when it was predicted, with what was said of it and what happened, if
    /// anything was wrong.
    pub(super) fn over(
        when: &str,
        world: &World,
        comparison: &Comparison,
        wrong: &[String],
    ) -> Option<Self> {
        if wrong.is_empty() {
            return None;
        }
        let turn = &comparison.turn;
        let pod = name_of(turn.pod).to_owned();
        let head = format!(
            "DISAGREEMENT {when} on pod {pod} ({})\n{}\n{}\npredicted:\n{:#}",
            world.theme,
            wrong.join("\n"),
            what_happened(world, turn),
            without_strangers(comparison.predicted, &world.name),
        );
        let head: String = head.lines().map(|line| format!("# {line}\n")).collect();
        let text = format!("{head}{}", turn.before.documents(&world.name));
        let when = when.replace(' ', "-");
        Some(Self { pod, when, text })
    }

    /// Writes it to a file of its own.
    pub(super) fn keep(&self, seed: u64) -> PathBuf {
        let file = format!("scheduling-{seed}-{}-{}.yaml", self.pod, self.when);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
        fs::write(&path, &self.text).expect("write the world down");
        path
    }
}

/// All pods of the world, because what one got may depend on another.
fn what_happened(world: &World, turn: &Turn) -> String {
    let pods = world.pods.iter().map(|pod| {
        let pod = turn.before.find(pod);
        let turn = Turn { pod, ..*turn };
        format!(
            "{}: {:?} with {:?} on {:?}, first refusal {:?}, last {:?}",
            name_of(pod),
            turn.deed(),
            turn.gifts(),
            turn.node(),
            turn.after.refusal(pod),
            turn.condition(),
        )
    });
    pods.collect::<Vec<_>>().join("\n")
}

/// The prediction without the volumes of other worlds, of which every claim lists hundreds.
fn without_strangers(predicted: &Value, world: &str) -> Value {
    let mut predicted = predicted.clone();
    let own = |volume: &Value| name_is_of(&volume["name"], world);
    let claims = predicted["claims"].as_array_mut();
    for claim in claims.into_iter().flatten() {
        if let Some(volumes) = claim["volumes"].as_array_mut() {
            volumes.retain(own);
        }
    }
    predicted
}

fn name_is_of(name: &Value, world: &str) -> bool {
    let name = name.as_str().unwrap_or_default();
    name.starts_with(&format!("{world}-"))
}
