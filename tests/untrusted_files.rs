//! What comes from outside is bounded: devices are not read, pipes and configuration have a largest size, and many documents cost
//! time in proportion.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::support::{TemporaryFolder, kubectl_pv};

#[test]
fn an_endless_device_is_not_read() {
    for arguments in [
        &["explain", "-A", "-f", "/dev/zero"][..],
        &["validate", "--offline", "-f", "/dev/zero"],
        &["explain", "-A", "--kubeconfig", "/dev/zero"],
        &["provision", "--backends", "/dev/zero", "--dry-run"],
    ] {
        let ran = kubectl_pv(arguments).ran();
        assert!(
            ran.stderr.contains("not a regular file or a pipe"),
            "{arguments:?}: {}",
            ran.stderr
        );
        assert!(
            [2, 3].contains(&ran.status),
            "{arguments:?}: {}",
            ran.status
        );
    }
    let program = env!("CARGO_BIN_EXE_kubectl-pv");
    let line = format!("exec '{program}' explain -A -f - </dev/zero");
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("not a regular file or a pipe"), "{said}");
}

#[test]
fn an_endless_token_file_or_large_kubeconfig_is_refused() {
    let folder = TemporaryFolder::new();
    let config = folder.path().join("config");
    let with = |user: serde_json::Value, padding: usize| {
        let config_text = json!({ "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{ "name": "c", "cluster": { "server": "https://127.0.0.1:1" } }],
            "users": [{ "name": "u", "user": user }], "x": "y".repeat(padding),
            "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "u" } }] });
        fs::write(&config, config_text.to_string()).unwrap();
        kubectl_pv(&["explain", "-A", "--kubeconfig", config.to_str().unwrap()]).ran()
    };
    let ran = with(json!({ "tokenFile": "/dev/zero" }), 0);
    assert!(
        ran.stderr
            .contains("token file: /dev/zero: not a regular file or a pipe"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.status, 3);
    let ran = with(json!({}), 2 << 20);
    assert!(ran.stderr.contains("larger than 1 MiB"), "{}", ran.stderr);
    assert_eq!(ran.status, 3);
}

/// CPU time of a run, without that of other processes.
fn cpu_time(text: &str) -> Duration {
    let program = env!("CARGO_BIN_EXE_kubectl-pv");
    let folder = TemporaryFolder::new();
    let file = folder.path().join("state.json");
    fs::write(&file, text).unwrap();
    let line = format!(
        "'{program}' explain -A -f '{}' >/dev/null 2>&1; times",
        file.display()
    );
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    // The second line is about the children: `0m0.123s 0m0.004s`.
    let user = printed.lines().nth(1).unwrap().split(' ').next().unwrap();
    let (minutes, seconds) = user.trim_end_matches('s').split_once('m').unwrap();
    let seconds: f64 = seconds.parse().unwrap();
    Duration::from_secs_f64(minutes.parse::<f64>().unwrap() * 60.0 + seconds)
}

#[test]
fn concatenated_documents_cost_time_in_proportion() {
    for document in [
        "{\"kind\":\"x\",\"a\":1}",
        "{\"kind\":\"Secret\"}\n",
        "{\"kind\":\"x\",\"kind\":\"y\"}",
    ] {
        let fastest = |count: usize| {
            let text = document.repeat(count);
            (0..3).map(|_| cpu_time(&text)).min().unwrap()
        };
        let (once, fourfold) = (fastest(25_000), fastest(100_000));
        // Eight times would be between linear and quadratic growth.
        let bound = 8 * once + Duration::from_millis(100);
        assert!(fourfold <= bound, "{document}: {once:?}, {fourfold:?}");
    }
}

/// A plugin that gives a token and leaves a trace.
fn plugin(folder: &TemporaryFolder, place: &str) -> String {
    let place = folder.path().join(place);
    fs::create_dir_all(&place).unwrap();
    let trace = folder.path().join("trace");
    let answer = r#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"x"}}"#;
    let program = place.join("get-credentials");
    fs::write(
        &program,
        format!(
            "#!/bin/sh\necho ran >'{}'\necho '{answer}'\n",
            trace.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    place.display().to_string()
}

#[test]
fn a_credential_plugin_is_never_taken_from_the_current_directory() {
    let folder = TemporaryFolder::new();
    let here = plugin(&folder, "here");
    let trace = folder.path().join("trace");
    let run = |path: &str, environment: serde_json::Value| {
        let config = folder.path().join("config");
        let config_text = json!({ "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{ "name": "c", "cluster": { "server": "https://127.0.0.1:1" } }],
            "users": [{ "name": "u", "user": { "exec": { "command": "get-credentials", "interactiveMode": "Never",
                "apiVersion": "client.authentication.k8s.io/v1", "env": environment } } }],
            "contexts": [{ "name": "c", "context": { "cluster": "c", "user": "u" } }] });
        fs::write(&config, config_text.to_string()).unwrap();
        let _ = fs::remove_file(&trace);
        kubectl_pv(&[
            "explain",
            "-A",
            "--request-timeout",
            "2s",
            "--kubeconfig",
            config.to_str().unwrap(),
        ])
        .within(std::path::Path::new(&here))
        .env("PATH", path)
        .ran()
    };
    for path in [
        ".:/usr/bin:/bin",
        ":/usr/bin:/bin",
        "/usr/bin:/bin:",
        "/usr/bin::/bin",
        "../here:/usr/bin",
    ] {
        let ran = run(path, json!([]));
        assert!(!trace.exists(), "{path}");
        assert!(
            ran.stderr.contains("is not run from the current directory"),
            "{path}: {}",
            ran.stderr
        );
        assert_eq!(ran.status, 3, "{path}");
    }
    let ran = run(
        "/usr/bin:/bin",
        json!([{ "name": "PATH", "value": here.as_str() }]),
    );
    assert!(!trace.exists());
    assert!(
        ran.stderr
            .contains("exec plugin `get-credentials` not found"),
        "{}",
        ran.stderr
    );
    // The control: with its folder in our own PATH it runs.
    let ran = run(&format!("{here}:/usr/bin:/bin"), json!([]));
    assert!(trace.exists(), "{}", ran.stderr);
}
