//! What could not be seen, as far as it bears on an answer.

use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClusterState, Gap, GapReason, Kind, UnreadObject};
use crate::report::Unknown;

/// The entry for a kind that was not seen, or of which the files hold none; nothing if it was seen.
pub(crate) fn find_unknown(
    state: &ClusterState,
    kind: Kind,
    namespace: Option<&str>,
) -> Option<Unknown> {
    if let Some(gap) = state.find_gap(kind, namespace) {
        return Some(describe(gap));
    }
    state.is_absent(kind).then(|| Unknown {
        what: kind.resource().to_owned(),
        why: "none in the files".to_owned(),
        remedy: None,
    })
}

/// The entry for a kind that was wholly or partly not seen.
pub(crate) fn describe(gap: &Gap) -> Unknown {
    let qualified = match gap.kind.group() {
        "" => gap.kind.resource().to_owned(),
        group => format!("{}.{group}", gap.kind.resource()),
    };
    let what = match &gap.seen_only_in {
        Some(namespace) => format!("{} outside namespace {namespace}", gap.kind.resource()),
        None => gap.kind.resource().to_owned(),
    };
    let (why, remedy) = match gap.why {
        GapReason::Forbidden => ("forbidden", Some(format!("permission to list {qualified}"))),
        GapReason::NotCaptured => (
            "not in the files",
            Some(format!(
                "add the output of: kubectl get {} -A -o yaml",
                gap.kind.resource()
            )),
        ),
        GapReason::NotServed => ("not served by this cluster", None),
    };
    Unknown {
        what,
        why: why.to_owned(),
        remedy,
    }
}

/// The entries for objects that a claim names and that were asked for and not read.
pub(crate) fn unread(state: &ClusterState, claim: &Claim, kind: Kind) -> Vec<Unknown> {
    let source = claim.data_source_ref.as_ref();
    let source = source.or(claim.data_source.as_ref());
    let names = [
        claim.options.as_deref(),
        source.map(|source| source.name.as_str()),
    ];
    let find = |name: &str| {
        let key = ObjectKey::new(&*claim.key.namespace, name);
        state.find_unread(kind, &key).map(describe_unread)
    };
    names.into_iter().flatten().filter_map(find).collect()
}

fn describe_unread(unread: &UnreadObject) -> Unknown {
    let kind = unread.kind.resource();
    Unknown {
        what: kind.to_owned(),
        why: unread.why.clone(),
        remedy: Some(format!("permission to get {kind}")),
    }
}
