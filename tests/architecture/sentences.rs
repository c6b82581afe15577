//! No English as data: code that is not a test compares no text with a sentence. What two places need is a typed value, and
//! words are made from it at the end.
//!
//! A sentence is a literal with a blank beside a word, or any word that is compared with a field that holds prose (`message`,
//! `hint` …), or the name of a constant that holds one. Compared is what stands in the argument of a method that searches, cuts or
//! replaces, beside `==` or `!=`, and in a pattern.

use super::modules::{Module, modules_under};
use super::paths::Names;
use super::tokens::{Token, behind, parts, step};
use std::collections::BTreeSet;

/// The files that read the messages of other components and libraries, each with what it reads. They return typed values.
const READERS: [(&str, &str); 3] = [
    ("src/load/library_text.rs", "serde and serde_json"),
    (
        "src/load/client/foreign_messages.rs",
        "servers, TLS, proxies and sockets",
    ),
    (
        "src/engine/foreign_messages.rs",
        "events and conditions of Kubernetes' components",
    ),
];

/// The methods of texts that compare with their first argument.
const COMPARING: [&str; 20] = [
    "contains",
    "ends_with",
    "eq",
    "eq_ignore_ascii_case",
    "find",
    "match_indices",
    "matches",
    "replace",
    "replacen",
    "rfind",
    "rmatches",
    "rsplit",
    "rsplit_once",
    "split",
    "split_once",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    "trim_end_matches",
    "trim_start_matches",
];

/// Fields and variables that hold prose wherever they occur.
const PROSE: [&str; 8] = [
    "detail", "hint", "message", "note", "remedy", "sentence", "summary", "why",
];

/// Every comparison with a sentence, as it is written. The constants hold sentences.
fn comparisons(code: &[Token], constants: &BTreeSet<&str>) -> Vec<String> {
    let mut found = Vec::new();
    for index in 0..code.len() {
        let compared = compared_at(code, index);
        let receiver = receiver_before(code, index);
        let is_prose = receiver.is_some_and(|name| PROSE.contains(&name));
        found.extend(compared.iter().filter_map(|token| match token {
            Token::Literal(text) if is_sentence(text) || is_prose && has_word(text) => {
                Some(format!("\"{text}\""))
            }
            Token::Word(name) if constants.contains(name.as_str()) => Some(name.clone()),
            _ => None,
        }));
    }
    found
}

/// What is compared by the method, the operator, the pattern or the macro at this place.
fn compared_at(code: &[Token], index: usize) -> &[Token] {
    let is = |index: usize, text: &str| code.get(index).is_some_and(|token| token.is(text));
    let is_pair = |first: &str, second: &str| is(index, first) && is(index + 1, second);
    let word = code[index].word();
    if word.is_some_and(|name| COMPARING.contains(&name)) && is(index + 1, "(") {
        let is_method = index > 0 && is(index - 1, ".");
        if is_method && let Some(list) = list_before(code, index - 1) {
            return list;
        }
        let arguments = parts(&code[index + 2..behind(code, index + 1) - 1]);
        let first = arguments.first().copied().unwrap_or_default();
        // What is in a closure is compared there, or not at all.
        let is_closure = first.iter().any(|token| token.is("|"));
        return if is_method && !is_closure { first } else { &[] };
    }
    if is_pair("=", "=") || is_pair("!", "=") {
        return beside(code, index);
    }
    if is_pair("=", ">") {
        return arm_before(code, index);
    }
    if word == Some("matches") && is(index + 1, "!") && is(index + 2, "(") {
        let inside = &code[index + 3..behind(code, index + 2) - 1];
        return without_guard(parts(inside).get(1).copied().unwrap_or_default());
    }
    if word == Some("let") {
        let pattern = &code[index + 1..];
        return &pattern[..end_of(pattern, |token| token.is("=") || token.is(";"))];
    }
    &[]
}

/// The value before a method, an operator or an arm: `self.message` is `message`.
fn receiver_before(code: &[Token], index: usize) -> Option<&str> {
    let last = index.checked_sub(1)?;
    let last = if code[last].is(".") {
        last.checked_sub(1)?
    } else {
        last
    };
    code[last].word()
}

/// The list of literals before a dot: `["a", "b"].contains(…)`.
fn list_before(code: &[Token], dot: usize) -> Option<&[Token]> {
    let close = dot.checked_sub(1).filter(|index| code[*index].is("]"))?;
    let mut depth = 0;
    let open = (0..=close).rev().find(|index| {
        depth += step(&code[*index]);
        depth == 0
    })?;
    let list = &code[open..close];
    let is_literal = |token: &Token| matches!(token, Token::Literal(_));
    list.iter().any(is_literal).then_some(list)
}

/// The literals, or the name of a constant, on both sides of a comparison.
fn beside(code: &[Token], index: usize) -> &[Token] {
    let mut end = index + 2;
    while code
        .get(end)
        .is_some_and(|token| token.is("&") || token.is("*"))
    {
        end += 1;
    }
    // A path to a constant.
    while code.get(end + 1).is_some_and(|token| token.is(":")) {
        end += 3;
    }
    &code[index.saturating_sub(1)..code.len().min(end + 1)]
}

/// The pattern of the arm whose `=>` is here.
fn arm_before(code: &[Token], arrow: usize) -> &[Token] {
    let mut depth = 0;
    let mut start = arrow;
    while start > 0 {
        let before = &code[start - 1];
        // The block of the arm before ends with a brace, and so does the pattern of a struct.
        let ends_block = before.is("}")
            && !["=", "|", ")", ",", "}", "]"]
                .iter()
                .any(|sign| code[start].is(sign))
            && !code[start].is("if");
        if depth == 0 && (before.is(",") || step(before) > 0 || ends_block) {
            break;
        }
        depth -= step(before);
        start -= 1;
    }
    without_guard(&code[start..arrow])
}

/// A pattern without its condition, in which every comparison counts for itself.
fn without_guard(pattern: &[Token]) -> &[Token] {
    &pattern[..end_of(pattern, |token| token.is("if"))]
}

/// Where the first such token stands that is in no bracket; the end if there is none.
fn end_of(tokens: &[Token], is_end: impl Fn(&Token) -> bool) -> usize {
    let mut depth = 0;
    let found = tokens.iter().position(|token| {
        let is_here = depth == 0 && is_end(token);
        depth += step(token);
        is_here || depth < 0
    });
    found.unwrap_or(tokens.len())
}

/// Whether a blank stands beside a word of lower-case letters.
fn is_sentence(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    words.len() > 1 && words.iter().any(|word| has_word(word))
}

/// Whether two lower-case letters follow each other.
fn has_word(text: &str) -> bool {
    let letters: Vec<bool> = text.chars().map(|c| c.is_ascii_lowercase()).collect();
    letters.windows(2).any(|pair| pair[0] && pair[1])
}

/// The names of constants and statics that hold a sentence: `const NAME: &str = "…";`.
fn constants_in(code: &[Token]) -> Vec<&str> {
    let is_const = |token: &Token| token.is("const") || token.is("static");
    let starts = (0..code.len()).filter(|index| is_const(&code[*index]));
    let names = starts.filter_map(|start| {
        let name = code.get(start + 1)?.word()?;
        let rest = &code[start + 2..];
        let value = &rest[end_of(rest, |token| token.is("=") || token.is(";"))..];
        match value {
            [_, Token::Literal(text), end, ..] if end.is(";") && is_sentence(text) => Some(name),
            _ => None,
        }
    });
    names.collect()
}

/// The constants with a sentence that a module has or uses, by their last names.
fn constants_for<'a>(module: &'a Module, all: &[(&Names, Vec<&'a str>)]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for (place, names) in all {
        // A module around it may pass it on.
        let is_used = |name: &&&str| {
            let mut paths = module.paths.iter();
            paths.any(|path| matches!(path.split_last(), Some((last, around)) if last == **name && place.starts_with(around)))
                || *place == &module.place
        };
        found.extend(names.iter().filter(is_used));
    }
    found
}

#[test]
fn no_code_compares_with_a_sentence() {
    let modules = modules_under("src");
    let mut readers: BTreeSet<&str> = READERS.iter().map(|(file, _)| *file).collect();
    let constants = modules.iter().map(|it| (&it.place, constants_in(&it.code)));
    let constants: Vec<_> = constants.collect();
    let mut found = BTreeSet::new();
    for module in &modules {
        let sentences = comparisons(&module.code, &constants_for(module, &constants));
        let file = module.file.as_str();
        let is_reader = !sentences.is_empty() && readers.remove(file);
        if !is_reader {
            found.extend(sentences.iter().map(|text| format!("{file}: {text}")));
        }
    }
    assert!(readers.is_empty(), "these read no message: {readers:?}");
    let found: Vec<String> = found.into_iter().collect();
    let found = found.join("\n");
    assert!(
        found.is_empty(),
        "a text is compared with a sentence:\n{found}"
    );
}

#[cfg(test)]
mod tests {
    use super::super::test_items::without_tests;
    use super::super::tokens::tokens_of;
    use super::*;

    fn found(code: &str) -> Vec<String> {
        let tokens = without_tests(&tokens_of(code));
        let constants: BTreeSet<&str> = constants_in(&tokens).into_iter().collect();
        comparisons(&tokens, &constants)
    }

    #[test]
    fn planted_violations_are_found() {
        let sentence = ["\"destroys the data\""];
        for code in [
            r#"if fate.text.contains("destroys the data") {}"#,
            r#"let rest = text.split_once(&"destroys the data")?;"#,
            r#"let all = ["", "destroys the data"].contains(&text);"#,
            r#"let is_lost = text == "destroys the data";"#,
            r#"let is_lost = *text != *"destroys the data";"#,
            r#"let is_lost = "destroys the data" == text;"#,
            r#"match text { "" => 1, Some("destroys the data") if x => 2, _ => 3 }"#,
            r#"match text { A { b } => { 1 } "destroys the data" | "" => 2, _ => 3 }"#,
            r#"let is_lost = matches!(text, "" | "destroys the data");"#,
            r#"if let Some("destroys the data") = text {}"#,
            r#"let it = list.iter().find(|it| it.text == "destroys the data");"#,
        ] {
            assert_eq!(found(code), sentence, "{code}");
        }
        assert_eq!(
            found(r#"const LOST: &str = "it is gone"; fn f() -> bool { text.ends_with(LOST) }"#),
            ["LOST"]
        );
        assert_eq!(
            found(r#"if self.message.contains("immutable") {}"#),
            ["\"immutable\""]
        );
        assert_eq!(
            found(r#"let owner = owner.starts_with("Pod ");"#),
            ["\"Pod \""]
        );
    }

    #[test]
    fn names_and_words_that_are_made_are_no_violation() {
        for code in [
            r#"if path.starts_with("spec.accessModes") {}"#,
            r#"match kind { "Pod" => "a pod of the cluster", _ => "another object" }"#,
            r#"let text = text.replace("[", "a blank and a word");"#,
            r#"let text = list.iter().find(|it| it.is_lost()).map(|_| "it is gone");"#,
            r#"let text = if kind == "Pod" { "it is gone" } else { "it is there" };"#,
            r#"let message = "it is gone"; let gone = message.is_empty();"#,
            r#"#[cfg(test)] mod tests { fn f() { assert!(message.contains("it is gone")); } }"#,
            r#"// if text == "it is gone" {}"#,
            r#"let lines = text.split(", ");"#,
        ] {
            assert!(found(code).is_empty(), "{code}: {:?}", found(code));
        }
    }
}
