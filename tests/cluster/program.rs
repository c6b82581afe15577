//! Our program against the control plane: as a user of it, through `kubectl`, and by what it prints.

use std::path::PathBuf;
use std::process::Command;

use super::control_plane::ControlPlane;
use crate::support::{Run, kubectl_pv};

impl ControlPlane {
    /// The program as `user`.
    pub(crate) fn kubectl_pv(&self, user: &str, arguments: &[&str]) -> Run {
        let kubeconfig = self.kubeconfig(user);
        let mut all = arguments.to_vec();
        let path = kubeconfig.to_str().expect("a path in plain text");
        all.extend(["--kubeconfig", path]);
        kubectl_pv(&all)
    }

    /// `kubectl` with the program on its PATH, under its own name and under that for completion.
    pub(crate) fn kubectl_with_plugin(&self, arguments: &[&str]) -> (String, String, i32) {
        let plugins = Plugins::link();
        let path = format!("{}:/usr/bin:/bin", plugins.folder.display());
        let output = Command::new(self.asset("kubectl"))
            .args(arguments)
            .env_clear()
            .env("PATH", path)
            .env("HOME", "/nonexistent")
            .env("KUBERC", "off")
            .env("KUBECONFIG", self.kubeconfig("admin"))
            .output()
            .expect("run kubectl");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("kubectl prints text");
        (
            text(output.stdout),
            text(output.stderr),
            output.status.code().unwrap_or(-1),
        )
    }
}

/// A folder with links to the program, gone with its value.
struct Plugins {
    folder: PathBuf,
}

impl Plugins {
    fn link() -> Self {
        let folder =
            std::env::temp_dir().join(format!("kubectl-pv-plugins-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("make a folder for links");
        for name in ["kubectl-pv", "kubectl_complete-pv"] {
            let link = folder.join(name);
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kubectl-pv"), link)
                .expect("link the program");
        }
        Self { folder }
    }
}

impl Drop for Plugins {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
