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
