//! `kubectl pv reclaim` against the real API server, with and without the real controller: what becomes of volumes in every state
//! their claims leave them in, and of the files behind them.

mod beside_controller;
mod beside_recycler;
mod by_pod;
mod deleted;
mod faulty;
mod given_back;
mod hindered;
mod host_path_deleter;
mod in_use;
pub(super) mod kept_late;
mod killed;
mod killed_midway;
mod left_alone;
mod locked_first;
mod meddled;
mod meddler;
mod moment;
mod policies;
mod races;
mod recreated;
mod recycled;
mod saved;
mod scene;
mod stage;
mod taken_late;
pub(super) mod trial;
mod two_runs;
mod unready;
mod wish;
