//! Which backends can be opened, side by side, and which sources are whose.

use super::*;
use std::os::unix::fs::symlink;

fn open_all(texts: &[String]) -> Result<Backends, String> {
    let configured = texts.iter().map(|text| Configuration::parse(text).unwrap());
    Backends::open(configured, &settings()).map_err(|error| error.to_string())
}

#[test]
fn a_target_that_is_not_there_is_found_at_the_start() {
    let scratch = Scratch::new();
    let precious = scratch.path("bystander/precious");
    let missing = scratch.path("missing");
    for (target, part) in [
        (
            format!("hostpath:{}", missing.display()),
            "there is no directory",
        ),
        (
            format!("hostpath:{}", precious.display()),
            "is not a directory",
        ),
        (
            format!("nfs:filer:/export@{}", missing.display()),
            "there is no directory",
        ),
        (format!("exec:{}", missing.display()), "No such file"),
        (
            format!("exec:{}", precious.display()),
            "is not a program that can be run",
        ),
        (
            format!("exec:{}", scratch.base().display()),
            "is not a program that can be run",
        ),
    ] {
        let error = open_all(&[format!("{PROVISIONER}={target}")]).unwrap_err();
        assert!(
            error.contains(part) && error.contains(PROVISIONER),
            "{error}"
        );
    }
}

#[test]
fn two_that_could_get_in_each_others_way_are_refused() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("base/inner")).unwrap();
    fs::create_dir(scratch.path("base2")).unwrap();
    symlink(scratch.path("base/inner"), scratch.path("link")).unwrap();
    let dir = |name: &str| scratch.path(name).display().to_string();
    let one = format!("example.com/one=hostpath:{}", dir("base"));
    for (other, part) in [
        (
            format!("example.com/one=hostpath:{}", dir("base2")),
            "two backends of the name",
        ),
        (
            format!("example.com/two=hostpath:{}", dir("base")),
            "lies inside",
        ),
        (
            format!("example.com/two=hostpath:{}", dir("base/inner")),
            "lies inside",
        ),
        (
            format!("example.com/two=hostpath:{}", dir("link")),
            "lies inside",
        ),
        (
            format!("example.com/two=nfs:filer:/export@{}", dir("base/inner")),
            "lies inside",
        ),
    ] {
        for both in [[one.clone(), other.clone()], [other.clone(), one.clone()]] {
            let error = open_all(&both).unwrap_err();
            assert!(error.contains(part), "{both:?}: {error}");
        }
    }
    let exports = |second: &str| {
        open_all(&[
            format!("example.com/one=nfs:filer:/export@{}", dir("base")),
            format!("example.com/two=nfs:{second}@{}", dir("base2")),
        ])
    };
    assert!(exports("filer:/export/sub").is_err());
    assert!(exports("filer:/").is_err());
    assert!(exports("filer:/export2").is_ok());
    assert!(exports("other:/export/sub").is_ok());
    assert!(open_all(&[one, format!("example.com/two=hostpath:{}", dir("base2"))]).is_ok());
}

#[test]
fn each_source_has_at_most_one_backend() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("mounted")).unwrap();
    let base = scratch.base().display().to_string();
    let backends = open_all(&[
        format!("example.com/host=hostpath:{base}"),
        format!(
            "example.com/nfs=nfs:filer:/export@{}",
            scratch.path("mounted").display()
        ),
    ])
    .unwrap();
    assert!(!backends.is_empty());
    assert_eq!(backends.iter().count(), 2);
    assert_eq!(backends.iter().filter_map(Backend::warning).count(), 1);
    assert!(backends.find("example.com/hos").is_none());
    let host = backends.find("example.com/host").unwrap();
    assert!(matches!(host.target(), Target::HostPath { .. }));
    let csi = ["example.com/csi=csi:unix:///run/csi.sock".to_owned()];
    let error = open_all(&csi).unwrap_err();
    assert!(error.contains("not built yet"), "{error}");
    let place = |source: Value| {
        backends
            .find_by_source(&source)
            .map(|(backend, place)| (backend.provisioner(), place))
    };
    let asset = |name: &str| Place::Asset(AssetName::find(name).unwrap());
    let host = |path: String| place(json!({"hostPath": {"path": path}}));
    assert_eq!(
        host(format!("{base}/pvc-1")),
        Some(("example.com/host", asset("pvc-1")))
    );
    for path in [
        "",
        "/",
        "/.",
        "/a/b",
        "/a/",
        "/../base/a",
        "/.kubectl-pv",
        "/a/../b",
        "//a",
    ] {
        assert_eq!(
            host(format!("{base}{path}")),
            Some(("example.com/host", Place::NotAnAsset)),
            "{path}"
        );
    }
    // What leads in from elsewhere is near enough to be left alone, and said.
    assert_eq!(
        host(format!("/elsewhere/..{base}/a")),
        Some(("example.com/host", Place::NotAnAsset))
    );
    assert_eq!(host(format!("{base}2/a")), None);
    assert_eq!(host("/srv".to_owned()), None);
    let nfs = |server: &str, path: &str| place(json!({"nfs": {"server": server, "path": path}}));
    assert_eq!(
        nfs("filer", "/export/pvc-1"),
        Some(("example.com/nfs", asset("pvc-1")))
    );
    assert_eq!(
        nfs("filer", "/export"),
        Some(("example.com/nfs", Place::NotAnAsset))
    );
    assert_eq!(nfs("other", "/export/pvc-1"), None);
    assert_eq!(nfs("filer", "/pvc-1"), None);
    assert_eq!(place(json!({"csi": {"driver": "x"}})), None);
}

#[test]
fn the_root_may_be_exported() {
    assert_eq!(
        Place::of_path("/", "/pvc-1"),
        Place::Asset(AssetName::find("pvc-1").unwrap())
    );
    assert_eq!(Place::of_path("/", "/"), Place::NotAnAsset);
    assert_eq!(Place::of_path("/", "/a/b"), Place::NotAnAsset);
    assert_eq!(Place::of_path("/export", "pvc-1"), Place::Elsewhere);
}

/// What people copy from there works.
#[test]
fn the_readme_of_the_examples_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/backends/README.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, rest) = text.split_once("```yaml\n").unwrap();
    let (file, _) = rest.split_once("```").unwrap();
    let mut kinds = Vec::new();
    for line in file.lines() {
        let (pair, _) = line.split_once(" #").unwrap();
        let (provisioner, target) = pair.trim().split_once(": ").unwrap();
        let configured = Configuration::of_pair(provisioner, target).unwrap();
        assert_eq!(configured.target.to_string(), target);
        kinds.push(target.split(':').next().unwrap());
    }
    assert_eq!(kinds, ["hostpath", "nfs", "exec"]);
    for known in directory_keys().parameters {
        let row = format!("`{}`", known.key);
        assert!(text.contains(&row), "{row}");
    }
}
