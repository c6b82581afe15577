//! `explain pod/NAME`: all claims of a pod together with the nodes.

use super::super::readable::check_listed;
use super::super::target::Target;
use super::{Args, Reach, aim, not_found_among};
use crate::conventions::object_ref::ObjectKey;
use crate::engine::{Explainer, explain_pod};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::ConnectionFlags;
use crate::load::{Loaded, Subject};
use crate::model::{ClusterState, Kind, Pod};
use crate::render::{Asked, write_pods};
use crate::session::{ScopeAsked, Session};

pub(super) fn run(
    args: &Args,
    targets: &[Target],
    scope: ScopeAsked,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let loaded = session.load(&args.source, connection, scope, Subject::Anything)?;
    let reach = Reach::of(args, connection, &loaded);
    let pods = select(&loaded, targets, &reach, args)?;
    check_node(&loaded.state, args.node.as_deref())?;
    let mut explainer = Explainer::new(&loaded.state, args.rules.unwrap_or_default());
    let mut explanations: Vec<_> = pods
        .into_iter()
        .map(|pod| explain_pod(&mut explainer, pod, args.node.as_deref()))
        .collect();
    for explanation in &mut explanations {
        let of_claims = explanation
            .claims
            .iter_mut()
            .flat_map(|claim| &mut claim.suggestions);
        for suggestion in explanation.suggestions.iter_mut().chain(of_claims) {
            suggestion
                .commands
                .iter_mut()
                .for_each(|command| aim(command, connection));
        }
    }
    if explanations.is_empty() {
        writeln!(
            session.stderr,
            "no pods that use claims {}",
            reach.spelled()
        )?;
    }
    let exit = Exit::worst(
        explanations
            .iter()
            .map(|explanation| Exit::of_pod(explanation.verdict)),
    );
    let asked = match targets {
        [Target::Pod(_)] => Asked::One,
        [Target::AllPods] => Asked::Filter,
        _ => Asked::Several,
    };
    let screen = session.screen(&args.output, args.all);
    write_pods(
        session.stdout,
        explanations,
        asked,
        Session::format(&args.output),
        &screen,
    )?;
    std::mem::forget(loaded);
    Ok(exit)
}

fn check_node(state: &ClusterState, node: Option<&str>) -> Result<(), CommandError> {
    let Some(node) =
        node.filter(|node| state.saw(Kind::Nodes, None) && state.find_node(node).is_none())
    else {
        return Ok(());
    };
    let names = state.objects().nodes.iter().map(|node| node.name.as_str());
    Err(not_found_among("node", node, "", names))
}

fn select<'a>(
    loaded: &'a Loaded,
    targets: &[Target],
    reach: &Reach,
    args: &Args,
) -> Result<Vec<&'a Pod>, CommandError> {
    let pods = &loaded.state.objects().pods;
    let in_reach = |pod: &&Pod| reach.contains(&pod.key.namespace);
    check_listed(&loaded.state, Kind::Pods, reach.namespace())?;
    let mut found: Vec<&Pod> = Vec::new();
    for target in targets {
        match target {
            Target::AllPods => found.extend(
                pods.iter()
                    .filter(in_reach)
                    .filter(|pod| !(pod.volumes.is_empty() && pod.disks.is_empty()))
                    .filter(|pod| !pod.is_terminated())
                    .filter(|pod| !args.pending || pod.node_name.is_none()),
            ),
            Target::Pod(name) => {
                let named: Vec<&Pod> = pods
                    .iter()
                    .filter(in_reach)
                    .filter(|pod| pod.key.name == *name)
                    .collect();
                match named[..] {
                    [pod] => found.push(pod),
                    [] => return Err(not_found(pods, name, reach)),
                    _ => {
                        return Err(CommandError::usage(format!(
                            "pod \"{name}\" is in several namespaces"
                        ))
                        .with_hints(["say which with -n".to_owned()]));
                    }
                }
            }
            _ => {
                return Err(
                    CommandError::usage("pods are explained by themselves".to_owned())
                        .with_hints(["ask about the claims in a run of its own".to_owned()]),
                );
            }
        }
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    found.dedup_by(|a, b| a.key == b.key);
    Ok(found)
}

fn not_found(pods: &[Pod], name: &str, reach: &Reach) -> CommandError {
    let wherein = match reach {
        Reach::Everywhere => " in the files".to_owned(),
        Reach::Namespace(namespace) => format!(" in namespace {namespace}"),
    };
    let keys: Vec<&ObjectKey> = pods
        .iter()
        .map(|pod| &pod.key)
        .filter(|key| reach.contains(&key.namespace))
        .collect();
    not_found_among(
        "pod",
        name,
        &wherein,
        keys.iter().map(|key| key.name.as_str()),
    )
}
