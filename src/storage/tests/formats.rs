//! What lives outside the program because of storage: records in base directories and the protocol of programs, pinned. Every expected value is spelled by hand.

use super::exec::{backend, program};
use super::*;

const OF_CLAIM: &str = r#"{"version":2,"asset":"pvc-1","owner":{"claim":{"namespace":"ns","name":"data","uid":"u1"}},"cluster":"cluster-1","policy":"Delete","size":"1Gi","class":"scratch","accessModes":["ReadWriteOnce"],"node":"node-1.example","updatedAt":"2026-11-18T00:00:00Z"}"#;
const OF_SET: &str = r#"{"version":2,"asset":"pool-0","owner":{"set":{"name":"pool","uid":"s1","ordinal":0}},"cluster":"cluster-1","policy":"Delete","size":"1Gi","class":"scratch","accessModes":["ReadWriteOnce"],"node":"node-1.example","updatedAt":"2026-11-18T00:00:00Z"}"#;
const OLD_OF_CLAIM: &str = r#"{"version":1,"asset":"pvc-1","owner":{"claim":{"namespace":"ns","name":"data","uid":"u1"}}}"#;
const OLD_OF_SET: &str =
    r#"{"version":1,"asset":"pool-0","owner":{"set":{"name":"pool","uid":"s1","ordinal":0}}}"#;

fn member() -> CreateRequest {
    CreateRequest {
        owner: Owner::Set {
            name: "pool".to_owned(),
            uid: "s1".to_owned(),
            ordinal: 0,
        },
        ..request("pool-0", "")
    }
}

#[test]
fn records_in_a_base_directory() {
    let scratch = Scratch::new();
    let backend = scratch.hostpath();
    for (wanted, record) in [(request("pvc-1", "u1"), OF_CLAIM), (member(), OF_SET)] {
        create(&backend, &wanted).unwrap();
        let path = format!(".kubectl-pv/{}.json", wanted.name);
        let written = fs::read_to_string(scratch.asset(&path)).unwrap();
        assert_eq!(written, record);
    }
    let files = ["cluster", "pool-0.json", "pvc-1.json"];
    assert_eq!(names(&scratch.asset(".kubectl-pv")), files);
    let stamp = fs::read_to_string(scratch.asset(".kubectl-pv/cluster")).unwrap();
    assert_eq!(stamp, "cluster-1");
}

/// A base directory as v0.1.0 left it.
#[test]
fn records_of_v0_1_0_are_read() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let folder = scratch.asset(".kubectl-pv");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    for (asset, record) in [("pvc-1", OLD_OF_CLAIM), ("pool-0", OLD_OF_SET)] {
        fs::create_dir(scratch.asset(asset)).unwrap();
        fs::write(folder.join(format!("{asset}.json")), record).unwrap();
    }
    let backend = scratch.hostpath();
    let left: Vec<(String, Option<Owner>)> = leaked(&backend, &[])
        .into_iter()
        .map(|asset| (asset.name, asset.owner))
        .collect();
    let expected = [
        ("pool-0".to_owned(), Some(member().owner)),
        ("pvc-1".to_owned(), Some(claim("u1"))),
    ];
    assert_eq!(left, expected);
    let policies = leaked(&backend, &[]).into_iter().map(|asset| asset.policy);
    assert_eq!(policies.collect::<Vec<_>>(), [None, None]);
    for wanted in [request("pvc-1", "u1"), member()] {
        let refused = create(&backend, &wanted).unwrap_err();
        assert!(
            matches!(refused, StorageError::OtherCluster { stamp: None, .. }),
            "{refused}"
        );
    }
    backend.take_over(None).unwrap();
    for wanted in [request("pvc-1", "u1"), member()] {
        assert!(create(&backend, &wanted).unwrap().adopted);
    }
    let record = fs::read_to_string(folder.join("pvc-1.json")).unwrap();
    assert_eq!(record, OLD_OF_CLAIM, "until its volume is read");
}

/// The requests a program gets, one per line; the answers it may give are in the tests of `exec.rs`.
#[test]
fn requests_to_a_program() {
    let scratch = Scratch::new();
    let log = scratch.path("log");
    let answers = format!(
        r#"echo "$request" >>{log}
case $request in
*'"operation":"create"'*) echo '{{"source":{{"nfs":{{"server":"filer","path":"/pool/pvc-1"}}}}}}' ;;
*) echo '{{}}' ;;
esac"#,
        log = log.display()
    );
    let backend = backend(&program(&scratch, &answers));
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("pool", "fast")]);
    let asset = create(&backend, &wanted).unwrap();
    let volume = VolumeAsset {
        volume: "pvc-1".to_owned(),
        source: asset.source,
    };
    delete(&backend, &volume).unwrap();
    let written = fs::read_to_string(&log).unwrap();
    let requests: Vec<Value> = written
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let creation = json!({
        "protocol": "kubectl-pv.dev/exec/v1",
        "operation": "create",
        "provisioner": "example.com/scratch",
        "asset": {
            "name": "pvc-1",
            "owner": { "claim": { "namespace": "ns", "name": "data", "uid": "u1" } },
            "sizeBytes": 1_073_741_824_u64,
            "accessModes": ["ReadWriteOnce"],
            "volumeMode": "Filesystem",
            "parameters": { "pool": "fast" },
            "options": {},
            "node": "node-1",
            "hostname": "node-1.example",
        },
    });
    let deletion = json!({
        "protocol": "kubectl-pv.dev/exec/v1",
        "operation": "delete",
        "provisioner": "example.com/scratch",
        "volume": {
            "name": "pvc-1",
            "source": { "nfs": { "server": "filer", "path": "/pool/pvc-1" } },
        },
    });
    assert_eq!(requests, [creation, deletion]);
}
