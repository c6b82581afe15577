//! State from files: paths, folders, standard input; `List` objects; several documents per file.

use super::decode::{DecodeError, Decoder};
use super::items::ItemList;
use super::source_text::{Document, SyntaxError, documents};
use super::{Loaded, outside, state_of_files, wire};
use crate::model::manifest::BrokenKind;
use std::fs;
use std::path::{Path, PathBuf};

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file or a folder.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// A text at hand.
    Text(String),
}

/// The `-f` flags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    /// What to read, in order.
    pub inputs: Vec<Input>,
    /// Whether folders are read to the bottom.
    pub recursive: bool,
}

/// Why files could not be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file or folder could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A folder holds nothing to read.
    #[error("no .yaml, .yml or .json file in {0}")]
    Empty(String),
    /// A document is broken.
    #[error("{path}, document {document}, line {line}: {kind}")]
    Syntax {
        /// The file.
        path: String,
        /// Which document of it.
        document: usize,
        /// The line.
        line: usize,
        /// What is wrong.
        kind: BrokenKind,
    },
    /// A field does not hold what it must.
    #[error("{path}, document {document}, line {line}, {field}: {message}")]
    Field {
        /// The file.
        path: String,
        /// Which document of it.
        document: usize,
        /// The line.
        line: usize,
        /// The field.
        field: String,
        /// What is wrong.
        message: String,
    },
}

impl Files {
    /// Whether standard input is among them.
    pub fn use_stdin(&self) -> bool {
        self.inputs.contains(&Input::Stdin)
    }

    /// Reads everything. Objects that name no namespace are in `default_namespace`.
    pub fn load(&self, default_namespace: &str) -> Result<Loaded, FileError> {
        self.decode(default_namespace).map(state_of_files)
    }

    /// Everything the files hold, not yet put in order.
    pub(super) fn decode(&self, default_namespace: &str) -> Result<Decoder, FileError> {
        let mut decoder = Decoder {
            default_namespace: default_namespace.to_owned(),
            ..Decoder::default()
        };
        self.each_text(&mut |path, text, manner| add_text(&mut decoder, path, &text?, manner))?;
        Ok(decoder)
    }

    /// Hands every text to `take`, with the name it has for people.
    pub(super) fn each_text(&self, take: &mut TakeText<'_>) -> Result<(), FileError> {
        for input in &self.inputs {
            match input {
                Input::Stdin => take("stdin", read_stdin(), Manner::Named)?,
                Input::Text(text) => take("text", Ok(text.clone()), Manner::Named)?,
                Input::Path(path) if path.is_dir() => self.each_text_in(path, take)?,
                Input::Path(path) => take_file(path, Manner::Named, take)?,
            }
        }
        Ok(())
    }

    fn each_text_in(&self, folder: &Path, take: &mut TakeText<'_>) -> Result<(), FileError> {
        let mut files = Vec::new();
        collect(folder, self.recursive, &mut files)?;
        if files.is_empty() {
            return Err(FileError::Empty(folder.display().to_string()));
        }
        files
            .iter()
            .try_for_each(|file| take_file(file, Manner::Found, take))
    }
}

/// What was read, or why it could not be: one bad file need not be the end.
type TakeText<'a> =
    dyn FnMut(&str, Result<String, FileError>, Manner) -> Result<(), FileError> + 'a;

/// A file somebody named must hold objects; one that was found in a folder may hold anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Named,
    Found,
}

fn collect(folder: &Path, recursive: bool, files: &mut Vec<PathBuf>) -> Result<(), FileError> {
    let failed = |source| FileError::Read {
        path: folder.display().to_string(),
        source,
    };
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    entries.sort();
    for path in entries {
        // A link to a folder may lead in circles; a link to a file is as good as the file.
        let is_real_folder = path.is_dir() && !path.is_symlink();
        let extension = path
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or("");
        if is_real_folder && recursive {
            collect(&path, recursive, files)?;
        } else if path.is_file() && matches!(extension, "yaml" | "yml" | "json") {
            files.push(path);
        }
    }
    Ok(())
}

fn read_stdin() -> Result<String, FileError> {
    outside::read_stdin().map_err(|source| FileError::Read {
        path: "stdin".to_owned(),
        source,
    })
}

fn take_file(path: &Path, manner: Manner, take: &mut TakeText<'_>) -> Result<(), FileError> {
    let shown = path.display().to_string();
    let text = outside::read_manifests(path).map_err(|source| FileError::Read {
        path: shown.clone(),
        source,
    });
    take(&shown, text, manner)
}

fn add_text(
    decoder: &mut Decoder,
    path: &str,
    text: &str,
    manner: Manner,
) -> Result<(), FileError> {
    // A large dump is one JSON object: it is walked through once, and not cut into documents first.
    if let Some(envelope) = whole_object(text) {
        let document = Document::whole(text);
        return add_object(
            decoder,
            &Place {
                path,
                document: &document,
            },
            envelope,
            manner,
        );
    }
    let documents = documents(text).map_err(|error| syntax(path, error))?;
    documents.iter().try_for_each(|document| {
        let place = Place { path, document };
        if let Some(rest) = document.left_over {
            decoder.notes.push(format!(
                "{path}:{}: not read, as kubectl does not read it: no `---` before it",
                rest.line
            ));
        }
        match whole_object(&document.json) {
            Some(envelope) => add_object(decoder, &place, envelope, manner),
            None if manner == Manner::Named => Err(place.no_object(BrokenKind::NotAnObject)),
            None => Ok(()),
        }
    })
}

/// What a JSON text says of itself, if it is one object and nothing else. A list of values would pass for an object whose
/// fields have no names, hence the look at the first character.
fn whole_object(json: &str) -> Option<wire::Envelope<'_>> {
    json.trim_start()
        .starts_with('{')
        .then(|| serde_json::from_str(json).ok())?
}

fn syntax(path: &str, error: SyntaxError) -> FileError {
    FileError::Syntax {
        path: path.to_owned(),
        document: error.document,
        line: error.line,
        kind: error.kind,
    }
}

/// Where something was read.
struct Place<'a> {
    path: &'a str,
    document: &'a Document<'a>,
}

impl Place<'_> {
    fn no_object(&self, kind: BrokenKind) -> FileError {
        FileError::Syntax {
            path: self.path.to_owned(),
            document: self.document.index,
            line: self.document.first_line,
            kind,
        }
    }

    fn broken(&self, below: &str, error: DecodeError) -> FileError {
        let field = if below.is_empty() {
            error.field
        } else {
            format!("{below}.{}", error.field)
        };
        FileError::Field {
            path: self.path.to_owned(),
            document: self.document.index,
            line: self.document.line_of(&field),
            field,
            message: error.message,
        }
    }
}

fn add_object(
    decoder: &mut Decoder,
    place: &Place<'_>,
    envelope: wire::Envelope<'_>,
    manner: Manner,
) -> Result<(), FileError> {
    let Some(kind) = envelope.kind.as_deref() else {
        return if manner == Manner::Named {
            Err(place.no_object(BrokenKind::NoKind))
        } else {
            Ok(())
        };
    };
    let api_version = envelope.api_version.as_deref().unwrap_or("v1");
    let Some(items) = envelope.items.filter(|_| kind.ends_with("List")) else {
        return decoder
            .add(api_version, kind, &place.document.json)
            .map(drop)
            .map_err(|error| place.broken("", error));
    };
    let list = ItemList {
        api_version,
        kind: kind.strip_suffix("List").unwrap_or(""),
    };
    list.add_all(decoder, &items)
        .map_err(|(index, error)| place.broken(&format!("items[{index}]"), error))
}
