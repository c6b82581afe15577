//! Quantities as the oracle reads them: exact numbers of nano-units (Q1–Q3), and the whole-unit
//! number with its overflow that only a claim which names its volume meets (Q4).

use std::cmp::Ordering;

const NANOS: u128 = 1_000_000_000;
/// Binary suffixes reach no further than this many units (Q2).
const BINARY_LIMIT: u128 = (1 << 63) - 1;
/// Decimal numbers of at most so many digits are held as mantissa and exponent.
const SHORT: usize = 18;

/// An amount that is not negative.
pub(super) struct Quantity {
    nanos: u128,
    decimal: Option<Decimal>,
}

/// Digits and a power of ten, as a decimal amount was written.
struct Decimal {
    digits: String,
    exponent: i32,
}

impl Quantity {
    /// Reads what the API server has accepted; anything else is a mistake of the test.
    pub(super) fn read(text: &str) -> Self {
        let unsigned = text.strip_prefix('+').unwrap_or(text);
        let end = unsigned
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        let places = i32::try_from(fraction.len()).expect("a short number");
        let mantissa: u128 = digits.parse().unwrap_or_else(|_| panic!("quantity {text}"));
        if let Some(power) = binary_power(suffix) {
            let nanos = shift_ten(mantissa * NANOS, -places, power);
            return Self {
                nanos: nanos.min(BINARY_LIMIT * NANOS),
                decimal: None,
            };
        }
        let exponent = decimal_power(suffix).unwrap_or_else(|| panic!("quantity {text}")) - places;
        Self {
            nanos: shift_ten(mantissa * NANOS, exponent, 0),
            decimal: Some(Decimal { digits, exponent }),
        }
    }

    /// Exact comparison, whatever the units (Q3).
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }

    /// As a LimitRange does: in thousandths where both amounts leave room for them, otherwise in
    /// whole units, which may overflow (R10a).
    pub(super) fn compare_as_limits_are(&self, other: &Self) -> Ordering {
        let is_small = |amount: &Self| amount.nanos.div_ceil(NANOS) < (1 << 63) / 1000;
        if is_small(self) && is_small(other) {
            let thousandths = |amount: &Self| amount.nanos.div_ceil(NANOS / 1000);
            thousandths(self).cmp(&thousandths(other))
        } else {
            self.whole_units().cmp(&other.whole_units())
        }
    }

    /// Whole units, rounded up, as 64 bits with all that goes wrong above them (Q4).
    pub(super) fn whole_units(&self) -> i64 {
        let units = self.nanos.div_ceil(NANOS);
        match (i64::try_from(units), &self.decimal) {
            (Ok(units), _) => units,
            (Err(_), Some(decimal)) => decimal.overflow(),
            (Err(_), None) => unreachable!("binary amounts are limited"),
        }
    }
}

impl Decimal {
    fn overflow(&self) -> i64 {
        let mantissa: u128 = self.digits.parse().expect("digits");
        let low_bits = u64::try_from(mantissa & u128::from(u64::MAX)).expect("64 bits");
        let wrapped = low_bits.cast_signed();
        let power = u32::try_from(self.exponent).expect("whole numbers are the large ones");
        let short = self.digits.len() <= SHORT;
        if short && ![0, 1, 2, 3, 6, 9].contains(&power) {
            return 0;
        }
        wrapped.wrapping_mul(10_i64.wrapping_pow(power))
    }
}

/// `amount` × 10^`ten` × 2^`two`; what is lost below a nano rounds up (Q2).
fn shift_ten(amount: u128, ten: i32, two: u32) -> u128 {
    let amount = amount << two;
    let factor = 10_u128.pow(ten.unsigned_abs());
    if ten >= 0 {
        amount.checked_mul(factor).expect("a size within reason")
    } else {
        amount.div_ceil(factor)
    }
}

fn binary_power(suffix: &str) -> Option<u32> {
    let names = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let place = names.iter().position(|name| *name == suffix)?;
    u32::try_from(10 * (place + 1)).ok()
}

fn decimal_power(suffix: &str) -> Option<i32> {
    Some(match suffix {
        "n" => -9,
        "u" => -6,
        "m" => -3,
        "" => 0,
        "k" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        "P" => 15,
        "E" => 18,
        _ => suffix.strip_prefix(['e', 'E'])?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::Quantity;

    fn compare(left: &str, right: &str) -> std::cmp::Ordering {
        Quantity::read(left).compare(&Quantity::read(right))
    }

    #[test]
    fn units_do_not_matter_but_values_do() {
        assert_eq!(compare("1Gi", "1073741824"), Equal);
        assert_eq!(compare("1.5Gi", "1536Mi"), Equal);
        assert_eq!(compare("2e9", "+2G"), Equal);
        assert_eq!(compare("1E2", "100"), Equal);
        assert_eq!(compare("1E", "1e18"), Equal);
        assert_eq!(compare("1G", "1Gi"), Less);
        assert_eq!(compare("1073741824500m", "1Gi"), Greater);
        assert_eq!(compare("9Ei", "9223372036854775807"), Equal);
        assert_eq!(compare("200E", "8Ei"), Greater);
    }

    #[test]
    fn limits_see_thousandths_of_small_amounts_and_overflow_on_large_ones() {
        let compare =
            |left, right| Quantity::read(left).compare_as_limits_are(&Quantity::read(right));
        assert_eq!(compare("1073741824500m", "1Gi"), Greater);
        assert_eq!(compare("8Ei", "1Gi"), Greater);
        assert_eq!(compare("800E", "1Gi"), Less);
    }

    #[test]
    fn whole_units_overflow_as_in_kubernetes() {
        assert_eq!(Quantity::read("1500m").whole_units(), 2);
        assert_eq!(Quantity::read("8Ei").whole_units(), i64::MAX);
        assert_eq!(Quantity::read("200E").whole_units(), 0);
        assert_eq!(Quantity::read("9500P").whole_units(), 0);
        assert_eq!(Quantity::read("18446744074G").whole_units(), 290_448_384);
        assert_eq!(
            Quantity::read("9223372036854775808").whole_units(),
            i64::MIN
        );
    }
}
