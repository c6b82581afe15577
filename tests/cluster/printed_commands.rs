//! kubectl itself understands every command that is printed: against a server that cannot be reached the error is about the
//! connection, never about usage.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use super::control_plane::ControlPlane;
use crate::printed_commands::printed_commands;
use crate::support::TemporaryFolder;

#[test]
#[ignore = "needs a control plane: tests/run"]
fn kubectl_understands_every_command() {
    let kubectl = ControlPlane::connect().asset("kubectl");
    let folder = TemporaryFolder::new();
    let wrapper = folder.path().join("kubectl");
    let script = format!(
        "#!/bin/sh\nexec '{}' --server http://127.0.0.1:1 \"$@\"\n",
        kubectl.display()
    );
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let commands = printed_commands();
    let of_kubectl = commands
        .iter()
        .filter(|command| !command.starts_with("kubectl pv "));
    let mut count = 0;
    for command in of_kubectl {
        count += 1;
        let output = Command::new("sh")
            .args(["-c", command])
            .env_clear()
            .env("PATH", &path)
            .env("HOME", folder.path())
            .env("KUBERC", "off")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{command}");
        assert!(said.contains("refused"), "{command}: {said}");
        for usage in [
            "Usage",
            "unknown flag",
            "unknown command",
            "required",
            "See 'kubectl",
        ] {
            assert!(!said.contains(usage), "{command}: {said}");
        }
    }
    assert!(count > 20, "{count}");
}
