//! What may be a name, a label key or a label value: the rule that a text breaks, and the API server's words for it.

use std::fmt;

/// What is wrong with a name, a key or a value. Its text is the API server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameProblem {
    /// The part of a label key that breaks the rule; `None` for the whole text.
    pub part: Option<KeyPart>,
    /// The rule.
    pub rule: NameRule,
}

/// A part of a label or annotation key: `prefix/name`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPart {
    /// Before the slash.
    Prefix,
    /// After it, or all of it.
    Name,
}

/// A rule for names, keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameRule {
    /// It has at most so many bytes; in some places the server calls them characters.
    MaxLength(usize, LengthUnit),
    /// It is not empty.
    NotEmpty,
    /// It is a DNS-1123 subdomain.
    Subdomain,
    /// It is a DNS-1123 label.
    Label,
    /// It has no dots.
    NoDots,
    /// It has the characters of a key of a `ConfigMap`.
    ConfigMapKey,
    /// It is not one of the two names that every folder has.
    NotDot,
    /// The same, of the longer one.
    NotTwoDots,
    /// It does not begin with two dots.
    NoDotsInFront,
    /// It is a label key: one slash at most.
    LabelKey,
    /// It has the form of the name in a label key.
    KeyName,
    /// It has the form of a label's value.
    LabelValue,
}

/// What the server counts, in its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LengthUnit {
    /// In labels and groups.
    Bytes,
    /// In names. The count is the same, the word is not.
    Characters,
}

impl NameProblem {
    /// Whether the text has the right form and is only too long.
    pub fn is_too_long(&self) -> bool {
        matches!(self.rule, NameRule::MaxLength(..))
    }
}

impl From<NameRule> for NameProblem {
    fn from(rule: NameRule) -> Self {
        Self { part: None, rule }
    }
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.part {
            None => "",
            Some(KeyPart::Prefix) => "prefix part ",
            Some(KeyPart::Name) => "name part ",
        })?;
        self.rule.fmt(f)
    }
}

impl fmt::Display for NameRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxLength(limit, LengthUnit::Bytes) => {
                return write!(f, "must be no more than {limit} bytes");
            }
            Self::MaxLength(limit, LengthUnit::Characters) => {
                return write!(f, "must be no more than {limit} characters");
            }
            Self::NotEmpty => "must be non-empty",
            Self::Subdomain => {
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
                 start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            }
            Self::Label => {
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and \
                 end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
                 '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
            }
            Self::NoDots => "must not contain dots",
            Self::ConfigMapKey => {
                "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
                 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
            }
            Self::NotDot => "must not be '.'",
            Self::NotTwoDots => "must not be '..'",
            Self::NoDotsInFront => "must not start with '..'",
            Self::LabelKey => {
                return write!(
                    f,
                    "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                    Self::KeyName
                );
            }
            Self::KeyName => {
                "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation \
                 is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
            }
            Self::LabelValue => {
                "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
                 start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
                 for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            }
        })
    }
}

/// What is wrong with the name of an object; empty when nothing is.
pub fn name_problems(value: &str) -> Vec<NameProblem> {
    subdomain_problems_in(value, LengthUnit::Characters)
}

/// What is wrong with a DNS-1123 subdomain, the form of most object names; empty when nothing is.
pub fn subdomain_problems(value: &str) -> Vec<NameProblem> {
    subdomain_problems_in(value, LengthUnit::Bytes)
}

fn subdomain_problems_in(value: &str, unit: LengthUnit) -> Vec<NameProblem> {
    let mut problems = too_long(value, 253, unit);
    let label = |part: &str| {
        let edge = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        edge(part.as_bytes().first())
            && edge(part.as_bytes().last())
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if !value.split('.').all(label) {
        problems.push(NameRule::Subdomain.into());
    }
    problems
}

/// What is wrong with a DNS-1123 label, the form of namespace names; empty when nothing is.
pub fn label_problems(value: &str) -> Vec<NameProblem> {
    let mut problems = too_long(value, 63, LengthUnit::Characters);
    if !subdomain_problems(value)
        .iter()
        .all(NameProblem::is_too_long)
    {
        problems.push(NameRule::Label.into());
    } else if value.contains('.') {
        problems.push(NameRule::NoDots.into());
    }
    problems
}

/// What is wrong with a key of a `ConfigMap`; empty when nothing is.
pub fn config_map_key_problems(key: &str) -> Vec<NameProblem> {
    let mut problems = too_long(key, 253, LengthUnit::Characters);
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    if key.is_empty() || !key.bytes().all(allowed) {
        problems.push(NameRule::ConfigMapKey.into());
    }
    match key {
        "." => problems.push(NameRule::NotDot.into()),
        ".." => problems.push(NameRule::NotTwoDots.into()),
        _ if key.starts_with("..") => problems.push(NameRule::NoDotsInFront.into()),
        _ => {}
    }
    problems
}

/// The name the server makes of a prefix; its last letters nobody can foresee.
pub fn generated_name(prefix: &str) -> String {
    const MOST_KEPT: usize = 58;
    let kept = (0..=prefix.len().min(MOST_KEPT)).rfind(|end| prefix.is_char_boundary(*end));
    format!("{}xxxxx", &prefix[..kept.unwrap_or(0)])
}

/// What is wrong with a label or annotation key; empty when nothing is.
pub fn label_key_problems(key: &str) -> Vec<NameProblem> {
    let of_part = |part: KeyPart, rule: NameRule| NameProblem {
        part: Some(part),
        rule,
    };
    let parts: Vec<&str> = key.split('/').collect();
    let mut problems = Vec::new();
    let name = match parts[..] {
        [name] => name,
        ["", name] => {
            problems.push(of_part(KeyPart::Prefix, NameRule::NotEmpty));
            name
        }
        [prefix, name] => {
            let found = subdomain_problems(prefix).into_iter();
            problems.extend(found.map(|problem| of_part(KeyPart::Prefix, problem.rule)));
            name
        }
        _ => return vec![NameRule::LabelKey.into()],
    };
    if name.is_empty() {
        problems.push(of_part(KeyPart::Name, NameRule::NotEmpty));
    } else {
        let found = too_long(name, 63, LengthUnit::Bytes).into_iter();
        problems.extend(found.map(|problem| of_part(KeyPart::Name, problem.rule)));
    }
    if name.is_empty() || !has_label_form(name) {
        problems.push(of_part(KeyPart::Name, NameRule::KeyName));
    }
    problems
}

/// What is wrong with a label value; empty when nothing is.
pub fn label_value_problems(value: &str) -> Vec<NameProblem> {
    let mut problems = too_long(value, 63, LengthUnit::Bytes);
    if !value.is_empty() && !has_label_form(value) {
        problems.push(NameRule::LabelValue.into());
    }
    problems
}

/// Whether a text has the form of a label's value that is not empty.
pub fn has_label_form(value: &str) -> bool {
    let edge = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    edge(value.as_bytes().first())
        && edge(value.as_bytes().last())
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

fn too_long(value: &str, limit: usize, unit: LengthUnit) -> Vec<NameProblem> {
    let is_too_long = value.len() > limit;
    is_too_long
        .then(|| NameRule::MaxLength(limit, unit).into())
        .into_iter()
        .collect()
}

/// A text in quotes as Go's `%q` prints it, which is how the API server shows bad values.
pub fn go_quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{b}' => quoted.push_str("\\v"),
            '\u{c}' => quoted.push_str("\\f"),
            c if c.is_ascii_control() => quoted.extend(format!("\\x{:02x}", c as u32).chars()),
            c if c.is_control() => quoted.extend(format!("\\u{:04x}", c as u32).chars()),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keys_and_values() {
        assert!(subdomain_problems("fast.example-1.com").is_empty());
        for bad in ["", "Fast", "-a", "a-", "a..b", "a_b", "a."] {
            assert_eq!(subdomain_problems(bad).len(), 1, "{bad}");
        }
        assert!(label_key_problems("example.com/My_Name").is_empty());
        assert_eq!(label_key_problems("a/b/c").len(), 1);
        let empty_prefix = NameProblem {
            part: Some(KeyPart::Prefix),
            rule: NameRule::NotEmpty,
        };
        assert_eq!(label_key_problems("/b"), [empty_prefix]);
        assert_eq!(label_key_problems("").len(), 2);
        assert!(label_value_problems("").is_empty());
        assert_eq!(label_value_problems("a b").len(), 1);
        assert!(label_problems("kube-system").is_empty());
        assert_eq!(label_problems("a.b"), [NameRule::NoDots.into()]);
        assert_eq!(label_problems(&"a".repeat(64)).len(), 1);
        assert_eq!(label_problems(&"A".repeat(64)).len(), 2);
        assert!(config_map_key_problems("..data").len() == 1);
        assert!(config_map_key_problems("-._").is_empty());
        assert_eq!(config_map_key_problems("").len(), 1);
        assert_eq!(config_map_key_problems("a/b").len(), 1);
    }

    #[test]
    fn the_words_are_the_servers() {
        let words = |problems: Vec<NameProblem>| {
            let texts = problems.iter().map(NameProblem::to_string);
            texts.collect::<Vec<_>>().join("; ")
        };
        let long = "a".repeat(254);
        assert_eq!(
            words(name_problems(&long)),
            "must be no more than 253 characters"
        );
        assert_eq!(
            words(subdomain_problems(&long)),
            "must be no more than 253 bytes"
        );
        assert_eq!(
            words(label_key_problems(&format!("{long}/{long}"))),
            "prefix part must be no more than 253 bytes; name part must be no more than 63 bytes"
        );
        assert_eq!(words(label_problems("a.b")), "must not contain dots");
        assert_eq!(words(config_map_key_problems("..")), "must not be '..'");
        assert!(
            words(label_key_problems("a/b/c")).starts_with("a valid label key must consist of")
        );
    }
}
