//! A writing command on files: the files are read, the plan is played on them, and the objects are printed as they would be.
//! Nothing outside is touched.

use super::namespaces::{find_missing_namespace, not_in_files};
use super::showing::Presentation;
use super::{Done, RunContext, WritingCommand, WritingFlags, print_notices};
use crate::actions::memory::Memory;
use crate::actions::on_files::{create_claims, play};
use crate::actions::plan::Errand;
use crate::engine::Rules;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::DryRun;
use crate::load::{Files, Joined, Manifests};
use crate::model::manifest::Candidate;
use crate::model::{ClusterState, Time};
use crate::render::{Format, ManifestFormat, safe, write_manifests};
use crate::session::Session;
use crate::storage::Backends;

/// Prints the plan, or the objects as they would be afterwards.
pub(super) fn run<C: WritingCommand>(
    command: &C,
    flags: &WritingFlags<'_>,
    backends: &Backends,
    files: &Files,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    if flags.write.dry_run == DryRun::Server {
        return Err(CommandError::usage(
            "--dry-run=server needs a cluster, not files",
        ));
    }
    if flags.write.review.save.is_some() {
        let message = "--save needs a cluster: files are not changed";
        return Err(CommandError::usage(message));
    }
    let asked = flags.connection.namespace();
    let namespace = asked.unwrap_or("default");
    let (mut state, candidates) = read(files, namespace)?;
    let created = if command.creates_claims() {
        create_claims(&mut state, Rules::default())
    } else {
        vec![]
    };
    let names = command.namespaces();
    let missing = find_missing_namespace(&names, &state, not_in_files, session.stderr)?;
    let context = RunContext {
        is_live: false,
        namespace: asked.map(str::to_owned),
        host: None,
        run: None,
        now: Time(session.environment.started_at.as_second()),
        backends,
        missing_namespace: missing,
    };
    let question = command.ask(&state, &context)?;
    let plan = command.plan_in_detail(&question, &state, &Memory::default(), backends);
    let presentation = Presentation {
        output: flags.output,
        connection: flags.connection,
        are_named: command.are_named(),
        is_live: false,
        shows_skipped: command.are_named() || flags.write.review.show_skipped,
    };
    if flags.write.dry_run == DryRun::Client {
        print_notices(&command.notices(&question), session)?;
        let exit = presentation.print_plan(&plan, session)?;
        return Ok(command.status(&question, exit, &Done::default()));
    }
    print_notices(&command.notices(&question), session)?;
    for skipped in &plan.skipped {
        let target = skipped.target.spelled();
        let told = format!("{target}: {}: {}", skipped.code(), skipped.message);
        writeln!(session.stderr, "{}", safe(&told))?;
    }
    let manifests = candidates.into_iter();
    let mut manifests: Vec<_> = manifests
        .filter_map(|candidate| candidate.manifest)
        .collect();
    play(&plan, &created, &mut manifests, namespace);
    let format = match Session::format(flags.output) {
        Format::Json => ManifestFormat::Json,
        _ => ManifestFormat::Yaml,
    };
    let roots = manifests.into_iter().map(|manifest| manifest.root);
    write_manifests(session.stdout, roots.collect(), format)?;
    let done = Done {
        objects: plan.errands.iter().map(Errand::object).collect(),
        ..Done::default()
    };
    let exit = presentation.exit_of(&plan.skipped);
    Ok(command.status(&question, exit, &done))
}

fn read(files: &Files, namespace: &str) -> Result<(ClusterState, Vec<Candidate>), CommandError> {
    let mut manifests = Manifests::read(files, namespace, Joined::Refuse)?;
    if let Some(broken) = manifests.broken.iter().chain(&manifests.left_over).next() {
        let (name, line) = (&broken.source.name, broken.place.line);
        let message = format!("{name}, line {line}: {}", broken.kind);
        return Err(CommandError::unanswered(message));
    }
    let candidates = std::mem::take(&mut manifests.candidates);
    let misunderstood = candidates.iter().find_map(misunderstanding);
    if let Some(error) = misunderstood {
        return Err(error);
    }
    Ok((manifests.into_state().state, candidates))
}

/// The first field that could not be decoded, with its line.
fn misunderstanding(candidate: &Candidate) -> Option<CommandError> {
    let (field, message) = candidate.misunderstood.as_ref()?;
    let place = candidate.manifest.as_ref().map(|manifest| {
        let line = manifest.root.place_of(field).line;
        format!("{}, line {line}, ", manifest.source.name)
    });
    let message = format!("{}{field}: {message}", place.unwrap_or_default());
    let hint = "the API server would refuse this object; fix the field";
    Some(CommandError::unanswered(message).with_hints([hint.to_owned()]))
}
