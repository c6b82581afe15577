//! What may be a name, a label key or a label value, and the API server's words when something may not.

/// What is wrong with the name of an object; empty when nothing is.
pub fn name_problems(value: &str) -> Vec<String> {
    // Here the server counts characters, in labels and groups bytes. The count is the same, the word is not.
    subdomain_problems(value)
        .into_iter()
        .map(|problem| problem.replace("253 bytes", "253 characters"))
        .collect()
}

/// What is wrong with a DNS-1123 subdomain, the form of most object names; empty when nothing is.
pub fn subdomain_problems(value: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if value.len() > 253 {
        problems.push(too_long(253));
    }
    let label = |part: &str| {
        let edge = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        edge(part.as_bytes().first())
            && edge(part.as_bytes().last())
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if !value.split('.').all(label) {
        problems.push(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
             start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
             '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
                .to_owned(),
        );
    }
    problems
}

/// What is wrong with a key of a `ConfigMap`; empty when nothing is.
pub fn config_map_key_problems(key: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if key.len() > 253 {
        problems.push("must be no more than 253 characters".to_owned());
    }
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    if key.is_empty() || !key.bytes().all(allowed) {
        problems.push(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or \
             'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
                .to_owned(),
        );
    }
    match key {
        "." | ".." => problems.push(format!("must not be '{key}'")),
        _ if key.starts_with("..") => problems.push("must not start with '..'".to_owned()),
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
pub fn label_key_problems(key: &str) -> Vec<String> {
    const FORM: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                        alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation \
                        is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    let parts: Vec<&str> = key.split('/').collect();
    let mut problems = Vec::new();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                problems.extend(
                    subdomain_problems(prefix)
                        .into_iter()
                        .map(|problem| format!("prefix part {problem}")),
                );
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {FORM} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push(format!("name part {}", too_long(63)));
    }
    if name.is_empty() || !has_label_form(name) {
        problems.push(format!("name part {FORM}"));
    }
    problems
}

/// What is wrong with a label value; empty when nothing is.
pub fn label_value_problems(value: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if value.len() > 63 {
        problems.push(too_long(63));
    }
    if !value.is_empty() && !has_label_form(value) {
        problems.push(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used \
             for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
                .to_owned(),
        );
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

fn too_long(limit: usize) -> String {
    format!("must be no more than {limit} bytes")
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
        assert_eq!(label_key_problems("/b"), ["prefix part must be non-empty"]);
        assert_eq!(label_key_problems("").len(), 2);
        assert!(label_value_problems("").is_empty());
        assert_eq!(label_value_problems("a b").len(), 1);
    }
}
