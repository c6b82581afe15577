//! The paths that a module uses: `use` with its groups spelled out, and every other path from `crate`, `self` or `super`,
//! all resolved from the root of the crate.

use super::tokens::{Token, behind};
use std::collections::BTreeSet;

/// A path, name by name; one within the crate starts with `crate`.
pub(super) type Names = Vec<String>;

/// The paths in the tokens of a module, which is itself at `place` and has these children.
pub(super) fn paths_of(tokens: &[Token], place: &[String], children: &[String]) -> BTreeSet<Names> {
    let mut found = BTreeSet::new();
    // Modules within the file, each with the depth of braces at which it ends.
    let mut inline: Vec<(String, isize)> = Vec::new();
    let mut depth = 0;
    let mut index = 0;
    while index < tokens.len() {
        let resolve = |path: &[String]| {
            let mut here = place.to_vec();
            here.extend(inline.iter().map(|(name, _)| name.clone()));
            resolve(path, &here, if inline.is_empty() { children } else { &[] })
        };
        match spelled(tokens, index) {
            Some(Spelled::Use(paths, end)) => {
                found.extend(paths.iter().map(|path| resolve(path)));
                index = end;
                continue;
            }
            Some(Spelled::Path(path, end)) => {
                found.insert(resolve(&path));
                index = end;
                continue;
            }
            Some(Spelled::Module(name)) => {
                inline.push((name, depth));
                // The brace is counted next.
                index += 2;
                continue;
            }
            None => {}
        }
        depth += match &tokens[index] {
            Token::Sign('{') => 1,
            Token::Sign('}') => -1,
            _ => 0,
        };
        if tokens[index].is("}") && inline.last().is_some_and(|(_, from)| *from == depth) {
            inline.pop();
        }
        index += 1;
    }
    found
}

enum Spelled {
    /// `use …;`, each path of it, and the place behind it.
    Use(Vec<Names>, usize),
    /// A path in the code, and the place behind it.
    Path(Names, usize),
    /// `mod name {`
    Module(String),
}

fn spelled(tokens: &[Token], index: usize) -> Option<Spelled> {
    let at = |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.is(text));
    let word = tokens[index].word()?;
    match word {
        // `use<'a>` says what a type captures.
        "use" if !at(index + 1, "<") => {
            let mut paths = Vec::new();
            let end = read_tree(tokens, index + 1, &[], &mut paths);
            Some(Spelled::Use(paths, end))
        }
        "crate" | "self" | "super" if at(index + 1, ":") && at(index + 2, ":") => {
            let (path, end) = read_names(tokens, index);
            Some(Spelled::Path(path, end))
        }
        "mod" if at(index + 2, "{") => {
            let name = tokens.get(index + 1)?.word()?;
            Some(Spelled::Module(name.to_owned()))
        }
        _ => None,
    }
}

/// Names with `::` between them, and the place behind the last of them.
fn read_names(tokens: &[Token], start: usize) -> (Names, usize) {
    let mut names = Vec::new();
    let mut index = start;
    while let Some(word) = tokens.get(index).and_then(Token::word) {
        names.push(word.to_owned());
        index += 1;
        let is_colon = |at: usize| tokens.get(at).is_some_and(|token| token.is(":"));
        let goes_on = tokens.get(index + 2).and_then(Token::word).is_some();
        if !(is_colon(index) && is_colon(index + 1) && goes_on) {
            break;
        }
        index += 2;
    }
    (names, index)
}

/// Reads one tree of a `use` behind its prefix; answers the place behind it.
fn read_tree(tokens: &[Token], start: usize, prefix: &[String], paths: &mut Vec<Names>) -> usize {
    let is_colon = |at: usize| tokens.get(at).is_some_and(|token| token.is(":"));
    let mut path = prefix.to_vec();
    let mut index = start;
    loop {
        // Before the first name it stands for the crates outside.
        while is_colon(index) {
            index += 1;
        }
        match tokens.get(index) {
            Some(Token::Word(word)) => {
                path.push(word.clone());
                index += 1;
                if !is_colon(index) {
                    break;
                }
            }
            Some(Token::Sign('*')) => {
                path.push("*".to_owned());
                index += 1;
                break;
            }
            Some(Token::Sign('{')) => {
                let end = behind(tokens, index);
                index += 1;
                while index < end - 1 {
                    index = read_tree(tokens, index, &path, paths);
                    if tokens[index].is(",") {
                        index += 1;
                    }
                }
                return end;
            }
            _ => break,
        }
    }
    // `{self}` is what stands before it.
    if path.len() > 1 && path.last().is_some_and(|name| name == "self") {
        path.pop();
    }
    paths.push(path);
    if tokens.get(index).is_some_and(|token| token.is("as")) {
        index += 2;
    }
    index
}

/// The path from the root of the crate; what is outside stays as it is.
fn resolve(path: &[String], here: &[String], children: &[String]) -> Names {
    let mut base = here.to_vec();
    let mut rest = path.iter();
    let Some(first) = path.first() else {
        return vec![];
    };
    match first.as_str() {
        "crate" => base = vec![],
        "self" | "super" => {}
        // The names of children are known without a prefix.
        name if children.iter().any(|child| child == name) => {}
        _ => return path.to_vec(),
    }
    while let Some(name) = rest.clone().next() {
        match name.as_str() {
            "self" => {}
            "super" => {
                base.pop();
            }
            _ => break,
        }
        rest.next();
    }
    base.extend(rest.cloned());
    base
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens_of;
    use super::*;

    /// The paths of a text that stands in `crate::actions::bind`, whose child is `tests`.
    fn paths(text: &str) -> Vec<String> {
        let place = ["crate", "actions", "bind"].map(str::to_owned);
        let found = paths_of(&tokens_of(text), &place, &["tests".to_owned()]);
        found.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn groups_are_spelled_out() {
        assert_eq!(
            paths("use crate::storage::Backends;"),
            ["crate::storage::Backends"]
        );
        assert_eq!(
            paths("use crate::{model::{self, asset::*}, storage::{A as B, c::D}};"),
            [
                "crate::model",
                "crate::model::asset::*",
                "crate::storage::A",
                "crate::storage::c::D"
            ]
        );
        assert_eq!(paths("use std::{fs, io::{self}};"), ["std::fs", "std::io"]);
        assert_eq!(
            paths("use {crate::storage, std::fs};"),
            ["crate::storage", "std::fs"]
        );
        assert_eq!(paths("pub(crate) use ::kube::Client;"), ["kube::Client"]);
    }

    #[test]
    fn relative_paths_are_resolved() {
        for text in [
            "use super::super::storage::X;",
            "use super::super::{storage::X};",
            "use self::super::super::storage::X;",
            "fn f(x: super::super::storage::X) {}",
            "mod a { use super::super::super::storage::X; }",
            "mod a { mod b { fn c() {} } } use super::super::storage::X;",
            "use crate::{self as root, storage::X};",
        ] {
            let paths = paths(text);
            assert!(
                paths.contains(&"crate::storage::X".to_owned()),
                "{text}: {paths:?}"
            );
        }
        assert_eq!(paths("use tests::x;"), ["crate::actions::bind::tests::x"]);
        assert_eq!(
            paths("self::tests::x()"),
            ["crate::actions::bind::tests::x"]
        );
    }

    #[test]
    fn the_root_itself_is_seen() {
        assert_eq!(paths("use crate as root;"), ["crate"]);
        assert_eq!(paths("use super::super::{self as root};"), ["crate"]);
        assert_eq!(paths("use super::super::*;"), ["crate::*"]);
    }

    #[test]
    fn what_is_no_path_is_none() {
        assert!(paths("pub(crate) fn f(self) -> impl A + use<'_> { self.b() }").is_empty());
    }
}
