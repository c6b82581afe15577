//! Tables as kubectl prints them: UPPERCASE heads, no borders, columns three blanks apart.

use super::page::{Screen, Tone, Word};
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
}

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

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn write(&self, to: &mut dyn Write, screen: &Screen) -> io::Result<()> {
        let mut builder = Builder::default();
        builder.push_record(
            self.heads
                .iter()
                .map(|head| Tone::Label.paint(head, screen)),
        );
        for row in &self.rows {
            builder.push_record(row.iter().map(|(tone, text)| tone.paint(text, screen)));
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
        } else if let Some(width) = screen.width {
            let last = self.heads.len().saturating_sub(1);
            let room = width.saturating_sub(self.width_before(last)).max(24);
            table.modify(
                Columns::new(last..=last),
                Width::wrap(room).keep_words(true),
            );
        }
        for line in table.to_string().lines() {
            writeln!(to, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// How wide the columns before this one are, gaps included.
    fn width_before(&self, column: usize) -> usize {
        let width = |text: &str| unicode_width::UnicodeWidthStr::width(&*super::words::safe(text));
        (0..column)
            .map(|index| {
                let cells = self
                    .rows
                    .iter()
                    .filter_map(|row| row.get(index))
                    .map(|(_, text)| width(text));
                cells.chain([width(&self.heads[index])]).max().unwrap_or(0) + 3
            })
            .sum()
    }
}
