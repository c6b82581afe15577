//! `--with` and `--without`: a what-if laid over either source. Objects are left out first and put in afterwards, so that
//! naming a claim in both makes it anew.
//!
//! An object that is there already is changed as the API server would let it be changed (`update.rs`): what a file asks
//! for and the server would refuse is told, and the object answered for as it is.

mod removal;
#[cfg(test)]
mod tests;
mod update;

pub use removal::{Removal, RemovalError};

use super::decode::Decoder;
use super::{FileError, Files, Loaded};
use crate::conventions::object_ref::{ObjectKey, OwnerRef};
use crate::model::{Claim, Class, Kind, Objects, Origin, Pod, Time, Workload};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use update::Refused;

/// What to change in the state before a question is asked about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WhatIf {
    /// The files with objects to add or replace.
    pub with: Files,
    /// What to leave out.
    pub without: Vec<Removal>,
}

/// A what-if whose files have been read.
#[derive(Debug, Default, Clone)]
pub struct Overlay {
    objects: Objects,
    /// Claims that templates in the files would create.
    template_claims: Vec<Claim>,
    seen: Vec<Kind>,
    notes: Vec<String>,
    without: Vec<Removal>,
    /// ConfigMaps that are asked for, whether or not a claim names them.
    asked_for: Vec<ObjectKey>,
    /// Whether sets of volumes are, whatever the answer is about.
    asks_for_sets: bool,
}

/// Where a name without a namespace is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Within {
    /// In one namespace.
    Namespace(String),
    /// Wherever it is.
    Anywhere,
}

impl WhatIf {
    /// Whether nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        self.with.inputs.is_empty() && self.without.is_empty()
    }

    /// Reads the files. Objects that name no namespace are in `default_namespace`.
    pub fn read(&self, default_namespace: &str) -> Result<Overlay, FileError> {
        let mut overlay = Overlay::of(self.with.decode(default_namespace)?);
        if overlay.seen.is_empty() && !self.with.inputs.is_empty() {
            overlay
                .notes
                .push("nothing in the files of --with is of a kind that storage depends on".into());
        }
        overlay.without.clone_from(&self.without);
        Ok(overlay)
    }
}

impl Overlay {
    /// What was decoded, to be put in.
    pub(super) fn of(decoder: Decoder) -> Self {
        let Decoder {
            objects,
            template_claims,
            seen,
            notes,
            ..
        } = decoder;
        Self {
            objects,
            template_claims,
            seen,
            notes,
            without: vec![],
            asked_for: vec![],
            asks_for_sets: false,
        }
    }

    /// The same, for which these ConfigMaps are read as well.
    #[must_use]
    pub(crate) fn asking_for(mut self, namespace: &str, config_maps: &[String]) -> Self {
        let keys = config_maps
            .iter()
            .map(|name| ObjectKey::new(namespace, name));
        self.asked_for.extend(keys);
        self
    }

    /// The same, for which sets of volumes are read as well.
    #[must_use]
    pub(crate) fn asking_for_sets(mut self) -> Self {
        self.asks_for_sets = true;
        self
    }

    /// Whether sets of volumes are read, whatever the answer is about.
    pub(super) fn asks_for_sets(&self) -> bool {
        self.asks_for_sets
    }

    /// ConfigMaps that are read whether or not a claim names them.
    pub(super) fn asked_for(&self) -> &[ObjectKey] {
        &self.asked_for
    }

    /// What the files hold.
    pub(super) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The claims the files hold, those of templates among them.
    pub(super) fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.objects.claims.iter().chain(&self.template_claims)
    }

    /// The state with everything changed in it, and notes on what could not be changed.
    pub fn lay_over(self, loaded: Loaded, within: &Within) -> Result<Loaded, RemovalError> {
        let Loaded {
            state,
            mut notes,
            namespace,
        } = loaded;
        notes.extend(self.notes.iter().cloned());
        if self.seen.is_empty() && self.without.is_empty() {
            return Ok(Loaded {
                state,
                notes,
                namespace,
            });
        }
        for removal in &self.without {
            removal.check_seen(&state, within)?;
        }
        let now = state.captured_at();
        let saw_classes = state.saw(Kind::Classes, None);
        let seen = self.seen.clone();
        let mut failed = None;
        let state = state.changed(&seen, |objects| {
            let mut change = Change {
                objects,
                notes: &mut notes,
                saw_classes,
                gone: vec![],
                come: vec![],
            };
            failed = change.make(self, within, now).err();
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(Loaded {
                state,
                notes,
                namespace,
            }),
        }
    }
}

/// A change in progress.
struct Change<'a> {
    objects: &'a mut Objects,
    notes: &'a mut Vec<String>,
    saw_classes: bool,
    /// The claims that existed and are no more, or not as they were.
    gone: Vec<Claim>,
    /// The claims that exist now and did not, or not as they are.
    come: Vec<Claim>,
}

impl Change<'_> {
    fn make(
        &mut self,
        overlay: Overlay,
        within: &Within,
        now: Option<Time>,
    ) -> Result<(), RemovalError> {
        for removal in &overlay.without {
            let removed = removal.remove_from(self.objects, within)?;
            self.gone.extend(removed.claims);
            self.notes.extend(removed.notes);
        }
        let mut new = overlay.objects;
        let claims = std::mem::take(&mut new.claims);
        make_newest(&self.objects.classes, &mut new.classes, now);
        forget_templates(&mut self.objects.claims, &new.pods, &new.workloads);
        self.put_all_but_claims(new);
        self.put_claims(claims, overlay.template_claims);
        self.count_again();
        Ok(())
    }

    fn put_all_but_claims(&mut self, new: Objects) {
        // Field by field, so that a kind that is added to the model is not forgotten here.
        let Objects {
            claims: _,
            cluster_uid: _,
            unread: _,
            volumes,
            classes,
            attributes_classes,
            pods,
            nodes,
            csi_drivers,
            csi_nodes,
            capacities,
            attachments,
            limit_ranges,
            quotas,
            events,
            config_maps,
            snapshots,
            workloads,
            volume_sets,
        } = new;
        let notes = &mut *self.notes;
        let base = &mut *self.objects;
        replace(
            &mut base.classes,
            classes,
            |class| class.name.as_str(),
            |old, new| {
                update::class(old, new)
                    .unwrap_or_else(|why| kept(notes, &format!("sc/{}", old.name), &why, old))
            },
        );
        replace(
            &mut base.volumes,
            volumes,
            |volume| volume.name.as_str(),
            |old, new| {
                update::volume(old, new)
                    .unwrap_or_else(|why| kept(notes, &format!("pv/{}", old.name), &why, old))
            },
        );
        replace(
            &mut base.pods,
            pods,
            |pod| &pod.key,
            |old, new| {
                update::pod(old, new)
                    .unwrap_or_else(|why| kept(notes, &format!("pod/{}", old.key), &why, old))
            },
        );
        replace(&mut base.quotas, quotas, |quota| &quota.key, update::quota);
        replace(
            &mut base.snapshots,
            snapshots,
            |snapshot| &snapshot.key,
            update::snapshot,
        );
        replace(&mut base.limit_ranges, limit_ranges, |it| &it.key, taken);
        replace(&mut base.config_maps, config_maps, |map| &map.key, taken);
        replace(&mut base.nodes, nodes, |node| node.name.as_str(), taken);
        replace(
            &mut base.csi_drivers,
            csi_drivers,
            |driver| driver.name.as_str(),
            taken,
        );
        replace(
            &mut base.csi_nodes,
            csi_nodes,
            |node| node.name.as_str(),
            taken,
        );
        replace(
            &mut base.capacities,
            capacities,
            |capacity| &capacity.key,
            taken,
        );
        replace(
            &mut base.attachments,
            attachments,
            |attachment| attachment.name.as_str(),
            taken,
        );
        replace(
            &mut base.attributes_classes,
            attributes_classes,
            |class| class.name.as_str(),
            taken,
        );
        replace(
            &mut base.volume_sets,
            volume_sets,
            |set| set.name.as_str(),
            update::volume_set,
        );
        replace_workloads(&mut base.workloads, workloads);
        base.events.extend(events);
    }

    fn put_claims(&mut self, claims: Vec<Claim>, from_templates: Vec<Claim>) {
        let base = &mut *self.objects;
        let classes = self.saw_classes.then_some(base.classes.as_slice());
        let notes = &mut *self.notes;
        let (gone, come) = (&mut self.gone, &mut self.come);
        come.extend(claims.iter().filter(|claim| claim.exists()).cloned());
        replace(
            &mut base.claims,
            claims,
            |claim| &claim.key,
            |old, new| {
                let new = update::claim(old, new, classes)
                    .unwrap_or_else(|why| kept(notes, &format!("pvc/{}", old.key), &why, old));
                if old.exists() {
                    gone.push(old.clone());
                    come.retain(|claim| claim.key != new.key);
                    come.extend(new.exists().then(|| new.clone()));
                }
                new
            },
        );
        if from_templates.is_empty() {
            return;
        }
        let there: HashSet<ObjectKey> = base.claims.iter().map(|claim| claim.key.clone()).collect();
        base.claims.extend(
            from_templates
                .into_iter()
                .filter(|claim| !there.contains(&claim.key)),
        );
    }

    /// Quotas count what is there, so that a claim left out makes room.
    fn count_again(&mut self) {
        for quota in &mut self.objects.quotas {
            for claim in self.gone.iter().filter(|claim| claim.exists()) {
                if quota.counts(claim) {
                    for (key, amount) in claim.quota_usage() {
                        quota
                            .used
                            .entry(key)
                            .and_modify(|used| *used = used.minus(&amount));
                    }
                }
            }
            for claim in &self.come {
                if quota.counts(claim) {
                    for (key, amount) in claim.quota_usage() {
                        quota
                            .used
                            .entry(key)
                            .and_modify(|used| *used = used.plus(&amount));
                    }
                }
            }
        }
    }
}

/// The new object as it is.
fn taken<T>(_: &T, new: T) -> T {
    new
}

/// Says that an object stays as it is, and why.
fn kept<T: Clone>(notes: &mut Vec<String>, name: &str, why: &Refused, old: &T) -> T {
    notes.push(format!(
        "{name} stays as it is, since the API server would refuse the change: {why} \
         (--without {name} in addition makes it anew)"
    ));
    old.clone()
}

/// Puts the new objects in the place of those of the same name, and the others behind them. Of several new ones of a name
/// the last counts, as with `kubectl apply`.
fn replace<T, K: Eq + Hash + ?Sized>(
    old: &mut Vec<T>,
    new: Vec<T>,
    key: impl Fn(&T) -> &K,
    mut update: impl FnMut(&T, T) -> T,
) {
    if new.is_empty() {
        return;
    }
    let last: HashMap<&K, usize> = new
        .iter()
        .enumerate()
        .map(|(index, item)| (key(item), index))
        .collect();
    let places: HashMap<usize, usize> = old
        .iter()
        .enumerate()
        .filter_map(|(place, item)| Some((*last.get(key(item))?, place)))
        .collect();
    let counts: HashSet<usize> = last.into_values().collect();
    for (index, item) in new
        .into_iter()
        .enumerate()
        .filter(|(index, _)| counts.contains(index))
    {
        match places.get(&index) {
            Some(place) => old[*place] = update(&old[*place], item),
            None => old.push(item),
        }
    }
}

/// The claims that a pod or workload of the files would have made before; now it makes what it says now.
fn forget_templates(claims: &mut Vec<Claim>, pods: &[Pod], workloads: &[Workload]) {
    let pods = pods
        .iter()
        .map(|pod| (&pod.key.namespace, OwnerRef::new("Pod", &*pod.key.name)));
    let workloads = workloads
        .iter()
        .map(|workload| (&workload.key.namespace, workload.owner_ref()));
    let owners: HashSet<(&String, OwnerRef)> = pods.chain(workloads).collect();
    claims.retain(|claim| match &claim.origin {
        Origin::Template(owner) => !owners.contains(&(&claim.key.namespace, owner.clone())),
        Origin::Object => true,
    });
}

/// A class that is added now is newer than all that are there, which decides between several defaults (R16).
fn make_newest(old: &[Class], new: &mut [Class], now: Option<Time>) {
    let newest = old.iter().filter_map(|class| class.created).max();
    let next = newest.map(|Time(second)| Time(second.saturating_add(1)));
    for class in new.iter_mut().filter(|class| class.created.is_none()) {
        if !old.iter().any(|there| there.name == class.name) {
            class.created = now.max(next);
        }
    }
}

/// Workloads of several kinds may have one name.
fn replace_workloads(base: &mut Vec<Workload>, new: Vec<Workload>) {
    let is_same = |one: &Workload, other: &Workload| one.kind == other.kind && one.key == other.key;
    base.retain(|old| !new.iter().any(|new| is_same(new, old)));
    base.extend(new);
}
