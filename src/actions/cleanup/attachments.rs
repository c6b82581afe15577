//! An attachment that nobody needs goes: its driver detaches the volume then.

use super::super::draft::Draft;
use super::super::plan::{Deed, Errand, Target};
use super::super::recheck::Recheck;
use crate::model::ClaimRef;
use crate::report::{CleanupFinding, Confidence, Danger};

pub(super) fn plan(draft: &mut Draft, row: &CleanupFinding) {
    let mut attachments = draft.state.objects().attachments.iter();
    let found = attachments.find(|attachment| attachment.name == row.object.name);
    let Some(attachment) = found.cloned() else {
        return;
    };
    draft.begin(Errand {
        claim: None,
        volume: attachment.name.clone(),
        what: format!("deleted: {}", row.reason),
        deed: Deed::Detach,
    });
    let volume = attachment.volume.as_ref();
    let volume = volume.and_then(|name| draft.state.find_volume(name));
    let claim = volume.and_then(|volume| volume.claim_ref.as_ref().map(ClaimRef::key));
    // On a node that is gone no pod starts.
    if let Some(claim) = claim.filter(|_| row.confidence != Confidence::Certain) {
        let target = Target::attachment(&attachment.name, attachment.uid.as_ref());
        let node = Some(attachment.node.clone());
        draft.recheck(target, Recheck::NoPodUses { claim, node });
    }
    let change = draft.delete((&attachment).into(), vec![], row.reason.clone());
    change.danger = Danger::Reversible;
}
