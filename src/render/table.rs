//! Tables as kubectl prints them: UPPERCASE heads, no borders, columns three blanks apart.

use super::page::{Screen, Tone, Word};
use crate::conventions::foreign::{folded, safe};
use std::io::{self, Write};
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::peaker::Priority;
use tabled::settings::{Padding, Style, Width};

/// A table whose last column may be long: on a terminal it wraps under itself.
pub(super) struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<Word>>,
    /// Whether every column may wrap, and not only the last.
    wraps_everywhere: bool,
    /// What stands under each row, in parts that are never broken.
    notes: Vec<Vec<String>>,
}

/// How far notes are indented.
const NOTE_INDENT: usize = 4;
/// A column that wraps is never narrower than this.
const NARROWEST: usize = 24;
/// Between two columns.
const GAP: usize = 3;

impl Table {
    pub(super) fn new(heads: &[&'static str]) -> Self {
        Self::with_heads(heads.iter().map(|head| (*head).to_owned()).collect())
    }

    /// A table whose heads are names from the cluster.
    pub(super) fn with_heads(heads: Vec<String>) -> Self {
        Self {
            heads,
            rows: vec![],
            wraps_everywhere: false,
            notes: vec![],
        }
    }

    /// On a narrow terminal the widest columns wrap, whichever they are.
    pub(super) fn wrapping_everywhere(mut self) -> Self {
        self.wraps_everywhere = true;
        self
    }

    pub(super) fn row(&mut self, cells: Vec<Word>) {
        self.rows.push(cells);
    }

    /// A row with a note under it. Columns that do not fit the screen go into the note, the last one first.
    pub(super) fn row_with_note(&mut self, cells: Vec<Word>, note: Vec<String>) {
        self.rows.push(cells);
        self.notes.push(note);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn write(&self, to: &mut dyn Write, screen: &Screen) -> io::Result<()> {
        if !self.notes.is_empty() {
            return self.write_with_notes(to, screen);
        }
        let mut builder = Builder::default();
        builder.push_record(
            self.heads
                .iter()
                .map(|head| Tone::Label.paint(head, screen)),
        );
        let last = self.heads.len().saturating_sub(1);
        let room = screen
            .width
            .map_or(usize::MAX, |width| {
                width.saturating_sub(self.width_before(last))
            })
            .max(NARROWEST);
        let room = if self.wraps_everywhere {
            NARROWEST
        } else {
            room
        };
        for row in &self.rows {
            let cells = row.iter();
            builder.push_record(cells.map(|(tone, text)| tone.paint_within(text, room, screen)));
        }
        let mut table = builder.build();
        table.with(Style::empty()).with(Padding::new(0, 3, 0, 0));
        if let Some(width) = screen.width
            && self.wraps_everywhere
        {
            table.with(
                Width::wrap(width)
                    .priority(Priority::max(true))
                    .keep_words(true),
            );
        } else if screen.width.is_some() {
            table.modify(
                Columns::new(last..=last),
                Width::wrap(room).keep_words(true),
            );
        }
        for line in table.to_string().lines() {
            writeln!(to, "{}", folded(line.trim_end()))?;
        }
        Ok(())
    }

    fn write_with_notes(&self, to: &mut dyn Write, screen: &Screen) -> io::Result<()> {
        let is_used = |column: &usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(*column));
            cells.any(|(_, text)| !text.is_empty())
        };
        let mut columns: Vec<usize> = (0..self.heads.len()).filter(is_used).collect();
        let mut moved = Vec::new();
        let width = |columns: &[usize]| -> usize {
            let widths = columns.iter().map(|column| self.width_of(*column) + GAP);
            widths.sum::<usize>().saturating_sub(GAP)
        };
        while let Some(screen) = screen.width
            && width(&columns) > screen
            && columns.len() > 1
        {
            moved.extend(columns.pop());
        }
        let heads = columns
            .iter()
            .map(|column| (Tone::Label, &*self.heads[*column]));
        self.write_row(to, &columns, heads, screen)?;
        for (row, note) in self.rows.iter().zip(&self.notes) {
            let cells = columns
                .iter()
                .map(|column| (row[*column].0, &*row[*column].1));
            self.write_row(to, &columns, cells, screen)?;
            let of_moved = moved.iter().rev().filter_map(|column| {
                let text = &row[*column].1;
                let head = self.heads[*column].to_lowercase();
                (!text.is_empty()).then(|| format!("{head} {text}"))
            });
            let parts: Vec<String> = note.iter().cloned().chain(of_moved).collect();
            write_note(to, &parts, screen)?;
        }
        Ok(())
    }

    fn write_row<'a>(
        &self,
        to: &mut dyn Write,
        columns: &[usize],
        cells: impl Iterator<Item = (Tone, &'a str)>,
        screen: &Screen,
    ) -> io::Result<()> {
        let mut line = String::new();
        for (column, (tone, text)) in columns.iter().zip(cells) {
            line.push_str(&tone.paint(text, screen));
            let room = self.width_of(*column) + GAP - width_of(text);
            line.extend(std::iter::repeat_n(' ', room));
        }
        writeln!(to, "{}", folded(line.trim_end()))
    }

    fn width_of(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|(_, text)| width_of(text));
        cells
            .chain([width_of(&self.heads[column])])
            .max()
            .unwrap_or(0)
    }

    /// How wide the columns before this one are, gaps included.
    fn width_before(&self, column: usize) -> usize {
        (0..column).map(|index| self.width_of(index) + GAP).sum()
    }
}

fn width_of(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(&*safe(text))
}

/// As many parts on one line as fit; a part is never broken.
fn write_note(to: &mut dyn Write, parts: &[String], screen: &Screen) -> io::Result<()> {
    let mut line = String::new();
    for part in parts.iter().map(|part| Tone::Plain.paint(part, screen)) {
        let is_full = screen
            .width
            .is_some_and(|width| NOTE_INDENT + width_of(&line) + 2 + width_of(&part) > width);
        if line.is_empty() {
            line = part;
        } else if is_full {
            writeln!(to, "{:NOTE_INDENT$}{},", "", folded(&line))?;
            line = part;
        } else {
            line.push_str(", ");
            line.push_str(&part);
        }
    }
    if line.is_empty() {
        return Ok(());
    }
    writeln!(to, "{:NOTE_INDENT$}{}", "", folded(&line))
}
