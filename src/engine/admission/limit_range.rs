//! LimitRanges: bounds on what a claim may ask for (R10a).

use crate::model::{Claim, ClusterState, LimitRange};

/// The LimitRanges of the claim's namespace that refuse it, each with the server's message.
pub(super) fn violations(state: &ClusterState, claim: &Claim) -> Vec<(String, String)> {
    state
        .objects()
        .limit_ranges
        .iter()
        .filter(|limit_range| limit_range.key.namespace == claim.key.namespace)
        .filter_map(|limit_range| {
            let messages = messages(limit_range, claim);
            let message = match &messages[..] {
                [] => return None,
                [only] => only.clone(),
                several => format!("[{}]", several.join(", ")),
            };
            Some((limit_range.key.name.clone(), message))
        })
        .collect()
}

fn messages(limit_range: &LimitRange, claim: &Claim) -> Vec<String> {
    let mut messages = Vec::new();
    for item in &limit_range.claim_items {
        let bounds = item
            .min
            .iter()
            .map(|bound| ("minimum", bound))
            .chain(item.max.iter().map(|bound| ("maximum", bound)));
        for (which, (resource, bound)) in bounds {
            let request = if resource == "storage" {
                claim.requested.as_ref()
            } else {
                None
            };
            let start = format!(
                "{which} {resource} usage per PersistentVolumeClaim is {}",
                bound.canonical()
            );
            match request {
                None => messages.push(format!("{start}.  No request is specified")),
                Some(request) => {
                    let order = request.cmp_rounded(bound);
                    let breaks = if which == "minimum" {
                        order.is_lt()
                    } else {
                        order.is_gt()
                    };
                    if breaks {
                        messages.push(format!("{start}, but request is {}", request.canonical()));
                    }
                }
            }
        }
    }
    messages
}
