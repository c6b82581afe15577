//! A base directory belongs to one cluster: another one can neither create nor delete anything in it.

use super::*;

const OTHER: &str = "cluster-2";

fn open_as(scratch: &Scratch, cluster: &str) -> Backend {
    let text = format!("{PROVISIONER}=hostpath:{}", scratch.base().display());
    open_for(&text, cluster)
}

fn is_refused<T: std::fmt::Debug>(result: Result<T, StorageError>) {
    let error = result.unwrap_err();
    assert!(
        matches!(&error, StorageError::OtherCluster { stamp, ours, .. }
            if stamp.as_deref() == Some(CLUSTER) && ours == OTHER),
        "{error}"
    );
}

#[test]
fn another_cluster_changes_nothing() {
    let scratch = Scratch::new();
    let wanted = request("pvc-1", "u1");
    create(&open_as(&scratch, CLUSTER), &wanted).unwrap();
    fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
    let before = (names(&scratch.base()), names(&scratch.asset("pvc-1")));
    let theirs = open_as(&scratch, OTHER);
    let volume = scratch.volume("pvc-1");
    let deleter = theirs.deleter().unwrap().unwrap();
    is_refused(create(&theirs, &wanted));
    is_refused(create(&theirs, &request("pvc-2", "u2")));
    is_refused(delete(&theirs, &volume));
    is_refused(deleter.delete_empty(&volume, None));
    is_refused(deleter.delete_leaked("pvc-1", &wanted.owner, Contents::AreDeleted));
    is_refused(roll_back(&theirs, &wanted, None));
    is_refused(scrub(&theirs, &volume));
    let after = (names(&scratch.base()), names(&scratch.asset("pvc-1")));
    assert_eq!(before, after);
    // Nor a run that does not know its cluster.
    let text = format!("{PROVISIONER}=hostpath:{}", scratch.base().display());
    let unknown = Backend::open(Configuration::parse(&text).unwrap(), &settings()).unwrap();
    assert!(delete(&unknown, &volume).is_err());
    assert!(create(&unknown, &request("pvc-3", "u3")).is_err());
    assert!(scratch.asset("pvc-1/file").exists());
}

#[test]
fn a_directory_is_taken_over_from_the_owner_that_was_named() {
    let scratch = Scratch::new();
    let wanted = request("pvc-1", "u1");
    create(&open_as(&scratch, CLUSTER), &wanted).unwrap();
    let theirs = open_as(&scratch, OTHER);
    is_refused(theirs.take_over(None));
    is_refused(theirs.take_over(Some("cluster-3")));
    theirs.take_over(Some(CLUSTER)).unwrap();
    assert!(create(&theirs, &wanted).unwrap().adopted);
    assert!(create(&open_as(&scratch, CLUSTER), &wanted).is_err());
}

#[test]
fn the_first_of_two_clusters_gets_a_new_directory() {
    let scratch = Scratch::new();
    let created: Vec<bool> = std::thread::scope(|scope| {
        let run = |number: usize| {
            let cluster = if number.is_multiple_of(2) {
                CLUSTER
            } else {
                OTHER
            };
            let backend = open_as(&scratch, cluster);
            let wanted = request(&format!("pvc-{number}"), "u1");
            create(&backend, &wanted).is_ok()
        };
        let runs: Vec<_> = (0..8)
            .map(|number| scope.spawn(move || run(number)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let stamp = fs::read_to_string(scratch.asset(".kubectl-pv/cluster")).unwrap();
    for (number, is_created) in created.into_iter().enumerate() {
        let is_owner = (stamp == CLUSTER) == number.is_multiple_of(2);
        assert_eq!(is_created, is_owner, "{number}, {stamp}");
        assert_eq!(scratch.asset(&format!("pvc-{number}")).exists(), is_owner);
    }
}

#[test]
fn a_record_follows_its_volume() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let wanted = request("pvc-1", "u1");
    create(&backend, &wanted).unwrap();
    let stated = |policy: &str, size: &str| StatedVolume {
        policy: policy.to_owned(),
        size: size.to_owned(),
        class: "fast".to_owned(),
        access_modes: vec!["ReadWriteMany".to_owned()],
        node: Some("node-2".to_owned()),
    };
    let missing = AssetName::find("pvc-9").unwrap();
    let volumes = [
        (wanted.name.clone(), stated("Retain", "2Gi")),
        (missing, stated("Delete", "1Gi")),
    ];
    backend.refresh(&volumes).unwrap();
    let [found] = &leaked(&backend, &[])[..] else {
        panic!("one record");
    };
    assert_eq!(found.policy.as_deref(), Some("Retain"));
    assert_eq!(found.size.as_deref(), Some("2Gi"));
    assert_eq!(found.class.as_deref(), Some("fast"));
    assert_eq!(found.access_modes, ["ReadWriteMany"]);
    assert_eq!(found.node.as_deref(), Some("node-2"));
    assert_eq!(found.owner, Some(wanted.owner.clone()));
    assert_eq!(records(&scratch), ["pvc-1.json"]);
    assert!(create(&backend, &wanted).unwrap().adopted);
}
