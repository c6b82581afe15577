//! What is looked up again and again when every claim is asked about: made when it is first asked for, and only then.

use super::{Event, Pod, Volume};
use crate::conventions::object_ref::ObjectKey;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

#[derive(Debug, Clone, Default)]
pub(super) struct Lookups {
    classes: OnceLock<HashMap<String, usize>>,
    makers: OnceLock<HashSet<String>>,
    pods: OnceLock<HashMap<ObjectKey, Vec<usize>>>,
    events: OnceLock<HashMap<String, Vec<usize>>>,
    labels: OnceLock<BTreeMap<String, BTreeSet<String>>>,
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

    /// A volume is about to change.
    pub(super) fn forget_volumes(&mut self) {
        self.classes.take();
        self.makers.take();
        self.labels.take();
    }
}
