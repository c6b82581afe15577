//! `--take-over-directory`: gives a base directory to this cluster, and does nothing else. Called before anything is selected.
//! The owner of a directory is decided in `base_directories.rs`.

use super::base_directories::{NO_STAMP, find_obstacle_to_take_over};
use crate::cluster::Cluster;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::DryRun;
use crate::load::{Scope, Subject};
use crate::prompt::{ask, has_terminal};
use crate::render::safe;
use crate::report::plural;
use crate::session::Session;
use crate::storage::{Backend, Backends, BaseFacts};
use std::collections::BTreeSet;
use std::path::Path;

/// Takes over the directory that was named.
pub(super) fn run(
    asked: &str,
    dry_run: DryRun,
    backends: &Backends,
    cluster: &mut Cluster,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let (backend, facts, given) = find_directory(asked, backends)?;
    let run = cluster.run_facts()?;
    backends.work_for(&run);
    let state = cluster.load(&Scope::All, Subject::Anything)?;
    let host = session.environment.host.clone();
    if let Some(error) = find_obstacle_to_take_over(backend, &facts, &state, host.as_deref()) {
        return Err(error);
    }
    let path = facts.path.display();
    if facts.stamp.as_ref() == Some(&run.cluster) {
        let told = format!("{path} belongs to this cluster already ({}).", run.cluster);
        writeln!(session.stdout, "{}", safe(&told))?;
        return Ok(Exit::Yes);
    }
    let old = facts.stamp.as_deref().unwrap_or(NO_STAMP);
    let told = format!(
        "{path} belongs to cluster {old}: {}.\nIt would belong to this cluster, {}. A cluster that was restored from an etcd snapshot has the same uid as the original.",
        contents(backend)?,
        run.cluster
    );
    for line in told.lines() {
        writeln!(session.stderr, "{}", safe(line))?;
    }
    if dry_run != DryRun::None {
        writeln!(session.stdout, "Nothing was changed.")?;
        return Ok(Exit::Yes);
    }
    let given = match given {
        Some(given) => given,
        None if has_terminal(&session.environment) => {
            let question =
                format!("Type the uid of the present owner ({NO_STAMP} if there is none)");
            ask(&question, None, |_| None)?
        }
        None => {
            let flag = format!("--take-over-directory {path}=OLD-UID");
            let error = CommandError::usage("the uid of the present owner is needed");
            return Err(error.with_hints([flag]));
        }
    };
    if given.trim() != old {
        writeln!(
            session.stderr,
            "Nothing was changed: that is not the uid of the present owner."
        )?;
        return Ok(Exit::No);
    }
    backend.take_over(facts.stamp.as_deref())?;
    let told = format!("{path} belongs to this cluster now.");
    writeln!(session.stdout, "{}", safe(&told))?;
    Ok(Exit::Yes)
}

/// The backend whose base directory is meant, and the uid behind it.
fn find_directory<'a>(
    asked: &str,
    backends: &'a Backends,
) -> Result<(&'a Backend, BaseFacts, Option<String>), CommandError> {
    for backend in backends.iter() {
        let Some(facts) = backend.base_facts()? else {
            continue;
        };
        if is_same(asked, &facts.path) {
            return Ok((backend, facts, None));
        }
        if let Some((path, uid)) = asked.rsplit_once('=')
            && is_same(path, &facts.path)
        {
            return Ok((backend, facts, Some(uid.to_owned())));
        }
    }
    let message = format!("\"{asked}\" is not the base directory of a configured backend");
    let hint = "configure it: --backend PROVISIONER=hostpath:DIR".to_owned();
    Err(CommandError::usage(message).with_hints([hint]))
}

fn is_same(asked: &str, base: &Path) -> bool {
    let asked = Path::new(asked);
    let real = |path: &Path| path.canonicalize().ok();
    asked == base || real(asked).is_some_and(|asked| Some(asked) == real(base))
}

/// How much is in the directory, for people.
fn contents(backend: &Backend) -> Result<String, CommandError> {
    let deleter = backend.deleter()?;
    let recorded = match deleter {
        Some(deleter) => deleter.leaked(&BTreeSet::new())?,
        None => None,
    };
    let assets = recorded.unwrap_or_default();
    let filled = assets.iter().filter(|asset| asset.is_empty != Some(true));
    Ok(format!(
        "{}, {} of them with data",
        plural(assets.len(), "asset"),
        filled.count()
    ))
}
