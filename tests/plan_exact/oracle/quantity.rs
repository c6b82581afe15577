//! Sizes to the nano (Q1–Q4), as large as 128 bits hold. What is no size is a mistake of the test.

use serde_json::Value;

const NANOS: u128 = 1_000_000_000;

/// The size in nanos, exact: what the search compares (Q3).
pub(super) fn nanos(quantity: &Value) -> u128 {
    let written = quantity.as_str().expect("a size is written as text");
    read(written).unwrap_or_else(|| panic!("no size: {written}"))
}

/// Whole units, rounded up: what counts for a claim that names its volume (Q4, R43).
pub(super) fn whole_units(nanos: u128) -> u128 {
    nanos.div_ceil(NANOS)
}

fn read(written: &str) -> Option<u128> {
    let written = written.trim_start_matches('+');
    let end = written
        .find(|sign: char| !sign.is_ascii_digit() && sign != '.')
        .unwrap_or(written.len());
    let (number, suffix) = written.split_at(end);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let places = i32::try_from(fraction.len()).ok()?;
    let (factor, power) = unit(suffix)?;
    Some(scale(digits * factor, power + 9 - places))
}

/// A factor of two and a power of ten.
fn unit(suffix: &str) -> Option<(u128, i32)> {
    let binary = |power: u32| Some((1024_u128.pow(power), 0));
    let decimal = |power: i32| Some((1, power));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        _ => decimal(suffix.strip_prefix(['e', 'E'])?.parse().ok()?),
    }
}

/// What is finer than a nano is rounded up (Q2).
fn scale(amount: u128, power: i32) -> u128 {
    let factor = 10_u128.pow(power.unsigned_abs());
    if power < 0 {
        amount.div_ceil(factor)
    } else {
        amount * factor
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{nanos, whole_units};

    #[test]
    fn spellings_do_not_matter_and_values_do() {
        let size = |written: &str| nanos(&json!(written));
        assert_eq!(size("1Gi"), size("1024Mi"));
        assert_eq!(size("1Gi"), size("1073741824"));
        assert_eq!(size("+1.5Gi"), size("1536Mi"));
        assert_eq!(size("1G"), size("1e9"));
        assert_eq!(size("1E3"), size("1k"));
        assert!(size("1G") < size("1Gi"));
        assert!(size("1073741823.2") < size("1073741823700m"));
        assert_eq!(
            whole_units(size("1073741823200m")),
            whole_units(size("1Gi"))
        );
    }
}
