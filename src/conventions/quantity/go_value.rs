//! `Value()` as Go computes it, in 64 bits, overflow and all (Q4).

use super::{Amount, FAST_PATH_DIGITS, Format, NANOS_PER_UNIT, Quantity, ceil_div};

impl Quantity {
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
}
