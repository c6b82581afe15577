//! Things that happen to manifests: a field forgotten, misspelt, of another type or null, a word that
//! YAML takes for something else, a bad value. Each mutation changes one thing, wherever it fits.

use serde_json::json;

use super::bases::Kind;
use super::features::use_features;
use super::metadata::change_metadata;
use super::scalars::{DRESSED, ODD, QUANTITIES};
use super::specific::change_specifically;
use super::tree::{Node, Place};
use crate::random::Random;

/// Where quantities stand.
const QUANTITY_FIELDS: &[(Kind, &[&str])] = &[
    (
        Kind::Claim,
        &[
            "spec|resources|requests|storage",
            "spec|resources|requests|storage",
            "spec|resources|limits|storage",
            "spec|resources|requests|cpu",
            "status|capacity|storage",
        ],
    ),
    (Kind::Volume, &["spec|capacity|storage"]),
];

type Change = fn(&mut Node, Kind, &mut Random);

/// Changes one thing.
pub(super) fn mutate(manifest: &mut Node, kind: Kind, random: &mut Random) {
    let choices: [(usize, Change); 11] = [
        (8, |manifest, _, random| wrong_type(manifest, random)),
        (8, |manifest, _, random| nothing_there(manifest, random)),
        (6, |manifest, _, random| forgotten(manifest, random)),
        (6, |manifest, _, random| unknown_field(manifest, random)),
        (6, |manifest, _, random| misspelt(manifest, random)),
        (14, |manifest, _, random| odd_scalar(manifest, random)),
        (6, |manifest, _, random| odd_key(manifest, random)),
        (10, quantity),
        (14, |manifest, _, random| change_metadata(manifest, random)),
        (20, change_specifically),
        (10, use_features),
    ];
    let change = random.weighted(&choices);
    change(manifest, kind, random);
}

fn somewhere(manifest: &Node, random: &mut Random, keep: fn(&Node) -> bool) -> Option<Place> {
    let places = manifest.places(keep);
    (!places.is_empty()).then(|| places[random.below(places.len())].clone())
}

fn wrong_type(manifest: &mut Node, random: &mut Random) {
    let Some(place) = somewhere(manifest, random, |_| true) else {
        return;
    };
    let other = match random.below(10) {
        0 => json!(5),
        1 => json!(1.5),
        2 => json!(true),
        3 => json!("text"),
        4 => json!([]),
        5 => json!({}),
        6 => json!(["text"]),
        7 => json!({ "key": "text" }),
        8 => json!([{}]),
        _ => json!([null]),
    };
    *manifest.at(&place) = other.into();
}

fn nothing_there(manifest: &mut Node, random: &mut Random) {
    if let Some(place) = somewhere(manifest, random, |_| true) {
        *manifest.at(&place) =
            Node::raw(random.pick(&["null", "~", "", "Null", "[]", "{}", "\"\""]));
    }
}

fn forgotten(manifest: &mut Node, random: &mut Random) {
    if let Some(place) = somewhere(manifest, random, |_| true) {
        manifest.remove_at(&place);
    }
}

fn unknown_field(manifest: &mut Node, random: &mut Random) {
    let name = random.pick(&[
        "extra",
        "Spec",
        "storageclassname",
        "size",
        "enabled",
        "accessMode",
        "x-y",
    ]);
    let value = random.pick(&["5", "text", "{a: [b]}", "~", "yes"]);
    let map = match somewhere(manifest, random, Node::is_map) {
        Some(place) if random.chance(80) => manifest.at(&place),
        _ => manifest,
    };
    add_key(map, Node::text(name), Node::raw(value));
}

/// Changes a key a little. What it was called is then missing, and what it is called is unknown.
fn misspelt(manifest: &mut Node, random: &mut Random) {
    let Some(place) = somewhere(manifest, random, |_| true) else {
        return;
    };
    let number = place[place.len() - 1];
    let Node::Map(entries) = manifest.parent_of(&place) else {
        return;
    };
    let Node::Text(key) = entries[number].0.clone() else {
        return;
    };
    let other = match random.below(4) {
        0 => key.to_lowercase(),
        1 => key.to_uppercase(),
        2 => format!("{key}s"),
        _ => key.chars().skip(1).collect(),
    };
    let is_free = !entries
        .iter()
        .any(|(own, _)| matches!(own, Node::Text(own) if *own == other));
    if is_free {
        entries[number].0 = Node::Text(other);
    }
}

fn odd_scalar(manifest: &mut Node, random: &mut Random) {
    if let Some(place) = somewhere(manifest, random, Node::is_scalar) {
        let raw = if random.chance(80) {
            random.pick(ODD)
        } else {
            random.pick(DRESSED)
        };
        *manifest.at(&place) = Node::raw(raw);
    }
}

/// A key that is no string: of labels, annotations, parameters or any other map.
fn odd_key(manifest: &mut Node, random: &mut Random) {
    let key = Node::raw(random.pick(&[
        "yes",
        "off",
        "~",
        "5",
        "0o17",
        "1.5",
        "2001-01-01",
        "1e3",
        "\"yes\"",
        "y",
        ".inf",
        "[a]",
        "? a",
    ]));
    let value = Node::raw(random.pick(&["text", "5", "\"5\"", "~"]));
    let map = match somewhere(manifest, random, Node::is_map) {
        Some(place) if random.chance(50) => manifest.at(&place),
        _ => {
            let field = random.pick(&["metadata|labels", "metadata|annotations"]);
            if manifest.get_mut(field).is_none() {
                manifest.set(field, json!({}));
            }
            manifest.get_mut(field).expect("it has just been made")
        }
    };
    add_key(map, key, value);
}

/// Adds an entry unless its key might be there already: a repeated key is another matter.
fn add_key(map: &mut Node, key: Node, value: Node) {
    let Node::Map(entries) = map else { return };
    let is_free = entries.iter().all(|(own, _)| match (own, &key) {
        (Node::Text(own), Node::Text(key)) => own != key,
        (Node::Text(_), Node::Raw(_)) => true,
        _ => false,
    });
    if is_free {
        entries.push((key, value));
    }
}

fn quantity(manifest: &mut Node, kind: Kind, random: &mut Random) {
    match QUANTITY_FIELDS.iter().find(|(of, _)| *of == kind) {
        Some((_, fields)) => {
            manifest.set(random.pick(fields), Node::raw(random.pick(QUANTITIES)));
        }
        None => odd_scalar(manifest, random),
    }
}
