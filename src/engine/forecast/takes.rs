//! The volumes a claim may take: as a list where they were found one by one, as stretches of chains where that would be long.

use super::index::{Index, VolumeId};
use super::reach::{Reach, Stretch};
use std::rc::Rc;

#[derive(Debug, Clone)]
pub(super) enum Takes {
    /// These, sorted.
    Listed(Rc<[VolumeId]>),
    /// All of these.
    Within(Rc<Reach>),
}

impl Takes {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Listed(volumes) => volumes.len(),
            Self::Within(reach) => {
                let stretches = reach.stretches.iter();
                let lengths = stretches.map(|stretch| (stretch.to - stretch.from) as usize);
                lengths.sum::<usize>() + reach.singles.len()
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn contains(&self, index: &Index<'_>, volume: VolumeId) -> bool {
        let reach = match self {
            Self::Listed(volumes) => return volumes.binary_search(&volume).is_ok(),
            Self::Within(reach) => reach,
        };
        let in_stretch = |stretch: &Stretch| {
            let chain = index.chain(stretch.chain);
            let place = index.place(volume);
            let place = place.filter(|(bucket, _)| *bucket == chain.bucket);
            let found = place.and_then(|(_, place)| chain.find(place));
            found.is_some_and(|at| (stretch.from..stretch.to).contains(&at))
        };
        reach.singles.binary_search(&volume).is_ok() || reach.stretches.iter().any(in_stretch)
    }

    /// The best of them, at most so many, sorted by name.
    pub(super) fn few(&self, index: &Index<'_>, most: usize) -> Vec<VolumeId> {
        let mut few: Vec<VolumeId> = match self {
            Self::Listed(volumes) => return volumes.iter().copied().take(most).collect(),
            Self::Within(reach) => {
                let stretches = reach.stretches.iter().flat_map(|stretch| {
                    let volumes = &index.chain(stretch.chain).volumes;
                    &volumes[stretch.from as usize..stretch.to as usize]
                });
                let all = reach.singles.iter().chain(stretches);
                all.copied().take(most).collect()
            }
        };
        few.sort_unstable();
        few
    }

    /// All of them, sorted by name.
    pub(super) fn all(&self, index: &Index<'_>) -> Vec<VolumeId> {
        self.few(index, usize::MAX)
    }
}
