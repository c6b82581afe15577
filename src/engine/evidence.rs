//! What the controller's own words prove where volumes or classes could not be read.
//!
//! An application developer often may not list them. The controller could, and its last event on the claim says what
//! it found. Events are repeated while the state lasts, so an old one proves nothing.

use super::consumers::Consumers;
use crate::model::{CLAIM, Claim, ClusterState, Event};
use crate::report::{Cause, ClaimCause, Mismatch, Says, Verdict, VolumeHolder};

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
        .filter(|event| event.component == "persistentvolume-controller")
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
    let message = event.message.as_str();
    Some(match event.reason.as_str() {
        "FailedBinding" if message.starts_with("no persistent volumes available") => {
            let cause = if claim.class.is_set() {
                ClaimCause::ClassExplicitlyEmpty { default: None }
            } else {
                ClaimCause::NoDefaultClass { classes: vec![] }
            };
            (Verdict::Blocked, cause)
        }
        "FailedBinding" => {
            let holder = VolumeHolder::NotNamed;
            (
                Verdict::Blocked,
                ClaimCause::NamedVolumeTaken {
                    volume: volume(),
                    holder,
                    holder_is_gone: false,
                },
            )
        }
        "VolumeMismatch" => {
            let why = message
                .split_once("\": ")
                .map_or(message, |(_, why)| why)
                .to_owned();
            (
                Verdict::Blocked,
                ClaimCause::NamedVolumeMismatch {
                    volume: volume(),
                    why: Mismatch::Reported(why),
                    put_in: None,
                },
            )
        }
        "WaitForFirstConsumer" => waiting(state, claim),
        "WaitForPodScheduled" => {
            let consumers = Consumers::find(state, &claim.key).unwrap_or_default();
            let pods = consumers
                .unscheduled
                .iter()
                .map(|pod| pod.key.name.clone())
                .collect();
            (
                Verdict::Waiting,
                ClaimCause::ConsumerUnscheduled {
                    pods,
                    held_by: None,
                },
            )
        }
        "ProvisioningFailed" if message.ends_with("not found") => (
            Verdict::Blocked,
            ClaimCause::ClassNotFound {
                class: class(),
                similar: vec![],
            },
        ),
        "ProvisioningFailed" if message.ends_with("kubernetes.io/no-provisioner") => (
            Verdict::Blocked,
            ClaimCause::ClassDoesNotProvision {
                class: class(),
                immediate: true,
            },
        ),
        "ProvisioningFailed" => {
            let provisioner = "the controller".to_owned();
            (
                Verdict::Blocked,
                ClaimCause::ProvisioningFailed {
                    provisioner,
                    message: message.to_owned(),
                    binds_too_early: None,
                },
            )
        }
        "ExternalProvisioning" => external(state, claim, message)?,
        "ClaimLost" => (
            Verdict::Lost,
            ClaimCause::VolumeLost {
                volume: claim.volume_name.clone(),
            },
        ),
        "ClaimMisbound" => {
            let holder = VolumeHolder::NotNamed;
            (
                Verdict::Lost,
                ClaimCause::VolumeMisbound {
                    volume: volume(),
                    holder,
                    uid: None,
                    own_uid: None,
                    storage: None,
                },
            )
        }
        _ => return None,
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
fn external(state: &ClusterState, claim: &Claim, message: &str) -> Option<(Verdict, ClaimCause)> {
    let name = message.split('\'').nth(1)?.to_owned();
    let by = crate::report::ProvisionedBy::External;
    let maker = super::provisioning::Maker::External {
        name: name.clone(),
        by,
    };
    Some(
        match super::provisioning::last_failure(state, claim, &maker) {
            Some(failure) => (Verdict::Blocked, failure),
            None => (
                Verdict::Unknown,
                ClaimCause::ProvisionerNotRegistered {
                    provisioner: name,
                    nearest: vec![],
                },
            ),
        },
    )
}
