//! Namespaces that the command line names and that may not exist: a misspelt one selects nothing, or excludes nothing.

use crate::cluster::Cluster;
use crate::error::CommandError;
use crate::flags::{ConnectionFlags, SelectionFlags};
use crate::model::ClusterState;
use crate::render::safe;
use std::io::Write;

/// The namespaces of `-n` and `--exclude-namespace`.
pub(in crate::commands) fn named_namespaces(
    connection: &ConnectionFlags,
    selection: &SelectionFlags,
) -> Vec<String> {
    let own = connection.namespace().map(str::to_owned);
    let excluded = selection.exclude_namespace.iter().cloned();
    own.into_iter().chain(excluded).collect()
}

/// The first of these namespaces that does not exist, as a clause. One that cannot be read is a warning.
pub(in crate::commands) fn find_missing_namespace(
    names: &[String],
    state: &ClusterState,
    has_namespace: impl Fn(&str) -> Result<bool, CommandError>,
    stderr: &mut dyn Write,
) -> Result<Option<String>, CommandError> {
    for name in names.iter().filter(|name| !is_used(state, name)) {
        match has_namespace(name) {
            Ok(true) => {}
            Ok(false) => return Ok(Some(format!("namespace {name} does not exist"))),
            Err(error) => {
                let told = format!("it was not checked whether namespace {name} exists: {error}");
                writeln!(stderr, "Warning: {}", safe(&told))?;
            }
        }
    }
    Ok(None)
}

/// Whether anything that was read is in the namespace, or was.
fn is_used(state: &ClusterState, name: &str) -> bool {
    let mut claims = state.claims().iter();
    let mut volumes = state.volumes().iter();
    claims.any(|claim| claim.key.namespace == name)
        || volumes.any(|volume| volume.claim_namespace() == Some(name))
}

/// Asks the cluster.
pub(in crate::commands) fn ask_cluster(
    cluster: &Cluster,
) -> impl Fn(&str) -> Result<bool, CommandError> + '_ {
    |name| cluster.has_namespace(name)
}

/// Manifests name namespaces and do not list them.
pub(in crate::commands) fn not_in_files(_: &str) -> Result<bool, CommandError> {
    Err(CommandError::unanswered(
        "nothing in the input is in this namespace",
    ))
}
