//! The commands of `reclaim` that others suggest, spelled in one place.

use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::model::ReclaimPolicy;

/// Its policy is carried out.
pub(super) fn carry_out(volume: &str) -> CommandLine {
    spelled(volume, &[])
}

/// It is offered again, with its data.
pub(super) fn reuse(volume: &str) -> CommandLine {
    spelled(volume, &["--reuse"])
}

/// It is kept for one claim, with its data.
pub(super) fn reuse_for(volume: &str, claim: &ObjectKey) -> CommandLine {
    spelled(volume, &["--reuse", "--for", &claim.to_string()])
}

/// It gets another policy.
pub(super) fn set_policy(volume: &str, policy: &ReclaimPolicy) -> CommandLine {
    spelled(volume, &["--set-policy", &policy.to_string()])
}

fn spelled(volume: &str, more: &[&str]) -> CommandLine {
    let words: Vec<&str> = [&["kubectl", "pv", "reclaim", volume], more].concat();
    command(&words)
}
