//! `kubectl pv cleanup --yes` against the real API server: what goes, what stays, on disk as in the cluster; what is refused when
//! a list is forbidden; what happens when it is killed, and when a pod comes in between.

mod acting;
mod clocks;
pub(super) mod cron_jobs;
mod forbidden;
mod interleaved;
mod killed;
mod other_cluster;
mod pod_security;
mod provisioned;
mod recreated;
mod retained;
mod roles;
mod scene;
mod three_ways;
