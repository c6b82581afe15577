//! `bind`: binds claims to volumes, once, as the controller would.

use super::explain::not_found_among;
use super::writing::claims::{claim_names, claims_asked, notice_of_none, reads_of_claims};
use super::writing::{self, Reads, RunContext, WritingCommand, WritingFlags};
use crate::actions::bind::{BindQuestion, COMMAND, plan_bind};
use crate::actions::memory::Memory;
use crate::actions::plan::Plan;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::Rules;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, FileFlags, OutputFlags, WriteFlags};
use crate::load::Subject;
use crate::model::{ClaimPhase, ClusterState, Kind};
use crate::session::Session;
use crate::storage::Backends;

/// Bind claims to volumes, once, exactly as the controller would
///
/// Takes for each claim the volume Kubernetes would take (of equals the first by name), or the one named with --volume, and
/// writes what the controller writes, in its order. Works with and without a running controller; whatever an interrupted
/// run left is finished by the next. Without names: every claim of the namespace that can be bound.
/// With -f the objects are printed as they would be afterwards, and nothing is touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv bind data-0 -n prod
  kubectl pv bind data-0 -n prod --volume pv-7
  kubectl pv bind -A --dry-run
  kubectl pv bind -n prod --yes -o json
  kubectl pv bind -f cluster.yaml > afterwards.yaml")]
pub(crate) struct Args {
    /// Claims by NAME or pvc/NAME [default: every claim of the namespace that can be bound]
    #[arg(value_name = "CLAIM")]
    claims: Vec<String>,

    /// Bind the claim to this volume
    #[arg(long, value_name = "NAME")]
    volume: Option<String>,

    /// Bind the claims of all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Bind the volume although its labels, its node or the scheduler's say are against it; never against size, modes or another claim
    #[arg(long, requires = "volume")]
    force: bool,

    /// Come back only when everything asked for is bound, or the time is over
    #[arg(long)]
    wait: bool,

    #[command(flatten)]
    write: WriteFlags,

    #[command(flatten)]
    source: FileFlags,

    #[command(flatten)]
    output: OutputFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let names = claim_names(&args.claims, args.all_namespaces, COMMAND)?;
    if args.volume.is_some() && names.len() != 1 {
        return Err(CommandError::usage(
            "--volume needs the one claim it is for",
        ));
    }
    let bind = Bind {
        args,
        names,
        connection,
    };
    writing::run(&bind, session)
}

struct Bind<'a> {
    args: &'a Args,
    names: Vec<String>,
    connection: &'a ConnectionFlags,
}

/// The claims of one namespace, or of all, and what is planned for them.
struct Question {
    bind: BindQuestion,
    namespace: Option<String>,
}

impl WritingCommand for Bind<'_> {
    type Question<'a>
        = Question
    where
        Self: 'a;

    fn name(&self) -> &'static str {
        COMMAND
    }

    fn flags(&self) -> WritingFlags<'_> {
        WritingFlags {
            write: self.args.write.clone(),
            backends: None,
            take_over: None,
            files: self.args.source.files(),
            output: &self.args.output,
            connection: self.connection,
        }
    }

    fn reads(&self, namespace: &str) -> Reads {
        reads_of_claims(namespace, self.args.all_namespaces, Subject::Claims)
    }

    fn ask(
        &self,
        state: &ClusterState,
        context: &RunContext<'_>,
    ) -> Result<Question, CommandError> {
        let claims = claims_asked(&self.names, state, context.namespace.as_deref())?;
        if let Some(volume) = &self.args.volume
            && state.find_volume(volume).is_none()
            && state.saw(Kind::Volumes, None)
        {
            let all = state.volumes().iter().map(|volume| volume.name.as_str());
            return Err(not_found_among("volume", volume, "", all));
        }
        Ok(Question {
            bind: BindQuestion {
                claims,
                are_named: self.are_named(),
                volume: self.args.volume.clone(),
                force: self.args.force,
                rules: Rules::default(),
                taken: vec![],
            },
            namespace: context.namespace.clone(),
        })
    }

    fn notices(&self, question: &Question) -> Vec<String> {
        notice_of_none(&question.bind.claims, question.namespace.as_deref())
    }

    fn plan(
        &self,
        question: &Question,
        state: &ClusterState,
        memory: &Memory,
        _: &Backends,
    ) -> Plan {
        let question = BindQuestion {
            taken: memory.taken.clone(),
            ..question.bind.clone()
        };
        plan_bind(state, &question)
    }

    fn are_named(&self) -> bool {
        !self.names.is_empty()
    }

    fn creates_claims(&self) -> bool {
        true
    }

    fn waits(&self) -> bool {
        self.args.wait
    }

    fn find_awaited(&self, question: &Question, state: &ClusterState) -> Option<ObjectKey> {
        let mut claims = question.bind.claims.iter();
        let awaited = claims.find(|key| {
            let claim = state.find_claim(key);
            claim.is_some_and(|claim| claim.phase != ClaimPhase::Bound)
        });
        awaited.cloned()
    }

    fn rerun_words(&self) -> Vec<String> {
        let mut words = self.names.clone();
        let flags = [
            ("-n", self.connection.namespace()),
            ("--volume", self.args.volume.as_deref()),
        ];
        writing::add_flags(&mut words, &flags);
        let switches = [
            ("-A", self.args.all_namespaces),
            ("--force", self.args.force),
        ];
        writing::add_switches(&mut words, &switches);
        words
    }
}
