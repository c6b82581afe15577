//! A storage class, told to people: what it lets them choose, who makes its volumes, where, and what becomes of them.
//!
//! The other files answer one question each: `default` whether claims without a class get it, `presence` whether its
//! provisioner is there, `usage` what there is of it. What is wrong with it is `validation`'s.

mod default;
mod option_values;
mod presence;
mod template;
#[cfg(test)]
mod tests;
mod usage;

pub use self::option_values::{option_refusal, usable_values};
pub use self::template::{TemplateError, claim_template};

use self::usage::Survey;
use super::parameters;
use super::provisioning::{Maker, reported_elsewhere};
use super::unknowns::find_unknown;
use super::validation::class_findings;
use crate::conventions::secrets::shown_value;
use crate::conventions::selector::Labels;
use crate::conventions::topology::{TopologyTerm, topologies_allow};
use crate::model::catalogue::Catalogue;
use crate::model::{AllowedOption, Class, ClusterState, Kind, Options, StorageCapacity};
use crate::report::{
    API_VERSION, ClassDescription, ClassDriver, ClassFacts, ClassTopologies, OptionDescription,
    Presence, PublishedCapacity, Unknown, UnknownReason, UnknownSubject,
};
use std::collections::BTreeMap;

/// Describes one class of a cluster.
pub fn describe_class(
    state: &ClusterState,
    class: &Class,
    catalogue: &Catalogue,
) -> ClassDescription {
    ClassDescriber::new(state, catalogue).describe(class)
}

/// Describes classes of one cluster: what is the same for all of them is counted once.
pub struct ClassDescriber<'a> {
    state: &'a ClusterState,
    catalogue: &'a Catalogue,
    survey: Survey<'a>,
}

impl<'a> ClassDescriber<'a> {
    /// Looks at the whole cluster once.
    pub fn new(state: &'a ClusterState, catalogue: &'a Catalogue) -> Self {
        Self {
            state,
            catalogue,
            survey: Survey::of(state),
        }
    }

    /// An option that its class does not describe is described by what the backend that takes it says of it.
    fn say_what_options_are_for<'o>(
        &self,
        class: &Class,
        options: impl Iterator<Item = &'o mut OptionDescription>,
    ) {
        let known = self.catalogue.find(&class.provisioner);
        let Some(known) = known.and_then(|known| known.options.as_ref()) else {
            return;
        };
        for option in options.filter(|option| option.description.is_none()) {
            let meaning = known.iter().find(|known| known.is_named(&option.key));
            option.description = meaning.map(|known| known.meaning.clone());
        }
    }

    /// Describes one class.
    pub fn describe(&self, class: &Class) -> ClassDescription {
        let state = self.state;
        let maker = Maker::of(class);
        let served_here = self.catalogue.served_here(&class.provisioner);
        let driver = presence::describe(state, class, &maker, &self.survey, served_here);
        let (mut options, options_malformed) = options(&class.options);
        self.say_what_options_are_for(class, options.iter_mut().flatten());
        let makes_volumes = !matches!(maker, Maker::Nobody | Maker::Unimplemented(_));
        ClassDescription {
            api_version: API_VERSION,
            kind: "ClassDescription",
            class: facts(state, class),
            options,
            options_malformed,
            parameters: parameters::describe(self.catalogue, class),
            topologies: ClassTopologies {
                terms: class.allowed_topologies.iter().map(spelled).collect(),
                nodes: self.nodes_allowed(class),
            },
            attributes_classes: attributes_classes(state, &driver.name),
            capacity: capacities(state, &class.name),
            usage: self.survey.usage_of(&class.name),
            findings: class_findings(state, class, self.catalogue),
            unknowns: unknowns(state, &driver, makes_volumes),
            driver,
        }
    }

    fn nodes_allowed(&self, class: &Class) -> Option<Vec<String>> {
        let allows = |labels: &Labels| topologies_allow(&class.allowed_topologies, labels);
        self.state.saw(Kind::Nodes, None).then(|| {
            let nodes = self.state.objects().nodes.iter();
            nodes
                .filter(|node| allows(&node.labels))
                .map(|node| node.name.clone())
                .collect()
        })
    }
}

fn facts(state: &ClusterState, class: &Class) -> ClassFacts {
    let standing = default::standing(state, class);
    ClassFacts {
        name: class.name.clone(),
        provisioner: class.provisioner.clone(),
        default: standing.is_default,
        marked_default: class.marked_default,
        default_why: standing.why,
        reclaim_policy: class.reclaim_policy.clone(),
        binding_mode: class.binding_mode,
        allow_expansion: class.allow_expansion,
        mount_options: class
            .mount_options
            .iter()
            .map(|option| shown_value("", option).to_owned())
            .collect(),
    }
}

/// The options as declared, or why they cannot be understood.
fn options(options: &Options) -> (Option<Vec<OptionDescription>>, Option<String>) {
    let described = |option: &AllowedOption| OptionDescription {
        key: option.key.clone(),
        description: option.description.clone(),
        allowed_values: option.allowed_values.clone(),
        default_value: option.default_value.clone(),
        required: option.required,
    };
    match options {
        Options::None => (Some(vec![]), None),
        Options::Declared(declared) => (Some(declared.iter().map(described).collect()), None),
        Options::Malformed(why) => (None, Some(why.clone())),
    }
}

/// A term as the contract spells it. Of a key that stands twice both must hold: what is in both lists.
fn spelled(term: &TopologyTerm) -> BTreeMap<String, Vec<String>> {
    let mut spelled: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, values) in &term.expressions {
        match spelled.get_mut(key) {
            Some(earlier) => earlier.retain(|value| values.contains(value)),
            None => drop(spelled.insert(key.clone(), values.clone())),
        }
    }
    spelled
}

fn attributes_classes(state: &ClusterState, driver: &str) -> Option<Vec<String>> {
    let all = &state.objects().attributes_classes;
    state.saw(Kind::AttributesClasses, None).then(|| {
        let mut names: Vec<String> = all
            .iter()
            .filter(|class| class.driver == driver)
            .map(|class| class.name.clone())
            .collect();
        names.sort();
        names.dedup();
        names
    })
}

/// What the driver published for the class; of a list that was partly seen, that part.
fn capacities(state: &ClusterState, class: &str) -> Option<Vec<PublishedCapacity>> {
    let gap = state.find_gap(Kind::Capacities, None);
    if gap.is_some_and(|gap| gap.seen_only_in.is_none()) {
        return None;
    }
    let all = state.objects().capacities.iter();
    let mut published: Vec<PublishedCapacity> = all
        .filter(|capacity| capacity.class == class)
        .map(|capacity| describe_capacity(state, capacity))
        .collect();
    published.sort_by(|a, b| (&a.topology, &a.capacity).cmp(&(&b.topology, &b.capacity)));
    Some(published)
}

fn describe_capacity(state: &ClusterState, published: &StorageCapacity) -> PublishedCapacity {
    let selector = published.node_topology.as_ref();
    let selects = |labels: &Labels| selector.is_some_and(|selector| selector.matches(labels));
    let nodes = &state.objects().nodes;
    PublishedCapacity {
        topology: selector.map(ToString::to_string),
        capacity: published.capacity.as_ref().map(ToString::to_string),
        maximum_volume_size: published
            .maximum_volume_size
            .as_ref()
            .map(ToString::to_string),
        nodes: state
            .saw(Kind::Nodes, None)
            .then(|| nodes.iter().filter(|node| selects(&node.labels)).count()),
    }
}

/// What could not be seen of all that is told. What files say by their silence is said where it decides something.
fn unknowns(state: &ClusterState, driver: &ClassDriver, makes_volumes: bool) -> Vec<Unknown> {
    let presence = driver.presence;
    let is_shown = driver.served_here.is_some()
        || matches!(
            presence,
            Presence::Registered | Presence::Internal | Presence::None
        );
    // Each kind, and whether it matters that files hold none of it.
    let kinds = [
        (Kind::Classes, false),
        (Kind::Volumes, true),
        (Kind::Claims, true),
        (Kind::Nodes, true),
        (Kind::CsiDrivers, !is_shown),
        (Kind::CsiNodes, !is_shown),
        (Kind::Events, !is_shown),
        (Kind::AttributesClasses, makes_volumes),
        (Kind::Capacities, makes_volumes),
    ];
    let mut unknowns: Vec<Unknown> = kinds
        .into_iter()
        .filter(|(kind, matters)| *matters || !state.saw(*kind, None))
        .filter_map(|(kind, _)| find_unknown(state, kind, None))
        .collect();
    if presence == Presence::Seen {
        unknowns.extend(reported_elsewhere(state, &driver.name, None));
    }
    if presence == Presence::Internal {
        unknowns.push(Unknown {
            what: UnknownSubject::HostPathFlag,
            why: UnknownReason::Flag,
            remedy: None,
        });
    }
    unknowns.sort_by_cached_key(Unknown::sort_key);
    unknowns
}
