//! Plans that depend on the backends of this machine: the planner names its questions, the backends are asked here, and the
//! planner continues with their answers. This is the only place that asks a backend on behalf of a plan, dry runs included:
//! it reads directories, and starts a program for `capabilities` and `unused`, never for an operation that changes anything.

use crate::actions::apply::ask_readiness;
use crate::actions::backend_facts::{
    AssetBehind, AssetOf, BackendFacts, BackendQuestion, KnownBackend, Offer, Planned,
    StoragePlace, UnusedAsset,
};
use crate::engine::{OwnBackend, OwnSource};
use crate::model::asset::CreateRequest;
use crate::model::{ReclaimPolicy, Volume};
use crate::storage::backend::Place;
use crate::storage::{Backend, Backends, StorageError};
use serde_json::Value;

/// Plans, and asks the backends for the planner until it has all answers that it needs. Answers live as long as one plan.
pub(crate) fn plan_with<T>(backends: &Backends, plan: impl Fn(&BackendFacts) -> Planned<T>) -> T {
    let mut facts = configured(backends);
    loop {
        let questions = match plan(&facts) {
            Planned::Done(done) => return done,
            Planned::Asks(questions) => questions,
        };
        for question in questions {
            // Two objects of one plan may have the same question.
            if !facts.answers(&question) {
                ask(backends, question, &mut facts);
            }
        }
    }
}

/// What is known without asking.
fn configured(backends: &Backends) -> BackendFacts {
    let known = backends.iter().map(|backend| KnownBackend {
        provisioner: backend.provisioner().to_owned(),
        target: backend.target().to_string(),
        needs_node: backend.needs_node(),
        keeps_records: backend.keeps_records(),
    });
    let known: Vec<KnownBackend> = known.collect();
    // All that create directories can; only a program is asked.
    let creators = known.iter().filter(|backend| backend.keeps_records);
    let creators = creators.map(|backend| (backend.provisioner.clone(), Ok(true)));
    // The protocol of programs does not ask for lists.
    let programs = known.iter().filter(|backend| !backend.keeps_records);
    let unused = programs.map(|backend| (backend.provisioner.clone(), vec![]));
    BackendFacts {
        creators: creators.collect(),
        unused_assets: unused.collect(),
        backends: known,
        ..BackendFacts::default()
    }
}

fn ask(backends: &Backends, question: BackendQuestion, facts: &mut BackendFacts) {
    match question {
        BackendQuestion::Holder(place) => {
            let holder = find_holder(backends, &place);
            facts.holders.insert(place, holder);
        }
        BackendQuestion::CanCreate { provisioner } => {
            let creator = find(backends, &provisioner).and_then(Backend::creator);
            let can_create = creator.map(|creator| creator.is_some());
            let answer = can_create.map_err(|error| error.to_string());
            facts.creators.insert(provisioner, answer);
        }
        BackendQuestion::Offer {
            provisioner,
            request,
        } => {
            let offer = find_offer(backends, &provisioner, &request);
            let offer = offer.map_err(|error| error.to_string());
            let asset = AssetOf::of_request(&provisioner, &request);
            let offers = facts.offers.entry(asset).or_default();
            offers.push((*request, offer));
        }
        BackendQuestion::Obstacle(asset) => {
            let backend = find(backends, &asset.provisioner);
            let found = backend.and_then(|it| it.find_obstacle(&asset.name, &asset.owner));
            let found = found.map(|obstacle| obstacle.map(|why| why.to_string()));
            let answer = found.map_err(|error| error.to_string());
            facts.obstacles.insert(asset, answer);
        }
        BackendQuestion::IsUnused(asset) => {
            let backend = backends.find(&asset.provisioner);
            let is_unused = backend.is_some_and(|it| it.is_unused(&asset.name, &asset.owner));
            facts.is_unused.insert(asset, is_unused);
        }
        BackendQuestion::UnusedAssets { provisioner } => {
            let unused = find_unused(backends, &provisioner);
            facts.unused_assets.insert(provisioner, unused);
        }
        BackendQuestion::IsEmpty(asset) => {
            let is_empty = is_empty(backends, &asset);
            facts.is_empty.insert(asset, is_empty);
        }
        BackendQuestion::Readiness(check) => {
            let readiness = ask_readiness(backends, &check);
            facts.readiness.insert(check, readiness);
        }
    }
}

fn find<'a>(backends: &'a Backends, provisioner: &str) -> Result<&'a Backend, StorageError> {
    let none = || StorageError::Refused(format!("no backend serves {provisioner} here"));
    backends.find(provisioner).ok_or_else(none)
}

fn find_offer(
    backends: &Backends,
    provisioner: &str,
    request: &CreateRequest,
) -> Result<Offer, StorageError> {
    let creator = find(backends, provisioner)?
        .creator()?
        .ok_or_else(|| StorageError::Refused(format!("{provisioner} cannot make volumes")))?;
    creator.check(request)?;
    Ok(Offer {
        labels: creator.labels(request)?,
        asset: creator.foresee(request)?,
    })
}

fn find_unused(backends: &Backends, provisioner: &str) -> Vec<UnusedAsset> {
    let Some(backend) = backends.find(provisioner) else {
        return vec![];
    };
    let unused = backend.unused_assets().into_iter();
    let unused = unused.map(|(name, owner)| UnusedAsset {
        source: backend.source_of(&name),
        name,
        owner,
    });
    unused.collect()
}

fn is_empty(backends: &Backends, asset: &AssetBehind) -> Option<bool> {
    let backend = backends.find(&asset.provisioner)?;
    let made = asset.made.as_ref().map(|(name, owner)| (name, owner));
    backend.is_empty(&asset.place.source(), made)
}

/// The backend that holds a volume's storage, and what it can do with it; or why that cannot be determined.
fn find_holder(backends: &Backends, place: &StoragePlace) -> Result<Option<OwnBackend>, String> {
    let source = place.source();
    let backend = match &place.provisioned_by {
        Some(name) => backends.find(name),
        None => backends.find_by_source(&source).map(|(backend, _)| backend),
    };
    let Some(backend) = backend else {
        return Ok(None);
    };
    let name = backend.provisioner();
    let unknown = |error| format!("backend {name} does not say what it can do: {error}");
    Ok(Some(OwnBackend {
        provisioner: name.to_owned(),
        can_delete: backend.deleter().map_err(unknown)?.is_some(),
        can_recycle: backend.recycler().map_err(unknown)?.is_some(),
        source: own_source(backend, &source),
    }))
}

/// Where the source is not a directory of the backend, only its program knows it.
fn own_source(backend: &Backend, source: &Value) -> OwnSource {
    let is_asset = !backend.keeps_records() || matches!(backend.place(source), Place::Asset(_));
    match (is_asset, backend.is_made_here(source)) {
        (false, _) => OwnSource::NoAsset,
        (true, false) => OwnSource::Asset,
        (true, true) => OwnSource::MadeHere,
    }
}

/// The source of a volume as the object has it, as far as backends read it.
pub(super) fn source_of(volume: &Volume) -> Value {
    StoragePlace::of_volume(volume).source()
}

/// The provisioner name of the backend that can carry out the policy of a volume.
pub(super) fn server_of(backends: &Backends, volume: &Volume) -> Option<String> {
    let own = find_holder(backends, &StoragePlace::of_volume(volume));
    let own = own.ok().flatten()?;
    let can = match volume.reclaim_policy {
        ReclaimPolicy::Delete => own.can_delete,
        ReclaimPolicy::Recycle => own.can_recycle,
        _ => false,
    };
    (can && own.source != OwnSource::NoAsset).then_some(own.provisioner)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::conventions::annotations::PROVISIONED_BY;
    use crate::storage::own_ground::open_base;
    use crate::testing::volume;
    use std::cell::Cell;

    const OURS: &str = "example.com/scratch";

    #[test]
    fn a_planner_goes_on_with_the_answers_to_its_questions() {
        let (base, backends) = open_base("answers", OURS);
        let path = base.join("v").display().to_string();
        let volume = volume("v")
            .stored_on("hostPath", &path)
            .annotated(PROVISIONED_BY, OURS);
        let place = StoragePlace::of_volume(&volume);
        let rounds = Cell::new(0);
        let held = plan_with(&backends, |facts| {
            rounds.set(rounds.get() + 1);
            assert_eq!(facts.creators.get(OURS), Some(&Ok(true)));
            match facts.holders.get(&place) {
                Some(held) => Planned::Done(held.clone()),
                None => Planned::Asks(vec![BackendQuestion::Holder(place.clone()); 2]),
            }
        });
        let expected = OwnBackend {
            provisioner: OURS.to_owned(),
            can_delete: true,
            can_recycle: true,
            source: OwnSource::Asset,
        };
        assert_eq!((held, rounds.get()), (Ok(Some(expected)), 2));
        assert!(!base.join("v").exists());
        std::fs::remove_dir_all(&base).unwrap();
    }
}
