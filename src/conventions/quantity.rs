//! Kubernetes quantities, exactly: `10Gi`, `1.5e3`, `200E`. Never a float in between.
//!
//! A quantity keeps the text it was written with, because people recognise their own spelling, and a value in
//! nano-units, the finest step Kubernetes keeps (Q2). Values too large for 128 bits stay decimal digits with an
//! exponent, so that `1e100` is ordered rightly without ever being expanded.

use std::cmp::Ordering;
use std::fmt;

const NANOS_PER_UNIT: i128 = 1_000_000_000;
/// Above this many decimal digits of nano-units a value is kept as digits and exponent.
const SMALL_DIGITS: usize = 37;
/// The cap on values with a binary suffix (Q2).
const BINARY_CAP: i128 = i64::MAX as i128;
/// Digits that fit the fast path of the Go implementation, whose overflow `Value()` shows (Q4).
const FAST_PATH_DIGITS: usize = 18;

/// A parsed quantity: its text and its exact value.
#[derive(Debug, Clone)]
pub struct Quantity {
    text: Box<str>,
    amount: Amount,
    format: Format,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Amount {
    /// The value in nano-units.
    Small(i128),
    /// `digits × 10^exponent` units, with no zero at either end of `digits`.
    Large {
        negative: bool,
        digits: Box<str>,
        exponent: i64,
    },
}

/// Which family of suffixes the text used; the canonical form keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Binary,
    DecimalSi,
    DecimalExponent,
}

/// Why a text is not a quantity. The wording is the API server's, since people paste it into search engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantityError {
    /// The text does not have the form of a quantity.
    Form,
    /// The suffix is not one Kubernetes knows.
    Suffix,
    /// There is no number in front of the suffix.
    Number,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            Self::Suffix => "unable to parse quantity's suffix",
            Self::Number => "unable to parse numeric part of quantity",
        })
    }
}

impl std::error::Error for QuantityError {}

impl Quantity {
    /// Parses a quantity as the API server does; white space around it is forgiven (Q1).
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim();
        let parts = Parts::split(text)?;
        let (format, exponent) = interpret_suffix(parts.suffix).ok_or(QuantityError::Suffix)?;
        let amount = match format {
            Format::Binary => parts.binary_amount(exponent),
            Format::DecimalSi | Format::DecimalExponent => parts.decimal_amount(exponent),
        };
        Ok(Self {
            text: text.into(),
            amount,
            format,
        })
    }

    /// A whole number of units, written in the largest binary suffix that divides it.
    pub fn from_bytes(bytes: i128) -> Self {
        let mut quantity = Self {
            text: "".into(),
            amount: Amount::Small(bytes * NANOS_PER_UNIT),
            format: Format::Binary,
        };
        quantity.text = quantity.canonical().into();
        quantity
    }

    /// Zero, as `null` and an absent value are read.
    pub fn zero() -> Self {
        Self {
            text: "0".into(),
            amount: Amount::Small(0),
            format: Format::DecimalSi,
        }
    }

    /// The text as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the value is above zero.
    pub fn is_positive(&self) -> bool {
        match &self.amount {
            Amount::Small(nanos) => *nanos > 0,
            Amount::Large { negative, .. } => !negative,
        }
    }

    /// Whether the value has a fraction of a unit, which the API server only warns about (R7).
    pub fn has_fraction(&self) -> bool {
        matches!(self.amount, Amount::Small(nanos) if nanos % NANOS_PER_UNIT != 0)
    }

    /// Whole units, rounded up, without overflow; the largest values saturate.
    pub fn ceil_units(&self) -> i128 {
        match &self.amount {
            Amount::Small(nanos) => ceil_div(*nanos, NANOS_PER_UNIT),
            Amount::Large { negative: true, .. } => i128::MIN / NANOS_PER_UNIT,
            Amount::Large { .. } => i128::MAX / NANOS_PER_UNIT,
        }
    }

    /// Order as LimitRanger sees it: thousandths rounded up while both are small, whole units rounded up otherwise (R10a).
    pub fn cmp_rounded(&self, other: &Self) -> Ordering {
        const LARGEST: i128 = i64::MAX as i128 / 1000;
        let milli = |quantity: &Self| match quantity.amount {
            Amount::Small(nanos) if ceil_div(nanos, NANOS_PER_UNIT) <= LARGEST => {
                Some(ceil_div(nanos, 1_000_000))
            }
            _ => None,
        };
        match (milli(self), milli(other)) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.value().cmp(&other.value()),
        }
    }

    /// The sum, as quota adds up; it keeps the suffix family of `self`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let nanos = |quantity: &Self| match &quantity.amount {
            Amount::Small(nanos) => *nanos,
            Amount::Large { negative, .. } => {
                if *negative {
                    i128::MIN / 2
                } else {
                    i128::MAX / 2
                }
            }
        };
        let amount = Amount::Small(nanos(self).saturating_add(nanos(other)));
        let mut sum = Self {
            text: "".into(),
            amount,
            format: self.format,
        };
        sum.text = sum.canonical().into();
        sum
    }

    /// The value rounded up to thousandths, as the API server stores what is asked for (R10d).
    #[must_use]
    pub fn rounded_up_to_milli(&self) -> Self {
        self.rounded_up_to(1_000_000)
    }

    /// The value rounded up to whole units, as quota counts it.
    #[must_use]
    pub fn rounded_up(&self) -> Self {
        self.rounded_up_to(NANOS_PER_UNIT)
    }

    fn rounded_up_to(&self, step: i128) -> Self {
        match self.amount {
            Amount::Small(nanos) if nanos % step != 0 => {
                let amount = Amount::Small(ceil_div(nanos, step) * step);
                let mut rounded = Self {
                    text: "".into(),
                    amount,
                    format: self.format,
                };
                rounded.text = rounded.canonical().into();
                rounded
            }
            _ => self.clone(),
        }
    }

    /// How much larger `self` is than `other`, in units rounded up; saturates like [`Self::ceil_units`].
    pub fn units_above(&self, other: &Self) -> i128 {
        match (&self.amount, &other.amount) {
            (Amount::Small(a), Amount::Small(b)) => ceil_div(a.saturating_sub(*b), NANOS_PER_UNIT),
            _ => self.ceil_units().saturating_sub(other.ceil_units()),
        }
    }

    /// What Go's `Value()` answers: whole units rounded up in 64 bits, overflow and all (Q4).
    ///
    /// Kubernetes compares these, not the exact values, when a claim names its volume (R43).
    pub fn value(&self) -> i64 {
        let units = match &self.amount {
            Amount::Small(nanos) => ceil_div(*nanos, NANOS_PER_UNIT),
            Amount::Large { .. } => i128::MAX,
        };
        i64::try_from(units).unwrap_or_else(|_| self.overflowed_value())
    }

    /// The stored form is canonical, and Go keeps short mantissas with their exponent: those overflow to zero, or wrap
    /// where the exponent has a multiplication of its own. Everything longer wraps.
    fn overflowed_value(&self) -> i64 {
        let (negative, digits, exponent) = self.integer_digits();
        let limit = if self.format == Format::DecimalExponent {
            i64::MAX
        } else {
            18
        };
        let mut mantissa = digits.as_str();
        let mut scale = exponent;
        while scale + 3 <= limit && mantissa.ends_with("000") {
            mantissa = &mantissa[..mantissa.len() - 3];
            scale += 3;
        }
        // The digits carry no trailing zeros of their own; a scale that is no multiple of three puts some back.
        let padded = format!(
            "{mantissa}{}",
            "0".repeat(usize::try_from(scale.rem_euclid(3)).unwrap_or(0))
        );
        let mut scale = scale - scale.rem_euclid(3);
        let mut mantissa = padded;
        if scale > limit {
            mantissa.push_str(&"0".repeat(usize::try_from((scale - limit).min(4096)).unwrap_or(0)));
            scale = limit;
        }
        let wrapped = mantissa.bytes().fold(0_i64, |acc, digit| {
            acc.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'))
        });
        let signed = if negative {
            wrapped.wrapping_neg()
        } else {
            wrapped
        };
        if mantissa.len() > FAST_PATH_DIGITS {
            return (0..scale.min(64)).fold(signed, |acc, _| acc.wrapping_mul(10));
        }
        match scale {
            0 => signed,
            3 => signed.wrapping_mul(1_000),
            6 => signed.wrapping_mul(1_000_000),
            9 => signed.wrapping_mul(1_000_000_000),
            _ => 0,
        }
    }

    /// Sign, digits without trailing zeros, and exponent of a value that has no fraction.
    fn integer_digits(&self) -> (bool, String, i64) {
        match &self.amount {
            Amount::Small(nanos) => {
                let units = ceil_div(*nanos, NANOS_PER_UNIT);
                let all = units.unsigned_abs().to_string();
                let digits = all.trim_end_matches('0').to_owned();
                let exponent = i64::try_from(all.len() - digits.len()).unwrap_or(0);
                (units < 0, digits, exponent)
            }
            Amount::Large {
                negative,
                digits,
                exponent,
            } => (*negative, digits.to_string(), *exponent),
        }
    }

    /// The value as the API server prints it after storing: `1024Mi` is `1Gi`, `1000m` is `1`. What is canonical but for its
    /// looks (`2E9`, `+1`) stays as it was written.
    pub fn canonical(&self) -> String {
        if is_kept_as_written(&self.text) {
            return self.text.to_string();
        }
        let Amount::Small(nanos) = self.amount else {
            return self.canonical_large();
        };
        // Neither small values nor fractions have a binary form that says it all.
        let is_whole = nanos % NANOS_PER_UNIT == 0 && nanos.abs() >= 1024 * NANOS_PER_UNIT;
        if self.format == Format::Binary && is_whole {
            return canonical_binary(ceil_div(nanos, NANOS_PER_UNIT));
        }
        canonical_decimal(nanos, self.format)
    }

    fn canonical_large(&self) -> String {
        let (negative, digits, exponent) = self.integer_digits();
        let sign = if negative { "-" } else { "" };
        let pad = exponent.rem_euclid(3);
        let exponent = exponent - pad;
        let mantissa = format!("{digits}{}", "0".repeat(usize::try_from(pad).unwrap_or(0)));
        if self.format == Format::DecimalExponent || exponent > 18 + 4096 {
            return format!("{sign}{mantissa}e{exponent}");
        }
        let zeros = usize::try_from((exponent - 18).max(0)).unwrap_or(0);
        format!(
            "{sign}{mantissa}{}{}",
            "0".repeat(zeros),
            si_suffix(exponent.min(18))
        )
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Equality and order are those of the values: `1Gi` equals `1024Mi` (Q3).
impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.amount, &other.amount) {
            (Amount::Small(a), Amount::Small(b)) => a.cmp(b),
            (Amount::Large { negative, .. }, Amount::Small(_)) => sign_order(*negative),
            (Amount::Small(_), Amount::Large { negative, .. }) => sign_order(*negative).reverse(),
            (
                Amount::Large {
                    negative: a_negative,
                    digits: a,
                    exponent: a_exponent,
                },
                Amount::Large {
                    negative: b_negative,
                    digits: b,
                    exponent: b_exponent,
                },
            ) => {
                if a_negative != b_negative {
                    return sign_order(*a_negative);
                }
                let magnitude =
                    |digits: &str, exponent: i64| i128::from(exponent) + digits.len() as i128;
                let order = magnitude(a, *a_exponent)
                    .cmp(&magnitude(b, *b_exponent))
                    .then_with(|| a.cmp(b));
                if *a_negative { order.reverse() } else { order }
            }
        }
    }
}

fn sign_order(negative: bool) -> Ordering {
    if negative {
        Ordering::Less
    } else {
        Ordering::Greater
    }
}

fn ceil_div(value: i128, divisor: i128) -> i128 {
    // Go rounds away from zero, both ways.
    let quotient = value / divisor;
    match value % divisor {
        0 => quotient,
        rest if rest > 0 => quotient + 1,
        _ => quotient - 1,
    }
}

/// The pieces of a quantity's text.
struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Self, QuantityError> {
        if text.is_empty() {
            return Err(QuantityError::Form);
        }
        let (negative, rest) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, rest) = rest.split_at(digits(rest));
        if whole.is_empty() && rest.is_empty() {
            return Err(QuantityError::Number);
        }
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(digits(rest)),
            None => ("", rest),
        };
        let letters = suffix
            .bytes()
            .take_while(|b| b"eEinumkKMGTP".contains(b))
            .count();
        let tail = &suffix[letters..];
        let tail = tail.strip_prefix(['+', '-']).unwrap_or(tail);
        if !tail.bytes().all(|b| b.is_ascii_digit()) {
            return Err(QuantityError::Form);
        }
        Ok(Self {
            negative,
            whole,
            fraction,
            suffix,
        })
    }

    fn decimal_amount(&self, exponent: i64) -> Amount {
        let joined = format!("{}{}", self.whole, self.fraction);
        let digits = joined.trim_start_matches('0');
        let mut exponent = exponent - self.fraction.len() as i64;
        let mut digits = {
            let kept = digits.trim_end_matches('0');
            exponent += (digits.len() - kept.len()) as i64;
            kept.to_owned()
        };
        if digits.is_empty() {
            return Amount::Small(0);
        }
        if exponent < -9 {
            let dropped = usize::try_from(-9 - exponent).unwrap_or(usize::MAX);
            digits.truncate(digits.len().saturating_sub(dropped));
            exponent = -9;
            // Away from zero: something is asked for, so something is given. What was dropped is never zero here.
            let nanos = digits.parse::<i128>().unwrap_or(0) + 1;
            if digits.len() < SMALL_DIGITS {
                return self.small(nanos);
            }
        }
        let length = digits.len() as i64 + exponent + 9;
        if usize::try_from(length).is_ok_and(|n| n <= SMALL_DIGITS) {
            let zeros = "0".repeat(usize::try_from(exponent + 9).unwrap_or(0));
            return self.small(format!("{digits}{zeros}").parse().unwrap_or(i128::MAX));
        }
        Amount::Large {
            negative: self.negative,
            digits: digits.into(),
            exponent,
        }
    }

    /// `whole.fraction × 2^shift`, in nano-units, rounded up and capped. Done digit by digit: the fraction may be long.
    fn binary_amount(&self, shift: i64) -> Amount {
        let whole = self.whole.trim_start_matches('0');
        if whole.len() > 19 {
            return self.small(BINARY_CAP * NANOS_PER_UNIT);
        }
        let mut units = whole.parse::<u128>().unwrap_or(0);
        let mut fraction: Vec<u32> = self.fraction.bytes().map(|b| u32::from(b - b'0')).collect();
        for _ in 0..shift / 10 {
            let mut carry = 0;
            for digit in fraction.iter_mut().rev() {
                let product = *digit * 1024 + carry;
                *digit = product % 10;
                carry = product / 10;
            }
            units = units * 1024 + u128::from(carry);
        }
        let units = i128::try_from(units).unwrap_or(i128::MAX);
        if units >= BINARY_CAP {
            return self.small(BINARY_CAP * NANOS_PER_UNIT);
        }
        let nano = (0..9).fold(0_i128, |acc, i| {
            acc * 10 + i128::from(fraction.get(i).copied().unwrap_or(0))
        });
        let beyond = i128::from(fraction.iter().skip(9).any(|digit| *digit != 0));
        self.small((units * NANOS_PER_UNIT + nano + beyond).min(BINARY_CAP * NANOS_PER_UNIT))
    }

    fn small(&self, nanos: i128) -> Amount {
        Amount::Small(if self.negative { -nanos } else { nanos })
    }
}

fn interpret_suffix(suffix: &str) -> Option<(Format, i64)> {
    let decimal = |exponent| Some((Format::DecimalSi, exponent));
    let binary = |shift| Some((Format::Binary, shift));
    match suffix {
        "n" => decimal(-9),
        "u" => decimal(-6),
        "m" => decimal(-3),
        "" => decimal(0),
        "k" => decimal(3),
        "M" => decimal(6),
        "G" => decimal(9),
        "T" => decimal(12),
        "P" => decimal(15),
        "E" => decimal(18),
        "Ki" => binary(10),
        "Mi" => binary(20),
        "Gi" => binary(30),
        "Ti" => binary(40),
        "Pi" => binary(50),
        "Ei" => binary(60),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?;
            let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
            // Go keeps 32 bits of it; a larger one is nothing anybody stores.
            exponent
                .parse::<i32>()
                .ok()
                .map(|exponent| (Format::DecimalExponent, i64::from(exponent)))
        }
    }
}

/// Upstream: apimachinery, resource.ParseQuantity, which keeps the text of short numbers whose exponent is in order.
fn is_kept_as_written(text: &str) -> bool {
    let Ok(parts) = Parts::split(text) else {
        return false;
    };
    let Some((format, exponent)) = interpret_suffix(parts.suffix) else {
        return false;
    };
    let whole = parts.whole.trim_start_matches('0');
    let length = (whole.len() + parts.fraction.len()) as i64;
    if format == Format::Binary {
        // About three decimal digits for ten binary ones, as upstream guesses the precision.
        let fits = parts.fraction.is_empty() && 15 - length - exponent * 3 / 10 > 0;
        return fits && whole.parse::<u64>().is_ok_and(|value| value & 7 != 0);
    }
    let scale = exponent - parts.fraction.len() as i64;
    let digits = format!("{whole}{}", parts.fraction);
    let fits = length <= FAST_PATH_DIGITS as i64 && scale >= -9;
    fits && scale % 3 == 0
        && !digits.ends_with("000")
        && !digits.is_empty()
        && !digits.starts_with('0')
}

fn si_suffix(exponent: i64) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}

fn canonical_binary(units: i128) -> String {
    let suffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut value = units;
    let mut power = 0;
    while value != 0 && value % 1024 == 0 && power + 1 < suffixes.len() {
        value /= 1024;
        power += 1;
    }
    format!("{value}{}", suffixes[power])
}

fn canonical_decimal(nanos: i128, format: Format) -> String {
    if nanos == 0 {
        return "0".to_owned();
    }
    let mut value = nanos;
    let mut exponent = -9;
    while value % 1000 == 0 && (exponent < 18 || format == Format::DecimalExponent) {
        value /= 1000;
        exponent += 3;
    }
    match format {
        Format::DecimalExponent if exponent == 0 => value.to_string(),
        Format::DecimalExponent => format!("{value}e{exponent}"),
        _ => format!("{value}{}", si_suffix(exponent)),
    }
}

#[cfg(test)]
mod tests {
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
}
