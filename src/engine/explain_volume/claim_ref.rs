//! What a volume's claimRef says, and what became of the claim it names.

use super::super::phases::{Found, find_by_uid};
use crate::model::{ClaimRef, ClusterState, Kind, Volume};
use crate::report::{ClaimRefState, ClaimRefSummary};

/// Reads the claimRef as it is stored.
pub(super) fn read(state: &ClusterState, volume: &Volume) -> ClaimRefSummary {
    find(state, volume).with_meaning(state.is_absent(Kind::Claims))
}

fn find(state: &ClusterState, volume: &Volume) -> ClaimRefSummary {
    let Some(reference) = &volume.claim_ref else {
        return nobody(ClaimRefState::None);
    };
    if reference.is_empty() {
        return nobody(ClaimRefState::Empty);
    }
    match &reference.uid {
        Some(uid) => by_uid(state, volume, reference, uid),
        None => by_name(state, reference),
    }
}

fn nobody(state: ClaimRefState) -> ClaimRefSummary {
    ClaimRefSummary {
        state,
        namespace: None,
        name: None,
        uid: None,
        claim_exists: None,
        bound_elsewhere: None,
        meaning: String::new(),
    }
}

fn named(state: ClaimRefState, reference: &ClaimRef) -> ClaimRefSummary {
    ClaimRefSummary {
        namespace: Some(reference.namespace.clone()),
        name: Some(reference.name.clone()),
        uid: reference.uid.clone(),
        ..nobody(state)
    }
}

fn by_name(state: &ClusterState, reference: &ClaimRef) -> ClaimRefSummary {
    let found = state.find_claim(&reference.key());
    let saw = || state.saw(Kind::Claims, Some(&reference.namespace));
    ClaimRefSummary {
        claim_exists: match found {
            Some(claim) => Some(claim.exists()),
            None => saw().then_some(false),
        },
        ..named(ClaimRefState::NameOnly, reference)
    }
}

fn by_uid(
    state: &ClusterState,
    volume: &Volume,
    reference: &ClaimRef,
    uid: &str,
) -> ClaimRefSummary {
    let summary = named(ClaimRefState::Uid, reference);
    match find_by_uid(state, reference, uid) {
        Found::Claim(claim) => ClaimRefSummary {
            claim_exists: Some(true),
            bound_elsewhere: claim
                .volume_name
                .clone()
                .filter(|name| *name != volume.name),
            ..summary
        },
        Found::Gone => ClaimRefSummary {
            claim_exists: Some(false),
            ..summary
        },
        // The controller could see what we could not, and wrote what it found into the phase.
        Found::NotSeen => summary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, state, volume};

    fn read_of(volume: Volume) -> (ClaimRefState, Option<bool>) {
        let state = state(vec![claim("c")], vec![volume]);
        let summary = read(&state, &state.volumes()[0]);
        (summary.state, summary.claim_exists)
    }

    #[test]
    fn a_claim_ref_has_three_states_and_an_empty_one() {
        assert_eq!(read_of(volume("v")), (ClaimRefState::None, None));
        let mut empty = volume("v");
        empty.claim_ref = Some(ClaimRef::default());
        assert_eq!(read_of(empty), (ClaimRefState::Empty, None));
        let by_name = |name: &str| read_of(volume("v").reserved_for(name, None));
        assert_eq!(by_name("c"), (ClaimRefState::NameOnly, Some(true)));
        assert_eq!(by_name("other"), (ClaimRefState::NameOnly, Some(false)));
        let by_uid = |uid: &str| read_of(volume("v").reserved_for("c", Some(uid)));
        assert_eq!(by_uid("uid-c"), (ClaimRefState::Uid, Some(true)));
        assert_eq!(by_uid("older"), (ClaimRefState::Uid, Some(false)));
    }
}
