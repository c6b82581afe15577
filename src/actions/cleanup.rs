//! `cleanup`, planned: what is done about what was found. Volumes that nobody owns go the way of `reclaim`; what else goes is
//! planned by `claims.rs`, `attachments.rs`, `unreachable.rs` and `assets.rs`, one row at a time.
//!
//! Only what was found when somebody said yes is touched, and only while it is found still: a plan that is made again leaves
//! what is needed by now, and whatever else has come.

mod assets;
mod attachments;
mod claims;
#[cfg(test)]
mod tests;
mod unreachable;

use super::backend_facts::{BackendFacts, Planned};
use super::draft::Draft;
use super::inquiry::Inquiry;
use super::memory::Memory;
use super::plan::{Plan, Skipped, Target};
use super::reclaim::{ChosenVolume, ReclaimQuestion, Wish, plan_volumes};
use crate::conventions::annotations::{OWN_DELETION, RECYCLING};
use crate::conventions::object_ref::ObjectKey;
use crate::engine::refusal::{CleanupEvidence, KeptEvidence, Refusal, Standing};
use crate::engine::{FoundAsset, Rules, Selection};
use crate::model::{ClusterState, Host, Volume};
use crate::report::{
    CleanupCategory, CleanupFinding, CleanupObject, CleanupReport, Confidence, KeptObject,
};
use std::collections::{BTreeMap, BTreeSet};

/// The subcommand.
pub(crate) const COMMAND: &str = "cleanup";

/// What somebody has agreed to.
pub(crate) struct CleanupWish<'a> {
    /// The categories that were named: claims and the like go only so.
    pub(crate) named: BTreeSet<CleanupCategory>,
    /// Whether what is likely goes, too; what is unsure never does.
    pub(crate) include_likely: bool,
    /// Whether only what is old was asked for: what does not say how old it is stays then.
    pub(crate) only_old: bool,
    /// The leaked assets that were named, each to be deleted with its data.
    pub(crate) assets: BTreeSet<String>,
    /// What this machine is called.
    pub(crate) host: Option<&'a Host>,
}

/// What was found when somebody agreed.
#[derive(Debug, Clone)]
pub(crate) struct ChosenRows {
    rows: BTreeSet<(CleanupCategory, CleanupObject)>,
    volumes: BTreeMap<String, ChosenVolume>,
}

impl ChosenRows {
    pub(crate) fn of(state: &ClusterState, report: &CleanupReport) -> Self {
        let rows = report.findings.iter();
        let rows: BTreeSet<_> = rows
            .map(|found| (found.category, found.object.clone()))
            .collect();
        let volumes = rows.iter().filter_map(|(category, object)| {
            let volume = state.find_volume(&object.name);
            let volume = volume.filter(|_| is_given_up(*category))?;
            Some((volume.name.clone(), volume.into()))
        });
        let volumes = volumes.collect();
        Self { rows, volumes }
    }
}

/// What was found, and the assets among it.
pub(crate) struct Found<'a> {
    pub(crate) report: &'a CleanupReport,
    pub(crate) assets: &'a [FoundAsset],
}

/// Whether acting on it is carrying out the policy of a volume.
fn is_given_up(category: CleanupCategory) -> bool {
    matches!(
        category,
        CleanupCategory::Released | CleanupCategory::Failed
    )
}

/// Whether it goes without being named.
pub(crate) fn goes_unnamed(category: CleanupCategory) -> bool {
    is_given_up(category)
}

/// Plans what is done about what was found and chosen, as far as the answers of the backends go.
pub(crate) fn plan_cleanup(
    state: &ClusterState,
    found: &Found<'_>,
    chosen: &ChosenRows,
    (wish, memory): (&CleanupWish<'_>, &Memory),
    facts: &BackendFacts,
) -> Planned<Plan> {
    let inquiry = Inquiry::new(facts);
    let plan = plan_rows(state, found, chosen, (wish, memory), &inquiry);
    inquiry.conclude(plan)
}

fn plan_rows(
    state: &ClusterState,
    found: &Found<'_>,
    chosen: &ChosenRows,
    (wish, memory): (&CleanupWish<'_>, &Memory),
    inquiry: &Inquiry<'_>,
) -> Plan {
    let report = found.report;
    let mut volumes = Vec::new();
    let mut others = Vec::new();
    let mut left = Vec::new();
    let rows = report.findings.iter();
    let rows: BTreeMap<_, _> = rows.map(|row| ((row.category, &row.object), row)).collect();
    let kept: BTreeMap<_, _> = report
        .kept
        .iter()
        .map(|kept| (&kept.object, kept))
        .collect();
    for (category, object) in &chosen.rows {
        let target = target_of(object);
        if memory.cleaned.contains(&target.spelled()) {
            continue;
        }
        let volume = chosen.volumes.get(&object.name);
        let volume = volume.filter(|_| is_given_up(*category));
        match (rows.get(&(*category, object)), volume) {
            (Some(row), _) if wish.leaves(row).is_some() => left.extend(wish.leaves(row)),
            (Some(_), Some(volume)) => volumes.push(volume.clone()),
            (Some(row), None) => others.push(*row),
            // What we have begun is seen to, whatever it is by now.
            (None, Some(volume)) if is_ours_or_gone(state, volume) => volumes.push(volume.clone()),
            (None, _) => left.extend(no_longer(kept.get(object).copied(), target)),
        }
    }
    let reclaim = ReclaimQuestion {
        volumes,
        empty_selection: report.skipped.first().map(|it| it.message.clone()),
        selection: Selection::default(),
        are_named: false,
        wish: Wish::CarryOut,
        recycler: None,
        host: wish.host,
        rules: Rules::default(),
    };
    let plan = plan_volumes(state, &reclaim, memory, inquiry);
    let mut draft = Draft::resume(state, plan, COMMAND);
    for row in others {
        plan_row(&mut draft, row, found.assets, wish, inquiry);
    }
    for left in left {
        draft.skip(left);
    }
    draft.plan.refused.clone_from(&report.refused);
    draft.note_unknowns(report.unknowns.iter().cloned());
    draft.plan.skipped = told_once(&draft.plan);
    draft.plan
}

fn plan_row(
    draft: &mut Draft,
    row: &CleanupFinding,
    assets: &[FoundAsset],
    wish: &CleanupWish<'_>,
    inquiry: &Inquiry<'_>,
) {
    match row.category {
        CleanupCategory::LostClaims | CleanupCategory::UnusedClaims => claims::plan(draft, row),
        CleanupCategory::LeftoverAttachments => attachments::plan(draft, row),
        CleanupCategory::Unreachable => unreachable::plan(draft, row),
        CleanupCategory::LeakedAssets => {
            let of_name = assets.iter().filter(|asset| asset.name == row.object.name);
            let is_named = wish.assets.contains(&row.object.name);
            of_name.for_each(|asset| assets::plan(draft, asset, is_named, inquiry));
        }
        CleanupCategory::DuplicateVolumes | CleanupCategory::Released | CleanupCategory::Failed => {
        }
    }
}

impl CleanupWish<'_> {
    /// Why a finding stays a finding, if nobody has asked for more.
    fn leaves(&self, row: &CleanupFinding) -> Option<Skipped> {
        let category = row.category;
        if category == CleanupCategory::LeakedAssets && self.assets.contains(&row.object.name) {
            return None;
        }
        if category == CleanupCategory::DuplicateVolumes {
            let reason = row.reason.clone();
            let refusal = Refusal::new(CleanupEvidence::Duplicate { reason });
            return Some(skipped(row, refusal.standing(Standing::Fine)));
        }
        if !goes_unnamed(category) && !self.named.contains(&category) {
            let evidence = CleanupEvidence::NotNamed { category };
            return Some(skipped(row, Refusal::new(evidence)));
        }
        if self.only_old && row.since.is_none() && !self.include_likely {
            return Some(skipped(row, Refusal::new(CleanupEvidence::AgeUnknown)));
        }
        let is_sure_enough = match row.confidence {
            Confidence::Certain => true,
            Confidence::Likely => self.include_likely,
            Confidence::Unsure => false,
        };
        if is_given_up(category) || is_sure_enough {
            return None;
        }
        let evidence = CleanupEvidence::NotCertain {
            reason: row.reason.clone(),
            is_likely: row.confidence == Confidence::Likely,
        };
        Some(skipped(row, Refusal::new(evidence)))
    }
}

/// It carries one of our locks, or is gone, which may be our doing.
fn is_ours_or_gone(state: &ClusterState, chosen: &ChosenVolume) -> bool {
    let is_locked = |volume: &Volume| {
        volume.has_annotation(RECYCLING)
            || volume.finalizers.iter().any(|name| name == OWN_DELETION)
    };
    state.find_volume(&chosen.name).is_none_or(is_locked)
}

/// It is no finding any more.
fn no_longer(kept: Option<&KeptObject>, target: Target) -> Option<Skipped> {
    // What is gone needs no word.
    let kept = kept?;
    let evidence = CleanupEvidence::Kept(KeptEvidence {
        code: kept.code,
        why: kept.why.clone(),
    });
    Some(Skipped::new(target, Refusal::new(evidence)))
}

/// What is left by one category and goes by another is not told to be left alone; and each thing is left for one reason.
fn told_once(plan: &Plan) -> Vec<Skipped> {
    let gone: BTreeSet<String> = plan
        .errands
        .iter()
        .map(super::plan::Errand::object)
        .collect();
    let mut told = BTreeSet::new();
    let skipped = plan.skipped.iter();
    let mut skipped: Vec<Skipped> = skipped
        .filter(|left| !gone.contains(&left.target.spelled()))
        .filter(|left| told.insert((left.target.spelled(), left.code())))
        .cloned()
        .collect();
    skipped.sort_by_key(|left| left.target.spelled());
    skipped
}

fn skipped(row: &CleanupFinding, refusal: Refusal) -> Skipped {
    Skipped::new(target_of(&row.object), refusal)
}

fn leave(draft: &mut Draft, row: &CleanupFinding, evidence: CleanupEvidence) {
    draft.skip(skipped(row, Refusal::new(evidence)));
}

fn leave_unread(draft: &mut Draft, row: &CleanupFinding, what: &str) {
    let what = what.to_owned();
    let refusal = Refusal::new(CleanupEvidence::NotReadable { what });
    draft.skip(skipped(row, refusal.standing(Standing::Unknown)));
}

fn target_of(object: &CleanupObject) -> Target {
    let object = object.clone();
    Target {
        kind: object.kind,
        namespace: object.namespace,
        name: object.name,
        uid: object.uid,
    }
}

fn key_of(object: &CleanupObject) -> ObjectKey {
    let namespace = object.namespace.clone().unwrap_or_default();
    ObjectKey::new(namespace, object.name.clone())
}
