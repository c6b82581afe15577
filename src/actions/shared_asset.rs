//! The source of an asset, told as volumes are known by theirs, to be compared with them.

use crate::model::VolumeSource;
use serde_json::Value;

/// The source of an asset as volumes are known by it.
pub(super) fn source_of_asset(source: &Value) -> VolumeSource {
    let field = source.as_object().and_then(|fields| fields.iter().next());
    let Some((field, value)) = field else {
        return VolumeSource::default();
    };
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let path = match (text("server"), text("path")) {
        (Some(server), Some(path)) => Some(format!("{server}:{path}")),
        (_, path) => path,
    };
    let handle = || {
        ["volumeHandle", "volumeID", "pdName"]
            .into_iter()
            .find_map(text)
    };
    VolumeSource {
        field: field.clone(),
        location: path.or_else(handle),
        driver: text("driver"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::find_sharer;
    use crate::testing::{state, volume};
    use serde_json::json;

    #[test]
    fn who_lies_at_above_or_below_the_same_place_shares_it() {
        let asset = source_of_asset(&json!({ "hostPath": { "path": "/srv/pvc-1" } }));
        let remote = source_of_asset(&json!({ "nfs": { "server": "a", "path": "/srv/pvc-1" } }));
        let shares = |source: &VolumeSource, field: &str, location: &str| {
            let others = vec![volume("own"), volume("v").stored_on(field, location)];
            find_sharer(&state(vec![], others), source, "own").is_some()
        };
        for path in [
            "/srv/pvc-1",
            "/srv",
            "/",
            "/srv/pvc-1/data",
            "/srv/x/../pvc-1/",
        ] {
            assert!(shares(&asset, "hostPath", path), "{path}");
            assert!(shares(&asset, "local", path), "{path}");
            assert!(shares(&remote, "nfs", &format!("b:{path}")), "{path}");
            assert!(!shares(&asset, "nfs", &format!("b:{path}")), "{path}");
        }
        for path in ["/srv/pvc-10", "/srv/pvc", "/other"] {
            assert!(!shares(&asset, "hostPath", path), "{path}");
        }
        let disk = source_of_asset(&json!({ "csi": { "driver": "d", "volumeHandle": "h" } }));
        assert!(!shares(&disk, "csi", "other"));
    }
}
