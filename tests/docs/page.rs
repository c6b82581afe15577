//! A Markdown page, read as far as the tests need it: its code blocks, its text in backticks, and the prose around both.
//! Every piece knows its line, so that a failure can be found.

use std::fs;
use std::path::{Path, PathBuf};

/// A page, and where it is in the repository.
pub(super) struct Page {
    pub(super) path: String,
    pub(super) text: String,
}

/// A piece of a page.
#[derive(Debug, PartialEq)]
pub(super) struct Piece {
    /// `docs/sets.md:12`
    pub(super) place: String,
    pub(super) text: String,
}

/// A code block between two fences.
#[derive(Debug, PartialEq)]
pub(super) struct Block {
    pub(super) language: String,
    pub(super) piece: Piece,
}

pub(super) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// README.md and every page in docs/.
pub(super) fn pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned()];
    let mut listed: Vec<String> = fs::read_dir(repository().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    listed.sort();
    for name in listed {
        let is_page = Path::new(&name).extension().is_some_and(|it| it == "md");
        assert!(is_page, "docs/{name} is not a page, so no test reads it");
        paths.push(format!("docs/{name}"));
    }
    paths.into_iter().map(Page::read).collect()
}

/// The pages that stand beside what they describe.
pub(super) fn other_pages() -> Vec<Page> {
    [
        "deploy/README.md",
        "examples/backends/README.md",
        "CHANGELOG.md",
    ]
    .map(|path| Page::read(path.to_owned()))
    .into()
}

impl Page {
    pub(super) fn read(path: String) -> Self {
        let text = fs::read_to_string(repository().join(&path)).unwrap();
        Self { path, text }
    }

    pub(super) fn place(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }

    /// The code blocks, in order.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (index, line) in self.text.lines().enumerate() {
            let fence = line.trim_start().strip_prefix("```");
            match (fence, open.as_mut()) {
                (Some(language), None) => {
                    open = Some(Block {
                        language: language.to_owned(),
                        piece: Piece {
                            place: self.place(index + 2),
                            text: String::new(),
                        },
                    });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => {
                    block.piece.text.push_str(line);
                    block.piece.text.push('\n');
                }
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{}: a code block does not end", self.path);
        blocks
    }

    /// The page with its code blocks emptied: line N is still line N.
    fn without_blocks(&self) -> String {
        let mut inside = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            let is_fence = line.trim_start().starts_with("```");
            if !is_fence && !inside {
                prose.push_str(line);
            }
            inside ^= is_fence;
            prose.push('\n');
        }
        prose
    }

    /// The text in backticks outside of code blocks, line ends as blanks.
    pub(super) fn spans(&self) -> Vec<Piece> {
        self.split().0
    }

    /// The prose without text in backticks and without the targets of links: line N is still line N.
    pub(super) fn prose(&self) -> String {
        self.split().1
    }

    fn split(&self) -> (Vec<Piece>, String) {
        let text = self.without_blocks();
        let mut spans = Vec::new();
        let mut prose = String::new();
        let mut rest = text.as_str();
        let mut line = 1;
        while let Some(start) = rest.find('`') {
            prose.push_str(&rest[..start]);
            line += rest[..start].matches('\n').count();
            let after = rest[start..].trim_start_matches('`');
            let fence = &rest[start..rest.len() - after.len()];
            // A span ends in its own paragraph, with as many backticks as it began with.
            let paragraph = after.split("\n\n").next().unwrap_or(after);
            let end = paragraph.find(fence);
            let end =
                end.unwrap_or_else(|| panic!("{}: a backtick without its pair", self.place(line)));
            let span = &after[..end];
            spans.push(Piece {
                place: self.place(line),
                text: span.replace('\n', " "),
            });
            prose.extend(std::iter::repeat_n('\n', span.matches('\n').count()));
            line += span.matches('\n').count();
            rest = &after[end + fence.len()..];
        }
        prose.push_str(rest);
        (spans, prose)
    }
}

#[test]
fn a_page_is_taken_apart() {
    let page = Page {
        path: "a.md".to_owned(),
        text: "One `two\nthree` four.\n\n```sh\nfive `six`\n```\nseven ``ei`ght``\n".to_owned(),
    };
    let piece = |line: usize, text: &str| Piece {
        place: page.place(line),
        text: text.to_owned(),
    };
    let block = Block {
        language: "sh".to_owned(),
        piece: piece(5, "five `six`\n"),
    };
    assert_eq!(page.blocks(), [block]);
    assert_eq!(page.spans(), [piece(1, "two three"), piece(7, "ei`ght")]);
    assert_eq!(page.prose(), "One \n four.\n\n\n\n\nseven \n");
}
