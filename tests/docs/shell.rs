//! Command lines as a shell reads them, as far as the pages use it: quotes, pipes, redirections, comments, continued lines.

use super::page::{Page, Piece};

/// One program with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) place: String,
    pub(super) words: Vec<String>,
}

/// Every call on a page: in `sh` blocks, after the prompts of `console` blocks, and in backticks where it begins like one.
pub(super) fn calls(page: &Page) -> Vec<Call> {
    let mut lines = Vec::new();
    for block in page.blocks() {
        match block.language.as_str() {
            "sh" => lines.extend(joined(&block.piece)),
            "console" => lines.push(prompt(&block.piece).0),
            _ => {}
        }
    }
    let mut calls: Vec<Call> = lines.iter().flat_map(split).collect();
    let spans = page.spans();
    calls.extend(
        spans
            .iter()
            .filter(|span| is_call(&span.text))
            .flat_map(split),
    );
    calls
}

/// Programs that a span of text may begin with; `kubectl pv` alone is a name.
fn is_call(span: &str) -> bool {
    [
        "kubectl pv ",
        "kubectl-pv ",
        "cargo run -- ",
        "tests/run ",
        "tests/compare ",
    ]
    .iter()
    .any(|start| span.starts_with(start))
}

/// The command of a screen, without its prompt, and what is shown below it.
pub(super) fn prompt(screen: &Piece) -> (Piece, String) {
    let place = &screen.place;
    let text = screen.text.strip_prefix("$ ");
    let mut text =
        text.unwrap_or_else(|| panic!("{place}: a screen begins with `$ ` and its command"));
    let mut command = String::new();
    loop {
        let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
        text = rest;
        command.push_str(line.strip_suffix('\\').unwrap_or(line));
        if !line.ends_with('\\') {
            break;
        }
    }
    let command = Piece {
        place: place.clone(),
        text: command,
    };
    (command, text.to_owned())
}

/// The lines of a block, continued ones in one.
fn joined(block: &Piece) -> Vec<Piece> {
    let mut lines: Vec<Piece> = Vec::new();
    let mut is_continued = false;
    let (page, first) = block.place.rsplit_once(':').unwrap();
    let first: usize = first.parse().unwrap();
    for (index, line) in block.text.lines().enumerate() {
        let begun = line.strip_suffix('\\');
        let text = begun.unwrap_or(line);
        match lines.last_mut().filter(|_| is_continued) {
            Some(last) => last.text.push_str(text),
            None => lines.push(Piece {
                place: format!("{page}:{}", first + index),
                text: text.to_owned(),
            }),
        }
        is_continued = begun.is_some();
    }
    lines
}

/// The calls of a line.
pub(super) fn split(line: &Piece) -> Vec<Call> {
    let mut calls = vec![vec![]];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut drops_next = false;
    for letter in line.text.chars().chain([' ']) {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '|' | ';' | '&' | '<' | '>' | '(' | ')') => {
                if let Some(word) = word.take()
                    && !std::mem::take(&mut drops_next)
                {
                    calls.last_mut().unwrap().push(word);
                }
                match letter {
                    '<' | '>' => drops_next = true,
                    // `<(` starts a program, and no file is read.
                    '|' | ';' | '&' | '(' | ')' => {
                        drops_next = false;
                        calls.push(vec![]);
                    }
                    _ => {}
                }
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    assert!(
        quote.is_none(),
        "{}: a quote without its pair: {}",
        line.place,
        line.text
    );
    let calls = calls.into_iter().filter(|words| !words.is_empty());
    calls
        .map(|words| Call {
            place: line.place.clone(),
            words,
        })
        .collect()
}

#[test]
fn lines_are_split_as_a_shell_splits_them() {
    let words = |text: &str| -> Vec<String> {
        let line = Piece {
            place: String::new(),
            text: text.to_owned(),
        };
        split(&line)
            .iter()
            .map(|call| call.words.join("·"))
            .collect()
    };
    assert_eq!(words("a -b 'c d'\"e\" # f"), ["a·-b·c de"]);
    assert_eq!(words("a b | c -d - > e"), ["a·b", "c·-d·-"]);
    assert_eq!(words("source <(a b c)"), ["source", "a·b·c"]);
    assert_eq!(words("a '' && b"), ["a·", "b"]);
    assert_eq!(words("# only a comment"), [""; 0]);
}
