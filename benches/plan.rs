//! How long `plan` takes, and how that grows: 10,000 claims over 100,000 volumes, then twice as many of both. Prints ratios;
//! nothing here is a test of absolute times.
//!
//! The bar is upstream's own search: 28 ms for one claim over 100,000 volumes (Go, two cores).
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use kubectl_pv::conventions::access_mode::AccessModes;
use kubectl_pv::conventions::class_name::ClassName;
use kubectl_pv::conventions::object_ref::ObjectKey;
use kubectl_pv::conventions::quantity::Quantity;
use kubectl_pv::conventions::selector::LabelSelector;
use kubectl_pv::conventions::volume_mode::VolumeMode;
use kubectl_pv::engine::{Rules, forecast};
use kubectl_pv::model::{
    Claim, ClaimPhase, ClusterState, Objects, Origin, ReclaimPolicy, Volume, VolumePhase,
    VolumeSource,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const CLAIMS: u64 = 10_000;
const UPSTREAM: Duration = Duration::from_millis(28);

/// A kind of cluster.
struct Scene {
    name: &'static str,
    /// How many volumes there are for ten claims.
    volumes: u64,
    classes: u64,
    /// The number of different sizes; many mean that hardly two are equal.
    sizes: u64,
    mode_sets: usize,
    /// Of so many claims one has a selector; none if 0.
    selectors: u64,
    /// Of so many claims one names its volume; none if 0.
    named: u64,
}

const SCENES: [Scene; 6] = [
    Scene {
        name: "twenty classes, a hundred sizes",
        volumes: 100,
        classes: 20,
        sizes: 100,
        mode_sets: 4,
        selectors: 10,
        named: 20,
    },
    Scene {
        name: "one class, no two sizes equal",
        volumes: 100,
        classes: 1,
        sizes: 1_000_000_000,
        mode_sets: 1,
        selectors: 0,
        named: 0,
    },
    Scene {
        name: "as many claims as volumes",
        volumes: 10,
        classes: 1,
        sizes: 1_000_000_000,
        mode_sets: 1,
        selectors: 0,
        named: 0,
    },
    Scene {
        name: "fewer volumes than claims, many modes",
        volumes: 9,
        classes: 2,
        sizes: 1000,
        mode_sets: 4,
        selectors: 10,
        named: 20,
    },
    Scene {
        name: "all alike",
        volumes: 100,
        classes: 1,
        sizes: 1,
        mode_sets: 1,
        selectors: 0,
        named: 0,
    },
    Scene {
        name: "all mixed up in one class",
        volumes: 100,
        classes: 1,
        sizes: 10_000,
        mode_sets: 4,
        selectors: 5,
        named: 10,
    },
];

fn main() {
    println!(
        "{:<40}{:>10}{:>12}{:>14}{:>10}",
        "CLUSTER", "CLAIMS", "PER CLAIM", "TIMES FASTER", "GROWTH"
    );
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let asked = |scene: &&Scene| {
        only.is_empty() || only.iter().any(|word| scene.name.contains(word.as_str()))
    };
    for scene in SCENES.iter().filter(asked) {
        let once = measure(scene, CLAIMS);
        let twice = measure(scene, 2 * CLAIMS);
        let per_claim = once / u32::try_from(CLAIMS).unwrap_or(u32::MAX);
        println!(
            "{:<40}{:>10}{:>9.1} µs{:>13.0}x{:>9.2}x",
            scene.name,
            CLAIMS,
            per_claim.as_secs_f64() * 1e6,
            upstream(scene).as_secs_f64() / per_claim.as_secs_f64(),
            twice.as_secs_f64() / once.as_secs_f64()
        );
    }
}

/// What upstream's search takes for one claim: it looks at every volume.
fn upstream(scene: &Scene) -> Duration {
    let volumes = u32::try_from(scene.volumes * CLAIMS / 10).unwrap_or(u32::MAX);
    UPSTREAM / 1000 * volumes / 100
}

/// The quickest of three runs.
fn measure(scene: &Scene, claims: u64) -> Duration {
    let state = cluster(scene, claims);
    let run = |_| {
        let start = Clock::start();
        let report = forecast(&state, Rules::V1_36);
        let took = start.elapsed();
        assert!(!report.claims.is_empty());
        if std::env::args().any(|argument| argument == "--verbose") {
            let exact = report.claims.iter().filter(|claim| claim.exact).count();
            let largest = report.groups.iter().map(|group| group.claims.len()).max();
            println!(
                "    {took:?}: {exact} of {} exact, {} groups, the largest of {}, {:?}",
                report.claims.len(),
                report.groups.len(),
                largest.unwrap_or(0),
                report.settled
            );
        }
        took
    };
    (0..3).map(run).min().unwrap_or_default()
}

/// The time this process was at work, where the system tells: a busy machine then does not matter.
struct Clock {
    wall: Instant,
    work: Option<Duration>,
}

impl Clock {
    fn start() -> Self {
        Self {
            wall: Instant::now(),
            work: at_work(),
        }
    }

    fn elapsed(&self) -> Duration {
        match (self.work, at_work()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => self.wall.elapsed(),
        }
    }
}

fn at_work() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanos = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanos))
}

fn cluster(scene: &Scene, claims: u64) -> ClusterState {
    let mut random = Random(claims);
    let objects = Objects {
        volumes: (0..claims * scene.volumes / 10)
            .map(|place| volume(scene, &mut random, place))
            .collect(),
        claims: (0..claims)
            .map(|place| claim(scene, &mut random, place, claims * scene.volumes / 10))
            .collect(),
        ..Objects::default()
    };
    ClusterState::new(objects, vec![], None)
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }

    fn one_in(&mut self, bound: u64) -> bool {
        bound > 0 && self.below(bound) == 0
    }
}

const MODES: [&[&str]; 4] = [
    &["ReadWriteOnce"],
    &["ReadWriteOnce", "ReadOnlyMany"],
    &["ReadWriteOnce", "ReadWriteMany"],
    &["ReadOnlyMany"],
];

fn size(scene: &Scene, random: &mut Random) -> Quantity {
    Quantity::from_bytes(i128::from(1 + random.below(scene.sizes)) << 20)
}

fn volume(scene: &Scene, random: &mut Random, place: u64) -> Volume {
    let modes = MODES[usize::try_from(random.below(scene.mode_sets as u64)).unwrap_or(0)];
    Volume {
        name: format!("pv-{place:07}"),
        uid: Some(format!("volume-{place}")),
        resource_version: None,
        labels: [("zone".to_owned(), format!("z{}", random.below(5)))].into(),
        annotations: BTreeMap::new(),
        created: None,
        deleted: None,
        finalizers: vec![],
        capacity: size(scene, random),
        access_modes: AccessModes::of_names(modes.iter().copied()),
        access_mode_names: vec![],
        volume_mode: VolumeMode::Filesystem,
        class: ClassName::from_field(Some(format!("class-{}", random.below(scene.classes)))),
        attributes_class: None,
        claim_ref: None,
        reclaim_policy: ReclaimPolicy::Retain,
        source: VolumeSource::default(),
        node_affinity: None,
        phase: VolumePhase::Available,
        message: None,
        phase_since: None,
    }
}

fn claim(scene: &Scene, random: &mut Random, place: u64, volumes: u64) -> Claim {
    let zone = format!("zone=z{}", random.below(5));
    let selector = random
        .one_in(scene.selectors)
        .then(|| LabelSelector::parse(&zone).unwrap_or_default());
    let volume_name = random
        .one_in(scene.named)
        .then(|| format!("pv-{:07}", random.below(volumes)));
    Claim {
        key: ObjectKey::new(format!("ns-{}", place % 100), format!("data-{place:07}")),
        uid: Some(format!("claim-{place}")),
        resource_version: None,
        labels: BTreeMap::new(),
        annotations: BTreeMap::new(),
        created: None,
        deleted: None,
        finalizers: vec![],
        requested: Some(size(scene, random)),
        access_mode_names: vec!["ReadWriteOnce".to_owned()],
        volume_mode_name: None,
        class: ClassName::from_field(Some(format!("class-{}", random.below(scene.classes)))),
        attributes_class: None,
        selector,
        volume_name,
        data_source: None,
        data_source_ref: None,
        options: None,
        phase: ClaimPhase::Pending,
        capacity: None,
        status_access_mode_names: vec![],
        allocated: None,
        current_attributes_class: None,
        modifying: None,
        conditions: vec![],
        owner: None,
        owner_uid: None,
        origin: Origin::Object,
    }
}
