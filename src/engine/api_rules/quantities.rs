//! Quantities as they arrive, where the server has not yet rewritten them into what it stores: which texts it reads at all,
//! and what Go's `Value()` makes of them, overflow and all. What a quantity is worth is a convention.
//!
//! Upstream: apimachinery/pkg/api/resource, ParseQuantity: short numbers are an integer with an exponent, all others an exact
//! decimal, and the two differ in what they refuse and in how they overflow.

use crate::conventions::quantity::{Quantity, QuantityError};
use std::borrow::Cow;

/// Most digits of the short form.
const SHORT: usize = 18;

/// A text without the white space around it, and with as much of its exponent as Go keeps: 32 bits.
pub(super) fn as_read(text: &str) -> Cow<'_, str> {
    const WRAP: i64 = 1 << 32;
    let text = text.trim();
    let exponent = text
        .split_once(['e', 'E'])
        .and_then(|(number, exponent)| Some((number, exponent.parse::<i64>().ok()?)));
    match exponent {
        Some((number, exponent)) if i32::try_from(exponent).is_err() => {
            let low = exponent.rem_euclid(WRAP);
            let kept = if low < WRAP / 2 { low } else { low - WRAP };
            format!("{number}e{kept}").into()
        }
        _ => text.into(),
    }
}

/// Why the server cannot read a text as a quantity, if it cannot.
pub(super) fn problem(text: &str) -> Option<QuantityError> {
    let text: &str = &as_read(text);
    if text.is_empty() {
        return Some(QuantityError::Form);
    }
    // A sign alone is zero.
    if unsigned(text).bytes().all(|b| b == b'0') {
        return None;
    }
    if let Err(error) = Quantity::parse(text) {
        return Some(error);
    }
    let parts = Parts::split(text)?;
    // Without a digit there is a zero in the short form, and nothing at all to read in the long one.
    let no_digit = parts.whole.is_empty() && parts.fraction.is_empty();
    (no_digit && !parts.is_short()).then_some(QuantityError::Number)
}

/// What `Value()` answers right after decoding and rounding up to thousandths. What is stored is written differently and
/// may overflow differently: that is [`Quantity::value`].
pub(super) fn value(text: &str) -> i64 {
    let text = as_read(text);
    let Some(parts) = Parts::split(&text) else {
        return 0;
    };
    match (parts.is_short(), parts.negative) {
        (true, _) => parts.short_value(),
        (false, false) => parts.ceiling(0).cast_signed(),
        // Truncated and then rounded up, which for negative numbers is one too many.
        (false, true) => {
            let thousandths = parts.ceiling(3).cast_signed().wrapping_neg();
            thousandths / 1000 + i64::from(thousandths % 1000 != 0)
        }
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

enum Unit {
    /// A power of ten.
    Ten(i64),
    /// A power of two.
    Two(u32),
}

struct Parts<'a> {
    text: &'a str,
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    unit: Unit,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Option<Self> {
        let not_digit = |c: char| !c.is_ascii_digit();
        let rest = unsigned(text);
        let (whole, rest) = rest.split_at(rest.find(not_digit).unwrap_or(rest.len()));
        let (fraction, suffix) = match rest.strip_prefix('.') {
            Some(rest) => rest.split_at(rest.find(not_digit).unwrap_or(rest.len())),
            None => ("", rest),
        };
        let unit = match suffix {
            "" => Unit::Ten(0),
            "n" => Unit::Ten(-9),
            "u" => Unit::Ten(-6),
            "m" => Unit::Ten(-3),
            "k" => Unit::Ten(3),
            "M" => Unit::Ten(6),
            "G" => Unit::Ten(9),
            "T" => Unit::Ten(12),
            "P" => Unit::Ten(15),
            "E" => Unit::Ten(18),
            "Ki" => Unit::Two(10),
            "Mi" => Unit::Two(20),
            "Gi" => Unit::Two(30),
            "Ti" => Unit::Two(40),
            "Pi" => Unit::Two(50),
            "Ei" => Unit::Two(60),
            _ => Unit::Ten(suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?.into()),
        };
        Some(Self {
            text,
            negative: text.starts_with('-'),
            whole,
            fraction,
            unit,
        })
    }

    /// The exponent of the digits taken as one integer.
    fn scale(&self) -> i64 {
        match self.unit {
            Unit::Ten(exponent) => exponent - self.fraction.len() as i64,
            Unit::Two(_) => 0,
        }
    }

    fn is_short(&self) -> bool {
        // Zeros in front do not count, and no digit at all is a zero.
        let whole = self.whole.trim_start_matches('0').len().max(1);
        let digits = whole + self.fraction.len();
        match self.unit {
            Unit::Ten(_) => digits <= SHORT && self.scale() >= -9,
            Unit::Two(power) => self.fraction.is_empty() && digits + power as usize * 3 / 10 < 15,
        }
    }

    /// An integer and an exponent: some exponents are multiplied out without a look at the result.
    fn short_value(&self) -> i64 {
        let digits = format!("0{}{}", self.whole, self.fraction);
        let number: i64 = digits.parse().unwrap_or(0);
        let number = if self.negative { -number } else { number };
        let scale = match self.unit {
            Unit::Two(power) => return number << power,
            Unit::Ten(_) => self.scale(),
        };
        match u32::try_from(scale) {
            Ok(scale @ (0..=3 | 6 | 9)) => number.wrapping_mul(10_i64.pow(scale)),
            Ok(scale) => 10_i64
                .checked_pow(scale)
                .and_then(|factor| number.checked_mul(factor))
                .unwrap_or(0),
            Err(_) if number == 0 => 0,
            Err(_) => {
                let divisor = 10_i64.pow(u32::try_from(-scale).unwrap_or(0));
                let away = i64::from(number % divisor != 0) * number.signum();
                number / divisor + away
            }
        }
    }

    /// The size of the number times `10^shift`, rounded up, in 64 bits.
    fn ceiling(&self, shift: i64) -> u64 {
        let Unit::Ten(_) = self.unit else {
            return self.binary_ceiling(shift);
        };
        let digits = format!("{}{}", self.whole, self.fraction);
        let length = digits.len() as i64 + self.scale() + shift;
        let kept = usize::try_from(length).unwrap_or(0).min(digits.len());
        let (kept_digits, dropped) = digits.split_at(kept);
        let value = kept_digits.bytes().fold(0_u64, |value, digit| {
            value.wrapping_mul(10).wrapping_add((digit - b'0').into())
        });
        // 10^64 is zero in 64 bits.
        let zeros = (length - digits.len() as i64).clamp(0, 64);
        let value = (0..zeros).fold(value, |value, _| value.wrapping_mul(10));
        value.wrapping_add(u64::from(dropped.bytes().any(|digit| digit != b'0')))
    }

    /// The same of a number with a binary suffix, which is capped and therefore small.
    fn binary_ceiling(&self, shift: i64) -> u64 {
        let quantity = Quantity::parse(self.text).ok();
        let nanos = quantity.and_then(|quantity| quantity.nanos()).unwrap_or(0);
        let step = if shift == 0 { 1_000_000_000 } else { 1_000_000 };
        let rounded = nanos.unsigned_abs().div_ceil(step);
        // Only the low half counts.
        u64::try_from(rounded & u128::from(u64::MAX)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_read() {
        for good in [
            "-", "+", ".", "Gi", "-Ti", ".5Gi", "1.Ei", "m", "e3", "00Ei",
        ] {
            assert_eq!(problem(good), None, "{good}");
        }
        assert_eq!(as_read(" 5e8589934592 "), "5e0");
        assert_eq!(as_read("1e-4294967297"), "1e-1");
        assert_eq!(as_read("1Ei"), "1Ei");
        for bad in ["Pi", "+Ei", ".Ei", "e-12", ".e-10"] {
            assert_eq!(problem(bad), Some(QuantityError::Number), "{bad}");
        }
        for bad in ["", "1 Gi", "1Gib"] {
            assert_eq!(problem(bad), Some(QuantityError::Form), "{bad}");
        }
        assert_eq!(problem("1ki"), Some(QuantityError::Suffix));
    }

    #[test]
    fn values_overflow_as_they_do_there() {
        for (text, expected) in [
            ("1Gi", 1 << 30),
            ("-1Gi", -(1 << 30)),
            ("1500m", 2),
            ("-1500m", -2),
            // Seen in the answers of a v1.36.4 server.
            ("-1656647370222250789u", -1_656_647_370_221),
            ("-.6Mi", -629_144),
            (
                "+5111615458403218357260235.949562692M",
                -8_064_026_704_849_811_973,
            ),
            ("-36.963188505n", 1),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        assert!(value("9300000001G") < 0 && value("9300000001e9") < 0);
        assert_eq!(value("2983049435e+10"), 0);
        assert_eq!(value("1e100"), 0);
    }
}
