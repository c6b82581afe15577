//! The one integration binary; it lists its modules.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails, and says where"
)]
#![expect(
    clippy::print_stdout,
    reason = "counts of what was tested are for people to read"
)]
#![expect(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "tests build texts, not speed"
)]

mod architecture;
mod backends;
mod bad_input;
mod bind;
mod catalogue;
mod cleanup;
mod cluster;
mod comparison;
mod completion;
mod conformance;
mod convert;
mod deploy;
mod describe_class;
mod docs;
mod explain;
mod explain_pod;
mod explain_volume;
mod foreign_text;
mod formats;
mod fuzz;
mod large_values;
mod long_lines;
mod mutated_files;
mod plan;
mod plan_exact;
mod printed_commands;
mod problems;
mod provision;
mod random;
mod reclaim;
mod recycler_pod;
mod review;
mod sample;
mod seeds;
mod set;
mod status;
mod support;
mod terminal;
mod untrusted_files;
mod upper_case;
mod validate;
mod volume_sets;
mod whatif;
