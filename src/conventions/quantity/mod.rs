//! Kubernetes quantities, exactly: `10Gi`, `1.5e3`, `200E`. Never a float in between.
//!
//! A quantity keeps the text it was written with, because people recognise their own spelling, and a value in
//! nano-units, the finest step Kubernetes keeps (Q2). Values too large for 128 bits stay decimal digits with an
//! exponent, so that `1e100` is ordered rightly without ever being expanded.

mod canonical;
mod go_value;
mod reading;
#[cfg(test)]
mod tests;

use reading::{Parts, interpret_suffix};
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
        self.in_nanos(self.clamped_nanos().saturating_add(other.clamped_nanos()))
    }

    /// What is left, and never less than nothing; it keeps the suffix family of `self`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.in_nanos(
            self.clamped_nanos()
                .saturating_sub(other.clamped_nanos())
                .max(0),
        )
    }

    fn clamped_nanos(&self) -> i128 {
        match &self.amount {
            Amount::Small(nanos) => *nanos,
            Amount::Large { negative: true, .. } => i128::MIN / 2,
            Amount::Large { .. } => i128::MAX / 2,
        }
    }

    /// Another amount in the suffix family of `self`.
    fn in_nanos(&self, nanos: i128) -> Self {
        let mut quantity = Self {
            text: "".into(),
            amount: Amount::Small(nanos),
            format: self.format,
        };
        quantity.text = quantity.canonical().into();
        quantity
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

    /// The exact value in billionths of a unit, unless it is too large for that: what many quantities are sorted by.
    pub fn nanos(&self) -> Option<i128> {
        match self.amount {
            Amount::Small(nanos) => Some(nanos),
            Amount::Large { .. } => None,
        }
    }

    /// How much larger `self` is than `other`, in units rounded up; saturates like [`Self::ceil_units`].
    pub fn units_above(&self, other: &Self) -> i128 {
        match (&self.amount, &other.amount) {
            (Amount::Small(a), Amount::Small(b)) => ceil_div(a.saturating_sub(*b), NANOS_PER_UNIT),
            _ => self.ceil_units().saturating_sub(other.ceil_units()),
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
