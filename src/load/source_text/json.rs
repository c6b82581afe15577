//! JSON text ↔ a tree with places. serde_json tells no places, and we want them only when something is wrong.

use super::yaml::{DEEPEST, TreeError};
use crate::model::manifest::{Content, Entry, Node, Place};
use std::cell::Cell;
use std::collections::HashSet;

/// A tree as JSON text, on one line.
pub(in crate::load) fn spell(node: &Node) -> String {
    let mut text = String::new();
    write(node, &mut text);
    text
}

fn write(node: &Node, text: &mut String) {
    match &node.content {
        Content::Null => text.push_str("null"),
        Content::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Content::Number(number) => text.push_str(number),
        Content::Text(string) => write_string(string, text),
        Content::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Content::Map(entries) => {
            text.push('{');
            for (index, entry) in entries.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(&entry.key, text);
                text.push(':');
                write(&entry.value, text);
            }
            text.push('}');
        }
    }
}

fn write_string(string: &str, text: &mut String) {
    text.push_str(&serde_json::Value::from(string).to_string());
}

/// The tree of one JSON value that serde_json has accepted and that begins at this place; or a repeated key in it.
pub(super) fn tree(text: &str, above: Place) -> Result<Node, TreeError> {
    let mut reader = Reader {
        text,
        offset: 0,
        line: above.line,
        line_start: 0,
        columns_before: above.column - 1,
        counted: Cell::new((0, 0)),
    };
    reader.value(0)
}

struct Reader<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    line_start: usize,
    /// What stands in the first line before the value.
    columns_before: usize,
    /// How far the characters of the line were counted, and how many there were: a file may be one long line.
    counted: Cell<(usize, usize)>,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Node, TreeError> {
        self.skip_blanks();
        let place = self.place();
        if depth > DEEPEST {
            return Err(self.error("the document is too deep"));
        }
        let content = match self.peek() {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Content::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node { content, place })
    }

    fn map(&mut self, depth: usize) -> Result<Content, TreeError> {
        self.offset += 1;
        let mut entries = Vec::new();
        let mut written = HashSet::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'}') => break,
                Some(b',') => self.offset += 1,
                Some(b'"') => {
                    let key_place = self.place();
                    let key = self.string()?;
                    if !written.insert(key.clone()) {
                        return Err(TreeError::repeated(key_place, key));
                    }
                    self.skip_blanks();
                    self.offset += 1; // the colon
                    let value = self.value(depth + 1)?;
                    entries.push(Entry {
                        key,
                        key_place,
                        value,
                    });
                }
                _ => return Err(self.error("not JSON")),
            }
        }
        self.offset += 1;
        Ok(Content::Map(entries))
    }

    fn list(&mut self, depth: usize) -> Result<Content, TreeError> {
        self.offset += 1;
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b']') => break,
                Some(b',') => self.offset += 1,
                Some(_) => items.push(self.value(depth + 1)?),
                None => return Err(self.error("not JSON")),
            }
        }
        self.offset += 1;
        Ok(Content::List(items))
    }

    fn string(&mut self) -> Result<String, TreeError> {
        let rest = &self.text.as_bytes()[self.offset + 1..];
        let mut length = 0;
        while rest.get(length).is_some_and(|byte| *byte != b'"') {
            length += if rest[length] == b'\\' { 2 } else { 1 };
        }
        let end = self.offset + length + 2;
        let Some(raw) = self.text.get(self.offset..end) else {
            return Err(self.error("not JSON"));
        };
        let string = serde_json::from_str(raw).map_err(|_| self.error("not JSON"))?;
        self.offset = end;
        Ok(string)
    }

    fn word(&mut self) -> Result<Content, TreeError> {
        let rest = &self.text[self.offset..];
        let length = rest
            .bytes()
            .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let word = &rest[..length];
        let content = match word {
            "null" => Content::Null,
            "true" => Content::Bool(true),
            "false" => Content::Bool(false),
            _ if word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                Content::Number(word.to_owned())
            }
            _ => return Err(self.error("not JSON")),
        };
        self.offset += length;
        Ok(content)
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek().filter(u8::is_ascii_whitespace) {
            self.offset += 1;
            if byte == b'\n' {
                self.line += 1;
                self.line_start = self.offset;
                self.columns_before = 0;
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn place(&self) -> Place {
        let (counted, columns) = self.counted.get();
        let is_of_line = (self.line_start..=self.offset).contains(&counted);
        let (from, before) = if is_of_line {
            (counted, columns)
        } else {
            (self.line_start, 0)
        };
        let columns = before + self.text[from..self.offset].chars().count();
        self.counted.set((self.offset, columns));
        Place {
            line: self.line,
            column: 1 + self.columns_before + columns,
        }
    }

    fn error(&self, message: &'static str) -> TreeError {
        TreeError::new(self.place(), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Place = Place { line: 1, column: 1 };

    #[test]
    fn json_is_read_with_places_and_spelled_again() {
        let text = "{\"a\": [1, \"x\\\"}\\u00e9\",\n  {\"b\": -1.50e3}],\n \"c\": null, \"d\": {}}";
        let root = tree(text, START).unwrap();
        assert_eq!(root.place_of("a[2].b"), Place { line: 2, column: 4 });
        assert_eq!(
            root.place_of("d"),
            Place {
                line: 3,
                column: 13
            }
        );
        assert_eq!(
            spell(&root),
            "{\"a\":[1,\"x\\\"}é\",{\"b\":-1.50e3}],\"c\":null,\"d\":{}}"
        );
    }

    #[test]
    fn repeated_keys_are_errors() {
        let error = tree("{\"a\": 1,\n \"a\": 2}", START).unwrap_err();
        assert_eq!(error.place, Place { line: 2, column: 2 });
    }
}
