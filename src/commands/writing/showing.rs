//! A plan is shown, checked by the server, or agreed to.

use super::super::explain::aim;
use crate::actions::apply::{Earnest, Silent};
use crate::actions::outcome::Outcome;
use crate::actions::plan::{Change, Plan, Skipped};
use crate::actions::{cleanup, reclaim};
use crate::cluster::Cluster;
use crate::conventions::object_command::command;
use crate::conventions::object_kind::ObjectKind;
use crate::engine::refusal::Standing;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, DryRun, OutputFlags, WriteFlags};
use crate::prompt::confirm;
use crate::render::{Format, safe, write_plan, write_trial};
use crate::report::Code;
use crate::session::Session;
use crate::storage::{Backend, Backends};

/// What happens with a plan that was shown.
pub(super) enum Agreement {
    /// It is applied.
    Agreed(Plan),
    /// That was all.
    Ended(Exit),
}

/// Warns of targets of the backends that the plan uses.
pub(super) fn warn_of_targets(
    plan: &Plan,
    backends: &Backends,
    session: &mut Session<'_>,
) -> Result<(), CommandError> {
    let used = |backend: &&Backend| {
        let mut works = plan.changes.iter().filter_map(|change| change.asset_work());
        works.any(|work| work.provisioner() == backend.provisioner())
    };
    for warning in backends.iter().filter(used).filter_map(Backend::warning) {
        writeln!(session.stderr, "Warning: {}", safe(&warning))?;
    }
    Ok(())
}

/// How a command presents its plan and its outcome.
#[derive(Clone, Copy)]
pub(super) struct Presentation<'a> {
    pub(super) output: &'a OutputFlags,
    pub(super) connection: &'a ConnectionFlags,
    pub(super) are_named: bool,
    pub(super) is_live: bool,
    /// Whether text lists the skipped objects.
    pub(super) shows_skipped: bool,
}

impl Presentation<'_> {
    /// Shows a plan in the form that was asked for, and finds out whether it is applied.
    pub(super) fn show(
        self,
        mut plan: Plan,
        write: &WriteFlags,
        cluster: &Cluster,
        backends: &Backends,
        session: &mut Session<'_>,
    ) -> Result<Agreement, CommandError> {
        self.aim_at(&mut plan.skipped);
        for warning in cluster.warnings() {
            writeln!(session.stderr, "Warning: {}", safe(&warning))?;
        }
        let ended = match write.dry_run {
            DryRun::Client => self.print_plan(&plan, session)?,
            DryRun::Server => self.try_on_server(cluster, plan, backends, session)?,
            DryRun::None if write.yes || self.is_agreed(&plan, session)? => {
                return Ok(Agreement::Agreed(plan));
            }
            DryRun::None => Exit::No,
        };
        Ok(Agreement::Ended(ended))
    }

    /// Prints the plan.
    pub(super) fn print_plan(
        self,
        plan: &Plan,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        let mut changes = plan.changes.iter();
        let ending = if !changes.any(|change| !change.is_optional()) {
            "Nothing was changed."
        } else if plan.command == cleanup::COMMAND {
            "Nothing was changed; --yes instead of --dry-run does it."
        } else if self.is_live {
            "Nothing was changed; without --dry-run you are asked first."
        } else {
            "Nothing was changed; without --dry-run the objects are printed as they would be."
        };
        let screen = session.screen(self.output, self.shows_skipped);
        let format = Session::format(self.output);
        write_plan(session.stdout, plan, ending, format, &screen)?;
        self.point_on(plan.command, &plan.skipped, session)?;
        Ok(self.exit_of(&plan.skipped))
    }

    /// Adds the connection flags to the commands in messages, each once.
    pub(super) fn aim_at(self, skipped: &mut [Skipped]) {
        for left in skipped {
            for command in left.message.commands_mut() {
                aim(command, self.connection);
            }
            // What is text is not changed again.
            left.message = left.message.to_string().into();
        }
    }

    /// Lets the server check the first writes, and shows its answers.
    fn try_on_server(
        self,
        cluster: &Cluster,
        plan: Plan,
        backends: &Backends,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        let applied = cluster.apply(&plan, Earnest::DryRun, backends, &mut Silent);
        let mut outcome = Outcome::new(plan.command);
        outcome.dry_run = true;
        outcome.add(plan, applied.sent);
        let is_refused = outcome.changes.iter().any(|made| made.error.is_some());
        let screen = session.screen(self.output, self.shows_skipped);
        let format = Session::format(self.output);
        write_trial(session.stdout, &outcome, format, &screen)?;
        let refused = is_refused.then_some(Exit::No);
        let skipped = self.exit_of(&outcome.skipped);
        Ok(Exit::worst(refused.into_iter().chain([skipped])))
    }

    /// Prints the plan and asks whether to apply it; without changes there is no question.
    fn is_agreed(self, plan: &Plan, session: &mut Session<'_>) -> Result<bool, CommandError> {
        // Events and status notes are part of what they are about.
        let is_aside = |change: &Change| {
            let errand = plan.errands.get(change.errand);
            errand.is_some_and(|errand| errand.deed.is_aside())
        };
        let is_asked = |change: &Change| !change.is_optional() && !is_aside(change);
        if !plan.changes.iter().any(is_asked) {
            return Ok(true);
        }
        let ending = "Nothing was changed yet.";
        let screen = session.screen(self.output, self.shows_skipped);
        write_plan(session.stderr, plan, ending, Format::Text, &screen)?;
        let is_agreed = confirm(&question_for(plan), false, &session.environment)?;
        if !is_agreed {
            writeln!(session.stderr, "Nothing was changed.")?;
        }
        Ok(is_agreed)
    }

    /// Prints the command that explains the one claim or volume that was refused.
    pub(super) fn point_on(
        self,
        command_name: &str,
        skipped: &[Skipped],
        session: &mut Session<'_>,
    ) -> Result<(), CommandError> {
        let is_text = matches!(Session::format(self.output), Format::Text | Format::Wide);
        let [left] = skipped else {
            return Ok(());
        };
        let is_refused = left.standing() == Standing::Refused && left.code() != Code::AlreadyBound;
        if !(is_text && self.is_live && self.are_named && is_refused) {
            return Ok(());
        }
        let name = &left.target.name;
        let mut more = match (&left.target.namespace, left.target.kind) {
            (Some(namespace), ObjectKind::PersistentVolumeClaim) => {
                command(&["kubectl", "pv", "explain", name, "-n", namespace])
            }
            // `bind` has said why it refuses a volume.
            (None, ObjectKind::PersistentVolume) if command_name == reclaim::COMMAND => {
                command(&["kubectl", "pv", "explain", &format!("pv/{name}")])
            }
            _ => return Ok(()),
        };
        aim(&mut more, self.connection);
        writeln!(session.stdout, "More about it: {}", safe(&more.to_string()))?;
        Ok(())
    }

    /// A named object that is skipped counts; one that was only found does not, unless it could not be read.
    pub(super) fn exit_of(self, skipped: &[Skipped]) -> Exit {
        Exit::worst(skipped.iter().map(|skipped| match skipped.standing() {
            Standing::Unknown => Exit::Unanswered,
            _ if skipped.code() == Code::NothingSelected => Exit::No,
            _ if !self.are_named => Exit::Yes,
            Standing::Fine => Exit::Yes,
            Standing::Waits => Exit::Waiting,
            Standing::Refused => Exit::No,
        }))
    }
}

/// The question names what is lost for good.
fn question_for(plan: &Plan) -> String {
    match plan.losses().len() {
        0 => "Apply this plan?".to_owned(),
        1 => "This cannot be undone. Delete the data of 1 volume?".to_owned(),
        lost => format!("This cannot be undone. Delete the data of {lost} volumes?"),
    }
}
