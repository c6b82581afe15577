//! The way into the control plane that `tests/run` keeps for the whole run: users, `kubectl`, a
//! client, and the controller and the scheduler, which each test has only for as long as it wants.
//! What travels over the client is in `objects.rs`; how a process ends is in `running.rs`.

use std::env;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use super::running::Running;

/// The PV controller, and those around it that concern storage.
const CONTROLLERS: &str = "persistentvolume-binder-controller,\
     persistentvolume-protection-controller,persistentvolumeclaim-protection-controller,\
     ephemeral-volume-controller,namespace-controller,resourcequota-controller";
const BINDER: &str = "persistentvolume-binder-controller";

/// At a pace for tests.
const CONTROLLER_FLAGS: &[&str] = &[
    "--leader-elect=false",
    "--enable-hostpath-provisioner",
    "--pvclaimbinder-sync-period=2s",
    "--kube-api-qps=2000",
    "--kube-api-burst=4000",
];

/// As fast as the controller: a hundred pods are a few hundred requests.
const SCHEDULER_FLAGS: &[&str] = &[
    "--leader-elect=false",
    "--kube-api-qps=2000",
    "--kube-api-burst=4000",
];

/// The running control plane and the folders it lives in.
pub(crate) struct ControlPlane {
    assets: PathBuf,
    folder: PathBuf,
}

impl ControlPlane {
    /// Finds the control plane that `tests/run` has started.
    pub(crate) fn connect() -> Self {
        Self {
            assets: folder_named_by("KUBEBUILDER_ASSETS"),
            folder: folder_named_by("KUBECTL_PV_TEST_CLUSTER"),
        }
    }

    /// The kubeconfig of `admin`, `developer`, `reader` or `nobody`. RBAC gives all but the
    /// administrator nothing until a test does.
    pub(crate) fn kubeconfig(&self, user: &str) -> PathBuf {
        self.folder.join(format!("{user}.kubeconfig"))
    }

    /// A program of this release.
    pub(crate) fn asset(&self, name: &str) -> PathBuf {
        self.assets.join(name)
    }

    /// Runs the `kubectl` of this release as administrator; a later `--kubeconfig` wins.
    pub(crate) fn kubectl(&self, args: &[&str]) -> Output {
        self.kubectl_with_stdin(args, "")
    }

    /// As [`Self::kubectl`], with something to read.
    pub(crate) fn kubectl_with_stdin(&self, args: &[&str], stdin: &str) -> Output {
        let mut kubectl = Command::new(self.assets.join("kubectl"))
            .arg("--kubeconfig")
            .arg(self.kubeconfig("admin"))
            .args(args)
            .env("KUBECACHEDIR", self.folder.join("cache"))
            .env("KUBERC", "off")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start kubectl");
        let mut pipe = kubectl.stdin.take().expect("stdin was asked for");
        thread::scope(|scope| {
            // Beside the reading: both pipes may fill up. A kubectl that does not read is no
            // failure of this write; its exit code tells.
            scope.spawn(move || drop(pipe.write_all(stdin.as_bytes())));
            kubectl.wait_with_output().expect("wait for kubectl")
        })
    }

    /// `kubectl apply` of one or more documents, which must succeed.
    pub(crate) fn apply(&self, yaml: &str) {
        let output = self.kubectl_with_stdin(&["apply", "-f", "-"], yaml);
        assert!(
            output.status.success(),
            "kubectl apply: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Creates a namespace.
    pub(crate) fn namespace(&self, name: &str) {
        let output = self.kubectl(&["create", "namespace", name]);
        assert!(
            output.status.success(),
            "create namespace: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// The administrator's client. It never retries: a test wants to see the first answer.
    pub(crate) async fn client(&self) -> Client {
        let kubeconfig = Kubeconfig::read_from(self.kubeconfig("admin")).expect("read kubeconfig");
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
            .await
            .expect("use kubeconfig");
        config.default_retry = false;
        config.proxy_url = None;
        Client::try_from(config).expect("make a client")
    }

    /// Starts kube-controller-manager with the controllers that concern storage.
    pub(crate) fn start_controller(&self) -> Running {
        self.start_controller_with(&[])
    }

    /// As [`Self::start_controller`], with more flags, which win over the usual ones.
    pub(crate) fn start_controller_with(&self, extra_flags: &[&str]) -> Running {
        self.start_controllers(CONTROLLERS, extra_flags)
    }

    /// The PV controller without the others, which would protect or create claims.
    pub(crate) fn start_binder(&self) -> Running {
        self.start_controllers(BINDER, &[])
    }

    fn start_controllers(&self, names: &str, extra_flags: &[&str]) -> Running {
        let mut flags: Vec<String> = CONTROLLER_FLAGS.iter().map(ToString::to_string).collect();
        flags.push(format!("--controllers={names}"));
        let key = self.folder.join("sa.key");
        flags.push(format!(
            "--service-account-private-key-file={}",
            key.display()
        ));
        flags.extend(extra_flags.iter().map(ToString::to_string));
        let mut running = self.start("kube-controller-manager", flags, "/healthz");
        self.await_first_look(&mut running);
        running
    }

    /// Waits until the PV controller has seen a volume: it says that it is healthy long before, and on a slow machine one that
    /// has not begun looks like one that is done.
    fn await_first_look(&self, controller: &mut Running) {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("first-look-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        // Of a class that no claim names.
        let volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": { "name": name },
            "spec": {
                "storageClassName": "first-look", "capacity": { "storage": "1" },
                "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
                "hostPath": { "path": "/nowhere" },
            },
        });
        self.apply(&volume.to_string());
        let phase = ["get", "pv", &name, "-o", "jsonpath={.status.phase}"];
        controller.wait_until(|| self.kubectl(&phase).stdout == b"Available");
        self.kubectl(&["delete", "pv", &name, "--wait=false"]);
        let freed = r#"{ "metadata": { "finalizers": null } }"#;
        self.kubectl(&["patch", "pv", &name, "--type=merge", "-p", freed]);
    }

    /// Starts kube-scheduler. It answers `/readyz` only after it has seen all objects once.
    pub(crate) fn start_scheduler(&self) -> Running {
        let flags = SCHEDULER_FLAGS.iter().map(ToString::to_string);
        self.start("kube-scheduler", flags.collect(), "/readyz")
    }

    /// The API server as plain HTTP on loopback, with the rights of `user`, and where it is.
    pub(crate) fn start_kubectl_proxy(&self, user: &str) -> (Running, SocketAddr) {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let mut command = Command::new(self.assets.join("kubectl"));
        command
            .arg("proxy")
            .arg("--kubeconfig")
            .arg(self.kubeconfig(user))
            .arg(format!("--port={}", address.port()))
            .env("KUBERC", "off");
        let mut running = Running::start(command, "kubectl-proxy", &self.folder);
        running.wait_until(|| TcpStream::connect(address).is_ok());
        (running, address)
    }

    fn start(&self, program: &str, flags: Vec<String>, ready_path: &str) -> Running {
        let port = free_port();
        let mut command = Command::new(self.assets.join(program));
        command
            .arg("--kubeconfig")
            .arg(self.kubeconfig("admin"))
            .arg("--bind-address=127.0.0.1")
            .arg(format!("--secure-port={port}"))
            .args(flags);
        let mut running = Running::start(command, program, &self.folder);
        let server = format!("--server=https://127.0.0.1:{port}");
        // Its certificate is made at its start and known to nobody.
        let probe = [
            &server,
            "--insecure-skip-tls-verify",
            "--request-timeout=2s",
            "get",
            "--raw",
            ready_path,
        ];
        running.wait_until(|| self.kubectl(&probe).status.success());
        running
    }
}

/// A runtime for one test; nothing in it outlives the test.
pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("start a runtime")
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests/run hands the cluster over this way"
)]
fn folder_named_by(variable: &str) -> PathBuf {
    match env::var_os(variable) {
        Some(folder) => PathBuf::from(folder),
        None => panic!(
            "{variable} is not set: these tests need a control plane, run them with `tests/run --only-cluster`"
        ),
    }
}

/// A port nobody listens on, from the kernel.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("ask for a free port");
    listener
        .local_addr()
        .expect("a bound socket has an address")
        .port()
}
