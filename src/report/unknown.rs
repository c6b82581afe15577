//! What was not read or cannot be observed, as far as it bears on an answer: what, why, and what would make it known.

use crate::conventions::command_line::CommandLine;
use crate::model::Kind;
use serde::{Serialize, Serializer};
use std::fmt;

/// Something that was not read or cannot be observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// What.
    pub what: UnknownSubject,
    /// Why.
    pub why: UnknownReason,
    /// What would make it known.
    pub remedy: Option<UnknownRemedy>,
}

/// What is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownSubject {
    /// All objects of a kind.
    Kind(Kind),
    /// The objects of a kind outside this namespace.
    KindOutside(Kind, String),
    /// An object of a kind that was asked for by its name.
    Object(Kind),
    /// Whether a provisioner runs.
    Provisioner(String),
    /// Whether a provisioner runs that events in a namespace are signed with.
    Signature {
        /// The provisioner.
        provisioner: String,
        /// The namespace.
        namespace: String,
    },
    /// Whether the controller provisions hostPath volumes.
    HostPathFlag,
    /// What is in a directory of this machine.
    Directory(String),
}

/// Why it is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownReason {
    /// This user is not allowed to read it.
    Forbidden,
    /// The input holds none, and does not show that there is none.
    NoneInInput,
    /// The input was captured without it.
    NotCaptured,
    /// The plan was made from files.
    NotInInput,
    /// The API server does not serve the kind.
    NotServed,
    /// What the API server answered instead.
    Answered(String),
    /// Only the component itself knows it.
    NotObservable,
    /// A flag of the controller, without which it provisions nothing.
    Flag,
    /// A provisioner of such a name registers nowhere, and nothing of it was found.
    NotRegistered,
    /// The volumes can be chosen for the claims of a pod in more ways than were followed.
    TooManyWays,
    /// A backend of this machine serves it, and acts when kubectl pv is run; what it is, as a clause.
    ServedHere(String),
}

/// What would make it known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownRemedy {
    /// Permission to list a kind.
    List(Kind),
    /// Permission to get objects of a kind.
    Get(Kind),
    /// The kind, added to the input.
    Capture(Kind),
    /// A command.
    Run(CommandLine),
    /// Asking whether a provisioner runs.
    Ask(String),
}

impl Unknown {
    /// Whether it is, at least in part, what there is of a kind.
    pub fn is_of(&self, kind: Kind) -> bool {
        match &self.what {
            UnknownSubject::Kind(of) | UnknownSubject::KindOutside(of, _) => *of == kind,
            _ => false,
        }
    }

    /// What orders unknowns in a report: the words.
    pub fn sort_key(&self) -> (String, String) {
        (self.what.to_string(), self.why.to_string())
    }
}

impl fmt::Display for UnknownSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) | Self::Object(kind) => f.write_str(kind.resource()),
            Self::KindOutside(kind, namespace) => {
                write!(f, "{} outside namespace {namespace}", kind.resource())
            }
            Self::Provisioner(name) => write!(f, "provisioner {name}"),
            Self::Signature {
                provisioner,
                namespace,
            } => write!(
                f,
                "whether {provisioner} runs, which events in namespace {namespace} are signed with"
            ),
            Self::HostPathFlag => f.write_str("--enable-hostpath-provisioner of the controller"),
            Self::Directory(path) => f.write_str(path),
        }
    }
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forbidden => "forbidden",
            Self::NoneInInput => "none in the files",
            Self::NotCaptured => "not in the files",
            Self::NotInInput => "NotInInput",
            Self::NotServed => "not served by this cluster",
            Self::Answered(text) => text,
            Self::NotObservable => "NotObservable",
            Self::Flag => "cannot be seen from outside; without it nothing is made",
            Self::NotRegistered => {
                "a provisioner of such a name registers nowhere, and nothing it made or said was seen"
            }
            Self::TooManyWays => "too many ways to choose among them for the claims of the pod",
            Self::ServedHere(by) => return write!(f, "{by}, which acts when it is told to"),
        })
    }
}

impl UnknownRemedy {
    /// What this user would have to be allowed to do, as `list pods`.
    pub fn permission(&self) -> Option<String> {
        match self {
            Self::List(kind) => Some(format!("list {}", kind.qualified())),
            Self::Get(kind) => Some(format!("get {}", kind.resource())),
            Self::Capture(_) | Self::Run(_) | Self::Ask(_) => None,
        }
    }
}

impl fmt::Display for UnknownRemedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(_) | Self::Get(_) => {
                let permission = self.permission().unwrap_or_default();
                write!(f, "permission to {permission}")
            }
            Self::Capture(kind) => write!(
                f,
                "add the output of: kubectl get {} -A -o yaml",
                kind.resource()
            ),
            Self::Run(command) => write!(f, "{command}"),
            Self::Ask(name) => write!(f, "ask whoever runs this cluster whether {name} runs"),
        }
    }
}

#[derive(Serialize)]
struct UnknownBody {
    what: String,
    why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (what, why) = self.sort_key();
        let remedy = self.remedy.as_ref().map(ToString::to_string);
        UnknownBody { what, why, remedy }.serialize(serializer)
    }
}
