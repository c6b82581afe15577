//! Plans, carried out: the only file that writes to the cluster.
//!
//! Changes are sent one after the other. What may pass is tried again; what was refused because somebody else wrote in
//! between is told as a conflict, and the caller looks and plans again.

mod answer;
mod assets;
mod elsewhere;
mod gone;
mod listener;
mod locks;
mod looking;
mod own_recycler;
mod readiness;
mod recyclers;
mod repeated_events;
mod sent_object;
mod times;
mod waiting;

pub(crate) use self::gone::{find_remains, read_object};
pub(crate) use self::listener::{ProgressListener, Silent, Unstoppable};
pub(crate) use self::readiness::ask as ask_readiness;

use self::answer::Answer;
use self::assets::Workshop;
use self::sent_object::{
    holds, is_elsewhere, is_member, is_same_lease, is_same_pod, is_same_volume, is_under_way,
    source_of,
};
pub(crate) use self::times::Times;
use super::outcome::{Applied, Cut, Sent};
use super::plan::{Action, Change, Deed, Errand, FillWith, Plan, Target};
use super::recycler_pod::mounts;
use crate::conventions::annotations::RECYCLING;
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
        let is_tried = change.after.is_none() && change.action.is_request();
        let is_for_later = self.earnest == Earnest::DryRun && !is_tried;
        let mut summed_up = change.sums_up.iter();
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
        if !is_made && !change.action.is_optional() {
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
            Err(_) => Some(self.no_answer()),
        }
    }

    /// Notes that a wait has run out: no further object is begun.
    fn note_time(&mut self, change: &Change, result: &Sent, began: Instant) {
        let is_over = change.action != Action::Wait && began.elapsed() >= self.context.time;
        let is_made = matches!(result, Sent::Done | Sent::AlreadyDone);
        let is_unanswered = matches!(result, Sent::Unanswered(_));
        let is_request = change.asset.is_none();
        if is_unanswered && (is_over || !change.action.is_optional()) {
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
        let mut members = change.sums_up.iter();
        let is_summary = !change.sums_up.is_empty() && members.all(|it| self.begun.contains(it));
        let is_begun = self.begun.contains(&change.errand) || is_summary;
        let is_wait = waiting::is_meant(change);
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
        if change.action != Action::Wait && self.earnest == Earnest::Yes {
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
        let body = times.stamp(signed(fill(change, &self.known), self.context.run), change);
        let deadline = Instant::now() + self.context.time;
        let sending = Sending {
            connection: self.context.connection,
            change,
            body,
            earnest: self.earnest,
            deadline,
            time: self.context.time,
            now: &times.now,
        };
        if change.action == Action::Wait {
            let checked = self.wait(change, &sending.body);
            return (checked.await, Known::default());
        }
        if self.is_too_late(change) {
            let why = "the time that the set was told for this member is over";
            return (Sent::Failed(why.to_owned()), Known::default());
        }
        if is_mounted_wrong(change, &self.known) {
            let why = "the pod does not mount the source that the volume has now".to_owned();
            return (Sent::Failed(why), Known::default());
        }
        if sending
            .body
            .pointer("/status/inProgress")
            .is_some_and(Value::is_object)
        {
            self.noted_at = Some(Instant::now());
        }
        let Some(work) = &change.asset else {
            return match timeout(longest(self.context.time), sending.send()).await {
                Ok(sent) => sent,
                Err(_) => (self.no_answer(), Known::default()),
            };
        };
        let workshop = Workshop {
            backends: self.context.backends,
            deadline,
        };
        let (result, asset) = workshop.work(work, source_for(change, &self.known)).await;
        let known = Known {
            asset,
            ..Known::default()
        };
        (result, known)
    }

    /// Waits for something, or checks it once more.
    async fn wait(&mut self, change: &Change, body: &Value) -> Sent {
        let longest = longest(self.context.time);
        match timeout(longest, self.wait_or_check(change, body)).await {
            Ok(sent) => sent,
            Err(_) => self.no_answer(),
        }
    }

    fn no_answer(&self) -> Sent {
        let error = self.context.connection.no_answer(self.context.time);
        Sent::Unanswered(error.to_string())
    }

    async fn wait_or_check(&mut self, change: &Change, body: &Value) -> Sent {
        let connection = self.context.connection;
        let deadline = Instant::now() + self.context.time;
        if change.look.is_some() {
            return looking::look(connection, change.look.as_ref()).await;
        }
        if own_recycler::is_meant(change) {
            let listener = &mut *self.context.listener;
            return own_recycler::wait(connection, change, body, deadline, listener).await;
        }
        if waiting::is_meant(change) {
            let deadline = *self.waits_until.get_or_insert(deadline);
            let listener = &mut *self.context.listener;
            return waiting::wait(connection, change, deadline, listener).await;
        }
        if change.target.kind == ObjectKind::Pod {
            return recyclers::look(connection, change).await;
        }
        locks::look(connection, change, body).await
    }

    /// Whether the set was told that this member is not created any more by now.
    fn is_too_late(&self, change: &Change) -> bool {
        let errand = self.plan.errands.get(change.errand);
        let is_member = errand.is_some_and(|errand| matches!(errand.deed, Deed::MakeMember { .. }));
        let is_made = matches!(change.action, Action::Create | Action::CreateAsset);
        let is_over = |at: Instant| at.elapsed() > self.context.time;
        is_made && is_member && self.noted_at.is_some_and(is_over)
    }

    fn conclude(self) -> Applied {
        let changes = self.plan.changes.iter();
        let wrote = changes.zip(&self.sent).any(|(change, sent)| {
            let is_sent = !matches!(sent, Sent::NotReached | Sent::Refused { .. });
            is_sent && !matches!(change.action, Action::Wait | Action::Event)
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
    let removal = done().find(|(earlier, _)| earlier.removes_finalizer.is_some());
    let is_anothers = match removal {
        Some((_, sent)) => *sent == Sent::AlreadyDone,
        None => done().any(|(earlier, sent)| {
            let is_it = matches!(earlier.action, Action::Create | Action::Delete);
            is_it && *sent == Sent::AlreadyDone
        }),
    };
    change.action == Action::Event && is_of_set && is_anothers
}

/// Whether it builds on a change that was not made.
fn is_baseless(change: &Change, sent: &[Sent]) -> bool {
    let filled = change.fills.iter().map(|fill| fill.change);
    let mut bases = filled.chain(change.after);
    bases.any(|base| !matches!(sent.get(base), Some(Sent::Done | Sent::AlreadyDone)))
}

/// Where the asset lies, as the lock's answer tells it.
fn source_for(change: &Change, known: &[Known]) -> Option<Value> {
    let mut fills = change.fills.iter();
    fills
        .by_ref()
        .filter(|fill| fill.with == FillWith::Source)
        .find_map(|fill| known[fill.change].source.clone())
}

/// Whether a pod would empty something else.
fn is_mounted_wrong(change: &Change, known: &[Known]) -> bool {
    change.mounted.as_ref().is_some_and(|pod| {
        let source = source_for(change, known);
        !source.is_some_and(|source| mounts(pod, &source))
    })
}

/// The body with what earlier changes have made.
fn fill(change: &Change, known: &[Known]) -> Value {
    let mut body = change.body.clone();
    for fill in &change.fills {
        let known = &known[fill.change];
        let value = match fill.with {
            FillWith::Version => known.version.clone(),
            FillWith::Uid => known.uid.clone(),
            FillWith::Capacity => known.asset.as_ref().map(|made| made.capacity.to_string()),
            FillWith::Source => continue,
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

struct Sending<'a> {
    connection: &'a Connection,
    change: &'a Change,
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
        let mut write = self.request(self.earnest, &self.body);
        let mut is_uncertain = false;
        let mut attempt = 0;
        let mut conflicts = 0;
        loop {
            let error = match self.send_once(&write).await {
                Ok(text) => return (self.is_done(&text, is_uncertain), known_of(&text)),
                Err(error) => error,
            };
            match Answer::of(self.change.action, &error) {
                Answer::LookAgain if self.change.action == Action::Event => {
                    return (self.repeat_event().await, Known::default());
                }
                Answer::LookAgain if self.change.removes_finalizer.is_some() => {
                    match self.rebase().await {
                        // Its answer may have been lost; otherwise another run has removed the finalizer.
                        Rebased::Gone if is_uncertain => return (Sent::Done, Known::default()),
                        Rebased::Gone => return (Sent::AlreadyDone, Known::default()),
                        Rebased::Body(body) => {
                            write = self.request(self.earnest, &body);
                            // It is at odds with the version that was read, not with the server.
                            conflicts += 1;
                            if conflicts < CONFLICTS {
                                continue;
                            }
                        }
                        Rebased::NotRead(why) => return (Sent::Unanswered(why), Known::default()),
                    }
                }
                Answer::LookAgain => match (self.look(is_uncertain).await, self.creates()) {
                    ((Seen::Made(sent), known), _) => return (sent, known),
                    ((Seen::MadeAndChanged, known), _) => return (Sent::DoneAndChanged, known),
                    // The object that was in the way does not exist any more.
                    ((Seen::Absent, _), true) => {}
                    // One that has finished, or is being deleted, is planned for.
                    ((Seen::Different, _), true)
                        if self.change.target.kind == ObjectKind::Pod
                            || self.change.target.kind == ObjectKind::Lease
                            || is_member(&self.body) =>
                    {
                        return (Sent::Conflict(error.to_string()), Known::default());
                    }
                    ((Seen::Different, _), true) => {
                        return (Sent::Failed(error.to_string()), Known::default());
                    }
                    ((Seen::Nothing, _), true) => {
                        return (Sent::Unanswered(error.to_string()), Known::default());
                    }
                    (_, false) => return (Sent::Conflict(error.to_string()), Known::default()),
                },
                Answer::No => return (Sent::Failed(error.to_string()), Known::default()),
                Answer::TryAgain => is_uncertain = true,
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
            Ok((Seen::Made(sent), known)) => return (sent, known),
            Ok((Seen::MadeAndChanged, known)) => return (Sent::DoneAndChanged, known),
            // An object under a name of its own that does not exist was not created.
            Ok((Seen::Absent, _)) if self.creates() => Sent::Failed(why),
            // It answers reads, so other objects can be changed.
            Ok((Seen::Absent | Seen::Different, _)) => Sent::Unclear(why),
            Ok((Seen::Nothing, _)) | Err(_) => Sent::Unanswered(why),
        };
        (sent, Known::default())
    }

    /// The finalizers as they are now, without ours: another controller has removed its own meanwhile. The object is being
    /// deleted, so nothing else of it counts.
    async fn rebase(&self) -> Rebased {
        let path = path_of(&self.change.target);
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
        if metadata["uid"].as_str() != self.change.target.uid.as_deref() {
            return Rebased::Gone;
        }
        let finalizers = metadata["finalizers"].as_array().into_iter().flatten();
        let (ours, others): (Vec<&Value>, Vec<&Value>) =
            finalizers.partition(|name| name.as_str() == self.change.removes_finalizer);
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
        let path = format!(
            "{}?fieldManager={FIELD_MANAGER}",
            path_of(&self.change.target)
        );
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
                Err(error) if Answer::of(Action::Patch, &error) == Answer::LookAgain => {}
                Err(_) => break,
            }
        }
        Sent::AlreadyDone
    }

    /// How a request that was answered ended. A patch that leaves the version as it was has changed nothing: another run made it.
    /// A pod that was scheduled meanwhile runs on after its deletion, until its time is over.
    fn is_done(&self, answer: &str, is_uncertain: bool) -> Sent {
        let is_pod = self.change.action == Action::Delete
            && self.change.target.kind == ObjectKind::Pod
            && !self.change.may_be_gone;
        // A dry run leaves the version as it was, too.
        let is_applied = self.earnest == Earnest::Yes && !is_uncertain;
        let is_patch = self.change.action == Action::Patch && is_applied;
        if !is_pod && !is_patch {
            return Sent::Done;
        }
        let object: Value = serde_json::from_str(answer).unwrap_or_default();
        let version = &self.body["metadata"]["resourceVersion"];
        match object["spec"]["nodeName"].as_str() {
            Some(node) if is_pod => {
                Sent::Conflict(format!("the pod was placed on node {node} meanwhile"))
            }
            _ if is_patch
                && version.is_string()
                && object["metadata"]["resourceVersion"] == *version =>
            {
                Sent::AlreadyDone
            }
            _ => Sent::Done,
        }
    }

    /// Whether a pod that is to wait behind a gate would be created without it. What else is wrong the creation itself tells.
    async fn loses_its_gate(&self) -> bool {
        let is_pod =
            self.change.action == Action::Create && self.change.target.kind == ObjectKind::Pod;
        if !is_pod || self.earnest == Earnest::DryRun {
            return false;
        }
        let tried = self.request(Earnest::DryRun, &self.body);
        match self.connection.send_write(&tried).await {
            Ok(text) => {
                let pod: Value = serde_json::from_str(&text).unwrap_or_default();
                pod["spec"]["schedulingGates"].is_null()
            }
            Err(_) => false,
        }
    }

    fn request(&self, earnest: Earnest, body: &Value) -> Write {
        let target = &self.change.target;
        let dry_run = match earnest {
            Earnest::Yes => "",
            Earnest::DryRun => "&dryRun=All",
        };
        let query = format!("fieldManager={FIELD_MANAGER}{dry_run}");
        let path = path_of(target);
        match self.change.action {
            Action::Create => Write::create(
                format!("{}?{query}", collection_of(target)),
                body.to_string(),
            ),
            Action::Event => Write::create(
                format!("{}?{query}", collection_of(target)),
                with_time(body.clone(), self.now).to_string(),
            ),
            Action::Delete => Write::delete(
                format!("{path}?{}", dry_run.trim_start_matches('&')),
                body.to_string(),
            ),
            _ => {
                let subresource = self.change.subresource.map(|name| format!("/{name}"));
                let subresource = subresource.unwrap_or_default();
                Write::merge_patch(format!("{path}{subresource}?{query}"), body.to_string())
            }
        }
    }

    fn creates(&self) -> bool {
        matches!(self.change.action, Action::Create | Action::Event)
    }

    /// Reads the object again: is it as the change would make it?
    async fn look(&self, is_uncertain: bool) -> (Seen, Known) {
        let done = if is_uncertain {
            Sent::Done
        } else {
            Sent::AlreadyDone
        };
        let text = match self
            .connection
            .get_text(&path_of(&self.change.target))
            .await
        {
            Ok(text) => text,
            Err(error) => {
                let is_gone = matches!(error.kind, ApiErrorKind::NotFound { .. });
                let seen = match (is_gone, self.change.action) {
                    (true, _) if self.change.may_be_gone => Seen::Made(done),
                    (true, Action::Delete) if self.change.provided.is_empty() => Seen::Made(done),
                    (true, _) => Seen::Absent,
                    (false, _) => Seen::Nothing,
                };
                return (seen, Known::default());
            }
        };
        let Ok(object) = serde_json::from_str::<Value>(&text) else {
            return (Seen::Nothing, Known::default());
        };
        let is_as_provided = || {
            let provided = self.change.provided.iter();
            let mut provided = provided.map(|(place, value)| (object.pointer(place), value));
            provided.all(|(found, value)| found.unwrap_or(&Value::Null) == value)
        };
        let is_made = match self.change.action {
            Action::Create if self.change.target.kind == ObjectKind::Pod => {
                is_same_pod(&object, &self.body)
            }
            Action::Create if self.change.target.kind == ObjectKind::Lease => {
                is_same_lease(&object, &self.body)
            }
            Action::Create => is_same_volume(&object, &self.body),
            Action::Event => true,
            Action::Delete => is_under_way(&object, self.change.preconditions.uid.as_deref()),
            _ => holds(&object, &self.body),
        };
        let is_it = object["metadata"]["uid"].as_str() == self.change.target.uid.as_deref();
        let creates_volume = self.change.action == Action::Create
            && self.change.target.kind == ObjectKind::PersistentVolume;
        if is_made && creates_volume && is_elsewhere(&object, &self.body) {
            let known = Known {
                is_elsewhere: true,
                ..known_of(&text)
            };
            (Seen::Made(Sent::AlreadyDone), known)
        } else if is_made && is_as_provided() {
            (Seen::Made(done), known_of(&text))
        } else if is_made && is_uncertain && is_it {
            (Seen::MadeAndChanged, known_of(&text))
        } else {
            (Seen::Different, Known::default())
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
    Made(Sent),
    /// An attempt without an answer made it so, and something else of it was changed after that.
    MadeAndChanged,
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
