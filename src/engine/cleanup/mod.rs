//! What nobody needs any more. One file per category; here is what they share: what each must have seen, the filters, the
//! opt-out, and what is freed.
//!
//! A category that depends on something that could not be read is refused as a whole: nothing is concluded from silence.

pub(super) mod asset_holder;
mod assets;
mod attachments;
mod duplicates;
pub(super) mod found_asset;
mod given_up;
mod holders;
mod lost;
mod recreation;
mod row;
mod unreachable;
mod unused;

use self::found_asset::Assets;

use self::holders::Holders;
use self::row::{Answer, Finding, Row, Subject};
use super::selection::Selection;
use super::unknowns::describe;
use crate::conventions::annotations;
use crate::conventions::quantity::Quantity;
use crate::model::{Claim, ClusterState, Gap, Kind, Time, Volume, VolumeAttachment};
use crate::report::{
    API_VERSION, CleanupCategory, CleanupFinding, CleanupReport, Code, KeptObject, RefusedCategory,
    SkippedSelection, Unknown, join_and,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is asked.
#[derive(Debug, Clone)]
pub struct CleanupQuestion<'a> {
    /// These categories; none means all.
    pub categories: BTreeSet<CleanupCategory>,
    /// Only what is selected.
    pub selection: Selection<'a>,
    /// Why nothing is selected, if that cannot be what was meant.
    pub empty_selection: Option<String>,
    /// Only what has been so for this many seconds. What does not say since when is not left out.
    pub older_than: Option<i64>,
    /// The present moment.
    pub now: Time,
    /// The volumes whose policies this machine can carry out, and the provisioner name it serves them by.
    pub served_here: BTreeMap<String, String>,
    /// What this machine has made and no volume is called after.
    pub assets: Assets,
}

impl CleanupQuestion<'_> {
    /// Everything, everywhere.
    pub fn all(now: Time) -> Self {
        Self {
            categories: BTreeSet::new(),
            selection: Selection::default(),
            empty_selection: None,
            older_than: None,
            now,
            served_here: BTreeMap::new(),
            assets: Assets::default(),
        }
    }

    fn asks(&self, category: CleanupCategory) -> bool {
        self.categories.is_empty() || self.categories.contains(&category)
    }
}

/// What a category looks through.
struct Search<'a> {
    state: &'a ClusterState,
    question: &'a CleanupQuestion<'a>,
    holders: Holders<'a>,
    /// Attachments by the volume they attach.
    attached: HashMap<&'a str, Vec<&'a VolumeAttachment>>,
}

/// Looks through everything once.
pub fn find_leftovers(state: &ClusterState, question: &CleanupQuestion<'_>) -> CleanupReport {
    let mut attached: HashMap<&str, Vec<&VolumeAttachment>> = HashMap::new();
    for attachment in &state.objects().attachments {
        if let Some(volume) = &attachment.volume {
            attached.entry(volume).or_default().push(attachment);
        }
    }
    let search = Search {
        state,
        question,
        holders: Holders::of(state),
        attached,
    };
    let mut told = Told::default();
    let asked = CleanupCategory::ALL.into_iter();
    for category in asked.filter(|category| question.asks(*category)) {
        told.add(&search, category);
    }
    told.report(&search)
}

/// What the categories told so far.
#[derive(Default)]
struct Told {
    findings: Vec<CleanupFinding>,
    kept: BTreeSet<KeptObject>,
    refused: Vec<RefusedCategory>,
    unknowns: Vec<Unknown>,
    /// What each volume holds that a finding is about.
    frees: BTreeMap<String, Quantity>,
}

impl Told {
    fn add(&mut self, search: &Search<'_>, category: CleanupCategory) {
        let unseen = search.unseen(helps(category)).into_iter();
        self.unknowns.extend(unseen.map(describe));
        let why = search.why_refused(category);
        if why.is_empty() {
            let rows = search.rows(category).into_iter();
            for row in rows.filter_map(|row| search.judge(row)) {
                self.take(search, category, row);
            }
            return;
        }
        let unseen = search.unseen(needs(category)).into_iter();
        self.unknowns.extend(unseen.map(describe));
        let why = why.join("; ");
        self.refused.push(RefusedCategory { category, why });
    }

    fn take(&mut self, search: &Search<'_>, category: CleanupCategory, row: Row<'_>) {
        let object = row.subject.object();
        let created = row.subject.created();
        match row.answer {
            Answer::Kept(stays) => {
                self.kept.insert(KeptObject {
                    object,
                    code: stays.code,
                    why: stays.why,
                    is_obvious: stays.is_obvious,
                });
            }
            Answer::Finding(found) => {
                let storage = row.subject.storage(search.state);
                self.findings.push(CleanupFinding {
                    category,
                    object,
                    reason: found.reason,
                    confidence: found.confidence,
                    since: found.since,
                    not_before: created.filter(|_| found.since.is_none()),
                    frees: found.frees.as_ref().map(|(_, size)| size.to_string()),
                    policy: storage.policy,
                    claim: storage.claim,
                    path: storage.path,
                    commands: found.commands,
                    recreates: found.recreates,
                });
                self.frees.extend(found.frees);
            }
        }
    }

    fn report(mut self, search: &Search<'_>) -> CleanupReport {
        let findings = &mut self.findings;
        findings.sort_by(|a, b| (a.category, &a.object).cmp(&(b.category, &b.object)));
        CleanupReport {
            api_version: API_VERSION,
            kind: "CleanupReport",
            namespace: search.question.selection.namespace.map(str::to_owned),
            captured_at: search.state.captured_at(),
            kept: without_findings(self.kept, &self.findings),
            findings: self.findings,
            frees: add_up(&self.frees),
            refused: self.refused,
            skipped: search.skipped(),
            unknowns: each_once(self.unknowns),
            commands: vec![],
        }
    }
}

/// The sum, in powers of two: that is how sizes are nearly always written.
fn add_up(frees: &BTreeMap<String, Quantity>) -> String {
    let none = Quantity::from_bytes(0);
    let sum = frees.values().fold(none, |sum, size| sum.plus(size));
    sum.canonical()
}

/// What one category reports is not said to stay by another.
fn without_findings(kept: BTreeSet<KeptObject>, findings: &[CleanupFinding]) -> Vec<KeptObject> {
    let found: BTreeSet<_> = findings.iter().map(|finding| &finding.object).collect();
    let mut last = None;
    let kept = kept.into_iter().filter(|kept| {
        let is_new = last.as_ref() != Some(&kept.object);
        last = Some(kept.object.clone());
        is_new && !found.contains(&kept.object)
    });
    kept.collect()
}

fn each_once(mut unknowns: Vec<Unknown>) -> Vec<Unknown> {
    unknowns.sort_by_cached_key(Unknown::sort_key);
    unknowns.dedup();
    unknowns
}

/// What a category cannot be decided without.
fn needs(category: CleanupCategory) -> &'static [Kind] {
    match category {
        CleanupCategory::Released
        | CleanupCategory::Failed
        | CleanupCategory::LostClaims
        | CleanupCategory::DuplicateVolumes
        | CleanupCategory::LeakedAssets => &[Kind::Volumes, Kind::Claims],
        CleanupCategory::Unreachable => &[Kind::Volumes, Kind::Nodes],
        CleanupCategory::LeftoverAttachments => {
            &[Kind::Attachments, Kind::Volumes, Kind::Nodes, Kind::Pods]
        }
        CleanupCategory::UnusedClaims => &[
            Kind::Claims,
            Kind::Pods,
            Kind::Workloads,
            Kind::Deployments,
            Kind::ReplicaSets,
            Kind::ReplicationControllers,
            Kind::DaemonSets,
            Kind::Jobs,
            Kind::CronJobs,
        ],
    }
}

/// What a category is surer with, or tells more with.
fn helps(category: CleanupCategory) -> &'static [Kind] {
    match category {
        CleanupCategory::Released | CleanupCategory::Failed => &[Kind::Pods, Kind::Attachments],
        CleanupCategory::UnusedClaims => &[Kind::Volumes],
        CleanupCategory::LostClaims => &[Kind::Pods],
        _ => &[],
    }
}

impl<'a> Search<'a> {
    fn unseen(&self, kinds: &[Kind]) -> Vec<&'a Gap> {
        let namespace = self.question.selection.namespace;
        let gaps = kinds.iter();
        gaps.filter_map(|kind| self.state.find_gap(*kind, namespace))
            .collect()
    }

    /// Why a category cannot be decided, as clauses.
    fn why_refused(&self, category: CleanupCategory) -> Vec<String> {
        let missing: Vec<String> = self
            .unseen(needs(category))
            .into_iter()
            .map(|gap| {
                let unknown = describe(gap);
                format!("{} ({})", unknown.what, unknown.why)
            })
            .collect();
        let mut why = Vec::new();
        if !missing.is_empty() {
            why.push(format!("it needs {}", join_and(&missing)));
        }
        if category == CleanupCategory::LeakedAssets {
            why.extend(self.question.assets.unread.iter().cloned());
        }
        why
    }

    fn rows(&self, category: CleanupCategory) -> Vec<Row<'_>> {
        match category {
            CleanupCategory::Released => given_up::released(self),
            CleanupCategory::Failed => given_up::failed(self),
            CleanupCategory::LostClaims => lost::search(self),
            CleanupCategory::UnusedClaims => unused::search(self),
            CleanupCategory::Unreachable => unreachable::search(self),
            CleanupCategory::LeftoverAttachments => attachments::search(self),
            CleanupCategory::DuplicateVolumes => duplicates::search(self),
            CleanupCategory::LeakedAssets => assets::search(self),
        }
    }

    /// The row, if it is among what was asked about; what somebody wants to keep is kept.
    fn judge<'r>(&self, row: Row<'r>) -> Option<Row<'r>> {
        if !self.is_asked(&row.subject) {
            return None;
        }
        let Row { subject, answer } = row;
        let answer = match answer {
            Answer::Finding(found) if self.is_too_young(&subject, &found) => return None,
            // An asset that our lock was written for is kept, or is gone, whatever is done with the object: carrying out its policy
            // finds out which.
            Answer::Finding(_) if subject.is_locked() => answer,
            Answer::Finding(_) => match self.who_opted_out(&subject) {
                Some(who) => {
                    let why = format!("{who} has the annotation {}", annotations::KEEP);
                    return Some(Row::kept(subject, Code::OptOut, why));
                }
                None => answer,
            },
            Answer::Kept(_) => answer,
        };
        Some(Row { subject, answer })
    }

    fn skipped(&self) -> Vec<SkippedSelection> {
        let why = self.question.empty_selection.iter();
        why.map(|why| SkippedSelection::new(why.clone())).collect()
    }

    fn is_asked(&self, subject: &Subject<'_>) -> bool {
        let selection = &self.question.selection;
        selection.is_within(subject.namespace())
            && selection.has_labels(subject.labels())
            && selection.has_class(subject.class())
    }

    /// What was created later cannot have been so for as long, whatever else is known.
    fn is_too_young(&self, subject: &Subject<'_>, found: &Finding) -> bool {
        let since = found.since.or(subject.created());
        let (Some(least), Some(Time(since))) = (self.question.older_than, since) else {
            return false;
        };
        self.question.now.0.saturating_sub(since) < least
    }

    /// The object with the annotation: this one, its volume, or the claim of the volume.
    fn who_opted_out(&self, subject: &Subject<'_>) -> Option<String> {
        let of_claim = |claim: &Claim| {
            claim
                .has_annotation(annotations::KEEP)
                .then(|| format!("claim {}", claim.key))
        };
        let of_volume = |volume: &Volume| {
            let own = volume.has_annotation(annotations::KEEP);
            own.then(|| format!("volume {}", volume.name))
                .or_else(|| of_claim(self.claim_of(volume)?))
        };
        match subject {
            Subject::Volume(volume) | Subject::Attachment(_, Some(volume)) => of_volume(volume),
            Subject::Claim(claim) => {
                let volume = claim.volume_name.as_ref();
                let volume = volume.and_then(|name| self.state.find_volume(name));
                let volume = volume.filter(|volume| {
                    let reference = volume.claim_ref.as_ref();
                    reference.is_some_and(|reference| reference.designates(claim))
                });
                of_claim(claim).or_else(|| of_volume(volume?))
            }
            Subject::Attachment(_, None) | Subject::Asset(_) => None,
        }
    }

    /// The claim that the claimRef of a volume names: by uid, or by name where it has none.
    fn claim_of(&self, volume: &Volume) -> Option<&'a Claim> {
        let reference = volume.claim_ref.as_ref()?;
        let claim = self.state.find_claim(&reference.key())?;
        (claim.exists() && reference.designates(claim)).then_some(claim)
    }
}

#[cfg(test)]
mod tests;
