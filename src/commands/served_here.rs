//! The catalogue, and what the backends of this machine add to it.

use crate::error::CommandError;
use crate::load::{catalogue, directories_here, program_here, unknown_here};
use crate::model::catalogue::{Catalogue, KnownProvisioner};
use crate::render::safe;
use crate::session::Session;
use crate::storage::{Backend, Backends, KnownKey, Target};

/// What is known of provisioners, those that this machine serves among them. Programs are asked; one that gives no answer
/// is served all the same, and nothing is said of its parameters.
pub(super) fn known_provisioners(
    backends: &Backends,
    session: &mut Session<'_>,
) -> Result<Catalogue, CommandError> {
    let mut own = Vec::new();
    for backend in backends.iter() {
        own.push(known(backend, session)?);
    }
    Ok(catalogue().with_backends(own))
}

fn known(backend: &Backend, session: &mut Session<'_>) -> Result<KnownProvisioner, CommandError> {
    let name = backend.provisioner();
    let target = backend.target().to_string();
    match backend.target() {
        Target::HostPath { .. } | Target::Nfs { .. } => return Ok(directories_here(name, target)),
        Target::Csi { .. } => return Ok(unknown_here(name, target)),
        Target::Exec { .. } => {}
    }
    let keys = backend.creator().and_then(|creator| match creator {
        None => Ok(None),
        Some(creator) => creator.known_keys().map(Some),
    });
    let said = |keys: Vec<KnownKey>| keys.into_iter().map(|known| (known.key, known.meaning));
    Ok(match keys {
        Ok(Some(keys)) => program_here(name, target, said(keys.parameters), said(keys.options)),
        Ok(None) => unknown_here(name, target),
        Err(error) => {
            let note = format!("backend {name}: {error}; its parameters are not judged");
            writeln!(session.stderr, "note: {}", safe(&note))?;
            unknown_here(name, target)
        }
    })
}
