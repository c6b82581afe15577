//! What is said of a class when little could be read, and when several claim to be the default.

use super::*;
use crate::model::catalogue::Catalogue;
use crate::model::{Gap, GapReason, Objects, Time};
use crate::testing::{claim, class, state_with, volume};

/// A state of these classes in which some kinds were not readable.
fn state_without(classes: Vec<Class>, kinds: &[Kind]) -> ClusterState {
    let gap = |kind: &Kind| Gap {
        kind: *kind,
        why: GapReason::Forbidden,
        seen_only_in: None,
    };
    let objects = Objects {
        classes,
        ..Objects::default()
    };
    ClusterState::new(objects, kinds.iter().map(gap).collect(), Some(Time(0)))
}

fn describe(state: &ClusterState, name: &str) -> ClassDescription {
    let class = state.find_class(name).expect("a class of the test");
    describe_class(state, class, &Catalogue::default())
}

#[test]
fn what_could_not_be_read_is_never_none() {
    let kinds = [
        Kind::Volumes,
        Kind::Claims,
        Kind::Nodes,
        Kind::CsiDrivers,
        Kind::CsiNodes,
        Kind::Capacities,
        Kind::AttributesClasses,
        Kind::Events,
    ];
    let state = state_without(vec![class("c", "x.example.com")], &kinds);
    let described = describe(&state, "c");
    assert_eq!(described.driver.presence, Presence::Unknown);
    assert_eq!(described.usage.volumes, None);
    assert_eq!(described.usage.claims, None);
    assert_eq!(described.topologies.nodes, None);
    assert_eq!(described.attributes_classes, None);
    assert_eq!(described.capacity, None);
    assert_eq!(described.unknowns.len(), kinds.len());
}

#[test]
fn one_list_that_was_not_read_leaves_the_presence_open() {
    for kind in [Kind::Volumes, Kind::CsiDrivers, Kind::CsiNodes] {
        let state = state_without(vec![class("c", "x.example.com")], &[kind]);
        assert_eq!(describe(&state, "c").driver.presence, Presence::Unknown);
    }
    let state = state_without(vec![class("c", "x.example.com")], &[Kind::Nodes]);
    assert_eq!(describe(&state, "c").driver.presence, Presence::NotSeen);
    // Nobody need be seen where nobody is expected.
    let state = state_without(
        vec![class("c", "kubernetes.io/no-provisioner")],
        &[Kind::CsiDrivers],
    );
    assert_eq!(describe(&state, "c").driver.presence, Presence::None);
}

#[test]
fn the_default_and_by_what_it_wins() {
    let standing = |classes: Vec<Class>, kinds: &[Kind], name: &str| {
        let facts = describe(&state_without(classes, kinds), name).class;
        (facts.default, facts.default_why.unwrap_or_default())
    };
    let marked = |name: &str, since: i64| class(name, "x").default_since(since);
    let ageless = |name: &str| Class {
        created: None,
        ..marked(name, 0)
    };
    let is = |found: (Option<bool>, String), default: Option<bool>, why: &str| {
        assert_eq!(found.0, default, "{}", found.1);
        assert!(found.1.contains(why), "{}", found.1);
    };
    is(
        standing(vec![marked("a", 1)], &[], "a"),
        Some(true),
        "the only class",
    );
    is(
        standing(vec![marked("a", 1)], &[Kind::Classes], "a"),
        None,
        "could not be read",
    );
    is(
        standing(vec![class("a", "x")], &[Kind::Classes], "a"),
        Some(false),
        "",
    );
    let two = || vec![marked("a", 1), marked("b", 2)];
    is(
        standing(two(), &[], "a"),
        Some(false),
        "but b was created last",
    );
    is(
        standing(two(), &[Kind::Classes], "a"),
        Some(false),
        "but b was created last",
    );
    is(
        standing(two(), &[], "b"),
        Some(true),
        "marked like a, and was created last",
    );
    let same = vec![marked("a", 1), marked("b", 1)];
    is(
        standing(same, &[], "b"),
        Some(false),
        "but a comes first by name among those created in that second",
    );
    let unknown = vec![ageless("a"), ageless("b")];
    is(
        standing(unknown, &[], "a"),
        Some(true),
        "as nothing says when they were created",
    );
}

#[test]
fn phases_are_those_things_settle_in() {
    let held = volume("held")
        .of_class("c")
        .reserved_for("gone", Some("uid-of-before"));
    let state = state_with(
        vec![claim("waiting").of_class(Some("c"))],
        vec![held],
        |objects| {
            objects.classes = vec![class("c", "x"), class("other", "x")];
        },
    );
    let usage = describe(&state, "c").usage;
    assert_eq!(usage.volumes, Some([("Released", 1)].into()));
    assert_eq!(usage.claims, Some([("Pending", 1)].into()));
    assert_eq!(describe(&state, "other").usage.volumes, Some([].into()));
}
