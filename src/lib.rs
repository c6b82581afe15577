//! draft
pub mod conventions;
pub mod engine;
pub mod model;
pub mod report;
