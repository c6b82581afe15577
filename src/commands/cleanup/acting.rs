//! `cleanup --yes` and `--dry-run`: what was found is planned and applied as by the other writing commands. A category that
//! could not be decided is refused, and the others are acted on.

use super::super::backend_answers::plan_with;
use super::super::writing::namespaces::named_namespaces;
use super::super::writing::{self, Done, Reads, RunContext, WritingCommand, WritingFlags};
use super::advice::rerun_words;
use super::{Args, check_readable};
use crate::actions::cleanup::{
    COMMAND, ChosenRows, CleanupWish, Found, goes_unnamed, plan_cleanup,
};
use crate::actions::memory::Memory;
use crate::actions::plan::Plan;
use crate::actions::reclaim::failures::plan_failures;
use crate::engine::find_leftovers;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::ConnectionFlags;
use crate::load::{Scope, Subject};
use crate::model::{ClusterState, Time};
use crate::render::spell_object;
use crate::report::{CleanupCategory, CleanupReport};
use crate::session::Session;
use crate::storage::Backends;

pub(super) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    writing::run(&Cleanup { args, connection }, session)
}

struct Cleanup<'a> {
    args: &'a Args,
    connection: &'a ConnectionFlags,
}

/// The same question for each state that is read, and what was found in the first one.
struct Question<'a> {
    namespace: Option<&'a str>,
    missing_namespace: Option<String>,
    now: Time,
    wish: CleanupWish<'a>,
    report: CleanupReport,
    chosen: ChosenRows,
}

impl Question<'_> {
    /// The categories that would have been acted on, had they been decided.
    fn refused(&self) -> Vec<CleanupCategory> {
        let named = &self.wish.named;
        let categories = self.report.refused.iter().map(|refused| refused.category);
        categories
            .filter(|category| named.contains(category) || goes_unnamed(*category))
            .collect()
    }
}

impl WritingCommand for Cleanup<'_> {
    type Question<'a>
        = Question<'a>
    where
        Self: 'a;

    fn name(&self) -> &'static str {
        COMMAND
    }

    fn flags(&self) -> WritingFlags<'_> {
        WritingFlags {
            write: self.args.act.write(),
            backends: Some(&self.args.backends),
            take_over: Some(&self.args.take_over),
            files: self.args.source.files(),
            output: &self.args.output,
            connection: self.connection,
        }
    }

    fn check_usage(&self) -> Result<(), CommandError> {
        let source = &self.args.source;
        if source.with.is_empty() && source.without.is_empty() {
            return Ok(());
        }
        Err(CommandError::usage(
            "--with and --without are for the report; --yes and --dry-run cannot use them",
        ))
    }

    fn reads(&self, namespace: &str) -> Reads {
        let scope = match self.connection.namespace() {
            Some(_) if !self.args.all_namespaces => Scope::Namespace(namespace.to_owned()),
            _ => Scope::All,
        };
        Reads {
            scope,
            subject: Subject::Reclamation,
            or_own_namespace: !self.args.all_namespaces,
        }
    }

    fn ask<'a>(
        &'a self,
        state: &ClusterState,
        context: &'a RunContext<'_>,
    ) -> Result<Question<'a>, CommandError> {
        let args = self.args;
        let namespace = context.namespace.as_deref();
        let namespace = namespace.filter(|_| !args.all_namespaces);
        if context.is_live {
            check_readable(state, namespace.unwrap_or_default())?;
        }
        let host = context.host.as_deref();
        let missing = context.missing_namespace.clone();
        let machine = (context.backends, host);
        let asked = args.question(state, namespace, machine, context.now, missing);
        let report = find_leftovers(state, &asked);
        Ok(Question {
            namespace,
            missing_namespace: context.missing_namespace.clone(),
            now: context.now,
            wish: CleanupWish {
                named: args.categories(),
                include_likely: args.act.include_likely,
                only_old: args.older_than.is_some(),
                assets: args.act.asset.iter().cloned().collect(),
                host,
            },
            chosen: ChosenRows::of(state, &report),
            report,
        })
    }

    fn namespaces(&self) -> Vec<String> {
        named_namespaces(self.connection, &self.args.selection)
    }

    fn notices(&self, question: &Question<'_>) -> Vec<String> {
        let refused = question.report.refused.iter();
        let notices = refused
            .map(|refused| format!("not decided: {}: {}", refused.category.name(), refused.why));
        notices.collect()
    }

    fn plan(
        &self,
        question: &Question<'_>,
        state: &ClusterState,
        memory: &Memory,
        backends: &Backends,
    ) -> Plan {
        let machine = (backends, question.wish.host);
        let missing = question.missing_namespace.clone();
        let (namespace, now) = (question.namespace, question.now);
        let asked = self.args.question(state, namespace, machine, now, missing);
        let report = find_leftovers(state, &asked);
        let found = Found {
            report: &report,
            assets: &asked.assets.found,
        };
        plan_with(backends, |facts| {
            let wish = (&question.wish, memory);
            plan_cleanup(state, &found, &question.chosen, wish, facts)
        })
    }

    fn plan_failures(&self, state: &ClusterState, memory: &mut Memory) -> Option<Plan> {
        plan_failures(state, memory)
    }

    fn are_named(&self) -> bool {
        false
    }

    fn depends_on_ages(&self) -> bool {
        self.args.older_than.is_some()
    }

    /// The status, given what was not decided and what is left.
    fn status(&self, question: &Question<'_>, exit: Exit, done: &Done) -> Exit {
        let is_gate = self.args.fail_on_findings;
        let is_undecided = is_gate && done.is_live && !question.refused().is_empty();
        let mut found = question.report.findings.iter();
        let is_left =
            is_gate && found.any(|found| !done.objects.contains(&spell_object(&found.object)));
        match exit {
            Exit::Unfinished | Exit::Unanswered => exit,
            _ if is_undecided && !done.wrote => Exit::Unanswered,
            _ if is_undecided && !question.wish.named.is_empty() => Exit::No,
            _ if is_left => Exit::No,
            exit => exit,
        }
    }

    fn rerun_words(&self) -> Vec<String> {
        let categories = self.args.categories();
        let likely = self.args.act.include_likely;
        rerun_words(self.args, self.connection, &categories, likely)
    }
}
