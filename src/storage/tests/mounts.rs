//! File systems mounted inside an asset, in a mount namespace of the test's own (`unshare -rm`).

use super::*;
use crate::model::asset::{AssetObstacle, Readiness};
use std::process::Command;

const BASE: &str = "KUBECTL_PV_TEST_SCRATCH";

/// Runs one of the tests below where mounting is allowed and nobody else sees it.
fn in_own_namespace(test: &str, scratch: &Scratch) {
    let program = std::env::current_exe().unwrap();
    let ran = Command::new("unshare")
        .arg("-rm")
        .arg(program)
        .args([
            "--exact",
            &format!("storage::tests::mounts::{test}"),
            "--ignored",
            "--nocapture",
        ])
        .env(BASE, &scratch.0)
        .output()
        .expect("unshare (util-linux) is needed to test mount points");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(
        ran.status.success(),
        "in `unshare -rm`, which this test needs: {said}"
    );
    assert!(said.contains("1 passed"), "the test did not run: {said}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "handed over by the test that started this one"
)]
fn handed_over() -> Scratch {
    Scratch(PathBuf::from(
        std::env::var_os(BASE).expect("run by its parent test"),
    ))
}

fn mount(args: &[&str], at: &Path) {
    assert!(
        Command::new("mount")
            .args(args)
            .arg(at)
            .status()
            .unwrap()
            .success()
    );
}

#[test]
fn what_is_mounted_inside_is_neither_entered_nor_touched() {
    let scratch = Scratch::new();
    in_own_namespace("inside", &scratch);
    scratch.assert_bystander_untouched();
}

#[test]
#[ignore = "run by its parent, in a namespace of its own"]
fn inside() {
    let scratch = std::mem::ManuallyDrop::new(handed_over());
    let backend = scratch.hostpath();
    create(&backend, &request("pvc-1", "u1")).unwrap();
    let asset = scratch.asset("pvc-1");
    for name in ["tmpfs", "deep/bind", "files"] {
        fs::create_dir_all(asset.join(name)).unwrap();
    }
    fs::write(asset.join("files/bound"), "").unwrap();
    fs::write(asset.join("files/plain"), "").unwrap();
    mount(&["-t", "tmpfs", "none"], &asset.join("tmpfs"));
    fs::write(asset.join("tmpfs/kept"), "data").unwrap();
    // Of the same file system: only the mount itself shows that it is one.
    let bystander = scratch.path("bystander").display().to_string();
    mount(&["--bind", &bystander], &asset.join("deep/bind"));
    mount(
        &["--bind", &format!("{bystander}/precious")],
        &asset.join("files/bound"),
    );
    // Known before the lock, so that no object is deleted for it.
    let found = backend.readiness(&scratch.volume("pvc-1").source);
    let Readiness::Refused {
        obstacle: AssetObstacle::InUse,
        message,
    } = &found
    else {
        panic!("{found:?}");
    };
    assert!(message.contains("a file system is mounted at"), "{message}");
    for result in [
        scrub(&backend, &scratch.volume("pvc-1")),
        delete(&backend, &scratch.volume("pvc-1")).map(drop),
    ] {
        let error = result.unwrap_err();
        let StorageError::Remains { left, total: 3, .. } = &error else {
            panic!("{error}");
        };
        let mut paths: Vec<&Path> = left
            .0
            .iter()
            .map(|left| left.path.strip_prefix(&asset).unwrap())
            .collect();
        paths.sort();
        assert_eq!(paths, ["deep/bind", "files/bound", "tmpfs"].map(Path::new));
        assert!(error.to_string().contains("mounted there"), "{error}");
        assert_eq!(names(&asset.join("tmpfs")), ["kept"]);
        assert_eq!(names(&asset.join("files")), ["bound"]);
        scratch.assert_bystander_untouched();
    }
    // An asset that is a mount itself.
    fs::create_dir(scratch.asset("pvc-2")).unwrap();
    mount(&["--bind", &bystander], &scratch.asset("pvc-2"));
    for result in [
        scrub(&backend, &scratch.volume("pvc-2")),
        delete(&backend, &scratch.volume("pvc-2")).map(drop),
    ] {
        assert!(
            result
                .unwrap_err()
                .to_string()
                .contains("a file system of its own")
        );
    }
    scratch.assert_bystander_untouched();
}
