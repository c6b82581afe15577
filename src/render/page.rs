//! A page of text: lines of toned words. Every word is made safe here, then coloured, then written.

use super::table::Table;
use crate::conventions::foreign::{LONGEST_VALUE, folded, one_blank, safe, shortened, unfoldable};
use owo_colors::{OwoColorize, Style};
use std::borrow::Cow;
use std::io::{self, Write};

/// What the text is written on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Screen {
    /// Whether to colour.
    pub(crate) colour: bool,
    /// How wide a terminal is; nothing is folded in a pipe.
    pub(crate) width: Option<usize>,
    /// Whether everything is listed.
    pub(crate) all: bool,
    /// Whether signs beyond ASCII can be shown.
    pub(crate) unicode: bool,
}

/// What a word means; the colours are named by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Plain,
    /// It works.
    Good,
    /// It does not.
    Bad,
    /// It waits, or is not known.
    Wait,
    /// A heading or label.
    Label,
    /// Something to paste.
    Command,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Good => Style::new().green().bold(),
            Self::Bad => Style::new().red().bold(),
            Self::Wait => Style::new().yellow().bold(),
            Self::Label => Style::new().bold(),
            Self::Command => Style::new().cyan(),
        }
    }

    /// The word as it goes to the screen, prepared for folding: `folded` ends that.
    pub(super) fn paint(self, text: &str, screen: &Screen) -> String {
        self.colour(&prepared(self, text, longest_value(screen)), screen)
    }

    /// The same for a cell that wraps: a value that is longer than its column would be broken.
    pub(super) fn paint_within(self, text: &str, room: usize, screen: &Screen) -> String {
        let longest = longest_value(screen).map(|longest| longest.min(room.saturating_sub(2)));
        self.colour(&prepared(self, text, longest), screen)
    }

    fn colour(self, text: &str, screen: &Screen) -> String {
        let mut text = Cow::Borrowed(text);
        if !screen.unicode && text.contains('…') {
            text = text.replace('…', "...").into();
        }
        if screen.colour && self != Self::Plain {
            text.style(self.style()).to_string()
        } else {
            text.into_owned()
        }
    }
}

/// A safe text; in sentences foreign values stay together.
fn prepared(tone: Tone, text: &str, longest: Option<usize>) -> String {
    let text = safe(text);
    if tone == Tone::Command {
        return text.into_owned();
    }
    unfoldable(&text, longest).into_owned()
}

/// How much of a value a terminal shows: it must fit on a line of its own.
fn longest_value(screen: &Screen) -> Option<usize> {
    let width = screen.width?;
    Some(LONGEST_VALUE.min(width.saturating_sub(24).max(16)))
}

/// A word with its meaning.
pub(super) type Word = (Tone, String);

/// A word that means nothing by its tone.
pub(super) fn plain(text: impl Into<String>) -> Word {
    (Tone::Plain, text.into())
}

/// Lines and tables, in order.
#[derive(Default)]
pub(crate) struct Page {
    blocks: Vec<Block>,
}

enum Block {
    /// Words on one line; on a terminal folded under their indent.
    Line {
        words: Vec<Word>,
        indent: usize,
        folds: bool,
    },
    Table(Table),
    Quotation(String),
}

/// What every line of a quotation begins with.
const QUOTATION: &str = "  | ";
/// The longest quotation, in characters.
const LONGEST_QUOTATION: usize = 1000;

impl Page {
    /// A line of words, folded on narrow terminals with the rest `indent` to the right.
    pub(super) fn line(&mut self, words: Vec<Word>, indent: usize) {
        self.blocks.push(Block::Line {
            words,
            indent,
            folds: true,
        });
    }

    /// A command: never folded, so that it can be copied.
    pub(super) fn command(&mut self, indent: usize, command: &str) {
        let words = vec![
            (Tone::Plain, " ".repeat(indent)),
            (Tone::Command, command.to_owned()),
        ];
        self.blocks.push(Block::Line {
            words,
            indent,
            folds: false,
        });
    }

    /// What others wrote, word for word: every line has a mark of its own, so that none begins with their words.
    pub(super) fn quotation(&mut self, text: &str) {
        self.blocks.push(Block::Quotation(text.to_owned()));
    }

    /// An empty line.
    pub(super) fn blank(&mut self) {
        self.blocks.push(Block::Line {
            words: vec![],
            indent: 0,
            folds: false,
        });
    }

    /// A table.
    pub(super) fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Writes the page.
    pub(crate) fn write(&self, to: &mut dyn Write, screen: &Screen) -> io::Result<()> {
        for block in &self.blocks {
            match block {
                Block::Table(table) => table.write(to, screen)?,
                Block::Quotation(text) => write_quotation(to, text, screen)?,
                Block::Line {
                    words,
                    indent,
                    folds,
                } => {
                    let width = screen.width.filter(|_| *folds);
                    let words: Vec<Word> = words
                        .iter()
                        .map(|(tone, text)| (*tone, prepared(*tone, text, longest_value(screen))))
                        .collect();
                    for line in fold(&words, *indent, width) {
                        let painted: String = line
                            .iter()
                            .map(|(tone, text)| tone.colour(text, screen))
                            .collect();
                        writeln!(to, "{}", folded(painted.trim_end()))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Its lines, folded where they are longer than the screen. A word that is longer is broken too: a terminal would go on at the
/// left edge.
fn write_quotation(to: &mut dyn Write, text: &str, screen: &Screen) -> io::Result<()> {
    let text = shortened(text, LONGEST_QUOTATION);
    let width = screen
        .width
        .map(|width| width.saturating_sub(QUOTATION.len()).max(1));
    for line in text.lines() {
        let line = safe(&one_blank(line)).into_owned();
        for part in fold(&[(Tone::Plain, line)], 0, width) {
            let part: String = part.into_iter().map(|(_, text)| text).collect();
            let letters: Vec<char> = part.trim_end().chars().collect();
            for piece in letters.chunks(width.unwrap_or(usize::MAX)) {
                let piece: String = piece.iter().collect();
                writeln!(to, "{QUOTATION}{}", Tone::Plain.colour(&piece, screen))?;
            }
        }
    }
    Ok(())
}

/// Breaks words at blanks so that no line is wider than the terminal.
fn fold(words: &[Word], indent: usize, width: Option<usize>) -> Vec<Vec<Word>> {
    let Some(width) = width else {
        return vec![words.to_vec()];
    };
    let mut lines: Vec<Vec<Word>> = vec![vec![]];
    let mut column = 0;
    for (tone, text) in words {
        for piece in text.split_inclusive(' ') {
            let length = unicode_width::UnicodeWidthStr::width(piece.trim_end_matches(' '));
            let is_first = column == 0 || column == indent && lines.len() > 1;
            if column + length > width && !is_first && !piece.trim().is_empty() {
                lines.push(vec![(Tone::Plain, " ".repeat(indent))]);
                column = indent;
            }
            column += unicode_width::UnicodeWidthStr::width(piece);
            if let Some(line) = lines.last_mut() {
                line.push((*tone, piece.to_owned()));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_under_the_indent() {
        let words = vec![(Tone::Plain, "one two three four".to_owned())];
        let lines = fold(&words, 2, Some(9));
        let text: Vec<String> = lines
            .iter()
            .map(|line| line.iter().map(|(_, text)| text.as_str()).collect())
            .collect();
        assert_eq!(text, ["one two ", "  three ", "  four"]);
    }
}
