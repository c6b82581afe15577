//! The control plane that `tests/run` hands to a test, which has all of it to itself: users, clients,
//! `kubectl`, and the controller and the scheduler, which each test starts and stops as it needs them.
//! What travels over the client is in `objects.rs`; how a process ends is in `running.rs`.

use std::env;
use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::thread;
use std::time::Duration;

use http::Request;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::faults::api::Api;
use super::leftovers::delete_leftovers;
use super::running::Running;

/// The PV controller, and those around it that concern storage.
pub(super) const CONTROLLERS: &str = "persistentvolume-binder-controller,\
     persistentvolume-protection-controller,persistentvolumeclaim-protection-controller,\
     ephemeral-volume-controller,namespace-controller,resourcequota-controller";
const BINDER: &str = "persistentvolume-binder-controller";

/// How often the PV controller syncs all claims and volumes. Short, because tests wait for syncs.
const SYNC_PERIOD: Duration = Duration::from_millis(500);
/// How long one sync may take on a busy machine.
const SLACK: Duration = Duration::from_secs(1);
/// No change for so long: the controller has synced everything once and had nothing to do.
pub(crate) const QUIET: Duration = SYNC_PERIOD.saturating_add(SLACK);
/// The same for work that takes two syncs, of a claim and of its volume.
pub(crate) const QUIET_TWICE: Duration = QUIET.saturating_add(SYNC_PERIOD);

const CONTROLLER_FLAGS: &[&str] = &[
    "--leader-elect=false",
    "--enable-hostpath-provisioner",
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
    /// Finds the control plane that `tests/run` has started, and empties it once in each process.
    pub(crate) fn connect() -> Self {
        static EMPTIED: Once = Once::new();
        let plane = Self {
            assets: folder_named_by("KUBEBUILDER_ASSETS"),
            folder: folder_named_by("KUBECTL_PV_TEST_CLUSTER"),
        };
        EMPTIED.call_once(|| {
            delete_leftovers(plane.api());
            let system = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "kube-system" } });
            let found = plane.api().find(&system).expect("the namespace kube-system");
            let uid = found["metadata"]["uid"].as_str().expect("a uid");
            CLUSTER_UID.get_or_init(|| uid.to_owned());
        });
        plane
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

    /// Creates the objects of one or more YAML documents, or changes those that exist.
    pub(crate) fn apply(&self, yaml: &str) {
        let documents: Vec<Value> = serde_saphyr::from_multiple(yaml).expect("read YAML");
        for document in documents {
            let items = document["items"].as_array().cloned();
            for mut object in items.unwrap_or_else(|| vec![document]) {
                add_default_namespace(&mut object);
                self.api().apply(&object);
            }
        }
    }

    /// Creates a namespace.
    pub(crate) fn namespace(&self, name: &str) {
        self.api().create(
            &json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }),
        );
    }

    /// The API server as plain HTTP on loopback, with an administrator's rights: one proxy for the whole plane.
    pub(crate) fn proxy_address(&self) -> SocketAddr {
        let path = self.folder.join("proxy-port");
        let port = fs::read_to_string(&path).expect("read the proxy's port");
        SocketAddr::from(([127, 0, 0, 1], port.trim().parse().expect("a port")))
    }

    /// A client that blocks.
    pub(crate) fn api(&self) -> Api {
        Api::new(self.proxy_address())
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
        flags.push(format!(
            "--pvclaimbinder-sync-period={}ms",
            SYNC_PERIOD.as_millis()
        ));
        flags.push(format!("--controllers={names}"));
        let key = self.folder.join("sa.key");
        flags.push(format!(
            "--service-account-private-key-file={}",
            key.display()
        ));
        flags.extend(extra_flags.iter().map(ToString::to_string));
        let (mut running, _) = self.start("kube-controller-manager", flags);
        self.await_first_sync(&mut running);
        running
    }

    /// Waits until the PV controller has given a volume its phase: it reports healthy long before, and on a slow machine a
    /// controller that has not begun cannot be told from one that has finished.
    fn await_first_sync(&self, controller: &mut Running) {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Of a class that no claim names.
        let volume = json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": { "name": format!("first-sync-{}-{number}", std::process::id()) },
            "spec": {
                "storageClassName": "first-sync", "capacity": { "storage": "1" },
                "accessModes": ["ReadWriteOnce"], "persistentVolumeReclaimPolicy": "Retain",
                "hostPath": { "path": "/nowhere" },
            },
        });
        let api = self.api();
        api.create(&volume);
        controller.wait_until(|| {
            let found = api.find(&volume).unwrap_or_default();
            found["status"]["phase"] == "Available"
        });
        api.delete(&volume);
    }

    /// Starts kube-scheduler. It answers `/readyz` only after it has read all objects once.
    pub(crate) fn start_scheduler(&self) -> Running {
        let flags = SCHEDULER_FLAGS.iter().map(ToString::to_string);
        let (mut running, port) = self.start("kube-scheduler", flags.collect());
        running.wait_until(|| answers(port, "/readyz"));
        running
    }

    /// The process, and the port it serves its health on.
    fn start(&self, program: &str, flags: Vec<String>) -> (Running, u16) {
        let port = free_port();
        let mut command = Command::new(self.assets.join(program));
        command
            .arg("--kubeconfig")
            .arg(self.kubeconfig("admin"))
            .arg("--bind-address=127.0.0.1")
            .arg(format!("--secure-port={port}"))
            .args(flags)
            // Memory is cheaper than processors here: no garbage collection up to the limit.
            .envs([("GOGC", "off"), ("GOMEMLIMIT", "1GiB")]);
        (Running::start(command, program, &self.folder), port)
    }
}

static CLUSTER_UID: OnceLock<String> = OnceLock::new();

/// The uid of the namespace kube-system, by which the cluster is known; after [`ControlPlane::connect`].
pub(crate) fn cluster_uid() -> &'static str {
    CLUSTER_UID.get().expect("connected before")
}

/// As kubectl does: a namespaced object without a namespace belongs to `default`.
fn add_default_namespace(object: &mut Value) {
    const NAMESPACED: [&str; 12] = [
        "ConfigMap",
        "CronJob",
        "CSIStorageCapacity",
        "Deployment",
        "LimitRange",
        "PersistentVolumeClaim",
        "Pod",
        "ResourceQuota",
        "Role",
        "RoleBinding",
        "ServiceAccount",
        "StatefulSet",
    ];
    let kind = object["kind"].as_str();
    let is_namespaced = kind.is_some_and(|kind| NAMESPACED.contains(&kind));
    if is_namespaced && object["metadata"]["namespace"].is_null() {
        object["metadata"]["namespace"] = json!("default");
    }
}

/// Does the process on this port answer with success? Its certificate is created at its start and known to no client.
fn answers(port: u16, path: &str) -> bool {
    let url = format!("https://127.0.0.1:{port}").parse().expect("a URL");
    let mut config = Config::new(url);
    config.accept_invalid_certs = true;
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(2));
    config.read_timeout = Some(Duration::from_secs(2));
    let request = Request::get(path).body(Vec::new()).expect("a request");
    // A thread, because the caller may be inside a runtime already.
    let asked = thread::spawn(move || {
        runtime().block_on(async {
            let client = Client::try_from(config).expect("create a client");
            client.request_text(request).await.is_ok()
        })
    });
    asked.join().expect("ask for readiness")
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

/// A port on which no process listens. It is below the range that the kernel uses for outgoing connections: a port of that
/// range can be taken before the process that is started has bound it.
fn free_port() -> u16 {
    const FIRST: u16 = 10_000;
    const COUNT: u16 = 20_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = u16::try_from(std::process::id() % 2_000).expect("below 2,000") * 10;
    let mut candidates =
        (0..COUNT).map(|_| FIRST + own.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % COUNT);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    candidates
        .find(is_free)
        .expect("one of 20,000 ports is free")
}
