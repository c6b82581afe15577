//! Where the class of a claim comes from, as far as that can be told.

use super::super::admission::Admission;
use crate::conventions::annotations;
use crate::model::Claim;
use crate::report::ClassSource;

pub(super) fn find(claim: &Claim, admitted: Option<&Admission>) -> ClassSource {
    if admitted.is_some_and(|admitted| admitted.got_default_class) || was_defaulted(claim) {
        ClassSource::Default
    } else if claim.class.annotation.is_some() {
        ClassSource::Annotation
    } else if claim.class.field.is_some() {
        ClassSource::Field
    } else {
        ClassSource::None
    }
}

/// `kubectl apply` keeps what was applied: a class that is not in there was put in by admission (R14).
fn was_defaulted(claim: &Claim) -> bool {
    let applied = claim
        .annotations
        .get(annotations::LAST_APPLIED)
        .and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    claim.class.annotation.is_none()
        && claim.class.field.is_some()
        && applied.is_some_and(|applied| {
            applied["spec"].is_object()
                && applied["spec"]["storageClassName"].is_null()
                && applied["metadata"]["annotations"][annotations::BETA_CLASS].is_null()
        })
}
