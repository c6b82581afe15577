//! The proxy and what is built on it, in front of a server of ours: does each fault do exactly what it
//! says, and does the kill matrix find what it is made to find? These run without a cluster.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api::Api;
use super::chance::{Chance, Fault, refusal};
use super::gate::Gate;
use super::kill_matrix::{self, Scenario};
use super::log::End;
use super::message::Request;
use super::proxy::Proxy;
use super::script::{Action, After, Before, Counted, Delivery, Number, Pass, Script};
use super::toy_server::ToyServer;

fn put(address: SocketAddr, path: &str) -> std::io::Result<(u16, Value)> {
    Api::new(address).send("PUT", path, "application/json", &json!({ "put": path }))
}

fn get(address: SocketAddr, path: &str) -> std::io::Result<(u16, Value)> {
    Api::new(address).send("GET", path, "application/json", &Value::Null)
}

#[test]
fn requests_pass_and_are_numbered_and_noted() {
    let server = ToyServer::start();
    let proxy = Proxy::start(server.address, Pass);
    assert_eq!(get(proxy.address(), "/a?x=1").unwrap().0, 404);
    assert_eq!(
        put(proxy.address(), "/a").unwrap(),
        (200, json!({ "put": "/a" }))
    );
    assert_eq!(put(proxy.address(), "/b?dryRun=All").unwrap().0, 200);
    assert_eq!(put(proxy.address(), "/c").unwrap().0, 200);
    assert_eq!(
        proxy.show(),
        "  1: GET /a?x=1: Answered(404)\n  2 (write 1): PUT /a: Answered(200)\n  \
         3: PUT /b?dryRun=All: Answered(200)\n  4 (write 2): PUT /c: Answered(200)\n"
    );
    let kubeconfig = std::fs::read_to_string(proxy.kubeconfig()).unwrap();
    assert!(kubeconfig.contains(&format!("http://{}", proxy.address())));
}

#[test]
fn a_stream_is_passed_on_as_it_comes() {
    let server = ToyServer::start();
    let proxy = Proxy::start(server.address, Pass);
    let answer = get(proxy.address(), "/a?watch=true").unwrap();
    assert_eq!(answer, (200, json!("a\nb\n")));
}

#[test]
fn what_is_dropped_before_never_reaches_the_server_and_after_always_does() {
    let server = ToyServer::start();
    let before = Before(|_: Number, request: &Request| match request.path.as_str() {
        "/before" => Action::Drop,
        "/answered" => Action::Answer(refusal(503, "ServiceUnavailable")),
        _ => Action::Forward,
    });
    let after = After(
        |_: Number, request: &Request, _: &_| match request.path.as_str() {
            "/after" => Delivery::Drop,
            _ => Delivery::Deliver,
        },
    );
    let scripts: Vec<Arc<dyn Script>> = vec![Arc::new(before), Arc::new(after)];
    let proxy = Proxy::start(server.address, scripts);
    assert!(put(proxy.address(), "/before").is_err());
    assert!(put(proxy.address(), "/after").is_err());
    assert_eq!(put(proxy.address(), "/answered").unwrap().0, 503);
    assert_eq!(put(proxy.address(), "/passed").unwrap().0, 200);
    let things = server.things("/");
    let paths: Vec<&String> = things.as_object().unwrap().keys().collect();
    assert_eq!(paths, ["/after", "/passed"]);
    let ends: Vec<End> = proxy.log().iter().map(|entry| entry.end).collect();
    assert_eq!(
        ends,
        [
            End::DroppedBefore,
            End::DroppedAfter(200),
            End::Injected(503),
            End::Answered(200)
        ]
    );
}

#[test]
fn the_server_being_away_is_a_broken_connection() {
    let server = ToyServer::start();
    let address = server.address;
    let proxy = Proxy::start(address, Pass);
    drop(server);
    // The listener is gone a moment after its last client.
    let tries = (0..100).map(|_| put(proxy.address(), "/a"));
    assert!(tries.into_iter().any(|answer| answer.is_err()));
    assert_eq!(proxy.log().last().unwrap().end, End::Broken);
}

#[test]
fn faults_come_at_their_rate_each_kind_and_the_same_with_the_same_seed() {
    let faults = |seed| {
        let server = ToyServer::start();
        let chance = Arc::new(Chance::new(20, seed));
        let proxy = Proxy::start(server.address, Arc::clone(&chance));
        let mut acted = 0;
        for index in 0..300 {
            let path = format!("/{index}");
            let answer = put(proxy.address(), &path);
            acted += usize::from(matches!(answer, Ok((200, _))));
        }
        let counts = chance.counts();
        let count = |fault: Fault| counts.get(&fault).copied().unwrap_or_default();
        let unseen = count(Fault::DropAfter);
        let kept = server.things("/").as_object().unwrap().len();
        assert_eq!(
            kept,
            acted + unseen,
            "the server acts on what it is given, and on nothing else"
        );
        let failed: usize = counts.values().sum();
        assert_eq!(acted, 300 - failed + count(Fault::Delay));
        counts
    };
    let counts = faults(7);
    let total: usize = counts.values().sum();
    assert!((40..=80).contains(&total), "{counts:?}");
    assert_eq!(counts.len(), Fault::ALL.len(), "{counts:?}");
    assert_eq!(counts, faults(7));
    assert_ne!(counts, faults(8));
}

#[test]
fn reads_are_never_answered_with_a_conflict_and_429_says_when_to_come_back() {
    let server = ToyServer::start();
    let chance = Arc::new(Chance::new(100, 1));
    let proxy = Proxy::start(server.address, Arc::clone(&chance));
    let started = Instant::now();
    for _ in 0..60 {
        if let Ok((429, status)) = get(proxy.address(), "/a") {
            assert_eq!(status["details"]["retryAfterSeconds"], 1);
        }
    }
    let counts = chance.counts();
    assert_eq!(counts.get(&Fault::Conflict), None);
    assert!(counts[&Fault::TooManyRequests] > 0);
    assert_eq!(counts.values().sum::<usize>(), 60);
    let delays = u32::try_from(counts[&Fault::Delay]).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(100) * delays);
}

#[test]
fn writes_wait_at_the_gate_and_reads_do_not() {
    let server = ToyServer::start();
    let gate = Arc::new(Gate::default());
    let proxy = Proxy::start(server.address, Arc::clone(&gate));
    let address = proxy.address();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|index| scope.spawn(move || put(address, &format!("/{index}"))))
            .collect();
        assert_eq!(get(address, "/0").unwrap().0, 404, "nothing is written yet");
        assert_eq!(gate.wait_for(3, Duration::from_secs(60)), 3);
        assert_eq!(get(address, "/0").unwrap().0, 404, "nor now");
        gate.open();
        for writer in writers {
            assert_eq!(writer.join().unwrap().unwrap().0, 200);
        }
    });
    assert_eq!(put(address, "/late").unwrap().0, 200);
    assert_eq!(
        gate.wait_for(9, Duration::from_millis(10)),
        4,
        "no more come"
    );
}

#[test]
fn many_connections_at_once_lose_nothing() {
    let server = ToyServer::start();
    let proxy = Proxy::start(server.address, Pass);
    thread::scope(|scope| {
        for worker in 0..8 {
            let address = proxy.address();
            scope.spawn(move || {
                for index in 0..25 {
                    assert_eq!(put(address, &format!("/{worker}/{index}")).unwrap().0, 200);
                }
            });
        }
    });
    assert_eq!(server.things("/").as_object().unwrap().len(), 200);
    let numbers: Vec<usize> = proxy
        .log()
        .iter()
        .map(|entry| entry.number.of_all)
        .collect();
    assert_eq!(numbers, (1..=200).collect::<Vec<_>>());
}

/// A client in bash, so that it is a process that can be killed and needs nothing to be built.
const CLIENT: &str = r#"
send() { # method, path
    exec 3<>"/dev/tcp/127.0.0.1/$PORT" || exit 6
    printf '%s %s HTTP/1.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx' "$1" "$2" >&3
    read -r -u 3 _ status _ || exit 7
    exec 3<&- 3>&-
    [[ $status == 200 ]] || exit 8
}
"#;

/// Runs a script of `send`s in a folder of its own on the server.
struct Sends<'a> {
    server: &'a ToyServer,
    script: &'a str,
    next: AtomicUsize,
}

impl Scenario for Sends<'_> {
    type Place = String;

    fn set_up(&self) -> String {
        format!("/place-{}/", self.next.fetch_add(1, Ordering::SeqCst))
    }

    fn program(&self, place: &String, proxy: &Proxy) -> Command {
        let mut bash = Command::new("bash");
        bash.arg("-c")
            .arg(format!("{CLIENT}{}", self.script))
            .env("PORT", proxy.address().port().to_string())
            .env("PLACE", place);
        bash
    }

    fn end_state(&self, place: &String) -> Value {
        let things = self.server.things(place);
        let bodies = things.as_object().unwrap().iter();
        // A thing that was POSTed has a number that says nothing.
        let plain = |path: &String| {
            path[place.len()..]
                .trim_end_matches(char::is_numeric)
                .to_owned()
        };
        let mut names: Vec<String> = bodies.map(|(path, _)| plain(path)).collect();
        names.sort();
        json!(names)
    }

    fn clear(&self, _place: String) {}
}

fn matrix_of(script: &str, counted: Counted) -> kill_matrix::Report {
    let server = ToyServer::start();
    let sends = Sends {
        server: &server,
        script,
        next: AtomicUsize::new(0),
    };
    kill_matrix::run_at(server.address, &sends, counted, <[_]>::to_vec)
}

#[test]
fn the_kill_matrix_is_content_with_a_command_that_can_be_repeated() {
    let script = "send PUT ${PLACE}a; send GET ${PLACE}a; send PUT ${PLACE}b";
    let report = matrix_of(script, Counted::All);
    assert_eq!((report.requests, report.points), (3, 6));
    report.assert_clean();
    let report = matrix_of(script, Counted::Writes);
    assert_eq!((report.requests, report.points), (3, 4));
    report.assert_clean();
}

#[test]
fn the_kill_matrix_finds_a_command_that_makes_a_second_thing() {
    let report = matrix_of("send POST ${PLACE}thing; send PUT ${PLACE}b", Counted::All);
    assert_eq!(report.points, 4);
    // Only a kill before the first request has left nothing behind.
    let first_lines: Vec<&str> = report
        .failures
        .iter()
        .filter_map(|text| text.lines().next())
        .collect();
    assert_eq!(
        first_lines,
        ["Before request 2:", "After request 1:", "After request 2:"]
    );
    assert!(report.failures[0].contains(r#"≠ "thing/""#), "{report}");
}

#[test]
fn the_kill_matrix_finds_a_command_that_cannot_go_on() {
    // It refuses to begin when it sees traces of an earlier run.
    let script = "if (send GET ${PLACE}a); then exit 9; fi; send PUT ${PLACE}a; send PUT ${PLACE}b";
    let report = matrix_of(script, Counted::Writes);
    let failed = report.failures.join("\n");
    assert_eq!(report.failures.len(), 3, "{failed}");
    assert!(failed.contains("status: Some(9)"), "{failed}");
}
