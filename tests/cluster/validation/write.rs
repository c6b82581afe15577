//! A tree written as YAML, each time a little differently, as people do: in blocks or in flow style,
//! texts plain, quoted or as block scalars, with comments, markers and foreign line ends here and there.

use super::tree::Node;
use crate::random::Random;

/// Everything a reader of YAML 1.1 takes for something else than a string.
const WORDS: &[&str] = &[
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
];

/// How likely the odd styles are in one manifest.
struct Style {
    flow: usize,
    quoted: usize,
    block_scalars: usize,
    comments: usize,
}

/// The manifest as text.
pub(super) fn write(manifest: &Node, random: &mut Random) -> String {
    if random.chance(4) {
        let mut text = String::new();
        write_flow(manifest, &json_style(), random, &mut text);
        return text + "\n";
    }
    let style = Style {
        flow: random.pick(&[0, 10, 40]),
        quoted: random.pick(&[0, 30]),
        block_scalars: random.pick(&[0, 0, 15]),
        comments: random.pick(&[0, 0, 10]),
    };
    let mut text = String::new();
    if random.chance(10) {
        text.push_str("---\n");
    }
    write_block(manifest, 0, &style, random, &mut text);
    text.trim_start_matches('\n').to_owned()
}

/// Editors and people leave traces; a few of them no reader can cope with. A `%YAML` directive is not
/// among them: the server takes it, kubectl does not, and files are read as kubectl reads them.
pub(super) fn disturb(text: &str, random: &mut Random) -> String {
    match random.below(12) {
        0 => text.replace('\n', "\r\n"),
        1 => format!("{text}...\n"),
        2 => format!("\u{feff}{text}"),
        3 => format!("\n\n{text}"),
        4 => format!("# what this is for\n\n{text}\n\n# the end"),
        5 => text.replace('\n', " \t\n"),
        6 => text.replace("\n  ", "\n\t"),
        7 => text.trim_end().to_owned(),
        8 => format!("{text}---\n"),
        9 => format!("{text}---\n# nothing more\n"),
        10 => text.replacen("name: ", "name: \u{7}", 1),
        _ => text.replace('\n', "\n\n"),
    }
}

/// JSON is YAML as well.
fn json_style() -> Style {
    Style {
        flow: 100,
        quoted: 200,
        block_scalars: 0,
        comments: 0,
    }
}

/// Writes a value behind its key or dash, from the line on which that stands.
fn write_block(node: &Node, indent: usize, style: &Style, random: &mut Random, text: &mut String) {
    let margin = " ".repeat(indent);
    match node {
        Node::Map(entries) if !entries.is_empty() && !random.chance(style.flow) => {
            text.push('\n');
            text.push_str(&margin);
            write_entries(entries, indent, style, random, text);
        }
        Node::List(items) if !items.is_empty() && !random.chance(style.flow) => {
            text.push('\n');
            for item in items {
                text.push_str(&margin);
                text.push('-');
                write_item(item, indent + 2, style, random, text);
            }
        }
        Node::Anchor(name, inner) => {
            text.push_str(&format!(" &{name}"));
            write_block(inner, indent, style, random, text);
        }
        Node::Text(words) if random.chance(style.block_scalars) && fits_a_block(words) => {
            let sign = random.pick(&["|", ">"]);
            let keep: &[&str] = if words.ends_with('\n') {
                &["", "+"]
            } else {
                &["-"]
            };
            let chomp = random.pick(keep);
            let words = words.trim_end_matches('\n');
            text.push_str(&format!(" {sign}{chomp}\n{margin}{words}\n"));
        }
        other => {
            text.push(' ');
            write_flow(other, style, random, text);
            if random.chance(style.comments) {
                text.push_str(" # as agreed: {not} 'yaml'");
            }
            text.push('\n');
        }
    }
}

/// The entries of a map, the first of them where the text has come to.
fn write_entries(
    entries: &[(Node, Node)],
    indent: usize,
    style: &Style,
    random: &mut Random,
    text: &mut String,
) {
    for (number, (key, value)) in entries.iter().enumerate() {
        if number > 0 {
            text.push_str(&" ".repeat(indent));
        }
        write_flow(key, style, random, text);
        text.push(':');
        if says_what_it_is(key) {
            text.push(' ');
            write_flow(value, style, random, text);
            text.push('\n');
            continue;
        }
        // Lists are often written as far to the left as their key.
        let is_list = matches!(value, Node::List(_));
        let deeper = if is_list && random.chance(50) { 0 } else { 2 };
        write_block(value, indent + deeper, style, random, text);
    }
}

/// What an object is stays on its line: as a block, a disturbance would make it something else.
fn says_what_it_is(key: &Node) -> bool {
    matches!(key, Node::Text(key) if ["apiVersion", "kind"].contains(&key.as_str()))
}

fn write_item(item: &Node, indent: usize, style: &Style, random: &mut Random, text: &mut String) {
    match item {
        Node::Map(entries) if !entries.is_empty() && random.chance(80) => {
            text.push(' ');
            write_entries(entries, indent, style, random, text);
        }
        _ => write_block(item, indent, style, random, text),
    }
}

fn write_flow(node: &Node, style: &Style, random: &mut Random, text: &mut String) {
    match node {
        Node::Raw(raw) => text.push_str(raw),
        Node::Text(words) => text.push_str(&written(words, style, random)),
        Node::Alias(name) => text.push_str(&format!("*{name}")),
        Node::Anchor(name, inner) => {
            text.push_str(&format!("&{name} "));
            write_flow(inner, style, random, text);
        }
        Node::List(items) => {
            text.push('[');
            for (number, item) in items.iter().enumerate() {
                text.push_str(if number > 0 { ", " } else { "" });
                write_flow(item, style, random, text);
            }
            text.push(']');
        }
        Node::Map(entries) => {
            text.push('{');
            for (number, (key, value)) in entries.iter().enumerate() {
                text.push_str(if number > 0 { ", " } else { "" });
                write_flow(key, style, random, text);
                // An alias may end in a colon, so it needs the blank.
                text.push_str(if matches!(key, Node::Alias(_)) {
                    " : "
                } else {
                    ": "
                });
                write_flow(value, style, random, text);
            }
            text.push('}');
        }
    }
}

/// A text in one of the ways in which it stays a text.
fn written(words: &str, style: &Style, random: &mut Random) -> String {
    let single = !words.is_empty() && words.chars().all(|c| !c.is_control()) && style.quoted <= 100;
    if is_plain(words) && !random.chance(style.quoted) {
        words.to_owned()
    } else if single && random.chance(50) {
        format!("'{}'", words.replace('\'', "''"))
    } else {
        double_quoted(words)
    }
}

fn double_quoted(words: &str) -> String {
    let mut text = String::from('"');
    for c in words.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text + "\""
}

fn is_plain(words: &str) -> bool {
    let first = words.chars().next().unwrap_or(' ');
    let inner = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    let is_size = first.is_ascii_digit()
        && words
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .chars()
            .all(|c| "KMGTi".contains(c))
        && words.ends_with(|c: char| c.is_ascii_alphabetic());
    let is_word = (first.is_ascii_alphabetic() || first == '/')
        && words.chars().all(inner)
        && !WORDS.contains(&words.to_lowercase().as_str());
    is_size || is_word
}

/// One line, which a block scalar keeps as it is.
fn fits_a_block(words: &str) -> bool {
    let line = words.strip_suffix('\n').unwrap_or(words);
    !line.is_empty()
        && line.trim() == line
        && line.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}
