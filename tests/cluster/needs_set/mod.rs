//! `kubectl pv set` and PersistentVolumeSets against the real API server and the real controller: the kind itself, pools that fill,
//! refill and shrink, several at work at once, and watchers over time.

mod at_once;
mod crd;
mod endurance;
mod levels;
mod members;
mod noted;
mod scene;
mod shrinking;
mod tenants;
mod watching;

use super::control_plane::ControlPlane;

/// Makes the API server know sets, if it does not yet.
pub(super) fn install_crd(plane: &ControlPlane) {
    let definition = plane.kubectl_pv("admin", &["set", "crd"]).ran();
    assert_eq!(definition.status, 0, "{}", definition.stderr);
    plane.apply(&definition.stdout);
    let established = [
        "wait",
        "--for=condition=Established",
        "--timeout=60s",
        "crd/persistentvolumesets.kubectl-pv.dev",
    ];
    let output = plane.kubectl(&established);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
