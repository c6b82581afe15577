//! The seeds' own spelling of a volume (`persistentDisk`), read as their text shows it.

use super::wire::{Amount, VolumeSpec};
use crate::conventions::quantity::Quantity;

/// Reads a volume with `persistentDisk` as the seed prints it: a bare capacity below 1024 is Gi, and without access modes
/// it offers ReadWriteOnce. Says what it did; any other volume is left alone.
pub(super) fn modernise(name: &str, spec: &mut VolumeSpec) -> Vec<String> {
    if spec.persistent_disk.is_none() {
        return vec![];
    }
    let mut notes = vec![format!(
        "volume {name}: persistentDisk is read as gcePersistentDisk"
    )];
    let storage = spec
        .capacity
        .as_mut()
        .and_then(|capacity| capacity.get_mut("storage"));
    if let Some(Amount(Some(text))) = storage
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && Quantity::parse(text).is_ok_and(|quantity| quantity.ceil_units() < 1024)
    {
        notes.push(format!(
            "volume {name}: capacity {text} is read as {text}Gi, as the design document shows it"
        ));
        text.push_str("Gi");
    }
    if spec.access_modes.as_ref().is_none_or(Vec::is_empty) {
        notes.push(format!(
            "volume {name}: no access modes are read as ReadWriteOnce"
        ));
        spec.access_modes = Some(vec!["ReadWriteOnce".to_owned()]);
    }
    notes
}
