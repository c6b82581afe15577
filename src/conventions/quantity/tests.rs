//! Quantities against what upstream does with the same texts.

use super::*;
use proptest::prelude::*;

fn q(text: &str) -> Quantity {
    Quantity::parse(text).expect(text)
}

#[test]
fn units_do_not_matter_for_order() {
    assert_eq!(q("1Gi"), q("1024Mi"));
    assert_eq!(q("1Gi"), q("1073741824"));
    assert!(q("1G") < q("1Gi"));
    assert!(q("10G") < q("10Gi"));
    assert!(q("1e100") > q("800E"));
    assert!(q("-1e100") < q("-800E"));
    assert!(q("200E") > q("8Ei"));
    assert_eq!(q("1e100"), q("10e99"));
}

#[test]
fn odd_spellings_parse() {
    for (text, same) in [
        ("1.", "1"),
        (".5", "500m"),
        ("+1", "1"),
        (" 1Gi ", "1Gi"),
        ("1E2", "100"),
        ("1e3", "1k"),
    ] {
        assert_eq!(q(text), q(same), "{text}");
    }
    assert_eq!(q("1E"), q("1000P"));
}

#[test]
fn bad_spellings_are_refused() {
    assert_eq!(Quantity::parse(""), Err(QuantityError::Form));
    assert_eq!(Quantity::parse("1 Gi"), Err(QuantityError::Form));
    assert_eq!(Quantity::parse("10GB"), Err(QuantityError::Form));
    assert_eq!(Quantity::parse("10Gib"), Err(QuantityError::Form));
    assert_eq!(Quantity::parse("10K"), Err(QuantityError::Suffix));
    assert_eq!(Quantity::parse("10ki"), Err(QuantityError::Suffix));
}

#[test]
fn tiny_values_round_away_from_zero_and_binary_ones_are_capped() {
    assert_eq!(q("0.1n"), q("1n"));
    assert_eq!(q("-0.1n"), q("-1n"));
    assert_eq!(q("8Ei"), q("9223372036854775807"));
    assert_eq!(q("7.99999999999999999999Ei"), q("9223372036854775807"));
    assert!(q("800E") > q("8Ei"));
}

#[test]
fn go_value_overflows_as_upstream_does() {
    assert_eq!(q("1.5Gi").value(), 1_610_612_736);
    assert_eq!(q("1m").value(), 1);
    assert_eq!(q("200E").value(), 0);
    assert_eq!(q("8Ei").value(), i64::MAX);
    // 10^16 k fits the fast path and wraps: 10^19 - 2^64.
    assert_eq!(
        q("10000000000000001k").value(),
        10_000_000_000_000_001_i64.wrapping_mul(1000)
    );
}

#[test]
fn canonical_forms_are_the_servers() {
    for (text, canonical) in [
        ("1024Mi", "1Gi"),
        ("1500Mi", "1500Mi"),
        ("1000m", "1"),
        ("1n", "1n"),
        ("0.5Gi", "512Mi"),
        ("1e3", "1e3"),
        ("10737418240", "10737418240"),
        ("100Ki", "100Ki"),
        ("1000", "1k"),
        ("0.1Ki", "102400m"),
        ("0.9999Gi", "1073634449817600u"),
        ("2E9", "2E9"),
        ("2000e6", "2e9"),
        ("+1", "+1"),
        ("2.500G", "2.500G"),
        ("2.5G", "2500M"),
    ] {
        assert_eq!(q(text).canonical(), canonical, "{text}");
    }
}

#[test]
fn sums_and_differences_keep_the_suffix_and_never_fall_below_nothing() {
    assert_eq!(q("10Gi").plus(&q("512Mi")).as_str(), "10752Mi");
    assert_eq!(q("10Gi").minus(&q("5Gi")).as_str(), "5Gi");
    assert_eq!(q("3").minus(&q("1")).as_str(), "2");
    assert_eq!(q("1Gi").minus(&q("2Gi")), Quantity::zero());
}

#[test]
fn whole_bytes_print_in_the_largest_suffix() {
    assert_eq!(Quantity::from_bytes(10 << 30).as_str(), "10Gi");
    assert_eq!(Quantity::from_bytes(1000).as_str(), "1k");
}

proptest! {
    #[test]
    fn order_equals_the_order_of_whole_numbers(a in 0_u64.., b in 0_u64..) {
        prop_assert_eq!(q(&a.to_string()).cmp(&q(&b.to_string())), a.cmp(&b));
    }

    #[test]
    fn canonical_form_keeps_the_value(n in -1_000_000_000_i64..1_000_000_000, suffix in "(n|u|m|k|M|G|Ki|Mi|Gi|e2|)") {
        let quantity = q(&format!("{n}{suffix}"));
        prop_assert_eq!(q(&quantity.canonical()), quantity);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}") {
        let _ = Quantity::parse(&text).map(|quantity| (quantity.value(), quantity.canonical()));
    }
}
