//! `reclaim --all-released` while somebody else takes the same volumes for live claims and lets go of them, honouring versions as
//! every client should: no volume that a live claim owns is deleted, emptied or unreserved.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use serde_json::{Value, json};

use super::scene::Scene;
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::{Api, Upstream};

const ROUNDS: usize = 200;

/// Takes the volume for the claim, if nobody wrote since we looked and nobody deletes it; says whether it is the claim's.
fn take(api: &Api, volume: &Value, claim: &Value) -> bool {
    let Some(found) = api.find(volume) else {
        return false;
    };
    if found["metadata"]["deletionTimestamp"].is_string() {
        return false;
    }
    let change = json!({
        "metadata": { "uid": found["metadata"]["uid"], "resourceVersion": found["metadata"]["resourceVersion"] },
        "spec": { "claimRef": { "namespace": claim["metadata"]["namespace"],
            "name": claim["metadata"]["name"], "uid": claim["metadata"]["uid"] } },
    });
    matches!(api.try_patch(volume, &change), Ok((200, _)))
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_that_a_live_claim_owns_is_touched() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::start(&cluster);
    let scene = Scene::create(&cluster, upstream.api(), "race");
    let (api, class) = (scene.api, scene.place.name.clone());
    let is_over = AtomicBool::new(false);
    let (mut taken, mut lost) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let ran = scene.reclaim(&["--all-released", "--class", &class]);
                assert!([0, 4].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
            }
        });
        let rounds = (0..ROUNDS).try_for_each(|round| {
            let name = &format!("v{round}");
            let volume = scene.released(name, "Delete");
            let claim = api.create(&scene.place.claim(&format!("live-{round}"), "1Gi"));
            // Before, while and after the other one decides.
            let pause = u64::try_from(round % 12).expect("a small number");
            sleep(Duration::from_millis(8 * pause));
            if !take(&api, &volume, &claim) {
                lost += 1;
                api.delete(&claim);
                return Ok(());
            }
            taken += 1;
            // It is ours now, and whatever we write into it stays.
            fs::write(scene.directory(name).join("file"), format!("of {round}"))
                .map_err(|error| format!("round {round}: {error}"))?;
            sleep(Duration::from_millis(40));
            let text = fs::read_to_string(scene.directory(name).join("file"));
            let found = api.find(&volume).unwrap_or_default();
            let is_kept = text.is_ok_and(|text| text == format!("of {round}"))
                && found["metadata"]["deletionTimestamp"].is_null()
                && found["spec"]["claimRef"]["uid"] == claim["metadata"]["uid"];
            api.delete(&claim);
            if is_kept {
                return Ok(());
            }
            Err(format!("round {round}: {name} was {claim}'s: {found}"))
        });
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(rounds, Ok(()));
    });
    println!("{ROUNDS} rounds: {taken} taken, {lost} lost to reclaim");
    assert!(taken > 0);
    scene.clear();
}
