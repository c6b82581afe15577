//! Who an object is: namespace, name, uid; how such a reference is spelt.

use serde::Serialize;
use std::fmt;

/// A namespaced object by name, printed `namespace/name`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ObjectKey {
    /// The namespace.
    pub namespace: String,
    /// The name within it.
    pub name: String,
}

impl ObjectKey {
    /// The key of `namespace/name`.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// The owner of an object, in the same namespace, printed `Kind name`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnerRef {
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
}

impl OwnerRef {
    /// The owner of this kind and name.
    pub fn new(kind: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for OwnerRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)
    }
}

/// How many edits of one letter, or swaps of two neighbours, turn one name into another: what "did you mean" is ranked by.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// No object has a longer name. What is longer is not compared: the time of a comparison grows with the product of both lengths.
const LONGEST_NAME: usize = 253;

/// The names most like `wanted`, nearest first, at most three; none that is far off.
pub fn similar_names<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if wanted.len() > LONGEST_NAME {
        return vec![];
    }
    let length = wanted.chars().count();
    let tolerance = (length / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter(|name| *name != wanted && name.len() <= LONGEST_NAME)
        .filter_map(|name| {
            // A long name may be cut short or continued (`pvc-5d3` for `pvc-5d3d491e`), which no edit distance forgives.
            let continued = wanted.len() >= 3
                && (name.starts_with(wanted) || wanted.starts_with(name) && name.len() >= 3);
            // Each letter more or less is one edit.
            let least = name.chars().count().abs_diff(length);
            if continued {
                return Some((least, name));
            }
            if least > tolerance {
                return None;
            }
            let distance = edit_distance(wanted, name);
            (distance <= tolerance).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    // Where one is nearer than the others, it is the one that was meant.
    let nearest = near.first().map(|(distance, _)| *distance);
    near.retain(|(distance, _)| Some(*distance) == nearest);
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The same where capitals are often mistaken, as in the keys of maps: `NUM` is `num`, and `iopspergb` near `iopsPerGB`.
pub fn similar_in_any_case<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let lower: Vec<(String, &str)> = names
        .into_iter()
        .map(|name| (name.to_lowercase(), name))
        .collect();
    let same = lower.iter().find(|(lower, _)| *lower == wanted);
    if let Some((_, name)) = same {
        return vec![name];
    }
    let found = similar_names(&wanted, lower.iter().map(|(lower, _)| lower.as_str()));
    let spelt = |near: &str| lower.iter().find(|(lower, _)| lower == near);
    found
        .into_iter()
        .filter_map(|near| spelt(near).map(|(_, name)| *name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_near_and_few() {
        assert_eq!(
            similar_names("dtaa-0", ["data-0", "logs", "data-1"]),
            ["data-0"]
        );
        assert_eq!(
            similar_names("pvc-5d3", ["pvc-5d3d491e", "other"]),
            ["pvc-5d3d491e"]
        );
        assert_eq!(similar_names("fsat", ["fast", "slow"]), ["fast"]);
        assert!(similar_names("x", ["completely-different"]).is_empty());
        assert!(similar_names(&"d".repeat(1_000_000), ["ddd", "data-0"]).is_empty());
        assert_eq!(similar_in_any_case("NUM", ["num", "sum"]), ["num"]);
        assert_eq!(
            similar_in_any_case("IOPSPERGIB", ["iopsPerGB"]),
            ["iopsPerGB"]
        );
    }
}
