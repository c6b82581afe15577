//! The text of a quantity, taken apart and turned into an exact amount (Q1, Q2).

use super::{Amount, BINARY_CAP, Format, NANOS_PER_UNIT, QuantityError, SMALL_DIGITS};

/// The pieces of a quantity's text.
pub(super) struct Parts<'a> {
    negative: bool,
    pub(super) whole: &'a str,
    pub(super) fraction: &'a str,
    pub(super) suffix: &'a str,
}

impl<'a> Parts<'a> {
    pub(super) fn split(text: &'a str) -> Result<Self, QuantityError> {
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

    pub(super) fn decimal_amount(&self, exponent: i64) -> Amount {
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
    pub(super) fn binary_amount(&self, shift: i64) -> Amount {
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

pub(super) fn interpret_suffix(suffix: &str) -> Option<(Format, i64)> {
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
