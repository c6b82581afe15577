//! One file per subcommand: its flags and its `run`.

pub(crate) mod backend_answers;
pub(crate) mod bind;
pub(crate) mod cleanup;
pub(crate) mod complete;
pub(crate) mod completion;
pub(crate) mod convert;
pub(crate) mod describe_class;
pub(crate) mod explain;
pub(crate) mod plan;
pub(crate) mod provision;
mod readable;
pub(crate) mod reclaim;
mod served_here;
pub(crate) mod set;
pub(crate) mod status;
mod target;
pub(crate) mod validate;
pub(crate) mod version;
mod writing;
