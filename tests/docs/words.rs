//! The pages keep to the words of the project: none of these phrases stands in their prose. Text in backticks and code blocks,
//! which show what the program prints, is exempt.

use super::page::{Page, pages};

/// Whole words, whatever their case. `a|b` is either of two words.
const PHRASES: [&str; 15] = [
    "anew",
    "whoever",
    "nobody",
    "somebody",
    "anybody",
    "mend|mends|mended|mending",
    "made here",
    "make|makes here",
    "to the bottom",
    "what becomes of",
    "none will be made",
    "let it|them go",
    "left alone",
    "is put in",
    "is no format|name",
];

/// The words of a text, each with its line.
fn words(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate();
    let words = lines.flat_map(|(index, line)| {
        let words = line.split(|letter: char| !letter.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(move |word| (index + 1, word.to_lowercase()))
    });
    words.collect()
}

fn found(page: &Page) -> Vec<String> {
    let words = words(&page.prose());
    let mut found = Vec::new();
    for phrase in PHRASES {
        let parts: Vec<Vec<&str>> = phrase
            .split(' ')
            .map(|part| part.split('|').collect())
            .collect();
        for window in words.windows(parts.len()) {
            let mut pairs = window.iter().zip(&parts);
            if pairs.all(|((_, word), part)| part.contains(&word.as_str())) {
                found.push(format!("{}: {phrase}", page.place(window[0].0)));
            }
        }
    }
    found
}

#[test]
fn the_pages_keep_to_the_words_of_the_project() {
    let found: Vec<String> = pages().iter().flat_map(found).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_phrase_is_found_and_code_is_exempt() {
    let page = |text: &str| Page {
        path: "page.md".to_owned(),
        text: text.to_owned(),
    };
    for phrase in PHRASES {
        let variants = phrase
            .split(' ')
            .map(|part| part.split('|').next_back().unwrap());
        let text = variants.collect::<Vec<_>>().join("\n");
        let written = page(&format!("One.\n\n({}.)\n", text.to_uppercase()));
        assert_eq!(found(&written), [format!("page.md:3: {phrase}")]);
        let in_code = page(&format!("One `{text}`.\n\n```console\n{text}\n```\n"));
        assert_eq!(found(&in_code), [""; 0]);
    }
    assert_eq!(found(&page("Amend it. He let it not go.\n")), [""; 0]);
}
