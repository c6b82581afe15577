//! The problems people really have, as ranked in the project's survey of reports: each as a small cluster in
//! `clusters/problems/`, asked about as its owner would. The main cause must be the real one, the facts of a good answer
//! must be in the text, and the first three lines must already say what is wrong and what to do.
//!
//! Left for commands that are yet to come:
//! - 16 and 23, finding all unreachable and orphaned things with how sure that is, and deleting them: `cleanup`. What
//!   `explain` and `status` can say of one of them is tested here.
//! - 1, 17 and 24, `reclaim --reuse`, `--set-policy` for many at once: `reclaim`. Here the commands are kubectl's own.
//! - 29, moving a claim to another name, and 30, a recycler pod that never starts: writing commands, and a pod that cannot
//!   be told from any other. They are not of the ranked ones.

use crate::support::kubectl_pv;
use insta::assert_snapshot;
use serde_json::Value;

/// A question and what must be in its answer.
struct Asked {
    name: &'static str,
    arguments: &'static [&'static str],
    file: &'static str,
    /// The verdict, where there is one, and the code of the main cause.
    main: (&'static str, &'static str),
    /// In the first three lines: what is wrong, and what to do.
    first: &'static [&'static str],
    /// Anywhere.
    facts: &'static [&'static str],
}

impl Asked {
    fn check(&self) {
        let file = format!("problems/{}", self.file);
        let arguments = [self.arguments, &["-f", &file]].concat();
        let json = kubectl_pv(&[&arguments[..], &["-o", "json"]].concat()).json();
        let verdict = json["verdict"].as_str().unwrap_or("");
        let code = json["causes"][0]["code"].as_str().unwrap_or("");
        assert_eq!((verdict, code), self.main, "{}", self.name);
        let shown = kubectl_pv(&arguments).shown();
        let lines = shown.lines().filter(|line| !line.trim().is_empty());
        let first: Vec<&str> = lines.take(3).collect();
        for fact in self.first {
            let found = first.iter().any(|line| line.contains(fact));
            assert!(found, "{}: first lines lack {fact}\n{shown}", self.name);
        }
        for fact in self.facts {
            assert!(shown.contains(fact), "{}: lacks {fact}\n{shown}", self.name);
        }
        assert_snapshot!(self.name, shown);
    }
}

fn check(all: &[Asked]) {
    all.iter().for_each(Asked::check);
}

/// The report of a command, as scripts get it.
fn json(arguments: &[&str]) -> Value {
    kubectl_pv(&[arguments, &["-o", "json"]].concat()).json()
}

#[test]
fn p01_a_released_volume_still_belongs_to_the_claim_before() {
    const FILE: &str = "01-released-volume.yaml";
    const GIVE: &str = "kubectl pv reclaim pv-orders --reuse --for shop/orders";
    check(&[
        Asked {
            name: "01_claim",
            arguments: &["explain", "orders", "-n", "shop"],
            file: FILE,
            main: ("Blocked", "NoVolumeFits"),
            first: &[
                "pv-orders",
                "an earlier shop/orders",
                "uid 7c1f0d6e",
                "uid 9f2ea7b4",
                GIVE,
            ],
            facts: &[
                "ReservedForDeletedClaim",
                "Reuse pv-orders, with the data of the deleted claim",
                // Not the class, which the event blames.
                "which matters only for making a new volume",
            ],
        },
        Asked {
            name: "01_named",
            arguments: &["explain", "ledger", "-n", "shop"],
            file: FILE,
            main: ("Blocked", "NamedVolumeTaken"),
            first: &[
                "pv-ledger",
                "an earlier shop/ledger",
                "kubectl pv reclaim pv-ledger --reuse --for shop/ledger",
            ],
            facts: &[
                "uid 7c1f0d6e",
                "uid 9f2ea7b4",
                r#"volume "pv-ledger" already bound to a different claim."#,
            ],
        },
        Asked {
            name: "01_volume",
            arguments: &["explain", "pv/pv-orders"],
            file: FILE,
            main: ("", "PolicyRetain"),
            first: &[
                "Released",
                "shop/orders",
                "data is still there (policy Retain)",
                GIVE,
            ],
            facts: &[
                "Released since 2026-03-01T10:00:00Z",
                "by uid: shop/orders",
                "a new claim of that name is another one",
                "without the uid (checked: it takes it)",
                "no claimRef at all",
            ],
        },
    ]);
    let volume = json(&[
        "explain",
        "pv/pv-orders",
        "-f",
        "problems/01-released-volume.yaml",
    ]);
    assert_eq!(volume["claimRef"]["state"], "Uid");
    assert_eq!(volume["claimRef"]["claimExists"], false);
}

#[test]
fn p02_an_empty_class_is_a_choice() {
    check(&[Asked {
        name: "02_claim",
        arguments: &["explain", "opensearch-data", "-n", "search"],
        file: "02-empty-class.yaml",
        main: ("Blocked", "ClassExplicitlyEmpty"),
        first: &[
            r#"its class is set to """#,
            "without storageClassName",
            "kubectl replace --force",
        ],
        facts: &[
            "default class gp3",
            "only volumes without a class count",
            "the field cannot be changed",
        ],
    }]);
}

#[test]
fn p03_every_volume_says_all_that_is_against_it() {
    check(&[Asked {
        name: "03_claim",
        arguments: &["explain", "shared", "-n", "web"],
        file: "03-none-matches.yaml",
        main: ("Blocked", "NoVolumeFits"),
        first: &[
            "none of 4 volumes fits",
            "pv-c: 10G is 703 MiB less than 10Gi",
            "Recreate the claim with 10G, which pv-c offers",
        ],
        facts: &[
            "AccessModesMissing: no ReadWriteMany",
            "SelectorMismatch: wants tier=gold, has tier=silver",
            "TooSmall: 5Gi is 5 GiB less than 10Gi · SelectorMismatch: lacks tier=gold · AccessModesMissing: no ReadWriteMany",
            "Offer pv-b: add ReadWriteMany, if its storage supports it. It may hold data: check nfs nfs.example.com:/b first",
        ],
    }]);
}

#[test]
fn p04_claim_and_pod_point_at_each_other() {
    const FILE: &str = "04-static-wait-for-consumer.yaml";
    check(&[
        Asked {
            name: "04_pod",
            arguments: &["explain", "pod/web-0", "-n", "prod"],
            file: FILE,
            main: ("Unschedulable", "NoFeasibleNode"),
            first: &[
                "local-pv-3",
                "Block, not Filesystem",
                "class local makes none",
                "volumeMode Block",
            ],
            facts: &[
                "node-1   ✗ local-pv-3",
                "node-2   ✗ no volume of class local",
                "2 node(s) didn't find available persistent volumes to bind",
            ],
        },
        Asked {
            name: "04_claim",
            arguments: &["explain", "data-web-0", "-n", "prod"],
            file: FILE,
            main: ("Blocked", "NoFeasibleNode"),
            first: &[
                "pod web-0",
                "Block, not Filesystem",
                "class local makes none",
                "volumeMode Block",
            ],
            facts: &[
                "VolumeModeMismatch",
                "waiting for pod web-0 to be scheduled",
            ],
        },
    ]);
}

#[test]
fn p05_the_missing_class_is_not_the_problem() {
    check(&[Asked {
        name: "05_claim",
        arguments: &["explain", "task-pv-claim"],
        file: "05-class-not-found.yaml",
        main: ("Blocked", "NoVolumeFits"),
        first: &[
            "task-pv-volume",
            "held by default/old",
            "another volume of class manual",
        ],
        facts: &[
            "which matters only for making a new volume",
            "matched by its name alone: creating it helps only if it has a provisioner",
            r#"storageclass.storage.k8s.io "manual" not found"#,
        ],
    }]);
}

#[test]
fn p06_the_default_class_is_put_in() {
    const FILE: &str = "06-default-injected.yaml";
    check(&[
        Asked {
            name: "06_named",
            arguments: &["explain", "s3-claim"],
            file: FILE,
            main: ("Blocked", "NamedVolumeMismatch"),
            first: &[
                "static-pv",
                "it has no class, not gp3, the default",
                r#"storageClassName: """#,
            ],
            facts: &[
                "class gp3 (the default, put in when it is created)",
                r#"Cannot bind to requested volume "static-pv": storageClassName does not match"#,
            ],
        },
        Asked {
            name: "06_unnamed",
            // The other claim names the volume, which is then not suggested to this one.
            arguments: &["explain", "unnamed", "--without", "pvc/s3-claim"],
            file: FILE,
            main: ("WillProvision", "DefaultClassApplied"),
            first: &[
                "will get a new volume",
                "class gp3",
                "static-pv",
                r#"storageClassName: """#,
            ],
            facts: &[
                "is the default, put in when it is created",
                "static-pv would fit, but has no class",
            ],
        },
    ]);
}

#[test]
fn p07_nobody_is_there_to_provision() {
    check(&[Asked {
        name: "07_claim",
        arguments: &["explain", "data", "-n", "prod"],
        file: "07-nobody-provisions.yaml",
        main: ("Blocked", "ProvisionerNotRegistered"),
        first: &[
            "provisioner ebs.csi.aws.com is not there",
            "registered drivers: ebs.csi.aws.com.example",
        ],
        facts: &[
            "no CSIDriver, no CSINode entry, no volume made by it, no event of it",
            "spare    5Gi    RWO     gp2     TooSmall",
        ],
    }]);
}

#[test]
fn p08_waiting_for_a_pod_is_normal() {
    check(&[Asked {
        name: "08_claim",
        arguments: &["explain", "data-web-0", "-n", "prod"],
        file: "08-no-consumer.yaml",
        main: ("Waiting", "NoConsumer"),
        first: &[
            "waits for a pod",
            "Nothing is wrong",
            "StatefulSet web (ordinal 0), which has 0 replicas",
        ],
        facts: &["node-2   would get local-pv-7", "[exit 5]"],
    }]);
}

#[test]
fn p09_a_pod_with_a_node_name_bypasses_the_scheduler() {
    const FILE: &str = "09-node-name.yaml";
    const INSTEAD: &str = "nodeSelector kubernetes.io/hostname: node-1";
    check(&[
        Asked {
            name: "09_claim",
            arguments: &["explain", "data"],
            file: FILE,
            main: ("Blocked", "ConsumerBypassesScheduler"),
            first: &["pod sample", "spec.nodeName", INSTEAD],
            facts: &["waiting for first consumer to be created before binding"],
        },
        Asked {
            name: "09_pod",
            arguments: &["explain", "pod/sample"],
            file: FILE,
            main: ("Scheduled", "ConsumerBypassesScheduler"),
            first: &["cannot start", "spec.nodeName", INSTEAD],
            facts: &[],
        },
    ]);
}

#[test]
fn p10_a_bound_volume_is_pinned_elsewhere() {
    const FILE: &str = "10-zone-conflict.yaml";
    check(&[
        Asked {
            name: "10_pod",
            arguments: &["explain", "pod/db-0", "-n", "prod"],
            file: FILE,
            main: ("Unschedulable", "NoFeasibleNode"),
            first: &[
                "pv-9",
                "topology.ebs.csi.aws.com/zone=us-east-1a",
                "ip-10-0-8-8 has topology.kubernetes.io/zone=us-east-1a",
                "the key differs",
                "node plugin of ebs.csi.aws.com",
            ],
            facts: &["2 node(s) didn't match PersistentVolume's node affinity"],
        },
        Asked {
            name: "10_legacy_label",
            arguments: &["explain", "pod/archive-0", "-n", "prod"],
            file: FILE,
            main: ("Unschedulable", "NoFeasibleNode"),
            first: &[
                "pv-old",
                "failure-domain.beta.kubernetes.io/zone=us-east-1c",
                "A node in us-east-1c is needed",
            ],
            facts: &[
                "the node in us-east-1a",
                "2 node(s) had no available volume zone",
            ],
        },
    ]);
}

#[test]
fn p11_two_default_classes() {
    check(&[Asked {
        name: "11_claim",
        arguments: &["explain", "data"],
        file: "11-two-defaults.yaml",
        main: ("WillProvision", "SeveralDefaultClasses"),
        first: &[
            "class gp2-encrypted",
            "gp2-encrypted (created 2024-06-01T00:00:00Z) and gp2 (created 2023-01-02T00:00:00Z)",
            "the one created last counts, whichever was marked last",
            "name a class in the claim",
        ],
        facts: &[],
    }]);
    let status = kubectl_pv(&["status", "-f", "problems/11-two-defaults.yaml"]).ran();
    assert!(
        status.stdout.contains("SeveralDefaultClasses"),
        "{}",
        status.stdout
    );
}

#[test]
fn p12_a_claim_that_is_terminating() {
    check(&[Asked {
        name: "12_claim",
        arguments: &["explain", "scratch", "-n", "batch"],
        file: "12-claim-terminating.yaml",
        main: ("Bound", "ClaimTerminating"),
        first: &[
            "Terminating",
            "2026-03-04T07:00:00Z",
            "kubernetes.io/pvc-protection",
            "report-x7k2p of Job report (finished)",
            "its data with it",
            "kubectl delete pod -n batch report-x7k2p",
        ],
        facts: &[
            "do not strip the finalizer",
            "with policy Delete destroys the data",
            "kubectl pv reclaim pvc-c0de --set-policy Retain",
        ],
    }]);
}

#[test]
fn p13_which_volume_it_gets() {
    const FILE: &str = "13-which-volume.yaml";
    check(&[
        Asked {
            name: "13_tie",
            arguments: &["explain", "data"],
            file: FILE,
            main: ("WillBind", ""),
            first: &[
                "pv-1, pv-2 or pv-3",
                "equal",
                "takes any of them",
                "kubectl pv bind data -n default --volume pv-1",
            ],
            facts: &[],
        },
        Asked {
            name: "13_fewest_modes",
            arguments: &["explain", "logs"],
            file: FILE,
            main: ("WillBind", ""),
            first: &[
                "pv-big (1Ti",
                "fewest access modes",
                "kubectl pv bind logs -n default --volume pv-fits",
            ],
            facts: &["pv-fits   10Gi   RWO,RWX   mixed    MoreModesThanChosen"],
        },
    ]);
    let tie = json(&["explain", "data", "-f", "problems/13-which-volume.yaml"]);
    assert_eq!(tie["outcomes"], serde_json::json!(["pv-1", "pv-2", "pv-3"]));
}

#[test]
fn p14_lost_and_misbound_after_a_restore() {
    const FILE: &str = "14-lost-after-restore.yaml";
    check(&[
        Asked {
            name: "14_stale_uid",
            arguments: &["explain", "wiki", "-n", "apps"],
            file: FILE,
            main: ("Lost", "VolumeMisbound"),
            first: &[
                "e2222222-0000-4222-8222-00000000dead",
                "e2222222-2222-4222-8222-000000000001",
                "kubectl patch pv pvc-wiki",
            ],
            facts: &[
                "the data is probably intact",
                "csi ebs.csi.aws.com vol-0ab",
                "Lost is not final",
            ],
        },
        Asked {
            name: "14_volume_gone",
            arguments: &["explain", "mail", "-n", "apps"],
            file: FILE,
            main: ("Lost", "VolumeLost"),
            first: &[
                "pvc-mail does not exist",
                "the data may still be on the storage",
                "a volume named pvc-mail with no claimRef, or with this claim's uid, makes it Bound again",
            ],
            facts: &["Data on the volume is lost!"],
        },
        Asked {
            name: "14_name_forgotten",
            arguments: &["explain", "forgot", "-n", "apps"],
            file: FILE,
            main: ("Lost", "VolumeLost"),
            first: &[
                "no longer says to which volume",
                "spec.volumeName",
                "Lost is not final",
            ],
            facts: &[],
        },
        Asked {
            name: "14_somebody_elses",
            arguments: &["explain", "chat", "-n", "apps"],
            file: FILE,
            main: ("Lost", "VolumeMisbound"),
            first: &[
                "pvc-chat belongs to apps/chat-2",
                "vol-0cd",
                "Lost is not final",
            ],
            facts: &[],
        },
    ]);
}

#[test]
fn p15_the_selected_node_is_gone() {
    const FILE: &str = "15-selected-node-gone.yaml";
    const FORGET: &str = "kubectl annotate pvc data -n prod volume.kubernetes.io/selected-node-";
    check(&[
        Asked {
            name: "15_claim",
            arguments: &["explain", "data", "-n", "prod"],
            file: FILE,
            main: ("Blocked", "SelectedNodeMissing"),
            first: &["node ip-10-0-92-212, which does not exist", FORGET],
            facts: &["ExternalProvisioning"],
        },
        Asked {
            name: "15_pod",
            arguments: &["explain", "pod/db-0", "-n", "prod"],
            file: FILE,
            main: ("Unschedulable", "NoFeasibleNode"),
            first: &[
                "claim data",
                "node ip-10-0-92-212, which does not exist",
                FORGET,
            ],
            facts: &["didn't find available persistent volumes to bind"],
        },
    ]);
}

#[test]
fn p16_the_node_of_a_local_volume_is_gone() {
    const FILE: &str = "16-node-gone.yaml";
    check(&[
        Asked {
            name: "16_volume",
            arguments: &["explain", "pv/pv-3"],
            file: FILE,
            main: ("", "NodeAffinityMismatch"),
            first: &[
                "pv-3",
                "none has kubernetes.io/hostname=rounak",
                "bound to app/data",
                "policy Retain",
            ],
            facts: &[
                "pod app-0 (not on a node yet)",
                "out of reach until one does",
                "labels are compared, not names of nodes",
            ],
        },
        Asked {
            name: "16_claim",
            arguments: &["explain", "cache", "-n", "app"],
            file: FILE,
            main: ("Bound", "NodeAffinityMismatch"),
            first: &[
                "pv-4",
                "node anna is there, but has kubernetes.io/hostname=anna.example.com",
                "Labels are compared, not names of nodes",
            ],
            facts: &[],
        },
        Asked {
            name: "16_pod",
            arguments: &["explain", "pod/app-0", "-n", "app"],
            file: FILE,
            main: ("Unschedulable", "NoFeasibleNode"),
            first: &[
                "pv-3 of claim data",
                "kubernetes.io/hostname=rounak, and no node is",
                "until a node with that label is back",
            ],
            facts: &[],
        },
    ]);
    let status = kubectl_pv(&["status", "-f", "problems/16-node-gone.yaml"]).shown();
    for fact in [
        "pv-3              Unreachable",
        "hostname=rounak",
        "app/data holds it",
        "node anna is there, but has",
    ] {
        assert!(status.contains(fact), "{fact}\n{status}");
    }
    assert_snapshot!("16_status", status);
}

#[test]
fn p17_delete_on_a_volume_nobody_made() {
    const FILE: &str = "17-delete-a-static-volume.yaml";
    check(&[
        Asked {
            name: "17_before",
            arguments: &["explain", "pv/pv-x"],
            file: FILE,
            main: ("", "NoDeleter"),
            first: &[
                "When prod/data is deleted, it ends Failed",
                "policy Delete",
                "no provisioner made it",
                "local volumes",
                "kubectl pv reclaim pv-x --set-policy Retain",
            ],
            facts: &[],
        },
        Asked {
            name: "17_after",
            arguments: &["explain", "pv/pv-y"],
            file: FILE,
            main: ("", "NoDeleter"),
            first: &[
                "is Failed",
                "no provisioner made it",
                "data is untouched",
                "kubectl pv reclaim pv-y --set-policy Retain",
            ],
            facts: &[
                "no deletable volume plugin matched",
                "kubectl delete pv pv-y",
            ],
        },
    ]);
    let volume = json(&[
        "explain",
        "pv/pv-x",
        "-f",
        "problems/17-delete-a-static-volume.yaml",
    ]);
    assert_eq!(volume["onClaimDeletion"]["result"], "Failed");
    let status = kubectl_pv(&["status", "-f", "problems/17-delete-a-static-volume.yaml"]).ran();
    assert!(
        status.stdout.contains("pv-x              NotDeletable"),
        "{}",
        status.stdout
    );
}

#[test]
fn p18_a_leftover_attachment_holds_a_volume() {
    check(&[Asked {
        name: "18_volume",
        arguments: &["explain", "pv/pv-18"],
        file: "18-held-by-attachment.yaml",
        main: ("", "HeldByFinalizer"),
        first: &[
            "is being deleted",
            "external-attacher/ebs-csi-aws-com",
            "node ip-10-99-9-171, which is gone",
            "kubectl delete volumeattachment csi-9f0c",
        ],
        facts: &[
            "external-provisioner.volume.kubernetes.io/finalizer (ebs.csi.aws.com): until ebs.csi.aws.com has deleted its storage",
            "VolumeAttachment csi-9f0c (node ip-10-99-9-171, which is gone)",
            "is still attached to node ip-10-99-9-171",
            "do not strip the finalizers",
        ],
    }]);
}

#[test]
fn p19_immediate_binding_of_storage_that_needs_a_node() {
    const FILE: &str = "19-immediate-but-node-bound.yaml";
    check(&[
        Asked {
            name: "19_no_provisioner",
            arguments: &["explain", "metering"],
            file: FILE,
            main: ("Blocked", "ClassDoesNotProvision"),
            first: &[
                "class local makes none",
                "WaitForFirstConsumer",
                "cannot be edited",
            ],
            facts: &["no volume plugin matched name: kubernetes.io/no-provisioner"],
        },
        Asked {
            name: "19_local_path",
            arguments: &["explain", "data"],
            file: FILE,
            main: ("Blocked", "ProvisioningFailed"),
            first: &[
                "no node was specified",
                "lass local-path binds at once (Immediate)",
                "WaitForFirstConsumer",
                "cannot be edited",
            ],
            facts: &[],
        },
    ]);
}

#[test]
fn p20_a_selector_with_a_class_that_provisions() {
    check(&[Asked {
        name: "20_claim",
        arguments: &["explain", "registry"],
        file: "20-selector-with-dynamic-class.yaml",
        main: ("Blocked", "SelectorNotProvisionable"),
        first: &[
            "pv-7",
            "it has no class, not vsphere-sc",
            "makes none for claims with a selector",
            r#"storageClassName: """#,
            "kubectl replace --force",
        ],
        facts: &["vsphere-sc is the default, put in when it is created"],
    }]);
}

#[test]
fn p21_a_driver_that_publishes_no_capacity_counts_as_full() {
    const FILE: &str = "21-no-capacity-objects.yaml";
    check(&[
        Asked {
            name: "21_none_published",
            arguments: &["explain", "pod/zfs-0", "-n", "prod"],
            file: FILE,
            main: ("Unschedulable", "NoFeasibleNode"),
            first: &[
                "no CSIStorageCapacity of class zfs",
                "storageCapacity: true",
                "counts as full",
                "--enable-capacity",
            ],
            facts: &["2 node(s) did not have enough free storage"],
        },
        Asked {
            name: "21_too_small",
            arguments: &["explain", "pod/lvm-0", "-n", "prod"],
            file: FILE,
            main: ("Unschedulable", "NoFeasibleNode"),
            first: &[
                "maximumVolumeSize) is 4Gi of 8Gi free, 10Gi is asked for",
                "4Gi or less",
            ],
            facts: &["node-2   ✗ the driver has free there 2Gi"],
        },
        Asked {
            name: "21_claim",
            arguments: &["explain", "zdata", "-n", "prod"],
            file: FILE,
            main: ("Blocked", "NoFeasibleNode"),
            first: &[
                "pod zfs-0",
                "no CSIStorageCapacity of class zfs",
                "--enable-capacity",
            ],
            facts: &[],
        },
    ]);
}

#[test]
fn p23_claims_without_a_pod_and_whose_they_are() {
    const FILE: &str = "23-orphans.yaml";
    let all = [
        (
            "data-web-2",
            "left by StatefulSet web, which has 2 replicas and would use it again as ordinal 2 (whenScaled Retain)",
        ),
        ("thanos", "CronJob thanos-compact names it"),
        ("left", "no running pod"),
    ];
    for (claim, whose) in all {
        let shown = kubectl_pv(&[
            "explain",
            claim,
            "-n",
            "prod",
            "-f",
            &format!("problems/{FILE}"),
        ])
        .shown();
        assert!(shown.contains(whose), "{whose}\n{shown}");
        assert!(shown.contains("destroys the data"), "{shown}");
        assert_snapshot!(format!("23_{claim}"), shown);
    }
    let left = json(&[
        "explain",
        "left",
        "-n",
        "prod",
        "-f",
        &format!("problems/{FILE}"),
    ]);
    assert!(left["story"].get("keptFor").is_none(), "{left}");
}

#[test]
fn p24_the_policy_of_the_volume_counts_and_not_the_class() {
    const FILE: &str = "24-reclaim-surprise.yaml";
    check(&[
        Asked {
            name: "24_volume",
            arguments: &["explain", "pv/pvc-next"],
            file: FILE,
            main: ("", "ClaimExists"),
            first: &[
                "When cloud/nextcloud is deleted, ebs.csi.aws.com deletes it, with its data (policy Delete)",
                "class gp3 says Retain, which counts only for volumes it makes from now on",
                "kubectl pv reclaim pvc-next --set-policy Retain",
            ],
            facts: &[],
        },
        Asked {
            name: "24_claim",
            arguments: &["explain", "nextcloud", "-n", "cloud"],
            file: FILE,
            main: ("Bound", ""),
            first: &["pvc-next"],
            facts: &["with policy Delete destroys the data (class gp3 says Retain"],
        },
    ]);
    let all = kubectl_pv(&["explain", "pv", "-f", "problems/24-reclaim-surprise.yaml"]).ran();
    assert!(
        all.stdout.contains("deletes it, with its data"),
        "{}",
        all.stdout
    );
}

#[test]
fn p25_the_named_volume_is_not_there() {
    const FILE: &str = "25-named-volume-missing.yaml";
    check(&[
        Asked {
            name: "25_claim",
            arguments: &["explain", "data", "-n", "prod"],
            file: FILE,
            main: ("Blocked", "NamedVolumeNotFound"),
            first: &[
                "pvc-5d3, which does not exist",
                "waits for it silently and makes no other",
                "Reuse pvc-5d3d491e, with the data of the deleted claim",
                "kubectl replace --force",
            ],
            facts: &[
                "kubectl pv reclaim pvc-5d3d491e --reuse --for prod/data",
                "pvc-5d3d491e (Released)",
                "volumeName cannot be changed",
                "create that volume",
            ],
        },
        Asked {
            name: "25_pod",
            arguments: &["explain", "pod/db-0", "-n", "prod"],
            file: FILE,
            main: ("Unschedulable", "UnboundImmediateClaims"),
            first: &[
                "data",
                "pvc-5d3, which does not exist",
                "Reuse pvc-5d3d491e",
            ],
            facts: &[
                "pod has unbound immediate PersistentVolumeClaims",
                "kubectl pv explain data -n prod",
            ],
        },
    ]);
}

#[test]
fn p26_volumes_of_one_pod_in_different_zones() {
    check(&[Asked {
        name: "26_pod",
        arguments: &["explain", "pod/nifi-0", "-n", "nifi"],
        file: "26-different-zones.yaml",
        main: ("Unschedulable", "NoFeasibleNode"),
        first: &[
            "pvc-content is where topology.kubernetes.io/zone=a",
            "pvc-logs is where topology.kubernetes.io/zone=b",
            "WaitForFirstConsumer",
        ],
        facts: &["2 node(s) didn't match PersistentVolume's node affinity"],
    }]);
}

#[test]
fn p27_a_volume_is_attached_to_another_node() {
    check(&[Asked {
        name: "27_pod",
        arguments: &["explain", "pod/web-new", "-n", "prod"],
        file: "27-multi-attach.yaml",
        main: ("Scheduled", "AttachedElsewhere"),
        first: &[
            "pvc-27 is attached to node node-1",
            "pod web-old",
            "strategy Recreate",
        ],
        facts: &["Multi-Attach error"],
    }]);
}

#[test]
fn p28_a_class_that_does_not_allow_growth() {
    check(&[Asked {
        name: "28_claim",
        arguments: &["explain", "data", "-n", "prod"],
        file: "28-resize-not-allowed.yaml",
        main: ("Bound", "ExpansionNotAllowed"),
        first: &[
            "asks for 20Gi, holds 10Gi",
            "class gp2 does not allow",
            "allowVolumeExpansion: true",
        ],
        facts: &[],
    }]);
}

#[test]
fn p31_match_fields_of_a_volume_are_ignored() {
    const FILE: &str = "problems/31-match-fields.yaml";
    let pod = json(&["explain", "pod/db-0", "-f", FILE]);
    assert_eq!(pod["verdict"], "Schedulable");
    let feasible: Vec<&Value> = pod["nodes"].as_array().unwrap().iter().collect();
    assert!(
        feasible.len() == 2 && feasible.iter().all(|node| node["feasible"] == true),
        "{pod}"
    );
    let volume = kubectl_pv(&["explain", "pv/pv-fields", "-f", FILE]).shown();
    assert!(
        volume.contains("matchFields of a volume are ignored"),
        "{volume}"
    );
    assert_snapshot!("31_volume", volume);
}

#[test]
fn p32_a_quota_refuses_the_claim() {
    check(&[Asked {
        name: "32_claim",
        arguments: &["explain", "data", "-n", "prod"],
        file: "32-quota.yaml",
        main: ("Rejected", "QuotaExceeded"),
        first: &[
            "requested: requests.storage=10Gi, used: requests.storage=95Gi, limited: requests.storage=100Gi",
            "have the quota raised",
        ],
        facts: &[],
    }]);
}

#[test]
fn p33_the_snapshot_is_not_ready() {
    check(&[Asked {
        name: "33_claim",
        arguments: &["explain", "restored", "-n", "prod"],
        file: "33-snapshot-not-ready.yaml",
        main: ("Blocked", "DataSourceNotReady"),
        first: &[
            "VolumeSnapshot nightly",
            "rate limited",
            "when that is ready",
        ],
        facts: &[],
    }]);
}

/// What helps is not only said: laid over the cluster, it leads to what is promised.
#[test]
fn what_the_answers_advise_settles_them() {
    let settled = |file: &str, with: &str, claim: &str, namespace: &str| {
        let plan = kubectl_pv(&[
            "plan",
            "-f",
            &format!("problems/{file}"),
            "--with",
            "-",
            "-o",
            "json",
        ])
        .stdin(with)
        .json();
        let claims = plan["claims"].as_array().unwrap().clone();
        let found = claims
            .into_iter()
            .find(|it| it["name"] == claim && it["namespace"] == namespace);
        found
            .map(|it| (it["verdict"].clone(), it["outcomes"].clone()))
            .unwrap()
    };
    let released = include_str!("clusters/problems/01-released-volume.yaml");
    let volume = released.split("\n---\n").next().unwrap();
    let kept_by_name = volume
        .replace("    uid: 7c1f0d6e-52a4-4c0e-8b1b-3f5d0c9be111\n", "")
        .replace("phase: Released", "phase: Available");
    assert_ne!(volume, kept_by_name);
    assert_eq!(
        settled("01-released-volume.yaml", &kept_by_name, "orders", "shop"),
        (Value::from("WillBind"), Value::from(vec!["pv-orders"]))
    );
    let without_default = "
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: unnamed, namespace: default}
spec: {accessModes: [ReadWriteMany], storageClassName: '', resources: {requests: {storage: 1200Gi}}}
";
    assert_eq!(
        settled(
            "06-default-injected.yaml",
            without_default,
            "unnamed",
            "default"
        ),
        (Value::from("WillBind"), Value::from(vec!["static-pv"]))
    );
    let class_alone = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: manual}
provisioner: kubernetes.io/no-provisioner
";
    assert_eq!(
        settled(
            "05-class-not-found.yaml",
            class_alone,
            "task-pv-claim",
            "default"
        )
        .0,
        "Blocked",
        "creating the class does not help"
    );
}

#[test]
fn misspelt_parameters_are_found_before_anything_is_made() {
    let file = "problems/22-misspelt-parameters.yaml";
    let report = json(&["validate", "--offline", "-f", file]);
    let findings = report["findings"].as_array().unwrap().iter();
    let found: Vec<(&str, &str, &str)> = findings
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap_or("");
            (text("code"), text("field"), text("hint"))
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                "ParameterUnknown",
                "parameters.troughput",
                "did you mean throughput?"
            ),
            (
                "ParameterUnknown",
                "parameters.csi.storage.k8s.io/fstype:",
                "did you mean csi.storage.k8s.io/fstype?"
            ),
            ("ParameterValueInvalid", "parameters.numberOfReplicas", ""),
        ]
    );
    assert_snapshot!(
        "misspelt_parameters",
        kubectl_pv(&["validate", "--offline", "-f", file]).shown()
    );
}
