//! What a volume that is about to be made must be.

use super::*;
use crate::conventions::annotations::SELECTED_NODE;
use crate::conventions::volume_mode::VolumeMode;
use crate::model::VolumePhase;
use crate::report::VolumeReason;

fn planned() -> Volume {
    volume("pvc-uid-c")
        .reserved_for("c", Some("uid-c"))
        .in_phase(VolumePhase::Pending)
}

fn codes(claim: Claim, planned: &Volume) -> Vec<&'static str> {
    let state = cluster(claim, class("any", OURS), |objects| {
        objects.nodes = vec![node("n1")];
    });
    let reasons = proves(&state, &state.claims()[0], planned, Rules::V1_36);
    reasons
        .iter()
        .map(|reason: &VolumeReason| reason.code().name())
        .collect()
}

#[test]
fn what_matches_is_proven_and_everything_else_is_named() {
    assert!(codes(claim("c"), &planned()).is_empty());
    assert!(codes(claim("c"), &planned().holds("2Gi")).is_empty());
    assert_eq!(codes(claim("c"), &planned().holds("1Mi")), ["TooSmall"]);
    assert_eq!(
        codes(claim("c"), &planned().of_class("x")),
        ["ClassMismatch"]
    );
    let picky = || claim("c").selecting("a=b");
    assert_eq!(codes(picky(), &planned()), ["SelectorMismatch"]);
    assert!(codes(picky(), &planned().labelled("a", "b")).is_empty());
    let wide = claim("c").modes(&["ReadWriteMany"]);
    assert_eq!(codes(wide, &planned()), ["AccessModesMissing"]);
    let mut block = planned();
    block.volume_mode = VolumeMode::Block;
    assert_eq!(codes(claim("c"), &block), ["VolumeModeMismatch"]);
    let mut gold = claim("c");
    gold.attributes_class = Some("gold".to_owned());
    assert_eq!(codes(gold, &planned()), ["AttributesClassMismatch"]);
    assert_eq!(codes(claim("c"), &planned().deleted()), ["BeingDeleted"]);
    let other = planned().reserved_for("d", Some("uid-d"));
    assert_eq!(codes(claim("c"), &other), ["ReservedForDeletedClaim"]);
    let mut optional = claim("c");
    optional.options = Some("options".to_owned());
    assert!(codes(optional, &planned()).is_empty());
    let chosen = claim("c").annotated(SELECTED_NODE, "n1");
    assert_eq!(
        codes(chosen.clone(), &pinned(planned(), "m")),
        ["NodeAffinityMismatch"]
    );
    assert!(codes(chosen, &pinned(planned(), "n")).is_empty());
}

#[test]
fn a_claim_without_a_class_is_held_against_the_default() {
    let state = cluster(
        claim("c").of_class(None),
        class("any", OURS).default_since(1),
        |_| {},
    );
    let claim = &state.claims()[0];
    assert!(proves(&state, claim, &planned(), Rules::V1_36).is_empty());
    let other = planned().of_class("");
    assert_eq!(proves(&state, claim, &other, Rules::V1_36).len(), 1);
}
