//! What is wrong with a set of volumes: by itself, and beside others.

use super::super::api_rules::{FieldError, Judged, field_errors};
use crate::model::manifest::Node;
use crate::model::{ClusterState, VolumeSet};
use serde_json::json;

/// Everything that the API server refuses about a set, or about the volumes it would make; nothing if it is in order.
pub(crate) fn volume_set_problems(set: &VolumeSet) -> Vec<FieldError> {
    let mut root = json!({
        "metadata": {"name": set.name},
        "spec": {
            "minimumReplicas": set.minimum,
            "maximumReplicas": set.maximum,
            "selector": set.selector,
        },
    });
    if let Some(spec) = root["spec"].as_object_mut() {
        spec.retain(|field, _| !set.missing.contains(&field.as_str()));
    }
    if let Some(template) = &set.template {
        root["spec"]["template"] = template.written.clone();
    }
    field_errors(Judged::VolumeSet, &Node::of_json(&root), None)
}

/// Another set that has, or would have, members in common with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// The name of the other set.
    pub(crate) other: String,
    /// The field of the set that it comes from.
    pub(crate) field: &'static str,
    /// What they have in common, in a sentence.
    pub(crate) message: String,
}

/// The first other set, by name, that overlaps with this one. Sets that are being deleted do not count.
pub(crate) fn volume_set_overlap(state: &ClusterState, set: &VolumeSet) -> Option<Overlap> {
    if set.deleted.is_some() {
        return None;
    }
    let volumes = state.volumes().iter();
    let members: Vec<_> = volumes.filter(|volume| set.selects(volume)).collect();
    let mut others = state.volume_sets().iter();
    others.find_map(|other| {
        if other.name == set.name || other.deleted.is_some() {
            return None;
        }
        let name = &other.name;
        let overlap = |field, message| {
            Some(Overlap {
                other: name.clone(),
                field,
                message,
            })
        };
        if let Some(shared) = members.iter().find(|volume| other.selects(volume)) {
            let volume = &shared.name;
            let message = format!("volume {volume} is a member of set {name} as well");
            return overlap("spec.selector", message);
        }
        if makes_members_of(set, other) {
            let message = format!("the volumes it makes are members of set {name} as well");
            return overlap("spec.template.metadata.labels", message);
        }
        if makes_members_of(other, set) {
            let message = format!("the volumes that set {name} makes are members of it as well");
            return overlap("spec.selector", message);
        }
        None
    })
}

fn makes_members_of(maker: &VolumeSet, other: &VolumeSet) -> bool {
    let template = maker.template.as_ref();
    template.is_some_and(|template| other.selects(&template.volume))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Objects, Time};
    use crate::testing::{volume, volume_set};

    fn state(sets: Vec<VolumeSet>, labels: &[(&str, &str)]) -> ClusterState {
        let mut shared = volume("pv-1");
        shared.labels = labels
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let objects = Objects {
            volumes: vec![shared],
            volume_sets: sets,
            ..Objects::default()
        };
        ClusterState::new(objects, vec![], None)
    }

    /// A set whose members have another label as well.
    fn by(name: &str, key: &str) -> VolumeSet {
        let mut set = volume_set(name, 0, 1);
        set.selector = [(key.to_owned(), "x".to_owned())].into();
        let template = set.template.as_mut().expect("the builder gives one");
        template.volume.labels = set.selector.clone();
        template.written["metadata"]["labels"] = json!(set.selector);
        set
    }

    #[test]
    fn a_set_by_itself() {
        assert_eq!(volume_set_problems(&volume_set("fast", 1, 2)), []);
        let mut set = volume_set("fast", 3, 2);
        set.selector.clear();
        set.template = None;
        let fields = volume_set_problems(&set)
            .into_iter()
            .map(|found| found.field.unwrap_or_default());
        assert_eq!(
            fields.collect::<Vec<_>>(),
            ["spec.template", "spec.selector", "spec.minimumReplicas"]
        );
    }

    #[test]
    fn sets_that_share_members() {
        let apart = state(vec![by("one", "a"), by("two", "b")], &[("a", "x")]);
        assert_eq!(volume_set_overlap(&apart, &by("one", "a")), None);
        let shared = state(
            vec![by("one", "a"), by("two", "b")],
            &[("a", "x"), ("b", "x")],
        );
        let overlap = volume_set_overlap(&shared, &by("one", "a")).expect("they share one");
        assert_eq!(
            (overlap.other.as_str(), overlap.field),
            ("two", "spec.selector")
        );
        assert!(overlap.message.contains("pv-1"));

        // One makes what the other selects, before there is any.
        let mut maker = by("one", "a");
        let template = maker.template.as_mut().expect("the builder gives one");
        template
            .volume
            .labels
            .insert("b".to_owned(), "x".to_owned());
        let pair = state(vec![maker.clone(), by("two", "b")], &[]);
        let of_maker = volume_set_overlap(&pair, &maker).expect("its volumes are the other's");
        assert_eq!(of_maker.field, "spec.template.metadata.labels");
        let of_other = volume_set_overlap(&pair, &by("two", "b")).expect("so it is here");
        assert_eq!(
            (of_other.other.as_str(), of_other.field),
            ("one", "spec.selector")
        );
    }

    #[test]
    fn what_is_being_deleted_does_not_count() {
        let mut going = by("two", "a");
        going.deleted = Some(Time(1));
        let state = state(vec![by("one", "a"), going.clone()], &[("a", "x")]);
        assert_eq!(volume_set_overlap(&state, &by("one", "a")), None);
        assert_eq!(volume_set_overlap(&state, &going), None);
    }
}
