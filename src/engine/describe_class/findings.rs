//! What is wrong with a class, or worth knowing before it is used.

use super::super::classes::marked_default;
use super::default::by_what;
use crate::conventions::annotations::{BETA_DEFAULT_CLASS, DEFAULT_CLASS};
use crate::conventions::class_name::NO_PROVISIONER;
use crate::conventions::shell::command;
use crate::model::{BindingMode, Class, ClusterState, Options};
use crate::report::{Finding, FindingCode, FindingObject, join_and};

pub(super) fn findings(state: &ClusterState, class: &Class) -> Vec<Finding> {
    [
        malformed_options(class),
        immediate_without_provisioner(class),
        several_defaults(state, class),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn about(class: &Class) -> FindingObject {
    FindingObject {
        kind: "StorageClass".to_owned(),
        namespace: None,
        name: class.name.clone(),
    }
}

fn malformed_options(class: &Class) -> Option<Finding> {
    let Options::Malformed(why) = &class.options else {
        return None;
    };
    let message = format!(
        "its provisioning options cannot be understood, and nothing is concluded from them: {why}"
    );
    let finding = Finding::new(FindingCode::OptionsMalformed, about(class), message);
    Some(finding.hint("write a JSON list of {key, description, allowedValues, defaultValue, required}; only key is needed, and every value is a string"))
}

fn immediate_without_provisioner(class: &Class) -> Option<Finding> {
    let is_early =
        class.provisioner == NO_PROVISIONER && class.binding_mode == BindingMode::Immediate;
    is_early.then(|| {
        let message = "claims are bound before their pods are scheduled, to volumes made by hand: a pod may not be able to run where its volume is";
        Finding::new(
            FindingCode::ImmediateWithoutProvisioner,
            about(class),
            message,
        )
        .at("volumeBindingMode")
        .hint("make the class anew with volumeBindingMode: WaitForFirstConsumer, unless every node reaches its volumes")
    })
}

fn several_defaults(state: &ClusterState, class: &Class) -> Option<Finding> {
    let marked = marked_default(state);
    let [winner, next, ..] = marked[..] else {
        return None;
    };
    if !class.marked_default {
        return None;
    }
    let mut names: Vec<&str> = marked.iter().map(|class| class.name.as_str()).collect();
    names.sort_unstable();
    let message = format!(
        "{} are marked as the default class; a claim that names none gets {}, which {}",
        join_and(&names),
        winner.name,
        by_what(winner, next)
    );
    let loser = if class.name == winner.name {
        next
    } else {
        class
    };
    let unmark = command(&[
        "kubectl",
        "annotate",
        "storageclass",
        &loser.name,
        // Either may be the one that marks it.
        &format!("{DEFAULT_CLASS}-"),
        &format!("{BETA_DEFAULT_CLASS}-"),
    ]);
    let finding = Finding::new(FindingCode::SeveralDefaultClasses, about(class), message);
    Some(finding.hint(format!("leave one of them marked: {unmark}")))
}
