//! A base directory for tests, with a backend that makes directories in it.

use super::{Backends, Configuration, RunFacts, Settings};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const CLUSTER: &str = "cluster-1";

/// Stamps a base directory, as the first asset does.
pub(crate) fn stamp(base: &Path) {
    fs::create_dir(base.join(".kubectl-pv")).unwrap();
    fs::write(base.join(".kubectl-pv/cluster"), CLUSTER).unwrap();
}

/// Makes an empty base directory and opens its backend; whoever asks for it removes it.
pub(crate) fn open_base(what: &str, provisioner: &str) -> (PathBuf, Backends) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("kubectl-pv-{what}-{}-{number}", std::process::id());
    let base = std::env::temp_dir().join(name);
    let _ = fs::remove_dir_all(&base);
    fs::create_dir_all(&base).unwrap();
    let base = base.canonicalize().unwrap();
    let text = format!("{provisioner}=hostpath:{}", base.display());
    let settings = Settings {
        environment: vec![],
        timeout: Duration::from_secs(9),
        is_base_shared: false,
    };
    let configuration = Configuration::parse(&text).unwrap();
    let backends = Backends::open([configuration], &settings).unwrap();
    backends.work_for(&RunFacts {
        cluster: CLUSTER.to_owned(),
        now: "2026-11-18T00:00:00Z".to_owned(),
    });
    (base, backends)
}
