//! What is made, for whom, and what is not.

use super::*;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::thread;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_directory_for_a_claim() {
    let scratch = Scratch::new();
    let asset = create(&scratch.hostpath(), &request("pvc-1", "u1")).unwrap();
    let path = scratch.asset("pvc-1");
    assert_eq!(
        asset.source,
        json!({"hostPath": {"path": path, "type": "Directory"}})
    );
    assert_eq!(asset.capacity.as_str(), "1Gi");
    assert_eq!(
        (asset.adopted, asset.node.as_deref()),
        (false, Some("node-1"))
    );
    assert_eq!(
        asset.labels,
        set(&[("kubernetes.io/hostname", "node-1.example")])
    );
    assert_eq!(mode(&path), 0o750);
    assert_eq!(mode(&scratch.asset(".kubectl-pv")), 0o700);
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "pvc-1"]);
    let record = fs::read_to_string(scratch.asset(".kubectl-pv/pvc-1.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["owner"]["claim"]["uid"], "u1");
    assert_eq!(records(&scratch), ["pvc-1.json"]);
}

#[test]
fn a_directory_of_an_export() {
    let scratch = Scratch::new();
    let backend = scratch.nfs();
    let mut wanted = request("pvc-1", "u1");
    wanted.access_modes = AccessModes::of_names(["ReadWriteMany"]);
    wanted.node = None;
    let asset = create(&backend, &wanted).unwrap();
    assert_eq!(
        asset.source,
        json!({"nfs": {"server": "filer", "path": "/export/pvc-1"}})
    );
    assert_eq!(asset.node, None);
    assert!(scratch.asset("pvc-1").is_dir());
    assert!(backend.warning().unwrap().contains("is not an NFS mount"));
    assert!(scratch.hostpath().warning().is_none());
    let volume = VolumeAsset {
        volume: "v".to_owned(),
        source: asset.source,
    };
    fs::write(scratch.asset("pvc-1/file"), "").unwrap();
    scrub(&backend, &volume).unwrap();
    assert!(names(&scratch.asset("pvc-1")).is_empty());
    assert_eq!(leaked(&backend, &[])[0].asset.source, volume.source);
    assert_eq!(delete(&backend, &volume).unwrap(), Deleted::Removed);
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
}

#[test]
fn twice_is_once() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let first = create(&backend, &request("pvc-1", "u1")).unwrap();
    let second = create(&backend, &request("pvc-1", "u1")).unwrap();
    assert!(second.adopted);
    assert_eq!(first.source, second.source);
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "pvc-1"]);
}

#[test]
fn ten_at_once_make_one() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let results: Vec<Asset> = thread::scope(|scope| {
        let threads: Vec<_> = (0..10)
            .map(|_| scope.spawn(|| create(&backend, &request("pvc-1", "u1")).unwrap()))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(results.iter().filter(|asset| !asset.adopted).count(), 1);
    assert_eq!(names(&scratch.base()), [".kubectl-pv", "pvc-1"]);
    assert_eq!(records(&scratch), ["pvc-1.json"]);
}

#[test]
fn only_what_the_record_gives_the_same_owner_is_adopted() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    let refused = |wanted: &CreateRequest, part: &str| {
        let error = create(&backend, wanted).unwrap_err();
        assert!(matches!(error, StorageError::NotOurs { .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.to_string().contains("left as it is"), "{error}");
    };
    // The same names, another uid: the claim was deleted and made again.
    refused(
        &request("pvc-1", "u2"),
        "was made for claim ns/data (uid u1)",
    );
    let mut member = request("pvc-1", "u1");
    member.owner = Owner::Set {
        name: "pool".to_owned(),
        uid: "u1".to_owned(),
        ordinal: 0,
    };
    refused(&member, "was made for");
    // Nobody's.
    fs::create_dir(scratch.asset("pvc-2")).unwrap();
    refused(&request("pvc-2", "u1"), "not made by us");
    assert_eq!(records(&scratch), ["pvc-1.json"]);
    // In use.
    fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
    refused(&request("pvc-1", "u1"), "is not empty");
    assert_eq!(
        fs::read_to_string(scratch.asset("pvc-1/file")).unwrap(),
        "data"
    );
    // Records that are none.
    for (text, part) in [
        ("", "cannot be understood"),
        (
            r#"{"version":3,"asset":"pvc-3","owner":{"claim":{"namespace":"ns","name":"data","uid":"u1"}}}"#,
            "version 3",
        ),
        (
            r#"{"version":1,"asset":"pvc-9","owner":{"claim":{"namespace":"ns","name":"data","uid":"u1"}}}"#,
            "about asset",
        ),
    ] {
        fs::write(scratch.asset(".kubectl-pv/pvc-3.json"), text).unwrap();
        refused(&request("pvc-3", "u1"), part);
        assert!(!scratch.asset("pvc-3").exists());
    }
}

#[test]
fn members_of_a_set_are_told_apart() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let member = |name: &str, ordinal| {
        let mut wanted = request(name, "");
        wanted.owner = Owner::Set {
            name: "pool".to_owned(),
            uid: "s1".to_owned(),
            ordinal,
        };
        wanted
    };
    assert!(!create(&backend, &member("pool-0", 0)).unwrap().adopted);
    assert!(create(&backend, &member("pool-0", 0)).unwrap().adopted);
    let error = create(&backend, &member("pool-0", 1))
        .unwrap_err()
        .to_string();
    assert!(error.contains("member 0 of set pool (uid s1)"), "{error}");
}

#[test]
fn what_cannot_be_met_is_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let refused = |change: &dyn Fn(&mut CreateRequest), part: &str| {
        let mut wanted = request("pvc-1", "u1");
        change(&mut wanted);
        let checked = backend
            .creator()
            .unwrap()
            .unwrap()
            .check(&wanted)
            .unwrap_err()
            .to_string();
        let error = create(&backend, &wanted).unwrap_err();
        assert!(matches!(error, StorageError::Refused(_)), "{error}");
        assert_eq!(error.to_string(), checked);
        assert!(checked.contains(part), "{checked}");
        assert!(names(&scratch.base()).is_empty(), "{part}");
    };
    refused(
        &|r| r.parameters = set(&[("zone", "east"), ("type", "ssd")]),
        "unknown parameter `type`, parameter `zone`",
    );
    refused(
        &|r| r.options = set(&[("zone", "$(id)")]),
        "unknown option `zone`; known here: gid, labels, mode, uid",
    );
    for bad in [
        "", "9", "75", "0800", "4755", "07777", "-755", "+755", "rwx", "07 5",
    ] {
        refused(&|r| r.parameters = set(&[("mode", bad)]), "`mode` is");
    }
    for bad in ["", "root", "-1", "+1", "4294967295", "4294967296", "0x1"] {
        refused(&|r| r.parameters = set(&[("uid", bad)]), "`uid` is");
        refused(&|r| r.options = set(&[("gid", bad)]), "`gid` is");
    }
    let both = |r: &mut CreateRequest| {
        r.parameters = set(&[("mode", "0700")]);
        r.options = set(&[("mode", "0777")]);
    };
    refused(&both, "both cannot hold");
    refused(&|r| r.volume_mode = VolumeMode::Block, "raw block device");
    refused(
        &|r| r.access_modes = AccessModes::of_names(["ReadWriteMany"]),
        "cannot be ReadWriteMany",
    );
    refused(
        &|r| r.access_modes = AccessModes::of_names(["ReadOnlyMany"]),
        "cannot be ReadOnlyMany",
    );
    refused(&|r| r.node = None, "which node");
    for bad in ["", "../x", "a b", "a\nb", "$(id)"] {
        let hostname = bad.to_owned();
        refused(
            &|r| r.node.as_mut().unwrap().hostname.clone_from(&hostname),
            "cannot be that of a volume",
        );
    }
    refused(
        &|r| r.parameters = set(&[("labels", "tier=../gold")]),
        "`labels` has the value `../gold`",
    );
    refused(
        &|r| r.options = set(&[("labels", "tier=gold")]),
        "unknown option `labels`",
    );
    refused(&|r| r.owner = claim(""), "no uid");
    refused(&|r| r.size = Quantity::zero(), "no size");
}

#[test]
fn permissions_are_set_whatever_the_umask() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let keys = backend.creator().unwrap().unwrap().known_keys().unwrap();
    let keys: Vec<&str> = keys
        .parameters
        .iter()
        .map(|known| known.key.as_str())
        .collect();
    assert_eq!(keys, ["mode", "uid", "gid", "labels"]);
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("mode", "2777")]);
    create(&backend, &wanted).unwrap();
    assert_eq!(mode(&scratch.asset("pvc-1")), 0o2777);
    // An adopted directory gets what is asked for now.
    wanted.parameters = set(&[]);
    wanted.options = set(&[("mode", "700")]);
    assert!(create(&backend, &wanted).unwrap().adopted);
    assert_eq!(mode(&scratch.asset("pvc-1")), 0o700);
}

#[test]
fn sizes_are_never_below_the_request() {
    let scratch = Scratch::new();
    for (number, (asked, given)) in [
        ("10G", "10G"),
        ("1500Mi", "1500Mi"),
        ("0.5", "1"),
        ("1e3", "1e3"),
    ]
    .iter()
    .enumerate()
    {
        let mut wanted = request(&format!("pvc-{number}"), "u1");
        wanted.size = Quantity::parse(asked).unwrap();
        assert_eq!(
            create(&scratch.hostpath(), &wanted)
                .unwrap()
                .capacity
                .as_str(),
            *given
        );
    }
}

#[test]
fn what_was_planted_under_the_name_is_left() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    let before = mode(&scratch.path("bystander"));
    symlink(scratch.path("bystander"), scratch.asset("pvc-1")).unwrap();
    fs::write(scratch.asset("pvc-2"), "").unwrap();
    for name in ["pvc-1", "pvc-2"] {
        let error = create(&backend, &request(name, "u1")).unwrap_err();
        assert!(matches!(error, StorageError::NotOurs { .. }), "{error}");
    }
    // Also when our record is there, and the directory was replaced since.
    create(&backend, &request("pvc-3", "u1")).unwrap();
    fs::remove_dir(scratch.asset("pvc-3")).unwrap();
    symlink(scratch.path("bystander"), scratch.asset("pvc-3")).unwrap();
    let error = create(&backend, &request("pvc-3", "u1"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("is a link to one"), "{error}");
    assert_eq!(mode(&scratch.path("bystander")), before);
    scratch.assert_bystander_untouched();
}

#[test]
fn records_are_believed_only_where_we_keep_them() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    symlink(scratch.path("bystander"), scratch.asset(".kubectl-pv")).unwrap();
    assert!(create(&backend, &request("pvc-1", "u1")).is_err());
    assert!(delete(&backend, &scratch.volume("pvc-1")).is_err());
    scratch.assert_bystander_untouched();
    fs::remove_file(scratch.asset(".kubectl-pv")).unwrap();
    fs::create_dir(scratch.asset(".kubectl-pv")).unwrap();
    fs::set_permissions(
        scratch.asset(".kubectl-pv"),
        fs::Permissions::from_mode(0o777),
    )
    .unwrap();
    let error = create(&backend, &request("pvc-1", "u1"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("may be written by others"), "{error}");
    assert_eq!(names(&scratch.base()), [".kubectl-pv"]);
}
