//! How much of a long matrix runs: all of it with `tests/run --full`, otherwise a sample. The seed that chooses the sample is
//! printed by `tests/run` and can be given with `--seed`. A variable of a test's own wins over both.

use crate::random::Random;

const FULL: &str = "KUBECTL_PV_TESTS_FULL";
const SEED: &str = "KUBECTL_PV_TESTS_SEED";

/// A repetition that waits for cases which depend on chance ends after so many rounds and fails.
pub(crate) const MOST_ROUNDS: usize = 20;

pub(crate) fn is_full() -> bool {
    variable(FULL).is_some()
}

pub(crate) fn seed() -> u64 {
    variable(SEED).map_or(1, |seed| seed.parse().expect(SEED))
}

/// The seed of generated clusters: 1 in a full run, as its figures are compared between runs.
pub(crate) fn seed_of(name: &str) -> u64 {
    let otherwise = if is_full() { 1 } else { seed() };
    variable(name).map_or(otherwise, |value| value.parse().expect(name))
}

/// How many rounds: all of them in a full run, fewer in a sample.
pub(crate) fn rounds(all: usize, sampled: usize) -> usize {
    if is_full() { all } else { sampled }
}

/// As [`rounds`], and the variable called `name` wins.
pub(crate) fn rounds_of(name: &str, all: usize, sampled: usize) -> usize {
    variable(name).map_or_else(|| rounds(all, sampled), |value| value.parse().expect(name))
}

/// At most one of `share` in a full run. A sample is too small for a share: two are always allowed there.
pub(crate) fn is_few(count: usize, of: usize, share: usize) -> bool {
    count * share <= of || !is_full() && count <= 2
}

/// The numbers below `all` in a full run, otherwise `sampled` of them that follow one another.
pub(crate) fn numbers(all: usize, sampled: usize) -> Vec<usize> {
    let first = usize::try_from(seed()).expect("a seed") % all;
    let count = rounds(all, sampled);
    (first..first + count).map(|number| number % all).collect()
}

/// The numbers below `all` in a full run, otherwise those that are known to show what is looked for.
pub(crate) fn numbers_or(all: usize, known: &[usize]) -> Vec<usize> {
    if is_full() {
        (0..all).collect()
    } else {
        known.to_vec()
    }
}

/// All cases in a full run, otherwise `most` of them that the seed chooses, in their order.
pub(crate) fn cases<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    if is_full() {
        return all.to_vec();
    }
    choose(all, most, seed())
}

fn choose<T: Clone>(all: &[T], most: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    let mut numbers: Vec<usize> = (0..all.len()).collect();
    while numbers.len() > most {
        numbers.remove(random.below(numbers.len()));
    }
    numbers
        .into_iter()
        .map(|number| all[number].clone())
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "how much is tested is set from outside"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[test]
fn a_sample_keeps_the_order_and_depends_on_the_seed() {
    let all: Vec<usize> = (0..20).collect();
    let one = choose(&all, 5, 1);
    assert_eq!(one.len(), 5);
    assert!(one.is_sorted());
    assert_eq!(one, choose(&all, 5, 1));
    assert_eq!(choose(&all, 30, 1), all);
    let mut met: Vec<usize> = (0..20).flat_map(|seed| choose(&all, 5, seed)).collect();
    met.sort_unstable();
    met.dedup();
    assert_eq!(met, all, "every case is chosen by some seed");
}
