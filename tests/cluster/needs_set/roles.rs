//! The roles of `set reconcile` and the manifests that are shipped for it: enough for one shot, `--watch` and `--dry-run`, and no rule
//! is superfluous: each is taken away in turn, some command ends otherwise, and says which permission it lacks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stage::{Ground, Stage, open};
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{After, Delivery, Pass, Script};
use crate::cluster::faults::subject::Subject;
use crate::cluster::faults::told_before::ToldBefore;
use crate::cluster::needs_cleanup::cron_jobs::delete_shipped;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::workers::for_all;
use crate::cluster::roles::account::{Accounts, Rule, VIEW, install, rules_of, wait_until};
use crate::support::{Ran, kubectl_pv};

const RECONCILE: &str = "kubectl-pv-set-reconcile";
const LEASE: &str = "kubectl-pv-set-reconcile-lease";
/// A watcher that hears of a change acts within this time; one that does not, not.
const SOON: Duration = Duration::from_secs(3);

/// What there is to be done, so that between them every rule is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Errand {
    Make,
    Delete,
    /// Nobody hears that the note was written.
    LoseNote,
    /// Nobody hears that the volume was made.
    LoseVolume,
    /// The events exist, with another message.
    ToldBefore,
}

const ERRANDS: [Errand; 5] = [
    Errand::Make,
    Errand::Delete,
    Errand::LoseNote,
    Errand::LoseVolume,
    Errand::ToldBefore,
];

/// The first answer to such a request is lost.
fn lose(is_it: fn(&Request) -> bool) -> impl Script {
    let is_lost = AtomicBool::new(false);
    After(move |_, request: &Request, _: &_| {
        if is_it(request) && !is_lost.swap(true, Ordering::SeqCst) {
            Delivery::Drop
        } else {
            Delivery::Deliver
        }
    })
}

impl Errand {
    /// Runs it as somebody: the end, and every change with its result.
    fn run(self, upstream: &Upstream, undisturbed: &Proxy, user: &str) -> (Value, Ran) {
        let size = if self == Self::Delete { 2 } else { 1 };
        let kind = Some(Kind::HostPath);
        let stage = Stage::create(upstream.api(), "role", kind, (size, size));
        if self == Self::Delete {
            stage.fill(undisturbed.kubeconfig());
            stage.resize(1, 1);
        }
        let proxy = match self {
            Self::LoseNote => Proxy::start(
                upstream.address,
                lose(|request| request.path.ends_with("/status") && request.method == "PATCH"),
            ),
            Self::LoseVolume => Proxy::start(
                upstream.address,
                lose(|request| {
                    request.path.ends_with("/persistentvolumes") && request.method == "POST"
                }),
            ),
            Self::ToldBefore => Proxy::start(upstream.address, ToldBefore(upstream.api())),
            _ => Proxy::start(upstream.address, Pass),
        };
        let arguments = ["--yes", "-o", "json", "--timeout", "3s", "--as", user];
        let ran = stage.ask(proxy.kubeconfig(), "reconcile", &arguments).ran();
        let done = json!({ "status": ran.status, "changes": changes(&ran),
            "assets": stage.yard.assets().len(), "members": stage.members().len() });
        stage.clear();
        (done, ran)
    }
}

fn changes(ran: &Ran) -> Vec<Value> {
    let outcome: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let changes = outcome["changes"].as_array().cloned().unwrap_or_default();
    let result =
        |change: &Value| json!([change["action"], change["target"]["kind"], change["result"]]);
    changes.iter().map(result).collect()
}

/// What a watcher is to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// The set asks for one more.
    MoreWanted,
    /// A member is kept for a claim.
    MemberTaken,
    /// There is a lease that nobody holds.
    LeaseFree,
}

/// Watches as somebody: how many members there are soon, how many soon after the news, and what was said.
fn watch(upstream: &Upstream, user: &str, news: News) -> (usize, usize, String) {
    let stage = Stage::create(upstream.api(), "watch", None, (1, 9));
    let proxy = Proxy::start(upstream.address, Pass);
    let namespace = stage.place.name.clone();
    if news == News::LeaseFree {
        let lease = json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": { "namespace": namespace, "name": RECONCILE }, "spec": {} });
        upstream.api().create(&lease);
    }
    let arguments = ["--watch", "--lease-namespace", &namespace, "--as", user];
    let run = stage.ask(proxy.kubeconfig(), "reconcile", &arguments);
    let subject = Subject::start(run.command());
    let soon = |wanted: usize| {
        let started = Instant::now();
        while stage.members().len() < wanted && started.elapsed() < SOON {
            thread::sleep(Duration::from_millis(100));
        }
        stage.members().len()
    };
    let first = soon(1);
    // Until it has nothing to do, and waits.
    thread::sleep(Duration::from_secs(1));
    match (news, stage.members().first()) {
        (News::MoreWanted, _) => stage.resize(2, 9),
        (News::MemberTaken, Some(member)) => {
            let claim = json!({ "namespace": namespace, "name": "rival" });
            let change = json!({ "spec": { "claimRef": claim } });
            upstream.api().patch(member, &change);
        }
        _ => {}
    }
    let second = if news == News::LeaseFree {
        first
    } else {
        soon(2)
    };
    subject.kill();
    let ended = subject.wait();
    stage.clear();
    (first, second, ended.stderr)
}

fn without(rules: &[Rule], number: usize) -> Vec<Rule> {
    let others = rules.iter().enumerate();
    let others = others.filter(|(index, _)| *index != number);
    others.map(|(_, rule)| rule.clone()).collect()
}

/// How a permission is named, and how it is given.
fn hint(role: &str, missing: &Rule) -> [String; 2] {
    let resource = &missing.resource;
    [
        format!("you may not {} {resource}", missing.verb),
        format!("--clusterrole={role} "),
    ]
}

struct Trial {
    /// They go while the way into the cluster is open.
    _accounts: Accounts,
    _cluster: Ground,
    upstream: Upstream,
    undisturbed: Proxy,
    own: Vec<Rule>,
    lease: Vec<Rule>,
}

impl Trial {
    /// The accounts `set-all`, and `set-own-N` and `set-lease-N`, which lack one rule each.
    fn open() -> Self {
        let (cluster, upstream) = open();
        install(&cluster);
        let (view, own) = (rules_of(&cluster, VIEW), rules_of(&cluster, RECONCILE));
        let lease = rules_of(&cluster, LEASE);
        let mut accounts = vec![("set-view".to_owned(), view.clone())];
        for number in 0..own.len() {
            let rules = [view.clone(), without(&own, number), lease.clone()].concat();
            accounts.push((format!("set-own-{number}"), rules));
        }
        for number in 0..lease.len() {
            let rules = [view.clone(), own.clone(), without(&lease, number)].concat();
            accounts.push((format!("set-lease-{number}"), rules));
        }
        let all = [view, own.clone(), lease.clone()].concat();
        accounts.push(("set-all".to_owned(), all));
        let accounts = Accounts::create(&cluster, upstream.api(), &accounts);
        let undisturbed = Proxy::start(upstream.address, Pass);
        Self {
            _cluster: cluster,
            upstream,
            undisturbed,
            own,
            lease,
            _accounts: accounts,
        }
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_rule_for_one_shot_is_missed_and_named() {
    let trial = Trial::open();
    let run = |errand: Errand, user: &str| errand.run(&trial.upstream, &trial.undisturbed, user);
    let with_all = ERRANDS.map(|errand| run(errand, "set-all"));
    for ((done, ran), errand) in with_all.iter().zip(ERRANDS) {
        assert_eq!(done["status"], 0, "{errand:?}: {done:#}\n{}", ran.stderr);
        assert_eq!(done["members"], 1, "{errand:?}: {done:#}");
        assert!(!ran.stderr.contains("may not"), "{}", ran.stderr);
    }
    let numbered: Vec<(usize, &Rule)> = trial.own.iter().enumerate().collect();
    let one_shot: Vec<&(usize, &Rule)> = numbered
        .iter()
        .filter(|(_, rule)| rule.verb != "watch")
        .collect();
    assert!(one_shot.len() >= 7, "{one_shot:?}");
    let problems = for_all(&one_shot, |&&(number, rule)| {
        let user = format!("set-own-{number}");
        let mut missed = Vec::new();
        for (errand, (done, _)) in ERRANDS.iter().zip(&with_all) {
            let (without, ran) = run(*errand, &user);
            if without != *done {
                missed.push((errand, ran, without));
            }
        }
        if missed.is_empty() {
            return Some(format!("nobody misses {rule:?}"));
        }
        // Whoever gets to the end all the same is told nothing.
        let unnamed = missed.iter().find(|(_, ran, _)| {
            let is_named = hint(RECONCILE, rule)
                .iter()
                .all(|part| ran.stderr.contains(part));
            !is_named && ran.status != 0
        });
        unnamed
            .map(|(errand, ran, _)| format!("{rule:?}, {errand:?}: {} {}", ran.status, ran.stderr))
    });
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn every_rule_for_watching_is_missed() {
    let trial = Trial::open();
    let news = [News::MoreWanted, News::MemberTaken];
    // One after the other: whatever happens in the cluster wakes every watcher.
    let with_all = news.map(|news| (news, watch(&trial.upstream, "set-all", news)));
    for (news, (first, second, said)) in with_all {
        assert_eq!((first, second), (1, 2), "{news:?}: {said}");
        assert!(!said.contains("may not"), "{said}");
    }
    let mut cases = Vec::new();
    for (number, rule) in trial.own.iter().enumerate() {
        if rule.verb == "watch" {
            let is_set = rule.resource == "persistentvolumesets";
            let news = if is_set {
                News::MoreWanted
            } else {
                News::MemberTaken
            };
            cases.push((format!("set-own-{number}"), rule, news));
        }
    }
    for (number, rule) in trial.lease.iter().enumerate() {
        let is_there = rule.verb == "patch";
        let news = if is_there {
            News::LeaseFree
        } else {
            News::MoreWanted
        };
        cases.push((format!("set-lease-{number}"), rule, news));
    }
    assert_eq!(cases.len(), 5, "{cases:?}");
    let try_without = |(user, rule, news): &(String, &Rule, News)| {
        let (first, second, said) = watch(&trial.upstream, user, *news);
        let is_lease = rule.resource == "leases";
        let is_missed = if is_lease { first == 0 } else { second == 1 };
        let mut named = hint(LEASE, rule).into_iter();
        let is_named = !is_lease || named.all(|part| said.contains(&part));
        (!is_missed || !is_named)
            .then(|| format!("{rule:?} is not missed: {first}, {second}: {said}"))
    };
    let (leases, watches): (Vec<_>, Vec<_>) = cases
        .iter()
        .partition(|(_, rule, _)| rule.resource == "leases");
    let mut problems: Vec<Option<String>> = watches.into_iter().map(try_without).collect();
    problems.extend(for_all(&leases, |case| try_without(case)));
    let problems: Vec<String> = problems.into_iter().flatten().collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn reading_sets_needs_the_role_for_reading_alone() {
    let trial = Trial::open();
    let stage = Stage::create(
        trial.upstream.api(),
        "reading",
        Some(Kind::HostPath),
        (1, 1),
    );
    let proxy = &trial.undisturbed;
    let before = stage.found_set();
    let status = stage.ask(
        proxy.kubeconfig(),
        "status",
        &["-o", "json", "--as", "set-view"],
    );
    let status = status.ran();
    assert_eq!(status.status, 0, "{}", status.stderr);
    assert!(!status.stdout.contains("forbidden"), "{}", status.stdout);
    let dry_run = ["--dry-run", "-o", "json", "--as", "set-view"];
    let planned = stage.ask(proxy.kubeconfig(), "reconcile", &dry_run).ran();
    assert_eq!(planned.status, 0, "{}", planned.stderr);
    assert!(planned.stdout.contains("CreateAsset"), "{}", planned.stdout);
    let refused = ["--yes", "-o", "json", "--as", "set-view"];
    let refused = stage.ask(proxy.kubeconfig(), "reconcile", &refused).ran();
    assert_eq!(refused.status, 4, "{}", refused.stderr);
    let told = "--clusterrole=kubectl-pv-set-reconcile --user=set-view";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    assert_eq!(stage.found_set(), before, "nothing is changed");
    assert!(stage.yard.assets().is_empty() && stage.members().is_empty());
    // Whoever may not even read hears of that role.
    let nothing = stage.ask(proxy.kubeconfig(), "status", &["--as", "set-nobody"]);
    let nothing = nothing.ran();
    assert_eq!(nothing.status, 3, "{}", nothing.stderr);
    assert!(
        nothing.stderr.contains("persistentvolumesets"),
        "{}",
        nothing.stderr
    );
    let nothing = ["--yes", "--as", "set-nobody"];
    let nothing = stage.ask(proxy.kubeconfig(), "reconcile", &nothing).ran();
    assert_eq!(nothing.status, 3, "{}", nothing.stderr);
    let told = "--clusterrole=kubectl-pv-view --user=set-nobody";
    assert!(nothing.stderr.contains(told), "{}", nothing.stderr);
    stage.clear();
}

fn shipped(name: &str) -> String {
    format!("{}/deploy/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The Deployment is taken, and its account, with its arguments, keeps the sample set.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn what_is_shipped_is_taken_and_does_what_it_is_for() {
    let (cluster, upstream) = open();
    install(&cluster);
    let manifest = shipped("set-reconcile.yaml");
    let samples = shipped("sample-sets.yaml");
    let checked = kubectl_pv(&["validate", "--offline", "-f", &samples, "-o", "json"]).json();
    assert_eq!(checked["findings"], json!([]), "{checked:#}");
    assert_eq!(checked["checked"], 3);
    for file in [&manifest, &samples] {
        let applied = cluster.kubectl(&["apply", "--validate=strict", "-f", file]);
        assert!(applied.status.success(), "{applied:?}");
    }
    let found = cluster.kubectl(&["get", "deployment", "-n", "kubectl-pv", "-o", "json"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("a Deployment");
    let pod = &found["items"][0]["spec"]["template"]["spec"];
    let arguments = pod["containers"][0]["args"].as_array().expect("arguments");
    let arguments: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
    assert!(!arguments.contains(&"--yes"), "{arguments:?}");
    // As it is shipped, but for the directory and the node, which are not here.
    let yard = crate::cluster::needs_provision::yard::Yard::new();
    let base = yard.base();
    let base = base.to_str().expect("a plain path");
    let here = |word: &&str| {
        word.replace("/srv/volumes", base)
            .replace("storage-1", super::stage::NODE)
    };
    let mut words: Vec<String> = arguments.iter().map(here).collect();
    words.push("--as=system:serviceaccount:kubectl-pv:set-reconcile".to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let subject = Subject::start(cluster.kubectl_pv("admin", &words).command());
    let members = |pool: &str| {
        let volumes = upstream.api().list("v1", "PersistentVolume", None);
        let is_member = |volume: &&Value| volume["metadata"]["labels"]["pool"] == pool;
        volumes.iter().filter(is_member).count()
    };
    wait_until("the pools are filled", || {
        members("scratch") == 3 && members("prepared") == 1
    });
    subject.kill();
    let ended = subject.wait();
    assert!(!ended.stderr.contains("may not"), "{ended:?}");
    assert_eq!(yard.assets(), ["scratch-0", "scratch-1", "scratch-2"]);
    for volume in upstream.api().list("v1", "PersistentVolume", None) {
        if volume["metadata"]["annotations"]["kubectl-pv.dev/set-uid"].is_string() {
            upstream.api().delete(&volume);
        }
    }
    for file in [&samples, &manifest] {
        delete_shipped(&cluster, file);
    }
}
