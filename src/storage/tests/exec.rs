//! Programs: the example that is shipped, and some that do not behave.

use super::*;
use proptest::prelude::*;
use std::os::unix::fs::PermissionsExt;

const CAPABLE: &str = r#"{"protocol":"kubectl-pv.dev/exec/v1","operations":["create","delete"],"parameters":{"pool":"which"}}"#;

/// A program that answers `capabilities` rightly and does `rest` for everything else.
pub(super) fn program(scratch: &Scratch, rest: &str) -> PathBuf {
    let text = format!(
        "#!/bin/sh\nread -r request\ncase $request in *'\"operation\":\"capabilities\"'*) echo '{CAPABLE}'; exit 0;; esac\n{rest}\n"
    );
    script(scratch, &text)
}

fn script(scratch: &Scratch, text: &str) -> PathBuf {
    let path = scratch.path("program");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn backend_with(program: &Path, variables: &[(&str, &str)], timeout: Duration) -> Backend {
    let mut settings = Settings {
        timeout,
        ..settings()
    };
    settings.environment.extend(
        variables
            .iter()
            .map(|(name, value)| (name.into(), value.into())),
    );
    let configured =
        Configuration::parse(&format!("{PROVISIONER}=exec:{}", program.display())).unwrap();
    Backend::open(configured, &settings).unwrap()
}

pub(super) fn backend(program: &Path) -> Backend {
    backend_with(program, &[], Duration::from_secs(60))
}

pub(super) fn example(scratch: &Scratch) -> Backend {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/backends/directories");
    let pool = scratch.base().display().to_string();
    backend_with(
        &program,
        &[("KUBECTL_PV_POOL", &pool)],
        Duration::from_secs(60),
    )
}

#[test]
fn the_example_makes_empties_and_deletes() {
    let scratch = Scratch::new();
    let backend = example(&scratch);
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("mode", "0700")]);
    let asset = create(&backend, &wanted).unwrap();
    let path = scratch.asset("pvc-1");
    assert_eq!(
        asset.source,
        json!({"hostPath": {"path": path, "type": "Directory"}})
    );
    assert_eq!((asset.capacity.as_str(), asset.adopted), ("1Gi", false));
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o7777,
        0o700
    );
    assert!(create(&backend, &wanted).unwrap().adopted);
    let volume = scratch.volume("pvc-1");
    fs::create_dir_all(path.join("a/.b")).unwrap();
    fs::write(path.join("a/.b/c\nd"), "data").unwrap();
    std::os::unix::fs::symlink(scratch.path("bystander"), path.join("link")).unwrap();
    let refused = |result: Result<Asset, StorageError>, part: &str| {
        let error = result.unwrap_err();
        assert!(
            matches!(&error, StorageError::Refused(reason) if reason.contains(part)),
            "{error}"
        );
    };
    refused(create(&backend, &wanted), "in use");
    refused(create(&backend, &request("pvc-1", "u2")), "another owner");
    scrub(&backend, &volume).unwrap();
    assert!(names(&path).is_empty());
    assert_eq!(delete(&backend, &volume).unwrap(), Deleted::Removed);
    assert_eq!(delete(&backend, &volume).unwrap(), Deleted::AlreadyGone);
    assert_eq!(names(&scratch.base()), [".owners"]);
    assert!(
        backend
            .deleter()
            .unwrap()
            .unwrap()
            .leaked(&BTreeSet::new())
            .unwrap()
            .is_none()
    );
    assert_eq!(backend.place(&volume.source), Place::Elsewhere);
    let mut member = request("pool-1", "");
    member.owner = Owner::Set {
        name: "pool".to_owned(),
        uid: "s1".to_owned(),
        ordinal: 7,
    };
    create(&backend, &member).unwrap();
    assert_eq!(
        fs::read_to_string(scratch.asset(".owners/pool-1")).unwrap(),
        "s1/7\n0750\n"
    );
    scratch.assert_bystander_untouched();
}

#[test]
fn the_example_trusts_no_path() {
    let scratch = Scratch::new();
    let backend = example(&scratch);
    create(&backend, &request("pvc-1", "u1")).unwrap();
    std::os::unix::fs::symlink(scratch.path("bystander"), scratch.asset("link")).unwrap();
    let base = scratch.base().display().to_string();
    for path in [
        "",
        "/",
        "/..",
        "/../bystander",
        "/pvc-1/../../bystander",
        "/link",
        "/.owners",
        "/a\nb",
        "/$(touch x)",
        "/pvc-1/",
    ] {
        for result in [
            delete(&backend, &host_path(&format!("{base}{path}"))).map(drop),
            scrub(&backend, &host_path(&format!("{base}{path}"))),
        ] {
            assert!(
                matches!(result, Err(StorageError::Refused(_))),
                "{path:?}: {result:?}"
            );
        }
    }
    assert_eq!(names(&scratch.base()), [".owners", "link", "pvc-1"]);
    scratch.assert_bystander_untouched();
}

/// What is in a request is data, for us and for the example.
#[test]
fn nothing_in_a_request_is_executed() {
    let scratch = Scratch::new();
    let backend = example(&scratch);
    let bad = format!(
        "0700; touch {0}; $(touch {0}) `touch {0}` \" ' \\ \n",
        scratch.path("touched").display()
    );
    let mut wanted = request("pvc-1", &bad);
    wanted.node = Some(NodeName {
        name: bad.clone(),
        hostname: bad.clone(),
    });
    create(&backend, &wanted).unwrap();
    assert!(create(&backend, &wanted).unwrap().adopted);
    wanted.parameters = set(&[("mode", &bad)]);
    assert!(matches!(
        create(&backend, &wanted),
        Err(StorageError::Refused(_))
    ));
    assert!(!scratch.path("touched").exists());
}

#[test]
fn unknown_keys_never_reach_the_program() {
    let scratch = Scratch::new();
    let backend = backend(&program(&scratch, "exit 9"));
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("password", "hunter2")]);
    let error = create(&backend, &wanted).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown parameter `password`; known here: pool"
    );
    assert!(backend.recycler().unwrap().is_none());
    assert!(backend.deleter().unwrap().is_some());
}

#[test]
fn exit_codes() {
    let scratch = Scratch::new();
    let result = |rest: &str| {
        create(&backend(&program(&scratch, rest)), &request("pvc-1", "u1")).unwrap_err()
    };
    let refused = result(r#"echo '{"reason": "no pool has that much"}'; exit 1"#);
    assert!(
        matches!(&refused, StorageError::Refused(reason) if reason == "no pool has that much"),
        "{refused}"
    );
    let later = result(r#"echo '{"reason": "being serviced"}'; exit 2"#);
    assert!(
        later.is_temporary() && later.to_string().contains("being serviced"),
        "{later}"
    );
    let failed = |error: StorageError, part: &str| {
        assert!(matches!(error, StorageError::Program(_)), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    failed(
        result("echo broken >&2; exit 3"),
        "failed at `create` (exit status: 3)",
    );
    failed(result("echo; exit 1"), "with 1 and no reason");
    failed(result("kill -9 $$"), "signal: 9");
    failed(result("exit 0"), "gave no answer to `create`");
    failed(result("echo '[]'"), "gave no answer to `create`");
    failed(
        result("echo '{\"source\": 7}'"),
        "gave no answer to `create`",
    );
    // What it wrote is for the person at this machine; errors go into events, which tenants read.
    let loud = result("echo broken at /srv/internal >&2; exit 3").to_string();
    assert_eq!(
        loud,
        "the backend's program failed at `create` (exit status: 3)"
    );
    let answered = result(r#"echo '{"source": "hunter2"}'"#).to_string();
    assert!(!answered.contains("hunter2"), "{answered}");
    let old = script(
        &scratch,
        "#!/bin/sh\necho '{\"protocol\": \"kubectl-pv.dev/exec/v0\"}'",
    );
    failed(backend(&old).creator().map(drop).unwrap_err(), "exec/v0");
}

#[test]
fn what_does_not_fit_the_request_is_taken_back() {
    let scratch = Scratch::new();
    let answer = |answer: &str, delete: &str| {
        let log = scratch.path("log");
        let rest = format!(
            "case $request in *'\"operation\":\"create\"'*) echo '{answer}';; *) printf '%s' \"$request\" >{}; {delete};; esac",
            log.display()
        );
        create(&backend(&program(&scratch, &rest)), &request("pvc-1", "u1"))
    };
    let error = answer(
        r#"{"source":{"nfs":{"path":"/a"}},"capacityBytes":1073741823}"#,
        "echo {}",
    )
    .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("has 1073741823 bytes where 1073741824 were asked for"),
        "{error}"
    );
    let asked: Value =
        serde_json::from_str(&fs::read_to_string(scratch.path("log")).unwrap()).unwrap();
    assert_eq!(asked["operation"], "delete");
    assert_eq!(
        asked["volume"],
        json!({"name": "pvc-1", "source": {"nfs": {"path": "/a"}}})
    );
    let error = answer(r#"{"source":{}}"#, "exit 5").unwrap_err();
    assert!(matches!(error, StorageError::LeftBehind { .. }), "{error}");
    assert!(
        error.to_string().contains("asset `pvc-1` ({}) is left"),
        "{error}"
    );
    let larger = answer(
        r#"{"source":{"nfs":{}},"capacityBytes":2147483648,"labels":{"a":"b"},"node":"n"}"#,
        "",
    )
    .unwrap();
    assert_eq!(
        (larger.capacity.as_str(), larger.node.as_deref()),
        ("2Gi", Some("n"))
    );
    assert_eq!(larger.labels, set(&[("a", "b")]));
}

/// Whether the process whose number is in a file is still running.
fn is_running(pid_file: &Path) -> bool {
    let pid = fs::read_to_string(pid_file).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    // The state follows the name, which is in brackets; one that nobody has waited for is dead all the same.
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[test]
fn a_program_that_takes_too_long_is_killed_with_all_it_started() {
    let scratch = Scratch::new();
    let pid = scratch.path("pid");
    let rest = format!(
        "sleep 600 & echo $! >{}; echo thinking >&2; sleep 600",
        pid.display()
    );
    let backend = backend_with(&program(&scratch, &rest), &[], Duration::from_secs(3));
    let error = create(&backend, &request("pvc-1", "u1"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("took longer than 3 s for `create` and was killed"),
        "{error}"
    );
    for _ in 0..200 {
        if !is_running(&pid) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("what the program started is still there");
}

#[test]
fn a_program_that_never_stops_talking_is_killed() {
    let scratch = Scratch::new();
    let program = program(&scratch, "exec yes talk >&2");
    let backend = backend_with(&program, &[], Duration::from_secs(3));
    let error = create(&backend, &request("pvc-1", "u1")).unwrap_err();
    assert!(
        error.to_string().contains("took longer than 3 s"),
        "{error}"
    );
    assert!(error.to_string().len() < 5000);
}

/// Somebody in the background holds the pipes open: the answer counts all the same, and at once.
#[test]
fn the_end_of_the_program_is_the_end() {
    let scratch = Scratch::new();
    let pid = scratch.path("pid");
    let rest = format!(
        r#"sleep 60 & echo $! >{}; echo '{{"source":{{"nfs":{{}}}}}}'"#,
        pid.display()
    );
    create(&backend(&program(&scratch, &rest)), &request("pvc-1", "u1")).unwrap();
    assert!(is_running(&pid));
    let number = fs::read_to_string(&pid).unwrap();
    let killed = std::process::Command::new("kill")
        .arg(number.trim())
        .status()
        .unwrap();
    assert!(killed.success());
}

#[test]
fn answers_and_requests_of_any_length() {
    let scratch = Scratch::new();
    let error = create(
        &backend(&program(&scratch, "yes | head -c 3000000; sleep 60")),
        &request("pvc-1", "u1"),
    );
    assert!(error.unwrap_err().to_string().contains("more than 1 MiB"));
    // Larger than any pipe, to a program that reads nothing of it.
    let deaf = script(&scratch, &format!("#!/bin/sh\necho '{CAPABLE}'"));
    let mut wanted = request("pvc-1", "u1");
    wanted.parameters = set(&[("pool", &"x".repeat(1_000_000))]);
    let error = create(&backend(&deaf), &wanted).unwrap_err().to_string();
    assert!(error.contains("gave no answer"), "{error}");
}

#[test]
fn few_variables_and_no_arguments() {
    let scratch = Scratch::new();
    let seen = scratch.path("seen");
    let rest = format!(
        "(env; echo args=$#; pwd) >{}; echo '{{\"source\":{{\"nfs\":{{}}}}}}'",
        seen.display()
    );
    let variables = [
        ("KUBECTL_PV_POOL", "/pool"),
        ("AWS_SECRET_ACCESS_KEY", "hunter2"),
        ("LD_PRELOAD", "/x.so"),
        ("LANG", "C"),
    ];
    create(
        &backend_with(
            &program(&scratch, &rest),
            &variables,
            Duration::from_secs(60),
        ),
        &request("pvc-1", "u1"),
    )
    .unwrap();
    let text = fs::read_to_string(seen).unwrap();
    assert!(
        text.contains("KUBECTL_PV_POOL=/pool") && text.contains("PATH=") && text.contains("LANG=C"),
        "{text}"
    );
    assert!(
        text.contains("args=0") && text.lines().any(|line| line == "/"),
        "{text}"
    );
    for absent in ["hunter2", "LD_PRELOAD", "HOME=", "CARGO"] {
        assert!(!text.contains(absent), "{absent} in {text}");
    }
}

#[test]
fn a_program_that_can_tell_is_asked_whether_an_asset_was_used() {
    let scratch = Scratch::new();
    let asset = request("pvc-1", "u1");
    let says = |operations: &str, answer: &str| {
        let script = format!(
            "#!/bin/sh\nread -r request\ncase $request in *capabilities*) echo '{{\"protocol\":\"kubectl-pv.dev/exec/v1\",\"operations\":[{operations}]}}';; *'\"uid\":\"u1\"'*'\"operation\":\"unused\"'*) echo '{answer}';; *) exit 3;; esac\n"
        );
        let path = scratch.path("tells");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let backend = open(&format!("{PROVISIONER}=exec:{}", path.display()));
        backend.is_unused(&asset.name, &asset.owner)
    };
    let unused = "{\"unused\": true}";
    assert!(says("\"unused\"", unused));
    assert!(!says("\"create\"", unused));
    assert!(!says("\"unused\"", "{\"unused\": false}"));
    assert!(!says("\"unused\"", "{}"));
}

/// An asset that was unused when the plan was made, and is used when the plan is carried out.
#[test]
fn an_asset_is_deleted_as_empty_only_if_the_program_reports_it_as_unused() {
    let scratch = Scratch::new();
    let ours = example(&scratch);
    let wanted = request("pvc-1", "u1");
    let (path, volume) = (scratch.asset("pvc-1"), scratch.volume("pvc-1"));
    let made = (wanted.name.clone(), wanted.owner.clone());
    let delete = |backend: &Backend, made: Option<&(AssetName, Owner)>| {
        let deleter = backend.deleter().unwrap().unwrap();
        deleter.delete_empty(&volume, made)
    };
    let refused = |result: Result<Deleted, StorageError>| {
        assert!(
            matches!(result, Err(StorageError::Refused(_))),
            "{result:?}"
        );
        assert!(path.join("written").exists());
    };
    create(&ours, &wanted).unwrap();
    fs::write(path.join("written"), "since the plan").unwrap();
    refused(delete(&ours, Some(&made)));
    refused(delete(&ours, None));
    // Nor is it taken back from a claim that is gone.
    let asset = Asset {
        source: volume.source.clone(),
        capacity: wanted.size.clone(),
        adopted: true,
        labels: Labels::new(),
        node: None,
    };
    refused(roll_back(&ours, &wanted, Some(&asset)));
    let base = scratch.base();
    let silent = program(&scratch, &format!("rm -rf {}; echo '{{}}'", base.display()));
    refused(delete(&backend(&silent), Some(&made)));

    fs::remove_file(path.join("written")).unwrap();
    assert_eq!(delete(&ours, Some(&made)).unwrap(), Deleted::Removed);
    assert!(!path.exists());
    // A run that was killed here is finished by the next.
    assert_eq!(delete(&ours, Some(&made)).unwrap(), Deleted::AlreadyGone);
}

/// A program with these capabilities besides the usual ones, that answers `create` so and logs `delete`.
fn labelled(scratch: &Scratch, declared: &str, answer: &str) -> Backend {
    let text = format!(
        "#!/bin/sh\nread -r request\ncase $request in\n\
         *'\"operation\":\"capabilities\"'*) echo '{{\"protocol\":\"kubectl-pv.dev/exec/v1\",\"operations\":[\"create\",\"delete\"],\"labels\":{declared}}}';;\n\
         *'\"operation\":\"create\"'*) printf '%s\\n' \"$request\" >>{log}; echo '{answer}';;\n\
         *) printf '%s\\n' \"$request\" >>{log}; echo '{{}}';;\nesac\n",
        log = scratch.path("log").display()
    );
    backend(&script(scratch, &text))
}

fn operations(scratch: &Scratch) -> Vec<String> {
    let text = fs::read_to_string(scratch.path("log")).unwrap_or_default();
    let _ = fs::remove_file(scratch.path("log"));
    text.lines()
        .map(|line| {
            let request: Value = serde_json::from_str(line).unwrap();
            request["operation"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn declared_labels_are_known_before_and_hold_after() {
    let scratch = Scratch::new();
    let wanted = request("pvc-1", "u1");
    let backend = labelled(
        &scratch,
        r#"{"tier":"gold"}"#,
        r#"{"source":{"nfs":{}},"labels":{"rack":"r1","tier":"gold"}}"#,
    );
    let creator = backend.creator().unwrap().unwrap();
    assert_eq!(creator.labels(&wanted).unwrap(), set(&[("tier", "gold")]));
    assert!(creator.foresee(&wanted).unwrap().is_none());
    assert!(operations(&scratch).is_empty());
    let made = create(&backend, &wanted).unwrap();
    assert_eq!(made.labels, set(&[("rack", "r1"), ("tier", "gold")]));
    // What the answer leaves out holds all the same.
    let backend = labelled(&scratch, r#"{"tier":"gold"}"#, r#"{"source":{"nfs":{}}}"#);
    let made = create(&backend, &wanted).unwrap();
    assert_eq!(made.labels, set(&[("tier", "gold")]));
    operations(&scratch);
    for (answer, part) in [
        (r#""labels":{"tier":"lead"}"#, "another label `tier`"),
        (r#""labels":{"a b":"c"}"#, "has the key `a b`"),
        (r#""labels":{"a":"../c"}"#, "has the value `../c`"),
        (r#""node":"../../n""#, "a node whose name is none"),
    ] {
        let answer = format!(r#"{{"source":{{"nfs":{{}}}},{answer}}}"#);
        let error = create(&labelled(&scratch, r#"{"tier":"gold"}"#, &answer), &wanted)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(operations(&scratch), ["create", "delete"]);
    }
    let error = labelled(&scratch, r#"{"a":"b c"}"#, "").creator().map(drop);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("declares the value `b c`"), "{error}");
}

/// A field of a volume's spec that is no source would decide whose the volume is.
#[test]
fn what_is_no_source_is_taken_back() {
    let scratch = Scratch::new();
    for source in [
        r#"{"claimRef":{"name":"mine"}}"#,
        r#"{"nodeAffinity":{}}"#,
        r#"{"capacity":{}}"#,
        r#"{"nfs":{},"hostPath":{}}"#,
        r#"{"storageClassName":"x"}"#,
        "{}",
    ] {
        let answer = format!(r#"{{"source":{source}}}"#);
        let error = create(&labelled(&scratch, "{}", &answer), &request("pvc-1", "u1"));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("does not have one source"), "{error}");
        assert_eq!(operations(&scratch), ["create", "delete"]);
    }
}

#[test]
fn rolled_back_with_the_source_that_was_given() {
    let scratch = Scratch::new();
    let wanted = request("pvc-1", "u1");
    let backend = labelled(&scratch, "{}", r#"{"source":{"nfs":{"path":"/a"}}}"#);
    let made = create(&backend, &wanted).unwrap();
    operations(&scratch);
    assert_eq!(
        roll_back(&backend, &wanted, Some(&made)).unwrap(),
        Deleted::Removed
    );
    let log = fs::read_to_string(scratch.path("log")).unwrap();
    let asked: Value = serde_json::from_str(&log).unwrap();
    assert_eq!(
        asked["volume"],
        json!({"name": "pvc-1", "source": {"nfs": {"path": "/a"}}})
    );
    operations(&scratch);
    // Where nobody knows the source, the program is asked for it.
    roll_back(&backend, &wanted, None).unwrap();
    assert_eq!(operations(&scratch), ["create", "delete"]);
}

#[test]
fn the_example_declares_its_label_and_takes_back() {
    let scratch = Scratch::new();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/backends/directories");
    let pool = scratch.base().display().to_string();
    let with_tier = |tier: &str| {
        let variables = [
            ("KUBECTL_PV_POOL", pool.as_str()),
            ("KUBECTL_PV_TIER", tier),
        ];
        backend_with(&program, &variables, Duration::from_secs(60))
    };
    let backend = with_tier("gold");
    let wanted = request("pvc-1", "u1");
    let creator = backend.creator().unwrap().unwrap();
    assert_eq!(creator.labels(&wanted).unwrap(), set(&[("tier", "gold")]));
    let made = create(&backend, &wanted).unwrap();
    assert_eq!(made.labels, set(&[("tier", "gold")]));
    fs::write(scratch.asset("pvc-1/file"), "data").unwrap();
    assert!(roll_back(&backend, &wanted, None).is_err());
    fs::remove_file(scratch.asset("pvc-1/file")).unwrap();
    roll_back(&backend, &wanted, None).unwrap();
    assert_eq!(names(&scratch.base()), [".owners"]);
    assert!(names(&scratch.asset(".owners")).is_empty());
    let error = with_tier(r#"a","b":"c"#).creator().map(drop).unwrap_err();
    assert!(matches!(error, StorageError::Refused(_)), "{error}");
}

#[test]
fn keys_that_are_no_plain_words_are_not_declared() {
    let scratch = Scratch::new();
    for key in ["", "*", "a b", "a\\nb", "a`b", "\u{e4}"] {
        let declared = CAPABLE.replace("\"pool\"", &format!("\"{key}\""));
        let path = script(&scratch, &format!("#!/bin/sh\nprintf '%s' '{declared}'"));
        let error = backend(&path).creator().map(drop).unwrap_err().to_string();
        assert!(error.contains("no plain word"), "{key}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever a program answers, it is understood or refused; an asset that does not fit is given back.
    #[test]
    fn answers_of_any_kind(
        answer in r#"(\{|\}|"source":|"nfs":|"hostPath":|"labels":|"adopted":true|"capacityBytes":|-?[0-9]{1,25}|\{"path":"/a"\}|,|null|\[|\]|[a-z]){0,12}"#,
        declared in prop::option::of(r#"\{("protocol":"kubectl-pv.dev/exec/v1"|,|"operations":|\["create"\]|"labels":|\{|\}|[0-9a-z"]){0,10}"#),
    ) {
        let scratch = Scratch::new();
        fs::write(scratch.path("answer"), &answer).unwrap();
        fs::write(scratch.path("declared"), declared.as_deref().unwrap_or(CAPABLE)).unwrap();
        let text = format!(
            "#!/bin/sh\nread -r request\ncase $request in *capabilities*) cat {};; *) cat {};; esac\n",
            scratch.path("declared").display(),
            scratch.path("answer").display()
        );
        let backend = backend(&script(&scratch, &text));
        let wanted = request("pvc-1", "u1");
        if let Ok(Some(creator)) = backend.creator() {
            let _ = creator.create(&wanted);
        }
        if let Ok(Some(deleter)) = backend.deleter() {
            let _ = deleter.delete(&scratch.volume("pvc-1"));
        }
        let _ = backend.is_unused(&wanted.name, &wanted.owner);
        scratch.assert_bystander_untouched();
    }
}
