//! `kubectl pv reclaim` against the real API server, with and without the real controller: what becomes of volumes in every state
//! their claims leave them in, and of the files behind them.

mod beside_controller;
mod faulty;
mod hindered;
mod killed;
mod killed_midway;
mod meddled;
mod meddler;
mod races;
mod scene;
mod states;
mod trial;
mod wish;
