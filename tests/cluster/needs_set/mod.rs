//! `kubectl pv set` against the real API server and the real controller: pools that fill, refill and shrink, several at work at
//! once, and watchers over time.

mod at_once;
mod endurance;
mod levels;
mod members;
mod noted;
mod scene;
mod shrinking;
mod tenants;
mod watching;
