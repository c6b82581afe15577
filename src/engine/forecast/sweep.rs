//! Claims that all look along one and the same chain, from wherever their size lets them begin. However many they are, how
//! they end is known in one sweep.
//!
//! A draw of equal volumes takes as many claims as it has volumes and hands the rest on to the next larger one. Who is handed
//! on depends on the order; how many are does not. So a claim may end in any draw from where it begins up to the first one
//! that hands nobody on, and goes without if there is none.

use super::groups::Group;
use super::index::Index;
use super::kinds::{Kind, Part};
use super::reach::{Reach, Stretch};

/// A kind of a group, by its place there.
type KindPlace = usize;

/// Claims that push each other along.
#[derive(Debug)]
pub(super) struct Queue {
    /// Which kinds of the group, by place.
    pub(super) kinds: Vec<KindPlace>,
    /// How far they get.
    pub(super) reaches: Vec<Reach>,
    /// How many claims go without.
    pub(super) waiting: usize,
}

/// The queues a group falls into, if all its kinds look along one chain and nothing else.
pub(super) fn sweep(index: &Index<'_>, kinds: &[Kind], group: &Group) -> Option<Vec<Queue>> {
    let chain = group.reaches.first()?.stretches.first()?.chain;
    let volumes = index.chain(chain);
    let is_plain = |(kind, reach): (&u32, &Reach)| {
        let kind = &kinds[*kind as usize];
        let has_own = match &kind.part {
            Part::Takes(_) => return false,
            Part::Searches(stages) => stages.iter().any(|stage| !stage.own.is_empty()),
        };
        !has_own
            && !kind.is_refused
            && kind.gives_back.is_empty()
            && reach.stretches.len() == 1
            && reach.stretches[0].chain == chain
            && volumes.is_firm(reach.stretches[0].from, reach.stretches[0].to)
    };
    if !group.kinds.iter().zip(&group.reaches).all(is_plain) {
        return None;
    }
    let mut order: Vec<KindPlace> = (0..group.kinds.len()).collect();
    order.sort_by_key(|place| group.reaches[*place].stretches[0].from);
    let begin = |place: KindPlace| group.reaches[place].stretches[0].from;
    let mut queues = Vec::new();
    let mut waiting_to_begin = order.into_iter().peekable();
    while let Some(first) = waiting_to_begin.peek().copied() {
        let mut queue = Vec::new();
        let mut handed_on = 0;
        let mut at = begin(first);
        loop {
            while let Some(next) = waiting_to_begin.next_if(|place| begin(*place) == at) {
                handed_on += kinds[group.kinds[next] as usize].members.len();
                queue.push(next);
            }
            if at >= volumes.len() {
                break;
            }
            let end = volumes.draw_end(at);
            let room = (end - at) as usize;
            handed_on = handed_on.saturating_sub(room);
            at = end;
            if handed_on == 0 {
                break;
            }
        }
        let reach = |place: &KindPlace| {
            let stretch = Stretch {
                to: at,
                ..group.reaches[*place].stretches[0]
            };
            Reach {
                stretches: vec![stretch],
                singles: vec![],
                may_fail: handed_on > 0,
            }
        };
        queues.push(Queue {
            reaches: queue.iter().map(reach).collect(),
            kinds: queue,
            waiting: handed_on,
        });
    }
    Some(queues)
}
