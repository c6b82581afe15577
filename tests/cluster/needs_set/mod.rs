//! `kubectl pv set` and PersistentVolumeSets against the real API server.

mod crd;

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
