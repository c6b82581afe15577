//! What a writing command was not allowed to do, told at its end: each missing permission by its name, and the command with
//! which an administrator gives it. The roles are those of `deploy/rbac.yaml`.

use crate::actions::{bind, cleanup};
use crate::conventions::permission::Permission;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::render::safe;
use crate::report::join_and;
use crate::session::Session;
use std::collections::BTreeMap;

/// The role for reading; each writing command has one beside it.
const VIEW: &str = "kubectl-pv-view";
/// The role for pods that empty volumes, in the one namespace where they run.
const RECYCLE_BY_POD: &str = "kubectl-pv-recycle-by-pod";
/// The role that deletes recycler pods, in the one namespace where they run.
const RECYCLE: &str = "kubectl-pv-recycle";
const CLEANUP_VIEW: &str = "kubectl-pv-cleanup-view";
/// The role for the lease of watchers, in the one namespace where they meet.
const LEASE: &str = "kubectl-pv-set-reconcile-lease";

/// Adds to the end of a command what it was not allowed to do, as far as that is why it ended so.
pub(super) fn report_permissions(
    ended: Result<Exit, CommandError>,
    refused: &[Permission],
    command: &str,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let exit = match ended {
        Ok(exit) => exit,
        Err(error) if error.is_silent() => return Err(error),
        Err(error) => return Err(error.with_hints(hints(refused, command))),
    };
    let hints = match exit {
        // What could not be seen was not needed.
        Exit::Yes | Exit::Waiting | Exit::Usage => vec![],
        Exit::Unanswered => hints(refused, command),
        Exit::No | Exit::Unfinished => {
            let writes = refused.iter().filter(|refused| !is_of_view(refused));
            hints(&writes.cloned().collect::<Vec<_>>(), command)
        }
    };
    for hint in hints {
        writeln!(session.stderr, "hint: {}", safe(&hint))?;
    }
    Ok(exit)
}

/// Whether the role for reading has it.
fn is_of_view(refused: &Permission) -> bool {
    let is_own = is_second_look(refused) || is_of_recycler(refused) || is_of_lease(refused);
    refused.verb == "list" || (refused.verb == "get" && !is_own)
}

fn is_of_lease(refused: &Permission) -> bool {
    refused.resource == "leases"
}

/// Whether only the role for pods of our own that empty volumes has it.
fn is_of_recycler(refused: &Permission) -> bool {
    refused.resource == "pods" && ["create", "get", "patch"].contains(&refused.verb.as_str())
}

fn is_of_recycling(refused: &Permission) -> bool {
    (refused.resource.as_str(), refused.verb.as_str()) == ("pods", "delete")
}

/// One volume or one claim is read to see what became of a write. `bind` can do without: it lists them again.
fn is_second_look(refused: &Permission) -> bool {
    refused.verb == "get" && refused.resource.starts_with("persistentvolume")
}

/// One for each role that is missing.
pub(in crate::commands) fn hints(refused: &[Permission], command: &str) -> Vec<String> {
    let own = format!("kubectl-pv-{}", command.replace(' ', "-"));
    let view = match command {
        // It reads more, and less.
        cleanup::COMMAND => CLEANUP_VIEW,
        _ => VIEW,
    };
    let is_needed = |one: &&Permission| command != bind::COMMAND || !is_second_look(one);
    let refused = refused.iter().filter(is_needed);
    let (pods, others): (Vec<&Permission>, Vec<&Permission>) =
        refused.partition(|refused| is_of_recycler(refused));
    let (recycling, others): (Vec<&Permission>, Vec<&Permission>) = others
        .into_iter()
        .partition(|refused| is_of_recycling(refused));
    let (leases, others): (Vec<&Permission>, Vec<&Permission>) =
        others.into_iter().partition(|refused| is_of_lease(refused));
    let (reads, writes): (Vec<&Permission>, Vec<&Permission>) =
        others.into_iter().partition(|refused| is_of_view(refused));
    let roles = [
        (view, reads),
        (own.as_str(), writes),
        (RECYCLE, recycling),
        (RECYCLE_BY_POD, pods),
        (LEASE, leases),
    ];
    let hints = roles.iter().filter_map(|(role, missing)| {
        let first = missing.first()?;
        // One namespace is enough if everything is missing in that one alone.
        let namespace = first.namespace.as_deref();
        let namespace = namespace.filter(|name| {
            let is_there = |one: &&Permission| one.namespace.as_deref() == Some(name);
            missing.iter().all(is_there)
        });
        Some(format!(
            "you may not {}; an administrator allows it with: {}",
            spell(missing),
            first.binding_command(role, namespace)
        ))
    });
    hints.collect()
}

/// For people: `list nodes and pods cluster-wide, nor list events in namespace team`.
fn spell(missing: &[&Permission]) -> String {
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<String>> = BTreeMap::new();
    for one in missing {
        let place = (one.namespace.as_deref(), one.verb.as_str());
        groups
            .entry(place)
            .or_default()
            .push(one.qualified_resource());
    }
    let groups = groups.into_iter().map(|((namespace, verb), resources)| {
        let place = match namespace {
            Some(namespace) => format!(" in namespace {namespace}"),
            // Some of it may be seen in one namespace.
            None if verb == "list" => " cluster-wide".to_owned(),
            None => String::new(),
        };
        format!("{verb} {}{place}", join_and(&resources))
    });
    groups.collect::<Vec<_>>().join(", nor ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(verb: &str, resource: &str, namespace: Option<&str>) -> Permission {
        Permission {
            user: "jane".to_owned(),
            verb: verb.to_owned(),
            resource: resource.to_owned(),
            group: String::new(),
            namespace: namespace.map(str::to_owned),
        }
    }

    #[test]
    fn one_command_for_each_role() {
        let all = [
            refused("list", "nodes", None),
            refused("list", "persistentvolumes", None),
            refused("list", "pods", Some("team")),
            refused("patch", "persistentvolumeclaims", Some("team")),
        ];
        assert_eq!(
            hints(&all, "bind"),
            [
                "you may not list nodes and persistentvolumes cluster-wide, nor list pods in namespace team; an administrator allows it with: kubectl create clusterrolebinding kubectl-pv-view-jane --clusterrole=kubectl-pv-view --user=jane",
                "you may not patch persistentvolumeclaims in namespace team; an administrator allows it with: kubectl create rolebinding kubectl-pv-bind-jane --clusterrole=kubectl-pv-bind --user=jane -n team",
            ]
        );
        assert!(hints(&[], "bind").is_empty());
    }

    /// Never for the whole cluster: it would allow to delete any pod.
    #[test]
    fn recycler_pods_are_deleted_with_a_role_of_their_namespace() {
        let all = [refused("delete", "pods", Some("default"))];
        for command in ["reclaim", "cleanup"] {
            assert_eq!(
                hints(&all, command),
                [
                    "you may not delete pods in namespace default; an administrator allows it with: kubectl create rolebinding kubectl-pv-recycle-jane --clusterrole=kubectl-pv-recycle --user=jane -n default"
                ]
            );
        }
    }

    #[test]
    fn watchers_have_a_role_for_their_lease() {
        let all = [
            refused("get", "leases", Some("ops")),
            refused("patch", "persistentvolumesets/status", None),
            refused("get", "persistentvolumesets", None),
        ];
        assert_eq!(
            hints(&all, "set reconcile"),
            [
                "you may not get persistentvolumesets, nor patch persistentvolumesets/status; an administrator allows it with: kubectl create clusterrolebinding kubectl-pv-set-reconcile-jane --clusterrole=kubectl-pv-set-reconcile --user=jane",
                "you may not get leases in namespace ops; an administrator allows it with: kubectl create rolebinding kubectl-pv-set-reconcile-lease-jane --clusterrole=kubectl-pv-set-reconcile-lease --user=jane -n ops",
            ]
        );
    }

    #[test]
    fn a_second_look_is_in_the_role_of_provision_alone() {
        let look = [refused("get", "persistentvolumes", None)];
        assert!(hints(&look, "bind").is_empty());
        let hints = hints(&look, "provision");
        assert!(hints[0].contains("--clusterrole=kubectl-pv-provision"));
    }
}
