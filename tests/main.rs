//! The one integration test binary; each module below is a file or a folder of tests.

mod cluster;
