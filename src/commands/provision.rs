//! `provision`: provisions volumes for claims, once: by a provisioner of the cluster, or by this program as the provisioner.

use super::backend_answers::plan_with;
use super::writing::claims::{
    check_node, claim_names, claims_asked, notice_of_none, reads_of_claims,
};
use super::writing::{self, Reads, RunContext, WritingCommand, WritingFlags};
use crate::actions::memory::Memory;
use crate::actions::plan::Plan;
use crate::actions::provision::failures::plan_failures;
use crate::actions::provision::{COMMAND, ProvisionQuestion, plan_provision};
use crate::engine::Rules;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, ServingFlags};
use crate::load::Subject;
use crate::model::ClusterState;
use crate::session::Session;
use crate::storage::Backends;

/// Have volumes made for claims, once
///
/// By the cluster's own provisioner, which is set going and waited for; or by this program, where a backend is configured
/// for the provisioner of the class. The plan says which. What an interrupted run left is finished, or taken back, by the
/// next. Without names: every pending claim of the namespace that needs a volume made.
/// With -f the objects are printed as they would be afterwards, and nothing is touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv provision --dry-run
  kubectl pv provision data-0 -n prod
  kubectl pv provision data-0 -n prod --node worker-3
  kubectl pv provision docs --backend example.com/scratch=hostpath:/srv/volumes
  kubectl pv provision -A --backends /etc/kubectl-pv/backends.yaml --yes -o json")]
pub(crate) struct Args {
    /// Claims by NAME or pvc/NAME [default: every pending claim of the namespace that needs a volume made]
    #[arg(value_name = "CLAIM")]
    claims: Vec<String>,

    /// Serve the claims of all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Make the volume for this node
    #[arg(long, value_name = "NAME")]
    node: Option<String>,

    /// Wait until volumes that others make are there, or the time is over
    #[arg(
        long,
        value_name = "true|false",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        default_value = "true",
        hide_possible_values = true,
        action = clap::ArgAction::Set
    )]
    wait: bool,

    #[command(flatten)]
    serving: ServingFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let provision = Provision {
        args,
        names: claim_names(&args.claims, args.all_namespaces, COMMAND)?,
        connection,
    };
    writing::run(&provision, session)
}

struct Provision<'a> {
    args: &'a Args,
    names: Vec<String>,
    connection: &'a ConnectionFlags,
}

impl WritingCommand for Provision<'_> {
    type Question<'a>
        = ProvisionQuestion<'a>
    where
        Self: 'a;

    fn name(&self) -> &'static str {
        COMMAND
    }

    fn flags(&self) -> WritingFlags<'_> {
        WritingFlags::of(&self.args.serving, self.connection)
    }

    fn reads(&self, namespace: &str) -> Reads {
        reads_of_claims(namespace, self.args.all_namespaces, Subject::Anything)
    }

    fn ask<'a>(
        &'a self,
        state: &ClusterState,
        context: &'a RunContext<'_>,
    ) -> Result<ProvisionQuestion<'a>, CommandError> {
        check_node(self.args.node.as_deref(), state)?;
        let reach = context.namespace.as_deref();
        Ok(ProvisionQuestion {
            claims: claims_asked(&self.names, state, reach)?,
            are_named: self.are_named(),
            reach,
            node: self.args.node.as_deref(),
            host: context.host.as_deref(),
            is_live: context.is_live,
            waits: context.is_live && self.args.wait,
            rules: Rules::default(),
        })
    }

    fn notices(&self, question: &ProvisionQuestion<'_>) -> Vec<String> {
        notice_of_none(&question.claims, question.reach)
    }

    fn plan(
        &self,
        question: &ProvisionQuestion<'_>,
        state: &ClusterState,
        memory: &Memory,
        backends: &Backends,
    ) -> Plan {
        plan_with(backends, |facts| {
            plan_provision(state, question, memory, facts)
        })
    }

    fn plan_failures(&self, state: &ClusterState, memory: &mut Memory) -> Option<Plan> {
        plan_failures(state, memory)
    }

    fn are_named(&self) -> bool {
        !self.names.is_empty()
    }

    fn creates_claims(&self) -> bool {
        true
    }

    fn rerun_words(&self) -> Vec<String> {
        let mut words = self.names.clone();
        let flags = [
            ("-n", self.connection.namespace()),
            ("--node", self.args.node.as_deref()),
        ];
        writing::add_flags(&mut words, &flags);
        writing::add_switches(&mut words, &[("-A", self.args.all_namespaces)]);
        words
    }
}
