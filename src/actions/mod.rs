//! Changes, first as data and then as requests. Planning is pure; only [`apply`] writes to the cluster.
//!
//! | what | where |
//! |---|---|
//! | what a change is | `plan.rs`, `asset_work.rs` |
//! | what a change concerns and replaces, for review | `details.rs` |
//! | changes collected, while the state changes with them in memory | `draft.rs` |
//! | what backends answered, and what is asked of them | `backend_facts.rs`, `inquiry.rs` |
//! | what is to be done for which claim or volume | `bind.rs`, `provision.rs`, `reclaim.rs`, `cleanup.rs`, `volume_set.rs` |
//! | how it is written | `bind_writes.rs`, `migration.rs`, `make_asset.rs`, `new_volume.rs`, `event.rs` |
//! | who of several watchers works | `lease.rs` |
//! | what must still be so when it is done | `look.rs` |
//! | how a volume goes with its asset | `delete_behind_lock.rs` |
//! | what empties a volume on the cluster | `recycler_pod.rs` |
//! | what is undone when a claim went elsewhere | `give_back.rs` (taken volumes), `take_back.rs` (made ones), `shared_asset.rs` |
//! | a plan played on manifests, or carried out on a cluster | `on_files.rs`, `apply.rs` |
//! | what came of it, for people and for the next plan | `outcome.rs`, `memory.rs` |

pub(crate) mod apply;
pub(crate) mod asset_check;
pub(crate) mod asset_work;
pub(crate) mod backend_facts;
pub(crate) mod bind;
mod bind_writes;
pub(crate) mod cleanup;
mod delete_behind_lock;
pub(crate) mod details;
mod draft;
mod event;
#[cfg(test)]
mod formats;
mod give_back;
mod inquiry;
pub(crate) mod lease;
mod make_asset;
pub(crate) mod memory;
mod migration;
mod new_volume;
pub(crate) mod on_files;
pub(crate) mod operation;
pub(crate) mod outcome;
pub(crate) mod plan;
pub(crate) mod provision;
pub(crate) mod recheck;
pub(crate) mod reclaim;
pub(crate) mod recycler_pod;
mod shared_asset;
mod take_back;
mod this_node;
pub(crate) mod volume_set;
