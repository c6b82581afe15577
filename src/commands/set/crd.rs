//! `set crd`: the CustomResourceDefinition, without which no API server knows sets.

use crate::engine::volume_set_crd;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::render::{ManifestFormat, write_manifest};
use crate::session::Session;

/// Print the CustomResourceDefinition that makes the API server know PersistentVolumeSets
///
/// With it the API server keeps sets, refuses bad ones, and `kubectl get pvs` and `kubectl explain pvs.spec` work. Nothing is
/// read or changed. Apply it again after an update of this program.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv set crd | kubectl apply -f -
  kubectl pv set crd | kubectl apply --server-side -f -
  kubectl pv set crd -o json")]
pub(crate) struct Args {
    /// Print as yaml or json [default: yaml]
    #[arg(short, long, value_name = "FORMAT", help_heading = "Output")]
    output: Option<ManifestFormat>,
}

pub(crate) fn run(args: &Args, session: &mut Session<'_>) -> Result<Exit, CommandError> {
    let definition = volume_set_crd();
    write_manifest(session.stdout, &definition, args.output.unwrap_or_default())?;
    Ok(Exit::Yes)
}
