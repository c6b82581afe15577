//! Who of several watchers works: whoever holds the lease, renewed every few seconds. One that is not renewed any more is over by our
//! own clock; those of others are not compared.

use super::reconcile::Args;
use crate::actions::apply::{Earnest, Silent};
use crate::actions::lease::{self, plan_lease, plan_release};
use crate::actions::outcome::Sent;
use crate::cluster::Cluster;
use crate::error::CommandError;
use crate::session::Session;
use crate::storage::Backends;
use std::time::Duration;
use tokio::time::Instant;

/// A lease that is not renewed is over after so long, whatever its duration says: its writer chooses the duration.
const MOST_SECONDS: u64 = 60;

/// How often the lease is renewed.
pub(super) const RENEW: Duration = Duration::from_secs(5);

/// The lease, as it was seen last.
pub(super) struct Leadership {
    namespace: String,
    /// Who we are.
    identity: String,
    pub(super) is_held: bool,
    renewed: Option<Instant>,
    /// The version that was seen last, and since when. Clocks of others are not compared.
    seen: Option<(Option<String>, Instant)>,
}

impl Leadership {
    pub(super) fn new(args: &Args, session: &Session<'_>) -> Self {
        let host = session.environment.host_name.clone().unwrap_or_default();
        let moment = session.environment.started_at.as_millisecond();
        Self {
            namespace: args.lease_namespace.clone(),
            identity: identity(&host, std::process::id(), moment),
            is_held: false,
            renewed: None,
            seen: None,
        }
    }

    /// Takes or renews the lease; says who has it if somebody else does.
    pub(super) fn hold(&mut self, cluster: &Cluster) -> Result<Option<String>, CommandError> {
        let is_fresh = self.renewed.is_some_and(|at| at.elapsed() < RENEW);
        if self.is_held && is_fresh {
            return Ok(None);
        }
        let lease = cluster.load_lease(&self.namespace, lease::NAME)?;
        if let Some(lease) = &lease {
            let holder = lease.holder.as_ref().filter(|name| **name != self.identity);
            let seconds = lease.seconds.unwrap_or(lease::SECONDS);
            let seconds = seconds.min(MOST_SECONDS);
            let is_over = self.is_over(lease.resource_version.as_ref(), seconds);
            if let Some(holder) = holder.filter(|_| !is_over) {
                self.is_held = false;
                return Ok(Some(holder.clone()));
            }
        }
        let plan = plan_lease(lease.as_ref(), &self.namespace, &self.identity);
        let none = Backends::default();
        let began = Instant::now();
        let applied = cluster.apply(&plan, Earnest::Yes, &none, &mut Silent);
        match applied.sent.into_iter().next() {
            Some(Sent::Done | Sent::AlreadyDone) => {
                self.is_held = true;
                self.renewed = Some(began);
                Ok(None)
            }
            Some(Sent::Conflict(_) | Sent::DoneAndChanged) => {
                self.is_held = false;
                Ok(Some("somebody else".to_owned()))
            }
            Some(
                Sent::Failed(why)
                | Sent::FailedWith { message: why, .. }
                | Sent::Unanswered(why)
                | Sent::Unclear(why),
            ) => {
                self.is_held = false;
                Err(CommandError::unanswered(why))
            }
            _ => Ok(Some("nobody".to_owned())),
        }
    }

    /// Gives the lease back, if it is ours; where that fails, it is over soon.
    pub(super) fn release(&mut self, cluster: &Cluster) {
        if !std::mem::take(&mut self.is_held) {
            return;
        }
        let lease = cluster.load_lease(&self.namespace, lease::NAME);
        let Ok(Some(lease)) = lease else { return };
        if lease.holder.as_ref() == Some(&self.identity) {
            let plan = plan_release(&lease, &self.namespace);
            let none = Backends::default();
            cluster.apply(&plan, Earnest::Yes, &none, &mut Silent);
        }
    }

    /// Whether nobody has renewed the lease for as long as it holds, by our own clock.
    fn is_over(&mut self, version: Option<&String>, seconds: u64) -> bool {
        match &self.seen {
            Some((seen, since)) if seen.as_ref() == version => {
                since.elapsed() >= Duration::from_secs(seconds)
            }
            _ => {
                self.seen = Some((version.cloned(), Instant::now()));
                false
            }
        }
    }
}

/// How a watcher is called in the lease: the machine, the process, and the moment it started at, in milliseconds.
fn identity(host: &str, process: u32, moment: i64) -> String {
    format!("{host}_{process}_{moment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_of_the_lease() {
        let holder = identity("node-1", 7, 1_700_000_000_000);
        assert_eq!(holder, "node-1_7_1700000000000");
    }
}
