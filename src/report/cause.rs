//! What is true of a claim: the whole vocabulary of causes, each with its evidence, its rank and its severity.

use super::code::{Code, coded};
use super::evidence::{join_reasons, not_readable};
use super::removal::save_first;
use super::sentence::{join_and, join_or, plural};
use super::{
    DataSourceName, FutureUser, HoldingPod, Mismatch, NearNode, NotReady, PodHold, Removal,
    ReportedCondition, VolumeHolder, VolumeReason, WithoutOptions,
};
use crate::conventions::access_mode::AccessModes;
use crate::conventions::annotations::SELECTED_NODE;
use crate::conventions::foreign::{quoted, quoted_each};
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::spoken::spoken;
use crate::model::{Kind, Time, VolumePhase};
use serde::{Serialize, Serializer};

/// How much a cause weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Severity {
    /// The claim gets no volume because of it.
    Blocker,
    /// It surprises, or may bite.
    Warning,
    /// It is good to know.
    Note,
}

/// A cause with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// What is true.
    pub cause: ClaimCause,
    /// How much it weighs here.
    pub severity: Severity,
}

coded! {
    /// What is true of a claim. The code is the variant's name.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum ClaimCause {
        /// The API server refuses it: the field errors.
        InvalidClaim { errors: Vec<String> },
        /// A LimitRange refuses it.
        LimitRangeViolated {
            limit_range: String,
            message: String,
            on_update: bool,
        },
        /// A quota refuses it.
        QuotaExceeded {
            quota: String,
            message: String,
            on_update: bool,
        },
        /// Its volume belongs to another claim (R64).
        VolumeMisbound {
            volume: String,
            holder: VolumeHolder,
            uid: Option<String>,
            /// This claim's uid, where the names are the same.
            own_uid: Option<String>,
            /// What the volume stands for, which is where the data is.
            storage: Option<String>,
        },
        /// Its volume is gone (R61), or it forgot which it was (R60).
        VolumeLost { volume: Option<String> },
        /// It names a volume that is not there (R40).
        NamedVolumeNotFound {
            volume: String,
            /// Volumes of nearly that name, with the phase they are in.
            similar: Vec<(String, VolumePhase)>,
        },
        /// It names a volume that is somebody else's (R44).
        NamedVolumeTaken {
            volume: String,
            holder: VolumeHolder,
            holder_is_gone: bool,
        },
        /// It names a volume that does not satisfy it (R43).
        NamedVolumeMismatch {
            volume: String,
            why: Mismatch,
            /// The default class, where it was put in and is not the volume's.
            put_in: Option<String>,
        },
        /// Its pods were put on a node by hand, past the scheduler (R118).
        ConsumerBypassesScheduler { pods: Vec<(String, String)> },
        /// The node chosen for it is gone.
        SelectedNodeMissing { node: String },
        /// No node satisfies all claims of the pod.
        NoFeasibleNode {
            pod: Option<String>,
            /// The same thing on every node, said once.
            because: Option<String>,
            /// What to do about that.
            advice: Option<String>,
        },
        /// A volume that is reserved for it is taken by the scheduler, and can never be bound to it (R117).
        ReservedVolumeUnfit {
            volume: String,
            missing: AccessModes,
        },
        /// A volume was or would be made for it that can never be bound to it (R98).
        ProvisionedVolumeUnfit {
            volume: String,
            why: Vec<VolumeReason>,
        },
        /// The provisioner reported an error.
        ProvisioningFailed {
            provisioner: String,
            message: String,
            /// The class, if it does not wait for the pod whose node the provisioner misses.
            binds_too_early: Option<String>,
        },
        /// What it is to be filled from is not there.
        DataSourceNotFound { source: DataSourceName },
        /// What it is to be filled from is not ready.
        DataSourceNotReady {
            source: DataSourceName,
            why: NotReady,
        },
        /// Its ConfigMap with options is not there.
        OptionsConfigMapNotFound { name: String },
        /// An option the class does not offer.
        OptionUnknown { key: String, nearest: Vec<String> },
        /// A value the class does not allow.
        OptionValueNotAllowed {
            key: String,
            value: String,
            allowed: Vec<String>,
        },
        /// An option that must be given.
        OptionRequired { key: String },
        /// An option against the class's own parameters.
        OptionConflictsWithParameters {
            key: String,
            value: String,
            parameter: String,
            allowed: Vec<String>,
        },
        /// Volumes exist, every one is rejected.
        NoVolumeFits {
            volumes: usize,
            of_class: usize,
            class: String,
            /// The volume that lacks one thing only, and that thing.
            nearest: Option<(String, VolumeReason)>,
        },
        /// `storageClassName: ""`.
        ClassExplicitlyEmpty { default: Option<String> },
        /// No class asked for, and none is the default.
        NoDefaultClass { classes: Vec<String> },
        /// The class object is not there.
        ClassNotFound { class: String, similar: Vec<String> },
        /// The class makes no volumes.
        ClassDoesNotProvision { class: String, immediate: bool },
        /// Nothing implements the provisioner's name.
        ProvisionerUnknown { class: String, provisioner: String },
        /// There is no sign of the provisioner.
        ProvisionerNotRegistered {
            provisioner: String,
            nearest: Vec<String>,
        },
        /// Provisioners refuse selectors.
        SelectorNotProvisionable { provisioner: String },
        /// There are no volumes at all.
        NoVolumes,
        /// Its selector asks for a label that no volume has; without `offered` values nobody uses the key at all.
        LabelNotOffered {
            key: String,
            values: Vec<String>,
            nearest: Vec<String>,
            offered: Vec<String>,
        },
        /// A pod waits for a node.
        ConsumerUnscheduled {
            pods: Vec<String>,
            /// What keeps the pod from a node, if that was seen.
            held_by: Option<PodHold>,
        },
        /// No pod uses it yet.
        NoConsumer {
            class: String,
            finished: Vec<String>,
            would_use: Option<FutureUser>,
            /// False where nobody knows which pods there are.
            pods_seen: bool,
        },
        /// Something the answer needs could not be read.
        NotReadable { what: Vec<Kind> },
        /// A volume is reserved for it and not used.
        ReservationIgnored {
            volume: String,
            why: Vec<VolumeReason>,
        },
        /// Others want the same volumes.
        Contended {
            claims: Vec<ObjectKey>,
            volumes: Vec<String>,
        },
        /// The options its class declares cannot be understood.
        OptionsMalformed { class: String, why: String },
        /// The control plane knows nothing of provisioning options.
        OptionsIgnoredByCluster { would: WithoutOptions },
        /// Its deletion was asked for.
        ClaimTerminating {
            since: Option<Time>,
            held_by: Vec<HoldingPod>,
            finalizers: Vec<String>,
        },
        /// It is bound, and its volume is being deleted.
        BeingDeleted {
            volume: String,
            policy: String,
            removal: Removal,
        },
        /// The default class, which somebody else chose, keeps it from volumes that would fit.
        DefaultClassApplied { class: String, volumes: Vec<String> },
        /// Several classes are marked as the default: each with the day it was created, the one that counts first.
        SeveralDefaultClasses {
            classes: Vec<(String, Option<Time>)>,
        },
        /// It is bound, and no node can use its volume.
        NodeAffinityMismatch {
            volume: String,
            wanted: String,
            near: Option<NearNode>,
        },
        /// Its attributes class is being changed, or should be.
        AttributesChangePending {
            from: Option<String>,
            to: String,
            status: String,
            said: Option<ReportedCondition>,
        },
        /// It asks for more than it holds.
        ExpansionPending {
            requested: Quantity,
            holds: Quantity,
            said: Option<ReportedCondition>,
        },
        /// It asks for more, and its class does not allow that.
        ExpansionNotAllowed {
            class: String,
            requested: Quantity,
            holds: Quantity,
        },
    }
}

impl ClaimCause {
    /// Where it stands among the causes of one claim; see "Verdict, cause and exit" of the contract.
    pub fn rank(&self) -> u8 {
        match self {
            Self::InvalidClaim { .. } => 0,
            Self::LimitRangeViolated { .. } => 1,
            Self::QuotaExceeded { .. } => 2,
            Self::NotReadable { .. } => 3,
            Self::VolumeMisbound { .. } => 10,
            Self::VolumeLost { .. } => 11,
            Self::NamedVolumeNotFound { .. } => 12,
            Self::NamedVolumeTaken { .. } => 13,
            Self::NamedVolumeMismatch { .. } => 14,
            Self::ConsumerBypassesScheduler { .. } => 20,
            Self::SelectedNodeMissing { .. } => 21,
            Self::NoFeasibleNode { .. } => 22,
            Self::ReservedVolumeUnfit { .. } => 29,
            Self::ProvisionedVolumeUnfit { .. } => 30,
            Self::ProvisioningFailed { .. } => 31,
            Self::DataSourceNotFound { .. } => 32,
            Self::DataSourceNotReady { .. } => 33,
            Self::OptionsConfigMapNotFound { .. } => 34,
            Self::OptionUnknown { .. } => 35,
            Self::OptionValueNotAllowed { .. } => 36,
            Self::OptionRequired { .. } => 37,
            Self::OptionConflictsWithParameters { .. } => 38,
            Self::NoVolumeFits { of_class, .. } if *of_class > 0 => 40,
            Self::NoVolumeFits { .. } => 60,
            Self::ClassExplicitlyEmpty { .. } => 50,
            Self::NoDefaultClass { .. } => 51,
            Self::ClassNotFound { .. } => 52,
            Self::ClassDoesNotProvision { .. } => 53,
            Self::ProvisionerUnknown { .. } => 54,
            Self::ProvisionerNotRegistered { .. } => 55,
            Self::SelectorNotProvisionable { .. } => 56,
            Self::NoVolumes => 61,
            Self::LabelNotOffered { .. } => 62,
            Self::ConsumerUnscheduled { .. } => 70,
            Self::NoConsumer { .. } => 71,
            Self::BeingDeleted { .. } => 78,
            Self::OptionsMalformed { .. } => 79,
            Self::OptionsIgnoredByCluster { .. } => 80,
            Self::Contended { .. } => 81,
            Self::ReservationIgnored { .. } => 82,
            Self::ClaimTerminating { .. } => 83,
            Self::ExpansionNotAllowed { .. } => 84,
            Self::ExpansionPending { .. } => 85,
            Self::AttributesChangePending { .. } => 86,
            Self::NodeAffinityMismatch { .. } => 87,
            Self::DefaultClassApplied { .. } => 88,
            Self::SeveralDefaultClasses { .. } => 89,
        }
    }

    /// One clause, lowercase, without a full stop.
    #[expect(clippy::too_many_lines, reason = "one list, a sentence a code")]
    fn message_words(&self) -> String {
        match self {
            Self::InvalidClaim { errors } => errors.join("; "),
            Self::LimitRangeViolated { limit_range, message, on_update: false } => {
                format!("LimitRange {limit_range} refuses it: {message}", limit_range = quoted(limit_range))
            }
            Self::LimitRangeViolated { limit_range, message, .. } => {
                format!("LimitRange {limit_range} refuses every change of this claim, the binding too: {message}", limit_range = quoted(limit_range))
            }
            Self::QuotaExceeded { message, on_update: false, .. } => message.clone(),
            Self::QuotaExceeded { message, .. } => format!("the class cannot be assigned: {message}"),
            Self::NotReadable { what } => not_readable(what),
            Self::VolumeMisbound { volume, holder, uid, own_uid, .. } => {
                let uid = uid.as_ref().map_or_else(|| "no uid".to_owned(), |uid| format!("uid {uid}"));
                let holder = match holder {
                    VolumeHolder::NoClaim => "nobody in particular".to_owned(),
                    holder => holder.to_string(),
                };
                match own_uid {
                    Some(own) => format!("volume {volume} is held for a claim of this name with {uid}, and this one has uid {own}", volume = quoted(volume)),
                    None => format!("volume {volume} belongs to {holder} ({uid}), not to this claim", volume = quoted(volume)),
                }
            }
            Self::VolumeLost { volume: Some(volume) } => {
                format!("its volume {volume} does not exist any more; the data may still be on the storage behind it", volume = quoted(volume))
            }
            Self::VolumeLost { volume: None } => "it was bound once and no longer says to which volume".to_owned(),
            Self::NamedVolumeNotFound { volume, .. } => format!(
                "it names volume {volume}, which does not exist; Kubernetes waits for it silently and makes no other", volume = quoted(volume)),
            Self::NamedVolumeTaken { volume, holder, holder_is_gone: true } => {
                format!("it names volume {volume}, which is still held for {holder}, a claim that is gone", volume = quoted(volume))
            }
            Self::NamedVolumeTaken { volume, holder, .. } => format!("it names volume {volume}, which belongs to {holder}", volume = quoted(volume)),
            Self::NamedVolumeMismatch { volume, why, put_in } => {
                let default = put_in.as_ref().map(|_| ", the default that was put in").unwrap_or_default();
                format!("it names volume {volume}, which does not satisfy it: {why}{default}", volume = quoted(volume))
            }
            Self::ConsumerBypassesScheduler { pods } => {
                let names: Vec<String> = pods.iter().map(|(pod, node)| format!("{pod} (on {node})", pod = quoted(pod), node = quoted(node))).collect();
                let (noun, verb) = if pods.len() == 1 { ("pod", "sets") } else { ("pods", "set") };
                format!(
                    "{noun} {} {verb} spec.nodeName, past the scheduler: nobody will ever choose a node for this claim",
                    join_and(&names)
                )
            }
            Self::SelectedNodeMissing { node } => format!("it is pinned to node {node}, which does not exist", node = quoted(node)),
            Self::NoFeasibleNode { pod: Some(pod), because: Some(because), .. } => format!("pod {pod} cannot be placed, as {because}", pod = quoted(pod)),
            Self::NoFeasibleNode { pod: Some(pod), .. } => format!("no node satisfies all claims of pod {pod}", pod = quoted(pod)),
            Self::NoFeasibleNode { pod: None, .. } => "whatever pod comes, no node has a volume for it or could have one made".to_owned(),
            Self::ReservedVolumeUnfit { volume, missing } => format!(
                "the scheduler takes volume {volume}, which is reserved for it, and the controller never binds it (it does not offer {missing}): the pod gives up after ten minutes, and begins again",
                volume = quoted(volume)),
            Self::ProvisionedVolumeUnfit { volume, why } => {
                format!("the volume made for it, {volume}, can never be bound to it: {}", join_reasons(why), volume = quoted(volume))
            }
            Self::ProvisioningFailed { provisioner, message, .. } => format!("{provisioner} reports: {message}", provisioner = quoted(provisioner), message = quoted(message)),
            Self::DataSourceNotFound { source } => format!("{source}, which it is to be filled from, does not exist"),
            Self::DataSourceNotReady { source, why } => format!("{source}, which it is to be filled from, is not ready: {why}"),
            Self::OptionsConfigMapNotFound { name } => {
                format!("its provisioning options are in ConfigMap {name}, which does not exist in its namespace", name = quoted(name))
            }
            Self::OptionUnknown { key, .. } => format!("option {key} is none that its class offers", key = quoted(key)),
            Self::OptionValueNotAllowed { key, value, allowed } if allowed.is_empty() => {
                format!("option {key} cannot have the value {value}", key = quoted(key), value = quoted(value))
            }
            Self::OptionValueNotAllowed { key, value, allowed } => {
                format!("option {key} cannot be {value}, only {}", join_or(&quoted_each(allowed)), key = quoted(key), value = quoted(value))
            }
            Self::OptionRequired { key } => format!("option {key} must be given", key = quoted(key)),
            Self::OptionConflictsWithParameters { key, value, parameter, allowed } => {
                format!("option {key}={value} contradicts the class, whose parameter {parameter} is {}", quoted_each(allowed).join(", "), key = quoted(key), value = quoted(value), parameter = quoted(parameter))
            }
            Self::NoVolumeFits { volumes, of_class, class, .. } => {
                let fits = if *volumes == 1 { "the only volume does not fit".to_owned() } else { format!("none of {volumes} volumes fits") };
                match (of_class, class.as_str()) {
                    (0, "") if *volumes == 1 => format!("{fits}; it has a class"),
                    (0, "") => format!("{fits}; every one of them has a class"),
                    (0, class) if *volumes == 1 => format!("{fits}; it is not of class {class}", class = quoted(class)),
                    (0, class) => format!("{fits}; none has class {class}", class = quoted(class)),
                    (_, "") if *volumes == 1 => format!("{fits}, though it has no class, as asked for"),
                    (_, class) if *volumes == 1 => format!("{fits}, though it is of class {class}", class = quoted(class)),
                    (n, "") => format!("{fits}; {n} of them without a class, as asked for"),
                    (n, class) => format!("{fits}; {n} of them of class {class}", class = quoted(class)),
                }
            }
            Self::ClassExplicitlyEmpty { .. } => {
                "storageClassName is set to \"\": only volumes without a class count, and none is ever made".to_owned()
            }
            Self::NoDefaultClass { .. } => "it asks for no class, and no class is the default: none will be made".to_owned(),
            Self::ClassNotFound { class, .. } => {
                format!("class {class} does not exist, which matters only for making a new volume", class = quoted(class))
            }
            Self::ClassDoesNotProvision { class, .. } => {
                format!("class {class} makes no volumes (kubernetes.io/no-provisioner)", class = quoted(class))
            }
            Self::ProvisionerUnknown { class, provisioner } => {
                format!("class {class} names provisioner {provisioner}, which nothing implements", class = quoted(class), provisioner = quoted(provisioner))
            }
            Self::ProvisionerNotRegistered { provisioner, .. } => format!(
                "there is no sign of provisioner {provisioner}: no CSIDriver, no CSINode entry, no volume made by it, no event of it", provisioner = quoted(provisioner)),
            Self::SelectorNotProvisionable { provisioner } => {
                format!("it has a selector, and {provisioner} makes no volumes for claims with a selector", provisioner = quoted(provisioner))
            }
            Self::NoVolumes => "there are no volumes at all".to_owned(),
            Self::ConsumerUnscheduled { pods, held_by } => {
                let held = held_by.as_ref().map(|held| format!(" ({held})")).unwrap_or_default();
                match &pods[..] {
                    [pod] => format!("pod {pod} waits for a node{held}", pod = quoted(pod)),
                    _ => format!("pods {} wait for a node{held}", join_and(pods)),
                }
            }
            Self::LabelNotOffered { key, offered, .. } if offered.is_empty() => format!("no volume has a label {key}", key = quoted(key)),
            Self::LabelNotOffered { key, values, offered, .. } => {
                let wanted: Vec<String> = values.iter().map(|value| format!("{key}={value}", key = quoted(key), value = quoted(value))).collect();
                let more = if offered.len() > 5 { format!(" and {}", plural(offered.len() - 5, "other value")) } else { String::new() };
                format!("no volume has {}; offered: {}{more}", join_or(&wanted), offered[..offered.len().min(5)].join(", "))
            }
            Self::NoConsumer { class, pods_seen: false, .. } => {
                format!("class {class} binds when a pod comes (WaitForFirstConsumer); which pods there are was not seen", class = quoted(class))
            }
            Self::NoConsumer { class, finished, .. } if finished.is_empty() => {
                format!("class {class} binds when a pod comes (WaitForFirstConsumer), and no pod uses this claim yet", class = quoted(class))
            }
            Self::NoConsumer { class, finished, .. } => format!(
                "class {class} binds when a pod comes (WaitForFirstConsumer), and only finished pods use this claim: {}",
                join_and(finished), class = quoted(class)),
            Self::ReservationIgnored { volume, why } => format!("volume {volume} is reserved for it and will not be used: {}", join_reasons(why), volume = quoted(volume)),
            Self::Contended { claims, volumes } => {
                let names: Vec<String> = claims.iter().take(5).map(ToString::to_string).collect();
                let more = claims.len().saturating_sub(5);
                let tail = if more > 0 { format!(" and {}", plural(more, "more claim")) } else { String::new() };
                format!("{}{tail} may take {} first", join_and(&names), if volumes.len() > 5 { format!("one of its {} volumes", volumes.len()) } else { join_or(volumes) })
            }
            Self::OptionsMalformed { class, why } => format!(
                "the options that class {class} declares cannot be understood, so that its own were not checked: {why}", class = quoted(class)),
            Self::OptionsIgnoredByCluster { would } => {
                format!("the cluster's controller knows nothing of provisioning options: {would}")
            }
            Self::BeingDeleted { volume, policy, removal } => format!(
                "its volume {volume} is being deleted: when the claim is deleted, {}",
                removal.clause(policy), volume = quoted(volume)),
            Self::ClaimTerminating { since, held_by, finalizers } => {
                let at = since.map(|since| format!(" at {since}")).unwrap_or_default();
                let (noun, verb) = if held_by.len() == 1 { ("pod", "uses") } else { ("pods", "use") };
                let held_by: Vec<String> = held_by.iter().map(ToString::to_string).collect();
                let waits = match (held_by.is_empty(), finalizers.is_empty()) {
                    (true, true) => String::new(),
                    (true, false) => format!(", and waits for {}", finalizers.join(", ")),
                    (false, true) => format!(", and waits for the {noun} that still {verb} it: {}", join_and(&held_by)),
                    (false, false) => format!(
                        ", and waits ({}) for the {noun} that still {verb} it: {}",
                        finalizers.join(", "),
                        join_and(&held_by)
                    ),
                };
                format!("its deletion was asked for{at}{waits}")
            }
            Self::DefaultClassApplied { class, volumes } => {
                let (noun, verb) = if volumes.len() == 1 { ("volume", "has") } else { ("volumes", "have") };
                format!(
                    "its class {class} is the default, put in when it is created; {noun} {} would fit, but {verb} no class",
                    join_or(&volumes[..volumes.len().min(5)]), class = quoted(class))
            }
            Self::SeveralDefaultClasses { classes } => {
                let each: Vec<String> = classes.iter().map(|(class, created)| {
                    let created = created.map_or_else(|| "some day".to_owned(), |created| created.to_string());
                    format!("{class} (created {created})", class = quoted(class))
                }).collect();
                format!("{} are marked as the default, and the one created last counts, whichever was marked last", join_and(&each))
            }
            Self::NodeAffinityMismatch { volume, wanted, near } => {
                let near = near.as_ref().map(|near| format!("; {near}")).unwrap_or_default();
                format!("no node has {wanted}, which {volume} asks for: its data is out of reach until one does{near}", volume = quoted(volume))
            }
            Self::AttributesChangePending { from, to, status, said } => {
                let from = from.as_ref().map_or_else(|| "none".to_owned(), Clone::clone);
                let said = said.as_ref().map(|said| format!(": {}", quoted(&said.to_string()))).unwrap_or_default();
                let how = match status.as_str() {
                    "Infeasible" => "its driver says it cannot be done",
                    "InProgress" => "it is under way",
                    "Pending" => "it has not begun",
                    _ => "nobody has begun with it",
                };
                format!("its attributes class is to change from {from} to {to}, and {how}{said}", to = quoted(to))
            }
            Self::ExpansionPending { requested, holds, said } => {
                let said = said.as_ref().map(|said| format!(": {}", quoted(&said.to_string()))).unwrap_or_default();
                format!("it asks for {requested} and still holds {holds}{said}")
            }
            Self::ExpansionNotAllowed { class, requested, holds } => {
                format!("it asks for {requested}, holds {holds}, and class {class} does not allow expansion", class = quoted(class))
            }
        }
    }

    /// What to do about it, where that can be said in a clause.
    fn hint_words(&self) -> Option<String> {
        Some(match self {
            Self::LimitRangeViolated { .. } => "ask for a size within the bounds, or have the LimitRange changed".to_owned(),
            Self::QuotaExceeded { .. } => "free something in the namespace, or have the quota raised".to_owned(),
            Self::VolumeMisbound { volume, storage, .. } => {
                let storage = storage
                    .as_ref()
                    .map(|storage| format!("the data is probably intact, as {volume} still names {storage}; ", volume = quoted(volume)))
                    .unwrap_or_default();
                format!("{storage}Lost is not final: once the volume's claimRef is empty or carries this claim's uid, it is Bound again")
            }
            Self::VolumeLost { volume: None } => {
                "Lost is not final: write the volume's name into spec.volumeName; with no claimRef, or with this claim's uid, it makes the claim Bound again".to_owned()
            }
            Self::VolumeLost { volume: Some(volume) } => {
                format!("Lost is not final: a volume named {volume} with no claimRef, or with this claim's uid, makes it Bound again", volume = quoted(volume))
            }
            Self::NamedVolumeNotFound { similar, .. } => {
                let similar: Vec<String> = similar.iter().map(|(name, phase)| format!("{name} ({phase})", name = quoted(name))).collect();
                let meant = if similar.is_empty() { String::new() } else { format!("did you mean {}? ", join_or(&similar)) };
                format!("{meant}volumeName cannot be changed: create that volume, or recreate the claim")
            }
            Self::NamedVolumeMismatch { put_in: Some(_), .. } => "set storageClassName: \"\" in the claim".to_owned(),
            Self::ConsumerBypassesScheduler { pods } => {
                let node = pods.first().map_or("NODE", |(_, node)| node.as_str());
                format!("use nodeSelector kubernetes.io/hostname: {node} instead of spec.nodeName", node = quoted(node))
            }
            Self::NoFeasibleNode { advice, .. } => return advice.clone(),
            Self::DataSourceNotFound { .. } => "it goes on when that is there".to_owned(),
            Self::DataSourceNotReady { .. } => "it goes on when that is ready".to_owned(),
            Self::ExpansionNotAllowed { class, .. } => format!(
                "if its driver can do it, set allowVolumeExpansion: true on class {class}, which can be edited", class = quoted(class)),
            Self::SelectedNodeMissing { .. } => format!("remove its annotation {SELECTED_NODE}"),
            Self::ProvisioningFailed { binds_too_early: Some(class), .. } => format!(
                "class {class} binds at once (Immediate), and its provisioner needs the node of a pod: recreate the class with volumeBindingMode: WaitForFirstConsumer, as it cannot be edited", class = quoted(class)),
            Self::NoVolumeFits { nearest: Some((_, reason)), class, .. } => match reason {
                VolumeReason::ReservedForOtherClaim(holder) if holder.claim.is_some() => match class.as_str() {
                    "" => "make another volume without a class".to_owned(),
                    class => format!("make another volume of class {class}", class = quoted(class)),
                },
                VolumeReason::TooSmall { .. }
                | VolumeReason::VolumeModeMismatch { .. }
                | VolumeReason::AttributesClassMismatch { .. } => return reason.hint(),
                // The other hints change the volume, which may be meant for another claim: suggestions decide that.
                _ => return None,
            },
            Self::OptionUnknown { nearest, .. } | Self::LabelNotOffered { nearest, .. } if !nearest.is_empty() => {
                format!("did you mean {}?", join_or(&quoted_each(nearest)))
            }
            Self::ClassExplicitlyEmpty { default: Some(default) } => {
                format!("leave storageClassName out to get the default class {default}; the field cannot be changed, so recreate the claim", default = quoted(default))
            }
            Self::NoDefaultClass { classes } if !classes.is_empty() => {
                format!("name a class ({}), or mark one as the default", join_or(&classes[..classes.len().min(5)]))
            }
            Self::ClassNotFound { similar, .. } if !similar.is_empty() => format!("did you mean {}?", join_or(&quoted_each(similar))),
            Self::ClassNotFound { .. } => {
                "volumes are matched by its name alone: creating it helps only if it has a provisioner".to_owned()
            }
            Self::ClassDoesNotProvision { immediate: true, .. } => {
                "its volumes are made by hand; to have them chosen to suit the pod's node, recreate the class with volumeBindingMode: WaitForFirstConsumer, as it cannot be edited".to_owned()
            }
            Self::ProvisionerNotRegistered { nearest, .. } if !nearest.is_empty() => {
                format!("install the driver, or correct the class; registered drivers: {}", join_and(nearest))
            }
            Self::ProvisionerNotRegistered { .. } => "install the driver, or correct the class".to_owned(),
            Self::SelectorNotProvisionable { .. } => {
                "leave the selector out to have a volume made, or set storageClassName: \"\" to take only existing ones".to_owned()
            }
            Self::NoConsumer { would_use: Some(who), .. } => format!("{who} would use it"),
            Self::NoConsumer { .. } => "it goes on when a pod uses it".to_owned(),
            Self::NotReadable { .. } => "ask an administrator, or for the permissions listed under unknowns".to_owned(),
            Self::ClaimTerminating { held_by, .. } if !held_by.is_empty() => {
                "delete those pods; do not strip the finalizer".to_owned()
            }
            Self::BeingDeleted { volume, .. } => save_first(volume),
            Self::SeveralDefaultClasses { .. } => {
                "name a class in the claim, or take the mark off all but one".to_owned()
            }
            Self::NodeAffinityMismatch { .. } => {
                "labels are compared, not names of nodes, and a volume's nodeAffinity cannot be changed".to_owned()
            }
            _ => return None,
        })
    }
}

impl Cause {
    /// Something that keeps the claim from a volume.
    pub fn blocker(cause: ClaimCause) -> Self {
        Self {
            cause,
            severity: Severity::Blocker,
        }
    }

    /// Something that surprises.
    pub fn warning(cause: ClaimCause) -> Self {
        Self {
            cause,
            severity: Severity::Warning,
        }
    }

    /// Something good to know.
    pub fn note(cause: ClaimCause) -> Self {
        Self {
            cause,
            severity: Severity::Note,
        }
    }
}

#[derive(Serialize)]
struct CauseBody {
    code: Code,
    severity: Severity,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let body = CauseBody {
            code: self.cause.code(),
            severity: self.severity,
            message: self.cause.message(),
            hint: self.cause.hint(),
        };
        body.serialize(serializer)
    }
}

impl ClaimCause {
    /// One clause, lowercase, without a full stop.
    pub fn message(&self) -> String {
        spoken(self.message_words())
    }

    /// What to do about it, where that can be said in a clause.
    pub fn hint(&self) -> Option<String> {
        self.hint_words().map(spoken)
    }
}
