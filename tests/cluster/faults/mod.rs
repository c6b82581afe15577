//! What goes wrong between our program and the API server, made to happen: a proxy that answers with
//! errors, breaks connections, lets somebody else write first or kills the program, at points a test
//! chooses. The API server behind it is the real one; the proxy's own tests have a small one of ours.
//!
//! Who does what: `proxy.rs` stands in between and asks a script (`script.rs`) about every request;
//! `chance.rs`, `gate.rs`, `kill_point.rs`, `meddlers.rs`, `signal_point.rs` and `slow_line.rs` are scripts; `subject.rs` is the program under test;
//! `kill_matrix.rs` kills it everywhere; `normal_form.rs` and `difference.rs` compare what is left, and
//! `consistency.rs` says whether it can stay so.

pub(crate) mod api;
pub(crate) mod chance;
pub(crate) mod consistency;
pub(crate) mod deadly_program;
pub(crate) mod difference;
pub(crate) mod gate;
pub(crate) mod kill_matrix;
pub(crate) mod kill_point;
mod log;
pub(crate) mod meddlers;
pub(crate) mod message;
pub(crate) mod normal_form;
pub(crate) mod place;
pub(crate) mod proxy;
mod proxy_tests;
mod real_server;
pub(crate) mod script;
pub(crate) mod signal_point;
pub(crate) mod slow_line;
pub(crate) mod subject;
pub(crate) mod told_before;
mod toy_server;
