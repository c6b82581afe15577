//! What is written into a set: what is done to it this moment, and how it stands when that is done.

use super::super::event::{Happening, News, tell_of_set};
use super::super::operation::{Part, Patch, Purpose};
use super::super::plan::{Deed, Errand};
use super::Work;
use crate::engine::refusal::{SetEvidence, Standing};
use crate::engine::volume_set::Levels;
use crate::model::{InProgress, SetCondition, Time, VolumeSet};
use crate::report::{Code, SetFinding};
use serde_json::{Map, Value, json};

/// A member is being made.
pub(super) const CREATE: &str = "Create";
/// A member is being deleted.
pub(super) const DELETE: &str = "Delete";
/// What is left of a member is being deleted.
pub(super) const TAKE_BACK: &str = "TakeBack";

/// Why a set has not what it asks for: it is being made.
const IN_WORK: &str = "InProgress";
/// Where a set says what is done to it.
const IN_PROGRESS: &str = "inProgress";
/// Whether it has what it asks for.
const READY: &str = "Ready";
/// Whether it can be kept as it is written.
const VALID: &str = "Valid";

impl Work<'_> {
    /// Notes that a member is about to be made. Its number is given away with it, whatever comes of it.
    pub(super) fn note_creation(&mut self, ordinal: u64, volume: &str) {
        let next = self.set.status.next_ordinal.unwrap_or(0).max(ordinal + 1);
        self.set.status.next_ordinal = Some(next);
        let why = "whoever else works on the set hears of it first";
        let body = json!({ "nextOrdinal": next, "inProgress": {
            "action": CREATE, "volume": volume, "ordinal": ordinal, "until": null,
            "by": self.question.run } });
        self.note_progress(CREATE, volume, Some(ordinal), &body, why);
    }

    /// Notes that a member, or what is left of one, is about to go.
    pub(super) fn note_removal(&mut self, action: &'static str, volume: &str) {
        let why = "whoever else works on the set, or has changed it, is heard first";
        let body = json!({ "inProgress": {
            "action": action, "volume": volume, "ordinal": null, "until": null,
            "by": self.question.run } });
        self.note_progress(action, volume, None, &body, why);
    }

    fn note_progress(
        &mut self,
        action: &str,
        volume: &str,
        ordinal: Option<u64>,
        status: &Value,
        why: &str,
    ) {
        self.set.status.in_progress = Some(InProgress {
            action: action.to_owned(),
            volume: volume.to_owned(),
            ordinal,
            until: None,
            by: self.question.run.map(str::to_owned),
        });
        if self.question.is_live {
            let body = json!({ "status": status });
            let why = why.to_owned();
            // A note whose answer was lost tells nothing of what somebody asks for since.
            let asked = ("/metadata/generation", json!(self.set.generation));
            let patch = Patch::provided(Part::Status, body, vec![asked]);
            self.draft.patch((&self.set).into(), patch, why);
        }
    }

    /// Writes how the set stands once everything planned is done, unless that is written already.
    pub(super) fn record(&mut self) {
        let levels = self.levels;
        let ready = self.ready(levels);
        let valid = condition(
            VALID,
            true,
            "Valid",
            "It can be reconciled as it is written.",
        );
        let news = self.news_of(&ready);
        let code = ready.reason.clone();
        self.write_status(levels, vec![ready, valid]);
        if let Some(message) = news {
            self.begin_record();
            let what = Happening {
                news: News::MemberNotMade,
                volume: "",
                code: &code,
            };
            tell_of_set(self.draft, &self.set, what, &message);
        }
    }

    /// What keeps volumes from being made, where that was not said before. That there is no room is no trouble.
    fn news_of(&self, ready: &SetCondition) -> Option<String> {
        let is_trouble = ready.status == "False"
            && ![Code::MaximumReached.name(), IN_WORK].contains(&&*ready.reason);
        let is_new = !are_written(&self.set, std::slice::from_ref(ready));
        (self.question.is_live && is_trouble && is_new).then(|| ready.message.clone())
    }

    /// A set that cannot be kept as it is written is told so, and left alone.
    pub(super) fn refuse_invalid(&mut self, fault: String) {
        let is_written = self.set.status.conditions.iter().any(|condition| {
            condition.kind == VALID && condition.status == "False" && condition.message == fault
        });
        let invalid = condition(VALID, false, Code::InvalidVolumeSet.name(), &fault);
        let levels = self.levels;
        let ready = condition(
            READY,
            false,
            Code::InvalidVolumeSet.name(),
            "It is not reconciled: see Valid.",
        );
        self.write_status(levels, vec![ready, invalid]);
        if self.question.is_live && !is_written {
            self.begin_record();
            let what = Happening {
                news: News::SetInvalid,
                volume: "",
                code: "",
            };
            tell_of_set(self.draft, &self.set, what, &fault);
        }
        self.note(SetEvidence::InvalidVolumeSet { fault }, Standing::Refused);
    }

    /// Whether the set has what it asks for, and if not, why. What holds before and after is told in the same words.
    fn ready(&self, levels: Levels) -> SetCondition {
        let (minimum, maximum) = (self.set.minimum, self.set.maximum);
        let count = format!(
            "{} unbound, at least {minimum} wanted; {} in all, at most {maximum} wanted",
            levels.unbound, levels.total
        );
        if levels.short_of(&self.set) == 0 {
            return condition(READY, true, "MinimumReached", &count);
        }
        let of_set = |finding: &&SetFinding| finding.volume.is_none();
        match self.findings.iter().rfind(of_set) {
            Some(finding) if finding.code == Code::MaximumReached => {
                condition(READY, false, finding.code.name(), &count)
            }
            Some(finding) => {
                let message = format!("{count}: {}", finding.message);
                condition(READY, false, finding.code.name(), &message)
            }
            None => condition(READY, false, IN_WORK, &count),
        }
    }

    /// What differs from what is written.
    fn status_body(&self, levels: Levels, conditions: &[SetCondition]) -> Map<String, Value> {
        let status = &self.set.status;
        let is_old = status.observed_generation != self.set.generation;
        let mut body = Map::new();
        for (field, written, count) in [
            ("totalReplicas", status.total, levels.total),
            ("unboundReplicas", status.unbound, levels.unbound),
            ("boundReplicas", status.bound, levels.bound),
        ] {
            if written != Some(signed(count)) {
                body.insert(field.to_owned(), json!(count));
            }
        }
        if is_old {
            body.insert("observedGeneration".to_owned(), json!(self.set.generation));
        }
        if status.in_progress.is_some() && !self.is_awaited() && self.question.is_live {
            body.insert(IN_PROGRESS.to_owned(), Value::Null);
        }
        if is_old || !are_written(&self.set, conditions) {
            let told = conditions.iter().map(|wanted| told(&self.set, wanted));
            body.insert("conditions".to_owned(), told.collect());
        }
        body
    }

    /// Whether somebody else is about to make a member, and this run has nothing to do with it.
    fn is_awaited(&self) -> bool {
        self.steps == 0 && self.awaited().is_some()
    }

    /// States which other run this one does not touch, and until when. Whether that run has ended cannot be determined: it may
    /// create its volume at any time until then, so neither its note nor its asset can be removed before.
    pub(super) fn note_awaited(&mut self) {
        let begun = self.set.status.in_progress.as_ref();
        let Some(begun) = begun.filter(|_| self.is_awaited()) else {
            return;
        };
        let until = begun.until.zip(self.draft.state.captured_at());
        let seconds = |(Time(until), Time(now)): (Time, Time)| until.saturating_sub(now);
        let left = until.map_or(0, seconds).saturating_add(1);
        let evidence = SetEvidence::OtherRun {
            volume: begun.volume.clone(),
            seconds: left,
        };
        self.note(evidence, Standing::Fine);
    }

    fn write_status(&mut self, levels: Levels, conditions: Vec<SetCondition>) {
        let body = self.status_body(levels, &conditions);
        let status = &mut self.set.status;
        status.total = Some(signed(levels.total));
        status.unbound = Some(signed(levels.unbound));
        status.bound = Some(signed(levels.bound));
        status.observed_generation = self.set.generation;
        status.conditions = conditions;
        if body.contains_key(IN_PROGRESS) {
            status.in_progress = None;
        }
        self.draft.state.swap_volume_set(self.set.clone());
        if body.is_empty() {
            return;
        }
        let before = self.first_errand..self.draft.plan.errands.len();
        self.begin_record();
        let why = "how it stands once this is done".to_owned();
        let body = json!({ "status": body });
        let errands = before.collect();
        let patch = Patch::new(Part::Status, body, Purpose::SumUp { errands });
        self.draft.patch((&self.set).into(), patch, why);
    }

    fn begin_record(&mut self) {
        let set = self.set.name.clone();
        self.draft.begin(Errand {
            claim: None,
            volume: String::new(),
            what: "its status is written".to_owned(),
            deed: Deed::Record { set },
        });
    }
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Something that holds of a set, or does not.
pub(super) fn condition(kind: &str, holds: bool, reason: &str, message: &str) -> SetCondition {
    SetCondition {
        kind: kind.to_owned(),
        status: if holds { "True" } else { "False" }.to_owned(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        since: None,
    }
}

fn find<'a>(set: &'a VolumeSet, kind: &str) -> Option<&'a SetCondition> {
    let mut conditions = set.status.conditions.iter();
    conditions.find(|condition| condition.kind == kind)
}

fn are_written(set: &VolumeSet, conditions: &[SetCondition]) -> bool {
    let is_written = |wanted: &SetCondition| {
        find(set, &wanted.kind).is_some_and(|found| {
            let same = |of: &dyn Fn(&SetCondition) -> String| of(found) == of(wanted);
            same(&|it| it.status.clone())
                && same(&|it| it.reason.clone())
                && same(&|it| it.message.clone())
        })
    };
    conditions.iter().all(is_written)
}

/// As it is written. That it has not changed keeps its time; otherwise it is filled in when it is sent.
pub(super) fn told(set: &VolumeSet, condition: &SetCondition) -> Value {
    let before = find(set, &condition.kind).filter(|before| before.status == condition.status);
    let mut told = json!({
        "type": condition.kind,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
    });
    if let Some(generation) = set.generation {
        told["observedGeneration"] = json!(generation);
    }
    // Files are of no moment.
    if set.resource_version.is_some() {
        told["lastTransitionTime"] = json!(before.and_then(|before| before.since.clone()));
    }
    told
}
