//! `cleanup --yes` and `--dry-run`: what was found is planned and carried out, as by the other commands that write. What could
//! not be decided is refused by its category, and the others are seen to.

use super::super::backend_answers::plan_with;
use super::super::base_directories::check_base_directories;
use super::super::carry_out::Foreman;
use super::super::scenario::Scenario;
use super::super::writing::{Manner, Shown, on_cluster};
use super::advice::acting_command;
use super::{Args, check_readable};
use crate::actions::cleanup::{
    COMMAND, ChosenRows, CleanupWish, Found, goes_unnamed, plan_cleanup,
};
use crate::actions::memory::Memory;
use crate::actions::outcome::Outcome;
use crate::actions::plan::{Errand, Plan};
use crate::actions::reclaim::failures::plan_failures;
use crate::cluster::Cluster;
use crate::engine::find_leftovers;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, DryRun};
use crate::load::{Files, Scope, Subject};
use crate::model::{ClusterState, Kind, Time};
use crate::render::{safe, spell_object};
use crate::report::{CleanupCategory, CleanupReport};
use crate::session::Session;
use crate::storage::Backends;
use std::collections::BTreeSet;

pub(super) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    backends: &Backends,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let source = &args.source;
    if !source.with.is_empty() || !source.without.is_empty() {
        return Err(CommandError::usage(
            "--with and --without are for the report: nothing is done about what is not there",
        ));
    }
    if let Some(files) = source.files() {
        return run_on_files(args, connection, backends, &files, session);
    }
    let write = args.act.write();
    on_cluster(COMMAND, connection, &write, session, |cluster, session| {
        run_on_cluster(args, connection, backends, cluster, session)
    })
}

/// One run: the same question is asked of each state that is read.
struct Sweep<'a> {
    args: &'a Args,
    backends: &'a Backends,
    /// The one namespace that is looked at.
    namespace: Option<String>,
    now: Time,
    wish: CleanupWish<'a>,
}

impl Sweep<'_> {
    /// What is found in a state, and the plan for what was chosen of it: of the first state all of it.
    fn plan(
        &self,
        state: &ClusterState,
        chosen: Option<&ChosenRows>,
        memory: &Memory,
    ) -> (CleanupReport, Plan, ChosenRows) {
        let namespace = self.namespace.as_deref();
        let question =
            self.args
                .question(state, namespace, (self.backends, self.wish.host), self.now);
        let report = find_leftovers(state, &question);
        let chosen = match chosen {
            Some(chosen) => chosen.clone(),
            None => ChosenRows::of(state, &report),
        };
        let found = Found {
            report: &report,
            assets: &question.assets.found,
        };
        let asked = (&self.wish, memory);
        let plan = plan_with(self.backends, |facts| {
            plan_cleanup(state, &found, &chosen, asked, facts)
        });
        (report, plan, chosen)
    }

    fn manner<'m>(&'m self, connection: &'m ConnectionFlags, is_live: bool) -> Manner<'m> {
        Manner {
            output: &self.args.output,
            connection,
            are_named: false,
            is_live,
        }
    }

    /// The categories that would have been acted on, had they been decided.
    fn refused(&self, report: &CleanupReport) -> Vec<CleanupCategory> {
        let named = &self.wish.named;
        let categories = report.refused.iter().map(|refused| refused.category);
        categories
            .filter(|category| named.contains(category) || goes_unnamed(*category))
            .collect()
    }

    /// The status, given what was not decided and what is left.
    fn exit(&self, exit: Exit, report: &CleanupReport, done: &Done) -> Exit {
        let is_gate = self.args.fail_on_findings;
        let is_undecided = is_gate && done.is_live && !self.refused(report).is_empty();
        let is_found = |object: &String| !done.objects.contains(object);
        let mut found = report.findings.iter();
        let is_left =
            self.args.fail_on_findings && found.any(|found| is_found(&spell_object(&found.object)));
        match exit {
            Exit::Unfinished | Exit::Unanswered => exit,
            _ if is_undecided && !done.wrote => Exit::Unanswered,
            _ if is_undecided && !self.wish.named.is_empty() => Exit::No,
            _ if is_left => Exit::No,
            exit => exit,
        }
    }
}

/// What came of it.
#[derive(Default)]
struct Done {
    is_live: bool,
    wrote: bool,
    /// What is gone, as people write it.
    objects: BTreeSet<String>,
}

fn sweep<'a>(
    args: &'a Args,
    backends: &'a Backends,
    namespace: Option<String>,
    host: Option<&'a str>,
    session: &Session<'_>,
) -> Sweep<'a> {
    Sweep {
        args,
        backends,
        namespace,
        now: Time(session.environment.started_at.as_second()),
        wish: CleanupWish {
            named: args.categories(),
            include_likely: args.act.include_likely,
            only_old: args.older_than.is_some(),
            assets: args.act.asset.iter().cloned().collect(),
            host,
        },
    }
}

fn run_on_cluster(
    args: &Args,
    connection: &ConnectionFlags,
    backends: &Backends,
    cluster: &mut Cluster,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let asked = connection.namespace().filter(|_| !args.all_namespaces);
    let mut scope = match asked {
        Some(_) => Scope::Namespace(cluster.namespace().to_owned()),
        None => Scope::All,
    };
    let mut state = cluster.load(&scope, Subject::Reclamation)?;
    if scope == Scope::All && !args.all_namespaces && !state.saw(Kind::Claims, None) {
        // Where no others may be seen, the own namespace.
        scope = Scope::Namespace(cluster.namespace().to_owned());
        state = cluster.load(&scope, Subject::Reclamation)?;
    }
    check_readable(&state, cluster.namespace())?;
    let namespace = match &scope {
        Scope::Namespace(namespace) => Some(namespace.clone()),
        _ => None,
    };
    let host = session.environment.host_name.clone();
    let sweep = sweep(args, backends, namespace, host.as_deref(), session);
    let (report, plan, chosen) = sweep.plan(&state, None, &Memory::default());
    check_base_directories(&plan, &state, backends, cluster, host.as_deref())?;
    tell_refused_categories(&report, session)?;
    let manner = sweep.manner(connection, true);
    let mut done = Done {
        is_live: true,
        ..Done::default()
    };
    let plan = match manner.show(plan, &args.act.write(), cluster, backends, session)? {
        Shown::Agreed(plan) => plan,
        Shown::Ended(exit) => return Ok(sweep.exit(exit, &report, &done)),
    };
    let ended = {
        let cluster = &*cluster;
        let mut foreman = Foreman {
            cluster,
            backends,
            onlooker: &mut session.progress(),
            load: &|| cluster.load(&scope, Subject::Reclamation),
            plan_again: &|state, memory| sweep.plan(state, Some(&chosen), memory).1,
            plan_failures: &plan_failures,
        };
        foreman.carry_out(state, plan)
    };
    done.wrote = ended.wrote;
    done.objects = objects_done(&ended.outcome);
    let categories = args.categories();
    let likely = args.act.include_likely;
    let finish = || acting_command(args, connection, &categories, likely);
    let exit = manner.conclude(ended, finish, session)?;
    Ok(sweep.exit(exit, &report, &done))
}

fn objects_done(outcome: &Outcome) -> BTreeSet<String> {
    outcome.finished().iter().map(Errand::object).collect()
}

/// The same on files: the objects come out as they would be.
fn run_on_files(
    args: &Args,
    connection: &ConnectionFlags,
    backends: &Backends,
    files: &Files,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let scenario = Scenario::read(files, connection, args.act.dry_run)?;
    let asked = connection.namespace().filter(|_| !args.all_namespaces);
    let sweep = sweep(args, backends, asked.map(str::to_owned), None, session);
    let (report, plan, _) = sweep.plan(&scenario.state, None, &Memory::default());
    tell_refused_categories(&report, session)?;
    let manner = sweep.manner(connection, false);
    let mut done = Done::default();
    if args.act.dry_run == DryRun::None {
        done.objects = plan.errands.iter().map(Errand::object).collect();
    }
    let exit = scenario.show(&plan, &[], manner, session)?;
    Ok(sweep.exit(exit, &report, &done))
}

fn tell_refused_categories(
    report: &CleanupReport,
    session: &mut Session<'_>,
) -> Result<(), CommandError> {
    for refused in &report.refused {
        let told = format!("not decided: {}: {}", refused.category.name(), refused.why);
        writeln!(session.stderr, "{}", safe(&told))?;
    }
    Ok(())
}
