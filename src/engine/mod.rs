//! Questions about a [`ClusterState`](crate::model::ClusterState), answered as reports. Pure: no IO, no clock, no async;
//! the same state gives the same report, byte for byte.
//!
//! What it promises: a prediction equals what the control plane of Kubernetes v1.36 does (rules `R…` and `Q…` of the
//! specification it was written from); where Kubernetes itself is not determined, the answer is the whole set of
//! possible outcomes; what could not be seen is unknown, never "none".
//!
//! | question | where |
//! |---|---|
//! | what does a claim get, and why not the other volumes | [`explain_claim`] |
//! | how does the whole cluster settle, claim by claim | [`forecast()`] |
//! | whose is a volume, who could take it, what becomes of it | [`explain_volume`] |
//! | what does one sync of the controller do to a claim or a volume | [`sync`] |
//! | who makes a volume for a claim, and how | [`decide_making`] |
//! | what ends a released volume, or who may have it next | [`decide_ending`], [`decide_reuse`] |
//! | where can a pod go, and what do its claims get there | [`explain_pod`] |
//! | which class is the default | [`classes`] |
//! | what do the parameters of a class mean, and which are wrong | [`parameters`] |
//! | would the API server take this claim | [`admission`] |
//! | what becomes of a volume when its claim goes | [`lifecycle`] |
//! | what does a class offer, and who makes its volumes | [`describe_class()`] |
//! | what would today's API server make of an old manifest | [`convert`] |
//! | what is wrong with manifests and objects | [`validate`] |
//! | what makes the API server know sets of volumes | [`volume_set_crd`] |
//! | what is wrong with a set of volumes | `volume_set_problems`, `volume_set_overlap` |
//! | what is there, what is stuck, what needs somebody | [`take_inventory`] |
//! | what does nobody need any more | [`find_leftovers`] |
//! | how far is a pool of volumes from what it asks for | [`volume_set`], [`decide_surplus`] |

pub mod admission;
mod api_rules;
mod attachments;
pub mod binding;
mod checks;
mod choice;
mod claim_changes;
mod claims;
pub mod classes;
mod cleanup;
#[cfg(test)]
mod consistency;
mod consumers;
mod contention;
mod conversion;
mod describe_class;
pub mod ending;
mod evidence;
mod explain;
mod explain_pod;
mod explain_volume;
mod explainer;
mod forecast;
mod foreign_messages;
mod holders;
mod inventory;
pub mod lifecycle;
pub mod making;
mod named;
mod offered_labels;
mod offers;
mod options;
pub(crate) mod own_marks;
pub mod parameters;
pub mod phases;
mod provisioning;
mod reach;
mod reclaim_commands;
mod reclaimers;
pub mod refusal;
mod rules;
pub mod scheduling;
mod selection;
mod story;
mod suggestions;
pub mod sync;
mod takers;
mod taxonomy;
mod unknowns;
mod validation;
pub mod volume_set;
pub(crate) mod volume_users;

pub(crate) use api_rules::FieldError;
pub use api_rules::volume_set_crd;
pub use choice::{ByHand, Choice, choose_among, choose_volume, judge_by_hand, with_class};
pub use claims::ClaimDecision;
pub use cleanup::asset_holder::{AssetHolder, OwnedAsset};
pub use cleanup::found_asset::{AssetOwner, Assets, FoundAsset};
pub use cleanup::{CleanupQuestion, find_leftovers};
pub use conversion::{Conversion, convert};
pub use describe_class::{
    ClassDescriber, TemplateError, claim_template, describe_class, option_refusal, usable_values,
};
pub use ending::{
    Ending, EndingQuestion, OwnBackend, OwnDeletion, OwnSource, PodPlace, Recycler, Recycling,
    Reuse, ReuseQuestion, decide_ending, decide_reuse, decide_surplus, find_sharer,
};
pub use explain::look_at_node;
pub use explain_volume::{VolumeExplainer, explain_volume};
pub use explainer::{Explainer, explain_claim, explain_pod};
#[cfg(test)]
pub(crate) use forecast::tests::generate;
pub use forecast::{Ask, Foreseen, compare, forecast, forecast_for};
pub use inventory::{InventoryQuestion, take_inventory};
pub(crate) use making::rival_report;
#[cfg(feature = "cli")]
pub(crate) use making::somebody_else as serves_name;
pub use making::{
    DelegatedMaking, Making, MakingQuestion, OwnMaking, decide_making, find_host, proves,
};
pub use offers::Offers;
pub use rules::Rules;
pub use selection::{Labelled, Selection};
pub use validation::{ValidationQuestion, validate};
pub use volume_set::find_set_fault;
pub(crate) use volume_set::problems::{volume_set_overlap, volume_set_problems};
