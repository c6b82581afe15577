//! `reclaim --recycler-image` on files, and the pod's command on real directories: mounted as a kubelet would mount them, in a
//! mount namespace of the test's own (`unshare -rm`).

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{Ran, TemporaryFile, kubectl_pv};

const CLUSTER: &str = r#"
apiVersion: v1
kind: PersistentVolume
metadata:
  name: dir
  uid: uid-dir
  annotations: {pv.kubernetes.io/bound-by-controller: "yes"}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Recycle
  hostPath: {path: "/srv/a b;$(touch x)'"}
  claimRef: {namespace: prod, name: logs, uid: uid-logs}
status: {phase: Released}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: share, uid: uid-share}
spec:
  capacity: {storage: 2Gi}
  accessModes: [ReadWriteMany]
  persistentVolumeReclaimPolicy: Recycle
  nfs: {server: nas, path: /export/share}
  claimRef: {namespace: prod, name: files, uid: uid-files}
status: {phase: Released}
---
apiVersion: v1
kind: Pod
metadata: {name: app, namespace: prod}
spec:
  containers: [{name: app, image: app}]
---
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
"#;

fn reclaim(arguments: &[&str]) -> Ran {
    let file = TemporaryFile::new("cluster.yaml", CLUSTER);
    let mut all = vec!["reclaim", "-f", file.path()];
    all.extend(arguments);
    kubectl_pv(&all).ran()
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

const BY_POD: [&str; 2] = ["--recycler-image", "busybox:1.37"];

/// What is planned for a volume.
fn planned(volume: &str, more: &[&str]) -> Value {
    let mut all = vec![volume, "--dry-run", "-o", "json"];
    all.extend(BY_POD);
    all.extend(more);
    json_of(&reclaim(&all))
}

#[test]
fn the_plan_shows_the_whole_pod_and_where_data_is_lost() {
    let plan = planned("dir", &["--node", "n1", "--timeout", "10m"]);
    let changes = plan["changes"].as_array().unwrap();
    let steps: Vec<Value> = changes
        .iter()
        .map(|change| json!([change["action"], change["target"]["kind"], change["danger"]]))
        .collect();
    let step = |action, kind, danger| json!([action, kind, danger]);
    let expected = [
        step("Create", "Pod", "Harmless"),
        step("Patch", "PersistentVolume", "Reversible"),
        step("Wait", "Pod", "Harmless"),
        step("Wait", "PersistentVolume", "Harmless"),
        step("Patch", "Pod", "LosesData"),
        step("Wait", "Pod", "Harmless"),
        step("Wait", "Pod", "Harmless"),
        step("Delete", "Pod", "Harmless"),
        step("Patch", "PersistentVolume", "Harmless"),
        step("Patch", "PersistentVolume", "Harmless"),
    ];
    assert_eq!(steps, expected);
    let pod = &changes[0]["body"];
    assert_eq!(pod["metadata"]["namespace"], "kube-system");
    assert_eq!(pod["spec"]["activeDeadlineSeconds"], 600);
    let path = &pod["spec"]["volumes"][0]["hostPath"]["path"];
    assert_eq!(*path, "/srv/a b;$(touch x)'");
    assert!(!pod["spec"]["containers"].to_string().contains("touch"));

    let text = reclaim(&["dir", "--node", "n1", "--dry-run", BY_POD[0], BY_POD[1]]);
    assert_eq!(text.status, 0, "{}", text.stderr);
    insta::assert_snapshot!(format!("{}{}", text.stdout, text.stderr));
}

#[test]
fn a_directory_needs_a_node_and_a_share_none() {
    let unnamed = planned("dir", &[]);
    assert_eq!(unnamed["changes"], json!([]));
    assert_eq!(unnamed["skipped"][0]["code"], "NoRecycler");
    let message = unnamed["skipped"][0]["message"].as_str().unwrap();
    assert!(message.contains("n1 and n2") && message.contains("--node"));

    let share = planned("share", &["--recycler-namespace", "storage"]);
    let pod = &share["changes"][0]["body"];
    assert_eq!(pod["metadata"]["namespace"], "storage");
    let nfs = json!({ "server": "nas", "path": "/export/share" });
    assert_eq!(pod["spec"]["volumes"][0]["nfs"], nfs);
    assert!(pod["spec"]["affinity"].is_null());
    // Without an image it is the controller's, as it always was.
    let ran = reclaim(&["share", "--dry-run", "-o", "json"]);
    assert_eq!(json_of(&ran)["changes"], json!([]));
    assert_eq!(ran.status, 0);
}

#[test]
fn afterwards_the_volume_is_free_and_no_pod_is_left() {
    let ran = reclaim(&["dir", "--node", "n2", "-o", "json", BY_POD[0], BY_POD[1]]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let list = json_of(&ran);
    let items = list["items"].as_array().unwrap();
    let pods = items.iter().filter(|item| item["kind"] == "Pod");
    assert_eq!(pods.count(), 1, "only the one that was there");
    let mut volumes = items.iter();
    let dir = volumes
        .find(|item| item["metadata"]["name"] == "dir")
        .unwrap();
    assert_eq!(dir["metadata"]["annotations"], Value::Null);
    assert_eq!(dir["spec"]["claimRef"], Value::Null);
    assert_eq!(dir["spec"]["persistentVolumeReclaimPolicy"], "Recycle");
    assert_eq!(dir["status"]["phase"], "Available");
}

#[test]
fn flags_that_mean_nothing_without_an_image_are_wrong_usage() {
    for arguments in [
        &["dir", "--node", "n1"][..],
        &["dir", "--recycler-namespace", "x"],
        &["dir", "--recycler-image", ""],
        &["dir", "--recycler-image", "x", "--reuse"],
        &["dir", "--recycler-image", "x", "--set-policy", "Retain"],
    ] {
        let ran = reclaim(arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    }
}

/// A directory for a volume, a place to mount it, and something outside; gone with its value.
struct Yard {
    file: TemporaryFile,
}

impl Yard {
    fn new() -> Self {
        let yard = Self {
            file: TemporaryFile::new("yard", ""),
        };
        for name in ["volume", "mount", "outside"] {
            fs::create_dir(yard.path(name)).unwrap();
        }
        fs::write(yard.path("outside/kept"), "kept").unwrap();
        yard
    }

    fn path(&self, name: &str) -> PathBuf {
        Path::new(self.file.path()).with_file_name(name)
    }

    fn is_empty(&self) -> bool {
        fs::read_dir(self.path("volume")).unwrap().next().is_none()
    }

    /// Runs the pod's own command, with the directory mounted where the pod is told it is; `before` is done first.
    fn run(&self, before: &str) -> Output {
        let command = planned("dir", &["--node", "n1"])["changes"][0]["body"]["spec"]["containers"]
            [0]["command"]
            .clone();
        let words: Vec<&str> = command
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let [program, words @ .., mount] = &words[..] else {
            panic!("{words:?}");
        };
        assert_eq!(*mount, "/scrub");
        let script = format!("set -e\n{before}\nmount=$2\nshift 2\nexec \"$@\" \"$mount\"");
        Command::new("unshare")
            .args(["-rm", "/bin/sh", "-c", &script, "test"])
            .args([self.path("volume"), self.path("mount")])
            .arg(program)
            .args(words)
            .output()
            .expect("unshare (util-linux) is needed to test mount points")
    }
}

const MOUNT: &str = "mount --rbind \"$1\" \"$2\"";

#[test]
fn everything_goes_whatever_it_is_called_and_nothing_outside() {
    let yard = Yard::new();
    let volume = yard.path("volume");
    let names: [&[u8]; 11] = [
        b"plain",
        b".hidden",
        b"..double",
        b"-rf",
        b"--",
        b"a b",
        b"\n",
        b"line\nline",
        b"quote'\"$(touch x)`",
        b"\xff\xfe",
        b"*",
    ];
    for name in names {
        let name = std::ffi::OsStr::from_bytes(name);
        fs::write(volume.join(name), "data").unwrap();
        let below = volume.join("below").join(name);
        fs::create_dir_all(&below).unwrap();
        fs::write(below.join(name), "data").unwrap();
    }
    symlink(yard.path("outside"), volume.join("link")).unwrap();
    symlink(yard.path("outside/kept"), volume.join("below/link")).unwrap();
    symlink("/", volume.join("root")).unwrap();
    symlink("nowhere", volume.join("dangling")).unwrap();
    fs::hard_link(yard.path("outside/kept"), volume.join("hard")).unwrap();
    let deep: PathBuf = std::iter::repeat_n("d", 200).collect();
    fs::create_dir_all(volume.join(deep)).unwrap();
    fs::set_permissions(
        volume.join("below"),
        std::os::unix::fs::PermissionsExt::from_mode(0o000),
    )
    .unwrap();

    let ran = yard.run(MOUNT);
    assert!(ran.status.success(), "{ran:?}");
    assert!(yard.is_empty());
    assert!(volume.exists(), "the directory itself stays");
    let kept = fs::read_to_string(yard.path("outside/kept")).unwrap();
    assert_eq!(kept, "kept");
    // Empty already is as good.
    assert!(yard.run(MOUNT).status.success());
}

#[test]
fn what_is_mounted_inside_is_never_touched() {
    for inner in [
        // Of the same file system, which `-xdev` would not notice, and of another.
        "mount --bind \"$1/../outside\" \"$1/inner\"",
        "mount -t tmpfs none \"$1/inner\"",
    ] {
        let yard = Yard::new();
        fs::create_dir(yard.path("volume/inner")).unwrap();
        fs::write(yard.path("volume/file"), "data").unwrap();
        let ran = yard.run(&format!("{inner}\n{MOUNT}"));
        assert_eq!(ran.status.code(), Some(3), "{ran:?}");
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(said.contains("nothing was deleted"), "{said}");
        assert!(yard.path("volume/file").exists());
        assert!(yard.path("outside/kept").exists());
    }
}

#[test]
fn a_pod_without_its_volume_deletes_nothing() {
    let yard = Yard::new();
    fs::write(yard.path("mount/file"), "not the volume's").unwrap();
    let ran = yard.run("");
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    assert!(yard.path("mount/file").exists());
}

#[test]
fn what_cannot_be_deleted_is_no_success() {
    let yard = Yard::new();
    fs::write(yard.path("volume/file"), "data").unwrap();
    let read_only = "mount --bind \"$1\" \"$2\"\nmount -o remount,bind,ro \"$2\"";
    let ran = yard.run(read_only);
    assert_eq!(ran.status.code(), Some(1), "{ran:?}");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(said.contains("could not be deleted"), "{said}");
    assert!(!yard.is_empty());
}
