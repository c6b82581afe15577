//! Volumes that fit a wish, or miss it by one or two things: the checks of the search, each of
//! which has to fail often enough and alone. Whom a volume is reserved for is in `reservations.rs`.

use serde_json::{Value, json};

use super::case::{Case, TERMINATES, set_fate};
use super::wish::{CLASS_ANNOTATION, Wish, label};
use crate::random::Random;

/// What may be wrong with a volume.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defect {
    Size,
    Mode,
    Attributes,
    Terminating,
    Labels,
    Class,
    AccessModes,
}

const DEFECTS: &[Defect] = &[
    Defect::Size,
    Defect::Mode,
    Defect::Attributes,
    Defect::Terminating,
    Defect::Labels,
    Defect::Class,
    Defect::AccessModes,
];

/// Mostly none or one, sometimes several.
pub(super) fn some_defects(random: &mut Random) -> Vec<Defect> {
    let number = random.weighted(&[(50, 0), (38, 1), (9, 2), (3, 3)]);
    (0..number).map(|_| random.pick(DEFECTS)).collect()
}

/// A free volume that fits the wish but for its defects.
pub(super) fn volume(
    random: &mut Random,
    case: &Case,
    wish: &Wish,
    name: &str,
    defects: &[Defect],
) -> Value {
    let has = |defect| defects.contains(&defect);
    let larger = wish.size.same_or_larger(random);
    let size = if has(Defect::Size) {
        wish.size.smaller(random)
    } else {
        larger
    };
    let mut volume = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": case.metadata(name),
        "spec": {
            "capacity": { "storage": size.spelling(random) },
            "accessModes": access_modes(random, wish, has(Defect::AccessModes)),
            "persistentVolumeReclaimPolicy": "Retain",
        },
    });
    let attributes = attributes_class(random, case, wish, has(Defect::Attributes));
    add_source(random, &mut volume, name, attributes);
    if wish.block != has(Defect::Mode) {
        volume["spec"]["volumeMode"] = json!("Block");
    }
    label(random, case, &mut volume, !has(Defect::Labels));
    let class = if has(Defect::Class) {
        wrong_class(random, case)
    } else {
        let preferred = random.chance(80);
        wish.classes[if preferred { 0 } else { wish.classes.len() - 1 }].clone()
    };
    name_class(random, case, &mut volume, &class);
    if has(Defect::Terminating) {
        set_fate(&mut volume, TERMINATES);
    }
    volume
}

fn access_modes(random: &mut Random, wish: &Wish, missing: bool) -> Vec<&'static str> {
    const PLAIN: [&str; 3] = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"];
    let exclusive = wish.modes.contains(&"ReadWriteOncePod");
    if missing {
        return match (exclusive, wish.modes.len()) {
            (true, _) => vec![random.pick(&PLAIN)],
            (false, 1) if random.chance(20) => vec!["ReadWriteOncePod"],
            (false, _) => {
                let mut others: Vec<_> = PLAIN
                    .into_iter()
                    .filter(|mode| *mode != wish.modes[0])
                    .collect();
                others.truncate(1 + random.below(2));
                others
            }
        };
    }
    let mut modes = wish.modes.clone();
    if wish.no_exact_modes && !exclusive {
        let others: Vec<_> = PLAIN
            .into_iter()
            .filter(|mode| !modes.contains(mode))
            .collect();
        modes.extend((!others.is_empty()).then(|| random.pick(&others)));
    } else if !exclusive {
        for mode in PLAIN {
            if random.chance(22) {
                modes.insert(random.below(modes.len() + 1), mode);
            }
        }
    }
    modes
}

fn attributes_class(random: &mut Random, case: &Case, wish: &Wish, wrong: bool) -> Option<String> {
    match (&wish.attributes, wrong) {
        (wanted, false) => wanted.clone(),
        (Some(_), true) if random.chance(50) => None,
        (_, true) => Some(format!("{}-silver", case.name)),
    }
}

/// Only volumes of CSI drivers may have an attributes class.
fn add_source(random: &mut Random, volume: &mut Value, name: &str, attributes: Option<String>) {
    let spec = &mut volume["spec"];
    let sort = if attributes.is_some() {
        0
    } else {
        random.below(6)
    };
    match sort {
        0 => spec["csi"] = json!({ "driver": "csi.example.com", "volumeHandle": name }),
        1 => spec["nfs"] = json!({ "server": "nfs.example.com", "path": format!("/{name}") }),
        2 => {
            spec["local"] = json!({ "path": format!("/nowhere/{name}") });
            let here =
                json!({ "key": "kubernetes.io/hostname", "operator": "In", "values": ["nowhere"] });
            // The controller does not ask for nodes: it binds what no pod can reach.
            spec["nodeAffinity"] =
                json!({ "required": { "nodeSelectorTerms": [{ "matchExpressions": [here] }] } });
        }
        _ => spec["hostPath"] = json!({ "path": format!("/nowhere/{name}") }),
    }
    if let Some(attributes) = attributes {
        spec["volumeAttributesClassName"] = json!(attributes);
    }
}

fn wrong_class(random: &mut Random, case: &Case) -> String {
    let other = format!("{}-slow", case.name);
    // No class at all is wrong only where the claim has one; where it has none, so be it.
    if random.chance(60) {
        other
    } else {
        String::new()
    }
}

fn name_class(random: &mut Random, case: &Case, volume: &mut Value, class: &str) {
    let annotate =
        |volume: &mut Value| volume["metadata"]["annotations"] = json!({ CLASS_ANNOTATION: class });
    match random.below(10) {
        0 => annotate(volume),
        1 => {
            annotate(volume);
            volume["spec"]["storageClassName"] = json!(format!("{}-ignored", case.name));
        }
        _ => volume["spec"]["storageClassName"] = json!(class),
    }
}
