//! Where the data of volumes lies, so that whoever shares it is found without looking at every volume. Paths are compared as they
//! are written, and servers not at all: one may have several names.

use super::{Volume, VolumeSource};
use std::collections::HashMap;

/// Where data lies, to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Place {
    /// A directory of a node, or of a server; each part with a slash before it.
    Path {
        is_remote: bool,
        path: String,
    },
    Handle(VolumeSource),
}

impl Place {
    fn of(source: &VolumeSource) -> Option<Self> {
        let location = source.location.as_deref()?;
        let is_remote = source.field == "nfs";
        if !is_remote && source.field != "hostPath" && source.field != "local" {
            return Some(Self::Handle(source.clone()));
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
        let path = parts.iter().flat_map(|part| ["/", part]).collect();
        Some(Self::Path { is_remote, path })
    }

    /// The directories above it, up to the root.
    fn above(&self) -> Vec<Self> {
        let Self::Path { is_remote, path } = self else {
            return vec![];
        };
        let slashes = path.match_indices('/');
        let above = slashes.map(|(end, _)| Self::Path {
            is_remote: *is_remote,
            path: path[..end].to_owned(),
        });
        above.collect()
    }
}

/// The first two volumes of a place: one of them is another than the one that asks.
#[derive(Debug, Clone, Copy, Default)]
struct FirstTwo([Option<usize>; 2]);

impl FirstTwo {
    fn add(&mut self, index: usize) {
        if let Some(free) = self.0.iter_mut().find(|slot| slot.is_none()) {
            *free = Some(index);
        }
    }
}

/// The volumes by where they lie.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    at: HashMap<Place, FirstTwo>,
    /// Under each directory, those that lie somewhere below it.
    below: HashMap<Place, FirstTwo>,
}

impl Places {
    pub(super) fn of(volumes: &[Volume]) -> Self {
        let mut places = Self::default();
        for (index, volume) in volumes.iter().enumerate() {
            let Some(place) = Place::of(&volume.source) else {
                continue;
            };
            for above in place.above() {
                places.below.entry(above).or_default().add(index);
            }
            places.at.entry(place).or_default().add(index);
        }
        places
    }

    /// The first volume, besides the one of this name, that lies there, above it or below it.
    pub(super) fn find_sharer(
        &self,
        volumes: &[Volume],
        source: &VolumeSource,
        own: &str,
    ) -> Option<usize> {
        let place = Place::of(source)?;
        let above = place.above();
        let at = above.iter().chain([&place]);
        let found = at
            .filter_map(|place| self.at.get(place))
            .chain(self.below.get(&place));
        let others = found
            .flat_map(|two| two.0)
            .flatten()
            .filter(|index| volumes[*index].name != own);
        others.min()
    }
}
