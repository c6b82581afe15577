//! `kubectl pv set reconcile` against the real API server: what becomes of sets, volumes and assets while things go wrong.

mod faulty;
mod killed;
mod meddled;
mod meddler;
mod planted;
mod roles;
mod stage;
mod strings;
