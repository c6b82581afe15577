//! The one integration binary; it lists its modules.

mod cluster;
mod conformance;
mod seeds;
