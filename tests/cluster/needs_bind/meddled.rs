//! Somebody else writes just before each write of `bind`.

use serde_json::Value;

use super::{bind, unbound};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::consistency::contradictions;
use crate::cluster::faults::meddlers::{Meddled, Meddler, Meddling, at_every_write};
use crate::cluster::faults::place::Place;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::{Ended, Subject};

const TRUE_ENDS: [Option<i32>; 3] = [Some(0), Some(1), Some(4)];

fn judge(upstream: &Upstream, place: &Place, meddling: &Meddling, ended: &Ended) -> Vec<String> {
    let mut found = Vec::new();
    if !TRUE_ENDS.contains(&ended.status) {
        found.push("it ends as no command does that was disturbed".to_owned());
    }
    if ended.status == Some(0) {
        found.extend(contradictions(&place.storage()));
        found.extend(unbound_data(&place.storage()));
    }
    found.extend(trampled(place, meddling));
    // What this run did not finish the next one does.
    let proxy = Proxy::start(upstream.address, Pass);
    let site = place.site(&[]);
    let before = site.read();
    let again = Subject::start(bind(place, &proxy, &["data"])).wait();
    found.extend(site.false_report(&before, &again, &[]));
    if again.status != Some(0) {
        found.push(format!("run again: {again:?}"));
    }
    let storage = place.storage();
    found.extend(contradictions(&storage));
    found.extend(unbound_data(&storage));
    found.extend(trampled(place, meddling));
    found
}

/// The rival is bound only by a meddler.
fn unbound_data(objects: &[Value]) -> Vec<String> {
    let mut found = unbound(objects);
    found.retain(|claim| claim.starts_with("\"data\""));
    found
}

/// Is what the meddler did still there?
fn trampled(place: &Place, meddling: &Meddling) -> Vec<String> {
    let storage = place.storage();
    let named = |kind: &str, name: &str| {
        let is = |object: &&Value| object["kind"] == kind && object["metadata"]["name"] == name;
        storage.iter().find(is).cloned().unwrap_or_default()
    };
    let stays = match meddling.meddler() {
        _ if meddling.deed().is_err() => true,
        Meddler::Labels => storage
            .iter()
            .any(|object| object["metadata"]["labels"]["meddled"] == "yes"),
        Meddler::TakesVolume | Meddler::StealsVolume => {
            let volume = named("PersistentVolume", &format!("{}-wanted", place.name));
            let rival = named("PersistentVolumeClaim", "rival");
            volume["spec"]["claimRef"]["uid"] == rival["metadata"]["uid"]
                && rival["status"]["phase"] == "Bound"
        }
        Meddler::BindsClaimElsewhere => {
            let claim = named("PersistentVolumeClaim", "data");
            claim["spec"]["volumeName"] == format!("{}-spare", place.name)
        }
        Meddler::RecreatesClaim => true,
    };
    let lost = || format!("lost: {:?}", meddling.deed());
    (!stays).then(lost).into_iter().collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_meddler_at_every_write_of_bind() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let meddled = Meddled {
        upstream: upstream.address,
        what: "meddled",
        meddlers: &Meddler::ALL,
        set_up: &|_, _| {},
        program: &|place, proxy| bind(place, proxy, &["data"]),
        reports: true,
        judge: &|place, meddling, ended| judge(&upstream, place, meddling, ended),
    };
    let (acted, failures) = at_every_write(&meddled);
    println!("{acted} meddled binds, {} went wrong", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(acted >= 12, "a bind is four writes");
}

/// A volume taken by force is not taken back. What becomes of the claim, which may name it already and
/// cannot name another, is for the controller to say (R64).
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_stolen_volume_is_left_to_the_thief() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let meddled = Meddled {
        upstream: upstream.address,
        what: "stolen",
        meddlers: &[Meddler::StealsVolume],
        set_up: &|_, _| {},
        program: &|place, proxy| bind(place, proxy, &["data"]),
        reports: true,
        judge: &|place, meddling, _| trampled(place, meddling),
    };
    let (acted, failures) = at_every_write(&meddled);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(acted >= 4, "a bind is four writes");
}
