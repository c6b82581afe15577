//! Rust text without its tests: exactly the items under `#[cfg(test)]` are removed, and everything behind them stays.

use super::tokens::{Token, behind, parts, step};

/// The tokens without everything that exists only in tests.
pub(super) fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let Some(attribute) = attribute_at(tokens, index) else {
            kept.push(tokens[index].clone());
            index += 1;
            continue;
        };
        if !attribute.is_test_only {
            kept.extend_from_slice(&tokens[index..attribute.end]);
            index = attribute.end;
        } else if attribute.is_inner {
            // What is around it is all test: here a whole file.
            return kept;
        } else {
            index = end_of_item(tokens, attribute.end);
        }
    }
    kept
}

/// `#[…]` or `#![…]`.
struct Attribute {
    end: usize,
    is_inner: bool,
    is_test_only: bool,
}

fn attribute_at(tokens: &[Token], start: usize) -> Option<Attribute> {
    let at = |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.is(text));
    if !at(start, "#") {
        return None;
    }
    let is_inner = at(start + 1, "!");
    let open = start + 1 + usize::from(is_inner);
    if !at(open, "[") {
        return None;
    }
    let end = behind(tokens, open);
    let is_cfg = at(open + 1, "cfg") && at(open + 2, "(");
    Some(Attribute {
        end,
        is_inner,
        is_test_only: is_cfg && implies_test(&tokens[open + 3..behind(tokens, open + 2) - 1]),
    })
}

/// Whether a condition holds in tests only.
fn implies_test(condition: &[Token]) -> bool {
    match condition {
        [word] => word.is("test"),
        [word, open, ..] if open.is("(") => {
            let inner = &condition[2..behind(condition, 1) - 1];
            let mut parts = parts(inner).into_iter();
            match word.word() {
                Some("all") => parts.any(implies_test),
                Some("any") => !inner.is_empty() && parts.all(implies_test),
                _ => false,
            }
        }
        _ => false,
    }
}

/// The place behind the item that starts here, further attributes first.
fn end_of_item(tokens: &[Token], start: usize) -> usize {
    let mut index = start;
    while let Some(attribute) = attribute_at(tokens, index) {
        index = attribute.end;
    }
    let kind = kind_of_item(tokens, index);
    let mut depth = 0;
    while let Some(token) = tokens.get(index) {
        depth += step(token);
        if depth < 0 {
            // The last of a list without a comma.
            return index;
        }
        index += 1;
        let is_end = match kind {
            ItemKind::Statement => token.is(";"),
            ItemKind::Body => token.is(";") || token.is("}"),
            ItemKind::Element => token.is(";") || token.is(",") || token.is("}"),
        };
        if depth == 0 && is_end {
            let comma = tokens.get(index).is_some_and(|next| next.is(","));
            return index + usize::from(kind == ItemKind::Element && comma);
        }
    }
    index
}

/// How an item ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    /// With a semicolon, whatever braces it has.
    Statement,
    /// With its body, or with a semicolon.
    Body,
    /// A field, a variant, an arm: with a comma, too.
    Element,
}

fn kind_of_item(tokens: &[Token], start: usize) -> ItemKind {
    let mut index = start;
    let at = |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.is(text));
    if at(index, "pub") {
        index += 1;
        if at(index, "(") {
            index = behind(tokens, index);
        }
    }
    let next_is = |words: &[&str]| words.iter().any(|word| at(index + 1, word));
    match tokens.get(index).and_then(Token::word) {
        Some("const") if next_is(&["fn", "unsafe", "async", "extern"]) => ItemKind::Body,
        Some("extern") if next_is(&["crate"]) => ItemKind::Statement,
        Some("use" | "static" | "type" | "let" | "const") => ItemKind::Statement,
        Some(
            "fn" | "unsafe" | "async" | "impl" | "struct" | "enum" | "union" | "trait" | "mod"
            | "extern" | "macro_rules",
        ) => ItemKind::Body,
        _ => ItemKind::Element,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens_of;
    use super::*;

    /// Asserts that of one text the other is left.
    fn assert_left(text: &str, left: &str) {
        assert_eq!(without_tests(&tokens_of(text)), tokens_of(left), "{text}");
    }

    #[test]
    fn what_is_behind_a_test_module_stays() {
        assert_left("a; #[cfg(test)] mod tests; fn b() {}", "a; fn b() {}");
        assert_left(
            "#[cfg(test)]\nmod t { fn x() { y } }\nuse crate::z;",
            "use crate::z;",
        );
        assert_left("#[cfg(test)] pub(crate) mod t { mod u { } } b", "b");
    }

    #[test]
    fn braces_in_texts_and_comments_do_not_count() {
        assert_left("#[cfg(test)] mod t { let x = \"}\"; } b", "b");
        assert_left("#[cfg(test)] mod t { let x = '}'; // }\n /* } */ } b", "b");
        assert_left("#[cfg(test)] mod t { let x = r#\"}\"}\"#; } b", "b");
    }

    #[test]
    fn every_kind_of_item_ends_where_it_ends() {
        for item in [
            "use a::{b, c::{d}};",
            "pub(crate) use {a::b, c};",
            "fn f<'a>(x: &'a [u8; 2]) -> X where T: Y { { } }",
            "pub fn f() {}",
            "const fn f() {}",
            "impl A for B { fn c() {} }",
            "struct A;",
            "struct A(u8, B);",
            "pub struct A { b: u8 }",
            "const A: B = B { c: 1 };",
            "static A: [u8; 1] = { [0] };",
            "type A = B<{ 1 }>;",
            "let x = { 1 };",
            "macro_rules! m { () => {}; }",
            "extern crate a;",
            "trait A { fn b(); }",
            "#[derive(Debug)] enum A { B, C { d: u8 } }",
        ] {
            assert_left(
                &format!("#[cfg(test)] {item} fn kept() {{}}"),
                "fn kept() {}",
            );
        }
    }

    #[test]
    fn fields_variants_and_arms_end_with_their_comma() {
        assert_left(
            "struct A { #[cfg(test)] b: u8, c: u8 }",
            "struct A { c: u8 }",
        );
        assert_left("enum A { #[cfg(test)] B { c: u8 }, D }", "enum A { D }");
        assert_left("enum A { D, #[cfg(test)] B }", "enum A { D, }");
        assert_left(
            "match a { #[cfg(test)] B => { c } D => e }",
            "match a { D => e }",
        );
    }

    #[test]
    fn only_what_exists_in_tests_alone_goes() {
        for kept in [
            "#[cfg(not(test))] mod a;",
            "#[cfg(any(test, feature = \"cli\"))] mod a;",
            "#[cfg(target_os = \"linux\")] mod a;",
            "#[cfg_attr(test, allow(x))] mod a;",
        ] {
            assert_left(kept, kept);
        }
        for gone in [
            "#[cfg(all(test, unix))] mod a;",
            "#[cfg(any(test, all(unix, test)))] mod a;",
            "#[cfg(test)] #[cfg(unix)] mod a;",
        ] {
            assert_left(gone, "");
        }
        assert_left("#![cfg(test)] fn a() {}", "");
        assert_left("#[cfg(unix)] #[cfg(test)] mod a; b", "#[cfg(unix)] b");
    }
}
