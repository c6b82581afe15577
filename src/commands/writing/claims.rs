//! The claims that a writing command is about: names on the command line, or every claim of the namespace.

use super::super::explain::not_found_among;
use super::super::readable::check_listed;
use super::super::target::{Target, parse};
use crate::actions::bind;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell;
use crate::error::CommandError;
use crate::load::{Scope, Subject};
use crate::model::{Claim, ClusterState, Kind, Origin};

/// The claims that were named, each once.
pub(in crate::commands) fn claim_names(
    words: &[String],
    all_namespaces: bool,
    command_name: &str,
) -> Result<Vec<String>, CommandError> {
    let only_claims = || {
        CommandError::usage("only claims can be named here, by NAME or pvc/NAME, of one namespace")
    };
    let mut names = Vec::new();
    for target in parse(words).map_err(|_| wrong_name(words, command_name, only_claims()))? {
        match target {
            Target::Claim(name) => names.push(name),
            Target::AllClaims => {}
            Target::Volume(volume) if command_name == bind::COMMAND => {
                let hint = shell::command(&["kubectl", "pv", "bind", "CLAIM", "--volume", &volume]);
                return Err(only_claims().with_hints([format!("for a volume: {hint}")]));
            }
            _ => return Err(only_claims()),
        }
    }
    names.sort();
    names.dedup();
    if !names.is_empty() && all_namespaces {
        return Err(
            CommandError::usage("a claim cannot be named across all namespaces")
                .with_hints(["leave out the names, or -A".to_owned()]),
        );
    }
    Ok(names)
}

/// `prod/data-0` is how claims are shown; to name one takes a flag.
fn wrong_name(words: &[String], command_name: &str, error: CommandError) -> CommandError {
    match words.iter().find_map(|word| word.split_once('/')) {
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            let meant = command(&["kubectl", "pv", command_name, name, "-n", namespace]);
            let hint = format!("for claim {name} in namespace {namespace}: {meant}");
            error.with_hints([hint])
        }
        _ => error,
    }
}

/// What a command about claims reads: one namespace, or all.
pub(in crate::commands) fn reads_of_claims(
    namespace: &str,
    all_namespaces: bool,
    subject: Subject<'static>,
) -> super::Reads {
    let scope = if all_namespaces {
        Scope::All
    } else {
        Scope::Namespace(namespace.to_owned())
    };
    super::Reads {
        scope,
        subject,
        or_own_namespace: false,
    }
}

/// The claims that a command is about: those named, or all of the namespace, or all.
pub(in crate::commands) fn claims_asked(
    names: &[String],
    state: &ClusterState,
    reach: Option<&str>,
) -> Result<Vec<ObjectKey>, CommandError> {
    check_listed(state, Kind::Claims, reach)?;
    let in_reach = |claim: &&Claim| {
        reach.is_none_or(|namespace| claim.key.namespace == namespace)
            && claim.origin == Origin::Object
    };
    let claims = || state.claims().iter().filter(in_reach);
    if names.is_empty() {
        return Ok(claims().map(|claim| claim.key.clone()).collect());
    }
    let mut keys = Vec::new();
    for name in names {
        let found: Vec<&Claim> = claims().filter(|claim| claim.key.name == *name).collect();
        match found[..] {
            [claim] => keys.push(claim.key.clone()),
            [] => {
                let wherein = reach.map_or(String::new(), |name| format!(" in namespace {name}"));
                let all = claims().map(|claim| claim.key.name.as_str());
                return Err(not_found_among("claim", name, &wherein, all));
            }
            _ => {
                let message = format!("claim \"{name}\" is in several namespaces");
                return Err(
                    CommandError::usage(message).with_hints(["say which with -n".to_owned()])
                );
            }
        }
    }
    Ok(keys)
}

/// A namespace without claims may be misspelt.
pub(in crate::commands) fn notice_of_none(
    claims: &[ObjectKey],
    reach: Option<&str>,
) -> Vec<String> {
    if !claims.is_empty() {
        return vec![];
    }
    let wherein = reach.map_or(String::new(), |name| format!(" in namespace {name}"));
    vec![format!("no claims found{wherein}")]
}

/// A node that does not exist is probably misspelt.
pub(in crate::commands) fn check_node(
    node: Option<&str>,
    state: &ClusterState,
) -> Result<(), CommandError> {
    match node {
        Some(node) if state.find_node(node).is_none() && state.saw(Kind::Nodes, None) => {
            let all = state.objects().nodes.iter().map(|node| node.name.as_str());
            Err(not_found_among("node", node, "", all))
        }
        _ => Ok(()),
    }
}
