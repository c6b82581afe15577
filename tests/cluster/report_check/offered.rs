//! A volume that a backend provisioned, that was scrubbed and that the report calls Available can be bound by any claim: its
//! claimRef does not name the deleted claim.

use super::other_write::{OtherWrite, cover};
use super::reading::Reading;
use super::report::{Report, Row};

const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
const VOLUME: &str = "PersistentVolume";

pub(super) fn wrongs(report: &Report, after: &Reading, others: &[OtherWrite]) -> Vec<String> {
    let is_offer = |row: &&Row| {
        row.key.kind == VOLUME && row.is_made() && row.body["status"]["phase"] == "Available"
    };
    let offered = report.rows.iter().filter(is_offer);
    let reserved = offered.filter(|row| {
        let scrubbed = report.rows.iter().find(|other| {
            other.action == "ScrubAsset" && other.is_made() && other.key.name == row.key.name
        });
        let provisioner = scrubbed.map(|row| &row.body["provisioner"]);
        let volume = after.find(&row.key).zip(provisioner);
        volume.is_some_and(|(volume, provisioner)| {
            let by = &volume["metadata"]["annotations"][PROVISIONED_BY];
            by == provisioner && !volume["spec"]["claimRef"].is_null()
        })
    });
    let unexplained =
        reserved.filter(|row| !cover(others, VOLUME, &row.key.name, "/spec/claimRef"));
    unexplained
        .map(|row| format!("{}: {} is still reserved for a claim", row.name(), row.key))
        .collect()
}
