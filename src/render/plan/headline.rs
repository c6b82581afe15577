//! The first line of a plan or its outcome: what this run itself did or would do, how much of it is open, and what is skipped.

use super::super::page::{Screen, Tone, Word, plain};
use super::find_empty_selection;
use crate::actions::plan::{Deed, Errand, MadeBy, Skipped, Target};
use crate::conventions::object_kind::ObjectKind;
use crate::report::plural;

/// What is to be said first: how many of what.
#[derive(Default)]
pub(super) struct Count {
    bound: usize,
    made: usize,
    asked: usize,
    given_back: usize,
    taken_back: usize,
    deleted: usize,
    recycled: usize,
    reused: usize,
    policies: usize,
    claims: usize,
    objects: usize,
    detached: usize,
    assets: usize,
    members_made: usize,
    members_deleted: usize,
    leftovers: usize,
    /// What was not done to its end, for claims and for volumes.
    open: usize,
    open_volumes: usize,
}

impl Count {
    /// Counts what is done, or, of a plan, to be done: what others make was made only once they have made it.
    pub(super) fn add(&mut self, deed: &Deed, is_done: bool) {
        match deed {
            Deed::Bind => self.bound += 1,
            Deed::Make(product) => match product.by {
                MadeBy::Us => self.made += 1,
                MadeBy::AskedAndAwaited if is_done => self.made += 1,
                MadeBy::AskedAndAwaited | MadeBy::Asked => self.asked += 1,
            },
            Deed::GiveBack => self.given_back += 1,
            Deed::TakeBack => self.taken_back += 1,
            Deed::Delete(_) => self.deleted += 1,
            Deed::Recycle(_) => self.recycled += 1,
            Deed::Reuse { .. } => self.reused += 1,
            Deed::SetPolicy { .. } => self.policies += 1,
            Deed::DeleteClaim(_) => self.claims += 1,
            Deed::DeleteObject => self.objects += 1,
            Deed::Detach => self.detached += 1,
            Deed::DeleteAsset(_) => self.assets += 1,
            Deed::MakeMember { .. } => self.members_made += 1,
            Deed::DeleteMember { .. } => self.members_deleted += 1,
            Deed::TakeBackMember { .. } => self.leftovers += 1,
            Deed::Record { .. } | Deed::Tell => {}
        }
    }

    pub(super) fn add_open(&mut self, errand: &Errand) {
        if errand.deed.is_aside() {
            return;
        }
        match errand.claim {
            Some(_) => self.open += 1,
            None => self.open_volumes += 1,
        }
    }

    /// `2 claims would be bound, 3 objects are skipped (--show-skipped).`
    pub(super) fn headline(&self, verb: &str, skipped: &[Skipped], screen: &Screen) -> Vec<Word> {
        if let Some(left) = find_empty_selection(skipped) {
            let told = format!("Nothing was changed: {}.", left.message);
            return vec![(Tone::Wait, told)];
        }
        let was = |count: usize| match verb {
            "were" if count == 1 => "was",
            verb => verb,
        };
        let done = self.done();
        let mut told: Vec<Word> = done
            .iter()
            .map(|(count, thing, done)| {
                let words = format!("{} {} {done}", plural(*count, thing), was(*count));
                (Tone::Good, words)
            })
            .collect();
        for (open, thing) in [(self.open, "claim"), (self.open_volumes, "volume")] {
            if open == 0 {
                continue;
            }
            // The things were named before.
            let mut things = done.iter().map(|(_, thing, _)| *thing);
            let is_named = done.len() == 1 && things.all(|it| it == thing);
            let words = if is_named {
                format!("{open} {} not", was(open))
            } else {
                format!("{} {} not finished", plural(open, thing), was(open))
            };
            told.push((Tone::Bad, words));
        }
        let kinds = |is_bound: bool| -> Vec<&Target> {
            let those = skipped
                .iter()
                .filter(|left| left.is_bound_as_wanted() == is_bound);
            let mut targets: Vec<&Target> = those.map(|left| &left.target).collect();
            targets.sort_by_key(|target| target.spelled());
            targets.dedup_by_key(|target| target.spelled());
            targets
        };
        let (bound, left) = (kinds(true), kinds(false));
        let has_none = told.is_empty();
        if !bound.is_empty() {
            let is = if bound.len() == 1 { "is" } else { "are" };
            let words = format!("{} {is} bound already", plural(bound.len(), "claim"));
            told.push((Tone::Good, words));
        }
        if !left.is_empty() {
            let verb = match (verb, left.len()) {
                ("were", 1) => "was",
                ("were", _) => "were",
                (_, 1) => "is",
                _ => "are",
            };
            let hint = if screen.all { "" } else { " (--show-skipped)" };
            let things = plural(left.len(), thing_of(&left));
            told.push((Tone::Wait, format!("{things} {verb} skipped{hint}")));
        }
        let mut line: Vec<Word> = Vec::new();
        if has_none && told.is_empty() {
            line.push(plain("Nothing to do"));
        } else if has_none && left.is_empty() {
            line.push(plain("Nothing to do: "));
        } else if has_none {
            let words = if verb == "were" {
                "Nothing was changed: "
            } else {
                "Nothing would be changed: "
            };
            line.push((Tone::Wait, words.to_owned()));
        }
        for (index, word) in told.into_iter().enumerate() {
            if index > 0 {
                line.push(plain(", "));
            }
            line.push(word);
        }
        line.push(plain("."));
        line
    }

    /// How many of which thing, and what happens to them.
    fn done(&self) -> Vec<(usize, &'static str, &'static str)> {
        let its = |count: usize, one: &'static str, many: &'static str| {
            if count == 1 { one } else { many }
        };
        let deleted = its(
            self.deleted,
            "deleted with its data",
            "deleted with their data",
        );
        let reused = its(
            self.reused,
            "returned to the pool with its data",
            "returned to the pool with their data",
        );
        let objects = "deleted, without its storage";
        let objects = its(self.objects, objects, "deleted, without their storage");
        let all = [
            (self.bound, "claim", "bound"),
            (self.made, "volume", "provisioned and bound"),
            (self.asked, "volume", "requested"),
            (self.given_back, "volume", "unbound"),
            (self.taken_back, "unused volume", "deleted"),
            (self.deleted, "volume", deleted),
            (self.recycled, "volume", "emptied and returned to the pool"),
            (self.reused, "volume", reused),
            (self.policies, "volume", "given another policy"),
            (self.claims, "claim", "deleted"),
            (self.objects, "volume", objects),
            (self.detached, "attachment", "deleted"),
            (self.assets, "asset", "deleted"),
            (self.members_made, "volume", "provisioned"),
            (self.members_deleted, "volume", "deleted"),
            (self.leftovers, "unused asset", "deleted"),
        ];
        all.into_iter().filter(|(count, ..)| *count > 0).collect()
    }
}

/// The word for all of them.
fn thing_of(targets: &[&Target]) -> &'static str {
    let named = [
        ObjectKind::PersistentVolume,
        ObjectKind::PersistentVolumeClaim,
        ObjectKind::PersistentVolumeSet,
    ];
    let is = |kind: &ObjectKind| targets.iter().all(|target| target.kind == *kind);
    let kind = named.into_iter().find(is);
    kind.map_or("object", ObjectKind::noun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::object_ref::ObjectKey;
    use crate::engine::refusal::{BindEvidence, Refusal, Standing};

    fn said(counts: [usize; 3], are_bound: &[bool], verb: &str) -> String {
        let [bound, given_back, open] = counts;
        let skip = |(index, is_bound): (usize, &bool)| {
            let target = Target::claim(&ObjectKey::new("ns", format!("c{index}")), None);
            let refusal = if *is_bound {
                Refusal::new(BindEvidence::Bound).standing(Standing::Fine)
            } else {
                Refusal::new(BindEvidence::NoVolumeFits)
            };
            Skipped::new(target, refusal)
        };
        let skipped: Vec<Skipped> = are_bound.iter().enumerate().map(skip).collect();
        let count = Count {
            bound,
            given_back,
            open,
            ..Count::default()
        };
        let words = count.headline(verb, &skipped, &Screen::default());
        words.into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn the_first_line_says_what_comes_of_it() {
        assert_eq!(said([0, 0, 0], &[], "were"), "Nothing to do.");
        assert_eq!(
            said([0, 0, 0], &[true], "were"),
            "Nothing to do: 1 claim is bound already."
        );
        assert_eq!(
            said([0, 0, 0], &[false, false], "were"),
            "Nothing was changed: 2 claims were skipped (--show-skipped)."
        );
        assert_eq!(
            said([2, 1, 0], &[true, false], "would be"),
            "2 claims would be bound, 1 volume would be unbound, 1 claim is bound already, 1 claim is skipped (--show-skipped)."
        );
        assert_eq!(
            said([1, 0, 2], &[], "were"),
            "1 claim was bound, 2 were not."
        );
        assert_eq!(
            said([0, 1, 1], &[], "were"),
            "1 volume was unbound, 1 claim was not finished."
        );
    }
}
