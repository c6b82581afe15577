//! A backend, opened: what it can do, and which sources are its own.

use super::target::{Configuration, ConfigurationError, Target};
use super::{
    AssetName, BaseFacts, Creator, Deleter, Owner, Recycler, RunFacts, StatedVolume, StorageError,
    VolumeAsset,
};
use crate::model::asset::Readiness;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

#[cfg(target_os = "linux")]
use super::{
    base_rights,
    beneath::Directory,
    directories::Directories,
    exec::{Exec, Usage},
    hostpath::HostPath,
    nfs::Nfs,
    served::Served,
};

/// What backends take from outside.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The variables of this process; programs get few of them.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// How long a program may take for one request, and how long the deletion of a directory may go without progress.
    pub(crate) timeout: Duration,
    /// Whether other users may write to a base directory that has the sticky bit.
    pub(crate) is_base_shared: bool,
}

/// A backend of this machine.
#[derive(Debug)]
pub(crate) struct Backend {
    configuration: Configuration,
    driver: Driver,
}

#[derive(Debug)]
enum Driver {
    #[cfg(target_os = "linux")]
    HostPath(HostPath),
    #[cfg(target_os = "linux")]
    Nfs(Nfs),
    #[cfg(target_os = "linux")]
    Exec(Exec),
    /// Elsewhere there is no `openat2`, and nothing as safe.
    #[cfg(not(target_os = "linux"))]
    #[expect(dead_code, reason = "no backend can be opened there")]
    Nowhere,
}

/// Where the source of a volume lies, seen from a backend. Names are compared, nothing is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is an asset as the backend makes them: the base directory and one plain name.
    Asset(AssetName),
    /// It is the base directory, or somewhere below it where no asset is: nobody touches that.
    NotAnAsset,
    /// It has nothing to do with the backend.
    Elsewhere,
}

impl Backend {
    /// Opens a backend; what is wrong with its target is found here, before anything is done.
    #[cfg(target_os = "linux")]
    pub(crate) fn open(
        configuration: Configuration,
        settings: &Settings,
    ) -> Result<Self, ConfigurationError> {
        let wrong = |problem: String| ConfigurationError::new(&configuration, problem);
        let driver = match &configuration.target {
            Target::HostPath { base } => Driver::HostPath(HostPath {
                base: base.display().to_string(),
                directories: open_directories(base, settings).map_err(wrong)?,
            }),
            Target::Nfs {
                server,
                export,
                mounted,
            } => Driver::Nfs(Nfs {
                server: server.clone(),
                export: export.clone(),
                directories: open_directories(mounted, settings).map_err(wrong)?,
            }),
            Target::Exec { program } => {
                check_program(program).map_err(wrong)?;
                Driver::Exec(Exec::new(&configuration.provisioner, program, settings))
            }
            Target::Csi { .. } => {
                return Err(wrong("backends of kind csi are not built yet".to_owned()));
            }
        };
        let backend = Self {
            configuration,
            driver,
        };
        if let Some(base) = backend.base() {
            let shown = backend.configuration.to_string();
            base_rights::check(&shown, base, settings.is_base_shared)?;
        }
        Ok(backend)
    }

    /// What is beneath a base directory can be kept there only on Linux.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open(
        configuration: Configuration,
        _: &Settings,
    ) -> Result<Self, ConfigurationError> {
        let problem = "backends need Linux";
        Err(ConfigurationError::new(&configuration, problem))
    }

    /// The provisioner name it serves.
    pub(crate) fn provisioner(&self) -> &str {
        &self.configuration.provisioner
    }

    /// What it works on.
    pub(crate) fn target(&self) -> &Target {
        &self.configuration.target
    }

    /// What it makes assets with; `None` if it cannot.
    pub(crate) fn creator(&self) -> Result<Option<&dyn Creator>, StorageError> {
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::HostPath(hostpath) => Ok(Some(hostpath)),
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => Ok(Some(nfs)),
            #[cfg(target_os = "linux")]
            Driver::Exec(exec) => Ok(exec.capabilities()?.can("create").then_some(exec)),
            #[cfg(not(target_os = "linux"))]
            Driver::Nowhere => Ok(None),
        }
    }

    /// What it deletes assets with; `None` if it cannot.
    pub(crate) fn deleter(&self) -> Result<Option<&dyn Deleter>, StorageError> {
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::HostPath(hostpath) => Ok(Some(hostpath)),
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => Ok(Some(nfs)),
            #[cfg(target_os = "linux")]
            Driver::Exec(exec) => Ok(exec.capabilities()?.can("delete").then_some(exec)),
            #[cfg(not(target_os = "linux"))]
            Driver::Nowhere => Ok(None),
        }
    }

    /// What it empties assets with; `None` if it cannot.
    pub(crate) fn recycler(&self) -> Result<Option<&dyn Recycler>, StorageError> {
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::HostPath(hostpath) => Ok(Some(hostpath)),
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => Ok(Some(nfs)),
            #[cfg(target_os = "linux")]
            Driver::Exec(exec) => Ok(exec.capabilities()?.can("scrub").then_some(exec)),
            #[cfg(not(target_os = "linux"))]
            Driver::Nowhere => Ok(None),
        }
    }

    /// Where a volume's source lies. Whose a source is that a program or a driver made, only `provisioned-by` says.
    pub(crate) fn place(&self, source: &Value) -> Place {
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::HostPath(hostpath) => hostpath.place(source),
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => nfs.place(source),
            #[cfg(target_os = "linux")]
            Driver::Exec(_) => Place::Elsewhere,
            #[cfg(not(target_os = "linux"))]
            Driver::Nowhere => Place::Elsewhere,
        }
    }

    /// Whether what it makes is of one node only, so that somebody must say which.
    pub(crate) fn needs_node(&self) -> bool {
        matches!(self.configuration.target, Target::HostPath { .. })
    }

    /// Whether it remembers whom it made assets for.
    pub(crate) fn keeps_records(&self) -> bool {
        self.base().is_some()
    }

    /// Whether an asset was made for this owner and is still as it was made; a program need not be able to tell.
    pub(crate) fn is_unused(&self, name: &AssetName, owner: &Owner) -> bool {
        #[cfg(target_os = "linux")]
        if let Driver::Exec(exec) = &self.driver {
            return exec.usage(name, owner) == Some(Usage::Unused);
        }
        let is_it = |(found, by): &(AssetName, Owner)| found == name && by.is(owner);
        self.unused_assets().iter().any(is_it)
    }

    /// The assets that are as they were made, and whom each was made for; none where that cannot be told.
    pub(crate) fn unused_assets(&self) -> Vec<(AssetName, Owner)> {
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::HostPath(hostpath) => hostpath.directories.unused(),
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => nfs.directories.unused(),
            #[cfg(target_os = "linux")]
            Driver::Exec(_) => vec![],
            #[cfg(not(target_os = "linux"))]
            Driver::Nowhere => vec![],
        }
    }

    /// The source of a volume whose asset is called so; `None` where only its program knows.
    pub(crate) fn source_of(&self, name: &AssetName) -> Option<Value> {
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::HostPath(hostpath) => Some(hostpath.source(name.as_str())),
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => Some(nfs.source(name.as_str())),
            #[cfg(target_os = "linux")]
            Driver::Exec(_) => None,
            #[cfg(not(target_os = "linux"))]
            Driver::Nowhere => None,
        }
    }

    /// Whether the asset behind a source was made on this machine, as far as records are kept.
    pub(crate) fn is_made_here(&self, source: &Value) -> bool {
        let Place::Asset(name) = self.place(source) else {
            return !self.keeps_records();
        };
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::HostPath(hostpath) => hostpath.directories.is_recorded(&name),
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => nfs.directories.is_recorded(&name),
            #[cfg(target_os = "linux")]
            Driver::Exec(_) => true,
            #[cfg(not(target_os = "linux"))]
            Driver::Nowhere => false,
        }
    }

    /// Tells which cluster this run works for.
    pub(super) fn work_for(&self, run: &RunFacts) {
        if let Some(directories) = self.directories() {
            directories.work_for(run);
        }
    }

    /// What may be wrong with the target, though it can be used.
    pub(crate) fn warning(&self) -> Option<String> {
        match &self.driver {
            #[cfg(target_os = "linux")]
            Driver::Nfs(nfs) => nfs.warning(),
            _ => None,
        }
    }

    /// The directory of this machine that it works in.
    pub(super) fn base(&self) -> Option<&PathBuf> {
        match &self.configuration.target {
            Target::HostPath { base } => Some(base),
            Target::Nfs { mounted, .. } => Some(mounted),
            Target::Exec { .. } | Target::Csi { .. } => None,
        }
    }
}

/// What can be told only of directories.
#[cfg(target_os = "linux")]
impl Backend {
    /// Why an asset of this name cannot be made for this owner; a program says so only when it is asked to make it.
    pub(crate) fn find_obstacle(
        &self,
        name: &AssetName,
        owner: &Owner,
    ) -> Result<Option<StorageError>, StorageError> {
        match self.directories() {
            Some(directories) => directories.find_obstacle(name, owner),
            None => Ok(None),
        }
    }

    /// Whether there is nothing in the asset behind a source; `None` where only its program knows, and does not say.
    pub(crate) fn is_empty(
        &self,
        source: &Value,
        made: Option<(&AssetName, &Owner)>,
    ) -> Option<bool> {
        match (&self.driver, self.directories(), self.place(source)) {
            (_, Some(directories), Place::Asset(name)) => directories.is_empty(&name),
            (Driver::Exec(exec), ..) => {
                let usage = made.and_then(|(name, owner)| exec.usage(name, owner));
                usage.map(|usage| usage != Usage::Used)
            }
            _ => None,
        }
    }

    /// Whether the asset behind a source can be deleted or emptied now; a program is not asked.
    pub(crate) fn readiness(&self, source: &Value) -> Readiness {
        match (self.directories(), self.place(source)) {
            (Some(directories), Place::Asset(name)) => directories.readiness(&name),
            _ => Readiness::Ready { free: None },
        }
    }

    /// Whether assets can be created now; a program is not asked.
    pub(crate) fn readiness_to_create(&self) -> Readiness {
        match self.directories() {
            Some(directories) => directories.readiness_to_create(),
            None => Readiness::Ready { free: None },
        }
    }

    /// What its base directory shows of the cluster that it belongs to; `None` for a backend without one.
    pub(crate) fn base_facts(&self) -> Result<Option<BaseFacts>, StorageError> {
        self.directories().map(Directories::facts).transpose()
    }

    /// Whether its base directory has something of this name.
    pub(crate) fn has_asset(&self, name: &AssetName) -> bool {
        self.directories()
            .is_some_and(|directories| directories.exists(name))
    }

    /// Gives its base directory to the cluster of this run, if it belongs to `old`.
    pub(crate) fn take_over(&self, old: Option<&str>) -> Result<(), StorageError> {
        match self.directories() {
            Some(directories) => directories.take_over(old),
            None => Ok(()),
        }
    }

    /// Brings the records of these volumes up to date.
    pub(crate) fn refresh(
        &self,
        volumes: &[(AssetName, StatedVolume)],
    ) -> Result<(), StorageError> {
        match self.directories() {
            Some(directories) => directories.refresh(volumes),
            None => Ok(()),
        }
    }

    fn directories(&self) -> Option<&Directories> {
        match &self.driver {
            Driver::HostPath(hostpath) => Some(&hostpath.directories),
            Driver::Nfs(nfs) => Some(&nfs.directories),
            Driver::Exec(_) => None,
        }
    }
}

/// Elsewhere there are none.
#[cfg(not(target_os = "linux"))]
impl Backend {
    pub(crate) fn find_obstacle(
        &self,
        _: &AssetName,
        _: &Owner,
    ) -> Result<Option<StorageError>, StorageError> {
        Ok(None)
    }

    pub(crate) fn is_empty(&self, _: &Value, _: Option<(&AssetName, &Owner)>) -> Option<bool> {
        None
    }

    pub(crate) fn readiness(&self, _: &Value) -> Readiness {
        Readiness::Ready { free: None }
    }

    pub(crate) fn readiness_to_create(&self) -> Readiness {
        Readiness::Ready { free: None }
    }
}

impl Place {
    /// Where a path lies, seen from a base directory.
    pub(super) fn of_path(base: &str, path: &str) -> Self {
        let base = base.trim_end_matches('/');
        let name = path
            .strip_prefix(base)
            .and_then(|rest| rest.strip_prefix('/'));
        if let Some(name) = name.and_then(AssetName::find) {
            return Self::Asset(name);
        }
        // By the letter, or by what the letters come to: either is close enough to stay away from.
        let base = Path::new(if base.is_empty() { "/" } else { base });
        if Path::new(path).starts_with(base) || without_detours(path).starts_with(base) {
            Self::NotAnAsset
        } else {
            Self::Elsewhere
        }
    }

    /// The asset to act on, or why there is none.
    pub(super) fn asset_of(self, volume: &VolumeAsset) -> Result<AssetName, StorageError> {
        let what = match self {
            Self::Asset(name) => return Ok(name),
            Self::NotAnAsset => "is not an asset: the base directory and one plain name",
            Self::Elsewhere => "lies outside the base directory",
        };
        Err(StorageError::Refused(format!(
            "the source of volume `{}` {what}",
            volume.volume
        )))
    }
}

/// The path with `.` and `..` taken at their word.
fn without_detours(path: &str) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    plain
}

#[cfg(target_os = "linux")]
fn open_directories(base: &Path, settings: &Settings) -> Result<Directories, String> {
    use rustix::io::Errno;
    let shown = base.display();
    let opened = Directory::open_base(base).map_err(|error| match error {
        Errno::NOENT => format!("there is no directory `{shown}`"),
        Errno::NOTDIR => format!("`{shown}` is not a directory"),
        Errno::NOSYS => {
            "this kernel has no openat2 (Linux 5.6), without which files cannot be touched safely"
                .to_owned()
        }
        error => format!(
            "`{shown}` cannot be opened: {}",
            std::io::Error::from(error)
        ),
    });
    opened.map(|base| Directories::new(base, settings.timeout))
}

#[cfg(target_os = "linux")]
fn check_program(program: &Path) -> Result<(), String> {
    let shown = program.display();
    let metadata = std::fs::metadata(program).map_err(|error| format!("`{shown}`: {error}"))?;
    let may_run = rustix::fs::access(program, rustix::fs::Access::EXEC_OK).is_ok();
    if metadata.is_file() && may_run {
        return Ok(());
    }
    Err(format!("`{shown}` is not a program that can be run"))
}
