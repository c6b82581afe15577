//! The list that a command is about was read. Without it the answer would be "none", which is not known. Lists that only
//! add to an answer are gaps of the report instead.

use crate::conventions::shell::command;
use crate::error::CommandError;
use crate::model::{ClusterState, Kind};

/// Fails, naming the permission, unless the objects of a kind were read in a namespace, or without one in all. Files that
/// hold none are read.
pub(super) fn check_listed(
    state: &ClusterState,
    kind: Kind,
    namespace: Option<&str>,
) -> Result<(), CommandError> {
    if state.is_from_files() || state.saw(kind, namespace) {
        return Ok(());
    }
    let resource = kind.resource();
    let mut words = vec!["kubectl", "auth", "can-i", "list", resource];
    let (place, hint) = match (kind.is_namespaced(), namespace) {
        (false, _) => (String::new(), "ask for the permission"),
        (true, Some(namespace)) => {
            words.extend(["-n", namespace]);
            let place = format!(" in namespace {namespace}");
            (place, "ask for the permission, or name another namespace")
        }
        (true, None) => {
            words.push("--all-namespaces");
            let place = " in all namespaces".to_owned();
            (place, "ask for the permission, or name a namespace with -n")
        }
    };
    let error = CommandError::unanswered(format!("you cannot list {resource}{place}"));
    Err(error.with_hints([format!("{hint}: {}", command(&words))]))
}
