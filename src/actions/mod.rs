//! Changes, first as data and then as requests. Planning is pure; only [`apply`] writes to the cluster.
//!
//! `plan.rs` holds what a change is, `draft.rs` collects changes while the state changes with them in memory, `bind.rs` and
//! its like decide, `on_files.rs` plays a plan on manifests and `apply.rs` on a cluster; `outcome.rs` says what came of it.

pub(crate) mod apply;
pub(crate) mod asset_work;
pub(crate) mod bind;
mod bind_writes;
mod draft;
mod event;
mod give_back;
pub(crate) mod memory;
mod migration;
mod new_volume;
pub(crate) mod on_files;
pub(crate) mod outcome;
pub(crate) mod plan;
pub(crate) mod provision;
mod shared_asset;
mod take_back;
