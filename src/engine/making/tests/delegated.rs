//! What is left to a provisioner of the cluster, and on which node.

use super::*;
use crate::conventions::annotations::SELECTED_NODE;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::LabelSelector;
use crate::model::{DataSource, Event, Pod, StorageCapacity, Taint};

const CSI: &str = "disk.example.com";
const HOST_PATH: &str = "kubernetes.io/host-path";

/// A cluster with a claim of a class of the driver, which runs on both nodes.
fn served(claim: Claim, class: Class, more: impl FnOnce(&mut Objects)) -> ClusterState {
    cluster(claim, class, |objects| {
        objects.csi_drivers.push(driver(CSI));
        objects.nodes = vec![node("n2"), node("n1")];
        objects.csi_nodes = vec![on_node("n1", CSI), on_node("n2", CSI)];
        more(objects);
    })
}

fn delayed() -> Class {
    class("any", CSI).delayed()
}

fn chosen(making: Making) -> Option<String> {
    delegated(making).selected_node.map(|node| node.name)
}

#[test]
fn an_immediate_class_needs_its_annotations_only() {
    let state = served(claim("c"), class("any", CSI), |_| {});
    let making = delegated(ask(&state));
    assert_eq!((&*making.provisioner, making.seen), (CSI, Seen::Yes));
    assert!(making.needs_annotations && making.selected_node.is_none());
    assert!(making.warnings.is_empty() && making.volume_name.is_none());
    let begun = served(left_to(claim("c"), CSI), class("any", CSI), |_| {});
    assert!(!delegated(ask(&begun)).needs_annotations);
    let named = delegated(ask_for(&state, Some("n1")));
    assert!(named.selected_node.is_none());
    assert!(
        named.warnings[0].contains("Immediate"),
        "{:?}",
        named.warnings
    );
    let default = class("fast", CSI).default_since(1);
    let classless = served(claim("c").of_class(None), default, |_| {});
    let making = delegated(ask(&classless));
    assert_eq!(making.assigned_class.as_deref(), Some("fast"));
}

#[test]
fn who_is_inside_the_controller_or_took_a_name_over() {
    let inside = delegated(ask(&cluster(claim("c"), class("any", HOST_PATH), |_| {})));
    assert_eq!(
        (inside.seen, inside.needs_annotations),
        (Seen::InController, false)
    );
    assert_eq!(inside.volume_name.as_deref(), Some("pvc-uid-c"));
    assert!(inside.warnings[0].contains("--enable-hostpath-provisioner"));
    let migrated = class("any", "kubernetes.io/aws-ebs");
    let migrated = delegated(ask(&cluster(claim("c"), migrated, |objects| {
        objects.csi_drivers.push(driver("ebs.csi.aws.com"));
    })));
    assert_eq!(migrated.provisioner, "ebs.csi.aws.com");
    assert_eq!(
        migrated.migrated_from.as_deref(),
        Some("kubernetes.io/aws-ebs")
    );
}

#[test]
fn who_is_not_there_is_not_asked() {
    let asked = |provisioner: &str| ask(&cluster(claim("c"), class("any", provisioner), |_| {}));
    assert_eq!(code(asked("kubernetes.io/no-provisioner")), "NoProvisioner");
    assert_eq!(code(asked("kubernetes.io/nfs")), "ProvisionerUnknown");
    assert_eq!(code(asked("kubernetes.io/what")), "ProvisionerUnknown");
    let unregistered = unmade(asked(CSI));
    assert_eq!(unregistered.code().name(), "ProvisionerNotRegistered");
    assert_eq!(
        (unregistered.standing, unregistered.is_ours),
        (Standing::Refused, false)
    );
    let unseen = delegated(asked("vendor.org/x"));
    assert_eq!(unseen.seen, Seen::No);
    assert!(
        unseen.warnings[0].starts_with("nobody was seen"),
        "{:?}",
        unseen.warnings
    );
    let gaps = [Kind::CsiDrivers, Kind::CsiNodes];
    let blind = |name: &str| with_gaps(&cluster(claim("c"), class("any", name), |_| {}), &gaps);
    assert_eq!(unmade(ask(&blind(CSI))).standing, Standing::Unknown);
    assert_eq!(delegated(ask(&blind("vendor.org/x"))).seen, Seen::No);
}

#[test]
fn what_a_provisioner_would_refuse_is_refused_before_any_write() {
    let asked = |claim: Claim, provisioner: &str| {
        code(ask(&served(
            claim,
            class("any", provisioner).delayed(),
            |_| {},
        )))
    };
    assert_eq!(
        asked(claim("c").selecting("a=b"), CSI),
        "SelectorNotProvisionable"
    );
    let mut optional = claim("c");
    optional.options = Some("options".to_owned());
    assert_eq!(asked(optional, CSI), "OptionsIgnoredByCluster");
    let mut filled = claim("c");
    filled.data_source = Some(DataSource {
        group: None,
        kind: "PersistentVolumeClaim".to_owned(),
        name: "d".to_owned(),
        namespace: None,
    });
    assert_eq!(asked(filled.clone(), CSI), "DataSourceNotFound");
    // The one inside the controller ignores selectors, and cannot fill anything.
    assert_eq!(asked(filled, HOST_PATH), "ProvisioningFailed");
    let mut block = claim("c");
    block.volume_mode_name = Some("Block".to_owned());
    assert_eq!(asked(block, HOST_PATH), "ProvisioningFailed");
    let picky = served(claim("c").selecting("a=b"), class("any", HOST_PATH), |_| {});
    assert!(matches!(ask(&picky), Making::Delegated(_)));
    let mut gold = claim("c");
    gold.attributes_class = Some("gold".to_owned());
    assert_eq!(asked(gold, HOST_PATH), "ProvisionedVolumeUnfit");
}

#[test]
fn what_it_reported_last_is_said_and_it_is_asked_again() {
    let state = served(claim("c"), delayed(), |objects| {
        objects.events.push(Event {
            component: CSI.to_owned(),
            ..event("PersistentVolumeClaim", "ns", "c", "uid-c")
        });
    });
    let making = delegated(ask(&state));
    assert_eq!(
        making.warnings,
        ["last time, disk.example.com reports: \"no room\""]
    );
}

#[test]
fn a_node_that_was_chosen_stays() {
    let pinned = |node: &str| served(claim("c").annotated(SELECTED_NODE, node), delayed(), |_| {});
    assert_eq!(chosen(ask(&pinned("n1"))), None);
    assert_eq!(chosen(ask_for(&pinned("n1"), Some("n1"))), None);
    assert_eq!(
        code(ask_for(&pinned("n1"), Some("n2"))),
        "SelectedNodeElsewhere"
    );
    let gone = unmade(ask(&pinned("n9")));
    assert_eq!(gone.code().name(), "SelectedNodeMissing");
    assert!(
        gone.hint()
            .unwrap_or_default()
            .to_string()
            .contains("selected-node-")
    );
    let inside = class("any", HOST_PATH).delayed();
    let inside = cluster(claim("c").annotated(SELECTED_NODE, "n9"), inside, |_| {});
    assert_eq!(code(ask(&inside)), "SelectedNodeMissing");
    assert_eq!(chosen(ask(&with_gaps(&pinned("n9"), &[Kind::Nodes]))), None);
}

#[test]
fn a_node_that_is_named_must_do() {
    let plain = served(claim("c"), delayed(), |_| {});
    let making = delegated(ask_for(&plain, Some("n2")));
    let node = making.selected_node.expect("a node");
    assert_eq!(
        (&*node.name, &*node.why),
        ("n2", "it is the one that was named")
    );
    assert!(making.warnings.is_empty(), "{:?}", making.warnings);
    assert_eq!(code(ask_for(&plain, Some("n9"))), "SelectedNodeMissing");
    let zoned = served(claim("c"), only_in(delayed(), "m"), |_| {});
    assert_eq!(code(ask_for(&zoned, Some("n2"))), "TopologyNotAllowed");
    let lonely = served(claim("c"), delayed(), |objects| {
        objects.csi_nodes.retain(|node| node.name == "n1");
    });
    assert_eq!(code(ask_for(&lonely, Some("n2"))), "NoFeasibleNode");
    let cordoned = served(claim("c"), delayed(), |objects| {
        objects.nodes[0].is_cordoned = true;
    });
    let making = delegated(ask_for(&cordoned, Some("n2")));
    assert!(
        making.warnings[0].ends_with("the node is cordoned"),
        "{:?}",
        making.warnings
    );
    let picky = served(claim("c"), delayed(), |objects| {
        objects.pods.push(wants("n1"));
    });
    let making = delegated(ask_for(&picky, Some("n2")));
    assert!(
        making.warnings[0].starts_with("pod p cannot run"),
        "{:?}",
        making.warnings
    );
}

/// A pod that uses the claim and goes to one node only.
fn wants(node: &str) -> Pod {
    let mut pod = pod("p", "c");
    let selector = ("kubernetes.io/hostname".to_owned(), format!("{node}.local"));
    pod.wishes.node_selector = [selector].into();
    pod
}

#[test]
fn otherwise_a_node_that_will_do_is_found() {
    let plain = served(claim("c"), delayed(), |_| {});
    let making = delegated(ask(&plain));
    let node = making.selected_node.expect("a node");
    assert_eq!(node.name, "n1");
    assert_eq!(
        node.why,
        "it is the first node by name on which a volume can be made"
    );
    let name = |more: fn(&mut Objects)| chosen(ask(&served(claim("c"), delayed(), more)));
    let second = Some("n2".to_owned());
    assert_eq!(name(|objects| objects.nodes[1].is_cordoned = true), second);
    assert_eq!(name(|objects| objects.csi_nodes[0].drivers.clear()), second);
    assert_eq!(name(|objects| objects.pods.push(wants("n2"))), second);
    let taint = || Taint {
        key: "k".to_owned(),
        value: String::new(),
        effect: "NoSchedule".to_owned(),
    };
    let tainted = |all: bool| {
        delegated(ask(&served(claim("c"), delayed(), |objects| {
            objects.nodes[1].taints.push(taint());
            if all {
                objects.nodes[0].taints.push(taint());
            }
        })))
    };
    assert_eq!(tainted(false).selected_node.map(|node| node.name), second);
    let everywhere = tainted(true);
    assert_eq!(
        everywhere.selected_node.map(|node| node.name).as_deref(),
        Some("n1")
    );
    assert!(
        everywhere.warnings[0].contains("taints"),
        "{:?}",
        everywhere.warnings
    );
    // A pod that was put on a node by hand has chosen it.
    let bypassing = served(claim("c"), delayed(), |objects| {
        let mut pod = pod("p", "c");
        pod.node_name = Some("n2".to_owned());
        objects.pods.push(pod);
    });
    let node = delegated(ask(&bypassing)).selected_node.expect("a node");
    assert_eq!((&*node.name, &*node.why), ("n2", "pod p is on it"));
}

#[test]
fn where_no_node_will_do_nothing_is_made() {
    let asked = |class: Class, more: fn(&mut Objects)| code(ask(&served(claim("c"), class, more)));
    assert_eq!(asked(only_in(delayed(), "m"), |_| {}), "NoFeasibleNode");
    assert_eq!(
        asked(delayed(), |objects| objects.nodes.clear()),
        "NoFeasibleNode"
    );
    assert_eq!(
        asked(delayed(), |objects| objects.pods.push(wants("n9"))),
        "NoFeasibleNode"
    );
    let plain = served(claim("c"), delayed(), |_| {});
    let blind = |kind: Kind| unmade(ask(&with_gaps(&plain, &[kind]))).standing;
    assert_eq!(blind(Kind::Nodes), Standing::Unknown);
    assert_eq!(blind(Kind::Pods), Standing::Unknown);
    // Files hold no pods as a rule: a node is found all the same, and that is said.
    let gaps = with_gaps(&plain, &[Kind::Pods]).gaps().to_vec();
    let files = ClusterState::new(plain.objects().clone(), gaps, None);
    let making = delegated(ask(&files));
    assert_eq!(making.warnings, ["which pods wait for it was not seen"]);
    // With a node that is named the pods need not be seen.
    let named = ask_for(&with_gaps(&plain, &[Kind::Pods]), Some("n1"));
    assert_eq!(chosen(named).as_deref(), Some("n1"));
}

#[test]
fn published_room_counts_if_it_was_seen() {
    let checked = |room: &'static str| {
        served(claim("c").requests("2Gi"), delayed(), move |objects| {
            objects.csi_drivers[0].checks_capacity = true;
            objects.capacities.push(StorageCapacity {
                key: ObjectKey::new("ns", "n2"),
                class: "any".to_owned(),
                node_topology: LabelSelector::parse("kubernetes.io/hostname=n2.local").ok(),
                capacity: Quantity::parse(room).ok(),
                maximum_volume_size: None,
            });
        })
    };
    assert_eq!(chosen(ask(&checked("5Gi"))).as_deref(), Some("n2"));
    assert_eq!(
        code(ask_for(&checked("5Gi"), Some("n1"))),
        "CapacityNotPublished"
    );
    assert_eq!(
        code(ask_for(&checked("1Gi"), Some("n2"))),
        "CapacityInsufficient"
    );
    assert_eq!(code(ask(&checked("1Gi"))), "NoFeasibleNode");
    let blind = with_gaps(&checked("1Gi"), &[Kind::Capacities]);
    let making = delegated(ask_for(&blind, Some("n2")));
    assert!(
        making.warnings[0].contains("csistoragecapacities"),
        "{:?}",
        making.warnings
    );
}

#[test]
fn as_long_as_no_node_is_chosen_existing_volumes_come_first() {
    let with_volume = |claim: Claim, more: fn(&mut Objects)| {
        served(claim, delayed(), move |objects| {
            objects.nodes.push(node("m1"));
            objects.csi_nodes.push(on_node("m1", CSI));
            objects.volumes.push(pinned(volume("v"), "m"));
            more(objects);
        })
    };
    let plain = with_volume(claim("c"), |_| {});
    assert_eq!(code(ask(&plain)), "VolumeFits");
    assert_eq!(code(ask_for(&plain, Some("m1"))), "VolumeFits");
    assert_eq!(chosen(ask_for(&plain, Some("n1"))).as_deref(), Some("n1"));
    // The pod that waits can go where the volume is: the scheduler takes it.
    let waiting = with_volume(claim("c"), |objects| objects.pods.push(pod("p", "c")));
    assert_eq!(code(ask(&waiting)), "VolumeFits");
    let elsewhere = with_volume(claim("c"), |objects| objects.pods.push(wants("n2")));
    assert_eq!(chosen(ask(&elsewhere)).as_deref(), Some("n2"));
    // R110: now only provisioning is tried.
    let pinned = with_volume(claim("c").annotated(SELECTED_NODE, "m1"), |_| {});
    assert!(matches!(ask(&pinned), Making::Delegated(_)));
}
