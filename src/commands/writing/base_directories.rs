//! The cluster that a base directory belongs to. A plan that would change anything in a base directory of another cluster is
//! refused before it is shown; a run that writes brings the records of its volumes up to date. The writing commands call this
//! after they have read their lists: a directory that another run stamps meanwhile is then not refused.

use super::super::backend_answers::source_of;
use crate::actions::asset_work::AssetWork;
use crate::actions::plan::Plan;
use crate::cluster::Cluster;
use crate::conventions::annotations::RECYCLING;
use crate::conventions::shell::command;
use crate::engine::find_host;
use crate::error::CommandError;
use crate::model::{ClusterState, Host, Volume};
use crate::storage::backend::Place;
use crate::storage::{AssetName, Backend, Backends, BaseFacts, StatedVolume};

/// Whose a base directory is, seen from one cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ownership {
    Ours,
    /// No asset was ever created in it; the first one gives it to this cluster.
    New,
    /// Another cluster's, or of the older layout, which does not tell.
    Foreign,
    /// Nothing in it is what this cluster's volumes name.
    Unmounted,
}

/// Fails with `WrongCluster` if the plan would change a base directory that does not belong to this cluster.
pub(in crate::commands) fn check_base_directories(
    plan: &Plan,
    state: &ClusterState,
    backends: &Backends,
    cluster: &Cluster,
    host: Option<&Host>,
) -> Result<(), CommandError> {
    if !backends.iter().any(Backend::keeps_records) {
        return Ok(());
    }
    let run = cluster.run_facts()?;
    backends.work_for(&run);
    let works = plan.changes.iter().filter_map(|change| change.asset_work());
    let used: Vec<&str> = works.map(AssetWork::provisioner).collect();
    let is_used = |backend: &&Backend| used.contains(&backend.provisioner());
    for backend in backends.iter().filter(is_used) {
        check(backend, state, &run.cluster, host)?;
    }
    Ok(())
}

/// Why the assets of a backend cannot be judged for this cluster, as a clause; `None` if they can.
pub(in crate::commands) fn find_foreign_owner(
    backend: &Backend,
    state: &ClusterState,
    cluster: &str,
    host: Option<&Host>,
) -> Option<String> {
    let refused = check(backend, state, cluster, host).err()?;
    Some(refused.to_string())
}

/// Brings the records of all volumes up to date, where the base directory is this cluster's. A record that cannot be written
/// stays as it is: what it states is older, and nothing is deleted because of it.
pub(super) fn refresh_records(state: &ClusterState, backends: &Backends) {
    for backend in backends.iter().filter(|backend| backend.keeps_records()) {
        // While a volume is emptied, its policy is that of our lock.
        let is_locked = |volume: &&Volume| volume.has_annotation(RECYCLING);
        let volumes = state.volumes().iter().filter(|volume| !is_locked(volume));
        let stated: Vec<(AssetName, StatedVolume)> = volumes
            .filter_map(|volume| {
                let stated = StatedVolume {
                    policy: volume.reclaim_policy.to_string(),
                    size: volume.capacity.to_string(),
                    class: volume.class().to_owned(),
                    access_modes: volume.access_mode_names.clone(),
                    node: volume.only_node().map(str::to_owned),
                };
                Some((asset_of(backend, volume)?, stated))
            })
            .collect();
        let _ = backend.refresh(&stated);
    }
}

fn check(
    backend: &Backend,
    state: &ClusterState,
    cluster: &str,
    host: Option<&Host>,
) -> Result<(), CommandError> {
    let Some(facts) = backend.base_facts()? else {
        return Ok(());
    };
    let named = named_assets(backend, state, host);
    let exists = named.iter().any(|name| backend.has_asset(name));
    match judge(&facts, cluster, named.is_empty(), exists) {
        Ownership::Ours | Ownership::New => Ok(()),
        Ownership::Foreign => Err(wrong_cluster(&facts, cluster)),
        Ownership::Unmounted => Err(unmounted(&facts, named.len())),
    }
}

fn judge(facts: &BaseFacts, cluster: &str, is_unnamed: bool, some_exist: bool) -> Ownership {
    match &facts.stamp {
        Some(stamp) if stamp == cluster => Ownership::Ours,
        None if !facts.has_records && is_unnamed => Ownership::New,
        None if !facts.has_folder && !some_exist => Ownership::Unmounted,
        _ => Ownership::Foreign,
    }
}

/// The assets of the backend that volumes of this cluster name: of a directory of this machine, those that are not pinned to
/// another node.
fn named_assets(backend: &Backend, state: &ClusterState, host: Option<&Host>) -> Vec<AssetName> {
    let here = find_host(state, host);
    let may_be_here = |volume: &&Volume| match (&volume.node_affinity, here) {
        (Some(affinity), Some(node)) if backend.needs_node() => {
            affinity.matches_node(&node.labels, &node.name)
        }
        _ => true,
    };
    let volumes = state.volumes().iter().filter(may_be_here);
    volumes
        .filter_map(|volume| asset_of(backend, volume))
        .collect()
}

fn asset_of(backend: &Backend, volume: &Volume) -> Option<AssetName> {
    match backend.place(&source_of(volume)) {
        Place::Asset(name) => Some(name),
        _ => None,
    }
}

/// Why a directory cannot be taken over: it is not mounted.
pub(super) fn find_obstacle_to_take_over(
    backend: &Backend,
    facts: &BaseFacts,
    state: &ClusterState,
    host: Option<&Host>,
) -> Option<CommandError> {
    let named = named_assets(backend, state, host);
    let exists = named.iter().any(|name| backend.has_asset(name));
    let ownership = judge(facts, "", named.is_empty(), exists);
    (ownership == Ownership::Unmounted).then(|| unmounted(facts, named.len()))
}

fn wrong_cluster(facts: &BaseFacts, cluster: &str) -> CommandError {
    let path = facts.path.display().to_string();
    let owner = match &facts.stamp {
        Some(stamp) => format!("belongs to cluster {stamp}"),
        None => "does not state which cluster it belongs to".to_owned(),
    };
    let old = facts.stamp.as_deref().unwrap_or(NO_STAMP);
    let flag = command(&[&format!("--take-over-directory={path}={old}")]);
    CommandError::usage(format!(
        "WrongCluster: \"{path}\" {owner}, and this is cluster {cluster}; nothing was changed"
    ))
    .with_hints([
        "check the context; a directory is used by one cluster only".to_owned(),
        format!("to give it to this cluster, with all data in it: {flag}"),
    ])
}

fn unmounted(facts: &BaseFacts, named: usize) -> CommandError {
    CommandError::usage(format!(
        "WrongCluster: \"{}\" has none of the {named} assets that volumes of this cluster name: is the disk mounted?",
        facts.path.display()
    ))
}

/// What is written instead of a uid for a directory without a stamp.
pub(super) const NO_STAMP: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(stamp: Option<&str>, has_folder: bool, has_records: bool) -> BaseFacts {
        BaseFacts {
            path: "/srv/volumes".into(),
            stamp: stamp.map(str::to_owned),
            has_folder,
            has_records,
        }
    }

    #[test]
    fn a_directory_belongs_to_the_cluster_of_its_stamp() {
        for (has_records, is_unnamed, exists) in [(true, true, true), (false, false, false)] {
            let of = |stamp| facts(Some(stamp), true, has_records);
            let ours = judge(&of("one"), "one", is_unnamed, exists);
            assert_eq!(ours, Ownership::Ours);
            let theirs = judge(&of("other"), "one", is_unnamed, exists);
            assert_eq!(theirs, Ownership::Foreign);
            // An empty stamp is one that cannot be believed.
            assert_eq!(
                judge(&of(""), "one", is_unnamed, exists),
                Ownership::Foreign
            );
        }
    }

    #[test]
    fn a_directory_without_a_stamp_is_new_unmounted_or_of_the_older_layout() {
        let without = |has_folder, has_records, is_unnamed, exists| {
            let facts = facts(None, has_folder, has_records);
            judge(&facts, "one", is_unnamed, exists)
        };
        assert_eq!(without(false, false, true, false), Ownership::New);
        // The folder of a run that was killed before it wrote the stamp.
        assert_eq!(without(true, false, true, false), Ownership::New);
        assert_eq!(without(true, true, true, false), Ownership::Foreign);
        assert_eq!(without(false, false, false, true), Ownership::Foreign);
        assert_eq!(without(true, false, false, false), Ownership::Foreign);
        assert_eq!(without(false, false, false, false), Ownership::Unmounted);
    }
}
