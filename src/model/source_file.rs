//! The text of a file, and short excerpts of it around a place. Every finding keeps an excerpt, and a file may be one line,
//! so neither the length of an excerpt nor the time to cut it depends on the length of the line.

use super::manifest::Place;

/// The longest excerpt, in characters.
const LONGEST: usize = 90;
/// How much of a long line is shown before the place.
const BEFORE: usize = 30;
/// Every so many characters the position in the text is kept.
const STEP: usize = 1024;

/// A text with a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceFile {
    /// The path as it was given, or `stdin`.
    pub name: String,
    /// Everything in it.
    pub text: String,
    /// Where each line begins, in bytes.
    line_starts: Vec<usize>,
    /// Where every `STEP`th character begins, in bytes.
    steps: Vec<usize>,
}

impl SourceFile {
    /// A text with a name.
    pub fn new(name: String, text: String) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(ends).collect();
        let steps = text.char_indices().step_by(STEP).map(|(at, _)| at);
        let steps = steps.collect();
        Self {
            name,
            text,
            line_starts,
            steps,
        }
    }

    /// The line of a place; of a long line only the part around the column. Lines and columns count from 1.
    pub(crate) fn excerpt(&self, place: Place) -> Option<String> {
        let (start, line) = self.find_line(place.line.max(1))?;
        // No character has more than four bytes.
        if line.len() <= 4 * LONGEST && line.chars().count() <= LONGEST {
            return Some(line.to_owned());
        }
        let first = if place.column <= LONGEST / 2 {
            0
        } else {
            place.column - BEFORE
        };
        let end = start + line.len();
        let from = self.find_offset(start, first).min(end);
        let mut rest = self.text[from..end].chars();
        let shown: String = rest.by_ref().take(LONGEST).collect();
        let before = if first > 0 { "…" } else { "" };
        let after = if rest.next().is_some() { "…" } else { "" };
        Some(format!("{before}{shown}{after}"))
    }

    /// A line without its end, and where it begins.
    fn find_line(&self, number: usize) -> Option<(usize, &str)> {
        let start = *self.line_starts.get(number - 1)?;
        let next = self.line_starts.get(number).copied();
        let line = &self.text[start..next.unwrap_or(self.text.len())];
        let line = line.strip_suffix('\n').unwrap_or(line);
        Some((start, line.strip_suffix('\r').unwrap_or(line)))
    }

    /// Where the character begins that is so many characters after the beginning of one, in bytes.
    fn find_offset(&self, start: usize, characters: usize) -> usize {
        let step = self.steps.partition_point(|at| *at <= start) - 1;
        let before = self.text[self.steps[step]..start].chars().count();
        let wanted = step * STEP + before + characters;
        let Some(near) = self.steps.get(wanted / STEP) else {
            return self.text.len();
        };
        let mut following = self.text[*near..].char_indices();
        let found = following.nth(wanted % STEP);
        found.map_or(self.text.len(), |(at, _)| near + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, line: usize, column: usize) -> Option<String> {
        SourceFile::new("a.yaml".to_owned(), text.to_owned()).excerpt(Place { line, column })
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(excerpt("a: 1\r\nb: 2", 1, 4).as_deref(), Some("a: 1"));
        assert_eq!(excerpt("a: 1\nb: 2", 2, 4).as_deref(), Some("b: 2"));
        assert_eq!(excerpt("a: 1\n", 2, 1).as_deref(), Some(""));
        assert_eq!(excerpt("a: 1\n", 3, 1), None);
        assert_eq!(
            SourceFile::default().excerpt(Place { line: 1, column: 1 }),
            None
        );
    }

    #[test]
    fn an_excerpt_of_a_long_line_begins_before_its_column() {
        let numbers = (0..5_000).map(|number| format!("{number:04}ü"));
        let numbers = numbers.collect::<Vec<_>>().concat();
        let text = format!("first: ü\n{numbers}\nlast");
        let characters: Vec<char> = numbers.chars().collect();
        for column in [1, 45, 46, 1_000, 1_024, 1_025, 12_345, 24_995] {
            let first = if column <= 45 { 0 } else { column - 30 };
            let last = (first + 90).min(characters.len());
            let middle: String = characters[first..last].iter().collect();
            let before = if first > 0 { "…" } else { "" };
            let after = if last < characters.len() { "…" } else { "" };
            let expected = format!("{before}{middle}{after}");
            assert_eq!(excerpt(&text, 2, column), Some(expected), "column {column}");
        }
        assert_eq!(excerpt(&text, 2, 99_999).as_deref(), Some("…"));
        assert_eq!(excerpt(&text, 3, 1).as_deref(), Some("last"));
    }
}
