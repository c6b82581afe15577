//! `explain pv/NAME`: whose a volume is, which claims could take it, and what becomes of it and its data.

use super::super::readable::check_listed;
use super::super::target::Target;
use super::{Args, aim, ended_here};
use crate::conventions::object_command::command;
use crate::conventions::object_ref::similar_names;
use crate::engine::VolumeExplainer;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::ConnectionFlags;
use crate::load::Subject;
use crate::model::{ClusterState, Kind, Volume, VolumePhase};
use crate::render::{Asked, MOST_LISTED, write_volumes};
use crate::session::{ScopeAsked, Session};
use crate::storage::Backends;

/// Explains the volumes among the targets; the caller has made sure that there is nothing else among them.
pub(super) fn run(
    args: &Args,
    targets: &[Target],
    backends: &Backends,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    // Claims of any namespace may take a volume; whoever may not see them all sees at least the own ones.
    let mut load = |scope| session.load(&args.source, connection, scope, Subject::Anything);
    let mut loaded = load(ScopeAsked::AllNamespaces)?;
    if !loaded.state.saw(Kind::Claims, None) {
        loaded = load(ScopeAsked::Namespace)?;
    }
    let asked = match targets {
        [Target::Volume(_)] => Asked::One,
        [Target::AllVolumes] => Asked::Filter,
        _ => Asked::Several,
    };
    let volumes = select(&loaded.state, targets, args, connection.namespace())?;
    let most = if args.all || asked == Asked::One {
        usize::MAX
    } else {
        MOST_LISTED
    };
    let mut explainer = VolumeExplainer::new(&loaded.state, args.rules.unwrap_or_default());
    let mut explanations = explainer.explain(&volumes, most);
    explanations.retain(|explanation| {
        !args.pending || explanation.volume.effective_phase != VolumePhase::Bound
    });
    if !backends.is_empty() {
        let host = session.environment.host.as_deref();
        let flags = args.backends.words();
        ended_here::tell(&mut explanations, &loaded.state, (backends, &flags), host);
    }
    let suggestions = explanations.iter_mut().flat_map(|it| &mut it.suggestions);
    suggestions
        .flat_map(|suggestion| &mut suggestion.commands)
        .for_each(|command| aim(command, connection));
    if explanations.is_empty() {
        writeln!(session.stderr, "no volumes found")?;
    }
    let screen = session.screen(&args.output, args.all);
    let format = Session::format(&args.output);
    write_volumes(session.stdout, explanations, asked, format, &screen)?;
    // The process ends here: returning the memory of a large state piece by piece would only take time.
    std::mem::forget(loaded);
    Ok(Exit::Yes)
}

fn select<'a>(
    state: &'a ClusterState,
    targets: &[Target],
    args: &Args,
    namespace: Option<&str>,
) -> Result<Vec<&'a Volume>, CommandError> {
    check_listed(state, Kind::Volumes, None)?;
    let mut volumes: Vec<&Volume> = Vec::new();
    for target in targets {
        match target {
            Target::Volume(name) => volumes.push(find(state, name)?),
            _ => volumes.extend(state.volumes().iter().filter(|it| is_of(it, namespace))),
        }
    }
    volumes.sort_by(|a, b| a.name.cmp(&b.name));
    volumes.dedup_by(|a, b| a.name == b.name);
    let selector = args.selector.as_ref();
    volumes.retain(|volume| {
        selector.is_none_or(|selector| selector.matches(&volume.labels))
            && args.class.as_ref().is_none_or(|it| it == volume.class())
    });
    Ok(volumes)
}

/// Volumes live in no namespace; with `-n` those are meant that belong to its claims.
fn is_of(volume: &Volume, namespace: Option<&str>) -> bool {
    let reference = volume.claim_ref.as_ref();
    namespace.is_none_or(|own| reference.is_some_and(|it| it.namespace == own))
}

fn find<'a>(state: &'a ClusterState, name: &str) -> Result<&'a Volume, CommandError> {
    if let Some(volume) = state.find_volume(name) {
        return Ok(volume);
    }
    let names = state.volumes().iter().map(|volume| volume.name.as_str());
    let near = similar_names(name, names);
    let hint = near.first().map(|nearest| {
        let target = format!("pv/{nearest}");
        let again = command(&["kubectl", "pv", "explain", &target]);
        format!("did you mean {}? ({again})", near.join(" or "))
    });
    Err(CommandError::unanswered(format!("volume \"{name}\" not found")).with_hints(hint))
}
