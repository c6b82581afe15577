//! Changes, first as data and then as requests. Planning is pure; only [`apply`] writes to the cluster.
//!
//! `plan.rs` holds what a change is, `draft.rs` collects changes while the state changes with them in memory, `bind.rs` and
//! its like decide, `on_files.rs` plays a plan on manifests and `apply.rs` on a cluster; `outcome.rs` says what came of it.

pub(crate) mod apply;
pub(crate) mod bind;
mod bind_writes;
mod draft;
mod give_back;
mod migration;
pub(crate) mod on_files;
pub(crate) mod outcome;
pub(crate) mod plan;
