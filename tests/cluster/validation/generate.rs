//! Manifests from a seed. Half of a block meets the rules, several at a time where they leave one
//! another alone, so that each is met four times; the rest is mutated at random.

use super::bases::Kind;
use super::mutate::mutate;
use super::rules::{self, Expected, Rule};
use super::write::{disturb, write};
use crate::random::Random;

/// After so many manifests every rule comes again.
const BLOCK: usize = 300;
const TIMES: usize = 4;

pub(super) struct Manifest {
    pub(super) kind: Kind,
    /// The rules it is to meet; none for the random ones.
    pub(super) rules: Vec<Rule>,
    pub(super) text: String,
}

/// The first `count` manifests of a seed.
pub(super) fn manifests(seed: u64, count: usize) -> Vec<Manifest> {
    let blocks = count.div_ceil(BLOCK);
    let all = (0..blocks).flat_map(|number| block(seed, number));
    all.take(count).collect()
}

fn block(seed: u64, number: usize) -> Vec<Manifest> {
    let salt = u64::try_from(number).expect("a block is one of few");
    let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(salt));
    let mut plan = plan_rules(&mut random);
    plan.truncate(BLOCK);
    plan.resize_with(BLOCK, Vec::new);
    shuffle(&mut plan, &mut random);
    let name = |index: usize| format!("case-{number}-{index}");
    plan.into_iter()
        .enumerate()
        .map(|(index, rules)| manifest(&name(index), rules, &mut random))
        .collect()
}

/// All rules so many times, in groups that go into one manifest.
fn plan_rules(random: &mut Random) -> Vec<Vec<Rule>> {
    let mut waiting: Vec<Rule> = (0..TIMES).flat_map(|_| rules::all()).collect();
    shuffle(&mut waiting, random);
    let mut groups: Vec<Vec<Rule>> = Vec::new();
    while let Some(rule) = waiting.pop() {
        let mut group = vec![rule];
        // What is refused is crowded together, so that about half of all manifests are taken.
        let company: &[usize] = match rule.expected {
            Expected::Taken => &[0, 0, 1],
            _ => &[1, 2, 2, 3],
        };
        for _ in 0..random.pick(company) {
            let fits = |other: &Rule| group.iter().all(|rule| rule.goes_with(other));
            if let Some(index) = waiting.iter().rposition(fits) {
                group.push(waiting.remove(index));
            }
        }
        groups.push(group);
    }
    groups
}

fn manifest(name: &str, rules: Vec<Rule>, random: &mut Random) -> Manifest {
    let any = [
        (40, Kind::Claim),
        (40, Kind::Volume),
        (15, Kind::Class),
        (5, Kind::Map),
    ];
    let kind = match rules.first() {
        Some(rule) => rule.kind,
        None => random.weighted(&any),
    };
    let mut tree = kind.base(name, random);
    for rule in &rules {
        (rule.apply)(&mut tree, random);
    }
    if rules.is_empty() {
        for _ in 0..random.pick(&[0, 1, 1, 1, 1, 2, 3]) {
            mutate(&mut tree, kind, random);
        }
    }
    let mut text = write(&tree, random);
    if rules.is_empty() && random.chance(15) {
        text = disturb(&text, random);
    }
    Manifest { kind, rules, text }
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for index in (1..items.len()).rev() {
        items.swap(index, random.below(index + 1));
    }
}
