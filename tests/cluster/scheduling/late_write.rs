//! Conflicts in the scheduler's PreBind, caused on purpose: a proxy between the real scheduler and the
//! real API server holds one write of a volume back until the volume has changed. No answer is invented.
//! What a conflict means for predictions is in `conflicts.rs`.

use std::future::Future;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::attempts::await_attempts;
use super::batch::Batch;
use super::claims::{NO_PROVISIONER, claim, delayed_class, name_of};
use super::compare::{list as values, text};
use super::conflicts::Conflict;
use super::hold::Hold;
use super::judge::Course;
use super::nodes::Nodes;
use super::predict::Predictions;
use super::tally::Tally;
use super::volumes::volume;
use super::world::World;
use crate::cluster::agreement::case::CASE;
use crate::cluster::control_plane::{ControlPlane, runtime};
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::objects::{create_all, delete_all, list, patch};
use crate::cluster::running::Running;
use crate::random::Random;

const LIMIT: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(100);

/// One node, the volumes `v3` and `v5`, these claims with their sizes, and pods with their claims. The
/// scheduler tries the pods in this order, by their priorities.
fn batch(name: &str, claims: &[(&str, &str)], pods: &[(&str, &[&str])]) -> Batch {
    let mut nodes = Nodes::generate(&mut Random::new(1), name, 0);
    nodes.0.truncate(1);
    let mut world = World::new(format!("{name}-w"), name, "competition");
    world.competes = true;
    let class = delayed_class(&mut world, NO_PROVISIONER);
    for (suffix, size) in [("v3", "3Gi"), ("v5", "5Gi")] {
        let mut volume = volume(&world, &format!("{name}-w-{suffix}"), &class);
        volume["spec"]["capacity"]["storage"] = json!(size);
        volume["spec"]["hostPath"] = json!({ "path": "/nowhere" });
        world.settled.push(volume);
    }
    for (suffix, size) in claims {
        let mut claim = claim(&world, &format!("{name}-w-{suffix}"), &class);
        claim["spec"]["resources"]["requests"]["storage"] = json!(size);
        world.late.push(claim);
    }
    for (rank, (suffix, claims)) in pods.iter().enumerate() {
        for claim in *claims {
            world.mount_claim(&format!("{name}-w-{claim}"));
        }
        world.add_pod(&format!("{name}-w-{suffix}"));
        let pod = world.pods.last_mut().expect("just added");
        pod["spec"]["priorityClassName"] = json!(format!("{name}-{rank}"));
    }
    Batch {
        namespace: name.to_owned(),
        nodes,
        worlds: vec![world],
        has_default: false,
        bystanders: Vec::new(),
    }
}

async fn set_up(batch: &Batch, plane: &ControlPlane, client: &Client) {
    let name = &batch.namespace;
    let priority = |rank: usize| {
        json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
            "metadata": { "name": format!("{name}-{rank}"), "labels": { CASE: "all" } },
            "value": 100 - rank,
        })
    };
    create_all(client, (0..3).map(priority).collect()).await;
    batch.prepare(plane, client).await;
    batch.complete(client).await;
}

/// A scheduler behind the proxy, which tries every pod once; `meanwhile` runs while the write is held.
async fn run_behind(
    plane: &ControlPlane,
    client: &Client,
    proxy: &Proxy,
    hold: &Hold,
    meanwhile: impl Future<Output = ()>,
) -> Running {
    delete_all(client, "v1", "Event", "").await;
    let mut command = Command::new(plane.asset("kube-scheduler"));
    command.args(["--kubeconfig", proxy.kubeconfig()]).args([
        "--leader-elect=false",
        "--kube-api-qps=2000",
        "--kube-api-burst=4000",
        // It serves nothing: what it does is seen in the objects.
        "--secure-port=0",
    ]);
    let admin = plane.kubeconfig("admin");
    let folder = admin.parent().expect("a kubeconfig is in a folder");
    let scheduler = Running::start(command, "kube-scheduler-behind", folder);
    until("the write of the volume", async || hold.has_write()).await;
    meanwhile.await;
    hold.release();
    let conflict = format!("persistentvolumes \"{}\"", hold.volume());
    until("the conflict", async || {
        let events = list(client, "v1", "Event", None).await;
        events
            .iter()
            .any(|event| text(&event["message"]).contains(&conflict))
    })
    .await;
    await_attempts(client).await;
    scheduler
}

async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let started = Instant::now();
    while !is_so().await {
        assert!(started.elapsed() < LIMIT, "still waiting for {what}");
        sleep(PAUSE).await;
    }
}

/// The claim that the volume is reserved for, by its last name.
async fn owner(client: &Client, volume: &str) -> String {
    let volumes = list(client, "v1", "PersistentVolume", None).await;
    let found = volumes.iter().find(|other| name_of(other) == volume);
    let claim = found.map_or("", |volume| text(&volume["spec"]["claimRef"]["name"]));
    claim.rsplit('-').next().unwrap_or_default().to_owned()
}

/// The conflicts of each pod that had any, by the pod's name.
fn conflicts(course: &Course, batch: &Batch) -> Vec<(String, Vec<Conflict>)> {
    let pods = batch.worlds[0].pods.iter().map(|pod| {
        let pod = course.before.find(pod);
        let turn = course.first_turn(pod, &Value::Null).turn;
        (name_of(pod).to_owned(), turn.conflicts())
    });
    pods.filter(|(_, conflicts)| !conflicts.is_empty())
        .collect()
}

/// What `plan` says the claim may end with.
fn outcomes(plan: &Value, claim: &str) -> Vec<String> {
    let found = values(&plan["claims"]).find(|told| told["name"] == claim);
    let outcomes = values(&found.expect("a claim of the plan")["outcomes"]);
    outcomes.map(|volume| text(volume).to_owned()).collect()
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_pod_that_chooses_first_and_writes_last_is_explained() {
    let namespace = "late-write";
    let named = |suffix: &str| format!("{namespace}-w-{suffix}");
    let plane = ControlPlane::connect();
    runtime().block_on(async {
        let client = plane.client().await;
        // The state of the disagreement that was found on a busy machine.
        let batch = batch(
            namespace,
            &[("small", "1500M"), ("large", "2Gi"), ("own", "1Gi")],
            &[
                ("alone", &["large"]),
                ("both", &["small", "large"]),
                ("third", &["own"]),
            ],
        );
        set_up(&batch, &plane, &client).await;
        let plan = plane.kubectl_pv("admin", &["plan", "-n", namespace, "-o", "json"]);
        let plan = plan.json();
        let hold = Hold::of(&named("v3"));
        let upstream = Upstream::of(&plane);
        let proxy = Proxy::start(upstream.address, Arc::clone(&hold));
        // `alone` has chosen v3 and its write is held, until `both` has written v5 and v3.
        let both_writes = until("the writes of the second pod", async || {
            !owner(&client, &named("v3")).await.is_empty()
                && !owner(&client, &named("v5")).await.is_empty()
        });
        let turn = run_behind(&plane, &client, &proxy, &hold, both_writes);
        let course = Box::pin(Course::run(&plane, &client, turn)).await;
        let conflicts = conflicts(&course, &batch);
        let owners = [
            owner(&client, &named("v3")).await,
            owner(&client, &named("v5")).await,
        ];
        let found = course.judge(&batch.worlds[0], &mut Tally::default());
        let both = course.before.find(&batch.worlds[0].pods[1]);
        let of_both = course.predicted.of(both).to_string();
        batch.clear(&plane, &client).await;
        // `alone` had the conflict, and yet `both` and `third` got what is left after its choice.
        let expected = Conflict::Volume(named("v3"));
        assert_eq!(conflicts, [(named("alone"), vec![expected])]);
        assert_eq!(owners, ["large", "small"]);
        let texts: Vec<&str> = found.iter().map(|found| found.text.as_str()).collect();
        assert!(texts.is_empty(), "{}", texts.join("\n"));
        // Both commands knew this outcome before.
        assert!(
            outcomes(&plan, &named("small")).contains(&named("v5")),
            "{plan}"
        );
        assert!(
            outcomes(&plan, &named("large")).contains(&named("v3")),
            "{plan}"
        );
        let contended = format!(
            "{namespace}/{} and {namespace}/{} may take {} first",
            named("large"),
            named("own"),
            named("v3")
        );
        assert!(of_both.contains(&contended), "{of_both}");
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_conflict_with_another_writer_changes_no_choice() {
    let namespace = "other-writer";
    let named = |suffix: &str| format!("{namespace}-w-{suffix}");
    let plane = ControlPlane::connect();
    runtime().block_on(async {
        let client = plane.client().await;
        let batch = batch(
            namespace,
            &[("small", "1500M"), ("large", "2Gi")],
            &[("both", &["small", "large"])],
        );
        set_up(&batch, &plane, &client).await;
        let hold = Hold::of(&named("v5"));
        let upstream = Upstream::of(&plane);
        let proxy = Proxy::start(upstream.address, Arc::clone(&hold));
        let mut at_conflict = None;
        // v3 is written, the write of v5 is held, and another program annotates v5.
        let other_writes = async {
            let volumes = list(&client, "v1", "PersistentVolume", None).await;
            let v5 = volumes.iter().find(|volume| name_of(volume) == named("v5"));
            let annotated = json!({ "metadata": { "annotations": { "example.com/seen": "yes" } } });
            patch(&client, v5.expect("the volume"), &annotated).await;
            at_conflict = Some(Predictions::ask(&plane));
        };
        let turn = run_behind(&plane, &client, &proxy, &hold, other_writes);
        let course = Box::pin(Course::run(&plane, &client, turn)).await;
        let conflicts = conflicts(&course, &batch);
        let owners = [
            owner(&client, &named("v3")).await,
            owner(&client, &named("v5")).await,
        ];
        let pod = course.before.find(&batch.worlds[0].pods[0]);
        let at_conflict = at_conflict.expect("the write was held");
        let wrong: Vec<String> = [&course.predicted, &at_conflict]
            .into_iter()
            .flat_map(|predictions| {
                let first = course.first_turn(pod, predictions.of(pod));
                let mut wrong = first.disagreements();
                wrong.extend(first.landing(&course.finished));
                wrong
            })
            .collect();
        batch.clear(&plane, &client).await;
        let expected = Conflict::Volume(named("v5"));
        assert_eq!(conflicts, [(named("both"), vec![expected])]);
        assert_eq!(owners, ["small", "large"]);
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}
