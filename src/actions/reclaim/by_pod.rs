//! Policy Recycle, carried out by a pod of ours on the cluster. The pod is made first, behind a gate, so that what refuses it
//! refuses it before anything is locked; the lock is the one of `recycling.rs` and names the pod by its uid; only then is the
//! gate opened. A run that finds the pod its volume names waits for it; every other pod of ours is gone before one is let go.
//!
//! A pod that failed stays, for its log, and the volume stays locked: the next run begins anew.

use super::super::draft::Draft;
use super::super::operation::{
    Creation, Deletion, Fill, FillWith, Operation, Part, Patch, Purpose, Wait,
};
use super::super::plan::{Deed, Errand, Target};
use super::super::recheck::Period;
use super::super::recycler_pod::{RecyclerImage, name_of, pod_for};
use super::recycling::{
    MEANWHILE, NamedPod, UNDER_NEXT_OWNER, Unbinding, lock, make_sure, make_sure_it_is_ours,
    stop_idle_recyclers, unlock,
};
use super::{leave, loss_of};
use crate::actions::bind_writes::mark_volume;
use crate::conventions::annotations::RECYCLER_POD;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::ending::find_own_recyclers;
use crate::engine::refusal::{ReclaimEvidence, Refusal};
use crate::engine::{PodPlace, Recycling};
use crate::model::{Pod, PodPhase, Volume, VolumePhase};
use crate::report::Danger;
use serde_json::{Value, json};

/// The pod that empties the volume: there, or made by a change.
struct Chosen {
    target: Target,
    body: Value,
    made_by: Option<usize>,
    is_gated: bool,
}

impl Chosen {
    /// Where the uid is known only when the pod is made.
    fn fill_uid(&self, place: &'static str) -> Option<Fill> {
        let change = self.made_by?;
        let with = FillWith::Uid;
        Some(Fill {
            place,
            change,
            with,
        })
    }
}

pub(super) fn plan(
    draft: &mut Draft,
    mut volume: Volume,
    recycling: &Recycling,
    place: &PodPlace,
    wish: &RecyclerImage,
) {
    let Some(body) = pod_for(&volume, place, wish) else {
        let refusal = Refusal::new(ReclaimEvidence::SourceNotMountable);
        return leave(draft, &volume, refusal);
    };
    begin(draft, &volume, recycling, place, wish);
    let chosen = choose(draft, &volume, place, wish, body);
    let named = NamedPod {
        uid: chosen.target.uid.clone(),
        fill: chosen.fill_uid("/metadata/annotations/kubectl-pv.dev~1recycler-pod"),
    };
    let locked = lock(draft, &volume, Some(named));
    stop_idle_recyclers(draft, recycling);
    make_sure(draft, &volume, Some(wish), Period::ForAWhile, MEANWHILE);
    make_sure_it_is_ours(draft, &volume, locked);
    open_gate(draft, &chosen, locked);
    let why = "nobody gets it before it is empty";
    wait_for(draft, &chosen, Wait::PodHasEnded, why);
    make_sure(draft, &volume, Some(wish), Period::Once, UNDER_NEXT_OWNER);
    delete(draft, &chosen, "it has done its work");
    volume
        .annotations
        .entry(RECYCLER_POD.to_owned())
        .or_default();
    let volume = unlock(draft, volume, Unbinding::AsController);
    mark_volume(draft, volume, VolumePhase::Available, "it is free again");
}

fn begin(
    draft: &mut Draft,
    volume: &Volume,
    recycling: &Recycling,
    place: &PodPlace,
    wish: &RecyclerImage,
) {
    let wherein = match place {
        PodPlace::Node(name) => format!(" on node {name}"),
        _ => String::new(),
    };
    let (image, namespace) = (&wish.image, &wish.namespace);
    let goes_on = if recycling.is_begun {
        " to the end"
    } else {
        ""
    };
    draft.begin(Errand {
        claim: None,
        volume: volume.name.clone(),
        what: format!(
            "emptied{goes_on} by a pod of image {image} in namespace {namespace}{wherein}, then offered again"
        ),
        deed: Deed::Recycle(loss_of(volume)),
    });
}

/// The pod the volume names, if it goes on; otherwise a new one, once those before it are gone.
fn choose(
    draft: &mut Draft,
    volume: &Volume,
    place: &PodPlace,
    wish: &RecyclerImage,
    body: Value,
) -> Chosen {
    let name = name_of(volume, place, wish);
    let named = volume.annotations.get(RECYCLER_POD);
    let own = own_recyclers(draft, volume);
    let goes_on = |pod: &&Pod| {
        let is_it = pod.uid.is_some() && pod.uid.as_ref() == named;
        // One that cannot begin, since its image or its node was the wrong one, makes room for another.
        let is_wanted = pod.key.name == name || pod.phase == PodPhase::Running;
        is_it && is_wanted && !pod.is_deleted && !is_finished(pod)
    };
    let going = own.iter().find(goes_on).cloned();
    // One that nobody let go yet is as good as a new one: whoever creates it finds it.
    let is_new = |pod: &Pod| {
        let key = &pod.key;
        (&key.namespace, &key.name) == (&wish.namespace, &name) && is_gated(pod) && !pod.is_deleted
    };
    for pod in &own {
        let is_kept = match &going {
            Some(going) => pod.key == going.key,
            None => is_new(pod),
        };
        if !is_kept {
            clear_away(draft, pod);
        }
    }
    match going {
        Some(pod) => Chosen {
            target: target_of(&pod),
            body,
            made_by: None,
            is_gated: is_gated(&pod),
        },
        None => create(draft, wish, &name, body),
    }
}

fn is_finished(pod: &Pod) -> bool {
    matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed)
}

fn is_gated(pod: &Pod) -> bool {
    pod.node_name.is_none() && !pod.wishes.gates.is_empty()
}

fn target_of(pod: &Pod) -> Target {
    Target::pod(&pod.key, pod.uid.as_ref())
}

fn create(draft: &mut Draft, wish: &RecyclerImage, name: &str, body: Value) -> Chosen {
    let target = Target::pod(&ObjectKey::new(&*wish.namespace, name), None);
    let why = "it empties the volume; it does not begin before the volume is locked".to_owned();
    let creation = Creation {
        object: body.clone(),
        fills: vec![],
    };
    draft.create(target.clone(), creation, why);
    let made_by = draft.last_change(&target);
    Chosen {
        target,
        body,
        made_by,
        is_gated: true,
    }
}

/// The pods of earlier runs, where nobody goes on with them.
pub(super) fn clear_all_away(draft: &mut Draft, volume: &Volume) {
    for pod in own_recyclers(draft, volume) {
        clear_away(draft, &pod);
    }
}

fn own_recyclers(draft: &Draft, volume: &Volume) -> Vec<Pod> {
    let found = find_own_recyclers(&draft.state, volume).into_iter();
    found.cloned().collect()
}

/// A pod of an earlier run that is not gone on with.
fn clear_away(draft: &mut Draft, pod: &Pod) {
    let left = Chosen {
        target: target_of(pod),
        body: Value::Null,
        made_by: None,
        is_gated: false,
    };
    if !pod.is_deleted {
        delete(draft, &left, "it is left over from an earlier run");
    }
    if !is_finished(pod) {
        wait_for(draft, &left, Wait::PodIsGone, "two are never at it");
    }
}

/// From here on it deletes.
fn open_gate(draft: &mut Draft, chosen: &Chosen, locked: Option<usize>) {
    if !chosen.is_gated {
        return;
    }
    let target = chosen.target.clone();
    let body = json!({
        "metadata": { "uid": target.uid },
        "spec": { "schedulingGates": null },
    });
    let why = "policy Recycle, and nobody owns it any more".to_owned();
    let pod = chosen.body.clone();
    let patch = Patch {
        fills: chosen.fill_uid("/metadata/uid").into_iter().collect(),
        ..Patch::new(Part::Object, body, Purpose::OpenGate { pod, locked })
    };
    let change = draft.add(target, Operation::Patch(patch), why);
    change.after = chosen.made_by;
    change.danger = Danger::LosesData;
}

fn wait_for(draft: &mut Draft, chosen: &Chosen, wait: Wait, why: &str) {
    let (target, why) = (chosen.target.clone(), why.to_owned());
    draft.add(target, Operation::Wait(wait), why).after = chosen.made_by;
}

fn delete(draft: &mut Draft, chosen: &Chosen, why: &str) {
    let (target, why) = (chosen.target.clone(), why.to_owned());
    let deletion = Operation::Delete(Deletion::OwnPod);
    draft.add(target, deletion, why).after = chosen.made_by;
}
