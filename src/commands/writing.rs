//! What the commands that change something have in common: whose claims are meant, how a plan is shown and agreed to, and what
//! is said at the end.

use super::carry_out::CarriedOut;
use super::explain::{aim, not_found_among};
use super::refused::tell_refused;
use super::target::{Target, parse};
use crate::actions::apply::Earnest;
use crate::actions::outcome::Outcome;
use crate::actions::plan::{CLAIM, Change, Plan, Skipped, Standing, VOLUME};
use crate::actions::{bind, cleanup, reclaim};
use crate::cluster::Cluster;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::shell::command;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, DryRun, OutputFlags, WriteFlags};
use crate::load::Scope;
use crate::model::{Claim, ClusterState, Kind, Origin};
use crate::prompt::confirm;
use crate::render::{
    Format, Progress, safe, write_outcome, write_plan, write_trial, write_unfinished,
};
use crate::report::{few_of, join_and};
use crate::session::Session;
use crate::storage::{Backend, Backends};
use std::time::Duration;

/// How long everything may take, unless somebody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The claims that were named, each once.
pub(super) fn claim_names(
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
                let hint = command(&["kubectl", "pv", "bind", "CLAIM", "--volume", &volume]);
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

/// The claims that are asked about: those named, or all within reach.
pub(super) fn claims_asked(
    names: &[String],
    state: &ClusterState,
    reach: Option<&str>,
) -> Result<Vec<ObjectKey>, CommandError> {
    if state.find_gap(Kind::Claims, reach).is_some() {
        return Err(CommandError::unanswered(
            "you may not list persistentvolumeclaims",
        ));
    }
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

/// A node that is not there is a slip of the pen.
pub(super) fn check_node(node: Option<&str>, state: &ClusterState) -> Result<(), CommandError> {
    match node {
        Some(node) if state.find_node(node).is_none() && state.saw(Kind::Nodes, None) => {
            let all = state.objects().nodes.iter().map(|node| node.name.as_str());
            Err(not_found_among("node", node, "", all))
        }
        _ => Ok(()),
    }
}

/// Opens the cluster and works there; what was not allowed is told at the end.
pub(super) fn on_cluster(
    command: &str,
    connection: &ConnectionFlags,
    write: &WriteFlags,
    session: &mut Session<'_>,
    work: impl FnOnce(&mut Cluster, &mut Session<'_>) -> Result<Exit, CommandError>,
) -> Result<Exit, CommandError> {
    let mut cluster = Cluster::open(session, connection, time_for(write))?;
    let ended = work(&mut cluster, session);
    tell_refused(ended, &cluster.refused(), command, session)
}

pub(super) fn time_for(write: &WriteFlags) -> Duration {
    write.timeout.unwrap_or(TIMEOUT)
}

/// How far a command reaches: what it reads, and the namespace it acts in unless that is all of them.
pub(super) struct Reach {
    pub(super) scope: Scope,
    pub(super) namespace: Option<String>,
}

impl Reach {
    pub(super) fn of(cluster: &Cluster, all_namespaces: bool) -> Self {
        let namespace = cluster.namespace().to_owned();
        if all_namespaces {
            return Self {
                scope: Scope::All,
                namespace: None,
            };
        }
        Self {
            scope: Scope::Namespace(namespace.clone()),
            namespace: Some(namespace),
        }
    }
}

/// What becomes of a plan once it was shown.
pub(super) enum Shown {
    /// It is to be carried out; the time runs.
    Agreed(Plan),
    /// That was all.
    Ended(Exit),
}

/// A namespace without claims may be a slip of the pen.
pub(super) fn tell_of_none(
    claims: &[ObjectKey],
    reach: Option<&str>,
    session: &mut Session<'_>,
) -> Result<(), CommandError> {
    if claims.is_empty() {
        let wherein = reach.map_or(String::new(), |name| format!(" in namespace {name}"));
        writeln!(session.stderr, "no claims found{}", safe(&wherein))?;
    }
    Ok(())
}

/// What may be wrong with the targets of the backends that make something.
pub(super) fn warn_of_targets(
    plan: &Plan,
    backends: &Backends,
    session: &mut Session<'_>,
) -> Result<(), CommandError> {
    let used = |backend: &&Backend| {
        let mut works = plan
            .changes
            .iter()
            .filter_map(|change| change.asset.as_ref());
        works.any(|work| work.provisioner() == backend.provisioner())
    };
    for warning in backends.iter().filter(used).filter_map(Backend::warning) {
        writeln!(session.stderr, "Warning: {}", safe(&warning))?;
    }
    Ok(())
}

/// How a command shows things, and whether its claims were named.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    pub(super) output: &'a OutputFlags,
    pub(super) connection: &'a ConnectionFlags,
    pub(super) are_named: bool,
    pub(super) is_live: bool,
}

impl Manner<'_> {
    /// Shows a plan as it was asked for, and finds out whether it is to be carried out.
    pub(super) fn show(
        self,
        mut plan: Plan,
        write: &WriteFlags,
        cluster: &mut Cluster,
        backends: &Backends,
        session: &mut Session<'_>,
    ) -> Result<Shown, CommandError> {
        self.aim_at(&mut plan.skipped);
        for warning in cluster.warnings() {
            writeln!(session.stderr, "Warning: {}", safe(&warning))?;
        }
        let ended = match write.dry_run {
            DryRun::Client => self.print_plan(&plan, session)?,
            DryRun::Server => self.try_on_server(cluster, plan, backends, session)?,
            DryRun::None if write.yes || self.is_agreed(&plan, session)? => {
                cluster.start_clock(time_for(write));
                return Ok(Shown::Agreed(plan));
            }
            DryRun::None => Exit::No,
        };
        Ok(Shown::Ended(ended))
    }

    /// Shows what would be done.
    pub(super) fn print_plan(
        self,
        plan: &Plan,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        let mut changes = plan.changes.iter();
        let ending = if !changes.any(|change| !change.action.is_optional()) {
            "Nothing was changed."
        } else if plan.command == cleanup::COMMAND {
            "Nothing was changed; --yes instead of --dry-run does it."
        } else if self.is_live {
            "Nothing was changed; without --dry-run you are asked first."
        } else {
            "Nothing was changed; without --dry-run the objects are printed as they would be."
        };
        let screen = session.screen(self.output, true);
        let format = Session::format(self.output);
        write_plan(session.stdout, plan, ending, format, &screen)?;
        self.point_on(plan.command, &plan.skipped, session)?;
        Ok(self.exit_of(&plan.skipped))
    }

    /// Commands in what is said are pasted where it was said; each is aimed once.
    fn aim_at(self, skipped: &mut [Skipped]) {
        for left in skipped {
            let mut from = 0;
            for plain in std::mem::take(&mut left.commands) {
                let Some(at) = left.message[from..].find(&plain).map(|at| from + at) else {
                    continue;
                };
                let mut aimed = plain.clone();
                aim(&mut aimed, self.connection);
                left.message.replace_range(at..at + plain.len(), &aimed);
                from = at + aimed.len();
            }
        }
    }

    /// Lets the server check what it can, and shows what it says.
    fn try_on_server(
        self,
        cluster: &Cluster,
        plan: Plan,
        backends: &Backends,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        let mut progress = Progress::silent();
        let applied = cluster.apply(&plan, Earnest::DryRun, backends, &mut progress);
        let mut outcome = Outcome::new(plan.command);
        outcome.dry_run = true;
        outcome.add(plan, applied.sent);
        let is_refused = outcome.changes.iter().any(|made| made.error.is_some());
        let screen = session.screen(self.output, true);
        let format = Session::format(self.output);
        write_trial(session.stdout, &outcome, format, &screen)?;
        let refused = is_refused.then_some(Exit::No);
        let skipped = self.exit_of(&outcome.skipped);
        Ok(Exit::worst(refused.into_iter().chain([skipped])))
    }

    /// Shows a plan and asks whether to go on; nothing to do needs no answer.
    fn is_agreed(self, plan: &Plan, session: &mut Session<'_>) -> Result<bool, CommandError> {
        // News, and notes of how something stands, are nobody's to refuse.
        let is_aside = |change: &Change| {
            let errand = plan.errands.get(change.errand);
            errand.is_some_and(|errand| errand.deed.is_aside())
        };
        let is_asked = |change: &Change| !change.action.is_optional() && !is_aside(change);
        if !plan.changes.iter().any(is_asked) {
            return Ok(true);
        }
        let ending = "Nothing was changed yet.";
        let screen = session.screen(self.output, true);
        write_plan(session.stderr, plan, ending, Format::Text, &screen)?;
        let is_agreed = confirm(&question_for(plan), false, &session.environment)?;
        if !is_agreed {
            writeln!(session.stderr, "Nothing was changed.")?;
        }
        Ok(is_agreed)
    }

    /// Prints what came of it, and how to go on if the end was not reached.
    pub(super) fn conclude(
        self,
        mut ended: CarriedOut,
        finishing_command: impl FnOnce() -> String,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        self.aim_at(&mut ended.outcome.skipped);
        let is_open = ended.outcome.is_open() || ended.trouble.is_some();
        if is_open && !ended.wrote {
            // Nothing was sent, so nothing is to be finished.
            if let Some(error) = ended.trouble {
                return Err(error);
            }
        }
        if is_open {
            ended.outcome.finish_with = Some(finishing_command());
        }
        let screen = session.screen(self.output, true);
        let format = Session::format(self.output);
        write_outcome(session.stdout, &ended.outcome, format, &screen)?;
        self.point_on(ended.outcome.command, &ended.outcome.skipped, session)?;
        if is_open {
            return tell_what_is_open(&ended, session);
        }
        let exit = self.exit_of(&ended.outcome.skipped);
        if exit != Exit::Yes && matches!(format, Format::Json | Format::Yaml | Format::Name) {
            for skipped in &ended.outcome.skipped {
                let told = format!("{}: {}", skipped.target.spelled(), skipped.message);
                writeln!(session.stderr, "{}", safe(&told))?;
            }
        }
        // 3 means that nothing was sent.
        Ok(match exit {
            Exit::Unanswered if ended.wrote && self.are_named => Exit::No,
            Exit::Unanswered if ended.wrote => Exit::Yes,
            other => other,
        })
    }

    /// One claim or volume that was refused is worth a longer look, and the command for it.
    fn point_on(
        self,
        command_name: &str,
        skipped: &[Skipped],
        session: &mut Session<'_>,
    ) -> Result<(), CommandError> {
        let is_text = matches!(Session::format(self.output), Format::Text | Format::Wide);
        let [left] = skipped else {
            return Ok(());
        };
        let is_refused = left.standing == Standing::Refused && left.code != "AlreadyBound";
        if !(is_text && self.is_live && self.are_named && is_refused) {
            return Ok(());
        }
        let name = &left.target.name;
        let mut more = match (&left.target.namespace, left.target.kind) {
            (Some(namespace), CLAIM) => {
                command(&["kubectl", "pv", "explain", name, "-n", namespace])
            }
            // Why `bind` refuses a volume it has said.
            (None, VOLUME) if command_name == reclaim::COMMAND => {
                command(&["kubectl", "pv", "explain", &format!("pv/{name}")])
            }
            _ => return Ok(()),
        };
        aim(&mut more, self.connection);
        writeln!(session.stdout, "More about it: {}", safe(&more))?;
        Ok(())
    }

    /// What was named and is left alone counts; what was only found does not, unless it could not be seen.
    pub(super) fn exit_of(self, skipped: &[Skipped]) -> Exit {
        Exit::worst(skipped.iter().map(|skipped| match skipped.standing {
            Standing::Unknown => Exit::Unanswered,
            _ if skipped.code == reclaim::NOTHING_SELECTED => Exit::No,
            _ if !self.are_named => Exit::Yes,
            Standing::Fine => Exit::Yes,
            Standing::Waits => Exit::Waiting,
            Standing::Refused => Exit::No,
        }))
    }
}

/// Whoever says yes to a loss was told of it in the question itself.
fn question_for(plan: &Plan) -> String {
    let lost = plan.losses();
    if lost.is_empty() {
        return "Carry this out?".to_owned();
    }
    let lost = join_and(&few_of(&lost, lost.len()));
    format!("This deletes the data of {lost} for good. Carry it out?")
}

fn tell_what_is_open(ended: &CarriedOut, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    if let Some(error) = &ended.trouble {
        error.report(session.stderr);
    }
    write_unfinished(session.stderr, &ended.outcome)?;
    if let Some(command) = &ended.outcome.finish_with {
        writeln!(session.stderr, "to finish: {}", safe(command))?;
    }
    Ok(if ended.wrote {
        Exit::Unfinished
    } else {
        Exit::Unanswered
    })
}
