//! A writing command on files: a scenario is read, a plan made for it is played, and the objects come out as they would be. Nothing
//! outside is touched.

use super::writing::Manner;
use crate::actions::on_files::{Created, play};
use crate::actions::plan::Plan;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, DryRun};
use crate::load::{Files, Joined, Manifests};
use crate::model::ClusterState;
use crate::model::manifest::Candidate;
use crate::render::{Format, ManifestFormat, safe, write_manifests};
use crate::session::Session;

/// What files hold, and the texts it is printed back in.
pub(super) struct Scenario {
    pub(super) state: ClusterState,
    candidates: Vec<Candidate>,
    /// Where objects live that do not say so.
    namespace: String,
    dry_run: DryRun,
}

impl Scenario {
    /// Reads the files; a server cannot be asked about them.
    pub(super) fn read(
        files: &Files,
        connection: &ConnectionFlags,
        dry_run: DryRun,
    ) -> Result<Self, CommandError> {
        if dry_run == DryRun::Server {
            return Err(CommandError::usage(
                "--dry-run=server needs a cluster, not files",
            ));
        }
        let namespace = connection.namespace().unwrap_or("default").to_owned();
        let (state, candidates) = read(files, &namespace)?;
        Ok(Self {
            state,
            candidates,
            namespace,
            dry_run,
        })
    }

    /// Prints the plan, or the objects as they would be afterwards.
    pub(super) fn show(
        self,
        plan: &Plan,
        created: &[Created],
        manner: Manner<'_>,
        session: &mut Session<'_>,
    ) -> Result<Exit, CommandError> {
        if self.dry_run == DryRun::Client {
            return manner.print_plan(plan, session);
        }
        for skipped in &plan.skipped {
            let target = skipped.target.spelled();
            let told = format!("{target}: {}: {}", skipped.code, skipped.message);
            writeln!(session.stderr, "{}", safe(&told))?;
        }
        let manifests = self.candidates.into_iter();
        let mut manifests: Vec<_> = manifests
            .filter_map(|candidate| candidate.manifest)
            .collect();
        play(plan, created, &mut manifests, &self.namespace);
        let format = match Session::format(manner.output) {
            Format::Json => ManifestFormat::Json,
            _ => ManifestFormat::Yaml,
        };
        let roots = manifests.into_iter().map(|manifest| manifest.root);
        write_manifests(session.stdout, roots.collect(), format)?;
        Ok(manner.exit_of(&plan.skipped))
    }
}

fn read(files: &Files, namespace: &str) -> Result<(ClusterState, Vec<Candidate>), CommandError> {
    let mut manifests = Manifests::read(files, namespace, Joined::Refuse)?;
    if let Some(broken) = manifests.broken.iter().chain(&manifests.left_over).next() {
        let (name, line) = (&broken.source.name, broken.place.line);
        let message = format!("{name}, line {line}: {}", broken.message);
        return Err(CommandError::unanswered(message));
    }
    let candidates = std::mem::take(&mut manifests.candidates);
    let misunderstood = candidates.iter().find_map(misunderstanding);
    if let Some(error) = misunderstood {
        return Err(error);
    }
    Ok((manifests.into_state().state, candidates))
}

/// What could not be understood of an object, and where it stands.
fn misunderstanding(candidate: &Candidate) -> Option<CommandError> {
    let (field, message) = candidate.misunderstood.as_ref()?;
    let place = candidate.manifest.as_ref().map(|manifest| {
        let line = manifest.root.place_of(field).line;
        format!("{}, line {line}, ", manifest.source.name)
    });
    let message = format!("{}{field}: {message}", place.unwrap_or_default());
    let hint = "the API server would refuse this object; mend the field";
    Some(CommandError::unanswered(message).with_hints([hint.to_owned()]))
}
