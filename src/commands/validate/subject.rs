//! What `validate` is asked about by name, found in the files or in the cluster.

use super::super::complete::Wanted;
use crate::conventions::object_ref::{ObjectKey, similar_names};
use crate::error::CommandError;
use crate::model::manifest::Candidate;
use crate::model::{Class, GapReason, Kind, Objects};
use crate::report::did_you_mean;
use crate::session::{Besides, Reviewed};

/// The objects named on the command line.
pub(super) struct Subjects {
    named: Vec<(Type, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    ConfigMap,
    Class,
    Claim,
    Volume,
    VolumeSet,
}

impl Type {
    fn find(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "cm" | "configmap" | "configmaps" => Self::ConfigMap,
            "sc" | "class" | "storageclass" | "storageclasses" | "storageclass.storage.k8s.io" => {
                Self::Class
            }
            "pvc" | "pvcs" | "persistentvolumeclaim" | "persistentvolumeclaims" => Self::Claim,
            "pv" | "persistentvolume" | "persistentvolumes" => Self::Volume,
            "pvs"
            | "set"
            | "persistentvolumeset"
            | "persistentvolumesets"
            | "persistentvolumeset.kubectl-pv.dev"
            | "persistentvolumesets.kubectl-pv.dev" => Self::VolumeSet,
            _ => return None,
        })
    }

    fn kind(self) -> Kind {
        match self {
            Self::ConfigMap => Kind::ConfigMaps,
            Self::Class => Kind::Classes,
            Self::Claim => Kind::Claims,
            Self::Volume => Kind::Volumes,
            Self::VolumeSet => Kind::VolumeSets,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::ConfigMap => "ConfigMap",
            Self::Class => "class",
            Self::Claim => "claim",
            Self::Volume => "volume",
            Self::VolumeSet => "set",
        }
    }
}

/// What is offered after `KIND/` while it is being typed.
pub(super) fn wanted_names(kind: &str) -> Option<Wanted> {
    Some(match Type::find(kind)? {
        Type::ConfigMap => Wanted::ConfigMaps,
        Type::Class => Wanted::Classes,
        Type::Claim => Wanted::Claims,
        Type::Volume => Wanted::Volumes,
        Type::VolumeSet => Wanted::VolumeSets,
    })
}

impl Subjects {
    /// Reads `TYPE/NAME…` or `TYPE NAME…`.
    pub(super) fn parse(words: &[String]) -> Result<Self, CommandError> {
        if let [first, names @ ..] = words
            && !first.contains('/')
            && let Some(kind) = Type::find(first)
        {
            if names.is_empty() {
                let message = format!("which {}? Name it: {first}/NAME", kind.word());
                return Err(CommandError::usage(message));
            }
            let named = names.iter().map(|name| (kind, name.clone())).collect();
            return Ok(Self { named });
        }
        let named = words.iter().map(|word| {
            let parted = word.split_once('/').filter(|(_, name)| !name.is_empty());
            parted
                .and_then(|(kind, name)| Some((Type::find(kind)?, name.to_owned())))
                .ok_or_else(|| {
                    CommandError::usage(format!("`{word}` cannot be validated")).with_hints([
                        "configmap/NAME, class/NAME, pvc/NAME, pv/NAME, pvs/NAME, or files with -f"
                            .to_owned(),
                    ])
                })
        });
        Ok(Self {
            named: named.collect::<Result<_, _>>()?,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// The ConfigMaps that must be read, since nothing else may name them.
    fn config_maps(&self) -> Vec<String> {
        let maps = self
            .named
            .iter()
            .filter(|(kind, _)| *kind == Type::ConfigMap);
        maps.map(|(_, name)| name.clone()).collect()
    }

    /// What must be read besides all that claims depend on.
    pub(super) fn besides(&self) -> Besides {
        Besides {
            config_maps: self.config_maps(),
            volume_sets: self.named.iter().any(|(kind, _)| *kind == Type::VolumeSet),
        }
    }

    /// The objects to judge: those named, or everything in the files.
    pub(super) fn choose(&self, reviewed: &Reviewed) -> Result<Vec<Candidate>, CommandError> {
        if self.named.is_empty() {
            return Ok(reviewed.candidates.clone());
        }
        let namespace = &reviewed.loaded.namespace;
        let mut chosen = Vec::new();
        for (kind, name) in &self.named {
            let is_it = |candidate: &&Candidate| holds(&candidate.objects, *kind, namespace, name);
            let written: Vec<&Candidate> = reviewed.candidates.iter().filter(is_it).collect();
            if written.is_empty() {
                chosen.push(find_live(reviewed, *kind, name)?);
            }
            chosen.extend(written.into_iter().cloned());
        }
        Ok(chosen)
    }

    /// A ConfigMap is judged against a class; without `--class` some claim must say which.
    pub(super) fn check_config_maps(
        &self,
        reviewed: &Reviewed,
        class: Option<&Class>,
    ) -> Result<(), CommandError> {
        let state = &reviewed.loaded.state;
        let namespace = &reviewed.loaded.namespace;
        for name in self.config_maps() {
            let is_used = state.claims().iter().any(|claim| {
                claim.key.namespace == *namespace
                    && claim.options.as_deref() == Some(name.as_str())
                    && claim.volume_name.is_none()
            });
            if class.is_none() && !is_used {
                let why = if state.saw(Kind::Claims, Some(namespace)) {
                    "no claim that waits for a volume names it"
                } else {
                    "you may not list the claims that name it"
                };
                let message =
                    format!("against which class is ConfigMap {name} to be judged? {why}");
                return Err(
                    CommandError::usage(message).with_hints(["add --class NAME".to_owned()])
                );
            }
        }
        Ok(())
    }
}

fn holds(objects: &Objects, kind: Type, namespace: &str, name: &str) -> bool {
    let key = ObjectKey::new(namespace, name);
    match kind {
        Type::ConfigMap => objects.config_maps.iter().any(|map| map.key == key),
        Type::Class => objects.classes.iter().any(|class| class.name == name),
        Type::Claim => objects.claims.iter().any(|claim| claim.key == key),
        Type::Volume => objects.volumes.iter().any(|volume| volume.name == name),
        Type::VolumeSet => objects.volume_sets.iter().any(|set| set.name == name),
    }
}

/// One object as it is in the cluster.
fn find_live(reviewed: &Reviewed, kind: Type, name: &str) -> Result<Candidate, CommandError> {
    let state = &reviewed.loaded.state;
    let key = ObjectKey::new(&*reviewed.loaded.namespace, name);
    let mut objects = Objects::default();
    match kind {
        Type::ConfigMap => {
            let maps = state.objects().config_maps.iter();
            objects.config_maps = maps.filter(|map| map.key == key).cloned().collect();
        }
        Type::Class => objects.classes = state.find_class(name).cloned().into_iter().collect(),
        Type::Claim => objects.claims = state.find_claim(&key).cloned().into_iter().collect(),
        Type::Volume => objects.volumes = state.find_volume(name).cloned().into_iter().collect(),
        Type::VolumeSet => {
            objects.volume_sets = state.find_volume_set(name).cloned().into_iter().collect();
        }
    }
    if holds(&objects, kind, &key.namespace, name) {
        return Ok(Candidate {
            objects,
            is_known: true,
            ..Candidate::default()
        });
    }
    Err(not_found(reviewed, kind, name))
}

/// The class of this name.
pub(super) fn find_class<'a>(
    reviewed: &'a Reviewed,
    name: &str,
) -> Result<&'a Class, CommandError> {
    let found = reviewed.loaded.state.find_class(name);
    found.ok_or_else(|| not_found(reviewed, Type::Class, name))
}

fn not_found(reviewed: &Reviewed, kind: Type, name: &str) -> CommandError {
    let state = &reviewed.loaded.state;
    let namespace = reviewed.loaded.namespace.as_str();
    let resource = kind.kind().resource();
    let key = ObjectKey::new(namespace, name);
    if let Some(unread) = state.find_unread(kind.kind(), &key) {
        let why = &unread.why;
        return CommandError::unanswered(format!("get {resource}: {key} was not read: {why}"));
    }
    let gap = state.find_gap(kind.kind(), Some(namespace));
    if gap.is_some_and(|gap| gap.why == GapReason::NotServed) {
        return CommandError::unanswered(format!("the cluster does not serve {resource}"))
            .with_hints(["kubectl pv set crd | kubectl apply -f -".to_owned()]);
    }
    if gap.is_some() {
        return CommandError::unanswered(format!("you may not read {resource}"))
            .with_hints([format!("ask for permission to get and list {resource}")]);
    }
    let here = |key: &ObjectKey| key.namespace == namespace;
    let names: Vec<&str> = match kind {
        Type::ConfigMap => {
            let maps = state
                .objects()
                .config_maps
                .iter()
                .filter(|map| here(&map.key));
            maps.map(|map| map.key.name.as_str()).collect()
        }
        Type::Class => state
            .classes()
            .iter()
            .map(|class| class.name.as_str())
            .collect(),
        Type::Claim => {
            let claims = state.claims().iter().filter(|claim| here(&claim.key));
            claims.map(|claim| claim.key.name.as_str()).collect()
        }
        Type::Volume => state
            .volumes()
            .iter()
            .map(|volume| volume.name.as_str())
            .collect(),
        Type::VolumeSet => state
            .volume_sets()
            .iter()
            .map(|set| set.name.as_str())
            .collect(),
    };
    let similar = similar_names(name, names);
    let place = match kind {
        Type::ConfigMap | Type::Claim => format!(" in namespace {namespace}"),
        Type::Class | Type::Volume | Type::VolumeSet => String::new(),
    };
    let error = CommandError::unanswered(format!("{} \"{name}\" not found{place}", kind.word()));
    error.with_hints(did_you_mean(&similar))
}
