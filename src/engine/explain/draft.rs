//! An explanation in the making.

use super::super::admission;
use super::super::binding::Search;
use super::super::provisioning::{Maker, volume_name};
use super::super::unknowns::{describe, find_unknown, unread};
use super::super::{Rules, classes, story, taxonomy};
use super::{OptionsAre, volumes};
use crate::model::{Claim, Class, ClusterState, Kind, Origin, Volume};
use crate::report::{
    API_VERSION, Assessment, Cause, ClaimCause, ClaimSummary, ClassSource, ClassSummary,
    Explanation, NodeAssessment, Path, Provisioning, Result, Says, Severity, Story, Unknown,
    Verdict, VolumeReason, join_and,
};

/// A volume that is reserved for the claim and not taken.
pub(super) struct PassedOver {
    volume: String,
    made_for_it: bool,
    why: Vec<String>,
}

pub(super) struct Draft<'a> {
    pub(super) state: &'a ClusterState,
    pub(super) claim: &'a Claim,
    pub(super) rules: Rules,
    /// The class that counts, which may not be the claim's own.
    pub(super) class: String,
    pub(super) class_source: ClassSource,
    pub(super) outcomes: Vec<String>,
    pub(super) assessments: Vec<Assessment>,
    /// Node by node, where the scheduler decides.
    pub(super) nodes: Vec<NodeAssessment>,
    /// Volumes reserved for the claim, with what keeps them from being taken.
    pub(super) reserved: Vec<PassedOver>,
    pub(super) provisioning: Option<Provisioning>,
    pub(super) causes: Vec<Cause>,
    pub(super) refusal: Option<String>,
    pub(super) says: Vec<Says>,
    pub(super) unknowns: Vec<Unknown>,
    pub(super) story: Option<Story>,
    pub(super) options: OptionsAre,
    /// Whether the API server refuses every update of the claim.
    pub(super) updates_are_refused: bool,
}

impl<'a> Draft<'a> {
    pub(super) fn new(state: &'a ClusterState, claim: &'a Claim, rules: Rules) -> Self {
        Self {
            state,
            claim,
            rules,
            class: claim.class.resolved().to_owned(),
            class_source: ClassSource::None,
            outcomes: vec![],
            assessments: vec![],
            nodes: vec![],
            reserved: vec![],
            provisioning: None,
            causes: vec![],
            refusal: None,
            says: vec![],
            unknowns: vec![],
            story: None,
            options: OptionsAre::Ignored,
            updates_are_refused: false,
        }
    }

    pub(super) fn block(&mut self, cause: ClaimCause) {
        self.causes.push(Cause::blocker(cause));
    }

    /// Takes over what a search found.
    pub(super) fn look_at(&mut self, search: Option<&Search<'_>>) {
        let Some(search) = search else { return };
        self.assessments = volumes::assessments(&search.judged, &self.claim.request());
        let reserved = search.judged.iter().filter(|judged| judged.is_reserved);
        self.reserved = reserved
            .filter(|judged| !matches!(judged.result, Result::Chosen | Result::Possible))
            .map(|judged| {
                let reference = judged.volume.claim_ref.as_ref();
                let by_uid = reference.is_some_and(|reference| reference.uid.is_some());
                PassedOver {
                    volume: judged.volume.name.clone(),
                    made_for_it: by_uid && self.is_made_by_its_class(judged.volume),
                    why: judged.reasons.iter().map(VolumeReason::clause).collect(),
                }
            })
            .collect();
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
            Maker::Nobody | Maker::Unimplemented { .. } => false,
        }
    }

    /// Nothing is bound after all: what was chosen only fits.
    fn withdraw_outcomes(&mut self) {
        self.outcomes.clear();
        for assessment in &mut self.assessments {
            if matches!(assessment.result, Result::Chosen | Result::Possible) {
                assessment.result = Result::Fits;
            }
        }
    }

    pub(super) fn note_ignored_reservations(&mut self) {
        for passed in std::mem::take(&mut self.reserved) {
            let why = join_and(&passed.why);
            self.causes
                .push(Cause::warning(ClaimCause::ReservationIgnored {
                    volume: passed.volume,
                    why,
                }));
        }
    }

    /// Volumes that a provisioner made for the claim and that cannot be bound to it; the others are merely ignored.
    pub(super) fn note_unfit_volumes(&mut self) -> bool {
        let all = std::mem::take(&mut self.reserved).into_iter();
        let (made, reserved) = all.partition::<Vec<_>, _>(|passed| passed.made_for_it);
        self.reserved = reserved;
        self.note_ignored_reservations();
        let found = !made.is_empty();
        for passed in made {
            self.block(ClaimCause::ProvisionedVolumeUnfit {
                volume: passed.volume,
                why: passed.why,
            });
        }
        found
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

    /// The volume that lacks one thing only; what somebody else holds is named where nothing else comes near.
    fn nearest_miss(&self) -> Option<(String, VolumeReason)> {
        let near = || {
            let rejected = self.assessments.iter();
            rejected
                .filter(|assessment| assessment.result == Result::Rejected)
                .map_while(|assessment| match &assessment.reasons[..] {
                    [only] => Some((&assessment.name, only)),
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

    pub(super) fn note_no_volume(&mut self) {
        let fits = self
            .assessments
            .iter()
            .any(|assessment| assessment.result == Result::Fits);
        if !fits {
            let cause = self.no_volume_cause();
            self.block(cause);
            self.note_absent(Kind::Volumes);
        }
        self.note_ignored_reservations();
    }

    /// A LimitRange refuses every update of an existing claim, so that it can never be bound (R10a).
    pub(super) fn note_refused_updates(&mut self) {
        if !self.claim.exists() || self.claim.is_bind_completed() {
            return;
        }
        for cause in admission::update_refusals(self.state, self.claim) {
            self.updates_are_refused = true;
            self.block(cause);
        }
    }

    pub(super) fn note_terminating(&mut self) {
        self.causes
            .extend(story::terminating(self.state, self.claim));
    }

    /// A class that is in none of the files might delay binding, or be the default.
    fn note_missing_class(&mut self) {
        let settled = self.claim.is_bind_completed() || self.claim.volume_name.is_some();
        let could_matter = !self.class.is_empty() || !self.claim.class.is_set();
        if !settled
            && could_matter
            && self.state.find_class(&self.class).is_none()
            && self.state.is_absent(Kind::Classes)
        {
            self.note_absent(Kind::Classes);
        }
    }

    /// Notes that a kind was not seen, if it was not.
    pub(super) fn note_gap(&mut self, kind: Kind) {
        let namespace = kind
            .is_namespaced()
            .then_some(self.claim.key.namespace.as_str());
        if let Some(gap) = self.state.find_gap(kind, namespace) {
            self.add_unknown(describe(gap));
        }
    }

    /// Notes that a kind was not seen, or those objects of it in the claim's namespace that were asked for by name.
    pub(super) fn note_unread(&mut self, kind: Kind) {
        self.note_gap(kind);
        for unknown in unread(self.state, self.claim, kind) {
            self.add_unknown(unknown);
        }
    }

    /// Notes that a kind was not seen, or that the files hold none of it.
    pub(super) fn note_absent(&mut self, kind: Kind) {
        let namespace = kind
            .is_namespaced()
            .then_some(self.claim.key.namespace.as_str());
        if let Some(unknown) = find_unknown(self.state, kind, namespace) {
            self.add_unknown(unknown);
        }
    }

    pub(super) fn add_unknown(&mut self, unknown: Unknown) {
        if !self.unknowns.contains(&unknown) {
            self.unknowns.push(unknown);
        }
    }

    pub(super) fn finish(mut self, mut verdict: Verdict, path: Path) -> Explanation {
        if self.updates_are_refused {
            self.withdraw_outcomes();
            verdict = Verdict::Blocked;
        }
        if verdict != Verdict::Rejected {
            self.note_missing_class();
        }
        self.note_unoffered_labels();
        self.note_default_class(verdict);
        self.note_general_gaps(verdict);
        sort_causes(&mut self.causes);
        let claim = self.summary();
        Explanation {
            api_version: API_VERSION,
            kind: "Explanation",
            rules: self.rules.name(),
            claim,
            verdict,
            path,
            outcomes: self.outcomes,
            volumes: self.assessments,
            volumes_omitted: 0,
            provisioning: self.provisioning,
            nodes: self.nodes,
            causes: self.causes,
            refusal: self.refusal,
            suggestions: vec![],
            kubernetes_says: self.says,
            unknowns: self.unknowns,
            cluster: None,
            story: self.story,
        }
    }

    /// A selector may ask for what no volume can give it. It weighs as much as that none fits.
    fn note_unoffered_labels(&mut self) {
        let follows = |cause: &&Cause| {
            matches!(
                cause.cause,
                ClaimCause::NoVolumeFits { .. } | ClaimCause::SelectorNotProvisionable { .. }
            )
        };
        let Some(selector) = &self.claim.selector else {
            return;
        };
        let Some(severity) = self.causes.iter().find(follows).map(|cause| cause.severity) else {
            return;
        };
        let missing = taxonomy::unoffered(self.state, selector).into_iter();
        self.causes
            .extend(missing.map(|cause| Cause { cause, severity }));
    }

    /// A class that nobody wrote into the claim surprises: which one it is, and what it keeps the claim from.
    fn note_default_class(&mut self, verdict: Verdict) {
        let is_put_in = matches!(
            self.class_source,
            ClassSource::Default | ClassSource::RetroactiveDefault
        );
        let is_open = matches!(
            verdict,
            Verdict::WillBind | Verdict::WillProvision | Verdict::Waiting | Verdict::Blocked
        );
        if !is_put_in || !is_open || self.claim.volume_name.is_some() {
            return;
        }
        let lacks_only_its_class = |assessment: &&Assessment| matches!(&assessment.reasons[..], [VolumeReason::ClassMismatch { offered, .. }] if offered.is_empty());
        let volumes: Vec<String> = self
            .assessments
            .iter()
            .filter(lacks_only_its_class)
            .map(|assessment| assessment.name.clone())
            .collect();
        if !volumes.is_empty() {
            let class = self.class.clone();
            let cause = ClaimCause::DefaultClassApplied { class, volumes };
            self.causes.push(Cause::warning(cause));
        }
        let classes = classes::marked_default(self.state);
        if classes.len() > 1 {
            self.causes
                .push(Cause::note(ClaimCause::SeveralDefaultClasses {
                    classes: classes
                        .into_iter()
                        .map(|class| (class.name.clone(), created(class)))
                        .collect(),
                }));
        }
    }

    /// Lists that bear on every answer for a claim that is not settled.
    fn note_general_gaps(&mut self, verdict: Verdict) {
        if matches!(verdict, Verdict::Bound | Verdict::Lost) {
            return;
        }
        for kind in [Kind::LimitRanges, Kind::Quotas] {
            self.note_gap(kind);
        }
        // Claims elsewhere could compete, or hold what looks released; neither decides a verdict.
        if let Some(gap) = self
            .state
            .gaps()
            .iter()
            .find(|gap| gap.kind == Kind::Claims && gap.seen_only_in.is_some())
        {
            let unknown = describe(gap);
            self.add_unknown(unknown);
        }
    }

    fn summary(&self) -> ClaimSummary {
        let claim = self.claim;
        let exists = match self.class.as_str() {
            "" => Some(false),
            class if self.state.find_class(class).is_some() => Some(true),
            _ => self.state.saw(Kind::Classes, None).then_some(false),
        };
        ClaimSummary {
            namespace: claim.key.namespace.clone(),
            name: claim.key.name.clone(),
            uid: claim.uid.clone(),
            phase: claim.exists().then_some(claim.phase),
            requested: claim.requested.as_ref().map(ToString::to_string),
            access_modes: claim.access_mode_names.clone(),
            volume_mode: claim.volume_mode(),
            class: ClassSummary {
                name: self.class.clone(),
                source: self.class_source,
                exists,
            },
            selector: claim.selector.as_ref().map(ToString::to_string),
            volume_name: claim.volume_name.clone(),
            volume_attributes_class: claim
                .attributes_class
                .clone()
                .filter(|name| !name.is_empty()),
            from_template: match &claim.origin {
                Origin::Object => None,
                Origin::Template(owner) => Some(owner.clone()),
            },
        }
    }
}

fn created(class: &Class) -> String {
    class
        .created
        .map_or_else(|| "some day".to_owned(), |created| created.to_string())
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
