//! Other volumes on an asset: nothing is deleted while one of them lies where it lies, above it or below it. Paths are compared
//! as they are written, and servers not at all: one may have several names.

use crate::model::{ClusterState, Volume, VolumeSource};
use serde_json::Value;

/// A volume, besides the one of this name, that stands for the asset of this source as well.
pub(super) fn find_sharer<'a>(
    state: &'a ClusterState,
    source: &VolumeSource,
    own: &str,
) -> Option<&'a Volume> {
    let place = Place::of(source)?;
    let mut others = state.volumes().iter().filter(|volume| volume.name != own);
    others.find(|volume| Place::of(&volume.source).is_some_and(|other| place.touches(&other)))
}

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

/// Where data lies, to be compared.
#[derive(PartialEq, Eq)]
enum Place<'a> {
    /// A directory of a node, or of a server.
    Path {
        is_remote: bool,
        parts: Vec<&'a str>,
    },
    Handle(&'a VolumeSource),
}

impl<'a> Place<'a> {
    fn of(source: &'a VolumeSource) -> Option<Self> {
        let location = source.location.as_deref()?;
        let is_remote = source.field == "nfs";
        if !is_remote && source.field != "hostPath" && source.field != "local" {
            return Some(Self::Handle(source));
        }
        let path = location
            .find('/')
            .map_or(location, |start| &location[start..]);
        let mut parts = Vec::new();
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        Some(Self::Path { is_remote, parts })
    }

    fn touches(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Path {
                    is_remote: one,
                    parts: here,
                },
                Self::Path {
                    is_remote: two,
                    parts: there,
                },
            ) => one == two && (here.starts_with(there) || there.starts_with(here)),
            _ => self == other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
