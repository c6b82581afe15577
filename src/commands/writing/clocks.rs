//! The clock of this machine against the API server's. Ages are computed from the server's; a difference is reported, and while
//! there is one nothing is changed because of its age.

use crate::actions::plan::{Plan, Skipped, Warning};
use crate::engine::refusal::{Evidence, Refusal, Standing};
use crate::report::{Code, plural};
use jiff::SignedDuration;

/// For people.
pub(super) fn describe(skew: SignedDuration) -> String {
    let seconds = skew.as_secs().unsigned_abs();
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")];
    let unit = units.into_iter().find(|(worth, _)| seconds >= *worth);
    let (worth, name) = unit.unwrap_or((1, "second"));
    let count = usize::try_from(seconds / worth).unwrap_or(usize::MAX);
    let side = if skew.is_negative() {
        "behind"
    } else {
        "ahead of"
    };
    format!(
        "the clock of this machine is {} {side} the clock of the API server; ages are computed from the server's clock",
        plural(count, name)
    )
}

/// Adds the warning to the plan. Where ages select objects, it empties the plan: each object is skipped instead.
pub(super) fn judge(plan: &mut Plan, skew: SignedDuration, depends_on_ages: bool) {
    let message = describe(skew);
    plan.warnings.push(Warning {
        code: Code::ClockSkew,
        message: message.clone(),
        target: None,
    });
    if !depends_on_ages {
        return;
    }
    let mut skipped: Vec<Skipped> = Vec::new();
    for change in std::mem::take(&mut plan.changes) {
        let is_new = !skipped.iter().any(|left| left.target == change.target);
        if !change.is_optional() && is_new {
            let description = message.clone();
            let refusal = Refusal::new(Evidence::ClockSkew { description });
            let refusal = refusal.standing(Standing::Unknown);
            skipped.push(Skipped::new(change.target, refusal));
        }
    }
    plan.errands.clear();
    plan.skipped.extend(skipped);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_in_its_largest_unit() {
        let told = |seconds| describe(SignedDuration::from_secs(seconds));
        assert!(told(31 * 86_400 + 5).contains("is 31 days ahead of the clock"));
        assert!(told(-180).contains("is 3 minutes behind the clock"));
    }
}
