//! What is looked up again and again when every claim is asked about: made when it is first asked for, and only then.

use super::place::Places;
use super::{Claim, Event, Pod, Volume, VolumeSource};
use crate::conventions::object_ref::ObjectKey;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

#[derive(Debug, Clone, Default)]
pub(super) struct Lookups {
    classes: OnceLock<HashMap<String, usize>>,
    makers: OnceLock<HashSet<String>>,
    pods: OnceLock<HashMap<ObjectKey, Vec<usize>>>,
    events: OnceLock<HashMap<String, Vec<usize>>>,
    counted_events: OnceLock<Vec<usize>>,
    labels: OnceLock<BTreeMap<String, BTreeSet<String>>>,
    places: OnceLock<Places>,
    claims: OnceLock<HashMap<String, Vec<usize>>>,
    pod_names: OnceLock<HashMap<String, Vec<usize>>>,
}

impl Lookups {
    pub(super) fn count_volumes_of(&self, volumes: &[Volume], class: &str) -> usize {
        let count = || {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for volume in volumes {
                // Classes are few and volumes many: no name is copied twice.
                if let Some(count) = counts.get_mut(volume.class()) {
                    *count += 1;
                } else {
                    counts.insert(volume.class().to_owned(), 1);
                }
            }
            counts
        };
        let counts = self.classes.get_or_init(count);
        counts.get(class).copied().unwrap_or(0)
    }

    pub(super) fn has_volume_made_by(&self, volumes: &[Volume], provisioner: &str) -> bool {
        let collect = || {
            let mut makers: HashSet<String> = HashSet::new();
            for maker in volumes.iter().filter_map(Volume::sign_of) {
                if !makers.contains(maker) {
                    makers.insert(maker.to_owned());
                }
            }
            makers
        };
        self.makers.get_or_init(collect).contains(provisioner)
    }

    pub(super) fn pods_using(&self, pods: &[Pod], claim: &ObjectKey) -> &[usize] {
        let collect = || {
            let mut users: HashMap<ObjectKey, Vec<usize>> = HashMap::new();
            for (index, pod) in pods.iter().enumerate() {
                for volume in &pod.volumes {
                    let key = ObjectKey::new(&*pod.key.namespace, volume.claim.claim_name());
                    let found = users.entry(key).or_default();
                    // A pod may use a claim twice.
                    if found.last() != Some(&index) {
                        found.push(index);
                    }
                }
            }
            users
        };
        let users = self.pods.get_or_init(collect);
        users.get(claim).map_or(&[], Vec::as_slice)
    }

    pub(super) fn events_about(&self, events: &[Event], uid: &str) -> &[usize] {
        let collect = || {
            let mut about: HashMap<String, Vec<usize>> = HashMap::new();
            for (index, event) in events.iter().enumerate() {
                if let Some(uid) = &event.about_uid {
                    about.entry(uid.clone()).or_default().push(index);
                }
            }
            about
        };
        let about = self.events.get_or_init(collect);
        about.get(uid).map_or(&[], Vec::as_slice)
    }

    pub(super) fn counted_events(
        &self,
        events: &[Event],
        counts: impl Fn(&Event) -> bool,
    ) -> &[usize] {
        self.counted_events.get_or_init(|| {
            let all = events.iter().enumerate();
            let counted = all.filter(|(_, event)| counts(event));
            counted.map(|(index, _)| index).collect()
        })
    }

    pub(super) fn labels(&self, volumes: &[Volume]) -> &BTreeMap<String, BTreeSet<String>> {
        self.labels.get_or_init(|| {
            let mut labels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for (key, value) in volumes.iter().flat_map(|volume| &volume.labels) {
                if !labels.contains_key(key) {
                    labels.insert(key.clone(), BTreeSet::new());
                }
                if let Some(values) = labels.get_mut(key)
                    && !values.contains(value)
                {
                    values.insert(value.clone());
                }
            }
            labels
        })
    }

    pub(super) fn find_sharer<'v>(
        &self,
        volumes: &'v [Volume],
        source: &VolumeSource,
        own: &str,
    ) -> Option<&'v Volume> {
        let places = self.places.get_or_init(|| Places::of(volumes));
        let index = places.find_sharer(volumes, source, own)?;
        volumes.get(index)
    }

    pub(super) fn claims_naming(&self, claims: &[Claim], volume: &str) -> &[usize] {
        let names = |claim: &Claim| claim.volume_name.clone();
        let found = self.claims.get_or_init(|| by_name(claims, names));
        found.get(volume).map_or(&[], Vec::as_slice)
    }

    pub(super) fn pods_called(&self, pods: &[Pod], name: &str) -> &[usize] {
        let names = |pod: &Pod| Some(pod.key.name.clone());
        let found = self.pod_names.get_or_init(|| by_name(pods, names));
        found.get(name).map_or(&[], Vec::as_slice)
    }

    /// A claim is about to change.
    pub(super) fn forget_claims(&mut self) {
        self.claims.take();
        self.counted_events.take();
    }

    /// A volume is about to change.
    pub(super) fn forget_volumes(&mut self) {
        self.counted_events.take();
        self.places.take();
        self.classes.take();
        self.makers.take();
        self.labels.take();
    }
}

fn by_name<T>(all: &[T], name: impl Fn(&T) -> Option<String>) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, one) in all.iter().enumerate() {
        if let Some(name) = name(one) {
            found.entry(name).or_default().push(index);
        }
    }
    found
}
