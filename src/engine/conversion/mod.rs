//! The spellings of the five design documents, rewritten into what today's API server keeps.
//!
//! What is understood here is what `load` understands: a manifest gives the same answers before and after.

mod claim;
mod class;
mod labels;
mod pod;
mod versions;
mod volume;

use crate::model::manifest::{Content, Manifest, Node, Place};
use crate::report::ConversionChange;

/// A manifest in today's spelling, and what was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// The manifest.
    pub manifest: Manifest,
    /// What was rewritten, in the order of the manifest.
    pub changes: Vec<ConversionChange>,
}

/// Rewrites one manifest, so that it can be applied. Whatever is in today's spelling already stays as it is.
pub fn convert(manifest: &Manifest) -> Conversion {
    rewrite(manifest, |rewriting| {
        rewriting.drop_resource_version();
        labels::mend(rewriting);
    })
}

/// The manifest as it is understood: old spellings are rewritten, and nothing is mended that is wrong in any spelling.
pub(crate) fn understand(manifest: &Manifest) -> Conversion {
    rewrite(manifest, |_| {})
}

fn rewrite(manifest: &Manifest, mend: impl FnOnce(&mut Rewriting)) -> Conversion {
    let mut rewriting = Rewriting {
        root: manifest.root.clone(),
        changes: vec![],
    };
    rewriting.drop_heading();
    versions::rewrite(&mut rewriting, manifest);
    match (manifest.group(), manifest.kind.as_str()) {
        ("" | "storage.k8s.io" | "extensions", "StorageClass") => class::rewrite(&mut rewriting),
        ("", "PersistentVolumeClaim") => claim::rewrite(&mut rewriting, ""),
        ("", "PersistentVolume") => volume::rewrite(&mut rewriting),
        ("", "Pod") => pod::rewrite(&mut rewriting, "spec"),
        ("" | "apps" | "extensions" | "batch", _) => pod::rewrite_templates(&mut rewriting),
        _ => {}
    }
    mend(&mut rewriting);
    let Rewriting { root, mut changes } = rewriting;
    changes.sort_by_key(|change| change.place);
    let api_version = root
        .get_text("apiVersion")
        .unwrap_or(&manifest.api_version)
        .to_owned();
    Conversion {
        manifest: Manifest {
            api_version,
            root,
            ..manifest.clone()
        },
        changes,
    }
}

/// A manifest that is being rewritten.
struct Rewriting {
    root: Node,
    changes: Vec<ConversionChange>,
}

impl Rewriting {
    /// The map at a path of plain keys, such as `spec.template.spec`.
    fn at(&mut self, path: &str) -> Option<&mut Node> {
        let steps = path.split('.').filter(|step| !step.is_empty());
        let found = steps.into_iter().try_fold(&mut self.root, |node, step| {
            match step.strip_suffix(']').and_then(|step| step.split_once('[')) {
                None => node.get_mut(step),
                Some((key, index)) => match &mut node.get_mut(key)?.content {
                    Content::List(items) => items.get_mut(index.parse::<usize>().ok()?),
                    _ => None,
                },
            }
        });
        found.filter(|node| matches!(node.content, Content::Map(_)))
    }

    fn place_of(&self, field: &str) -> Place {
        self.root.place_of(field)
    }

    /// Notes that something was rewritten whose old form the server drops or refuses.
    fn dropped(
        &mut self,
        field: String,
        place: Place,
        done: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.note(field, place, (done.into(), why.into()), true);
    }

    /// Notes that something was only made clear.
    fn cleared(
        &mut self,
        field: String,
        place: Place,
        done: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.note(field, place, (done.into(), why.into()), false);
    }

    fn note(
        &mut self,
        field: String,
        place: Place,
        (done, why): (String, String),
        is_dropped: bool,
    ) {
        self.changes.push(ConversionChange {
            field,
            place,
            done,
            why,
            is_dropped,
        });
    }

    /// The design documents print requests, with the verb above the object.
    fn drop_heading(&mut self) {
        for verb in ["POST", "PUT", "GET"] {
            let place = self.place_of(verb);
            if self
                .root
                .entry(verb)
                .is_some_and(|entry| entry.value.is_null())
            {
                self.root.remove(verb);
                let why = "it is the heading of a request, not a field";
                self.dropped(verb.to_owned(), place, "left out", why);
            }
        }
    }

    /// A new object may not have one, and an old one is changed only if it still fits.
    fn drop_resource_version(&mut self) {
        let place = self.place_of("metadata.resourceVersion");
        let removed = self
            .root
            .get_mut("metadata")
            .and_then(|metadata| metadata.remove("resourceVersion"));
        if removed.is_some() {
            self.cleared(
                "metadata.resourceVersion".to_owned(),
                place,
                "left out",
                "the server gives it, and refuses to create an object that brings one",
            );
        }
    }

    /// Puts an annotation in, and says so if another value stood there: a field counts before its annotation.
    fn annotate(&mut self, below: &str, key: &str, value: String) -> &'static str {
        let object = self.at(below).and_then(|object| object.map_at("metadata"));
        let Some(annotations) = object.and_then(|metadata| metadata.map_at("annotations")) else {
            return "";
        };
        let stood_there = annotations.get_text(key).is_some_and(|old| old != value);
        annotations.set(key, Node::text(value));
        if stood_there {
            ", instead of what stood there"
        } else {
            ""
        }
    }
}

/// `below.field`, or the field alone at the top.
fn join(below: &str, field: &str) -> String {
    if below.is_empty() {
        field.to_owned()
    } else {
        format!("{below}.{field}")
    }
}
