//! Commands people paste: every word is quoted so that a shell takes it as it is.

/// A word for a POSIX shell; quoted only where it must be.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a flag with a value: one, where the value could be read as a flag.
pub fn flag(name: &str, value: &str) -> Vec<String> {
    // A dash alone is standard input.
    if value.starts_with('-') && value != "-" {
        return vec![format!("{name}={value}")];
    }
    vec![name.to_owned(), value.to_owned()]
}

/// A command line from its words.
pub fn command<S: AsRef<str>>(words: &[S]) -> String {
    words
        .iter()
        .map(|word| quote(word.as_ref()))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_read_as_a_flag() {
        assert_eq!(flag("--context", "prod"), ["--context", "prod"]);
        assert_eq!(flag("--context", "--all"), ["--context=--all"]);
        assert_eq!(flag("-l", "-x"), ["-l=-x"]);
        assert_eq!(flag("-f", "-"), ["-f", "-"]);
    }

    #[test]
    fn hostile_words_stay_one_word() {
        assert_eq!(quote("pv-a"), "pv-a");
        assert_eq!(quote("a; rm -rf /"), "'a; rm -rf /'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("$(id)"), "'$(id)'");
    }
}
