//! Cases that are easy to get wrong.
