//! Any storage at all, by a program of the administrator: a JSON object in, a JSON object out.
//!
//! # The protocol, `kubectl-pv.dev/exec/v1`
//!
//! The program is started once per operation, with no arguments, in `/`, in a process group of its own. It reads one JSON
//! object from stdin, to its end, and writes one JSON object to stdout. What it writes to stderr goes to stderr of kubectl pv
//! when it fails, and into no event. Its variables are `PATH`, `LANG` and those that start with `KUBECTL_PV_`, of the process that starts it; nothing of a
//! cluster is ever in its arguments or variables.
//!
//! | exit  | means                                | stdout                                       |
//! | ----- | ------------------------------------ | -------------------------------------------- |
//! | 0     | done                                 | the answer of the operation                  |
//! | 1     | refused; nothing was changed         | `{"reason": "no pool has that much"}`        |
//! | 2     | not now; the same request may do later | `{"reason": "the filer is being serviced"}` |
//! | other | failed                               | ignored                                      |
//!
//! A program that takes longer than the timeout is killed, with its process group. An answer has at most 1 MiB.
//! **Every operation may be asked for again**, after a crash on either side: the same `create` finds what it made, a `delete` of
//! what is gone is done, a `scrub` of what is empty too.
//!
//! Every request has `protocol`, `operation` and `provisioner` (the name the backend is configured under); fields may be added.
//!
//! `capabilities`: what the program can do. `parameters` and `options` are the keys a class and a claim may set, each with what
//! it is for; a request with any other never reaches the program. `labels` are carried by every volume it makes, so that the
//! selector of a claim can be judged before anything is made; at most 16. What is left out is none.
//! ```json
//! {"protocol": "kubectl-pv.dev/exec/v1", "operation": "capabilities", "provisioner": "example.com/pool"}
//! {"protocol": "kubectl-pv.dev/exec/v1", "operations": ["create", "delete", "scrub"],
//!  "parameters": {"pool": "the pool to take from"}, "options": {}, "labels": {"tier": "gold"}}
//! ```
//!
//! `create`: make an asset of that name for that owner, at least that large. `node` is the node it is for, where that is known,
//! and `hostname` that node's label `kubernetes.io/hostname`.
//! An asset of that name that was made for another owner, by uid, or that is in use, is to be refused.
//! ```json
//! {"protocol": "kubectl-pv.dev/exec/v1", "operation": "create", "provisioner": "example.com/pool",
//!  "asset": {"name": "pvc-0b1c…", "owner": {"claim": {"namespace": "shop", "name": "data", "uid": "0b1c…"}},
//!            "sizeBytes": 10737418240, "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
//!            "parameters": {"pool": "fast"}, "options": {}, "node": "node-1", "hostname": "node-1"}}
//! {"source": {"nfs": {"server": "filer", "path": "/pool/pvc-0b1c…"}}, "capacityBytes": 10737418240}
//! ```
//! `owner` is a `claim`, or `{"set": {"name", "uid", "ordinal"}}`. `source` is one field of a PersistentVolume's spec.
//! `capacityBytes` may be left out if it is what was asked for. The answer may also have `adopted` (true: it was there
//! already), `labels` (for the volume, besides those of `capabilities`; at most 16) and `node` (the name of the only node that
//! can reach the asset). An asset that does not fit its request, whose labels contradict `capabilities` or are none, or whose
//! source is none, is deleted again.
//!
//! `delete` and `scrub`: the asset behind a volume goes, or everything in it does. The answer is `{}`, or for `delete` of what was
//! gone `{"alreadyGone": true}`. `volume.source` comes from an object of the cluster: do not trust it.
//! ```json
//! {"protocol": "kubectl-pv.dev/exec/v1", "operation": "delete", "provisioner": "example.com/pool",
//!  "volume": {"name": "pvc-0b1c…", "source": {"nfs": {"server": "filer", "path": "/pool/pvc-0b1c…"}}}}
//! {}
//! ```
//!
//! `unused`, which need not be among the operations: whether the asset of that name was made for that owner and nobody has put
//! anything into it since. What was made for a claim that is gone is taken back only then; otherwise it waits for `reclaim`. A member
//! that a set has too many of goes only then, where the program can tell.
//! ```json
//! {"protocol": "kubectl-pv.dev/exec/v1", "operation": "unused", "provisioner": "example.com/pool",
//!  "asset": {"name": "pvc-0b1c…", "owner": {"claim": {"namespace": "shop", "name": "data", "uid": "0b1c…"}}}}
//! {"unused": true}
//! ```
//! The answer may also have `exists` (false: there is no asset of that name). Without it, a set does not finish the deletion of
//! a member that was interrupted after the program had deleted its asset.
//!
//! `examples/backends/directories` in the repository is a program that speaks it.

use super::backend::Settings;
use super::error::hide;
use super::parameters::check_keys;
use super::program::{self, Failure, Outcome};
use super::{
    Asset, AssetName, Contents, CreateRequest, Creator, Deleted, Deleter, KnownKey, KnownKeys,
    Labels, LeakedAsset, Owner, Recycler, StorageError, VolumeAsset, labels,
};
use crate::conventions::foreign::{quoted, safe};
use crate::conventions::names::name_problems;
use crate::conventions::quantity::Quantity;
use crate::conventions::secrets::{HIDDEN, is_secret};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

const PROTOCOL: &str = "kubectl-pv.dev/exec/v1";
/// The fields of a volume's spec that are objects and no source.
const NO_SOURCES: [&str; 3] = ["capacity", "claimRef", "nodeAffinity"];
/// Of a key of a class or ConfigMap.
const LONGEST_KEY: usize = 253;
/// Of a reason a program gives, as much is shown.
const LONGEST_REASON: usize = 1000;

/// The backend `exec:/path/to/program`.
pub(super) struct Exec {
    provisioner: String,
    program: PathBuf,
    variables: Vec<(OsString, OsString)>,
    timeout: Duration,
    /// Asked for once.
    capabilities: OnceLock<Capabilities>,
}

/// What a program can do.
#[derive(Debug, Deserialize)]
pub(super) struct Capabilities {
    protocol: String,
    #[serde(default)]
    operations: Vec<String>,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    #[serde(default)]
    options: BTreeMap<String, String>,
    /// What every volume carries.
    #[serde(default)]
    labels: Labels,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    source: Map<String, Value>,
    capacity_bytes: Option<u64>,
    #[serde(default)]
    adopted: bool,
    #[serde(default)]
    labels: Labels,
    node: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    #[serde(default)]
    already_gone: bool,
}

#[derive(Deserialize)]
struct Refusal {
    reason: String,
}

#[derive(Deserialize)]
struct Unused {
    unused: bool,
    #[serde(default = "exists_unless_denied")]
    exists: bool,
}

fn exists_unless_denied() -> bool {
    true
}

/// What a program reports about the use of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usage {
    /// As it was created for its owner.
    Unused,
    /// There is no such asset.
    Gone,
    /// Created for another owner, or something was written to it, or the program gave no answer.
    Used,
}

impl Capabilities {
    /// Whether the program knows an operation.
    pub(super) fn can(&self, operation: &str) -> bool {
        self.operations.iter().any(|known| known == operation)
    }

    fn known_keys(&self) -> KnownKeys {
        let keys = |map: &BTreeMap<String, String>| -> Vec<KnownKey> {
            map.iter()
                .map(|(key, meaning)| KnownKey {
                    key: key.clone(),
                    meaning: meaning.clone(),
                })
                .collect()
        };
        KnownKeys {
            parameters: keys(&self.parameters),
            options: keys(&self.options),
        }
    }
}

impl Created {
    /// What makes an asset useless for its request.
    fn problem(&self, size: u64, declared: &Labels) -> Option<String> {
        let contradicts = |(key, value): (&String, &String)| {
            declared.get(key).is_some_and(|known| known != value)
        };
        if let Some(capacity) = self.capacity_bytes.filter(|capacity| *capacity < size) {
            return Some(format!("has {capacity} bytes where {size} were asked for"));
        }
        let is_source = |(field, value): (&String, &Value)| {
            value.is_object() && !NO_SOURCES.contains(&field.as_str())
        };
        if self.source.len() != 1 || !self.source.iter().all(is_source) {
            return Some("does not have one source".to_owned());
        }
        if let Some((key, _)) = self.labels.iter().find(|label| contradicts(*label)) {
            return Some(format!(
                "has another label `{key}` than `capabilities` declares"
            ));
        }
        if let Some(problem) = labels::problem(&self.labels) {
            return Some(format!("has {problem}"));
        }
        let node = self.node.as_deref()?;
        let is_name = name_problems(node).is_empty();
        (!is_name).then(|| "is for a node whose name is none".to_owned())
    }
}

impl fmt::Debug for Exec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The variables may hold the program's passwords.
        f.debug_struct("Exec")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl Exec {
    pub(super) fn new(provisioner: &str, program: &Path, settings: &Settings) -> Self {
        Self {
            provisioner: provisioner.to_owned(),
            program: program.to_owned(),
            variables: program::allowed_variables(&settings.environment),
            timeout: settings.timeout,
            capabilities: OnceLock::new(),
        }
    }

    /// What the program says it can do.
    pub(super) fn capabilities(&self) -> Result<&Capabilities, StorageError> {
        if let Some(known) = self.capabilities.get() {
            return Ok(known);
        }
        let answer: Capabilities = self.ask("capabilities", None)?;
        if answer.protocol != PROTOCOL {
            return Err(StorageError::Program(format!(
                "speaks {}, not `{PROTOCOL}`",
                quoted(&answer.protocol)
            )));
        }
        let mut keys = answer.parameters.keys().chain(answer.options.keys());
        let problem = keys.find_map(|key| key_problem(key));
        if let Some(problem) = problem.or_else(|| labels::problem(&answer.labels)) {
            return Err(StorageError::Program(format!("declares {problem}")));
        }
        Ok(self.capabilities.get_or_init(|| answer))
    }

    /// How an asset is used; `None` where the program has no such operation. An asset that it does not report on counts as used.
    pub(super) fn usage(&self, name: &AssetName, owner: &Owner) -> Option<Usage> {
        let can_tell = self.capabilities().is_ok_and(|known| known.can("unused"));
        let asset = json!({ "name": name.as_str(), "owner": owner });
        let answer = || self.ask::<Unused>("unused", Some(("asset", asset)));
        can_tell.then(|| match answer() {
            Ok(Unused { exists: false, .. }) => Usage::Gone,
            Ok(Unused { unused: true, .. }) => Usage::Unused,
            _ => Usage::Used,
        })
    }

    /// Runs one operation. `about` is the field that says what it is about.
    fn ask<T: DeserializeOwned>(
        &self,
        operation: &str,
        about: Option<(&str, Value)>,
    ) -> Result<T, StorageError> {
        let mut request =
            json!({"protocol": PROTOCOL, "operation": operation, "provisioner": self.provisioner});
        if let Some((field, value)) = about {
            request[field] = value;
        }
        let text = request.to_string();
        let mut secrets = vec![];
        secrets_in(&request, &mut secrets);
        let said = |stderr: String| self.report_stderr(operation, &hide(stderr, &secrets));
        let seconds = self.timeout.as_secs();
        match program::run(
            &self.program,
            &self.variables,
            text.as_bytes(),
            self.timeout,
        ) {
            Ok(outcome) => {
                let answer = read(operation, &outcome);
                if matches!(answer, Err(StorageError::Program(_))) {
                    said(outcome.stderr);
                }
                answer
            }
            Err(Failure::Io(error)) => {
                Err(StorageError::Program(format!("cannot be run: {error}")))
            }
            Err(Failure::TimedOut { stderr }) => {
                said(stderr);
                Err(StorageError::Program(format!(
                    "took longer than {seconds} s for `{operation}` and was killed"
                )))
            }
            Err(Failure::TooMuch { stderr }) => {
                said(stderr);
                Err(StorageError::Program(format!(
                    "answered `{operation}` with more than 1 MiB and was killed"
                )))
            }
        }
    }

    /// What the program wrote is for the person at this machine, and for no event.
    fn report_stderr(&self, operation: &str, stderr: &str) {
        if stderr.is_empty() {
            return;
        }
        let mut to = io::stderr().lock();
        // A progress line may stand there.
        let start = if to.is_terminal() { "\r\x1b[K" } else { "" };
        let program = self.program.display().to_string();
        let _ = writeln!(to, "{start}{} wrote at `{operation}`:", safe(&program));
        for line in stderr.lines() {
            let _ = writeln!(to, "  | {}", safe(line));
        }
    }

    fn size(request: &CreateRequest) -> Result<u64, StorageError> {
        let refused = || {
            StorageError::Refused(format!(
                "`{}` is no size a program can make",
                request.size.as_str()
            ))
        };
        let bytes = u64::try_from(request.size.ceil_units()).map_err(|_| refused())?;
        if bytes == 0 {
            Err(refused())
        } else {
            Ok(bytes)
        }
    }

    /// Makes what was checked.
    fn make(&self, request: &CreateRequest) -> Result<Asset, StorageError> {
        let size = Self::size(request)?;
        let asset = json!({
            "name": request.name.as_str(),
            "owner": request.owner,
            "sizeBytes": size,
            "accessModes": request.access_modes,
            "volumeMode": request.volume_mode,
            "parameters": request.parameters,
            "options": request.options,
            "node": request.node.as_ref().map(|node| &node.name),
            "hostname": request.node.as_ref().map(|node| &node.hostname),
        });
        let created: Created = self.ask("create", Some(("asset", asset)))?;
        let capacity = created.capacity_bytes.unwrap_or(size);
        let declared = &self.capabilities()?.labels;
        if let Some(problem) = created.problem(size, declared) {
            return Err(self.take_back(request.name.as_str(), &created, &problem));
        }
        let is_exact = capacity == size && !request.size.has_fraction();
        Ok(Asset {
            source: Value::Object(created.source),
            capacity: if is_exact {
                request.size.clone()
            } else {
                Quantity::from_bytes(capacity.into())
            },
            adopted: created.adopted,
            labels: declared.clone().into_iter().chain(created.labels).collect(),
            node: created.node,
        })
    }

    /// An asset that does not fit its request is of no use to anybody: it goes again.
    fn take_back(&self, name: &str, created: &Created, problem: &str) -> StorageError {
        let why = StorageError::Program(format!("made an asset that {problem}"));
        let volume = VolumeAsset {
            volume: name.to_owned(),
            source: Value::Object(created.source.clone()),
        };
        let undo = self.capabilities().and_then(|known| {
            if known.can("delete") {
                return self.delete(&volume).map(drop);
            }
            Err(StorageError::Refused(
                "the program cannot delete".to_owned(),
            ))
        });
        match undo {
            Ok(()) => why,
            Err(undo) => StorageError::LeftBehind {
                why: Box::new(why),
                undo: Box::new(undo),
                left: format!("asset `{name}` ({})", without_secrets(&volume.source)),
            },
        }
    }
}

impl Creator for Exec {
    fn known_keys(&self) -> Result<KnownKeys, StorageError> {
        Ok(self.capabilities()?.known_keys())
    }

    fn check(&self, request: &CreateRequest) -> Result<(), StorageError> {
        Self::size(request)?;
        check_keys(request, &self.known_keys()?)
    }

    fn labels(&self, _: &CreateRequest) -> Result<Labels, StorageError> {
        Ok(self.capabilities()?.labels.clone())
    }

    fn foresee(&self, request: &CreateRequest) -> Result<Option<Asset>, StorageError> {
        // Only the program knows.
        self.check(request).map(|()| None)
    }

    fn create(&self, request: &CreateRequest) -> Result<Asset, StorageError> {
        self.check(request)?;
        // A program may repeat what it was told, and what it says is shown.
        let said = request.parameters.iter().chain(&request.options);
        let secrets: Vec<&str> = said
            .filter(|(key, value)| is_secret(key, value))
            .map(|(_, value)| value.as_str())
            .collect();
        self.make(request).map_err(|error| error.without(&secrets))
    }
}

impl Deleter for Exec {
    fn delete(&self, volume: &VolumeAsset) -> Result<Deleted, StorageError> {
        let done: Done = self.ask("delete", Some(("volume", volume_value(volume))))?;
        Ok(if done.already_gone {
            Deleted::AlreadyGone
        } else {
            Deleted::Removed
        })
    }

    fn delete_empty(
        &self,
        volume: &VolumeAsset,
        made: Option<&(AssetName, Owner)>,
    ) -> Result<Deleted, StorageError> {
        let usage = made.and_then(|(name, owner)| self.usage(name, owner));
        match usage {
            Some(Usage::Unused) => self.delete(volume),
            Some(Usage::Gone) => Ok(Deleted::AlreadyGone),
            Some(Usage::Used) | None => Err(StorageError::Refused(
                "the program does not report the asset as unused".to_owned(),
            )),
        }
    }

    fn roll_back(
        &self,
        request: &CreateRequest,
        made: Option<&Asset>,
    ) -> Result<Deleted, StorageError> {
        let source = match made {
            // It was unused when the plan was made; something may have been written to it since.
            Some(_) if self.usage(&request.name, &request.owner) == Some(Usage::Used) => {
                return Err(StorageError::Refused(
                    "the program does not report the asset as unused".to_owned(),
                ));
            }
            Some(asset) => asset.source.clone(),
            None => self.create(request)?.source,
        };
        self.delete(&VolumeAsset {
            volume: request.name.to_string(),
            source,
        })
    }

    fn delete_leaked(&self, _: &str, _: &Owner, _: Contents) -> Result<Deleted, StorageError> {
        // What it has made nobody but the program knows.
        Err(StorageError::Refused(
            "a program does not tell what it has made".to_owned(),
        ))
    }

    fn leaked(&self, _: &BTreeSet<String>) -> Result<Option<Vec<LeakedAsset>>, StorageError> {
        // The protocol does not ask for lists.
        Ok(None)
    }
}

impl Recycler for Exec {
    fn scrub(&self, volume: &VolumeAsset) -> Result<(), StorageError> {
        self.ask::<Done>("scrub", Some(("volume", volume_value(volume))))
            .map(drop)
    }
}

fn read<T: DeserializeOwned>(operation: &str, outcome: &Outcome) -> Result<T, StorageError> {
    let failed = |what: String| Err(StorageError::Program(what));
    match outcome.status.code() {
        // The reader's own words could repeat what the program wrote.
        Some(0) => serde_json::from_slice(&outcome.stdout).or_else(|error| {
            let (line, column) = (error.line(), error.column());
            failed(format!(
                "gave no answer to `{operation}` that can be read (line {line}, column {column})"
            ))
        }),
        Some(code @ (1 | 2)) => match serde_json::from_slice::<Refusal>(&outcome.stdout) {
            Ok(Refusal { reason }) => {
                let reason: String = reason.chars().take(LONGEST_REASON).collect();
                Err(if code == 1 {
                    StorageError::Refused(reason)
                } else {
                    StorageError::Busy(reason)
                })
            }
            Err(_) => failed(format!("ended `{operation}` with {code} and no reason")),
        },
        _ => failed(format!("failed at `{operation}` ({})", outcome.status)),
    }
}

/// The values of a request that are secrets by their keys.
fn secrets_in<'a>(request: &'a Value, found: &mut Vec<&'a str>) {
    match request {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str() {
                    Some(value) if is_secret(key, value) => found.push(value),
                    _ => secrets_in(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| secrets_in(item, found)),
        _ => {}
    }
}

/// A source as it may be shown.
fn without_secrets(source: &Value) -> Value {
    match source {
        Value::Object(fields) => {
            let shown = fields.iter().map(|(key, value)| {
                let hidden = is_secret(key, value.as_str().unwrap_or_default());
                let value = if hidden {
                    HIDDEN.into()
                } else {
                    without_secrets(value)
                };
                (key.clone(), value)
            });
            Value::Object(shown.collect())
        }
        Value::Array(items) => items.iter().map(without_secrets).collect(),
        other => other.clone(),
    }
}

/// What is wrong with a key a program declares: one that is no plain word is a mistake, or a trick.
fn key_problem(key: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"*`\"'\\".contains(c);
    let fits = !key.is_empty() && key.len() <= LONGEST_KEY && key.chars().all(is_plain);
    (!fits).then(|| format!("the key `{key}`, which is no plain word"))
}

fn volume_value(volume: &VolumeAsset) -> Value {
    json!({"name": volume.volume, "source": volume.source})
}
