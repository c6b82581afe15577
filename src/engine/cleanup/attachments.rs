//! `leftover-attachments`: a volume is attached, or is to be, where nobody needs it.

use super::Search;
use super::row::{Finding, Row, Subject};
use crate::conventions::object_command::command;
use crate::model::{ClaimRef, Volume, VolumeAttachment};
use crate::report::{Code, Confidence};

pub(super) fn search<'a>(search: &Search<'a>) -> Vec<Row<'a>> {
    let attachments = search.state.objects().attachments.iter();
    attachments
        .map(|attachment| row(search, attachment))
        .collect()
}

fn row<'a>(search: &Search<'a>, attachment: &'a VolumeAttachment) -> Row<'a> {
    let state = search.state;
    let node = &attachment.node;
    let name = attachment.volume.as_deref();
    let volume = name.and_then(|name| state.find_volume(name));
    let subject = Subject::Attachment(attachment, volume);
    let Some(name) = name else {
        let why = format!("a pod on node {node} describes its volume itself");
        return Row::kept(subject, Code::InUse, why);
    };
    if attachment.is_deleted {
        let said = attachment.detach_error.as_ref();
        let said = said.map(|said| format!(": {said}")).unwrap_or_default();
        let why = format!(
            "its deletion was asked for, and waits for {}{said}",
            attachment.attacher
        );
        return Row::kept(subject, Code::BeingDeleted, why);
    }
    let (reason, confidence) = match volume {
        None => (format!("its volume {name} is gone"), Confidence::Certain),
        Some(_) if state.find_node(node).is_none() => {
            // A cluster without a single node is asleep rather than cleared away.
            let is_empty = state.objects().nodes.is_empty();
            let confidence = if is_empty {
                Confidence::Unsure
            } else {
                Confidence::Certain
            };
            (
                format!("volume {name}: its node {node} is gone"),
                confidence,
            )
        }
        Some(volume) => match user_on(search, volume, node) {
            Some(pod) => {
                let why = format!("pod {pod} on node {node} uses volume {name}");
                return Row::obvious(subject, Code::InUse, why);
            }
            None => (
                format!("volume {name}: no pod on node {node} uses it"),
                Confidence::Likely,
            ),
        },
    };
    let finding = Finding {
        reason,
        confidence,
        since: None,
        frees: None,
        recreates: false,
        commands: vec![command(&[
            "kubectl",
            "delete",
            "volumeattachment",
            &attachment.name,
        ])],
    };
    Row::found(subject, finding)
}

/// A pod on the node that names the claim of the volume. One that is over may still have it mounted.
fn user_on(search: &Search<'_>, volume: &Volume, node: &str) -> Option<String> {
    let claim = volume.claim_ref.as_ref().map(ClaimRef::key)?;
    let mut pods = search.state.pods_using(&claim);
    let pod = pods.find(|pod| pod.node_name.as_deref() == Some(node))?;
    Some(pod.key.to_string())
}
