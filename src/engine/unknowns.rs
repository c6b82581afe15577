//! What could not be seen, as far as it bears on an answer.

use super::scheduling::Placement;
use crate::conventions::object_ref::ObjectKey;
use crate::model::{Claim, ClusterState, Gap, GapReason, Kind, UnreadObject, UnreadReason};
use crate::report::{Unknown, UnknownReason, UnknownRemedy, UnknownSubject};

/// The entry for a kind that was not seen, or of which the files hold none; nothing if it was seen.
pub(crate) fn find_unknown(
    state: &ClusterState,
    kind: Kind,
    namespace: Option<&str>,
) -> Option<Unknown> {
    if let Some(gap) = state.find_gap(kind, namespace) {
        return Some(describe(gap));
    }
    state.is_absent(kind).then_some(Unknown {
        what: UnknownSubject::Kind(kind),
        why: UnknownReason::NoneInInput,
        remedy: None,
    })
}

/// The entry for a kind that was wholly or partly not seen.
pub(crate) fn describe(gap: &Gap) -> Unknown {
    let kind = gap.kind;
    let (why, remedy) = match gap.why {
        GapReason::Forbidden => (UnknownReason::Forbidden, Some(UnknownRemedy::List(kind))),
        GapReason::NotCaptured => (
            UnknownReason::NotCaptured,
            Some(UnknownRemedy::Capture(kind)),
        ),
        GapReason::NotServed => (UnknownReason::NotServed, None),
    };
    let what = match &gap.seen_only_in {
        Some(namespace) => UnknownSubject::KindOutside(kind, namespace.clone()),
        None => UnknownSubject::Kind(kind),
    };
    Unknown { what, why, remedy }
}

/// The entry for nodes on which the volumes of a pod can be chosen in more ways than were followed.
pub(crate) fn cut_ways(placements: &[Placement<'_>]) -> Option<Unknown> {
    placements.iter().any(|one| one.is_cut).then_some(Unknown {
        what: UnknownSubject::Kind(Kind::Volumes),
        why: UnknownReason::TooManyWays,
        remedy: None,
    })
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
    Unknown {
        what: UnknownSubject::Object(unread.kind),
        why: match &unread.why {
            UnreadReason::Forbidden => UnknownReason::Forbidden,
            UnreadReason::Answered(text) => UnknownReason::Answered(text.clone()),
        },
        remedy: Some(UnknownRemedy::Get(unread.kind)),
    }
}
