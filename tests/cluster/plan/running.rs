//! Volumes that are added while the controller runs and all claims wait. Nothing wakes the claims;
//! they find the volumes when the controller next looks at everything, in an order left to chance.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::Value;
use tokio::time::sleep;

use super::batch::{self, Batch};
use super::judge::{Judgement, Tally};
use super::{LIMIT, WORLDS_PER_BATCH, ask_for_json, provisioner, say};
use crate::cluster::control_plane::{ControlPlane, runtime};
use crate::cluster::objects::{create_all, list, settle};
use crate::cluster::running::Running;
use crate::plan_exact::forecast::Forecast;
use crate::plan_exact::number;
use crate::support::TemporaryFile;

/// As in every cluster that is not told otherwise.
const PERIOD: Duration = Duration::from_secs(15);
/// So long that the controller has looked at everything at least once.
const QUIET: Duration = Duration::from_secs(17);
const CLAIMS_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);
/// How often a machine may be too slow to add the volumes between two looks.
const ATTEMPTS: u64 = 5;

/// A controller that looks at everything as often as usual, since when it runs, and whether it has
/// looked again.
pub(super) struct Calm {
    pub(super) controller: Running,
    started: Instant,
}

impl Calm {
    pub(super) fn start(plane: &ControlPlane) -> Self {
        let period = format!("--pvclaimbinder-sync-period={}s", PERIOD.as_secs());
        let started = Instant::now();
        let controller = plane.start_controller_with(&[&period]);
        Self {
            controller,
            started,
        }
    }

    /// Waits until the claims that exist have had their turn.
    pub(super) async fn let_claims_wait(&self, client: &Client) {
        settle(client, CLAIMS_WAIT, LIMIT).await;
    }

    /// Adds volumes and waits for their phases. Whether all were there before the next look.
    pub(super) async fn add(&self, client: &Client, volumes: Vec<Value>) -> bool {
        let added = create_all(client, volumes).await;
        let uids: BTreeSet<&str> = added.iter().filter_map(uid).collect();
        // What the controller itself has made for a claim that cannot take it stays Pending.
        let is_new = |volume: &Value| {
            volume["status"]["phase"] == "Pending"
                && uid(volume).is_some_and(|uid| uids.contains(uid))
        };
        while list(client, "v1", "PersistentVolume", None)
            .await
            .iter()
            .any(is_new)
        {
            assert!(self.started.elapsed() < LIMIT, "volumes stay Pending");
            sleep(PAUSE).await;
        }
        self.started.elapsed() < PERIOD
    }

    /// Waits until the controller has looked at everything and is done.
    pub(super) async fn let_it_work(&self, client: &Client) {
        settle(client, QUIET, LIMIT).await;
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn volumes_added_later_go_where_was_allowed() {
    let seed = number("KUBECTL_PV_PLAN_SEED", 1);
    let plane = ControlPlane::connect();
    let mut tally = Tally::default();
    runtime().block_on(async {
        let client = plane.client().await;
        for index in 0..ATTEMPTS {
            let batch = Batch::draw(!seed, &format!("late-{index}"), index, WORLDS_PER_BATCH);
            batch.add_surroundings(&plane, &client).await;
            batch.add_claims(&client).await;
            let calm = Calm::start(&plane);
            calm.let_claims_wait(&client).await;
            let volumes = batch.new_volumes();
            let mut before = batch::snapshot(&client).await;
            before.extend(volumes.clone());
            let forecast = ask_with(&plane, &volumes, &[]);
            let was_in_time = calm.add(&client, volumes).await;
            calm.let_it_work(&client).await;
            provisioner::work(&client, QUIET, LIMIT).await;
            let after = batch::snapshot(&client).await;
            if was_in_time {
                let forecast = Forecast::read(&forecast);
                Judgement::new(&before, &after, &forecast).add_to(&mut tally, &batch.worlds());
            }
            batch.clear(&plane, &client, calm.controller).await;
            say(&format!("plan --with, seed {seed}: {tally}"));
            if tally.claims > 0 {
                break;
            }
        }
    });
    assert!(
        tally.claims > 0,
        "this machine is too slow to add volumes between two looks"
    );
    tally.assert_agreement(seed);
}

/// What the program forecasts if these volumes were there too.
pub(super) fn ask_with(plane: &ControlPlane, volumes: &[Value], more: &[&str]) -> Value {
    let list = serde_json::json!({ "apiVersion": "v1", "kind": "List", "items": volumes });
    let file = TemporaryFile::new("volumes.json", &list.to_string());
    let mut question = vec!["plan", "-A", "-o", "json", "--with", file.path()];
    question.extend(more);
    ask_for_json(plane, &question)
}

fn uid(object: &Value) -> Option<&str> {
    object["metadata"]["uid"].as_str()
}
