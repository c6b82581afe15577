//! The clock of this machine differs from the API server's: ages come from the server, and `--older-than` changes nothing.

use std::net::SocketAddr;

use serde_json::Value;

use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::{Proxy, forward};
use crate::cluster::faults::script::{Action, Number, Script};
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_reclaim::trial::Trial;

/// The server as it looks to a machine whose clock differs by so many days.
struct Shifted {
    upstream: SocketAddr,
    /// Of the server, seen from here.
    ahead: bool,
}

impl Script for Shifted {
    fn before(&self, _: Number, request: &Request) -> Action {
        let Ok(mut answer) = forward(self.upstream, request) else {
            return Action::Drop;
        };
        let date = answer.headers.get("Date").expect("a date");
        let now = jiff::fmt::rfc2822::parse(date).expect("a date");
        let by = jiff::SignedDuration::from_hours(31 * 24 + 1);
        let by = if self.ahead { by } else { -by };
        let then = now.timestamp() + by;
        // RFC 9110, 5.6.7.
        let then = then.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        answer.headers.set("Date", &then);
        Action::Answer(answer)
    }
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn nothing_is_old_by_a_wrong_clock() {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    for ahead in [false, true] {
        let trial = Trial::create(upstream.api(), "clock", Kind::HostPath);
        trial.released("v", "Delete");
        let upstream = upstream.address;
        let proxy = Proxy::start(upstream, Shifted { upstream, ahead });
        let old = ["--older-than", "30d", "-o", "json"];
        let ran = trial.run(proxy.kubeconfig(), "cleanup", &old).ran();
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let side = if ahead { "behind" } else { "ahead of" };
        assert!(ran.stderr.contains(&format!("31 days {side}")), "{said}");
        assert!(trial.has_data("v"), "{said}");
        let found = trial.find("v").expect("it stays");
        assert!(found["metadata"]["deletionTimestamp"].is_null(), "{said}");
        let outcome: Value = serde_json::from_str(&ran.stdout).expect("an outcome");
        assert_eq!(outcome["warnings"][0]["code"], "ClockSkew", "{said}");
        if ahead {
            // By the server's clock it is old, and still nothing is changed.
            assert_eq!(ran.status, 3, "{said}");
            assert_eq!(outcome["skipped"][0]["code"], "ClockSkew", "{said}");
        }
        // Without an age the clocks do not matter.
        let ran = trial.run(proxy.kubeconfig(), "cleanup", &[]).ran();
        assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(!trial.has_data("v"));
        trial.clear();
    }
}
