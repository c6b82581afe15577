//! A map that is being read: keys are texts and stand once, `<<` merges.

use super::super::scalar;
use super::TreeError;
use crate::model::manifest::{Content, Entry, Node};
use std::collections::{HashMap, HashSet};

/// A map that is being read.
#[derive(Default)]
pub(super) struct OpenMap {
    entries: Vec<Entry>,
    /// Where each key stands among the entries; a long map is looked up in all the time.
    index: HashMap<String, usize>,
    /// The keys that stand in the text; those of a merge may be overridden.
    written: HashSet<String>,
}

impl OpenMap {
    pub(super) fn add(&mut self, is_merge: bool, key: Node, value: Node) -> Result<(), TreeError> {
        if is_merge {
            return self.merge(&value);
        }
        let key_place = key.place;
        let Some(key) = scalar::key(key.content) else {
            return Err(TreeError::new(key_place, "a key must be a text"));
        };
        if !self.written.insert(key.clone()) {
            return Err(TreeError::repeated(key_place, key));
        }
        self.set(Entry {
            key,
            key_place,
            value,
        });
        Ok(())
    }

    /// What comes later wins, merged or written.
    fn set(&mut self, entry: Entry) {
        if let Some(index) = self.index.get(&entry.key) {
            self.entries[*index] = entry;
        } else {
            self.index.insert(entry.key.clone(), self.entries.len());
            self.entries.push(entry);
        }
    }

    /// Of several maps to merge, earlier ones win.
    fn merge(&mut self, node: &Node) -> Result<(), TreeError> {
        let all = match &node.content {
            Content::List(maps) => maps.iter().rev().collect(),
            _ => vec![node],
        };
        for map in all {
            let Content::Map(entries) = &map.content else {
                return Err(TreeError::new(map.place, "only a map can be merged"));
            };
            for entry in entries {
                self.set(entry.clone());
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Content {
        Content::Map(self.entries)
    }
}
