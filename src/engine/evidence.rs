//! What the controller's own words prove where volumes or classes could not be read.
//!
//! An application developer often may not list them. The controller could, and its last event on the claim says what
//! it found. Events are repeated while the state lasts, so an old one proves nothing.

use super::consumers::Consumers;
use super::foreign_messages::{ClaimReport, ProvisioningError, is_by_controller, read_claim_event};
use super::provisioning::{Maker, last_failure};
use crate::model::{CLAIM, Claim, ClusterState, Event};
use crate::report::{Cause, ClaimCause, Mismatch, ProvisionedBy, Says, Verdict, VolumeHolder};

/// The controller repeats itself at least this often (its spam filter lets one event through every five minutes).
const FRESH_SECONDS: i64 = 10 * 60;

/// What an event proves.
#[derive(Debug, Clone)]
pub(crate) struct Proof {
    pub(crate) verdict: Verdict,
    pub(crate) causes: Vec<Cause>,
    pub(crate) says: Says,
}

/// What the controller's last event on the claim proves, if it is fresh and says something.
pub(crate) fn find_proof(state: &ClusterState, claim: &Claim) -> Option<Proof> {
    let event = last_word(state, claim)?;
    let (verdict, cause) = read(state, claim, event)?;
    let causes = match verdict {
        Verdict::Waiting => vec![Cause::note(cause)],
        Verdict::Unknown => vec![Cause::warning(cause)],
        _ => vec![Cause::blocker(cause)],
    };
    Some(Proof {
        verdict,
        causes,
        says: Says::new(&event.kind, &event.reason, event.message.clone()),
    })
}

fn last_word<'a>(state: &'a ClusterState, claim: &Claim) -> Option<&'a Event> {
    let last = state
        .events_about(CLAIM, &claim.key, claim.uid.as_deref())
        .filter(|event| is_by_controller(event))
        .max_by_key(|event| event.last_seen)?;
    let is_fresh = match (state.captured_at(), last.last_seen) {
        (Some(now), Some(seen)) => now.0 - seen.0 <= FRESH_SECONDS,
        _ => true,
    };
    is_fresh.then_some(last)
}

fn read(state: &ClusterState, claim: &Claim, event: &Event) -> Option<(Verdict, ClaimCause)> {
    let class = || claim.class.resolved().to_owned();
    let volume = || claim.volume_name.clone().unwrap_or_default();
    let blocked = |cause: ClaimCause| (Verdict::Blocked, cause);
    Some(match read_claim_event(event)? {
        ClaimReport::NoVolumeAndNoClass if claim.class.is_set() => {
            blocked(ClaimCause::ClassExplicitlyEmpty { default: None })
        }
        ClaimReport::NoVolumeAndNoClass => blocked(ClaimCause::NoDefaultClass { classes: vec![] }),
        ClaimReport::VolumeTaken => blocked(ClaimCause::NamedVolumeTaken {
            volume: volume(),
            holder: VolumeHolder::NotNamed,
            holder_is_gone: false,
        }),
        ClaimReport::VolumeMismatch { why } => blocked(ClaimCause::NamedVolumeMismatch {
            volume: volume(),
            why: Mismatch::Reported(why.to_owned()),
            put_in: None,
        }),
        ClaimReport::WaitForFirstConsumer => waiting(state, claim),
        ClaimReport::WaitForPodScheduled => {
            let consumers = Consumers::find(state, &claim.key).unwrap_or_default();
            let pods = consumers.unscheduled.iter();
            let cause = ClaimCause::ConsumerUnscheduled {
                pods: pods.map(|pod| pod.key.name.clone()).collect(),
                held_by: None,
            };
            (Verdict::Waiting, cause)
        }
        ClaimReport::ProvisioningFailed(ProvisioningError::ClassNotFound) => {
            blocked(ClaimCause::ClassNotFound {
                class: class(),
                similar: vec![],
            })
        }
        ClaimReport::ProvisioningFailed(ProvisioningError::NoProvisioner) => {
            blocked(ClaimCause::ClassDoesNotProvision {
                class: class(),
                immediate: true,
            })
        }
        ClaimReport::ProvisioningFailed(_) => blocked(ClaimCause::ProvisioningFailed {
            provisioner: "the controller".to_owned(),
            message: event.message.clone(),
            binds_too_early: None,
        }),
        ClaimReport::ExternalProvisioning { provisioner } => external(state, claim, provisioner),
        ClaimReport::Lost => {
            let volume = claim.volume_name.clone();
            (Verdict::Lost, ClaimCause::VolumeLost { volume })
        }
        ClaimReport::Misbound => {
            let cause = ClaimCause::VolumeMisbound {
                volume: volume(),
                holder: VolumeHolder::NotNamed,
                uid: None,
                own_uid: None,
                storage: None,
            };
            (Verdict::Lost, cause)
        }
    })
}

fn waiting(state: &ClusterState, claim: &Claim) -> (Verdict, ClaimCause) {
    let consumers = Consumers::find(state, &claim.key).unwrap_or_default();
    let on_nodes = |pods: &[&crate::model::Pod]| -> Vec<(String, String)> {
        pods.iter()
            .map(|pod| {
                (
                    pod.key.name.clone(),
                    pod.node_name.clone().unwrap_or_default(),
                )
            })
            .collect()
    };
    if !consumers.scheduled.is_empty() && consumers.unscheduled.is_empty() {
        return (
            Verdict::Blocked,
            ClaimCause::ConsumerBypassesScheduler {
                pods: on_nodes(&consumers.scheduled),
            },
        );
    }
    let finished = consumers
        .finished
        .iter()
        .map(|pod| pod.key.name.clone())
        .collect();
    let class = claim.class.resolved().to_owned();
    (
        Verdict::Waiting,
        ClaimCause::NoConsumer {
            class,
            finished,
            would_use: None,
            pods_seen: state.saw(crate::model::Kind::Pods, Some(&claim.key.namespace)),
        },
    )
}

/// An external provisioner was asked. Its own last event tells how it went; without one it may not be there at all.
fn external(state: &ClusterState, claim: &Claim, name: &str) -> (Verdict, ClaimCause) {
    let maker = Maker::External {
        name: name.to_owned(),
        by: ProvisionedBy::External,
    };
    match last_failure(state, claim, &maker) {
        Some(failure) => (Verdict::Blocked, failure),
        None => (
            Verdict::Unknown,
            ClaimCause::ProvisionerNotRegistered {
                provisioner: name.to_owned(),
                nearest: vec![],
            },
        ),
    }
}
