//! The numbers of members. The lowest that is free is taken; but what lies behind a number that was given before may hold what an
//! earlier tenant left, so a number is free again only where somebody can look: directories of this machine.

use super::super::backend_facts::AssetOf;
use super::Work;
use super::maker::{Maker, failed};
use super::recording::CREATE;
use crate::conventions::annotations::SET_ORDINAL;
use crate::engine::refusal::{Refusal, SetEvidence};
use crate::model::asset::{AssetName, Owner};
use crate::model::{ClusterState, Time, Volume, VolumeSet};

/// Nobody has as many volumes; whoever finds no free number below it has another problem.
const MOST_TRIED: u64 = 1_000_000;

/// The first number that was never given, as far as anybody can tell.
fn first_fresh(set: &VolumeSet, members: &[Volume]) -> u64 {
    let ordinal = |volume: &Volume| -> Option<u64> {
        let annotation = volume.annotations.get(SET_ORDINAL);
        annotation?.parse().ok()
    };
    let own = members.iter().filter(|volume| set.selects(volume));
    let after = own
        .filter_map(ordinal)
        .max()
        .map(|last| last.saturating_add(1));
    after.max(set.status.next_ordinal).unwrap_or(0)
}

/// What stands in the way of a number.
enum Obstacle {
    /// A volume has its name, or it may hold what somebody left: the next one is tried.
    Taken,
    /// The same, and worth a word.
    Left(String),
}

/// The numbers in the order in which they are tried, each once.
pub(super) struct Numbers {
    /// One that a run has begun to give goes before all others: it is given once.
    begun: Option<u64>,
    tried: Option<u64>,
    next: u64,
}

impl Numbers {
    fn new(state: &ClusterState, set: &VolumeSet, maker: &Maker<'_>, begun: Option<u64>) -> Self {
        let next = if maker.can_look() {
            0
        } else {
            first_fresh(set, state.volumes())
        };
        Self {
            begun,
            tried: begun,
            next,
        }
    }

    fn take(&mut self) -> u64 {
        if let Some(begun) = self.begun.take() {
            return begun;
        }
        if self.tried == Some(self.next) {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
    }
}

impl Work<'_> {
    /// The number of a member that another run is about to make, while it may still do so.
    pub(super) fn awaited(&self) -> Option<u64> {
        let begun = self.set.status.in_progress.as_ref()?;
        let state = &self.draft.state;
        let is_alive = begun.until.zip(state.captured_at());
        let is_alive = is_alive.is_some_and(|(until, Time(now))| now <= until.0);
        // What this run had begun it has given up by now.
        let is_ours = begun.by.is_some() && begun.by.as_deref() == self.question.run;
        let is_there = state.find_volume(&begun.volume).is_some();
        let is_awaited = begun.action == CREATE && is_alive && !is_ours && !is_there;
        is_awaited.then_some(begun.ordinal).flatten()
    }

    /// The number of a member for which a program has created an asset and that has no volume: this run was disturbed in between, or
    /// an earlier run ended there. No other run would ever delete that asset, as programs do not list what they have created.
    fn left_by_program(&self, maker: &Maker<'_>) -> Option<u64> {
        let begun = self.set.status.in_progress.as_ref()?;
        let backend = maker.backend.filter(|_| !maker.can_look())?;
        let ordinal = begun.ordinal.filter(|_| begun.action == CREATE)?;
        if !self.question.is_live || self.draft.state.find_volume(&begun.volume).is_some() {
            return None;
        }
        let is_ours = begun.by.is_some() && begun.by.as_deref() == self.question.run;
        let asset = AssetOf {
            provisioner: backend.provisioner.clone(),
            name: AssetName::find(&begun.volume)?,
            owner: owner(&self.set, ordinal),
        };
        // What another claim has used since is not offered again.
        let is_left = is_ours || self.inquiry.is_unused(asset) == Some(true);
        is_left.then_some(ordinal)
    }

    /// The numbers of new members.
    pub(super) fn numbers(&self, maker: &Maker<'_>) -> Numbers {
        let begun = self.awaited().or_else(|| self.left_by_program(maker));
        Numbers::new(&self.draft.state, &self.set, maker, begun)
    }

    /// The number and the name of the next member.
    pub(super) fn next_number(
        &mut self,
        numbers: &mut Numbers,
        maker: &Maker<'_>,
    ) -> Result<(u64, String), Refusal> {
        for _ in 0..MOST_TRIED {
            let ordinal = numbers.take();
            let name = self.set.member_name(ordinal).unwrap_or_default();
            match self.obstacle(maker, ordinal, &name)? {
                None => return Ok((ordinal, name)),
                Some(Obstacle::Taken) => {}
                Some(Obstacle::Left(why)) => self.tell_of_left(ordinal, &why),
            }
        }
        Err(SetEvidence::NoNumberFree.into())
    }

    fn obstacle(
        &self,
        maker: &Maker<'_>,
        ordinal: u64,
        name: &str,
    ) -> Result<Option<Obstacle>, Refusal> {
        if self.draft.state.find_volume(name).is_some() {
            return Ok(Some(Obstacle::Taken));
        }
        let (Some(backend), Some(asset)) = (maker.backend, AssetName::find(name)) else {
            return Ok(None);
        };
        if !self.question.is_live {
            return Ok(None);
        }
        let asset = AssetOf {
            provisioner: backend.provisioner.clone(),
            name: asset,
            owner: owner(&self.set, ordinal),
        };
        match self.inquiry.obstacle(asset) {
            Some(Err(error)) => Err(failed(error)),
            Some(Ok(Some(why))) => Ok(Some(Obstacle::Left(why.clone()))),
            // Until the backend has answered, the number is taken to be free.
            Some(Ok(None)) | None => Ok(None),
        }
    }
}

/// Whom a member's asset is made for. A set of files has no uid yet, and nothing is made for it.
pub(super) fn owner(set: &VolumeSet, ordinal: u64) -> Owner {
    let to_come = || format!("(to come, of {})", set.name);
    Owner::Set {
        name: set.name.clone(),
        uid: set.uid.clone().unwrap_or_else(to_come),
        ordinal,
    }
}
