//! A manifest as a tree in which scalars may be anything at all: a text, which is written so that it
//! stays a text, or raw YAML, which is whatever a reader takes it for. How it is written is
//! `write.rs`'s business; mutations work on this.

use serde_json::Value;

/// A part of a manifest.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Written as it stands: `yes`, `0o17`, `~`, `12`.
    Raw(String),
    /// Written plain, quoted or as a block, but always a string.
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    Anchor(&'static str, Box<Node>),
    Alias(&'static str),
}

/// Where a node is: the number of each child on the way down.
pub(super) type Place = Vec<usize>;

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(entries) => Self::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (Self::Text(key), Self::from(value)))
                    .collect(),
            ),
            scalar => Self::Raw(scalar.to_string()),
        }
    }
}

impl Node {
    pub(super) fn raw(text: &str) -> Self {
        Self::Raw(text.to_owned())
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    fn is_text(&self, text: &str) -> bool {
        matches!(self, Self::Text(own) if own == text)
    }

    /// The child of a map by its key, of a list by its number.
    fn child_mut(&mut self, step: &str) -> Option<&mut Self> {
        match self {
            Self::Map(entries) => entries
                .iter_mut()
                .find(|(key, _)| key.is_text(step))
                .map(|(_, value)| value),
            Self::List(items) => items.get_mut(step.parse::<usize>().ok()?),
            Self::Anchor(_, inner) => inner.child_mut(step),
            _ => None,
        }
    }

    /// The node at a path such as `spec|capacity`; keys hold dots and slashes.
    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut Self> {
        let mut steps = path.split('|');
        steps.try_fold(self, Self::child_mut)
    }

    /// Sets a value; maps that are missing on the way are made, and what is no map becomes one.
    pub(super) fn set(&mut self, path: &str, value: impl Into<Self>) {
        let (first, rest) = match path.split_once('|') {
            Some((first, rest)) => (first, Some(rest)),
            None => (path, None),
        };
        if self.child_mut(first).is_none() {
            if !matches!(self, Self::Map(_)) {
                *self = Self::Map(Vec::new());
            }
            let Self::Map(entries) = self else {
                unreachable!("it has just been made a map")
            };
            entries.push((Self::text(first), Self::Map(Vec::new())));
        }
        let child = self.child_mut(first).expect("it is there by now");
        match rest {
            Some(rest) => child.set(rest, value),
            None => *child = value.into(),
        }
    }

    /// Takes an entry of a map away, if it is there.
    pub(super) fn remove(&mut self, path: &str) {
        let (parent, key) = match path.rsplit_once('|') {
            Some((parent, key)) => (self.get_mut(parent), key),
            None => (Some(self), path),
        };
        if let Some(Self::Map(entries)) = parent {
            entries.retain(|(own, _)| !own.is_text(key));
        }
    }

    /// Appends to the list at `path`, which may not be there yet.
    pub(super) fn push(&mut self, path: &str, item: impl Into<Self>) {
        if !matches!(self.get_mut(path), Some(Self::List(_))) {
            self.set(path, Self::List(Vec::new()));
        }
        if let Some(Self::List(items)) = self.get_mut(path) {
            items.push(item.into());
        }
    }

    /// Every place below this node, those of `keep` only. What the manifest is, and where it
    /// belongs, is left alone: the server knows it from the address as well, a file does not.
    pub(super) fn places(&self, keep: fn(&Self) -> bool) -> Vec<Place> {
        let mut found = Vec::new();
        self.collect(&mut Vec::new(), keep, &mut found);
        found
    }

    fn collect(&self, here: &mut Place, keep: fn(&Self) -> bool, found: &mut Vec<Place>) {
        if !here.is_empty() && keep(self) {
            found.push(here.clone());
        }
        let fixed = ["apiVersion", "kind", "namespace"];
        for (number, (key, child)) in self.children().into_iter().enumerate() {
            let is_fixed =
                here.len() < 2 && key.is_some_and(|key| fixed.iter().any(|name| key.is_text(name)));
            if !is_fixed {
                here.push(number);
                child.collect(here, keep, found);
                here.pop();
            }
        }
    }

    fn children(&self) -> Vec<(Option<&Self>, &Self)> {
        match self {
            Self::Map(entries) => entries
                .iter()
                .map(|(key, value)| (Some(key), value))
                .collect(),
            Self::List(items) => items.iter().map(|item| (None, item)).collect(),
            _ => Vec::new(),
        }
    }

    /// The node at a place, which must be one of [`Self::places`].
    pub(super) fn at(&mut self, place: &[usize]) -> &mut Self {
        place.iter().fold(self, |node, number| match node {
            Self::Map(entries) => &mut entries[*number].1,
            Self::List(items) => &mut items[*number],
            _ => unreachable!("places lead through maps and lists"),
        })
    }

    /// The map or list that holds the child at a place.
    pub(super) fn parent_of(&mut self, place: &[usize]) -> &mut Self {
        self.at(&place[..place.len() - 1])
    }

    /// Takes the child at a place away.
    pub(super) fn remove_at(&mut self, place: &[usize]) {
        let number = place[place.len() - 1];
        match self.parent_of(place) {
            Self::Map(entries) => drop(entries.remove(number)),
            Self::List(items) => drop(items.remove(number)),
            _ => unreachable!("places lead through maps and lists"),
        }
    }

    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Self::Raw(_) | Self::Text(_))
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }
}
