//! The classes of a world: two of its own, perhaps one or two defaults, and the driver that makes
//! volumes. One choice is the favourite, so that most claims and volumes meet.

use serde_json::{Value, json};

use super::{Habits, Manner, Place, WORLD};
use crate::random::Random;

/// A driver that is registered, and one that is not.
pub(crate) const LIVE_DRIVER: &str = "csi.live.example.com";
const DEAD_DRIVER: &str = "csi.dead.example.com";
pub(super) const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// What an object says about its class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Own(usize),
    Default,
    Empty,
    Unset,
}

/// Who makes volumes of a class, if there is such an object, and when they are bound.
type Nature = Option<(&'static str, &'static str)>;

const NATURES: &[(usize, Nature)] = &[
    (34, Some(("kubernetes.io/no-provisioner", "Immediate"))),
    (16, None),
    (22, Some((LIVE_DRIVER, "Immediate"))),
    (8, Some((DEAD_DRIVER, "Immediate"))),
    (6, Some(("kubernetes.io/host-path", "Immediate"))),
    (
        7,
        Some(("kubernetes.io/no-provisioner", "WaitForFirstConsumer")),
    ),
    (7, Some((LIVE_DRIVER, "WaitForFirstConsumer"))),
];

/// The classes that exist and the names to use.
pub(super) struct Classes {
    /// Class objects and the driver.
    pub(super) objects: Vec<Value>,
    own: [String; 2],
    default: Option<String>,
    favourite: Choice,
    /// In how many of a hundred cases it is taken.
    faithful: usize,
    /// The label of the world, where nothing else keeps worlds apart.
    pub(super) fence: Option<String>,
}

impl Classes {
    pub(super) fn draw(random: &mut Random, manner: &Manner, habits: &Habits) -> Self {
        let own = ["fast", "slow"].map(|name| manner.name(name));
        let mut objects: Vec<Value> = own
            .iter()
            .filter_map(|name| random.weighted(NATURES).map(|nature| class(name, nature)))
            .collect();
        let default = match &manner.place {
            Place::Cluster { default_class } => default_class.clone(),
            Place::File => {
                objects.push(driver());
                draw_defaults(random, &mut objects)
            }
        };
        for object in &mut objects {
            object["metadata"]["labels"] = json!({ WORLD: manner.name });
        }
        let favourite = random.weighted(&[
            (45, Choice::Own(0)),
            (15, Choice::Empty),
            (if default.is_some() { 60 } else { 10 }, Choice::Unset),
        ]);
        let fence = matches!(manner.place, Place::Cluster { .. }).then(|| manner.name.clone());
        Self {
            objects,
            own,
            default,
            favourite,
            faithful: if habits.is_tame() { 90 } else { 70 },
            fence,
        }
    }

    /// Writes a class into a claim, by field or annotation, and says whether other worlds use it.
    pub(super) fn name_for_claim(&self, random: &mut Random, claim: &mut Value) -> bool {
        let choice = self.choose(random);
        match self.name(choice) {
            None => {}
            Some(name) if random.chance(10) => {
                claim["metadata"]["annotations"][CLASS_ANNOTATION] = json!(name);
            }
            Some(name) => claim["spec"]["storageClassName"] = json!(name),
        }
        !matches!(choice, Choice::Own(_))
    }

    /// The same for a volume, which serves claims without a class by having none or the default.
    pub(super) fn name_for_volume(&self, random: &mut Random, volume: &mut Value) {
        let choice = match self.choose(random) {
            Choice::Unset if random.chance(50) => Choice::Default,
            choice => choice,
        };
        let name = self.name(choice).unwrap_or("");
        if random.chance(8) {
            volume["metadata"]["annotations"][CLASS_ANNOTATION] = json!(name);
        } else if !name.is_empty() || random.chance(50) {
            volume["spec"]["storageClassName"] = json!(name);
        }
    }

    fn choose(&self, random: &mut Random) -> Choice {
        if random.chance(self.faithful) {
            return self.favourite;
        }
        random.weighted(&[
            (30, Choice::Own(0)),
            (20, Choice::Own(1)),
            (20, Choice::Default),
            (15, Choice::Empty),
            (15, Choice::Unset),
        ])
    }

    fn name(&self, choice: Choice) -> Option<&str> {
        match choice {
            Choice::Own(index) => Some(&self.own[index]),
            Choice::Default => self.default.as_deref().or(Some("")),
            Choice::Empty => Some(""),
            Choice::Unset => None,
        }
    }
}

/// None, one, or two of which the newer counts (R16). Answers with the one that counts.
fn draw_defaults(random: &mut Random, objects: &mut Vec<Value>) -> Option<String> {
    let number = random.weighted(&[(40, 0), (48, 1), (12, 2)]);
    let names = ["standard", "outdated"];
    for (age, name) in names.iter().take(number).enumerate() {
        let nature = random.weighted(NATURES);
        let nature = nature.unwrap_or(("kubernetes.io/no-provisioner", "Immediate"));
        let mut class = class(name, nature);
        let marks = [
            "storageclass.kubernetes.io/is-default-class",
            "storageclass.beta.kubernetes.io/is-default-class",
        ];
        class["metadata"]["annotations"] = json!({ random.pick(&marks): "true" });
        class["metadata"]["creationTimestamp"] = json!(format!("202{}-01-01T00:00:00Z", 5 - age));
        objects.push(class);
    }
    (number > 0).then(|| names[0].to_owned())
}

fn class(name: &str, (provisioner, mode): (&str, &str)) -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": { "name": name },
        "provisioner": provisioner, "volumeBindingMode": mode, "reclaimPolicy": "Delete",
    })
}

/// What shows that the live driver is there.
pub(crate) fn driver() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver",
        "metadata": { "name": LIVE_DRIVER }, "spec": {},
    })
}
