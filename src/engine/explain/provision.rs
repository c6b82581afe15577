//! The provisioning decision, told: who would make the volume, and what stands in the way (R90–R99).

use super::super::admission;
use super::super::options::{self, Merged};
use super::super::provisioning::{
    Maker, Reports, Signs, data_source_problem, internal_refusal, last_failure,
    missing_selected_node, registered_like, reported_elsewhere, signs_of, volume_name,
};
use super::OptionsAre;
use super::draft::Draft;
use crate::conventions::annotations;
use crate::conventions::class_name::HOST_PATH;
use crate::conventions::secrets::{HIDDEN, is_secret};
use crate::model::{BindingMode, Class, Kind, Options};
use crate::report::{
    Cause, ClaimCause, Explanation, Path, ProvisionedBy, Provisioning, ProvisioningProblem, Result,
    Says, Severity, Unknown, Verdict, VolumeReason,
};

pub(super) fn tell(mut draft: Draft<'_>, class: &Class, maker: &Maker) -> Explanation {
    match maker {
        Maker::Nobody | Maker::Unimplemented { .. } => {
            draft.block(nobody_makes_it(class, maker));
            note_missing_node(&mut draft);
            draft.note_no_volume();
            draft.finish(Verdict::Blocked, Path::Controller)
        }
        Maker::Internal => tell_internal(draft, class, maker),
        Maker::External { name, by } => tell_external(draft, class, maker, name, *by),
    }
}

/// Why a class makes no volumes.
fn nobody_makes_it(class: &Class, maker: &Maker) -> ClaimCause {
    let name = class.name.clone();
    match maker {
        Maker::Unimplemented { .. } => ClaimCause::ProvisionerUnknown {
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
pub(super) fn warn_of_what_is_to_come(draft: &mut Draft<'_>, class: &Class) {
    if draft.options == OptionsAre::Honoured {
        note_options(draft, class);
    }
    if draft
        .assessments
        .iter()
        .any(|assessment| assessment.result != Result::Rejected)
    {
        return;
    }
    let warnings = match Maker::of(class) {
        Maker::Nobody => vec![draft.no_volume_cause()],
        maker @ Maker::Unimplemented { .. } => {
            vec![nobody_makes_it(class, &maker), draft.no_volume_cause()]
        }
        Maker::Internal => vec![],
        Maker::External { name, .. } => {
            let unregistered =
                signs_of(draft.state, &name, draft.reports()) == Signs::None && !name.contains('/');
            let missing = unregistered.then(|| not_registered(draft, &name));
            let refused = draft
                .claim
                .selector
                .as_ref()
                .map(|_| ClaimCause::SelectorNotProvisionable { provisioner: name });
            missing.into_iter().chain(refused).collect()
        }
    };
    draft
        .causes
        .extend(warnings.into_iter().map(Cause::warning));
}

fn not_registered(draft: &Draft<'_>, name: &str) -> ClaimCause {
    ClaimCause::ProvisionerNotRegistered {
        provisioner: name.to_owned(),
        nearest: registered_like(draft.state, name),
    }
}

/// The node chosen for the claim is gone; whoever is to act for it cannot.
fn note_missing_node(draft: &mut Draft<'_>) {
    if let Some(node) = missing_selected_node(draft.state, draft.claim) {
        draft.block(ClaimCause::SelectedNodeMissing {
            node: node.to_owned(),
        });
    }
    if draft.claim.selected_node().is_some() {
        draft.note_gap(Kind::Nodes);
    }
}

fn tell_internal(mut draft: Draft<'_>, class: &Class, maker: &Maker) -> Explanation {
    let made_already = draft.note_unfit_volumes();
    let merged = note_options(&mut draft, class);
    if !made_already {
        note_unfit_to_be(&mut draft);
    }
    note_missing_node(&mut draft);
    if let Some(message) = internal_refusal(draft.state, draft.claim, class) {
        draft.block(ClaimCause::ProvisioningFailed {
            provisioner: HOST_PATH.to_owned(),
            message,
            binds_too_early: None,
        });
    } else if let Some(failure) = last_failure(draft.state, draft.claim, maker) {
        draft.block(failure);
    }
    draft.add_unknown(Unknown {
        what: "--enable-hostpath-provisioner of the controller".to_owned(),
        why: "cannot be seen from outside; without it nothing is made".to_owned(),
        remedy: None,
    });
    say_refused_updates(&mut draft, ProvisionedBy::Internal);
    finish(
        draft,
        class,
        HOST_PATH,
        ProvisionedBy::Internal,
        merged,
        Verdict::WillProvision,
    )
}

/// host-path copies size and modes from the claim and knows nothing of attributes classes: with one, the volume it makes is
/// never bound (seen live, v1.36.4).
fn note_unfit_to_be(draft: &mut Draft<'_>) {
    let wanted = draft.claim.attributes_class();
    if wanted.is_empty() {
        return;
    }
    let reason = VolumeReason::AttributesClassMismatch {
        requested: wanted.to_owned(),
        offered: String::new(),
    };
    let volume = volume_name(draft.claim).unwrap_or_else(|| "pvc-…".to_owned());
    draft.block(ClaimCause::ProvisionedVolumeUnfit {
        volume,
        why: vec![reason.clause()],
    });
}

fn tell_external(
    mut draft: Draft<'_>,
    class: &Class,
    maker: &Maker,
    name: &str,
    by: ProvisionedBy,
) -> Explanation {
    let unfit = draft.note_unfit_volumes();
    let merged = note_options(&mut draft, class);
    note_missing_node(&mut draft);
    if let Some(failure) = last_failure(draft.state, draft.claim, maker).filter(|_| !unfit) {
        draft.block(failure);
    }
    draft.note_unread(Kind::Snapshots);
    if let Some(problem) = data_source_problem(draft.state, draft.claim) {
        if matches!(&problem, ClaimCause::DataSourceNotFound { source } if source.starts_with("VolumeSnapshot "))
        {
            draft.note_absent(Kind::Snapshots);
        }
        draft.block(problem);
    }
    if draft.claim.selector.is_some() {
        draft.block(ClaimCause::SelectorNotProvisionable {
            provisioner: name.to_owned(),
        });
    }
    say_refused_updates(&mut draft, by);
    let verdict = judge_signs(&mut draft, name);
    finish(draft, class, name, by, merged, verdict)
}

/// A provisioner that registers itself and has not is not there; one that does not register cannot be seen.
fn judge_signs(draft: &mut Draft<'_>, name: &str) -> Verdict {
    let signs = signs_of(draft.state, name, draft.reports());
    if signs == Signs::Seen {
        return Verdict::WillProvision;
    }
    let own = draft.claim.key.namespace.as_str();
    if let Some(unknown) = reported_elsewhere(draft.state, name, Some(own)) {
        draft.add_unknown(unknown);
    }
    let missing = not_registered(draft, name);
    match signs {
        Signs::None if !name.contains('/') => {
            draft.block(missing);
            draft.note_where_signs_would_be();
            Verdict::Blocked
        }
        Signs::NotSeen(kinds) => {
            for kind in &kinds {
                draft.note_gap(*kind);
            }
            let what = kinds
                .iter()
                .map(|kind| kind.resource().to_owned())
                .collect();
            draft.block(ClaimCause::NotReadable { what });
            Verdict::Unknown
        }
        _ => {
            draft.causes.push(Cause::warning(missing));
            draft.note_where_signs_would_be();
            draft.add_unknown(Unknown {
                what: format!("provisioner {name}"),
                why: "a provisioner of such a name registers nowhere, and nothing it made or said was seen".to_owned(),
                remedy: Some(format!("ask whoever runs this cluster whether {name} runs")),
            });
            Verdict::Unknown
        }
    }
}

impl<'a> Draft<'a> {
    /// Events of other namespaces prove nothing about this claim.
    fn reports(&self) -> Reports<'a> {
        Reports::Of(&self.claim.key.namespace)
    }

    fn note_where_signs_would_be(&mut self) {
        for kind in [Kind::CsiDrivers, Kind::CsiNodes, Kind::Events] {
            self.note_absent(kind);
        }
    }
}

/// The options, merged and checked; empty for a claim that has none.
fn note_options(draft: &mut Draft<'_>, class: &Class) -> Merged {
    if draft.options == OptionsAre::Ignored {
        return Merged::default();
    }
    let merged = options::merge(draft.state, draft.claim, class);
    for problem in &merged.problems {
        draft.block(problem.clone());
    }
    if merged.unreadable {
        draft.note_unread(Kind::ConfigMaps);
    }
    if let (Some(_), Options::Malformed(why)) = (&draft.claim.options, &class.options) {
        draft
            .causes
            .push(Cause::warning(ClaimCause::OptionsMalformed {
                class: class.name.clone(),
                why: why.clone(),
            }));
    }
    merged
}

/// The controller writes its annotations before it turns to a provisioner; a LimitRange may refuse that. For one outside it
/// complains on the claim (R95), for its own it does not say a word (seen live).
fn say_refused_updates(draft: &mut Draft<'_>, by: ProvisionedBy) {
    let written = draft.claim.has_annotation(annotations::STORAGE_PROVISIONER);
    if written || !draft.claim.exists() {
        return;
    }
    let refusals = admission::update_refusals(draft.state, draft.claim);
    if let Some(ClaimCause::LimitRangeViolated { message, .. }) = refusals.first() {
        let name = &draft.claim.key.name;
        let text = format!(
            "Error saving claim: persistentvolumeclaims \"{name}\" is forbidden: {message}"
        );
        // What volumes of another mode were said to be stays said (R74); a data source is refused before anything is written.
        draft.says.retain(|says| {
            says.reason == "VolumeMismatch" || says.message.contains("with a datasource")
        });
        if by != ProvisionedBy::Internal {
            draft
                .says
                .insert(0, Says::new("Warning", "ProvisioningFailed", text));
        }
    }
}

fn finish(
    mut draft: Draft<'_>,
    class: &Class,
    provisioner: &str,
    by: ProvisionedBy,
    merged: Merged,
    verdict: Verdict,
) -> Explanation {
    let blockers: Vec<&Cause> = draft
        .causes
        .iter()
        .filter(|cause| cause.severity == Severity::Blocker)
        .collect();
    let is_answerable = |cause: &&&Cause| cause.cause.code() != "NotReadable";
    let is_blocked = blockers.iter().filter(is_answerable).count() > 0;
    let problems = blockers
        .iter()
        .map(|cause| ProvisioningProblem {
            code: cause.cause.code(),
            message: cause.cause.message(),
        })
        .collect();
    let mut parameters = class.parameters.clone();
    let mut options = merged.values;
    parameters.extend(options.clone());
    for (key, value) in parameters.iter_mut().chain(&mut options) {
        if is_secret(key, value) {
            HIDDEN.clone_into(value);
        }
    }
    draft.provisioning = Some(Provisioning {
        class: class.name.clone(),
        provisioner: provisioner.to_owned(),
        by,
        volume_name: volume_name(draft.claim),
        parameters,
        options,
        problems,
    });
    let verdict = if is_blocked {
        Verdict::Blocked
    } else if merged.unreadable {
        Verdict::Unknown
    } else {
        verdict
    };
    if verdict == Verdict::Blocked {
        draft.note_no_volume();
    }
    draft.finish(verdict, Path::Provisioner)
}
