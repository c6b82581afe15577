//! `convert`: manifests in the spellings of the design documents, rewritten into what today's API server keeps.

use crate::engine::convert;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::FileFlags;
use crate::load::{Joined, Manifests};
use crate::render::{ManifestFormat, safe, write_manifests};
use crate::session::Session;

/// Rewrite manifests in the spellings of the storage design documents into what today's API server keeps
///
/// The result goes to standard output, what was changed and why to standard error, so that the readable form can be kept
/// in a file: kubectl pv convert -f class.yaml | kubectl apply -f -
///
/// Rewritten: allowedProvisioningOptions of a class and provisioningOptions of a claim (into annotations), spec.class (into
/// storageClassName), API versions that are gone, bare-number sizes, persistentDisk, and a pod's
/// source.persistentVolumeClaim.claimRef. Mended: values of labels that cannot be any, a missing `---` between two objects; a
/// resourceVersion is left out. Everything else stays as it is, comments excepted.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv convert -f class.yaml | kubectl apply -f -
  kubectl pv convert -f old/ -R > today.yaml
  kubectl pv convert -f class.yaml -o json")]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileFlags,

    /// Print as yaml or json; json is one List [default: yaml]
    #[arg(short, long, value_name = "FORMAT", help_heading = "Output")]
    output: Option<ManifestFormat>,
}

pub(crate) fn run(args: &Args, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    let files = args.files.files().ok_or_else(|| {
        CommandError::usage("name the files to convert with -f, or - for standard input")
    })?;
    let manifests = Manifests::read(&files, "default", Joined::Part)?;
    for note in &manifests.notes {
        writeln!(session.stderr, "{}", safe(note))?;
    }
    let mut refused = manifests.broken.iter().chain(&manifests.left_over);
    if let Some(broken) = refused.next() {
        let message = format!(
            "{}, line {}: {}",
            broken.source.name, broken.place.line, broken.kind
        );
        return Err(CommandError::unanswered(message)
            .with_hints(["nothing was converted; mend the document".to_owned()]));
    }
    let mut converted = Vec::new();
    for candidate in manifests.candidates {
        let Some(manifest) = &candidate.manifest else {
            continue;
        };
        let conversion = convert(manifest);
        for change in &conversion.changes {
            let (file, line) = (&manifest.source.name, change.place.line);
            let (kind, name) = (&manifest.kind, manifest.name());
            writeln!(
                session.stderr,
                "{}",
                safe(&format!(
                    "{file}:{line}: {kind} {name}: {} {}: {}",
                    change.field, change.done, change.why
                ))
            )?;
        }
        converted.push(conversion.manifest.root);
    }
    write_manifests(session.stdout, converted, args.output.unwrap_or_default())?;
    Ok(Exit::Yes)
}
