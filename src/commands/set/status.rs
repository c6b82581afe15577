//! `set status`: how the pools stand, and what the next reconcile would do.

use super::super::backend_answers::plan_with;
use super::super::readable::check_listed;
use super::sets_asked;
use crate::actions::volume_set::{Foreseen, Outlook, SetQuestion, foresee};
use crate::engine::Rules;
use crate::engine::volume_set::serving::{Serving, serve};
use crate::engine::volume_set::{Levels, find_members};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{BackendFlags, ConnectionFlags, OutputFlags, SourceFlags};
use crate::load::Subject;
use crate::model::{ClusterState, Kind, VolumeSet};
use crate::render::write_sets;
use crate::report::{CountsAs, SetMember, Unknown, VolumeSetReport, VolumeSetStatus};
use crate::session::{ScopeAsked, Session};
use serde_json::Value;
use std::collections::BTreeSet;

/// Show pools of volumes: what they have, what they lack, and what the next reconcile would do
///
/// Of each set: how many volumes it has, unbound and bound; what `set reconcile` would do next, and why; and how many
/// pending claims its unbound volumes could serve. Nothing is changed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv set status
  kubectl pv set status fast --backend example.com/scratch=hostpath:/srv/volumes
  kubectl pv set status -f pools.yaml -f volumes.yaml -o json")]
pub(crate) struct Args {
    /// Sets by NAME or pvs/NAME [default: all]
    #[arg(value_name = "SET")]
    sets: Vec<String>,

    /// The node that directories made on this machine are of [default: the node that is this machine]
    #[arg(long, value_name = "NAME")]
    node: Option<String>,

    /// List everything, however long
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    backends: BackendFlags,

    #[command(flatten)]
    source: SourceFlags,

    #[command(flatten)]
    output: OutputFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let backends = args.backends.open_to_read(&session.environment, None)?;
    let subject = Subject::SetsAndAnything;
    let loaded = session.load(&args.source, connection, ScopeAsked::Widest, subject)?;
    let state = &loaded.state;
    let host = session.environment.host.clone();
    let sets = sets_asked(&args.sets, state)?;
    // Without its members the levels of a set are not known.
    check_listed(state, Kind::Volumes, None)?;
    let question = SetQuestion {
        sets,
        node: args.node.as_deref(),
        host: host.as_deref(),
        is_live: !state.is_from_files(),
        run: None,
        deletes: true,
        most: None,
        created: vec![],
    };
    let foreseen = plan_with(&backends, |facts| foresee(state, &question, facts));
    let report = report(state, &foreseen);
    let screen = session.screen(&args.output, args.all);
    write_sets(
        session.stdout,
        &report,
        !args.sets.is_empty(),
        Session::format(&args.output),
        &screen,
    )?;
    Ok(Exit::Yes)
}

fn report(state: &ClusterState, foreseen: &Foreseen) -> VolumeSetReport {
    let now = serve(state, Rules::default());
    let then = serve(&foreseen.state, Rules::default());
    let sets = foreseen.sets.iter().filter_map(|outlook| {
        let set = state.find_volume_set(&outlook.name)?;
        Some(status(state, set, foreseen, outlook, (&now, &then)))
    });
    let sets = sets.collect();
    let mut unknowns: Vec<Unknown> = foreseen.plan.unknowns.clone();
    for unknown in now.unknowns {
        if !unknowns.contains(&unknown) {
            unknowns.push(unknown);
        }
    }
    VolumeSetReport::new(sets, unknowns)
}

fn status(
    state: &ClusterState,
    set: &VolumeSet,
    foreseen: &Foreseen,
    outlook: &Outlook,
    (now, then): (&Serving, &Serving),
) -> VolumeSetStatus {
    let members = find_members(state, set);
    let levels = Levels::of(&members);
    let listed = members.iter().map(|member| SetMember {
        name: member.volume.name.clone(),
        phase: member.phase,
        capacity: member.volume.capacity.to_string(),
        counts_as: member.counts_as,
    });
    let errands = foreseen.plan.errands[outlook.errands.clone()].iter();
    let steps = errands.filter(|errand| !errand.deed.is_aside());
    VolumeSetStatus {
        name: set.name.clone(),
        minimum_replicas: set.minimum,
        maximum_replicas: set.maximum,
        total: levels.total,
        bound: levels.bound,
        unbound: levels.unbound,
        members: listed.collect(),
        next: changes(foreseen, outlook),
        next_told: steps
            .map(|errand| format!("{} is {}", errand.volume, errand.what))
            .collect(),
        can_serve: count(now, state, set),
        would_serve: count(then, &foreseen.state, set),
        findings: outlook.findings.clone(),
    }
}

/// How many claims the unbound members could serve.
fn count(serving: &Serving, state: &ClusterState, set: &VolumeSet) -> usize {
    let members = find_members(state, set);
    let unbound = members
        .iter()
        .filter(|member| member.counts_as == CountsAs::Unbound);
    let names: BTreeSet<&str> = unbound.map(|member| member.volume.name.as_str()).collect();
    serving.count(&names)
}

/// The changes for one set, as a plan of its own has them; that its status is written is no step.
fn changes(foreseen: &Foreseen, outlook: &Outlook) -> Vec<Value> {
    let plan = &foreseen.plan;
    let is_step = |index: &usize| {
        let errand = plan.errands.get(plan.changes[*index].errand);
        errand.is_some_and(|errand| !errand.deed.is_aside())
    };
    let steps: Vec<usize> = outlook.changes.clone().filter(is_step).collect();
    let spelled = steps.iter().map(|index| {
        let mut change = plan.changes[*index].clone();
        let place = |after: usize| steps.iter().position(|step| *step == after);
        change.after = change.after.and_then(place);
        serde_json::to_value(&change).unwrap_or_default()
    });
    spelled.collect()
}
