//! Plans, carried out: the only file that writes to the cluster.
//!
//! Changes are sent one after the other. What may pass is tried again; what was refused because somebody else wrote in
//! between is told as a conflict, and the caller looks and plans again.

mod answer;
mod assets;
mod elsewhere;
mod gone;
mod listener;
mod own_recycler;
mod readiness;
mod recheck_recyclers;
mod rechecks;
mod repeated_events;
mod sent_object;
mod times;
mod waiting;

pub(crate) use self::gone::{find_remains, read_object};
pub(crate) use self::listener::{ProgressListener, Silent, Unstoppable};
pub(crate) use self::readiness::ask as ask_readiness;

use self::answer::Answer;
use self::assets::Workshop;
use self::sent_object::{holds, is_elsewhere, is_member, is_same_object, is_under_way, source_of};
pub(crate) use self::times::Times;
use super::operation::{
    Action, Deletion, Fill, FillWith, Operation, Patch, Provided, Purpose, Wait,
};
use super::outcome::{Applied, Cut, Sent};
use super::plan::{Change, Deed, Errand, Plan, Target};
use super::recycler_pod::mounts;
use crate::conventions::annotations::{OWN_DELETION, RECYCLING};
use crate::conventions::object_kind::ObjectKind;
use crate::load::client::{ApiError, ApiErrorKind, Connection, Write};
use crate::load::{collection_path, escape};
use crate::model::asset::Asset;
use crate::storage::Backends;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// How often a request is sent before somebody else has to try.
const ATTEMPTS: u32 = 6;
const FIRST_DELAY: Duration = Duration::from_millis(100);
/// How often a conflict is read again and retried at once.
const CONFLICTS: u32 = 20;
const FIELD_MANAGER: &str = "kubectl-pv";

/// Whether the server is to make the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earnest {
    /// It makes them.
    Yes,
    /// It only says what it would do. What builds on an earlier change, and what is no request, cannot be tried.
    DryRun,
}

/// What a plan is applied with.
pub(crate) struct ApplyContext<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) backends: &'a Backends,
    pub(crate) listener: &'a mut dyn ProgressListener,
    /// The longest that one wait takes.
    pub(crate) time: Duration,
    /// The moments that are written into objects.
    pub(crate) times: &'a dyn Fn() -> Times,
    /// The name of the run, for its locks.
    pub(crate) run: &'a str,
}

/// What is known of a change once it is made.
#[derive(Debug, Clone, Default)]
struct Known {
    version: Option<String>,
    uid: Option<String>,
    asset: Option<Asset>,
    /// Of a volume.
    source: Option<Value>,
    /// Another machine provisioned the volume first.
    is_elsewhere: bool,
}

/// One pass over the changes of a plan.
struct Pass<'a, 'p> {
    context: ApplyContext<'a>,
    plan: &'p Plan,
    earnest: Earnest,
    known: Vec<Known>,
    sent: Vec<Sent>,
    /// The errands of which a change failed.
    ended: HashSet<usize>,
    begun: HashSet<usize>,
    /// The last change of each errand.
    last: HashMap<usize, usize>,
    /// Why no further object is begun.
    cut: Option<Cut>,
    /// Until when claims are waited for: all were asked before the first wait.
    waits_until: Option<Instant>,
    /// When a set was told that a member is created.
    noted_at: Option<Instant>,
}

/// Makes the changes of a plan. A failure ends its errand; a wait that ran out, or a signal, ends the pass after the object at
/// hand.
pub(crate) async fn apply(context: ApplyContext<'_>, plan: &Plan, earnest: Earnest) -> Applied {
    let mut objects = plan.errands.iter().filter(|errand| !errand.deed.is_aside());
    let mut objects = objects.by_ref().map(Errand::object);
    context.listener.expect(&mut objects);
    let last = plan.changes.iter().enumerate();
    let last = last.map(|(index, change)| (change.errand, index));
    let mut pass = Pass {
        context,
        plan,
        earnest,
        known: vec![Known::default(); plan.changes.len()],
        sent: Vec::with_capacity(plan.changes.len()),
        ended: HashSet::new(),
        begun: HashSet::new(),
        last: last.collect(),
        cut: None,
        waits_until: None,
        noted_at: None,
    };
    for index in 0..plan.changes.len() {
        let sent = pass.make(index).await;
        pass.sent.push(sent);
    }
    pass.conclude()
}

impl Pass<'_, '_> {
    /// Makes one change, unless something is in the way.
    async fn make(&mut self, index: usize) -> Sent {
        let change = &self.plan.changes[index];
        let is_tried = change.after.is_none() && is_request(&change.operation);
        let is_for_later = self.earnest == Earnest::DryRun && !is_tried;
        let mut summed_up = summed_up_by(change).iter();
        let is_untrue = summed_up.any(|errand| self.ended.contains(errand));
        if is_baseless(change, &self.sent) {
            // Without the version it builds on nothing would guard it.
            self.ended.insert(change.errand);
        }
        if is_for_later || is_untrue || self.ended.contains(&change.errand) {
            return Sent::NotReached;
        }
        if self.is_stopped_before(change) {
            self.ended.insert(change.errand);
            return Sent::NotReached;
        }
        if is_told_by_another(self.plan, index, &self.sent) {
            return Sent::AlreadyDone;
        }
        let began = Instant::now();
        let (result, known) = if let Some(refusal) = self.find_refusal(change).await {
            (refusal, Known::default())
        } else {
            self.begin(change);
            self.carry_out(change).await
        };
        let is_made = matches!(result, Sent::Done | Sent::AlreadyDone);
        self.note_time(change, &result, began);
        if !is_made && !change.is_optional() {
            self.ended.insert(change.errand);
        }
        if known.is_elsewhere {
            self.delete_own_asset(change).await;
        }
        self.known[index] = known;
        self.finish(index);
        result
    }

    /// Why the asset does not allow the change.
    async fn find_refusal(&self, change: &Change) -> Option<Sent> {
        let (connection, backends) = (self.context.connection, self.context.backends);
        let checking = readiness::find_refusal(connection, backends, change, self.plan);
        match timeout(longest(self.context.time), checking).await {
            Ok(refusal) => refusal,
            Err(_) => Some(no_answer(connection, self.context.time)),
        }
    }

    /// Notes that a wait has run out: no further object is begun.
    fn note_time(&mut self, change: &Change, result: &Sent, began: Instant) {
        let is_over = !is_wait(&change.operation) && began.elapsed() >= self.context.time;
        let is_made = matches!(result, Sent::Done | Sent::AlreadyDone);
        let is_unanswered = matches!(result, Sent::Unanswered(_));
        let is_request = change.asset_work().is_none();
        if is_unanswered && (is_over || !change.is_optional()) {
            self.cut = Some(Cut::NoAnswer);
        } else if is_over && (is_request || !is_made) {
            // A backend took too long, or a request of which a read has shown what came of it.
            self.cut.get_or_insert(Cut::TimeIsUp);
        }
    }

    /// Whether the run ends before this change: at the begin of an object, and instead of a wait for a claim.
    fn is_stopped_before(&mut self, change: &Change) -> bool {
        if self.context.listener.is_stopping() {
            self.cut.get_or_insert(Cut::Signal);
        }
        // The status of a set belongs to its members.
        let members = summed_up_by(change);
        let is_summary =
            !members.is_empty() && members.iter().all(|errand| self.begun.contains(errand));
        let is_begun = self.begun.contains(&change.errand) || is_summary;
        let is_wait = matches!(change.operation, Operation::Wait(Wait::ClaimIsBound { .. }));
        match self.cut {
            None => false,
            Some(Cut::NoAnswer) => true,
            Some(Cut::TimeIsUp | Cut::Signal) => !is_begun || is_wait,
        }
    }

    fn begin(&mut self, change: &Change) {
        let Some(errand) = self.plan.errands.get(change.errand) else {
            return;
        };
        if self.begun.insert(change.errand) && !errand.deed.is_aside() {
            self.context.listener.start(&errand.about());
        }
        if !is_wait(&change.operation) && self.earnest == Earnest::Yes {
            self.context.listener.begin_write();
        }
    }

    /// Counts the object once the last of its changes is made.
    fn finish(&mut self, index: usize) {
        let errand = self.plan.changes[index].errand;
        if let Some(it) = self.plan.errands.get(errand)
            && self.last.get(&errand) == Some(&index)
            && !self.ended.contains(&errand)
            && !it.deed.is_aside()
        {
            self.context.listener.finish(&it.object());
        }
    }

    async fn carry_out(&mut self, change: &Change) -> (Sent, Known) {
        let times = (self.context.times)();
        let (connection, time) = (self.context.connection, self.context.time);
        let deadline = Instant::now() + time;
        let target = &change.target;
        if self.is_too_late(change) {
            let why = "the time that the set was told for this member is over";
            return (Sent::Failed(why.to_owned()), Known::default());
        }
        let (request, body) = match &change.operation {
            Operation::Create(creation) => {
                let body = fill(&creation.object, &creation.fills, &self.known);
                (Request::Create, times.stamp(body, target.kind))
            }
            Operation::Patch(patch) => {
                if let Purpose::OpenGate { pod, locked } = &patch.purpose
                    && !self.is_mounted(pod, *locked)
                {
                    let why = "the pod does not mount the source that the volume has now";
                    return (Sent::Failed(why.to_owned()), Known::default());
                }
                let body = signed(
                    fill(&patch.body, &patch.fills, &self.known),
                    self.context.run,
                );
                let note = body.pointer("/status/inProgress");
                if note.is_some_and(Value::is_object) {
                    self.noted_at = Some(Instant::now());
                }
                (Request::Patch(patch), times.stamp(body, target.kind))
            }
            Operation::Delete(deletion) => {
                let (uid, version) = self.guards_of(change, deletion.version());
                (Request::Delete(deletion), deletion.options(uid, version))
            }
            Operation::Event(event) => (Request::Event, event.clone()),
            Operation::Asset(step) => {
                let workshop = Workshop {
                    backends: self.context.backends,
                    deadline,
                };
                let (sent, asset) = workshop.work(&step.work, self.source(step.source_of)).await;
                let known = Known {
                    asset,
                    ..Known::default()
                };
                return (sent, known);
            }
            Operation::Wait(wait) => {
                let (uid, _) = self.guards_of(change, None);
                let uid = uid.map(str::to_owned);
                let listener = &mut *self.context.listener;
                let sent = match wait {
                    Wait::ClaimIsBound { provisioner } => {
                        let deadline = *self.waits_until.get_or_insert(deadline);
                        let bound =
                            waiting::wait(connection, target, provisioner, deadline, listener);
                        within(connection, time, bound).await
                    }
                    Wait::PodHasEnded | Wait::PodIsGone => {
                        let pod = own_recycler::OwnRecycler {
                            target,
                            uid: uid.as_deref(),
                        };
                        within(
                            connection,
                            time,
                            pod.wait(connection, wait, deadline, listener),
                        )
                        .await
                    }
                };
                return (sent, Known::default());
            }
            Operation::Recheck(recheck) => {
                let (_, version) = self.guards_of(change, None);
                let checked = rechecks::check(connection, target, recheck, version);
                return (within(connection, time, checked).await, Known::default());
            }
        };
        let sending = Sending {
            connection,
            target,
            request,
            body,
            earnest: self.earnest,
            deadline,
            time,
            now: &times.now,
        };
        match timeout(longest(time), sending.send()).await {
            Ok(sent) => sent,
            Err(_) => (no_answer(connection, time), Known::default()),
        }
    }

    /// The uid and the version of an object, from the change before where that wrote it.
    fn guards_of<'a>(
        &'a self,
        change: &'a Change,
        version: Option<&'a str>,
    ) -> (Option<&'a str>, Option<&'a str>) {
        let before = change.after.map(|index| &self.known[index]);
        let written = |of: fn(&Known) -> Option<&str>| before.and_then(of);
        let uid = change.target.uid.as_deref();
        (
            uid.or_else(|| written(|known| known.uid.as_deref())),
            version.or_else(|| written(|known| known.version.as_deref())),
        )
    }

    /// Where an asset is, as the answer to a change tells it.
    fn source(&self, change: Option<usize>) -> Option<Value> {
        self.known[change?].source.clone()
    }

    /// Whether a pod mounts the source of the volume that was locked.
    fn is_mounted(&self, pod: &Value, locked: Option<usize>) -> bool {
        let source = self.source(locked);
        source.is_some_and(|source| mounts(pod, &source))
    }

    /// Whether the set was told that this member is not created any more by now.
    fn is_too_late(&self, change: &Change) -> bool {
        let errand = self.plan.errands.get(change.errand);
        let is_member = errand.is_some_and(|errand| matches!(errand.deed, Deed::MakeMember { .. }));
        let is_made = matches!(change.action(), Action::Create | Action::CreateAsset);
        let is_over = |at: Instant| at.elapsed() > self.context.time;
        is_made && is_member && self.noted_at.is_some_and(is_over)
    }

    fn conclude(self) -> Applied {
        let changes = self.plan.changes.iter();
        let wrote = changes.zip(&self.sent).any(|(change, sent)| {
            let is_sent = !matches!(sent, Sent::NotReached | Sent::Refused { .. });
            is_sent && !is_wait(&change.operation) && !change.is_optional()
        });
        Applied {
            wrote,
            assets: self.known.into_iter().map(|known| known.asset).collect(),
            sent: self.sent,
            cut: self.cut,
        }
    }
}

/// The longest that one change takes: its request with all retries, and the reading that shows what came of it. A server that
/// stops answering so ends the run within twice the time.
fn longest(time: Duration) -> Duration {
    time + time / 2 + Duration::from_millis(100)
}

/// Lets something take no longer than one change may.
async fn within(
    connection: &Connection,
    time: Duration,
    doing: impl Future<Output = Sent>,
) -> Sent {
    match timeout(longest(time), doing).await {
        Ok(sent) => sent,
        Err(_) => no_answer(connection, time),
    }
}

fn no_answer(connection: &Connection, time: Duration) -> Sent {
    Sent::Unanswered(connection.no_answer(time).to_string())
}

/// Whether the server is asked to change something.
fn is_request(operation: &Operation) -> bool {
    match operation {
        Operation::Create(_) | Operation::Patch(_) | Operation::Delete(_) | Operation::Event(_) => {
            true
        }
        Operation::Asset(_) | Operation::Wait(_) | Operation::Recheck(_) => false,
    }
}

/// Whether nothing is changed by it.
fn is_wait(operation: &Operation) -> bool {
    matches!(operation, Operation::Wait(_) | Operation::Recheck(_))
}

/// The errands that a change sums up.
fn summed_up_by(change: &Change) -> &[usize] {
    match &change.operation {
        Operation::Patch(Patch {
            purpose: Purpose::SumUp { errands },
            ..
        }) => errands,
        _ => &[],
    }
}

fn removes_lock(operation: &Operation) -> bool {
    matches!(operation, Operation::Patch(patch) if patch.purpose == Purpose::RemoveLock)
}

/// Whether it is news of a member that somebody else has made or deleted, who tells it as well.
fn is_told_by_another(plan: &Plan, index: usize, sent: &[Sent]) -> bool {
    let change = &plan.changes[index];
    let errand = plan.errands.get(change.errand);
    let is_of_set = errand.is_some_and(|errand| errand.deed.set().is_some());
    let done = || {
        let done = plan.changes.iter().zip(sent);
        done.filter(|(earlier, _)| earlier.errand == change.errand)
    };
    // Only one run removes our finalizer; without one, only one creates or deletes the object.
    let removal = done().find(|(earlier, _)| removes_lock(&earlier.operation));
    let is_anothers = match removal {
        Some((_, sent)) => *sent == Sent::AlreadyDone,
        None => done().any(|(earlier, sent)| {
            let is_it = matches!(earlier.action(), Action::Create | Action::Delete);
            is_it && *sent == Sent::AlreadyDone
        }),
    };
    change.is_optional() && is_of_set && is_anothers
}

/// Whether it builds on a change that was not made.
fn is_baseless(change: &Change, sent: &[Sent]) -> bool {
    let mut bases = change.operation.bases().into_iter().chain(change.after);
    bases.any(|base| !matches!(sent.get(base), Some(Sent::Done | Sent::AlreadyDone)))
}

/// The body with what earlier changes have made.
fn fill(body: &Value, fills: &[Fill], known: &[Known]) -> Value {
    let mut body = body.clone();
    for fill in fills {
        let known = &known[fill.change];
        let value = match fill.with {
            FillWith::Version => known.version.clone(),
            FillWith::Uid => known.uid.clone(),
            FillWith::Capacity => known.asset.as_ref().map(|made| made.capacity.to_string()),
            FillWith::Asset => {
                if let Some(asset) = &known.asset {
                    super::new_volume::complete(&mut body, asset);
                }
                continue;
            }
        };
        if let (Some(slot), Some(value)) = (body.pointer_mut(fill.place), value) {
            *slot = json!(value);
        }
    }
    body
}

/// What the server is asked for.
#[derive(Clone, Copy)]
enum Request<'a> {
    Create,
    Event,
    Patch(&'a Patch),
    Delete(&'a Deletion),
}

impl Request<'_> {
    fn creates(self) -> bool {
        match self {
            Self::Create | Self::Event => true,
            Self::Patch(_) | Self::Delete(_) => false,
        }
    }

    /// What an object must say besides, for the request to count as made by another run.
    fn provided(&self) -> &[Provided] {
        match self {
            Self::Patch(Patch {
                purpose: Purpose::Write { provided },
                ..
            })
            | Self::Delete(Deletion::Object { provided, .. }) => provided,
            Self::Create | Self::Event | Self::Patch(_) | Self::Delete(_) => &[],
        }
    }

    /// Whether it is made where the object does not exist.
    fn is_made_without_object(self) -> bool {
        match self {
            Self::Create | Self::Event => false,
            Self::Patch(patch) => patch.purpose == Purpose::RemoveLock,
            Self::Delete(Deletion::Object { provided, .. }) => provided.is_empty(),
            Self::Delete(Deletion::IdlePod | Deletion::OwnPod) => true,
        }
    }
}

struct Sending<'a> {
    connection: &'a Connection,
    target: &'a Target,
    request: Request<'a>,
    body: Value,
    earnest: Earnest,
    /// Until when the request is repeated.
    deadline: Instant,
    /// The longest that one wait takes.
    time: Duration,
    now: &'a str,
}

impl Sending<'_> {
    async fn send(&self) -> (Sent, Known) {
        if self.loses_its_gate().await {
            let why = "this cluster does not know scheduling gates (Kubernetes 1.27 does), so that a pod would begin before the volume is locked";
            return (Sent::Failed(why.to_owned()), Known::default());
        }
        let mut write = self.write(self.earnest, &self.body);
        let mut is_uncertain = false;
        let mut attempt = 0;
        let mut conflicts = 0;
        loop {
            let error = match self.send_once(&write).await {
                Ok(text) => return (self.is_done(&text, is_uncertain), known_of(&text)),
                Err(error) => error,
            };
            let ended = |sent: fn(String) -> Sent| (sent(error.to_string()), Known::default());
            match (Answer::of(&error), self.request) {
                (Answer::No, _) | (Answer::NotFound, Request::Create | Request::Event) => {
                    return ended(Sent::Failed);
                }
                (Answer::TryAgain, _) => is_uncertain = true,
                (Answer::LookAgain, Request::Event) => {
                    return (self.repeat_event().await, Known::default());
                }
                (Answer::LookAgain, Request::Create) => match self.look(is_uncertain).await {
                    Seen::Made(sent, known) => return (sent, *known),
                    // The object that was in the way does not exist any more.
                    Seen::Absent => {}
                    // One that has finished, or is being deleted, is planned for.
                    Seen::Different if self.is_planned_for() => return ended(Sent::Conflict),
                    Seen::Different => return ended(Sent::Failed),
                    Seen::Nothing => return ended(Sent::Unanswered),
                },
                (Answer::LookAgain | Answer::NotFound, Request::Patch(patch))
                    if patch.purpose == Purpose::RemoveLock =>
                {
                    match self.rebase().await {
                        // Its answer may have been lost; otherwise another run has removed the finalizer.
                        Rebased::Gone if is_uncertain => return (Sent::Done, Known::default()),
                        Rebased::Gone => return (Sent::AlreadyDone, Known::default()),
                        Rebased::Body(body) => {
                            write = self.write(self.earnest, &body);
                            // It is at odds with the version that was read, not with the server.
                            conflicts += 1;
                            if conflicts < CONFLICTS {
                                continue;
                            }
                        }
                        Rebased::NotRead(why) => return (Sent::Unanswered(why), Known::default()),
                    }
                }
                (Answer::LookAgain | Answer::NotFound, Request::Patch(_) | Request::Delete(_)) => {
                    match self.look(is_uncertain).await {
                        Seen::Made(sent, known) => return (sent, *known),
                        Seen::Absent | Seen::Different | Seen::Nothing => {
                            return ended(Sent::Conflict);
                        }
                    }
                }
            }
            attempt += 1;
            let delay = FIRST_DELAY * 2_u32.pow(attempt.min(5));
            if attempt >= ATTEMPTS || Instant::now() + delay > self.deadline {
                return self.give_up(&error).await;
            }
            sleep(delay).await;
        }
    }

    /// Sends the request, and waits for the answer no longer than the deadline.
    async fn send_once(&self, write: &Write) -> Result<String, ApiError> {
        match timeout_at(self.deadline, self.connection.send_write(write)).await {
            Ok(answer) => answer,
            Err(_) => Err(self.connection.no_answer(self.time)),
        }
    }

    /// The request got no clear answer: it may have taken effect all the same.
    async fn give_up(&self, error: &ApiError) -> (Sent, Known) {
        let why = error.to_string();
        // The server may not answer this either.
        let sent = match timeout(self.time / 2, self.look(true)).await {
            Ok(Seen::Made(sent, known)) => return (sent, *known),
            // An object under a name of its own that does not exist was not created.
            Ok(Seen::Absent) if self.request.creates() => Sent::Failed(why),
            // It answers reads, so other objects can be changed.
            Ok(Seen::Absent | Seen::Different) => Sent::Unclear(why),
            Ok(Seen::Nothing) | Err(_) => Sent::Unanswered(why),
        };
        (sent, Known::default())
    }

    /// The finalizers as they are now, without ours: another controller has removed its own meanwhile. The object is being
    /// deleted, so nothing else of it counts.
    async fn rebase(&self) -> Rebased {
        let path = path_of(self.target);
        let text = match timeout_at(self.deadline, self.connection.get_text(&path)).await {
            Ok(Ok(text)) => text,
            Ok(Err(error)) if matches!(error.kind, ApiErrorKind::NotFound { .. }) => {
                return Rebased::Gone;
            }
            Ok(Err(error)) => return Rebased::NotRead(error.to_string()),
            Err(_) => return Rebased::NotRead(self.connection.no_answer(self.time).to_string()),
        };
        let object: Value = serde_json::from_str(&text).unwrap_or_default();
        let metadata = &object["metadata"];
        if metadata["uid"].as_str() != self.target.uid.as_deref() {
            return Rebased::Gone;
        }
        let finalizers = metadata["finalizers"].as_array().into_iter().flatten();
        let (ours, others): (Vec<&Value>, Vec<&Value>) =
            finalizers.partition(|name| name.as_str() == Some(OWN_DELETION));
        if ours.is_empty() {
            return Rebased::Gone;
        }
        Rebased::Body(json!({ "metadata": {
            "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"],
            "finalizers": others,
        } }))
    }

    /// The event exists, as its name is made of what happened. Where its message differs, it gets ours and is counted up; that
    /// changes nothing else, so where it fails the event stays as it is.
    async fn repeat_event(&self) -> Sent {
        if self.earnest == Earnest::DryRun {
            return Sent::AlreadyDone;
        }
        let path = format!("{}?fieldManager={FIELD_MANAGER}", path_of(self.target));
        let write = |body: &Value| Write::merge_patch(path.clone(), body.to_string());
        for _ in 0..ATTEMPTS {
            // A patch that changes nothing answers with the event: the roles of those who write events cannot read them.
            let Ok(text) = self.connection.send_write(&write(&json!({}))).await else {
                break;
            };
            let Some(repeated) = repeated_events::count_up(&text, &self.body, self.now) else {
                break;
            };
            match self.connection.send_write(&write(&repeated)).await {
                Ok(_) => return Sent::Done,
                Err(error) => match Answer::of(&error) {
                    Answer::LookAgain | Answer::NotFound => {}
                    Answer::TryAgain | Answer::No => break,
                },
            }
        }
        Sent::AlreadyDone
    }

    /// How a request that was answered ended. A patch that leaves the version as it was has changed nothing: another run made it.
    /// A pod that was scheduled meanwhile runs on after its deletion, until its time is over.
    fn is_done(&self, answer: &str, is_uncertain: bool) -> Sent {
        let object = || serde_json::from_str::<Value>(answer).unwrap_or_default();
        match self.request {
            Request::Delete(Deletion::IdlePod) => match object()["spec"]["nodeName"].as_str() {
                Some(node) => {
                    Sent::Conflict(format!("the pod was placed on node {node} meanwhile"))
                }
                None => Sent::Done,
            },
            // A dry run leaves the version as it was, too.
            Request::Patch(_) if self.earnest == Earnest::Yes && !is_uncertain => {
                let version = &self.body["metadata"]["resourceVersion"];
                if version.is_string() && object()["metadata"]["resourceVersion"] == *version {
                    Sent::AlreadyDone
                } else {
                    Sent::Done
                }
            }
            Request::Create | Request::Event | Request::Patch(_) | Request::Delete(_) => Sent::Done,
        }
    }

    /// Whether a pod that is to wait behind a gate would be created without it. What else is wrong the creation itself tells.
    async fn loses_its_gate(&self) -> bool {
        let is_pod = matches!(self.request, Request::Create) && self.target.kind == ObjectKind::Pod;
        if !is_pod || self.earnest == Earnest::DryRun {
            return false;
        }
        let tried = self.write(Earnest::DryRun, &self.body);
        match self.connection.send_write(&tried).await {
            Ok(text) => {
                let pod: Value = serde_json::from_str(&text).unwrap_or_default();
                pod["spec"]["schedulingGates"].is_null()
            }
            Err(_) => false,
        }
    }

    fn write(&self, earnest: Earnest, body: &Value) -> Write {
        let dry_run = match earnest {
            Earnest::Yes => "",
            Earnest::DryRun => "&dryRun=All",
        };
        let query = format!("fieldManager={FIELD_MANAGER}{dry_run}");
        let path = path_of(self.target);
        let create = |body: &Value| {
            let path = format!("{}?{query}", collection_of(self.target));
            Write::create(path, body.to_string())
        };
        match self.request {
            Request::Create => create(body),
            Request::Event => create(&with_time(body.clone(), self.now)),
            Request::Delete(_) => Write::delete(
                format!("{path}?{}", dry_run.trim_start_matches('&')),
                body.to_string(),
            ),
            Request::Patch(Patch { part, .. }) => {
                let part = part.subresource().map(|name| format!("/{name}"));
                let part = part.unwrap_or_default();
                Write::merge_patch(format!("{path}{part}?{query}"), body.to_string())
            }
        }
    }

    /// Whether another object under the name of a new one is a reason to plan again.
    fn is_planned_for(&self) -> bool {
        matches!(self.target.kind, ObjectKind::Pod | ObjectKind::Lease) || is_member(&self.body)
    }

    /// Reads the object again: is it as the request would make it?
    async fn look(&self, is_uncertain: bool) -> Seen {
        let done = if is_uncertain {
            Sent::Done
        } else {
            Sent::AlreadyDone
        };
        let text = match self.connection.get_text(&path_of(self.target)).await {
            Ok(text) => text,
            Err(error) if !matches!(error.kind, ApiErrorKind::NotFound { .. }) => {
                return Seen::Nothing;
            }
            Err(_) if self.request.is_made_without_object() => {
                return Seen::Made(done, Box::default());
            }
            Err(_) => return Seen::Absent,
        };
        let Ok(object) = serde_json::from_str::<Value>(&text) else {
            return Seen::Nothing;
        };
        let is_as_provided = || {
            let provided = self.request.provided().iter();
            let mut provided = provided.map(|(place, value)| (object.pointer(place), value));
            provided.all(|(found, value)| found.unwrap_or(&Value::Null) == value)
        };
        let uid = self.target.uid.as_deref();
        let is_made = match self.request {
            Request::Create => is_same_object(self.target.kind, &object, &self.body),
            Request::Event => true,
            Request::Delete(_) => is_under_way(&object, uid),
            Request::Patch(_) => holds(&object, &self.body),
        };
        let is_it = object["metadata"]["uid"].as_str() == uid;
        let creates_volume = matches!(self.request, Request::Create)
            && self.target.kind == ObjectKind::PersistentVolume;
        if is_made && creates_volume && is_elsewhere(&object, &self.body) {
            let known = Known {
                is_elsewhere: true,
                ..known_of(&text)
            };
            Seen::Made(Sent::AlreadyDone, Box::new(known))
        } else if is_made && is_as_provided() {
            Seen::Made(done, Box::new(known_of(&text)))
        } else if is_made && is_uncertain && is_it {
            // An attempt without an answer made it so, and something else of it was changed after that.
            Seen::Made(Sent::DoneAndChanged, Box::new(known_of(&text)))
        } else {
            Seen::Different
        }
    }
}

/// The patch that removes our finalizer, after a conflict.
enum Rebased {
    Body(Value),
    /// The object does not exist any more, or our finalizer is not among its finalizers.
    Gone,
    NotRead(String),
}

/// What another look at the object shows.
enum Seen {
    /// It is as it was to be.
    Made(Sent, Box<Known>),
    /// It is something else.
    Different,
    /// It is not there.
    Absent,
    /// Nobody answers.
    Nothing,
}

fn known_of(text: &str) -> Known {
    let object: Value = serde_json::from_str(text).unwrap_or_default();
    let of = |field: &str| object["metadata"][field].as_str().map(str::to_owned);
    Known {
        version: of("resourceVersion"),
        uid: of("uid"),
        asset: None,
        source: source_of(&object["spec"]),
        is_elsewhere: false,
    }
}

/// A lock says which run wrote it, which no plan can.
fn signed(mut body: Value, run: &str) -> Value {
    let annotations = body.pointer_mut("/metadata/annotations");
    if let Some(Value::String(mark)) = annotations.and_then(|all| all.get_mut(RECYCLING)) {
        mark.push('/');
        mark.push_str(run);
    }
    body
}

/// An event says when it happened, which no plan can.
fn with_time(mut event: Value, now: &str) -> Value {
    for field in ["firstTimestamp", "lastTimestamp"] {
        event[field] = json!(now);
    }
    event
}

fn collection_of(target: &Target) -> String {
    let kind = target.kind;
    let namespace = target.namespace.as_deref();
    collection_path(kind.api_version(), namespace, kind.resource())
}

fn path_of(target: &Target) -> String {
    format!("{}/{}", collection_of(target), escape(&target.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_writes_and_which_run() {
        assert_eq!(FIELD_MANAGER, "kubectl-pv");
        let lock =
            json!({ "metadata": { "annotations": { "kubectl-pv.dev/recycling": "Recycle/7" } } });
        let sent = signed(lock, "0123456789abcdef");
        let mark = &sent["metadata"]["annotations"]["kubectl-pv.dev/recycling"];
        assert_eq!(*mark, "Recycle/7/0123456789abcdef");
    }
}
