//! Manifests as they were written, for those who judge or rewrite them: every object of every file with its places. What is
//! broken is kept and told, since one bad document says nothing about the next.

use super::decode::Decoder;
use super::files::Manner;
use super::source_text::{Document, each_document, separate, spell};
use super::{FileError, Files, Loaded, Overlay, state_of_files};
use crate::model::manifest::{
    Broken, BrokenKind, Candidate, Content, Manifest, Node, Place, SourceFile,
};
use std::io::ErrorKind;
use std::rc::Rc;

/// What files hold.
#[derive(Default)]
pub(crate) struct Manifests {
    /// Every object, in the order of the files; those of a list one by one.
    pub(crate) candidates: Vec<Candidate>,
    /// Every document that is no object.
    pub(crate) broken: Vec<Broken>,
    /// What follows the end of a document without `---`.
    pub(crate) left_over: Vec<Broken>,
    /// What was read in another way than it is written.
    pub(crate) notes: Vec<String>,
    decoder: Decoder,
}

/// What to do with objects that follow each other with no `---` between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joined {
    /// They are an error, as they are to kubectl.
    Refuse,
    /// They are parted, which is said.
    Part,
}

impl Manifests {
    /// Reads everything. Objects that name no namespace are in `default_namespace`.
    pub(crate) fn read(
        files: &Files,
        default_namespace: &str,
        joined: Joined,
    ) -> Result<Self, FileError> {
        let mut manifests = Self {
            decoder: empty_decoder(default_namespace),
            ..Self::default()
        };
        files.each_text(&mut |name, text, manner| {
            let name = name.to_owned();
            let text = match text {
                Ok(text) => text,
                Err(FileError::Read { source, .. }) if source.kind() == ErrorKind::InvalidData => {
                    manifests.broken.push(Broken {
                        source: Rc::new(SourceFile::new(name, String::new())),
                        place: Place { line: 1, column: 1 },
                        kind: BrokenKind::NotText,
                    });
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            let text = match joined {
                Joined::Refuse => text,
                Joined::Part => manifests.part(&name, text),
            };
            manifests.add_text(&Rc::new(SourceFile::new(name, text)), manner);
            Ok(())
        })?;
        Ok(manifests)
    }

    /// The objects that could be understood, as a state of their own.
    pub(crate) fn into_state(self) -> Loaded {
        state_of_files(self.decoder)
    }

    /// The objects that could be understood, to be laid over a state.
    pub(crate) fn into_overlay(self) -> Overlay {
        Overlay::of(self.decoder)
    }

    fn part(&mut self, name: &str, text: String) -> String {
        let (separated, lines) = separate(&text);
        let notes = lines.iter().map(|line| {
            format!("{name}:{line}: another object begins here: `---` was put in front of it")
        });
        self.notes.extend(notes);
        if lines.is_empty() { text } else { separated }
    }

    fn add_text(&mut self, source: &Rc<SourceFile>, manner: Manner) {
        for document in each_document(&source.text) {
            let result = document.and_then(|document: Document<'_>| {
                let root = document.tree()?.into_owned();
                Ok((root, document.left_over))
            });
            match result {
                Ok((root, left_over)) => {
                    self.left_over.extend(left_over.map(|place| Broken {
                        source: Rc::clone(source),
                        place,
                        kind: BrokenKind::AfterEnd,
                    }));
                    self.add_document(source, root, manner);
                }
                Err(error) => self.broken.push(Broken {
                    source: Rc::clone(source),
                    place: Place {
                        line: error.line,
                        column: error.column,
                    },
                    kind: error.kind,
                }),
            }
        }
    }

    /// A file that was found in a folder may hold anything; one that was named must hold objects.
    fn add_document(&mut self, source: &Rc<SourceFile>, root: Node, manner: Manner) {
        let kind = match root.content {
            // An empty kind is none: `add_object` would hand it back.
            Content::Map(_) if root.get_text("kind").is_some_and(|kind| !kind.is_empty()) => {
                return self.add_object(source, root, "v1", "");
            }
            Content::Map(_) => BrokenKind::NoKind,
            _ => BrokenKind::NotAnObject,
        };
        if manner == Manner::Named {
            self.broken.push(Broken {
                source: Rc::clone(source),
                place: root.place,
                kind,
            });
        }
    }

    /// One object, or each of a list; an item may leave it to its list to say what it is.
    fn add_object(&mut self, source: &Rc<SourceFile>, root: Node, version: &str, kind: &str) {
        let api_version = root.get_text("apiVersion").unwrap_or(version).to_owned();
        let kind = root.get_text("kind").unwrap_or(kind).to_owned();
        let is_list = matches!(
            root.get("items").map(|items| &items.content),
            Some(Content::List(_))
        );
        if let Some(item_kind) = kind.strip_suffix("List").filter(|_| is_list) {
            for item in root.get("items").map_or(&[][..], Node::items) {
                self.add_object(source, item.clone(), &api_version, item_kind);
            }
            return;
        }
        if kind.is_empty() {
            return self.add_document(source, root, Manner::Named);
        }
        let json = spell(&root);
        let mut alone = empty_decoder(&self.decoder.default_namespace);
        let added = alone.add(&api_version, &kind, &json);
        let is_known = !matches!(added, Ok(false));
        let misunderstood = added.err().map(|error| (error.field, error.message));
        let alone = alone.finish();
        if misunderstood.is_none() {
            // What was decoded once is decoded again, rather than kept twice in two orders.
            let _ = self.decoder.add(&api_version, &kind, &json);
        }
        self.candidates.push(Candidate {
            manifest: Some(Manifest {
                source: Rc::clone(source),
                api_version,
                kind,
                root,
            }),
            objects: alone.objects,
            is_known,
            misunderstood,
        });
    }
}

fn empty_decoder(default_namespace: &str) -> Decoder {
    Decoder {
        default_namespace: default_namespace.to_owned(),
        ..Decoder::default()
    }
}
