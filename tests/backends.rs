//! `--backend`, `--backends` and `KUBECTL_PV_BACKENDS`: every wrong use ends with 2 before anything is read, and what is
//! served by this machine is known to `describe-class`, `validate` and `explain`.

use crate::support::{Ran, TemporaryFile, kubectl_pv};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const CLASS: &str = "
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: scratch
  annotations:
    volume.alpha.kubernetes.io/allowed-provisioning-options: '[{\"key\": \"mode\"}, {\"key\": \"modus\"}]'
provisioner: example.com/scratch
parameters: {mode: '0770', labels: 'tier=gold', zone: east, uid: root}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop, uid: u1}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: scratch
  resources: {requests: {storage: 1Gi}}
";

/// `class.yaml`, and beside it two directories to serve from.
struct Folder(TemporaryFile);

impl Folder {
    fn new() -> Self {
        let folder = Self(TemporaryFile::new("class.yaml", CLASS));
        fs::create_dir(folder.path("volumes")).unwrap();
        fs::create_dir(folder.path("others")).unwrap();
        folder
    }

    fn path(&self, name: &str) -> String {
        let folder = Path::new(self.0.path()).parent().unwrap();
        folder.join(name).display().to_string()
    }
}

fn write(folder: &Folder, name: &str, content: &str) -> String {
    let path = folder.path(name);
    fs::write(&path, content).unwrap();
    path
}

fn program(folder: &Folder, answer: &str) -> String {
    let path = write(folder, "program", &format!("#!/bin/sh\n{answer}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// `describe-class` of a file that is not there: what is said of it shows that the flags were fine.
fn unread(flags: &[&str]) -> Ran {
    let arguments = [
        &["describe-class", "-f", "/nonexistent/cluster.yaml"],
        flags,
    ]
    .concat();
    kubectl_pv(&arguments).ran()
}

#[test]
fn a_wrong_backend_is_wrong_usage_before_anything_is_read() {
    let folder = Folder::new();
    let volumes = folder.path("volumes");
    let class = folder.path("class.yaml");
    let cases = [
        ("example.com/a".to_owned(), "is not PROVISIONER=KIND:TARGET"),
        (String::new(), "is not PROVISIONER=KIND:TARGET"),
        (format!("a=hostpath:{volumes}"), "VENDOR/NAME"),
        (
            format!("kubernetes.io/a=hostpath:{volumes}"),
            "belongs to Kubernetes",
        ),
        (format!("example.com/a={volumes}"), "names no kind"),
        (
            format!("example.com/a=disk:{volumes}"),
            "no kind of backend",
        ),
        ("example.com/a=hostpath:volumes".to_owned(), "absolute"),
        (
            format!("example.com/a=hostpath:{volumes}/../x"),
            "plain path",
        ),
        (
            format!("example.com/a=hostpath:{volumes}/x"),
            "there is no directory",
        ),
        (
            format!("example.com/a=hostpath:{class}"),
            "is not a directory",
        ),
        (
            format!("example.com/a=exec:{class}"),
            "not a program that can be run",
        ),
        (
            format!("example.com/a=nfs:{volumes}"),
            "SERVER:/EXPORT@/MOUNTED",
        ),
        ("example.com/a=csi:here".to_owned(), "neither unix"),
        (
            "example.com/a\u{1b}[31m=hostpath:/".to_owned(),
            "VENDOR/NAME",
        ),
    ];
    for command in ["describe-class", "validate", "explain"] {
        for (backend, part) in &cases {
            let arguments = [command, "-f", "/nonexistent.yaml", "--backend", backend];
            let ran = kubectl_pv(&arguments).ran();
            assert_eq!(ran.status, 2, "{backend}: {}", ran.stderr);
            assert!(ran.stderr.contains(part), "{backend}: {}", ran.stderr);
            assert!(!ran.stderr.contains('\u{1b}') && ran.stdout.is_empty());
        }
    }
    let fine = unread(&["--backend", &format!("example.com/a=hostpath:{volumes}")]);
    assert_eq!(fine.status, 3, "{}", fine.stderr);
}

#[test]
fn a_base_directory_that_others_can_write_to_is_wrong_usage_with_the_chmod() {
    let folder = Folder::new();
    let volumes = folder.path("volumes");
    let backend = format!("example.com/a=hostpath:{volumes}");
    let chmod = |mode| fs::set_permissions(&volumes, fs::Permissions::from_mode(mode)).unwrap();
    chmod(0o1777);
    for command in ["provision", "cleanup", "describe-class"] {
        let arguments = [command, "-f", "/nonexistent.yaml", "--backend", &backend];
        let ran = kubectl_pv(&arguments).ran();
        assert_eq!(ran.status, 2, "{command}: {}", ran.stderr);
        // Other programs use a directory with the sticky bit, as /tmp: one of its own is advised.
        let hint = format!("mkdir {volumes}/volumes && chmod go-w {volumes}/volumes\n");
        assert!(ran.stderr.contains(&hint), "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains("--shared-base"), "{}", ran.stderr);
        let shared = [&arguments[..], &["--shared-base"]].concat();
        let ran = kubectl_pv(&shared).ran();
        assert_eq!(ran.status, 3, "{command}: {}", ran.stderr);
    }
    chmod(0o777);
    let ran = unread(&["--backend", &backend, "--shared-base"]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    let hint = format!("hint: chmod go-w {volumes}\n");
    assert!(ran.stderr.contains(&hint), "{}", ran.stderr);
    assert!(!ran.stderr.contains("--shared-base"), "{}", ran.stderr);
}

#[test]
fn a_wrong_file_of_backends_is_wrong_usage_and_names_the_line() {
    let folder = Folder::new();
    let volumes = folder.path("volumes");
    let good = format!("example.com/a: hostpath:{volumes}\n");
    let mut large = good.clone();
    large.push_str(&"# nothing\n".repeat(110_000));
    let cases = [
        (
            format!("{good}example.com/b: hostpath:/nonexistent\n"),
            "line 2: backend",
        ),
        (
            format!("# ours\n\n{good}example.com/b: disk:/x\n"),
            "line 4: backend",
        ),
        (format!("{good}\nb: hostpath:/x\n"), "line 3: backend"),
        (format!("{good}{good}"), "line 2"),
        (
            format!("{good}example.com/b:\n"),
            "line 2: the value of `example.com/b` is no text",
        ),
        (format!("{good}example.com/b: [x]\n"), "line 2"),
        (
            format!("{good}example.com/b: {{kind: hostpath}}\n"),
            "line 2",
        ),
        (format!("{good}---\n{good}"), "a second document"),
        ("- example.com/a\n".to_owned(), "not a map"),
        ("example.com/a=hostpath:/x\n".to_owned(), "not a map"),
        ("a: [\n".to_owned(), "line"),
        (large, "larger than 1 MiB"),
    ];
    for (content, part) in cases {
        let file = write(&folder, "backends.yaml", &content);
        for ran in [
            unread(&["--backends", &file]),
            kubectl_pv(&["describe-class", "-f", "/nonexistent.yaml"])
                .env("KUBECTL_PV_BACKENDS", &file)
                .ran(),
        ] {
            assert_eq!(ran.status, 2, "{part}: {}", ran.stderr);
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
            assert!(ran.stderr.contains("backends.yaml"), "{}", ran.stderr);
        }
    }
    for (file, part) in [
        (volumes.as_str(), "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("/nonexistent/backends", "No such file"),
    ] {
        let ran = unread(&["--backends", file]);
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    for content in [good.as_str(), "", "# none yet\n", "{}"] {
        let file = write(&folder, "backends.yaml", content);
        assert_eq!(unread(&["--backends", &file]).status, 3, "{content:?}");
    }
}

#[test]
fn flags_and_file_count_together_and_the_flag_names_the_file() {
    let folder = Folder::new();
    let [volumes, others] = ["volumes", "others"].map(|name| folder.path(name));
    let file = write(
        &folder,
        "a.yaml",
        &format!("example.com/a: hostpath:{volumes}\n"),
    );
    let with = |backend: &str| {
        let ran = unread(&["--backends", &file, "--backend", backend]);
        (ran.status, ran.stderr)
    };
    assert_eq!(with(&format!("example.com/b=hostpath:{others}")).0, 3);
    let (status, said) = with(&format!("example.com/a=hostpath:{others}"));
    assert_eq!(status, 2);
    assert!(
        said.contains("a.yaml, line 1: ") && said.contains("two backends"),
        "{said}"
    );
    let (status, said) = with(&format!("example.com/b=hostpath:{volumes}"));
    assert_eq!(status, 2);
    assert!(
        said.contains("a.yaml, line 1: ") && said.contains("lies inside"),
        "{said}"
    );
    let twice = format!("example.com/b=hostpath:{others}");
    assert_eq!(
        unread(&["--backend", &twice, "--backend", &twice]).status,
        2
    );
    // The file of the flag, not that of the variable.
    let wrong = write(&folder, "wrong.yaml", "nonsense\n");
    let arguments = [
        "describe-class",
        "-f",
        "/nonexistent.yaml",
        "--backends",
        &file,
    ];
    let ran = kubectl_pv(&arguments)
        .env("KUBECTL_PV_BACKENDS", &wrong)
        .ran();
    assert_eq!(ran.status, 3, "{}", ran.stderr);
}

#[test]
fn what_this_machine_serves_is_described() {
    let folder = Folder::new();
    let volumes = folder.path("volumes");
    let class = folder.path("class.yaml");
    let file = write(
        &folder,
        "a.yaml",
        &format!("example.com/scratch: hostpath:{volumes}\n"),
    );
    let json = |with: bool| -> serde_json::Value {
        let run = kubectl_pv(&["describe-class", "scratch", "-f", &class, "-o", "json"]);
        let run = if with {
            run.env("KUBECTL_PV_BACKENDS", &file)
        } else {
            run
        };
        serde_json::from_str(&run.ran().stdout).unwrap()
    };
    let without = json(false);
    assert_eq!(without["driver"]["evidence"], serde_json::json!([]));
    assert!(without["driver"].get("servedHere").is_none());
    assert_eq!(without["parameters"][0]["known"], serde_json::Value::Null);
    let with = json(true);
    let here = format!("served by this machine (hostpath:{volumes})");
    assert_eq!(with["driver"]["evidence"], serde_json::json!([here]));
    assert_eq!(with["driver"]["presence"], without["driver"]["presence"]);
    assert_eq!(with["driver"]["servedHere"], format!("hostpath:{volumes}"));
    let parameters = with["parameters"].as_array().unwrap();
    let known: Vec<(&str, bool)> = parameters
        .iter()
        .map(|it| (it["key"].as_str().unwrap(), it["known"].as_bool().unwrap()))
        .collect();
    let expected = [
        ("labels", true),
        ("mode", true),
        ("uid", true),
        ("zone", false),
    ];
    assert_eq!(known, expected);
    assert!(
        parameters[1]["meaning"]
            .as_str()
            .unwrap()
            .contains("permissions")
    );
    assert!(
        with["options"][0]["description"]
            .as_str()
            .unwrap()
            .contains("permissions")
    );
    let backend = format!("example.com/scratch=hostpath:{volumes}");
    let ran = kubectl_pv(&[
        "describe-class",
        "scratch",
        "-f",
        &class,
        "--backend",
        &backend,
    ])
    .ran();
    assert!(
        ran.stdout.contains(&format!("example.com/scratch: {here}")),
        "{}",
        ran.stdout
    );
}

fn findings(class: &str, backend: &str) -> Vec<String> {
    let arguments = [
        "validate",
        "-f",
        class,
        "--offline",
        "-o",
        "json",
        "--backend",
        backend,
    ];
    let ran = kubectl_pv(&arguments).ran();
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let found = report["findings"].as_array().unwrap().iter();
    found
        .map(|it| {
            format!(
                "{} {}",
                it["code"].as_str().unwrap(),
                it["field"].as_str().unwrap()
            )
        })
        .filter(|it| it.contains("Parameter"))
        .collect()
}

#[test]
fn what_this_machine_does_not_take_is_found() {
    let folder = Folder::new();
    let volumes = folder.path("volumes");
    let class = folder.path("class.yaml");
    let mut found = findings(&class, &format!("example.com/scratch=hostpath:{volumes}"));
    found.sort();
    let expected = [
        "OptionShadowsParameter allowedProvisioningOptions[0].key",
        "ParameterUnknown allowedProvisioningOptions[1].key",
        "ParameterUnknown parameters.zone",
        "ParameterValueInvalid parameters.uid",
    ];
    assert_eq!(found, expected);
    let elsewhere = findings(&class, &format!("example.com/other=hostpath:{volumes}"));
    assert_eq!(elsewhere, expected[..1]);
    let arguments = ["explain", "data", "-n", "shop", "-f", &class, "--backend"];
    let backend = format!("example.com/scratch=hostpath:{volumes}");
    let ran = kubectl_pv(&[&arguments[..], &[&backend]].concat()).ran();
    let note = "note: class scratch: example.com/scratch has no parameter zone";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert!(
        ran.stdout.contains("served by this machine"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_program_says_what_it_takes_and_is_run_only_where_it_is_configured() {
    let folder = Folder::new();
    let class = folder.path("class.yaml");
    let ran_file = folder.path("ran");
    let answer = r#"{"protocol":"kubectl-pv.dev/exec/v1","operations":["create"],"parameters":{"zone":"where","mode":"how","labels":"which","uid":"whose"},"options":{"mode":"how"}}"#;
    let path = program(&folder, &format!("touch '{ran_file}'; echo '{answer}'"));
    let found = findings(&class, &format!("example.com/scratch=exec:{path}"));
    assert!(Path::new(&ran_file).exists());
    let expected = [
        "OptionShadowsParameter allowedProvisioningOptions[0].key",
        "ParameterUnknown allowedProvisioningOptions[1].key",
    ];
    assert_eq!(found, expected);
    fs::remove_file(&ran_file).unwrap();
    kubectl_pv(&["validate", "-f", &class, "--offline"]).ran();
    assert!(!Path::new(&ran_file).exists());
    // One that gives no answer is served all the same, and nothing is said of its parameters.
    let broken = program(&folder, "echo broken >&2; exit 3");
    let backend = format!("example.com/scratch=exec:{broken}");
    let arguments = [
        "describe-class",
        "scratch",
        "-f",
        &class,
        "--backend",
        &backend,
    ];
    let ran = kubectl_pv(&arguments).ran();
    assert_eq!(ran.status, 0);
    assert!(
        ran.stderr.contains("its parameters are not judged"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("served by this machine (exec:"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("ParameterUnknown"), "{}", ran.stdout);
}

#[test]
fn a_program_gets_nothing_of_the_users_environment_but_what_is_meant_for_it() {
    let folder = Folder::new();
    let class = folder.path("class.yaml");
    let seen = folder.path("seen");
    let path = program(&folder, &format!("(env; echo args=$#) >'{seen}'; exit 3"));
    let backend = format!("example.com/scratch=exec:{path}");
    let run = kubectl_pv(&[
        "describe-class",
        "-f",
        &class,
        "--backend",
        &backend,
        "--token",
        "hunter2",
    ]);
    run.env("AWS_SECRET_ACCESS_KEY", "hunter2")
        .env("KUBECONFIG", "/hunter2")
        .env("HTTPS_PROXY", "http://me:hunter2@proxy")
        .env("KUBECTL_PV_POOL", "/pool")
        .env("PATH", "/usr/bin:/bin")
        .ran();
    let seen = fs::read_to_string(seen).unwrap();
    assert!(
        !seen.contains("hunter2") && seen.contains("args=0"),
        "{seen}"
    );
    assert!(seen.contains("KUBECTL_PV_POOL=/pool"), "{seen}");
}

fn suggested(folder: &Folder, what: &[&str], content: &str) -> Vec<String> {
    let file = write(folder, "cluster.yaml", content);
    let backend = format!(
        "example.com/scratch=nfs:files:/export@{}",
        folder.path("volumes")
    );
    let flags = ["-f", &file, "--backend", &backend, "-o", "json"];
    let told = kubectl_pv(&[&["explain"], what, &flags].concat()).json();
    let suggestions = told["suggestions"].as_array().unwrap().iter();
    let commands = suggestions.flat_map(|it| it["commands"].as_array().unwrap().iter());
    let commands = commands.map(|command| command.as_str().unwrap().to_owned());
    commands.collect()
}

#[test]
fn a_volume_is_offered_to_be_made_only_where_it_would_be_made() {
    let folder = Folder::new();
    let claim = ["data", "-n", "shop"];
    let makes = |commands: &[String]| {
        let mut commands = commands.iter();
        commands.any(|command| command.starts_with("kubectl pv provision data -n shop --backend "))
    };
    let refused = suggested(&folder, &claim, CLASS);
    assert!(!makes(&refused), "zone is none it takes: {refused:?}");
    let fine = CLASS.replace("labels: 'tier=gold', zone: east, uid: root", "uid: '0'");
    let made = suggested(&folder, &claim, &fine);
    assert!(makes(&made), "{made:?}");
}

#[test]
fn a_volume_is_offered_to_be_deleted_only_where_it_would_be_deleted() {
    let folder = Folder::new();
    fs::create_dir(folder.path("volumes/old")).unwrap();
    let released = "
apiVersion: v1
kind: PersistentVolume
metadata: {name: old, uid: v1, annotations: {pv.kubernetes.io/provisioned-by: example.com/scratch}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: scratch
  persistentVolumeReclaimPolicy: Delete
  nfs: {server: files, path: /export/old}
  claimRef: {namespace: shop, name: gone, uid: u0}
status: {phase: Released}
---
apiVersion: v1
kind: Pod
metadata: {name: idle, namespace: shop}
spec: {containers: [{name: c, image: c}]}
";
    let content = format!("{CLASS}---{released}");
    let deletes = |commands: &[String]| {
        let mut commands = commands.iter();
        commands.any(|command| command.starts_with("kubectl pv reclaim old --backend "))
    };
    let told = suggested(&folder, &["pv/old"], &content);
    assert!(deletes(&told), "{told:?}");
    let with_claim = "containers: [{name: c, image: c}], volumes: [{name: d, persistentVolumeClaim: {claimName: gone}}]";
    let used = content.replace("containers: [{name: c, image: c}]", with_claim);
    let told = suggested(&folder, &["pv/old"], &used);
    assert!(!deletes(&told), "{told:?}");
}

/// A signal ends the program of a backend too, with all that it has started.
#[test]
fn a_signal_ends_the_program_of_a_backend() {
    use rustix::process::{Pid, Signal, kill_process, test_kill_process};
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let pids = folder.path("pids");
    let program = program(
        &folder,
        &format!("sleep 300 & echo $$ $! >{pids}.new; mv {pids}.new {pids}; wait"),
    );
    let class = folder.path("class.yaml");
    let backend = format!("example.com/scratch=exec:{program}");
    let wait_for = |what: &str, is_so: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < Duration::from_secs(20), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    for signal in [Signal::TERM, Signal::INT] {
        for arguments in [
            &["describe-class", "scratch"][..],
            &["explain", "data", "-n", "shop"],
            &["provision", "data", "-n", "shop", "--dry-run"],
        ] {
            let _ = fs::remove_file(&pids);
            let all = [arguments, &["-f", &class, "--backend", &backend]].concat();
            let mut child = kubectl_pv(&all).command().spawn().unwrap();
            wait_for("the program runs", &|| Path::new(&pids).exists());
            let running: Vec<Pid> = fs::read_to_string(&pids)
                .unwrap()
                .split_whitespace()
                .filter_map(|pid| Pid::from_raw(pid.parse().unwrap()))
                .collect();
            assert_eq!(running.len(), 2);
            let us = Pid::from_child(&child);
            kill_process(us, signal).unwrap();
            let status = child.wait().unwrap();
            assert_eq!(status.code(), Some(130), "{arguments:?} {signal:?}");
            // What was killed may be a zombie until its new parent has seen it.
            let is_gone = |pid: &Pid| {
                let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
                test_kill_process(*pid).is_err() || stat.is_ok_and(|stat| stat.contains(") Z "))
            };
            wait_for("the program has ended", &|| running.iter().all(is_gone));
        }
    }
}
