//! The texts of libraries that have no typed form, read here and nowhere else.
//!
//! | library | text | read for |
//! |---|---|---|
//! | serde_json | `… at line 1 column 7` at the end of every message | the message without a place in a text that no user saw |
//! | serde | `invalid type: …, expected struct Meta` | what was found and what was expected, without the names of our types |
//!
//! Line, column and category of an error of serde_json are typed (`line()`, `column()`, `classify()`), and taken from there.
//! The decoders of `load` call this. The messages of servers and of TLS are read in `load/client`.

use serde_json::error::{Category, Error};
use std::fmt;

/// More of a message is a document.
const MOST_SHOWN: usize = 300;

/// An error's message without its place.
pub(super) fn without_place(error: &Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Why a value does not fit the type that it is decoded into. Its text is for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DecodingFault {
    /// Something was found where something else was expected.
    Unexpected {
        /// What was found, in serde's words: `invalid type: integer 17`.
        found: String,
        /// What was expected.
        expected: Expected,
    },
    /// Another fault, in serde's words.
    Other(String),
}

/// What a decoder expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    Object,
    List,
    Number,
    /// Something else, in serde's words.
    Other(String),
}

impl DecodingFault {
    /// Reads it from an error.
    pub(super) fn of(error: &Error) -> Self {
        let text = shortened(without_place(error));
        let parts = match error.classify() {
            Category::Data => text.split_once(", expected "),
            Category::Io | Category::Syntax | Category::Eof => None,
        };
        match parts {
            Some((found, expected)) => Self::Unexpected {
                found: found.to_owned(),
                expected: Expected::of(expected),
            },
            None => Self::Other(text),
        }
    }
}

impl Expected {
    fn of(words: &str) -> Self {
        match words {
            "u32" | "u64" | "i64" => Self::Number,
            "a sequence" => Self::List,
            "a map" => Self::Object,
            _ if words.starts_with("struct ") => Self::Object,
            _ => Self::Other(words.to_owned()),
        }
    }
}

impl fmt::Display for DecodingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { found, expected } => write!(f, "{found}, expected {expected}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "an object",
            Self::List => "a list",
            Self::Number => "a number",
            Self::Other(words) => words,
        })
    }
}

fn shortened(text: String) -> String {
    if text.chars().count() > MOST_SHOWN {
        text.chars().take(MOST_SHOWN).chain(['…']).collect()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize)]
    struct Meta {
        #[expect(dead_code, reason = "only its type matters")]
        size: u32,
    }

    fn error<T: DeserializeOwned>(json: &str) -> Error {
        match serde_json::from_str::<T>(json) {
            Err(error) => error,
            Ok(_) => panic!("{json} fits"),
        }
    }

    /// The libraries' own messages: a new release that words them differently fails here.
    #[test]
    fn messages_of_the_libraries_are_read() {
        let long = format!("\"{}\"", "x".repeat(400));
        let cases = [
            (
                error::<Meta>("17"),
                "invalid type: integer `17`, expected struct Meta at line 1 column 2",
                "invalid type: integer `17`, expected an object",
            ),
            (
                error::<Meta>("{\"size\":\n\"x\"}"),
                "invalid type: string \"x\", expected u32 at line 2 column 3",
                "invalid type: string \"x\", expected a number",
            ),
            (
                error::<Vec<u8>>("{}"),
                "invalid type: map, expected a sequence at line 1 column 0",
                "invalid type: map, expected a list",
            ),
            (
                error::<BTreeMap<String, String>>("[]"),
                "invalid type: sequence, expected a map at line 1 column 0",
                "invalid type: sequence, expected an object",
            ),
            (
                error::<bool>("\"a, expected b\""),
                "invalid type: string \"a, expected b\", expected a boolean at line 1 column 15",
                "invalid type: string \"a, expected b\", expected a boolean",
            ),
            (
                error::<Meta>("{}"),
                "missing field `size` at line 1 column 2",
                "missing field `size`",
            ),
            (
                error::<Meta>("{\"size\": 1,}"),
                "trailing comma at line 1 column 12",
                "trailing comma",
            ),
        ];
        for (error, theirs, ours) in cases {
            assert_eq!(error.to_string(), theirs);
            assert_eq!(DecodingFault::of(&error).to_string(), ours);
        }
        let shown = DecodingFault::of(&error::<bool>(&long)).to_string();
        assert_eq!(shown.chars().count(), MOST_SHOWN + 1);
        assert_eq!(
            DecodingFault::of(&error::<Meta>("[1, 2]")),
            DecodingFault::Other("trailing characters".to_owned())
        );
    }

    #[test]
    fn a_message_loses_its_place() {
        assert_eq!(
            without_place(&error::<Meta>("{\"a\":\n  1,,\n}")),
            "key must be a string"
        );
    }
}
