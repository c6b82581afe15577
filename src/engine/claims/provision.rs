//! The provisioning decision: who would provision the volume, and what prevents it (R90–R99).

use super::super::admission;
use super::super::options::{self, Merged};
use super::super::provisioning::{
    InternalRefusal, Maker, Reports, Signs, data_source_problem, internal_refusal, last_failure,
    missing_selected_node, registered_like, reported_elsewhere, signs_of, volume_name,
};
use super::super::sync::volume_mode_complaints;
use super::situation::{Answer, Situation};
use super::{OptionsAre, ProvisioningDecision};
use crate::conventions::annotations;
use crate::conventions::class_name::HOST_PATH;
use crate::model::{BindingMode, Class, Kind, Options};
use crate::report::{
    Cause, ClaimCause, Path, ProvisionedBy, Result, Says, Severity, SourceKind, Unknown,
    UnknownReason, UnknownRemedy, UnknownSubject, Verdict, VolumeReason,
};

/// What one question about provisioning finds.
#[derive(Default)]
struct Findings {
    causes: Vec<Cause>,
    unknowns: Vec<Unknown>,
}

impl Findings {
    fn of(
        causes: impl IntoIterator<Item = Cause>,
        unknowns: impl IntoIterator<Item = Unknown>,
    ) -> Self {
        Self {
            causes: causes.into_iter().collect(),
            unknowns: unknowns.into_iter().collect(),
        }
    }

    fn blocked_by(cause: impl IntoIterator<Item = ClaimCause>) -> Self {
        Self::of(cause.into_iter().map(Cause::blocker), [])
    }

    fn all(each: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for one in each {
            all.causes.extend(one.causes);
            all.unknowns.extend(one.unknowns);
        }
        all
    }
}

/// What follows from turning to the provisioner of a class. `general` is what holds of the claim anyway.
pub(super) fn answer<'a>(
    situation: &Situation<'_, 'a>,
    class: &'a Class,
    maker: &Maker,
    general: &[Cause],
) -> Answer<'a> {
    match maker {
        Maker::Nobody | Maker::Unimplemented(_) => none_provisions(situation, class, maker),
        Maker::Internal => internal(situation, class, maker, general),
        Maker::External { name, by } => external(situation, class, maker, (name, *by), general),
    }
}

fn none_provisions<'a>(situation: &Situation<'_, 'a>, class: &Class, maker: &Maker) -> Answer<'a> {
    let (no_volume, unread) = situation.no_volume();
    let found = Findings::all([
        Findings::blocked_by([no_provisioner(class, maker)]),
        missing_node(situation),
        Findings::of(no_volume, unread),
        Findings::of(situation.ignored_reservations(), []),
    ]);
    Answer {
        unknowns: found.unknowns,
        ..Answer::new(Verdict::Blocked, Path::Controller, found.causes)
    }
}

/// Why a class provisions no volumes.
fn no_provisioner(class: &Class, maker: &Maker) -> ClaimCause {
    let name = class.name.clone();
    match maker {
        Maker::Unimplemented(_) => ClaimCause::ProvisionerUnknown {
            class: name,
            provisioner: class.provisioner.clone(),
        },
        _ => ClaimCause::ClassDoesNotProvision {
            class: name,
            immediate: class.binding_mode == BindingMode::Immediate,
        },
    }
}

/// Waiting for a pod is normal; what will go wrong when it comes is better said now.
pub(super) fn look_ahead(situation: &Situation<'_, '_>) -> (Vec<Cause>, Vec<Unknown>) {
    let Some(class) = situation.state.find_class(&situation.class) else {
        return (vec![], vec![]);
    };
    let (_, mut found) = merge_options(situation, class);
    let mut volumes = situation.volumes.iter();
    if !volumes.any(|judged| judged.result != Result::Rejected) {
        let warnings = warnings_of(situation, class).into_iter();
        found.causes.extend(warnings.map(Cause::warning));
    }
    (found.causes, found.unknowns)
}

fn warnings_of(situation: &Situation<'_, '_>, class: &Class) -> Vec<ClaimCause> {
    match Maker::of(class) {
        Maker::Nobody => vec![situation.no_volume_cause()],
        maker @ Maker::Unimplemented(_) => {
            vec![no_provisioner(class, &maker), situation.no_volume_cause()]
        }
        Maker::Internal => vec![],
        Maker::External { name, .. } => {
            let signs = signs_of(situation.state, &name, reports(situation));
            let is_unregistered = signs == Signs::None && !name.contains('/');
            let missing = is_unregistered.then(|| not_registered(situation, &name));
            let selector = situation.claim.selector.as_ref();
            let refused =
                selector.map(|_| ClaimCause::SelectorNotProvisionable { provisioner: name });
            missing.into_iter().chain(refused).collect()
        }
    }
}

fn not_registered(situation: &Situation<'_, '_>, name: &str) -> ClaimCause {
    ClaimCause::ProvisionerNotRegistered {
        provisioner: name.to_owned(),
        nearest: registered_like(situation.state, name),
    }
}

/// Events of other namespaces prove nothing about this claim.
fn reports<'s>(situation: &Situation<'s, '_>) -> Reports<'s> {
    Reports::Of(&situation.claim.key.namespace)
}

/// The node chosen for the claim does not exist: no provisioner can act for it.
fn missing_node(situation: &Situation<'_, '_>) -> Findings {
    let (state, claim) = (situation.state, situation.claim);
    let missing = missing_selected_node(state, claim).map(|node| {
        Cause::blocker(ClaimCause::SelectedNodeMissing {
            node: node.to_owned(),
        })
    });
    let chosen = claim.selected_node();
    Findings::of(missing, chosen.and_then(|_| situation.gap(Kind::Nodes)))
}

fn internal<'a>(
    situation: &Situation<'_, 'a>,
    class: &'a Class,
    maker: &Maker,
    general: &[Cause],
) -> Answer<'a> {
    let (unfit, ignored) = situation.unfit_volumes();
    let to_be = unfit.is_empty().then(|| unfit_to_be(situation)).flatten();
    let (merged, options) = merge_options(situation, class);
    let refusal = internal_refusal(situation.state, situation.claim, class);
    let refusal = refusal.map(|refusal| ClaimCause::ProvisioningFailed {
        provisioner: HOST_PATH.to_owned(),
        message: refusal.to_string(),
        binds_too_early: None,
    });
    let failure = refusal.or_else(|| last_failure(situation.state, situation.claim, maker));
    let flag = Unknown {
        what: UnknownSubject::HostPathFlag,
        why: UnknownReason::Flag,
        remedy: None,
    };
    let found = Findings::all([
        Findings::of(ignored.into_iter().chain(unfit), []),
        options,
        Findings::blocked_by(to_be),
        missing_node(situation),
        Findings::blocked_by(failure),
        Findings::of([], [flag]),
    ]);
    let who = (HOST_PATH, ProvisionedBy::Internal);
    conclude(
        situation,
        class,
        who,
        merged,
        found,
        Verdict::WillProvision,
        general,
    )
}

/// host-path copies size and modes from the claim and knows nothing of attributes classes: with one, the volume it provisions is
/// never bound (seen live, v1.36.4).
fn unfit_to_be(situation: &Situation<'_, '_>) -> Option<ClaimCause> {
    let wanted = situation.claim.attributes_class();
    let reason = VolumeReason::AttributesClassMismatch {
        requested: wanted.to_owned(),
        offered: String::new(),
    };
    let volume = volume_name(situation.claim).unwrap_or_else(|| "pvc-…".to_owned());
    (!wanted.is_empty()).then(|| ClaimCause::ProvisionedVolumeUnfit {
        volume,
        why: vec![reason],
    })
}

fn external<'a>(
    situation: &Situation<'_, 'a>,
    class: &'a Class,
    maker: &Maker,
    (name, by): (&str, ProvisionedBy),
    general: &[Cause],
) -> Answer<'a> {
    let (unfit, ignored) = situation.unfit_volumes();
    let failure = last_failure(situation.state, situation.claim, maker);
    let failure = failure.filter(|_| unfit.is_empty());
    let (merged, options) = merge_options(situation, class);
    let selector = situation.claim.selector.as_ref();
    let selector = selector.map(|_| ClaimCause::SelectorNotProvisionable {
        provisioner: name.to_owned(),
    });
    let (verdict, signs) = judge_signs(situation, name);
    let found = Findings::all([
        Findings::of(ignored.into_iter().chain(unfit), []),
        options,
        missing_node(situation),
        Findings::blocked_by(failure),
        data_source(situation),
        Findings::blocked_by(selector),
        signs,
    ]);
    conclude(
        situation,
        class,
        (name, by),
        merged,
        found,
        verdict,
        general,
    )
}

/// What is wrong with what the volume is to be filled from.
fn data_source(situation: &Situation<'_, '_>) -> Findings {
    let problem = data_source_problem(situation.state, situation.claim);
    let is_missing_snapshot = matches!(&problem, Some(ClaimCause::DataSourceNotFound { source }) if source.kind == SourceKind::VolumeSnapshot);
    let absent = is_missing_snapshot.then(|| situation.absent(Kind::Snapshots));
    let unknowns = situation.unread(Kind::Snapshots);
    Findings::of(
        problem.map(Cause::blocker),
        unknowns.into_iter().chain(absent.flatten()),
    )
}

/// A provisioner that registers itself and has not is not there; one that does not register cannot be observed.
fn judge_signs(situation: &Situation<'_, '_>, name: &str) -> (Verdict, Findings) {
    let signs = signs_of(situation.state, name, reports(situation));
    if signs == Signs::Seen {
        return (Verdict::WillProvision, Findings::default());
    }
    let own = situation.claim.key.namespace.as_str();
    let elsewhere = reported_elsewhere(situation.state, name, Some(own));
    let missing = not_registered(situation, name);
    let kinds = [Kind::CsiDrivers, Kind::CsiNodes, Kind::Events];
    let absent = || kinds.into_iter().filter_map(|kind| situation.absent(kind));
    let unknowns = elsewhere.into_iter();
    match signs {
        Signs::None if !name.contains('/') => {
            let found = Findings::of([Cause::blocker(missing)], unknowns.chain(absent()));
            (Verdict::Blocked, found)
        }
        Signs::NotSeen(kinds) => {
            let gaps = kinds.iter().filter_map(|kind| situation.gap(*kind));
            let what = kinds.clone();
            let cause = Cause::blocker(ClaimCause::NotReadable { what });
            (
                Verdict::Unknown,
                Findings::of([cause], unknowns.chain(gaps)),
            )
        }
        _ => {
            let provisioner = Unknown {
                what: UnknownSubject::Provisioner(name.to_owned()),
                why: UnknownReason::NotRegistered,
                remedy: Some(UnknownRemedy::Ask(name.to_owned())),
            };
            let unknowns = unknowns.chain(absent()).chain([provisioner]);
            (
                Verdict::Unknown,
                Findings::of([Cause::warning(missing)], unknowns),
            )
        }
    }
}

/// The options, merged and checked; empty for a claim that has none.
fn merge_options(situation: &Situation<'_, '_>, class: &Class) -> (Merged, Findings) {
    let claim = situation.claim;
    if situation.options == OptionsAre::Ignored {
        return (Merged::default(), Findings::default());
    }
    let merged = options::merge(situation.state, claim, class);
    let mut causes: Vec<Cause> = merged
        .problems
        .iter()
        .cloned()
        .map(Cause::blocker)
        .collect();
    if let (Some(_), Options::Malformed(why)) = (&claim.options, &class.options) {
        causes.push(Cause::warning(ClaimCause::OptionsMalformed {
            class: class.name.clone(),
            why: why.clone(),
        }));
    }
    let unread = merged
        .unreadable
        .then(|| situation.unread(Kind::ConfigMaps));
    let found = Findings::of(causes, unread.into_iter().flatten());
    (merged, found)
}

/// The controller writes its annotations before it turns to a provisioner; a LimitRange may refuse that. For one outside it
/// reports that on the claim (R95), for its own it reports nothing (seen live).
fn says_of_refused_updates(
    situation: &Situation<'_, '_>,
    class: &Class,
    by: ProvisionedBy,
) -> Option<Vec<Says>> {
    let (state, claim) = (situation.state, situation.claim);
    let written = claim.has_annotation(annotations::STORAGE_PROVISIONER);
    if written || !claim.exists() {
        return None;
    }
    let refusals = admission::update_refusals(state, claim);
    let Some(ClaimCause::LimitRangeViolated { message, .. }) = refusals.first() else {
        return None;
    };
    let name = &claim.key.name;
    let text =
        format!("Error saving claim: persistentvolumeclaims \"{name}\" is forbidden: {message}");
    let failed = Says::new("Warning", "ProvisioningFailed", text);
    // What volumes of another mode were said to be stays said (R74); a data source is refused before anything is written.
    let first = match by {
        ProvisionedBy::Internal => internal_refusal(state, claim, class)
            .filter(|refusal| *refusal == InternalRefusal::DataSource)
            .map(|refusal| refusal.says()),
        ProvisionedBy::External | ProvisionedBy::Migrated => Some(failed),
    };
    let kept = volume_mode_complaints(state, claim);
    Some(first.into_iter().chain(kept).collect())
}

fn conclude<'a>(
    situation: &Situation<'_, 'a>,
    class: &'a Class,
    (provisioner, by): (&str, ProvisionedBy),
    merged: Merged,
    found: Findings,
    verdict: Verdict,
    general: &[Cause],
) -> Answer<'a> {
    let all = general.iter().chain(&found.causes);
    let blockers = all.filter(|cause| cause.severity == Severity::Blocker);
    let problems: Vec<ClaimCause> = blockers.map(|cause| cause.cause.clone()).collect();
    let is_answer = |cause: &ClaimCause| !matches!(cause, ClaimCause::NotReadable { .. });
    let verdict = if problems.iter().any(is_answer) {
        Verdict::Blocked
    } else if merged.unreadable {
        Verdict::Unknown
    } else {
        verdict
    };
    let is_blocked = verdict == Verdict::Blocked;
    let no_volume = is_blocked.then(|| situation.no_volume());
    let (no_volume, unread) = no_volume.unwrap_or_default();
    let found = Findings::all([found, Findings::of(no_volume, unread)]);
    Answer {
        provisioning: Some(ProvisioningDecision {
            class,
            provisioner: provisioner.to_owned(),
            by,
            volume_name: volume_name(situation.claim),
            options: merged,
            problems,
        }),
        says: says_of_refused_updates(situation, class, by),
        unknowns: found.unknowns,
        ..Answer::new(verdict, Path::Provisioner, found.causes)
    }
}
