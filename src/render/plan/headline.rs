//! The first line about a plan or its outcome: how many claims get their volume, and how many things are left alone.

use super::super::page::{Tone, Word, plain};
use super::find_empty_selection;
use crate::actions::plan::{Deed, Errand, MadeBy, Skipped, Standing};
use crate::report::plural;
use std::collections::BTreeSet;

/// What is as it was wanted before anything was done.
pub(super) const ALREADY_BOUND: &str = "AlreadyBound";

/// Whether it is bound, and to nothing else than was wanted.
fn is_as_wanted(left: &Skipped) -> bool {
    left.code == ALREADY_BOUND && left.standing == Standing::Fine
}

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

    /// `2 claims would be bound, 1 volume would be given back; 3 are left alone.`
    pub(super) fn headline(&self, verb: &str, skipped: &[Skipped]) -> Vec<Word> {
        if let Some(left) = find_empty_selection(skipped) {
            let told = format!("Nothing was changed: {}.", left.message);
            return vec![(Tone::Wait, told)];
        }
        let verb = |count: usize| match verb {
            "were" if count == 1 => "was",
            verb => verb,
        };
        let is = |count: usize| if count == 1 { "is" } else { "are" };
        let told = [
            (self.bound, "claim", "bound"),
            (self.made, "volume", "made and bound"),
            (self.asked, "volume", "asked for"),
            (self.given_back, "volume", "given back"),
            (self.taken_back, "volume", "taken back"),
            (self.deleted, "volume", "deleted, data and all"),
            (self.recycled, "volume", "emptied and offered again"),
            (self.reused, "volume", "offered again, data and all"),
            (self.policies, "volume", "given another policy"),
            (self.claims, "claim", "deleted"),
            (self.objects, "volume", "deleted, the object alone"),
            (self.detached, "attachment", "deleted"),
            (self.assets, "asset", "deleted, data and all"),
            (self.members_made, "volume", "made"),
            (self.members_deleted, "volume", "deleted"),
            (self.leftovers, "asset", "taken back"),
        ];
        let done: Vec<String> = told
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, thing, done)| format!("{} {} {done}", plural(count, thing), verb(count)))
            .collect();
        let mut words = Vec::new();
        for (open, thing) in [(self.open, "claim"), (self.open_volumes, "volume")] {
            if open > 0 {
                let unfinished = format!("{} {} unfinished", plural(open, thing), is(open));
                words.push((Tone::Bad, unfinished));
            }
        }
        if !done.is_empty() {
            words.push((Tone::Good, done.join(", ")));
        }
        let targets = |is_bound: bool| -> BTreeSet<String> {
            let skipped = skipped.iter();
            let those = skipped.filter(|left| is_as_wanted(left) == is_bound);
            those.map(|left| left.target.spelled()).collect()
        };
        let (bound, left) = (targets(true), targets(false));
        if words.is_empty() && left.is_empty() {
            words.push(plain("Nothing to do"));
        } else if words.is_empty() {
            words.push((Tone::Wait, "Nothing can be done now".to_owned()));
        }
        if !bound.is_empty() {
            let count = bound.len();
            words.push((Tone::Good, format!("{count} {} bound already", is(count))));
        }
        if !left.is_empty() {
            let count = left.len();
            words.push((Tone::Wait, format!("{count} {} left alone", is(count))));
        }
        let mut line: Vec<Word> = Vec::new();
        for word in words {
            if !line.is_empty() {
                line.push(plain("; "));
            }
            line.push(word);
        }
        line.push(plain("."));
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::plan::Target;
    use crate::conventions::object_ref::ObjectKey;

    fn said(counts: [usize; 3], codes: &[&'static str], verb: &str) -> String {
        let [bound, given_back, open] = counts;
        let skipped: Vec<Skipped> = codes
            .iter()
            .enumerate()
            .map(|(index, code)| Skipped {
                target: Target::claim(&ObjectKey::new("ns", format!("c{index}")), None),
                code,
                commands: vec![],
                message: String::new(),
                standing: match *code {
                    ALREADY_BOUND => Standing::Fine,
                    _ => Standing::Refused,
                },
            })
            .collect();
        let count = Count {
            bound,
            given_back,
            open,
            ..Count::default()
        };
        let words = count.headline(verb, &skipped);
        words.into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn the_first_line_says_what_comes_of_it() {
        assert_eq!(said([0, 0, 0], &[], "were"), "Nothing to do.");
        assert_eq!(
            said([0, 0, 0], &["AlreadyBound"], "were"),
            "Nothing to do; 1 is bound already."
        );
        assert_eq!(
            said([0, 0, 0], &["TooSmall", "NoVolumeFits"], "would be"),
            "Nothing can be done now; 2 are left alone."
        );
        assert_eq!(
            said([2, 1, 0], &["AlreadyBound", "TooSmall"], "would be"),
            "2 claims would be bound, 1 volume would be given back; 1 is bound already; 1 is left alone."
        );
        assert_eq!(
            said([1, 0, 2], &[], "were"),
            "2 claims are unfinished; 1 claim was bound."
        );
    }
}
