//! What this program makes, and what it refuses before it touches anything.

use super::super::owner::rival_report;
use super::*;
use crate::conventions::annotations::SELECTED_NODE;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{AllowedOption, ConfigMap, DataSource, Event, Kind, Options, ReclaimPolicy};

fn ours() -> Class {
    class("any", OURS)
}

#[test]
fn everything_the_backend_is_told() {
    let mut slow = ours();
    slow.parameters = [("type".to_owned(), "gp2".to_owned())].into();
    slow.mount_options = vec!["ro".to_owned()];
    let making = own(ask(&cluster(claim("c"), slow, |objects| {
        objects.nodes = vec![node("n1"), node("n2")];
    })));
    assert_eq!(making.provisioner, OURS);
    assert_eq!(making.volume_name, "pvc-uid-c");
    assert_eq!(making.parameters["type"], "gp2");
    assert_eq!(making.mount_options, ["ro"]);
    assert_eq!(making.reclaim_policy, ReclaimPolicy::Delete);
    assert!(making.needs_annotations && making.assigned_class.is_none());
    // The host of the question is N2, in the spelling of the machine.
    let node = making.node.expect("this host");
    assert_eq!(
        (&*node.name, node.hostname.as_deref()),
        ("n2", Some("n2.local"))
    );
    assert_eq!(node.why, "it is this host");
    let mut keeps = ours();
    keeps.reclaim_policy = "Retain".to_owned();
    let making = own(ask(&cluster(left_to(claim("c"), OURS), keeps, |_| {})));
    assert_eq!(making.reclaim_policy, ReclaimPolicy::Retain);
    assert!(!making.needs_annotations && making.node.is_none() && making.unknowns.is_empty());
}

#[test]
fn the_class_decides_whose_a_claim_is_and_the_annotations_must_agree() {
    let asked = |claim: Claim, class: Class| ask(&cluster(claim, class, |_| {}));
    // Only the beta spelling: ours, and the other one is still to be written.
    let beta = claim("c").annotated(BETA_STORAGE_PROVISIONER, OURS);
    assert!(own(asked(beta, ours())).needs_annotations);
    let theirs = unmade(asked(left_to(claim("c"), "other.org/x"), ours()));
    assert_eq!(
        (theirs.code().name(), theirs.is_ours),
        ("NoProvisioner", false)
    );
    // The claim's owner writes annotations: they never choose a backend for a class that names another provisioner.
    for provisioner in ["other.org/x", "csi.example", "kubernetes.io/no-provisioner"] {
        for forged in [
            left_to(claim("c"), OURS),
            claim("c").annotated(BETA_STORAGE_PROVISIONER, OURS),
        ] {
            let forged = unmade(asked(forged, class("any", provisioner)));
            assert_eq!(
                (forged.code().name(), forged.is_ours),
                ("NoProvisioner", false)
            );
        }
    }
    let other = asked(
        left_to(claim("c"), "other.org/x"),
        class("any", "other.org/x"),
    );
    assert!(matches!(other, Making::Delegated(_)));
}

#[test]
fn a_name_that_somebody_else_serves_is_not_ours() {
    let asked = |name: &str, more: fn(&mut Objects)| {
        unmade(ask(&cluster(claim("c"), class("any", name), more)))
    };
    let dotted = "scratch.example.com";
    let registered = asked(dotted, |objects| {
        objects.csi_drivers.push(driver("scratch.example.com"));
    });
    assert_eq!(
        (registered.code().name(), registered.is_ours),
        ("NoProvisioner", false)
    );
    let on_node = asked(dotted, |objects| {
        objects.csi_nodes.push(on_node("n1", "scratch.example.com"));
    });
    assert_eq!(on_node.code().name(), "NoProvisioner");
    // Any user with rights in a namespace can write events there: they are reported, and decide nothing.
    let signed = |uid: &str| {
        let event = Event {
            component: format!("{OURS}_pod_1"),
            ..event("PersistentVolumeClaim", "ns", "c", uid)
        };
        cluster(claim("c"), ours(), |objects| objects.events.push(event))
    };
    let state = signed("uid-c");
    assert!(matches!(ask(&state), Making::Own(_)));
    assert!(rival_report(&state, OURS).is_some());
    assert_eq!(rival_report(&signed("uid-of-nothing"), OURS), None);
    // Volumes are no sign: they may be ours.
    let state = cluster(claim("c"), ours(), |objects| {
        let made = volume("w").of_class("x");
        let made = made.annotated("pv.kubernetes.io/provisioned-by", OURS);
        objects.volumes.push(made);
    });
    assert!(matches!(ask(&state), Making::Own(_)));
    // A CSI driver cannot have a name with a slash, so that only one without needs the lists.
    let gaps = [Kind::CsiDrivers, Kind::CsiNodes];
    assert!(matches!(ask(&with_gaps(&state, &gaps)), Making::Own(_)));
    let dotted = cluster(claim("c"), class("any", dotted), |_| {});
    let unknown = unmade(ask(&with_gaps(&dotted, &gaps)));
    assert_eq!(unknown.standing, Standing::Unknown);
    assert_eq!(unknown.unknowns.len(), 2);
}

fn with_options(options: Options, given: Option<&[(&str, &str)]>) -> Making {
    let mut asking = claim("c");
    asking.options = Some("options".to_owned());
    let mut class = ours();
    class.options = options;
    class.parameters = [("zones".to_owned(), "a, b".to_owned())].into();
    ask(&cluster(asking, class, |objects| {
        // An existing volume fits, and does not serve.
        objects.volumes.push(volume("v"));
        let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        objects.config_maps.extend(given.map(|given| ConfigMap {
            key: ObjectKey::new("ns", "options"),
            data: given.iter().map(pair).collect(),
            binary_keys: vec![],
        }));
    }))
}

#[test]
fn options_are_merged_and_checked() {
    let option =
        |key: &str, default: Option<&str>, required: bool, allowed: &[&str]| AllowedOption {
            key: key.to_owned(),
            default_value: default.map(str::to_owned),
            required,
            allowed_values: allowed.iter().map(|value| (*value).to_owned()).collect(),
            ..AllowedOption::default()
        };
    let declared = || {
        Options::Declared(vec![
            option("speed", Some("slow"), false, &["slow", "fast"]),
            option("owner", None, true, &[]),
            option("zone", None, false, &[]),
        ])
    };
    let making = own(with_options(
        declared(),
        Some(&[("owner", "me"), ("zone", "a")]),
    ));
    let values: Vec<_> = making
        .options
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    assert_eq!(values, ["owner=me", "speed=slow", "zone=a"]);
    let refused = |given: Option<&[(&str, &str)]>| {
        let unmade = unmade(with_options(declared(), given));
        assert!(unmade.is_ours, "{}", unmade.code().name());
        unmade.code().name()
    };
    assert_eq!(refused(None), "OptionsConfigMapNotFound");
    assert_eq!(
        refused(Some(&[("owner", "me"), ("spede", "x")])),
        "OptionUnknown"
    );
    assert_eq!(
        refused(Some(&[("owner", "me"), ("speed", "x")])),
        "OptionValueNotAllowed"
    );
    assert_eq!(refused(Some(&[("speed", "fast")])), "OptionRequired");
    assert_eq!(
        refused(Some(&[("owner", "me"), ("zone", "c")])),
        "OptionConflictsWithParameters"
    );
    let malformed = unmade(with_options(
        Options::Malformed("no list".to_owned()),
        Some(&[]),
    ));
    assert_eq!(
        (malformed.code().name(), malformed.is_ours),
        ("OptionsMalformed", true)
    );
    let mut asking = claim("c");
    asking.options = Some("options".to_owned());
    let blind = with_gaps(&cluster(asking, ours(), |_| {}), &[Kind::ConfigMaps]);
    let unknown = unmade(ask(&blind));
    assert_eq!(
        (unknown.standing, unknown.is_ours),
        (Standing::Unknown, false)
    );
}

#[test]
fn what_no_backend_can_do_is_refused_on_the_claim() {
    let mut filled = claim("c");
    filled.data_source_ref = Some(DataSource {
        group: None,
        kind: "PersistentVolumeClaim".to_owned(),
        name: "d".to_owned(),
        namespace: None,
    });
    let refused = unmade(ask(&cluster(filled, ours(), |_| {})));
    assert_eq!(
        (refused.code().name(), refused.is_ours),
        ("ProvisioningFailed", true)
    );
    let mut gold = claim("c");
    gold.attributes_class = Some("gold".to_owned());
    let refused = unmade(ask(&cluster(gold, ours(), |_| {})));
    assert_eq!(
        (refused.code().name(), refused.is_ours),
        ("AttributesClassMismatch", true)
    );
    // The labels a backend gives are known to whoever calls it.
    let picky = cluster(claim("c").selecting("a=b"), ours(), |_| {});
    assert!(matches!(ask(&picky), Making::Own(_)));
}

#[test]
fn the_node_is_the_one_named_then_the_one_chosen_then_this_host() {
    let nodes = |objects: &mut Objects| objects.nodes = vec![node("m1"), node("n1"), node("n2")];
    let pinned = || claim("c").annotated(SELECTED_NODE, "n1");
    let name = |making: Making| own(making).node.map(|node| node.name);
    let plain = cluster(claim("c"), ours(), nodes);
    assert_eq!(name(ask_for(&plain, Some("m1"))).as_deref(), Some("m1"));
    assert_eq!(name(ask(&plain)).as_deref(), Some("n2"));
    let chosen = cluster(pinned(), ours(), nodes);
    assert_eq!(name(ask(&chosen)).as_deref(), Some("n1"));
    let elsewhere = unmade(ask_for(&chosen, Some("m1")));
    assert_eq!(
        (elsewhere.code().name(), elsewhere.is_ours),
        ("SelectedNodeElsewhere", false)
    );
    let missing = unmade(ask_for(&plain, Some("n9")));
    assert_eq!(
        (missing.code().name(), missing.is_ours),
        ("SelectedNodeMissing", false)
    );
    let gone = cluster(pinned(), ours(), |objects| objects.nodes = vec![node("n2")]);
    let gone = unmade(ask(&gone));
    assert_eq!(
        (gone.code().name(), gone.is_ours),
        ("SelectedNodeMissing", true)
    );
    let hint = gone.hint().unwrap_or_default();
    assert!(
        hint.to_string()
            .ends_with("kubectl annotate pvc c -n ns volume.kubernetes.io/selected-node-"),
        "{hint}"
    );
    let zoned = cluster(claim("c"), only_in(ours(), "m"), nodes);
    assert_eq!(name(ask_for(&zoned, Some("m1"))).as_deref(), Some("m1"));
    let outside = unmade(ask_for(&zoned, Some("n1")));
    assert_eq!(
        (outside.code().name(), outside.is_ours),
        ("TopologyNotAllowed", false)
    );
    let host = unmade(ask(&zoned));
    assert_eq!(
        (host.code().name(), host.is_ours),
        ("TopologyNotAllowed", true)
    );
}

#[test]
fn without_the_nodes_the_backend_must_do_without() {
    let blind = with_gaps(&cluster(claim("c"), ours(), |_| {}), &[Kind::Nodes]);
    let making = own(ask(&blind));
    assert!(making.node.is_none());
    assert!(making.unknowns[0].is_of(Kind::Nodes));
    assert_eq!(
        unmade(ask_for(&blind, Some("n1"))).standing,
        Standing::Unknown
    );
}

#[test]
fn a_waiting_claim_takes_an_existing_volume_first() {
    let cluster = |claim: Claim| {
        cluster(claim, ours().delayed(), |objects| {
            objects.nodes = vec![node("m1"), node("n2")];
            objects.volumes.push(pinned(volume("v"), "m"));
        })
    };
    let fits = unmade(ask(&cluster(claim("c"))));
    assert_eq!((fits.code().name(), fits.is_ours), ("VolumeFits", false));
    assert_eq!(
        fits.hint().map(|hint| hint.to_string()).as_deref(),
        Some("kubectl pv bind c -n ns --volume v --force")
    );
    // Not on the node that was named; and once a node is chosen nobody looks at volumes (R110).
    assert!(matches!(
        ask_for(&cluster(claim("c")), Some("n2")),
        Making::Own(_)
    ));
    let chosen = claim("c").annotated(SELECTED_NODE, "m1");
    assert!(matches!(ask(&cluster(chosen)), Making::Own(_)));
    assert_eq!(
        code(ask_for(&cluster(claim("c")), Some("m1"))),
        "VolumeFits"
    );
    // Without the nodes only a volume that every node can use is certain to serve.
    let blind = |zoned: bool| {
        let state = state_with(vec![claim("c")], vec![], |objects| {
            objects.classes.push(ours().delayed());
            let free = volume("v");
            let volume = if zoned { pinned(free, "m") } else { free };
            objects.volumes.push(volume);
        });
        ask(&with_gaps(&state, &[Kind::Nodes]))
    };
    assert!(matches!(blind(true), Making::Own(_)));
    assert_eq!(code(blind(false)), "VolumeFits");
}

#[test]
fn the_node_of_this_machine_is_found_by_what_the_machine_is_called() {
    let mut nodes = vec![node("n1"), node("n2"), node("n3")];
    nodes[2].machine_id = "3c1f".to_owned();
    let state =
        |nodes: &[Node]| cluster(claim("c"), ours(), |objects| objects.nodes = nodes.to_vec());
    let found = |state: &ClusterState, host: &Host| {
        find_host(state, Some(host)).map(|node| node.name.clone())
    };
    let all = state(&nodes);
    for (host, expected) in [
        (Host::named("n1"), Some("n1")),
        (Host::named("N2.local"), Some("n2")),
        (Host::named("desk"), None),
        (
            Host {
                machine_id: Some("3c1f".to_owned()),
                ..Host::named("desk")
            },
            Some("n3"),
        ),
        (
            Host {
                node_name: Some("n2".to_owned()),
                ..Host::named("n1")
            },
            Some("n2"),
        ),
        // What the pod was told counts, and nothing else.
        (
            Host {
                node_name: Some("n9".to_owned()),
                ..Host::named("n1")
            },
            None,
        ),
    ] {
        assert_eq!(found(&all, &host).as_deref(), expected, "{host:?}");
    }
    // Of machines with the same id none is meant.
    nodes[1].machine_id = "3c1f".to_owned();
    let cloned = Host {
        machine_id: Some("3c1f".to_owned()),
        ..Host::named("desk")
    };
    assert_eq!(found(&state(&nodes), &cloned), None);
    assert_eq!(find_host(&all, None), None);
}
