//! What a claim is judged by, and what one branch of the decision tree finds. Nothing of a situation changes while causes are
//! found: each cause is a function of it.

use super::super::binding::{Judged, Search};
use super::super::provisioning::{Maker, volume_name};
use super::super::reach::find_unmet_affinity;
use super::super::scheduling::Placement;
use super::super::unknowns::{describe, find_unknown, unread};
use super::super::{Rules, admission, claim_changes, classes, offered_labels, phases};
use super::{ClaimDecision, OptionsAre, ProvisioningDecision};
use crate::conventions::quantity::Quantity;
use crate::model::{Claim, ClusterState, Kind, Volume};
use crate::report::{
    Cause, ClaimCause, ClassSource, Path, Result, Says, Severity, Unknown, Verdict, VolumeReason,
};

/// One claim, its class and the volumes of its search.
pub(super) struct Situation<'s, 'a> {
    pub(super) state: &'a ClusterState,
    pub(super) claim: &'s Claim,
    pub(super) rules: Rules,
    /// The class that counts, which may not be the claim's own.
    pub(super) class: String,
    pub(super) class_source: ClassSource,
    pub(super) options: OptionsAre,
    /// The volumes of the search, best first.
    pub(super) volumes: Vec<Judged<'a>>,
    /// Those of them that are reserved for the claim and not taken, in the order of the state.
    pub(super) passed_over: Vec<Judged<'a>>,
    /// What the controller would report.
    pub(super) says: Vec<Says>,
}

/// What one branch of the decision tree finds.
pub(super) struct Answer<'a> {
    pub(super) verdict: Verdict,
    pub(super) path: Path,
    pub(super) outcomes: Vec<String>,
    /// Other volumes than those of the search.
    pub(super) volumes: Option<Vec<Judged<'a>>>,
    pub(super) nodes: Vec<Placement<'a>>,
    pub(super) provisioning: Option<ProvisioningDecision<'a>>,
    pub(super) causes: Vec<Cause>,
    pub(super) refusal: Option<String>,
    /// Other reports than those of the controller's decision.
    pub(super) says: Option<Vec<Says>>,
    pub(super) unknowns: Vec<Unknown>,
    pub(super) holds: Option<&'a Volume>,
}

impl Answer<'_> {
    pub(super) fn new(verdict: Verdict, path: Path, causes: Vec<Cause>) -> Self {
        Self {
            verdict,
            path,
            outcomes: vec![],
            volumes: None,
            nodes: vec![],
            provisioning: None,
            causes,
            refusal: None,
            says: None,
            unknowns: vec![],
            holds: None,
        }
    }
}

impl<'s, 'a> Situation<'s, 'a> {
    pub(super) fn new(state: &'a ClusterState, claim: &'s Claim, rules: Rules) -> Self {
        Self {
            state,
            claim,
            rules,
            class: claim.class.resolved().to_owned(),
            class_source: ClassSource::None,
            options: OptionsAre::Ignored,
            volumes: vec![],
            passed_over: vec![],
            says: vec![],
        }
    }

    /// The same, with what the controller found and reports.
    pub(super) fn after(self, search: Option<Search<'a>>, says: Vec<Says>) -> Self {
        let Some(search) = search else {
            return Self { says, ..self };
        };
        let is_passed_over = |judged: &&Judged<'_>| {
            judged.is_reserved && !matches!(judged.result, Result::Chosen | Result::Possible)
        };
        let passed_over = search.judged.iter().filter(is_passed_over);
        Self {
            says,
            passed_over: passed_over.cloned().collect(),
            volumes: best_first(search.judged, &self.claim.request()),
            ..self
        }
    }

    /// Whether the provisioner of the claim's class made a volume, and will make no second one. The one inside the controller
    /// goes by the name it would give (R96), and does not care what another one made.
    fn is_made_by_its_class(&self, volume: &Volume) -> bool {
        let Some(class) = self.state.find_class(&self.class) else {
            return false;
        };
        match Maker::of(class) {
            Maker::Internal => volume_name(self.claim).as_ref() == Some(&volume.name),
            Maker::External { name, .. } => volume
                .provisioned_by()
                .is_some_and(|by| by == name || by == class.provisioner),
            Maker::Nobody | Maker::Unimplemented(_) => false,
        }
    }

    fn is_made_for_it(&self, judged: &Judged<'_>) -> bool {
        let reference = judged.volume.claim_ref.as_ref();
        let by_uid = reference.is_some_and(|reference| reference.uid.is_some());
        by_uid && self.is_made_by_its_class(judged.volume)
    }

    /// The volumes that are reserved for the claim and not used.
    pub(super) fn ignored_reservations(&self) -> Vec<Cause> {
        self.passed_over.iter().map(ignored).collect()
    }

    /// The volumes that a provisioner made for the claim and that cannot be bound to it; the others are only ignored.
    pub(super) fn unfit_volumes(&self) -> (Vec<Cause>, Vec<Cause>) {
        let all = self.passed_over.iter();
        let (made, others): (Vec<_>, Vec<_>) = all.partition(|judged| self.is_made_for_it(judged));
        let unfit = |judged: &Judged<'_>| {
            Cause::blocker(ClaimCause::ProvisionedVolumeUnfit {
                volume: judged.volume.name.clone(),
                why: judged.reasons.clone(),
            })
        };
        let ignored = others.into_iter().map(ignored).collect();
        (made.into_iter().map(unfit).collect(), ignored)
    }

    pub(super) fn no_volume_cause(&self) -> ClaimCause {
        let volumes = self.state.volumes();
        if volumes.is_empty() {
            return ClaimCause::NoVolumes;
        }
        ClaimCause::NoVolumeFits {
            volumes: volumes.len(),
            of_class: self.state.count_volumes_of(&self.class),
            class: self.class.clone(),
            nearest: self.nearest_miss(),
        }
    }

    /// The volume that lacks one thing only; one that another claim holds is named where nothing else comes near.
    fn nearest_miss(&self) -> Option<(String, VolumeReason)> {
        let near = || {
            let rejected = self.volumes.iter();
            rejected
                .filter(|judged| judged.result == Result::Rejected)
                .map_while(|judged| match &judged.reasons[..] {
                    [only] => Some((&judged.volume.name, only)),
                    _ => None,
                })
        };
        let is_held =
            |reason: &VolumeReason| matches!(reason, VolumeReason::ReservedForOtherClaim(_));
        near()
            .find(|(_, reason)| !is_held(reason))
            .or_else(|| near().next())
            .map(|(name, reason)| (name.clone(), reason.clone()))
    }

    /// That no volume fits, unless one does; and what of the volumes was not read.
    pub(super) fn no_volume(&self) -> (Option<Cause>, Option<Unknown>) {
        let fits = |judged: &Judged<'_>| judged.result == Result::Fits;
        if self.volumes.iter().any(fits) {
            return (None, None);
        }
        let cause = Cause::blocker(self.no_volume_cause());
        (Some(cause), self.absent(Kind::Volumes))
    }

    /// What holds of the claim whatever the controller does: that it is being deleted, and that a LimitRange refuses every update
    /// of it, so that it can never be bound (R10a).
    pub(super) fn general_causes(&self) -> (Vec<Cause>, Updates) {
        let is_open = self.claim.exists() && !self.claim.is_bind_completed();
        let refusals = if is_open {
            admission::update_refusals(self.state, self.claim)
        } else {
            vec![]
        };
        let updates = if refusals.is_empty() {
            Updates::Accepted
        } else {
            Updates::Refused
        };
        let mut causes = self.terminating();
        causes.extend(refusals.into_iter().map(Cause::blocker));
        (causes, updates)
    }

    pub(super) fn terminating(&self) -> Vec<Cause> {
        let terminating = claim_changes::terminating(self.state, self.claim);
        terminating.into_iter().collect()
    }

    fn scope(&self, kind: Kind) -> Option<&str> {
        let namespace = self.claim.key.namespace.as_str();
        kind.is_namespaced().then_some(namespace)
    }

    /// That a kind was not read.
    pub(super) fn gap(&self, kind: Kind) -> Option<Unknown> {
        self.state.find_gap(kind, self.scope(kind)).map(describe)
    }

    /// That a kind was not read, or that the files hold none of it.
    pub(super) fn absent(&self, kind: Kind) -> Option<Unknown> {
        find_unknown(self.state, kind, self.scope(kind))
    }

    /// That a kind was not read, or those objects of it in the claim's namespace that were asked for by name.
    pub(super) fn unread(&self, kind: Kind) -> Vec<Unknown> {
        let single = unread(self.state, self.claim, kind);
        self.gap(kind).into_iter().chain(single).collect()
    }

    /// The decision that follows from what a branch found.
    pub(super) fn finish(self, answer: Answer<'a>, updates: Updates) -> ClaimDecision<'a> {
        let mut volumes = answer.volumes.unwrap_or_else(|| self.volumes.clone());
        let (mut verdict, mut outcomes) = (answer.verdict, answer.outcomes);
        reject_unusable(self.state, &mut volumes);
        if updates == Updates::Refused {
            verdict = Verdict::Blocked;
            outcomes.clear();
            withdraw(&mut volumes);
        }
        let mut causes = answer.causes;
        causes.extend(self.unoffered_labels(&causes));
        causes.extend(self.default_class(verdict, &volumes));
        sort_causes(&mut causes);
        let mut unknowns: Vec<Unknown> = Vec::new();
        for unknown in answer
            .unknowns
            .into_iter()
            .chain(self.general_unknowns(verdict))
        {
            if !unknowns.contains(&unknown) {
                unknowns.push(unknown);
            }
        }
        ClaimDecision {
            admitted: None,
            class: self.class,
            class_source: self.class_source,
            verdict,
            path: answer.path,
            outcomes,
            volumes,
            nodes: answer.nodes,
            provisioning: answer.provisioning,
            causes,
            refusal: answer.refusal,
            says: answer.says.unwrap_or(self.says),
            unknowns,
            cluster: None,
            holds: answer.holds,
        }
    }

    /// A selector may ask for what no volume can give it. It weighs as much as that none fits.
    fn unoffered_labels(&self, causes: &[Cause]) -> Vec<Cause> {
        let follows = |cause: &&Cause| {
            matches!(
                cause.cause,
                ClaimCause::NoVolumeFits { .. } | ClaimCause::SelectorNotProvisionable { .. }
            )
        };
        let severity = causes.iter().find(follows).map(|cause| cause.severity);
        let (Some(selector), Some(severity)) = (&self.claim.selector, severity) else {
            return vec![];
        };
        let missing = offered_labels::unoffered(self.state, selector).into_iter();
        missing.map(|cause| Cause { cause, severity }).collect()
    }

    /// A class that is not in the claim's manifest surprises: which one it is, and what it keeps the claim from.
    fn default_class(&self, verdict: Verdict, volumes: &[Judged<'_>]) -> Vec<Cause> {
        let is_applied = matches!(
            self.class_source,
            ClassSource::Default | ClassSource::RetroactiveDefault
        );
        let is_open = matches!(
            verdict,
            Verdict::WillBind | Verdict::WillProvision | Verdict::Waiting | Verdict::Blocked
        );
        if !is_applied || !is_open || self.claim.volume_name.is_some() {
            return vec![];
        }
        let lacks_only_its_class = |judged: &&Judged<'_>| matches!(&judged.reasons[..], [VolumeReason::ClassMismatch { offered, .. }] if offered.is_empty());
        let fitting = volumes.iter().filter(lacks_only_its_class);
        let fitting: Vec<String> = fitting.map(|judged| judged.volume.name.clone()).collect();
        let mut causes = Vec::new();
        if !fitting.is_empty() {
            causes.push(Cause::warning(ClaimCause::DefaultClassApplied {
                class: self.class.clone(),
                volumes: fitting,
            }));
        }
        let classes = classes::marked_default(self.state);
        if classes.len() > 1 {
            let classes = classes.into_iter();
            causes.push(Cause::note(ClaimCause::SeveralDefaultClasses {
                classes: classes
                    .map(|class| (class.name.clone(), class.created))
                    .collect(),
            }));
        }
        causes
    }

    /// What was not read and bears on every answer of this verdict.
    fn general_unknowns(&self, verdict: Verdict) -> Vec<Unknown> {
        let mut unknowns = Vec::new();
        if verdict != Verdict::Rejected {
            unknowns.extend(self.missing_class());
        }
        if matches!(verdict, Verdict::Bound | Verdict::Lost) {
            return unknowns;
        }
        let kinds = [Kind::LimitRanges, Kind::Quotas];
        unknowns.extend(kinds.into_iter().filter_map(|kind| self.gap(kind)));
        // Claims elsewhere could compete, or hold what looks released; neither decides a verdict.
        let mut gaps = self.state.gaps().iter();
        let claims = gaps.find(|gap| gap.kind == Kind::Claims && gap.seen_only_in.is_some());
        unknowns.extend(claims.map(describe));
        unknowns
    }

    /// A class that is in none of the files might delay binding, or be the default.
    fn missing_class(&self) -> Option<Unknown> {
        let settled = self.claim.is_bind_completed() || self.claim.volume_name.is_some();
        let could_matter = !self.class.is_empty() || !self.claim.class.is_set();
        let is_missing = !settled
            && could_matter
            && self.state.find_class(&self.class).is_none()
            && self.state.is_absent(Kind::Classes);
        is_missing.then(|| self.absent(Kind::Classes)).flatten()
    }
}

/// Whether the API server accepts updates of the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Updates {
    Accepted,
    Refused,
}

fn ignored(judged: &Judged<'_>) -> Cause {
    Cause::warning(ClaimCause::ReservationIgnored {
        volume: judged.volume.name.clone(),
        why: judged.reasons.clone(),
    })
}

/// The scheduler cannot decide for a volume that no node can use.
fn reject_unusable(state: &ClusterState, volumes: &mut [Judged<'_>]) {
    for judged in volumes.iter_mut() {
        let waits = judged.reasons.contains(&VolumeReason::WaitsForScheduler);
        if judged.result == Result::Fits
            && waits
            && find_unmet_affinity(state, judged.volume).is_some()
        {
            judged.result = Result::Rejected;
            judged.reasons = vec![VolumeReason::NodeAffinityMismatch {
                node: "any node".to_owned(),
            }];
        }
    }
    volumes.sort_by_key(|judged| judged.result);
}

/// Nothing is bound after all: what was chosen only fits.
fn withdraw(volumes: &mut [Judged<'_>]) {
    for judged in volumes {
        if matches!(judged.result, Result::Chosen | Result::Possible) {
            judged.result = Result::Fits;
        }
    }
}

/// Volumes that are taken first; then rejected ones by the number of reasons, the reasons' order, and the distance in size.
fn best_first<'a>(mut judged: Vec<Judged<'a>>, request: &Quantity) -> Vec<Judged<'a>> {
    judged.sort_by_cached_key(|judged| {
        let ranks: Vec<usize> = judged.reasons.iter().map(VolumeReason::rank).collect();
        let distance = judged.volume.capacity.units_above(request).unsigned_abs();
        let volume: &'a Volume = judged.volume;
        let name = volume.name.as_str();
        (judged.result, ranks.len(), ranks, distance, name)
    });
    judged
}

/// The one volume that counts for a claim that is bound, lost, or names its volume.
pub(super) fn only<'a>(
    state: &ClusterState,
    volume: &'a Volume,
    result: Result,
    reasons: Vec<VolumeReason>,
) -> Vec<Judged<'a>> {
    vec![Judged {
        volume,
        phase: phases::view(state, volume, phases::Phases::Settled).phase,
        is_reserved: false,
        result,
        reasons,
    }]
}

/// Who holds a volume, as a reason against the claim.
pub(super) fn reservation_reason(
    state: &ClusterState,
    volume: &Volume,
    claim: &Claim,
) -> Option<VolumeReason> {
    let stored = phases::view(state, volume, phases::Phases::Stored);
    match phases::reservation(state, &stored, claim) {
        phases::Reservation::Free | phases::Reservation::Own => None,
        phases::Reservation::Other(holder) => Some(VolumeReason::ReservedForOtherClaim(holder)),
        phases::Reservation::Gone(holder) => Some(VolumeReason::ReservedForDeletedClaim(holder)),
    }
}

/// Causes in the order of the contract; what only warns or informs comes last, except where it is the answer itself.
pub(crate) fn sort_causes(causes: &mut [Cause]) {
    let weight = |cause: &Cause| {
        let demoted = cause.severity == Severity::Warning && cause.cause.rank() < 80;
        (
            if demoted {
                cause.cause.rank() + 100
            } else {
                cause.cause.rank()
            },
            cause.cause.code(),
        )
    };
    causes.sort_by_key(weight);
}
