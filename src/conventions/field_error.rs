//! The errors that the API server reports about one field: their kinds as data, and its words for each.
//!
//! Made by the rules of `engine/api_rules` and by label selectors; `engine/validation` adds what to do. Which field is meant
//! is left to those who know it. Upstream: apimachinery/pkg/util/validation/field/errors.go.

use super::names::{NameProblem, go_quote};
use super::quantity::QuantityError;
use std::borrow::Cow;
use std::fmt;

/// What is wrong with a field. Its text is the API server's, after the name of the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldErrorKind {
    /// Something must be there and is not; why it must, where the server reports it.
    Required(&'static str),
    /// Something is there that is not allowed.
    Forbidden(ForbiddenRule),
    /// A value breaks a rule.
    Invalid {
        /// The value.
        value: Value,
        /// The rule.
        rule: InvalidRule,
    },
    /// A value is none of those that are supported.
    NotSupported {
        /// The value.
        value: Value,
        /// The values that are supported.
        supported: Vec<String>,
    },
    /// A value occurs twice.
    Duplicate(String),
    /// Something has more bytes than this.
    TooLong(usize),
    /// A list or map has too many items.
    TooMany {
        /// How many it has.
        count: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A rule in CEL of a CustomResourceDefinition is broken; the rule's own message.
    BrokenRule(&'static str),
    /// The value cannot be decoded, so that the server answers 400 and checks nothing else. The words are ours.
    Undecodable(Undecodable),
}

/// A value as the server shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text, shown in quotes.
    Text(String),
    /// Anything else, shown as given.
    Json(String),
}

/// Why something is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForbiddenRule {
    /// A volume has a second source.
    SecondSource,
    /// Another rule, in the server's words.
    Other(&'static str),
}

/// A rule that a value breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidRule {
    /// One for names, keys and labels.
    Name(NameProblem),
    /// A quantity is above zero.
    Positive,
    /// A quantity does not overflow.
    ValidQuantity,
    /// One that the schema of a CustomResourceDefinition has.
    Schema {
        /// The field, which the server repeats.
        field: String,
        /// The rule.
        rule: SchemaRule,
    },
    /// Another rule, in the server's words.
    Other(Cow<'static, str>),
}

/// A rule of a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaRule {
    /// The value is of this type.
    Type {
        /// The type it has, in the server's words; for some there are none.
        found: &'static str,
        /// The type it should have.
        wanted: String,
    },
    /// The number fits 32 bits.
    Int32,
    /// The number is not below this.
    Minimum(i64),
    /// The text has at least so many characters.
    MinLength(usize),
    /// The text has this form.
    Pattern(String),
    /// The list or map has at least so many items.
    MinCount {
        /// How many.
        least: usize,
        /// What they are called.
        items: &'static str,
    },
}

/// Why a value cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undecodable {
    /// It is of one type and should be of another.
    Type {
        /// The type it is of.
        found: ValueType,
        /// What is expected.
        wanted: ValueType,
    },
    /// It is not a whole number of so many bits.
    WholeNumber {
        /// The number.
        digits: String,
        /// How many bits.
        bits: u32,
    },
    /// It is not a quantity.
    Quantity(QuantityError),
    /// It is not a time.
    Time(String),
    /// It is not base64.
    Base64,
    /// It is a list with something that is not a byte.
    ByteList,
}

/// The type of a value in a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Null.
    Nothing,
    /// True or false.
    Boolean,
    /// Any number.
    Number,
    /// A number without a fraction.
    WholeNumber,
    /// A string.
    Text,
    /// A string or a number.
    Quantity,
    /// A string, as RFC 3339 has it.
    Time,
    /// A string.
    Base64,
    /// A list.
    List,
    /// A map.
    Map,
    /// Any type.
    Anything,
}

impl From<&'static str> for InvalidRule {
    fn from(words: &'static str) -> Self {
        Self::Other(words.into())
    }
}

impl From<String> for InvalidRule {
    fn from(words: String) -> Self {
        Self::Other(words.into())
    }
}

impl From<NameProblem> for InvalidRule {
    fn from(problem: NameProblem) -> Self {
        Self::Name(problem)
    }
}

impl FieldErrorKind {
    /// A text breaks a rule.
    pub fn invalid(value: &str, rule: impl Into<InvalidRule>) -> Self {
        Self::Invalid {
            value: Value::Text(value.to_owned()),
            rule: rule.into(),
        }
    }
}

impl fmt::Display for FieldErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required("") => f.write_str("Required value"),
            Self::Required(detail) => write!(f, "Required value: {detail}"),
            Self::Forbidden(rule) => write!(f, "Forbidden: {rule}"),
            Self::Invalid { value, rule } => write!(f, "Invalid value: {value}: {rule}"),
            Self::NotSupported { value, supported } => {
                let all: Vec<String> = supported.iter().map(|value| go_quote(value)).collect();
                let all = all.join(", ");
                write!(f, "Unsupported value: {value}: supported values: {all}")
            }
            Self::Duplicate(value) => write!(f, "Duplicate value: {}", go_quote(value)),
            Self::TooLong(limit) => write!(f, "Too long: may not be more than {limit} bytes"),
            Self::TooMany { count, limit } => {
                write!(f, "Too many: {count}: must have at most {limit} items")
            }
            Self::BrokenRule(message) => write!(f, "Invalid value: {message}"),
            Self::Undecodable(problem) => problem.fmt(f),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&go_quote(text)),
            Self::Json(shown) => f.write_str(shown),
        }
    }
}

impl fmt::Display for ForbiddenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SecondSource => "may not specify more than 1 volume type",
            Self::Other(words) => words,
        })
    }
}

impl fmt::Display for InvalidRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(problem) => problem.fmt(f),
            Self::Positive => f.write_str("must be greater than zero"),
            Self::ValidQuantity => f.write_str("must be a valid resource quantity"),
            Self::Schema { field, rule } => rule.write(f, field),
            Self::Other(words) => f.write_str(words),
        }
    }
}

impl SchemaRule {
    fn write(&self, f: &mut fmt::Formatter<'_>, field: &str) -> fmt::Result {
        match self {
            Self::Type { found, wanted } => {
                let found = go_quote(found);
                write!(f, "{field} in body must be of type {wanted}: {found}")
            }
            Self::Int32 => write!(
                f,
                "Checked value must be of type integer with format int32 in {field}"
            ),
            Self::Minimum(least) => write!(
                f,
                "{field} in body should be greater than or equal to {least}"
            ),
            Self::MinLength(least) => {
                write!(f, "{field} in body should be at least {least} chars long")
            }
            Self::Pattern(pattern) => write!(f, "{field} in body should match '{pattern}'"),
            Self::MinCount { least, items } => {
                write!(f, "{field} in body should have at least {least} {items}")
            }
        }
    }
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { found, wanted } => write!(f, "{found} where {wanted} is expected"),
            Self::WholeNumber { digits, bits } => {
                write!(f, "{digits} is not a whole number of {bits} bits")
            }
            Self::Quantity(error) => error.fmt(f),
            Self::Time(text) => {
                let shown = go_quote(text);
                write!(f, "{shown} is not a time such as 2006-01-02T15:04:05Z")
            }
            Self::Base64 => f.write_str("not valid base64"),
            Self::ByteList => f.write_str("a list of bytes holds something else"),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::WholeNumber => "a whole number",
            Self::Text => "a string",
            Self::Quantity => "a quantity",
            Self::Time => "a time",
            Self::Base64 => "base64",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Anything => "anything",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_the_servers() {
        let schema = |rule| FieldErrorKind::Invalid {
            value: Value::Json("3".to_owned()),
            rule: InvalidRule::Schema {
                field: "spec.x".to_owned(),
                rule,
            },
        };
        let cases = [
            (FieldErrorKind::Required(""), "Required value"),
            (
                FieldErrorKind::Required("at least 1 access mode is required"),
                "Required value: at least 1 access mode is required",
            ),
            (
                FieldErrorKind::Forbidden(ForbiddenRule::SecondSource),
                "Forbidden: may not specify more than 1 volume type",
            ),
            (
                FieldErrorKind::invalid("a\"b", "must be valid format"),
                r#"Invalid value: "a\"b": must be valid format"#,
            ),
            (
                FieldErrorKind::NotSupported {
                    value: Value::Json("null".to_owned()),
                    supported: vec!["a".to_owned(), "b".to_owned()],
                },
                r#"Unsupported value: null: supported values: "a", "b""#,
            ),
            (
                FieldErrorKind::Duplicate(String::new()),
                "Duplicate value: \"\"",
            ),
            (
                FieldErrorKind::TooLong(63),
                "Too long: may not be more than 63 bytes",
            ),
            (
                FieldErrorKind::TooMany {
                    count: 17,
                    limit: 16,
                },
                "Too many: 17: must have at most 16 items",
            ),
            (
                schema(SchemaRule::Type {
                    found: "string",
                    wanted: "object".to_owned(),
                }),
                "Invalid value: 3: spec.x in body must be of type object: \"string\"",
            ),
            (
                schema(SchemaRule::MinCount {
                    least: 1,
                    items: "items",
                }),
                "Invalid value: 3: spec.x in body should have at least 1 items",
            ),
            (
                FieldErrorKind::Undecodable(Undecodable::Type {
                    found: ValueType::Boolean,
                    wanted: ValueType::Text,
                }),
                "a boolean where a string is expected",
            ),
        ];
        for (kind, words) in cases {
            assert_eq!(kind.to_string(), words);
        }
    }
}
