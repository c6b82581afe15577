//! Where command lines of the pages are run: the examples of the repository, stand-ins for the files and folders that readers
//! have, and no cluster. A command that answers, or gets as far as to miss the cluster, was accepted.

use super::page::repository;
use crate::support::{Ran, TemporaryFolder, kubectl_pv};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Files that readers have, and what stands for them here.
const STAND_INS: [(&str, &str); 7] = [
    ("chart.yaml", "examples/chart.yaml"),
    ("class.yaml", "examples/options/slow.yaml"),
    ("cluster.yaml", "examples/provision/cluster.yaml"),
    ("dump.yaml", "examples/stuck-claim.yaml"),
    ("pools.yaml", "examples/pools/cluster.yaml"),
    ("pv.yaml", "tests/clusters/whatif-volume.yaml"),
    ("manifests/chart.yaml", "examples/chart.yaml"),
];

/// Folders of this machine that pages give to backends, and what stands for them here.
const VOLUMES: &str = "/srv/volumes";
const MOUNTED: &str = "/mnt/k8s";
const PROGRAM: &str = "/usr/local/libexec/directories";

/// A folder to run command lines in.
pub(super) struct Sandbox {
    folder: TemporaryFolder,
}

impl Sandbox {
    pub(super) fn new() -> Self {
        let folder = TemporaryFolder::new();
        for shared in ["examples", "deploy"] {
            symlink(repository().join(shared), folder.path().join(shared)).unwrap();
        }
        for created in ["manifests", "volumes", "mounted"] {
            fs::create_dir(folder.path().join(created)).unwrap();
        }
        for (name, original) in STAND_INS {
            fs::copy(repository().join(original), folder.path().join(name)).unwrap();
        }
        let sandbox = Self { folder };
        let backends = sandbox.standing_in("example.com/scratch: hostpath:/srv/volumes\n");
        sandbox.write("backends.yaml", &backends);
        sandbox
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder().join(name), text).unwrap();
    }

    /// The same text with the folders that exist here.
    pub(super) fn standing_in(&self, text: &str) -> String {
        let here = |name: &str| self.folder().join(name).display().to_string();
        let program = repository().join("examples/backends/directories");
        text.replace(VOLUMES, &here("volumes"))
            .replace(MOUNTED, &here("mounted"))
            .replace(PROGRAM, &program.display().to_string())
    }

    /// Runs the program with these arguments; what a pipe would bring it is a claim that is stuck.
    pub(super) fn run(&self, arguments: &[String]) -> Ran {
        let arguments: Vec<String> = arguments.iter().map(|it| self.standing_in(it)).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let piped = fs::read_to_string(repository().join("examples/stuck-claim.yaml")).unwrap();
        kubectl_pv(&arguments)
            .within(self.folder())
            .stdin(&piped)
            .ran()
    }

    /// What is wrong with these arguments, if anything is.
    pub(super) fn refuses(&self, arguments: &[String]) -> Option<String> {
        let mut arguments = arguments.to_vec();
        // These would change the folder of the program, or wait for a person: parsing them is all there is to test.
        let is_installing = arguments == ["completion", "install"];
        if is_installing || arguments.iter().any(|it| it == "--interactive") {
            arguments.push("--help".to_owned());
        }
        let ran = self.run(&arguments);
        let misses_the_cluster = ran.status == 3 && ran.stderr.contains("no cluster is configured");
        let is_answered = matches!(ran.status, 0 | 1 | 5);
        let shown = format!("status {}: {}", ran.status, ran.stderr);
        (!is_answered && !misses_the_cluster).then_some(shown)
    }
}

#[test]
fn what_is_misspelt_is_refused() {
    let sandbox = Sandbox::new();
    let refuses = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        sandbox.refuses(&words).is_some()
    };
    for accepted in [
        "status",
        "explain data-0 -n prod -f -",
        "bind -A --dry-run",
        "completion install",
        "set reconcile --watch --backends backends.yaml",
        "reclaim pv-7 --backend example.com/scratch=hostpath:/srv/volumes",
    ] {
        assert!(!refuses(accepted), "{accepted}");
    }
    for refused in [
        "stauts",
        "status --lables",
        "explain data-0 -f examples/no-such-file.yaml",
        "explain data-0 --rules v0",
        "bind data-0 --force",
        "completion install --no-such-flag",
        "reclaim pv-7 --backend example.com/scratch=hostpath:/no/such/folder",
    ] {
        assert!(refuses(refused), "{refused}");
    }
}
