//! Why a set of volumes is not as it is wanted.

use crate::conventions::command_line::Sentence;
use crate::model::ORDINAL_PLACEHOLDER;
use crate::report::code::coded;
use crate::report::plural;

coded! {
    /// Why a set of volumes is not as it is wanted.
    #[derive(Debug, Clone, PartialEq)]
    #[expect(missing_docs, reason = "the fields are the evidence their names say")]
    pub enum SetEvidence {
        /// It is being deleted.
        BeingDeleted,
        /// It cannot be reconciled as it is written.
        InvalidVolumeSet { fault: String },
        /// It has no template.
        WithoutTemplate as InvalidVolumeSet,
        /// The volumes could not be read.
        VolumesNotReadable as NotReadable,
        /// A list that shows who serves the name of its backend could not be read.
        ListNotReadable { resource: &'static str } as NotReadable,
        /// Another run creates this member, and may do so for as many seconds.
        OtherRun { volume: String, seconds: i64 } as InUse,
        /// Its backend is not configured.
        BackendNotConfigured { name: String } as NoProvisioner,
        /// Its backend cannot create volumes.
        CannotCreate { name: String } as NoProvisioner,
        /// The template is for other nodes.
        TemplateForOtherNodes { wanted: String, node: String } as NodeAffinityMismatch,
        /// The program of its backend is not asked on files.
        ProgramNotAsked as ProvisioningFailed,
        /// The backend gives labels that the selector does not match.
        LabelsNotSelected { provisioner: String } as SelectorMismatch,
        /// All new volumes would share the asset of this one.
        AllShared { sharer: String } as SharedAsset,
        /// The next volume would share the asset of this one.
        NextShared { sharer: String } as SharedAsset,
        /// The name of the next member is not one for an asset.
        InvalidAssetName { name: String } as ProvisioningFailed,
        /// It has no template to ask a backend for.
        NothingToAsk as ProvisioningFailed,
        /// No number is free.
        NoNumberFree as ProvisioningFailed,
        /// There are as many volumes as allowed.
        MaximumReached { total: u64, maximum: i64, is_planned: bool },
        /// There are too many, and nothing is deleted without `--yes`.
        DeletionNotAllowed { surplus: u64 } as NotNamed,
        /// There are too many, and the backend that deletes them is not configured.
        DeleterNotConfigured { surplus: u64, name: String } as NoDeleter,
        /// There are too many, and no other can be deleted.
        AboveMaximum { surplus: u64 },
        /// A member holds data, or may.
        HoldsData { is_known: bool },
        /// A number is not used: its asset is taken.
        AssetTaken { ordinal: u64, why: String },
    }
}

impl SetEvidence {
    pub(super) fn message(&self) -> String {
        match self {
            Self::BeingDeleted => "it is being deleted; its volumes stay as they are".to_owned(),
            Self::InvalidVolumeSet { fault } => fault.clone(),
            Self::WithoutTemplate | Self::NothingToAsk => "it has no template".to_owned(),
            Self::VolumesNotReadable => {
                "you may not list persistentvolumes, so nobody knows how many it has".to_owned()
            }
            Self::ListNotReadable { resource } => format!("you may not list {resource}"),
            Self::OtherRun { volume, seconds } => format!(
                "another run has noted that it creates {volume}, and may do so for {seconds}s more; run the command again after that"
            ),
            Self::BackendNotConfigured { name } => not_configured(name),
            Self::CannotCreate { name } => format!("backend {name} cannot make volumes"),
            Self::TemplateForOtherNodes { wanted, node } => format!(
                "its template is for nodes with {wanted}, and the directories made here are of node {node}"
            ),
            Self::ProgramNotAsked => {
                "what its program makes only it knows, and files do not ask it".to_owned()
            }
            Self::LabelsNotSelected { provisioner } => format!(
                "{provisioner} gives its volumes labels that the selector of the set does not match"
            ),
            Self::AllShared { sharer } => format!(
                "every new volume would be inside the directory of volume {sharer}, as far as paths tell"
            ),
            Self::NextShared { sharer } => format!(
                "the next volume would lie where {sharer} does: the source in its template has no {ORDINAL_PLACEHOLDER}"
            ),
            Self::InvalidAssetName { name } => format!("`{name}` is no name for an asset"),
            Self::NoNumberFree => "no number is free".to_owned(),
            Self::MaximumReached {
                total,
                maximum,
                is_planned: false,
            } => {
                format!("no more are made, as {total} of at most {maximum} volumes are there")
            }
            Self::MaximumReached {
                total,
                maximum,
                is_planned: true,
            } => {
                format!("then there are {total} of at most {maximum} volumes, and no more are made")
            }
            Self::DeletionNotAllowed { surplus } => format!(
                "{} above its maximum; nothing is deleted without --yes",
                volumes(*surplus)
            ),
            Self::DeleterNotConfigured { surplus, name } => {
                format!(
                    "{} above its maximum; {}",
                    volumes(*surplus),
                    not_configured(name)
                )
            }
            Self::AboveMaximum { surplus } => format!(
                "then it stays {} above its maximum: no other volume of it is unbound and ours to delete",
                volumes(*surplus)
            ),
            Self::HoldsData { is_known } => {
                let why = if *is_known {
                    "there is something in it"
                } else {
                    "nobody can look into it"
                };
                format!("{why}, and a set deletes nothing that somebody may want")
            }
            Self::AssetTaken { ordinal, why } => format!("number {ordinal} is passed over: {why}"),
        }
    }

    pub(super) fn hint(&self) -> Option<Sentence> {
        match self {
            Self::HoldsData { .. } => {
                Some("empty it, or take it out of the set by its labels".into())
            }
            _ => None,
        }
    }
}

fn volumes(count: u64) -> String {
    plural(usize::try_from(count).unwrap_or(usize::MAX), "volume")
}

fn not_configured(name: &str) -> String {
    format!(
        "its template names {name}, and no backend of that name is configured here: --backend {name}=KIND:TARGET"
    )
}
