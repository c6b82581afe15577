//! Differences between two texts for people, named by the kind of the line: the first line, a column of a table, a label
//! such as `Cause`, a command.

use super::difference::Difference;

/// The lines in which the two differ.
pub(super) fn differences(old: &str, new: &str) -> Vec<Difference> {
    let (old, new) = (without_colours(old), without_colours(new));
    let before: Vec<&str> = old.lines().collect();
    let after: Vec<&str> = new.lines().collect();
    let start = before
        .iter()
        .zip(&after)
        .take_while(|(old, new)| old == new)
        .count();
    let end = before[start..]
        .iter()
        .rev()
        .zip(after[start..].iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    let (old_end, new_end) = (before.len() - end, after.len() - end);
    let (removed, added) = (&before[start..old_end], &after[start..new_end]);
    if removed.is_empty() && added.is_empty() {
        let field = "colours or line ends".to_owned();
        return vec![Difference::new(field, &old, &new)];
    }
    let sorted = |lines: &[&str]| {
        let mut lines = lines.to_vec();
        lines.sort_unstable();
        lines.join("\n")
    };
    if sorted(removed) == sorted(added) {
        let field = format!("{} (order)", place_of(&before, start));
        return vec![Difference::new(
            field,
            &removed.join("\n"),
            &added.join("\n"),
        )];
    }
    if removed.len() != added.len() {
        let (lines, _) = if removed.is_empty() {
            (&after, added)
        } else {
            (&before, removed)
        };
        let field = format!("{} (lines added or removed)", place_of(lines, start));
        return vec![Difference::new(
            field,
            &removed.join("\n"),
            &added.join("\n"),
        )];
    }
    let pairs = removed.iter().zip(added).enumerate();
    pairs
        .filter(|(_, (old, new))| old != new)
        .map(|(index, (old, new))| Difference::new(kind_of(&before, start + index, new), old, new))
        .collect()
}

/// Colours are compared with the rest, and only the names of lines do without them.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    plain
}

/// The place of a line, with the column in which the new line differs if it is a table.
fn kind_of(lines: &[&str], index: usize, new: &str) -> String {
    let Some(head) = head_above(lines, index) else {
        return place_of(lines, index);
    };
    let same = lines[index].chars().zip(new.chars());
    let same = same.take_while(|(old, new)| old == new).count();
    let column = cells(head).into_iter().rev().find(|(at, _)| *at <= same);
    let column = column.map_or("", |(_, title)| title);
    format!("{}, column {column}", place_of(lines, index))
}

fn place_of(lines: &[&str], index: usize) -> String {
    let Some(line) = lines.get(index) else {
        return "the end".to_owned();
    };
    if let Some(head) = head_above(lines, index) {
        let title = cells(head).first().map_or("", |(_, title)| title);
        return format!("table {title}");
    }
    let text = line.trim_start();
    if index == 0 {
        "first line".to_owned()
    } else if text.starts_with("kubectl ") || text.starts_with("printf ") {
        "command".to_owned()
    } else {
        let mut labelled = lines[..=index]
            .iter()
            .rev()
            .take_while(|line| !line.trim().is_empty());
        let label = labelled.find_map(|line| label_of(line));
        label.map_or("line".to_owned(), |label| format!("line {label}"))
    }
}

/// The head of the table in which a line is: the next line above in capital letters, without an empty line between.
fn head_above<'a>(lines: &[&'a str], index: usize) -> Option<&'a str> {
    let above = lines.get(..index)?.iter().rev();
    let mut above = above.take_while(|line| !line.is_empty());
    above.find(|line| is_head(line)).copied()
}

fn is_head(line: &str) -> bool {
    let cells = cells(line);
    let is_title = |title: &str| {
        let mut letters = title.chars().filter(|c| c.is_alphabetic());
        title.len() > 2 && letters.all(char::is_uppercase)
    };
    cells.len() > 1
        && cells
            .first()
            .is_some_and(|(at, title)| *at == 0 && is_title(title))
}

/// The cells of a line, each with the place of its first letter; two blanks are between two cells.
fn cells(line: &str) -> Vec<(usize, &str)> {
    let mut cells = Vec::new();
    let mut place = 0;
    for part in line.split("  ") {
        let text = part.trim();
        if !text.is_empty() {
            let indent = part.chars().take_while(|c| *c == ' ').count();
            cells.push((place + indent, text));
        }
        place += part.chars().count() + 2;
    }
    cells
}

/// `Cause` of `  Cause       NoVolumeFits`, `Kept` of `Kept: pvc/…`.
fn label_of(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let (label, _) = text.split_once("  ").or_else(|| text.split_once(':'))?;
    let is_label = label.len() < 24
        && label.starts_with(|c: char| c.is_ascii_uppercase())
        && label.chars().all(|c| c.is_ascii_alphabetic() || c == ' ');
    is_label.then_some(label)
}
