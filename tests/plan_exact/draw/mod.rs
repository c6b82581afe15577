//! Random clusters in which claims compete, the same ones for the same seed. Few values for
//! everything, so that claims want the same volumes; every kind of reservation and of past, so that
//! the order in which they are served matters in every way it can.
//!
//! Clusters are lists of objects. Those for files are complete; those for a real control plane get
//! their uids from it (`uid-…` stands for them until then) and no status.

mod claims;
mod classes;
mod volumes;

use serde_json::Value;

use self::classes::Classes;
pub(crate) use self::classes::{LIVE_DRIVER, driver};
use crate::random::Random;

/// Tells the objects of a world apart where many live in one cluster.
pub(crate) const WORLD: &str = "world";

/// Where a world is to live.
pub(crate) enum Place {
    /// In a file, alone.
    File,
    /// In a real cluster with many others, perhaps with a default class for all of them.
    Cluster { default_class: Option<String> },
}

/// How large a world is to be, and where.
pub(crate) struct Manner {
    /// The value of the label [`WORLD`], and in front of all names unless it is empty.
    pub(crate) name: String,
    /// Most claims live in the first.
    pub(crate) namespaces: [String; 2],
    pub(crate) place: Place,
    /// Fewest and most.
    pub(crate) claims: (usize, usize),
    pub(crate) volumes: (usize, usize),
}

impl Manner {
    fn name(&self, part: impl std::fmt::Display) -> String {
        if self.name.is_empty() {
            part.to_string()
        } else {
            format!("{}-{part}", self.name)
        }
    }
}

/// A cluster in small.
pub(crate) struct World {
    pub(crate) classes: Vec<Value>,
    pub(crate) claims: Vec<Value>,
    pub(crate) volumes: Vec<Value>,
}

/// What the objects of one world have in common.
struct Habits {
    /// All sizes are equal but for their spelling.
    one_size: bool,
    /// All claims ask for the same access modes.
    one_mode: bool,
    /// Binds that were begun and not finished are frequent.
    half_done: bool,
    /// How much there is of what keeps claims and volumes apart, in percent of the usual.
    apart: usize,
}

impl Habits {
    /// Something that keeps claims and volumes apart, in so many of a hundred cases.
    fn apart(&self, random: &mut Random, percent: usize) -> bool {
        random.chance(percent * self.apart / 100)
    }

    fn is_tame(&self) -> bool {
        self.apart < 100
    }
}

impl World {
    pub(crate) fn draw(random: &mut Random, manner: &Manner) -> Self {
        let habits = Habits {
            one_size: random.chance(45),
            one_mode: random.chance(45),
            half_done: random.chance(30),
            apart: random.weighted(&[(60, 25), (40, 100)]),
        };
        let classes = Classes::draw(random, manner, &habits);
        // The larger of two, because more is going on where there are more.
        let between = |random: &mut Random, (fewest, most): (usize, usize)| {
            let one = random.below(most - fewest + 1);
            fewest + one.max(random.below(most - fewest + 1))
        };
        let number_of_claims = between(random, manner.claims);
        let number_of_volumes = between(random, manner.volumes);
        let mut claims: Vec<Value> = (0..number_of_claims)
            .map(|index| claims::draw(random, manner, &habits, &classes, index, number_of_volumes))
            .collect();
        let mut volumes: Vec<Value> = (0..number_of_volumes)
            .map(|index| volumes::draw(random, manner, &habits, &classes, &claims, index))
            .collect();
        for claim in &mut claims {
            claims::look_back(random, claim, &mut volumes);
        }
        Self {
            classes: classes.objects,
            claims,
            volumes,
        }
    }

    /// All objects, in the order in which they may be created.
    pub(crate) fn objects(&self) -> Vec<Value> {
        let all = self.classes.iter().chain(&self.volumes).chain(&self.claims);
        all.cloned().collect()
    }
}
