//! Objects that follow each other with nothing between them: no YAML, but what documents for people print.

use super::{is_separator, yaml};

/// How often a whole document is read where the lines up to the next objects did not settle it.
const WHOLE_READINGS: u32 = 100;

/// The text with `---` put between such objects, and the lines where that was done.
pub(in crate::load) fn separate(text: &str) -> (String, Vec<usize>) {
    let lines: Vec<&str> = text.lines().collect();
    let is_json = text.trim_start_matches('\u{feff}').trim_start();
    let is_json = is_json.starts_with(['{', '[']);
    let (mut parted, mut separated): (Vec<&str>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut readings = WHOLE_READINGS;
    let separators = (1..lines.len()).filter(|index| is_separator(lines[*index]));
    let mut start = 0;
    for end in separators.chain([lines.len()]) {
        while start < end {
            let document = &lines[start..end];
            let second = (!is_json).then(|| second_object(document, &mut readings));
            let second = second.flatten();
            let taken = second.unwrap_or(document.len());
            parted.extend(&document[..taken]);
            start += taken;
            if second.is_some() {
                match parted.last_mut() {
                    Some(above) if above.trim().is_empty() => *above = "---",
                    _ => parted.push("---"),
                }
                separated.push(start + 1);
            }
        }
    }
    let mut text = parted.join("\n");
    text.push('\n');
    (text, separated)
}

/// How many lines a document has before it begins to be another object: it says a second time what it is, at its outermost level.
/// Each part is read once, however many there are, as the third such line is a repetition.
fn second_object(document: &[&str], readings: &mut u32) -> Option<usize> {
    let is_content = |line: &&&str| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#') && !is_separator(line)
    };
    let first = document.iter().find(is_content)?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let says_what_it_is = |line: &&str| {
        let line = line.strip_prefix(indent).unwrap_or_default();
        let line = line.trim_start_matches(['"', '\'']);
        line.starts_with("apiVersion") || line.starts_with("kind")
    };
    let mut candidates = (0..document.len()).filter(|index| says_what_it_is(&document[*index]));
    let third = candidates.nth(2);
    // Two lines can be a repetition as well, and then they are the last.
    let window = third.map_or(document.len(), |third| third + 1);
    let found = find_repetition(&document[..window], indent.len() + 1);
    if found.is_some() || window == document.len() || *readings == 0 {
        return found;
    }
    *readings -= 1;
    find_repetition(document, indent.len() + 1)
}

fn find_repetition(lines: &[&str], column: usize) -> Option<usize> {
    let error = yaml::read(&lines.join("\n"), 0).err()?;
    let place = error.place;
    (error.kind.is_second_object() && place.line > 1 && place.column == column)
        .then(|| place.line - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_without_a_separator_are_parted() {
        let (text, separated) = separate("kind: A\nx: 1\n\nkind: B\nref:\n  kind: C\nkind: D\n");
        assert_eq!(
            text,
            "kind: A\nx: 1\n---\nkind: B\nref:\n  kind: C\n---\nkind: D\n"
        );
        assert_eq!(separated, [4, 7]);
    }

    /// Time grows with the text, not with its square: ten times the objects took a hundred times as long.
    #[test]
    fn many_objects_without_a_separator_are_parted_quickly() {
        let time_once = |objects: usize| {
            let began = std::time::Instant::now();
            let (text, separated) = separate(&"kind: A\n".repeat(objects));
            assert_eq!(separated.len(), objects - 1);
            assert_eq!(text.lines().count(), 2 * objects - 1);
            began.elapsed()
        };
        // The shortest of several runs: other processes make one of them slow.
        let time = |objects| (0..5).map(|_| time_once(objects)).min().unwrap();
        time(10);
        let (small, large) = (time(500), time(5_000));
        assert!(large < 40 * small, "{small:?} {large:?}");
    }

    #[test]
    fn a_repeated_key_inside_an_object_stays_an_error() {
        let text = "kind: A\nref:\n  kind: C\n  kind: D\n";
        assert_eq!(separate(text), (text.to_owned(), vec![]));
        assert!(separate("kind: A\nx: 1\nx: 2\n").1.is_empty());
    }
}
