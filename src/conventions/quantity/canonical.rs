//! Quantities as the API server prints them after storing.

use super::reading::{Parts, interpret_suffix};
use super::{Amount, FAST_PATH_DIGITS, Format, NANOS_PER_UNIT, Quantity, ceil_div};

impl Quantity {
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
