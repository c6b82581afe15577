//! A manifest as it was written: every field, also those no kind has, each with its place in the text.
//!
//! The other files of this module keep what the engine needs of an object. A manifest keeps all of it, in the order of the
//! file, because what is wrong with it may stand in a field that nobody reads.

pub use super::source_file::SourceFile;

use super::Objects;
use crate::conventions::names::generated_name;
use serde::ser::{Error, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

/// A place in a text, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

/// A value, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// What it holds.
    pub content: Content,
    /// Where it begins.
    pub place: Place,
}

/// What a value holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Content {
    /// Nothing: the zero value of its field.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A number, digits as JSON has them: never rounded on the way.
    Number(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Fields in the order of the text; no key occurs twice.
    Map(Vec<Entry>),
}

/// A field of a map.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A value that stands nowhere yet.
    pub fn new(content: Content) -> Self {
        Self {
            content,
            place: Place::default(),
        }
    }

    /// A string that stands nowhere yet.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Content::Text(text.into()))
    }

    /// A value that was never written in a file; nothing in it stands anywhere.
    pub fn of_json(value: &Value) -> Self {
        Self::new(match value {
            Value::Null => Content::Null,
            Value::Bool(value) => Content::Bool(*value),
            Value::Number(number) => Content::Number(number.to_string()),
            Value::String(text) => Content::Text(text.clone()),
            Value::Array(items) => Content::List(items.iter().map(Self::of_json).collect()),
            Value::Object(fields) => {
                let entries = fields.iter().map(|(key, value)| Entry {
                    key: key.clone(),
                    value: Self::of_json(value),
                    ..Entry::default()
                });
                Content::Map(entries.collect())
            }
        })
    }

    /// The string it is.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of the list it is; anything else has none.
    pub fn items(&self) -> &[Node] {
        match &self.content {
            Content::List(items) => items,
            _ => &[],
        }
    }

    /// The fields of the map it is; anything else has none.
    pub fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Whether it is the zero value of whatever field it stands in.
    pub fn is_null(&self) -> bool {
        self.content == Content::Null
    }

    /// The field of this key, with its key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key)
    }

    /// The value of this key, unless it is null.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key)
            .map(|entry| &entry.value)
            .filter(|node| !node.is_null())
    }

    /// The string at this key.
    pub fn get_text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    /// The value of this key, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        let Content::Map(entries) = &mut self.content else {
            return None;
        };
        entries
            .iter_mut()
            .find(|entry| entry.key == key)
            .map(|entry| &mut entry.value)
    }

    /// The map at this key, made if it is not there; a value that is no map stays as it is.
    pub fn map_at(&mut self, key: &str) -> Option<&mut Node> {
        let missing = self.get(key).is_none();
        if missing {
            self.set(key, Node::new(Content::Map(vec![])));
        }
        self.get_mut(key)
            .filter(|node| matches!(node.content, Content::Map(_)))
    }

    /// Takes a field out.
    pub fn remove(&mut self, key: &str) -> Option<Entry> {
        let Content::Map(entries) = &mut self.content else {
            return None;
        };
        let index = entries.iter().position(|entry| entry.key == key)?;
        Some(entries.remove(index))
    }

    /// Puts a field in, where it was or at the end.
    pub fn set(&mut self, key: &str, value: Node) {
        let Content::Map(entries) = &mut self.content else {
            return;
        };
        match entries.iter_mut().find(|entry| entry.key == key) {
            Some(entry) => entry.value = value,
            None => entries.push(Entry {
                key: key.to_owned(),
                key_place: value.place,
                value,
            }),
        }
    }

    /// Gives a field another name; it stays where it is.
    pub fn rename(&mut self, from: &str, to: &str) {
        if let Content::Map(entries) = &mut self.content
            && let Some(entry) = entries.iter_mut().find(|entry| entry.key == from)
        {
            to.clone_into(&mut entry.key);
        }
    }

    /// Where a field stands, by its path as the API server spells it (`spec.accessModes[0]`,
    /// `metadata.annotations[example.com/key]`, `data.zone`); of a field that is not there, the nearest one around it.
    pub fn place_of(&self, field: &str) -> Place {
        self.find_place(field).unwrap_or_else(|nearest| nearest)
    }

    /// The same, which tells the field itself from what is only around it.
    pub fn find_place(&self, field: &str) -> Result<Place, Place> {
        let mut node = self;
        let mut place = self.place;
        let mut rest = field;
        loop {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            if rest.is_empty() {
                return Ok(place);
            }
            let Some((next, next_place, after)) = node.step(rest) else {
                return Err(place);
            };
            (node, place, rest) = (next, next_place, after);
        }
    }

    /// One step along a path: the value, its place (that of its key, where it has one), and the path that is left.
    fn step<'a, 'p>(&'a self, path: &'p str) -> Option<(&'a Node, Place, &'p str)> {
        if let Some(inside) = path.strip_prefix('[') {
            let (index, after) = inside.split_once(']')?;
            if let Content::List(items) = &self.content {
                let item = items.get(index.parse::<usize>().ok()?)?;
                return Some((item, item.place, after));
            }
        }
        // Keys of labels and parameters have dots themselves, so the longest key that the path begins with is meant.
        let fits = |entry: &&Entry| {
            let bracketed = path
                .strip_prefix('[')
                .and_then(|path| path.strip_prefix(entry.key.as_str()))
                .is_some_and(|after| after.starts_with(']'));
            let dotted = path
                .strip_prefix(entry.key.as_str())
                .is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']));
            bracketed || dotted
        };
        let entry = self
            .entries()
            .iter()
            .filter(fits)
            .max_by_key(|entry| entry.key.len())?;
        let brackets = if path.starts_with('[') { 2 } else { 0 };
        Some((
            &entry.value,
            entry.key_place,
            &path[entry.key.len() + brackets..],
        ))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.content {
            Content::Null => serializer.serialize_unit(),
            Content::Bool(value) => serializer.serialize_bool(*value),
            Content::Number(digits) => match (digits.parse::<i64>(), digits.parse::<u64>()) {
                (Ok(number), _) => serializer.serialize_i64(number),
                (_, Ok(number)) => serializer.serialize_u64(number),
                _ => serializer.serialize_f64(digits.parse().map_err(S::Error::custom)?),
            },
            Content::Text(text) => serializer.serialize_str(text),
            Content::List(items) => serializer.collect_seq(items),
            Content::Map(entries) => {
                serializer.collect_map(entries.iter().map(|entry| (&entry.key, &entry.value)))
            }
        }
    }
}

/// One object of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The text it was read from.
    pub source: Rc<SourceFile>,
    /// `apiVersion`; what leaves it out is `v1`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// The whole object.
    pub root: Node,
}

/// An object that is to be judged: as it was written, where there is a text, and as it was understood.
#[derive(Debug, Clone, Default)]
pub struct Candidate {
    /// As it was written; a live object has no text.
    pub manifest: Option<Manifest>,
    /// What it says, if that could be understood: one object of its kind, and the claims its templates would make.
    pub objects: Objects,
    /// Whether its kind is one that storage depends on.
    pub is_known: bool,
    /// Why it could not be understood, and the field.
    pub misunderstood: Option<(String, String)>,
}

/// A document that is no object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The text it stands in.
    pub source: Rc<SourceFile>,
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub kind: BrokenKind,
}

/// What is wrong with a document that is no object. Its text says it in a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BrokenKind {
    /// The file is not a text.
    NotText,
    /// The text breaks a rule of YAML or JSON, in the words of its reader.
    Syntax(Cow<'static, str>),
    /// A key occurs twice in one map.
    DuplicateKey(String),
    /// It is a list or a scalar.
    NotAnObject,
    /// It does not name its kind.
    NoKind,
    /// It follows the end of a document without `---`.
    AfterEnd,
}

impl BrokenKind {
    /// Whether another object probably begins there: each has these keys once.
    pub fn is_second_object(&self) -> bool {
        matches!(self, Self::DuplicateKey(key) if key == "kind" || key == "apiVersion")
    }
}

impl fmt::Display for BrokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotText => "not a text in UTF-8",
            Self::Syntax(words) => words,
            Self::DuplicateKey(key) => {
                return write!(f, "the key `{key}` stands here a second time");
            }
            Self::NotAnObject => "not a Kubernetes object",
            Self::NoKind => "the object has no kind",
            Self::AfterEnd => {
                "nothing of this is read, neither here nor by kubectl: the document has ended"
            }
        })
    }
}

impl Manifest {
    /// The API group: empty for the core.
    pub fn group(&self) -> &str {
        self.api_version
            .rsplit_once('/')
            .map_or("", |(group, _)| group)
    }

    /// `metadata.name`, or a stand-in for what the server would make of `generateName`.
    pub fn name(&self) -> String {
        let metadata = self.root.get("metadata");
        let text = |key| {
            let text = metadata.and_then(|metadata| metadata.get_text(key));
            text.filter(|text| !text.is_empty())
        };
        let generated = || text("generateName").map(generated_name);
        text("name")
            .map(str::to_owned)
            .or_else(generated)
            .unwrap_or_default()
    }

    /// `metadata.namespace`.
    pub fn namespace(&self) -> Option<&str> {
        self.root
            .get("metadata")?
            .get_text("namespace")
            .filter(|namespace| !namespace.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: Vec<(&str, usize, Node)>) -> Node {
        let entries = entries.into_iter().map(|(key, line, value)| Entry {
            key: key.to_owned(),
            key_place: Place { line, column: 1 },
            value,
        });
        Node::new(Content::Map(entries.collect()))
    }

    #[test]
    fn fields_are_found_as_the_server_spells_them() {
        let item = Node {
            place: Place { line: 9, column: 5 },
            ..Node::text("ReadWriteOnce")
        };
        let list = Node::new(Content::List(vec![item]));
        let labels = map(vec![
            ("a", 3, Node::text("x")),
            ("a.b/c", 4, Node::text("y")),
        ]);
        let root = map(vec![
            ("metadata", 1, map(vec![("labels", 2, labels)])),
            ("spec", 7, map(vec![("accessModes", 8, list)])),
        ]);
        let line = |field: &str| root.place_of(field).line;
        assert_eq!(line("spec.accessModes[0]"), 9);
        assert_eq!(line("spec.accessModes[1]"), 8);
        assert_eq!(line("spec.capacity"), 7);
        assert_eq!(line("metadata.labels.a.b/c"), 4);
        assert_eq!(line("metadata.labels[a.b/c]"), 4);
        assert_eq!(line("metadata.labels[a]"), 3);
        assert_eq!(line("spec.resources[storage]"), 7);
    }
}
