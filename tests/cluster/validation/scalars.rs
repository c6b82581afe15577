//! Scalars as people write them without quotes, and which no two readers take for the same thing.

/// Numbers, booleans, nulls, dates and texts of YAML 1.1, and what only looks like one.
#[rustfmt::skip]
pub(super) const ODD: &[&str] = &[
    "yes", "no", "Yes", "NO", "on", "off", "On", "OFF", "y", "n", "Y", "N", "true", "False", "TRUE", "tRue", "~",
    "null", "Null", "NULL", "nULL", "", "0o17", "0644", "017", "08", "09.5", "0x1F", "0X1f", "0b11", "0b12", "1_000",
    "1__0", "_1", "0_7", "+5", "-5", "-0", "+0o7", ".5", "-.5", "+.5", "5.", "1.0", "1.5", "1e3", "1E3", "1e+3",
    "1e-3", "1.e3", ".5e1", "1e400", "-1e400", "1e", "e1", "12e03", "2001-01-01", "2001-01-01T00:00:00Z", "2001-1-1",
    "1:30", "190:20:30", "190:20:30.15", "2001-01-01 00:00:00", ".inf", "-.inf", "+.inf", ".Inf", ".INF", ".nan",
    ".NaN", ".NAN", "inf", "nan", "Infinity", "9223372036854775807", "9223372036854775808", "18446744073709551615",
    "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890", "0.1", "0.30000000000000004",
    "1.7976931348623157e308", "5e-324", "0x", "0o", "0o8", "0b", "--", "-", "=", "<<", ".", "..", "...a", "_", "+",
    "+-5", "1-2", "1 000", "0x1_F", "0o1_7",
];

/// Scalars with quotes, tags and escapes.
#[rustfmt::skip]
pub(super) const DRESSED: &[&str] = &[
    "\"yes\"", "'no'", "\"5\"", "'1e3'", "\"\"", "''", "\"null\"", "'~'", "\"\\x41\"", "\"\\u00e9\"", "'it''s'",
    "\"a\\tb\"", "!!str 5", "!!str yes", "!!str", "!!str ~", "!!int 5", "!!int \"5\"", "!!float 1", "!!bool yes",
    "!!null x", "!!binary aGVsbG8=", "! 5", "one\n                    two", "\"one\n                    two\"",
    "'one\n\n                    two'", "\"a\\\n                    b\"", "\"\\ud83d\\ude00\"", "\"\\u2028\"",
    "\"\\/\"", "\"\\e\"", "\"\\q\"", "!!float \"1.5\"", "!!bool \"true\"", "!custom x",
];

/// Quantities, and what nearly is one. Not among them: exponents of many digits (`1e99999999999`), over
/// which the server falls silent until the request times out.
#[rustfmt::skip]
pub(super) const QUANTITIES: &[&str] = &[
    "\" 1Gi \"", "1e100", "1n", "-1", "0", ".5", "1_000", "9300000001G", "\"9300000001G\"", "1E", "1E2", "1e2",
    "\"1E2\"", "\"1e-2\"", "1Ki", "1ki", "1K", "1k", "1KiB", "10GB", "1.5Gi", ".5Gi", "5.Gi", "+5Gi", "-5Gi", "0x10",
    "0644", "0o17", "1e3", "12.5e2", "800E", "8Ei", "9Ei", "9223372036854775807", "9223372036854775808",
    "99999999999999999999999", "\"99999999999999999999999\"", "0.0000000001", "\"0.0000000001\"", "1m", "1500m", "0n",
    "0.1n", "\"1e-20\"", "1e-20", "\"1e10000\"", "\"\"", "\" \"", "\"1 Gi\"", "\"1Gi\\n\"", "\"\\t1Gi\"",
    "\"\\u00a01Gi\"", "\"1Gi\\u2003\"", "yes", "true", "1:30", "2001-01-01", "\"yes\"", "[1Gi]", "{}", "{value: 1Gi}",
    "~", "null", "\"null\"", "\"~\"", "1.", "\"1.\"", "\".\"", "\"-\"", "\"+\"", "\"-.5\"", "00010", "\"00010\"",
    "1Mi", "1M", "1G", "1T", "1Ti", "1P", "1Pi", "1u", "1i", "1ni", "1mi", "1Ei2", "\"1e+5\"", "\"1E+5\"",
    "\"1e1.5\"", "\"1.2.3\"", "1.7976931348623157e308", "\"1e308\"", "5e-324", "\"1e1000\"", "1e1000", "-0", "\"-0\"",
    "0.5", "0.9999999999", "\"4611686018427387904Ki\"",
];

/// Names and other values of labels, right ones and wrong ones.
#[rustfmt::skip]
pub(super) const WORDS: &[&str] = &[
    "a", "A", "a-b", "a_b", "a.b", "-a", "a-", ".a", "a.", "a..b", "a b", " a", "a ", "\u{fc}", "0", "1.5", "a/b",
    "/a", "a/", "a/b/c", "example.com/a", "Example.com/a", "example.com/A_b", "example..com/a", "kubernetes.io/a",
    "k8s.io/b", "", "*", "a:b", "a=b", "a\nb", "\u{1f600}",
    "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg",
    "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg",
];
