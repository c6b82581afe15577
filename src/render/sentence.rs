//! The first line: a whole sentence with the answer.

use super::page::{Tone, Word, plain};
use crate::conventions::foreign::{quoted, quoted_each};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::model::Kind;
use crate::report::{
    Assessment, ClaimCause, Explanation, Path, Result, Severity, Verdict, VolumeReason, join_or,
};

/// The tone of a verdict.
fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Bound | Verdict::WillBind | Verdict::WillProvision => Tone::Good,
        Verdict::Waiting | Verdict::Unknown => Tone::Wait,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected => Tone::Bad,
    }
}

/// The answer as one sentence.
pub(super) fn verdict(explanation: &Explanation) -> Vec<Word> {
    let claim = &explanation.claim;
    let key = ObjectKey::new(&*claim.namespace, &*claim.name);
    let name = format!("{} ", quoted(&key.to_string()));
    let (said, rest) = match explanation.verdict {
        Verdict::Bound if let_go(explanation).is_some() => (
            "is Terminating",
            format!(
                ": {}. It is bound to {}.",
                let_go(explanation).unwrap_or_default(),
                bound_to(explanation)
            ),
        ),
        Verdict::Bound => (
            "is bound",
            format!(" to {}{}.", bound_to(explanation), but(explanation)),
        ),
        Verdict::WillBind => (
            "will bind",
            format!(" to {}{}.", outcome(explanation), rivals(explanation)),
        ),
        Verdict::WillProvision => (
            "will get a new volume",
            format!(", {}.", maker(explanation)),
        ),
        Verdict::Waiting => ("waits", format!(" {}", waiting(explanation))),
        Verdict::Blocked => ("stays Pending", format!(": {}.", blocked(explanation))),
        Verdict::Lost => (
            "has lost its volume",
            format!(": {}.", main_message(explanation)),
        ),
        Verdict::Rejected => (
            "would be refused",
            format!(" by the API server: {}.", main_message(explanation)),
        ),
        Verdict::Unknown => (
            "cannot be answered for certain",
            format!(": {}.", main_message(explanation)),
        ),
    };
    let mut words = vec![
        (Tone::Label, name),
        (tone(explanation.verdict), said.to_owned()),
        plain(rest),
    ];
    if let Some(cluster) = &explanation.cluster {
        let would = match cluster.verdict {
            Verdict::WillBind => format!("would bind {}", some_of(&cluster.outcomes)),
            Verdict::WillProvision => "would have a volume made without its options".to_owned(),
            Verdict::Waiting => "would let it wait".to_owned(),
            _ => "would leave it Pending".to_owned(),
        };
        words.push(plain(format!(
            " That is by its provisioning options, which the cluster itself ignores: it {would}."
        )));
    }
    words
}

/// A bound claim whose deletion waits is not simply bound.
fn let_go(explanation: &Explanation) -> Option<String> {
    let mut causes = explanation.causes.iter().map(|cause| &cause.cause);
    let terminating = causes.find(|cause| matches!(cause, ClaimCause::ClaimTerminating { .. }));
    terminating.map(ClaimCause::message)
}

/// What may bite although the claim is bound.
fn but(explanation: &Explanation) -> String {
    let mut causes = explanation.causes.iter();
    let warning = causes.find(|cause| cause.severity == Severity::Warning);
    warning
        .map(|warning| format!(", but {}", warning.cause.message()))
        .unwrap_or_default()
}

fn bound_to(explanation: &Explanation) -> String {
    let name = quoted_each(&explanation.outcomes).join(", ");
    match explanation.volumes.first() {
        Some(volume) => format!("{name} ({})", volume.capacity),
        None => name,
    }
}

fn outcome(explanation: &Explanation) -> String {
    let [only] = &explanation.outcomes[..] else {
        let all: Vec<&Assessment> = taken(explanation).collect();
        let alike = |a: &Assessment, b: &Assessment| {
            a.access_modes == b.access_modes
                && Quantity::parse(&a.capacity).ok() == Quantity::parse(&b.capacity).ok()
        };
        let why = match &all[..] {
            all if all.iter().all(|volume| volume.reserved) => {
                "all are reserved for it, and Kubernetes takes any of them"
            }
            all if all.windows(2).all(|pair| alike(pair[0], pair[1])) => {
                "they are equal, and Kubernetes takes any of them"
            }
            _ => "Kubernetes does not determine which",
        };
        return format!("{}: {why}", some_of(&explanation.outcomes));
    };
    let Some(volume) = taken(explanation).next() else {
        return only.clone();
    };
    if explanation.path == Path::NamedVolume {
        return format!(
            "{only} ({}), which it names",
            volume.capacity,
            only = quoted(only)
        );
    }
    format!(
        "{only} ({}, {})",
        volume.capacity,
        why_this_one(explanation, volume),
        only = quoted(only)
    )
}

fn why_this_one(explanation: &Explanation, volume: &Assessment) -> String {
    if volume.reserved {
        return "reserved for it".to_owned();
    }
    let fits = || {
        explanation
            .volumes
            .iter()
            .filter(|volume| volume.result == Result::Fits)
    };
    let has_more_modes =
        |reason: &VolumeReason| matches!(reason, VolumeReason::MoreModesThanChosen { .. });
    let what = match fits().count() {
        0 => return "the only one that fits".to_owned(),
        _ if fits().any(|volume| volume.reasons.iter().any(has_more_modes))
            && explanation.rules == "v1.36" =>
        {
            "the smallest with the fewest access modes"
        }
        _ => "the smallest",
    };
    format!("{what} of {} that fit", fits().count() + 1)
}

/// A few names, or a few of many.
fn some_of(names: &[String]) -> String {
    const FEW: usize = 5;
    if names.len() <= FEW {
        return join_or(&quoted_each(names));
    }
    format!(
        "one of {} volumes ({}, …)",
        names.len(),
        quoted_each(&names[..3]).join(", ")
    )
}

fn taken(explanation: &Explanation) -> impl Iterator<Item = &Assessment> {
    explanation
        .volumes
        .iter()
        .filter(|volume| matches!(volume.result, Result::Chosen | Result::Possible))
}

fn rivals(explanation: &Explanation) -> String {
    let contended = explanation
        .causes
        .iter()
        .find_map(|cause| match &cause.cause {
            ClaimCause::Contended { claims, .. } => Some(claims),
            _ => None,
        });
    match contended.map(Vec::as_slice) {
        None | Some([]) => String::new(),
        Some([rival]) => format!(", unless {rival} takes it first"),
        Some(several) => format!(
            ", unless one of {} other claims takes it first",
            several.len()
        ),
    }
}

fn maker(explanation: &Explanation) -> String {
    match &explanation.provisioning {
        Some(provisioning) => format!(
            "made by {} (class {})",
            quoted(&provisioning.provisioner),
            quoted(&provisioning.class)
        ),
        None => "made by its provisioner".to_owned(),
    }
}

fn waiting(explanation: &Explanation) -> String {
    let class = &explanation.claim.class.name;
    match explanation.causes.first().map(|cause| &cause.cause) {
        Some(ClaimCause::ConsumerUnscheduled { pods, .. }) if pods.len() == 1 => {
            format!(
                "for pod {} to get a node (class {class}, WaitForFirstConsumer).",
                pods[0],
                class = quoted(class)
            )
        }
        Some(ClaimCause::ConsumerUnscheduled { pods, .. }) => {
            format!(
                "for one of the pods {} to get a node (class {class}, WaitForFirstConsumer).",
                join_or(pods),
                class = quoted(class)
            )
        }
        _ => match explanation
            .causes
            .iter()
            .find(|cause| cause.severity == Severity::Warning)
            .map(|cause| &cause.cause)
        {
            None if pods_were_seen(explanation) => {
                format!(
                    "for a pod, as its class {class} says (WaitForFirstConsumer). Nothing is wrong.",
                    class = quoted(class)
                )
            }
            None => format!(
                "for a pod, as its class {class} says (WaitForFirstConsumer). Pods were not seen.",
                class = quoted(class)
            ),
            Some(ClaimCause::NoVolumeFits { .. } | ClaimCause::NoVolumes) => {
                format!(
                    "for a pod, as its class {class} says (WaitForFirstConsumer); but no volume would fit then.",
                    class = quoted(class)
                )
            }
            Some(warning) => {
                format!(
                    "for a pod, as its class {class} says (WaitForFirstConsumer); but {}.",
                    warning.message(),
                    class = quoted(class)
                )
            }
        },
    }
}

fn pods_were_seen(explanation: &Explanation) -> bool {
    !explanation
        .unknowns
        .iter()
        .any(|unknown| unknown.is_of(Kind::Pods))
}

/// Where nothing fits and nothing is made, both halves belong into the sentence.
fn blocked(explanation: &Explanation) -> String {
    let causes = || explanation.causes.iter().map(|cause| &cause.cause);
    let none_fits = causes().find_map(|cause| match cause {
        ClaimCause::NoVolumes => Some("there are no volumes,".to_owned()),
        ClaimCause::NoVolumeFits {
            volumes, nearest, ..
        } => Some(match (volumes, nearest) {
            (1, Some((name, why))) => {
                format!(
                    "the only volume, {name}, does not fit: {};",
                    why.clause(),
                    name = quoted(name)
                )
            }
            (1, None) => "the only volume does not fit,".to_owned(),
            (_, Some((name, why))) => {
                let why = why.clause();
                format!(
                    "none of {volumes} volumes fits, nearest is {name}: {why};",
                    name = quoted(name)
                )
            }
            (_, None) => format!("none of {volumes} volumes fits,"),
        }),
        _ => None,
    });
    match (none_fits, causes().find_map(why_none_is_made)) {
        (Some(none_fits), Some(why)) if causes().all(|cause| cause.rank() >= 40) => {
            format!("{none_fits} and none will be made, as {why}")
        }
        _ => main_message(explanation),
    }
}

fn why_none_is_made(cause: &ClaimCause) -> Option<String> {
    Some(match cause {
        ClaimCause::ClassExplicitlyEmpty { .. } => "its class is set to \"\"".to_owned(),
        ClaimCause::NoDefaultClass { .. } => {
            "it asks for no class and there is no default".to_owned()
        }
        ClaimCause::ClassNotFound { class, .. } => {
            format!("class {class} does not exist", class = quoted(class))
        }
        ClaimCause::ClassDoesNotProvision { class, .. } => {
            format!("class {class} makes none", class = quoted(class))
        }
        ClaimCause::ProvisionerUnknown { provisioner, .. } => {
            format!(
                "nothing implements {provisioner}",
                provisioner = quoted(provisioner)
            )
        }
        ClaimCause::ProvisionerNotRegistered { provisioner, .. } => {
            format!(
                "provisioner {provisioner} is not there",
                provisioner = quoted(provisioner)
            )
        }
        ClaimCause::SelectorNotProvisionable { provisioner } => {
            format!(
                "{provisioner} makes none for claims with a selector",
                provisioner = quoted(provisioner)
            )
        }
        _ => return None,
    })
}

/// The message of the main cause.
pub(super) fn main_message(explanation: &Explanation) -> String {
    explanation
        .causes
        .first()
        .map(|cause| cause.cause.message())
        .unwrap_or_default()
}
