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
use crate::sample;
use crate::support::TemporaryFile;

/// The resync interval of a controller without flags.
const PERIOD: Duration = Duration::from_secs(15);
/// How long a resync may take.
const SLACK: Duration = Duration::from_secs(2);
const CLAIMS_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(100);
/// How often a machine may be too slow to add the volumes between two resyncs. Each attempt has more time than the last.
pub(super) const ATTEMPTS: u32 = 5;

/// A controller with a long resync interval, and since when it runs.
pub(super) struct Calm {
    pub(super) controller: Running,
    started: Instant,
    period: Duration,
}

impl Calm {
    /// For the attempt of this number, from 0.
    pub(super) fn start(plane: &ControlPlane, attempt: u32) -> Self {
        let period = PERIOD * (attempt + 1);
        let flag = format!("--pvclaimbinder-sync-period={}s", period.as_secs());
        let started = Instant::now();
        let controller = plane.start_controller_with(&[&flag]);
        Self {
            controller,
            started,
            period,
        }
    }

    /// No change for so long: the controller has synced everything at least once.
    pub(super) fn quiet(&self) -> Duration {
        self.period + SLACK
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
        self.started.elapsed() < self.period
    }

    /// Waits until the controller has looked at everything and is done.
    pub(super) async fn let_it_work(&self, client: &Client) {
        settle(client, self.quiet(), LIMIT).await;
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn volumes_added_later_go_where_was_allowed() {
    let seed = sample::seed_of("KUBECTL_PV_PLAN_SEED");
    let plane = ControlPlane::connect();
    let mut tally = Tally::default();
    runtime().block_on(async {
        let client = plane.client().await;
        for index in 0..ATTEMPTS {
            let name = format!("late-{index}");
            let batch = Batch::draw(!seed, &name, u64::from(index), WORLDS_PER_BATCH);
            batch.add_surroundings(&plane, &client).await;
            batch.add_claims(&client).await;
            let calm = Calm::start(&plane, index);
            calm.let_claims_wait(&client).await;
            let volumes = batch.new_volumes();
            let mut before = batch::snapshot(&client).await;
            before.extend(volumes.clone());
            let forecast = ask_with(&plane, &volumes, &[]);
            let was_in_time = calm.add(&client, volumes).await;
            calm.let_it_work(&client).await;
            provisioner::work(&client, calm.quiet(), LIMIT).await;
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
