//! What a YAML scalar means to kubectl and to the API server: YAML 1.1 as Go's reader has it. `yes` is true, `0o17` is 15,
//! `1_000` is 1000, and a date is a string.

use crate::conventions::base64;
use crate::model::manifest::Content;

/// What a tag says a scalar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tagged {
    /// Nothing: its form decides.
    Plain,
    /// A string, whatever it looks like; so is every tag of somebody's own.
    Text,
    Int,
    Float,
    Bool,
    Null,
    Binary,
}

/// What a scalar holds; a tag that it does not fit is an error.
pub(super) fn resolve(text: &str, tag: Tagged) -> Result<Content, String> {
    let content = match tag {
        Tagged::Text => return Ok(Content::Text(text.to_owned())),
        Tagged::Binary => return binary(text),
        _ => by_form(text),
    };
    let fits = match tag {
        Tagged::Int => is_whole(&content),
        Tagged::Float => matches!(content, Content::Number(_)),
        Tagged::Bool => matches!(content, Content::Bool(_)),
        Tagged::Null => content == Content::Null,
        _ => true,
    };
    if !fits {
        return Err(format!("`{text}` is not what its tag says"));
    }
    Ok(content)
}

/// A text that was written as base64.
fn binary(text: &str) -> Result<Content, String> {
    let bytes = base64::decode(text).ok_or_else(|| format!("`{text}` is no base64"))?;
    Ok(Content::Text(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Whether it is an infinity, or no number at all: a key may be called so, but no value in JSON can be.
pub(super) fn is_finite(content: &Content) -> bool {
    !matches!(content, Content::Number(number) if number.ends_with(['n', 'f']))
}

fn is_whole(content: &Content) -> bool {
    matches!(content, Content::Number(number) if !number.contains(['.', 'e']))
}

fn by_form(text: &str) -> Content {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Content::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Content::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Content::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Content::Number(".nan".to_owned()),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => {
            return Content::Number(".inf".to_owned());
        }
        "-.inf" | "-.Inf" | "-.INF" => return Content::Number("-.inf".to_owned()),
        _ => {}
    }
    let number = match text.as_bytes()[0] {
        // A number that begins with a dot keeps its underscores, which makes it none.
        b'.' => float(text),
        b'0'..=b'9' | b'+' | b'-' => {
            let digits = text.replace('_', "");
            whole(&digits).or_else(|| float(&digits))
        }
        _ => None,
    };
    number.map_or_else(|| Content::Text(text.to_owned()), Content::Number)
}

/// A whole number of 64 bits in any of Go's bases.
fn whole(text: &str) -> Option<String> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("+", &text[1..]),
        _ => ("", text),
    };
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // Rust would take a second sign.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = u64::from_str_radix(digits, base).ok()?;
    match sign {
        "" => Some(value.to_string()),
        "+" => i64::try_from(value).ok().map(|value| value.to_string()),
        _ => 0_i64
            .checked_sub_unsigned(value)
            .map(|value| value.to_string()),
    }
}

/// A decimal float, written as Go writes it into JSON.
fn float(text: &str) -> Option<String> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_decimal = unsigned
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_decimal {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    value.is_finite().then(|| spell_float(value))
}

/// Shortest digits; very large and very small ones with an exponent.
fn spell_float(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// A scalar as the key of a map: everything but null becomes text.
pub(super) fn key(content: Content) -> Option<String> {
    match content {
        Content::Text(text) => Some(text),
        Content::Bool(value) => Some(value.to_string()),
        // A key beyond 63 bits is refused, as is null.
        Content::Number(number) => number.parse::<u64>().map_or_else(
            |_| Some(short_float(&number)),
            |value| i64::try_from(value).ok().map(|_| number.clone()),
        ),
        _ => None,
    }
}

/// Keys that are floats lose their last digits: they are printed as floats of 32 bits.
fn short_float(number: &str) -> String {
    if !number.contains(['.', 'e']) || number.ends_with(['n', 'f']) {
        return number.to_owned();
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "this is what the reader does"
    )]
    let short = number.parse::<f64>().unwrap_or_default() as f32;
    if short == 0.0 || (1e-5..1e6).contains(&short.abs()) {
        return short.to_string();
    }
    let text = format!("{short:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Content {
        Content::Number(text.to_owned())
    }

    #[test]
    fn scalars_mean_what_go_reads() {
        for (text, meant) in [
            ("0o17", number("15")),
            ("0644", number("420")),
            ("0x1F", number("31")),
            ("-0b11", number("-3")),
            ("1_000", number("1000")),
            ("+5", number("5")),
            ("-0", number("0")),
            ("08", number("8")),
            ("1e3", number("1000")),
            ("1.50", number("1.5")),
            (".5", number("0.5")),
            ("1e100", number("1e+100")),
            ("1e-9", number("1e-9")),
            ("18446744073709551615", number("18446744073709551615")),
            ("18446744073709551616", number("18446744073709552000")),
            ("yes", Content::Bool(true)),
            ("n", Content::Bool(false)),
            ("~", Content::Null),
        ] {
            assert_eq!(resolve(text, Tagged::Plain), Ok(meant), "{text}");
        }
        for text in [
            "2001-01-01",
            "1.2.3",
            "0x",
            "1e999",
            "yEs",
            "-",
            ".",
            "._5",
            "1Gi",
            "--5",
            "0b2",
            "nan",
            "+-1",
            "0o-7",
        ] {
            assert_eq!(
                resolve(text, Tagged::Plain),
                Ok(Content::Text(text.to_owned())),
                "{text}"
            );
        }
        assert!(!is_finite(&resolve(".inf", Tagged::Plain).unwrap()));
        assert!(is_finite(&resolve("1e100", Tagged::Plain).unwrap()));
    }

    #[test]
    fn tags_decide_or_refuse() {
        assert_eq!(
            resolve("5", Tagged::Text),
            Ok(Content::Text("5".to_owned()))
        );
        assert_eq!(resolve("5", Tagged::Int), Ok(number("5")));
        assert!(resolve("5.5", Tagged::Int).is_err());
        assert!(resolve("x", Tagged::Bool).is_err());
        assert_eq!(
            resolve("aGVsbG8=", Tagged::Binary),
            Ok(Content::Text("hello".to_owned()))
        );
    }

    #[test]
    fn keys_are_texts() {
        assert_eq!(key(Content::Bool(true)).as_deref(), Some("true"));
        assert_eq!(key(number("15")).as_deref(), Some("15"));
        assert_eq!(key(number("1.5")).as_deref(), Some("1.5"));
        assert_eq!(key(by_form("+.INF")).as_deref(), Some(".inf"));
        assert_eq!(key(number("1e+30")).as_deref(), Some("1e+30"));
        assert_eq!(key(number("18446744073709551615")), None);
        assert_eq!(key(Content::Null), None);
    }
}
