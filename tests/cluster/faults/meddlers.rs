//! Somebody else who writes at the worst moment: just before one of our writes reaches the server. Each
//! meddler is a script; [`at_every_write`] lets each of them loose at every write of a command. Racing
//! alone does not show that a precondition is missing; this does.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::api::Api;
use super::message::Request;
use super::place::Place;
use super::proxy::Proxy;
use super::script::{Action, Number, Script};
use super::subject::{Ended, Subject};
use crate::cluster::report_check::OtherWrite;

const MERGE_PATCH: &str = "application/merge-patch+json";
const MOST_WRITES: usize = 100;

/// What somebody else does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meddler {
    /// Labels the object that is about to be written: harmless, but it has a new version.
    Labels,
    /// Binds the volume to another claim, as the controller would; not possible once it is reserved
    /// for a claim by uid, because every client honours that.
    TakesVolume,
    /// Binds the volume to another claim whoever has it, as nobody should. Not one of the four.
    StealsVolume,
    /// Binds the claim to another volume, as the controller would; not possible once it names one.
    BindsClaimElsewhere,
    /// Deletes the claim and makes a new one of the same name.
    RecreatesClaim,
}

impl Meddler {
    pub(crate) const ALL: [Self; 4] = [
        Self::Labels,
        Self::TakesVolume,
        Self::BindsClaimElsewhere,
        Self::RecreatesClaim,
    ];
}

/// The objects meddlers meddle with, as they are created.
#[derive(Clone)]
pub(crate) struct Stage {
    /// The claim the command is about.
    pub(crate) claim: Value,
    /// The volume it would get.
    pub(crate) volume: Value,
    /// A larger one, which it could have as well.
    pub(crate) spare: Value,
    /// Another claim, of a class of its own.
    pub(crate) rival: Value,
}

impl Stage {
    pub(crate) fn create(api: Api, place: &Place) -> Self {
        let mut rival = place.claim("rival", "1Gi");
        rival["spec"]["storageClassName"] = json!(format!("{}-rival", place.name));
        let stage = Self {
            claim: place.claim("data", "1Gi"),
            volume: place.volume("wanted", "1Gi"),
            spare: place.volume("spare", "2Gi"),
            rival,
        };
        for object in [&stage.claim, &stage.volume, &stage.spare, &stage.rival] {
            api.create(object);
        }
        stage
    }
}

/// What was done, or why it could not be.
pub(crate) type Deed = Result<String, String>;

/// A meddler that waits for its write.
pub(crate) struct Meddling {
    meddler: Meddler,
    at_write: usize,
    stage: Stage,
    api: Api,
    reached: AtomicBool,
    deed: Mutex<Deed>,
}

impl Meddling {
    pub(crate) fn new(meddler: Meddler, at_write: usize, stage: Stage, api: Api) -> Arc<Self> {
        Arc::new(Self {
            meddler,
            at_write,
            stage,
            api,
            reached: AtomicBool::new(false),
            deed: Mutex::new(Err("nothing yet".to_owned())),
        })
    }

    pub(crate) fn was_reached(&self) -> bool {
        self.reached.load(Ordering::SeqCst)
    }

    /// What was done, or why it could not be.
    pub(crate) fn deed(&self) -> Deed {
        let deed = self.deed.lock();
        deed.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn meddler(&self) -> Meddler {
        self.meddler
    }

    /// What it wrote, for the check of the report.
    pub(crate) fn other_writes(&self) -> Vec<OtherWrite> {
        let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or("").to_owned();
        let Stage {
            claim,
            volume,
            spare,
            rival,
        } = &self.stage;
        if self.deed().is_err() {
            return Vec::new();
        }
        match self.meddler {
            Meddler::Labels => ["PersistentVolume", "PersistentVolumeClaim"]
                .map(|kind| OtherWrite::field_of_all(kind, "/metadata/labels/meddled"))
                .to_vec(),
            Meddler::TakesVolume | Meddler::StealsVolume => {
                let mut writes = OtherWrite::binding_of_volume(&name(volume));
                writes.extend(OtherWrite::binding_of_claim(&name(rival)));
                writes
            }
            Meddler::BindsClaimElsewhere => {
                let mut writes = OtherWrite::binding_of_volume(&name(spare));
                writes.extend(OtherWrite::binding_of_claim(&name(claim)));
                writes
            }
            Meddler::RecreatesClaim => {
                vec![OtherWrite::object("PersistentVolumeClaim", &name(claim))]
            }
        }
    }

    fn act(&self, request: &Request) -> Deed {
        let Stage {
            claim,
            volume,
            spare,
            rival,
        } = &self.stage;
        match self.meddler {
            Meddler::Labels => Ok(self.label(request)),
            Meddler::TakesVolume if is_reserved(self.api, volume) => {
                Err("the volume is reserved already".to_owned())
            }
            Meddler::TakesVolume | Meddler::StealsVolume => bind(self.api, volume, rival),
            Meddler::BindsClaimElsewhere => bind(self.api, spare, claim),
            Meddler::RecreatesClaim => {
                self.api.delete(claim);
                self.api.create(claim);
                Ok("the claim is a new one".to_owned())
            }
        }
    }

    fn label(&self, request: &Request) -> String {
        let change = json!({ "metadata": { "labels": { "meddled": "yes" } } });
        let path = object_path(request);
        let sent = path.map(|path| (self.api.send("PATCH", &path, MERGE_PATCH, &change), path));
        if let Some((Ok((200, _)), path)) = sent {
            return format!("labelled {path}");
        }
        // It is about to be created: then the claim it is created for.
        self.api.patch(&self.stage.claim, &change);
        "labelled the claim".to_owned()
    }
}

impl Script for Meddling {
    fn before(&self, number: Number, request: &Request) -> Action {
        let is_here = number.of_writes == Some(self.at_write);
        if is_here && !self.reached.swap(true, Ordering::SeqCst) {
            let deed = self.act(request);
            *self.deed.lock().unwrap_or_else(PoisonError::into_inner) = deed;
        }
        Action::Forward
    }
}

/// The object a write is about, without a subresource; none for a new one.
fn object_path(request: &Request) -> Option<String> {
    if request.method == "POST" {
        return None;
    }
    let parts: Vec<&str> = request.path.split('/').collect();
    let root = if parts.get(1) == Some(&"api") { 3 } else { 4 };
    let is_namespaced = parts.get(root) == Some(&"namespaces") && parts.len() > root + 2;
    let length = if is_namespaced { root + 4 } else { root + 2 };
    (parts.len() >= length).then(|| parts[..length].join("/"))
}

/// Has the volume the uid of a claim?
fn is_reserved(api: Api, volume: &Value) -> bool {
    let found = api.find(volume).unwrap_or_default();
    found["spec"]["claimRef"]["uid"].is_string()
}

/// A whole bind as the controller writes it, without looking whether anybody else is there.
pub(crate) fn bind(api: Api, volume: &Value, claim: &Value) -> Deed {
    let Some(found) = api.find(claim) else {
        return Err("the claim is not there".to_owned());
    };
    let name = volume["metadata"]["name"].clone();
    let named = &found["spec"]["volumeName"];
    if !named.is_null() && *named != name {
        return Err(format!("the claim has {named} already"));
    }
    let metadata = &found["metadata"];
    let reference = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "namespace": metadata["namespace"], "name": metadata["name"],
        "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"],
    });
    let by_controller = json!({ "annotations": { "pv.kubernetes.io/bound-by-controller": "yes" } });
    let change = json!({ "metadata": by_controller, "spec": { "claimRef": reference } });
    let bound = api.patch(volume, &change);
    api.patch_status(volume, &json!({ "phase": "Bound" }));
    let annotations = json!({
        "pv.kubernetes.io/bound-by-controller": "yes", "pv.kubernetes.io/bind-completed": "yes",
    });
    let change =
        json!({ "metadata": { "annotations": annotations }, "spec": { "volumeName": name } });
    api.patch(claim, &change);
    let status = json!({
        "phase": "Bound", "accessModes": bound["spec"]["accessModes"],
        "capacity": bound["spec"]["capacity"],
    });
    api.patch_status(claim, &status);
    Ok(format!("bound {name} to {}", metadata["name"]))
}

/// A command that is meddled with.
pub(crate) struct Meddled<'a> {
    pub(crate) upstream: SocketAddr,
    pub(crate) what: &'a str,
    pub(crate) meddlers: &'a [Meddler],
    /// More than the stage, where a command needs more.
    pub(crate) set_up: &'a dyn Fn(Api, &Place),
    pub(crate) program: &'a dyn Fn(&Place, &Proxy) -> Command,
    /// What is wrong with the end, a sentence each.
    /// Whether the program prints an Outcome.
    pub(crate) reports: bool,
    pub(crate) judge: &'a dyn Fn(&Place, &Meddling, &Ended) -> Vec<String>,
}

/// Every meddler at every write: how often one acted, and what was wrong.
pub(crate) fn at_every_write(meddled: &Meddled<'_>) -> (usize, Vec<String>) {
    let api = Api::new(meddled.upstream);
    let mut acted = 0;
    let mut failures = Vec::new();
    for &meddler in meddled.meddlers {
        for number in 1.. {
            assert!(number <= MOST_WRITES, "no end of writes");
            let place = Place::create(api, meddled.what);
            let stage = Stage::create(api, &place);
            (meddled.set_up)(api, &place);
            let meddling = Meddling::new(meddler, number, stage, api);
            let proxy = Proxy::start(meddled.upstream, Arc::clone(&meddling));
            let site = place.site(&[]);
            let before = site.read();
            let ended = Subject::start((meddled.program)(&place, &proxy)).wait();
            let was_reached = meddling.was_reached();
            if was_reached {
                acted += 1;
                let mut found = if meddled.reports {
                    site.false_report(&before, &ended, &meddling.other_writes())
                } else {
                    vec![]
                };
                found.extend((meddled.judge)(&place, &meddling, &ended));
                if !found.is_empty() {
                    let (found, log) = (found.join("\n  "), proxy.show());
                    let deed = meddling.deed();
                    failures.push(format!(
                        "{meddler:?} before write {number} ({deed:?}):\n  {found}\n{log}{ended:?}"
                    ));
                }
            }
            place.clear();
            if !was_reached {
                break;
            }
        }
    }
    (acted, failures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::faults::message::Headers;

    #[test]
    fn the_object_of_a_write_is_found_in_its_path() {
        let path = |method: &str, path: &str| {
            object_path(&Request {
                method: method.to_owned(),
                path: path.to_owned(),
                query: String::new(),
                headers: Headers::default(),
                body: Vec::new(),
            })
        };
        for (of, object) in [
            ("/api/v1/persistentvolumes/a", "/api/v1/persistentvolumes/a"),
            (
                "/api/v1/persistentvolumes/a/status",
                "/api/v1/persistentvolumes/a",
            ),
            (
                "/api/v1/namespaces/n/persistentvolumeclaims/c/status",
                "/api/v1/namespaces/n/persistentvolumeclaims/c",
            ),
            ("/api/v1/namespaces/n", "/api/v1/namespaces/n"),
            (
                "/apis/storage.k8s.io/v1/storageclasses/s",
                "/apis/storage.k8s.io/v1/storageclasses/s",
            ),
        ] {
            assert_eq!(path("PATCH", of).as_deref(), Some(object));
        }
        assert_eq!(path("POST", "/api/v1/persistentvolumes"), None);
        assert_eq!(path("DELETE", "/api/v1/persistentvolumes"), None);
    }
}
