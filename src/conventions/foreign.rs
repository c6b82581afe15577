//! Text that other people wrote: names, values and messages of objects. It must not move the cursor, hide a part of itself,
//! turn the text round it, or stand on a line of its own in the layout of advice. Everything printed passes through here.

use super::names::{has_label_form, label_key_problems, name_problems};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The longest value in a sentence on a terminal, in characters.
pub const LONGEST_VALUE: usize = 80;

/// Makes control, invisible and bidirectional characters visible.
pub fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| push_visible(&mut shown, c));
    Cow::Owned(shown)
}

/// A value in a sentence: a plain word as it is, everything else whole in double quotes. What prints the sentence keeps the
/// quotes together (`quoted_end`), so that no folded line begins with such a value.
pub fn quoted<S: AsRef<str> + ?Sized>(value: &S) -> Cow<'_, str> {
    let value = value.as_ref();
    if is_plain(value) {
        return Cow::Borrowed(value);
    }
    let mut shown = String::with_capacity(value.len() + 2);
    shown.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => shown.extend(['\\', c]),
            c => push_visible(&mut shown, c),
        }
    }
    shown.push('"');
    Cow::Owned(shown)
}

/// The same for each of several.
pub fn quoted_each<S: AsRef<str>>(values: &[S]) -> Vec<Cow<'_, str>> {
    values.iter().map(quoted).collect()
}

/// Where the quotes that a text begins with are closed: behind the closing one.
pub fn quoted_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(index + 1),
            _ => {}
        }
    }
    None
}

/// Runs of white space as one blank.
pub fn one_blank(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !c.is_whitespace() => shown.push(c),
            _ if shown.ends_with(' ') => {}
            _ => shown.push(' '),
        }
    }
    shown
}

/// At most so many characters, the last one a sign that more followed.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.char_indices().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    Cow::Owned(format!("{kept}…"))
}

/// A blank at which no line is broken. `safe` escapes it in foreign text, so that it stands only where it was put here.
const JOINT: char = '\u{e000}';

/// The widest gap of our own layouts; a wider one is foreign.
const WIDEST_GAP: usize = 5;

/// Prepares a safe text for folding: what stands in quotes stays together, with runs of blanks as one and at most `longest`
/// characters of it; `kubectl` never begins a line, as only commands do that; no wide gap moves what follows it to the next
/// line. `folded` is the way back.
pub fn unfoldable(text: &str, longest: Option<usize>) -> Cow<'_, str> {
    if !text.contains('"') && !text.contains("kubectl") && !text.contains("      ") {
        return Cow::Borrowed(text);
    }
    let mut prepared = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let Some(end) = (c == '"').then(|| quoted_end(rest)).flatten() else {
            let after = rest.trim_start_matches(' ');
            let blanks = rest.len() - after.len();
            let is_inside = !prepared.is_empty();
            let is_wide = blanks > WIDEST_GAP && !after.is_empty();
            if is_inside && blanks > 0 && after.starts_with("kubectl") {
                let kept = if is_wide { 1 } else { blanks };
                prepared.extend(std::iter::repeat_n(JOINT, kept));
                rest = after;
            } else if is_inside && is_wide {
                prepared.push(' ');
                rest = after;
            } else {
                let length = blanks.max(c.len_utf8());
                prepared.push_str(&rest[..length]);
                rest = &rest[length..];
            }
            continue;
        };
        let value = one_blank(&rest[1..end - 1]);
        let value = shortened(&value, longest.unwrap_or(usize::MAX));
        prepared.push('"');
        prepared.extend(value.chars().map(|c| if c == ' ' { JOINT } else { c }));
        prepared.push('"');
        rest = &rest[end..];
    }
    Cow::Owned(prepared)
}

/// The text of `unfoldable` once it is folded.
pub fn folded(text: &str) -> String {
    text.replace(JOINT, " ")
}

/// Whether a character moves a terminal, shows nothing, or turns the text round it. White space other than a blank counts.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | JOINT | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fdd0}'..='\u{fdef}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        // The last two of every plane are no characters.
        || u32::from(c) & 0xfffe == 0xfffe
}

/// A name of an object, a label or its key, a quantity, a path: one word that needs no quotes.
pub fn is_plain(value: &str) -> bool {
    // `/path` or `server:/path`.
    let path = value
        .split_once(":/")
        .filter(|(server, _)| name_problems(server).is_empty())
        .map_or_else(|| value.strip_prefix('/'), |(_, path)| Some(path));
    let is_path = path.is_some_and(|path| {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./".contains(&b);
        value.len() <= 253 && path.bytes().all(is_plain)
    });
    let is_in_namespace = || {
        let parts = value.split_once('/');
        parts.is_some_and(|(namespace, name)| {
            name_problems(namespace).is_empty() && name_problems(name).is_empty()
        })
    };
    is_path
        || is_in_namespace()
        || has_label_form(value) && value.len() <= 63
        || name_problems(value).is_empty()
        || label_key_problems(value).is_empty()
}

fn push_visible(text: &mut String, c: char) {
    match c {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\u{1b}' => text.push_str("^["),
        c if is_unsafe(c) => {
            let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
        }
        c => text.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_words_are_kept() {
        assert_eq!(safe("pv-a ü 日本"), "pv-a ü 日本");
        assert_eq!(safe("a\u{1b}[2Jb\r\n"), "a^[[2Jb\\r\\n");
        assert_eq!(safe("\u{202e}gnp"), "\\u{202e}gnp");
        assert_eq!(safe("\u{9b}31m"), "\\u{9b}31m");
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        for c in [
            '\u{ad}',
            '\u{115f}',
            '\u{1160}',
            '\u{3164}',
            '\u{ffa0}',
            '\u{e0041}',
            '\u{200b}',
            '\u{2800}',
            '\u{fe0f}',
            '\u{34f}',
            '\u{a0}',
            '\u{3000}',
            '\u{2028}',
            '\u{2066}',
        ] {
            let text = format!("a{c}b");
            assert_eq!(safe(&text), format!("a\\u{{{:x}}}b", u32::from(c)));
        }
    }

    #[test]
    fn plain_words_are_plain_and_the_rest_is_quoted() {
        for plain in [
            "pv-a",
            "10Gi",
            "us-east-1a",
            "example.com/nfs",
            "kubernetes.io/hostname",
            "/srv/volumes/pvc-1",
            "filer:/export/a",
            "prod/data-0",
            "my_value",
        ] {
            assert_eq!(quoted(plain), plain);
        }
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("a=b"), "\"a=b\"");
        assert_eq!(quoted("--all"), "\"--all\"");
        assert_eq!(quoted("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"");
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
    }

    #[test]
    fn quotes_end_where_they_were_closed() {
        let value = quoted("a \" kubectl \\");
        let text = format!("{value} rest \"x\"");
        assert_eq!(quoted_end(&text), Some(value.len()));
        assert_eq!(quoted_end("\"open"), None);
    }

    #[test]
    fn quotes_stay_together_and_no_line_begins_with_a_command() {
        let value = quoted("x   kubectl delete pv --all");
        let text = format!("volume {value} is used; see kubectl get pv");
        let prepared = unfoldable(&text, Some(20));
        let breaks: Vec<&str> = prepared.split(' ').collect();
        assert_eq!(breaks[1], "\"x\u{e000}kubectl\u{e000}delete\u{e000}pv…\"");
        assert!(!breaks.iter().any(|line| line.starts_with("kubectl")));
        assert_eq!(
            folded(&prepared),
            "volume \"x kubectl delete pv…\" is used; see kubectl get pv"
        );
        // A value cannot end its quotes early.
        let value = quoted("x\" kubectl delete pv --all \"");
        assert!(!unfoldable(&value, None).contains(' '));
    }

    #[test]
    fn runs_of_blanks_collapse_and_long_values_are_cut() {
        assert_eq!(one_blank("a  b\t\n c"), "a b c");
        assert_eq!(one_blank("a b"), "a b");
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abcde…");
    }
}
