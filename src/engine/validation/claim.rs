//! Claims: their options, and what can never match.

use super::super::claims::{ClaimDecision, decide_uncontended};
use super::super::provisioning::Maker;
use super::{Review, config_map};
use crate::conventions::annotations;
use crate::conventions::object_ref::{ObjectKey, similar_names};
use crate::conventions::quantity::Quantity;
use crate::model::{Claim, ClusterState, Kind, Volume};
use crate::report::{ClaimCause, Finding, FindingCode, FindingObject, Verdict, did_you_mean};

pub(super) fn object(claim: &Claim) -> FindingObject {
    FindingObject {
        kind: "PersistentVolumeClaim".to_owned(),
        namespace: Some(claim.key.namespace.clone()),
        name: claim.key.name.clone(),
    }
}

pub(super) fn findings(review: &Review<'_>, claim: &Claim) -> Vec<Finding> {
    let mut found = class_annotations(
        &object(claim),
        claim.class.annotation.is_some(),
        claim.annotations.contains_key(annotations::ALPHA_CLASS),
    );
    let question = review.question;
    // What is served already needs nothing; a file does not know whether it is, the cluster does.
    let claim = question.state.find_claim(&claim.key).unwrap_or(claim);
    if claim.volume_name.is_some() {
        return found;
    }
    found.extend(unit_mix(review, claim));
    if claim.options.is_none() && claim.selector.is_none() {
        return found;
    }
    let decision = decide_uncontended(question.state, claim, question.rules);
    found.extend(option_findings(review, claim, &decision));
    found.extend(selector_not_provisionable(review, claim, decision.verdict));
    found
}

fn option_findings(
    review: &Review<'_>,
    claim: &Claim,
    decision: &ClaimDecision<'_>,
) -> Vec<Finding> {
    let Some(key) = config_map::options_key(claim) else {
        return vec![];
    };
    let state = review.question.state;
    let mut found = Vec::new();
    let is_broken = review.is_written("StorageClass", None, claim.class.resolved());
    if review.class_of(claim).is_none() && state.saw(Kind::Classes, None) && !is_broken {
        found.push(class_not_found(state, claim));
    }
    let is_broken = review.is_written("ConfigMap", Some(&key.namespace), &key.name);
    let saw_maps = state.saw(Kind::ConfigMaps, Some(&key.namespace))
        && state.find_unread(Kind::ConfigMaps, &key).is_none();
    if !review.maps.contains_key(&key) && saw_maps && !is_broken {
        found.push(map_not_found(state, claim, &key));
    }
    found.extend(ignored_by_cluster(review, claim, decision));
    found
}

fn map_not_found(state: &ClusterState, claim: &Claim, key: &ObjectKey) -> Finding {
    let maps = state.objects().config_maps.iter();
    let here = maps.filter(|map| map.key.namespace == key.namespace);
    let similar = similar_names(&key.name, here.map(|map| map.key.name.as_str()));
    let finding = Finding::new(
        FindingCode::OptionsConfigMapNotFound,
        object(claim),
        format!(
            "ConfigMap {} with its provisioning options is not there",
            key.name
        ),
    );
    let hint = did_you_mean(&similar)
        .unwrap_or_else(|| format!("it must be in namespace {}, as the claim is", key.namespace));
    finding.at(options_field()).hint(hint)
}

/// The controller of the cluster binds an existing volume all the same, or asks a provisioner that never sees the options.
fn ignored_by_cluster(
    review: &Review<'_>,
    claim: &Claim,
    decision: &ClaimDecision<'_>,
) -> Option<Finding> {
    let mut causes = decision.causes.iter();
    let would = causes.find_map(|cause| match &cause.cause {
        ClaimCause::OptionsIgnoredByCluster { would } => Some(would),
        _ => None,
    })?;
    let cluster = decision.cluster.as_ref();
    let binds = cluster.is_some_and(|cluster| cluster.verdict == Verdict::WillBind);
    let asks = review
        .class_of(claim)
        .is_some_and(|class| matches!(Maker::of(class), Maker::External { .. } | Maker::Internal));
    if !binds && !asks {
        return None;
    }
    let finding = Finding::new(
        FindingCode::OptionsIgnoredByCluster,
        object(claim),
        format!("the cluster's own controller ignores provisioning options: {would}"),
    );
    Some(finding.at(options_field()).hint(
        "have the volume made by a provisioner that honours them, in a class that no other serves",
    ))
}

/// The annotation; the field of seed 003 is found where it stands.
fn options_field() -> String {
    format!("metadata.annotations[{}]", annotations::OPTIONS)
}

fn class_not_found(state: &ClusterState, claim: &Claim) -> Finding {
    let wanted = claim.class.resolved();
    if wanted.is_empty() {
        let finding = Finding::new(
            FindingCode::ClassNotFound,
            object(claim),
            "provisioning options need a class, and the claim gets none",
        );
        return finding
            .at("spec.storageClassName")
            .hint("name a class that offers options");
    }
    let classes = state.classes().iter();
    let similar = similar_names(wanted, classes.map(|class| class.name.as_str()));
    let finding = Finding::new(
        FindingCode::ClassNotFound,
        object(claim),
        format!("class {wanted} is not there, so that nobody can tell which options it offers"),
    );
    let hint =
        did_you_mean(&similar).unwrap_or_else(|| "create the class, or name another".to_owned());
    finding.at("spec.storageClassName").hint(hint)
}

/// The alpha annotation means nothing today; the beta one counts before the field.
pub(super) fn class_annotations(
    object: &FindingObject,
    has_beta: bool,
    has_alpha: bool,
) -> Vec<Finding> {
    let about = |code, key: &str, message: &str| {
        Finding::new(code, object.clone(), message).at(format!("metadata.annotations[{key}]"))
    };
    let beta = has_beta.then(|| {
        about(
            FindingCode::BetaClassAnnotation,
            annotations::BETA_CLASS,
            "the class is named by the beta annotation, which counts before storageClassName",
        )
        .hint("use storageClassName")
    });
    let alpha = has_alpha.then(|| {
        about(
            FindingCode::AlphaClassAnnotation,
            annotations::ALPHA_CLASS,
            "the alpha annotation has no meaning any more: the class it names is not used",
        )
        .hint("use storageClassName")
    });
    beta.into_iter().chain(alpha).collect()
}

/// A provisioner makes no volume for a claim with a selector. An existing volume may still serve it.
fn selector_not_provisionable(
    review: &Review<'_>,
    claim: &Claim,
    verdict: Verdict,
) -> Option<Finding> {
    claim.selector.as_ref()?;
    let Maker::External { name, .. } = Maker::of(review.class_of(claim)?) else {
        return None;
    };
    if matches!(verdict, Verdict::Bound | Verdict::WillBind) {
        return None;
    }
    let finding = Finding::new(
        FindingCode::SelectorNotProvisionable,
        object(claim),
        format!(
            "{name} makes no volume for a claim with a selector, and none that is there matches"
        ),
    );
    Some(finding.at("spec.selector").hint(
        "leave the selector out to have a volume made, or set storageClassName: \"\" to take only existing ones",
    ))
}

/// `10Gi` asked for where `10G` is offered, or the other way round: seven percent that nobody sees.
fn unit_mix(review: &Review<'_>, claim: &Claim) -> Option<Finding> {
    let requested = claim.requested.as_ref()?;
    let twin = twin_unit(requested.as_str())?;
    let class = review
        .class_of(claim)
        .map_or(claim.class.resolved(), |class| class.name.as_str());
    // Only a volume that would do in every other way makes the unit matter.
    let would_do = |volume: &&Volume| {
        volume.capacity.as_str() == twin
            && volume.class.resolved() == class
            && volume.volume_mode == claim.volume_mode()
            && volume.access_modes.offers(claim.access_modes())
            && claim
                .selector
                .as_ref()
                .is_none_or(|selector| selector.matches(&volume.labels))
    };
    let volume = review.question.state.volumes().iter().find(would_do)?;
    let (message, hint) = if volume.capacity < *requested {
        (
            format!(
                "it asks for {requested}, and volume {} has {twin}, which is less: they never match",
                volume.name
            ),
            format!("ask for {twin}"),
        )
    } else {
        (
            format!(
                "it asks for {requested} where volume {} has {twin}, which is more",
                volume.name
            ),
            format!("ask for {twin}, if the same size is meant"),
        )
    };
    let finding = Finding::new(FindingCode::UnitMix, object(claim), message);
    Some(finding.at("spec.resources.requests.storage").hint(hint))
}

/// The same number in the other family of units: `10G` of `10Gi`.
fn twin_unit(written: &str) -> Option<String> {
    let written = written.trim();
    let unit_at = written.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = written.split_at(unit_at);
    let twin = match unit {
        "Ki" => "k",
        "Mi" => "M",
        "Gi" => "G",
        "Ti" => "T",
        "Pi" => "P",
        "Ei" => "E",
        "k" => "Ki",
        "M" => "Mi",
        "G" => "Gi",
        "T" => "Ti",
        "P" => "Pi",
        "E" => "Ei",
        _ => return None,
    };
    let twin = format!("{number}{twin}");
    Quantity::parse(&twin).is_ok().then_some(twin)
}
