//! Other volumes on an asset: nothing is deleted or emptied while one of them lies where it lies, above it or below it. Paths
//! are compared as they are written, and servers not at all: one may have several names.

use crate::model::{ClusterState, Volume, VolumeSource};

/// A volume, besides the one of this name, that stands for the asset of this source as well.
pub fn find_sharer<'a>(
    state: &'a ClusterState,
    source: &VolumeSource,
    own: &str,
) -> Option<&'a Volume> {
    let place = Place::of(source)?;
    let mut others = state.volumes().iter().filter(|volume| volume.name != own);
    others.find(|volume| Place::of(&volume.source).is_some_and(|other| place.touches(&other)))
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
