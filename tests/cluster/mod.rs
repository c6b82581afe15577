//! Tests against a real control plane, which `tests/run` builds, starts and stops. All are ignored
//! by name, so that a plain `cargo test` says that they have not run.

mod admission;
mod agreement;
mod being_deleted;
mod binding_done;
mod classes;
mod control_plane;
mod conversion;
mod faults;
mod hostile_user;
mod leftovers;
mod mixed_cluster;
mod needs_bind;
mod needs_cleanup;
mod needs_provision;
mod needs_reclaim;
mod needs_set;
mod objects;
mod obstacle;
mod options;
mod permissions;
mod plan;
mod plugin;
mod program;
mod protection;
mod report_check;
mod roles;
mod running;
pub(crate) mod scheduling;
mod smoke;
mod sources;
mod suggestions;
mod ties;
mod time_and_signals;
mod validation;
mod volumes;
mod whatif;
