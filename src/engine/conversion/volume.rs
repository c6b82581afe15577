//! Volumes: `persistentDisk` with its bare capacity, and `class`.

use super::{Rewriting, claim};
use crate::conventions::quantity::Quantity;
use crate::model::manifest::{Content, Node};

const NO_FIELD: &str = "a volume has no field persistentDisk";

pub(super) fn rewrite(rewriting: &mut Rewriting) {
    claim::rename_class(rewriting, "spec");
    let in_seed_spelling = rename_disk(rewriting);
    spell_out_capacity(rewriting, in_seed_spelling);
    if in_seed_spelling {
        offer_a_mode(rewriting);
    }
}

fn rename_disk(rewriting: &mut Rewriting) -> bool {
    let field = "spec.persistentDisk";
    let place = rewriting.place_of(field);
    let Some(spec) = rewriting.at("spec") else {
        return false;
    };
    if spec.get("persistentDisk").is_none() {
        return false;
    }
    if spec.get("gcePersistentDisk").is_some() {
        spec.remove("persistentDisk");
        rewriting.dropped(
            field.to_owned(),
            place,
            "left out, as gcePersistentDisk is there already",
            NO_FIELD,
        );
        return true;
    }
    spec.remove("gcePersistentDisk");
    spec.rename("persistentDisk", "gcePersistentDisk");
    rewriting.dropped(
        field.to_owned(),
        place,
        "is now gcePersistentDisk",
        NO_FIELD,
    );
    true
}

/// A bare number is bytes, except where the design document printed what it meant.
fn spell_out_capacity(rewriting: &mut Rewriting, in_seed_spelling: bool) {
    let field = "spec.capacity.storage";
    let place = rewriting.place_of(field);
    let Some(capacity) = rewriting.at("spec.capacity") else {
        return;
    };
    let Some(storage) = capacity.get("storage") else {
        return;
    };
    let (digits, is_number) = match &storage.content {
        Content::Number(digits) => (digits.clone(), true),
        Content::Text(text) => (text.clone(), false),
        _ => return,
    };
    let is_gi = in_seed_spelling
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && Quantity::parse(&digits).is_ok_and(|quantity| quantity.ceil_units() < 1024);
    if !is_gi && !is_number {
        return;
    }
    let (now, why) = if is_gi {
        (format!("{digits}Gi"), "as the design document shows it")
    } else {
        (digits.clone(), "a bare number is bytes")
    };
    capacity.set("storage", Node::text(now.clone()));
    rewriting.cleared(
        field.to_owned(),
        place,
        format!("{digits} is now \"{now}\""),
        why,
    );
}

fn offer_a_mode(rewriting: &mut Rewriting) {
    let place = rewriting.place_of("spec.accessModes");
    let Some(spec) = rewriting.at("spec") else {
        return;
    };
    let has_modes = spec
        .get("accessModes")
        .is_some_and(|modes| !modes.items().is_empty());
    if has_modes {
        return;
    }
    let modes = vec![Node::text("ReadWriteOnce")];
    spec.set("accessModes", Node::new(Content::List(modes)));
    rewriting.cleared(
        "spec.accessModes".to_owned(),
        place,
        "is ReadWriteOnce, which every disk offers",
        "a volume must name its modes",
    );
}
