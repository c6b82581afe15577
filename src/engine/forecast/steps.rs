//! What may happen next in a group: one sync of a claim or of a volume, with every choice it leaves to chance.

use super::table::{Leaves, Side, State, Table, VolumeKind};

/// What happens in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    /// A claim takes a volume.
    Take(usize, VolumeKind),
    /// Something else changes.
    Other,
}

/// What comes of taking a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// The claim has it.
    Binds,
    /// A claim that is refused holds it, which is noted here, and still waits.
    Holds(usize),
    /// A claim that is refused had it before, and still does.
    Keeps,
}

impl Effect {
    /// Changes the state, or changes it back.
    fn apply(self, state: &mut State, volume: usize, claim: usize, back: bool) {
        match self {
            Self::Binds => {
                shift(&mut state[volume], !back);
                shift(&mut state[claim], !back);
            }
            Self::Holds(held) => {
                shift(&mut state[volume], !back);
                shift(&mut state[held], back);
            }
            Self::Keeps => {}
        }
    }
}

impl Table {
    /// Tells every step that may come next, with the state it leads to. Answers whether one of them must come, sooner or
    /// later. Whatever stands in the state behind the counts of this table is left alone.
    pub(super) fn steps(&self, state: &mut State, mut tell: impl FnMut(Move, &mut State)) -> bool {
        let mut goes_on = false;
        let mut choices = Vec::new();
        for (place, side) in self.sides.iter().enumerate() {
            for stage in 0..side.stages.len() {
                let slot = side.slot + stage;
                if state[slot] == 0 {
                    continue;
                }
                choices.clear();
                if self.search((side, stage), state, &mut choices) {
                    for (volume, effect) in &choices {
                        goes_on |= *effect != Effect::Keeps;
                        let there = self.first_volume + volume;
                        effect.apply(state, there, slot, false);
                        tell(Move::Take(place, *volume), state);
                        effect.apply(state, there, slot, true);
                    }
                } else if stage + 1 < side.stages.len() {
                    goes_on = true;
                    go(state, slot, slot + 1, &mut tell);
                } else if side.leaves != Leaves::Never {
                    goes_on |= side.leaves == Leaves::Surely;
                    go(state, slot, side.slot + side.stages.len(), &mut tell);
                }
            }
        }
        for back in &self.returns {
            let kept = self.first_volume + back.kept;
            if state[kept] > 0 && self.waiting(back.side, state) == 0 {
                goes_on = true;
                go(state, kept, self.first_volume + back.free, &mut tell);
            }
        }
        goes_on
    }

    /// One search (R23–R30). Answers whether it found anything; what it may take goes into `choices`.
    fn search(
        &self,
        (side, stage): (&Side, usize),
        now: &[u16],
        choices: &mut Vec<(VolumeKind, Effect)>,
    ) -> bool {
        let is_there = |kind: &&VolumeKind| now[self.first_volume + **kind] > 0;
        for level in &side.stages[stage] {
            let mut found = false;
            for choice in level {
                if choice.own.iter().any(|kind| is_there(&kind)) {
                    found = true;
                    let own = choice.own.iter().filter(is_there);
                    let effect = if side.is_refused {
                        Effect::Keeps
                    } else {
                        Effect::Binds
                    };
                    choices.extend(own.map(|kind| (*kind, effect)));
                } else if side.is_refused && now[choice.held] > 0 {
                    found = true;
                } else if let Some(draw) = choice
                    .draws
                    .iter()
                    .find(|draw| draw.iter().any(|kind| is_there(&kind)))
                {
                    found = true;
                    let effect = if side.is_refused {
                        Effect::Holds(choice.held)
                    } else {
                        Effect::Binds
                    };
                    choices.extend(draw.iter().filter(is_there).map(|kind| (*kind, effect)));
                }
            }
            if found {
                return true;
            }
        }
        false
    }
}

/// One more, or one less.
fn shift(count: &mut u16, less: bool) {
    *count = if less { *count - 1 } else { *count + 1 };
}

/// Tells the step in which one goes from one count to another.
fn go(state: &mut State, from: usize, to: usize, tell: &mut impl FnMut(Move, &mut State)) {
    state[from] -= 1;
    state[to] += 1;
    tell(Move::Other, state);
    state[from] += 1;
    state[to] -= 1;
}
