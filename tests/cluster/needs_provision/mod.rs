//! `kubectl pv provision` against the real API server: what the seed demands of it, and what becomes of
//! claims, volumes and assets while things go wrong. Written from the contract and the seed.

mod at_once;
mod data;
mod delegated;
mod distinct;
mod faulty;
mod judge;
mod killed;
mod killed_delegated;
mod killed_in_program;
mod left_alone;
mod meddled;
mod meddler;
mod nodes;
mod planted;
mod programs;
mod properties;
mod refused;
pub(super) mod scene;
mod secret;
mod shared;
mod strings;
mod two_machines;
pub(super) mod unready;
mod with_controller;
pub(super) mod workers;
pub(super) mod yard;
