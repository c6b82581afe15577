//! Random worlds, the same ones for the same seed. Each has a theme, dealt from a deck, because
//! chance alone would hardly ever meet the rarer rules; and often a second one beside it, because
//! what matters is which of several refusals comes first. What is left out: pods of different
//! priority (whom to evict is not about volumes), and volumes the controller has not seen yet.

use super::bound::{elsewhere, in_tree, vanished, zones};
use super::broken::{left_to_the_controller, lost, missing, terminating};
use super::capacity::capacity;
use super::ephemeral::ephemeral;
use super::limits::limits;
use super::nodes::Nodes;
use super::searching::{chance, competition, provisions, reserved, searches, selected, ties};
use super::sharing::{disks, one_pod_only};
use super::whims::{choose_nodes, left_alone};
use super::world::World;
use crate::random::Random;

type Draw = fn(&mut Random, &Nodes, &mut World);

/// What a world is about, how it is drawn, and how many cards it has in the deck.
const THEMES: &[(usize, &str, Draw)] = &[
    (7, "searches", searches),
    (4, "ties", ties),
    (2, "chance", chance),
    (3, "provisions", provisions),
    (5, "capacity", capacity),
    (2, "reserved", reserved),
    (3, "selected node", selected),
    (3, "bound elsewhere", elsewhere),
    (5, "zones", zones),
    (3, "in-tree", in_tree),
    (6, "limits", limits),
    (5, "disks", disks),
    (5, "one pod only", one_pod_only),
    (8, "ephemeral", ephemeral),
    (1, "vanished", vanished),
    (3, "missing", missing),
    (1, "lost", lost),
    (3, "terminating", terminating),
    (5, "left to the controller", left_to_the_controller),
    (4, "left alone", left_alone),
    (3, COMPETITION, competition),
];
const COMPETITION: &str = "competition";

/// Themes that go together with any other without hiding it.
const BESIDE: &[(usize, Draw)] = &[
    (4, searches),
    (2, provisions),
    (2, capacity),
    (3, elsewhere),
    (2, zones),
    (1, in_tree),
    (1, limits),
    (1, ephemeral),
];

/// Worlds with that many pods under test in all, or a little more.
pub(super) fn worlds(
    random: &mut Random,
    nodes: &Nodes,
    namespace: &str,
    prefix: &str,
    pods: usize,
) -> Vec<World> {
    let mut worlds: Vec<World> = Vec::new();
    let mut deck = Vec::new();
    let mut drawn = 0;
    while drawn < pods {
        if deck.is_empty() {
            deck = shuffled(random);
        }
        let (theme, draw) = deck.pop().expect("a card");
        let mut world = World::new(format!("{prefix}-w{}", worlds.len()), namespace, theme);
        if theme == COMPETITION {
            draw(random, nodes, &mut world);
        } else {
            add_one_pod(random, nodes, &mut world, draw);
        }
        drawn += world.pods.len();
        worlds.push(world);
    }
    worlds
}

/// One pod, with something beside the theme at times.
fn add_one_pod(random: &mut Random, nodes: &Nodes, world: &mut World, draw: Draw) {
    let mut draws = vec![draw];
    if random.chance(30) {
        let beside = random.weighted(BESIDE);
        draws.insert(random.below(2), beside);
    }
    for draw in draws {
        draw(random, nodes, world);
    }
    if !world.has_specified("nodeName") {
        choose_nodes(random, nodes, world);
    }
    let name = world.name.clone();
    world.add_pod(&name);
}

fn shuffled(random: &mut Random) -> Vec<(&'static str, Draw)> {
    let cards = THEMES.iter();
    let mut deck: Vec<(&'static str, Draw)> = cards
        .flat_map(|(number, theme, draw)| vec![(*theme, *draw); *number])
        .collect();
    for index in (1..deck.len()).rev() {
        deck.swap(index, random.below(index + 1));
    }
    deck
}
