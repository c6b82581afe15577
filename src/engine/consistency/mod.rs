//! The commands never contradict each other: over generated clusters with pods, `explain`, `explain pv`, `explain pod`, `status`,
//! `plan`, `bind --dry-run` and `provision --dry-run` are asked about the same objects, and their answers are held against each
//! other.

mod cases;
mod generate;
mod relations;

use self::relations::Answers;
use super::forecast::tests::generate::Random;
use crate::testing::rounds;
use std::collections::BTreeMap;

#[test]
fn commands_never_contradict_each_other() {
    let mut met: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut found: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
    for seed in 0..rounds(5_000, 300) {
        let mut random = Random::new(seed);
        let (state, rules) = generate::cluster(&mut random);
        let answers = Answers::ask(&state, rules);
        answers.count(&mut met);
        for contradiction in answers.contradictions() {
            let first = || {
                let cluster = generate::describe(&state);
                (0, format!("seed {seed}: {}\n{cluster}", contradiction.text))
            };
            found.entry(contradiction.relation).or_insert_with(first).0 += 1;
        }
    }
    let found: Vec<String> = found
        .iter()
        .map(|(relation, (times, first))| format!("{relation}: {times} times, first {first}"))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n\n"));
    for (what, least) in relations::MET {
        let times = met.get(what).copied().unwrap_or_default();
        assert!(times > *least, "{what}: only {times} times");
    }
}
