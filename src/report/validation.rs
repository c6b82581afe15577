//! `validate`: what is wrong with manifests and objects, each finding with its place and what to do.

use super::{Code, Unknown};
use crate::conventions::command_line::Sentence;
use serde::Serialize;

/// The answer of `validate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationReport {
    /// Which contract this is.
    pub api_version: &'static str,
    /// `ValidationReport`.
    pub kind: &'static str,
    /// What was found, by file, line and code.
    pub findings: Vec<Finding>,
    /// How many objects were looked at.
    pub checked: usize,
    /// What could not be seen.
    pub unknowns: Vec<Unknown>,
}

/// One thing that is wrong, or worth knowing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it weighs.
    pub severity: FindingSeverity,
    /// What it is.
    pub code: FindingCode,
    /// Which object it is about.
    pub object: FindingObject,
    /// The field, spelled as the API server does; of the object as a whole there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The file it was read from; live objects have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The part of that line around the column, for people: a line may be as long as its file.
    #[serde(skip)]
    pub excerpt: Option<String>,
    /// What is wrong, one clause.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Sentence>,
}

/// Which object a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FindingObject {
    /// The kind; of a document that is no object, empty.
    pub kind: String,
    /// The namespace, where its kind has one.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum FindingSeverity {
    /// It will not work.
    Error,
    /// It may not do what it looks like.
    Warning,
    /// Good to know.
    Note,
}

macro_rules! finding_codes {
    ($($severity:ident { $($(#[doc = $doc:literal])+ $code:ident,)+ })+) => {
        /// What a finding is. The severity belongs to the code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum FindingCode { $($($(#[doc = $doc])+ $code,)+)+ }

        impl FindingCode {
            /// All codes, errors first.
            pub const ALL: &'static [Self] = &[$($(Self::$code,)+)+];

            /// How much it weighs.
            pub fn severity(self) -> FindingSeverity {
                match self { $($(Self::$code)|+ => FindingSeverity::$severity,)+ }
            }

            /// The code of the contract.
            pub fn code(self) -> Code {
                match self { $($(Self::$code => Code::$code,)+)+ }
            }

            /// The code as it is printed.
            pub fn name(self) -> &'static str {
                self.code().name()
            }

            /// What the code says of any object, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self { $($(Self::$code => concat!($($doc),+).trim_ascii_start(),)+)+ }
            }
        }
    };
}

finding_codes! {
    Error {
        /// The ConfigMap sets an option that the class does not offer.
        OptionUnknown,
        /// The ConfigMap gives an option a value that the class does not allow.
        OptionValueNotAllowed,
        /// The class requires an option that the ConfigMap does not set.
        OptionRequired,
        /// An option and the parameters of the class contradict each other.
        OptionConflictsWithParameters,
        /// The class declares one option twice.
        OptionDuplicate,
        /// The default of an option is not among its allowed values.
        OptionDefaultNotAllowed,
        /// The options of the class cannot be understood.
        OptionsMalformed,
        /// The claim names a ConfigMap that is not there.
        OptionsConfigMapNotFound,
        /// The claim has provisioning options and its class is not there.
        ClassNotFound,
        /// A parameter of the class has a value its provisioner does not take.
        ParameterValueInvalid,
        /// The API server would refuse this claim.
        InvalidClaim,
        /// The API server would refuse this volume.
        InvalidVolume,
        /// The API server would refuse this class.
        InvalidClass,
        /// The API server would refuse this ConfigMap.
        InvalidConfigMap,
        /// The API server would refuse this PersistentVolumeSet.
        InvalidVolumeSet,
        /// The document is no object, or repeats a key.
        Unreadable,
    }
    Warning {
        /// The class requires an option and gives it a default as well.
        OptionRequiredWithDefault,
        /// An option has the key of a parameter of the class.
        OptionShadowsParameter,
        /// The provisioner does not know this parameter.
        ParameterUnknown,
        /// The provisioner has something better than this parameter or value.
        ParameterDeprecated,
        /// A selector and a class whose provisioner refuses selectors.
        SelectorNotProvisionable,
        /// The class binds at once and makes no volumes.
        ImmediateWithoutProvisioner,
        /// The volume is to be deleted with its claim, and nobody can.
        NotDeletable,
        /// Decimal and binary units side by side.
        UnitMix,
        /// The class is named by the beta annotation.
        BetaClassAnnotation,
        /// The class is named by the alpha annotation, which has no meaning any more.
        AlphaClassAnnotation,
        /// More than one class is marked as the default.
        SeveralDefaultClasses,
        /// The cluster's controller knows nothing of provisioning options and would act differently.
        OptionsIgnoredByCluster,
        /// A field that today's API server does not keep.
        DroppedByServer,
        /// A secret in plain sight.
        SecretInParameters,
    }
    Note {
        /// The ConfigMap leaves an option to its default.
        OptionDefaultApplies,
    }
}

impl Finding {
    /// A finding about an object, without a place yet.
    pub fn new(code: FindingCode, object: FindingObject, message: impl Into<String>) -> Self {
        Self {
            severity: code.severity(),
            code,
            object,
            field: None,
            file: None,
            line: None,
            column: None,
            excerpt: None,
            message: message.into(),
            hint: None,
        }
    }

    /// The same, about one field.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same, with what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Sentence>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_know_their_name_weight_and_meaning() {
        assert_eq!(FindingCode::OptionUnknown.name(), "OptionUnknown");
        assert_eq!(FindingCode::UnitMix.severity(), FindingSeverity::Warning);
        assert_eq!(
            FindingCode::Unreadable.meaning(),
            "The document is no object, or repeats a key."
        );
        assert_eq!(FindingCode::ALL.len(), 31);
    }
}
