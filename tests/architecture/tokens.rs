//! Rust text as tokens, just far enough to read module borders and literals. Comments and lifetimes are left out, and no
//! brace or keyword in a literal counts.

use std::iter::Peekable;
use std::str::Chars;

/// A piece of Rust text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// An identifier, a keyword or a number.
    Word(String),
    Sign(char),
    /// A string, a byte string or a character, as it is written between its quotes.
    Literal(String),
}

impl Token {
    pub(super) fn is(&self, text: &str) -> bool {
        match self {
            Self::Word(word) => word == text,
            Self::Sign(sign) => text.chars().eq([*sign]),
            Self::Literal(_) => false,
        }
    }

    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Sign(_) | Self::Literal(_) => None,
        }
    }
}

/// How a bracket changes the depth.
pub(super) fn step(token: &Token) -> isize {
    match token {
        Token::Sign('(' | '[' | '{') => 1,
        Token::Sign(')' | ']' | '}') => -1,
        _ => 0,
    }
}

/// The place behind the bracket that closes the one at `open`.
pub(super) fn behind(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        depth += step(token);
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// What is between the commas.
pub(super) fn parts(tokens: &[Token]) -> Vec<&[Token]> {
    let mut depth = 0;
    let split = tokens.split(|token| {
        depth += step(token);
        depth == 0 && token.is(",")
    });
    split.filter(|part| !part.is_empty()).collect()
}

/// Whether these tokens hold those of the other text, one after the other.
pub(super) fn mentions(tokens: &[Token], text: &str) -> bool {
    let wanted = tokens_of(text);
    let places = tokens.iter().enumerate();
    let mut starts = places.filter(|(_, token)| Some(*token) == wanted.first());
    starts.any(|(index, _)| tokens[index..].starts_with(&wanted))
}

pub(super) fn tokens_of(text: &str) -> Vec<Token> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        found: Vec::new(),
    };
    while let Some(next) = reader.rest.next() {
        reader.read(next);
    }
    reader.found
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    found: Vec<Token>,
}

fn is_word(next: char) -> bool {
    next.is_alphanumeric() || next == '_'
}

impl Reader<'_> {
    fn read(&mut self, next: char) {
        match (next, self.rest.peek()) {
            ('/', Some('/')) => self.skip_until('\n'),
            ('/', Some('*')) => self.skip_block_comment(),
            ('"', _) => self.read_string(),
            ('\'', _) => self.read_quote(),
            (next, _) if is_word(next) => self.read_word(next),
            (next, _) if next.is_whitespace() => {}
            (next, _) => self.found.push(Token::Sign(next)),
        }
    }

    fn skip_until(&mut self, end: char) {
        while self.rest.next().is_some_and(|next| next != end) {}
    }

    /// Block comments contain block comments.
    fn skip_block_comment(&mut self) {
        let (mut depth, mut last) = (0, '/');
        for next in self.rest.by_ref() {
            match (last, next) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    last = next;
                    continue;
                }
            }
            // A sign belongs to one pair only.
            last = ' ';
            if depth == 0 {
                return;
            }
        }
    }

    fn read_escaped(&mut self, end: char) {
        let mut content = String::new();
        while let Some(next) = self.rest.next().filter(|next| *next != end) {
            content.push(next);
            if next == '\\' {
                content.extend(self.rest.next());
            }
        }
        self.found.push(Token::Literal(content));
    }

    fn read_string(&mut self) {
        self.read_escaped('"');
    }

    /// A character, or a lifetime.
    fn read_quote(&mut self) {
        let mut ahead = self.rest.clone();
        let (first, second) = (ahead.next(), ahead.next());
        if first == Some('\\') || second == Some('\'') {
            self.read_escaped('\'');
            return;
        }
        while self.rest.next_if(|next| is_word(*next)).is_some() {}
    }

    fn read_word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(next) = self.rest.next_if(|next| is_word(*next)) {
            word.push(next);
        }
        match (word.as_str(), self.rest.peek()) {
            ("r" | "br" | "cr", Some('"' | '#')) => self.read_raw(),
            ("b" | "c", Some('"')) => {
                self.rest.next();
                self.read_string();
            }
            ("b", Some('\'')) => {
                self.rest.next();
                self.read_escaped('\'');
            }
            _ => self.found.push(Token::Word(word)),
        }
    }

    /// A string without escapes, or a keyword as a name.
    fn read_raw(&mut self) {
        let mut hashes = 0;
        while self.rest.next_if_eq(&'#').is_some() {
            hashes += 1;
        }
        if self.rest.next_if_eq(&'"').is_none() {
            return;
        }
        let mut content = String::new();
        while let Some(next) = self.rest.next() {
            let mut seen = 0;
            while next == '"' && seen < hashes && self.rest.next_if_eq(&'#').is_some() {
                seen += 1;
            }
            if next == '"' && seen == hashes {
                break;
            }
            content.push(next);
            content.extend(std::iter::repeat_n('#', seen));
        }
        self.found.push(Token::Literal(content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let tokens = tokens_of(text).into_iter();
        let spelled = tokens.map(|token| match token {
            Token::Word(word) => word,
            Token::Sign(sign) => sign.to_string(),
            Token::Literal(_) => "_".to_owned(),
        });
        spelled.collect()
    }

    #[test]
    fn comments_and_literals_hide_what_is_in_them() {
        assert_eq!(words("a // } b\nc"), ["a", "c"]);
        assert_eq!(words("a /* } /* { */ b */ c /***/ d"), ["a", "c", "d"]);
        assert_eq!(words(r#"a "}\"{" b"#), ["a", "_", "b"]);
        assert_eq!(words(r##"a r#"}"{"# b r"\" c"##), ["a", "_", "b", "_", "c"]);
        assert_eq!(words(r#"b"}" br"}" c"}" d"#), ["_", "_", "_", "d"]);
        assert_eq!(
            words(r"'}' '\'' '\u{7d}' b'{' x"),
            ["_", "_", "_", "_", "x"]
        );
    }

    #[test]
    fn literals_have_their_content() {
        let tokens = tokens_of(r##"a "b \"c" 'd' r#"e"f"#"##).into_iter();
        let literals = tokens.filter_map(|token| match token {
            Token::Literal(content) => Some(content),
            _ => None,
        });
        let expected = [r#"b \"c"#, "d", r#"e"f"#];
        assert_eq!(literals.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn lifetimes_and_raw_names_are_no_literals() {
        assert_eq!(words("&'a str 'b: loop"), ["&", "str", ":", "loop"]);
        assert_eq!(words("<'a, 'b>'c'"), ["<", ",", ">", "_"]);
        assert_eq!(words("r#use::x"), ["use", ":", ":", "x"]);
    }

    #[test]
    fn a_mention_is_whole_words_in_their_order() {
        let tokens = tokens_of("use std :: fs; async { kube_like::x() }");
        for found in ["std::fs", "async", "fs;"] {
            assert!(mentions(&tokens, found), "{found}");
        }
        for absent in ["std::f", "kube::", "fs::std", "asyn"] {
            assert!(!mentions(&tokens, absent), "{absent}");
        }
    }
}
