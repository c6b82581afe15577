//! What classes, claims and nodes say is data: nothing of it becomes a path, a command or a message it should not be in.

use super::exec::{backend, program};
use super::*;
use std::os::unix::fs::symlink;

const HOSTILE: [&str; 9] = [
    "../../bystander/precious",
    "/etc/passwd",
    "..",
    "a\nb: c",
    "$(touch touched)",
    "`touch touched`; touch touched",
    "\u{1b}[31m\0",
    "' \" \\",
    "-rf",
];

/// Everything that is in a scratch directory, by path.
fn everything(scratch: &Scratch) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![scratch.0.clone()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let below = path.strip_prefix(&scratch.0).unwrap();
            found.push(below.display().to_string());
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn owners_are_only_ever_written_down() {
    for bad in HOSTILE {
        let scratch = Scratch::new();
        let mut wanted = request("pvc-1", bad);
        wanted.owner = Owner::Claim {
            namespace: bad.to_owned(),
            name: bad.to_owned(),
            uid: bad.to_owned(),
        };
        wanted.node.as_mut().unwrap().name = bad.to_owned();
        for backend in [scratch.hostpath(), scratch.nfs()] {
            create(&backend, &wanted).unwrap();
            assert!(create(&backend, &wanted).unwrap().adopted, "{bad:?}");
            assert!(create(&backend, &request("pvc-1", "u1")).is_err());
            let expected = [
                "base",
                "base/.kubectl-pv",
                "base/.kubectl-pv/cluster",
                "base/.kubectl-pv/pvc-1.json",
                "base/pvc-1",
                "bystander",
                "bystander/precious",
            ];
            assert_eq!(everything(&scratch), expected, "{bad:?}");
            roll_back(&backend, &wanted, None).unwrap();
        }
        scratch.assert_bystander_untouched();
    }
}

#[test]
fn hostile_keys_and_values_are_refused_before_anything_is_made() {
    let scratch = Scratch::new();
    let before = everything(&scratch);
    for backend in [scratch.hostpath(), scratch.nfs()] {
        let refused = |change: &dyn Fn(&mut CreateRequest)| {
            let mut wanted = request("pvc-1", "u1");
            change(&mut wanted);
            for error in [
                foresee(&backend, &wanted).unwrap_err(),
                create(&backend, &wanted).unwrap_err(),
            ] {
                assert!(matches!(error, StorageError::Refused(_)), "{error}");
            }
        };
        for bad in HOSTILE {
            refused(&|r| r.parameters = set(&[(bad, "x")]));
            refused(&|r| r.options = set(&[(bad, "x")]));
            for key in ["mode", "uid", "gid"] {
                refused(&|r| r.parameters = set(&[(key, bad)]));
                refused(&|r| r.options = set(&[(key, bad)]));
            }
            refused(&|r| r.parameters = set(&[("labels", bad)]));
            refused(&|r| r.parameters = set(&[("labels", &format!("{bad}=x"))]));
            refused(&|r| r.parameters = set(&[("labels", &format!("x={bad}"))]));
        }
    }
    assert_eq!(everything(&scratch), before);
}

/// In the place of an asset, of our folder and of a record: links to what is not ours.
#[test]
fn planted_links_are_followed_by_nobody() {
    for (planted, to) in [
        ("pvc-1", "bystander"),
        ("pvc-1", "bystander/precious"),
        (".kubectl-pv", "bystander"),
        (".kubectl-pv/pvc-1.json", "bystander/precious"),
        (".kubectl-pv/pvc-1.json", "nowhere"),
    ] {
        let scratch = Scratch::new();
        let backend = scratch.hostpath();
        create(&backend, &request("pvc-1", "u1")).unwrap();
        let path = scratch.asset(planted);
        if path.is_dir() {
            fs::remove_dir_all(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
        symlink(scratch.path(to), &path).unwrap();
        let before = everything(&scratch);
        let wanted = request("pvc-1", "u1");
        for result in [
            create(&backend, &wanted).map(drop),
            roll_back(&backend, &wanted, None).map(drop),
            delete(&backend, &scratch.volume("pvc-1")).map(drop),
            scrub(&backend, &scratch.volume("pvc-1")),
        ] {
            assert!(result.is_err(), "{planted} to {to}");
        }
        assert_eq!(everything(&scratch), before, "{planted} to {to}");
        scratch.assert_bystander_untouched();
    }
}

#[test]
fn secrets_are_not_in_messages() {
    let scratch = Scratch::new();
    let keys = r#""parameters":{"adminPassword":"p","pool":"q"},"options":{"api-token":"t"}"#;
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("adminPassword", "hunter\"2"), ("pool", "fast")]);
    wanted.options = set(&[("api-token", "s3cr3t")]);
    for rest in [
        r#"printf '{"reason": "no: hunter\\"2 and s3cr3t in fast"}'; exit 1"#,
        r#"printf '{"reason": "no: hunter\\"2 and s3cr3t in fast"}'; exit 2"#,
        r#"printf '%s in fast' "$request" >&2; exit 3"#,
        r#"echo '{"source": "s3cr3t hunter\"2 in fast"}'"#,
        r#"echo '{"source": {"nfs": {}, "csi": {}}, "labels": {"x": "s3cr3t in fast"}}'"#,
        r#"echo '{"source": {"csi": {"password": "other", "x": "s3cr3t in fast"}}, "capacityBytes": 1}'"#,
    ] {
        let text = fs::read_to_string(program(&scratch, rest)).unwrap();
        let declared = r#""parameters":{"pool":"which"}"#;
        assert!(text.contains(declared));
        fs::write(scratch.path("program"), text.replace(declared, keys)).unwrap();
        let error = create(&backend(&scratch.path("program")), &wanted).unwrap_err();
        for text in [error.to_string(), format!("{error:?}")] {
            for secret in ["hunter", "s3cr3t", "other"] {
                assert!(!text.contains(secret), "{rest}: {text}");
            }
        }
    }
}
