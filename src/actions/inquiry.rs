//! The questions of one planner to the backends of this machine. What was answered before is used; what was not is noted, and
//! the planner continues with a stand-in: the command asks, and plans once more. Nothing is read or started here.

use super::asset_check::AssetCheck;
use super::backend_facts::{
    AssetBehind, AssetOf, BackendFacts, BackendQuestion, KnownBackend, Offer, Planned,
    StoragePlace, UnusedAsset,
};
use crate::engine::OwnBackend;
use crate::model::Volume;
use crate::model::asset::{AssetName, CreateRequest, Owner, Readiness};
use std::cell::RefCell;

/// The answers that a planner has, and the questions that it still has. `None` means: not answered yet.
pub(super) struct Inquiry<'a> {
    facts: &'a BackendFacts,
    open: RefCell<Vec<BackendQuestion>>,
}

impl<'a> Inquiry<'a> {
    pub(super) fn new(facts: &'a BackendFacts) -> Self {
        Self {
            facts,
            open: RefCell::default(),
        }
    }

    /// The result, if every question had its answer.
    pub(super) fn conclude<T>(self, result: T) -> Planned<T> {
        let open = self.open.into_inner();
        if open.is_empty() {
            Planned::Done(result)
        } else {
            Planned::Asks(open)
        }
    }

    /// All backends, in the order in which they were configured.
    pub(super) fn backends(&self) -> &'a [KnownBackend] {
        &self.facts.backends
    }

    /// The backend that serves a provisioner name.
    pub(super) fn find(&self, provisioner: &str) -> Option<&'a KnownBackend> {
        let mut backends = self.backends().iter();
        backends.find(|backend| backend.provisioner == provisioner)
    }

    /// The backend that holds the storage of a volume: by its `provisioned-by`, or, without one, by its source. Never by its
    /// class. An error is why that cannot be determined.
    pub(super) fn holder(&self, volume: &Volume) -> Option<Result<Option<OwnBackend>, String>> {
        let may_be_held = match volume.provisioned_by() {
            Some(name) => self.find(name).is_some(),
            None => self.backends().iter().any(|it| it.keeps_records),
        };
        if !may_be_held {
            return Some(Ok(None));
        }
        let place = StoragePlace::of_volume(volume);
        let known = self.facts.holders.get(&place).cloned();
        self.note(known, || BackendQuestion::Holder(place))
    }

    /// Whether a backend can create assets.
    pub(super) fn can_create(&self, provisioner: &str) -> Option<&'a Result<bool, String>> {
        let known = self.facts.creators.get(provisioner);
        self.note(known, || BackendQuestion::CanCreate {
            provisioner: provisioner.to_owned(),
        })
    }

    /// What a backend would create.
    pub(super) fn offer(
        &self,
        provisioner: &str,
        request: &CreateRequest,
    ) -> Option<&'a Result<Offer, String>> {
        let asset = AssetOf::of_request(provisioner, request);
        let known = self.facts.find_offer(&asset, request);
        self.note(known, || BackendQuestion::Offer {
            provisioner: provisioner.to_owned(),
            request: Box::new(request.clone()),
        })
    }

    /// Why a backend cannot create an asset of this name for this owner.
    pub(super) fn obstacle(&self, asset: AssetOf) -> Option<&'a Result<Option<String>, String>> {
        let known = self.facts.obstacles.get(&asset);
        self.note(known, || BackendQuestion::Obstacle(asset))
    }

    /// Whether an asset was created for this owner and is unused.
    pub(super) fn is_unused(&self, asset: AssetOf) -> Option<bool> {
        let known = self.facts.is_unused.get(&asset).copied();
        self.note(known, || BackendQuestion::IsUnused(asset))
    }

    /// The unused assets of a backend.
    pub(super) fn unused_assets(&self, provisioner: &str) -> Option<&'a [UnusedAsset]> {
        let known = self.facts.unused_assets.get(provisioner).map(Vec::as_slice);
        self.note(known, || BackendQuestion::UnusedAssets {
            provisioner: provisioner.to_owned(),
        })
    }

    /// Whether the asset behind a volume is empty; the inner `None` where that cannot be determined.
    #[expect(clippy::option_option, reason = "no answer yet, and no answer ever")]
    pub(super) fn is_empty(
        &self,
        volume: &Volume,
        made: Option<(AssetName, Owner)>,
    ) -> Option<Option<bool>> {
        let named = volume.provisioned_by();
        let Some(backend) = named.and_then(|name| self.find(name)) else {
            return Some(None);
        };
        let asset = AssetBehind {
            provisioner: backend.provisioner.clone(),
            place: StoragePlace::of_volume(volume),
            made,
        };
        let known = self.facts.is_empty.get(&asset).copied();
        self.note(known, || BackendQuestion::IsEmpty(asset))
    }

    /// Whether something can be done with an asset now.
    pub(super) fn readiness(&self, check: &AssetCheck) -> Option<&'a Readiness> {
        let known = self.facts.readiness.get(check);
        self.note(known, || BackendQuestion::Readiness(check.clone()))
    }

    /// Notes the question where there is no answer.
    fn note<T>(&self, known: Option<T>, question: impl FnOnce() -> BackendQuestion) -> Option<T> {
        if known.is_none() {
            self.open.borrow_mut().push(question());
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conventions::annotations::PROVISIONED_BY;
    use crate::testing::volume;

    const OURS: &str = "example.com/scratch";

    fn facts() -> BackendFacts {
        BackendFacts {
            backends: vec![KnownBackend {
                provisioner: OURS.to_owned(),
                target: "exec:/no/such/program".to_owned(),
                needs_node: false,
                keeps_records: false,
            }],
            ..BackendFacts::default()
        }
    }

    #[test]
    fn a_question_without_an_answer_is_named_and_nothing_is_concluded() {
        let mut facts = facts();
        let ours = volume("v").annotated(PROVISIONED_BY, OURS);
        let place = StoragePlace::of_volume(&ours);
        let inquiry = Inquiry::new(&facts);
        assert_eq!(inquiry.holder(&ours), None);
        assert_eq!(inquiry.can_create(OURS), None);
        let Planned::Asks(questions) = inquiry.conclude(()) else {
            panic!("two questions are open");
        };
        let provisioner = OURS.to_owned();
        let expected = [
            BackendQuestion::Holder(place.clone()),
            BackendQuestion::CanCreate { provisioner },
        ];
        assert_eq!(questions, expected);
        assert!(!questions.iter().any(|question| facts.answers(question)));

        facts.holders.insert(place, Err("it failed".to_owned()));
        facts.creators.insert(OURS.to_owned(), Ok(false));
        assert!(questions.iter().all(|question| facts.answers(question)));
        let inquiry = Inquiry::new(&facts);
        assert_eq!(inquiry.holder(&ours), Some(Err("it failed".to_owned())));
        assert_eq!(inquiry.can_create(OURS), Some(&Ok(false)));
        assert!(matches!(inquiry.conclude(()), Planned::Done(())));
    }

    #[test]
    fn what_the_configuration_decides_is_not_asked() {
        let facts = facts();
        let inquiry = Inquiry::new(&facts);
        let others = volume("v").annotated(PROVISIONED_BY, "example.com/other");
        // A program holds only volumes that name it.
        for volume in [volume("v"), others] {
            assert_eq!(inquiry.holder(&volume), Some(Ok(None)));
            assert_eq!(inquiry.is_empty(&volume, None), Some(None));
        }
        assert!(matches!(inquiry.conclude(()), Planned::Done(())));
    }
}
