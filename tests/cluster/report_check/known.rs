//! False reports of the program that are known and not fixed yet. Each entry holds parts of the sentence that the check gives; a
//! fix removes its entry.

/// The parts of the sentence, and what is wrong with the program.
const KNOWN_FINDINGS: [(&[&str], &str); 3] = [
    (
        &["skipped ", " (OptOut): row ", "(Delete PersistentVolume "],
        "set reconcile: a member that gets the annotation keep after its asset was deleted stays Terminating behind our lock, with 0",
    ),
    (
        &[
            "skipped ",
            " (PolicyRetain): row ",
            "(Delete PersistentVolume ",
        ],
        "set reconcile: the same for a member that gets policy Retain",
    ),
    (
        &["/status/nextOrdinal of PersistentVolumeSet"],
        "set reconcile: a note whose answer was lost was written, and its row is dropped when the plan is made again",
    ),
];

pub(super) fn is_known(wrong: &str) -> bool {
    let mut findings = KNOWN_FINDINGS.iter();
    findings.any(|(parts, _)| parts.iter().all(|part| wrong.contains(part)))
}
