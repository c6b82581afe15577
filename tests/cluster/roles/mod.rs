//! The roles of `deploy/` on the real API server: each is enough for its commands, none has a rule that nobody misses, and
//! whoever has too little is told what is missing.

pub(crate) mod account;
mod enough;
mod errand;
mod needed;
mod newer;
mod one_namespace;
mod readme;
mod scene;
