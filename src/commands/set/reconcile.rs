//! `set reconcile`: brings pools of volumes to what they ask for, once or continuously.

use super::super::backend_answers::plan_with;
use super::super::writing::claims::check_node;
use super::super::writing::{self, Reads, RunContext, WritingCommand, WritingFlags};
use super::{sets_asked, watch};
use crate::actions::memory::Memory;
use crate::actions::plan::Plan;
use crate::actions::volume_set::failures::plan_failures;
use crate::actions::volume_set::{COMMAND, SetQuestion, plan_again};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, ServingFlags};
use crate::load::{Scope, Subject};
use crate::model::ClusterState;
use crate::session::Session;
use crate::storage::Backends;

/// Bring pools of volumes to what they ask for: make what is missing, delete what is too much
///
/// Makes volumes while fewer than `minimumReplicas` are unbound and fewer than `maximumReplicas` are there at all; deletes
/// the largest unbound one while there are more than that: only what a backend of this machine made, with policy Delete
/// and nothing in it. Bound, released and reserved volumes are never touched. Where a template names no backend, objects
/// are made from it alone and nothing is ever deleted.
/// With -f the objects are printed as they would be afterwards, and nothing is touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv set reconcile --dry-run
  kubectl pv set reconcile fast --backend example.com/scratch=hostpath:/srv/volumes
  kubectl pv set reconcile --watch --backends /etc/kubectl-pv/backends.yaml
  kubectl pv set reconcile -f pools.yaml -f volumes.yaml")]
pub(crate) struct Args {
    /// Sets by NAME or pvs/NAME [default: all]
    #[arg(value_name = "SET")]
    pub(super) sets: Vec<String>,

    /// Go on for ever, whenever something changes; makes volumes without asking, and deletes only with --yes
    #[arg(long, conflicts_with_all = ["filename", "dry_run", "save"])]
    pub(super) watch: bool,

    /// Where watchers meet, so that only one works at a time
    #[arg(
        long,
        value_name = "NAME",
        default_value = "kube-system",
        requires = "watch",
        conflicts_with = "filename"
    )]
    pub(super) lease_namespace: String,

    /// The node that directories made on this machine are of [default: the node that is this machine]
    #[arg(long, value_name = "NAME")]
    pub(super) node: Option<String>,

    #[command(flatten)]
    pub(super) serving: ServingFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let reconcile = Reconcile { args, connection };
    if args.watch && args.serving.take_over.directory().is_none() {
        return watch::run(&reconcile, session);
    }
    writing::run(&reconcile, session)
}

pub(super) struct Reconcile<'a> {
    pub(super) args: &'a Args,
    pub(super) connection: &'a ConnectionFlags,
}

impl WritingCommand for Reconcile<'_> {
    type Question<'a>
        = SetQuestion<'a>
    where
        Self: 'a;

    fn name(&self) -> &'static str {
        COMMAND
    }

    fn flags(&self) -> WritingFlags<'_> {
        WritingFlags::of(&self.args.serving, self.connection)
    }

    fn reads(&self, _: &str) -> Reads {
        Reads {
            scope: Scope::All,
            subject: Subject::Sets,
            or_own_namespace: false,
        }
    }

    fn ask<'a>(
        &'a self,
        state: &ClusterState,
        context: &'a RunContext<'_>,
    ) -> Result<SetQuestion<'a>, CommandError> {
        check_node(self.args.node.as_deref(), state)?;
        Ok(SetQuestion {
            sets: sets_asked(&self.args.sets, state)?,
            node: self.args.node.as_deref(),
            host: context.host.as_deref(),
            is_live: context.is_live,
            run: context.run.as_deref(),
            deletes: true,
            most: None,
            created: vec![],
        })
    }

    fn notices(&self, question: &SetQuestion<'_>) -> Vec<String> {
        let none = question
            .sets
            .is_empty()
            .then_some("no sets of volumes found");
        none.map(str::to_owned).into_iter().collect()
    }

    fn plan(
        &self,
        question: &SetQuestion<'_>,
        state: &ClusterState,
        memory: &Memory,
        backends: &Backends,
    ) -> Plan {
        plan_with(backends, |facts| plan_again(state, question, memory, facts))
    }

    fn plan_failures(&self, state: &ClusterState, memory: &mut Memory) -> Option<Plan> {
        plan_failures(state, memory)
    }

    fn are_named(&self) -> bool {
        !self.args.sets.is_empty()
    }

    fn rerun_words(&self) -> Vec<String> {
        let mut words = self.args.sets.clone();
        writing::add_flags(&mut words, &[("--node", self.args.node.as_deref())]);
        words
    }
}
