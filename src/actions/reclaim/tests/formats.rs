//! What `reclaim` writes into volumes, pinned, and what v0.1.0 wrote, still understood. Every expected value is spelled by hand.

use super::*;

#[test]
fn the_lock_of_a_volume_that_is_emptied() {
    let yard = Yard::new();
    let plan = yard.plan(&one(yard.released(ReclaimPolicy::Recycle)));
    let lock = json!({
        "metadata": {
            "annotations": { "kubectl-pv.dev/recycling": "Recycle/7" },
            "uid": "uid-v", "resourceVersion": "7",
        },
        "spec": { "persistentVolumeReclaimPolicy": "Retain" },
    });
    assert_eq!(plan.changes[0].body(), lock);
    let source = format!("hostPath {}/v", yard.base.display());
    let pods = json!({ "until": "there is no such pod that has not finished", "forAWhile": true,
        "namespaces": ["default"], "mounts": source });
    assert_eq!(plan.changes[1].body(), pods);
    let seen =
        json!({ "until": "nobody has written it since it was locked", "resourceVersion": null });
    assert_eq!(plan.changes[2].body(), seen);
    let source = format!("hostPath {}/v", yard.base.display());
    let emptied = json!({ "provisioner": "example.com/scratch", "source": source });
    assert_eq!(plan.changes[3].body(), emptied);
    let unlock = json!({
        "metadata": {
            "annotations": { "kubectl-pv.dev/recycling": null },
            "uid": "uid-v", "resourceVersion": null,
        },
        "spec": {
            "persistentVolumeReclaimPolicy": "Recycle",
            "claimRef": null,
        },
    });
    assert_eq!(plan.changes[5].body(), unlock);
}

#[test]
fn the_lock_of_a_volume_that_is_deleted() {
    let yard = Yard::new();
    let plan = yard.plan(&one(yard.released(ReclaimPolicy::Delete)));
    let lock = json!({ "metadata": {
        "finalizers": ["kubernetes.io/pv-protection", "kubectl-pv.dev/asset"],
        "uid": "uid-v", "resourceVersion": "7",
    } });
    assert_eq!(plan.changes[0].body(), lock);
    let source = format!("hostPath {}/v", yard.base.display());
    let deleted = json!({ "provisioner": "example.com/scratch", "source": source });
    assert_eq!(plan.changes[2].body(), deleted);
}

#[test]
fn the_lock_that_names_a_pod() {
    let pod = own_pod("uid-pod", PodPhase::Running, true);
    let plan = plan_by_pod(&elsewhere(ReclaimPolicy::Retain, vec![pod]), &image());
    let annotations = json!({
        "kubectl-pv.dev/recycling": "Recycle/7",
        "kubectl-pv.dev/recycler-pod": "uid-pod",
    });
    assert_eq!(
        plan.changes[0].body()["metadata"]["annotations"],
        annotations
    );
    let waits: Vec<Value> = plan
        .changes
        .iter()
        .filter(|change| change.target.namespace.as_deref() == Some("kube-system"))
        .filter(|change| change.action() == Action::Wait)
        .map(Change::body)
        .collect();
    assert_eq!(
        waits,
        [json!({ "until": "it has ended", "uid": "uid-pod" })]
    );
    // The place the lock fills in is the same annotation.
    let plan = plan_by_pod(&elsewhere(ReclaimPolicy::Recycle, vec![]), &image());
    let filled = plan.changes[1].patch().fills.iter();
    let places: Vec<&str> = filled.map(|fill| fill.place).collect();
    assert!(places.contains(&"/metadata/annotations/kubectl-pv.dev~1recycler-pod"));
}

/// Marks of v0.1.0, with the run that wrote them and without.
#[test]
fn marks_of_v0_1_0_are_understood() {
    let yard = Yard::new();
    for mark in [
        "Recycle",
        "Recycle/6",
        "Recycle/6/0123456789abcdef",
        "Delete/6/0123456789abcdef",
    ] {
        let volume = yard.released(ReclaimPolicy::Retain);
        let locked = volume.annotated("kubectl-pv.dev/recycling", mark);
        let plan = yard.plan(&one(locked));
        assert_eq!(steps(&plan), RECYCLED, "{mark}");
        let before = mark.split('/').next().unwrap();
        let unlocked = &plan.changes[5].body()["spec"]["persistentVolumeReclaimPolicy"];
        assert_eq!(*unlocked, before, "{mark}");
    }
}

/// A pod as v0.1.0 named it, for volume `v` of [`elsewhere`].
fn pod_of_v0_1_0(name: &str, uid: &str) -> Pod {
    let mut pod = pod(name, "x");
    pod.key.namespace = "kube-system".to_owned();
    pod.volumes.clear();
    pod.uid = Some(uid.to_owned());
    pod.wishes.gates = vec!["kubectl-pv.dev/volume-locked".to_owned()];
    pod
}

#[test]
fn recycler_pods_of_v0_1_0_are_continued_or_deleted() {
    const FOR_BUSYBOX: &str = "pv-recycler-8a6b5525215f0782-53def511";
    const FOR_ALPINE: &str = "pv-recycler-8a6b5525215f0782-e3bb7656";
    let begun = |pod| plan_by_pod(&elsewhere(ReclaimPolicy::Retain, vec![pod]), &image());
    // Behind its gate, and named by the volume: it is not created again.
    let plan = begun(pod_of_v0_1_0(FOR_BUSYBOX, "uid-pod"));
    assert_eq!(pod_steps(&plan), BY_POD[1..]);
    // Behind its gate, and not named: its creation finds it.
    let plan = begun(pod_of_v0_1_0(FOR_BUSYBOX, "uid-other"));
    assert_eq!(pod_steps(&plan), BY_POD);
    assert_eq!(plan.changes[0].target.name, FOR_BUSYBOX);
    // Of another image: it is deleted first.
    let plan = begun(pod_of_v0_1_0(FOR_ALPINE, "uid-pod"));
    assert_eq!(steps(&plan)[0], format!("Delete Pod {FOR_ALPINE}"));
    assert_eq!(plan.changes[1].body()["until"], "it is gone");
    assert_eq!(pod_steps(&plan)[2..], BY_POD);
}
